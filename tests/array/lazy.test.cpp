// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Expressions of xtensor's, which refer to what they are made of, as results of the functions that loops and blocks call, and as
// arguments on a tape: they are computed while that is there.
#include <cmath>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <dyad/dyad.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xview.hpp>

namespace {

using vector = xt::xtensor<double, 1>;
using namespace dyad::literals;
const vector w{.1, .2, .3};

} // namespace

TEST_CASE("reversible blocks of plain and of recorded arrays") {
    const auto block = dyad::reversible([](const auto& u) { return u * u; }, [](const auto& u) { return dyad::sin(u); });
    const auto half = [](double s) { return s + s * s; };
    const auto [a, b] = block(w, w);
    const vector product = a * b;
    for (std::size_t i = 0; i < 3; ++i) CHECK(product(i) == doctest::Approx(half(w(i)) * (w(i) + std::sin(half(w(i))))).epsilon(1e-15));
    dyad::tape tape;
    const auto x = tape.variable(w);
    const auto [c, d] = dyad::reversible_sequence(block, block)(x, x);
    const dyad::real y = dyad::sum(c * d);
    const auto by_hand = dyad::grad([](auto z) { // of one number, the blocks written out
        const auto e = z + z * z;
        const auto f = z + sin(e);
        const auto last = e + f * f;
        return last * (f + sin(last));
    });
    const auto g = tape.gradient(y, x);
    for (std::size_t i = 0; i < 3; ++i) CHECK(g(i) == doctest::Approx(by_hand(w(i))).epsilon(1e-14));
}

TEST_CASE("a scan whose state or results are arrays") {
    const std::vector<double> xs{2, 3, 4};
    const auto [last, sums] = dyad::scan([](const auto& s, const auto& e) { return std::pair{s * e, dyad::sum(s)}; }, w, xs);
    CHECK(last(0) == doctest::Approx(2.4));
    CHECK(sums[0] == doctest::Approx(.6));
    CHECK(sums[2] == doctest::Approx(3.6)); // of the states before
    const auto [same, kept] = dyad::scan([](const auto& s, const auto& e) { return std::pair{s * e, s + 1.0}; }, w, std::array{2.0, 3.0});
    CHECK(same(1) == doctest::Approx(1.2));
    CHECK(kept[1](0) == doctest::Approx(1.2));
    CHECK(dyad::map([](const auto& e) { return w * e; }, xs)[2](1) == doctest::Approx(.8));

    dyad::tape tape;
    const auto x = tape.variable(w);
    const auto factors = tape.variable(xs);
    const auto [state, of_states] = dyad::scan([](const auto& s, const auto& e) { return std::pair{s * e, dyad::sum(s)}; }, x, factors);
    const dyad::real y = of_states[2];
    const auto [by_x, by_factors] = tape.gradient(y, std::tuple{x, factors});
    CHECK(by_x(1) == doctest::Approx(6));
    CHECK(by_factors[1] == doctest::Approx(1.2));
    CHECK(by_factors[2] == 0);
}

TEST_CASE("loops over views and expressions keep their results in containers") {
    const auto [last, products] = dyad::scan([](auto s, auto e) { return std::pair{s + e, s * e}; }, 0.0, xt::view(w, xt::range(1, 3)));
    CHECK(last == .5);
    CHECK(products == vector{0, .2 * .3});
    CHECK(dyad::map([](auto e) { return 2 * e; }, 2 * w) == vector{2 * (2 * .1), 2 * (2 * .2), 2 * (2 * .3)});
    const xt::xtensor<double, 1, xt::layout_type::column_major> column = w;
    static_assert(std::is_same_v<decltype(dyad::map([](auto e) { return 2 * e; }, column)), std::remove_const_t<decltype(column)>>);
    const xt::xtensor<bool, 1> large = dyad::map([](auto e) { return e > .15; }, w);
    CHECK(large == xt::xtensor<bool, 1>{false, true, true});
    dyad::tape tape;
    const auto x = tape.variable(w);
    const dyad::real y = dyad::map([](auto e) { return e * e; }, 2 * x)(1);
    CHECK(tape.gradient(y, x)(1) == doctest::Approx(8 * .2));
}

