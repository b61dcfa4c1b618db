// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Closures that hold nothing, though they name a capture default or capture others that hold nothing, are functions like those
// without a capture; one byte of a value makes a difference.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <dyad/core.hpp>

namespace {

enum class side : unsigned char { buy, sell };
struct without_default { // no state, and no default constructor
    constexpr explicit without_default(int) {}
    constexpr auto operator()(auto x) const { return x * x * x; }
};
template <class F>
constexpr bool is_stateless(const F&) {
    return dyad::stateless<F>;
}

} // namespace

TEST_CASE("a capture default that captures nothing") {
    const auto by_value = [=](auto p) { return p[0] * p[1]; };
    const auto by_reference = [&](auto x) {
        for (int i = 0; i < 3; ++i) x = x * x;
        return x;
    };
    static_assert(is_stateless(by_value) && is_stateless(by_reference));
    CHECK(dyad::grad(by_value)(std::array{2.0, 3.0}) == std::array{3.0, 2.0});
    CHECK(dyad::grad(by_reference)(1.0) == 8);
    static_assert(dyad::grad([=](auto x) { return x * x * x; })(2.0) == 12.0);
    const auto nested = [=](auto s) { return dyad::grad([](auto a) { return a * a * a; })(s); };
    CHECK(dyad::grad(nested)(2.0) == 12);
    static_assert(is_stateless(dyad::grad(by_value)));
}
TEST_CASE("helpers of helpers") {
    const auto square_of = [](auto x) { return x * x; };
    const auto cube_of = [](auto x) { return x * x * x; };
    const auto both = [square_of, cube_of](auto p) { return square_of(p[0]) * cube_of(p[1]); };
    const auto deep = [both, square_of](auto p) { return square_of(both(p)); };
    static_assert(is_stateless(both) && is_stateless(deep) && is_stateless(without_default(1)));
    CHECK(dyad::grad(both)(std::array{2.0, 3.0}) == std::array{108.0, 108.0});
    CHECK(dyad::grad(deep)(std::array{1.0, 1.0}) == std::array{4.0, 6.0});
    CHECK(dyad::hessian(both)(std::array{2.0, 3.0})[0][0] == 54);
    CHECK(dyad::grad(without_default(1))(2.0) == 12);
    const auto ruled = dyad::custom_gradient([](auto x) { return x * x; }, [](auto x, auto, auto up) { return 5 * x * up; });
    CHECK(dyad::grad([ruled](auto p) { return ruled(p[0]) * p[1]; })(std::array{2.0, 3.0}) == std::array{30.0, 4.0});
    const auto looped = [square_of](auto x, auto n) { return dyad::fori_loop(n, [&](auto, auto s) { return square_of(s); }, x); };
    CHECK(dyad::grad<0>(looped)(1.0, 3) == 8);
}
TEST_CASE("what holds a value is told apart") {
    const bool flag = true;
    const char letter = 'a';
    const unsigned char byte = 3;
    const std::byte raw{};
    const side s = side::sell;
    const int number = 4;
    const double real = 2.5;
    const auto square_of = [](auto x) { return x * x; };
    CHECK(!is_stateless([flag](auto x) { return flag ? x : -x; }));
    CHECK(!is_stateless([letter](auto x) { return x * (letter == 'a' ? 1 : 2); }));
    CHECK(!is_stateless([byte](auto x) { return x * byte; }));
    CHECK(!is_stateless([raw](auto x) { return x * std::to_integer<int>(raw); }));
    CHECK(!is_stateless([s](auto x) { return s == side::buy ? x : -x; }));
    CHECK(!is_stateless([number](auto x) { return x * number; }));
    CHECK(!is_stateless([real](auto x) { return x * real; }));
    CHECK(!is_stateless([&real](auto x) { return x * real; }));
    CHECK(!is_stateless([p = &real](auto x) { return x * *p; }));
    CHECK(!is_stateless([square_of, flag](auto x) { return flag ? square_of(x) : x; }));
    CHECK(dyad::grad([square_of, real](auto x) { return square_of(x) * real; })(3.0) == 15);
    CHECK(dyad::grad([byte](auto x) { return x * byte; })(3.0) == 3);
    const auto scaled = dyad::grad([real](auto x) { return x * real; });
    CHECK(!is_stateless(scaled));
    CHECK(scaled(1.0) == 2.5);
}
TEST_CASE("a closure that went into a pair is the same function: g++ answers otherwise then whether it is trivially copyable") {
    const auto defaulted = [=](auto p) { return p[0] * p[1]; };
    static_cast<void>(std::make_pair(defaulted, 1.0));
    static_assert(is_stateless(defaulted));
    CHECK(dyad::grad(defaulted)(std::array{1.1, 0.5}) == std::array{0.5, 1.1});

    const auto cube_of = [](auto x) { return x * x * x; };
    const auto looped = [cube_of](auto p) { return dyad::fori_loop(2, [&](auto, auto s) { return cube_of(s) + p[1]; }, p[0]); };
    const auto pull = dyad::vjp(looped)(std::array{1.1, 0.5}).second; // a pair that holds the function
    static_assert(std::is_default_constructible_v<decltype(pull)> && std::is_copy_assignable_v<std::remove_const_t<decltype(pull)>>);
    const double slope = pull(1.0)[0];
    CHECK(slope == doctest::Approx(9 * 1.1 * 1.1 * std::pow(1.331 + 0.5, 2)));
    CHECK(dyad::grad(looped)(std::array{1.1, 0.5})[0] == slope);
    CHECK(dyad::grad(dyad::strict(looped))(std::array{1.1, 0.5})[0] == slope);
    static_cast<void>(std::make_pair(looped, 1.0)); // once asked, the answer stays
    CHECK(dyad::jvp(dyad::grad(looped))(std::array{1.1, 0.5}, std::array{1.0, 0.0}).second[0] == doctest::Approx(dyad::hvp(looped)(std::array{1.1, 0.5}, std::array{1.0, 0.0})[0]));
}
