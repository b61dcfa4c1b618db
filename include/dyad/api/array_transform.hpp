// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Transforms of functions of arrays, wherever these lie: the program, its flat arguments, and its results in the structure
// that the call returns. A `Place` says what only it knows: what containers its results are, and what runs a program there:
// with_program(what, f, directions, use, arguments...) calls use.operator()<program, number type>(flat arguments and directions).
#pragma once

#include <array>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <dyad/api/array_checks.hpp>
#include <dyad/array/run_time_shape.hpp>
#include <dyad/array/targets.hpp>
#include <dyad/base/unpack.hpp>

namespace dyad {

/// Takes results one after the other, for the leaves of a structure.
template <class Place>
struct result_taker {
    void** next;
    template <class Leaf>
    auto operator()() {
        using type = typename decltype(Place::template result_for<Leaf>())::type;
        return std::move(*static_cast<type*>(*next++));
    }
};
/// The results that belong to the leaves of argument types: one container or number for each.
template <class Place, class Leaves>
struct results_like;
template <class Place, class... Leaves>
struct results_like<Place, std::tuple<Leaves...>> {
    using type = std::tuple<typename decltype(Place::template result_for<Leaves>())::type...>;
};

template <class Place, transform K, class Wrt, class F>
struct array_transform {
    using checks = array_checks<K, F>;
    using ready_checks = typename Place::template checks<K, Wrt, F>;
    using chosen = Wrt;
    static constexpr transform which = K;
    static constexpr policy rewriting = policy_of<F>();
    template <class... S>
    using wrt = typename chosen_positions<Wrt, sizeof...(S)>::type;
    template <class... S>
    struct inputs {
        constexpr list<std::uint32_t> operator()() const { return inputs_at<S...>(wrt<S...>{}); }
    };
    /// Its graph, for arguments of the kinds S, and the program of it.
    template <class... S>
    using derived = derived_arrays<traced_arrays<F, rewriting, S...>, K, inputs<S...>, rewriting>;
    template <class... S>
    using program = program_of_arrays<derived<S...>, rewriting>;
    /// What f returns, as a structure of leaves.
    template <class... S>
    using result_structure = typename Place::template result_structure<F, S...>;

    template <class... S>
    static auto run(const F& f, const S&... s) {
        if constexpr (Place::template waits_for<S...>()) {
            return run(f, Place::computed(s)...);
        } else if constexpr (!ready_checks::template ready<S...>(wrt<S...>{})) {
            return checks::stand_in(wrt<S...>{}, s...);
        } else {
            return Place::template with_program<array_transform>("transform", f, std::tuple<>{}, [&]<class Compiled, class T>(const auto& arguments) {
                if constexpr (is(K, transform::jacobian) || is(K, transform::hessian)) {
                    return matrices<Compiled, T, S...>(arguments, wrt<S...>{});
                } else if constexpr (is(K, transform::gradient)) {
                    return gradients<Compiled, T, S...>(arguments, wrt<S...>{});
                } else {
                    T value{};
                    auto gradient = gradients<Compiled, T, S...>(arguments, wrt<S...>{}, value);
                    return std::pair{value, std::move(gradient)};
                }
            }, s...);
        }
    }
    /// The same into containers and numbers that are there: `out` has the structure of the result.
    template <class Out, class... S>
    static void run_into(Out& out, const F& f, const S&... s) {
        if constexpr (Place::template waits_for<S...>()) {
            run_into(out, f, Place::computed(s)...);
        } else if constexpr (ready_checks::template ready<S...>(wrt<S...>{})) {
            const auto use = [&]<class Compiled, class T>(const auto& arguments) {
                constexpr bool fits = take_results<places_in<Out>, outputs_facts<Compiled>>();
                if constexpr (fits && (is(K, transform::gradient) || is(K, transform::value_and_gradient))) {
                    const auto likes = shapes_for<is(K, transform::value_and_gradient) ? 1 : 0, S...>(arguments, wrt<S...>{});
                    Place::template execute_into<Compiled, T, true>(arguments, places_of(out), likes);
                } else if constexpr (fits && (is(K, transform::jacobian) || is(K, transform::hessian))) {
                    Place::template execute_into<Compiled, T, true>(arguments, places_of(out), shapes_for_matrices<Compiled, S...>(arguments, wrt<S...>{}));
                } else if constexpr (fits) {
                    Place::template execute_into<Compiled, T, true>(arguments, places_of(out));
                }
            };
            if constexpr (!stateless<F>) {
                Place::template with_program<array_transform>("evaluate_into", f, std::tuple<>{}, use, s...);
            } else if constexpr (take_results<places_in<Out>, outputs_facts<program<kind_of<S>...>>>()) { // here, where the way to it is short
                Place::template with_program<array_transform>("evaluate_into", f, std::tuple<>{}, use, s...);
            }
        }
    }
    /// The function itself.
    template <class... S>
    static auto values(const F& f, const S&... s) {
        if constexpr (Place::template waits_for<S...>()) {
            return values(f, Place::computed(s)...);
        } else if constexpr (!ready_checks::template ready<S...>(positions<>{})) {
            return checks::stand_in(positions<0>{}, s...);
        } else {
            return Place::template with_program<array_transform>("evaluate", f, std::tuple<>{}, [&]<class Compiled, class T>(const auto& arguments) {
                using result = result_structure<S...>;
                auto flat = outputs<Compiled, T>(arguments, std::make_index_sequence<structure<result>::size>{});
                return restored<result, 0>(flat);
            }, s...);
        }
    }

