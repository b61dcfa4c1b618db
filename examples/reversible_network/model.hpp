// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A deep residual network on two halves of features: a scan over the layers, whose weights lie one behind the other. With
// reversible blocks, or by the same formula, whose activations the backward pass keeps.
#pragma once

#include <cmath>
#include <tuple>

#include <dyad/array.hpp>

#include <data_files/generator.hpp>

namespace reversible_network {

using matrix = xt::xtensor<double, 2>;

using cube = xt::xtensor<double, 3>;
using vector = xt::xtensor<double, 1>;

/// From the inputs to both halves; of all layers the matrices (depth x width x width) and biases (depth x width) of both
/// functions; from the features to the score.
using weights = std::tuple<matrix, matrix, cube, cube, matrix, matrix, vector>;

template <bool Reversible>
inline constexpr auto scores = [](const auto& w, const auto& inputs) {
    const auto layer = [](const auto& halves, const auto& own) {
        const auto change_1 = [&](const auto& x) { return relu(matmul(x, std::get<0>(own)) + std::get<2>(own)); };
        const auto change_2 = [&](const auto& x) { return relu(matmul(x, std::get<1>(own)) + std::get<3>(own)); };
        if constexpr (Reversible) {
            return std::pair{dyad::reversible(change_1, change_2)(halves), std::tuple<>{}};
        } else {
            const auto [x1, x2] = halves;
            const auto y1 = x1 + change_1(x2);
            return std::pair{std::tuple{y1, x2 + change_2(y1)}, std::tuple<>{}};
        }
    };
    const auto& [lift_1, lift_2, f, g, f_bias, g_bias, read_out] = w;
    const auto first = std::tuple{matmul(inputs, lift_1), matmul(inputs, lift_2)};
    const auto [y1, y2] = dyad::scan(layer, first, std::tuple{f, g, f_bias, g_bias}).first;
    return matmul(y1 + y2, read_out);
};

/// The mean of -log p(class), classes +1 and -1.
template <bool Reversible>
inline constexpr auto loss = [](const auto& w, const auto& inputs, const auto& classes) {
    return mean(softplus(-classes * scores<Reversible>(w, inputs)));
};

inline weights first_weights(std::size_t depth, std::size_t width, data_files::generator& random) {
    const auto fill = [&](auto array, double deviation) {
        for (double& x : array) x = deviation * random.normal();
        return array;
    };
    const double share = 1 / std::sqrt(static_cast<double>(width)), change = 1 / static_cast<double>(depth);
    return {fill(matrix(xt::zeros<double>({std::size_t{2}, width})), 1),
            fill(matrix(xt::zeros<double>({std::size_t{2}, width})), 1),
            fill(cube(xt::zeros<double>({depth, width, width})), share * change * 4),
            fill(cube(xt::zeros<double>({depth, width, width})), share * change * 4),
            xt::zeros<double>({depth, width}),
            xt::zeros<double>({depth, width}),
            fill(vector(xt::zeros<double>({width})), share)};
}

} // namespace reversible_network
