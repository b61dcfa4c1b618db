// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Runs a lowered graph on values: straight-line code, one statement a node, every intermediate result in a local array that is
// indexed by constants only, so that compilers keep it in registers. The value type is any number or vector of numbers.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include <dyad/kernel/regions.hpp>
#include <dyad/kernel/statements.hpp>

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

/// Runs one statement. It is a function argument, and a constant once it is inlined: its places as template arguments
/// would make every statement a function of its own, and each as an argument of its own twice the work of one.
/// Operations take values, not references: only a local array whose address goes nowhere becomes registers,
/// and quickly so.
template <opcode Op, bool Condition, bool Contracts, class T, class Mask>
DYAD_FN DYAD_INLINE constexpr void execute([[maybe_unused]] T* number, [[maybe_unused]] Mask* condition,
                                           [[maybe_unused]] const T* input, const statement& s) {
    [[maybe_unused]] const node_index to = s.to, x = s.from[0], y = s.from[1], z = s.from[2];
    [[maybe_unused]] const std::uint64_t bits = s.bits, low = s.low;
    [[maybe_unused]] const int attribute = static_cast<int>(bits);
    if constexpr (is(Op, opcode::input)) {
        if constexpr (Condition) condition[to] = input[bits] != T(0);
        if constexpr (!Condition) number[to] = input[bits];
    } else if constexpr (is(Op, opcode::constant)) {
        const exact value = exact::of_bits(bits, low);
        if constexpr (Condition) condition[to] = Mask(value.high != 0);
        if constexpr (!Condition) number[to] = value.template as<T>();
    } else if constexpr (is(Op, opcode::result) && Condition) { // of a region, whose results are numbers
        condition[to] = number[x + bits] != T(0);
    } else if constexpr (facts(Op).results > 1) {
        operation<Op>::values(number[x], number[to], number[to + 1]);
    } else if constexpr (is(Op, opcode::where) && Condition) {
        condition[to] = (condition[x] && condition[y]) || (!condition[x] && condition[z]);
    } else if constexpr (is(Op, opcode::where)) {
        number[to] = operation<Op>::value(condition[x], number[y], number[z]);
    } else if constexpr (is(Op, opcode::logical_not)) {
        condition[to] = operation<Op>::value(condition[x]);
    } else if constexpr (is(Op, opcode::logical_and) || is(Op, opcode::logical_or)) {
        condition[to] = operation<Op>::value(condition[x], condition[y]);
    } else if constexpr (Condition) {
        condition[to] = operation<Op>::value(number[x], number[y]);
    } else if constexpr (!is(Op, opcode::result)) { // whose operation has put it in place
        using rule = operation<Op>;
        if constexpr (symbolic<T> && rule::arity == 1) { // active numbers: what is computed is recorded
            number[to] = T(apply<Op>(attribute, number[x]));
        } else if constexpr (symbolic<T> && rule::arity == 2) {
            number[to] = T(apply<Op>(attribute, number[x], number[y]));
        } else if constexpr (symbolic<T>) {
            number[to] = T(apply<Op>(attribute, number[x], number[y], number[z]));
        } else if constexpr (rule::attributed && rule::arity == 1) {
            number[to] = rule::value(attribute, number[x]);
        } else if constexpr (rule::attributed) {
            number[to] = rule::value(attribute, number[x], number[y], number[z]);
        } else if constexpr (rule::arity == 1) {
            number[to] = rule::value(number[x]);
        } else if constexpr (Contracts && requires { rule::contracted(number[x], number[y]); }) {
            number[to] = rule::contracted(number[x], number[y]);
        } else if constexpr (rule::arity == 2) {
            number[to] = rule::value(number[x], number[y]);
        } else {
            number[to] = rule::value(number[x], number[y], number[z]);
        }
    }
}

