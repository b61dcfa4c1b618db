// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Parts of a program that a tape holds in less: a region becomes one statement a result (preaccumulate), a loop keeps a few
// of its states and computes the others again on the way back (checkpointed_loop).
#pragma once

#include <dyad/base/unpack.hpp>
#include <dyad/tape/binomial.hpp>
#include <dyad/tape/tape.hpp>

namespace dyad {

/// The active leaves of trees, in order.
template <class A, class... S>
std::vector<A> active_leaves(const std::tuple<S...>& s) {
    std::vector<A> leaves;
    const auto add = [&]<class Part>(const Part& part) {
        if constexpr (is_number_tree<Part>) {
            visit_tree(part, [&]<class Leaf>(const Leaf& leaf) {
                if constexpr (std::is_base_of_v<A, Leaf>) leaves.push_back(leaf);
            });
        }
    };
    unpack([&](const auto&... part) { (add(part), ...); }, s);
    return leaves;
}
/// The tree with its active leaves made variables of another tape.
template <class A, class S>
decltype(auto) variables_in(tape& home, const S& s) {
    if constexpr (is_number_tree<S>) {
        return map_tree(s, [&]<class Leaf>(const Leaf& leaf) {
            if constexpr (std::is_base_of_v<A, Leaf>) {
                return Leaf(home.variable(leaf.value()));
            } else {
                return leaf;
            }
        });
    } else {
        return (s);
    }
}
template <class F, class... S>
auto tape::preaccumulate(F&& f, const S&... s) {
    using A = number_among<at_rest_t<S>...>;
    if constexpr (!is_at_rest<S...>) {
        return preaccumulate(f, rested(s)...);
    } else if constexpr (callable_on_active<std::remove_cvref_t<F>, S...>()) {
        return preaccumulated<A>(f, s...);
    } else {
        return A();
    }
}
template <class A, class F, class... S>
auto tape::preaccumulated(const F& f, const S&... s) {
    using T = typename A::value_type;
    recording<T>& r = recording_of<T>();
    if (recordings_of_thread<T>.current != &r) return call_on_active(f, s...); // nothing is recorded
    const std::vector<A> sources = active_leaves<A>(std::tuple<const S&...>(s...));
    tape region;
    recording<T>& inner = region.started<T>();
    const std::tuple<decltype(variables_in<A>(region, s))...> arguments{variables_in<A>(region, s)...};
    const std::vector<A> inside = active_leaves<A>(arguments);
    const auto result = unpack([&](const auto&... x) { return call_on_active(f, x...); }, arguments);

    // A row of partial derivatives for each result that depends on an argument.
    std::vector<std::vector<T>> partials;
    std::vector<std::vector<tape_key>> operands;
    visit_tree(result, [&]<class Leaf>(const Leaf& leaf) {
        partials.emplace_back();
        operands.emplace_back();
        if constexpr (std::is_base_of_v<A, Leaf>) {
            const std::uint32_t last = statement_of<A>(inner, leaf);
            const adjoint_rows<T> rows(last);
            if (last != 0) rows.add(last, 0, T(1));
            inner.sweep(rows);
            for (std::size_t k = 0; k < sources.size(); ++k) {
                const std::uint32_t statement = inside[k].key().statement();
                if (statement > last || !rows.reached(statement) || !r.is_active(sources[k].key())) continue;
                partials.back().push_back(rows.value(statement));
                operands.back().push_back(sources[k].key());
            }
        }
    });
    region.reset();
    std::size_t next = 0;
    return map_tree(result, [&]<class Leaf>(const Leaf& leaf) {
        const std::size_t k = next++;
        if constexpr (std::is_base_of_v<A, Leaf>) {
            if (operands[k].empty()) return Leaf(A(leaf.value()));
            return Leaf(A(leaf.value(), r.push_statement(partials[k].data(), operands[k].data(), operands[k].size())));
        } else {
            return leaf;
        }
    });
}

/// A loop on a tape: its last state from its first, and on the way back the adjoints of its first state.
template <class T, class Index, class Body, class State>
class loop_entry final : public pullback_entry<T> {
    using A = active<T>;
    using values = std::vector<T>;

public:
    loop_entry(std::size_t steps, Body body, const State& state, std::size_t slots) : body_(std::move(body)), like_(state), plan_(steps, slots) {}

