// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Between the user's values and a program's: arguments as a flat tuple of references and numbers, results as
// containers in the structure that the user expects.
#pragma once

#include <dyad/array/execution.hpp>
#include <dyad/array/failure.hpp>
#include <dyad/array/leaves.hpp>
#include <dyad/array/program.hpp>
#include <dyad/array/targets.hpp>
#include <dyad/array/uniform.hpp>
#include <dyad/array/xtensor.hpp>
#include <dyad/base/unpack.hpp>

namespace dyad {

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

/// Whether a container X, whose array is `now`, has a shape already; says what is wrong where it has another that cannot change.
template <class X, class R>
DYAD_INLINE bool has_shape(const R& now, const std::size_t* size) {
    bool same = true;
    for (unsigned k = 0; k < R::rank; ++k) same = same && now.size[k] == size[k];
    if constexpr (!resizable<X>) {
        if (!same) {
            throw shape_error("[dyad] result: Incompatible shapes: " + text_of(shape_at_run_time(now)) + " vs. " +
                              text_of(shape_of_sizes(R::rank, size)));
        }
    }
    return same;
}
template <class X>
void shape_container(X& x, const std::size_t* size) {
    if constexpr (resizable<X>) {
        if (!has_shape<X>(array_traits<X>::target(x), size)) array_traits<X>::resize(x, size);
    }
}

/// An argument for later: with copies of the arrays whose memory it only borrows, in tuples, pairs and std::arrays too.
template <class X>
auto owned(const X& x) {
    if constexpr (array_like<X> && !owns_elements<X>) {
        typename result_container<X>::type copy{};
        const auto from = array_traits<X>::reference(x);
        shape_container(copy, from.size);
        routine::copy(from, array_traits<decltype(copy)>::target(copy));
        return copy;
    } else if constexpr (array_like<X> || !requires { std::tuple_size<X>::value; }) {
        return x;
    } else if constexpr (requires { x.first; }) {
        return std::pair{owned(x.first), owned(x.second)};
    } else if constexpr (requires { x[0]; }) {
        return unpack([](const auto&... part) { return std::array{owned(part)...}; }, x);
    } else {
        return unpack([](const auto&... part) { return std::tuple{owned(part)...}; }, x);
    }
}

/// Whether a program is one loop, over arguments that neither stretch nor are shifted, which writes no element before it has read
/// that of the same place: sums along some axes begin with zeros.
template <class Program>
constexpr bool in_one_sweep() {
    const auto& p = Program::planned;
    for (std::size_t i = 0; i < Program::graph.size; ++i) {
        const node& n = Program::graph[i];
        const bool begins = n.rank != 0 && role_of(n.op) == role::reduction;
        if ((n.is(opcode::input) && n.rank != 0 && n.ones != 0) || p.shifted[i] || begins) return false;
    }
    return p.step_count == 1 && p.steps[0].kind == plan_step::loop;
}

/// Where the elements of a program's arguments lie.
template <class Program, class... Inputs>
class memory_of_arguments {
public:
    DYAD_INLINE explicit memory_of_arguments(const std::tuple<Inputs...>& inputs) : inputs_(inputs) {
        [&]<std::size_t... J>(std::index_sequence<J...>) DYAD_INLINE_LAMBDA { ((at_[J] = addresses_of(std::get<J>(inputs))), ...); }(numbers);
    }
    /// Whether some argument has elements in the memory of an output; an equal array does not count for a program that goes
    /// through its arguments once, element by element, unless the output is to become another size (`shaped` is false), which takes
    /// that memory away.
    template <class R>
    [[nodiscard]] DYAD_INLINE bool overlaps(const R& to, bool shaped) const {
        const auto own = to.addresses();
        return [&]<std::size_t... J>(std::index_sequence<J...>) DYAD_INLINE_LAMBDA {
            return ((own.first < at_[J].second && at_[J].first < own.second && !(shaped && is_same(std::get<J>(inputs_), to))) || ...);
        }(numbers);
    }

private:
    static constexpr std::index_sequence_for<Inputs...> numbers{};
    template <class X>
    DYAD_INLINE static std::pair<std::uintptr_t, std::uintptr_t> addresses_of(const X& x) {
        if constexpr (referenced<X>) {
            return x.addresses();
        } else {
            return {0, 0};
        }
    }
    template <class X, class R>
    static bool is_same([[maybe_unused]] const X& x, [[maybe_unused]] const R& to) {
        if constexpr (referenced<X> && in_one_sweep<Program>()) {
            return static_cast<const void*>(x.data) == to.data && x.is_contiguous() && x.count() == to.count();
        } else {
            return false;
        }
    }

