// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The made features have scales from 1e-3 to 1e3, as measured ones do: standardising matters.
#include "labelled_rows.hpp"

#include <cmath>

#include <data_files/generator.hpp>
#include <data_files/input_error.hpp>

namespace logistic {

labelled_rows labelled(const data_files::table& table) {
    const std::size_t rows = table.rows(), columns = table.columns - 1;
    if (columns == 0) data_files::reject(table.file, "one column only, and that is the label");
    labelled_rows data{xt::zeros<double>({rows, columns}), xt::zeros<double>({rows})};
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) data.features(i, j) = table.at(i, j);
        const double label = table.at(i, columns);
        if (label != 0 && label != 1)
            data_files::reject_line(table.file, table.lines[i], "the label ", label,
                                    " is neither 0 nor 1");
        data.labels(i) = label;
    }
    return data;
}

labelled_rows made_rows(std::size_t rows, std::size_t columns, std::uint64_t seed) {
    data_files::generator random(seed);
    labelled_rows data{xt::zeros<double>({rows, columns}), xt::zeros<double>({rows})};
    for (std::size_t i = 0; i < rows; ++i) {
        double score = 0.5;
        for (std::size_t j = 0; j < columns; ++j) {
            const double x = random.normal();
            score += (j % 2 == 0 ? 1.5 : -1) * x;
            data.features(i, j) = std::pow(10.0, static_cast<double>(j % 7) - 3) * (x + 5);
        }
        data.labels(i) = random.uniform() < 1 / (1 + std::exp(-score)) ? 1 : 0;
    }
    return data;
}

labelled_rows standardised(labelled_rows data) {
    const std::size_t rows = data.rows(), columns = data.columns();
    const auto n = static_cast<double>(rows);
    xt::xtensor<double, 2> features = xt::ones<double>({rows, columns + 1});
    for (std::size_t j = 0; j < columns; ++j) {
        double mean = 0, variance = 0;
        for (std::size_t i = 0; i < rows; ++i) mean += data.features(i, j) / n;
        for (std::size_t i = 0; i < rows; ++i) {
            const double difference = data.features(i, j) - mean;
            variance += difference * difference / n;
        }
        // The mean of equal numbers is one of them up to rounding.
        const double deviation = std::sqrt(variance);
        const double scale = deviation > 1e-13 * std::abs(mean) ? 1 / deviation : 0;
        for (std::size_t i = 0; i < rows; ++i)
            features(i, j) = scale * (data.features(i, j) - mean);
    }
    data.features = std::move(features);
    return data;
}

} // namespace logistic
