// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Runs loops and branches of a program: a loop's values stay in local variables, its body is the kernel of the body's
// graph, and what it keeps of each round lies round by round in one stretch of the thread's workspace.
#pragma once

#include <limits>
#include <type_traits>

#include <dyad/base/error.hpp>
#include <dyad/base/list.hpp>
#include <dyad/base/decimal.hpp>
#include <dyad/kernel/reversal.hpp>
#include <dyad/kernel/workspace.hpp>
#include <dyad/pass/region_info.hpp>

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

/// One history: its element of round i is first[i * stride].
template <class T>
struct history_view {
    const T* first = nullptr;
    std::ptrdiff_t stride = 0;
};

/// What one loop keeps: `slots` numbers a round. In constant evaluation it has memory of its own.
template <class T>
class loop_trail {
public:
    constexpr void start(workspace::frame& frame, std::size_t slots, std::size_t rounds) {
        slots_ = slots;
        rounds_ = rounds;
        rows_ = fresh(frame, rounds);
    }
    [[nodiscard]] constexpr T* row(std::size_t round) const { return rows_ + round * slots_; }
    /// The row of a round that was not foreseen.
    constexpr T* further_row(workspace::frame& frame, std::size_t round) {
        if (round == rounds_) {
            T* const longer = fresh(frame, 2 * rounds_);
            for (std::size_t k = 0; k < rounds_ * slots_; ++k) longer[k] = rows_[k];
            if (std::is_constant_evaluated()) {
                delete[] constant_;
                constant_ = longer;
            }
            rows_ = longer;
            rounds_ *= 2;
        }
        return row(round);
    }
    [[nodiscard]] constexpr history_view<T> slot(std::size_t k) const { return {rows_ + k, static_cast<std::ptrdiff_t>(slots_)}; }

    DYAD_FN constexpr loop_trail() {}
    loop_trail(const loop_trail&) = delete;
    loop_trail& operator=(const loop_trail&) = delete;
    // (At run time nothing is to be done, and compilers must see it: else they keep, and clear, the memory of trails that are not used.)
    DYAD_FN constexpr ~loop_trail() {
        if (DYAD_CONSTANT_EVALUATED) delete[] constant_;
    }

private:
    constexpr T* fresh(workspace::frame& frame, std::size_t rounds) {
        if (std::is_constant_evaluated()) {
            T* const result = new T[rounds * slots_ + 1]{};
            if (constant_ == nullptr) constant_ = result;
            return result;
        } else {
            return frame.take<T>(rounds, slots_);
        }
    }

    T* rows_ = nullptr;
    T* constant_ = nullptr;
    std::size_t slots_ = 0, rounds_ = 0;
};

/// What a level of a program with regions has beside its numbers and conditions.
template <class T, std::size_t Buffers, std::size_t Regions>
struct level_state {
    history_view<T> buffer[Buffers + 1] = {};
    loop_trail<T> trail[Regions == 0 ? 1 : Regions];
    const history_view<T>* borrowed = nullptr;
    std::ptrdiff_t index = 0; ///< of the loop around
    workspace::frame frame;
};
/// The same of a program without, or whose loops keep nothing.
struct no_regions {};

/// `end`: the first number of rounds that is too large.
[[noreturn]] inline void refuse_rounds(double rounds, std::ptrdiff_t end) {
    text t("[dyad] fori_loop: the number of rounds is ");
    append_decimal(t, rounds);
    const bool too_many = rounds >= static_cast<double>(end); // (NaN is not)
    t += too_many ? "; there, the numbers of rounds are less than " : "; it must be a whole number and not negative";
    if (too_many) append_decimal(t, static_cast<double>(end));
    throw value_error(t.c_str());
}

