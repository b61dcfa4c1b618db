// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Arrays as text, in the braces that C++ writes them in.
#pragma once

#include <type_traits>

#include <dyad/array/reference.hpp>
#include <dyad/trace/expr.hpp>

namespace dyad {

/// {1, 2, 3}, {{1, 2}, {3, 4}} ...
template <array_like X>
struct printer<X> {
    template <class Out>
    static Out& print(Out& out, const X& x) {
        const auto all = array_traits<X>::reference(x);
        axis<decltype(all)::rank>(out, all, all.data);
        return out;
    }

private:
    /// What lies along the last `Axes` axes from `first` on.
    template <unsigned Axes, class Out, class Reference, class E>
    static void axis(Out& out, const Reference& all, E* first) {
        if constexpr (Axes == 0 && std::is_integral_v<std::remove_const_t<E>>) {
            out << +*first; // no letter
        } else if constexpr (Axes == 0) {
            out << *first;
        } else {
            out << '{';
            for (std::size_t i = 0; i < all.size[Axes - 1]; ++i) {
                if (i != 0) out << ", ";
                axis<Axes - 1>(out, all, first + static_cast<std::ptrdiff_t>(i) * all.stride[Axes - 1]);
            }
            out << '}';
        }
    }
};

} // namespace dyad
