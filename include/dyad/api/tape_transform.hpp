// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Functions in, derivative functions out, for functions that branch on data: they run on active numbers, at run time. The
// same calls and results as grad, value_and_grad, jacobian and hessian.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include <dyad/api/at_once.hpp>
#include <dyad/api/products.hpp>
#include <dyad/base/unpack.hpp>
#include <dyad/tape/dual.hpp>
#include <dyad/tape/tape.hpp>

namespace dyad {

template <transform K, class F, std::size_t... Item>
class tape_transformed;

/// Whether F takes arguments of these types. A transform takes what its function takes.
template <class F, class... X>
inline constexpr bool takes_on_tape = takes_active<F, X...>;
template <transform K, class F, std::size_t... Item, class... X>
inline constexpr bool takes_on_tape<tape_transformed<K, F, Item...>, X...> = tape_transformed<K, F, Item...>::template takes<X...>();

/// Makes variables of arguments at chosen positions, and passive numbers of the others.
template <class T, bool Chosen>
struct variable_maker {
    tape& home;

    template <class Leaf>
    auto operator()(const Leaf& leaf) const {
        if constexpr (Chosen) {
            static_assert(!std::is_integral_v<Leaf>, "[dyad] transform: a derivative with respect to an integer does not exist; pass a "
                                                     "double, or choose other arguments with tape_grad<...>");
            return home.variable(T(leaf));
        } else if constexpr (std::is_integral_v<Leaf>) {
            return leaf; // data stay what they are
        } else {
            return active<T>(T(leaf));
        }
    }
};

/// A derivative in the type of the argument: a float argument has a float gradient.
template <class Like, class T>
auto like_leaf(const T& value) {
    if constexpr ((std::is_floating_point_v<Like> && std::is_floating_point_v<T>) || immediate_number<Like>) {
        return static_cast<Like>(value);
    } else {
        return value;
    }
}

/// A transform of `F` by the tape, with respect to the arguments at the positions `Item` (all, if none are named).
template <transform K, class F, std::size_t... Item>
class tape_transformed {
public:
    explicit tape_transformed(F f) : f_(std::move(f)) {}

    template <class... S>
    auto operator()(const S&... s) const {
        if constexpr (!is_at_rest<S...>) {
            return (*this)(rested(s)...);
        } else if constexpr (usable_arguments<S...>()) {
            return run(s...);
        } else { // one mistake, one message
            const auto first = std::get<0>(std::forward_as_tuple(s..., 0.0));
            if constexpr (is(K, transform::value_and_gradient)) {
                return std::pair{first, first};
            } else {
                return first;
            }
        }
    }

    /// Whether the function can be called with such arguments.
    template <class... S>
    static constexpr bool takes() {
        return accepts(std::type_identity<on_tape<staying<S...>(), S...>>{});
    }

private:
    template <class... S>
    using chosen = typename chosen_positions<positions<Item...>, sizeof...(S)>::type;
    /// The number type of the arguments that are made of numbers.
    template <class... S>
    using given_number = typename tree_leaf<std::tuple<std::conditional_t<is_number_tree<S>, S, int>...>>::type;

    template <class... S>
    using recorded_number = std::remove_cvref_t<decltype(without_immediate(std::declval<given_number<S...>>()))>;

