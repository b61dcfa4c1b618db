// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// One round of a loop over arrays, forwards or in a sweep back: the values that go round, between two stretches of memory each,
// and what is kept of the rounds, round after round.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>

#include <dyad/array/contiguous.hpp>
#include <dyad/array/shape_error.hpp>
#include <dyad/base/unpack.hpp>
#include <dyad/kernel/reversal.hpp>

namespace dyad {

/// A value that goes round: an array, and where the next one goes. `Place` says how elements are copied (rounds_on_host below, or a
/// device's).
template <class Place, class T, unsigned Rank>
struct array_that_goes_round {
    array_reference<T, Rank> now;
    T* next = nullptr;

    /// Begins as a copy of h.
    template <class H, class Memory>
    void begin(const H& h, Memory& memory) {
        for (unsigned k = 0; k < Rank; ++k) now.size[k] = h.size[k];
        now.set_row_major();
        now.data = memory.template take<T>(h.count());
        next = memory.template take<T>(h.count());
        Place::copy(h, now);
    }
    [[nodiscard]] array_reference<const T, Rank> argument() const {
        array_reference<const T, Rank> r{now.data, {}, {}};
        for (unsigned k = 0; k < Rank; ++k) r.size[k] = now.size[k], r.stride[k] = now.stride[k];
        return r;
    }
    [[nodiscard]] T* elements() { return now.data; }
    [[nodiscard]] std::size_t count() const { return now.count(); }
    /// Refuses an output of another shape, before anything is computed.
    template <std::size_t Output, class E>
    void check(const E& e) const {
        run_time_shape before{Rank, {}}, after = before;
        for (unsigned k = 0; k < Rank; ++k) {
            before.size[k] = now.size[k];
            after.size[k] = e.template output_size<Output>(k);
        }
        check_next_shape(before, after);
    }
    /// Becomes what the body has computed.
    template <std::size_t Output, class E>
    void turn(const E&) {
        std::swap(now.data, next);
    }
};
/// A number of the host.
template <class T>
struct number_that_goes_round {
    T now = T(0);
    static constexpr T* next = nullptr;

    template <class Memory>
    void begin(T x, Memory&) {
        now = x;
    }
    [[nodiscard]] T argument() const { return now; }
    [[nodiscard]] T* elements() { return &now; }
    [[nodiscard]] static std::size_t count() { return 1; }
    template <std::size_t Output, class E>
    static void check(const E&) {}
    template <std::size_t Output, class E>
    void turn(const E& e) {
        now = e.template number<Output>();
    }
};
template <class Place, class T, unsigned Rank>
using loop_value = std::conditional_t<Rank == 0, typename Place::template number<T>, array_that_goes_round<Place, T, Rank>>;

template <class Program, class T, class... Inputs>
class execution;

/// Loops whose arrays lie in the host's memory.
struct rounds_on_host {
    template <class T>
    using number = number_that_goes_round<T>;
    /// Where a body puts a result.
    template <class T>
    using target = T*;

