// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// The growing array behind graphs and texts: the same in constant evaluation and at run time. Every
// element that is made must be destroyed once, whatever is copied, moved, assigned to itself or
// appended from the list's own storage.

#include <dyad/base/list.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace {

constexpr int sum(const dyad::list<int>& values) {
    int total = 0;
    for (const int v : values) total += v;
    return total;
}

constexpr dyad::list<int> counted(int count) {
    dyad::list<int> values;
    for (int i = 0; i < count; ++i) values.push_back(i);
    return values;
}

static_assert(dyad::list<int>().empty() && dyad::list<int>().size() == 0);
static_assert(dyad::list<int>().begin() == dyad::list<int>().end());
static_assert(dyad::list<int>(3).size() == 3 && sum(dyad::list<int>(3)) == 0);
static_assert(dyad::list<int>(3, 7).size() == 3 && sum(dyad::list<int>(3, 7)) == 21);
static_assert(dyad::list<int>{3, 7}.size() == 2 && sum(dyad::list<int>{3, 7}) == 10);
static_assert(counted(1).size() == 1 && counted(1)[0] == 0);
static_assert(counted(1000).size() == 1000 && sum(counted(1000)) == 499500);
static_assert(counted(17).at[16] == 16 && counted(17).data()[16] == 16 && counted(17).back() == 16);

// More than constant evaluation has cheap room for moves elsewhere, and what is there moves along.
static_assert([] {
    dyad::list<char> few(3, 'x'), many = few;
    many.reserve((std::size_t{1} << 16) + 1);
    many.push_back('y');
    dyad::list<char> moved = std::move(many);
    few = moved;
    moved = dyad::list<char>(2);
    return few.size() == 4 && few[0] == 'x' && few[2] == 'x' && few[3] == 'y' && many.empty() && moved[1] == 0; // NOLINT
}());

// Copies are their own; what was moved from is empty and can be filled again.
static_assert([] {
    dyad::list<int> a = counted(20), b = a;
    b[3] = 100;
    a.pop_back();
    return a[3] == 3 && b[3] == 100 && a.size() == 19 && b.size() == 20;
}());
static_assert([] {
    dyad::list<int> a = counted(20);
    const dyad::list<int> b = std::move(a);
    const bool emptied = a.empty() && a.at == nullptr; // NOLINT: what a move leaves is promised
    a.push_back(5);
    return emptied && a.size() == 1 && a[0] == 5 && sum(b) == 190;
}());
static_assert([] {
    dyad::list<int> a = counted(3), b = counted(40);
    a = b;
    const bool copied = a.size() == 40 && b.size() == 40;
    b = dyad::list<int>{};
    return copied && b.empty() && sum(a) == 780;
}());

// An element of the list itself may be appended, also when the list has to grow for it.
static_assert([] {
    dyad::list<int> a{41};
    for (int i = 0; i < 100; ++i) a.push_back(a[0]);
    return a.size() == 101 && sum(a) == 101 * 41;
}());

static_assert([] {
    dyad::list<int> a = counted(3);
    a.reserve(100);
    const int* const before = a.data();
    for (int i = 3; i < 100; ++i) a.push_back(i);
    const bool stayed = a.data() == before;
    a.reserve(1);
    return stayed && a.data() == before && sum(a) == 4950;
}());

static_assert(std::is_nothrow_move_constructible_v<dyad::list<int>>);
static_assert(std::is_nothrow_move_assignable_v<dyad::list<int>>);

/// Counts its instances, and refuses to be two things at once.
struct instance {
    inline static int alive = 0;
    int value = -1;

    instance() { ++alive; }
    explicit instance(int v) : value(v) { ++alive; }
    instance(const instance& other) : value(other.value) { ++alive; }
    instance& operator=(const instance&) = default;
    ~instance() { --alive; }
};

} // namespace

TEST_CASE("as many elements are destroyed as are made") {
    REQUIRE(instance::alive == 0);
    {
        dyad::list<instance> a;
        for (int i = 0; i < 70; ++i) a.push_back(instance(i));
        dyad::list<instance> b = a, c(5), d;
        d = std::move(b);
        c = d;
        d.pop_back();
        a = dyad::list<instance>{instance(1), instance(2)};
        CHECK(a.size() == 2);
        CHECK(a[1].value == 2);
        CHECK(c.size() == 70);
        CHECK(c[69].value == 69);
        CHECK(d.size() == 69);
        CHECK(instance::alive >= 2 + 70 + 69);
    }
    CHECK(instance::alive == 0);
}

TEST_CASE("a list assigned to itself stays what it was") {
    dyad::list<int> a = counted(33);
    const dyad::list<int>& same = a;
    a = same;
    CHECK(a.size() == 33);
    CHECK(sum(a) == 33 * 32 / 2);
}

TEST_CASE("growth keeps every element at every size") {
    dyad::list<std::size_t> a;
    for (std::size_t i = 0; i < 5000; ++i) {
        a.push_back(i * i);
        REQUIRE(a.size() == i + 1);
        REQUIRE(a.back() == i * i);
    }
    for (std::size_t i = 0; i < a.size(); ++i) REQUIRE(a[i] == i * i);
}

TEST_CASE("appending an own element while growing reads it before the storage goes") {
    dyad::list<instance> a;
    a.push_back(instance(7));
    while (a.size() < 300) a.push_back(a[a.size() / 2]);
    for (const instance& element : a) REQUIRE(element.value == 7);
}

TEST_CASE("a list of flags holds a bool each") {
    dyad::list<bool> flags(10, true);
    flags[4] = false;
    bool* const fifth = &flags[4];
    *fifth = true;
    int count = 0;
    for (const bool flag : flags) count += flag ? 1 : 0;
    CHECK(count == 10);
}

namespace {
/// Members that are not 0 to begin with.
struct cell {
    unsigned key = 7, id = 7;
};
/// g++ 13 to 15 take the initialisers of an array's elements from what the first evaluation left of them.
template <int>
constexpr unsigned second_member_after_a_write() {
    dyad::list<cell> cells(9);
    cells[5].key = 1;
    cells.push_back({2, 3});
    return cells[5].id * 10 + cells[8].key;
}
static_assert(second_member_after_a_write<0>() == 77 && second_member_after_a_write<1>() == 77 && second_member_after_a_write<2>() == 77);
} // namespace
