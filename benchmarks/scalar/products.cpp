// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Transforms of functions of small arrays, called once each, against hand-written code: what is read into a program's inputs and
// made of its results counts as much as the program. Built with -O2, as most programs are, where compilers leave loops as they
// are. Every method is first compared with the hand-written one; --verify stops there.
#include <dyad/core.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>

namespace {

template <std::size_t N>
using row = std::array<double, N>;
using ten = row<10>;

/// Hessian times vector of Rosenbrock's function.
struct hvp_rosenbrock {
    static constexpr const char* name = "hvp_rosenbrock10";
    static constexpr auto function = [](auto x) {
        auto sum = 0 * x[0];
        for (std::size_t i = 0; i + 1 < x.size(); ++i) sum = sum + 100 * square(x[i + 1] - x[i] * x[i]) + square(1 - x[i]);
        return sum;
    };
    [[gnu::noinline]] static void dyad(const ten& x, const ten& v, ten& out, ten&) { out = ::dyad::hvp(function)(x, v); }
    [[gnu::noinline]] static void hand(const ten& x, const ten& v, ten& out, ten&) {
        out[0] = 0;
        for (std::size_t i = 0; i < 9; ++i) {
            const double valley = x[i + 1] - x[i] * x[i], along = v[i + 1] - 2 * x[i] * v[i];
            out[i] += 2 * v[i] - 400 * (v[i] * valley + x[i] * along);
            out[i + 1] = 200 * along;
        }
    }
};

/// The gradient by both of two arrays.
struct gradient_of_two {
    static constexpr const char* name = "gradient_of_two";
    static constexpr auto function = [](auto x, auto y) {
        auto sum = 0 * x[0];
        for (std::size_t i = 0; i < x.size(); ++i) sum = sum + x[i] * x[i] * y[i];
        return sum;
    };
    [[gnu::noinline]] static void dyad(const ten& x, const ten& y, ten& dx, ten& dy) { std::tie(dx, dy) = ::dyad::grad(function)(x, y); }
    [[gnu::noinline]] static void hand(const ten& x, const ten& y, ten& dx, ten& dy) {
        for (std::size_t i = 0; i < 10; ++i) {
            dx[i] = 2 * x[i] * y[i];
            dy[i] = x[i] * x[i];
        }
    }
};

/// Products of neighbours: the value and a tangent, and the value and a cotangent.
struct jvp_neighbours {
    static constexpr const char* name = "jvp_neighbours";
    static constexpr auto function = [](auto x) {
        auto y = x;
        for (std::size_t i = 0; i + 1 < x.size(); ++i) y[i] = x[i] * x[i + 1];
        return y;
    };
    [[gnu::noinline]] static void dyad(const ten& x, const ten& v, ten& y, ten& t) { std::tie(y, t) = ::dyad::jvp(function)(x, v); }
    [[gnu::noinline]] static void hand(const ten& x, const ten& v, ten& y, ten& t) {
        for (std::size_t i = 0; i < 9; ++i) {
            y[i] = x[i] * x[i + 1];
            t[i] = v[i] * x[i + 1] + x[i] * v[i + 1];
        }
        y[9] = x[9];
        t[9] = v[9];
    }
};
struct vjp_neighbours : jvp_neighbours {
    static constexpr const char* name = "vjp_neighbours";
    [[gnu::noinline]] static void dyad(const ten& x, const ten& c, ten& y, ten& back) {
        const auto [value, pull] = ::dyad::vjp(function)(x);
        y = value;
        back = pull(c);
    }
    [[gnu::noinline]] static void hand(const ten& x, const ten& c, ten& y, ten& back) {
        back[0] = 0;
        for (std::size_t i = 0; i < 9; ++i) {
            y[i] = x[i] * x[i + 1];
            back[i] += c[i] * x[i + 1];
            back[i + 1] = c[i] * x[i];
        }
        y[9] = x[9];
        back[9] += c[9];
    }
};

/// A filter with three numbers in its state, over a hundred measurements on a line: the tangent by the noise of its model.
struct jvp_filter {
    static constexpr const char* name = "jvp_filter";
    static constexpr auto function = [](auto noise, auto first) {
        const auto step = [=](auto i, auto state) {
            auto [x, variance, misfit] = state;
            auto before = variance + noise;
            auto total = before + 0.5;
            auto gain = before / total;
            auto error = first + 0.01 * i - x;
            return std::tuple{x + gain * error, (1 - gain) * before, misfit + error * error / total};
        };
        return std::get<2>(::dyad::fori_loop(100, step, std::tuple{0 * noise, 0 * noise + 1, 0 * noise}));
    };
    [[gnu::noinline]] static void dyad(const ten& z, const ten& v, ten& out, ten&) {
        std::tie(out[0], out[1]) = ::dyad::jvp<0>(function)(std::tuple{v[0], z[0]}, 1.0);
    }
    [[gnu::noinline]] static void hand(const ten& z, const ten& v, ten& out, ten&) {
        double x = 0, variance = 1, misfit = 0, dx = 0, dvariance = 0, dmisfit = 0;
        for (int i = 0; i < 100; ++i) {
            const double before = variance + v[0], total = before + 0.5, inverse = 1 / total, gain = before * inverse, error = z[0] + 0.01 * i - x;
            const double dbefore = dvariance + 1, dgain = (1 - gain) * dbefore * inverse, scaled = error * inverse;
            dmisfit -= (2 * dx + scaled * dbefore) * scaled;
            misfit += error * scaled;
            dx += dgain * error - gain * dx;
            x += gain * error;
            dvariance = (1 - gain) * dbefore - dgain * before;
            variance = (1 - gain) * before;
        }
        out[0] = misfit;
        out[1] = dmisfit;
    }
};

/// A pendulum with friction, a hundred steps from what the arguments say: the tangent by all of them.
struct jvp_pendulum {
    static constexpr const char* name = "jvp_pendulum";
    static constexpr auto function = [](auto stiffness, auto angle, auto speed) {
        const auto step = [=](auto, auto state) {
            auto [x, v] = state;
            auto next = v - 0.01 * (0.1 * v + stiffness * x * (1 - x * x / 6));
            return std::pair{x + 0.01 * next, next};
        };
        auto [x, v] = ::dyad::fori_loop(100, step, std::pair{angle, speed});
        return x + v;
    };
    [[gnu::noinline]] static void dyad(const ten& x, const ten& d, ten& out, ten&) {
        std::tie(out[0], out[1]) = ::dyad::jvp(function)(std::tuple{x[0], x[1], x[2]}, std::tuple{d[0], d[1], d[2]});
    }
    [[gnu::noinline]] static void hand(const ten& at, const ten& d, ten& out, ten&) {
        double x = at[1], v = at[2], dx = d[1], dv = d[2];
        for (int i = 0; i < 100; ++i) {
            const double bend = 1 - x * x / 6, force = at[0] * x * bend, next = v - 0.01 * (0.1 * v + force);
            dv -= 0.01 * (0.1 * dv + d[0] * x * bend + at[0] * (1 - x * x / 2) * dx);
            x += 0.01 * next;
            dx += 0.01 * dv;
            v = next;
        }
        out[0] = x + v;
        out[1] = dx + dv;
    }
};

/// The sum of a geometric series in a function with captured numbers: the tangent by its ratio.
struct jvp_captured {
    static constexpr const char* name = "jvp_captured";
    [[gnu::noinline]] static void dyad(const ten& x, const ten& v, ten& out, ten&) {
        const double first = x[1], scale = v[0];
        const auto series = [first, scale](auto ratio) {
            return ::dyad::fori_loop(100, [=](auto, auto sum) { return sum * ratio + first * scale; }, 0 * ratio + 1);
        };
        std::tie(out[0], out[1]) = ::dyad::jvp(series)(x[0], 1.0);
    }
    [[gnu::noinline]] static void hand(const ten& x, const ten& v, ten& out, ten&) {
        double sum = 1, slope = 0;
        for (int i = 0; i < 100; ++i) {
            slope = slope * x[0] + sum;
            sum = sum * x[0] + x[1] * v[0];
        }
        out[0] = sum;
        out[1] = slope;
    }
};

struct data {
    ten x, y, first{}, second{};
    data() {
        for (std::size_t i = 0; i < 10; ++i) x[i] = 0.3 + 0.1 * static_cast<double>(i), y[i] = 1.1 - 0.2 * static_cast<double>(i);
    }
};

template <class Problem>
bool check() {
    data by_hand, by_dyad;
    Problem::hand(by_hand.x, by_hand.y, by_hand.first, by_hand.second);
    Problem::dyad(by_dyad.x, by_dyad.y, by_dyad.first, by_dyad.second);
    double worst = 0;
    for (std::size_t i = 0; i < 10; ++i) {
        for (const double error : {by_hand.first[i] - by_dyad.first[i], by_hand.second[i] - by_dyad.second[i]}) worst = std::abs(error) <= worst ? worst : std::abs(error);
    }
    const bool good = worst <= 1e-12;
    std::printf("%s %-20s %.1e, at most 1e-12\n", good ? "ok " : "BAD", Problem::name, worst);
    return good;
}

using method = void (*)(const ten&, const ten&, ten&, ten&);
void time(const char* problem, const char* name, method run) {
    benchmark::RegisterBenchmark((std::string(problem) + "/small/" + name).c_str(), [run](benchmark::State& state) {
        data d;
        for (auto _ : state) {
            run(d.x, d.y, d.first, d.second);
            benchmark::ClobberMemory();
        }
        state.counters["points"] = 1;
    });
}

template <class... Problem>
bool prepare() {
    const bool good = (int{check<Problem>()} & ...) != 0;
    (..., (time(Problem::name, "hand", &Problem::hand), time(Problem::name, "dyad", &Problem::dyad)));
    return good;
}

} // namespace

int main(int count, char** words) {
    if (!prepare<hvp_rosenbrock, gradient_of_two, jvp_neighbours, vjp_neighbours, jvp_filter, jvp_pendulum, jvp_captured>()) return 1;
    if (count > 1 && std::strcmp(words[1], "--verify") == 0) return 0;
    benchmark::Initialize(&count, words);
    if (benchmark::ReportUnrecognizedArguments(count, words)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
