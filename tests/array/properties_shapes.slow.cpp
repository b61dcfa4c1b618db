// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// What moves elements, and what gathers them at computed positions: see properties.hpp.

#include "properties.hpp"

TEST_CASE("axes in another order, form or direction hold their properties") {
    HOLDS_EMPTY(transpose(a));
    HOLDS_EMPTY(reshape(a, -1));
    HOLDS_EMPTY(flip(a, 1) * a);
    HOLDS_EMPTY(expand_dims(a, 1) * a);
    HOLDS_EMPTY(squeeze(expand_dims(a * a, 0), 0));
}
TEST_CASE("parts and arrays put together hold their properties") {
    HOLDS_EMPTY(slice(a * a, 1, 1));
    HOLDS(exp(a)[0]);
    HOLDS_EMPTY(concatenate(a, exp(a), 1));
    HOLDS_EMPTY(dyad::stack(std::tuple{a, a * a}, 1));
    HOLDS_EMPTY(dyad::tile(a * a, 2));
    HOLDS_EMPTY(pad(exp(a), 0, 2, 1));
    HOLDS_EMPTY(split(a * a, 0, 1)[1]);
    HOLDS(broadcast_to(sum(a, 0, dyad::keep_dims), 3, -1, -1) * a);
}
TEST_CASE("positions and choices hold their properties") {
    HOLDS_EMPTY(where(a > 0, a * a, exp(a)));
    HOLDS(take(a * a, argmax(0 * a, 1)));           // the first row, once for each row
    HOLDS(scatter_add(a, argmax(0 * a, 1), a * a)); // all rows added to the first
}
