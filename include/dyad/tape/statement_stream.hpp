// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// How statements lie in memory: numbered as they come, so that a statement needs no place for its result; one byte for the
// number of its operands; 4 bytes for an operand with slope 1 or -1, 4 and the size of a number for another.
#pragma once

#include <cstring>
#include <type_traits>

#include <dyad/base/config.hpp>
#include <dyad/base/error.hpp>
#include <dyad/tape/arena.hpp>

namespace dyad {

/// The codes of statements: operands with a number, 0 to 29, in the lower five bits; those with slope ±1 above.
struct statement_code {
    static constexpr unsigned numbers_mask = 31, units_shift = 5, most_numbers = 29, most_units = 7;
    static constexpr std::uint8_t long_list = 0xff, pullback = 0xfe;
};

/// A statement as it lies in a stream: pairs of a partial derivative and an operand, then operands with slope ±1; or
/// the number of a pullback entry.
struct recorded_statement {
    std::uint32_t number = 0, pairs = 0, units = 0;
    const std::byte* operands = nullptr;
    bool pullback = false;
};

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

/// Statements whose partial derivatives are T.
template <class T>
class statement_stream {
public:
    static constexpr std::size_t pair_size = sizeof(T) + sizeof(std::uint32_t);
    static constexpr std::uint32_t minus = std::uint32_t{1} << 31; ///< in an operand with slope -1

    statement_stream() = default;
    statement_stream(const statement_stream&) = delete;
    statement_stream& operator=(const statement_stream&) = delete;
    ~statement_stream() { close(); }

    void open() {
        chunk_ = take_tape_chunk(0, nullptr);
        operands_ = chunk_->begin();
        codes_ = chunk_->end();
        origin_ = reinterpret_cast<std::uintptr_t>(codes_);
        closed_bytes_ = 0;
    }
    void close() {
        while (chunk_ != nullptr) {
            tape_chunk* const previous = chunk_->previous;
            give_back_tape_chunk(chunk_);
            chunk_ = previous;
        }
    }
    [[nodiscard]] bool is_open() const { return chunk_ != nullptr; }
    /// Statements so far, and the bytes that they take.
    [[nodiscard]] std::uint32_t size() const { return is_open() ? static_cast<std::uint32_t>(origin_ - reinterpret_cast<std::uintptr_t>(codes_)) : 0; }
    [[nodiscard]] std::size_t bytes() const { return is_open() ? closed_bytes_ + used(chunk_, operands_, codes_) : 0; }

    // A statement: room(), its operands put there, finish().

    /// Where the operands of the next statement go, if they take no more than `bytes`; there are places for `codes`.
    [[nodiscard]] DYAD_INLINE std::byte* room(std::size_t bytes, std::size_t codes = 1) {
        if (static_cast<std::size_t>(codes_ - operands_) < bytes + codes) [[unlikely]] next_chunk(bytes + codes);
        return operands_;
    }
    /// Ends a statement whose operands end here; its number.
    DYAD_INLINE std::uint32_t finish(std::byte* operands_end, unsigned code) {
        operands_ = operands_end;
        *--codes_ = static_cast<std::byte>(code);
        return static_cast<std::uint32_t>(origin_ - reinterpret_cast<std::uintptr_t>(codes_));
    }
    DYAD_INLINE static void put_pair(std::byte*& at, unsigned& code, const T& partial, std::uint32_t statement) {
        put(at, partial);
        put(at, statement);
        ++code;
    }
    DYAD_INLINE static void put_unit(std::byte*& at, unsigned& code, bool negative, std::uint32_t statement) {
        put(at, negative ? statement | minus : statement);
        code += 1U << statement_code::units_shift;
    }
    template <class U>
    DYAD_INLINE static void put(std::byte*& at, const U& value) {
        std::memcpy(at, &value, sizeof value);
        at += sizeof value;
    }
    template <class U>
    [[nodiscard]] DYAD_INLINE static U get(const std::byte* at) {
        U value;
        std::memcpy(&value, at, sizeof value);
        return value;
    }

    /// f(recorded_statement) from the statement `last` to the first; `Straight`: f is compiled once more for each of the frequent
    /// kinds of statement.
    template <bool Straight = false, class F>
    DYAD_INLINE void walk_back(std::uint32_t last, F f) const {
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

private:
    DYAD_INLINE static recorded_statement decode(std::uint32_t number, std::uint8_t code, const std::byte* operands_end) {
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
    [[nodiscard]] static std::size_t used(tape_chunk* chunk, const std::byte* operands, const std::byte* codes) {
        return static_cast<std::size_t>((operands - chunk->begin()) + (chunk->end() - codes));
    }
    [[gnu::noinline]] void next_chunk(std::size_t bytes) {
        const std::uint32_t count = size();
        if (count > minus - 1 - tape_chunk_size - bytes)
            throw tape_error("[dyad] tape: a recording cannot hold more than 2^31 statements; use checkpointed_loop or several tapes");
        tape_chunk* const next = take_tape_chunk(bytes, chunk_);
        chunk_->operands_end = operands_;
        chunk_->codes_begin = codes_;
        closed_bytes_ += used(chunk_, operands_, codes_);
        chunk_ = next;
        operands_ = next->begin();
        codes_ = next->end();
        origin_ = reinterpret_cast<std::uintptr_t>(codes_) + count;
    }

    std::byte* operands_ = nullptr; ///< the end of those of the last statement
    std::uintptr_t origin_ = 0;     ///< a statement's number is the distance of its code from here
    std::byte* codes_ = nullptr;    ///< that of the last statement
    tape_chunk* chunk_ = nullptr;
    std::size_t closed_bytes_ = 0;
};

} // namespace dyad
