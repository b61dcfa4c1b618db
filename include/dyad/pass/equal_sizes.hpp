// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Which sizes of a function's arguments must be equal, as they are, in part or one after the other, whatever a derivative of it
// still needs of them.
#pragma once

#include <utility>

#include <dyad/pass/dimensions.hpp>

namespace dyad {

/// A size made of the arguments': max(0, Σ sizes of axes + constant).
struct size_form {
    struct term {
        std::uint32_t input = 0;
        unsigned axis = 0; ///< from the end
        friend constexpr bool operator==(const term&, const term&) = default;
    };
    static constexpr std::size_t most_terms = 4;

    bool known = false;
    std::size_t count = 0;
    term terms[most_terms] = {};
    std::int64_t constant = 0;

    friend constexpr bool operator==(const size_form&, const size_form&) = default;
};
/// Two that are one size to the function: a derivative that needs no value must still see that they fit.
struct equal_pair {
    size_form first, second;
};
template <std::size_t N>
struct equal_pairs {
    equal_pair at[N + 1] = {};
};

/// Sizes by their rules as such forms, as far as they are.
template <class Rules>
constexpr list<size_form> forms_of(const Rules& rules, std::size_t count) {
    list<size_form> all(count);
    for (std::size_t k = 0; k < count; ++k) {
        const dimension_rule& rule = rules[k];
        size_form& form = all.at[k];
        switch (rule.kind) {
        case dimension_rule::fixed: form = {true, 0, {}, static_cast<std::int64_t>(rule.value)}; break;
        case dimension_rule::argument: form = {true, 1, {{rule.a, rule.b}}, 0}; break;
        case dimension_rule::cut:
            if (const int out = left_out(decode_slice(rule.value)); out >= 0) {
                form = all[rule.a];
                form.constant -= out;
            }
            break;
        case dimension_rule::sum: {
            const size_form &a = all[rule.a], &b = all[rule.b];
            if (!a.known || !b.known || a.constant < 0 || b.constant < 0 || a.count + b.count > size_form::most_terms) break;
            form = a;
            for (std::size_t t = 0; t < b.count; ++t) form.terms[form.count++] = b.terms[t];
            form.constant += b.constant;
            break;
        }
        default: break;
        }
    }
    return all;
}

/// Whether two rules give one size: the same part of one axis.
constexpr bool is_same(const dimensions& d, const dimension_rule& a, const dimension_rule& b) {
    return a.kind == dimension_rule::cut && b.kind == a.kind && a.value == b.value && d.root(static_cast<dimension>(a.a)) == d.root(static_cast<dimension>(b.a));
}

template <class Function>
struct equal_sizes {
    struct findings {
        list<equal_pair> pairs;
        bool others = false; ///< there are equal sizes that are no such forms, or sizes that need not exist
    };
    static constexpr findings find() {
        const dimensions d(Function::graph);
        const std::size_t sizes = d.rules.size();
        const list<size_form> forms = forms_of(d.rules, sizes);
        list<std::size_t> first(sizes, sizes), first_form(sizes, sizes); ///< of those that are equal; the first whose form is known
        findings found;
        for (std::size_t k = 1; k < sizes; ++k) {
            const auto kind = d.rules[k].kind;
            const bool may_fail = kind == dimension_rule::rest || kind == dimension_rule::quotient || kind == dimension_rule::filled || kind == dimension_rule::windows;
            const dimension root = d.root(static_cast<dimension>(k));
            const std::size_t other = std::exchange(first.at[root], k);
            found.others = found.others || may_fail || (other != sizes && !(forms[k].known && forms[other].known) && !is_same(d, d.rules[k], d.rules[other]));
            if (!forms[k].known) continue;
            if (const std::size_t known = first_form[root]; known == sizes) {
                first_form.at[root] = k;
            } else if (!(forms[k] == forms[known])) {
                found.pairs.push_back({forms[known], forms[k]});
            }
        }
        return found;
    }
    struct counts {
        std::size_t pairs;
        bool others;
    };
    static constexpr counts all = [] {
        const findings found = find();
        return counts{found.pairs.size(), found.others};
    }();
    static constexpr std::size_t count = all.pairs;
    static constexpr equal_pairs<count> list_of = [] {
        equal_pairs<count> result;
        const findings found = find();
        for (std::size_t k = 0; k != count; ++k) result.at[k] = found.pairs[k];
        return result;
    }();
};

} // namespace dyad
