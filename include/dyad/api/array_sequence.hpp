// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Plain loops over the elements of xtensor's arrays of one axis: what is kept of the rounds.
#pragma once

#include <array>
#include <concepts>

#include <dyad/api/scan.hpp>
#include <dyad/array/xtensor.hpp>

namespace dyad {

/// An array of xtensor's, a view or an expression, of one axis.
template <class Xs>
concept tensor_sequence = xt::is_xexpression<Xs>::value && requires { requires std::tuple_size<typename Xs::shape_type>::value == 1; };

/// One that holds its elements, of type Y.
template <class Xs, class Y>
concept tensor_container_of = std::is_same_v<typename Xs::value_type, Y> && std::default_initializable<Xs> && requires(Xs& xs) { xs.storage(); };

/// Numbers are kept in a container, of plain numbers or of recorded ones. (In one like that of the elements, if it holds such.)
template <class Y, tensor_sequence Xs>
    requires(!is_fixed<Xs> && !array_like<Y> && !tensor_container_of<Xs, Y>)
struct results_like<Y, Xs> {
    static auto make(const Xs& xs) {
        typename default_container<Y, 1>::type results;
        results.resize(std::array<std::size_t, 1>{xs.size()});
        return results;
    }
};

} // namespace dyad
