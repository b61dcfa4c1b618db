// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The sizes of arrays as symbols: which axes of a graph's arrays have one size, and how each size follows from the
// arguments'. Loops over equal sizes can become one loop.
#pragma once

#include <dyad/pass/region_info.hpp>

namespace dyad {

/// A size. Number 0 is the size 1 of an axis that only stretches.
using dimension = std::uint16_t;

/// How a size is found, from earlier ones.
struct dimension_rule {
    enum kind_t : std::uint8_t {
        fixed,    ///< `value`
        argument, ///< of input `a`, axis `b` from the end
        cut,      ///< of x[start:stop:step] where x has size `a`; the range is `value`, as an attribute
        sum,      ///< a + b
        lesser,   ///< min(a, b)
        rounds,   ///< the whole number that is input `a`
        of_body,  ///< of axis `b` of result number `value` of the body of call `a`
        windows,  ///< how many windows of size b fit into a, `value` apart
        rest,     ///< the elements of node `a`, without its first axes but `b`, over those of `value` fixed ones
        quotient, ///< a / b, which leaves nothing
        filled    ///< nothing, where these elements are as many as `value`
    };
    kind_t kind = fixed;
    std::uint32_t a = 0, b = 0;
    std::uint64_t value = 1;
};

/// The sizes of all nodes.
class dimensions {
public:
    list<dimension_rule> rules;
    list<dimension> equal; ///< the number of the first equal size: of itself, for a size on its own

    constexpr explicit dimensions(graph_view g) : of_(g.size * max_rank) {
        add({});
        for (node_index i = 0; i < g.size; ++i) infer(g, i);
        for (dimension& d : equal) d = equal.at[d]; // whose own is known by then: others ask often
    }

    /// A node of the shape of result k of a loop or a rule: what is handed in for value k (the number of rounds comes
    /// before the values), what goes round first, what the results are.
    static constexpr node_index like_result(graph_view g, node_index region, std::uint64_t k) {
        const node& n = g[region];
        switch (n.op) {
        case opcode::call: return g[links(g.nodes, n.operand[0])[k + (is_repeat_call(n) ? 0 : 1)]].operand[1];
        case opcode::branch: return g[links(g.nodes, n.operand[2])[k]].operand[1];
        case opcode::custom:
        case opcode::invertible:
        case opcode::checkpoint: return g[links(g.nodes, n.operand[0])[k]].operand[1];
        default: return g[bindings(g.nodes, region)[k]].operand[1];
        }
    }
    /// Whether node i is a value of a branch of a graph's outer level, which only the function that is chosen shapes.
    static constexpr bool is_of_branch(graph_view g, node_index i) {
        const node& region = g[g[i].operand[0]];
        return g[i].is(opcode::result) && region.is(opcode::call) && (region.bits & branch_call) != 0;
    }
    /// The node that a region binds to parameter i; loops do it behind their parameters, branches before them.
    static constexpr node_index bound_to(graph_view g, node_index i) {
        for (node_index link = 0; link < g.size && g[i].rank != 0; ++link) {
            if (!g[link].is(opcode::carry) && !g[link].is(opcode::replay) && !g[link].is(opcode::bind)) continue;
            if (g[link].bits == g[i].bits && g[link].operand[1] < i) return g[link].operand[1];
        }
        return no_node;
    }

