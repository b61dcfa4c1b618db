// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Colourings: known numbers of colours, and validity by definition on random patterns.

#include <dyad/pass/colouring.hpp>

#include <doctest/doctest.h>

#include <random>

namespace {

constexpr dyad::bit_matrix band(std::size_t n, std::size_t below, std::size_t above) {
    dyad::bit_matrix m(n, n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            if (j + below >= i && i + above >= j) m.set(i, j);
        }
    }
    return m;
}
constexpr dyad::bit_matrix arrow(std::size_t n, std::size_t hub) {
    dyad::bit_matrix m(n, n);
    for (std::size_t i = 0; i < n; ++i) {
        m.set(i, i);
        m.set(i, hub);
        m.set(hub, i);
    }
    return m;
}

/// No two ones of a row have columns of one colour.
constexpr bool separates_rows(const dyad::bit_matrix& m, const dyad::colouring& c) {
    for (std::size_t i = 0; i < m.rows(); ++i) {
        for (std::size_t j = 0; j < m.columns(); ++j) {
            for (std::size_t k = 0; k < j; ++k) {
                if (m.test(i, j) && m.test(i, k) && c.colour[j] == c.colour[k]) return false;
            }
        }
    }
    return true;
}
/// Neighbours differ, and no path of four vertices has only two colours.
constexpr bool is_star(const dyad::bit_matrix& m, const dyad::colouring& c) {
    const std::size_t n = m.rows();
    const auto edge = [&](std::size_t i, std::size_t j) { return i != j && m.test(i, j); };
    for (std::size_t b = 0; b < n; ++b) {
        for (std::size_t d = 0; d < n; ++d) {
            if (!edge(b, d)) continue;
            if (c.colour[b] == c.colour[d]) return false;
            for (std::size_t a = 0; a < n; ++a) {
                for (std::size_t e = 0; e < n; ++e) {
                    if (a != d && e != b && a != e && edge(a, b) && edge(d, e) && c.colour[a] == c.colour[d] && c.colour[e] == c.colour[b])
                        return false;
                }
            }
        }
    }
    return true;
}
/// Each colour below the count occurs, and no other.
bool uses_all(const dyad::colouring& c) {
    dyad::list<bool> seen(c.count);
    for (const std::uint32_t k : c.colour) {
        if (k >= c.count) return false;
        seen[k] = true;
    }
    for (const bool s : seen) {
        if (!s) return false;
    }
    return true;
}

// --- columns: a band of width w has w colours, a full row one for each column ---

static_assert(dyad::colour_columns(band(10, 0, 0)).count == 1);
static_assert(dyad::colour_columns(band(10, 1, 1)).count == 3);
static_assert(dyad::colour_columns(band(100, 2, 1)).count == 4);
static_assert(dyad::colour_columns(band(7, 6, 6)).count == 7);
static_assert(dyad::colour_columns(arrow(9, 4)).count == 9);
static_assert(dyad::colour_columns(dyad::bit_matrix(3, 5)).count == 1); // nothing to compute, but columns have a colour
static_assert(dyad::colour_columns(dyad::bit_matrix(0, 2)).count == 1);
static_assert(dyad::colour_columns(dyad::bit_matrix(2, 0)).count == 0);
static_assert(separates_rows(band(20, 1, 1), dyad::colour_columns(band(20, 1, 1))));
constexpr dyad::bit_matrix one_row(std::size_t n) {
    dyad::bit_matrix m(1, n);
    for (std::size_t j = 0; j < n; ++j) m.set(0, j);
    return m;
}
static_assert(dyad::colour_columns(one_row(70)).count == 70); // more than a word of colours
static_assert(dyad::colour_rows(one_row(70)).count == 1);

// --- stars: an arrow has 2 whatever its size, a tridiagonal matrix 3 ---

static_assert(dyad::star_colouring(arrow(80, 0)).count == 2);
static_assert(dyad::star_colouring(arrow(9, 5)).count == 2);
static_assert(dyad::star_colouring(band(10, 1, 1)).count == 3);
static_assert(dyad::star_colouring(band(80, 1, 1)).count == 3);
static_assert(dyad::star_colouring(band(10, 0, 0)).count == 1);
static_assert(dyad::star_colouring(band(6, 5, 5)).count == 6);
static_assert(dyad::star_colouring(dyad::bit_matrix(4, 4)).count == 1);
static_assert(dyad::star_colouring(dyad::bit_matrix(0, 0)).count == 0);
static_assert(is_star(band(12, 1, 1), dyad::star_colouring(band(12, 1, 1))));

constexpr bool sorts() {
    const dyad::list<std::uint32_t> order = dyad::largest_first({1, 3, 0, 3, 1});
    return order[0] == 1 && order[1] == 3 && order[2] == 0 && order[3] == 4 && order[4] == 2;
}
static_assert(sorts());

} // namespace

TEST_CASE("the checks see a wrong colouring") {
    dyad::colouring c = dyad::star_colouring(band(6, 1, 1));
    for (std::uint32_t i = 0; i < 6; ++i) c.colour[i] = i % 2; // proper, but no star
    CHECK(!is_star(band(6, 1, 1), c));
    CHECK(!separates_rows(band(6, 1, 1), c));
}

TEST_CASE("colourings of random patterns are valid by definition") {
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
        const std::size_t n = 1 + random() % 24, m = 1 + random() % 24, sparse = 1 + random() % 10;
        dyad::bit_matrix rectangle(m, n), square(n, n);
        for (std::size_t i = 0; i < m; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                if (random() % sparse == 0) rectangle.set(i, j);
            }
        }
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                if (random() % sparse != 0) continue;
                square.set(i, j);
                square.set(j, i);
            }
        }
        const dyad::colouring columns = dyad::colour_columns(rectangle), star = dyad::star_colouring(square);
        CHECK(separates_rows(rectangle, columns));
        CHECK(separates_rows(rectangle.transposed(), dyad::colour_rows(rectangle)));
        CHECK(is_star(square, star));
        CHECK(uses_all(columns));
        CHECK(uses_all(star));
    }
}
