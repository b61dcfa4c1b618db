// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// std::numeric_limits of symbolic values: generic code asks for those of its number type, and what is not specialised is 0 in
// silence. A traced value has no number type yet, as one trace serves them all: its limits are those of double, also where the
// program then computes in float. An expression has the number type of its leaves.
#pragma once

#include <limits>
#include <utility>

#include <dyad/graph/tracer.hpp>
#include <dyad/trace/expr.hpp>

/// Constants of a trace, of the type of what they meet.
template <>
class std::numeric_limits<dyad::tracer> : public std::numeric_limits<double> {
    using inner = std::numeric_limits<double>;

public:
    static constexpr dyad::tracer min() noexcept { return inner::min(); }
    static constexpr dyad::tracer max() noexcept { return inner::max(); }
    static constexpr dyad::tracer lowest() noexcept { return inner::lowest(); }
    static constexpr dyad::tracer epsilon() noexcept { return inner::epsilon(); }
    static constexpr dyad::tracer round_error() noexcept { return inner::round_error(); }
    static constexpr dyad::tracer infinity() noexcept { return dyad::constant::infinity<double>; }
    static constexpr dyad::tracer quiet_NaN() noexcept { return inner::quiet_NaN(); }
    static constexpr dyad::tracer signaling_NaN() noexcept { return inner::signaling_NaN(); }
    static constexpr dyad::tracer denorm_min() noexcept { return inner::denorm_min(); }
};

/// Plain numbers: the type of an expression is a formula, which is not theirs.
template <dyad::eager E>
class std::numeric_limits<E> : public std::numeric_limits<typename decltype(dyad::to_expression(std::declval<const E&>()))::number_type> {};
