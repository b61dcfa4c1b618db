// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Runs through the rounds of a loop backwards with few stored states: advances from a stored one to the round that is to be
// taken back, and stores some on the way. Where the memory is bounded, states are placed as in A. Griewank and A. Walther,
// "Algorithm 799: Revolve", ACM TOMS 26 (2000): no other schedule computes fewer rounds again.
#pragma once

#include <cstddef>

#include <dyad/graph/stored_steps.hpp>

namespace dyad {

/// How many rounds `slots` stored states reverse with no round computed more than `repeats` times: C(slots + repeats, slots),
/// or `enough` if that is less.
constexpr std::size_t reversible_rounds(std::size_t slots, std::size_t repeats, std::size_t enough) {
    std::size_t result = 1;
    for (std::size_t i = 1; i <= repeats && result < enough; ++i) {
        const double next = static_cast<double>(result) * static_cast<double>(slots + i) / static_cast<double>(i);
        result = next >= static_cast<double>(enough) ? enough : result * (slots + i) / i;
    }
    return result < enough ? result : enough;
}

/// Of `rounds` >= 2 rounds after a stored state, `slots` states in all: after how many the next one is stored.
constexpr std::size_t rounds_to_next_state(std::size_t rounds, std::size_t slots) {
    if (slots >= rounds) return 1;
    if (slots <= 1) return rounds - 1;
    std::size_t repeats = 1;
    while (reversible_rounds(slots, repeats, rounds) < rounds) ++repeats;
    const std::size_t most = reversible_rounds(slots, repeats - 1, rounds);
    const std::size_t least_after = reversible_rounds(slots - 1, repeats - 1, rounds);
    return most < rounds - least_after ? most : rounds - least_after;
}

/// A schedule for a number of rounds.
class reversal {
public:
    /// `bytes`: of one state.
    constexpr reversal(stored_steps how, std::size_t rounds, std::size_t bytes) : rounds_(rounds) {
        if (is(how.kind, storing::within)) {
            const std::size_t room = how.value / (bytes == 0 ? 1 : bytes);
            slots_ = room < rounds ? room : rounds;
        } else {
            interval_ = how.value;
            if (is(how.kind, storing::square_root)) {
                for (interval_ = 1; interval_ * interval_ < rounds;) ++interval_;
            }
            slots_ = rounds == 0 ? 0 : (rounds - 1) / interval_ + (interval_ < rounds ? interval_ : rounds);
        }
    }

    /// The most states that are stored at once. 0 for some rounds: the memory is too small.
    [[nodiscard]] constexpr std::size_t slots() const { return slots_; }

    /// Takes all rounds back, the last one first. `state` is that before some round: state.store(slot), state.load(slot) keep
    /// and fetch it; state.advance(round) computes the round; state.take_back(round) its adjoint, from the state before it.
    /// `places` has room for slots() numbers.
    template <class State>
    constexpr void run(State& state, std::size_t* places) const {
        if (rounds_ == 0) return;
        std::size_t stored = 0, here = 0;
        const auto store = [&] {
            state.store(stored);
            places[stored++] = here;
        };
        store();
        for (std::size_t end = rounds_; end > 0; --end) {
            while (places[stored - 1] >= end) --stored;
            if (here != places[stored - 1]) state.load(stored - 1);
            here = places[stored - 1];
            while (here + 1 < end) {
                const std::size_t next = following(here, end, stored);
                for (; here < next; ++here) state.advance(here);
                if (here + 1 < end) store();
            }
            state.take_back(here);
            here = end; // (its state is no longer there)
        }
    }

private:
    [[nodiscard]] constexpr std::size_t following(std::size_t here, std::size_t end, std::size_t stored) const {
        if (interval_ == 0) return here + rounds_to_next_state(end - here, slots_ - stored + 1);
        const std::size_t next = (here / interval_ + 1) * interval_;
        return next < end ? next : here + 1;
    }

    std::size_t rounds_, slots_ = 0, interval_ = 0;
};

} // namespace dyad
