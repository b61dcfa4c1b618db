// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Transforms and kernels of arrays on a device: the same calls, run where the arguments lie. Arrays come back as arrays of
// the device, numbers as numbers of the host.
#pragma once

#include <string>

#include <dyad/api/array_transform.hpp>
#include <dyad/api/evaluate.hpp>
#include <dyad/api/kernel.hpp>
#include <dyad/base/unpack.hpp>
#include <dyad/device/elementwise.hpp>
#include <dyad/device/results.hpp>
#include <dyad/device/transfer.hpp>

namespace dyad {

template <class S>
constexpr bool holds_host_array() {
    return []<class... Leaves>(std::type_identity<std::tuple<Leaves...>>) {
        return ((is_array<Leaves> && !is_device_array<Leaves>) || ...);
    }(std::type_identity<typename structure<S>::leaves>{});
}
/// Throws where arrays lie in different places, and names two that do; the last of S are the directions of transform K.
template <transform K, class... S>
void refuse_mixed_places(const char* what) {
    if constexpr ((holds_host_array<S>() || ...)) {
        constexpr bool host[] = {holds_host_array<S>()...}, here[] = {has_device_array<S>...};
        std::size_t on_host = 0, on_device = 0;
        while (!host[on_host]) ++on_host;
        while (!here[on_device]) ++on_device;
        const auto named = [](std::size_t k) {
            const char* const direction = is(K, transform::jvp) ? "the tangent" : is(K, transform::hvp) ? "the direction" : "the cotangent";
            return k + 1 == sizeof...(S) ? std::string(direction) : "argument " + std::to_string(k);
        };
        const std::string place = " the device " + device::name();
        throw device_error("[dyad] " + std::string(what) + ": " + named(on_device) + (on_host == on_device ? " has arrays on" + place + " and" : " lies on" + place + ", " + named(on_host)) +
                           " in the host's memory; bring them together with to_device or to_host");
    }
}

template <class Leaf>
constexpr bool is_device_number() {
    if constexpr (is_device_array<Leaf>) {
        return array_traits<Leaf>::rank == 0;
    } else {
        return false;
    }
}
template <class... Leaves>
constexpr bool no_device_numbers(std::type_identity<std::tuple<Leaves...>>) {
    constexpr bool none = !(is_device_number<Leaves>() || ...);
    static_assert(none, "[dyad] device_array<T, 0>: a number on the device is for results; as an argument, pass a number of the host (to_host brings it there)");
    return none;
}
/// What elementwise results are stored as: as the arrays are, if all are stored in one way that no number is, such as __half; else as T.
template <class T, class... Leaves>
constexpr auto stored_like(std::type_identity<std::tuple<Leaves...>>) {
    using stored = std::tuple_element_t<0, std::tuple<typename array_traits<Leaves>::stored...>>;
    return std::conditional_t<array_element<stored>, std::type_identity<T>, std::type_identity<stored>>{};
}
template <class T, class First, class Second, class... Leaves>
constexpr auto stored_like(std::type_identity<std::tuple<First, Second, Leaves...>>) {
    if constexpr (!is_device_array<First>) {
        return stored_like<T>(std::type_identity<std::tuple<Second, Leaves...>>{});
    } else if constexpr (!is_device_array<Second>) {
        return stored_like<T>(std::type_identity<std::tuple<First, Leaves...>>{});
    } else if constexpr (std::is_same_v<typename array_traits<First>::stored, typename array_traits<Second>::stored>) {
        return stored_like<T>(std::type_identity<std::tuple<Second, Leaves...>>{});
    } else {
        return std::type_identity<T>{};
    }
}

/// Kernels over arrays on the device: one launch. Captured numbers are arguments of the kernel.
template <class F>
struct device_kernel {
    static_assert(stateless<F> || policy_of<F>() == default_policy,
                  "[dyad] strict: the expressions of captured values have the default policy; pass the values as "
                  "arguments and choose with grad<...>, or compile with -DDYAD_STRICT");
    template <class... S>
    static auto run(const F& f, const S&... s) {
        using T = computing_type<S...>;
        using stored = typename decltype(stored_like<T>(std::type_identity<leaf_types<S...>>{}))::type;
        using result = result_of<F, elements_of<S>...>;
        auto flat = []<std::size_t... K>(std::index_sequence<K...>) {
            return std::tuple{(static_cast<void>(K), device_array<stored, highest_rank<S...>()>{})...};
        }(std::make_index_sequence<structure<result>::size>{});
        unpack([&](auto&... out) { execute(f, std::tie(out...), s...); }, flat);
        return restored<result, 0>(flat);
    }
    template <class Out, class... S>
    static void run_into(const F& f, Out& out, const S&... s) {
        if constexpr (take_results<places_in<Out>, kernel_results<F, S...>>()) execute(f, places_of(out), s...);
    }

private:
    template <class Outputs, class... S>
    static void execute(const F& f, const Outputs& outputs, const S&... s) {
        [[maybe_unused]] constexpr bool taken = no_device_numbers(std::type_identity<leaf_types<S...>>{});
        using T = computing_type<S...>;
        refuse_mixed_places<transform::value, S..., std::tuple<>>("kernel");
        if constexpr (stateless<F>) {
            start<traced_kernel<F, policy_of<F>(), elements_of<S>...>, S...>(flat_leaves<T>(s...), outputs);
        } else {
            with_named_expressions<kernel_element<F>>(f, [&]<class Joined, class, class... Leaf>(const flat_tuple<Leaf...>& leaves) {
                constexpr bool numbers = !(array_like<typename Leaf::value_type> || ...);
                static_assert(numbers, DYAD_ARRAY_IN_KERNEL);
                if constexpr (numbers) {
                    constexpr std::size_t own = leaf_count<S...>;
                    const auto captured = [&]<std::size_t... K>(std::index_sequence<K...>) {
                        return std::tuple<decltype((static_cast<void>(K), T()))...>(static_cast<T>(flat_get<own + K>(leaves).value)...);
                    }(std::make_index_sequence<sizeof...(Leaf) - own>{});
                    using source = typename peeled<F>::template program<Joined, elements_of<S>...>;
                    start<source, S...>(std::tuple_cat(flat_leaves<T>(s...), captured), outputs);
                }
                return 0;
            }, elements_of<S>{}...);
        }
    }
    template <class Source, class... S, class Inputs, class Outputs>
    static void start(const Inputs& inputs, const Outputs& outputs) {
        using program = lowered_program<Source, policy_of<F>()>;
        if constexpr (take_fractions<Outputs, outputs_facts<program>>()) device::run_elementwise<program, computing_type<S...>, highest_rank<S...>()>(inputs, outputs);
    }
};

/// What has to hold of a function on a device.
template <transform K, class F>
struct device_checks {
    template <class... S, std::size_t... Item>
    static constexpr bool ready(positions<Item...> p) {
        constexpr bool captures_nothing = stateless<F>; // (A name: compilers say of a concept at length why it does not hold.)
        static_assert(captures_nothing, "[dyad] capture: a function on a device cannot have captured values; pass them as arguments, and choose with grad<...>");
        if constexpr (captures_nothing) return array_checks<K, F>::template ready<S...>(p);
        return false;
    }
};

/// Arrays of the device: results are arrays of the device, and numbers of the host.
struct on_device {
    template <transform K, class Wrt, class F>
    using checks = device_checks<K, F>;
    template <class T, unsigned Rank>
    struct result_of_rank {
        using type = device_array<T, Rank>;
    };
    template <class T>
    struct result_of_rank<T, 0> {
        using type = T;
    };
    template <class T, unsigned Rank>
    using output = typename result_of_rank<T, Rank>::type;
    /// The type of what belongs to a leaf of an argument.
    template <class Leaf>
    static constexpr auto result_for() {
        if constexpr (is_device_array<Leaf>) {
            return std::type_identity<device_array<typename array_traits<Leaf>::stored, array_traits<Leaf>::rank>>{};
        } else if constexpr (array_like<Leaf>) {
            return std::type_identity<device_array<typename array_traits<Leaf>::element, array_traits<Leaf>::rank>>{};
        } else {
            return std::type_identity<std::conditional_t<std::floating_point<Leaf>, Leaf, double>>{};
        }
    }
    template <class F, class... S>
    using result_structure = traced_result<F, S...>;

    template <class... S>
    static constexpr bool waits_for() {
        return false;
    }
    template <class S>
    static S owned(const S& s) {
        return s;
    }
    template <class Program, class T, bool, class... X>
    static void execute_into(const X&... x) {
        device::execute_into<Program, T>(x...);
    }
    template <class Transform, class F, class D, class Use, class... S>
    static auto with_program(const char* what, const F&, const D& directions, const Use& use, const S&... s) {
        if constexpr (no_device_numbers(std::type_identity<leaf_types<S..., D>>{})) {
            using T = computing_type<S..., D>;
            refuse_mixed_places<Transform::which, S..., D>(what);
            return use.template operator()<typename Transform::template program<kind_of<S>...>, T>(flat_leaves_and<T>(directions, s...));
        }
    }
};

template <transform K, class Wrt, class F>
struct device_backend : array_transform<on_device, K, Wrt, F> {};

} // namespace dyad
