// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Values and slopes of the functions that are the longest on a device, without --expt-relaxed-constexpr: compiled, so that a call to a
// function of the host shows as a warning, which is an error here (tools/check_device.sh).

#include <dyad/cuda.hpp>

#include <vector>

int main() {
    const auto x = dyad::to_device(std::vector<double>(1000, 0.5)), y = dyad::to_device(std::vector<double>(1000, 0.7));
    const auto f = [](auto a, auto b) {
        return erf(a * b) + erfc(b) + atan2(a, b) + pow(a, b) + hypot(a, b) + digamma(a) + lgamma(b) + tgamma(a) + sinc(b) + softplus(a) + cbrt(b);
    };
    const auto [value, slopes] = dyad::kernel(dyad::value_and_grad(f))(x, y);
    return value.size() == 1000 ? 0 : 1;
}
