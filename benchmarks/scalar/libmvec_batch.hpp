// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// A vector of doubles whose elementary functions are glibc's vector ones (libmvec; at most 4 ulp),
// and whose arithmetic is xsimd's. xsimd has no such vector; this is what "best hand code" of a
// SIMD loop calls.
#pragma once

#include <xsimd/xsimd.hpp>

#include <cstddef>
#include <utility>

#if defined __AVX512F__
#define BENCH_LIBMVEC(name) _ZGVeN8v_##name
#elif defined __AVX2__
#define BENCH_LIBMVEC(name) _ZGVdN4v_##name
#else
#error                                                                                             \
    "libmvec_batch: the widths of AVX2 and AVX-512 only; build with -march=native on such a machine"
#endif

namespace bench {

using native_batch = xsimd::batch<double>;
using native_register = decltype(native_batch::data);

extern "C" {
native_register BENCH_LIBMVEC(exp)(native_register);
native_register BENCH_LIBMVEC(log)(native_register);
native_register BENCH_LIBMVEC(sin)(native_register);
native_register BENCH_LIBMVEC(cos)(native_register);
native_register BENCH_LIBMVEC(erf)(native_register);
}

struct libmvec_batch {
    using value_type = double;
    static constexpr std::size_t size = native_batch::size;
    native_batch lanes;

    libmvec_batch() = default;
    libmvec_batch(double all) : lanes(all) {}
    explicit libmvec_batch(native_batch values) : lanes(values) {}
    explicit libmvec_batch(native_register values) : lanes(values) {}

    static libmvec_batch load_unaligned(const double* from) {
        return libmvec_batch(native_batch::load_unaligned(from));
    }
    void store_unaligned(double* to) const { lanes.store_unaligned(to); }

    friend libmvec_batch operator-(libmvec_batch a) { return libmvec_batch(-a.lanes); }
    friend libmvec_batch operator+(libmvec_batch a, libmvec_batch b) {
        return libmvec_batch(a.lanes + b.lanes);
    }
    friend libmvec_batch operator-(libmvec_batch a, libmvec_batch b) {
        return libmvec_batch(a.lanes - b.lanes);
    }
    friend libmvec_batch operator*(libmvec_batch a, libmvec_batch b) {
        return libmvec_batch(a.lanes * b.lanes);
    }
    friend libmvec_batch operator/(libmvec_batch a, libmvec_batch b) {
        return libmvec_batch(a.lanes / b.lanes);
    }
    friend auto operator<(libmvec_batch a, libmvec_batch b) { return a.lanes < b.lanes; }
    libmvec_batch& operator+=(libmvec_batch b) { return *this = *this + b; }

    friend libmvec_batch sqrt(libmvec_batch a) { return libmvec_batch(xsimd::sqrt(a.lanes)); }
    friend libmvec_batch exp(libmvec_batch a) {
        return libmvec_batch(BENCH_LIBMVEC(exp)(a.lanes.data));
    }
    friend libmvec_batch log(libmvec_batch a) {
        return libmvec_batch(BENCH_LIBMVEC(log)(a.lanes.data));
    }
    friend libmvec_batch sin(libmvec_batch a) {
        return libmvec_batch(BENCH_LIBMVEC(sin)(a.lanes.data));
    }
    friend libmvec_batch cos(libmvec_batch a) {
        return libmvec_batch(BENCH_LIBMVEC(cos)(a.lanes.data));
    }
    friend libmvec_batch erf(libmvec_batch a) {
        return libmvec_batch(BENCH_LIBMVEC(erf)(a.lanes.data));
    }
    friend std::pair<libmvec_batch, libmvec_batch> sincos(libmvec_batch a) {
        return {sin(a), cos(a)};
    }
};

} // namespace bench

#undef BENCH_LIBMVEC
