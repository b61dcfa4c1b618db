// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Loops and branches on a device (array/region_calls.hpp): the host counts the rounds, and each starts its body's kernels.
// What goes round stays on the device, numbers too; a condition comes back to the host, and so does a number that says how many
// rounds there are or that a loop of the host's numbers takes.
#pragma once

#include <array>
#include <tuple>
#include <utility>

#include <dyad/array/region_calls.hpp>
#include <dyad/device/number.hpp>

namespace dyad::device {

template <class Program, class T, class Outputs, class... Inputs>
class execution;

/// A number that goes round, where it lies and where the next one goes.
template <class T>
struct number_that_goes_round {
    T* now = nullptr;
    T* next = nullptr;

    template <class H, class Memory>
    void begin(const H& h, Memory& memory) {
        now = memory.template take<T>(1);
        next = memory.template take<T>(1);
        put<T>(h, now);
    }
    [[nodiscard]] number_on_device<T> argument() const { return {now}; }
    [[nodiscard]] T* elements() { return now; }
    [[nodiscard]] static std::size_t count() { return 1; }
    template <std::size_t Output, class E>
    static void check(const E&) {}
    template <std::size_t Output, class E>
    void turn(const E& e) {
        put<T>(e.template number_where_it_lies<Output>(), next);
        std::swap(now, next);
    }
};

struct rounds_on_device {
    template <class T>
    using number = number_that_goes_round<T>;
    template <class T>
    using target = void*;

    template <class X, class R>
    static void copy(const X& x, const R& to) {
        device::copy<typename R::element_type>(x, to);
    }
    template <class T>
    static void copy_elements(const T* from, std::size_t count, T* to) {
        copy_on_device(to, from, count * sizeof(T));
    }
    template <class Body, class T, class... X>
    static auto started(const std::tuple<X...>& inputs) {
        using outputs = decltype(std::tuple_cat(std::array<T, Body::graph.output_count>{}));
        return execution<Body, T, outputs, X...>(inputs);
    }
    template <std::size_t Output, class E, class T>
    static void keep_number(const E& e, T* to) {
        put<T>(e.template number_where_it_lies<Output>(), to);
    }
};

} // namespace dyad::device
