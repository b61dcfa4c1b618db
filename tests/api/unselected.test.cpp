// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What a `where` does not select, or no result of a loop needs, contributes exactly nothing, also where a loop, a branch, a rule or a
// checkpoint made it. (docs/conventions.md, "Two kinds of zero".)
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <tuple>

#include <dyad/core.hpp>

namespace {

constexpr auto body = [](auto s, auto y) { return dyad::log(s) * y + dyad::sqrt(s); };

constexpr auto plain = [](auto x, auto y) { return body(x, y); };
constexpr auto branch = [](auto x, auto y) { return dyad::cond(y > 0, [&](auto s) { return body(s, y); }, [](auto s) { return s; }, x); };
constexpr auto counted = [](auto x, auto y) { return dyad::fori_loop(1, [&](auto, auto s) { return body(s, y); }, x); };
constexpr auto sparse = [](auto x, auto y) { return dyad::fori_loop(4, [&](auto, auto s) { return body(s, y) + 1; }, x, dyad::store_every<2>); };
constexpr auto repeated = [](auto x, auto y) { return dyad::while_loop([](auto s) { return s < 0.5; }, [&](auto s) { return body(s, y) + 1; }, x); };
constexpr auto kept = [](auto x, auto y) { return dyad::checkpoint(body)(x, y); };
constexpr auto ruled = [](auto x, auto y) {
    return dyad::custom_gradient(body, [](auto s, auto t, auto, auto up) { return std::tuple{up * (t / s + 0.5 / dyad::sqrt(s)), up * dyad::log(s)}; })(x, y);
};
constexpr auto stacked = [](auto x, auto y) { // a history
    const auto all = dyad::scan([&](auto s, auto e) { return std::pair{s, body(s, y) * e}; }, x, std::array{1.0, 2.0}).second;
    return all[0] + all[1];
};

template <class Make>
void check(const char* name, Make make) {
    CAPTURE(name);
    const auto f = [=](auto x, auto y) { return dyad::where(x > 0, make(x, y), 2 * y) * 3; };
    const auto steep = [=](auto x, auto y) { return dyad::where(x > 0, make(x, y), 2 * y * y) * 3; };
    for (const double x : {0.0, -1.0}) {
        CAPTURE(x);
        CHECK(dyad::grad(f)(x, 1.5) == std::tuple{0.0, 6.0});
        CHECK(dyad::grad(dyad::strict(f))(x, 1.5) == std::tuple{0.0, 6.0});
        CHECK(dyad::vjp(f)(x, 1.5).second(-2.0) == std::tuple{0.0, -12.0});
        CHECK(dyad::jvp(f)(std::tuple{x, 1.5}, std::tuple{5.0, 1.0}).second == 6.0);
        const auto both = dyad::jacobian([=](auto a, auto b) { return std::array{f(a, b), a * b}; })(x, 1.5);
        CHECK(both[0][0] == 0);
        CHECK(both[0][1] == 6);
        const auto second = dyad::hessian(steep)(x, 1.5);
        CHECK(second[0][0] == 0);
        CHECK(second[0][1] == 0);
        CHECK(second[1][0] == 0);
        CHECK(second[1][1] == 12);
        CHECK(dyad::grad([=](auto y) { return dyad::grad<1>(steep)(0 * y, y); })(1.5) == 12);
    }
    const double h = 1e-6;
    CHECK(std::get<0>(dyad::grad(f)(0.7, 1.5)) == doctest::Approx((f(0.7 + h, 1.5) - f(0.7 - h, 1.5)) / (2 * h)).epsilon(1e-7));
}

} // namespace

TEST_CASE("a side that is not selected, whoever made it") {
    check("plain", plain);
    check("branch", branch);
    check("counted", counted);
    check("sparse", sparse);
    check("repeated", repeated);
    check("kept", kept);
    check("ruled", ruled);
    check("stacked", stacked);
}
TEST_CASE("one result of a loop that is selected, beside one that is not") {
    const auto f = [](auto x, auto y) {
        const auto [a, b] = dyad::fori_loop(1, [](auto, auto s) { return std::tuple{dyad::sqrt(std::get<0>(s)), std::get<1>(s) * std::get<1>(s)}; }, std::tuple{x, y});
        return dyad::where(x > 0, a, 0.0) + dyad::where(y > 0, b, 0.0);
    };
    CHECK(dyad::grad(f)(4.0, 3.0) == std::tuple{0.25, 6.0});
    CHECK(dyad::grad(f)(4.0, -3.0) == std::tuple{0.25, 0.0});
    CHECK(dyad::grad(f)(0.0, -3.0) == std::tuple{0.0, 0.0});
}
TEST_CASE("what goes round and no result needs, under every policy") {
    const auto f = [](auto x, auto y, auto n) {
        return std::get<0>(dyad::fori_loop(n, [](auto, auto s) { return std::tuple{2 * std::get<0>(s), dyad::sqrt(std::get<1>(s))}; }, std::tuple{x, y}));
    };
    const auto swapped = [](auto x, auto y) { // c and d need each other, a needs neither
        return std::get<0>(dyad::fori_loop(3, [](auto, auto s) {
            const auto [a, c, d] = s;
            return std::tuple{2 * a, dyad::sqrt(d), dyad::log(c)};
        }, std::tuple{x, y, y}));
    };
    for (const int n : {0, 1, 2, 5}) {
        const double scale = std::ldexp(1.0, n);
        CHECK(dyad::grad<0, 1>(f)(1.0, 0.0, n) == std::tuple{scale, 0.0});
        CHECK(dyad::grad<0, 1>(dyad::strict(f))(1.0, 0.0, n) == std::tuple{scale, 0.0});
        CHECK(dyad::grad<0, 1>(dyad::verbatim(f))(1.0, 0.0, n) == std::tuple{scale, 0.0});
        CHECK(dyad::vjp<0, 1>(dyad::strict(f))(1.0, 0.0, n).second(3.0) == std::tuple{3 * scale, 0.0});
    }
    CHECK(dyad::grad(swapped)(1.0, 0.0) == std::tuple{8.0, 0.0});
    CHECK(dyad::grad(dyad::strict(swapped))(1.0, 0.0) == std::tuple{8.0, 0.0});
    CHECK(dyad::hessian(dyad::strict(swapped))(1.0, 0.0)[1][1] == 0);
}
