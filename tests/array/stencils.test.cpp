// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Slices that lie shifted against each other, and their gradients: one loop reads each neighbour where it is. Every
// length around a vector's, both layouts, strides, types, threads.
#include <doctest/doctest.h>

#include <dyad/array.hpp>

#include <vector>

#include "differences.hpp"
#include "worse.hpp"

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using differences::apart;
using differences::numbers;

constexpr auto rosenbrock = [](auto x) {
    auto here = dyad::slice(x, 0, 0, -1), next = dyad::slice(x, 0, 1);
    return sum(100 * square(next - here * here) + square(1 - here));
};
template <class T>
std::vector<T> rosenbrock_gradient(const T* x, std::size_t n, T& value) {
    std::vector<T> g(n);
    value = 0;
    for (std::size_t i = 0; i + 1 < n; ++i) {
        const T t = x[i + 1] - x[i] * x[i], u = 1 - x[i];
        value += 100 * t * t + u * u;
        g[i + 1] += 200 * t;
        g[i] += -400 * x[i] * t - 2 * u;
    }
    return g;
}

/// Squared second differences in both directions, of what has a rim of its own width around.
constexpr auto roughness = [](auto u, auto w) {
    const auto inner = [&](auto part) { return dyad::slice(part, 1, 1, -1); };
    const auto mid = dyad::slice(u, 0, 1, -1);
    const auto up = dyad::slice(u, 0, 0, -2), down = dyad::slice(u, 0, 2);
    const auto curve = inner(up) + inner(down) + dyad::slice(mid, 1, 0, -2) + dyad::slice(mid, 1, 2) - 4 * inner(mid);
    return sum(w * square(curve)) + sum(u);
};
double roughness_by_loops(const matrix& u, double w, matrix& g) {
    const std::size_t rows = u.shape(0), columns = u.shape(1);
    double value = 0;
    g = xt::ones_like(u);
    for (std::size_t k = 0; k < u.size(); ++k) value += u.data()[k];
    for (std::size_t i = 1; i + 1 < rows; ++i) {
        for (std::size_t j = 1; j + 1 < columns; ++j) {
            const double c = u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4 * u(i, j);
            value += w * c * c;
            for (const auto& [a, b, by] : {std::tuple{i - 1, j, 1.}, {i + 1, j, 1.}, {i, j - 1, 1.}, {i, j + 1, 1.}, {i, j, -4.}})
                g(a, b) += 2 * w * c * by;
        }
    }
    return value;
}

constexpr auto rosenbrock_plan = dyad::plan_of<vector>(dyad::value_and_grad(rosenbrock));
static_assert(rosenbrock_plan.passes() == 1 && rosenbrock_plan.calls() == 0 && rosenbrock_plan.buffers() == 0);
constexpr auto roughness_plan = dyad::plan_of<matrix, double>(dyad::value_and_grad<0>(roughness));
static_assert(roughness_plan.passes() == 2 && roughness_plan.calls() == 0 && roughness_plan.buffers() == 1);

} // namespace

