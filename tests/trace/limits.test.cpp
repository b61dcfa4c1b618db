// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// std::numeric_limits of traced values and expressions: a generic body that asks for them computes what it does for plain numbers.
// And constants of long double at the limits of double.

#include <dyad/core.hpp>

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <type_traits>
#include <utility>

namespace {

template <class T>
using limits = std::numeric_limits<std::remove_cvref_t<T>>;

constexpr auto safe_ratio = [](auto x, auto y) { return x / (y + limits<decltype(x)>::epsilon()); };
constexpr auto largest = [](const auto& x) {
    auto m = limits<decltype(x[0])>::lowest();
    for (const auto& part : x) m = dyad::max(m, part);
    return m;
};
constexpr auto smallest = [](auto x, auto y) {
    auto m = limits<decltype(x)>::infinity();
    m = dyad::min(m, x);
    return dyad::min(m, y);
};
constexpr auto held = [](auto x) { return dyad::min(x, limits<decltype(x)>::max()); };

// --- plain = traced, in constant evaluation ---

static_assert(dyad::value_and_grad(safe_ratio)(1.0, 0.0).first == safe_ratio(1.0, 0.0));
static_assert(dyad::value_and_grad(largest)(std::array{-3.0, -2.0}).first == -2.0);
static_assert(dyad::grad(largest)(std::array{-3.0, -2.0}) == std::array{0.0, 1.0});
static_assert(dyad::value_and_grad(smallest)(4.0, 3.0).first == 3.0);
static_assert(dyad::grad(held)(2.0) == 1.0);

static_assert(std::numeric_limits<dyad::tracer>::is_specialized);
static_assert(std::numeric_limits<const dyad::tracer>::is_specialized);
static_assert(std::numeric_limits<dyad::tracer>::digits == 53);
static_assert(std::numeric_limits<dyad::tracer>::denorm_min().is_literal(std::numeric_limits<double>::denorm_min()));
static_assert(std::numeric_limits<dyad::tracer>::min().is_literal(std::numeric_limits<double>::min()));
static_assert(std::numeric_limits<dyad::tracer>::round_error().is_literal(0.5));

// --- an expression has those of its number type ---

using wide = decltype(dyad::var<"x">(1.0) * 2.0);
using narrow = decltype(dyad::var<"x", float>(1.0F) * dyad::var<"y", float>(1.0F));
static_assert(std::numeric_limits<wide>::max() == std::numeric_limits<double>::max());
static_assert(std::numeric_limits<narrow>::epsilon() == std::numeric_limits<float>::epsilon());
static_assert(std::numeric_limits<dyad::var<"x", float>>::lowest() == std::numeric_limits<float>::lowest());

TEST_CASE("limits in a function with a captured number are those of its numbers") {
    const double k = 3;
    const auto f = [k](auto x) { return k * x + k * limits<decltype(x)>::epsilon(); };
    CHECK(dyad::value_and_grad(f)(0.0).first == 3 * std::numeric_limits<double>::epsilon());
    CHECK(dyad::grad(f)(2.0) == 3.0);
}

TEST_CASE("a limit that is NaN is one in the trace as well") {
    const auto f = [](auto x, auto y) { return where(x > 0, y, limits<decltype(x)>::quiet_NaN()); };
    CHECK(dyad::value_and_grad(f)(1.0, 2.0).first == 2.0);
    CHECK(dyad::value_and_grad(f)(-1.0, 2.0).first != dyad::value_and_grad(f)(-1.0, 2.0).first);
}

TEST_CASE("constants of long double: infinite, as large as a double's, and by folding larger") {
    constexpr long double inf = std::numeric_limits<long double>::infinity();
    const auto masked = [](auto x) { return dyad::where(x > 0, x, -std::numeric_limits<long double>::infinity()); };
    CHECK(dyad::value_and_grad(masked)(-1.0L).first == -inf);
    CHECK(dyad::value_and_grad(masked)(2.0L) == std::pair{2.0L, 1.0L});
    const auto scaled = [](auto x) { return x * 1.5e300L * 1e200L + x * 1e-200L * 1e-150L + (x * 1e-307L - 0.999e-307L * x); };
    CHECK(double(dyad::grad(scaled)(1.0L) / scaled(1.0L)) == doctest::Approx(1).epsilon(1e-15));
    CHECK_THROWS_AS(dyad::exact(1e400L), dyad::value_error);
    CHECK_THROWS_AS(dyad::exact(-1e-400L), dyad::value_error);
    CHECK_THROWS_AS(dyad::exact(1e-320L), dyad::value_error);
    CHECK(dyad::grad([](auto x) { return x * static_cast<long double>(std::numeric_limits<double>::denorm_min()); })(1.0L) == static_cast<long double>(std::numeric_limits<double>::denorm_min()));
    CHECK(dyad::exact(-inf).high == -std::numeric_limits<double>::infinity());
    CHECK(dyad::exact(1e-300L / 3).as<long double>() == 1e-300L / 3);
}

} // namespace
