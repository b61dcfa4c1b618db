// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The sizes of a program's arrays, from its arguments: found in the plan's order, refused where they do not fit.
#pragma once

#include <dyad/array/empty_error.hpp>
#include <dyad/array/found_sizes.hpp>
#include <dyad/array/program.hpp>
#include <dyad/array/routines.hpp>
#include <dyad/base/each_index.hpp>
#include <dyad/pass/equal_sizes.hpp>

namespace dyad {

template <class Program, class T, class... Inputs>
class program_sizes {
public:
    static constexpr const auto& plan = Program::planned;
    static constexpr graph_view graph = Program::graph;

    /// The arguments: an array_reference for each array, a T for each number.
    DYAD_INLINE explicit program_sizes(const std::tuple<Inputs...>& inputs) : inputs_(inputs) {
        if constexpr (graph.size > 0) {
            find_sizes();
            if constexpr (requires { typename Program::source::function; }) {
                using function = typename Program::source::function;
                check_bodies<typename Program::source::with_bodies>();
                if (mismatch_ || !fits<function>(std::make_index_sequence<equal_sizes<function>::count>{})) stretch_like<function>();
            } else if (mismatch_) {
                found().stretch_or_refuse(shapes_at_run_time(inputs_));
            }
            for_indices<slice_gradients.count>([&]<std::size_t... K>(std::index_sequence<K...>) { (check_slice<slice_gradients.at[K]>(), ...); });
        }
    }

    /// The sizes as they are found, whether they fit or not.
    struct as_found {};
    DYAD_INLINE program_sizes(const std::tuple<Inputs...>& inputs, as_found) : inputs_(inputs) { find_sizes(); }
    [[nodiscard]] bool fit() const { return !mismatch_; }
    [[nodiscard]] found_sizes found() {
        found_sizes f{graph, plan.size_of, plan.rules, plan.equal, plan.size_count, size_};
        if constexpr (requires { typename Program::source::function; }) f.function = Program::source::function::graph;
        return f;
    }

    /// The size of axis k from the end of output number `Output`.
    template <std::size_t Output>
    [[nodiscard]] std::size_t output_size(unsigned k) const {
        return size_[plan.size_of[graph.outputs[Output]][k]];
    }

protected:
    /// The entries of a call, first to last.
    template <node_index Item>
    struct entries_of {
        static constexpr std::size_t count = links(graph.nodes, graph[Item].operand[0]).size();
        struct table {
            node_index at[count + 1] = {};
        };
        static constexpr table of = [] {
            table t;
            const list<node_index> all = links(graph.nodes, graph[Item].operand[0]);
            for (std::size_t k = 0; k < count; ++k) t.at[k] = graph[all[k]].operand[1];
            return t;
        }();
        static constexpr std::size_t first = is_repeat_call(graph[Item]) ? 0 : 1; ///< before it: the number of rounds, the condition
    };
    /// The value of an extent: the product of some sizes.
    template <node_index X>
    [[nodiscard]] DYAD_INLINE T extent_of() const {
        constexpr node n = graph[X];
        T count = 1;
        for (unsigned k = 0; k < graph[n.operand[0]].rank; ++k) {
            if ((axes_of(n.bits) >> k & 1) != 0) count *= static_cast<T>(size_[plan.size_of[n.operand[0]][k]]);
        }
        return count;
    }
    /// The extrema of no elements among a loop's outputs; where there are no results, none is wrong.
    DYAD_INLINE void refuse_empty_extrema(const store* outputs, std::size_t count) const {
        for (std::size_t k = 0; k != count; ++k) {
            if (is(outputs[k].how, opcode::reduce_max) || is(outputs[k].how, opcode::reduce_min)) refuse_empty_extremum(outputs[k].node);
        }
    }
    DYAD_INLINE void refuse_empty_extremum(node_index i) const {
        const node& n = graph[i];
        const unsigned rank = graph[n.operand[0]].rank, axes = axes_of(n.bits);
        std::size_t chosen_from = 1, results = 1;
        for (unsigned k = 0; k < rank; ++k) ((axes >> k & 1) != 0 ? chosen_from : results) *= size_[plan.size_of[n.operand[0]][k]];
        if (chosen_from != 0 || results == 0) return;
        run_time_shape x{rank, {}};
        for (unsigned k = 0; k < rank; ++k) x.size[k] = size_[plan.size_of[n.operand[0]][k]];
        refuse_empty(function_name(n), x, axes);
    }
    [[noreturn]] void refuse_shapes() { found().refuse(shapes_at_run_time(inputs_)); }

