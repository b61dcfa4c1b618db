// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Which states of a loop are kept, so that the way back through all steps with few kept states computes the fewest steps
// again: binomial checkpointing, as kernel/reversal.hpp, but the first ones are kept on the way forward already.
#pragma once

#include <cstddef>
#include <vector>

#include <dyad/kernel/reversal.hpp>

namespace dyad {

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
            const std::size_t to = from + rounds_to_next_state(end - from, slots_ - stack_.size() + 1);
            for (std::size_t i = from; i < to; ++i) state = advance(i, state);
            stack_.push_back({to, state});
        }
        return state;
    }

    std::size_t steps_, slots_;
    std::vector<checkpoint> stack_;
};

} // namespace dyad
