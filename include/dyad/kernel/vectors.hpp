// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Which vectors loops compute in. Under nvcc the host's code has those of any compiler; in the device's, where these loops are
// compiled but never run, nvcc takes none. xsimd from version 13 on it does not take at all.
#pragma once

#if defined(__CUDACC__) && __has_include(<xsimd/config/xsimd_config.hpp>)
#include <xsimd/config/xsimd_config.hpp>
#endif
#if !defined(__CUDACC__) || XSIMD_VERSION_MAJOR < 13
#define DYAD_VECTORS 1
#include <dyad/kernel/line_stream.hpp>
#else
#define DYAD_VECTORS 0
#endif

#include <dyad/base/config.hpp>

namespace dyad {

/// The widest vector of T; T itself where there are no vectors of it.
template <class T, bool Fast>
struct widest {
    using type = T;
};
/// Whether vectors of this type can be written past the caches.
template <class V>
inline constexpr bool can_stream = false;

#if DYAD_VECTORS && !DYAD_DEVICE_CODE
template <bool Fast>
struct widest<float, Fast> {
    using type = simd::lanes<float, Fast>;
};
template <bool Fast>
struct widest<double, Fast> {
    using type = simd::lanes<double, Fast>;
};
template <class T, bool Fast>
inline constexpr bool can_stream<simd::lanes<T, Fast>> = simd::masked<T>::streams;
#elif !DYAD_VECTORS
template <class V>
class line_stream;
#endif

} // namespace dyad

#undef DYAD_VECTORS
