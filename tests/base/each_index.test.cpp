// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
#include <dyad/base/each_index.hpp>

#include <vector>

#include <doctest/doctest.h>

namespace {

template <std::size_t N, std::size_t Begin = 0>
std::vector<std::size_t> visited(std::size_t& chunks) {
    std::vector<std::size_t> all;
    chunks = 0;
    dyad::for_indices<N, Begin>([&]<std::size_t... I>(std::index_sequence<I...>) {
        (all.push_back(I), ...);
        ++chunks;
    });
    return all;
}
template <std::size_t N, std::size_t Begin = 0>
void check(std::size_t wanted_chunks) {
    std::vector<std::size_t> expected;
    for (std::size_t i = Begin; i < N; ++i) expected.push_back(i);
    std::size_t chunks = 0;
    CHECK(visited<N, Begin>(chunks) == expected);
    CHECK(chunks == wanted_chunks);
}

} // namespace

TEST_CASE("for_indices: each index once, in order, in chunks that no compiler's limit meets") {
    check<0>(0);
    check<1>(1);
    check<32>(1);
    check<33>(2);
    check<1000>(32);
    check<40, 40>(0);
    check<40, 39>(1);
    check<100, 5>(3);
}
