// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Blocks of reversible residual networks: the backward pass computes their arguments from their results instead of keeping
// them (A. Gomez, M. Ren, R. Urtasun, R. Grosse, "The reversible residual network", NeurIPS 2017).
#pragma once

#include <dyad/api/control_flow.hpp>

namespace dyad {

/// y1 = x1 + f(x2), y2 = x2 + g(y1), in two steps, each of which changes one half of the state by a function of the other:
/// so either can be taken back (Sign = -1) without inverting f or g.
template <class F, class G>
struct coupling {
    [[no_unique_address]] kept_function<F, 0> f;
    [[no_unique_address]] kept_function<G, 1> g;

    template <int Sign, std::size_t Half, class X1, class X2>
    constexpr auto step(const X1& x1, const X2& x2) const {
        if constexpr (Half == 0) {
            if constexpr (Sign > 0) {
                return std::tuple{x1 + f.get()(x2), x2};
            } else {
                return std::tuple{x1 - f.get()(x2), x2};
            }
        } else {
            if constexpr (Sign > 0) {
                return std::tuple{x1, x2 + g.get()(x1)};
            } else {
                return std::tuple{x1, x2 - g.get()(x1)};
            }
        }
    }
};

/// Couplings one after the other, as a function of a state of two halves; without a state if none of them has one.
template <class Places, class... Couplings>
class reversible_chain;
template <std::size_t... Place, class... Couplings>
class reversible_chain<std::index_sequence<Place...>, Couplings...> : kept_function<Couplings, Place>... {
public:
    constexpr reversible_chain() = default;
    constexpr explicit reversible_chain(const Couplings&... blocks)
        requires(sizeof...(Couplings) > 0)
        : kept_function<Couplings, Place>{blocks}... {}

    template <class X1, class X2>
    constexpr auto operator()(const X1& x1, const X2& x2) const {
        static_assert(structure<X1>::size == 1 && structure<X2>::size == 1, "[dyad] reversible: each half of the state is one number or one array");
        using result = decltype(run<0>(x1, x2));
        if constexpr (has_leaf<tracer, X1, X2> || has_leaf<tracer, result>) {
            builder* home = home_of(x1, x2);
            if (home == nullptr) home = home_of(run<0>(x1, x2));
            return home == nullptr ? as_traced(run<0>(x1, x2)) : record(*home, x1, x2);
        } else {
            return run<0>(x1, x2);
        }
    }
    /// Of a state as a pair or tuple, as it goes round a loop.
    template <class State>
    constexpr auto operator()(const State& state) const {
        return (*this)(std::get<0>(state), std::get<1>(state));
    }

    [[nodiscard]] constexpr std::tuple<Couplings...> blocks() const { return {kept_function<Couplings, Place>::get()...}; }

private:
    static constexpr std::size_t steps = 2 * sizeof...(Couplings);

    template <std::size_t K, class Coupling>
    static constexpr decltype(auto) block(const kept_function<Coupling, K>& kept) {
        return kept.get();
    }

    template <std::size_t Step, class X1, class X2>
    constexpr auto run(const X1& x1, const X2& x2) const {
        if constexpr (Step == steps) {
            return std::tuple{x1, x2};
        } else {
            const auto next = block<Step / 2>(*this).template step<1, Step % 2>(x1, x2);
            const auto y = as_round<at_rest_t<decltype(next)>>(next); // (the next step's results outlive it)
            return run<Step + 1>(std::get<0>(y), std::get<1>(y));
        }
    }
    template <class X1, class X2>
    constexpr auto record(builder& b, const X1& x1, const X2& x2) const {
        using traced = decltype(as_traced(run<0>(x1, x2)));
        const auto begin = static_cast<node_index>(b.size());
        const list<node_index> state = state_nodes(b, x1, x2), values = state_nodes(b, run<0>(x1, x2));
        for (std::size_t k = 0; k < 2; ++k)
            if (b[values[k]].rank != b[state[k]].rank) throw value_error("[dyad] reversible: a function changes the rank of a half of the state");
        const list<node_index> recorded =
            record_invertible(b, begin, state, values, [&](const list<node_index>& arguments, const list<node_index>& results) {
                list<node_index> body;
                [&]<std::size_t... S>(std::index_sequence<S...>) {
                    (record_step<S>(b, arguments, results, body), ...);
                }(std::make_index_sequence<steps>{});
                return body;
            });
        return traced(tracer(b, recorded[0]), tracer(b, recorded[1]));
    }
    template <std::size_t Step>
    constexpr void record_step(builder& b, const list<node_index>& arguments, const list<node_index>& results, list<node_index>& body) const {
        const auto& here = block<Step / 2>(*this);
        const auto append = [&](const auto& x) {
            body.push_back(std::get<0>(x).in(b));
            body.push_back(std::get<1>(x).in(b));
        };
        append(here.template step<1, Step % 2>(tracer(b, arguments[0]), tracer(b, arguments[1])));
        append(here.template step<-1, Step % 2>(tracer(b, results[0]), tracer(b, results[1])));
    }
};
template <class... Couplings>
constexpr auto reversible_blocks(const Couplings&... blocks) {
    return reversible_chain<std::index_sequence_for<Couplings...>, Couplings...>(blocks...);
}

/// (x1, x2) -> (y1, y2): y1 = x1 + f(x2), y2 = x2 + g(y1). The results of f and g have the shapes of x1 and x2; what they
/// capture is differentiated. In reverse mode x2 = y2 - g(y1) and x1 = y1 - f(x2) are computed from the results, up to
/// rounding, and nothing in between is kept; in a loop or scan whose state goes through it, no state is kept at all.
/// On plain values, on a tape, and in functions that capture numbers it is the plain formula.
/// Example: `scan([](auto s, auto w) { return std::pair{reversible([&](auto x) { return tanh(matmul(x, w)); }, g)(s), std::tuple{}}; }, s, W)`
template <class F, class G>
constexpr auto reversible(F f, G g) {
    return reversible_blocks(coupling<F, G>{{f}, {g}});
}

/// Reversible blocks one after the other; the backward pass goes from the results of the last one to the arguments of the
/// first one, and keeps nothing in between.
/// Example: `reversible_sequence(reversible(f1, g1), reversible(f2, g2))(x1, x2)`
template <class... Blocks>
constexpr auto reversible_sequence(const Blocks&... blocks) {
    return unpack([](const auto&... coupling) { return reversible_blocks(coupling...); }, std::tuple_cat(blocks.blocks()...));
}

} // namespace dyad
