// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What the network learns from and is tested on: rows of inputs, each with its class. From files of
// images and labels, or made: points around the centres of their classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include <dyad/array.hpp>

namespace network {

struct examples {
    xt::xtensor<float, 2> inputs;
    xt::xtensor<float, 2> targets; // 1 in the column of the class, 0 elsewhere

    [[nodiscard]] std::size_t rows() const { return inputs.shape(0); }
};

struct split_examples {
    examples training;
    examples test;
};

/// Arrays in IDX or NPY format, of numbers from 0 to 255 and of classes counted from 0. The first
/// four fifths are for training. Files that do not belong together are an input_error.
split_examples read_examples(const std::filesystem::path& images,
                             const std::filesystem::path& labels);

split_examples made_blobs(std::uint64_t seed);

} // namespace network
