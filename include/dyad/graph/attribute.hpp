// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// How the attributes of array operations lie in a node's 64 bits. Axes are counted from the last one.
#pragma once

#include <cstddef>
#include <cstdint>

#include <dyad/base/config.hpp>

namespace dyad {

/// A set of axes, bit k for the k-th from the end.
constexpr unsigned axes_of(std::uint64_t bits) {
    return static_cast<unsigned>(bits & 0xff);
}

/// One axis.
constexpr unsigned axis_of(std::uint64_t bits) {
    return static_cast<unsigned>(bits & 0xf);
}

/// Beside the axis of a scatter_add: that it is the gradient of a take, whose name its errors have.
inline constexpr std::uint64_t gradient_of_take = 16;

/// The axis of the operand that becomes axis k of the result: four bits each, the identity where nothing moves.
constexpr unsigned permuted_axis(std::uint64_t bits, unsigned k) {
    return static_cast<unsigned>(bits >> (4 * k) & 0xf);
}
inline constexpr std::uint64_t identity_permutation = 0x76543210;

constexpr std::uint64_t inverse_permutation(std::uint64_t bits) {
    std::uint64_t result = 0;
    for (unsigned k = 0; k < 8; ++k) result |= std::uint64_t{k} << (4 * permuted_axis(bits, k));
    return result;
}

/// Of broadcast_like: as the user wrote it, for axes that have size 1 only at run time; the rules' own are between known shapes.
inline constexpr std::uint64_t kept_stretch = 1;
/// Of broadcast_like: stretches nothing. Axes of the second operand that do not have size 1 by construction have the sizes of the first's.
inline constexpr std::uint64_t equal_rows = 2;

/// x[start:stop:step] along one axis; counts from the end are negative.
struct slice_range {
    static constexpr int open = 0x7fffff; ///< to the end
    static constexpr int largest_step = 0x7ff;

    unsigned axis = 0;
    int start = 0, stop = open, step = 1;
};

constexpr std::uint64_t encode_slice(slice_range s) {
    return std::uint64_t{s.axis} | (static_cast<std::uint64_t>(s.step) & 0xfff) << 4 |
           (static_cast<std::uint64_t>(s.start) & 0xffffff) << 16 | (static_cast<std::uint64_t>(s.stop) & 0xffffff) << 40;
}

/// Whether a start or stop has room in the attribute.
constexpr bool fits_slice(int position) {
    return position >= -slice_range::open && position < slice_range::open;
}

constexpr int signed_bits(std::uint64_t bits, int width) {
    const auto value = static_cast<std::int64_t>(bits & ((std::uint64_t{1} << width) - 1));
    return static_cast<int>(value >> (width - 1) != 0 ? value - (std::int64_t{1} << width) : value);
}

/// Of solve: that the matrix has zeros beside one triangle.
inline constexpr std::uint64_t lower_triangular = 1, upper_triangular = 2;

/// What lies on diagonal k and below it, or above it (`upper`); diagonal 1 begins right of the main one, which is 0.
struct triangle_part {
    bool upper = false;
    int diagonal = 0;

