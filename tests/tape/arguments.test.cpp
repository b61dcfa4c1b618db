// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// What functions for tape_grad take beside numbers to differentiate by: conditions, borrowed numbers, data of any type.

#include <dyad/array.hpp>
#include <dyad/tape.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using dyad::real;

enum class kind { straight, square };
struct options {
    int power;
    std::string name;
};
template <class T>
struct tagged {
    T number;
    std::string name;
};
/// A container of a library of one's own.
struct pair_of {
    double first, second;
};
struct pair_of_reals {
    real first, second;
};

} // namespace

template <>
struct dyad::tree<pair_of> {
    template <class F>
    static auto map(const pair_of& s, F&& f) {
        return pair_of_reals{f(s.first), f(s.second)};
    }
};

TEST_CASE("a container that another header knows is a tree") {
    dyad::tape tape;
    const pair_of_reals x = tape.variable(pair_of{2, 3});
    CHECK(tape.gradient(x.first * x.second, std::tuple{x.first, x.second}) == std::tuple{3.0, 2.0});
}
static double cube(double x) {
    return x * x * x;
}
static real cube(real x) {
    return x * x * x;
}
TEST_CASE("functions by their names") {
    CHECK(dyad::tape_grad(static_cast<real (*)(real)>(cube))(2.0) == 12);
    dyad::tape tape;
    const real x = tape.variable(2.0);
    real (&function)(real) = cube;
    CHECK(tape.gradient(tape.preaccumulate(function, x), x) == 12);
    CHECK(cube(2.0) == 8);
}
TEST_CASE("a bool is data, and does not make the numbers of a function bools") {
    const auto f = [](auto x, auto square) {
        if (square) return x * x;
        return x;
    };
    CHECK(dyad::tape_grad<0>(f)(3.0, true) == 6);
    CHECK(dyad::tape_grad<0>(f)(3.0, false) == 1);
    CHECK(dyad::tape_grad<0>([](auto x, bool square) { return square ? x * x : x; })(3.0F, true) == 6);
    CHECK(dyad::tape_value_and_grad<1>([](auto square, auto x) { return square ? x * x : x; })(true, 3.0) == std::pair{9.0, 6.0});
    CHECK(dyad::tape_hessian<0>(f)(3.0, true) == 2);
    static_assert(std::is_same_v<decltype(dyad::tape_grad<0>(f)(3.0F, true)), float>);
}

TEST_CASE("masks are data") {
    const auto f = [](auto x, const auto& mask) {
        auto sum = x;
        for (std::size_t k = 0; k < mask.size(); ++k) {
            if (mask[k]) sum = sum * x;
        }
        return sum;
    };
    CHECK(dyad::tape_grad<0>(f)(3.0, std::vector<bool>{true, false, true}) == 27);
    CHECK(dyad::tape_grad<0>(f)(3.0, std::array{true, false}) == 6);
    CHECK(dyad::tape_grad<0>(f)(3.0, xt::xtensor<bool, 1>{true, false, true}) == 27);
    const auto masked = [](auto w, auto mask) { return dyad::sum(dyad::where(mask, w * w, 0)); };
    const xt::xtensor<double, 1> w{1, 2, 3};
    CHECK(dyad::tape_grad<0>(masked)(w, xt::xtensor<bool, 1>{true, false, true}) == xt::xtensor<double, 1>{2, 0, 6});
}

TEST_CASE("spans are arguments; their gradients are vectors") {
    const std::vector<double> v{2, 3, 4};
    const auto f = [](const auto& x) {
        std::remove_cvref_t<decltype(x[0])> y = x[0] * x[1];
        if (y > 5) y = y * x[2];
        return y;
    };
    const auto g = dyad::tape_grad(f)(std::span<const double>(v));
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(g)>, std::vector<double>>);
    CHECK(g == std::vector<double>{12, 8, 6});
    CHECK(dyad::tape_grad(f)(std::span<const double, 3>(v)) == g);
    CHECK(dyad::tape_jacobian(f)(std::span<const double>(v)) == g);
    CHECK(dyad::tape_hessian(f)(std::span<const double>(v))[0] == std::vector<double>{0, 4, 3});
    CHECK(dyad::tape_grad<0>([](auto x, const auto& c) { return x * c[1]; })(2.0, std::span<const double>(v)) == 3);
    dyad::tape tape;
    const std::vector<dyad::real> x = tape.variable(std::span<const double>(v));
    CHECK(tape.gradient(f(x), std::span<const dyad::real>(x)) == g);
}