    /// jvp and hvp.
    template <class P, class D>
    static auto run_product(const F& f, const P& primals, const D& tangents) {
        if constexpr (Place::template waits_for<P, D>()) {
            return run_product(f, Place::computed(primals), Place::computed(tangents));
        } else if constexpr (takes_elements<F>(std::type_identity<P>{})) {
            return unpack([&](const auto&... p) { return product(f, tangents, p...); }, primals);
        } else {
            return product(f, tangents, primals);
        }
    }
    /// Whether D has a number for each number, and an array of as many axes for each array, of the chosen arguments.
    template <class D, class... S, std::size_t... Item>
    static constexpr bool are_tangents(positions<Item...>) {
        constexpr bool same = have_one_structure<D, std::tuple_element_t<Item, std::tuple<S...>>...>();
        static_assert(same, "[dyad] jvp, hvp: the tangents must have the structure of the primals, an array of as many axes for each array and a number for each number");
        return same;
    }
    /// What stands in place of expressions tells their shapes.
    template <class D, class... S>
    static void check_tangents_in_place(const D& tangents, const S&... s) {
        check_tangents<S...>(flat_leaves<double>(s..., tangents));
    }
    /// The pullback of f, whose result is of type R: keeps copies of the arguments, of borrowed memory too, and the result's shapes.
    template <class R, class... S>
    struct pullback_of {
        [[no_unique_address]] kept_function<F> f;
        std::tuple<S...> arguments;
        list<run_time_shape> results;

        pullback_of(const F& function, std::tuple<S...> at, list<run_time_shape> shapes) : f{function}, arguments(std::move(at)), results(shapes) {}
        template <class C>
        auto operator()(const C& cotangent) const {
            if constexpr (Place::template waits_for<C>()) {
                return (*this)(Place::computed(cotangent));
            } else if constexpr (!is_cotangent<values_in<C>, R>()) {
                return unpack([](const auto&... s) { return array_checks<transform::gradient, F>::stand_in(wrt<S...>{}, s...); }, arguments);
            } else if constexpr (has_eager<C> || runs_on_expressions<F, S...>()) {
                check_cotangent(value_in_place(cotangent));
                return unpack(
                    [&](const auto&... s) {
                        using gradient = decltype(gradient_result<values_in<S>...>(wrt<S...>{}, std::declval<const tracer*>()));
                        return expression_transform<transform::vjp, wrt<S...>, gradient>(f.get(), std::tuple<const C&>(cotangent), s...);
                    },
                    arguments);
            } else {
                check_cotangent(cotangent);
                return unpack(
                    [&](const auto&... s) {
                        return Place::template with_program<array_transform>("vjp", f.get(), cotangent, [&]<class Compiled, class T>(const auto& flat) {
                            return gradients<Compiled, T, S...>(flat, wrt<S...>{});
                        }, s...);
                    },
                    arguments);
            }
        }

