// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A long short-term memory and its loss, each a plain generic function of arrays. Many sequences go through it at once; the
// steps of time are one loop of the graph, whose state is what the units show and what their cells keep.
#pragma once

#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>

#include <dyad/array.hpp>

#include <data_files/generator.hpp>

namespace lstm {

inline constexpr int units = 16, inputs = 2;

using matrix = xt::xtensor<double, 2>;
using vector = xt::xtensor<double, 1>;
using sequences = xt::xtensor<double, 3>; // time, sequence, input

/// From the units and from the inputs to all gates, with biases; from the units to the answer.
using weights = std::tuple<matrix, matrix, vector, vector>;

/// What units show and cells keep, after one more row of inputs for each sequence.
inline constexpr auto step = [](const auto& w, const auto& state, const auto& now) {
    const auto& [recurrent, incoming, bias, readout] = w;
    const auto& [shown, kept] = state;
    const auto all = matmul(shown, recurrent) + matmul(now, incoming) + bias;
    const auto in = sigmoid(slice(all, 1, 0, units)), keep = sigmoid(slice(all, 1, units, 2 * units));
    const auto fresh = tanh(slice(all, 1, 2 * units, 3 * units)), out = sigmoid(slice(all, 1, 3 * units, 4 * units));
    const auto cell = keep * kept + in * fresh;
    return std::tuple{out * tanh(cell), cell};
};

/// One answer for each sequence, read after the last step. `rest` are zeros, the state before the first one.
inline constexpr auto answers = [](const auto& w, const auto& x, const auto& rest) {
    // (no structured bindings are captured here: clang 19 cannot evaluate such at compile time)
    const auto end = dyad::scan([&](auto state, auto now) { return std::pair{step(w, state, now), std::tuple<>{}}; },
                                std::tuple{rest, rest}, x);
    const auto [shown, kept] = end.first;
    return matmul(shown, std::get<3>(w));
};

/// The mean square of the errors.
inline constexpr auto loss = [](const auto& w, const auto& x, const auto& targets, const auto& rest) {
    return mean(square(answers(w, x, rest) - targets));
};

/// Small random weights; at first, cells keep what they have.
inline weights first_weights(data_files::generator& random) {
    const auto random_fill = [&](auto array, int fan_in) {
        for (double& x : array) x = random.normal() / std::sqrt(fan_in);
        return array;
    };
    constexpr std::size_t n = units, gates = 4 * n;
    vector bias = xt::zeros<double>({gates});
    for (std::size_t i = n; i < 2 * n; ++i) bias(i) = 1;
    matrix recurrent = random_fill(matrix(xt::zeros<double>({n, gates})), units);
    matrix incoming = random_fill(matrix(xt::zeros<double>({std::size_t{inputs}, gates})), inputs);
    vector readout = random_fill(vector(xt::zeros<double>({n})), units);
    return {std::move(recurrent), std::move(incoming), std::move(bias), std::move(readout)};
}

} // namespace lstm