    const std::tuple<Inputs...>& inputs_;
    std::pair<std::uintptr_t, std::uintptr_t> at_[sizeof...(Inputs) + 1];
};

/// Output number `Output` of a program, going into a number of type X.
template <class X, class T>
class output_place {
public:
    template <std::size_t Output, class Execution, class Like>
    DYAD_INLINE static void look(const Execution&, X&, const Like&) {}
    template <class Program, std::size_t Output, bool Keep, class Memory>
    DYAD_INLINE static T* prepare(X&, const Memory&, workspace::frame&) {
        return nullptr;
    }
    template <std::size_t Output, class Execution>
    DYAD_INLINE static void finish(const Execution& e, X& x) {
        x = static_cast<X>(e.template number<Output>());
    }
};
/// Or into a container.
template <array_like X, class T>
class output_place<X, T> {
public:
    /// Finds the shape, and refuses it where it does not fit, before anything is changed. `like` is what the output is the
    /// derivative by: its sizes are those of the output's last axes, even where they stretched.
    template <std::size_t Output, class Execution, class Like>
    DYAD_INLINE void look(const Execution& e, X& x, const Like& like) {
        for (unsigned k = 0; k < rank; ++k) whole_[k] = size_[k] = e.template output_size<Output>(k);
        if constexpr (with_sizes<Like>) {
            for (unsigned k = 0; k < Like::rank; ++k) size_[k] = like.size[k];
        }
        to_ = traits::target(x);
        shaped_ = has_shape<X>(to_, size_);
        bool fits = true;
        for (unsigned k = 0; k < rank; ++k) {
            stretched_ = stretched_ || whole_[k] != size_[k];
            fits = fits && (whole_[k] == size_[k] || whole_[k] == 1 || size_[k] == 1);
        }
        if (!fits) refuse();
    }
    /// Memory to compute into: the container's own, where nothing can go wrong any more that would leave it half-written
    /// (`Keep`: or changed in its shape), and no argument lies there.
    template <class Program, std::size_t Output, bool Keep, class Memory>
    DYAD_INLINE T* prepare(X& x, const Memory& arguments, workspace::frame& frame) {
        constexpr bool fails = Keep && failures<Program>::steps > 0, spoiled = Keep && failures<Program>::spoils(Output);
        if (!spoiled && !stretched_ && !(fails && !shaped_) && !(Keep && arguments.overlaps(to_, shaped_))) {
            if (!shaped_) reshape(x);
            if constexpr (std::is_same_v<typename decltype(to_)::element_type, T>) {
                if (to_.is_contiguous()) return to_.data;
            }
        }
        std::size_t count = 1;
        for (unsigned k = 0; k < rank; ++k) count *= whole_[k];
        return buffer_ = frame.template take<T>(count);
    }
    template <std::size_t Output, class Execution>
    DYAD_INLINE void finish(const Execution&, X& x) {
        if (buffer_ == nullptr) return;
        if (!shaped_) reshape(x);
        array_reference<const T, rank> from{buffer_, {}, {}};
        for (unsigned k = 0; k < rank; ++k) from.size[k] = whole_[k];
        from.set_row_major();
        routine::copy_or_sum(from, to_);
    }

private:
    using traits = array_traits<X>;
    static constexpr unsigned rank = traits::rank;

    void reshape(X& x) {
        shape_container(x, size_);
        to_ = traits::target(x);
        shaped_ = true;
    }
    [[noreturn]] void refuse() const {
        throw shape_error("[dyad] gradient: Incompatible shapes: " + text_of(shape_of_sizes(rank, whole_)) + " vs. " +
                          text_of(shape_of_sizes(rank, size_)));
    }

