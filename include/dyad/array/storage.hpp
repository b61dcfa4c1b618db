// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The arrays of a running program: takes memory and knows where each node's elements lie. All that the plan knows is a
// constant here; only pointers, sizes and strides are run-time values.
#pragma once

#include <dyad/array/sizes.hpp>
#include <dyad/kernel/workspace.hpp>

namespace dyad {

/// The element type of an argument: an array, a number of a device, or a T.
template <class Argument, class T>
struct argument_element {
    using type = T;
};
template <referenced Argument, class T>
struct argument_element<Argument, T> {
    using type = std::remove_const_t<typename Argument::element_type>;
};
/// A number in a device's memory.
template <class Argument>
concept number_elsewhere = requires { typename Argument::value_type; };
template <number_elsewhere Argument, class T>
struct argument_element<Argument, T> {
    using type = typename Argument::value_type;
};

template <class Program, class T, class... Inputs>
class storage : public program_sizes<Program, T, Inputs...> {
    using base = program_sizes<Program, T, Inputs...>;

public:
    using program = Program;
    using number_type = T;
    static constexpr const auto& plan = Program::planned;
    static constexpr graph_view graph = Program::graph;

    /// The arguments: an array_reference for each array, a T for each number.
    DYAD_INLINE explicit storage(const std::tuple<Inputs...>& inputs) : base(inputs) {
        if constexpr (graph.size > 0) {
            for_indices<plan.leaves>([&]<std::size_t... L>(std::index_sequence<L...>) { (place_leaf<plan.leaf[L]>(), ...); });
        }
    }
    /// A result that is a number.
    template <std::size_t Output>
    [[nodiscard]] T number() const {
        constexpr node_index i = graph.outputs[Output];
        if constexpr (graph[i].is(opcode::constant)) {
            return constant_value(graph[i]).template as<T>();
        } else {
            return static_cast<T>(*static_cast<const element_of_node<i>*>(data_[plan.slot[i]]));
        }
    }

protected:
    using base::inputs_;
    using base::refuse_shapes;
    using base::size_;

    /// What node X hands to the body of a loop or branch.
    template <node_index X>
    [[nodiscard]] auto handed() const {
        constexpr node n = graph[X];
        if constexpr (n.is(opcode::constant)) {
            return constant_value(n).template as<T>();
        } else if constexpr (n.rank == 0) {
            return static_cast<T>(*static_cast<const element_of_node<X>*>(data_[plan.slot[X]]));
        } else {
            return this->template reference<X>();
        }
    }

    // Memory

    /// Whether the value of a node that is a number lies in the host's memory.
    static constexpr bool is_given(node_index) { return true; }
    /// Where loops take memory for what goes round.
    workspace::frame& memory_of_rounds() { return frame_; }
    /// The node whose memory node i reads: itself, unless it is a view.
    static constexpr node_index base_of(node_index i) {
        while (role_of(graph[i].op) == role::view) i = graph[i].operand[0];
        return i;
    }
    template <node_index Item>
    struct element_at {
        static constexpr node_index base = Item == no_node ? no_node : base_of(Item);
        static auto pick() {
            if constexpr (base == no_node) { // no memory
                return std::type_identity<T>{};
            } else if constexpr (graph[base].is(opcode::input)) {
                return std::type_identity<typename argument_element<std::tuple_element_t<graph[base].bits, std::tuple<Inputs...>>, T>::type>{};
            } else {
                return std::type_identity<T>{};
            }
        }
        using type = typename decltype(pick())::type;
    };
    template <node_index Item>
    using element_of_node = typename element_at<Item>::type;

