// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// The tuple of expressions' leaves: elements by place, equal types apart, references, and no more than its elements.

#include <dyad/base/flat_tuple.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace {

using dyad::flat_element;
using dyad::flat_get;
using dyad::flat_tuple;

constexpr flat_tuple<int, double, int> three(1, 2.5, 3);
static_assert(flat_get<0>(three) == 1 && flat_get<1>(three) == 2.5 && flat_get<2>(three) == 3);
static_assert(three.size == 3 && flat_tuple<>::size == 0);
static_assert(std::is_same_v<flat_element<1, flat_tuple<int, double, int>>, double>);
static_assert(unpack([](auto... x) { return (0.0 + ... + x); }, three) == 6.5);
static_assert(unpack([](auto... x) { return sizeof...(x); }, flat_tuple<>()) == 0);

// Trivial to copy where its elements are, and never made of one element by accident.
static_assert(std::is_trivially_copyable_v<flat_tuple<int, double, int>>);
static_assert(sizeof(flat_tuple<double, double>) == 2 * sizeof(double));
static_assert(!std::is_convertible_v<int, flat_tuple<int>>);

} // namespace

TEST_CASE("a flat tuple of references names the objects themselves") {
    int a = 1;
    const double b = 2.5;
    const flat_tuple<const int&, const double&> both(a, b);
    a = 7;
    CHECK(&flat_get<0>(both) == &a);
    CHECK(flat_get<0>(both) == 7);
    CHECK(&flat_get<1>(both) == &b);
    static_assert(std::is_same_v<flat_element<0, flat_tuple<const int&>>, const int&>);
}
