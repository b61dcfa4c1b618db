// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Blocks whose arguments the backward pass computes from their results. (Their memory: tests/array/reversible.test.cpp.)
#include <doctest/doctest.h>

#include <cmath>
#include <tuple>

#include <dyad/core.hpp>

namespace {

using dyad::sin, dyad::tanh;

template <class G, class E>
void check_equal(const G& gradient, const E& expected, double tolerance = 1e-12) {
    const auto check = [=](double x, double y) { CHECK(x == doctest::Approx(y).epsilon(tolerance)); };
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (check(std::get<I>(gradient), std::get<I>(expected)), ...);
    }(std::make_index_sequence<std::tuple_size_v<E>>{});
}

inline constexpr auto blocks = [](auto x1, auto x2, auto a, auto b) {
    const auto first = dyad::reversible([=](auto x) { return tanh(a * x); }, [=](auto x) { return sin(b * x); });
    const auto second = dyad::reversible([=](auto x) { return b * x; }, [=](auto x) { return a * x * x / 9; });
    const auto [y1, y2] = dyad::reversible_sequence(first, second, dyad::reversible_sequence(first, first))(x1, x2);
    return y1 * y2 + 0.5 * y2;
};
inline constexpr auto plain_blocks = [](auto x1, auto x2, auto a, auto b) {
    auto p = x1, q = x2;
    const auto first = [&] { p = p + tanh(a * q), q = q + sin(b * p); };
    first();
    p = p + b * q, q = q + a * p * p / 9;
    first();
    first();
    return p * q + 0.5 * q;
};

/// Halves that change places, beside a value that no step makes, and an index.
inline constexpr auto layers = [](auto x1, auto x2, auto a, auto n) {
    const auto [p, q, sum] = dyad::fori_loop(
        n,
        [&](auto i, auto s) {
            const auto [u, v, total] = s;
            const auto [y1, y2] = dyad::reversible([&](auto x) { return tanh(a * x) / (i + 1); }, [&](auto x) { return sin(x + a); })(u, v);
            return std::tuple{y2, y1, total * 0.5 + u * a};
        },
        std::tuple{x1, x2, x1 * 0});
    return p * q + sum * sum;
};
inline constexpr auto plain_layers = [](auto x1, auto x2, auto a, auto n) {
    const auto [p, q, sum] = dyad::fori_loop(
        n,
        [&](auto i, auto s) {
            const auto [u, v, total] = s;
            const auto y1 = u + tanh(a * v) / (i + 1);
            return std::tuple{v + sin(y1 + a), y1, total * 0.5 + u * a};
        },
        std::tuple{x1, x2, x1 * 0});
    return p * q + sum * sum;
};

} // namespace

