// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Functions with rules on a tape, one statement whose adjoints are what the rule says, and in forward mode.
#pragma once

#include <dyad/api/pull.hpp>
#include <dyad/api/tape_call.hpp>
#include <dyad/api/tape_transform.hpp>
#include <dyad/base/unpack.hpp>

namespace dyad {

/// A rule the other way: for each leaf of `like`, what `apply` gives for 1 there and 0 elsewhere, weighed with `weights`.
template <class T, class Like, class Weights, class Apply>
auto weighed_by_units(const Like& like, const Weights& weights, const Apply& apply) {
    std::vector<T> factors, sums;
    visit_tree(weights, [&](const auto& leaf) { factors.push_back(static_cast<T>(leaf)); });
    std::size_t count = 0;
    visit_tree(like, [&](const auto&) { ++count; });
    for (std::size_t k = 0; k < count; ++k) {
        std::size_t at = 0, row = 0;
        T sum(0);
        visit_tree(apply(map_tree(like, [&](const auto&) { return T(at++ == k ? 1 : 0); })), [&](const auto& leaf) {
            if (row < factors.size()) sum = sum + factors[row] * value_below<T>(leaf);
            ++row;
        });
        if (row != factors.size()) refuse_rule(row, factors.size());
        sums.push_back(sum);
    }
    return sums;
}

template <bool Forward, class F, class Rule>
struct tape_rule {
    template <class... S>
    static auto run(const F& f, const Rule& rule, const S&... s) {
        using A = tree_number_t<S...>;
        // (Numbers of the level below compute operation by operation too: rules are generic, as functions are.)
        const std::tuple<std::remove_cvref_t<decltype(immediate_tree(values_of_level<A>(s)))>...> values{immediate_tree(values_of_level<A>(s))...};
        const auto result = unpack(with_rule<Forward, F, Rule>(f, rule), values); // numbers of the level below
        const auto obey = [rule, values, result](const auto&... given) {
            const auto call = [&](const auto&... x) { return rule(x..., result, immediate_tree(given)...); };
            if constexpr (gives_each<Forward, std::remove_cvref_t<decltype(unpack(call, values))>, std::remove_const_t<decltype(result)>, S...>()) {
                return unpack(call, values);
            } else if constexpr (Forward) {
                return result;
            } else {
                return values;
            }
        };
        if constexpr (requires { A::directions; }) {
            return as_arguments_compute<S...>(push<A>(obey, result, s...));
        } else {
            return as_arguments_compute<S...>(record<A>(obey, values, result, s...));
        }
    }

private:
    /// On a tape, a statement whose pullback is the rule.
    template <class A, class Obey, class Values, class Result, class... S>
    static auto record(const Obey& obey, const Values& values, const Result& result, const S&... s) {
        using T = typename A::value_type;
        recording<T>* const r = recordings_of_thread<T>.current;
        const auto pull = [=](const auto& cotangent) {
            if constexpr (Forward) {
                return weighed_by_units<T>(values, cotangent, [&](const auto& unit) { return unpack(obey, unit); });
            } else {
                return obey(cotangent);
            }
        };
        auto entry = std::make_unique<compiled_entry<T, std::remove_const_t<decltype(pull)>, Result>>(pull, result);
        bool recorded = false;
        const auto operand = [&]<class Leaf>(const Leaf& leaf) {
            std::uint32_t statement = 0;
            if constexpr (active_number<Leaf> || deferred_value<Leaf>) {
                const A x(leaf);
                if (r != nullptr && r->is_active(x.key())) statement = x.key().statement();
            }
            entry->operands.push_back(statement);
            recorded = recorded || statement != 0;
        };
        (visit_tree(s, operand), ...);
        entry->results = 0;
        visit_tree(result, [&](const auto&) { ++entry->results; });
        std::uint32_t statement = recorded ? r->push_pullback(std::move(entry)).statement() : 0;
        return map_tree(result, [&](const auto& leaf) {
            return recorded ? A(static_cast<T>(leaf), tape_key(statement++, r->number())) : A(static_cast<T>(leaf));
        });
    }
    /// In forward mode, one direction after the other.
    template <class A, class Obey, class Result, class... S>
    static auto push(const Obey& obey, const Result& result, const S&... s) {
        using T = typename A::value_type;
        std::vector<typename A::tangents> slopes;
        visit_tree(result, [&](const auto&) { slopes.push_back({}); });
        for (int l = 0; l < A::directions; ++l) {
            const auto tangent = [l]<class Leaf>(const Leaf& leaf) {
                if constexpr (active_number<Leaf> || deferred_value<Leaf>) {
                    return A(leaf).tangent(l);
                } else {
                    return T(0);
                }
            };
            const std::tuple<decltype(map_tree(s, tangent))...> along{map_tree(s, tangent)...};
            std::size_t k = 0;
            const auto keep = [&](const auto& leaf) { slopes[k++][static_cast<std::size_t>(l)] = static_cast<T>(leaf); };
            if constexpr (Forward) {
                visit_tree(unpack(obey, along), keep);
            } else {
                for (const T& sum : weighed_by_units<T>(result, along, obey)) keep(sum);
            }
        }
        std::size_t k = 0;
        return map_tree(result, [&](const auto& leaf) { return A(static_cast<T>(leaf), slopes[k++]); });
    }
};

/// A pullback within a rule that meets recorded numbers: by a tape of the next level.
template <std::size_t... Item>
struct tape_pull<positions<Item...>> {
    template <class F, class C, class... S>
    static auto run(const F& f, const C& cotangent, const S&... s) {
        return tape_grad<Item...>([&](const auto&... x) {
            using V = common_value<C, S...>;
            const auto weights = leaf_array<V>(cotangent);
            const auto values = f(x...);
            using W = common_value<std::tuple<std::remove_cvref_t<decltype(x)>...>, std::remove_cvref_t<decltype(values)>>;
            W sum(0);
            std::size_t k = 0;
            for_each_leaf([&](const auto& leaf) { sum = sum + weights[k++] * leaf; }, values);
            return sum;
        })(s...);
    }
};

} // namespace dyad
