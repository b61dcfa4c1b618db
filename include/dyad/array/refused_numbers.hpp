// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What does not name an axis, a size or a position, in functions of traced arrays: one sentence instead of a list of candidates.
#pragma once

#include <initializer_list>

#include <dyad/array/named_sizes.hpp>
#include <dyad/trace/literals.hpp>

namespace dyad {

template <class... X>
concept refused_numbers = !(axis_argument<X> && ...) && !((is_constant_expression<X> || already_refused<X>) || ...);

/// The same where sizes stand, which those of axes may be.
template <class... X>
concept refused_sizes = refused_numbers<X...> && !(size_name<X> && ...);

#define DYAD_REFUSED_NUMBERS(name) DYAD_REFUSED(name, refused_numbers)
#define DYAD_REFUSED(name, refusal)                                                                  \
    template <traced_value T, class... X>                                                            \
        requires refusal<X...>                                                                       \
    constexpr tracer name(const T& x, const X&...) {                                                 \
        return refused(array_fault::plain_numbers, x);                                               \
    }                                                                                                \
    template <traced_value T, class... X>                                                            \
    constexpr tracer name(const T& x, std::initializer_list<int>, const X&...) {                     \
        return refused(array_fault::plain_numbers, x);                                               \
    }
DYAD_REFUSED_NUMBERS(sum)
DYAD_REFUSED_NUMBERS(mean)
DYAD_REFUSED_NUMBERS(prod)
DYAD_REFUSED_NUMBERS(amax)
DYAD_REFUSED_NUMBERS(amin)
DYAD_REFUSED_NUMBERS(argmax)
DYAD_REFUSED_NUMBERS(argmin)
DYAD_REFUSED_NUMBERS(variance)
DYAD_REFUSED_NUMBERS(norm)
DYAD_REFUSED_NUMBERS(cumsum)
DYAD_REFUSED_NUMBERS(cumprod)
DYAD_REFUSED_NUMBERS(softmax)
DYAD_REFUSED_NUMBERS(log_softmax)
DYAD_REFUSED_NUMBERS(transpose)
DYAD_REFUSED_NUMBERS(permute)
DYAD_REFUSED_NUMBERS(expand_dims)
DYAD_REFUSED_NUMBERS(squeeze)
DYAD_REFUSED_NUMBERS(flip)
DYAD_REFUSED_NUMBERS(tile)
DYAD_REFUSED_NUMBERS(pad)
DYAD_REFUSED_NUMBERS(slice)
DYAD_REFUSED_NUMBERS(split)
DYAD_REFUSED(reshape, refused_sizes)
DYAD_REFUSED(broadcast_to, refused_sizes)
#undef DYAD_REFUSED_NUMBERS
#undef DYAD_REFUSED

constexpr tracer squeeze(const tracer& x) { return refused(array_fault::plain_numbers, x); }
constexpr tracer expand_dims(const tracer& x) { return refused(array_fault::plain_numbers, x); }

} // namespace dyad