/// Statement number i of the table `program`, as a constant and as an argument: where there are no static tables, one put
/// together from constants. (They are read from a copy of the one statement: nvcc's front end takes memory for the whole table
/// each time that a constant is read from it.)
#if DYAD_STATIC_TABLES
#define DYAD_STATEMENT_AT(i) program.at[i]
#define DYAD_STATEMENT(s) s
#else
#define DYAD_STATEMENT_AT(i) statement_at<(i)>
#define DYAD_STATEMENT(s)                                                                                             \
    statement {                                                                                                       \
        DYAD_CONSTANT(s.op), DYAD_CONSTANT(s.condition), DYAD_CONSTANT(s.to),                                         \
            {DYAD_CONSTANT(s.from[0]), DYAD_CONSTANT(s.from[1]), DYAD_CONSTANT(s.from[2])}, \
            DYAD_CONSTANT(s.bits), DYAD_CONSTANT(s.low)                                                               \
    }
#endif

/// The places of what is handed to a call: the numbers, then the buffers.
template <std::size_t N>
struct call_operands {
    node_index numbers[N + 1] = {};
    node_index buffers[N + 1] = {};
    std::size_t number_count = 0, buffer_count = 0;

    template <std::size_t Size>
    constexpr call_operands(graph_view g, const statements<Size>& program, node_index call) {
        for (const node_index entry : links(g.nodes, g.nodes[call].operand[0])) {
            if (is_buffer(g, entry)) buffers[buffer_count++] = program.at[entry].to;
            else numbers[number_count++] = program.at[entry].to;
        }
    }
};

#define DYAD_NO_ROUNDS_KEPT                                                                                                       \
    "[dyad] kernel: a kernel of a device has no memory for the rounds of a loop, which reverse mode keeps; use grad, value_and_grad " \
    "or jvp of the function in the kernel, which go forward through loops"

/// A vector whose numbers can be had one by one.
template <class T>
concept has_lanes = requires(const T& x, typename T::value_type* lanes) {
    { T::size } -> std::convertible_to<std::size_t>;
    x.store_unaligned(lanes);
    { T::load_unaligned(lanes) } -> std::same_as<T>;
};

/// A lowered graph, `Lowered::graph`, as a function of values; `Lowered::region<K, Which>` and `Lowered::info<K>` are the
/// bodies of its regions and what they take.
template <class Lowered>
struct kernel_of {
    static constexpr graph_view graph = Lowered::graph.view();
    static constexpr std::size_t size = graph.size;
    static constexpr std::size_t outputs = graph.output_count;
    static constexpr statements<size> program = statements_of<size>(graph);
    template <std::size_t Item>
    static constexpr statement statement_at = program.at[Item];

    /// Whether it calls functions of a library, which may give a vector other bits than a number.
    static constexpr bool calls = [] {
        bool any = false;
        for (std::size_t i = 0; i < size; ++i) any = any || !is_inline(graph[static_cast<node_index>(i)].op);
        return any;
    }();
    /// Whether the compiler may join its products and sums (op/contraction.hpp): where the program says so.
    static constexpr bool contracts = [] {
        if constexpr (DYAD_CONTRACTION && requires { Lowered::contracts; }) {
            return Lowered::contracts;
        } else {
            return false;
        }
    }();
    /// Whether nothing of a loop's rounds is kept: no memory is needed.
    static constexpr bool keeps_nothing = [] {
        if constexpr (program.has_regions) {
            return program.buffers == 0 && []<std::size_t... K>(std::index_sequence<K...>) {
                return ((Lowered::template info<K>.slots == 0 && Lowered::template info<K>.kind != region_kind::sweep) && ...);
            }(std::make_index_sequence<program.regions>{});
        } else {
            return true;
        }
    }();

