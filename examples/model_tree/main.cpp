// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A recursive network on trees: every sentence is a tree of its own, so every evaluation takes its own path. The network
// learns to compute the trees' arithmetic (which is what it should find): a node's value is a weighted sum of its children's
// values and their product.
#include <dyad/tape.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <memory>
#include <vector>

namespace {

using dyad::real;

/// A leaf with a number, or a node with two parts that are added or multiplied.
struct tree {
    double number = 0;
    char operation = 0;
    std::unique_ptr<tree> left, right;
};

/// The weights of + and of *: a + b l + c r + d l r.
template <class T>
using weights = std::array<T, 8>;

template <class T>
T evaluate(const tree& t, const weights<T>& w) {
    if (t.operation == 0) return t.number;
    const T l = evaluate(*t.left, w), r = evaluate(*t.right, w);
    const std::size_t k = t.operation == '+' ? 0 : 4;
    return w[k] + w[k + 1] * l + w[k + 2] * r + w[k + 3] * l * r;
}
double truth(const tree& t) {
    if (t.operation == 0) return t.number;
    return t.operation == '+' ? truth(*t.left) + truth(*t.right) : truth(*t.left) * truth(*t.right);
}

class generator {
public:
    std::size_t below(std::size_t n) {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return static_cast<std::size_t>(state_ >> 33) % n;
    }
    std::unique_ptr<tree> grow(int depth) {
        auto t = std::make_unique<tree>();
        if (depth == 0 || below(4) == 0) {
            t->number = static_cast<double>(below(2001)) / 1000 - 1;
        } else {
            t->operation = below(2) == 0 ? '+' : '*';
            t->left = grow(depth - 1);
            t->right = grow(depth - 1);
        }
        return t;
    }

private:
    std::uint64_t state_ = 42;
};

} // namespace

int main() {
    generator random;
    std::vector<std::unique_ptr<tree>> forest;
    for (int k = 0; k < 200; ++k) forest.push_back(random.grow(4));

    weights<double> w{0.1, 0.8, 0.7, 0.1, -0.1, 0.2, 0.1, 0.8}, mean{}, square{};
    double loss = 0;
    dyad::tape tape; // its memory serves every round
    for (int round = 1; round <= 400; ++round) {
        const weights<real> v = tape.variable(w);
        real sum = 0;
        for (const auto& t : forest) {
            const real error = evaluate(*t, v) - truth(*t);
            sum += error * error;
        }
        const real average = sum / static_cast<double>(forest.size());
        loss = average.value();
        const weights<double> g = tape.gradient(average, v);
        for (std::size_t k = 0; k < w.size(); ++k) { // Adam
            mean[k] = 0.9 * mean[k] + 0.1 * g[k];
            square[k] = 0.99 * square[k] + 0.01 * g[k] * g[k];
            w[k] -= 0.02 * mean[k] / (1 - std::pow(0.9, round)) / (std::sqrt(square[k] / (1 - std::pow(0.99, round))) + 1e-12);
        }
        if (round % 100 == 0) std::cout << "round " << round << ": loss " << loss << '\n';
    }
    std::cout << "plus:  " << w[0] << ' ' << w[1] << ' ' << w[2] << ' ' << w[3] << " (known: 0 1 1 0)\n";
    std::cout << "times: " << w[4] << ' ' << w[5] << ' ' << w[6] << ' ' << w[7] << " (known: 0 0 0 1)\n";
    const weights<double> known{0, 1, 1, 0, 0, 0, 0, 1};
    bool good = true;
    for (std::size_t k = 0; k < w.size(); ++k) good = good && std::fabs(w[k] - known[k]) < 0.02;
    return good ? 0 : 1;
}