    /// The size of axis k from the end of node i.
    [[nodiscard]] constexpr dimension at(node_index i, unsigned k) const { return root(of_.at[i * max_rank + k]); }
    [[nodiscard]] constexpr dimension root(dimension d) const {
        while (equal.at[d] != d) d = equal.at[d];
        return d;
    }

private:
    constexpr dimension add(dimension_rule r) {
        rules.push_back(r);
        equal.push_back(static_cast<dimension>(rules.size() - 1));
        return equal.back();
    }
    constexpr dimension add_fixed(std::uint64_t size) {
        return size == 1 ? dimension{0} : add({.kind = dimension_rule::fixed, .value = size});
    }
    constexpr dimension windows(dimension whole, dimension window, unsigned step) { return add({dimension_rule::windows, whole, window, step}); }
    constexpr void meet_axes(node_index x, unsigned k, node_index y, unsigned l) { meet(of_.at[x * max_rank + k], of_.at[y * max_rank + l]); }
    /// Two axes that are one size, also where one is 1 by construction: neither stretches.
    constexpr void equal_axes(node_index x, unsigned k, node_index y, unsigned l) {
        const dimension a = at(x, k), b = at(y, l);
        meet(a != 0 || b == 0 ? a : add({}), b != 0 || a == 0 ? b : add({}));
    }
    /// The size of a slice; that of one known if it leaves out as many of the same.
    constexpr dimension cut(dimension from, std::uint64_t bits) {
        const int out = left_out(decode_slice(bits));
        for (std::size_t d = 0; d < rules.size() && out >= 0; ++d) {
            const dimension_rule& r = rules.at[d];
            if (r.kind == dimension_rule::cut && root(static_cast<dimension>(r.a)) == from && left_out(decode_slice(r.value)) == out) return static_cast<dimension>(d);
        }
        return add({dimension_rule::cut, from, 0, bits});
    }
    constexpr void set(node_index i, unsigned k, dimension d) { of_.at[i * max_rank + k] = d; }
    /// The size of two axes that meet, one of which may stretch.
    constexpr dimension meet(dimension a, dimension b) {
        a = root(a), b = root(b);
        if (a == 0 || b == 0) return a == 0 ? b : a;
        if (a != b) equal.at[a < b ? b : a] = a < b ? a : b;
        return a < b ? a : b;
    }
    /// Axis k of node i as that of its operands from number `first` on.
    constexpr void meet_operands(graph_view g, node_index i, unsigned k, int first = 0, int last = 2) {
        dimension d = 0;
        for (int j = first; j < g[i].arity() && j <= last; ++j) {
            const node_index x = g[i].operand[j];
            if (k < g[x].rank) d = meet(d, of_.at[x * max_rank + k]);
        }
        set(i, k, (g[i].ones >> k & 1) != 0 ? dimension{0} : d);
    }
    constexpr void copy(graph_view g, node_index i, unsigned k, node_index x, unsigned from) {
        set(i, k, (g[i].ones >> k & 1) != 0 ? dimension{0} : of_.at[x * max_rank + from]);
    }

