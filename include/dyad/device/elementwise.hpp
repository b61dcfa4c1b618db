// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A program of numbers at every element of arrays on the device: no plan is needed, only the shape that the arguments have
// together. One kernel, or as many as a long program is cut into.
#pragma once

#include <string>
#include <tuple>

#include <dyad/base/unpack.hpp>
#include <dyad/device/results.hpp>

namespace dyad::device {

/// Marks programs that deliver each result where it is to lie; and that in one kernel, which reads an element before it writes there.
template <class Source>
struct elementwise_program {
    static constexpr bool reads_in_passing = !is_cut<Source>();
};
template <class Source>
inline constexpr bool is_one_loop<elementwise_program<Source>> = true;

/// The program `Source::graph` on inputs that are array_references or T's; `Rank` axes.
template <class Source, class T, unsigned Rank, class... Inputs>
class elementwise {
public:
    explicit elementwise(const std::tuple<Inputs...>& inputs) : inputs_(inputs) {
        for (std::size_t& s : size_) s = 1;
        const auto meet = [&](const auto& x) {
            if constexpr (requires { x.size[0]; }) {
                for (unsigned k = 0; k < x.rank; ++k) {
                    if (size_[k] != x.size[k] && size_[k] != 1 && x.size[k] != 1) refuse(shape_of_array(x));
                    size_[k] = size_[k] == 1 ? x.size[k] : size_[k];
                }
            }
        };
        unpack([&](const auto&... x) { (meet(x), ...); }, inputs_);
    }
    /// As programs of arrays say it: every result has the same shape.
    template <std::size_t>
    [[nodiscard]] std::size_t output_size(unsigned k) const {
        return size_[k];
    }
    template <class... Elements>
    void run(void* const* output) const {
        run_parts<Elements...>(output, std::index_sequence_for<Inputs...>{}, std::index_sequence_for<Elements...>{});
    }

private:
    template <class X>
    static constexpr bool is_reference = requires { X::rank; };

    template <class X>
    static run_time_shape shape_of_array(const X& x) {
        run_time_shape s{X::rank, {}};
        for (unsigned k = 0; k < X::rank; ++k) s.size[k] = x.size[k];
        return s;
    }
    [[noreturn]] void refuse(const run_time_shape& misfit) const {
        run_time_shape so_far{Rank, {}};
        for (unsigned k = 0; k < Rank; ++k) so_far.size[k] = size_[k];
        throw shape_error("[dyad] kernel: Incompatible shapes: " + text_of(so_far) + " vs. " + text_of(misfit));
    }
    template <class X>
    static constexpr auto part_of(const X& x) {
        if constexpr (is_reference<X>) {
            return walking_over(x.data);
        } else {
            return given{};
        }
    }
    template <class X>
    [[nodiscard]] bool lies_flat(const X& x) const {
        if constexpr (is_reference<X>) {
            bool same = reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0 && x.is_contiguous();
            for (unsigned k = 0; k < Rank; ++k) same = same && (k < X::rank ? x.size[k] : 1) == size_[k];
            return same;
        } else {
            return true;
        }
    }
    template <std::size_t J, class Arguments>
    void set_input(Arguments& a) const {
        const auto& x = std::get<J>(inputs_);
        if constexpr (is_reference<std::remove_cvref_t<decltype(x)>>) {
            a.in[J] = x.data;
        } else {
            a.number[J] = x;
        }
    }
    template <class... Elements, std::size_t... J, std::size_t... K>
    void run_parts(void* const* output, std::index_sequence<J...>, std::index_sequence<K...>) const {
        std::size_t count = 1;
        for (const std::size_t s : size_) count *= s;
        if (count == 0) return;
        const auto in = parts_of(part_of(std::get<J>(inputs_))...);
        const auto out = parts_of(stored_at(static_cast<Elements*>(nullptr))...);
        bool flat = (lies_flat(std::get<J>(inputs_)) && ...);
        for (std::size_t k = 0; k < sizeof...(K); ++k) flat = flat && reinterpret_cast<std::uintptr_t>(output[k]) % 16 == 0;
        if (flat) {
            map_arguments<T, sizeof...(J), sizeof...(K)> a{};
            a.count = count;
            (set_input<J>(a), ...);
            ((a.out[K] = output[K]), ...);
            run_map_of<Source>(in, out, a);
        } else {
            loop_arguments<T, Rank, sizeof...(J), sizeof...(K), 1> a{};
            set_geometry(a, cut(count, 1, false), static_cast<T*>(nullptr));
            a.kept = Rank;
            (set_input<J>(a), ...);
            ((a.out[K] = output[K]), ...);
            std::ptrdiff_t step = 1;
            for (unsigned k = 0; k < Rank; ++k) { // the last axis first
                const unsigned to = Rank - 1 - k;
                a.size[to] = size_[k];
                ((a.in_step[J][to] = step_of(std::get<J>(inputs_), k)), ...);
                ((a.out_step[K][to] = step), ...);
                step *= static_cast<std::ptrdiff_t>(size_[k]);
            }
            run_loop(words_of<Source>(), in, out, a);
        }
    }
    template <class X>
    static std::ptrdiff_t step_of([[maybe_unused]] const X& x, [[maybe_unused]] unsigned k) {
        if constexpr (is_reference<X>) {
            return k < X::rank && x.size[k] != 1 ? x.stride[k] : 0;
        } else {
            return 0;
        }
    }

    const std::tuple<Inputs...>& inputs_;
    std::size_t size_[Rank]; ///< axis 0 being the last
};

/// Runs it; the results go into a tuple of references to arrays.
template <class Source, class T, unsigned Rank, class... Inputs, class... Outputs>
void run_elementwise(const std::tuple<Inputs...>& inputs, std::tuple<Outputs&...> outputs) {
    const elementwise<Source, T, Rank, Inputs...> e(inputs);
    [&]<std::size_t... K>(std::index_sequence<K...>) {
        std::tuple<output_place<Outputs, T, elementwise_program<Source>>...> places;
        (std::get<K>(places).template look<K>(e, std::get<K>(outputs), 0), ...);
        void* const memory[sizeof...(K) + 1] = {std::get<K>(places).template prepare<false>(std::get<K>(outputs), inputs)..., nullptr};
        e.template run<typename array_traits<Outputs>::stored...>(memory);
        (std::get<K>(places).template finish<K>(e, std::get<K>(outputs)), ...);
    }(std::index_sequence_for<Outputs...>{});
}

} // namespace dyad::device