    /// Whether the transform can go ahead; says why not.
    template <class... S>
    static constexpr bool usable_arguments() {
        constexpr bool there = ((Item < sizeof...(S)) && ...);
        static_assert(there, DYAD_NO_POSITION);
        if constexpr (!there) {
            return false;
        } else {
            constexpr bool numbers = numbers_at<S...>(chosen<S...>{});
            static_assert(numbers, "[dyad] tape_grad: an argument to differentiate by is not made of numbers; choose the others, as in tape_grad<0>(f)(x, data)");
            if constexpr (!numbers) {
                return false;
            } else {
                return usable_result(std::type_identity<on_tape<staying<S...>(), S...>>{});
            }
        }
    }
    template <class... X>
    static constexpr bool accepts(std::type_identity<std::tuple<X...>>) {
        return takes_on_tape<F, std::remove_cvref_t<X>...>;
    }
    /// Which arguments that are not chosen stay what they are though they are made of numbers, as bits: as few as can, those where the
    /// function's parameter has a type that does not take passive numbers in their place. (Fewest first, since a generic body may need
    /// a single type of numbers: it is compiled for what fits only.)
    template <class... S>
    static constexpr std::uint64_t staying() {
        constexpr std::uint64_t data = data_of<S...>(chosen<S...>{}, std::index_sequence_for<S...>{});
        if constexpr (fits<0, 0, S...>()) {
            return 0;
        } else {
            return fewest<data, (std::popcount(data) > 6 ? std::popcount(data) : 1), S...>(); // (of many data none, or all)
        }
    }
    template <class... S, class Wrt, std::size_t... A>
    static constexpr std::uint64_t data_of(Wrt, std::index_sequence<A...>) {
        return ((is_number_tree<S> && !is_chosen<A>(Wrt{}) ? std::uint64_t{1} << A : 0) | ... | std::uint64_t{0});
    }
    /// A set of at least `Count` of the data with which the function can be called; all of them, if with no smaller one.
    template <std::uint64_t Data, int Count, class... S>
    static constexpr std::uint64_t fewest() {
        if constexpr (Count >= std::popcount(Data)) {
            return Data;
        } else if constexpr (constexpr std::uint64_t found = fitting<Data, Count, 0, S...>(); found != none) {
            return found;
        } else {
            return fewest<Data, Count + 1, S...>();
        }
    }
    static constexpr std::uint64_t none = ~std::uint64_t{0};
    template <int Count, std::uint64_t Set, class... S>
    static constexpr bool fits() { // (other sizes are not tried: where a call fits, it is compiled)
        if constexpr (std::popcount(Set) != Count) {
            return false;
        } else {
            return accepts(std::type_identity<on_tape<Set, S...>>{});
        }
    }
    /// A set of `Count` of the data, `Set` or a later one, with which the function can be called.
    template <std::uint64_t Data, int Count, std::uint64_t Set, class... S>
    static constexpr std::uint64_t fitting() {
        if constexpr (fits<Count, Set, S...>()) {
            return Set;
        } else if constexpr (Set == Data) {
            return none;
        } else {
            return fitting<Data, Count, ((Set | ~Data) + 1) & Data, S...>(); // the next subset
        }
    }
    template <class... S, std::size_t... J>
    static constexpr bool numbers_at(positions<J...>) {
        return (is_number_tree<std::tuple_element_t<J, std::tuple<S...>>> && ...);
    }
    template <class... X>
    static constexpr bool usable_result(std::type_identity<std::tuple<X...>>) {
        if constexpr (!callable_on_active<F, std::remove_cvref_t<X>...>()) {
            return false;
        } else {
            using result = decltype(call_on_active(std::declval<const F&>(), std::declval<const X&>()...));
            constexpr bool fits = is(K, transform::jacobian) ? is_number_tree<result> : is_leaf_tree<result>;
            static_assert(fits || is(K, transform::jacobian), "[dyad] tape_grad, tape_hessian: the function must return one number; use tape_jacobian, or tape.gradient with several targets");
            static_assert(fits || !is(K, transform::jacobian), "[dyad] tape_jacobian: the function must return numbers, or arrays, vectors, tuples ... of numbers");
            return fits;
        }
    }

    template <class... S>
    auto run(const S&... s) const {
        using given = given_number<S...>;
        using T = recorded_number<S...>;
        using wrt = chosen<S...>;
        tape home;
        const auto arguments = make_arguments<T, staying<S...>()>(home, wrt{}, std::index_sequence_for<S...>{}, s...);
        const auto result = unpack([this](const auto&... x) { return call_on_active(f_, x...); }, arguments);
        if constexpr (is(K, transform::jacobian)) {
            return as_arguments_compute<S...>(unpack([&](const auto&... x) { return home.jacobian(result, select<T>(wrt{}, x...)); }, arguments));
        } else {
            const auto value = as_arguments_compute<S...>(like_leaf<given>(plain_value<T>(result)));
            auto gradient = gradients<T>(home, active<T>(result), wrt{}, arguments, std::tuple<const S&...>(s...));
            if constexpr (is(K, transform::gradient)) {
                return gradient;
            } else {
                return std::pair{value, std::move(gradient)};
            }
        }
    }