TEST_CASE("a tape computes what it is given") {
    const auto f = [](const auto& a) { return dyad::sum(a * a); };
    dyad::tape tape{dyad::persistent};
    const auto x = tape.variable(w);
    CHECK(tape.gradient(2 * x, x) == vector{2, 2, 2});
    CHECK(tape.gradient(std::tuple{x * x, x(0) * 3}, x)(0) == doctest::Approx(3.2));
    CHECK(tape.gradient(3 * x, x, dyad::seed(w))(1) == doctest::Approx(.6));
    CHECK(tape.jacobian(2 * x, x)[1] == std::vector<double>{0, 2, 0});
    CHECK(tape.connected(2 * x, x));
    double places[3] = {};
    tape.gradient_into(places, 3 * x, x);
    CHECK(places[2] == 3);
    const dyad::real applied = tape.apply(f, 2 * x), whole = tape.preaccumulate(f, 2 * x), with_data = tape.apply([](auto a, auto b) { return dyad::dot(a, b); }, x, 2 * w);
    CHECK(tape.gradient(applied, x)(0) == doctest::Approx(.8));
    CHECK(tape.gradient(whole, x)(0) == doctest::Approx(.8));
    CHECK(tape.gradient(with_data, x)(2) == doctest::Approx(.6));
    CHECK(tape.variable(2 * w)(1).value() == .4);
    CHECK(dyad::tape_grad(f)(2 * w)(1) == doctest::Approx(.8));
}

TEST_CASE("numbers among recorded ones, but never the other way") {
    dyad::tape tape;
    const xt::xtensor<double, 2> m{{1, 2}, {3, 4}};
    const auto x = tape.variable(m);
    xt::xtensor<dyad::real, 2> r = m;
    r = m * 2;
    r += m;
    r *= 2.0;
    r = x * m + xt::view(m, 0, xt::all()) + r;
    xt::view(r, 0, xt::all()) = xt::view(m, xt::all(), 1);
    xt::view(r, xt::all(), 0) = xt::view(x, xt::all(), 1) * 2;
    const dyad::real y = dyad::sum(r * r);
    const auto g = tape.gradient(y, x); // r = {{2 x01, m11}, {2 x11, x11 m11 + m01 + 6 m11}}
    CHECK(g(0, 0) == 0);
    CHECK(g(0, 1) == 8 * 2);
    CHECK(g(1, 1) == 8 * 4 + 2 * (4 * 4 + 2 + 24) * 4);
}

