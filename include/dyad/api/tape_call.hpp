// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A compiled function in the middle of a recording: one statement whose adjoints go through the function's pullback, made by
// the compiler from its graph. For functions of arrays, and for numbers wherever a path does not depend on data.
#pragma once

#include <dyad/api/vjp.hpp>
#include <dyad/tape/tape.hpp>

namespace dyad {

/// The values of a tree of recorded numbers; what holds none, as it is.
template <class S>
decltype(auto) values_of_tree(const S& s) {
    if constexpr (std::is_void_v<tree_number_t<S>> && !deferred_value<S>) {
        return (s);
    } else {
        return map_tree(s, []<class Leaf>(const Leaf& leaf) {
            if constexpr (active_number<Leaf> || deferred_value<Leaf>) {
                return leaf.value();
            } else {
                return leaf;
            }
        });
    }
}

/// The same of those alone that are of the level of `A`: the others are of a level below already.
template <class A, class S>
decltype(auto) values_of_level(const S& s) {
    if constexpr (std::is_void_v<tree_number_t<S>>) {
        return (s);
    } else {
        return map_tree(s, []<class Leaf>(const Leaf& leaf) {
            if constexpr (level_of<Leaf> == level_of<A>) {
                return leaf.value();
            } else if constexpr (deferred_value<Leaf>) {
                return typename Leaf::result_type(leaf);
            } else {
                return leaf;
            }
        });
    }
}

/// A number of the level T below a recording, where its rule met numbers of the recording itself: what is recorded there has the
/// derivatives by them.
template <class T, class Leaf>
T value_below(const Leaf& leaf) {
    if constexpr (requires { static_cast<T>(leaf); }) {
        return static_cast<T>(leaf);
    } else {
        return value_below<T>(leaf.value());
    }
}

[[noreturn]] inline void refuse_rule(std::size_t given, std::size_t wanted) {
    throw tape_error("[dyad] custom_gradient, custom_jvp: the rule returned " + std::to_string(given) + " numbers for " + std::to_string(wanted));
}

/// Keeps a pullback, and how its argument and its results are laid out.
template <class T, class Pullback, class Result>
class compiled_entry final : public pullback_entry<T> {
public:
    compiled_entry(Pullback pullback, const Result& like) : pullback_(std::move(pullback)), like_(like) {}

