// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// From a function's type to a lowered graph, step by step. Each step is a constant evaluation of its own,
// because compilers limit the work of each; the passes of lowering are one step where the program is short.
#pragma once

#include <dyad/pass/gradient_steps.hpp>
#include <dyad/pass/levels.hpp>
#include <dyad/pass/line_steps.hpp>
#include <dyad/pass/lower.hpp>
#include <dyad/pass/region_derivatives.hpp>
#include <dyad/pass/resolve.hpp>
#include <dyad/trace/trace.hpp>

namespace dyad {

/// Positions of arguments; none named means all.
template <std::size_t... Item>
struct positions {};

/// All positions, or those named.
template <class Wrt, std::size_t Count>
struct chosen_positions {
    using type = Wrt;
};
template <std::size_t Count>
struct chosen_positions<positions<>, Count> {
    template <std::size_t... Item>
    static auto all(std::index_sequence<Item...>) -> positions<Item...>;
    using type = decltype(all(std::make_index_sequence<Count>{}));
};

/// The position of the one argument that there is.
struct only_position {};
template <std::size_t Count>
struct chosen_positions<only_position, Count> {
    using type = positions<0>;
};

/// How much room the trace of a function takes. Not what simplifying makes of it: this run is the cheapest that shows
/// whether constant evaluation can run the function at all.
template <class F, class... S>
constexpr graph_room measured_trace() {
    return room_of(trace<F, S...>(instance_of<F>(), policy::verbatim)); // (clang would evaluate a constant variable here once more)
}
template <graph_room Size>
struct known_size {
    static constexpr bool traceable = true;
    static constexpr graph_room value = Size;
};
struct unknown_size {
    static constexpr bool traceable = false;
    static constexpr graph_room value{128, 8};
};
template <class F, class... S>
auto size_of_trace(int) -> known_size<measured_trace<F, S...>()>;
template <class F, class... S>
auto size_of_trace(...) -> unknown_size;

/// Whether the compiler can run the function: asked first, so that the answer is one sentence instead of pages of
/// consequences. -DDYAD_SHOW_TRACE shows the pages.
template <class F, class... S>
constexpr bool traceable() {
#if defined(DYAD_SHOW_TRACE)
    return true;
#else
    return decltype(size_of_trace<F, S...>(0))::traceable;
#endif
}

/// The graph of a stateless function, as it stands before any derivative.
template <class F, policy P, class... S>
struct traced_program {
    struct make {
        constexpr dyad::graph operator()() const { return trace<F, S...>(instance_of<F>(), P); }
    };
    static constexpr graph_room size = decltype(size_of_trace<F, S...>(0))::value;
    static constexpr const auto& graph = frozen<make, size.nodes, size.outputs>::value;
};

/// The same for a kernel of a device, which has no memory for a loop's rounds.
template <class F, policy P, class... S>
struct traced_kernel {
    struct make {
        constexpr dyad::graph operator()() const { return trace<F, S...>(instance_of<F>(), P, true); }
    };
    static constexpr graph_room size = traced_program<F, P, S...>::size;
    static constexpr const auto& graph = frozen<make, size.nodes, size.outputs>::value;
};

/// The numbers of the inputs that belong to the arguments at the given positions, in the order in which these are given.
template <class... S, std::size_t... Item>
constexpr list<std::uint32_t> inputs_at(positions<Item...>) {
    const std::size_t sizes[] = {structure<S>::size..., 0};
    list<std::uint32_t> inputs;
    for (const std::size_t position : list<std::size_t>{Item...}) {
        std::size_t first = 0;
        for (std::size_t a = 0; a < position; ++a) first += sizes[a];
        for (std::size_t k = 0; k < sizes[position]; ++k) inputs.push_back(static_cast<std::uint32_t>(first + k));
    }
    return inputs;
}

template <class Source, class Rules = every_rule>
constexpr region_rules_pointer regions_of() {
    if constexpr (has_regions(Source::graph)) {
        return region_rules_with<Rules>;
    } else {
        return {};
    }
}

/// A transform of a graph. `Source::graph` is the function's, `Inputs{}()` the inputs to differentiate by.
template <class Source, transform K, class Inputs, policy P>
struct derived_program {
    struct make {
        constexpr dyad::graph operator()() const {
            return differentiate<rules_for<Source, is(K, transform::hvp) || (order_of(K) > 1)>>(Source::graph, K, Inputs{}(), P, &no_array_rules, {}, regions_of<Source>());
        }
    };
    static constexpr const auto& graph =
        frozen<make, 4 * Source::graph.view().size + 64, Source::graph.view().input_count + 8>::value;
};
/// The first `Steps` steps of the gradient of a long program; all of them are the gradient.
template <class Source, transform K, class Inputs, policy P, std::size_t Steps = gradient_steps(Source::graph)>
struct stepwise_gradient {
    using before = stepwise_gradient<Source, K, Inputs, P, Steps - 1>;
    struct make {
        constexpr dyad::graph operator()() const {
            return with_cotangents<rules_in<Source>>(before::graph, Inputs{}(), K, P, Steps - 1, gradient_steps(Source::graph));
        }
    };
    static constexpr const auto& graph = frozen<make, before::graph.view().size + 3 * gradient_step, 3 * (Source::graph.view().input_count + 100)>::value;
};
template <class Source, transform K, class Inputs, policy P>
struct stepwise_gradient<Source, K, Inputs, P, 0> : Source {};
template <class Source, transform K, class Inputs, policy P>
    requires(has_gradient_in_steps(Source::graph, K))
struct derived_program<Source, K, Inputs, P> : stepwise_gradient<Source, K, Inputs, P> {};

/// The tangents of the gradient: of a long program each is an evaluation of its own, as compilers limit the steps of one.
template <class Source, class Inputs, policy P>
    requires(Source::graph.view().size > 256)
struct derived_program<Source, transform::hvp, Inputs, P>
    : derived_program<derived_program<Source, transform::gradient, Inputs, P>, transform::tangents, Inputs, P> {};

/// The first lines of the matrix of a function's derivatives, `Steps` steps of `Matrix::plan`; with the last one, the matrix.
template <class Matrix, std::size_t Steps = Matrix::plan.count>
struct matrix_program {
    using function = typename Matrix::function;
    using before = matrix_program<Matrix, Steps - 1>;
    using rules = rules_in<function>;
    static constexpr std::size_t first = Steps == 1 ? 0 : Matrix::plan.end[Steps - 2], last = Matrix::plan.end[Steps - 1];
    struct make {
        constexpr dyad::graph operator()() const {
            return with_lines<rules>(before::graph, Matrix::by(), Matrix::lines, Matrix::rows, first, last, Matrix::rewriting, regions_of<function, rules>());
        }
    };
    static constexpr std::size_t added = last - first, longest = Matrix::rows < Matrix::columns ? Matrix::columns : Matrix::rows;
    static constexpr graph_room room{before::graph.view().size + 3 * Matrix::plan.work[Steps - 1] + 32, before::graph.view().output_count + added * longest};
    static constexpr const auto& graph = frozen<make, room.nodes, Steps == Matrix::plan.count ? Matrix::rows * Matrix::columns : room.outputs>::value;
};
template <class Matrix>
struct matrix_program<Matrix, 0> : Matrix::function {};

/// (A function of its own: clang 14 does not destroy what a template argument makes on its way.)
template <class Inputs>
constexpr std::size_t count_of_inputs() {
    return Inputs{}().size();
}

/// The matrix of the derivatives of `Function::graph`'s outputs by inputs.
template <class Function, class Inputs, policy P, matrix_lines Lines>
struct derivative_matrix {
    using function = Function;
    static constexpr list<std::uint32_t> by() { return Inputs{}(); }
    static constexpr policy rewriting = P;
    static constexpr matrix_lines lines = Lines;
    static constexpr std::size_t rows = Function::graph.view().output_count, columns = count_of_inputs<Inputs>();
    static constexpr line_steps<count_of_lines(Lines, rows, columns)> plan{Function::graph, by(), Lines};
};
template <class Source, class Inputs, policy P>
struct derived_program<Source, transform::jacobian, Inputs, P>
    : matrix_program<derivative_matrix<Source, Inputs, P, lines_of_jacobian(Source::graph, count_of_inputs<Inputs>())>> {};
template <class Source, class Inputs, policy P>
struct derived_program<Source, transform::hessian, Inputs, P>
    : matrix_program<derivative_matrix<derived_program<Source, transform::gradient, Inputs, P>, Inputs, P,
                                       has_rules(Source::graph) ? matrix_lines::columns : matrix_lines::triangle>> {};

/// The graph of a program outside of its regions, and those of the regions' bodies.
template <class Source, policy P>
struct level_program : Source {
    struct resolve {
        constexpr dyad::graph operator()() const { return resolved(Source::graph); }
    };
    static constexpr const auto& whole = frozen<resolve, Source::graph.view().size, Source::graph.view().output_count>::value;
    struct find {
        constexpr region_parts operator()() const { return regions_in(whole.view()); }
    };
    static constexpr const auto& regions = frozen_as<find, frozen_region_parts, region_parts_room{whole.view().size, 8, 128}>::value;
    // (A type that depends on the program: clang compiles at once what a template calls that does not.)
    static constexpr levels<decltype(whole.view())> apart{whole.view(), regions.view()};
    struct make {
        constexpr dyad::graph operator()() const { return apart.outside(); }
    };
    static constexpr const auto& graph = frozen<make, whole.view().size + 64, whole.view().output_count>::value;