    decltype(traits::target(std::declval<X&>())) to_{};
    T* buffer_ = nullptr;
    bool shaped_ = true, stretched_ = false;
    std::size_t whole_[rank + 1], size_[rank + 1]; ///< as computed, and as delivered
};

/// Runs `Program` in the general way.
template <class Program, class T, bool Keep, class... Inputs, class... Outputs, class... Likes>
[[gnu::noinline]] void execute_generally(const std::tuple<Inputs...>& inputs, const std::tuple<Outputs...>& outputs, const std::tuple<Likes...>& likes) {
    workspace::frame frame;
    execution<Program, T, Inputs...> e(inputs);
    [&]<std::size_t... K>(std::index_sequence<K...>) {
        std::tuple<output_place<std::remove_cvref_t<Outputs>, T>...> places;
        (std::get<K>(places).template look<K>(e, std::get<K>(outputs), std::get<K>(likes)), ...);
        const memory_of_arguments<Program, Inputs...> taken(inputs);
        T* const memory[sizeof...(K) + 1] = {std::get<K>(places).template prepare<Program, K, Keep>(std::get<K>(outputs), taken, frame)..., nullptr};
        e.run(memory);
        (std::get<K>(places).template finish<K>(e, std::get<K>(outputs)), ...);
    }(std::index_sequence_for<Outputs...>{});
}
/// The same in the short way, if it is one.
template <class Program, class T, bool Keep, class... Inputs, class... Outputs>
DYAD_INLINE bool execute_uniformly(const std::tuple<Inputs...>& inputs, const std::tuple<Outputs...>& outputs) {
    uniform_execution<Program, T, Inputs...> e(inputs);
    if (!e.takes_arguments()) [[unlikely]] return false;
    bool good = true;
    const auto place_in = [&]<std::size_t O, class X>(X& x) DYAD_INLINE_LAMBDA -> T* {
        if constexpr (array_like<X>) {
            if constexpr (!Keep) shape_container(x, e.template shape<O>().data());
            const auto to = array_traits<X>::target(x);
            good = good && e.template takes_result<O, Keep>(to);
            return to.data;
        } else {
            return nullptr;
        }
    };
    return [&]<std::size_t... K>(std::index_sequence<K...>) DYAD_INLINE_LAMBDA {
        T* const memory[sizeof...(K) + 1] = {place_in.template operator()<K>(std::get<K>(outputs))..., nullptr};
        if (!good) [[unlikely]] return false;
        e.run(memory);
        const auto finish = [&]<std::size_t O, class X>(X& x) DYAD_INLINE_LAMBDA {
            if constexpr (!array_like<X>) x = static_cast<X>(e.template number<O>());
        };
        (finish.template operator()<K>(std::get<K>(outputs)), ...);
        return true;
    }(std::index_sequence_for<Outputs...>{});
}
/// Whether results of type X are computed as elements of type T.
template <class X, class T>
constexpr bool holds() {
    if constexpr (array_like<X>) {
        return std::is_same_v<typename array_traits<X>::element, T>;
    } else {
        return true;
    }
}

/// Runs `Program` on flat arguments; the results go into the elements of a tuple of containers and numbers, which an error
/// leaves as they were if `Keep` is true. `likes`: for each output what it is the gradient by, or a number.
template <class Program, class T, bool Keep = false, class... Inputs, class... Outputs, class... Likes>
DYAD_INLINE void execute_into(const std::tuple<Inputs...>& inputs, const std::tuple<Outputs...>& outputs, const std::tuple<Likes...>& likes) {
    using uniform = uniform_program<Program, T, Inputs...>;
    if constexpr (uniform::value && (holds<std::remove_cvref_t<Outputs>, T>() && ...)) {
        if constexpr (uniform::template are_like<Likes...>()) {
            if (execute_uniformly<Program, T, Keep>(inputs, outputs)) [[likely]] return;
        }
    }
    execute_generally<Program, T, Keep>(inputs, outputs, likes);
}
template <class Program, class T, bool Keep = false, class... Inputs, class... Outputs>
DYAD_INLINE void execute_into(const std::tuple<Inputs...>& inputs, const std::tuple<Outputs...>& outputs) {
    execute_into<Program, T, Keep>(inputs, outputs, std::tuple{(static_cast<void>(sizeof(Outputs)), 0)...});
}

} // namespace dyad
