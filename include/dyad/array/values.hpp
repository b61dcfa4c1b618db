// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Between the user's values and a program's: arguments as a flat tuple of references and numbers, results as
// containers in the structure that the user expects.
#pragma once

#include <dyad/array/execution.hpp>
#include <dyad/array/program.hpp>
#include <dyad/array/xtensor.hpp>

namespace dyad {

/// The leaves of an argument, in order: an array_reference for each array, a T for each number.
template <class T, class X>
auto flat_leaves(const X& x) {
    if constexpr (array_like<X>) {
        return std::tuple{array_traits<X>::reference(x)};
    } else if constexpr (leaf_type<X>) {
        return std::tuple<T>{static_cast<T>(x)};
    } else if constexpr (requires { std::tuple_size<X>::value; }) {
        return std::apply([](const auto&... part) { return std::tuple_cat(flat_leaves<T>(part)...); }, x);
    } else {
        return std::apply([](const auto&... part) { return std::tuple_cat(flat_leaves<T>(part)...); }, members(x));
    }
}

/// The number type that a program computes in: the widest floating-point type among the leaves, or double.
template <class Leaf>
struct leaf_number {
    static constexpr auto pick() {
        if constexpr (array_like<Leaf>) {
            return std::type_identity<typename array_traits<Leaf>::element>{};
        } else if constexpr (std::same_as<Leaf, bool>) {
            return std::type_identity<int>{};
        } else {
            return std::type_identity<Leaf>{};
        }
    }
    using type = typename decltype(pick())::type;
};
template <class... Leaves>
auto computing_number(std::type_identity<std::tuple<Leaves...>>) -> common_real<typename leaf_number<Leaves>::type..., int>;
template <class... S>
using computing_type = typename decltype(computing_number(std::type_identity<leaf_types<S...>>{}))::type;

/// A container that is made empty and given a size, or has one.
template <class X>
concept owns_elements = std::default_initializable<X> && requires { requires array_traits<X>::owns; };

/// The container for results like a given array, and for any others of R axes.
template <class X>
struct result_container {
    using traits = array_traits<X>;
    static constexpr auto pick() {
        if constexpr (owns_elements<X>) {
            return std::type_identity<X>{};
        } else {
            return std::type_identity<typename default_container<typename traits::element, traits::rank>::type>{};
        }
    }
    using type = typename decltype(pick())::type;
};

/// The result of a program's output: a number, or a container.
template <class T, unsigned Rank>
struct output_type {
    using type = typename default_container<T, Rank>::type;
};
template <class T>
struct output_type<T, 0> {
    using type = T;
};
template <class X>
concept resizable = requires { requires array_traits<X>::resizes; };

/// Gives a container a shape; says what is wrong where it has another that cannot change.
template <class X>
void shape_container(X& x, const std::size_t* size) {
    using traits = array_traits<X>;
    if constexpr (resizable<X>) {
        bool same = true;
        const auto now = traits::target(x);
        for (unsigned k = 0; k < traits::rank; ++k) same = same && now.size[k] == size[k];
        if (!same) traits::resize(x, size);
    } else {
        const auto now = traits::target(x);
        run_time_shape have{traits::rank, {}}, wanted{traits::rank, {}};
        bool same = true;
        for (unsigned k = 0; k < traits::rank; ++k) {
            have.size[k] = now.size[k], wanted.size[k] = size[k];
            same = same && now.size[k] == size[k];
        }
        if (!same) throw shape_error("[dyad] result: Incompatible shapes: " + text_of(have) + " vs. " + text_of(wanted));
    }
}

/// The places for results in a structure of containers and numbers, as references.
template <class X>
auto places_of(X& x) {
    if constexpr (leaf_type<std::remove_const_t<X>>) {
        return std::tuple<X&>(x);
    } else {
        return std::apply([](auto&... part) { return std::tuple_cat(places_of(part)...); }, x);
    }
}

/// Output number `Output` of a program, going into a container; or a number.
template <class X, class T>
class output_place {
public:
    /// `like` is what the output is the gradient by: its sizes are the output's, even where they stretched.
    template <std::size_t Output, class Execution, class Like>
    T* prepare(const Execution& e, X& x, const Like& like, workspace::frame& frame) {
        if constexpr (array_like<X>) {
            constexpr unsigned rank = array_traits<X>::rank;
            std::size_t size[rank + 1] = {};
            for (unsigned k = 0; k < rank; ++k) whole_[k] = size[k] = e.template output_size<Output>(k);
            if constexpr (referenced<Like>) {
                for (unsigned k = 0; k < rank; ++k) size[k] = like.size[k];
            }
            shape_container(x, size);
            bool stretched = false;
            for (unsigned k = 0; k < rank; ++k) stretched = stretched || whole_[k] != size[k];
            if (stretched) {
                run_time_shape have{rank, {}}, wanted{rank, {}};
                std::size_t count = 1;
                bool fits = true;
                for (unsigned k = 0; k < rank; ++k) {
                    have.size[k] = whole_[k], wanted.size[k] = size[k];
                    count *= whole_[k];
                    fits = fits && (whole_[k] == size[k] || whole_[k] == 1 || size[k] == 1);
                }
                if (!fits) throw shape_error("[dyad] gradient: Incompatible shapes: " + text_of(have) + " vs. " + text_of(wanted));
                return buffer_ = frame.template take<T>(count);
            }
            auto to = array_traits<X>::target(x);
            if constexpr (std::is_same_v<typename decltype(to)::element_type, T>) {
                if (to.is_contiguous()) return to.data;
            }
            return buffer_ = frame.template take<T>(to.count());
        } else {
            return nullptr;
        }
    }
    template <std::size_t Output, class Execution>
    void finish(const Execution& e, X& x) {
        if constexpr (!array_like<X>) {
            x = static_cast<X>(e.template number<Output>());
        } else if (buffer_ != nullptr) {
            auto to = array_traits<X>::target(x);
            array_reference<const T, array_traits<X>::rank> from{buffer_, {}, {}};
            for (unsigned k = 0; k < from.rank; ++k) from.size[k] = whole_[k];
            from.set_row_major();
            routine::copy_or_sum(from, to);
        }
    }

private:
    T* buffer_ = nullptr;
    std::size_t whole_[max_rank] = {};
};

/// Runs `Program` on flat arguments; the results go into the elements of a tuple of containers and numbers.
/// `likes`: for each output what it is the gradient by, or a number.
template <class Program, class T, class... Inputs, class... Outputs, class... Likes>
void execute_into(const std::tuple<Inputs...>& inputs, std::tuple<Outputs...> outputs, const std::tuple<Likes...>& likes) {
    workspace::frame frame(workspace::of_thread());
    auto e = std::apply([](const auto&... x) { return execution<Program, T, Inputs...>(x...); }, inputs);
    [&]<std::size_t... K>(std::index_sequence<K...>) {
        std::tuple<output_place<std::remove_cvref_t<Outputs>, T>...> places;
        T* const memory[sizeof...(K) + 1] = {std::get<K>(places).template prepare<K>(e, std::get<K>(outputs), std::get<K>(likes), frame)..., nullptr};
        e.run(memory);
        (std::get<K>(places).template finish<K>(e, std::get<K>(outputs)), ...);
    }(std::index_sequence_for<Outputs...>{});
}
template <class Program, class T, class... Inputs, class... Outputs>
void execute_into(const std::tuple<Inputs...>& inputs, std::tuple<Outputs...> outputs) {
    execute_into<Program, T>(inputs, outputs, std::tuple{(static_cast<void>(sizeof(Outputs)), 0)...});
}

} // namespace dyad
