// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// One number as the cotangent, or the tangent, of a whole array that leaves a loop, a branch or a checkpoint: where the body
// stretched a number, it counts as often as there are elements. (It once counted once.)

#include "differences.hpp"

#include <doctest/doctest.h>

#include <tuple>
#include <utility>

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
const matrix rows{{1, 2, 3}, {4, 5, 6}};
const vector row{1, 2, 3};

constexpr auto step = [](auto state, auto r) {
    const auto next = 0.5 * state + r * r;
    return std::pair{next + sum(state), next + sum(next * next)};
};

constexpr auto half = [](auto r) { return r * 0.5 + sum(r); };
constexpr auto twice = [](auto r) { return r + r; };

/// The second derivative of Σ y(x + s) by s, both ways, and the first, each as a multiple of what differences give.
template <class F, class X>
bool slopes_agree(F f, const X& x) {
    const X none = 0 * x;
    const double s = 0.3, h = 1e-5;
    const auto forwards = [&](double at) { return dyad::jvp(f)(std::tie(at, x), std::tuple{1.0, none}); };
    const double first = (forwards(s + h).first - forwards(s - h).first) / (2 * h);
    const double second = (dyad::grad<0>(f)(s + h, x) - dyad::grad<0>(f)(s - h, x)) / (2 * h);
    const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-6 * (1 + std::abs(b)); };
    return near(forwards(s).second, first) && near(dyad::grad<0>(f)(s, x), first) &&
           near(std::get<0>(dyad::hvp(f)(std::tie(s, x), std::tuple{1.0, none})), second);
}

} // namespace

TEST_CASE("of the rows of a map") {
    CHECK(dyad::grad([](auto a) { return sum(dyad::vmap([](auto r) { return r + sum(r); })(a)); })(rows) == matrix{{4, 4, 4}, {4, 4, 4}});
    CHECK(dyad::grad([](auto a) { return 2.0 * sum(dyad::vmap([](auto r) { return r * r + sum(r); })(a)); })(rows) == matrix{{10, 14, 18}, {22, 26, 30}});
    CHECK(slopes_agree([](auto s, auto a) { return sum(dyad::vmap([&](auto r) { const auto q = r + s; return q * sum(q) + sum(q); })(a)); }, rows));
}
TEST_CASE("of what a scan stacks, whatever it stores") {
    CHECK(slopes_agree([](auto s, auto a) { return sum(std::get<1>(dyad::scan(step, a[0] + s, a + s))); }, rows));
    CHECK(slopes_agree([](auto s, auto a) { return sum(std::get<1>(dyad::scan(step, a[0] + s, a + s, dyad::store_every<2>))); }, rows));
}
TEST_CASE("of a checkpoint and a branch") {
    CHECK(dyad::grad([](auto a) { return sum(dyad::checkpoint([](auto r) { return r + sum(r * r); })(a)); })(row) == vector{7, 13, 19});
    CHECK(slopes_agree([](auto s, auto a) { return sum(dyad::checkpoint([](auto r) { return r * sum(r) + sum(r); })(a + s)); }, row));
    CHECK(slopes_agree([](auto s, auto a) { return sum(dyad::cond(a[0] > 0, [](auto r) { return r * sum(r) + sum(r); }, [](auto r) { return r; }, a + s)); }, row));
    CHECK(slopes_agree([](auto s, auto a) { return sum(dyad::vmap([](auto r) { return dyad::checkpoint([](auto q) { return q * sum(q) + sum(q); })(r); })(a + s)); }, rows));
}
TEST_CASE("of an argument of a branch or a checkpoint within a map, a scan and a branch") {
    const matrix signs{{1, 2}, {3, -4}, {-1, -2}};
    CHECK(slopes_agree([](auto s, auto a) { return sum(dyad::vmap([](auto r) { return dyad::cond(sum(r) > 0, half, twice, r); })(a + s)); }, signs));
    CHECK(slopes_agree([](auto s, auto a) { return sum(dyad::vmap([](auto r) { return dyad::checkpoint(half)(r); })(a + s)); }, signs));
    CHECK(slopes_agree([](auto s, auto a) { return sum(dyad::cond(sum(a) < 0, half, twice, a + s)) * s; }, signs));
    CHECK(slopes_agree([](auto s, auto a) { return sum(dyad::cond(sum(a) < 0, half, [](auto r) { return dyad::cond(sum(r) < 9, half, twice, r); }, a + s)); }, signs));
    CHECK(slopes_agree([](auto s, auto a) { return sum(dyad::checkpoint([](auto r) { return dyad::cond(sum(r) < 9, half, twice, r * sum(r)); })(a + s)); }, signs));
    CHECK(slopes_agree([](auto s, auto a) {
        return sum(std::get<1>(dyad::scan([&](auto state, auto r) { const auto next = dyad::cond(sum(r) > 0, half, twice, r * s) + state; return std::pair{next, next}; }, a[0], a + s)));
    }, signs));
}
// (A Hessian-vector product through regions three deep once needed several times clang's default steps of constant evaluation.)
TEST_CASE("of regions three deep, within the compilers' default limits") {
    CHECK(slopes_agree([](auto s, auto a) {
        const auto weights = a[0] * s;
        return sum(dyad::vmap([&](auto line) {
            return dyad::cond(sum(line) > 4, [&](auto x) {
                return dyad::fori_loop(2, [&](auto, auto y) {
                    return dyad::cond(mean(y) < 10, [&](auto z) { return z * sum(z * weights) * 0.3 + s; }, [&](auto z) { return sin(z) * s; }, y);
                }, x);
            }, [&](auto x) { return dyad::checkpoint([&](auto y) { return dyad::softmax(y) * sum(weights * y) + s; })(x); }, line);
        })(a));
    }, matrix{{0.1, 0.2, 0.3}, {0.4, -0.5, 5}, {-1, -2, 0.3}}));
}
TEST_CASE("of what a scan has stacked and a body takes from outside as a whole") {
    constexpr auto f = [](auto s, auto a) { // (Reverse mode once gave nothing to such an array.)
        const auto stacked = std::get<1>(dyad::scan([](auto h, auto e) { const auto n = 0.5 * h + sin(e); return std::pair{n, n * e}; }, s, a[0]));
        return sum(dyad::vmap([&](auto line) {
            return dyad::cond(sum(line) > 4, [&](auto x) { return sum(x * sum(x) + stacked * x * stacked); }, [&](auto x) { return sum(sin(x)) * s; }, line);
        })(a));
    };
    CHECK(slopes_agree(f, rows));
    CHECK(differences::apart(dyad::grad<1>(f)(0.3, rows), differences::gradient([&](const matrix& a) { return dyad::evaluate(f, 0.3, a); }, rows)) < 1e-6);
    constexpr auto nested = [](auto s, auto a) { // element by element, by the index of a loop within a loop
        const auto stacked = std::get<1>(dyad::scan([](auto h, auto r) { const auto n = 0.5 * h + sin(r); return std::pair{n, n * r}; }, a[0] * s, a));
        return dyad::fori_loop(3, [&](auto i, auto x) {
            return std::get<0>(dyad::scan([&](auto y, auto r) { return std::pair{y + sin(sum(r)) * y * (1 + i), y}; }, x, stacked));
        }, s);
    };
    CHECK(slopes_agree(nested, rows));
    CHECK(differences::apart(dyad::grad<1>(nested)(0.3, rows), differences::gradient([&](const matrix& a) { return dyad::evaluate(nested, 0.3, a); }, rows)) < 1e-6);
}