TEST_CASE_TEMPLATE("shifted slices at every length around a vector's", T, double, float, long double) {
    const double bound = std::is_same_v<T, float> ? 2e-4 : 1e-11;
    for (std::size_t n = 0; n <= 70; ++n) {
        const auto x = numbers<T, 1>({n}, static_cast<unsigned>(n + 1));
        T expected = 0;
        const std::vector<T> gradient = rosenbrock_gradient(x.data(), n, expected);
        const auto [value, g] = dyad::value_and_grad(rosenbrock)(x);
        CHECK(static_cast<double>(value) == doctest::Approx(static_cast<double>(expected)).epsilon(bound));
        REQUIRE(g.size() == n);
        for (std::size_t i = 0; i < n; ++i) CHECK(std::abs(static_cast<double>(g(i) - gradient[i])) <= bound * 100);
    }
}
TEST_CASE("shifted slices of many blocks, by one thread and by three") {
    const auto x = numbers<double, 1>({100001});
    double expected = 0;
    const std::vector<double> gradient = rosenbrock_gradient(x.data(), x.size(), expected);
    const auto [value, g] = dyad::value_and_grad(rosenbrock)(x);
    CHECK(value == doctest::Approx(expected).epsilon(1e-12));
    double off = 0;
    for (std::size_t i = 0; i < x.size(); ++i) off = dyad_test::worse(off, std::abs(g(i) - gradient[i]));
    CHECK(off <= 1e-10);
    dyad::threads(3);
    const auto [again, same] = dyad::value_and_grad(rosenbrock)(x);
    dyad::threads(1);
    CHECK(again == value);
    CHECK(same == g);
}
TEST_CASE("shifted slices of what is strided, or of other numbers") {
    const auto slopes = [](const auto& x) { return vector(dyad::value_and_grad(rosenbrock)(x).second); };
    const auto wide = numbers<double, 2>({41, 3});
    const vector x = xt::col(wide, 1);
    CHECK(apart(slopes(xt::view(wide, xt::all(), 1)), slopes(x)) == 0);
    const vector backwards = xt::flip(x, 0);
    CHECK(apart(slopes(xt::view(x, xt::range(40, xt::placeholders::_, -1))), slopes(backwards)) == 0);
    constexpr auto mixed = [](auto a, auto b) { return sum(dyad::slice(a, 0, 1) * dyad::slice(b, 0, 0, -1) * dyad::slice(a, 0, 0, -1)); };
    const xt::xtensor<float, 1> y = xt::cast<float>(x);
    vector expected = xt::zeros_like(x);
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
        expected(i) += x(i + 1) * static_cast<double>(y(i));
        expected(i + 1) += x(i) * static_cast<double>(y(i));
    }
    CHECK(apart(vector(dyad::grad<0>(mixed)(x, y)), expected) <= 1e-15);
}
TEST_CASE("a rim around two axes") {
    for (const std::size_t rows : {1U, 2U, 3U, 4U, 9U, 33U}) {
        for (const std::size_t columns : {1U, 2U, 3U, 5U, 8U, 9U, 17U, 40U, 300U}) {
            const auto u = numbers<double, 2>({rows, columns});
            matrix expected;
            const double e = roughness_by_loops(u, 0.75, expected);
            const auto [value, g] = dyad::value_and_grad<0>(roughness)(u, 0.75);
            CHECK(value == doctest::Approx(e).epsilon(1e-12));
            CHECK(apart(g, expected) <= 1e-12);
            const xt::xtensor<double, 2, xt::layout_type::column_major> by_columns = u;
            CHECK(apart(matrix(dyad::value_and_grad<0>(roughness)(by_columns, 0.75).second), expected) <= 1e-12);
        }
    }
}
TEST_CASE("shifts by more, from the end, into each other, and of numbers") {
    const auto x = numbers<double, 1>({19});
    const auto check = [&](auto f) { CHECK(differences::gradient_off(f, x) <= 1e-7); };
    check([](auto v) { return sum(dyad::slice(v, 0, 5) * dyad::slice(v, 0, 0, -5)); });
    check([](auto v) { return sum(dyad::slice(v, 0, -4) * dyad::slice(v, 0, 0, 4)); });
    check([](auto v) { return sum(dyad::slice(v, 0, 1)) * 3.0; });
    check([](auto v) { return sum(exp(dyad::slice(v, 0, 1) - dyad::slice(v, 0, 0, -1))); });
    check([](auto v) { return sum(exp(dyad::slice(v, 0, 2))); });
    check([](auto v) { return sum(sin(v) * dyad::pad(dyad::slice(v, 0, 3, -2), 0, 3, 2) + v); });
    check([](auto v) { return dyad::prod(1.5 + dyad::slice(v, 0, 1) * dyad::slice(v, 0, 0, -1)) + sum(v * v); });
    check([](auto v) { return dyad::max(dyad::slice(v, 0, 1) - dyad::slice(v, 0, 0, -1)) + sum(v * v); });
    check([](auto v) {
        auto d = dyad::slice(v, 0, 1) - dyad::slice(v, 0, 0, -1);
        auto e = dyad::slice(d, 0, 1) - dyad::slice(d, 0, 0, -1);
        auto f = dyad::slice(e, 0, 1) * dyad::slice(e, 0, 0, -1);
        return sum(square(f)) + sum(square(d) * d) + sum(v / (2 + square(v)));
    });
}
TEST_CASE("the second derivative of shifted slices") {
    const vector x{0.5, -0.25, 1.5, 0.75, -1};
    const matrix h = dyad::hessian(rosenbrock)(x);
    for (std::size_t i = 0; i < 5; ++i) {
        for (std::size_t j = 0; j < 5; ++j) {
            double expected = 0;
            if (i == j && i < 4) expected += 1200 * x(i) * x(i) - 400 * x(i + 1) + 2;
            if (i == j && i > 0) expected += 200;
            if (j == i + 1) expected = -400 * x(i);
            if (i == j + 1) expected = -400 * x(j);
            CHECK(h(i, j) == doctest::Approx(expected).epsilon(1e-12));
        }
    }
}
TEST_CASE("values outside of a slice are not touched, and not a number among them stays where it is") {
    const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    const vector x{nan, 1, 2, 3, inf};
    const vector g = dyad::grad([](auto v) { return sum(dyad::slice(v, 0, 1, 3) * dyad::slice(v, 0, 2, 4)); })(x);
    CHECK(g == vector{0, 2, 4, 2, 0});
}
TEST_CASE("a sum over a part rides in the loop over the whole, whose elements outside do not count") {
    constexpr auto f = [](auto v) { return std::tuple{sum(dyad::slice(v, 0, 1)), v * dyad::pad(dyad::slice(v, 0, 1), 0, 1, 0)}; };
    const vector x{1, 2, 3};
    const auto [total, product] = dyad::evaluate(f, x);
    CHECK(total == 5);
    CHECK(product == vector{0, 4, 9});
}
TEST_CASE("a periodic stencil in a loop, by the state and by what the body captures") {
    const auto upwind = [](auto u0, auto dt) {
        return sum(square(dyad::fori_loop(3, [&](auto, auto u) {
            const auto q = u * u;
            return u - dt * (q - concatenate(std::tuple{slice(q, 0, 3, 4), slice(q, 0, 0, 3)}));
        }, u0)));
    };
    const auto stacked = [](auto u0, auto dt) {
        return sum(square(dyad::fori_loop(3, [&](auto, auto u) {
            const auto q = sin(u);
            return u - dt * (q - stack(std::tuple{q[3], q[0], q[1], q[2]}));
        }, u0)));
    };
    const auto tiled = [](auto u0, auto dt) {
        return sum(square(dyad::fori_loop(3, [&](auto, auto u) {
            const auto q = sin(u);
            return u - dt * (q - tile(slice(q, 0, 1, 3), 2));
        }, u0)));
    };
    const vector u = {0.1, -0.2, 0.3, 0.4};
    // Against loops: element i reads q of element before(i).
    const auto agree = [&](auto f, auto q, auto before) {
        const auto value = [&](vector x, double dt) {
            for (int round = 0; round < 3; ++round) {
                const vector old = x;
                for (std::size_t i = 0; i < 4; ++i) x(i) -= dt * (q(old(i)) - q(old(before(i))));
            }
            return xt::sum(x * x)();
        };
        const auto [found, slopes] = dyad::value_and_grad<0, 1>(f)(u, 0.05);
        const auto& [by_u, by_dt] = slopes;
        CHECK(std::abs(found - value(u, 0.05)) < 1e-14);
        CHECK(apart(by_u, differences::gradient(value, u, 0.05)) < 1e-8);
        CHECK(std::abs(by_dt - (value(u, 0.05 + 1e-5) - value(u, 0.05 - 1e-5)) / 2e-5) < 1e-8);
    };
    const auto sine = [](double x) { return std::sin(x); };
    const auto left = [](std::size_t i) { return (i + 3) % 4; };
    agree(upwind, [](double x) { return x * x; }, left);
    agree(stacked, sine, left);
    agree(tiled, sine, [](std::size_t i) { return 1 + i % 2; });
}

