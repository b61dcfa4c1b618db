// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Jacobians and Hessians of which only the entries that can be other than zero are computed and returned; where they
// are, the compiler knows. One program computes all of them.
//
// Its sweeps are compressed: one for each colour. In straight-line code that is as many operations as a sweep for each
// column, whose zeros the graph drops anyway (the tests count), but far less work for the compiler. Through a loop each
// sweep sends tangents of its own round: 4 pairs of numbers in one loop take 2 sweeps and 64 operations instead of 8 and 184.
#pragma once

#include <utility>

#include <dyad/api/transform.hpp>
#include <dyad/pass/compressed.hpp>
#include <dyad/pass/sparsity.hpp>

namespace dyad {

/// Where the entries of a matrix of derivatives are, and the colours of its sweeps. `Source::graph` is the function's,
/// `Inputs{}()` the inputs to differentiate by. (A constant evaluation for each step.)
template <class Source, class Inputs, bool Second>
struct sparse_layout {
    static constexpr std::size_t width = Inputs{}().size();
    static constexpr std::size_t height = Second ? width : Source::graph.view().output_count;
    // (Not `?:`: g++ 12 destroys what it chooses between twice.)
    static constexpr bit_matrix found() {
        if (Second) return hessian_pattern(Source::graph, Inputs{}());
        return jacobian_pattern(Source::graph, Inputs{}());
    }
    static constexpr frozen_bits<height, width> pattern{found()};
    static constexpr std::size_t nonzeros = pattern.matrix().count();

    template <std::size_t Columns>
    struct kept_colours {
        std::array<std::uint32_t, Columns> colour{};
        std::uint32_t count = 0;

        constexpr explicit kept_colours(const colouring& c) : count(c.count) {
            for (std::size_t k = 0; k < Columns; ++k) colour[k] = c.colour[k];
        }
        [[nodiscard]] constexpr colouring list_of() const {
            colouring result{list<std::uint32_t>(Columns), count};
            for (std::size_t k = 0; k < Columns; ++k) result.colour[k] = colour[k];
            return result;
        }
    };
    /// Whether one entry stands for the one across the diagonal, too: not where a rule of the user's says what it likes.
    static constexpr bool symmetric = Second && !has_rules(Source::graph);
    static constexpr colouring colours_of_columns() {
        if (symmetric) return star_colouring(pattern.matrix());
        return colour_columns(pattern.matrix());
    }
    static constexpr kept_colours<width> by_columns{colours_of_columns()};
    static constexpr kept_colours<height> by_rows{colour_rows(pattern.matrix())};
    static constexpr compression choice() {
        if constexpr (symmetric) {
            return compression::symmetric;
        } else {
            return by_rows.count < by_columns.count ? compression::rows : compression::columns;
        }
    }
    static constexpr compression how = choice();
    static constexpr const auto& colours() {
        if constexpr (how == compression::rows) {
            return by_rows;
        } else {
            return by_columns;
        }
    }

    struct coordinates {
        std::array<std::size_t, nonzeros> rows{}, columns{};
        std::array<std::size_t, height + 1> row_starts{};

        constexpr coordinates() {
            const bit_matrix m = pattern.matrix();
            std::size_t next = 0;
            for (std::size_t i = 0; i < height; ++i) {
                m.each(i, [&](std::size_t j) {
                    rows[next] = i;
                    columns[next++] = j;
                });
                row_starts[i + 1] = next;
            }
        }
    };
    static constexpr coordinates entries{};
};

/// A matrix of which only some entries can be other than zero. Where they are is part of the type; they stand row by row,
/// in a row by column: coordinate lists with `rows`, compressed rows (CSR) with `row_starts`.
template <class Layout, class T>
struct sparse_matrix {
    static constexpr std::array<std::size_t, 2> size{Layout::height, Layout::width};
    static constexpr std::size_t nonzeros = Layout::nonzeros;     ///< the entries that are kept
    static constexpr const auto& rows = Layout::entries.rows;       ///< of entry k
    static constexpr const auto& columns = Layout::entries.columns; ///< of entry k
    static constexpr const auto& row_starts = Layout::entries.row_starts; ///< row i: row_starts[i] <= k < row_starts[i + 1]
    /// The sweeps that computed them.
    static constexpr std::size_t colours = Layout::colours().count;

    std::array<T, nonzeros> values{};

