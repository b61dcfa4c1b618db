// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The way back through a recording: adjoints travel from results to operands, one statement after the other, without
// recursion.
#pragma once

#include <iosfwd>
#include <string>
#include <type_traits>

#include <dyad/tape/recording.hpp>

namespace dyad {

template <class T>
DYAD_INLINE recorded_statement recording<T>::decode(std::uint32_t number, std::uint8_t code, const std::byte* operands_end) {
    recorded_statement s{number, code & statement_code::numbers_mask, static_cast<std::uint32_t>(code >> statement_code::units_shift), operands_end};
    if (code >= statement_code::pullback) [[unlikely]] {
        s.operands -= sizeof(std::uint32_t);
        s.pullback = code == statement_code::pullback;
        s.pairs = s.pullback ? 0 : get<std::uint32_t>(s.operands);
        s.units = 0;
    }
    s.operands -= s.pairs * pair_size + s.units * sizeof(std::uint32_t);
    return s;
}

/// f(code), with the code of the most frequent statements as a constant: what is done for it then has no loops.
template <class F>
DYAD_INLINE void with_frequent_code(std::uint8_t code, const F& f) {
    constexpr std::uint8_t unit = 1U << statement_code::units_shift;
    switch (code) {
    case 0: return f(std::integral_constant<std::uint8_t, 0>{});
    case 1: return f(std::integral_constant<std::uint8_t, 1>{});
    case 2: return f(std::integral_constant<std::uint8_t, 2>{});
    case 3: return f(std::integral_constant<std::uint8_t, 3>{});
    case unit: return f(std::integral_constant<std::uint8_t, unit>{});
    case unit + 1: return f(std::integral_constant<std::uint8_t, unit + 1>{});
    case unit + 2: return f(std::integral_constant<std::uint8_t, unit + 2>{});
    case 2 * unit: return f(std::integral_constant<std::uint8_t, 2 * unit>{});
    default: return f(code);
    }
}

template <class T>
template <bool Straight, class F>
DYAD_INLINE void recording<T>::walk_back(std::uint32_t last, F f) const {
    const std::byte *operands = operands_, *code = codes_;
    std::uint32_t number = size();
    for (tape_chunk* chunk = chunk_; chunk != nullptr; chunk = chunk->previous) {
        if (chunk != chunk_) {
            operands = chunk->operands_end;
            code = chunk->codes_begin;
        }
        const std::byte* const end = chunk->end();
        for (; number > last && code != end; ++code, --number)
            operands = decode(number, static_cast<std::uint8_t>(*code), operands).operands;
        for (; code != end; ++code, --number) {
            const auto go = [&](auto known) DYAD_INLINE_LAMBDA {
                const recorded_statement s = decode(number, known, operands);
                operands = s.operands;
                f(s);
            };
            if constexpr (Straight) {
                with_frequent_code(static_cast<std::uint8_t>(*code), go);
            } else {
                go(static_cast<std::uint8_t>(*code));
            }
        }
    }
}

/// What a statement's adjoint gives its operands: each lane on its own, since a lane that nothing has reached stays so.
template <class T, int Lanes>
struct adjoint_spread {
    adjoint_view<T, Lanes> rows; // by value: stores to bytes may change anything else

    DYAD_INLINE void operator()(const recorded_statement& s) const {
        for (int l = 0; l < Lanes; ++l) {
            if (!rows.reached(s.number, l)) continue;
            const T x = rows.value(s.number, l);
            const std::byte* at = s.operands;
            for (std::uint32_t k = 0; k < s.pairs; ++k, at += recording<T>::pair_size) {
                const T partial = recording<T>::template get<T>(at);
                rows.add(recording<T>::template get<std::uint32_t>(at + sizeof(T)), l, T(partial * x));
            }
            for (std::uint32_t k = 0; k < s.units; ++k, at += sizeof(std::uint32_t)) {
                const auto operand = recording<T>::template get<std::uint32_t>(at);
                rows.add_adjoint(operand & ~recording<T>::minus, l, (operand & recording<T>::minus) != 0 ? T(T(0) - x) : x);
            }
        }
    }
    /// A statement that goes through a function.
    void pull(std::uint32_t first, const pullback_entry<T>& entry) const {
        std::vector<T> result(entry.results, T(0)), operand(entry.operands.size(), T(0));
        for (int l = 0; l < Lanes; ++l) {
            bool reached = false;
            for (std::uint32_t r = 0; r < entry.results; ++r) {
                reached = reached || (first + r <= rows.count() && rows.reached(first + r, l));
                result[r] = rows.value_or_zero(first + r, l);
            }
            if (!reached) continue;
            entry.pull(result.data(), operand.data());
            for (std::size_t k = 0; k < operand.size(); ++k) {
                if (entry.operands[k] != 0) rows.add(entry.operands[k], l, operand[k]);
            }
        }
    }
};

template <class T>
template <int Lanes>
void recording<T>::sweep(const adjoint_rows<T, Lanes>& rows) const {
    // (Of adjoints that are active numbers, each sum is a statement: nine times as much code.)
    walk_back<std::is_floating_point_v<T> && Lanes == 1>(rows.count(), [spread = adjoint_spread<T, Lanes>{rows}, this](const recorded_statement& s) DYAD_INLINE_LAMBDA {
        if (s.pullback) [[unlikely]] {
            spread.pull(s.number, pullback_at(s.operands));
        } else {
            spread(s);
        }
    });
}

template <class T>
void recording<T>::mark_reached(char* reached, std::uint32_t last) const {
    walk_back(last, [&](const recorded_statement& s) {
        if (s.pullback) {
            const pullback_entry<T>& entry = pullback_at(s.operands);
            bool any = false;
            for (std::uint32_t r = 0; r < entry.results && s.number + r <= last; ++r) any = any || reached[s.number + r] != 0;
            for (const std::uint32_t operand : entry.operands) reached[operand] = static_cast<char>(reached[operand] != 0 || any);
        } else if (reached[s.number] != 0) {
            for (std::uint32_t k = 0; k < s.pairs; ++k) reached[get<std::uint32_t>(s.operands + k * pair_size + sizeof(T))] = 1;
            const std::byte* const units = s.operands + s.pairs * pair_size;
            for (std::uint32_t k = 0; k < s.units; ++k) reached[get<std::uint32_t>(units + k * sizeof(std::uint32_t)) & ~minus] = 1;
        }
    });
}

} // namespace dyad