namespace {
/// The gates of a recurrent cell: parts of one array, of which each operation has some.
template <class T>
struct gates {
    template <class Z>
    constexpr auto operator()(const Z& z) const {
        const auto parts = dyad::split(z, 1, 5, 22, 39);
        return sum(sin(parts[1]) * parts[2]) + T(0.5) * sum(exp(parts[0])) + sum(square(parts[3]));
    }
};
template <class T>
double gates_off(std::size_t n) {
    const auto z = numbers<T, 2>({3, n});
    const auto found = dyad::grad(gates<T>{})(z);
    double off = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            const double x = static_cast<double>(z(i, j));
            const double wanted = j < 5    ? 0.5 * std::exp(x)
                                  : j < 22 ? std::cos(x) * static_cast<double>(z(i, j + 17))
                                  : j < 39 ? std::sin(static_cast<double>(z(i, j - 17)))
                                           : 2 * x;
            off = std::max(off, std::abs(static_cast<double>(found(i, j)) - wanted));
        }
    }
    return off;
}
/// Second differences of what goes round at its ends.
constexpr auto round_trip = [](auto x, auto w) {
    const auto next = concatenate(std::tuple{slice(x, 0, 1), slice(x, 0, 0, 1)}), before = concatenate(std::tuple{slice(x, 0, -1), slice(x, 0, 0, -1)});
    return sum(w * square(next + before - 2 * x));
};
} // namespace
TEST_CASE("parts beside each other: each has its own slopes, whatever stands in a vector with them") {
    for (const std::size_t n : {40U, 41U, 47U, 56U, 61U}) {
        CHECK(gates_off<double>(n) < 1e-14);
        CHECK(gates_off<float>(n) < 1e-6);
    }
    for (const std::size_t n : {3U, 4U, 8U, 17U, 33U, 100U}) {
        const auto x = numbers<double, 1>({n}), w = numbers<double, 1>({n}, 2);
        const auto [value, slopes] = dyad::value_and_grad<0>(round_trip)(x, w);
        double wanted = 0, off = 0;
        const auto second = [&](std::size_t i) { return x((i + 1) % n) + x((i + n - 1) % n) - 2 * x(i); };
        for (std::size_t i = 0; i < n; ++i) {
            wanted += w(i) * second(i) * second(i);
            const std::size_t above = (i + 1) % n, below = (i + n - 1) % n;
            off = std::max(off, std::abs(slopes(i) - 2 * (w(above) * second(above) + w(below) * second(below) - 2 * w(i) * second(i))));
        }
        CHECK(std::abs(value - wanted) < 1e-13);
        CHECK(off < 1e-13);
    }
}
namespace {
/// A filter of many taps, whose gradient reads the slopes of as many neighbours.
constexpr double weight(std::size_t k) { return 0.3 + 0.1 * static_cast<double>(k % 4) - 0.05 * static_cast<double>(k); }
template <std::size_t Taps, bool Curved>
struct filter {
    template <std::size_t... K>
    static constexpr auto filtered(auto x, std::index_sequence<K...>) {
        constexpr int last = Taps - 1;
        return (... + (weight(K) * dyad::slice(x, 0, int(K), int(K) == last ? dyad::to_the_end : int(K) - last)));
    }
    constexpr auto operator()(auto x) const {
        const auto y = filtered(x, std::make_index_sequence<Taps>{});
        if constexpr (Curved) {
            return sum(exp(0.5 * y));
        } else {
            return sum(y * y);
        }
    }
};
template <std::size_t Taps, bool Curved>
double filter_off(std::size_t n) {
    const auto x = numbers<double, 1>({n});
    const auto [value, slopes] = dyad::value_and_grad(filter<Taps, Curved>{})(x);
    std::vector<double> wanted(n);
    double total = 0;
    for (std::size_t i = 0; i + Taps <= n; ++i) {
        double y = 0;
        for (std::size_t k = 0; k < Taps; ++k) y += weight(k) * x(i + k);
        total += Curved ? std::exp(0.5 * y) : y * y;
        for (std::size_t k = 0; k < Taps; ++k) wanted[i + k] += weight(k) * (Curved ? 0.5 * std::exp(0.5 * y) : 2 * y);
    }
    double off = std::abs(value - total) / (1 + std::abs(total));
    for (std::size_t i = 0; i < n; ++i) off = dyad_test::worse(off, std::abs(slopes(i) - wanted[i]) / (1 + std::abs(wanted[i])));
    return off;
}
// What few neighbours read is computed again at each, what many do is stored once, exponentials from two on.
template <std::size_t Taps, bool Curved>
constexpr auto filter_plan = dyad::plan_of<vector>(dyad::value_and_grad(filter<Taps, Curved>{}));
static_assert(filter_plan<4, false>.passes() == 1 && filter_plan<4, false>.buffers() == 0);
static_assert(filter_plan<12, false>.passes() == 2 && filter_plan<12, false>.buffers() == 1);
static_assert(filter_plan<2, true>.passes() == 2 && filter_plan<2, true>.buffers() == 1);
} // namespace
TEST_CASE("filters of many taps store what all neighbours read") {
    for (const std::size_t n : {12U, 13U, 24U, 31U, 100U, 5000U}) {
        CHECK(filter_off<12, false>(n) < 1e-13);
        CHECK(filter_off<2, true>(n) < 1e-13);
    }
    CHECK(filter_off<20, false>(150) < 1e-13); // (no compiler's default limits allow to compute it again at each of 20)
}
TEST_CASE("a few elements among many zeros add up, however many stand on either side") {
    const auto w = numbers<double, 1>({91});
    const auto padded = [](auto x, auto y) { return sum(exp(pad(x, 0, 40, 48)) * y); };
    const auto few = numbers<double, 1>({3}, 3);
    double wanted = 0;
    for (std::size_t i = 0; i < 91; ++i) wanted += (i >= 40 && i < 43 ? std::exp(few(i - 40)) : 1) * w(i);
    const auto [value, slopes] = dyad::value_and_grad<0>(padded)(few, w);
    CHECK(std::abs(value - wanted) < 1e-13);
    for (std::size_t i = 0; i < 3; ++i) CHECK(std::abs(slopes(i) - std::exp(few(i)) * w(i + 40)) < 1e-14);
}
