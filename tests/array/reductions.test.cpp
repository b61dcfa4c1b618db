// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// sum, mean, prod, max, min, logsumexp, norm and variance: values against plain loops over the elements that
// each result is made of, gradients against differences of those loops; with an outer slope that is not 1,
// for odd sizes and axes named in all ways.

#include "differences.hpp"
#include "worse.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace differences;

namespace {

using group = std::vector<double>;

/// The elements that go into each result of a reduction along the axes of a mask (bit 0: the first axis).
template <class T, std::size_t N>
std::vector<group> groups(const xt::xtensor<T, N>& x, unsigned axes) {
    const T* const elements = x.data(); // (looked up once: differences come here for each element)
    std::size_t size[N], count = 1, length = 1;
    for (std::size_t k = 0; k < N; ++k) {
        size[k] = x.shape()[k];
        ((axes >> k & 1) != 0 ? length : count) *= size[k];
    }
    std::vector<group> all(count);
    for (group& g : all) g.reserve(length);
    for (std::size_t i = 0; i < count * length; ++i) {
        std::size_t rest = i, place = 0, step = 1;
        for (std::size_t k = N; k-- > 0;) {
            const std::size_t at = rest % size[k];
            rest /= size[k];
            if ((axes >> k & 1) == 0) place += at * step, step *= size[k];
        }
        all[place].push_back(static_cast<double>(elements[i]));
    }
    return all;
}

constexpr auto plain_sum = [](const group& g) {
    double s = 0;
    for (const double x : g) s += x;
    return s;
};
constexpr auto plain_mean = [](const group& g) { return plain_sum(g) / static_cast<double>(g.size()); };
constexpr auto plain_prod = [](const group& g) {
    double p = 1;
    for (const double x : g) p *= x;
    return p;
};
constexpr auto plain_max = [](const group& g) { return *std::max_element(g.begin(), g.end()); };
constexpr auto plain_min = [](const group& g) { return *std::min_element(g.begin(), g.end()); };
constexpr auto plain_logsumexp = [](const group& g) {
    double s = 0;
    for (const double x : g) s += std::exp(x);
    return std::log(s);
};
constexpr auto plain_norm = [](const group& g) {
    double s = 0;
    for (const double x : g) s += x * x;
    return std::sqrt(s);
};
constexpr auto plain_variance = [](const group& g) {
    const double mean = plain_mean(g);
    double s = 0;
    for (const double x : g) s += (x - mean) * (x - mean);
    return s / static_cast<double>(g.size());
};

/// Σ c r(2x), as loops have it.
template <class T, std::size_t N, class C>
double weighted_loops(auto plain, unsigned axes, const xt::xtensor<T, N>& x, const C& c) {
    double s = 0;
    std::size_t next = 0;
    for (group& g : groups(x, axes)) {
        for (double& e : g) e *= 2;
        if constexpr (std::floating_point<C>) s += c * plain(g);
        if constexpr (!std::floating_point<C>) s += c.data()[next++] * plain(g);
    }
    return s;
}

/// How far value and gradient are from the loops, for x of one shape; M axes are left.
template <class R, std::size_t M, class T, std::size_t N>
double off(auto plain, unsigned axes, const std::array<std::size_t, N>& shape, bool positive) {
    const auto x = positive ? positives<T, N>(shape) : numbers<T, N>(shape);
    xt::xtensor<double, N> exact(shape);
    std::copy(x.data(), x.data() + x.size(), exact.data());
    const auto compare = [&](const auto& c, const auto& exact_c) {
        const auto [value, gradient_found] = dyad::value_and_grad<0>(weighted<R>{})(x, c);
        const auto loops = [&](const auto& y) { return weighted_loops(plain, axes, y, exact_c); };
        xt::xtensor<double, N> found(shape);
        std::copy(gradient_found.data(), gradient_found.data() + x.size(), found.data());
        return dyad_test::worse(apart(static_cast<double>(value), loops(exact)), apart(found, gradient(loops, exact)));
    };
    if constexpr (M == 0) {
        return compare(T(-1.5), -1.5);
    } else {
        std::array<std::size_t, M> left{};
        for (std::size_t k = 0, to = 0; k < N; ++k) {
            if (M == N) left[to++] = (axes >> k & 1) != 0 ? 1 : shape[k];
            if (M != N && (axes >> k & 1) == 0) left[to++] = shape[k];
        }
        const auto c = numbers<T, M>(left, 7);
        xt::xtensor<double, M> exact_c(left);
        std::copy(c.data(), c.data() + c.size(), exact_c.data());
        return compare(c, exact_c);
    }
}
template <std::size_t M, class T, std::size_t N, class R, class Plain>
void check(R, Plain plain, unsigned axes, const std::vector<std::array<std::size_t, N>>& shapes, bool positive = false) {
    for (const auto& shape : shapes) {
        CAPTURE(shape[0]);
        CAPTURE(shape[N - 1]);
        CHECK(off<R, M, T, N>(plain, axes, shape, positive) < (sizeof(T) == 4 ? 2e-5 : 1e-8));
    }
}

using shapes_1 = std::vector<std::array<std::size_t, 1>>;
using shapes_2 = std::vector<std::array<std::size_t, 2>>;
using shapes_3 = std::vector<std::array<std::size_t, 3>>;
const shapes_1 lines = {{1}, {2}, {3}, {7}, {8}, {9}, {31}, {33}, {1000}};
const shapes_1 short_lines = {{1}, {2}, {3}, {7}, {8}, {9}};
const shapes_2 tables = {{1, 1}, {1, 7}, {3, 1}, {2, 3}, {8, 9}, {33, 31}, {7, 100}};
const shapes_2 narrow = {{1, 1}, {1, 7}, {3, 1}, {2, 3}, {7, 8}};
const shapes_3 blocks = {{1, 1, 1}, {2, 3, 4}, {3, 1, 9}, {7, 2, 1}, {1, 8, 5}, {3, 33, 9}};

} // namespace

