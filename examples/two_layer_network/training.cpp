// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A batch is a list of row numbers: the loss takes these rows from all examples itself. Only the
// weights are differentiated.
#include "training.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <vector>

#include <adam.hpp>

namespace network {

epoch train(weights& w, const split_examples& data, const schedule& plan,
            data_files::generator& random, const std::function<void(const epoch&)>& watch) {
    optimisation::adam<weights> optimiser(w, plan.rate);
    std::vector<int> order(data.training.rows());
    std::iota(order.begin(), order.end(), 0);
    epoch now{};
    while (now.number < plan.epochs) {
        const auto begin = std::chrono::steady_clock::now();
        random.shuffle(order);
        double total = 0;
        int batches = 0;
        for (std::size_t at = 0; at < order.size(); at += plan.batch, ++batches) {
            const std::size_t count = std::min(plan.batch, order.size() - at);
            const std::vector<int> batch(order.data() + at, order.data() + at + count);
            const auto [value, gradient] = dyad::value_and_grad<0>(loss)(
                w, data.training.inputs, data.training.targets, batch);
            optimiser.step(w, gradient);
            total += value;
        }
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
        now = {now.number + 1, total / batches, accuracy(w, data.test), time.count()};
        watch(now);
    }
    return now;
}

double accuracy(const weights& w, const examples& data) {
    const xt::xtensor<float, 2> score = dyad::evaluate(scores, w, data.inputs);
    std::size_t right = 0;
    for (std::size_t i = 0; i < data.rows(); ++i) {
        std::size_t best = 0;
        for (std::size_t k = 1; k < score.shape(1); ++k)
            if (score(i, k) > score(i, best)) best = k;
        right += data.targets(i, best) == 1;
    }
    return static_cast<double>(right) / static_cast<double>(data.rows());
}

} // namespace network
