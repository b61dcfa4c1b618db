// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Programs as kernels' first arguments: an empty object whose type is the program, word by word. A class-type template
// argument cannot reach a __global__ function; a pack of integers can, if its type is deduced.
#pragma once

#include <dyad/graph/encode.hpp>
#include <dyad/kernel/scalar.hpp>

namespace dyad::device {

/// A graph of numbers, encoded (graph/encode.hpp).
template <std::uint64_t... W>
struct words {};

/// The graph again, where a kernel runs it.
template <class Words>
struct worded;
template <std::uint64_t... W>
struct worded<words<W...>> {
    struct make {
        constexpr dyad::graph operator()() const {
            constexpr std::uint64_t all[] = {W...};
            return decode(all);
        }
    };
    static constexpr const auto& graph = frozen<make, sizeof...(W), 8>::value;
};

/// The words of `Source::graph`, made once and then expanded by index: in a type of their own, since nvcc is slow otherwise.
template <class Source>
struct encoded {
    static constexpr std::size_t count = encode(Source::graph.view()).size();
    static constexpr code<count> all = [] {
        code<count> c;
        const list<std::uint64_t> w = encode(Source::graph.view());
        for (std::size_t i = 0; i < count; ++i) c.words[i] = w[i];
        return c;
    }();
    template <std::size_t... I>
    static constexpr auto expand(std::index_sequence<I...>) {
        return words<all.words[I]...>{};
    }
};
template <class Source>
constexpr auto words_of() {
    using source = encoded<Source>;
    return source::expand(std::make_index_sequence<source::count>{});
}

} // namespace dyad::device
