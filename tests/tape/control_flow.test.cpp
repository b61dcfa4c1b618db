// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <tuple>
#include <vector>

#include <dyad/implicit.hpp>
#include <dyad/tape.hpp>

namespace {

using dyad::sin, dyad::cos, dyad::exp, dyad::abs;

// The same bodies on a tape and in a graph.
inline constexpr auto loops = [](auto x, auto y) {
    const auto s = dyad::fori_loop(5, [&](auto i, auto t) { return t * x + sin(t) / (i + 1); }, y);
    const auto root = dyad::while_loop([&](auto r) { return abs(r * r - x) > 1e-13; }, [&](auto r) { return (r + x / r) / 2; }, x);
    const auto side = dyad::cond(s > root, [&](auto a) { return a * y; }, [&](auto a) { return a - y; }, s);
    const auto kept = dyad::checkpoint([](auto a, auto b) { return exp(sin(a)) * b; })(side, root);
    const auto [last, products] = dyad::scan([&](auto t, auto e) { return std::pair{t + e * x, t * e}; }, kept, std::array{x, y});
    return last * products[1];
};
/// Small enough for second derivatives within clang's limits of constant evaluation.
inline constexpr auto recurrence = [](auto x, auto y) {
    const auto s = dyad::fori_loop(5, [&](auto i, auto t) { return t * x + sin(t) / (i + 1); }, y);
    return dyad::while_loop([&](auto r) { return abs(r * r - x) > 1e-13; }, [&](auto r) { return (r + x / r) / 2; }, x) * s;
};
/// What a graph stores or computes backwards is ordinary code here.
inline constexpr auto stored = [](auto x, auto y) {
    const auto s = dyad::fori_loop(9, [&](auto i, auto t) { return t * x + sin(t) / (i + 1); }, y, dyad::store_sqrt);
    const auto block = dyad::reversible([&](auto u) { return sin(x * u); }, [&](auto u) { return u * y; });
    const auto [p, q] = dyad::fori_loop(3, [&](auto, auto t) { return dyad::reversible_sequence(block, block)(t); }, std::tuple{s, x * y});
    return p * q;
};
inline constexpr auto clipped = dyad::custom_gradient([](auto x) { return 1 * x; },
                                                      [](auto, auto, auto upstream) { return dyad::clamp(upstream, -1, 1); });
inline constexpr auto wrong_square = dyad::custom_gradient([](auto x) { return x * x; },
                                                           [](auto x, auto y, auto upstream) { return std::tuple{upstream * (7 * x + y)}; });
inline constexpr auto rounded = dyad::custom_jvp([](auto x, auto y) { return round(x) * y; }, [](auto, auto y, auto, auto t, auto) { return t * y; });

} // namespace

TEST_CASE("the control flow of graphs is ordinary code on a tape, with the same derivatives") {
    for (const auto& [x, y] : {std::pair{1.7, 0.4}, std::pair{0.6, -1.2}}) {
        const auto [value, gradient] = dyad::value_and_grad(loops)(x, y);
        const auto [taped, slopes] = dyad::tape_value_and_grad(loops)(x, y);
        CHECK(taped == doctest::Approx(value).epsilon(1e-14));
        CHECK(std::get<0>(slopes) == doctest::Approx(std::get<0>(gradient)).epsilon(1e-12));
        CHECK(std::get<1>(slopes) == doctest::Approx(std::get<1>(gradient)).epsilon(1e-12));
        const auto H = dyad::hessian(recurrence)(x, y);
        const auto by_tape = dyad::tape_hessian(recurrence)(x, y);
        CHECK(by_tape[0][1] == doctest::Approx(H[0][1]).epsilon(1e-10));
        CHECK(by_tape[1][1] == doctest::Approx(H[1][1]).epsilon(1e-10));
    }
}