    private:
        template <class C>
        void check_cotangent(const C& cotangent) const {
            const list<run_time_shape> given = shapes_at_run_time(flat_leaves<double>(cotangent));
            for (std::size_t k = 0; k < results.size() && k < given.size(); ++k) {
                if (!(given[k] == results[k])) refuse_direction("vjp: a cotangent", given[k], "the result", results[k]);
            }
        }
    };
    /// That of f at expressions, where it has a value.
    template <class Value, class... S>
    static auto pullback_in_expressions(const F& f, const Value& value, const S&... s) {
        return pullback_of<values_in<Value>, decltype(Place::owned(Place::computed(s)))...>(f, {Place::owned(Place::computed(s))...},
                                                                                            shapes_at_run_time(flat_leaves<double>(value_in_place(value))));
    }
    template <class... S>
    static auto run_pullback(const F& f, const S&... s) {
        if constexpr (Place::template waits_for<S...>()) {
            return run_pullback(f, Place::computed(s)...);
        } else if constexpr (!ready_checks::template ready<S...>(wrt<S...>{})) {
            return checks::stand_in(wrt<S...>{}, s...);
        } else {
            auto result = array_transform<Place, transform::value, positions<>, F>::values(f, s...);
            auto shapes = shapes_at_run_time(flat_leaves<double>(result));
            return std::pair{std::move(result), pullback_of<decltype(result), decltype(Place::owned(s))...>(f, {Place::owned(s)...}, shapes)};
        }
    }

private:
    template <class C, class R>
    static constexpr bool is_cotangent() {
        constexpr bool same = have_one_structure<C, R>();
        static_assert(same, "[dyad] pullback: the cotangent must have the structure of the function's result, an array of as many axes for each array and a number for each number");
        constexpr bool astray = has_device_array<C> && !has_device_array<R>; // (the other way, an exception names the device)
        static_assert(!astray, "[dyad] pullback: the cotangent lies on a device, the function's result in the host's memory; bring it there with to_host");
        return same && !astray;
    }
    [[noreturn]] static void refuse_direction(const char* what, const run_time_shape& has, const char* of, const run_time_shape& wanted) {
        throw shape_error("[dyad] " + std::string(what) + " has shape " + text_of(has) + ", " + of + " " + text_of(wanted));
    }
    /// Arrays of size 1 do not stretch to a direction: that would be a direction other than the one that is written.
    template <class... S, class Arguments>
    static void check_tangents(const Arguments& arguments) {
        constexpr std::size_t count = chosen_leaves<S...>(wrt<S...>{}), first = std::tuple_size_v<Arguments> - count;
        constexpr auto argument_of = [] {
            std::array<std::size_t, count + 1> at{};
            const list<std::uint32_t> leaves = inputs<S...>{}();
            for (std::size_t l = 0; l < count; ++l) at[l] = leaves[l];
            return at;
        }();
        const auto check = [](const auto& x, const auto& tangent) {
            if constexpr (referenced<std::remove_cvref_t<decltype(tangent)>> && referenced<std::remove_cvref_t<decltype(x)>>) {
                if (shape_at_run_time(tangent) == shape_at_run_time(x)) return;
                refuse_direction(is(K, transform::hvp) ? "hvp: a direction" : "jvp: a tangent", shape_at_run_time(tangent), "its argument", shape_at_run_time(x));
            }
        };
        [&]<std::size_t... L>(std::index_sequence<L...>) {
            (check(std::get<argument_of[L]>(arguments), std::get<first + L>(arguments)), ...);
        }(std::make_index_sequence<count>{});
    }
    template <class D, class... S>
    static auto product(const F& f, const D& tangents, const S&... s) {
        if constexpr (!ready_checks::template ready<S...>(wrt<S...>{}) || !are_tangents<D, S...>(wrt<S...>{})) {
            return checks::stand_in(wrt<S...>{}, s...);
        } else {
            return Place::template with_program<array_transform>(is(K, transform::hvp) ? "hvp" : "jvp", f, tangents, [&]<class Compiled, class T>(const auto& arguments) {
                check_tangents<S...>(arguments);
                if constexpr (is(K, transform::hvp)) {
                    return gradients<Compiled, T, S...>(arguments, wrt<S...>{});
                } else {
                    using result = result_structure<S...>;
                    constexpr std::size_t count = structure<result>::size;
                    auto flat = outputs<Compiled, T>(arguments, std::make_index_sequence<2 * count>{});
                    return std::pair{restored<result, 0>(flat), restored<result, count>(flat)};
                }
            }, s...);
        }
    }
    /// All results of a program, flat; `likes`: what they are the derivatives by.
    template <class Program, class T, class Arguments, std::size_t... O, class... Likes>
    static auto outputs(const Arguments& arguments, std::index_sequence<O...>, const Likes&... likes) {
        std::tuple<typename Place::template output<T, Program::graph[Program::graph.outputs[O]].rank>...> flat;
        Place::template execute_into<Program, T, false>(arguments, std::tie(std::get<O>(flat)...), likes...);
        return flat;
    }
    /// Derivative matrices: one for each pair of a result's and an argument's leaf; a single one stands alone, those of numbers by
    /// numbers are one matrix, as without arrays.
    template <class Program, class T, class... S, class Arguments, std::size_t... Item>
    static auto matrices(const Arguments& arguments, positions<Item...> chosen) {
        constexpr std::size_t count = Program::graph.output_count, columns = chosen_leaves<S...>(chosen);
        auto flat = outputs<Program, T>(arguments, std::make_index_sequence<count>{}, shapes_for_matrices<Program, S...>(arguments, chosen));
        constexpr bool numbers = []<class... X>(std::type_identity<std::tuple<X...>>) { return (number<X> && ...); }(std::type_identity<decltype(flat)>{});
        if constexpr (numbers) {
            constexpr bool plain_column = one_plain_number<S...>(chosen);
            constexpr bool plain_row = is(K, transform::hessian) ? plain_column : leaf_type<result_structure<S...>>;
            const auto values = unpack([](const auto&... x) { return std::array{x...}; }, flat);
            return matrix_result<plain_row, plain_column, count / columns, columns>(values.data());
        } else if constexpr (count == 1) {
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
        return [&]<std::size_t... J>(std::index_sequence<J...>) { return std::tie(std::get<first + J>(arguments)...); }(std::make_index_sequence<sizes[A]>{});
    }
    /// What outputs are the gradients by, whose shapes they have; behind `Head` other outputs.
    template <std::size_t Head, class... S, class Arguments, std::size_t... Item>
    static auto shapes_for(const Arguments& arguments, positions<Item...>) {
        return std::tuple_cat(std::array<int, Head>{}, leaves_at<Item, S...>(arguments)...);
    }
    /// The same for the matrices of a Jacobian, whose last axes are those of an argument, or of a Hessian, those of two.
    template <class Program, class... S, class Arguments, std::size_t... Item>
    static auto shapes_for_matrices(const Arguments& arguments, positions<Item...> chosen) {
        const auto by = shapes_for<0, S...>(arguments, chosen);
        constexpr std::size_t columns = std::tuple_size_v<decltype(by)>;
        return [&]<std::size_t... M>(std::index_sequence<M...>) {
            if constexpr (is(K, transform::hessian)) {
                return std::tuple{sizes_behind(std::get<M / columns>(by), std::get<M % columns>(by))...};
            } else {
                return std::tuple{sizes_behind(std::get<M % columns>(by))...};
            }
        }(std::make_index_sequence<Program::graph.output_count>{});
    }
    /// The outputs behind those of `head`, in the structure of the chosen arguments.
    template <class Program, class T, class... S, class Arguments, std::size_t... Item, class... Head>
    static auto gradients(const Arguments& arguments, positions<Item...> chosen, Head&... head) {
        using all = std::tuple<S...>;
        typename results_like<Place, concatenated<typename every_leaf<std::tuple_element_t<Item, all>>::type...>>::type flat;
        void* address[std::tuple_size_v<decltype(flat)> + 1] = {};
        unpack(
            [&](auto&... out) {
                std::size_t next = 0;
                ((address[next++] = &out), ...);
                const auto likes = shapes_for<sizeof...(Head), S...>(arguments, chosen);
                Place::template execute_into<Program, T, false>(arguments, std::tie(head..., out...), likes);
            },
            flat);
        result_taker<Place> take{address};
        if constexpr (sizeof...(Item) == 1) {
            return (structure<std::tuple_element_t<Item, all>>::build(take), ...);
        } else {
            return std::tuple<decltype(structure<std::tuple_element_t<Item, all>>::build(take))...>{structure<std::tuple_element_t<Item, all>>::build(take)...};
        }
    }
};

} // namespace dyad