template <class T>
constexpr std::ptrdiff_t rounds_of(T value) {
    if constexpr (symbolic<T>) { // a number of the tape
        return rounds_of(static_cast<double>(value));
    } else {
        constexpr int widest = std::numeric_limits<std::ptrdiff_t>::digits - 1;
        constexpr std::ptrdiff_t end = std::ptrdiff_t{1} << (std::numeric_limits<T>::digits < widest ? std::numeric_limits<T>::digits : widest); // from there on, T skips whole numbers
        const auto rounds = static_cast<std::ptrdiff_t>(value >= T(0) && value < static_cast<T>(end) ? value : T(-1));
        if (rounds < 0 || static_cast<T>(rounds) != value) refuse_rounds(static_cast<double>(value), end);
        return rounds;
    }
}

[[noreturn]] inline void refuse_memory(stored_steps how, std::size_t bytes) {
    text t("[dyad] store_within: ");
    t.append(static_cast<std::int64_t>(how.value)) += " bytes hold no state of the loop, which takes ";
    t.append(static_cast<std::int64_t>(bytes));
    throw value_error(t.c_str());
}

/// Region K of a program as a type: nvcc does not take arguments of class type for deduced templates.
template <class Program, std::size_t K>
struct region_of {
    static constexpr region_info info = Program::template info<K>;
};

/// So many numbers of an array into another.
template <std::size_t Count, class T>
DYAD_FN DYAD_INLINE constexpr void copy_numbers(const T* from, T* to) {
    DYAD_UNROLL_SMALL
    for (std::size_t k = 0; k != Count; ++k) to[k] = from[k];
}

/// A sweep's way through its rounds: the values are those at `input` + 1, the ones that are replayed first.
template <class Region, class First, class Second, class T>
struct number_sweep {
    static constexpr region_info info = Region::info;
    T* input;
    const history_view<T>* borrowed;
    loop_trail<T>& states;
    loop_trail<T>& trail;
    T out[First::outputs > Second::outputs ? First::outputs : Second::outputs] = {};

    constexpr void store(std::size_t slot) {
        copy_numbers<info.replays>(input + 1, states.row(slot));
    }
    constexpr void load(std::size_t slot) {
        copy_numbers<info.replays>(states.row(slot), input + 1);
    }
    constexpr void advance(std::size_t round) {
        input[0] = static_cast<T>(round);
        Second::run_body(input, borrowed, static_cast<std::ptrdiff_t>(round), out);
        copy_numbers<info.replays>(out, input + 1);
    }
    constexpr void take_back(std::size_t round) {
        input[0] = static_cast<T>(round);
        First::run_body(input, borrowed, static_cast<std::ptrdiff_t>(round), out);
        constexpr std::size_t carries = info.values - info.replays;
        copy_numbers<carries>(out, input + info.replays + 1);
        if constexpr (info.slots != 0) copy_numbers<info.slots>(out + carries, trail.row(round));
    }
};

template <class Region, class First, class Second, class T>
constexpr void run_sweep(std::size_t rounds, loop_trail<T>& trail, workspace::frame& frame, T* input, const history_view<T>* borrowed) {
    constexpr region_info info = Region::info;
    constexpr std::size_t bytes = info.replays * sizeof(T);
    static_assert(!is(info.how.kind, storing::within) || info.how.value >= bytes, "[dyad] store_within: so few bytes hold no state of the loop");
    const reversal schedule(info.how, rounds, bytes);
    if constexpr (info.slots != 0) trail.start(frame, info.slots, rounds);
    workspace::frame own;
    loop_trail<T> states;
    number_sweep<Region, First, Second, T> sweep{input, borrowed, states, trail, {}};
    if constexpr (info.replays == 0) {
        for (std::size_t round = rounds; round-- > 0;) sweep.take_back(round);
    } else {
        loop_trail<std::size_t> places;
        states.start(own, info.replays, schedule.slots());
        places.start(own, 1, schedule.slots());
        schedule.run(sweep, places.row(0));
    }
}

/// Where the loops of a program keep their rounds; what a loop around lends is `borrowed`.
template <class T>
struct region_memory {
    loop_trail<T>& trail;
    workspace::frame& frame;
    const history_view<T>* borrowed;

