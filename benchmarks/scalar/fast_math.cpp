// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Plain loops over double that the compiler itself turns into vectors and libmvec calls
// (fast-math). g++ merges sin and cos of one argument into one call that it cannot vectorise,
// whoever wrote them; hand code avoids that by one loop for each function over a block that stays
// in the first cache, and that is the time to beat.
#include "harness.hpp"
#include "problems/log_sin_exp.hpp"
#include "variants.hpp"

namespace bench {

struct by_hand_in_blocks {
    static constexpr const char* name = "hand_blocks";
    static void loop(const double* __restrict in, double* __restrict out) {
        constexpr std::size_t block = 40, step = stride<log_sin_exp>;
        static_assert(log_sin_exp::points % block == 0);
        alignas(64) double product[block], sine[block], cosine[block], inverse[block], power[block];
        for (std::size_t first = 0; first < log_sin_exp::points;
             first += block, in += block, out += block) {
            for (std::size_t i = 0; i < block; ++i) {
                product[i] = in[i] * in[i + step];
                inverse[i] = 1.0 / (1.0 + in[i] * in[i]);
            }
            for (std::size_t i = 0; i < block; ++i) sine[i] = std::sin(product[i]);
            for (std::size_t i = 0; i < block; ++i) cosine[i] = std::cos(product[i]);
            for (std::size_t i = 0; i < block; ++i)
                power[i] = std::exp(in[i + 2 * step] * inverse[i]);
            for (std::size_t i = 0; i < block; ++i) out[i] = std::log(product[i]);
            for (std::size_t i = 0; i < block; ++i) {
                const double x = in[i], y = in[i + step], z = in[i + 2 * step];
                const double wave = sine[i] * power[i];
                const double by_product = 1.0 / product[i] + cosine[i] * power[i];
                const double by_z = wave * inverse[i];
                out[i] += wave;
                out[i + step] = y * by_product - 2.0 * (x * z) * (inverse[i] * by_z);
                out[i + 2 * step] = x * by_product;
                out[i + 3 * step] = by_z;
            }
        }
    }
};

} // namespace bench

void bench::register_variants() {
    compare<log_sin_exp, double, by_hand, by_hand_in_blocks, by_dyad>("fast_math");
}
