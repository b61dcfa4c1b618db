// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Vectors of numbers: some lanes of them, at the very end of the memory that there is.
#include <doctest/doctest.h>

#include <dyad/kernel/vectors.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace {

/// Memory behind whose end, and before whose begin, nothing can be read or written.
class fenced {
public:
    fenced() : all_(static_cast<std::byte*>(::mmap(nullptr, 3 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
        REQUIRE(all_ != MAP_FAILED);
        REQUIRE(::mprotect(all_ + page_, page_, PROT_READ | PROT_WRITE) == 0);
    }
    fenced(const fenced&) = delete;
    fenced& operator=(const fenced&) = delete;
    ~fenced() { ::munmap(all_, 3 * page_); }
    template <class T>
    T* begin() const {
        return reinterpret_cast<T*>(all_ + page_);
    }
    template <class T>
    T* end() const {
        return reinterpret_cast<T*>(all_ + 2 * page_);
    }

private:
    std::size_t page_ = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    std::byte* all_;
};

template <class V>
std::vector<typename V::value_type> lanes_of(V v) {
    std::vector<typename V::value_type> lane(V::size);
    v.store_unaligned(lane.data());
    return lane;
}

} // namespace

TEST_CASE_TEMPLATE("lanes between two edges: no other element is read or written", T, float, double) {
    using lanes = dyad::simd::lanes<T, true>;
    using masked = dyad::simd::masked<T>;
    const fenced memory;
    const lanes others = lanes::numbers() * lanes(T(-1)) - lanes(T(1));
    constexpr auto size = static_cast<std::ptrdiff_t>(lanes::size), far = std::ptrdiff_t{1} << 40;
    std::vector<std::ptrdiff_t> edges{-far, far};
    for (std::ptrdiff_t e = -2; e <= size + 2; ++e) edges.push_back(e);
    for (const std::ptrdiff_t from : edges) {
        for (const std::ptrdiff_t to : edges) {
            const std::ptrdiff_t first = std::clamp<std::ptrdiff_t>(from, 0, size), last = std::clamp(to, first, size); // of the chosen ones
            const auto choice = lanes::between(from, to);
            // Once the last chosen element is the last that there is, once the first the first.
            T* const places[] = {memory.template end<T>() - last, memory.template begin<T>() - first};
            for (T* const at : places) {
                for (std::ptrdiff_t k = first; k < last; ++k) at[k] = T(100 + k);
                const auto loaded = lanes_of<lanes>(masked::load(at, choice, others.v)), zeros = lanes_of(lanes::load_some(at, choice)), ones = lanes_of(lanes::ones_in(choice));
                masked::store(at, choice, others.v);
                bool good = true;
                for (std::ptrdiff_t k = 0; k < size; ++k) {
                    const auto i = static_cast<std::size_t>(k);
                    const bool chosen = from <= k && k < to;
                    good = good && loaded[i] == (chosen ? T(100 + k) : -T(k) - 1) && zeros[i] == (chosen ? T(100 + k) : T(0)) && ones[i] == (chosen ? T(1) : T(0));
                    if (chosen) good = good && at[k] == -T(k) - 1;
                }
                CHECK_MESSAGE(good, "from ", from, " to ", to);
            }
        }
    }
}

TEST_CASE_TEMPLATE("the first lanes: the others are like the first, and are not stored", T, float, double) {
    using lanes = dyad::simd::lanes<T, true>;
    const fenced memory;
    for (unsigned n = 1; n < lanes::size; ++n) {
        T* const at = memory.template end<T>() - n;
        for (unsigned k = 0; k < n; ++k) at[k] = T(7 + k);
        const lanes x = lanes::load_first(at, n);
        const auto lane = lanes_of(x);
        for (unsigned k = 0; k < lanes::size; ++k) CHECK(lane[k] == T(k < n ? 7 + k : 7));
        (x + x).store_first(at, n);
        for (unsigned k = 0; k < n; ++k) CHECK(at[k] == T(14 + 2 * k));
    }
}

TEST_CASE_TEMPLATE("numbers and sums of lanes", T, float, double) {
    using lanes = dyad::simd::lanes<T, true>;
    const auto lane = lanes_of(lanes::numbers());
    for (unsigned k = 0; k < lanes::size; ++k) CHECK(lane[k] == T(k));
    CHECK((lanes::numbers() + lanes(T(1))).sum() == T(lanes::size * (lanes::size + 1) / 2));
}

TEST_CASE_TEMPLATE("the largest and smallest lane, and the larger of two, as of numbers: NaN if one is, the first of equal ones", T, float, double) {
    using lanes = dyad::simd::lanes<T, true>;
    const T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
    const auto same = [](T a, T b) { return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b)); };
    for (unsigned at = 0; at < lanes::size; ++at) {
        for (const T x : {T(-7), T(100), infinity, -infinity, nan}) {
            std::vector<T> lane = lanes_of(lanes::numbers());
            lane[at] = x;
            const lanes v = lanes::load_unaligned(lane.data());
            T largest = lane[0], smallest = lane[0];
            for (const T y : lane) largest = dyad::math::larger(largest, y), smallest = dyad::math::smaller(smallest, y);
            CHECK_MESSAGE(same(v.largest(), largest), x, " in lane ", at);
            CHECK_MESSAGE(same(v.smallest(), smallest), x, " in lane ", at);
        }
    }
    const T some[] = {T(0), -T(0), T(2), T(-3), infinity, -infinity, nan};
    for (const T x : some) {
        for (const T y : some) {
            CHECK_MESSAGE(same(lanes_of(dyad::math::larger(lanes(x), lanes(y)))[0], dyad::math::larger(x, y)), x, " and ", y);
            CHECK_MESSAGE(same(lanes_of(dyad::math::smaller(lanes(x), lanes(y)))[0], dyad::math::smaller(x, y)), x, " and ", y);
            CHECK_MESSAGE(lanes_of(dyad::math::choose(lanes(x) != lanes(y), lanes(T(1)), lanes(T(0))))[0] == T(x != y), x, " and ", y);
        }
    }
    CHECK(dyad::math::larger(T(2), T(3)) == 3);
    CHECK(std::isnan(dyad::math::larger(nan, T(3))));
    CHECK(std::isnan(dyad::math::larger(T(3), nan)));
    CHECK(std::signbit(dyad::math::larger(-T(0), T(0))));
    CHECK(dyad::math::smaller(T(2), T(3)) == 2);
    CHECK(std::isnan(dyad::math::smaller(nan, T(3))));
    CHECK(std::isnan(dyad::math::smaller(T(3), nan)));
}