    template <class Body>
    constexpr void run(const T* input, std::ptrdiff_t index, T* out) const {
        Body::run_body(input, borrowed, index, out);
    }
    static constexpr std::ptrdiff_t rounds(const T& count) { return rounds_of(count); }
};
/// The same where nothing is kept, and nothing can be thrown: in kernels of a device.
struct no_memory {
    template <class Body, class T>
    DYAD_FN static constexpr void run(const T* input, std::ptrdiff_t, T* out) {
        Body::run_into(input, out);
    }
    /// -1 for what is no number of rounds.
    template <class T>
    DYAD_FN static constexpr std::ptrdiff_t rounds(T count) {
        const auto whole = static_cast<std::ptrdiff_t>(count >= T(0) && count < T(0x1p62) ? count : T(-1));
        return static_cast<T>(whole) == count ? whole : -1;
    }
};

/// A number as it is, in a register of its own. What goes round a loop waits for itself: where compilers hold two such numbers in
/// one register, to halve the instructions, each round waits for their moves as well, up to three times as long.
template <class T>
DYAD_FN DYAD_INLINE constexpr T kept_apart(T x) {
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, float>) {
        if (!DYAD_CONSTANT_EVALUATED) DYAD_IN_REGISTER(x);
    }
    return x;
}

/// A loop or a branch. `First` and `Second` are the kernels of levels::body; `operand` is what is handed to it, `result` where
/// its results go. (In a device's kernels the values of a loop whose number of rounds is none are NaN.)
template <class Region, class First, class Second, class Memory, class T>
DYAD_FN DYAD_INLINE constexpr void run_region(const Memory& memory, const T* operand, T* result) {
    constexpr region_info info = Region::info;
    constexpr std::size_t values = info.values, slots = info.slots, passed = values + info.numbers;
    constexpr bool repeats = is(info.kind, region_kind::repeat), falls = is(info.kind, region_kind::falling);
    T input[passed + 1] = {};
    copy_numbers<passed>(operand + (repeats ? 0 : 1), input + 1);
    [[maybe_unused]] T out[First::outputs > Second::outputs ? First::outputs : Second::outputs];
    if constexpr (is(info.kind, region_kind::branch)) {
        if (operand[0] != T(0)) {
            memory.template run<First>(input, 0, out);
        } else {
            memory.template run<Second>(input, 0, out);
        }
        copy_numbers<info.results>(out, result);
    } else if constexpr (is(info.kind, region_kind::sweep)) {
        const std::ptrdiff_t rounds = memory.rounds(operand[0]);
        run_sweep<Region, First, Second>(static_cast<std::size_t>(rounds), memory.trail, memory.frame, input, memory.borrowed);
        copy_numbers<values>(input + 1, result);
    } else {
        std::ptrdiff_t rounds = 0;
        if constexpr (!repeats) rounds = memory.rounds(operand[0]);
        if constexpr (slots != 0) memory.trail.start(memory.frame, slots, repeats ? 16 : static_cast<std::size_t>(rounds));
        for (std::ptrdiff_t round = 0; repeats || round < rounds; ++round) {
            const std::ptrdiff_t index = falls ? rounds - 1 - round : round;
            input[0] = static_cast<T>(index);
            if constexpr (repeats) {
                rounds = round;
                T goes_on[Second::outputs];
                memory.template run<Second>(input, index, goes_on);
                if (goes_on[0] == T(0)) break;
            }
            memory.template run<First>(input, index, out);
            DYAD_UNROLL_SMALL
            for (std::size_t k = 0; k != values; ++k) input[k + 1] = kept_apart(out[k]);
            if constexpr (slots != 0) {
                const auto at = static_cast<std::size_t>(index);
                T* const row = repeats ? memory.trail.further_row(memory.frame, at) : memory.trail.row(at);
                copy_numbers<slots>(out + values, row);
            }
        }
        copy_numbers<values>(input + 1, result);
        if constexpr (std::is_same_v<Memory, no_memory>) {
            [[maybe_unused]] constexpr T none = static_cast<T>(__builtin_nan(""));
            for (std::size_t k = 0; k != values && rounds < 0; ++k) result[k] = none;
        }
        result[values] = static_cast<T>(rounds);
    }
}

} // namespace dyad
DYAD_BOTH_SIDES_END
