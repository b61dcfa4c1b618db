// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// std::numeric_limits of traced values and expressions: a generic body that asks for them computes what it does for plain numbers.

#include <dyad/core.hpp>

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <type_traits>

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

} // namespace
