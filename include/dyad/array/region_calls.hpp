// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Loops and branches in a program of arrays. A body that computes on numbers alone is a kernel, as in programs of numbers,
// and takes elements from arrays; any other is a program of arrays, run once a round, whose results are the arguments of
// the next: arrays go round between two stretches of memory, what is kept of the rounds lies round after round.
#pragma once

#include <dyad/array/loop_rounds.hpp>
#include <dyad/array/storage.hpp>
#include <dyad/kernel/regions.hpp>

namespace dyad {

/// `Storage` holds the program's arrays, in the host's memory or a device's; `Place` is how bodies run and elements are copied there.
template <class Storage, class Place>
class region_calls : public Storage {
    using base = Storage;
    using Program = typename base::program;
    using T = typename base::number_type;

public:
    static constexpr const auto& plan = Program::planned;
    static constexpr graph_view graph = Program::graph;
    using base::base;

protected:
    template <node_index Item>
    DYAD_INLINE void run_call() {
        constexpr std::size_t region = region_number(graph[Item]);
        using facts = region_of<typename Program::source, region>;
        constexpr region_info info = facts::info;
        constexpr bool two = has_two_bodies(info.kind);
        using first = typename Program::source::template body<region, 0>;
        using second = typename Program::source::template body<region, two ? 1 : 0>;
        constexpr bool numbers = base::is_given(Item) && is_of_numbers(first::graph.view()) && is_of_numbers(second::graph.view());
        T* const results = this->frame_.template take<T>(std::size_t{info.results} + 1);
        const auto run = [&]<std::size_t... E>(std::index_sequence<E...>) {
            if constexpr (numbers) {
                run_on_numbers<Item, facts>(results, this->template handed<base::template entries_of<Item>::of.at[E]>()...);
            } else {
                run_on_arrays<Item, facts>(results, std::tuple{this->template handed<base::template entries_of<Item>::of.at[E]>()...});
            }
        };
        run(std::make_index_sequence<base::template entries_of<Item>::count>{});
        for (const node_index r : made_by<Item>) {
            if (graph[r].is(opcode::result) && graph[r].rank == 0 && base::is_given(r)) this->data_[plan.slot[r]] = results + graph[r].bits;
        }
    }

private:
    template <std::size_t N>
    using up_to = std::make_index_sequence<N>;
    /// The results and histories of call Item.
    template <node_index Item>
    struct nodes_made_by {
        static constexpr list<node_index> find() {
            list<node_index> all;
            for (node_index r = 0; r < graph.size; ++r) {
                if ((graph[r].is(opcode::result) || graph[r].is(opcode::trail)) && graph[r].operand[0] == Item) all.push_back(r);
            }
            return all;
        }
        static constexpr std::size_t count = find().size();
        node_index at[count + 1] = {};

        constexpr nodes_made_by() {
            const list<node_index> all = find();
            for (std::size_t k = 0; k < count; ++k) at[k] = all[k];
        }
        [[nodiscard]] constexpr const node_index* begin() const { return at; }
        [[nodiscard]] constexpr const node_index* end() const { return at + count; }
    };
    template <node_index Item>
    static constexpr nodes_made_by<Item> made_by{};

    template <node_index Item, class Region, class... Handed>
    DYAD_INLINE void run_on_numbers(T* results, const Handed&... handed) {
        constexpr std::size_t region = region_number(graph[Item]);
        T operand[sizeof...(Handed) + 1];
        history_view<T> borrowed[Region::info.buffers + 1];
        std::size_t numbers = 0, buffers = 0;
        const auto take = [&]<class X>(const X& x) {
            if constexpr (!referenced<X>) {
                operand[numbers++] = static_cast<T>(x);
            } else if constexpr (std::is_same_v<std::remove_const_t<typename X::element_type>, T>) {
                borrowed[buffers++] = {x.data, x.stride[X::rank - 1]};
            } else {
                borrowed[buffers++] = {contiguous<T>(x, this->frame_), 1};
            }
        };
        (take(handed), ...);
        loop_trail<T> trail;
        run_region<Region, kernel_of<typename Program::template number_body<region, 0>>, kernel_of<typename Program::template number_body<region, 1>>>(
            region_memory<T>{trail, this->frame_, borrowed}, operand, results);
        for (const node_index r : made_by<Item>) {
            if (!graph[r].is(opcode::trail)) continue;
            const history_view<T> kept = trail.slot(graph[r].bits);
            this->data_[plan.slot[r]] = kept.first;
            this->stride_[plan.slot[r]][0] = kept.stride;
        }
    }

