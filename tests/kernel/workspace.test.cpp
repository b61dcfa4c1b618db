// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Memory for what is computed in between: pieces of living frames never meet, and memory comes back with its frame.
#include <cstdint>
#include <new>
#include <vector>

#include <doctest/doctest.h>
#include <dyad/kernel/workspace.hpp>

#include "sanitized.hpp"

namespace {

using frame = dyad::workspace::frame;
constexpr std::size_t counts[] = {1, 0, 17, 5000, 3, 100000, 2};

/// Elements of a frame, filled with a mark.
int* marked(frame& f, std::size_t count, int mark) {
    int* const memory = f.take<int>(count);
    for (std::size_t k = 0; k < count; ++k) memory[k] = mark;
    return memory;
}
bool holds(const int* memory, std::size_t count, int mark) {
    for (std::size_t k = 0; k < count; ++k) {
        if (memory[k] != mark) return false;
    }
    return true;
}

} // namespace

TEST_CASE("pieces are aligned and do not meet, whatever their sizes, in one frame and in frames of frames") {
    std::vector<int*> pieces;
    frame outer;
    for (const std::size_t count : counts) {
        pieces.push_back(marked(outer, count, static_cast<int>(count)));
        CHECK(reinterpret_cast<std::uintptr_t>(pieces.back()) % dyad::workspace::alignment == 0);
        frame inner;
        marked(inner, 30, -1);
        frame innermost;
        marked(innermost, 7000, -2);
    }
    std::size_t k = 0;
    for (const std::size_t count : counts) CHECK(holds(pieces[k++], count, static_cast<int>(count)));
}
TEST_CASE("the next frame has the memory of the last") {
    const auto first_of_frame = [] {
        frame f;
        return f.take<double>(10);
    };
    const double* const before = first_of_frame();
    CHECK(first_of_frame() == before);
}
TEST_CASE("a piece that there is no memory for leaves the others where they are") {
    if (sanitized) return;
    const volatile std::size_t everything = std::size_t{1} << 60;
    frame f;
    int* const first = marked(f, 10, 1);
    CHECK_THROWS_AS(static_cast<void>(f.take<int>(everything)), std::bad_alloc);
    marked(f, 10, 2);
    CHECK(holds(first, 10, 1));
}
TEST_CASE("a piece whose bytes no number counts is refused, not made short") {
    frame f;
    const volatile std::size_t rounds = std::size_t{1} << 61;
    CHECK_THROWS_AS(static_cast<void>(f.take<double>(rounds)), std::bad_alloc);
    CHECK_THROWS_AS(static_cast<void>(f.take<double>(rounds, 8)), std::bad_alloc);
    CHECK_THROWS_AS(static_cast<void>(f.take<char>(~std::size_t{0} - 8)), std::bad_alloc);
    CHECK(f.take<double>(rounds, 0) != nullptr);
}
