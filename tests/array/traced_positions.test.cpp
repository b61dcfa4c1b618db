// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// x[i] and x(i, j) where i is traced: the index of a loop, or an argument. At the index of the loop around, an array from outside is
// gone through as in a scan, and a loop of n rounds costs n; elsewhere each element is taken by position.

#include "differences.hpp"

#include <doctest/doctest.h>

#include <string_view>

using namespace differences;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
const vector v = numbers<double, 1>({4}), longer = numbers<double, 1>({6}, 3);
const matrix m = numbers<double, 2>({4, 3}, 5);

/// Whether the gradient takes an element by its position.
template <class F>
bool takes(F f) {
    return dyad::print(dyad::graph_of<vector>(dyad::grad(f))).view().find("take") != std::string_view::npos;
}
struct plain_elements {
    const vector& x;
    double operator[](int i) const { return x(i < 0 ? x.size() - 1 : static_cast<std::size_t>(i)); }
};
/// The function is what it is on plain numbers, and its slopes are those of that.
template <class F>
void as_plain(F f, const vector& at = longer) {
    const auto plain = [&](const vector& x) { return f(plain_elements{x}); };
    const auto [value, slopes] = dyad::value_and_grad<0>(f)(at);
    CHECK(apart(value, plain(at)) < 1e-15);
    CHECK(apart(slopes, gradient(plain, at)) < 1e-9);
}
/// How far the second derivatives along some vector are from the differences of the gradient.
template <class F>
double bend_of(F f, const vector& at) {
    return curvature_off(f, at, numbers<double, 1>({at.size()}, 7));
}

} // namespace

