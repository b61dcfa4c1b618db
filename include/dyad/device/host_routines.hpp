// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Factorisations and what solves systems, for arrays of a device: LAPACK's on the host, where it is installed and the device has
// none (device/factorisations.hpp). The operands come to the host in a copy each, and the result goes back in one.
#pragma once

#include <tuple>
#include <utility>
#include <vector>

#include <dyad/device/movement.hpp>

#if __has_include(<cblas.h>) && __has_include(<lapacke.h>)
#include <dyad/array/calls.hpp>
#define DYAD_DEVICE_LAPACK 1
#else
#define DYAD_DEVICE_LAPACK 0
#endif

namespace dyad::device {

#if DYAD_DEVICE_LAPACK

/// An operand on the host: an array, row after row, or a number.
template <class T, unsigned Rank>
struct host_operand {
    std::vector<T> elements;
    array_reference<const T, Rank> array;
};
template <class T, class X>
auto brought_to_host(const X& x) {
    if constexpr (referenced<X>) {
        using E = std::remove_const_t<typename X::element_type>;
        host_operand<T, X::rank> h{std::vector<T>(x.count()), {nullptr, {}, {}}};
        h.array = rows_at(static_cast<const T*>(h.elements.data()), x);
        if (std::is_same_v<E, T> && x.is_contiguous()) {
            copy_to_host(h.elements.data(), x.data, x.count() * sizeof(T));
        } else {
            const buffer rows(x.count() * sizeof(T));
            copy<T>(x, rows_at(static_cast<T*>(rows.data()), x));
            copy_to_host(h.elements.data(), rows.data(), x.count() * sizeof(T));
        }
        return h;
    } else {
        return x;
    }
}

/// Computes operation `Op` into `to`. Nothing is written where it throws.
template <opcode Op, class T, class R, class... X>
void call_on_host(std::uint64_t bits, const R& to, const X&... operands) {
    announce(described(facts(Op).name, 1, sizeof...(X), 1, to.count(), 0));
    const std::tuple all{brought_to_host<T>(operands)...};
    const auto operand = [&]<int K>() -> decltype(auto) {
        const auto& x = std::get<(K < static_cast<int>(sizeof...(X)) ? K : 0)>(all); // (an operation may have but one)
        if constexpr (requires { x.array; }) {
            return (x.array);
        } else {
            return (x);
        }
    };
    std::vector<T> elements(to.count());
    dyad::call<Op>(bits, operand, rows_at(elements.data(), to));
    if constexpr (std::is_same_v<typename R::element_type, T>) {
        copy_to_device(to.data, elements.data(), elements.size() * sizeof(T));
    } else {
        const buffer rows(elements.size() * sizeof(T));
        copy_to_device(rows.data(), elements.data(), elements.size() * sizeof(T));
        copy<T>(rows_at(static_cast<const T*>(rows.data()), to), to);
    }
}

#endif

} // namespace dyad::device