TEST_CASE("stored steps and reversible blocks have the derivatives of the tape") {
    const auto [value, gradient] = dyad::value_and_grad(stored)(0.7, 0.4);
    const auto [taped, slopes] = dyad::tape_value_and_grad(stored)(0.7, 0.4);
    CHECK(taped == doctest::Approx(value).epsilon(1e-13));
    CHECK(std::get<0>(slopes) == doctest::Approx(std::get<0>(gradient)).epsilon(1e-11));
    CHECK(std::get<1>(slopes) == doctest::Approx(std::get<1>(gradient)).epsilon(1e-11));
}

TEST_CASE("a rule is obeyed on a tape, with the cotangent that arrives") {
    CHECK(dyad::tape_grad([](auto x) { return 100 * clipped(x * x); })(3.0) == 6.0);
    CHECK(dyad::tape_grad([](auto x) { return 0.5 * clipped(x); })(3.0) == 0.5);
    CHECK(dyad::tape_grad([](auto x) { return sin(wrong_square(2 * x)); })(0.3) == doctest::Approx(2 * (4.2 + 0.36) * std::cos(0.36)));
    CHECK(dyad::tape_grad([](auto x, auto y) { return rounded(x, y) * rounded(x, y); })(2.4, 3.0) == std::tuple{2 * 6 * 3.0, 0.0});
}

TEST_CASE("a rule's own derivative is that of higher orders on tapes") {
    const auto slope = [](auto x) { return dyad::tape_grad([](auto y) { return wrong_square(y); })(x); };
    CHECK(slope(3.0) == 30);
    CHECK(dyad::tape_grad(slope)(3.0) == 37);
}

TEST_CASE("a rule is obeyed in forward mode, and where it meets the tape") {
    using two = dyad::dual<double, 2>;
    const two x = two::variable(3.0, 0), y = two::variable(0.4, 1);
    const two z = wrong_square(x * y), c = clipped(10 * y), w = rounded(x + 2 * y, y);
    CHECK(z.value() == doctest::Approx(1.44));
    const double slope = dyad::tape_grad([](auto u) { return wrong_square(u); })(1.2);
    CHECK(z.tangent(0) == doctest::Approx(slope * 0.4));
    CHECK(z.tangent(1) == doctest::Approx(slope * 3));
    CHECK((c.tangent(0) == 0 && c.tangent(1) == 10)); // the rule at 1
    CHECK(w.tangent(0) == doctest::Approx(0.4));
    CHECK(w.tangent(1) == doctest::Approx(2 * 0.4));
    using nested = dyad::dual<dyad::dual<double>>;
    const nested u = wrong_square(nested(dyad::dual<double>::variable(3.0), {dyad::dual<double>(1.0)}));
    CHECK((u.tangent().value() == 30 && u.tangent().tangent() == 37));
    CHECK(dyad::tape_hvp([](auto v) { return wrong_square(2 * v); })(1.5, 1.0) == doctest::Approx(4 * 37));
    CHECK(dyad::tape_hvp([](auto v) { return rounded(v, v) * v; })(2.4, 1.0) == doctest::Approx(dyad::hvp([](auto v) { return rounded(v, v) * v; })(2.4, 1.0)));
}

