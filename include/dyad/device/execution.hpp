// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Runs a program of arrays on the device: goes through the plan's steps, a kernel for each loop. Its memory is taken before the first
// kernel starts, but for what loops (device/rounds.hpp) and single operations need; numbers stay on the device until all is done.
#pragma once

#include <algorithm>

#include <dyad/device/calls.hpp>
#include <dyad/device/rounds.hpp>
#include <dyad/device/row_execution.hpp>

namespace dyad::device {

/// `Outputs`: the element type of each output's memory.
template <class Program, class T, class Outputs, class... Inputs>
class execution : public region_calls<row_execution<Program, T, Outputs, Inputs...>, rounds_on_device> {
    using base = region_calls<row_execution<Program, T, Outputs, Inputs...>, rounds_on_device>;
    using base::given;

public:
    static constexpr const auto& plan = Program::planned;
    static constexpr graph_view graph = Program::graph;
    using base::base, base::is_given;
    template <node_index Item>
    using element_of_store = typename base::template element_of_store<Item>;

    /// Computes; output number k of more than no axes goes to output[k], contiguous memory of the device.
    void run(void* const* output) {
        std::size_t sums = 0;
        for_indices<plan.step_count>([&]<std::size_t... S>(std::index_sequence<S...>) { ((sums = std::max(sums, this->template sums_of_step<S>())), ...); });
        for_indices<base::planned_rows::groups.count>([&]<std::size_t... G>(std::index_sequence<G...>) { ((sums = std::max(sums, this->template sums_of_rows<G>())), ...); });
        base::take_memory(output, sums);
        loops_done_ = 0;
        for_indices<plan.step_count>([&]<std::size_t... S>(std::index_sequence<S...>) { (this->template step<S>(), ...); });
    }

private:
    /// Whether the host does what comes after step s.
    static constexpr bool is_last_kernel(std::size_t s) {
        for (std::size_t t = s + 1; t < base::first_at_end; ++t) {
            if (plan.steps[t].kind != plan_step::view && !given.loop[t]) return false;
        }
        return true;
    }
    /// A loop of the plan; or, where it can begin a row kernel, that one, which takes the later ones along.
    template <std::size_t S>
    void run_loop_step() {
        constexpr std::size_t g = base::planned_rows::group_at(S);
        if (S < loops_done_ || this->is_at_end(S)) return;
        if constexpr (g < base::planned_rows::groups.count) {
            if (this->template fits_rows<g>()) {
                constexpr std::size_t last = base::planned_rows::groups.of[g].last;
                run_ahead<S>(std::make_index_sequence<last - S>{});
                this->template run_group_of_rows<g>(is_last_kernel(last - 1));
                loops_done_ = last;
                return;
            }
        }
        this->template run_loop_of_plan<plan.steps[S].index>(is_last_kernel(S));
    }
    /// What of the steps from S on is the host's: views, and loops over its numbers.
    template <std::size_t S, std::size_t... D>
    void run_ahead(std::index_sequence<D...>) {
        (run_if_of_host<S + D>(), ...);
    }
    template <std::size_t S>
    void run_if_of_host() {
        constexpr bool of_host = plan.steps[S].kind == plan_step::view || given.loop[S];
        if constexpr (of_host) step<S>();
    }
    template <std::size_t S>
    void step() {
        constexpr plan_step s = plan.steps[S];
        if constexpr (s.kind == plan_step::view) {
            this->template make_view<s.index>();
        } else if constexpr (given.loop[S]) {
            run_on_host<typename Program::template loop<s.index>>();
        } else if constexpr (s.kind == plan_step::loop) {
            run_loop_step<S>();
        } else if constexpr (graph[s.index].is(opcode::call)) {
            this->template run_call<s.index>();
        } else {
            run_operation<s.index>();
        }
    }

    /// A loop of no axes over numbers of the host.
    template <class Code>
    void run_on_host() {
        T x[Code::loads + 1] = {}, y[Code::stores + 1];
        for (std::size_t j = 0; j != Code::loads; ++j) x[j] = *static_cast<const T*>(this->data_[plan.slot[Code::table.loaded[j].node]]);
        Code::kernel::run_into(x, y);
        for (std::size_t k = 0; k != Code::stores; ++k) this->number_[plan.slot[Code::table.kept[k].node]] = y[k];
    }
    template <std::size_t S>
    [[nodiscard]] std::size_t sums_of_step() const {
        if constexpr (given.loop[S]) {
            return 0;
        } else if constexpr (plan.steps[S].kind == plan_step::loop) {
            return this->template sums_of_loop<plan.steps[S].index>();
        } else if constexpr (plan.steps[S].kind == plan_step::call) {
            return call_sums<plan.steps[S].index>();
        } else {
            return 0;
        }
    }

    // Calls

    template <node_index Item>
    [[nodiscard]] auto target_on_device() const {
        constexpr unsigned rank = graph[Item].rank;
        using element = element_of_store<Item>;
        array_reference<element, rank> r{static_cast<element*>(this->memory_of_store(Item)), {}, {}};
        for (unsigned k = 0; k < rank; ++k) r.size[k] = this->size_[plan.size_of[Item][k]];
        r.set_row_major();
        return r;
    }
    template <node_index Item>
    static constexpr bool reads_arrays = [] {
        bool arrays = true;
        for (int k = 0; k < operands_read(graph[Item]); ++k) arrays = arrays && graph[graph[Item].operand[k]].rank > 0;
        return arrays;
    }();
    template <node_index Item>
    [[nodiscard]] std::size_t call_sums() const {
        if constexpr (graph[Item].is(opcode::matmul)) {
            return sums_of_product(this->count_of(Item), this->size_[plan.size_of[graph[Item].operand[0]][0]]);
        } else {
            return 0;
        }
    }
    template <node_index Item>
    void run_operation() {
        constexpr node n = graph[Item];
        constexpr bool runs = runs_on_device(n.op) && (reads_arrays<Item> || is_device_routine(n.op));
        constexpr bool wants_headers = is_factorisation(n.op) && !runs;
        static_assert(!wants_headers, "[dyad] device: factorisations are cuSOLVER's (compile with DYAD_CUSOLVER) or LAPACK's, on the host: install the headers cblas.h and lapacke.h; and link with them");
        static_assert(runs || wants_headers, "[dyad] device: this operation is not there on a device yet (docs/cuda.md lists those that are); bring its operands to the host with to_host, or compute it there");
        if constexpr (plan.guest[Item] != no_node) { // the part is computed in its place
            constexpr unsigned axis = axis_of(n.bits);
            const std::size_t count = this->size_[plan.size_of[n.operand[0]][axis]], whole = this->size_[plan.size_of[Item][axis]];
            fill_around<T>(this->template target_on_device<Item>(), axis, routine::resolve(decode_slice(n.bits), whole).start, count);
        } else if constexpr (runs) {
            [&]<int... K>(std::integer_sequence<int, K...>) {
                call<n.op, T>(n.bits, this->template target_on_device<Item>(), this->partial_, this->template operand_on_device<n.operand[K]>()...);
            }(std::make_integer_sequence<int, operands_read(n)>{});
        }
    }

    std::size_t loops_done_ = 0; ///< steps: those before it that are loops have run
};

} // namespace dyad::device