    /// With its zeros: `dense()[i][j]`.
    [[nodiscard]] constexpr auto dense() const {
        std::array<std::array<T, Layout::width>, Layout::height> result{};
        for (std::size_t k = 0; k < nonzeros; ++k) result[rows[k]][columns[k]] = values[k];
        return result;
    }
};

/// The program of all entries.
template <class F, class Wrt, bool Second, class... S>
struct sparse_program {
    static constexpr policy rewriting = policy_of<F>();
    struct inputs {
        constexpr list<std::uint32_t> operator()() const { return inputs_at<S...>(Wrt{}); }
    };
    using source = traced_program<F, rewriting, S...>;
    using layout = sparse_layout<source, inputs, Second>;
    /// What the sweeps go over: for a Hessian the gradient.
    using first = std::conditional_t<Second, derived_program<source, transform::gradient, inputs, rewriting>, source>;
    struct derived {
        struct make {
            constexpr dyad::graph operator()() const {
                return compressed<rules_in<first>>(first::graph, layout::how, inputs{}(), layout::pattern.matrix(),
                                                   layout::colours().list_of(), rewriting, regions_of<first>());
            }
        };
        static constexpr const auto& graph = frozen<make, 2 * first::graph.view().size + 64, layout::nonzeros>::value;
    };
    using lowered = lowered_program<derived, rewriting>;
};

/// What a refused call returns, so that one mistake is one message.
template <class T>
struct refused_matrix {
    std::array<T, 1> values{};
    static constexpr std::array<std::size_t, 1> rows{}, columns{}, row_starts{};
    static constexpr std::size_t nonzeros = 0;
    [[nodiscard]] constexpr std::array<std::array<T, 1>, 1> dense() const { return {}; }
};

/// The sparse Jacobian of `F`, or (Second) Hessian, with respect to the arguments at the positions `Wrt`.
template <bool Second, class Wrt, class F>
class sparse_transformed {
public:
    static constexpr policy rewriting = policy_of<F>();

    constexpr sparse_transformed() = default;
    constexpr explicit sparse_transformed(F) {}

    template <class... S>
    DYAD_FN constexpr auto operator()(const S&... s) const {
        static_assert(stateless<F>, "[dyad] sparse: the function has captured values; pass them as arguments, and choose "
                                    "with sparse_jacobian<...>");
        static_assert(!has_leaf<tracer, S...>, "[dyad] sparse: the arguments are traced values, in the middle of another "
                                               "transform; there, use jacobian or hessian");
        static_assert(!has_array<S...>, "[dyad] sparse: the pattern is by numbers; pass std::array instead of arrays");
        if constexpr (goes_ahead<S...>()) {
            return run<typename chosen_positions<Wrt, sizeof...(S)>::type>(s...);
        } else {
            return refused_matrix<std::tuple_element_t<0, std::tuple<S..., double>>>{};
        }
    }

private:
    template <class... S>
    static constexpr bool goes_ahead() {
        if constexpr (!stateless<F> || has_leaf<tracer, S...> || has_array<S...>) {
            return false;
        } else {
            if constexpr (usable<F, S...>()) {
                constexpr bool one = !Second || leaf_type<result_of<F, S...>>;
                static_assert(one, "[dyad] sparse_hessian: the function must return one number; use sparse_jacobian of its gradient");
                return one && derives_by<S...>(typename chosen_positions<Wrt, sizeof...(S)>::type{});
            }
            return false;
        }
    }
    template <class... S, std::size_t... Item>
    static constexpr bool derives_by(positions<Item...> p) {
        check_call<F, S...>(p); // which says what is wrong
        if constexpr (((Item < sizeof...(S)) && ...)) {
            return (all_real<std::tuple_element_t<Item, std::tuple<S...>>>() && ...);
        } else {
            return false;
        }
    }
    template <class Chosen, class... S>
    DYAD_FN static constexpr auto run(const S&... s) {
        using T = common_leaf<S...>;
        using program = sparse_program<F, Chosen, Second, S...>;
        sparse_matrix<typename program::layout, T> result;
        if constexpr (program::layout::nonzeros != 0) {
            const auto inputs = flat_inputs<T>(s...);
            const auto values = kernel_of<typename program::lowered>::template run<T>(inputs.data());
            copy_numbers<program::layout::nonzeros>(values.data(), result.values.data());
        }
        return result;
    }
};

/// The entries of J[i][j] = ∂fᵢ/∂xⱼ that can be other than zero, the leaves of result and arguments in order. `f` is a
/// function without captured values on numbers, or std::array, tuples and aggregates of them. Forward over colours of the
/// columns, or in reverse over those of the rows where they are fewer. Entries where the graph shows a zero are not
/// there, whatever the values: 0 even where dense arithmetic would give NaN.
/// Example: of f(x) = {x[0]², x[0] x[1], x[2]} 4 entries, with rows {0, 1, 1, 2} and columns {0, 0, 1, 2}:
/// `auto J = sparse_jacobian(f)(x); J.values[k]` is ∂f/∂x at `J.rows[k]`, `J.columns[k]`.
template <std::size_t... Item, class F>
constexpr auto sparse_jacobian(F f) {
    return sparse_transformed<false, positions<Item...>, F>(std::move(f));
}

/// The entries of H[i][j] = ∂²f/∂xᵢ∂xⱼ that can be other than zero, both triangles: forward over reverse, one direction for
/// each colour of a star colouring. The function returns one number.
/// Example: Rosenbrock's function of 10 numbers has 28 entries, from 3 directions; of a linear function there are none.
template <std::size_t... Item, class F>
constexpr auto sparse_hessian(F f) {
    return sparse_transformed<true, positions<Item...>, F>(std::move(f));
}

} // namespace dyad