    const std::tuple<Inputs...>& inputs_;
    std::size_t size_[plan.size_count + 1];

private:
    DYAD_INLINE void find_sizes() {
        for_indices<plan.size_count>([&]<std::size_t... D>(std::index_sequence<D...>) { (find_size<D>(), ...); });
    }
    template <std::size_t D>
    DYAD_INLINE void find_size() {
        constexpr dimension_rule r = plan.rules[D];
        std::size_t size = 0;
        if constexpr (r.kind == dimension_rule::fixed) size = r.value;
        if constexpr (r.kind == dimension_rule::argument) size = stretched_ == nullptr ? std::get<r.a>(inputs_).size[r.b] : (*stretched_)[r.a].size[r.b];
        if constexpr (r.kind == dimension_rule::cut) size = routine::resolve(decode_slice(r.value), size_[r.a]).count;
        if constexpr (r.kind == dimension_rule::sum) size = size_[r.a] + size_[r.b];
        if constexpr (r.kind == dimension_rule::lesser) size = std::min(size_[r.a], size_[r.b]);
        if constexpr (r.kind == dimension_rule::rounds) size = static_cast<std::size_t>(rounds_of(static_cast<T>(std::get<r.a>(inputs_))));
        if constexpr (r.kind == dimension_rule::of_body) size = size_in_body<r.a, r.value, D>(r.b);
        if constexpr (r.kind == dimension_rule::windows) {
            size = routine::windows(size_[r.a], size_[r.b], r.value);
            mismatch_ = mismatch_ || size_[r.a] < size_[r.b];
        }
        if constexpr (r.kind == dimension_rule::rest || r.kind == dimension_rule::filled) {
            std::size_t elements = 1;
            for (unsigned k = 0; k < r.b; ++k) elements *= size_[plan.size_of[r.a][k]];
            constexpr bool exact = r.kind == dimension_rule::filled;
            mismatch_ = mismatch_ || (exact ? elements != r.value : r.value == 0 || elements % r.value != 0);
            size = exact || r.value == 0 ? 0 : elements / r.value;
        }
        if constexpr (r.kind == dimension_rule::quotient) {
            mismatch_ = mismatch_ || size_[r.b] == 0 || size_[r.a] % size_[r.b] != 0;
            size = size_[r.b] == 0 ? 0 : size_[r.a] / size_[r.b];
        }
        if constexpr (plan.equal[D] != D) {
            mismatch_ = mismatch_ || size_[plan.equal[D]] != size;
        }
        size_[D] = size;
    }
    /// A number that sizes may depend on, as the count of a loop, before anything is computed: the size of an axis, or some more or less.
    template <node_index X>
    [[nodiscard]] T known_number() const {
        constexpr node_and_more parts = without_constants(graph, X);
        if constexpr (parts.of != no_node && graph[parts.of].is(opcode::extent)) {
            return extent_of<parts.of>() + static_cast<T>(parts.more);
        } else {
            return T(0);
        }
    }
    /// A size that the body of call Item gives its result: from what it is handed, whose elements may not be there yet.
    /// `Found` sizes are known.
    template <node_index Item, std::size_t Output, std::size_t Found>
    [[nodiscard]] std::size_t size_in_body(unsigned axis) const {
        using entries = entries_of<Item>;
        using body = typename Program::template array_body<region_number(graph[Item]), 0>;
        return [&]<std::size_t... E>(std::index_sequence<E...>) {
            const std::tuple inputs{T(0), sizes_handed<entries::of.at[entries::first + E], Found>()...};
            return sizes_for<body>(inputs).template output_size<Output>(axis);
        }(std::make_index_sequence<entries::count - entries::first>{});
    }
    template <class Body, class... X>
    static auto sizes_for(const std::tuple<X...>& inputs) {
        return program_sizes<Body, T, X...>(inputs);
    }
    template <node_index X, std::size_t Found>
    [[nodiscard]] auto sizes_handed() const {
        constexpr node n = graph[X];
        if constexpr (n.is(opcode::constant)) {
            return constant_value(n).template as<T>();
        } else if constexpr (n.rank == 0 && n.is(opcode::input)) {
            return std::get<n.bits>(inputs_); // (one of a device is read only where a size is made of it)
        } else if constexpr (n.rank == 0) {
            return known_number<X>();
        } else {
            array_reference<const T, n.rank> r;
            for (unsigned k = 0; k < n.rank; ++k) r.size[k] = found_size(plan.size_of[X][k], Found);
            return r;
        }
    }
    /// Of equal sizes, `found` of them known: where some differ, what has size 1 stretches to the others.
    [[nodiscard]] std::size_t found_size(dimension first, std::size_t found) const {
        std::size_t size = size_[first];
        for (std::size_t d = first; d < found && mismatch_ && size == 1; ++d) {
            if (plan.equal[d] == first) size = size_[d];
        }
        return size;
    }

