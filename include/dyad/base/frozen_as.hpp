// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What constant evaluation makes on lists of any length becomes a constant of a type that has its room in it.
#pragma once

namespace dyad {

/// The result of `Make{}()`, kept: `frozen_as<...>::value`, a `Frozen<Room>` with `fits()` and `room()`. The pass runs once if
/// the result fits the guess, and once more, with room for all of it, if not. (Variables of a class, because a constexpr
/// variable in a function is evaluated again with every evaluation of the function.)
template <class Make, template <auto> class Frozen, auto Guess>
struct frozen_as {
    static constexpr Frozen<Guess> first{Make{}()};

    template <auto Room>
    struct again {
        static constexpr Frozen<Room> second{Make{}()};
    };
    static constexpr const auto& chosen() {
        if constexpr (first.fits()) {
            return first;
        } else {
            return again<first.room()>::second;
        }
    }
    static constexpr const auto& value = chosen();
};

} // namespace dyad