    template <node_index Item>
    DYAD_INLINE void place_leaf() {
        constexpr node n = graph[Item];
        constexpr std::size_t slot = plan.slot[Item];
        if constexpr (n.is(opcode::input) && n.rank == 0) {
            if constexpr (number_elsewhere<std::tuple_element_t<n.bits, std::tuple<Inputs...>>>) {
                data_[slot] = std::get<n.bits>(inputs_).data;
            } else {
                number_[slot] = std::get<n.bits>(inputs_);
                data_[slot] = &number_[slot];
            }
        } else if constexpr (n.is(opcode::input)) {
            const auto& x = std::get<n.bits>(inputs_);
            data_[slot] = x.data;
            for (unsigned k = 0; k < n.rank; ++k) stride_[slot][k] = x.size[k] == 1 ? 0 : x.stride[k];
        } else if constexpr (n.is(opcode::extent)) {
            number_[slot] = this->template extent_of<Item>();
            data_[slot] = &number_[slot];
        }
    }
    [[nodiscard]] DYAD_INLINE std::size_t count_of(node_index i) const {
        std::size_t count = 1;
        for (unsigned k = 0; k < graph[i].rank; ++k) count *= size_[plan.size_of[i][k]];
        return count;
    }
    /// For a node of plan.kept.
    template <node_index Item>
    DYAD_INLINE void place_memory(T* const* output) {
        constexpr std::size_t slot = plan.slot[Item];
        constexpr std::size_t claimed = plan.claimed_by(Item);
        if constexpr (graph[Item].rank == 0 || !plan.used[Item]) {
            data_[slot] = &number_[slot];
        } else if constexpr (claimed < graph.output_count) {
            data_[slot] = output[claimed];
        } else if constexpr (plan.home[Item] != Item) {
            data_[slot] = data_[plan.slot[plan.home[Item]]];
        } else {
            data_[slot] = frame_.template take<T>(count_of(Item));
        }
        if constexpr (graph[Item].rank > 0) lay_out<Item, T>();
    }
    /// Elements of node Item lie one after the other; a guest's are some of them.
    template <node_index Item, class E>
    DYAD_INLINE void lay_out() {
        constexpr std::size_t slot = plan.slot[Item];
        set_row_major(Item);
        if constexpr (plan.guest[Item] != no_node) {
            constexpr unsigned axis = axis_of(graph[Item].bits);
            constexpr std::size_t part = plan.slot[plan.guest[Item]];
            const auto start = routine::resolve(decode_slice(graph[Item].bits), size_[plan.size_of[Item][axis]]).start;
            data_[part] = further(static_cast<const E*>(data_[slot]), start * stride_[slot][axis]);
            for (unsigned k = 0; k < graph[Item].rank; ++k) stride_[part][k] = stride_[slot][k];
        }
    }
    DYAD_INLINE void set_row_major(node_index i) {
        std::ptrdiff_t step = 1;
        for (unsigned k = 0; k < graph[i].rank; ++k) {
            stride_[plan.slot[i]][k] = step;
            step *= static_cast<std::ptrdiff_t>(size_[plan.size_of[i][k]]);
        }
    }
    /// The array of a node; with strides of 0 where it stretches to `R` axes of given sizes. (Of a node that has no place, but gives a
    /// shape, the sizes.)
    template <node_index Item, unsigned R = graph[Item].rank>
    [[nodiscard]] auto reference() const {
        using E = const element_of_node<Item>;
        constexpr bool placed = plan.slot[Item] != plan.no_slot;
        array_reference<E, R> r{nullptr, {}, {}};
        if constexpr (placed) r.data = static_cast<E*>(data_[plan.slot[Item]]);
        for (unsigned k = 0; k < R; ++k) {
            r.size[k] = k < graph[Item].rank ? size_[plan.size_of[Item][k]] : 1;
            r.stride[k] = 0;
            if constexpr (placed) {
                if (k < graph[Item].rank) r.stride[k] = stride_[plan.slot[Item]][k];
            }
        }
        return r;
    }
    template <node_index Item>
    [[nodiscard]] auto target() const {
        constexpr unsigned rank = graph[Item].rank;
        array_reference<T, rank> r{const_cast<T*>(static_cast<const T*>(data_[plan.slot[Item]])), {}, {}};
        for (unsigned k = 0; k < rank; ++k) r.size[k] = size_[plan.size_of[Item][k]];
        r.set_row_major();
        return r;
    }

    // Views

