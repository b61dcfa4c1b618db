// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The adjoints of a sweep: one row of `Lanes` numbers for each statement. What nothing has reached is -0, which leaves every
// summand as it is, while what is added is never -0: so no flag is needed. What no target depends on is skipped whatever its
// partial derivatives are, while an adjoint that happens to be 0 is not (but where the compiler may forget the sign of zeros,
// as with -ffast-math). Adjoints that are active numbers themselves have a
// flag each.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <dyad/base/config.hpp>
#include <dyad/tape/arena.hpp>

namespace dyad {

/// Which adjoints anything has reached, where they cannot tell it themselves.
template <bool Needed>
struct adjoint_flags {
    char* flags_ = nullptr;
};
template <>
struct adjoint_flags<false> {};

/// Rows of adjoints of the statements 1 to `count` (and a row 0, of no statement), in memory that someone else owns. Two words
/// where no flags are needed, so that it travels in registers.
template <class T, int Lanes>
class adjoint_view : adjoint_flags<!std::is_floating_point_v<T>> {
public:
    [[nodiscard]] DYAD_INLINE std::uint32_t count() const { return count_; }
    /// Whether anything has reached lane l of a statement.
    [[nodiscard]] DYAD_INLINE bool reached(std::uint32_t statement, int l = 0) const {
        if constexpr (signed_zeros) {
            return is_reached(value(statement, l));
        } else {
            return this->flags_[place(statement, l)] != 0;
        }
    }
    [[nodiscard]] DYAD_INLINE const T& value(std::uint32_t statement, int l = 0) const { return values_[place(statement, l)]; }
    DYAD_INLINE void add(std::uint32_t statement, int l, const T& x) const {
        if constexpr (signed_zeros) {
            add_adjoint(statement, l, x + T(0));
        } else {
            add_adjoint(statement, l, x);
        }
    }
    /// The same of what cannot be -0, as an adjoint that was reached: from sum to sum, the longest chain of a sweep, there is
    /// one addition less to wait for.
    DYAD_INLINE void add_adjoint(std::uint32_t statement, int l, const T& x) const {
        const std::size_t at = place(statement, l);
        if constexpr (signed_zeros) {
            values_[at] += x;
        } else {
            values_[at] = this->flags_[at] != 0 ? T(values_[at] + x) : x;
            this->flags_[at] = 1;
        }
    }
    /// The adjoint of a statement; 0 if it has none or nothing has reached it.
    [[nodiscard]] T value_or_zero(std::uint32_t statement, int l = 0) const {
        return statement != 0 && statement <= count_ && reached(statement, l) ? value(statement, l) : T(0);
    }

protected:
    static constexpr bool signed_zeros = std::is_floating_point_v<T>;
    adjoint_view(std::uint32_t count, T* values) : values_(values), count_(count) {}
    adjoint_view(std::uint32_t count, T* values, char* flags) : adjoint_flags<true>{flags}, values_(values), count_(count) {}

private:
    DYAD_INLINE static bool is_reached(const T& x) {
        if constexpr (sizeof(T) == sizeof(std::uint64_t)) {
            return std::bit_cast<std::uint64_t>(x) != std::uint64_t{1} << 63;
        } else if constexpr (sizeof(T) == sizeof(std::uint32_t)) {
            return std::bit_cast<std::uint32_t>(x) != std::uint32_t{1} << 31;
        } else {
            return x != 0 || !std::signbit(x);
        }
    }
    DYAD_INLINE static std::size_t place(std::uint32_t statement, int l) {
        return std::size_t{statement} * Lanes + static_cast<std::size_t>(l);
    }
    T* values_;
    std::uint32_t count_;
};

/// Memory for `numbers` adjoints that nothing has reached.
template <class T>
struct adjoint_memory {
    std::vector<T> values;
    std::vector<char> flags;
    explicit adjoint_memory(std::size_t numbers) : values(numbers, T(0)), flags(numbers) {}
};
template <class T>
    requires std::is_floating_point_v<T>
struct adjoint_memory<T> {
    tape_buffer values;
    explicit adjoint_memory(std::size_t numbers) : values(numbers * sizeof(T)) {
        std::fill_n(reinterpret_cast<T*>(values.data()), numbers, T(-0.0));
    }
};

/// The rows with their memory.
template <class T, int Lanes = 1>
class adjoint_rows : adjoint_memory<T>, public adjoint_view<T, Lanes> {
    using memory = adjoint_memory<T>;
    using view = adjoint_view<T, Lanes>;

public:
    explicit adjoint_rows(std::uint32_t count)
        requires std::is_floating_point_v<T>
        : memory((std::size_t{count} + 1) * Lanes), view(count, reinterpret_cast<T*>(memory::values.data())) {}
    explicit adjoint_rows(std::uint32_t count)
        : memory((std::size_t{count} + 1) * Lanes), view(count, memory::values.data(), memory::flags.data()) {}
    adjoint_rows(const adjoint_rows&) = delete;
    adjoint_rows& operator=(const adjoint_rows&) = delete;
};

} // namespace dyad