TEST_CASE("reductions of all elements agree with loops") {
    check<0, double>([](auto x) { return sum(x); }, plain_sum, 1, lines);
    check<0, float>([](auto x) { return sum(x); }, plain_sum, 1, lines);
    check<0, double>([](auto x) { return mean(x); }, plain_mean, 3, tables);
    check<0, double>([](auto x) { return prod(x); }, plain_prod, 1, short_lines);
    check<0, double>([](auto x) { return prod(x); }, plain_prod, 3, narrow, true);
    check<0, double>([](auto x) { return max(x); }, plain_max, 1, lines);
    check<0, float>([](auto x) { return min(x); }, plain_min, 1, lines);
    check<0, double>([](auto x) { return logsumexp(x); }, plain_logsumexp, 1, lines);
    check<0, float>([](auto x) { return logsumexp(x); }, plain_logsumexp, 1, lines);
    check<0, double>([](auto x) { return norm(x); }, plain_norm, 7, blocks);
    check<0, double>([](auto x) { return variance(x); }, plain_variance, 1, lines);
    check<0, float>([](auto x) { return variance(x); }, plain_variance, 7, blocks);
}
TEST_CASE("reductions along the first axis agree with loops") {
    check<1, double>([](auto x) { return sum(x, 0); }, plain_sum, 1, tables);
    check<2, double>([](auto x) { return mean(x, 0); }, plain_mean, 1, blocks);
    check<1, double>([](auto x) { return prod(x, 0); }, plain_prod, 1, narrow);
    check<1, double>([](auto x) { return max(x, 0); }, plain_max, 1, tables);
    check<2, double>([](auto x) { return logsumexp(x, -3); }, plain_logsumexp, 1, blocks);
    check<1, float>([](auto x) { return norm(x, -2); }, plain_norm, 1, tables);
    check<1, double>([](auto x) { return variance(x, 0); }, plain_variance, 1, tables);
}
TEST_CASE("reductions along the last axis agree with loops") {
    check<1, float>([](auto x) { return sum(x, -1); }, plain_sum, 2, tables);
    check<2, double>([](auto x) { return mean(x, 2); }, plain_mean, 4, blocks);
    check<1, double>([](auto x) { return prod(x, -1); }, plain_prod, 2, narrow);
    check<2, double>([](auto x) { return min(x, -1); }, plain_min, 4, blocks);
    check<1, double>([](auto x) { return logsumexp(x, 1); }, plain_logsumexp, 2, tables);
    check<1, double>([](auto x) { return norm(x, 1); }, plain_norm, 2, tables);
    check<2, double>([](auto x) { return variance(x, -1); }, plain_variance, 4, blocks);
}
TEST_CASE("reductions along an axis between others, and along several, agree with loops") {
    check<2, double>([](auto x) { return sum(x, 1); }, plain_sum, 2, blocks);
    check<2, double>([](auto x) { return max(x, -2); }, plain_max, 2, blocks);
    check<1, double>([](auto x) { return sum(x, 0, 2); }, plain_sum, 5, blocks);
    check<1, double>([](auto x) { return mean(x, -1, 0); }, plain_mean, 5, blocks);
    check<1, double>([](auto x) { return max(x, 1, 2); }, plain_max, 6, blocks);
    check<1, double>([](auto x) { return logsumexp(x, 0, 1); }, plain_logsumexp, 3, blocks);
    check<1, double>([](auto x) { return variance(x, 0, -1); }, plain_variance, 5, blocks);
    check<0, double>([](auto x) { return norm(x, 0, 1, 2); }, plain_norm, 7, blocks);
}
TEST_CASE("reductions that keep their axes agree with loops") {
    check<2, double>([](auto x) { return sum(x, 0, dyad::keep_dims); }, plain_sum, 1, tables);
    check<2, double>([](auto x) { return mean(x, dyad::keep_dims); }, plain_mean, 3, tables);
    check<3, double>([](auto x) { return sum(x, 0, 2, dyad::keep_dims); }, plain_sum, 5, blocks);
    check<3, double>([](auto x) { return max(x, 1, dyad::keep_dims); }, plain_max, 2, blocks);
    check<2, double>([](auto x) { return logsumexp(x, -1, dyad::keep_dims); }, plain_logsumexp, 2, tables);
    check<2, double>([](auto x) { return variance(x, dyad::keep_dims, 0); }, plain_variance, 1, tables);
    check<3, double>([](auto x) { return min(x, 0, 2, dyad::keep_dims); }, plain_min, 5, blocks);
    check<3, double>([](auto x) { return max(x, dyad::keep_dims); }, plain_max, 7, blocks);
    check<3, double>([](auto x) { return mean(x, 0, dyad::keep_dims, 1); }, plain_mean, 3, blocks);
    check<3, double>([](auto x) { return sum(x, 0, 1, 2, dyad::keep_dims); }, plain_sum, 7, blocks);
}
TEST_CASE("what accumulates over rows adds them one after the other, however many there are") {
    // Some rows are taken at once: all numbers of rows and columns around that many, and around a vector.
    for (const std::size_t planes : {1U, 2U, 3U}) {
        for (const std::size_t rows : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 13U}) {
            for (const std::size_t columns : {1U, 2U, 3U, 4U, 7U, 8U, 9U, 15U, 17U, 30U}) {
                CAPTURE(planes);
                CAPTURE(rows);
                CAPTURE(columns);
                xt::xtensor<double, 3> x(std::array{planes, rows, columns});
                xt::xtensor<double, 1> weight(std::array{rows});
                for (std::size_t k = 0; k < x.size(); ++k) x.flat(k) = std::sin(static_cast<double>(7 * k));
                for (std::size_t k = 0; k < rows; ++k) weight(k) = 1 + static_cast<double>(k % 3);
                const auto [doubled, total, product, largest] = dyad::evaluate(
                    [](auto a) { return std::tuple{2 * a, sum(a, 1), dyad::prod(a, 1), dyad::max(a, 1)}; }, x);
                const xt::xtensor<double, 2> weighted = dyad::evaluate([](auto a, auto w) { return sum(a * dyad::expand_dims(w, 1), 1); }, x, weight);
                const xt::xtensor<double, 1> of_columns = dyad::evaluate([](auto a) { return sum(a, 0, 1); }, x);
                xt::xtensor<double, 1> whole = xt::zeros<double>({columns});
                for (std::size_t p = 0; p < planes; ++p) {
                    for (std::size_t j = 0; j < columns; ++j) {
                        double s = 0, t = 1, m = -HUGE_VAL, w = 0;
                        for (std::size_t i = 0; i < rows; ++i) {
                            CHECK(doubled(p, i, j) == 2 * x(p, i, j));
                            s += x(p, i, j);
                            t *= x(p, i, j);
                            m = std::max(m, x(p, i, j));
                            w += weight(i) * x(p, i, j);
                            whole(j) += x(p, i, j);
                        }
                        CHECK(total(p, j) == s);
                        CHECK(product(p, j) == t);
                        CHECK(largest(p, j) == m);
                        CHECK(weighted(p, j) == doctest::Approx(w).epsilon(1e-13));
                    }
                }
                for (std::size_t j = 0; j < columns; ++j) CHECK(of_columns(j) == doctest::Approx(whole(j)).epsilon(1e-13));
            }
        }
    }
}

TEST_CASE("sums over rows of what has no elements of its own to read") {
    CHECK(dyad::grad([](auto x) { return sum(broadcast_to(x, 3, 2)); })(xt::xtensor<double, 1>{1, 2}) == xt::xtensor<double, 1>{3, 3});
}