    /// Whether there are elements to see: not of a constant, nor of what loops compute as they go and nothing keeps, nor where the
    /// view but gives a shape. (Where results and histories of loops lie, the loop says as it runs: maybe later than a shape is asked.)
    template <node_index Item>
    static constexpr bool is_seen = [] {
        const auto is_placed = [](node_index i) { return role_of(graph[i].op) != role::view || graph[i].is(opcode::result) || graph[i].is(opcode::trail); };
        node_index base = Item;
        while (!is_placed(base)) base = graph[base].operand[0];
        return base != Item && !graph[base].is(opcode::constant) && plan.slot[base] != plan.no_slot && plan.used[Item];
    }();
    /// Sizes that do not fit, whether elements are seen or not.
    template <node_index Item>
    DYAD_INLINE void check_view() {
        constexpr node n = graph[Item];
        constexpr node_index x = n.operand[0];
        if constexpr (n.is(opcode::slice)) {
            constexpr unsigned axis = axis_of(n.bits);
            const std::size_t count = routine::resolve(decode_slice(n.bits), size_[plan.size_of[x][axis]]).count;
            if (count == 0 && size_[plan.size_of[Item][axis]] != 0) refuse_shapes();
        }
    }
    template <node_index Item>
    DYAD_INLINE void make_view() {
        constexpr node n = graph[Item];
        constexpr node_index x = n.operand[0];
        constexpr std::size_t to = plan.slot[Item];
        if constexpr (!graph[x].is(opcode::constant)) check_view<Item>();
        if constexpr (is_seen<Item>) {
            constexpr std::size_t from = plan.slot[x];
            constexpr unsigned axis = axis_of(n.bits), axes = axes_of(n.bits), x_rank = graph[x].rank;
            using E = element_of_node<Item>;
            const E* data = static_cast<const E*>(data_[from]);
            for (unsigned k = 0, moved = 0; k < n.rank; ++k) {
                if constexpr (n.is(opcode::transpose)) stride_[to][k] = stride_[from][permuted_axis(n.bits, k)];
                if constexpr (n.is(opcode::expand)) stride_[to][k] = (axes >> k & 1) != 0 ? 0 : stride_[from][moved++];
                if constexpr (n.is(opcode::slice) || n.is(opcode::window) || n.is(opcode::flip)) stride_[to][k] = stride_[from][k];
            }
            if constexpr (n.is(opcode::at)) {
                for (unsigned k = 0; k < n.rank; ++k) stride_[to][k] = stride_[from][k];
                data = further(data, static_cast<std::ptrdiff_t>(std::get<0>(inputs_)) * stride_[from][n.rank]);
            }
            if constexpr (n.is(opcode::diagonal)) {
                stride_[to][0] = stride_[from][0] + stride_[from][1];
                for (unsigned k = 1; k < n.rank; ++k) stride_[to][k] = stride_[from][k + 1];
            } else if constexpr (n.is(opcode::unfold)) {
                constexpr window_steps s = decode_steps(n.bits);
                for (unsigned k = 0; k < 2; ++k) {
                    const std::ptrdiff_t step = k == 0 ? s.last : s.before;
                    stride_[to][k] = stride_[from][k];
                    stride_[to][k + 2] = stride_[from][k] * step;
                }
                for (unsigned k = 4; k < n.rank; ++k) stride_[to][k] = stride_[from][k - 2];
            } else if constexpr (n.is(opcode::squeeze)) {
                for (unsigned k = 0, moved = 0; k < x_rank; ++k) {
                    if ((axes >> k & 1) == 0) stride_[to][moved++] = stride_[from][k];
                }
            } else if constexpr (n.is(opcode::flip)) {
                for (unsigned k = 0; k < n.rank; ++k) {
                    const auto size = static_cast<std::ptrdiff_t>(size_[plan.size_of[x][k]]);
                    if ((axes >> k & 1) == 0) continue;
                    if (size > 0) data = further(data, (size - 1) * stride_[from][k]);
                    stride_[to][k] = -stride_[from][k];
                }
            } else if constexpr (n.is(opcode::slice)) {
                constexpr slice_range s = decode_slice(n.bits);
                const routine::resolved_slice r = routine::resolve(s, size_[plan.size_of[x][axis]]);
                data = further(data, r.start * stride_[from][axis]);
                stride_[to][axis] = stride_[from][axis] * s.step;
            } else if constexpr (n.is(opcode::window)) {
                const std::size_t whole = size_[plan.size_of[x][axis]], part = size_[plan.size_of[Item][axis]];
                if ((n.bits & 16) != 0) data = further(data, static_cast<std::ptrdiff_t>(whole - part) * stride_[from][axis]);
            }
            data_[to] = data;
        }
    }

    workspace::frame frame_;
    static constexpr unsigned widest_rank = [] {
        unsigned rank = 1;
        for (std::size_t i = 0; i < graph.size; ++i) rank = graph[i].rank > rank ? graph[i].rank : rank;
        return rank;
    }();
    const void* data_[plan.slots + 1];
    std::ptrdiff_t stride_[plan.slots + 1][widest_rank];
    T number_[plan.slots + 1];
};

} // namespace dyad
