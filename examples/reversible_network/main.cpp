// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A reversible residual network: what its backward pass keeps and how long it takes, beside the same network by ordinary
// backpropagation; then it learns to tell two spirals apart. Exit status 0: the gradients agree, the memory does not grow with
// the depth, and the points are told apart.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

#include "model.hpp"

namespace {

using namespace reversible_network;

// Bytes of aligned memory, which is dyad's workspaces: those in use, and the most that ever were.
std::size_t bytes = 0, most_bytes = 0;

} // namespace

void* operator new(std::size_t size, std::align_val_t alignment) {
    const auto to = static_cast<std::size_t>(alignment);
    // Its size stands before it.
    auto* const memory = static_cast<std::byte*>(std::aligned_alloc(to, to + (size + to - 1) / to * to));
    if (memory == nullptr) throw std::bad_alloc{};
    std::memcpy(memory, &size, sizeof size);
    bytes += size;
    most_bytes = std::max(bytes, most_bytes);
    return memory + to;
}
void operator delete(void* memory, std::align_val_t alignment) noexcept {
    if (memory == nullptr) return;
    std::byte* const first = static_cast<std::byte*>(memory) - static_cast<std::size_t>(alignment);
    std::size_t size = 0;
    std::memcpy(&size, first, sizeof size);
    bytes -= size;
    std::free(first);
}
void operator delete(void* memory, std::size_t, std::align_val_t alignment) noexcept { operator delete(memory, alignment); }

namespace {

/// Points on two spirals, one turned by half a turn, and which of them each is on.
struct points {
    matrix inputs;
    vector classes;
    explicit points(std::size_t count, data_files::generator& random)
        : inputs(xt::zeros<double>({count, std::size_t{2}})), classes(xt::zeros<double>({count})) {
        for (std::size_t i = 0; i < count; ++i) {
            const double along = 0.25 + 2.75 * static_cast<double>(i) / static_cast<double>(count), sign = i % 2 == 0 ? 1 : -1;
            inputs(i, 0) = sign * along * std::cos(2 * along) / 2 + 0.02 * random.normal();
            inputs(i, 1) = sign * along * std::sin(2 * along) / 2 + 0.02 * random.normal();
            classes(i) = sign;
        }
    }
};

template <bool Reversible>
auto value_and_gradient(const weights& w, const points& p) {
    return dyad::value_and_grad<0>(loss<Reversible>)(w, p.inputs, p.classes);
}

/// Calls f(array, the same of `other`) for all weights.
template <class F>
void for_each_array(weights& w, const weights& other, F f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (f(std::get<I>(w), std::get<I>(other)), ...);
    }(std::make_index_sequence<std::tuple_size_v<weights>>{});
}

/// The most that a thread without a workspace has at a time.
template <class F>
double kilobytes(const F& f) {
    const std::size_t before = most_bytes = bytes;
    std::thread(f).join();
    return static_cast<double>(most_bytes - before) / 1024;
}
template <class F>
double seconds(const F& f) {
    const auto begin = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// One line for a depth: the memory of both, and the median of their times' ratios. False: the gradients differ.
bool compare(std::size_t depth, double& memory) {
    constexpr std::size_t width = 32, rows = 512;
    data_files::generator random(3);
    const points p(rows, random);
    const weights w = first_weights(depth, width, random);
    const auto reversible = [&] { return value_and_gradient<true>(w, p); };
    const auto ordinary = [&] { return value_and_gradient<false>(w, p); };
    const double kept = kilobytes([&] { reversible(); }), all = kilobytes([&] { ordinary(); });
    std::vector<double> ratios;
    for (int repeat = 0; repeat < 11; ++repeat) ratios.push_back(seconds(reversible) / seconds(ordinary));
    std::nth_element(ratios.begin(), ratios.begin() + 5, ratios.end());
    weights difference = reversible().second;
    double apart = 0;
    for_each_array(difference, ordinary().second, [&](const auto& x, const auto& y) {
        for (std::size_t i = 0; i < x.size(); ++i) apart = std::max(apart, std::abs(x.data()[i] - y.data()[i]));
    });
    // The gradients of the layers are results, however they are computed.
    memory = kept - static_cast<double>(2 * depth * (width + 1) * width * sizeof(double)) / 1024;
    std::printf("%6zu%14.0f kB%14.0f kB%12.2f%14.1e\n", depth, all, kept, ratios[5], apart);
    return apart < 1e-9;
}

double accuracy(const weights& w, const points& p) {
    const vector score = dyad::evaluate(scores<true>, w, p.inputs);
    std::size_t right = 0;
    for (std::size_t i = 0; i < score.size(); ++i) right += score(i) * p.classes(i) > 0 ? 1U : 0U;
    return static_cast<double>(right) / static_cast<double>(score.size());
}

/// Gradient steps with a momentum, on all points.
double learn(std::size_t depth, std::size_t width) {
    data_files::generator random(5);
    const points training(400, random), test(400, random);
    weights w = first_weights(depth, width, random), momentum = w;
    for_each_array(momentum, w, [](auto& m, const auto&) { m.fill(0); });
    std::printf("\n%5s%12s%16s\n", "step", "loss", "test accuracy");
    for (int step = 0; step <= 200; ++step) {
        const auto [value, gradient] = value_and_gradient<true>(w, training);
        for_each_array(momentum, gradient, [](auto& m, const auto& g) { m = 0.9 * m + g; });
        for_each_array(w, momentum, [](auto& x, const auto& m) { x -= 0.02 * m; });
        if (step % 50 == 0) std::printf("%5d%12.6f%15.1f%%\n", step, value, 100 * accuracy(w, test));
    }
    return accuracy(w, test);
}

} // namespace

int main() {
    std::printf("%6s%17s%17s%12s%14s\n", "depth", "ordinary", "reversible", "time ratio", "difference");
    double shallow = 0, deep = 0, memory = 0;
    bool good = compare(8, shallow);
    good = compare(32, memory) && good;
    good = compare(128, deep) && good;
    const bool flat = deep < 2 * shallow + 3 * 2 * 128 * 33 * 32 * 8 / 1024.0; // (workspaces grow by doubling)
    const double right = learn(24, 16);
    std::printf("\n%s; %s; %.1f %% of the test points are on the right spiral.\n", good ? "The gradients agree" : "The gradients differ",
                flat ? "what the reversible network keeps does not grow with the depth" : "the memory grows with the depth", 100 * right);
    return good && flat && right > 0.98 ? 0 : 1;
}
