// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What is fitted: rows of features, each with a label 0 or 1. They come from a CSV file whose last
// column is the label, or are made with weights that are known.
#pragma once

#include <cstddef>
#include <cstdint>

#include <dyad/array.hpp>

#include <data_files/csv.hpp>

namespace logistic {

struct labelled_rows {
    xt::xtensor<double, 2> features;
    xt::xtensor<double, 1> labels;

    [[nodiscard]] std::size_t rows() const { return features.shape(0); }
    [[nodiscard]] std::size_t columns() const { return features.shape(1); }
};

/// A label other than 0 and 1 is an input_error that names its line.
labelled_rows labelled(const data_files::table& table);

/// Labels drawn with the probabilities of a logistic model.
labelled_rows made_rows(std::size_t rows, std::size_t columns, std::uint64_t seed);

/// Every column with mean 0 and variance 1 (one that is constant becomes 0), then a column of ones,
/// whose weight is the intercept.
labelled_rows standardised(labelled_rows data);

} // namespace logistic
