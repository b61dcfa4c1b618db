// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Transforms and kernels of arrays on a device: the same calls, run where the arguments lie. Arrays come back as arrays of
// the device, numbers as numbers of the host.
#pragma once

#include <string>

#include <dyad/api/array_checks.hpp>
#include <dyad/api/evaluate.hpp>
#include <dyad/api/kernel.hpp>
#include <dyad/device/elementwise.hpp>
#include <dyad/device/results.hpp>
#include <dyad/device/transfer.hpp>

namespace dyad {

#define DYAD_NO_CAPTURE "[dyad] capture: a function on a device cannot have captured values; pass them as arguments, and choose with grad<...>"

template <class S>
constexpr bool holds_host_array() {
    return []<class... Leaves>(std::type_identity<std::tuple<Leaves...>>) {
        return ((is_array<Leaves> && !is_device_array<Leaves>) || ...);
    }(std::type_identity<typename structure<S>::leaves>{});
}
/// Throws where arrays lie in different places, and names two that do.
template <class... S>
void refuse_mixed_places(const char* what) {
    if constexpr ((holds_host_array<S>() || ...)) {
        constexpr bool host[] = {holds_host_array<S>()...}, here[] = {has_device_array<S>...};
        std::size_t on_host = 0, on_device = 0;
        while (!host[on_host]) ++on_host;
        while (!here[on_device]) ++on_device;
        throw device_error("[dyad] " + std::string(what) + ": argument " + std::to_string(on_device) + " lies on the device " + device::name() + ", argument " +
                           std::to_string(on_host) + " in the host's memory; bring them together with to_device or to_host");
    }
}

/// What elementwise results are stored as: as the arrays are, if all are stored in one way; else as T.
template <class T, class... Leaves>
constexpr auto stored_like(std::type_identity<std::tuple<Leaves...>>) {
    using stored = std::tuple_element_t<0, std::tuple<typename array_traits<Leaves>::stored...>>;
    return std::conditional_t<number<stored>, std::type_identity<T>, std::type_identity<stored>>{};
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

/// A type of its own for what stands on the device for a leaf of an argument.
struct device_result_taker {
    void** next;
    template <class Leaf>
    auto operator()() {
        using type = typename decltype(type_for<Leaf>())::type;
        return std::move(*static_cast<type*>(*next++));
    }
    template <class Leaf>
    static constexpr auto type_for() {
        if constexpr (array_like<Leaf>) {
            using traits = array_traits<Leaf>;
            if constexpr (is_device_array<Leaf>) return std::type_identity<device_array<typename traits::stored, traits::rank>>{};
            if constexpr (!is_device_array<Leaf>) return std::type_identity<device_array<typename traits::element, traits::rank>>{};
        } else {
            return std::type_identity<std::conditional_t<std::floating_point<Leaf>, Leaf, double>>{};
        }
    }
};

/// The results that belong to the leaves of argument types.
template <class Leaves>
struct device_results_like;
template <class... Leaves>
struct device_results_like<std::tuple<Leaves...>> {
    using type = std::tuple<typename decltype(device_result_taker::type_for<Leaves>())::type...>;
};
template <class T, unsigned Rank>
struct device_output {
    using type = device_array<T, Rank>;
};
template <class T>
struct device_output<T, 0> {
    using type = T;
};

/// The places for results in a structure of arrays and numbers, as references.
template <class X>
auto device_places_of(X& x) {
    if constexpr (leaf_type<std::remove_const_t<X>>) {
        return std::tuple<X&>(x);
    } else {
        return std::apply([](auto&... part) { return std::tuple_cat(device_places_of(part)...); }, x);
    }
}

/// Kernels over arrays on the device: one launch.
template <class F>
struct device_kernel {
    static_assert(stateless<F>, DYAD_NO_CAPTURE);
    template <class... S>
    static auto run(const F&, const S&... s) {
        using T = computing_type<S...>;
        using stored = typename decltype(stored_like<T>(std::type_identity<leaf_types<S...>>{}))::type;
        using result = traced_result<F, elements_of<S>...>;
        auto flat = []<std::size_t... K>(std::index_sequence<K...>) {
            return std::tuple{(static_cast<void>(K), device_array<stored, highest_rank<S...>()>{})...};
        }(std::make_index_sequence<structure<result>::size>{});
        std::apply([&](auto&... out) { execute<S...>(std::tie(out...), s...); }, flat);
        return restored<result>(flat);
    }
    template <class Out, class... S>
    static void run_into(const F&, Out& out, const S&... s) {
        execute<S...>(device_places_of(out), s...);
    }

private:
    template <class... S, class Outputs>
    static void execute(const Outputs& outputs, const S&... s) {
        using T = computing_type<S...>;
        using source = lowered_program<traced_program<F, policy_of<F>(), elements_of<S>...>, policy_of<F>()>;
        refuse_mixed_places<S...>("kernel");
        device::run_elementwise<source, T, highest_rank<S...>()>(std::tuple_cat(flat_leaves<T>(s)...), outputs);
    }
};

template <transform K, class Wrt, class F>
struct device_backend {
    static_assert(stateless<F>, DYAD_NO_CAPTURE);
    using checks = array_checks<K, F>;
    template <class... S>
    using wrt = typename chosen_positions<Wrt, sizeof...(S)>::type;
    template <class... S>
    struct inputs {
        constexpr list<std::uint32_t> operator()() const { return inputs_at<S...>(wrt<S...>{}); }
    };
    static constexpr policy rewriting = policy_of<F>();
    template <class... S>
    using program = program_of_arrays<derived_arrays<traced_arrays<F, rewriting, S...>, K, inputs<S...>, rewriting>, rewriting>;

    template <class... S>
    static auto run(const F&, const S&... s) {
        if constexpr (!checks::template ready<S...>(wrt<S...>{})) {
            return checks::stand_in(wrt<S...>{}, s...);
        } else {
            using T = computing_type<S...>;
            using compiled = program<kind_of<S>...>;
            refuse_mixed_places<S...>("transform");
            const auto arguments = std::tuple_cat(flat_leaves<T>(s)...);
            if constexpr (K == transform::jacobian || K == transform::hessian) {
                return arrays<compiled, T>(arguments);
            } else if constexpr (K == transform::gradient) {
                return gradients<compiled, T, S...>(arguments, std::tuple<>{}, wrt<S...>{});
            } else {
                T value{};
                auto gradient = gradients<compiled, T, S...>(arguments, std::tie(value), wrt<S...>{});
                return std::pair{value, std::move(gradient)};
            }
        }
    }
    /// The same into arrays and numbers that are there.
    template <class Out, class... S>
    static void run_into(Out& out, const F&, const S&... s) {
        if constexpr (checks::template ready<S...>(wrt<S...>{})) {
            using T = computing_type<S...>;
            using compiled = program<kind_of<S>...>;
            constexpr bool fits = std::tuple_size_v<decltype(device_places_of(out))> == compiled::graph.output_count;
            static_assert(fits, "[dyad] evaluate_into: the target must have the structure of the function's result");
            refuse_mixed_places<S...>("evaluate_into");
            if constexpr (fits) device::execute_into<compiled, T>(std::tuple_cat(flat_leaves<T>(s)...), device_places_of(out));
        }
    }
    /// The function itself.
    template <class... S>
    static auto values(const F&, const S&... s) {
        if constexpr (!checks::template ready<S...>(positions<>{})) {
            return checks::stand_in(positions<0>{}, s...);
        } else {
            using T = computing_type<S...>;
            refuse_mixed_places<S...>("evaluate");
            auto flat = results<program<kind_of<S>...>, T>(std::tuple_cat(flat_leaves<T>(s)...));
            return restored<traced_result<F, S...>>(flat);
        }
    }

private:
    template <class Program, class T, class Arguments>
    static auto results(const Arguments& arguments) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            std::tuple<typename device_output<T, Program::graph[Program::graph.outputs[I]].rank>::type...> flat;
            std::apply([&](auto&... out) { device::execute_into<Program, T>(arguments, std::tie(out...)); }, flat);
            return flat;
        }(std::make_index_sequence<Program::graph.output_count>{});
    }
    /// Derivative matrices: one for each pair of a result's and an argument's leaf; a single one stands alone.
    template <class Program, class T, class Arguments>
    static auto arrays(const Arguments& arguments) {
        auto flat = results<Program, T>(arguments);
        if constexpr (Program::graph.output_count == 1) {
            return std::move(std::get<0>(flat));
        } else {
            return flat;
        }
    }
    /// The flat leaves of argument number A.
    template <std::size_t A, class... S, class Arguments>
    static auto leaves_at(const Arguments& arguments) {
        constexpr std::size_t sizes[] = {structure<S>::size...};
        constexpr std::size_t first = [] {
            std::size_t sum = 0;
            for (std::size_t k = 0; k != A; ++k) sum += sizes[k];
            return sum;
        }();
        return [&]<std::size_t... J>(std::index_sequence<J...>) { return std::tuple{std::get<first + J>(arguments)...}; }(std::make_index_sequence<sizes[A]>{});
    }
    /// The outputs behind those of `head`, in the structure of the chosen arguments.
    template <class Program, class T, class... S, class Arguments, class Head, std::size_t... I>
    static auto gradients(const Arguments& arguments, const Head& head, positions<I...>) {
        using all = std::tuple<S...>;
        typename device_results_like<concatenated<typename every_leaf<std::tuple_element_t<I, all>>::type...>>::type flat;
        void* address[std::tuple_size_v<decltype(flat)> + 1] = {};
        std::apply(
            [&](auto&... out) {
                std::size_t next = 0;
                ((address[next++] = &out), ...);
                // Gradients have the shapes of the arguments that they belong to.
                const auto likes = std::tuple_cat(std::array<int, std::tuple_size_v<Head>>{}, leaves_at<I, S...>(arguments)...);
                device::execute_into<Program, T>(arguments, std::tuple_cat(head, std::tie(out...)), likes);
            },
            flat);
        device_result_taker take{address};
        if constexpr (sizeof...(I) == 1) {
            return (structure<std::tuple_element_t<I, all>>::build(take), ...);
        } else {
            return std::tuple<decltype(structure<std::tuple_element_t<I, all>>::build(take))...>{structure<std::tuple_element_t<I, all>>::build(take)...};
        }
    }
};

#undef DYAD_NO_CAPTURE

} // namespace dyad