    void pull(const T* results_cotangent, T* operands_cotangent) const override {
        std::size_t next = 0;
        const auto cotangent = map_tree(like_, [&](const auto&) { return results_cotangent[next++]; });
        std::size_t count = 0;
        visit_tree(pullback_(cotangent), [&](const auto& leaf) {
            if (count < this->operands.size()) operands_cotangent[count] = value_below<T>(leaf);
            ++count;
        });
        if (count != this->operands.size()) refuse_rule(count, this->operands.size());
    }
    [[nodiscard]] std::size_t bytes() const override {
        std::size_t count = 0;
        visit_tree(like_, [&](const auto&) { ++count; });
        return sizeof(*this) + count * sizeof(T);
    }

private:
    Pullback pullback_;
    Result like_;
};

/// Which arguments have recorded numbers.
template <class... S>
struct recorded_places {
    static constexpr std::size_t count = (std::size_t{0} + ... + (std::is_void_v<tree_number_t<S>> ? 0U : 1U));
    static constexpr std::array<std::size_t, count> at = [] {
        std::array<std::size_t, count> places{};
        std::size_t place = 0, next = 0;
        ((std::is_void_v<tree_number_t<S>> ? 0U : places[next++] = place, ++place), ...);
        return places;
    }();
};

/// f(s...) as one statement of the recording `r` of numbers A, or as constants if that is none.
template <class A, class F, class... S, std::size_t... K>
auto record_pullback(std::index_sequence<K...>, recording<typename A::value_type>* r, const F& f, const S&... s) {
    using T = typename A::value_type;
    auto [value, pullback] = vjp<recorded_places<S...>::at[K]...>(f)(values_of_tree(s)...);
    using Result = std::remove_cvref_t<decltype(value)>;
    auto entry = std::make_unique<compiled_entry<T, std::remove_cvref_t<decltype(pullback)>, Result>>(std::move(pullback), value);
    bool recorded = false;
    const auto all = std::tie(s...);
    (visit_tree(std::get<recorded_places<S...>::at[K]>(all), [&](const auto& leaf) {
         const std::uint32_t statement = r == nullptr ? 0 : statement_of<A>(*r, plain_tree(leaf));
         entry->operands.push_back(statement);
         recorded = recorded || statement != 0;
     }),
     ...);
    entry->results = 0;
    visit_tree(value, [&](const auto&) { ++entry->results; });
    std::uint32_t statement = recorded ? r->push_pullback(std::move(entry)).statement() : 0;
    return map_tree(value, [&](const auto& leaf) {
        return recorded ? A(static_cast<T>(leaf), tape_key(statement++, r->number())) : A(static_cast<T>(leaf));
    });
}
/// f(s...) of dual numbers A, along one direction after the other, each of which computes the value again.
template <class A, class F, class... S, std::size_t... K>
auto push_tangents(std::index_sequence<K...>, const F& f, const S&... s) {
    using T = typename A::value_type;
    const auto all = std::tie(s...);
    const std::tuple<decltype(values_of_tree(s))...> values(values_of_tree(s)...);
    const auto along = [&](int l) {
        const auto tangent = [l](const auto& leaf) { return static_cast<T>(A(leaf).tangent(l)); };
        return jvp<recorded_places<S...>::at[K]...>(f)(values, std::tuple{map_tree(std::get<recorded_places<S...>::at[K]>(all), tangent)...});
    };
    const auto first = along(0);
    auto result = map_tree(first.first, [](const auto& leaf) { return A(static_cast<T>(leaf)); });
    std::vector<typename A::tangents> slopes;
    for (int l = 0; l < A::directions; ++l) {
        std::size_t k = 0;
        visit_tree(l == 0 ? first.second : along(l).second, [&](const auto& leaf) {
            if (k == slopes.size()) slopes.push_back({});
            slopes[k++][static_cast<std::size_t>(l)] = static_cast<T>(leaf);
        });
    }
    std::size_t k = 0;
    return map_tree(result, [&](const A& leaf) { return A(leaf.value(), slopes[k++]); });
}
/// f(s...) as one operation on numbers A: a statement of the recording `r`, or constants if that is none; dual numbers have their tangents.
template <class A, class F, class... S>
auto record_compiled(recording<typename A::value_type>* r, const F& f, const S&... s) {
    constexpr auto places = std::make_index_sequence<recorded_places<S...>::count>{};
    constexpr bool is_first = real_number<typename A::value_type>;
    static_assert(is_first, "[dyad] tape: functions of whole arrays, and tape.apply, give first derivatives only; use hessian or hvp of the function, or loops over elements");
    constexpr bool plain = !has_eager<std::remove_cvref_t<decltype(values_of_tree(s))>...>;
    static_assert(plain, "[dyad] tape: functions of whole arrays, and tape.apply, take no expressions; pass their value(), or variables of the tape");
    if constexpr (!is_first || !plain) {
        return A();
    } else if constexpr (requires { A::directions; }) {
        return push_tangents<A>(places, f, s...);
    } else {
        return record_pullback<A>(places, r, f, s...);
    }
}

template <class F, class... S>
auto tape::apply(F f, const S&... s) {
    if constexpr (!is_at_rest<S...>) {
        return apply(f, rested(s)...);
    } else {
        using A = number_among<S...>;
        return record_compiled<A>(recordings_of_thread<typename A::value_type>.current, f, s...); // (of tapes within tapes, the one that records)
    }
}

} // namespace dyad
