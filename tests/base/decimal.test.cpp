// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// The shortest decimal text of a double: in constant evaluation by literal, at run time against
// std::to_chars (the same digits) and std::strtod (the same double back), at the borders where such
// algorithms go wrong: powers of two, whose lower neighbour is nearer, subnormals, ties.

#include <dyad/base/decimal.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

namespace {

constexpr dyad::text decimal(double value) {
    dyad::text t;
    dyad::append_decimal(t, value);
    return t;
}

using limits = std::numeric_limits<double>;

static_assert(decimal(0) == "0");
static_assert(decimal(-0.0) == "-0");
static_assert(decimal(1) == "1");
static_assert(decimal(2) == "2");
static_assert(decimal(-0.5) == "-0.5");
static_assert(decimal(10) == "10");
static_assert(decimal(1234.5) == "1234.5");
static_assert(decimal(0.1) == "0.1");
static_assert(decimal(0.1 + 0.2) == "0.30000000000000004");
static_assert(decimal(1.0 / 3) == "0.3333333333333333");
static_assert(decimal(2.0 / 3) == "0.6666666666666666");
static_assert(decimal(3.141592653589793) == "3.141592653589793");
static_assert(decimal(2.718281828459045) == "2.718281828459045");

// Whole numbers are written out up to 17 digits, and fractions down to 1e-5.
static_assert(decimal(9007199254740992) == "9007199254740992");
static_assert(decimal(1e16) == "10000000000000000");
static_assert(decimal(1e17) == "1e17");
static_assert(decimal(123456789012345680) == "1.2345678901234568e17");
static_assert(decimal(1e23) == "1e23");
static_assert(decimal(1e300) == "1e300");
static_assert(decimal(0.00001) == "0.00001");
static_assert(decimal(0.000012) == "0.000012");
static_assert(decimal(0.000001) == "1e-6");
static_assert(decimal(1.5e-18) == "1.5e-18");
static_assert(decimal(1e-18) == "1e-18");

// The ends of the range, and what is no number.
static_assert(decimal(limits::max()) == "1.7976931348623157e308");
static_assert(decimal(limits::min()) == "2.2250738585072014e-308");
static_assert(decimal(limits::denorm_min()) == "5e-324");
static_assert(decimal(-limits::denorm_min()) == "-5e-324");
static_assert(decimal(limits::infinity()) == "inf");
static_assert(decimal(-limits::infinity()) == "-inf");
static_assert(decimal(limits::quiet_NaN()) == "nan");

// A power of two is twice as near to its lower neighbour as to the upper one.
static_assert(decimal(0x1p-1022) == "2.2250738585072014e-308");
static_assert(decimal(0x1p-44) == "5.684341886080802e-14");
static_assert(decimal(0x1p89) == "6.189700196426902e26");

/// The digits of std::to_chars, without point and exponent, and its power of ten.
struct reference_digits {
    std::string digits;
    int exponent = 0;
};

reference_digits reference(double positive) {
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + 64, positive, std::chars_format::scientific);
    const std::string whole(buffer, end.ptr);
    const std::size_t e = whole.find('e');
    reference_digits result;
    for (const char c : whole.substr(0, e)) {
        if (c != '.') result.digits += c;
    }
    result.exponent = std::atoi(whole.c_str() + e + 1);
    return result;
}

/// Whether the number lies exactly between two decimals of `count` digits: either may be written.
bool between(double positive, std::size_t count) {
    char all[800];
    std::snprintf(all, sizeof all, "%.770e", positive); // every digit that a double can have
    std::string digits(all, 772);
    digits.erase(1, 1);
    return digits[count] == '5' && digits.find_first_not_of('0', count + 1) == std::string::npos;
}

void agrees(double positive) {
    const dyad::decimal_digits got = dyad::shortest_digits(positive);
    const reference_digits want = reference(positive);
    const std::string digits(got.digits, static_cast<std::size_t>(got.count));
    CHECK_MESSAGE(digits.size() == want.digits.size(), "digits of ", want.digits, "e", want.exponent);
    if (!between(positive, digits.size()))
        CHECK_MESSAGE(digits == want.digits, "digits of ", want.digits, "e", want.exponent);
    CHECK_MESSAGE(got.exponent == want.exponent, "exponent of ", want.digits, "e", want.exponent);
    const std::string written(decimal(positive).view());
    const double back = std::strtod(written.c_str(), nullptr);
    CHECK_MESSAGE(std::bit_cast<std::uint64_t>(back) == std::bit_cast<std::uint64_t>(positive),
                  written, " reads back as another number than ", want.digits, "e", want.exponent);
}

} // namespace

TEST_CASE("every power of two is written with the digits of std::to_chars") {
    for (int n = -1074; n <= 1023; ++n) agrees(std::ldexp(1.0, n));
}

TEST_CASE("the neighbours of every power of two are written with the digits of std::to_chars") {
    for (int n = -1070; n <= 1023; ++n) {
        agrees(std::nextafter(std::ldexp(1.0, n), 0.0));
        agrees(std::nextafter(std::ldexp(1.0, n), limits::infinity()));
    }
}

TEST_CASE("every power of ten is written as one digit") {
    for (int n = -323; n <= 308; ++n) {
        const double value = std::strtod(("1e" + std::to_string(n)).c_str(), nullptr);
        agrees(value);
        CHECK(dyad::shortest_digits(value).count == 1);
        CHECK(dyad::shortest_digits(value).exponent == n);
    }
}

TEST_CASE("random doubles of all sizes are written with the digits of std::to_chars") {
    std::uint64_t state = 1;
    for (int i = 0; i < 5000; ++i) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        const double value = std::bit_cast<double>((state ^ state >> 31) & ~(std::uint64_t{1} << 63));
        if (value - value == 0 && value != 0) agrees(value);
    }
}

TEST_CASE("short decimal fractions come back as they were typed") {
    for (int i = 1; i < 2000; ++i) {
        const std::string typed = "0." + std::to_string(10000 + i).substr(1);
        const std::string trimmed = typed.substr(0, typed.find_last_not_of('0') + 1);
        CHECK(decimal(std::strtod(typed.c_str(), nullptr)) == trimmed);
    }
}

TEST_CASE("an appended number continues the text before it") {
    dyad::text t("x = ");
    dyad::append_decimal(t, -2.5);
    t += ", ";
    dyad::append_decimal(t, 3);
    CHECK(t == "x = -2.5, 3");
}
