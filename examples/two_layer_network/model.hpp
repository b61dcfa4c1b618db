// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The network and its loss, each a plain generic function of arrays: inputs, a hidden layer of
// rectified units, one score for each class; cross entropy of the scores with the targets.
#pragma once

#include <cstddef>
#include <tuple>

#include <dyad/array.hpp>

#include <data_files/generator.hpp>

namespace network {

/// Hidden weights and biases, output weights and biases.
using weights = std::tuple<xt::xtensor<float, 2>, xt::xtensor<float, 1>, xt::xtensor<float, 2>,
                           xt::xtensor<float, 1>>;

inline constexpr auto scores = [](const auto& w, const auto& inputs) {
    const auto& [hidden, hidden_bias, output, output_bias] = w;
    return matmul(relu(matmul(inputs, hidden) + hidden_bias), output) + output_bias;
};

/// The mean of -log p(class) over the rows that `batch` numbers.
inline constexpr auto loss = [](const auto& w, const auto& inputs, const auto& targets,
                                const auto& batch) {
    const auto log_probability = log_softmax(scores(w, take(inputs, batch)), 1);
    return -mean(sum(log_probability * take(targets, batch), 1));
};

/// Random weights with which every layer passes on numbers of the size that it gets.
weights first_weights(std::size_t inputs, std::size_t hidden, std::size_t classes,
                      data_files::generator& random);

} // namespace network
