// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The reduction var(x, axes...). Its name is that of the class template of variables, so it cannot be a function beside
// it: unqualified it is found by argument-dependent look-up, and dyad::var(x, 0) makes an object that is the result.
#pragma once

#include <dyad/array/functions.hpp>
#include <dyad/trace/expr.hpp>

namespace dyad {

struct variance_of_tracer {};

/// What dyad::var(x, axes...) makes: a traced value.
template <>
class var<"", variance_of_tracer> : public tracer {
public:
    template <class... Axes>
    constexpr explicit(false) var(const tracer& x, Axes... axes) : tracer(variance(x, axes...)) {}
};
template <class... Axes>
var(tracer, Axes...) -> var<"", variance_of_tracer>;

namespace traced_functions {

/// Σ (x - mean x)² / n over the axes (all, if none is named).
template <class... Axes>
constexpr tracer var(const tracer& x, Axes... axes) {
    return variance(x, axes...);
}

} // namespace traced_functions
} // namespace dyad
