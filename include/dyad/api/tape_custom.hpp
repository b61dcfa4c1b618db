// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Functions with rules on a tape: one statement whose adjoints are what the rule says.
#pragma once

#include <dyad/api/pull.hpp>
#include <dyad/api/tape_call.hpp>
#include <dyad/api/tape_transform.hpp>
#include <dyad/base/unpack.hpp>

namespace dyad {

/// The cotangents of arguments by a rule that is a pushforward: its tangents of each argument alone, weighted.
template <class T, class Rule, class Values, class Result, class C>
auto pulled_through(const Rule& rule, const Values& values, const Result& result, const C& cotangent) {
    std::vector<T> weights, pulled;
    visit_tree(cotangent, [&](const auto& leaf) { weights.push_back(static_cast<T>(leaf)); });
    std::size_t count = 0;
    visit_tree(values, [&](const auto&) { ++count; });
    for (std::size_t k = 0; k < count; ++k) {
        std::size_t at = 0, row = 0;
        const auto unit = map_tree(values, [&](const auto&) { return T(at++ == k ? 1 : 0); });
        const auto tangents = unpack([&](const auto&... x) { return unpack([&](const auto&... t) { return rule(x..., result, t...); }, unit); }, values);
        T sum(0);
        visit_tree(tangents, [&](const auto& t) { sum = sum + weights[row++] * t; });
        pulled.push_back(sum);
    }
    return pulled;
}

template <bool Forward, class F, class Rule>
struct tape_rule {
    template <class... S>
    static auto run(const F& f, const Rule& rule, const S&... s) {
        using A = tree_number_t<S...>;
        using T = typename A::value_type;
        const std::tuple<decltype(values_of_tree(s))...> values{values_of_tree(s)...};
        const auto result = unpack(with_rule<Forward, F, Rule>(f, rule), values); // numbers of the level below
        recording<T>* const r = recordings_of_thread<T>.current;
        const auto pull = [rule, values, result](const auto& cotangent) {
            if constexpr (Forward) {
                return pulled_through<T>(rule, values, result, cotangent);
            } else {
                return unpack([&](const auto&... x) { return rule(x..., result, cotangent); }, values);
            }
        };
        auto entry = std::make_unique<compiled_entry<T, std::remove_const_t<decltype(pull)>, std::remove_const_t<decltype(result)>>>(pull, result);
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
};

/// A pullback within a rule that meets recorded numbers: by a tape of the next level.
template <std::size_t... I>
struct tape_pull<positions<I...>> {
    template <class F, class C, class... S>
    static auto run(const F& f, const C& cotangent, const S&... s) {
        return tape_grad<I...>([&](const auto&... x) {
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
