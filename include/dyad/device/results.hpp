// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The results of a program on the device: finds their shapes, takes their memory, runs the program, and delivers. Where something
// throws, targets keep their sizes; one that is computed in its place may have been written.
#pragma once

#include <tuple>

#include <dyad/base/unpack.hpp>
#include <dyad/device/device_array.hpp>
#include <dyad/device/execution.hpp>

namespace dyad::device {

/// Whether every result can be computed where it is to lie, whatever it is stored as: no other loop reads it.
template <class Program>
inline constexpr bool is_one_loop = Program::planned.step_count == 1 && Program::planned.steps[0].kind == plan_step::loop;

/// The element type in which output `Output` of a program is computed, to be stored as E.
template <class Program, class T, class E>
using computed_as = std::conditional_t<is_one_loop<Program>, E, T>;

template <class X, class T, class Program>
class output_place {
public:
    using computed = T; // a number

    template <std::size_t Output, class Execution, class Like>
    void look(const Execution&, X&, const Like&) {}
    template <bool, class... Inputs>
    void* prepare(X&, const std::tuple<Inputs...>&) {
        return nullptr;
    }
    template <std::size_t Output, class Execution>
    void finish(Execution& e, X& x) {
        x = static_cast<X>(e.template number<Output>());
    }
};

/// A number that stays on the device.
template <class E, class T, class Program>
class output_place<device_array<E, 0>, T, Program> {
public:
    using computed = T;

    template <std::size_t Output, class Execution, class Like>
    void look(const Execution&, device_array<E, 0>&, const Like&) {}
    template <bool Fetches, class... Inputs>
    void* prepare(device_array<E, 0>& x, const std::tuple<Inputs...>&) {
        if (x.data() == nullptr) x = device_array<E, 0>(); // it was moved from
        return std::is_same_v<E, T> && !Fetches ? x.data() : nullptr;
    }
    template <std::size_t Output, class Execution>
    void finish(Execution& e, device_array<E, 0>& x) {
        e.template put_number<Output>(x.data());
    }
};

template <class X, class T, class Program>
    requires(is_device_array<X> && array_traits<X>::rank > 0)
class output_place<X, T, Program> {
    using traits = array_traits<X>;
    using stored = typename traits::stored;
    static constexpr unsigned rank = traits::rank;

public:
    using computed = computed_as<Program, T, stored>;

