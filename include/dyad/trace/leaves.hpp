// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The leaves of eager expressions: named variables, which merge by name, and unnamed run-time numbers, each
// a slot of its own. An expression's leaves stand in its type in one order: names alphabetically, then slots
// as they came.
#pragma once

#include <array>

#include <dyad/base/decimal.hpp>
#include <dyad/base/error.hpp>
#include <dyad/base/fixed_string.hpp>
#include <dyad/base/flat_tuple.hpp>
#include <dyad/base/leaf_name.hpp>
#include <dyad/base/number.hpp>
#include <dyad/base/reject.hpp>
#include <dyad/op/operand.hpp>

namespace dyad {

/// A variable: `X::variable_name`, `X::leaf_type`. (nvcc does not find the name of a `var<Name, T>` that a function is called with.)
template <class X>
concept variable = requires {
    typename X::leaf_type;
    X::variable_name;
};
/// An expression or a variable.
template <class T>
concept eager = requires { typename std::remove_cvref_t<T>::dyad_eager; };

/// A leaf's value. `Name` is empty for a slot. `identity` tells apart two variables of one name: the address
/// of the variable that the value was first taken from (null in constant evaluation and for slots).
template <fixed_string Name, class T>
struct leaf {
    using value_type = T;
    static constexpr std::string_view name = Name.view();

    T value{};
    const void* identity = nullptr;
};

template <class T>
using slot = leaf<"", T>;

/// The leaves of an expression, as a type.
template <class... Leaves>
struct leaf_list {
    static constexpr std::size_t size = sizeof...(Leaves);
    using values = flat_tuple<Leaves...>;
};

/// The sentence for leaves of one name that differ in type. It stands where they meet: a function around the assertion would
/// show the reader their long types once more.
#define DYAD_TWO_TYPES_OF_ONE_NAME                                                                                              \
    "[dyad] expression: two variables of one name, but of different number types, stand in it (the name is in the types "      \
    "above); give one of them another name"

/// The place of the variable `Name` among leaves; their number if it does not occur.
template <fixed_string Name, class... Leaves>
constexpr std::size_t leaf_position(leaf_list<Leaves...>) {
    std::size_t place = 0;
    bool found = false;
    ((found = found || Leaves::name == Name.view(), place += found ? 0 : 1), ...);
    return place;
}

/// Where leaf `at` of operand `operand` comes from, and its place among the merged leaves.
struct leaf_source {
    std::size_t operand = 0;
    std::size_t at = 0;
    std::size_t to = 0;
    std::string_view name;
};

/// The merge of `Total` leaves: sources in the order of the operands, and for each merged leaf the first source.
template <std::size_t Total>
struct leaf_merge {
    leaf_source source[Total == 0 ? 1 : Total] = {};
    std::size_t first[Total == 0 ? 1 : Total] = {};
    std::size_t count = 0;
};

template <class... Lists>
struct merge_names;
template <class... Leaves>
struct merge_names<leaf_list<Leaves...>> {
    static constexpr std::array<std::string_view, sizeof...(Leaves)> names{Leaves::name...};
};

template <class... Lists>
constexpr auto merge_leaves() {
    constexpr std::size_t total = (std::size_t{0} + ... + Lists::size);
    leaf_merge<total> merge;
    std::size_t next = 0, operand = 0;
    const auto take = [&](const auto& names) {
        for (std::size_t i = 0; i < names.size(); ++i)
            merge.source[next++] = {operand, i, 0, names[i]};
        ++operand;
    };
    (take(merge_names<Lists>::names), ...);
    // Names by insertion in order, once each; then the slots.
    for (std::size_t s = 0; s < total; ++s) {
        if (merge.source[s].name.empty()) continue;
        std::size_t place = 0;
        while (place < merge.count && merge.source[merge.first[place]].name < merge.source[s].name)
            ++place;
        const bool known =
            place < merge.count && merge.source[merge.first[place]].name == merge.source[s].name;
        if (known) continue;
        for (std::size_t k = merge.count++; k > place; --k) merge.first[k] = merge.first[k - 1];
        merge.first[place] = s;
    }
    const std::size_t named = merge.count;
    for (std::size_t s = 0; s < total; ++s) {
        if (merge.source[s].name.empty()) {
            merge.source[s].to = merge.count;
            merge.first[merge.count++] = s;
            continue;
        }
        for (std::size_t k = 0; k < named; ++k) {
            if (merge.source[merge.first[k]].name == merge.source[s].name) merge.source[s].to = k;
        }
    }
    return merge;
}

/// More leaves without a name are a mistake, which compilers would end after minutes, at limits of their own.
inline constexpr std::size_t most_unnamed = 200;
template <class... Lists>
constexpr std::size_t count_unnamed() {
    std::size_t count = 0;
    const auto add = [&](const auto& names) {
        for (const std::string_view name : names) count += name.empty() ? 1 : 0;
    };
    (add(merge_names<Lists>::names), ...);
    return count;
}

/// The merged leaves of several expressions, as a type, and their values.
template <class... Lists>
struct merged_leaves {
    static_assert(count_unnamed<Lists...>() <= most_unnamed,
                  "[dyad] expression: more than 200 captured numbers and literals, which count at each use, and again at each use of what "
                  "is made of them; name what is captured, [k = dyad::var<\"k\">(k)], write literals as 0.1_c, or pass them as arguments");
    static constexpr auto merge = merge_leaves<Lists...>();
    using every = std::make_index_sequence<(std::size_t{0} + ... + Lists::size)>;
    using operands = flat_tuple<const typename Lists::values&...>;

