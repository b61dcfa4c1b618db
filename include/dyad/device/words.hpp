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
/// One that has loops and branches: its own words, and its regions in the order of their numbers.
template <class Words, class... Regions>
struct words_with_regions {};
/// A loop or branch: its region_info in a word, and its two bodies.
template <std::uint64_t Info, class First, class Second>
struct region_words {};

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
template <std::size_t K, class First, class... Others>
struct region_at : region_at<K - 1, Others...> {};
template <std::uint64_t Info, class First, class Second, class... Others>
struct region_at<0, region_words<Info, First, Second>, Others...> {
    static constexpr region_info info{static_cast<region_kind>(Info >> 48), Info & 0xffff, Info >> 16 & 0xffff, 0, 0, Info >> 32 & 0xffff, 0, {}};
    using first = worded<First>;
    using second = worded<Second>;
};
template <class Words, class... Regions>
struct worded<words_with_regions<Words, Regions...>> : worded<Words> {
    template <std::size_t K>
    static constexpr region_info info = region_at<K, Regions...>::info;
    template <std::size_t K, int Which>
    using region = std::conditional_t<Which == 0, typename region_at<K, Regions...>::first, typename region_at<K, Regions...>::second>;
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
    template <std::size_t... Item>
    static constexpr auto expand(std::index_sequence<Item...>) {
        return words<all.words[Item]...>{};
    }
};
template <class Source>
struct encoded_regions {
    static constexpr std::size_t count = [] {
        std::size_t regions = 0;
        for (const node& n : Source::graph.nodes) {
            if (n.is(opcode::call) && region_number(n) >= regions) regions = region_number(n) + 1;
        }
        return regions;
    }();
    /// Of a region whose loops keep nothing (kernel/scalar.hpp sees to that).
    template <std::size_t K>
    static constexpr std::uint64_t word = [] {
        constexpr region_info i = Source::template info<K>;
        return static_cast<std::uint64_t>(i.kind) << 48 | std::uint64_t{i.results} << 32 | std::uint64_t{i.numbers} << 16 | i.values;
    }();
};
template <class Source>
constexpr auto words_of();
template <std::uint64_t Info, class First, class Second>
constexpr auto region_of_words(First, Second) {
    return region_words<Info, First, Second>{};
}
template <class Words, class... Regions>
constexpr auto joined_words(Words, Regions...) {
    return words_with_regions<Words, Regions...>{};
}
template <class Source, std::size_t... K>
constexpr auto words_of_all(std::index_sequence<K...>) {
    using source = encoded<Source>;
    using regions = encoded_regions<Source>;
    static_assert(kernel_of<Source>::keeps_nothing, DYAD_NO_ROUNDS_KEPT);
    return joined_words(source::expand(std::make_index_sequence<source::count>{}),
                        region_of_words<regions::template word<K>>(words_of<typename Source::template region<K, 0>>(),
                                                                   words_of<typename Source::template region<K, has_two_bodies(Source::template info<K>.kind) ? 1 : 0>>())...);
}
template <class Source>
constexpr auto words_of() {
    if constexpr (encoded_regions<Source>::count != 0) {
        return words_of_all<Source>(std::make_index_sequence<encoded_regions<Source>::count>{});
    } else {
        using source = encoded<Source>;
        return source::expand(std::make_index_sequence<source::count>{});
    }
}

} // namespace dyad::device
