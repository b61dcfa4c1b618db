// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Ordinary differential equations: the adaptive method of Dormand and Prince, differentiated as the loop that it is, or by
// the adjoint equation. (Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, 1993, sections II.4 and
// II.5; the adjoint: Pontryagin, The Mathematical Theory of Optimal Processes, 1962; as a rule: Chen et al., Neural
// Ordinary Differential Equations, 2018.)
#pragma once

#include <dyad/api/implicit.hpp>
#include <dyad/base/unpack.hpp>

namespace dyad {

/// How exactly odeint integrates.
struct ode_options {
    double relative = 1e-8;  ///< tolerance of a step's error: the mean square of error / (absolute + relative |y|) is at most 1
    double absolute = 1e-10; ///< its part that does not depend on y
    double first_step = 0;   ///< length of the first step; 0: chosen by the slope, a millionth of the interval at least
    int limit = 100000;      ///< on the number of steps, with those that are made again
    double max_step = 0;     ///< length of the longest step, for a right-hand side with short events that steps could miss; 0: any
};

/// Dormand and Prince's 5(4) pair.
struct dormand_prince {
    static constexpr std::size_t stages = 7;
    static constexpr double time[stages] = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1};
    static constexpr double weight[stages][stages - 1] = {
        {},
        {1.0 / 5},
        {3.0 / 40, 9.0 / 40},
        {44.0 / 45, -56.0 / 15, 32.0 / 9},
        {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
        {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
        {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    static constexpr double error[stages] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
};

/// An integration over s from 0 to 1 of dy/ds = (t1 - t0) f(t0 + s (t1 - t0), y): in s all steps are constants to
/// derivatives, and the ends of the interval are parameters like others.
template <class V, class F, class Y, class... S>
class integration {
public:
    static constexpr std::size_t size = leaf_count<Y>;
    using state = std::array<V, size>;

    constexpr integration(const ode_options& options, const F& f, const V& from, const V& length, const std::tuple<const S&...>& arguments)
        : options_(options), f_(f), from_(from), length_(length), arguments_(arguments) {}

    constexpr state run(const state& first) const {
        if constexpr (size == 0) return first;
        if constexpr (size != 0) return steps(first);
    }

private:
    constexpr state steps(const state& first) const {
        const state slope = slope_at(V(0), first);
        const auto [y, last_slope, s, h, rounds] = while_loop(
            [this](const auto& now) { return std::get<2>(now) < 1 && std::get<3>(now) > smallest && std::get<4>(now) < this->options_.limit; },
            [this](const auto& now) { return this->step(now); }, std::tuple{first, slope, V(0), shortened(first_step(first, slope)), 0});
        if constexpr (std::same_as<V, tracer>) { // a graph has no errors: what did not arrive is NaN
            const V arrived = stop_gradient(sqrt(where(s >= 1, 1, -1)));
            state result = y;
            for (V& leaf : result) leaf = leaf * arrived;
            return result;
        } else {
            if (!(s < 1)) return y;
            refuse(s, h, rounds, first, slope);
        }
    }

    using method = dormand_prince;
    static constexpr double smallest = 16 * epsilon_of<V>();

    /// The state moved along the first slopes, weighted.
    template <std::size_t... J>
    static constexpr V along(const double* weight, const std::array<state, method::stages>& k, std::size_t n, std::index_sequence<J...>) {
        return V(((static_cast<weight_type>(weight[J]) * k[J][n]) + ...));
    }
    using weight_type = std::conditional_t<number<V>, V, double>;

    constexpr state slope_at(const V& s, const state& y) const {
        const V t(from_ + s * length_);
        state result = unpack([&](const S&... a) { return leaf_array<V>(f_(t, structure_of_leaves<Y>(y.data()), a...)); }, arguments_);
        for (V& leaf : result) leaf = leaf * length_;
        return result;
    }

    /// The mean square of x by the tolerances at y and z.
    constexpr V mean_square(const state& x, const state& y, const state& z) const {
        V sum(0);
        for (std::size_t n = 0; n < size; ++n) {
            const V unit = static_cast<V>(options_.absolute + options_.relative * max(abs(y[n]), abs(z[n])));
            const V part = static_cast<V>(x[n] / where(unit == 0, V(1), unit)); // (of a number that is 0 and stays so)
            sum = static_cast<V>(sum + part * part);
        }
        return V(sum / static_cast<weight_type>(size));
    }
    static constexpr state constant(const state& x) {
        state result{};
        for (std::size_t n = 0; n < size; ++n) result[n] = static_cast<V>(stop_gradient(x[n]));
        return result;
    }

    /// A step in s, shortened to the longest that is allowed.
    constexpr V shortened(const V& h) const {
        if (options_.max_step > 0) return static_cast<V>(min(h, options_.max_step / abs(stop_gradient(length_))));
        return h;
    }

    constexpr V first_step(const state& y, const state& slope) const {
        if (options_.first_step > 0) return static_cast<V>(min(1, options_.first_step / abs(stop_gradient(length_))));
        const state fixed = constant(y);
        const V size_of_y = mean_square(fixed, fixed, fixed), size_of_slope = mean_square(constant(slope), fixed, fixed);
        constexpr double least = 4 * smallest > 1e-6 ? 4 * smallest : 1e-6; // (from y = 0 the quotient says nothing)
        return static_cast<V>(clamp(0.01 * sqrt(max(size_of_y, 1e-10) / max(size_of_slope, 1e-30)), least, 1));
    }

    template <class Now>
    constexpr std::tuple<state, state, V, V, std::remove_cvref_t<std::tuple_element_t<4, Now>>> step(const Now& now) const {
        const state& y = std::get<0>(now);
        const state& slope = std::get<1>(now);
        const V& s = std::get<2>(now);
        const V& h = std::get<3>(now);
        const V take(min(h, 1 - s));
        std::array<state, method::stages> k{};
        k[0] = slope;
        state next = y;
        [&]<std::size_t... Item>(std::index_sequence<Item...>) {
            const auto stage = [&]<std::size_t i>(whole_size<i>) {
                for (std::size_t n = 0; n < size; ++n)
                    next[n] = static_cast<V>(y[n] + take * along(method::weight[i], k, n, std::make_index_sequence<i>{}));
                k[i] = slope_at(V(s + static_cast<weight_type>(method::time[i]) * take), next);
            };
            (stage(whole_size<Item + 1>{}), ...);
        }(std::make_index_sequence<method::stages - 1>{});

        state error{};
        for (std::size_t n = 0; n < size; ++n)
            error[n] = static_cast<V>(stop_gradient(take * along(method::error, k, n, std::make_index_sequence<method::stages>{})));
        const V square = mean_square(error, constant(y), constant(next));
        const auto accepted = square <= 1;
        const V bounded = static_cast<V>(where(square < 1e10, max(square, 1e-10), 1e10)); // (NaN: too far)
        const V factor = static_cast<V>(clamp(0.9 * pow(bounded, -0.1), 0.2, 5));
        std::tuple<state, state, V, V, std::remove_cvref_t<std::tuple_element_t<4, Now>>> result{y, slope, s, shortened(static_cast<V>(stop_gradient(take * factor))), std::get<4>(now) + 1};
        for (std::size_t n = 0; n < size; ++n) {
            std::get<0>(result)[n] = static_cast<V>(where(accepted, next[n], y[n]));
            std::get<1>(result)[n] = static_cast<V>(where(accepted, k[method::stages - 1][n], slope[n]));
        }
        std::get<2>(result) = static_cast<V>(where(accepted, where(h < 1 - s, s + take, 1), s));
        return result;
    }
    template <std::size_t N>
    using whole_size = std::integral_constant<std::size_t, N>;

    [[noreturn]] constexpr void refuse(const V& s, const V& h, int rounds, const state& first, const state& slope) const {
        bool finite = true;
        for (std::size_t n = 0; n < size; ++n) {
            const auto sum = static_cast<double>(first[n]) + static_cast<double>(slope[n]);
            finite = finite && sum - sum == 0;
        }
        text t("[dyad] odeint: ");
        if (!finite) {
            t += "the state, its slope or a time is not finite at t = ";
        } else if (rounds >= options_.limit) {
            append_decimal(t, rounds);
            t += " steps end at t = ";
        } else {
            t += "the step fell to ";
            append_decimal(t, static_cast<double>(h) * static_cast<double>(length_));
            t += " (the solution may have no finite value, or the equation is stiff) at t = ";
        }
        append_decimal(t, static_cast<double>(from_) + (s == 0 ? 0 : static_cast<double>(s) * static_cast<double>(length_))); // (0 · inf is none)
        throw value_error(t.c_str());
    }

    const ode_options& options_;
    const F& f_;
    V from_, length_;
    std::tuple<const S&...> arguments_;
};

/// What f(t, y, args...) returns where time and state are made of V.
template <class F, class V, class Y, class... S>
using slope_of = called_with<F, V, in_leaves<Y, V>, S...>;
/// Whether f can be called so, and returns a slope; says what it takes if not.
template <class F, class Y, class T0, class T1, class... S>
constexpr bool is_slope() {
    if constexpr (solves_for_numbers<Y>() && is_without_expressions<Y, T0, T1, S...>()) {
        using slope = slope_of<F, common_value<Y, T0, T1, S...>, Y, S...>;
        constexpr bool called = !std::is_same_v<slope, not_given>, fits = called && gives_as_many<slope, Y>();
        static_assert(called, "[dyad] odeint: the function cannot be called so; it takes the time, the state and the further arguments: f(t, y, args...)");
        static_assert(!called || fits, "[dyad] odeint: the function must return as many numbers as the state has");
        return fits;
    } else {
        return false;
    }
}
constexpr void check_options(const ode_options& options) {
    const bool tolerant = options.relative >= 0 && options.absolute >= 0 && options.relative + options.absolute > 0;
    if (tolerant && options.max_step >= 0) return;
    text t("[dyad] odeint: ");
    if (!tolerant) {
        t += "the tolerances are ";
        append_decimal(t, options.relative);
        t += " (relative) and ";
        append_decimal(t, options.absolute);
        t += " (absolute); they must not be negative, and not both 0";
    } else {
        t += "the longest step is ";
        append_decimal(t, options.max_step);
        t += "; it must not be negative (0: any)";
    }
    throw value_error(t.c_str());
}

/// y(t1), where dy/dt = f(t, y, args...) and y(t0) = y0: the adaptive method of Dormand and Prince, of order 5. y is a
/// number, or a std::array, std::tuple or aggregate of numbers; f returns as many. t1 may lie before t0.
/// Derivatives, by y0, t0, t1 and args, are those of the steps taken (the discrete adjoint), whose lengths count as
/// constants; reverse mode keeps what each step needs, in memory that grows with the number of steps. Second derivatives
/// make a graph that clang's default -fconstexpr-steps is too small for.
/// On plain numbers and on tapes it throws value_error if y0 or the first slope is not finite, if the step gets too short
/// (the solution runs off to infinity, or is stiff), or after options.limit steps; in a graph the result is NaN then.
/// Throws value_error if a tolerance or options.max_step is negative, or both tolerances are 0.
/// Example: `odeint([](auto t, auto y, auto k) { return -k * y; }, 1.0, 0.0, 2.0, 0.5)`, exp(-1)
template <class F, class Y, class T0, class T1, class... S>
constexpr auto odeint(const ode_options& options, const F& f, const Y& y0, const T0& t0, const T1& t1, const S&... s) {
    if constexpr (!is_slope<F, Y, T0, T1, S...>()) {
        return y0;
    } else {
        using given = common_value<Y, T0, T1, S...>;
        using V = common_value<given, slope_of<F, given, Y, S...>>;
        check_options(options);
        const V from(t0);
        const auto last = integration<V, F, Y, S...>(options, f, from, V(V(t1) - from), std::tuple<const S&...>(s...)).run(leaf_array<V>(y0));
        return structure_of_leaves<Y>(last.data());
    }
}
template <class F, class Y, class T0, class T1, class... S>
    requires(!std::same_as<F, ode_options>)
constexpr auto odeint(const F& f, const Y& y0, const T0& t0, const T1& t1, const S&... s) {
    return odeint(ode_options{}, f, y0, t0, t1, s...);
}

/// The slope of (y, λ, g) on the way back, flat: f, -λᵀ ∂f/∂y, -λᵀ ∂f/∂args.
template <class F, class Y>
struct adjoint_slope {
    [[no_unique_address]] F f;

    template <class T, class V, std::size_t N, class... S>
    constexpr std::array<V, N> operator()(const T& t, const std::array<V, N>& all, const S&... s) const {
        constexpr std::size_t n = leaf_count<Y>;
        const auto y = structure_of_leaves<Y>(all.data());
        std::array<V, n> weights{};
        for (std::size_t k = 0; k < n; ++k) weights[k] = static_cast<V>(-all[n + k]);
        const auto slopes = leaf_array<V>(f(t, y, s...));
        const auto pulled = pulled_to_arguments<V>(f, weights, std::tuple<const T&>(t), y, s...);
        std::array<V, N> result{};
        for (std::size_t k = 0; k < N; ++k) result[k] = k < n ? slopes[k] : pulled[k - n];
        return result;
    }
};

/// The cotangents of an integration's arguments, by integrating from its end to its begin.
template <class F>
struct adjoint_rule {
    [[no_unique_address]] F f;
    ode_options options;

    /// The cotangents of the arguments y0, t0, t1, args..., from these, the result and its cotangent.
    template <class... X>
    constexpr auto operator()(const X&... x) const {
        return last_first<2>([this](const auto& end, const auto& upstream, const auto&, const auto&... s) { return this->cotangents(end, upstream, s...); }, x...);
    }
    /// What is integrated, of the arguments and the result: derivatives by what it captures would be lost.
    template <class... X>
    constexpr auto dyad_equation(const X&... x) const {
        return last_first<1>([this](const auto& end, const auto&, const auto&, const auto& t1, const auto&... s) { return this->f(t1, end, s...); }, x...);
    }

private:
    template <class Y, class C, class T0, class T1, class... S>
    constexpr auto cotangents(const Y& end, const C& upstream, const T0& t0, const T1& t1, const S&... s) const {
        using V = common_value<T0, T1, Y, C, S...>;
        constexpr std::size_t n = leaf_count<Y>, count = leaf_count<S...>;
        const auto flow = [&](const auto& t, const std::array<V, n>& y, const auto& weights) {
            const auto slopes = leaf_array<V>(f(V(t), structure_of_leaves<Y>(y.data()), s...));
            V sum(0);
            for (std::size_t k = 0; k < n; ++k) sum = static_cast<V>(sum + weights[k] * slopes[k]);
            return sum;
        };
        const auto last = leaf_array<V>(end, upstream);
        std::array<V, 2 * n + count> back{};
        for (std::size_t k = 0; k < back.size(); ++k) back[k] = k < 2 * n ? last[k] : V(0);
        back = leaf_array<V>(odeint(options, adjoint_slope<F, Y>{f}, back, t1, t0, s...));

        std::array<V, n> begin{}, weights{};
        std::array<V, n + 2 + count> result{};
        for (std::size_t k = 0; k < n; ++k) {
            begin[k] = back[k];
            result[k] = weights[k] = back[n + k];
        }
        result[n] = static_cast<V>(-flow(t0, begin, weights));
        result[n + 1] = flow(t1, leaf_array<V>(end), leaf_array<V>(upstream));
        for (std::size_t k = 0; k < count; ++k) result[n + 2 + k] = back[2 * n + k];
        return result;
    }
};

/// Integrates.
template <class F>
struct ode_solver {
    [[no_unique_address]] F f;
    ode_options options;

    template <class Y, class T0, class T1, class... S>
    constexpr auto operator()(const Y& y0, const T0& t0, const T1& t1, const S&... s) const {
        return odeint(options, f, y0, t0, t1, s...);
    }
};

/// The same value as odeint; the derivative is the continuous adjoint: with λ(t1) = upstream, dλ/dt = -λᵀ ∂f/∂y and the
/// cotangents of args ∫ λᵀ ∂f/∂args dt, integrated together with y from t1 back to t0. It keeps no steps: memory does not
/// depend on their number. It is right up to the tolerances, and only where y can be integrated backwards: not where the
/// equation loses what it was (strong damping). Forward mode makes one such way back for each number of the state. Higher orders
/// differentiate the way back (with odeint's limit). What f captures is constant: pass it as arguments.
/// Errors are those of odeint, also on the way back.
/// Example: `grad([](auto y, auto k) { return odeint_adjoint(decay, y, 0.0, 2.0, k); })(1.0, 0.5)`
template <class F, class Y, class T0, class T1, class... S>
constexpr auto odeint_adjoint(const ode_options& options, const F& f, const Y& y0, const T0& t0, const T1& t1, const S&... s) {
    if constexpr (is_slope<F, Y, T0, T1, S...>()) {
        return custom_gradient(ode_solver<F>{f, options}, adjoint_rule<F>{f, options})(y0, t0, t1, s...);
    } else {
        return y0;
    }
}
template <class F, class Y, class T0, class T1, class... S>
    requires(!std::same_as<F, ode_options>)
constexpr auto odeint_adjoint(const F& f, const Y& y0, const T0& t0, const T1& t1, const S&... s) {
    return odeint_adjoint(ode_options{}, f, y0, t0, t1, s...);
}

} // namespace dyad