    /// The leaf that is source `S`, among the operands' values.
    template <std::size_t S>
    static constexpr const auto& source(const operands& from) {
        return flat_get<merge.source[S].at>(flat_get<merge.source[S].operand>(from));
    }
    template <std::size_t S>
    using source_type = flat_element<merge.source[S].at, std::remove_cvref_t<flat_element<merge.source[S].operand, operands>>>;

    template <std::size_t... Item>
    static auto list_of(std::index_sequence<Item...>) -> leaf_list<source_type<merge.first[Item]>...>;
    using type = decltype(list_of(std::make_index_sequence<merge.count>{}));

    /// Leaves of one name have one type.
    template <std::size_t... S>
    static constexpr bool have_one_type(std::index_sequence<S...>) {
        return (std::same_as<source_type<S>, source_type<merge.first[merge.source[S].to]>> && ...);
    }
    static constexpr bool agree = have_one_type(every{});

    /// The values of `type`, from those of the operands; refuses two variables of one name.
    static constexpr typename type::values values(const typename Lists::values&... from) {
        const operands all(from...);
        check(all, every{});
        return chosen(all, std::make_index_sequence<merge.count>{});
    }

private:
    template <std::size_t... Item>
    static constexpr typename type::values chosen(const operands& all, std::index_sequence<Item...>) {
        return typename type::values(source<merge.first[Item]>(all)...);
    }
    template <std::size_t... S>
    static constexpr void check(const operands& all, std::index_sequence<S...>) {
        (check_one<S, merge.first[merge.source[S].to]>(all), ...);
    }
    template <std::size_t S, std::size_t First>
    static constexpr void check_one(const operands& all) {
        // What is no number (a vector) comes from the arguments of one call, which agree with themselves.
        if constexpr (First != S && number<typename source_type<S>::value_type>) {
            if (source<First>(all).identity != source<S>(all).identity || !same(source<First>(all).value, source<S>(all).value))
                refuse(source_type<S>::name, static_cast<double>(source<First>(all).value), static_cast<double>(source<S>(all).value));
        } else if constexpr (First != S && is_array<typename source_type<S>::value_type>) {
            if (source<First>(all).identity != source<S>(all).identity || !(source<First>(all).value == source<S>(all).value))
                refuse_array(source_type<S>::name);
        }
    }
    template <class T>
    static constexpr bool same(T a, T b) {
        return a == b || (a != a && b != b);
    }
    [[noreturn]] static void refuse_array(std::string_view name) {
        text t("[dyad] expression: two variables of one name, \"");
        (t += name) += "\", stand in it, or one before and after an assignment; give one of them another name, or build the expression before assigning";
        throw value_error(t.c_str());
    }
    [[noreturn]] static constexpr void refuse(std::string_view name, double a, double b) {
        if (leaf_name::is_argument(name))
            throw value_error("[dyad] nesting: two functions with captured values, one inside the other, have one name, as lambdas of one template may; pass what they capture as arguments");
        text t("[dyad] expression: two variables of one name, \"");
        (t += name) += "\", stand in it, with the values ";
        append_decimal(t, a);
        t += " and ";
        append_decimal(t, b);
        t += "; give one of them another name, or build the expression before assigning";
        throw value_error(t.c_str());
    }
};

} // namespace dyad
