// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// jvp and hvp of functions that capture numbers as programs, which kernels run.
#pragma once

#include <dyad/api/products.hpp>
#include <dyad/base/unpack.hpp>

namespace dyad {

/// The function of a product on expressions of primals and tangents, which its program takes up.
template <class F>
struct on_primals {
    F f;
    template <class... E, class D>
        requires requires(const F& g, const E&... e) { g(e...); }
    constexpr auto operator()(const std::tuple<E...>& primals, const D&) const {
        return unpack(f, primals);
    }
    template <class E, class D>
        requires requires(const F& g, const E& e) { g(e); }
    constexpr auto operator()(const E& primals, const D&) const {
        return f(primals);
    }
};
/// A kernel runs the product of a function that captures numbers as a program of primals, tangents and what is captured: the program of
/// the function, which leaves the tangents unused, differentiated along them.
template <transform K, class Wrt, class F>
struct peeled<forward_product<K, Wrt, F>> {
    static constexpr auto innermost(const forward_product<K, Wrt, F>& f) {
        const auto& inner = peeled<F>::innermost(f.function());
        return on_primals<std::remove_cvref_t<decltype(inner)>>{inner};
    }
    template <class P>
    struct arguments {
        template <class Source>
        using function = typename peeled<F>::template program<Source, P>;
        static constexpr list<std::uint32_t> chosen() { return inputs_at<P>(typename chosen_positions<Wrt, 1>::type{}); }
    };
    template <class... E>
        requires(takes_elements<F>(std::type_identity<std::tuple<E...>>{}))
    struct arguments<std::tuple<E...>> {
        template <class Source>
        using function = typename peeled<F>::template program<Source, E...>;
        static constexpr list<std::uint32_t> chosen() { return inputs_at<E...>(typename chosen_positions<Wrt, sizeof...(E)>::type{}); }
    };
    template <class Source, class P, class D>
    struct program {
        using function = typename arguments<P>::template function<Source>;
        struct make {
            constexpr dyad::graph operator()() const {
                const dyad::graph g = differentiate<rules_for<function, is(K, transform::hvp)>>(function::graph, K, arguments<P>::chosen(), default_policy, &no_array_rules, {}, regions_of<function>());
                builder b(rewriter_of(default_policy));
                list<node_index> inputs;
                const auto own = static_cast<std::uint32_t>(function::graph.input_count), first = static_cast<std::uint32_t>(leaf_count<P>);
                list<element> types(g.input_count + 1);
                for (const node& n : g.nodes) {
                    if (n.is(opcode::input)) types.at[n.bits] = n.type;
                }
                for (std::uint32_t k = 0; k < g.input_count; ++k) inputs.push_back(b.input(k < own ? k : first + k - own, types.at[k]));
                dyad::graph along = b.finish(b.append(g, inputs));
                along.input_count = own;
                return along;
            }
        };
        static constexpr const auto& graph = frozen<make, 4 * function::graph.view().size + 64, function::graph.view().input_count + 8>::value;
    };
};
template <transform K, class Wrt, class F, class P, class D>
    requires(!runs_traced<forward_product<K, Wrt, F>, P, D>)
struct result_type_of<forward_product<K, Wrt, F>, P, D> {
    using type = decltype(std::declval<const forward_product<K, Wrt, F>&>()(std::declval<const P&>(), std::declval<const D&>()));
};

} // namespace dyad
