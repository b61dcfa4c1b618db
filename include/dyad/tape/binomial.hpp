// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Which states of a loop are kept, so that the way back through `n` steps with `s` kept states computes the fewest steps
// again: binomial checkpointing (Griewank and Walther, "Algorithm 799: revolve").
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace dyad {

/// C(slots + repetitions, slots): the steps that can be gone back when no step is computed more than `repetitions` times
/// again; at most `limit`.
constexpr std::size_t binomial_range(std::size_t slots, std::size_t repetitions, std::size_t limit) {
    std::size_t range = 1;
    for (std::size_t k = 1; k <= repetitions; ++k) {
        if (range > limit / (slots + k) * k + k) return limit;
        range = range * (slots + k) / k; // exact: a binomial coefficient
    }
    return std::min(range, limit);
}

/// How far from a kept state the next one is to be kept: `length` steps, `slots` states, the one at the begin included.
constexpr std::size_t binomial_split(std::size_t length, std::size_t slots) {
    if (slots < 2 || length < 2) return length;
    const std::size_t limit = length + 1;
    std::size_t repetitions = 1;
    while (binomial_range(slots, repetitions, limit) < length) ++repetitions;
    // Steps before the split are computed again once less often, those behind it have a slot less.
    const std::size_t behind = binomial_range(slots - 1, repetitions, limit);
    const std::size_t before = repetitions < 2 ? 1 : binomial_range(slots, repetitions - 2, limit);
    const std::size_t split = std::max(behind < length ? length - behind : 1, before);
    return std::clamp<std::size_t>(split, 1, length - 1);
}

/// The kept states of a loop.
template <class State>
class binomial_plan {
public:
    binomial_plan(std::size_t steps, std::size_t slots) : steps_(steps), slots_(slots) {}

    [[nodiscard]] std::size_t kept() const { return stack_.size(); }

    /// Runs all steps from the first state; `advance(i, state)` gives state i + 1.
    template <class Advance>
    State forward(const State& first, Advance&& advance) {
        stack_.assign(1, {0, first});
        State state = keep_towards(steps_, advance);
        for (std::size_t i = stack_.back().step; i < steps_; ++i) state = advance(i, state);
        return state;
    }
    /// `pull(i, state i)` for each step, from the last to the first.
    template <class Advance, class Pull>
    void backward(Advance&& advance, Pull&& pull) {
        for (std::size_t end = steps_; end > 0; --end) {
            State state = keep_towards(end, advance);
            for (std::size_t i = stack_.back().step; i + 1 < end; ++i) state = advance(i, state);
            pull(end - 1, state);
            if (stack_.back().step == end - 1 && end > 1) stack_.pop_back();
        }
    }

private:
    struct checkpoint {
        std::size_t step;
        State state;
    };
    /// Keeps states between the last kept one and `end`; returns the last kept one.
    template <class Advance>
    State keep_towards(std::size_t end, Advance& advance) {
        State state = stack_.back().state;
        while (stack_.size() < slots_ && end - stack_.back().step > 1) {
            const std::size_t from = stack_.back().step;
            const std::size_t to = from + binomial_split(end - from, slots_ - stack_.size() + 1);
            for (std::size_t i = from; i < to; ++i) state = advance(i, state);
            stack_.push_back({to, state});
        }
        return state;
    }

    std::size_t steps_, slots_;
    std::vector<checkpoint> stack_;
};

} // namespace dyad
