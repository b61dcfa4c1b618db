// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Atoms that attract and repel each other: the energy is written down, the forces are its gradient. All pairs at once on the
// device; the atoms then move, and their total energy stays. One source: nvcc -x cu compiles it for a GPU, a C++ compiler
// with Thrust for the host's cores.
//   nvcc -std=c++20 -O3 -arch=native -x cu -Iinclude -Iexamples examples/lennard_jones/main.cpp -o lennard_jones
#include <dyad/cuda.hpp>

#include <cmath>
#include <cstdio>
#include <tuple>
#include <utility>
#include <vector>

#include <command_line.hpp>

namespace {

constexpr const char* usage =
    "usage: lennard_jones [--side N]\n"
    "\n"
    "Moves N x N x N atoms for 100 steps, with forces from dyad, and looks whether their total energy stays.\n"
    "\n"
    "  --side N  from 2 to 40 (4)\n"
    "  --help    this text\n";

using positions_of_axis = dyad::device_array<double, 1>;

/// 4 (1/r¹² - 1/r⁶) of one pair, from the square of its distance; an atom and itself are no pair.
struct pair_energy {
    template <class X>
    constexpr auto operator()(X squared) const {
        const auto there = where(squared > 0, squared, X(1)); // what is not selected contributes nothing, not even NaN
        const auto inverse = 1 / (there * there * there);
        return where(squared > 0, 4 * (inverse * inverse - inverse), X(0));
    }
};
/// Half the sum over all ordered pairs.
struct total_energy {
    template <class X>
    constexpr auto operator()(X x, X y, X z) const {
        const auto apart = [](auto a) { return square(expand_dims(a, 1) - expand_dims(a, 0)); };
        return 0.5 * sum(pair_energy{}(apart(x) + apart(y) + apart(z)));
    }
};

struct push { // velocity += h force = -h slope
    template <class V, class G, class H>
    constexpr auto operator()(V v, G slope, H h) const {
        return v - h * slope;
    }
};
struct move_on {
    template <class X, class V, class H>
    constexpr auto operator()(X x, V v, H h) const {
        return x + h * v;
    }
};
struct kinetic_energy {
    template <class X>
    constexpr auto operator()(X x, X y, X z) const {
        return 0.5 * sum(x * x + y * y + z * z);
    }
};

/// The atoms on a grid, at nearly the distance at which pairs rest.
std::vector<double> grid(std::size_t side, std::size_t axis) {
    std::vector<double> x;
    for (std::size_t i = 0; i < side * side * side; ++i) {
        const std::size_t at[] = {i / (side * side), i / side % side, i % side};
        x.push_back(1.15 * static_cast<double>(at[axis]) + 0.01 * std::sin(static_cast<double>(7 * i + axis)));
    }
    return x;
}

bool run(const command_line::options& chosen) {
    const auto side = chosen.number("--side", std::size_t{4});
    if (side < 2 || side > 40) throw command_line::usage_error("--side needs a number from 2 to 40");
    const int steps = 100;
    const double h = 0.002;
    const std::vector<double> host[] = {grid(side, 0), grid(side, 1), grid(side, 2)};
    auto x = dyad::to_device(host[0]), y = dyad::to_device(host[1]), z = dyad::to_device(host[2]);
    std::printf("%zu atoms on %s\n", x.size(), dyad::device::name().c_str());

    const std::vector<double> rest(x.size(), 0.0);
    auto vx = dyad::to_device(rest), vy = vx, vz = vx;
    auto [energy, slopes] = dyad::value_and_grad(total_energy{})(x, y, z);
    auto& [gx, gy, gz] = slopes;

    // The force on one atom, pair by pair on the host.
    double direct = 0;
    for (std::size_t j = 1; j < x.size(); ++j) {
        double squared = 0;
        for (const std::vector<double>& a : host) squared += (a[0] - a[j]) * (a[0] - a[j]);
        direct += dyad::grad(pair_energy{})(squared) * 2 * (host[0][0] - host[0][j]);
    }
    const double first = dyad::to_host<std::vector<double>>(gx)[0];
    std::printf("energy %.10f, slope at the first atom %.10f, directly %.10f\n", energy, first, direct);

    const auto push_by = dyad::kernel(push{});
    const auto move_by = dyad::kernel(move_on{});
    const auto kinetic = [&] { return dyad::evaluate(kinetic_energy{}, vx, vy, vz); };
    const double before = energy + kinetic();
    for (int step = 0; step < steps; ++step) { // velocity Verlet
        push_by.into(vx, vx, gx, h / 2), push_by.into(vy, vy, gy, h / 2), push_by.into(vz, vz, gz, h / 2);
        move_by.into(x, x, vx, h), move_by.into(y, y, vy, h), move_by.into(z, z, vz, h);
        auto out = std::tie(energy, gx, gy, gz);
        dyad::evaluate_into(out, dyad::value_and_grad(total_energy{}), x, y, z);
        push_by.into(vx, vx, gx, h / 2), push_by.into(vy, vy, gy, h / 2), push_by.into(vz, vz, gz, h / 2);
    }
    const double moving = kinetic(), after = energy + moving;
    std::printf("after %d steps: potential %.6f, kinetic %.6f, total %.8f, at first %.8f\n", steps, energy, moving, after, before);
    const bool good = std::abs(first - direct) < 1e-9 * (1 + std::abs(direct)) && std::abs(after - before) < 1e-4 * std::abs(before) && moving > 0;
    return good;
}

} // namespace

int main(int argc, char** argv) {
    return command_line::run("lennard_jones", usage, argc, argv, {{"--side", "a number"}}, run);
}
