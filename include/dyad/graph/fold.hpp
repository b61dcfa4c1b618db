// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The value of an operation on constants, in the precision of its type. Left to run time where constant
// evaluation may not go: operands that are not finite, poles, and domains that end in NaN.
#pragma once

#include <dyad/graph/node.hpp>

namespace dyad {

/// A folded constant, or nothing.
struct folded {
    bool known = false;
    exact value;
};

constexpr bool is_finite(double x) {
    return x <= std::numeric_limits<double>::max() && x >= -std::numeric_limits<double>::max();
}
constexpr bool is_finite(const exact& x) {
    return is_finite(x.high);
}

/// Far from overflow and underflow, or zero.
constexpr bool is_middling(double x, bool narrow = false) {
    const double size = x < 0 ? -x : x, most = narrow ? 1e18 : 1e150;
    return size == 0 || (size > 1 / most && size < most);
}

/// Operations that are left to run time whatever their operands.
constexpr bool never_folds(opcode op) {
    switch (op) {
    case opcode::tgamma:
    case opcode::lgamma:
    case opcode::digamma:
    case opcode::polygamma:
    case opcode::sinc:
    case opcode::pow_dx:
    case opcode::pow_log:
    case opcode::xlogy:
    case opcode::logaddexp:
    case opcode::inverse_real:
    case opcode::sincos:
    case opcode::erf_gaussian: return true;
    default: return false;
    }
}

/// Whether the operation is defined, finite and exact but for rounding at these finite operands: a product that
/// overflows is no constant expression, and one that vanishes would lose what follows.
constexpr bool folds_at(opcode op, double x, double y) {
    switch (op) {
    case opcode::add:
    case opcode::sub: return x < 8e307 && x > -8e307 && y < 8e307 && y > -8e307;
    case opcode::mul:
    case opcode::fma: return is_middling(x) && is_middling(y);
    case opcode::div: return y != 0 && is_middling(x) && is_middling(y);
    case opcode::hypot: return is_middling(x) && is_middling(y);
    case opcode::fmod: return y != 0;
    case opcode::sqrt: return x >= 0;
    case opcode::log:
    case opcode::log2:
    case opcode::log10: return x > 0;
    case opcode::log1p: return x > -1;
    case opcode::asin:
    case opcode::acos:
    case opcode::unit_circle: return x >= -1 && x <= 1;
    case opcode::atanh: return x > -1 && x < 1;
    case opcode::acosh:
    case opcode::unit_hyperbola: return x >= 1;
    case opcode::pow: return x > 0 && y < 64 && y > -64 && x < 1e4 && x > 1e-4;
    case opcode::exp:
    case opcode::exp2:
    case opcode::expm1:
    case opcode::sinh:
    case opcode::cosh:
    case opcode::softplus:
    case opcode::sigmoid: return x < 700 && x > -700;
    case opcode::gaussian: return x < 20 && x > -20 && is_middling(x);
    case opcode::ipow: return x != 0 && x < 1e4 && x > -1e4;
    default: return !never_folds(op);
    }
}

/// Arithmetic in double or long double. (In double for float too: rounded once more, a sum, product, quotient or root is the
/// float that float arithmetic gives.)
template <class T>
constexpr folded fold_arithmetic(opcode op, int attribute, const exact* x) {
    const T a = x[0].as<T>();
    const auto one = [](T r) {
        if constexpr (std::is_same_v<T, long double>) {
            if (!has_size_of_double(r)) return folded{};
        }
        return folded{true, exact(r)};
    };
    switch (op) {
    case opcode::neg: return one(-a);
    case opcode::add: return one(a + x[1].as<T>());
    case opcode::sub: return one(a - x[1].as<T>());
    case opcode::mul: return one(a * x[1].as<T>());
    case opcode::div: return one(a / x[1].as<T>());
    case opcode::ipow: return one(operation<opcode::ipow>::value(attribute, a));
    default: return {};
    }
}

/// The other operations that fold, in double. (A switch: a table would be a function of its own for each, for every program to
/// compile. And no kernel's functions where <cmath>'s will do.)
constexpr double function_in_double(opcode op, const exact* operands) {
    const double x = operands[0].high;
    switch (op) {
#define DYAD_FOLD(name)                                                                              \
    case opcode::name: return math::in_constants::name(x);
        DYAD_CMATH_FUNCTIONS(DYAD_FOLD)
        DYAD_CMATH_ROUNDINGS(DYAD_FOLD)
#undef DYAD_FOLD
#define DYAD_FOLD(name)                                                                              \
    case opcode::name: return operation<opcode::name>::value(x);
        DYAD_FOLD(abs)
        DYAD_FOLD(sign)
        DYAD_FOLD(sigmoid)
        DYAD_FOLD(softplus)
        DYAD_FOLD(relu)
        DYAD_FOLD(stop_gradient)
        DYAD_FOLD(unit_circle)
        DYAD_FOLD(unit_hyperbola)
        DYAD_FOLD(gaussian)
#undef DYAD_FOLD
    case opcode::logical_not: return x == 0;
    default: break;
    }
    const double y = operands[1].high;
    switch (op) {
#define DYAD_FOLD(name)                                                                              \
    case opcode::name: return math::in_constants::name(x, y);
        DYAD_CMATH_BINARY_FUNCTIONS(DYAD_FOLD)
        DYAD_CMATH_EXTREMA(DYAD_FOLD)
#undef DYAD_FOLD
#define DYAD_FOLD(name)                                                                              \
    case opcode::name: return operation<opcode::name>::value(x, y);
        DYAD_FOLD(min)
        DYAD_FOLD(max)
        DYAD_FOLD(direction)
#undef DYAD_FOLD
    case opcode::less: return x < y;
    case opcode::less_equal: return x <= y;
    case opcode::equal: return x == y;
    case opcode::logical_and: return x != 0 && y != 0;
    case opcode::logical_or: return x != 0 || y != 0;
    case opcode::fma: return math::in_constants::fma(x, y, operands[2].high);
    case opcode::clamp: return operation<opcode::clamp>::value(x, y, operands[2].high);
    case opcode::where: return x != 0 ? y : operands[2].high;
    default: return 0; // (none that folds)
    }
}

/// `op` of the constants `x`, computed in `type`.
constexpr folded fold(opcode op, int attribute, const exact* x, element type) {
    const int arity = facts(op).arity;
    for (int k = 0; k < arity; ++k) {
        if (!is_finite(x[k])) return {};
    }
    if (!folds_at(op, x[0].high, arity > 1 ? x[1].high : 0)) return {};
    const bool multiplies = is(op, opcode::mul) || is(op, opcode::div) || is(op, opcode::fma);
    if (is(type, element::float32) && multiplies && !(is_middling(x[0].high, true) && is_middling(x[1].high, true))) return {};
    if (is(op, opcode::ipow) && (attribute > 64 || attribute < -64)) return {};
    const bool wide = is(type, element::float80) || x[0].low != 0 || (arity > 1 && x[1].low != 0); // whose functions are left to run time
    folded result = wide ? fold_arithmetic<long double>(op, attribute, x) : fold_arithmetic<double>(op, attribute, x);
    if (!result.known && !wide) result = {true, exact(function_in_double(op, x))};
    result.known = result.known && is_finite(result.value);
    if (is(type, element::float32) && result.known) {
        constexpr auto most = static_cast<double>(std::numeric_limits<float>::max());
        const double value = result.value.high; // a conversion that overflows is no constant expression
        result.known = value <= most && value >= -most;
        if (result.known) result.value = exact(static_cast<float>(value));
    }
    return result;
}

/// The literal r, if it is finite.
constexpr folded finite(double r) {
    return {is_finite(r), exact(r)};
}

/// `op` of literals, which no program can leave to run time: all that is finite, also where `fold` leaves the last bits, or what
/// follows, to run time.
constexpr folded fold_literals(opcode op, int attribute, const exact* literals) {
    if (const folded result = fold(op, attribute, literals, element::weak); result.known) return result;
    const double x = literals[0].high, y = facts(op).arity > 1 ? literals[1].high : 0;
    if (!is_finite(x) || !is_finite(y)) return {};
    constexpr auto most = static_cast<long double>(std::numeric_limits<double>::max());
    const auto fits = [](long double r) { return r <= most && r >= -most; };
    const auto a = static_cast<long double>(x), b = static_cast<long double>(y);
    switch (op) {
    case opcode::add: return fits(a + b) ? finite(x + y) : folded{};
    case opcode::sub: return fits(a - b) ? finite(x - y) : folded{};
    case opcode::mul: return fits(a * b) ? finite(x * y) : folded{};
    case opcode::div: return y != 0 && fits(a / b) ? finite(x / y) : folded{};
    case opcode::ipow: return finite(constant::pow(x, static_cast<double>(attribute)));
    case opcode::pow: return finite(constant::pow(x, y));
    case opcode::hypot: return finite(constant::hypot(x, y));
    case opcode::exp: return finite(constant::exp(x));
    case opcode::exp2: return finite(constant::exp2(x));
    case opcode::expm1: return finite(constant::expm1(x));
    default: return {};
    }
}

/// The same for an operation that no pass folds: a template, for programs that have it.
template <opcode Op>
constexpr folded fold_special_literals(int attribute, const exact* literals) {
    const double x = literals[0].high, y = facts(Op).arity > 1 ? literals[1].high : 0;
    if (!is_finite(x) || !is_finite(y)) return {};
    if constexpr (is(Op, opcode::tgamma)) return finite(constant::tgamma(x));
    if constexpr (is(Op, opcode::lgamma)) return finite(constant::lgamma(x));
    if constexpr (is(Op, opcode::digamma)) return finite(operation<Op>::value(x));
    if constexpr (is(Op, opcode::polygamma) || is(Op, opcode::sinc)) return finite(operation<Op>::value(attribute, x));
    if constexpr (is(Op, opcode::xlogy) || is(Op, opcode::logaddexp)) return finite(operation<Op>::value(x, y));
    return {};
}

} // namespace dyad