    template <std::size_t A, std::size_t... J>
    static constexpr bool is_chosen(positions<J...>) {
        return ((A == J) || ...);
    }
    template <class T, std::uint64_t Staying, class Wrt, std::size_t... A, class... S>
    static auto make_arguments(tape& home, Wrt, std::index_sequence<A...>, const S&... s) {
        return std::tuple<decltype(make_argument<T, (Staying >> A & 1) != 0, is_chosen<A>(Wrt{})>(home, s))...>{
            make_argument<T, (Staying >> A & 1) != 0, is_chosen<A>(Wrt{})>(home, s)...};
    }
    /// The arguments as the function gets them.
    template <std::uint64_t Staying, class... S>
    using on_tape = decltype(make_arguments<recorded_number<S...>, Staying>(std::declval<tape&>(), chosen<S...>{}, std::index_sequence_for<S...>{}, std::declval<const S&>()...));
    template <class T, bool Stays, bool Chosen, class S>
    static decltype(auto) make_argument(tape& home, const S& s) {
        if constexpr (is_number_tree<S> && (Chosen || !Stays)) {
            return map_tree(s, variable_maker<T, Chosen>{home});
        } else {
            return (s); // data stay what they are
        }
    }
    template <class T, class R>
    static auto plain_value(const R& r) {
        if constexpr (std::is_base_of_v<active<T>, R>) {
            return r.value();
        } else {
            return T(r); // the function did not use its arguments
        }
    }
    template <class T, std::size_t... J, class... X>
    static auto select(positions<J...>, const X&... x) {
        const auto all = std::tie(x...);
        if constexpr (sizeof...(J) == 1) {
            return (std::get<J>(all), ...);
        } else {
            return std::tuple<std::tuple_element_t<J, std::tuple<X...>>...>{std::get<J>(all)...};
        }
    }
    template <class T, std::size_t... J, class Arguments, class Given>
    static auto gradients(tape& home, const active<T>& result, positions<J...>, const Arguments& arguments, const Given& given) {
        const auto flat = home.gradient(result, std::tie(std::get<J>(arguments)...));
        if constexpr (sizeof...(J) == 1) {
            return (in_types_of(std::get<J>(given), std::get<0>(flat)), ...);
        } else {
            return [&]<std::size_t... P>(std::index_sequence<P...>) {
                return std::tuple{in_types_of(std::get<J>(given), std::get<P>(flat))...};
            }(std::make_index_sequence<sizeof...(J)>{});
        }
    }
    /// A gradient with the leaf types of what it belongs to: trees of one structure, whose tuples may hold several types.
    template <class S, class G>
    static auto in_types_of(const S& s, const G& gradient) {
        using leaf = typename tree_leaf<S>::type;
        if constexpr (requires { std::tuple_size<S>::value; } && !requires { s[0]; }) {
            return [&]<std::size_t... P>(std::index_sequence<P...>) {
                return same_kind(s, in_types_of(std::get<P>(s), std::get<P>(gradient))...);
            }(std::make_index_sequence<std::tuple_size_v<S>>{});
        } else if constexpr (std::is_floating_point_v<leaf> || immediate_number<leaf>) {
            return map_tree(gradient, [](const auto& g) { return like_leaf<leaf>(g); });
        } else {
            return gradient;
        }
    }
    /// The parts as a tuple or a pair, whichever the argument is.
    template <class... S, class... G>
    static std::tuple<G...> same_kind(const std::tuple<S...>&, const G&... part) {
        return {part...};
    }
    template <class X, class Y, class G, class H>
    static std::pair<G, H> same_kind(const std::pair<X, Y>&, const G& g, const H& h) {
        return {g, h};
    }

