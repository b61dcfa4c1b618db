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

constexpr bool is_finite(const exact& x) {
    return x.high <= std::numeric_limits<double>::max() && x.high >= -std::numeric_limits<double>::max();
}

/// Far from overflow and underflow, or zero.
constexpr bool is_middling(double x) {
    const double size = x < 0 ? -x : x;
    return size == 0 || (size > 1e-150 && size < 1e150);
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
    case opcode::ipow: return x != 0 && x < 1e4 && x > -1e4;
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
    case opcode::sincos: return false;
    default: return true;
    }
}

template <opcode Op, class T>
constexpr exact fold_as(int attribute, const exact* x) {
    using operation = operation<Op>;
    constexpr bool logical =
        Op == opcode::logical_not || Op == opcode::logical_and || Op == opcode::logical_or;
    using operand_type = std::conditional_t<logical, bool, T>;
    const auto at = [&](int k) {
        if constexpr (logical) {
            return x[k].high != 0;
        } else {
            return x[k].as<operand_type>();
        }
    };
    const auto result = [&] {
        if constexpr (Op == opcode::sincos) {
            return T(0); // folds_at() says never
        } else if constexpr (Op == opcode::where) {
            return x[0].high != 0 ? at(1) : at(2);
        } else if constexpr (operation::attributed && operation::arity == 1) {
            return operation::value(attribute, at(0));
        } else if constexpr (operation::attributed) {
            return operation::value(attribute, at(0), at(1), at(2));
        } else if constexpr (operation::arity == 1) {
            return operation::value(at(0));
        } else if constexpr (operation::arity == 2) {
            return operation::value(at(0), at(1));
        } else {
            return operation::value(at(0), at(1), at(2));
        }
    }();
    if constexpr (std::same_as<std::remove_cv_t<decltype(result)>, bool>) {
        return exact(result ? 1 : 0);
    } else {
        return exact(result);
    }
}

template <class T>
constexpr exact fold_in(opcode op, int attribute, const exact* x) {
    using function = exact (*)(int, const exact*);
#define DYAD_FOLD(name) &fold_as<opcode::name, T>,
    constexpr function table[] = {nullptr, nullptr, nullptr, nullptr, DYAD_OPERATIONS(DYAD_FOLD)};
#undef DYAD_FOLD
    return table[static_cast<std::size_t>(op)](attribute, x);
}

/// `op` of the constants `x`, computed in `type`.
constexpr folded fold(opcode op, int attribute, const exact* x, element type) {
    const int arity = facts(op).arity;
    for (int k = 0; k < arity; ++k) {
        if (!is_finite(x[k])) return {};
    }
    if (!folds_at(op, x[0].high, arity > 1 ? x[1].high : 0)) return {};
    if (op == opcode::ipow && (attribute > 64 || attribute < -64)) return {};
    const bool wide = type == element::float80 || x[0].low != 0 || (arity > 1 && x[1].low != 0);
    const exact value = type == element::float32 ? fold_in<float>(op, attribute, x)
                        : wide                   ? fold_in<long double>(op, attribute, x)
                                                 : fold_in<double>(op, attribute, x);
    return {is_finite(value), value};
}

} // namespace dyad