TEST_CASE("without a tape a rule costs nothing and changes nothing") {
    const dyad::real x = 3.0;
    CHECK(clipped(x).value() == 3.0);
    CHECK(wrong_square(2.0) == 4.0);
}
TEST_CASE("the compiler's transforms of a function with a loop take the tape's numbers") {
    const auto power = [](auto x) { return dyad::fori_loop(3, [&](auto, auto s) { return s * x; }, x); };
    dyad::tape tape;
    const dyad::real x = tape.variable(2.0);
    const dyad::real slope = dyad::grad(power)(x);
    CHECK(slope.value() == 32);
    CHECK(tape.gradient(slope, x) == 48);
}
TEST_CASE("tuples of numbers and of what the tape has not computed yet go round") {
    const auto loop = [](auto x) {
        auto [a, b] = dyad::fori_loop(3, [&](auto, auto s) { auto [p, q] = s; return std::tuple{p + q, q * x}; }, std::tuple{0.0, x});
        return a * b;
    };
    const auto repeated = [](auto x) {
        auto [a, b] = dyad::while_loop([](auto s) { return std::get<0>(s) < 3; }, [&](auto s) { auto [p, q] = s; return std::tuple{p + q, q * x}; }, std::tuple{0.0, x});
        return a * b;
    };
    const auto chosen = [](auto x, auto y) {
        auto [a, b] = dyad::cond(x > 1, [](auto s, auto t) { return std::tuple{1, s * t}; }, [](auto s, auto t) { return std::tuple{0.5 * t, s * s}; }, x, y);
        return a * b;
    };
    CHECK(dyad::tape_value_and_grad(loop)(1.5) == dyad::value_and_grad(loop)(1.5));
    CHECK(dyad::tape_value_and_grad(repeated)(1.5) == dyad::value_and_grad(repeated)(1.5));
    CHECK(dyad::tape_value_and_grad(chosen)(1.5, 2.0) == dyad::value_and_grad(chosen)(1.5, 2.0));
    CHECK(dyad::tape_value_and_grad(chosen)(0.5, 2.0) == dyad::value_and_grad(chosen)(0.5, 2.0));
}
TEST_CASE("what rules and tapes inside give in a function of tape_grad is a number that any branch can return") {
    const auto branches = [](auto x) {
        auto y = dyad::custom_gradient([](auto a) { return a * a; }, [](auto a, auto, auto u) { return 2 * a * u; })(x);
        if (x > 1) return y * y;
        return y + 1;
    };
    CHECK(dyad::tape_grad(branches)(1.5) == doctest::Approx(13.5));
    CHECK(dyad::tape_grad(branches)(0.5) == doctest::Approx(1.0));
    const auto jacobians = [](auto x) {
        auto y = dyad::tape_jacobian([](auto a) { return a * a * a; })(x);
        if (x > 1) return y * y;
        return y;
    };
    CHECK(dyad::tape_grad(jacobians)(2.0) == doctest::Approx(36 * 8)); // 9 x^4
}
TEST_CASE("rules that capture recorded numbers, by value, work on tapes of every order") {
    const auto reverse = [](auto x, auto y) {
        return dyad::custom_gradient([](auto a) { return a * a; }, [=](auto a, auto, auto u) { return u * y * a; })(x) * x;
    };
    const auto forward = [](auto x, auto y) {
        return dyad::custom_jvp([](auto a) { return a * a; }, [=](auto a, auto, auto t) { return t * y * a; })(x) * x;
    };
    CHECK(dyad::tape_grad(reverse)(2.0, 3.0) == std::tuple{16.0, 0.0}); // x^2 + x (y x), by y nothing
    CHECK(dyad::tape_grad(forward)(2.0, 3.0) == std::tuple{16.0, 0.0});
    const auto H = dyad::tape_hessian(reverse)(2.0, 3.0), E = dyad::hessian(reverse)(2.0, 3.0);
    CHECK(H[0][0] == E[0][0]);
    CHECK(H[0][1] == E[0][1]);
}

TEST_CASE("rules and residuals are generic bodies in every order") {
    const auto by_steps = [](auto x) {
        auto d = 0 * x;
        for (int i = 0; i < 3; ++i) d = d + x * x;
        return d;
    };
    const auto cube = [](auto x) { return x * x * x; };
    const auto backwards = [=](auto s) { return dyad::custom_gradient(cube, [by_steps](auto x, auto, auto up) { return up * by_steps(x); })(s); };
    const auto forwards = [=](auto s) { return dyad::custom_jvp(cube, [by_steps](auto x, auto, auto t) { return t * by_steps(x); })(s); };
    CHECK(dyad::tape_grad(dyad::tape_grad(backwards))(2.0) == 12);
    CHECK(dyad::tape_grad(dyad::tape_grad(dyad::tape_grad(backwards)))(2.0) == 6);
    CHECK(dyad::tape_hessian(backwards)(2.0) == 12);
    CHECK(dyad::tape_grad(dyad::tape_grad(forwards))(2.0) == 12);
    const auto root = [](auto a) {
        const auto z = dyad::implicit_root([](auto x, auto s) { return std::array{x[0] * x[0] - s, x[0] * x[1] - 1}; },
                                           [](auto s) { return std::array{sqrt(s), 1 / sqrt(s)}; })(a);
        return z[0] * z[1] * z[0];
    };
    CHECK(dyad::tape_grad(dyad::tape_grad(root))(4.0) == doctest::Approx(-1.0 / 32));
    const auto limit = [](auto a) { return dyad::fixed_point([](auto z, auto s) { return std::array{(z[0] + s / z[0]) / 2, 1 / z[0]}; }, std::array{1.0, 1.0})(a)[0]; };
    CHECK(dyad::tape_grad(dyad::tape_grad(limit))(4.0) == doctest::Approx(-1.0 / 32));
}

