// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Training by mini-batches, one pass over the examples after the other, with what it achieves.
#pragma once

#include <functional>

#include "examples.hpp"
#include "model.hpp"

namespace network {

struct epoch {
    int number;
    double loss;     // mean over the epoch's batches
    double accuracy; // share of the test examples, after the epoch
    double seconds;
};

struct schedule {
    int epochs = 5;
    std::size_t batch = 50;
    double rate = 2e-3;
};

/// `watch` sees every epoch; the last one comes back.
epoch train(weights& w, const split_examples& data, const schedule& plan,
            data_files::generator& random, const std::function<void(const epoch&)>& watch);

/// The share of examples whose class has the highest score.
double accuracy(const weights& w, const examples& data);

} // namespace network
