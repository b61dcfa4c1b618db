// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
#include <dyad/base/unpack.hpp>

#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <type_traits>

using dyad::unpack;

TEST_CASE("elements of tuples, pairs and arrays become arguments") {
    constexpr auto difference = [](auto a, auto b) { return a - b; };
    static_assert(unpack(difference, std::tuple{7, 2.5}) == 4.5);
    static_assert(unpack(difference, std::pair{7, 2}) == 5);
    static_assert(unpack(difference, std::array{7, 2}) == 5);
    static_assert(unpack([] { return 3; }, std::tuple{}) == 3);
}
TEST_CASE("elements and results keep their value category") {
    const auto itself = [](auto&& x) -> decltype(auto) { return std::forward<decltype(x)>(x); };
    std::tuple<int> t{1};
    static_assert(std::is_same_v<decltype(unpack(itself, t)), int&>);
    static_assert(std::is_same_v<decltype(unpack(itself, std::as_const(t))), const int&>);
    static_assert(std::is_same_v<decltype(unpack(itself, std::move(t))), int&&>);
    unpack(itself, t) = 5;
    CHECK(std::get<0>(t) == 5);
    auto moved = unpack([](std::unique_ptr<int> p) { return p; }, std::tuple{std::make_unique<int>(4)});
    CHECK(*moved == 4);
}