    /// `like` is what the output is the derivative by: its sizes are those of the output's last axes, even where they stretched.
    template <std::size_t Output, class Execution, class Like>
    void look(const Execution& e, X&, [[maybe_unused]] const Like& like) {
        run_time_shape have{rank, {}}, wanted{rank, {}};
        bool fits = true;
        for (unsigned k = 0; k < rank; ++k) {
            have.size[k] = whole_[rank - 1 - k] = e.template output_size<Output>(k);
            wanted.size[k] = have.size[k];
            if constexpr (with_sizes<Like>) {
                if (k < Like::rank) wanted.size[k] = like.size[k];
            }
            size_[rank - 1 - k] = wanted.size[k];
            stretched_ = stretched_ || have.size[k] != wanted.size[k];
            fits = fits && (have.size[k] == wanted.size[k] || have.size[k] == 1 || wanted.size[k] == 1);
        }
        if (!fits) throw shape_error("[dyad] gradient: Incompatible shapes: " + text_of(have) + " vs. " + text_of(wanted));
    }
    /// Memory to compute into: that of x, where its shape is right and no argument lies there; or one does, element by element, that
    /// the program reads in passing.
    template <bool, class... Inputs>
    void* prepare(X& x, const std::tuple<Inputs...>& inputs) {
        const auto there = traits::target(x);
        bool same = true;
        for (unsigned k = 0; k < rank; ++k) same = same && there.size[k] == size_[rank - 1 - k];
        const auto touches = [&](const auto& input) {
            if constexpr (requires { input.addresses(); }) {
                const auto [first, last] = there.addresses();
                const auto [begin, end] = input.addresses();
                bool harmless = false;
                if constexpr (requires { requires Program::reads_in_passing; } && std::is_same_v<typename std::remove_cvref_t<decltype(input)>::element_type, const stored>) {
                    harmless = input.data == there.data && input.is_contiguous() && there.is_contiguous() && input.rank == rank;
                    for (unsigned k = 0; k < rank && harmless; ++k) harmless = input.size[k] == there.size[k];
                }
                return first < end && begin < last && !harmless;
            } else {
                return false;
            }
        };
        in_place_ = same && !unpack([&](const auto&... input) { return (touches(input) || ...); }, inputs);
        if (!in_place_) fresh_ = device_array<stored, rank>(size_);
        if (std::is_same_v<computed, stored> && !stretched_) return in_place_ ? there.data : fresh_.data();
        buffer_ = device_array<computed, rank>(whole_);
        return buffer_.data();
    }
    template <std::size_t Output, class Execution>
    void finish(const Execution&, X& x) {
        if (!std::is_same_v<computed, stored> || stretched_) {
            const auto to = in_place_ ? traits::target(x) : array_traits<device_array<stored, rank>>::target(fresh_);
            const auto from = array_traits<device_array<computed, rank>>::reference(buffer_);
            copy_or_sum<T>(from, to);
        }
        if (!in_place_) take(x);
    }

private:
    void take(X& x) {
        if constexpr (std::is_same_v<X, device_array<stored, rank>>) {
            x = std::move(fresh_);
        } else {
            if constexpr (requires { x.resize(fresh_.size()); }) x.resize(fresh_.size());
            copy_on_device(traits::target(x).data, fresh_.data(), fresh_.size() * sizeof(stored));
        }
    }
    std::array<std::size_t, rank> whole_{}, size_{}; ///< as computed, and as delivered
    bool stretched_ = false, in_place_ = false;
    device_array<stored, rank> fresh_;
    device_array<computed, rank> buffer_;
};

/// Whether a target takes a number, in the host's memory or the device's.
template <class X>
inline constexpr bool is_one_number = array_traits<X>::rank == 0;
template <number X>
inline constexpr bool is_one_number<X> = true;

/// Runs `Program` on flat arguments; the results go into a tuple of references to arrays and numbers. `likes`: for each what it
/// is the gradient by, or a number.
template <class Program, class T, class... Inputs, class... Outputs, class... Likes>
void execute_into(const std::tuple<Inputs...>& inputs, std::tuple<Outputs&...> outputs, const std::tuple<Likes...>& likes) {
    using elements = std::tuple<typename output_place<Outputs, T, Program>::computed...>;
    execution<Program, T, elements, Inputs...> e(inputs);
    [&]<std::size_t... K>(std::index_sequence<K...>) {
        std::tuple<output_place<Outputs, T, Program>...> places;
        (std::get<K>(places).template look<K>(e, std::get<K>(outputs), std::get<K>(likes)), ...);
        constexpr bool fetches = (number<Outputs> || ...); // then all numbers come to the host together
        void* const memory[sizeof...(K) + 1] = {std::get<K>(places).template prepare<fetches>(std::get<K>(outputs), inputs)..., nullptr};
        if constexpr (fetches) e.end_on_host();
        e.run(memory);
        if constexpr (fetches) e.fetch_numbers();
        // Numbers first: one may be an element of an array that another result replaces.
        ((is_one_number<Outputs> ? std::get<K>(places).template finish<K>(e, std::get<K>(outputs)) : void()), ...);
        ((is_one_number<Outputs> ? void() : std::get<K>(places).template finish<K>(e, std::get<K>(outputs))), ...);
    }(std::index_sequence_for<Outputs...>{});
}
template <class Program, class T, class... Inputs, class... Outputs>
void execute_into(const std::tuple<Inputs...>& inputs, std::tuple<Outputs&...> outputs) {
    execute_into<Program, T>(inputs, outputs, std::tuple{(static_cast<void>(sizeof(Outputs)), 0)...});
}

} // namespace dyad::device