    /// The outputs at `input`, which holds graph.input_count values.
    template <class T>
    DYAD_FN DYAD_INLINE static constexpr std::array<T, outputs> run(const T* input) {
        if constexpr (program.has_regions && vector_like<T>) {
            return run_lane_by_lane(input);
        } else {
            T number[program.numbers + 1];
            math::mask_of<T> condition[program.conditions + 1];
            run_level(number, condition, input, static_cast<const history_view<T>*>(nullptr), 0);
            return results(number, std::make_index_sequence<outputs>{});
        }
    }
    /// The same of the body of a loop, at an index, into `output`.
    template <class T>
    DYAD_FN DYAD_INLINE static constexpr void run_body(const T* input, const history_view<T>* borrowed, std::ptrdiff_t index, T* output) {
        T number[program.numbers + 1];
        math::mask_of<T> condition[program.conditions + 1];
        run_level(number, condition, input, borrowed, index);
        deliver_from<0>(number, output);
    }
    /// The same for code of a device, which cannot read a std::array nor take memory.
    template <class T>
    DYAD_FN DYAD_INLINE static constexpr void run_into(const T* input, T* output) {
        static_assert(keeps_nothing, DYAD_NO_ROUNDS_KEPT);
        T number[program.numbers + 1];
        math::mask_of<T> condition[program.conditions + 1];
        no_regions level;
        run_from<0>(number, condition, input, level);
        deliver_from<0>(number, output);
    }

private:
    // Fold expressions nest a level an element in clang, whose limit is 256.
    static constexpr std::size_t chunk = 32;

    /// Each number of a vector goes its own way through loops and branches.
    template <class T>
    static constexpr std::array<T, outputs> run_lane_by_lane(const T*) {
        static_assert(has_lanes<T> || number<T>, "[dyad] loop, branch: a vector of numbers runs through them one by one, which takes its size, load_unaligned and store_unaligned; call the function for each number");
        return {};
    }
    template <has_lanes T>
    static constexpr std::array<T, outputs> run_lane_by_lane(const T* input) {
        using lane = typename T::value_type;
        constexpr std::size_t inputs = graph.input_count;
        lane in[inputs + 1][T::size], out[outputs][T::size];
        for (std::size_t k = 0; k != inputs; ++k) input[k].store_unaligned(in[k]);
        for (std::size_t i = 0; i != T::size; ++i) {
            lane from[inputs + 1] = {};
            for (std::size_t k = 0; k != inputs; ++k) from[k] = in[k][i];
            const auto one = run<lane>(from);
            for (std::size_t k = 0; k != outputs; ++k) out[k][i] = one[k];
        }
        std::array<T, outputs> result{};
        for (std::size_t k = 0; k != outputs; ++k) result[k] = T::load_unaligned(out[k]);
        return result;
    }

    template <class T, class Mask>
    DYAD_FN DYAD_INLINE static constexpr void run_level(T* number, Mask* condition, const T* input, [[maybe_unused]] const history_view<T>* borrowed,
                                                        [[maybe_unused]] std::ptrdiff_t index) {
        if constexpr (program.has_regions && !(DYAD_DEVICE_CODE && keeps_nothing)) {
            level_state<T, program.buffers, program.regions> level;
            level.borrowed = borrowed;
            level.index = index;
            run_from<0>(number, condition, input, level);
        } else {
            no_regions level;
            run_from<0>(number, condition, input, level);
        }
    }