    template <std::size_t K>
    static constexpr region_info info = apart.info(K);
    template <std::size_t K, int Which>
    struct body {
        struct make {
            constexpr dyad::graph operator()() const { return apart.body(K, Which); }
        };
        static constexpr const auto& graph = frozen<make, whole.view().size, 16>::value;
    };
};
template <class Source, policy P>
    requires(!has_regions(Source::graph))
struct level_program<Source, P> : Source {};

/// What a kernel runs: the source after the first `Passes` passes of lowering; `Passes` is the last of them for a short
/// program, whose passes are one evaluation.
template <class Source, policy P, int Passes = lower_passes>
struct lowered_program {
    using level = level_program<Source, P>;
    static constexpr bool contracts = P == policy::fast;
    static constexpr bool is_short = level::graph.view().size <= 256;
    using before = lowered_program<Source, P, is_short ? 0 : Passes - 1>;
    struct make {
        constexpr dyad::graph operator()() const {
            if constexpr (is_short) return lower(before::graph, P);
            if constexpr (!is_short) return lower_pass(Passes - 1, before::graph, P);
        }
    };
    static constexpr const auto& graph =
        frozen<make, before::graph.view().size * 5 / 4 + 32, before::graph.view().output_count>::value;

    // (Of a program without regions they are never named.)
    template <std::size_t K, class Level = level>
    static constexpr region_info info = Level::template info<K>;
    template <std::size_t K, int Which, class Level = level>
    using region = lowered_program<typename Level::template body<K, Which>, P>;
};
template <class Source, policy P>
struct lowered_program<Source, P, 0> : level_program<Source, P> {};

} // namespace dyad
