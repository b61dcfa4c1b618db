// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Adam: steps along a running mean of gradients, divided by the root of a running mean of their
// squares. Works on any tuple of arrays; knows nothing of networks.
#pragma once

#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>

namespace optimisation {

template <class Weights>
class adam {
public:
    /// Both means begin with 0, in the shapes of the weights.
    explicit adam(const Weights& weights, double rate)
        : mean_(weights), square_(weights), rate_(rate) {
        const auto clear = [](auto&... array) { (array.fill(0), ...); };
        std::apply(clear, mean_);
        std::apply(clear, square_);
    }

    void step(Weights& weights, const Weights& gradient) {
        mean_part_ *= mean_decay;
        square_part_ *= square_decay;
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (update(std::get<I>(weights), std::get<I>(gradient), std::get<I>(mean_),
                    std::get<I>(square_)),
             ...);
        }
        (std::make_index_sequence<std::tuple_size_v<Weights>>{});
    }

private:
    static constexpr double mean_decay = 0.9, square_decay = 0.999, floor = 1e-8;

    template <class Array>
    void update(Array& w, const Array& gradient, Array& mean, Array& square) const {
        using number = typename Array::value_type;
        const auto b1 = static_cast<number>(mean_decay), b2 = static_cast<number>(square_decay);
        const auto least = static_cast<number>(floor);
        // What both means lack because they began with 0.
        const auto rate = static_cast<number>(rate_ / (1 - mean_part_));
        const auto scale = static_cast<number>(1 / (1 - square_part_));
        for (std::size_t i = 0; i < w.size(); ++i) {
            const number g = gradient.data()[i];
            number& m = mean.data()[i] = b1 * mean.data()[i] + (1 - b1) * g;
            number& s = square.data()[i] = b2 * square.data()[i] + (1 - b2) * g * g;
            w.data()[i] -= rate * m / (std::sqrt(scale * s) + least);
        }
    }

    Weights mean_, square_;
    double rate_;
    double mean_part_ = 1, square_part_ = 1;
};

} // namespace optimisation