    constexpr void infer(graph_view g, node_index i) {
        const node& n = g[i];
        const node_index x = n.operand[0], y = n.operand[1];
        const unsigned axis = axis_of(n.bits), axes = axes_of(n.bits);
        const unsigned x_rank = n.arity() > 0 ? g[x].rank : 0U;
        switch (n.op) {
        case opcode::input:
            for (unsigned k = 0; k < n.rank; ++k) {
                const bool one = (n.ones >> k & 1) != 0;
                set(i, k, one ? dimension{0} : add({dimension_rule::argument, static_cast<std::uint32_t>(n.bits), k, 1}));
            }
            return;
        case opcode::at:
            for (unsigned k = 0; k < n.rank; ++k) copy(g, i, k, x, k);
            return;
        case opcode::call: return meet_rounds(g, i);
        case opcode::parameter:
            for (unsigned k = 0; k < n.rank && bound_to(g, i) != no_node; ++k) copy(g, i, k, bound_to(g, i), k);
            return;
        case opcode::history:
            for (unsigned k = 0; k + 1 < n.rank; ++k) copy(g, i, k, n.operand[1], k);
            set(i, n.rank - 1U, !g[x].is(opcode::repeat) ? rounds_of(g, g[x].operand[0]) : add_fixed(0));
            return;
        case opcode::result:
            for (unsigned k = 0; k < n.rank; ++k) {
                if (is_of_branch(g, i)) set(i, k, add({dimension_rule::of_body, x, k, n.bits}));
                if (!is_of_branch(g, i)) copy(g, i, k, like_result(g, x, n.bits), k);
            }
            return;
        case opcode::trail: // after the values of the next round
            for (unsigned k = 0; k + 1 < n.rank; ++k)
                set(i, k, add({dimension_rule::of_body, x, k, values_of_body(g[x]) + n.bits}));
            set(i, n.rank - 1U, rounds_of_call(g, x));
            return;
        case opcode::reduce_sum:
        case opcode::reduce_prod:
        case opcode::reduce_max:
        case opcode::reduce_min:
        case opcode::arg_max:
        case opcode::arg_min:
        case opcode::squeeze:
            for (unsigned k = 0, to = 0; k < x_rank; ++k) {
                if ((axes >> k & 1) == 0) copy(g, i, to++, x, k);
                if ((axes >> k & 1) != 0 && n.is(opcode::squeeze) && at(x, k) != 0) meet(at(x, k), add({}));
            }
            return;
        case opcode::expand:
            for (unsigned k = 0, from = 0; k < n.rank; ++k) {
                if ((axes >> k & 1) == 0) copy(g, i, k, x, from++);
            }
            return;
        case opcode::transpose:
            for (unsigned k = 0; k < n.rank; ++k) copy(g, i, k, x, permuted_axis(n.bits, k));
            return;
        case opcode::fill:
            for (unsigned k = 0; k < n.rank; ++k) set(i, k, add_fixed(reshape_size(n.bits, k)));
            return;
        case opcode::fill_like:
        case opcode::reshape: return name_sizes(g, i);
        case opcode::reshape_like: {
            const reshape_ranks r = reshape_ranks_of(n.bits);
            for (unsigned k = 0; k < n.rank; ++k) copy(g, i, k, k < r.to ? y : x, k < r.to ? k : k - r.to + r.from);
            return;
        }
        case opcode::slice:
            for (unsigned k = 0; k < n.rank; ++k) copy(g, i, k, x, k);
            if ((n.ones >> axis & 1) == 0) set(i, axis, cut(at(x, axis), n.bits));
            return;
        case opcode::pad: {
            const slice_range s = decode_slice(n.bits);
            for (unsigned k = 0; k < n.rank; ++k) copy(g, i, k, x, k);
            const dimension more = add({.kind = dimension_rule::fixed, .value = static_cast<std::uint64_t>(s.start + s.stop)});
            set(i, axis, add({dimension_rule::sum, at(x, axis), more, 1}));
            return;
        }
        case opcode::scatter_add: {
            const node_index v = n.operand[2];
            const unsigned more = g[y].rank;
            for (unsigned k = 0; k < more; ++k) meet_axes(v, axis + k, y, k);
            for (unsigned k = 0; k < n.rank; ++k) {
                const unsigned from = k < axis ? k : k + more - 1;
                dimension d = k < x_rank ? of_.at[x * max_rank + k] : dimension{0};
                if (k != axis && from < g[v].rank) d = meet(d, of_.at[v * max_rank + from]);
                set(i, k, (n.ones >> k & 1) != 0 ? dimension{0} : d);
            }
            return;
        }
        case opcode::window:
        case opcode::unslice:
        case opcode::unwindow:
            for (unsigned k = 0; k < n.rank; ++k) k == axis ? copy(g, i, k, y, k) : meet_operands(g, i, k, 0, n.is(opcode::window) ? 0 : 1);
            return;
        case opcode::concat:
            for (unsigned k = 0; k < n.rank; ++k) k != axis ? meet_operands(g, i, k) : set(i, k, add({dimension_rule::sum, at(x, k), at(y, k), 1}));
            return;
        case opcode::unfold:
            for (unsigned k = 0; k < n.rank; ++k) {
                const window_steps s = decode_steps(n.bits);
                if (k < 2) copy(g, i, k, y, k);
                if (k >= 4) copy(g, i, k, x, k - 2);
                if (k == 2 || k == 3) set(i, k, windows(at(x, k - 2), at(y, k - 2), k == 2 ? s.last : s.before));
            }
            return;
        case opcode::fold:
            for (unsigned k = 0; k < n.rank; ++k) copy(g, i, k, k < g[y].rank ? y : x, k < g[y].rank ? k : k + 2);
            return;
        case opcode::pool:
            for (unsigned k = 0; k < n.rank; ++k) copy(g, i, k, x, k);
            for (unsigned k = 0; k < 2; ++k) set(i, k, windows(at(x, k), add_fixed(decode_pool(n.bits).size), decode_pool(n.bits).step));
            return;
        case opcode::pool_tangent: // of elements y, from which z was pooled
            for (unsigned k = 0; k < 2; ++k) meet_axes(x, k, y, k), copy(g, i, k, n.operand[2], k);
            for (unsigned k = 2; k < n.rank; ++k) meet_operands(g, i, k, 0, 2);
            return;
        case opcode::pool_cotangent:
            for (unsigned k = 0; k < 2; ++k) meet_axes(x, k, n.operand[2], k), copy(g, i, k, y, k);
            for (unsigned k = 2; k < n.rank; ++k) meet_operands(g, i, k, 0, 2);
            return;
        case opcode::conv2d: {
            const convolution_steps s = decode_convolution(n.bits);
            const auto padded = [&](dimension d) { return s.padding == 0 ? d : add({dimension_rule::sum, d, add_fixed(2 * std::uint64_t{s.padding}), 1}); };
            for (unsigned k = 0; k < 2; ++k) set(i, k, windows(padded(at(x, k)), at(y, k), s.step));
            equal_axes(x, 2, y, 2), copy(g, i, 2, y, 3), copy(g, i, 3, x, 3);
            for (unsigned k = 4; k < n.rank; ++k) meet_operands(g, i, k, 0, 1);
            return;
        }
        case opcode::conv2d_images:
        case opcode::conv2d_kernels: {
            const node_index z = n.operand[2];
            const bool images = n.is(opcode::conv2d_images); // from a cotangent x with kernels y; else from images x with a cotangent y
            equal_axes(x, images ? 2 : 3, y, 3), equal_axes(images ? x : y, images ? 3 : 2, z, 3), equal_axes(images ? y : x, 2, z, 2);
            for (unsigned k = 0; k < 4; ++k) copy(g, i, k, z, k);
            for (unsigned k = 4; k < n.rank; ++k) meet_operands(g, i, k, 0, 1);
            return;
        }
        case opcode::take: {
            const unsigned more = g[y].rank;
            for (unsigned k = 0; k < n.rank; ++k) {
                const bool taken = k >= axis && k < axis + more;
                copy(g, i, k, taken ? y : x, taken ? k - axis : k < axis ? k : k - more + 1);
            }
            return;
        }
        case opcode::eye_like:
        case opcode::outer_like: {
            const node_index inner = n.is(opcode::eye_like) ? x : y;
            for (unsigned k = 0; k < n.rank; ++k) {
                const bool low = k < g[inner].rank;
                copy(g, i, k, low ? inner : x, low ? k : k - g[inner].rank);
            }
            return;
        }
        case opcode::matmul:
        case opcode::solve:
            equal_axes(x, 0, y, 1);
            if (n.is(opcode::solve)) equal_axes(x, 0, x, 1);
            copy(g, i, 0, y, 0), copy(g, i, 1, x, 1);
            for (unsigned k = 2; k < n.rank; ++k) meet_operands(g, i, k);
            return;
        case opcode::logabsdet:
        case opcode::det:
            equal_axes(x, 0, x, 1);
            for (unsigned k = 0; k < n.rank; ++k) copy(g, i, k, x, k + 2);
            return;
        case opcode::diagonal:
        case opcode::eigh_values:
            if (n.is(opcode::eigh_values)) equal_axes(x, 0, x, 1);
            [[fallthrough]];
        case opcode::svd_s:
            for (unsigned k = 1; k < n.rank; ++k) copy(g, i, k, x, k + 1);
            set(i, 0, n.is(opcode::eigh_values) ? at(x, 0) : lesser(x));
            return;
        case opcode::undiagonal:
            for (unsigned k = 0; k < n.rank; ++k) {
                dimension d = k < g[y].rank ? of_.at[y * max_rank + k] : dimension{0};
                if (k >= 2 && k - 1 < x_rank) d = meet(d, of_.at[x * max_rank + k - 1]);
                set(i, k, (n.ones >> k & 1) != 0 ? dimension{0} : d);
            }
            return;
        case opcode::inverse:
        case opcode::cofactors:
        case opcode::cholesky:
        case opcode::eigh_vectors:
            equal_axes(x, 0, x, 1);
            break;
        case opcode::svd_u:
        case opcode::qr_q:
        case opcode::svd_v:
        case opcode::qr_r: {
            const unsigned thin = n.is(opcode::svd_u) || n.is(opcode::qr_q) ? 0 : 1;
            for (unsigned k = 0; k < n.rank; ++k) copy(g, i, k, x, k);
            set(i, thin, lesser(x));
            return;
        }
        default: break;
        }
        if (n.arity() == 0 || is_region_operation(n.op)) return;
        const bool first_only = is_array_operation(n.op) && n.arity() == 1;
        for (unsigned k = 0; k < n.rank; ++k) meet_operands(g, i, k, 0, first_only ? 0 : 2);
    }