TEST_CASE("an array is read at the index of a loop") {
    const auto four = [](auto x) { return dyad::fori_loop(4, [&](auto i, auto s) { return s * 0.5 + sin(x[i]) * s + x[i] * x[i]; }, 1.0); };
    as_plain(four, v);
    CHECK(bend_of(four, v) < 1e-8);
    CHECK(!takes(four));
    as_plain(four, longer);
    const vector slopes = dyad::value_and_grad<0>(four)(longer).second; // what lies behind the rounds is not read
    CHECK(slopes(4) == 0);
    CHECK(slopes(5) == 0);
    const auto all = [](auto x) { return dyad::fori_loop(x.size(), [&](auto i, auto s) { return s * 0.5 + take(x, i) * s; }, 1.0); };
    CHECK(gradient_off(all, longer) < 1e-9);
    CHECK(!takes(all));
}
TEST_CASE("rows, elements of matrices, and loops in loops") {
    const auto rows = [](auto x, auto y) { return dyad::fori_loop(4, [&](auto i, auto s) { return s + x[i] * sum(y[i] * y[i]) * s; }, 0.1); };
    CHECK(gradients_off(rows, v, m) < 1e-9);
    const auto by_rows = [](auto y) { return dyad::fori_loop(y.shape(0), [&](auto i, auto s) { return s * 0.5 + sum(y[i] * y[i]) * s; }, 1.0); };
    CHECK(gradient_off(by_rows, m) < 1e-9);
    const auto elements = [](auto y) {
        return dyad::fori_loop(4, [&](auto i, auto s) { return dyad::fori_loop(3, [&](auto j, auto t) { return t * 0.9 + y(i, j) * y(j, 2) * y(i, 0); }, s); }, 0.1);
    };
    double expected = 0.1;
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 3; ++j) expected = expected * 0.9 + m(i, j) * m(j, 2) * m(i, 0);
    }
    CHECK(apart(dyad::value_and_grad<0>(elements)(m).first, expected) < 1e-15);
    CHECK(gradient_off(elements, m) < 1e-9);
}
TEST_CASE("neighbours, a constant apart") {
    const auto rosenbrock = [](auto x) {
        return dyad::fori_loop(x.size() - 1, [&](auto i, auto s) { return s * 0.9 + 100 * square(x[i + 1] - square(x[i])) + square(1 - x[i]); }, 0.0);
    };
    double expected = 0;
    for (std::size_t i = 0; i < 5; ++i) expected = expected * 0.9 + 100 * std::pow(longer(i + 1) - longer(i) * longer(i), 2) + std::pow(1 - longer(i), 2);
    const auto both = dyad::value_and_grad<0>(rosenbrock);
    CHECK(apart(both(longer).first, expected) < 1e-14);
    CHECK(gradient_off(rosenbrock, longer) < 1e-9);
    CHECK(bend_of(rosenbrock, longer) < 1e-8);
    CHECK(!takes(rosenbrock));
    CHECK(both(vector{3}) == std::pair{0.0, vector{0}});
    CHECK_THROWS_AS(both(vector(std::array<std::size_t, 1>{0})), dyad::value_error); // -1 rounds
    const auto inner = [](auto x) { return dyad::fori_loop(x.size() - 3, [&](auto i, auto s) { return s * x[i + 1] + x[2 + i] * x[i]; }, 0.5); };
    CHECK(gradient_off(inner, longer) < 1e-9);
    CHECK(gradient_off(inner, v) < 1e-9);
    CHECK(!takes(inner));
    const auto three = [](auto x) { return dyad::fori_loop(3, [&](auto i, auto s) { return s * x[i + 1] + x[i + 3 - 1]; }, 0.5); };
    CHECK(gradient_off(three, longer) < 1e-9);
    CHECK(!takes(three));
    CHECK_THROWS_WITH_AS(dyad::value_and_grad<0>(three)(v), "[dyad] take: indices = 4 is not in [-4, 4)", dyad::index_error);
    const auto beyond = [](auto x) { return dyad::fori_loop(x.size() - 1, [&](auto i, auto s) { return s + x[i + 2]; }, 0.5); };
    CHECK_THROWS_WITH_AS(dyad::grad(beyond)(v), "[dyad] take: indices = 4 is not in [-4, 4)", dyad::index_error);
    const auto other = [](auto x, auto y) { return dyad::fori_loop(x.size() - 1, [&](auto i, auto s) { return s * 0.5 + x[i + 1] * y[i]; }, 0.5); };
    CHECK(gradients_off(other, v, longer) < 1e-9);
}
TEST_CASE("inside of branches, checkpoints, rules and other loops of the loop's body") {
    as_plain([](auto x) {
        return dyad::fori_loop(5, [&](auto i, auto s) {
            return dyad::cond(s > 0.6, [&](auto q) { return q * 0.5 + x[i] * x[i]; }, [&](auto q) { return q + sin(x[i + 1]) + 0.7; }, s);
        }, 0.5);
    });
    as_plain([](auto x) { return dyad::fori_loop(5, [&](auto i, auto s) { return dyad::checkpoint([&](auto q) { return q * sin(x[i]) + x[i + 1]; })(s); }, 0.5); });
    as_plain([](auto x) {
        return dyad::fori_loop(5, [&](auto i, auto s) {
            return dyad::while_loop([](auto q) { return q * q > 0.05; }, [&](auto q) { return q * 0.5 + 0.01 * x[i]; }, s + x[i]);
        }, 0.5);
    });
    as_plain([](auto x) {
        return dyad::fori_loop(5, [&](auto i, auto s) {
            return dyad::custom_gradient([](auto a, auto b) { return a * b; }, [](auto a, auto b, auto, auto up) { return std::tuple{up * b, up * a}; })(s, x[i]) + x[i + 1];
        }, 0.5);
    });
    as_plain([](auto x) {
        return dyad::fori_loop(5, [&](auto i, auto s) {
            return dyad::cond(s > 0.1, [&](auto q) {
                return dyad::cond(x[i] > 0, [&](auto r) { return r * x[i]; }, [&](auto r) { return r - x[i + 1]; }, q);
            }, [&](auto q) { return dyad::fori_loop(3, [&](auto j, auto r) { return r * 0.9 + x[i] * x[j + 1]; }, q); }, s);
        }, 0.5);
    });
    as_plain([](auto x) { // the loop inside of the region
        return dyad::checkpoint([&](auto q) { return dyad::fori_loop(5, [&](auto i, auto s) { return s * x[i] + sin(x[i + 1]); }, q); })(x[0]);
    });
    const auto of_vectors = [](auto x) {
        return sum(dyad::fori_loop(5, [&](auto i, auto s) {
            return dyad::cond(sum(s) > 0.6, [&](auto q) { return q * 0.5 + x[i] * x; }, [&](auto q) { return q + sin(x[i + 1]) + 0.3; }, s);
        }, x));
    };
    CHECK(gradient_off(of_vectors, longer) < 1e-8);
    CHECK(gradient_off([](auto x) {
        return dyad::fori_loop(5, [&](auto i, auto s) {
            return s * 0.5 + dyad::scan([&](auto q, auto e) { return std::pair{q * 0.5 + e * x[i], q}; }, s, x).first;
        }, 0.5);
    }, longer) < 1e-8);
}
TEST_CASE("other positions than the index, other arrays than those from outside, rounds known at run time") {
    const auto last = [](auto x) { return dyad::fori_loop(3, [&](auto i, auto s) { return s * 0.5 + x[i] * x[i - 1]; }, 0.0); }; // x[-1] first
    as_plain(last, v);
    CHECK(takes(last));
    const auto twice = [](auto x) { return dyad::fori_loop(2, [&](auto i, auto s) { return s * 0.5 + x[i] * x[2 * i]; }, 0.0); };
    CHECK(gradient_off(twice, v) < 1e-9);
    CHECK(takes(twice));
    const auto state = [](auto x) { return sum(dyad::fori_loop(4, [&](auto i, auto s) { return s * s[i] + x[i]; }, x)); };
    CHECK(gradient_off(state, v) < 1e-8);
    const auto inside = [](auto x) { return dyad::fori_loop(4, [&](auto i, auto s) { return s + (x * s)[i]; }, 1.0); };
    CHECK(gradient_off(inside, v) < 1e-9);
    const auto given = [](auto x, auto n) { return dyad::fori_loop(n, [&](auto i, auto s) { return s * 0.5 + x[i] * x[i]; }, 0.0); };
    CHECK(gradient_off(given, longer, 5) < 1e-9);
    CHECK(dyad::value_and_grad<0>(given)(longer, 0).first == 0);
    const auto once = [](auto x) { return dyad::fori_loop(1, [&](auto i, auto s) { return s + x[i] * x[i]; }, 0.0); };
    CHECK(gradient_off(once, v) < 1e-9);
    CHECK(gradient_off(once, vector{3}) < 1e-9);
}
TEST_CASE("arguments are positions") {
    const auto at = [](auto x, auto i) { return x[i] * x[0] * x[i]; };
    CHECK(gradient_off(at, v, 2) < 1e-9);
    CHECK(gradient_off(at, v, 0) < 1e-9);
    const auto several = [](auto x, auto i, auto c) { return sum(c * (x[i] * x[i])); };
    CHECK(gradient_off(several, v, xt::xtensor<int, 1>{3, 0, 0}, vector{0.3, -0.8, 1.7}) < 1e-9);
    const auto fixed = [](auto x) { return sum(take(x, 1) * take(x, -1)) + sum(take(x, 2, 1)); };
    CHECK(gradient_off(fixed, m) < 1e-9);
}
TEST_CASE("a loop with more rounds than elements throws, in every derivative") {
    const auto linear = [](auto x) { return dyad::fori_loop(5, [&](auto i, auto s) { return s + x[i]; }, 0.0); };
    const auto curved = [](auto x) { return dyad::fori_loop(5, [&](auto i, auto s) { return s * 0.5 + x[i] * x[i]; }, 0.0); };
    const auto given = [](auto x, auto n) { return dyad::fori_loop(n, [&](auto i, auto s) { return s + x[i]; }, 0.0); };
    const auto two = [](auto x, auto y) { return dyad::fori_loop(x.size(), [&](auto i, auto s) { return s + x[i] * y[i]; }, 0.0); };
    const char* const message = "[dyad] take: indices = 4 is not in [-4, 4)";
    CHECK_THROWS_WITH_AS(evaluated(linear, v), message, dyad::index_error);
    CHECK_THROWS_WITH_AS(dyad::grad(linear)(v), message, dyad::index_error);
    CHECK_THROWS_WITH_AS(dyad::jvp(linear)(v, v), message, dyad::index_error);
    CHECK_THROWS_WITH_AS(dyad::value_and_grad(curved)(v), message, dyad::index_error);
    CHECK_THROWS_WITH_AS(dyad::hessian(curved)(v), message, dyad::index_error);
    CHECK_THROWS_WITH_AS(dyad::grad<0>(given)(v, 5), message, dyad::index_error);
    CHECK_THROWS_WITH_AS(dyad::grad<0>([](auto x, auto i) { return sum(take(x, i)); })(v, xt::xtensor<int, 1>{4}), message, dyad::index_error);
    CHECK_THROWS_WITH_AS(dyad::grad(two)(longer, v), message, dyad::index_error);
    CHECK_THROWS_WITH_AS(dyad::value_and_grad(curved)(vector{2}), "[dyad] take: indices = 1 is not in [-1, 1)", dyad::index_error);
    const auto side_by_side = [](auto x, auto y) {
        return dyad::scan([](auto s, auto e) { return std::pair{s + std::get<0>(e) + std::get<1>(e), s}; }, 0.0, std::tuple{x, y}).first;
    };
    CHECK_THROWS_AS(dyad::grad(side_by_side)(v, longer), dyad::shape_error); // of which the slopes are all 1
}