    template <class X, class R>
    static void copy(const X& x, const R& to) {
        routine::copy(x, to);
    }
    template <class T>
    static void copy_elements(const T* from, std::size_t count, T* to) {
        std::copy_n(from, count, to);
    }
    /// A body that is ready to run on such inputs.
    template <class Body, class T, class... X>
    static auto started(const std::tuple<X...>& inputs) {
        return execution<Body, T, X...>(inputs);
    }
    /// Puts a number that a body has computed where it is kept.
    template <std::size_t Output, class E, class T>
    static void keep_number(const E& e, T* to) {
        *to = e.template number<Output>();
    }
};

/// What is kept of the rounds, round after round: `each` elements of a round.
template <class T, std::size_t Slots>
struct kept_rounds {
    T* history[Slots + 1] = {};
    std::size_t each[Slots + 1] = {};
    /// Where those of a round go.
    [[nodiscard]] std::array<T*, Slots + 1> rows(std::ptrdiff_t round) const {
        std::array<T*, Slots + 1> result{};
        for (std::size_t s = 0; s != Slots; ++s) result[s] = history[s] + static_cast<std::size_t>(round) * each[s];
        return result;
    }
};

template <class Body, std::size_t Output>
constexpr unsigned rank_of_output = Body::graph[Body::graph.outputs[Output]].rank;
template <class Body, std::size_t Output, class E>
std::size_t count_of_output(const E& e) {
    std::size_t count = 1;
    for (unsigned k = 0; k < rank_of_output<Body, Output>; ++k) count *= e.template output_size<Output>(k);
    return count;
}
template <class Place, class Body, std::size_t Output, class E, class T>
void keep_if_number(const E& e, T* to) {
    if constexpr (rank_of_output<Body, Output> == 0) Place::template keep_number<Output>(e, to);
}

/// The number that a body of one output computes.
template <class Place, class Body, class T, class Inputs>
T number_from(const Inputs& inputs) {
    auto e = Place::template started<Body, T>(inputs);
    const typename Place::template target<T> none[] = {nullptr};
    e.run(none);
    return e.template number<0>();
}
/// Runs a body once: its results become the values from number `First` on, and what is kept of the round goes to rows(e).
template <class Place, class Body, class T, std::size_t First, class Values, class Inputs, class Rows, std::size_t... V, std::size_t... S>
void run_round(Values& values, const Inputs& inputs, const Rows& rows, std::index_sequence<V...>, std::index_sequence<S...>) {
    auto e = Place::template started<Body, T>(inputs);
    (std::get<First + V>(values).template check<V>(e), ...);
    [[maybe_unused]] const auto row = rows(e);
    typename Place::template target<T> out[sizeof...(V) + sizeof...(S) + 1] = {std::get<First + V>(values).next..., row[S]...};
    e.run(out);
    (keep_if_number<Place, Body, sizeof...(V) + S>(e, row[S]), ...);
    (std::get<First + V>(values).template turn<V>(e), ...);
}

/// A sweep's way through its rounds (kernel/reversal.hpp): `Back` is the adjoint of a round, `Replay` the round. The first
/// `Replays` values are replayed. `make_room(e)`: for what is kept of the rounds.
template <class Place, class Back, class Replay, class T, std::size_t Replays, std::size_t Slots, class Values, class Captured, class Room>
struct array_sweep {
    Values& values;
    const Captured& captured;
    Room make_room;
    kept_rounds<T, Slots>& kept;
    T* states = nullptr;
    std::size_t state_size = 0;

    void store(std::size_t slot) { copy_all(states + slot * state_size, [](const T* value, T* state, std::size_t n) { Place::copy_elements(value, n, state); }); }
    void load(std::size_t slot) { copy_all(states + slot * state_size, [](T* value, const T* state, std::size_t n) { Place::copy_elements(state, n, value); }); }
    void advance(std::size_t round) {
        run_round<Place, Replay, T, 0>(values, inputs(round), [](const auto&) { return std::array<T*, 1>{}; }, replayed{}, std::index_sequence<>{});
    }
    void take_back(std::size_t round) {
        const auto rows = [&](const auto& e) {
            make_room(e);
            return kept.rows(static_cast<std::ptrdiff_t>(round));
        };
        run_round<Place, Back, T, Replays>(values, inputs(round), rows, std::make_index_sequence<std::tuple_size_v<Values> - Replays>{},
                                    std::make_index_sequence<Slots>{});
    }

private:
    using replayed = std::make_index_sequence<Replays>;
    auto inputs(std::size_t round) const {
        return unpack([&](const auto&... v) { return std::tuple_cat(std::tuple{static_cast<T>(round), v.argument()...}, captured); }, values);
    }
    template <class Copy>
    void copy_all(T* state, Copy copy) {
        [&]<std::size_t... P>(std::index_sequence<P...>) {
            ((copy(std::get<P>(values).elements(), state, std::get<P>(values).count()), state += std::get<P>(values).count()), ...);
        }(replayed{});
    }
};

} // namespace dyad