    [[no_unique_address]] F f_;
};

/// The gradient of `f`, which may branch and loop on the values of its arguments: one result for each argument, or for those
/// at the positions `Item...`. Applied to arguments that are active numbers it nests.
/// Example: `tape_grad([](auto x) { auto y = x; while (y < 100) y = y * x; return y; })(3.0)` is 405.
template <std::size_t... Item, class F>
auto tape_grad(F f) {
    return tape_transformed<transform::gradient, F, Item...>(std::move(f));
}
/// The value of `f` and its gradient, as a pair.
template <std::size_t... Item, class F>
auto tape_value_and_grad(F f) {
    return tape_transformed<transform::value_and_gradient, F, Item...>(std::move(f));
}
/// J[i][j] = ∂fᵢ/∂xⱼ over the leaves of result and arguments; a single plain number has no index.
template <std::size_t... Item, class F>
auto tape_jacobian(F f) {
    return tape_transformed<transform::jacobian, F, Item...>(std::move(f));
}

/// H[i][j] = ∂²f/∂xᵢ∂xⱼ over all leaves of the arguments: the Jacobian of the gradient.
template <std::size_t... Item, class F>
auto tape_hessian(F f) {
    return tape_jacobian<Item...>(tape_grad<Item...>(std::move(f)));
}

/// The product of the Hessian with a direction: forward mode over reverse mode, two or three times the cost of a gradient.
template <class F>
class tape_hessian_product {
public:
    explicit tape_hessian_product(F f) : f_(std::move(f)) {}

    /// One argument: (x, v). Several: a tuple of arguments and one of directions.
    template <class P, class... D>
    auto operator()(const P& primals, const D&... directions) const {
        constexpr bool pair = sizeof...(D) == 1;
        static_assert(pair, "[dyad] tape_hvp: it takes a point and a direction; where these have several parts, as two tuples: tape_hvp(f)(std::tuple{x, y}, std::tuple{v, w})");
        if constexpr (pair) {
            return along(primals, directions...);
        } else {
            return primals;
        }
    }

private:
    template <class P, class D>
    auto along(const P& primals, const D& directions) const {
        using T = typename tree_leaf<P>::type;
        std::vector<T> steps;
        visit_tree(directions, [&](const auto& leaf) { steps.push_back(T(leaf)); });
        std::size_t count = 0, next = 0;
        visit_tree(primals, [&](const auto&) { ++count; });
        if (steps.size() != count)
            throw shape_error("[dyad] tape_hvp: " + std::to_string(steps.size()) + " directions for " + std::to_string(count) + " numbers");
        const auto moving = map_tree(primals, [&](const auto& leaf) { return immediate<dual<T, 1>>(dual<T, 1>(T(leaf), {steps[next++]})); });
        const auto tangent = [](const auto& g) { return g.tangent(); };
        if constexpr (takes_elements_of(std::type_identity<std::remove_const_t<decltype(moving)>>{})) {
            return map_tree(unpack(tape_grad(f_), moving), tangent);
        } else {
            return map_tree(tape_grad(f_)(moving), tangent);
        }
    }

    /// A tuple holds the arguments, if the function takes these, or does not take the tuple either.
    template <class P>
    static constexpr bool takes_elements_of(std::type_identity<P>) {
        return false;
    }
    template <class... X>
    static constexpr bool takes_elements_of(std::type_identity<std::tuple<X...>>) {
        using gradient = decltype(tape_grad(std::declval<F>()));
        if constexpr (gradient::template takes<X...>()) {
            return true;
        } else {
            return !gradient::template takes<std::tuple<X...>>();
        }
    }
    [[no_unique_address]] F f_;
};
/// H v, the derivative of the gradient along v. Example: `tape_hvp(f)(std::tuple{1.5, 2.0}, std::tuple{1.0, 0.0})`.
template <class F>
auto tape_hvp(F f) {
    return tape_hessian_product<F>(std::move(f));
}

// As other libraries take them, with the arguments at once.
DYAD_REFUSED_FORM(tape_grad, "tape_grad(f)(x...), by some arguments tape_grad<0>(f)(x...)")
DYAD_REFUSED_FORM(tape_value_and_grad, "auto [value, slopes] = tape_value_and_grad(f)(x...)")
DYAD_REFUSED_FORM(tape_jacobian, "tape_jacobian(f)(x...)")
DYAD_REFUSED_FORM(tape_hessian, "tape_hessian(f)(x...)")
DYAD_REFUSED_FORM(tape_hvp, "tape_hvp(f)(primals, directions)")

} // namespace dyad
