// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The inner loops, of every length around a vector's and its multiples, against one element after the other. The numbers
// are small and whole: every order of the sums gives the same.
#include <doctest/doctest.h>

#include <dyad/kernel/loop.hpp>
#include <dyad/kernel/partial_loop.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace {

using dyad::element_range;
using dyad::keeping;

/// x y + s, x^2, x y, x + y: stored, summed, added to what is there, the largest.
struct four {
    static constexpr std::size_t outputs = 4, size = 6;
    static constexpr bool calls = false;
    template <class V>
    static std::array<V, 4> run(const V* x) {
        const V product = x[0] * x[1];
        return {product + x[2], x[0] * x[0], product, x[0] + x[1]};
    }
};
constexpr dyad::loop_shape<3, 4> four_shape = [] {
    dyad::loop_shape<3, 4> s;
    s.input_walks[0] = s.input_walks[1] = true;
    s.output_walks[0] = s.output_walks[2] = true;
    s.how[1] = s.how[2] = keeping::sum;
    s.how[3] = keeping::largest;
    return s;
}();

template <class T>
T small(std::size_t k, std::size_t salt) {
    return static_cast<T>(static_cast<int>((k * 7 + salt * 5) % 11) - 5);
}

template <class T, class V, bool Stream>
void check_length(std::size_t n, bool in_place) {
    std::vector<T> x(n), y(n), apart(n, T(99)), added(n);
    for (std::size_t k = 0; k < n; ++k) x[k] = small<T>(k, 1), y[k] = small<T>(k, 2), added[k] = small<T>(k, 3);
    const T s = 3;
    T sum = 99, largest = 99, want_sum = 0, want_largest = -std::numeric_limits<T>::infinity();
    std::vector<T> want(n), want_added = added;
    for (std::size_t k = 0; k < n; ++k) {
        want[k] = x[k] * y[k] + s;
        want_sum += x[k] * x[k];
        want_added[k] += x[k] * y[k];
        want_largest = std::max(want_largest, x[k] + y[k]);
    }
    std::vector<T>& stored = in_place ? x : apart;
    const T* const in[] = {x.data(), y.data(), &s};
    T* const out[] = {stored.data(), &sum, added.data(), &largest};
    dyad::inner_loop<four, four_shape, T, V, 3>::template run<Stream>(n, in, out);
    CHECK(stored == want);
    CHECK(sum == want_sum);
    CHECK(added == want_added);
    CHECK(largest == want_largest);
}
template <class T, class V, bool Stream = false>
void check_all_lengths() {
    for (std::size_t n = 0; n <= 70; ++n) {
        check_length<T, V, Stream>(n, false);
        check_length<T, V, Stream>(n, true);
    }
}

/// x and y, where y is only in part, and where it is: stored x + 10 y + 100 there, and the sum of that.
struct in_part {
    static constexpr std::size_t outputs = 2, size = 4;
    static constexpr bool calls = false;
    template <class V>
    static std::array<V, 2> run(const V* x) {
        const V z = x[0] + V(10) * x[1] + V(100);
        return {z, z};
    }
};
template <bool Calls>
struct in_part_anywhere {
    static constexpr bool calls = Calls; // then vectors ask at both ends, else narrow ends are computed one by one
    template <class V>
    static std::array<V, 2> run(const V* x) {
        const V z = x[0] + V(10) * x[1] + V(100) * x[2];
        return {z, z};
    }
};
constexpr dyad::loop_shape<3, 2> part_shape = [] {
    dyad::loop_shape<3, 2> s;
    s.input_walks[0] = s.input_walks[1] = true; // (a mask has no memory to walk through)
    s.place[1] = s.place[2] = 1;
    s.is_mask[2] = true;
    s.output_walks[0] = true;
    s.how[1] = keeping::sum;
    return s;
}();

template <class T, class V, bool Stream = false>
void check_all_ranges() {
    for (const std::size_t n : {0U, 1U, 2U, 5U, 8U, 15U, 16U, 17U, 31U, 50U}) {
        const auto length = static_cast<std::ptrdiff_t>(n);
        std::vector<T> x(n), y(n), stored(n);
        for (std::size_t k = 0; k < n; ++k) x[k] = small<T>(k, 1), y[k] = small<T>(k, 2);
        for (std::ptrdiff_t first = -2; first <= length + 2; ++first) {
            for (std::ptrdiff_t last = first; last <= length + 2; last += 3) {
                T sum = 99, want_sum = 0;
                std::vector<T> want(n);
                for (std::ptrdiff_t k = 0; k < length; ++k) {
                    const auto at = static_cast<std::size_t>(k);
                    want[at] = x[at] + (k >= first && k < last ? 10 * y[at] + 100 : T(0));
                    want_sum += want[at];
                }
                const T* const in[] = {x.data(), y.data(), nullptr};
                T* const out[] = {stored.data(), &sum};
                const element_range has[] = {{0, length}, {first, last}};
                const auto check = [&]<bool Calls>() {
                    std::fill(stored.begin(), stored.end(), T(99));
                    dyad::partial_loop<in_part, in_part_anywhere<Calls>, part_shape, T, V, 3, 2>::template run<Stream>(n, in, out, has);
                    CHECK(stored == want);
                    CHECK(sum == want_sum);
                };
                check.template operator()<true>();
                check.template operator()<false>();
            }
        }
    }
}

} // namespace

TEST_CASE_TEMPLATE("inner_loop: every length, in vectors and one by one", T, float, double) {
    check_all_lengths<T, dyad::simd::lanes<T, true>>();
}
TEST_CASE_TEMPLATE("both loops past the caches: as through them", T, float, double) {
    using lanes = dyad::simd::lanes<T, true>;
    if constexpr (dyad::can_stream<lanes>) {
        check_all_lengths<T, lanes, true>();
        check_all_ranges<T, lanes, true>();
        for (const std::size_t vectors : {1U, 2U, 7U}) check_length<T, lanes, true>(2 * dyad::summed_at_once<T>(lanes::size) + vectors * lanes::size + 3, vectors == 2);
    }
}
TEST_CASE_TEMPLATE("inner_loop: numbers without vectors", T, float, double, long double) { check_all_lengths<T, T>(); }

TEST_CASE_TEMPLATE("partial_loop: an input with every range of the elements", T, float, double) {
    check_all_ranges<T, dyad::simd::lanes<T, true>>();
    check_all_ranges<T, T>();
}

TEST_CASE_TEMPLATE("pairwise sums: the error grows with the logarithm", T, float, double) {
    dyad::pairwise<T> sum;
    const std::size_t n = 1 << 20;
    for (std::size_t k = 0; k < n; ++k) sum.add(keeping::sum, T(0.1));
    const long double exact = static_cast<long double>(T(0.1)) * n;
    CHECK(std::abs(static_cast<long double>(sum.total(keeping::sum)) - exact) <= 20 * std::numeric_limits<T>::epsilon() * exact);
}
