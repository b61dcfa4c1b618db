// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Constants such as 1_c in functions of arrays: what expressions need, traced functions take too.
#include <doctest/doctest.h>

#include <cmath>

#include <dyad/array.hpp>

namespace {

using namespace dyad::literals;
using V = xt::xtensor<double, 1>;
using M = xt::xtensor<double, 2>;
using dyad::evaluate;

} // namespace

TEST_CASE("one body serves, traced and with captured values: constants as axes") {
    const M x{{1, 2}, {3, 5}};
    constexpr auto spread = [](auto m) { return sum(square(m - dyad::mean(m, 1_c, dyad::keep_dims))); };
    CHECK(dyad::grad(spread)(x) == M{{-1, 1}, {-2, 2}});
    const double k = 2;
    CHECK(dyad::grad([k](auto m) { return k * sum(square(m - dyad::mean(m, 1_c, dyad::keep_dims))); })(x) == M{{-2, 2}, {-4, 4}});
    CHECK(dyad::tensordot(x, x, 1_c) == evaluate([](auto m) { return tensordot(m, m, 1_c); }, x));
}

TEST_CASE("constants as axes of traced arrays") {
    const M x{{1, 2}, {3, 5}};
    CHECK(evaluate([](auto m) { return sum(m, 0_c); }, x) == V{4, 7});
    CHECK(evaluate([](auto m) { return max(m, 1_c, dyad::keep_dims); }, x) == M{{2}, {5}});
    CHECK(evaluate([](auto m) { return dyad::amax(m, 1_c); }, x) == V{2, 5});
    CHECK(evaluate([](auto m) { return expand_dims(sum(m, 1_c), 1_c); }, x) == M{{3}, {8}});
    CHECK(evaluate([](auto m) { return slice(m, 1_c, 0, 1); }, x) == M{{1}, {3}});
    CHECK(evaluate([](auto m) { return sum(softmax(m, 0_c)); }, x) == doctest::Approx(2));
    CHECK(evaluate([](auto m) { return sum(logsumexp(m, 1_c)); }, x) == doctest::Approx(std::log(std::exp(1) + std::exp(2)) + std::log(std::exp(3) + std::exp(5))));
    CHECK(evaluate([](auto m) { return where(m > 2_c, m * 2_c, max(m, 1.5_c)); }, x) == M{{1.5, 2}, {6, 10}});
}

TEST_CASE("constants where traced values belong: states, rounds, positions, results") {
    const V v{1.5, 2, 3};
    CHECK(dyad::grad([](auto x) { return dyad::fori_loop(2, [&](auto, auto u) { return u + sum(x); }, 0_c); })(v) == V{2, 2, 2});
    CHECK(dyad::grad([](auto x) { return dyad::while_loop([](auto u) { return u < 10; }, [&](auto u) { return u + sum(x); }, 0.5_c); })(v) == V{2, 2, 2});
    CHECK(dyad::grad([](auto x) { return dyad::cond(sum(x) > 0, [&](auto a) { return a * sum(x); }, [](auto a) { return a; }, 2_c); })(v) == V{2, 2, 2});
    CHECK(dyad::grad([](auto x) { return dyad::fori_loop(3_c, [&](auto, auto u) { return u * x; }, x); })(2.0) == 32);
    CHECK(dyad::grad([](auto x) {
              return std::get<0>(dyad::fori_loop(2, [&](auto, auto p) { return std::tuple{std::get<0>(p) + std::get<1>(p), std::get<1>(p) * sum(x)}; }, std::tuple{0_c, 1_c}));
          })(v) == V{1, 1, 1});
    CHECK(dyad::grad([](auto w) { return w[0_c] * w[1_c]; })(v) == V{2, 1.5, 0});
    CHECK(dyad::grad([](auto m) { return m(0_c, 1_c) * m(1, 0_c); })(M{{1, 2}, {3, 4}}) == M{{0, 3}, {2, 0}});
    CHECK(evaluate([](auto x) { return std::tuple{x * 2, 3_c}; }, v) == std::tuple{V{3, 4, 6}, 3.0});
    CHECK(dyad::grad([](auto) { return 2_c; })(2.0) == 0);
}
