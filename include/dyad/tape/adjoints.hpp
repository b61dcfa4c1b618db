// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The adjoints of a sweep: one row of `Lanes` numbers for each statement, and beside each number whether anything has
// reached it. What no target depends on is skipped whatever its partial derivatives are, while an adjoint that happens to be
// 0 is not. (The flag stands apart so that sums of adjoints, the longest chain of a sweep, wait for no comparison.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <dyad/base/config.hpp>
#include <dyad/tape/arena.hpp>

namespace dyad {

/// Whether anything has reached an adjoint. (A type of its own: what is stored to it changes no pointer.)
enum class reach : std::uint8_t { no, yes };

/// Rows of adjoints of the statements 1 to `count` (and a row 0, of no statement), in memory that someone else owns.
template <class T, int Lanes>
class adjoint_view {
public:
    [[nodiscard]] DYAD_INLINE std::uint32_t count() const { return count_; }
    /// Whether anything has reached lane l of a statement.
    [[nodiscard]] DYAD_INLINE bool reached(std::uint32_t statement, int l = 0) const { return flags_[place(statement, l)] == reach::yes; }
    [[nodiscard]] DYAD_INLINE const T& value(std::uint32_t statement, int l = 0) const { return values_[place(statement, l)]; }
    DYAD_INLINE void add(std::uint32_t statement, int l, const T& x) const {
        const std::size_t at = place(statement, l);
        if constexpr (std::is_floating_point_v<T>) {
            values_[at] += x;
        } else {
            values_[at] = flags_[at] == reach::yes ? T(values_[at] + x) : x;
        }
        flags_[at] = reach::yes;
    }
    /// The adjoint of a statement; 0 if it has none or nothing has reached it.
    [[nodiscard]] T value_or_zero(std::uint32_t statement, int l = 0) const {
        return statement != 0 && statement <= count_ && reached(statement, l) ? value(statement, l) : T(0);
    }

protected:
    explicit adjoint_view(std::uint32_t count) : count_(count) {}
    T* values_ = nullptr;
    reach* flags_ = nullptr;

private:
    DYAD_INLINE static std::size_t place(std::uint32_t statement, int l) {
        return std::size_t{statement} * Lanes + static_cast<std::size_t>(l);
    }
    std::uint32_t count_;
};

/// The rows with their memory.
template <class T, int Lanes = 1>
class adjoint_rows : public adjoint_view<T, Lanes> {
    static constexpr bool packed = std::is_floating_point_v<T>;
    using adjoint_view<T, Lanes>::values_, adjoint_view<T, Lanes>::flags_;
    struct heap {
        std::vector<T> values;
        std::vector<reach> flags;
        explicit heap(std::size_t numbers) : values(numbers, T(0)), flags(numbers) {}
    };

public:
    explicit adjoint_rows(std::uint32_t count) : adjoint_view<T, Lanes>(count), memory_(bytes((std::size_t{count} + 1) * Lanes)) {
        const std::size_t numbers = (std::size_t{count} + 1) * Lanes;
        if constexpr (packed) {
            values_ = reinterpret_cast<T*>(memory_.data());
            flags_ = reinterpret_cast<reach*>(values_ + numbers);
            std::fill_n(values_, numbers, T(-0.0)); // what leaves every summand as it is
            std::fill_n(flags_, numbers, reach::no);
        } else {
            values_ = memory_.values.data();
            flags_ = memory_.flags.data();
        }
    }

private:
    static constexpr std::size_t bytes(std::size_t numbers) { return packed ? numbers * (sizeof(T) + 1) : numbers; }

    std::conditional_t<packed, tape_buffer, heap> memory_;
};

} // namespace dyad