TEST_CASE("conditions and numbers stand for each other") {
    const auto step = [](auto x) { return (x > 2) * x * x + x * (x > 1); };
    CHECK(dyad::tape_grad(step)(3.0) == dyad::grad(step)(3.0));
    CHECK(dyad::tape_grad(step)(1.5) == dyad::grad(step)(1.5));
    const auto chosen = [](auto c, auto x) { return dyad::where(c, x, 2 * x); };
    for (const double c : {0.0, 2.0}) {
        CHECK(dyad::tape_grad<1>(chosen)(c, 3.0) == dyad::grad<1>(chosen)(c, 3.0));
        CHECK(chosen(c, 3.0) == dyad::value_and_grad<1>(chosen)(c, 3.0).first);
    }
    CHECK(dyad::where(2, 1.0, -1.0) == 1);
    const auto x = dyad::dual<double, 1>::variable(3.0);
    CHECK(dyad::dual<double, 1>((x > 2) * x * x).tangent() == 6);
}

TEST_CASE("what a scan keeps of recorded numbers is a vector where the elements are one") {
    const auto run = [](auto x, auto xs) {
        auto [last, kept] = dyad::scan([](auto s, auto e) { return std::tuple{s * e, s + e}; }, x, xs);
        auto total = last;
        for (std::size_t k = 0; k < 3; ++k) total = total + kept[k] * kept[k];
        return total;
    };
    const double slope = dyad::grad<0>(run)(1.5, std::array{1.0, 2.0, 3.0});
    CHECK(dyad::tape_grad<0>(run)(1.5, std::vector<double>{1, 2, 3}) == doctest::Approx(slope));
    dyad::tape tape{dyad::persistent};
    const dyad::real x = tape.variable(1.5);
    const auto [last, kept] = dyad::scan([](auto s, auto e) { return std::tuple{s * e, s + e}; }, x, std::vector<double>{1, 2, 3});
    CHECK(tape.gradient(last, x) == 6);
    CHECK(tape.gradient(kept[2], x) == 2);
}
template <class A, class B>
struct moving {
    A place;
    B speed;
};
TEST_CASE("arrays and aggregates of numbers go round as what they become") {
    const auto powers = [](auto x) { return dyad::fori_loop(3, [&](auto, auto s) { return std::array{s[0] * x, s[1] + x}; }, std::array{1.0, 0.0}); };
    CHECK(dyad::tape_grad([=](auto x) { return powers(x)[0] + powers(x)[1]; })(2.0) == 15);
    CHECK(dyad::grad([=](auto x) { return powers(x)[0] + powers(x)[1]; })(2.0) == 15);
    const auto fall = [](auto x) {
        const auto end = dyad::fori_loop(2, [&](auto, auto s) {
            return moving<decltype(s.place + s.speed * 1.0), decltype(s.speed - x * 1.0)>{s.place + s.speed * 1.0, s.speed - x * 1.0};
        }, moving<double, double>{1.0, 0.5});
        return end.place;
    };
    CHECK(fall(9.0) == 1 + 0.5 + (0.5 - 9));
    CHECK(dyad::grad(fall)(9.0) == -1);
    CHECK(dyad::tape_grad(fall)(9.0) == -1);
}