TEST_CASE_TEMPLATE("vectors read by lines: the very elements, and none beside them", T, float, double) {
    using lanes = dyad::simd::lanes<T, true>;
    if constexpr (dyad::can_stream<lanes>) {
        const fenced memory;
        const auto all = static_cast<std::size_t>(memory.end<T>() - memory.begin<T>());
        for (std::size_t k = 0; k < all; ++k) memory.begin<T>()[k] = static_cast<T>(k);
        for (std::size_t shift = 0; shift < lanes::size; ++shift) {
            // As loops read: the first vector as it is, those that another one follows by lines.
            const T* const from = memory.begin<T>() + shift + lanes::size;
            dyad::line_reader<lanes> reader(from);
            bool good = true;
            for (const T* p = from; p + 2 * lanes::size <= memory.end<T>(); p += lanes::size) good = good && lanes_of(reader.next()) == std::vector<T>(p, p + lanes::size);
            CHECK_MESSAGE(good, "shift ", shift);
        }
    }
}

TEST_CASE_TEMPLATE("stores past the caches: whole lines, wherever the elements begin, and nothing around them", T, float, double) {
    using lanes = dyad::simd::lanes<T, true>;
    if constexpr (dyad::can_stream<lanes>) {
        constexpr std::size_t size = lanes::size;
        alignas(64) T to[7 * size];
        for (std::size_t shift = 0; shift < size; ++shift) {
            for (std::size_t vectors = 1; vectors <= 5; ++vectors) {
                std::fill_n(to, 7 * size, T(0));
                dyad::line_stream<lanes> stream(to + shift);
                for (std::size_t k = 0; k < vectors; ++k) {
                    const lanes v = lanes::numbers() + lanes(T(k * size + 1));
                    k == 0 ? stream.first(v) : stream.next(v);
                }
                stream.end();
                dyad::line_stream<lanes>::fence();
                for (std::size_t k = 0; k < 7 * size; ++k) CHECK(to[k] == (k >= shift && k < shift + vectors * size ? T(k - shift + 1) : T(0)));
            }
        }
    }
}
