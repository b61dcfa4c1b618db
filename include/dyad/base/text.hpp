// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Text built in constant evaluation: what the printers return. Compares with string literals, streams,
// and converts to std::string_view.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string_view>

#include <dyad/base/list.hpp>

namespace dyad {

/// A growing string of characters.
class text {
public:
    constexpr text() = default;
    constexpr explicit(false) text(std::string_view characters) { *this += characters; }

    constexpr text& operator+=(std::string_view characters) {
        for (const char c : characters) characters_.push_back(c);
        return *this;
    }
    constexpr text& operator+=(const text& other) { return *this += other.view(); }

    /// Appends an integer in decimal digits.
    constexpr text& append(std::int64_t value) {
        if (value < 0) characters_.push_back('-');
        auto rest = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
        char digits[20] = {};
        int count = 0;
        do {
            digits[count++] = static_cast<char>('0' + rest % 10);
            rest /= 10;
        } while (rest != 0);
        while (count > 0) characters_.push_back(digits[--count]);
        return *this;
    }

    [[nodiscard]] constexpr std::size_t size() const { return characters_.size(); }
    [[nodiscard]] constexpr std::string_view view() const {
        return {characters_.data(), characters_.size()};
    }
    [[nodiscard]] constexpr explicit(false) operator std::string_view() const { return view(); }
    /// The same with a zero behind it, as errors take it: they make a string of their own, which would cost every program that
    /// includes the core the instantiation of std::string's constructors.
    [[nodiscard]] constexpr const char* c_str() {
        characters_.push_back(0);
        characters_.pop_back();
        return characters_.data();
    }

    friend constexpr bool operator==(const text& a, const text& b) { return a.view() == b.view(); }
    friend constexpr bool operator==(const text& a, std::string_view b) { return a.view() == b; }
    template <class Traits>
    friend auto& operator<<(std::basic_ostream<char, Traits>& out, const text& t) {
        return out << t.view();
    }

private:
    list<char> characters_;
};

} // namespace dyad