TEST_CASE("anything else is passed on as it is") {
    const auto powers = [](auto x, kind k) { return k == kind::square ? x * x : x; };
    CHECK(dyad::tape_grad<0>(powers)(3.0, kind::square) == 6);
    CHECK(dyad::tape_grad<0>([](auto x, const std::string& s) { return s == "a" ? x * x : x; })(3.0, std::string("a")) == 6);
    CHECK(dyad::tape_grad<0>([](auto x, const auto& text) { return text[0] == 'a' ? x * x : x; })(3.0, "a") == 6);
    CHECK(dyad::tape_grad<0>([](auto x, const auto& m) { return m.at("a") * x * x; })(3.0, std::map<std::string, double>{{"a", 2}}) == 12);
    CHECK(dyad::tape_grad<1>([](const auto& g, auto x) { return g(x, x); })(std::multiplies<>(), 3.0) == 6);
    CHECK(dyad::tape_grad<1>([](const auto& g, auto x) { return g(x); })([c = 2.0](auto x) { return c * x; }, 3.0) == 2);
    CHECK(dyad::tape_grad<0>([](auto x, const options& o) { return o.power == 2 ? x * x : x; })(3.0, options{2, ""}) == 6);
    CHECK(dyad::tape_grad<0>([](auto x, const auto& t) { return x * t.number; })(3.0, tagged<double>{5, ""}) == 5);
    CHECK(dyad::tape_grad<0>([](auto x, const auto& t) { return x * t.first; })(3.0, std::pair{5.0, std::string("a")}) == 5);
    CHECK(dyad::tape_grad<0>([](auto x, const auto& names) { return names.size() == 2 ? x * x : x; })(3.0, std::vector<std::string>{"a", "b"}) == 6);
    CHECK(dyad::tape_grad<0>([](auto x, const auto& p) { return x * *p; })(3.0, std::make_unique<double>(4)) == 4); // (not copied)
    CHECK(dyad::tape_hessian<0>(powers)(3.0, kind::square) == 2);
    CHECK(dyad::tape_grad<0, 2>([](auto x, kind, auto y) { return x * y; })(3.0, kind::square, 4.0) == std::tuple{4.0, 3.0});
    dyad::tape tape;
    const dyad::real x = tape.variable(3.0);
    CHECK(tape.gradient(dyad::tape_grad<0>(powers)(x, kind::square), x) == 2);
    CHECK(tape.size() == 0);
}
TEST_CASE("numbers that are not differentiated reach a parameter of a type of its own as they are") {
    const auto weighted = [](auto a, const std::vector<double>& xs, double weight) {
        static_assert(!std::is_same_v<decltype(a), double>);
        auto sum = 0.0 * a;
        for (const double x : xs) {
            if (x > 0.5) sum += (a * x - 1) * (a * x - 1);
        }
        return weight * sum;
    };
    const std::vector<double> xs{0.25, 0.75, 1.5};
    const double slope = 2 * (3.0 * 0.75 - 1) * 0.75 + 2 * (3.0 * 1.5 - 1) * 1.5, curvature = 2 * (0.75 * 0.75 + 1.5 * 1.5);
    CHECK(dyad::tape_grad<0>(weighted)(3.0, xs, -2.0) == -2 * slope);
    CHECK(dyad::tape_value_and_grad<0>(weighted)(3.0, xs, -2.0) == std::pair{-2 * (1.25 * 1.25 + 3.5 * 3.5), -2 * slope});
    CHECK(dyad::tape_jacobian<0>(weighted)(3.0, xs, -2.0) == -2 * slope);
    CHECK(dyad::tape_hessian<0>(weighted)(3.0, xs, -2.0) == -2 * curvature);
    dyad::tape tape;
    const real a = tape.variable(3.0);
    CHECK(tape.gradient(dyad::tape_grad<0>(weighted)(a, xs, -2.0), a) == -2 * curvature);

    const auto each_its_own = [](auto x, auto rate, const std::vector<double>& z, auto shift, double scale) { // (all of them stayed, with z)
        static_assert(std::is_same_v<decltype(x), decltype(rate)> && std::is_same_v<decltype(x), decltype(shift)>);
        return scale * (x > 0 ? x * rate : x) * z[0] + shift;
    };
    CHECK(dyad::tape_value_and_grad<0>(each_its_own)(1.5, 2.0, std::vector{3.0}, 4.0, 5.0) == std::pair{49.0, 30.0});
    CHECK(dyad::tape_grad<0, 3>(each_its_own)(1.5, 2.0, std::vector{3.0}, 4.0, 5.0) == std::tuple{30.0, 1.0});
    const auto of_many = [](auto x, auto p, auto q, auto r, auto s, auto t, double v) { return x * (p + q + r + s + t) * v; };
    CHECK(dyad::tape_grad<0>(of_many)(2.0, 1.0, 2.0, 3.0, 4.0, 5.0, 0.5) == 7.5);
    const auto of_more = [](auto x, double p, double q, double r, double s, double t, double u, double v) { return x * (p + q + r + s + t + u) * v; };
    CHECK(dyad::tape_grad<0>(of_more)(2.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.5) == 10.5);

    const auto of_one_type = []<class T>(T x, const std::vector<T>& y) { return x > 1 ? x * y[0] : T(x + y[1]); }; // not these
    CHECK(dyad::tape_grad<0>(of_one_type)(2.0, std::vector{5.0, 7.0}) == 5);
}

TEST_CASE("a region of a tape takes data too") {
    dyad::tape tape;
    const dyad::real x = tape.variable(3.0);
    const dyad::real y = tape.preaccumulate([](auto v, const auto& s) { return s.size() == 2 ? v * v : v; }, x, std::string("ab"));
    CHECK(tape.gradient(y, x) == 6);
}