    [[nodiscard]] DYAD_FN constexpr bool has(std::ptrdiff_t row, std::ptrdiff_t column) const {
        return upper ? column - row >= diagonal : column - row <= diagonal;
    }
};
constexpr std::uint64_t encode_triangle(triangle_part t) {
    return (t.upper ? 1U : 0U) | std::uint64_t{static_cast<std::uint32_t>(t.diagonal)} << 1;
}
constexpr triangle_part decode_triangle(std::uint64_t bits) {
    return {(bits & 1) != 0, signed_bits(bits >> 1, 32)};
}
constexpr slice_range decode_slice(std::uint64_t bits) {
    return {static_cast<unsigned>(bits & 0xf), signed_bits(bits >> 16, 24), signed_bits(bits >> 40, 24),
            signed_bits(bits >> 4, 12)};
}

/// How many elements a slice leaves out at the two ends, of however many; -1 where that depends on how many there are.
constexpr int left_out(slice_range s) {
    const bool from_the_ends = s.step == 1 && s.start >= 0 && (s.stop < 0 || s.stop == slice_range::open);
    return !from_the_ends ? -1 : s.stop < 0 ? s.start - s.stop : s.start;
}

/// How far windows stand apart along the last two axes.
struct window_steps {
    unsigned last = 1, before = 1;
};
constexpr std::uint64_t encode_steps(window_steps s) {
    return std::uint64_t{s.last} | std::uint64_t{s.before} << 32;
}
constexpr window_steps decode_steps(std::uint64_t bits) {
    return {static_cast<unsigned>(bits & 0xffffffff), static_cast<unsigned>(bits >> 32)};
}

/// How far the windows of a convolution stand apart, and how many zeros stand around each image.
struct convolution_steps {
    unsigned step = 1, padding = 0;
};
constexpr std::uint64_t encode_convolution(convolution_steps s) {
    return std::uint64_t{s.step} | std::uint64_t{s.padding} << 32;
}
constexpr convolution_steps decode_convolution(std::uint64_t bits) {
    return {static_cast<unsigned>(bits & 0xffffffff), static_cast<unsigned>(bits >> 32)};
}

/// Square windows of images, so far apart, of which the largest element or the mean is wanted.
struct pool_window {
    static constexpr unsigned most = 0xfffffff;
    static constexpr bool fits(int n) { return static_cast<unsigned>(n) <= most; }
    unsigned size = 1, step = 1;
    bool largest = false;
};
constexpr std::uint64_t encode_pool(pool_window w) {
    return std::uint64_t{w.size} | std::uint64_t{w.step} << 28 | (w.largest ? std::uint64_t{1} << 63 : 0);
}
constexpr pool_window decode_pool(std::uint64_t bits) {
    return {static_cast<unsigned>(bits & pool_window::most), static_cast<unsigned>(bits >> 28 & pool_window::most), bits >> 63 != 0};
}

/// A reshape replaces the last `from` axes by `to` axes, whose sizes share 56 bits; all ones means: what is left.
struct reshape_ranks {
    unsigned from = 0, to = 0;
};
constexpr reshape_ranks reshape_ranks_of(std::uint64_t bits) {
    return {static_cast<unsigned>(bits >> 60), static_cast<unsigned>(bits >> 56 & 0xf)};
}
constexpr unsigned size_width(unsigned to) {
    return to < 2 ? 48 : 56 / to;
}
inline constexpr std::uint64_t inferred_size = ~std::uint64_t{0};

/// The size of axis k of the result.
constexpr std::uint64_t reshape_size(std::uint64_t bits, unsigned k) {
    const unsigned width = size_width(reshape_ranks_of(bits).to);
    const std::uint64_t all = (std::uint64_t{1} << width) - 1, size = bits >> (width * k) & all;
    return size == all ? inferred_size : size;
}
constexpr std::uint64_t encode_reshape(reshape_ranks r) {
    return std::uint64_t{r.from} << 60 | std::uint64_t{r.to} << 56;
}
/// Of fill_like, in the place of a size: that of an axis, counted from the end, of operand 1 or 2.
struct borrowed_size {
    unsigned operand = 0, axis = 0; ///< operand 0: no such size
};
inline constexpr std::uint64_t borrowed_sizes = 16; ///< so many sizes below `inferred_size` are names of axes
constexpr std::uint64_t encode_borrowed(borrowed_size s) {
    return inferred_size - 1 - (8 * (s.operand - 1) + s.axis);
}
constexpr borrowed_size decode_borrowed(std::uint64_t size) {
    const std::uint64_t name = inferred_size - 1 - size;
    return name < borrowed_sizes ? borrowed_size{static_cast<unsigned>(name / 8) + 1, static_cast<unsigned>(name % 8)} : borrowed_size{};
}
/// The size of axis k of a fill_like's result: a number, `inferred_size` (what is left of the elements of operand 2), or a borrowed one.
constexpr std::uint64_t fill_size(std::uint64_t bits, unsigned k) {
    const unsigned width = size_width(reshape_ranks_of(bits).to);
    const std::uint64_t all = (std::uint64_t{1} << width) - 1, size = bits >> (width * k) & all;
    return size >= all - borrowed_sizes ? size | ~all : size;
}
/// The largest number that can stand there is below this.
constexpr std::uint64_t fill_size_limit(unsigned to) {
    return (std::uint64_t{1} << size_width(to)) - 1 - borrowed_sizes;
}

/// With the size of axis k put in.
constexpr std::uint64_t with_size(std::uint64_t bits, unsigned k, std::uint64_t size) {
    const unsigned width = size_width(reshape_ranks_of(bits).to);
    const std::uint64_t all = (std::uint64_t{1} << width) - 1;
    return (bits & ~(all << (width * k))) | (size & all) << (width * k);
}

} // namespace dyad