TEST_CASE("reversible blocks have the value and the derivatives of the plain formula") {
    const auto [value, gradient] = dyad::value_and_grad(blocks)(0.7, 0.3, 0.9, 0.4);
    const auto [other, expected] = dyad::value_and_grad(plain_blocks)(0.7, 0.3, 0.9, 0.4);
    CHECK(value == doctest::Approx(other).epsilon(1e-14));
    check_equal(gradient, expected);
    CHECK(blocks(0.7, 0.3, 0.9, 0.4) == doctest::Approx(value).epsilon(1e-14)); // on plain numbers
    const auto H = dyad::hessian<0, 3>(blocks)(0.7, 0.3, 0.9, 0.4), E = dyad::hessian<0, 3>(plain_blocks)(0.7, 0.3, 0.9, 0.4);
    check_equal(std::get<0>(H), std::get<0>(E));
    check_equal(std::get<1>(H), std::get<1>(E));
    const auto tangent = dyad::jvp(blocks)(std::tuple{0.7, 0.3, 0.9, 0.4}, std::tuple{1.0, -2.0, 0.5, 3.0}).second;
    const auto [a, b, c, d] = expected;
    CHECK(tangent == doctest::Approx(a - 2 * b + 0.5 * c + 3 * d).epsilon(1e-12));
}
TEST_CASE("an outer slope that is not 1, and one half that no result needs") {
    constexpr auto f = [](auto x, auto y, auto a) { return sin(3 * std::get<0>(dyad::reversible([=](auto u) { return a * u; }, [](auto u) { return u; })(x, y))); };
    const auto [dx, dy, da] = dyad::grad(f)(0.7, 0.3, 0.9);
    const double slope = 3 * std::cos(3 * (0.7 + 0.9 * 0.3));
    CHECK(dx == doctest::Approx(slope));
    CHECK(dy == doctest::Approx(slope * 0.9));
    CHECK(da == doctest::Approx(slope * 0.3));
}
TEST_CASE("loops through reversible blocks, whatever else goes round") {
    for (const int n : {0, 1, 2, 7, 30}) {
        CAPTURE(n);
        const auto [value, gradient] = dyad::value_and_grad<0, 1, 2>(layers)(0.7, 0.3, 0.9, n);
        const auto [other, expected] = dyad::value_and_grad<0, 1, 2>(plain_layers)(0.7, 0.3, 0.9, n);
        CHECK(value == doctest::Approx(other).epsilon(1e-13));
        check_equal(gradient, expected, 1e-11);
    }
    const auto H = dyad::hessian<1, 2>(layers)(0.7, 0.3, 0.9, 6), E = dyad::hessian<1, 2>(plain_layers)(0.7, 0.3, 0.9, 6);
    check_equal(std::get<0>(H), std::get<0>(E), 1e-10);
    check_equal(std::get<1>(H), std::get<1>(E), 1e-10);
}
TEST_CASE("a loop keeps nothing of a state that goes through reversible blocks") {
    constexpr auto pure = [](auto x1, auto x2, auto a, auto n) {
        const auto [p, q] = dyad::fori_loop(
            n, [&](auto, auto s) { return dyad::reversible([&](auto x) { return tanh(a * x); }, [&](auto x) { return sin(a * x); })(s); }, std::tuple{x1, x2});
        return p * q;
    };
    const auto g = dyad::graph_of<double, double, double, int>(dyad::value_and_grad<0, 1, 2>(pure));
    const auto text = dyad::print(g);
    CHECK(text.view().find("history") == std::string_view::npos);
    CHECK(dyad::print(dyad::graph_of<double, double, double, int>(dyad::value_and_grad<0, 1, 2>(plain_layers))).view().find("history") !=
          std::string_view::npos);
}
TEST_CASE("at compile time, and in functions that capture numbers") {
    constexpr auto f = [](auto x, auto y) { return std::get<1>(dyad::reversible([](auto u) { return u * u; }, [](auto u) { return 2 * u; })(x, y)); };
    static_assert(dyad::grad(f)(3.0, 2.0) == std::tuple{2.0, 9.0}); // y + 2 (x + y^2)
    const double scale = 0.8;
    const auto g = [=](auto x, auto y) {
        const auto [p, q] = dyad::reversible([=](auto u) { return scale * u * u; }, [=](auto u) { return sin(scale * u); })(x, y);
        return p * q;
    };
    const auto [dx, dy] = dyad::grad(g)(0.4, 0.5);
    const double p = 0.4 + 0.8 * 0.25, q = 0.5 + std::sin(0.8 * p), by_p = q + p * 0.8 * std::cos(0.8 * p);
    CHECK(dx == doctest::Approx(by_p));
    CHECK(dy == doctest::Approx(by_p * 2 * 0.8 * 0.5 + p));
}
TEST_CASE("blocks that capture nothing have no state, however many are equal") {
    // (A tuple of equal empty classes has a byte for each: a function that captured them was run on expressions.)
    const auto f = [](auto x) { return tanh(x) / 3; };
    const auto g = [](auto x) { return x * x / 5; };
    const auto block = dyad::reversible(f, g);
    const auto same = dyad::reversible(f, f);
    const auto several = dyad::reversible_sequence(block, same, dyad::reversible_sequence(block, block));
    static_assert(std::is_empty_v<decltype(several)>);
    const auto layered = [several](auto x, auto y) {
        const auto [p, q] = dyad::fori_loop(3, [several](auto, auto s) { return several(s); }, std::tuple{x, y});
        return p * q;
    };
    static_assert(dyad::stateless<decltype(layered)>);
    const auto plain = [=](auto x, auto y) {
        auto p = x * 1, q = y * 1;
        for (int i = 0; i < 3; ++i) {
            p = p + f(q), q = q + g(p);
            p = p + f(q), q = q + f(p);
            p = p + f(q), q = q + g(p);
            p = p + f(q), q = q + g(p);
        }
        return p * q;
    };
    CHECK(layered(0.2, 0.3) == doctest::Approx(plain(0.2, 0.3)));
    check_equal(dyad::grad(layered)(0.2, 0.3), dyad::grad(plain)(0.2, 0.3), 1e-10);
    CHECK(dyad::reversible_sequence()(1.0, 2.0) == std::tuple{1.0, 2.0}); // no block is the identity
    const double scale = 0.4; // (one that captures a number keeps it)
    const auto with_number = dyad::reversible_sequence(dyad::reversible([scale](auto x) { return scale * x; }, g), block);
    CHECK(std::get<0>(with_number(1.0, 2.0)) == doctest::Approx(1.8 + std::tanh(2 + 1.8 * 1.8 / 5) / 3));
}