TEST_CASE("functions of whole arrays take expressions of xtensor's, outside of expressions and beside them") {
    using matrix = xt::xtensor<double, 2>;
    const matrix A{{3, 1}, {1, 2}}, twice{{6, 2}, {2, 4}};
    const vector b{1, 2}, double_b{2, 4};
    const dyad::var<"x", matrix> x{A};
    CHECK(dyad::matmul(2 * A, b) == dyad::matmul(twice, b));
    CHECK(dyad::matmul(A, 2 * b) == dyad::matmul(A, double_b));
    CHECK(dyad::matmul(x, 2 * b).value() == dyad::matmul(A, double_b));
    CHECK(dyad::solve(2 * A, b + b) == dyad::solve(twice, double_b));
    CHECK(dyad::solve(x, b + b).value() == dyad::solve(A, double_b));
    CHECK(dyad::dot(b, b + b) == 10);
    CHECK(dyad::dot(sum(x, 0_c), b + b).value() == 20);
    CHECK(dyad::outer(b + b, b) == dyad::outer(double_b, b));
    CHECK(dyad::tensordot(2 * A, A, 2_c) == dyad::tensordot(twice, A, 2_c));
    CHECK(dyad::broadcast_like(2 * b, A) == dyad::broadcast_like(double_b, A));
    CHECK(dyad::trace(2 * A) == 10);
    CHECK(dyad::diag(2 * A) == vector{6, 4});
    CHECK(dyad::inverse(2 * A) == dyad::inverse(twice));
    CHECK(dyad::cholesky(2 * A) == dyad::cholesky(twice));
    CHECK(dyad::logdet(2 * A) == dyad::logdet(twice));
    CHECK(dyad::det(2 * A) == dyad::det(twice));
    CHECK(dyad::qr(2 * A).second == dyad::qr(twice).second);
    CHECK(dyad::eigh(2 * A).first == dyad::eigh(twice).first);
    CHECK(std::get<1>(dyad::svd(2 * A)) == std::get<1>(dyad::svd(twice)));
    CHECK(dyad::grad([b](auto y) { return sum(dyad::matmul(y, 2 * b)); })(A) == matrix{{2, 4}, {2, 4}});
    const auto body = [](const auto& y, const auto& c) { return dyad::sum(dyad::solve(y + dyad::matmul(y, y), c * 2.0)); };
    CHECK(body(A, b) == doctest::Approx(6.0 / 11).epsilon(1e-14)); // {{13, 6}, {6, 7}} x = {2, 4}
}
TEST_CASE("expressions without axes are numbers: what functions, rules, branches and loops return, and on a tape") {
    const vector x{1, 2};
    const auto squares = [](const auto& a) { return sum(a * a); }; // xtensor's sum, of plain arrays
    const auto with_rule = dyad::custom_gradient(squares, [](auto a, auto, auto up) { return 2 * up * a; });
    static_assert(std::is_same_v<decltype(with_rule(x)), double>);
    CHECK(with_rule(x) == 5);
    CHECK(dyad::checkpoint(squares)(x) == 5);
    const auto several = dyad::checkpoint([](const auto& a) { return std::tuple{sum(a), 2 * a, std::pair{prod(a), 1}}; })(x);
    CHECK(several == std::tuple{3.0, vector{2, 4}, std::pair{2.0, 1}});
    for (const double c : {1.0, -1.0}) CHECK(dyad::cond(c > 0, [](const auto& a) { return sum(a); }, [](const auto& a) { return 2 * prod(a); }, x) == (c > 0 ? 3 : 4));
    CHECK(dyad::fori_loop(3, [&](auto, const auto& s) { return s + 2 * sum(x); }, 1.0) == 19);
    CHECK(dyad::computed(std::tuple{sum(x), 2 * x}) == std::tuple{3.0, vector{2, 4}});

    dyad::tape tape;
    const auto three = tape.variable(sum(x));
    static_assert(std::is_same_v<decltype(three), const dyad::real>);
    const xt::xtensor<double, 0> none = 3;
    CHECK(tape.gradient(three * tape.variable(none), three) == 3);
    const auto scaled = [](const auto& a, const auto& s) { return s * dyad::sum(a * a); };
    const auto v = tape.variable(x);
    CHECK(tape.gradient(tape.apply(scaled, v, sum(x)), v) == vector{6, 12});
    CHECK(dyad::tape_grad<0>(scaled)(x, none) == vector{6, 12});
    CHECK(dyad::tape_grad([](const auto& s) { return s * s; })(none) == 6);
}
TEST_CASE("expressions of run-time rank are computed when they are given one; what is not const may be a target") {
    using matrix = xt::xtensor<double, 2>;
    const matrix A{{3, 1}, {1, 2}};
    const vector b{1, 2};
    const auto shifted = A + 0.5 * xt::eye<double>(2); // its shape is a vector
    const matrix sum{{3.5, 1}, {1, 2.5}};
    CHECK(dyad::solve(dyad::ranked<2>(shifted), b) == dyad::solve(sum, b));
    CHECK(dyad::grad([](auto y) { return dyad::logdet(y); })(dyad::ranked<2>(shifted)) == dyad::inverse(sum));
    CHECK_THROWS_WITH_AS(dyad::ranked<1>(shifted), "[dyad] ranked: the array has 2 axes, not 1", dyad::shape_error);
#if !defined(__clang__) || __clang_major__ < 19 || XTENSOR_VERSION_MINOR >= 26 // else xtensor's own xarray does not compile
    xt::xarray<double> any = A;
    const auto part = dyad::ranked<1>(xt::view(any, 0, xt::all())); // borrowed, as the view borrows
    auto place = dyad::ranked<2>(any);
    dyad::evaluate_into(place, [](auto y) { return 2 * y; }, A);
    CHECK(any(0, 1) == 2);
    CHECK(dyad::sum(part) == 8);
    const xt::xarray<double> fixed = A;
    CHECK(dyad::trace(dyad::ranked<2>(fixed)) == 5);
#endif
}