    template <std::size_t Begin, class T, class Mask, class Level>
    DYAD_FN DYAD_INLINE static constexpr void run_from(T* number, Mask* condition, const T* input, Level& level) {
        constexpr std::size_t left = size - Begin;
        if constexpr (left > chunk * chunk) {
            run_block<Begin>(number, condition, input, level, std::make_index_sequence<chunk>{});
            run_from<Begin + chunk * chunk>(number, condition, input, level);
        } else {
            if constexpr (left >= chunk) run_block<Begin>(number, condition, input, level, std::make_index_sequence<left / chunk>{});
            run_chunk<Begin + left / chunk * chunk>(number, condition, input, level,
                                                    std::make_index_sequence<left % chunk>{});
        }
    }
    template <std::size_t Begin, class T, class Mask, class Level, std::size_t... Item>
    DYAD_FN DYAD_INLINE static constexpr void run_block([[maybe_unused]] T* number, [[maybe_unused]] Mask* condition, [[maybe_unused]] const T* input,
                                                        [[maybe_unused]] Level& level, std::index_sequence<Item...>) {
        (run_chunk<Begin + Item * chunk>(number, condition, input, level, std::make_index_sequence<chunk>{}),
         ...);
    }
    template <std::size_t Begin, class T, class Mask, class Level, std::size_t... Item>
    DYAD_FN DYAD_INLINE static constexpr void run_chunk([[maybe_unused]] T* number, [[maybe_unused]] Mask* condition, [[maybe_unused]] const T* input,
                                                        [[maybe_unused]] Level& level, std::index_sequence<Item...>) {
        if constexpr (program.has_regions) {
            (step<Begin + Item>(number, condition, input, level), ...);
        } else {
            (execute<DYAD_STATEMENT_AT(Begin + Item).op, DYAD_STATEMENT_AT(Begin + Item).condition, contracts>(
                 number, condition, input, DYAD_STATEMENT(DYAD_STATEMENT_AT(Begin + Item))),
             ...);
        }
    }
    /// A statement that may be of a region.
    template <std::size_t Item, class T, class Mask, class Level>
    DYAD_FN DYAD_INLINE static constexpr void step(T* number, Mask* condition, const T* input, Level& level) {
        constexpr statement s = program.at[Item];
        if constexpr (is(s.op, opcode::entry)) {
            if constexpr (s.bits == 0) number[s.to] = number[s.from[1]];
            if constexpr (s.bits == 1) number[s.to] = condition[s.from[1]] ? T(1) : T(0);
            if constexpr (s.bits == 2) level.buffer[s.to] = level.buffer[s.from[1]];
        } else if constexpr (is(s.op, opcode::borrowed)) {
            level.buffer[s.to] = level.borrowed[s.bits];
        } else if constexpr (is(s.op, opcode::trail)) {
            level.buffer[s.to] = level.trail[s.bits >> 32].slot(s.bits & 0xffffffff);
        } else if constexpr (is(s.op, opcode::at)) {
            const history_view<T>& from = level.buffer[s.from[0]];
            number[s.to] = from.first[level.index * from.stride];
        } else if constexpr (is(s.op, opcode::call)) {
            constexpr std::size_t region = region_number(graph[Item]);
            constexpr call_operands<size> places(graph, program, Item);
            T operands[places.number_count + 1];
            DYAD_UNROLL_SMALL
            for (std::size_t k = 0; k != places.number_count; ++k) operands[k] = number[places.numbers[k]];
            using facts_of_region = region_of<Lowered, region>;
            using first = kernel_of<typename Lowered::template region<region, 0>>;
            using second = kernel_of<typename Lowered::template region<region, 1>>;
            if constexpr (std::is_same_v<Level, no_regions>) {
                run_region<facts_of_region, first, second>(no_memory{}, operands, number + s.to);
            } else {
                history_view<T> borrowed[places.buffer_count + 1];
                for (std::size_t k = 0; k != places.buffer_count; ++k) borrowed[k] = level.buffer[places.buffers[k]];
                run_region<facts_of_region, first, second>(region_memory<T>{level.trail[region], level.frame, borrowed}, operands, number + s.to);
            }
        } else if constexpr (!is(s.op, opcode::nothing)) {
            execute<s.op, s.condition, contracts>(number, condition, input, s);
        }
    }
    template <std::size_t Begin, class T>
    DYAD_FN DYAD_INLINE static constexpr void deliver_from(const T* number, T* output) {
        constexpr std::size_t left = outputs - Begin;
        deliver<Begin>(number, output, std::make_index_sequence<(left < chunk ? left : chunk)>{});
        if constexpr (left > chunk) deliver_from<Begin + chunk>(number, output);
    }
    template <std::size_t Begin, class T, std::size_t... Item>
    DYAD_FN DYAD_INLINE static constexpr void deliver([[maybe_unused]] const T* number, [[maybe_unused]] T* output, std::index_sequence<Item...>) {
        ((output[Begin + Item] = number[DYAD_CONSTANT(program.at[graph.outputs[Begin + Item]].to)]), ...);
    }
    template <class T, std::size_t... Item>
    DYAD_FN DYAD_INLINE static constexpr std::array<T, outputs> results(const T* number,
                                                                        std::index_sequence<Item...>) {
        return {number[DYAD_CONSTANT(program.at[graph.outputs[Item]].to)]...};
    }
};

#undef DYAD_STATEMENT
#undef DYAD_STATEMENT_AT

} // namespace dyad
DYAD_BOTH_SIDES_END