    /// How often a loop runs, as a size: known where it is a constant, an argument or a size.
    constexpr dimension rounds_of_call(graph_view g, node_index call) {
        if (is_repeat_call(g[call])) return add_fixed(0);
        return rounds_of(g, g[links(g.nodes, g[call].operand[0])[0]].operand[1]);
    }
    constexpr dimension rounds_of(graph_view g, node_index count) {
        if (!is_known_as_size(g, count)) return add_fixed(0); // nothing but loops reads what is kept of these rounds
        const node_and_more parts = without_constants(g, count);
        if (parts.of == no_node) return add_fixed(static_cast<std::uint64_t>(parts.more));
        const node& n = g[parts.of];
        if (n.is(opcode::input)) return add({.kind = dimension_rule::rounds, .a = static_cast<std::uint32_t>(n.bits)});
        const node_index x = n.operand[0];
        const auto axis = static_cast<unsigned>(std::countr_zero(axes_of(n.bits)));
        if (axes_of(n.bits) != 1U << axis) return add({dimension_rule::rest, x, g[x].rank, 1});
        const dimension whole = at(x, axis);
        return parts.more == 0 ? whole : cut(whole, encode_slice({axis, 0, static_cast<int>(parts.more), 1}));
    }
    /// Arrays that a loop goes through element by element have as many as it has rounds.
    constexpr void meet_rounds(graph_view g, node_index call) {
        const list<node_index> operands = links(g.nodes, g[call].operand[0]);
        dimension rounds = 0;
        for (const node_index e : operands) {
            const node_index x = g[e].operand[1];
            if (g[e].bits == 0 || g[x].is(opcode::trail)) continue;
            if (rounds == 0) rounds = rounds_of_call(g, call);
            meet(rounds, of_.at[x * max_rank + g[x].rank - 1]);
        }
    }
    constexpr dimension lesser(node_index x) {
        const dimension a = at(x, 0), b = at(x, 1);
        return a == b ? a : add({dimension_rule::lesser, a, b, 1});
    }
    /// The sizes that a reshape or fill_like names, of which one may be what is left of an array's elements.
    constexpr void name_sizes(graph_view g, node_index i) {
        const node& n = g[i];
        const bool borrows = n.is(opcode::fill_like);
        const node_index x = n.operand[borrows ? 2 : 0];
        const reshape_ranks r{borrows ? g[x].rank : reshape_ranks_of(n.bits).from, reshape_ranks_of(n.bits).to};
        std::uint64_t fixed = 1;
        unsigned rest = max_rank;
        for (unsigned k = 0; k < n.rank; ++k) {
            const std::uint64_t size = borrows ? fill_size(n.bits, k) : reshape_size(n.bits, k);
            const borrowed_size from = decode_borrowed(size);
            if (k >= r.to) {
                copy(g, i, k, x, k - r.to + r.from);
            } else if (size == inferred_size) {
                rest = k;
            } else if (from.operand != 0) {
                copy(g, i, k, n.operand[from.operand], from.axis);
            } else {
                set(i, k, add_fixed(size));
                fixed *= size;
            }
        }
        if (rest == max_rank && !borrows) add({dimension_rule::filled, x, r.from, fixed});
        if (rest == max_rank) return;
        dimension left = add({dimension_rule::rest, x, r.from, fixed});
        for (unsigned k = 0; k < r.to; ++k) {
            if (borrows && decode_borrowed(fill_size(n.bits, k)).operand != 0) left = add({dimension_rule::quotient, left, at(i, k), 1});
        }
        set(i, rest, left);
    }

    list<dimension> of_;
};

/// The sizes of a graph's nodes where they are kept: of axis k from the end of node i.
struct known_sizes {
    const dimension (*of)[max_rank];
    [[nodiscard]] constexpr dimension at(node_index i, unsigned k) const { return of[i][k]; }
};

} // namespace dyad
