// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Many European options and all their Greeks in one pass over memory. One source: nvcc -x cu compiles it for a GPU, a C++
// compiler with Thrust for the host's cores. `greeks` is an ordinary function; the check at the end calls it with numbers.
//   nvcc -std=c++20 -O3 -arch=native -x cu -Iinclude -Iexamples examples/option_pricing_device/main.cpp -o option_pricing
#include <dyad/cuda.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include <command_line.hpp>

namespace {

constexpr const char* usage =
    "usage: option_pricing_device [--count N]\n"
    "\n"
    "Prices N options, with all their Greeks from dyad, and compares some of them with the same function of numbers.\n"
    "\n"
    "  --count N  from 1 to 50000000 (200000)\n"
    "  --help     this text\n";

/// The Black-Scholes price of a call: spot, strike, years, rate, volatility.
struct call_price {
    template <class S, class K, class T, class R, class V>
    constexpr auto operator()(S s, K k, T t, R r, V v) const {
        using dyad::log, dyad::sqrt, dyad::exp, dyad::erfc;
        const auto deviation = v * sqrt(t);
        const auto d1 = (log(s / k) + (r + v * v / 2) * t) / deviation;
        const auto normal = [](auto x) { return erfc(-x / 1.4142135623730951) / 2; };
        return s * normal(d1) - k * exp(-r * t) * normal(d1 - deviation);
    }
};

/// Price, delta, theta, rho, vega, gamma.
struct greeks {
    template <class S, class K, class T, class R, class V>
    constexpr auto operator()(S s, K k, T t, R r, V v) const {
        const auto [price, slopes] = dyad::value_and_grad<0, 2, 3, 4>(call_price{})(s, k, t, r, v);
        const auto gamma = dyad::grad<0>(dyad::grad<0>(call_price{}))(s, k, t, r, v);
        return std::array{price, std::get<0>(slopes), -std::get<1>(slopes), std::get<2>(slopes), std::get<3>(slopes), gamma};
    }
};

bool run(const command_line::options& chosen) {
    const auto n = chosen.number("--count", std::size_t{200000});
    if (n < 1 || n > 50000000) throw command_line::usage_error("--count needs a number from 1 to 50000000");
    std::vector<double> spot(n), strike(n), years(n);
    for (std::size_t i = 0; i < n; ++i) {
        spot[i] = 80 + 40 * static_cast<double>(i % 101) / 100;
        strike[i] = 90 + 20 * static_cast<double>(i % 13) / 12;
        years[i] = 0.1 + 2 * static_cast<double>(i % 29) / 28;
    }
    const double rate = 0.03, volatility = 0.2;
    std::printf("%zu options on %s\n", n, dyad::device::name().c_str());
    const auto s = dyad::to_device(spot), k = dyad::to_device(strike), t = dyad::to_device(years);

    const auto before = dyad::device::launches();
    const auto all = dyad::kernel(greeks{})(s, k, t, rate, volatility);
    std::printf("%zu launch, %zu results for each option\n", dyad::device::launches() - before, all.size());

    std::array<std::vector<double>, 6> back;
    for (std::size_t g = 0; g < all.size(); ++g) back[g] = dyad::to_host<std::vector<double>>(all[g]);
    const char* const names[] = {"price", "delta", "theta", "rho", "vega", "gamma"};
    double worst = 0;
    for (std::size_t i = 0; i < n; i += n / 100 + 1) {
        const auto one = greeks{}(spot[i], strike[i], years[i], rate, volatility);
        for (std::size_t g = 0; g < one.size(); ++g) worst = std::fmax(worst, std::abs(one[g] - back[g][i]) / (1 + std::abs(one[g])));
    }
    for (std::size_t g = 0; g < back.size(); ++g) std::printf("%-6s of the first option %12.8f\n", names[g], back[g][0]);
    std::printf("largest difference from the same function on numbers: %.1e\n", worst);
    return worst < 1e-10;
}

} // namespace

int main(int argc, char** argv) {
    return command_line::run("option_pricing_device", usage, argc, argv, {{"--count", "a number"}}, run);
}
