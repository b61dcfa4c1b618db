// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The shortest decimal text that reads back as the same double, in constant evaluation (std::to_chars is
// not constexpr in C++20). Exact integers of limbs, after Steele and White, "How to print floating-point
// numbers accurately" (PLDI 1990): digits of value come out of numerator / denominator until what is left
// is smaller than half a unit in the last place.
#pragma once

#include <bit>
#include <cstdint>

#include <dyad/base/text.hpp>

namespace dyad {

/// An unsigned integer of up to 1,216 bits: enough for the scaled value of every double.
class wide_integer {
public:
    constexpr explicit wide_integer(std::uint64_t value) {
        for (; value != 0; value >>= 32) limbs_[size_++] = static_cast<std::uint32_t>(value);
    }

    constexpr void multiply(std::uint32_t factor) {
        std::uint64_t carry = 0;
        for (int i = 0; i < size_; ++i) {
            carry += std::uint64_t{limbs_[i]} * factor;
            limbs_[i] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        if (carry != 0) limbs_[size_++] = static_cast<std::uint32_t>(carry);
    }
    constexpr void shift_left(int bits) {
        for (; bits >= 31; bits -= 31) multiply(std::uint32_t{1} << 31);
        multiply(std::uint32_t{1} << bits);
    }
    constexpr void add(const wide_integer& other) {
        std::uint64_t carry = 0;
        const int count = size_ > other.size_ ? size_ : other.size_;
        for (int i = 0; i < count || carry != 0; ++i) {
            carry += std::uint64_t{limbs_[i]} + other.limbs_[i];
            limbs_[i] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
            if (i >= size_) size_ = i + 1;
        }
    }
    /// Needs `other <= *this`.
    constexpr void subtract(const wide_integer& other) {
        std::int64_t borrow = 0;
        for (int i = 0; i < size_; ++i) {
            borrow += std::int64_t{limbs_[i]} - std::int64_t{other.limbs_[i]};
            limbs_[i] = static_cast<std::uint32_t>(borrow);
            borrow >>= 32;
        }
        while (size_ > 0 && limbs_[size_ - 1] == 0) --size_;
    }
    friend constexpr int compare(const wide_integer& a, const wide_integer& b) {
        if (a.size_ != b.size_) return a.size_ < b.size_ ? -1 : 1;
        for (int i = a.size_ - 1; i >= 0; --i) {
            if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] < b.limbs_[i] ? -1 : 1;
        }
        return 0;
    }

private:
    std::uint32_t limbs_[38] = {};
    int size_ = 0;
};

/// The digits of a positive finite double and the power of ten of the first: 1.25e3 is {"125", 3}.
struct decimal_digits {
    char digits[18] = {};
    int count = 0;
    int exponent = 0;
};

constexpr decimal_digits shortest_digits(double positive) {
    const auto bits = std::bit_cast<std::uint64_t>(positive);
    const int biased = static_cast<int>(bits >> 52 & 0x7ff);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
    const std::uint64_t mantissa = biased == 0 ? fraction : fraction | std::uint64_t{1} << 52;
    const int exponent = (biased == 0 ? 1 : biased) - 1075;
    const bool round_even = mantissa % 2 == 0; // ties read back to an even mantissa

    // value = numerator / denominator; up and down are half the distances to the neighbours in the same scale:
    // the lower neighbour of a power of two is nearer.
    const bool power_of_two = fraction == 0 && biased > 1;
    wide_integer numerator{mantissa}, denominator{1}, up{2}, down{power_of_two ? 1U : 2U};
    for (wide_integer* scaled : {&numerator, &up, &down}) scaled->shift_left(exponent > 0 ? exponent : 0);
    numerator.shift_left(2);
    denominator.shift_left(2 + (exponent < 0 ? -exponent : 0));

    decimal_digits result;
    const auto reaches_ten = [&] {
        wide_integer high = numerator;
        high.add(up);
        const int order = compare(high, denominator);
        return round_even ? order >= 0 : order > 0;
    };
    while (reaches_ten()) {
        denominator.multiply(10);
        ++result.exponent;
    }
    for (;;) {
        wide_integer high = numerator;
        high.add(up);
        high.multiply(10);
        const int order = compare(high, denominator);
        if (round_even ? order >= 0 : order > 0) break;
        for (wide_integer* scaled : {&numerator, &up, &down}) scaled->multiply(10);
        --result.exponent;
    }
    --result.exponent; // of the first digit
    for (bool more = true; more;) {
        for (wide_integer* scaled : {&numerator, &up, &down}) scaled->multiply(10);
        int digit = 0;
        for (; compare(numerator, denominator) >= 0; ++digit) numerator.subtract(denominator);
        wide_integer high = numerator;
        high.add(up);
        const int to_low = compare(numerator, down), to_high = compare(high, denominator);
        const bool low = round_even ? to_low <= 0 : to_low < 0;
        const bool above = round_even ? to_high >= 0 : to_high > 0;
        if (low || above) {
            wide_integer twice = numerator;
            twice.multiply(2);
            if (above && (!low || compare(twice, denominator) >= 0)) ++digit;
            more = false;
        }
        result.digits[result.count++] = static_cast<char>('0' + digit);
    }
    return result;
}

/// Appends `value` in the shortest decimal form: 2, -0.5, 1e-18, inf, nan.
constexpr void append_decimal(text& out, double value) {
    if (value != value) {
        out += "nan";
        return;
    }
    if (std::bit_cast<std::uint64_t>(value) >> 63 != 0) {
        out += "-";
        value = -value;
    }
    if (value == 0 || value > 1.7976931348623157e308) {
        out += value == 0 ? "0" : "inf";
        return;
    }
    const decimal_digits d = shortest_digits(value);
    const std::string_view digits{d.digits, static_cast<std::size_t>(d.count)};
    const auto leading = static_cast<std::size_t>(d.exponent + 1); // digits before the point
    if (d.exponent >= 0 && d.exponent < 17) {
        out += digits.substr(0, leading);
        for (int i = d.count; i <= d.exponent; ++i) out += "0";
        if (d.count > d.exponent + 1) (out += ".") += digits.substr(leading);
    } else if (d.exponent < 0 && d.exponent >= -5) {
        out += "0.";
        for (int i = d.exponent + 1; i < 0; ++i) out += "0";
        out += digits;
    } else {
        out += digits.substr(0, 1);
        if (d.count > 1) (out += ".") += digits.substr(1);
        (out += "e").append(d.exponent);
    }
}

} // namespace dyad
