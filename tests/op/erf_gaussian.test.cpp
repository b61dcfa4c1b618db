// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// erf with the exponential of its derivative: what a gradient of erf runs, against the C library's long double erf,
// which has 64 bits, and at the edges.

#include "worse.hpp"

#include <dyad/core.hpp>

#include <doctest/doctest.h>
#include <xsimd/xsimd.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

namespace {

using limits = std::numeric_limits<double>;

template <class T>
struct both {
    T error_function, gaussian;
};
template <class T>
constexpr both<T> of(T x) {
    both<T> result{};
    dyad::math::erf_gaussian(x, result.error_function, result.gaussian);
    return result;
}

/// |got - want| in units of the last place of want.
template <class T>
double ulps(T got, long double want) {
    const T rounded = static_cast<T>(want);
    const T size = std::abs(rounded), next = std::nextafter(size, std::numeric_limits<T>::infinity());
    return static_cast<double>(std::abs(static_cast<long double>(got) - want) / static_cast<long double>(next - size));
}

// In constant evaluation too.
static_assert(of(0.0).error_function == 0 && of(0.0).gaussian == 1);
static_assert(of(7.0).error_function == 1 && of(-7.0).error_function == -1);
static_assert(of(0.5).error_function > 0.52049987 && of(0.5).error_function < 0.52049988);

// It is what the gradient runs, and the strict policy does not.
constexpr auto f = [](auto x) { return dyad::erf(x); };
template <dyad::policy P>
constexpr int joint() {
    using source = dyad::traced_program<std::remove_const_t<decltype(f)>, P, double>;
    const dyad::graph g = dyad::lower(dyad::differentiate(source::graph, dyad::transform::value_and_gradient, {0}, P), P);
    int n = 0;
    for (const dyad::node& each : g.nodes) n += each.op == dyad::opcode::erf_gaussian ? 1 : 0;
    return n;
}
static_assert(joint<dyad::policy::fast>() == 1 && joint<dyad::policy::strict>() == 0);

} // namespace

TEST_CASE_TEMPLATE("erf by fractions is right to a few units in the last place", T, float, double) {
    double worst = 0;
    for (int i = -70000; i <= 70000; ++i) {
        const T x = static_cast<T>(i) * T(1e-4);
        const double off = ulps(of(x).error_function, std::erf(static_cast<long double>(x)));
        worst = dyad_test::worse(worst, off);
    }
    CHECK(worst <= (std::is_same_v<T, float> ? 6 : 5));
    MESSAGE("off by at most ", worst);
}

TEST_CASE("small, large and special arguments") {
    for (const double x : {1e-300, 1e-160, 1e-20, 1e-8}) {
        CHECK(ulps(of(x).error_function, std::erf(static_cast<long double>(x))) <= 2);
        CHECK(of(-x).error_function == -of(x).error_function);
    }
    CHECK(of(limits::infinity()).error_function == 1);
    CHECK(of(-limits::infinity()).error_function == -1);
    CHECK(of(limits::infinity()).gaussian == 0);
    CHECK(of(1e300).error_function == 1);
    CHECK(std::isnan(of(limits::quiet_NaN()).error_function));
    CHECK(std::isnan(of(limits::quiet_NaN()).gaussian));
    CHECK(std::signbit(of(-0.0).error_function));
    for (const double x : {std::nextafter(2.0, 0.0), 2.0, std::nextafter(6.0, 0.0), 6.0})
        CHECK(ulps(of(x).error_function, std::erf(static_cast<long double>(x))) <= 2);
}

TEST_CASE("long double keeps its digits") {
    const long double x = 0.7L;
    CHECK(of(x).error_function == std::erf(x));
}

TEST_CASE_TEMPLATE("the lanes of a vector are its numbers", T, float, double) {
    using batch = xsimd::batch<T>;
    std::array<T, batch::size> in{};
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = T(-3.1) + T(0.83) * static_cast<T>(i);
    in[0] = -T(0);
    const auto got = of(batch::load_unaligned(in.data()));
    for (std::size_t i = 0; i < in.size(); ++i) {
        const long double x = static_cast<long double>(in[i]);
        CHECK(ulps(got.error_function.get(i), std::erf(x)) <= 6);
        CHECK(std::abs(got.gaussian.get(i) - static_cast<T>(std::exp(-x * x))) <= 16 * std::numeric_limits<T>::epsilon());
    }
}