    // What does not fit

    /// A size made of the arguments'.
    template <size_form Form, std::size_t... K>
    [[nodiscard]] DYAD_INLINE std::ptrdiff_t size_by(std::index_sequence<K...>) const {
        const std::ptrdiff_t size = (std::ptrdiff_t{Form.constant} + ... + static_cast<std::ptrdiff_t>(std::get<Form.terms[K].input>(inputs_).size[Form.terms[K].axis]));
        return Form.constant < 0 && size < 0 ? std::ptrdiff_t{0} : size;
    }
    /// Whether the two sizes of a pair are equal.
    template <class Function, std::size_t E>
    [[nodiscard]] DYAD_INLINE bool are_equal() const {
        constexpr size_form a = equal_sizes<Function>::list_of.at[E].first, b = equal_sizes<Function>::list_of.at[E].second;
        return size_by<a>(std::make_index_sequence<a.count>{}) == size_by<b>(std::make_index_sequence<b.count>{});
    }
    /// The sizes that the function itself wants equal, whether this program needs them or not.
    template <class Function, std::size_t... E>
    [[nodiscard]] DYAD_INLINE bool fits(std::index_sequence<E...>) const {
        if constexpr (equal_sizes<Function>::all.others) {
            if (!sizes_of_function(inputs_, {}).fit()) return false;
        }
        return are_all_equal<Function>(std::index_sequence<E...>{});
    }
    template <class Function, std::size_t... E>
    [[nodiscard]] DYAD_INLINE bool are_all_equal(std::index_sequence<E...>) const {
        return (are_equal<Function, E>() && ...);
    }
    /// What does not fit in the bodies of loops, though this program may not need what is computed there.
    template <class WithBodies>
    DYAD_INLINE void check_bodies() const {
        if constexpr (has_regions(WithBodies::graph)) {
            if (!are_all_equal<WithBodies>(std::make_index_sequence<equal_sizes<WithBodies>::count>{})) check_all(WithBodies::graph, shapes_at_run_time(inputs_));
        }
    }
    using sizes_of_function = program_sizes<sized_function<Program>, T, Inputs...>;
    template <class Function>
    [[nodiscard]] list<run_time_shape> shapes_of_bodies() const {
        constexpr bool calls = [] {
            for (std::size_t i = 0; i < Function::graph.view().size; ++i) {
                if (Function::graph.view()[static_cast<node_index>(i)].is(opcode::call)) return true;
            }
            return false;
        }();
        if constexpr (calls) {
            return sizes_of_function(inputs_, {}).found().shapes_of_bodies();
        } else {
            return {};
        }
    }
    /// What stretches in the function has its full size here from the start, as the derivative may have nothing left to show it: the
    /// slope of sum(a + b) by a is a number, for as many elements as a + b has.
    template <class Function>
    void stretch_like() {
        constexpr graph_view function = Function::graph.view();
        const char* name = nullptr;
        if constexpr (requires { Function::name; }) name = Function::name;
        list<run_time_shape> stretched = full_sizes(function, shapes_at_run_time(inputs_), shapes_of_bodies<Function>(), name);
        if constexpr (requires { Program::source::directions(); }) {
            const list<std::uint32_t> by = Program::source::directions();
            for (std::size_t k = 0; k < by.size(); ++k) stretched.at[function.input_count + k] = stretched[by[k]];
        }
        mismatch_ = false;
        stretched_ = &stretched;
        find_sizes();
        stretched_ = nullptr;
        if (mismatch_) found().stretch_or_refuse(stretched);
        mismatch_ = false;
    }
    /// The gradients of slices. A program that needs no element of the slice itself, has only these to show that it is none.
    struct node_list {
        std::size_t count = 0;
        node_index at[graph.size + 1] = {};
    };
    static constexpr node_list slice_gradients = [] {
        node_list all;
        for (node_index i = 0; i < graph.size; ++i) {
            if (graph[i].is(opcode::unslice) && graph[graph[i].operand[0]].rank > axis_of(graph[i].bits)) all.at[all.count++] = i;
        }
        return all;
    }();
    template <node_index Item>
    DYAD_INLINE void check_slice() {
        constexpr unsigned axis = axis_of(graph[Item].bits);
        const std::size_t count = routine::resolve(decode_slice(graph[Item].bits), size_[plan.size_of[Item][axis]]).count;
        if (count != size_[plan.size_of[graph[Item].operand[0]][axis]]) refuse_shapes();
    }
    bool mismatch_ = false;
    const list<run_time_shape>* stretched_ = nullptr; ///< the arguments' full sizes, while they are found
};

} // namespace dyad