    template <node_index Item, class Region, class Handed>
    void run_on_arrays(T* results, const Handed& handed) {
        constexpr std::size_t region = region_number(graph[Item]);
        using body = typename Program::template array_body<region, 0>;
        if constexpr (Region::info.kind == region_kind::branch) {
            using other = typename Program::template array_body<region, 1>;
            if (static_cast<T>(std::get<0>(handed)) != T(0)) {
                run_arm<Item, body>(results, handed);
            } else {
                run_arm<Item, other>(results, handed);
            }
        } else if constexpr (Region::info.kind == region_kind::sweep) {
            run_sweep_on_arrays<Item, Region>(results, handed, up_to<Region::info.values>{}, up_to<Region::info.replays>{},
                                           up_to<std::size_t{Region::info.numbers} + Region::info.buffers>{}, up_to<Region::info.slots>{});
        } else {
            run_rounds<Item, Region, body>(results, handed, up_to<Region::info.values>{}, up_to<std::size_t{Region::info.numbers} + Region::info.buffers>{},
                                        up_to<Region::info.slots>{});
        }
    }
    template <node_index Item, class Region, class Body, class Handed, std::size_t... V, std::size_t... C, std::size_t... S>
    void run_rounds(T* results, const Handed& handed, std::index_sequence<V...>, std::index_sequence<C...>, std::index_sequence<S...>) {
        constexpr std::size_t first = base::template entries_of<Item>::first;
        constexpr bool repeats = Region::info.kind == region_kind::repeat, falls = Region::info.kind == region_kind::falling;
        std::tuple<loop_value<Place, T, rank_of_output<Body, V>>...> values;
        (std::get<V>(values).begin(std::get<first + V>(handed), this->memory_of_rounds()), ...);
        std::ptrdiff_t rounds = 0, room = 0;
        if constexpr (!repeats) rounds = rounds_of(static_cast<T>(std::get<0>(handed)));
        kept_rounds<T, Region::info.slots> kept;
        for (std::ptrdiff_t round = 0; repeats || round < rounds; ++round) {
            const std::ptrdiff_t index = falls ? rounds - 1 - round : round;
            const std::tuple now{static_cast<T>(index), std::get<V>(values).argument()..., std::get<first + Region::info.values + C>(handed)...};
            if constexpr (repeats) {
                rounds = round;
                if (number_from<Place, typename Program::template array_body<region_number(graph[Item]), 1>, T>(now) == T(0)) break;
            }
            const auto rows = [&](const auto& e) {
                if (round == room) {
                    room = !repeats ? rounds : round == 0 ? 16 : 2 * round;
                    (make_room(kept.history[S], kept.each[S], count_of_output<Body, Region::info.values + S>(e), round, room), ...);
                }
                return kept.rows(index);
            };
            run_round<Place, Body, T, 0>(values, now, rows, std::index_sequence<V...>{}, std::index_sequence<S...>{});
        }
        (end_value<Item, V>(std::get<V>(values), results), ...);
        results[Region::info.values] = static_cast<T>(rounds);
        hand_out<Item>(kept);
    }
    template <node_index Item, class Kept>
    void hand_out(const Kept& kept) {
        for (const node_index r : made_by<Item>) {
            if (graph[r].is(opcode::trail)) place_array(r, kept.history[graph[r].bits]);
        }
    }
    /// The rank of value number V of a sweep: those that are replayed come first.
    template <class Back, class Replay, std::size_t Replays, std::size_t V>
    static constexpr unsigned rank_of_swept() {
        if constexpr (V < Replays) {
            return rank_of_output<Replay, V>;
        } else {
            return rank_of_output<Back, V - Replays>;
        }
    }
    template <node_index Item, class Region, class Handed, std::size_t... V, std::size_t... P, std::size_t... C, std::size_t... S>
    void run_sweep_on_arrays(T* results, const Handed& handed, std::index_sequence<V...>, std::index_sequence<P...>, std::index_sequence<C...>,
                             std::index_sequence<S...>) {
        constexpr std::size_t first = base::template entries_of<Item>::first, region = region_number(graph[Item]), carries = Region::info.values - Region::info.replays;
        using back = typename Program::template array_body<region, 0>;
        using replay = typename Program::template array_body<region, 1>;
        std::tuple<loop_value<Place, T, rank_of_swept<back, replay, Region::info.replays, V>()>...> values;
        (std::get<V>(values).begin(std::get<first + V>(handed), this->memory_of_rounds()), ...);
        const std::tuple captured{std::get<first + Region::info.values + C>(handed)...};
        const auto rounds = static_cast<std::size_t>(rounds_of(static_cast<T>(std::get<0>(handed))));
        kept_rounds<T, Region::info.slots> kept;
        bool has_room = false;
        const auto room = [&](const auto& e) {
            if (!has_room) (make_room(kept.history[S], kept.each[S], count_of_output<back, carries + S>(e), 0, static_cast<std::ptrdiff_t>(rounds)), ...);
            has_room = true;
        };
        array_sweep<Place, back, replay, T, Region::info.replays, Region::info.slots, decltype(values), decltype(captured), decltype(room)> sweep{values, captured, room, kept};
        sweep.state_size = (std::size_t{0} + ... + std::get<P>(values).count());
        if constexpr (Region::info.replays == 0) { // an adjoint that needs no states
            for (std::size_t round = rounds; round-- > 0;) sweep.take_back(round);
        } else {
            const reversal schedule(Region::info.how, rounds, sweep.state_size * sizeof(T));
            if (schedule.slots() == 0 && rounds != 0) refuse_memory(Region::info.how, sweep.state_size * sizeof(T));
            sweep.states = this->memory_of_rounds().template take<T>(schedule.slots() * sweep.state_size);
            schedule.run(sweep, this->frame_.template take<std::size_t>(schedule.slots()));
        }
        (end_value<Item, V>(std::get<V>(values), results), ...);
        hand_out<Item>(kept);
    }
    void make_room(T*& history, std::size_t& each, std::size_t count, std::ptrdiff_t filled, std::ptrdiff_t rounds) {
        each = count;
        T* const more = this->memory_of_rounds().template take<T>(count * static_cast<std::size_t>(rounds));
        Place::copy_elements(history, count * static_cast<std::size_t>(filled), more);
        history = more;
    }
    template <node_index Item, std::size_t K, class Value>
    void end_value(Value& v, T* results) {
        if constexpr (std::is_same_v<Value, number_that_goes_round<T>>) {
            results[K] = v.now;
        } else {
            place_result<Item, K>(v.elements());
        }
    }
    /// Whether node r is a region's result K, outside of the host's numbers.
    static constexpr bool is_array_result(node_index r, std::size_t k) { return graph[r].is(opcode::result) && graph[r].bits == k && !(graph[r].rank == 0 && base::is_given(r)); }
    template <node_index Item, std::size_t K>
    void place_result(const T* data) {
        for (const node_index r : made_by<Item>) {
            if (is_array_result(r, K)) place_array(r, data);
        }
    }
    void place_array(node_index r, const T* data) {
        this->data_[plan.slot[r]] = data;
        this->set_row_major(r);
    }
    /// The chosen function of a branch.
    template <node_index Item, class Body, class Handed>
    void run_arm(T* results, const Handed& handed) {
        run_arm<Item, Body>(results, handed, std::make_index_sequence<std::tuple_size_v<Handed> - 1>{}, std::make_index_sequence<Body::graph.output_count>{});
    }
    template <node_index Item, class Body, class Handed, std::size_t... A, std::size_t... R>
    void run_arm(T* results, const Handed& handed, std::index_sequence<A...>, std::index_sequence<R...>) {
        const std::tuple now{T(0), std::get<A + 1>(handed)...};
        auto e = Place::template started<Body, T>(now);
        (check_arm<Item, Body, R>(e), ...);
        typename Place::template target<T> const out[sizeof...(R) + 1] = {make_place<Item, Body, R>(e)..., nullptr};
        e.run(out);
        (deliver<Item, Body, R>(e, static_cast<T*>(out[R]), results), ...);
    }
    /// The plan has the shapes of one function's results: the other's are the same.
    template <node_index Item, class Body, std::size_t Output, class E>
    void check_arm(const E& e) const {
        for (const node_index r : made_by<Item>) {
            if (!is_array_result(r, Output)) continue;
            run_time_shape has{graph[r].rank, {}}, wanted = has;
            for (unsigned k = 0; k < has.rank; ++k) {
                has.size[k] = e.template output_size<Output>(k);
                wanted.size[k] = this->size_[plan.size_of[r][k]];
            }
            if (!(has == wanted)) refuse_arms(wanted, has);
        }
    }
    /// Memory for a result of a branch: none for a number of the host.
    template <node_index Item, class Body, std::size_t Output, class E>
    T* make_place(const E& e) {
        if constexpr (rank_of_output<Body, Output> == 0 && base::is_given(Item)) {
            return nullptr;
        } else {
            return this->memory_of_rounds().template take<T>(count_of_output<Body, Output>(e));
        }
    }
    template <node_index Item, class Body, std::size_t Output, class E>
    void deliver(const E& e, T* place, T* results) {
        if constexpr (rank_of_output<Body, Output> == 0 && base::is_given(Item)) {
            results[Output] = e.template number<Output>();
        } else {
            keep_if_number<Place, Body, Output>(e, place);
            place_result<Item, Output>(place);
        }
    }
};

} // namespace dyad