    /// Runs the loop from the values of the first state, keeping states where the plan says; returns those of the last.
    values run(const values& first) {
        return plan_.forward(first, [this](std::size_t i, const values& state) { return advanced(i, state); });
    }
    void pull(const T* results_cotangent, T* operands_cotangent) const override {
        values adjoint(results_cotangent, results_cotangent + this->results);
        plan_.backward([this](std::size_t i, const values& state) { return advanced(i, state); },
                       [&](std::size_t i, const values& state) {
                           tape step;
                           const State before = step.variable(with_values(state));
                           std::size_t next = 0;
                           // (What nothing depends on is no target: its slopes do not count.)
                           const State after = map_tree(call_on_active(body_, static_cast<Index>(i), before),
                                                        [&](const A& x) { return vanishes(adjoint[next++]) ? A(x.value()) : x; });
                           next = 0;
                           const auto weights = map_tree(after, [&](const A&) { return adjoint[next++]; });
                           const auto gradient = step.gradient(after, before, seed(weights));
                           next = 0;
                           visit_tree(gradient, [&](const T& g) { adjoint[next++] = g; });
                       });
        std::copy(adjoint.begin(), adjoint.end(), operands_cotangent);
    }
    [[nodiscard]] std::size_t bytes() const override { return plan_.kept() * this->results * sizeof(T); }

private:
    /// A tree of plain values in the structure of the state.
    auto with_values(const values& state) const {
        std::size_t next = 0;
        return map_tree(like_, [&](const A&) { return state[next++]; });
    }
    values advanced(std::size_t i, const values& state) const {
        tape refuses_others; // what the body captures must not be active: its derivative would be lost
        refuses_others.started<T>();
        std::size_t next = 0;
        const State before = map_tree(like_, [&](const A&) { return A(state[next++]); });
        const State after = call_on_active(body_, static_cast<Index>(i), before);
        values result;
        visit_tree(after, [&](const A& leaf) { result.push_back(leaf.value()); });
        if (result.size() != state.size()) {
            throw tape_error("[dyad] tape.checkpointed_loop: step " + std::to_string(i) + " makes a state of " + std::to_string(result.size()) + " numbers from one of " +
                             std::to_string(state.size()));
        }
        return result;
    }

    Body body_;
    State like_;
    mutable binomial_plan<values> plan_; // what it keeps changes on the way back, what it computes does not
};

template <std::integral N, class Body, class S, std::integral M>
auto tape::checkpointed_loop(N n, Body body, const S& state, M slots) {
    using A = number_among<S>;
    if (slots <= 0) throw value_error("[dyad] tape.checkpointed_loop: at least one slot is needed, for the first state; given " + std::to_string(slots));
    if (n < 0) throw value_error("[dyad] tape.checkpointed_loop: the number of rounds is " + std::to_string(n));
    const auto first = map_tree(state, [](const auto& leaf) { return A(leaf); });
    using State = std::remove_cvref_t<decltype(first)>;
    if constexpr (callable_on_active<Body, N, State>()) {
        constexpr bool goes_round = std::is_convertible_v<decltype(call_on_active(body, N(), first)), State>;
        static_assert(goes_round, "[dyad] tape.checkpointed_loop: the body must return what it takes, the next state");
        if constexpr (goes_round) return checkpointed<N>(static_cast<std::size_t>(n), std::move(body), first, static_cast<std::size_t>(slots));
        else return first;
    } else {
        return first;
    }
}
template <class N, class Body, class State>
State tape::checkpointed(std::size_t n, Body body, const State& first, std::size_t slots) {
    using A = number_among<State>;
    using T = typename A::value_type;
    auto entry = std::make_unique<loop_entry<T, N, Body, State>>(n, std::move(body), first, slots);
    recording<T>* const r = recordings_of_thread<T>.current; // (of tapes within tapes, the one that records)
    std::vector<T> values;
    bool recorded = false;
    visit_tree(first, [&](const A& leaf) {
        values.push_back(leaf.value());
        const bool active = r != nullptr && r->is_active(leaf.key());
        entry->operands.push_back(active ? leaf.key().statement() : 0);
        recorded = recorded || active;
    });
    entry->results = static_cast<std::uint32_t>(values.size());
    values = entry->run(values);
    std::uint32_t statement = recorded ? r->push_pullback(std::move(entry)).statement() : 0;
    std::size_t next = 0;
    return map_tree(first, [&](const A&) {
        const T& value = values[next++];
        return recorded ? A(value, tape_key(statement++, r->number())) : A(value);
    });
}

} // namespace dyad
