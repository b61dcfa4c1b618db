// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// On a processor that multiplies and adds in one instruction, kernels round x·y + z once, across their statements, unless their
// policy is strict. (A program of its own, compiled with optimisation and such instructions.)
#include <array>

#include <doctest/doctest.h>
#include <xsimd/xsimd.hpp>

#include <dyad/core.hpp>
#include <dyad/kernel/simd.hpp>
#include <dyad/op/erf_gaussian.hpp>
#include <dyad/op/keeping.hpp>
#include <dyad/tape.hpp>

namespace {

/// A value that the compiler does not know.
template <class T>
T unknown(T x) {
    T volatile y = x;
    return y;
}

// x² = 1 + 2⁻²⁹ + 2⁻⁶⁰, whose last part only survives where the product is not rounded.
const double x = unknown(1 + 0x1p-30), z = unknown(-(1 + 0x1p-29));
const float xf = unknown(1 + 0x1p-13F), zf = unknown(-(1 + 0x1p-12F));

/// Its slopes have the sum in them: 2·(a·b + c)·b, 2·(a·b + c)·a, 2·(a·b + c).
constexpr auto square = [](auto a, auto b, auto c) {
    const auto s = a * b + c;
    return s * s;
};
constexpr auto difference = [](auto a, auto b, auto c) { return c - a * b; };

#if defined(DYAD_NO_CONTRACTION)
constexpr double once = 0, as_written = 0;
#elif defined(__clang__)
constexpr double once = 0x1p-60, as_written = 0;
#else
constexpr double once = 0x1p-60, as_written = once; // (g++ goes by -ffp-contract alone)
#endif

TEST_CASE("kernels round a product and a sum once") {
    const auto [value, gradient] = dyad::value_and_grad<0, 1, 2>(square)(x, x, z);
    CHECK(value == once * once);
    CHECK(gradient == std::tuple{2 * once * x, 2 * once * x, 2 * once});
    CHECK(dyad::grad<2>(square)(xf, xf, zf) == static_cast<float>(once * 0x1p35));
    CHECK(dyad::value_and_grad<2>(difference)(x, x, -z).first == -once);
    CHECK(dyad::jvp(square)(std::tuple{x, x, z}, std::tuple{0.0, 0.0, 1.0}).second == 2 * once);
}

TEST_CASE("strict kernels round both") {
    CHECK(dyad::grad<2>(dyad::strict(square))(x, x, z) == 2 * as_written);
    CHECK(dyad::value_and_grad<2>(dyad::strict(difference))(x, x, -z).first == -as_written);
}

TEST_CASE("vectors do as numbers do") {
    using batch = xsimd::batch<double>;
    const batch several = dyad::grad<2>(square)(batch(x), batch(x), batch(z));
    CHECK(several.get(0) == 2 * once);
    CHECK(dyad::grad<2>(dyad::strict(square))(batch(x), batch(x), batch(z)).get(0) == 2 * as_written);

    using fast = dyad::simd::lanes<double, true>;
    using strict = dyad::simd::lanes<double, false>;
    CHECK((fast(x) * fast(x) + fast(z)).sum() == once * static_cast<double>(fast::size));
    CHECK((fast(-z) - fast(x) * fast(x)).sum() == -once * static_cast<double>(fast::size));
    CHECK((strict(x) * strict(x) + strict(z)).sum() == as_written * static_cast<double>(strict::size));
    using single = dyad::simd::lanes<float, true>;
    CHECK((single(xf) * single(xf) + single(zf)).sum() == static_cast<float>(once * 0x1p34) * static_cast<float>(single::size));
}

TEST_CASE("what a loop sums is joined with its kernel's last product") {
    CHECK(dyad::combined<dyad::keeping::sum>(z, dyad::operation<dyad::opcode::mul>::contracted(x, x)) == once);
    CHECK(dyad::combined<dyad::keeping::sum>(z, dyad::operation<dyad::opcode::mul>::value(x, x)) == as_written);
}

TEST_CASE("the tape's statements are kernels") {
    dyad::tape tape;
    const auto a = tape.variable(x), c = tape.variable(z);
    const dyad::active<double> recorded = square(a, a, c);
    CHECK(recorded.value() == once * once);
    CHECK(tape.gradient(recorded, c) == 2 * once);
    using dual = dyad::dual<double, 1>;
    const dual y = dual(x) * dual(x) + dual::variable(z, 0);
    CHECK(y.value() == once);
    CHECK(y.tangent(0) == 1);
}

TEST_CASE("polynomials inside of operations") {
    using batch = xsimd::batch<double>;
    CHECK(dyad::math::multiply_add(x, x, z) == once);
    CHECK(dyad::math::multiply_add(batch(x), batch(x), batch(z)).get(0) == once);
}

TEST_CASE("constants are the same") {
    static_assert(dyad::grad<2>(square)(1 + 0x1p-30, 1 + 0x1p-30, -(1 + 0x1p-29)) == 0);
}

} // namespace
