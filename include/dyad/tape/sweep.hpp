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

/// What a statement's adjoint gives its operands: each lane on its own, since a lane that nothing has reached stays so.
template <class T, int Lanes>
struct adjoint_spread {
    using stream = statement_stream<T>;
    adjoint_view<T, Lanes> rows; // by value: stores to bytes may change anything else

    DYAD_INLINE void operator()(const recorded_statement& s) const {
        for (int l = 0; l < Lanes; ++l) {
            if (!rows.reached(s.number, l)) continue;
            const T x = rows.value(s.number, l);
            const std::byte* at = s.operands;
            for (std::uint32_t k = 0; k < s.pairs; ++k, at += stream::pair_size) {
                const T partial = stream::template get<T>(at);
                rows.add(stream::template get<std::uint32_t>(at + sizeof(T)), l, T(partial * x));
            }
            for (std::uint32_t k = 0; k < s.units; ++k, at += sizeof(std::uint32_t)) {
                const auto operand = stream::template get<std::uint32_t>(at);
                rows.add_adjoint(operand & ~stream::minus, l, (operand & stream::minus) != 0 ? T(T(0) - x) : x);
            }
        }
    }
    /// A statement that goes through a function, which answers for all operands: those that nothing reached get a 0.
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
                if (entry.operands[k] != 0 && !vanishes(operand[k])) rows.add(entry.operands[k], l, operand[k]);
            }
        }
    }
};

template <class T>
template <int Lanes>
void recording<T>::sweep(adjoint_view<T, Lanes> rows) const {
    // (Of adjoints that are active numbers, each sum is a statement: nine times as much code.)
    stream_.template walk_back<std::is_floating_point_v<T> && Lanes == 1>(rows.count(), [spread = adjoint_spread<T, Lanes>{rows}, this](const recorded_statement& s) DYAD_INLINE_LAMBDA {
        if (s.pullback) [[unlikely]] {
            spread.pull(s.number, pullback_at(s.operands));
        } else {
            spread(s);
        }
    });
}

template <class T>
void recording<T>::mark_reached(char* reached, std::uint32_t last) const {
    stream_.walk_back(last, [&](const recorded_statement& s) {
        if (s.pullback) {
            const pullback_entry<T>& entry = pullback_at(s.operands);
            bool any = false;
            for (std::uint32_t r = 0; r < entry.results && s.number + r <= last; ++r) any = any || reached[s.number + r] != 0;
            for (const std::uint32_t operand : entry.operands) reached[operand] = static_cast<char>(reached[operand] != 0 || any);
        } else if (reached[s.number] != 0) {
            for (std::uint32_t k = 0; k < s.pairs; ++k) reached[stream::template get<std::uint32_t>(s.operands + k * stream::pair_size + sizeof(T))] = 1;
            const std::byte* const units = s.operands + s.pairs * stream::pair_size;
            for (std::uint32_t k = 0; k < s.units; ++k) reached[stream::template get<std::uint32_t>(units + k * sizeof(std::uint32_t)) & ~stream::minus] = 1;
        }
    });
}

} // namespace dyad
