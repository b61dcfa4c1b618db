// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Loops, branches and rules over arrays of a device: values and derivatives as on the host, in every mode, and how many copies
// to the host they need.
#include "agreement.hpp"

#include <doctest/doctest.h>

using namespace agreement;

namespace {

inline constexpr auto volatility = [](auto mu, auto h, auto y) {
    const auto last = dyad::scan(
        [&](auto state, auto now) {
            const auto [before, total] = state;
            const auto [level, observed] = now;
            const auto r = level - (mu + 0.9 * (before - mu));
            return std::pair{std::tuple{level, total - 0.5 * (r * r + level + observed * observed * dyad::exp(-level))}, r * total};
        },
        std::tuple{mu, 0.0}, std::tuple{h, y});
    return std::get<1>(last.first) + 1e-3 * dyad::sum(last.second);
};
inline constexpr auto network = [](auto W, auto U, auto b, auto X) {
    const auto [last, outputs] = dyad::scan(
        [&](auto h, auto x) {
            const auto next = tanh(0.1 * (dyad::matmul(W, h) + dyad::matmul(U, x)) + b);
            return std::pair{next, next * next};
        },
        0.0 * b, X);
    return dyad::sum(last * last * last) + dyad::sum(outputs);
};
/// Conjugate gradients: numbers go round beside arrays, and the condition depends on them.
inline constexpr auto conjugate_gradients = [](auto A, auto b) {
    const auto end = dyad::while_loop([](auto s) { return std::get<3>(s) > 1e-20; },
                                      [&](auto s) {
                                          const auto& [x, r, p, rr] = s;
                                          const auto Ap = dyad::matmul(A, p);
                                          const auto a = rr / dyad::sum(p * Ap);
                                          const auto next = r - a * Ap;
                                          const auto square = dyad::sum(next * next);
                                          return std::tuple{x + a * p, next, next + square / rr * p, square};
                                      },
                                      std::tuple{0.0 * b, b, b, dyad::sum(b * b)});
    return std::get<0>(end);
};
template <class Stored>
inline constexpr auto recurrence = [](auto W, auto x, auto n) {
    const auto last = dyad::fori_loop(n, [&](auto i, auto s) { return tanh(0.1 * dyad::matmul(W, s)) + x / (i + 1); }, x, Stored{});
    return dyad::sum(last * last);
};

} // namespace

TEST_CASE("arrays and numbers go round on a device") {
    const matrix W = wave(7, 7, 0.1), U = wave(7, 3, 0.2), X = wave(5, 3, 0.3);
    const vector b = wave(7, 0.4), y = wave(7, 0.5);
    CHECK(agrees([](auto a) { return sum(dyad::fori_loop(4, [](auto i, auto x) { return sin(x) * 1.1 + i * 0.1; }, a)); }, b));
    CHECK(agrees([](auto a, auto s) { return sum(dyad::fori_loop(3, [&](auto, auto x) { return sin(x) * s; }, a)) * s; }, b, 1.5));
    CHECK(agrees(volatility, 0.3, b, y));
    CHECK(agrees(network, W, U, b, X));
    CHECK(agrees(network, W, U, b, matrix(xt::zeros<double>({0, 3})))); // no round at all
    CHECK(agrees([](auto a) { // two numbers change places
        const auto end = dyad::fori_loop(5, [](auto i, auto s) { return std::tuple{std::get<1>(s), std::get<0>(s), std::get<2>(s) * 0.5 + i * std::get<0>(s)}; },
                                         std::tuple{sum(a), sum(a * a), a});
        return std::get<0>(end) * 2.0 + std::get<1>(end) * std::get<1>(end) + sum(std::get<2>(end));
    }, b));
    CHECK(agrees([](auto a) { // a loop in a loop, and how many rounds says an argument
        return sum(dyad::fori_loop(3, [](auto i, auto x) { return dyad::fori_loop(2, [&](auto, auto z) { return sin(z) + x * 0.1; }, x) * (i + 1); }, a));
    }, b));
    CHECK(agrees([](auto a, auto c) { // rows at other positions than the loop's, whose cotangents are added up behind it
        return dyad::fori_loop(a.size(), [&](auto i, auto s) { return 0.5 * s + sin(a[i] * s) * c[i] * a[a.size() - 1 - i]; }, 0.3);
    }, b, y));
    CHECK(agrees([](auto w, auto c) { // as many rounds as elements: the sum of outer products
        return sum(dyad::fori_loop(w.size(), [&](auto i, auto s) { return tanh(0.1 * dyad::matmul(w, s) + 0.01 * i); }, c));
    }, matrix(wave(3, 3, 0.2)), vector(wave(3, 0.1))));
    CHECK(values_agree(conjugate_gradients, matrix(wave(7, 7, 0.1) * 0.01 + xt::eye<double>(7)), b));
}

TEST_CASE("a loop of the host's numbers starts no kernel, and its result is an argument of one") {
    const auto gx = dyad::to_device(std::vector<double>{1, 2, 3});
    constexpr auto f = [](auto x, auto s) { return sum(x * dyad::fori_loop(30, [](auto, auto a) { return a * 1.01 + 0.5; }, s)); };
    const auto before = dyad::device::launches();
    const auto here = dyad::value_and_grad(f)(std::vector<double>{1, 2, 3}, 2.0);
    const auto there = dyad::value_and_grad(f)(gx, 2.0);
    CHECK(dyad::device::launches() - before <= 4);
    CHECK(there.first == doctest::Approx(here.first).epsilon(1e-14));
    CHECK(std::get<1>(there.second) == doctest::Approx(std::get<1>(here.second)).epsilon(1e-14));
}

TEST_CASE("what goes round stays on the device: one copy for the result, one for each condition") {
    const auto x = dyad::to_device(std::vector<double>{1, 2, 3});
    const auto copies = [&](auto f) {
        const auto before = dyad::device::transfers();
        static_cast<void>(dyad::value_and_grad(f)(x));
        CHECK(dyad::device::transfers().to_device == before.to_device);
        return dyad::device::transfers().to_host - before.to_host;
    };
    CHECK(copies([](auto a) {
        const auto step = [](auto, auto now) { return std::tuple{std::get<0>(now) * 0.9, sum(std::get<0>(now)) + std::get<1>(now)}; };
        const auto end = dyad::fori_loop(10, step, std::tuple{a, 0.0});
        return std::get<1>(end) * std::get<1>(end) + sum(std::get<0>(end));
    }) == 1);
    CHECK(copies([](auto a) {
        return sum(dyad::while_loop([](auto v) { return sum(v) > 3; }, [](auto v) { return v * 0.5; }, a)); // 6, 3: one round
    }) == 3);
    CHECK(copies([](auto a) { // a branch of the host's condition, handed a number that goes round
        const auto step = [](auto i, auto now) {
            const auto chosen = dyad::cond(i > 4, [](auto v, auto s) { return v * s; }, [](auto v, auto s) { return v + 0.1 * s; }, std::get<0>(now), std::get<1>(now));
            return std::tuple{chosen * 0.5, sum(chosen)};
        };
        const auto end = dyad::fori_loop(10, step, std::tuple{a, 1.0});
        return std::get<1>(end) + sum(std::get<0>(end));
    }) == 1);
}

TEST_CASE("numbers of the host that are read as arrays go to the device first") {
    const vector b = wave(5, 0.4);
    const matrix W = wave(5, 5, 0.2);
    CHECK(agrees([](auto a, auto s) { return sum(a) * sum(dyad::fori_loop(3, [](auto, auto x) { return sin(x) * 1.1; }, expand_dims(s, 0))); }, b, 1.5));
    CHECK(agrees([](auto a, auto s) {
        const auto t = expand_dims(expand_dims(s, 0), 0);
        return sum(dyad::fori_loop(2, [=](auto, auto x) { return sin(dyad::matmul(expand_dims(x, 1), t)[0]) + 0.0 * x; }, a));
    }, b, 0.3));
    CHECK(agrees([](auto a, auto s) { return sum(square(concatenate(a, expand_dims(s, 0)))) + sum(a) * sum(cumsum(expand_dims(s, 0))); }, b, 1.5));
    CHECK(agrees([](auto a, auto s) {
        const auto r = dyad::fori_loop(3, [](auto, auto x) { return x * 1.1 + 0.2; }, s); // the host's
        return sum(concatenate(a, expand_dims(r, 0)) * 2.0) + sum(solve(a * dyad::matmul(a, a) * expand_dims(expand_dims(r, 0), 0), expand_dims(s, 0)));
    }, vector{1.5}, 0.7));
    CHECK(agrees([](auto a, auto s) {
        return sum(dyad::cond(sum(a) > 0, [](auto x, auto y) { return x * y; }, [](auto x, auto y) { return x + y; }, a, expand_dims(s, 0)));
    }, vector{1.5}, 0.7));
}

TEST_CASE("loops that store few states") {
    const matrix W = wave(6, 6, 0.1);
    const vector x = wave(6, 0.7);
    for (const int n : {0, 1, 2, 9}) {
        CAPTURE(n);
        const auto host = dyad::value_and_grad<0, 1>(recurrence<decltype(dyad::store_values)>)(W, x, n);
        const auto is_like_host = [&](auto f) { return same_numbers(host, dyad::value_and_grad<0, 1>(f)(placed(W), placed(x), n)); };
        CHECK(is_like_host(recurrence<decltype(dyad::store_values)>));
        CHECK(is_like_host(recurrence<decltype(dyad::store_every<4>)>));
        CHECK(is_like_host(recurrence<decltype(dyad::store_sqrt)>));
        CHECK(is_like_host(recurrence<decltype(dyad::store_within<3 * 6 * sizeof(double)>)>));
    }
}

TEST_CASE("branches, checkpoints, maps and rules") {
    const vector b = wave(7, 0.4), negative = -wave(7, 0.4);
    const matrix X = wave(5, 4, 0.2);
    constexpr auto branch = [](auto v) {
        const auto [a, s] = dyad::cond(sum(v) > 0, [](auto w) { return std::tuple{w * w, sum(w)}; }, [](auto w) { return std::tuple{3 * w, 2.0 * sum(w * w)}; }, v);
        return sum(a) * s;
    };
    CHECK(agrees(branch, b));
    CHECK(agrees(branch, negative));
    CHECK(agrees([](auto v, auto s) { return sum(dyad::cond(s > 1, [](auto w) { return w * w; }, [](auto w) { return exp(w); }, v)); }, b, 2.0));
    CHECK(agrees([](auto v) { return sum(dyad::checkpoint([](auto w) { return exp(w) * w; })(v)); }, b));
    CHECK(agrees([](auto v) {
        const auto clip = dyad::custom_gradient([](auto w) { return 1 * w; }, [](auto, auto, auto up) { return dyad::clamp(up, -2, 2); });
        return sum(clip(v) * v);
    }, b));
    CHECK(agrees([](auto v) {
        const auto f = dyad::custom_jvp([](auto w) { return sin(w); }, [](auto w, auto, auto d) { return 2.0 * cos(w) * d; });
        return sum(f(v) * v);
    }, b));
    CHECK(agrees([](auto A) { return sum(dyad::map([](auto row) { return dyad::norm(row) * sum(exp(row)); }, A)); }, X));
    CHECK(agrees([](auto A) { return sum(dyad::square(dyad::vmap([](auto row) { return dyad::norm(row); })(A))); }, X));
    constexpr auto unequal = [](auto v) { return sum(dyad::cond(sum(v) > 0, [](auto w) { return slice(w, 0, 1, -1); }, [](auto w) { return slice(w, 0, 2); }, v)); };
    CHECK(agrees(unequal, b));
}

TEST_CASE("second derivatives, Jacobians and directions through loops") {
    const vector u = wave(3, 0.8), d = wave(3, 2.3);
    const matrix A = wave(3, 3, 1.7);
    constexpr auto loss = [](auto v, auto B) {
        const auto last = dyad::fori_loop(3, [&](auto i, auto s) { return s + 0.1 * sin(dyad::matmul(B, s)) / (i + 1); }, v);
        return sum(last * last * last);
    };
    constexpr auto steps = [](auto v, auto B) { return dyad::fori_loop(3, [&](auto, auto s) { return s + 0.1 * sin(dyad::matmul(B, s)); }, v); };
    CHECK(same(dyad::hessian<0>(loss), u, A));
    CHECK(same(dyad::jacobian<0>(steps), u, A));
    constexpr auto stretched = [](auto a, auto v) { return a * a * v; };
    CHECK(same(dyad::jacobian<0>(stretched), vector{2}, u));
    constexpr auto halving = [](auto v) {
        return sum(exp(dyad::while_loop([](auto s) { return sum(s * s) > 0.1; }, [](auto s) { return 0.5 * s * cos(0.1 * s); }, v)));
    };
    CHECK(same(dyad::hvp(halving), u, d));
    CHECK(same(dyad::jvp(halving), u, d));
}

TEST_CASE("bad rounds and shapes are refused, and the arguments stay as they were") {
    const auto x = dyad::to_device(std::vector<double>{1, 2, 3});
    constexpr auto rounds = [](auto v, auto n) { return sum(dyad::fori_loop(n, [](auto, auto s) { return 2.0 * s; }, v)); };
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::grad<0>(rounds)(x, -1)), doctest::Contains("the number of rounds is -1"), dyad::value_error);
    constexpr auto shape = [](auto v, auto w) { return sum(dyad::fori_loop(2, [&](auto, auto s) { return concatenate(s, w); }, v)); };
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::evaluate(shape, x, x)), doctest::Contains("[dyad] loop: the body changes a shape"), dyad::shape_error);
    CHECK(dyad::to_host<std::vector<double>>(x) == std::vector<double>{1, 2, 3});
}

namespace {

/// Of Black and Scholes' formula, for a spot of 1 and an interest of 5 % over a year.
inline constexpr auto call_price = [](auto strike, auto v) {
    const auto cumulated = [](auto d) { return 0.5 * (1 + erf(d / 1.4142135623730951)); };
    const auto forward = 0.05 - log(strike);
    return cumulated(forward / v + 0.5 * v) - strike * 0.951229424500714 * cumulated(forward / v - 0.5 * v);
};
/// The volatility at which an option has a price, by Newton's method: as many rounds as each element needs.
inline constexpr auto implied = [](auto price, auto strike) {
    return dyad::while_loop([=](auto v) { return abs(call_price(strike, v) - price) > 1e-13; },
                            [=](auto v) {
                                const auto d = (0.05 - log(strike)) / v + 0.5 * v;
                                return v - (call_price(strike, v) - price) / (0.3989422804014327 * exp(-0.5 * d * d));
                            },
                            0.5 + 0.0 * price);
};
inline constexpr auto both = [](auto a, auto b) { return dyad::fori_loop(2, [=](auto, auto t) { return sin(t) * b; }, a); };
inline constexpr auto rounds = [](auto a) { return dyad::fori_loop(3, [](auto, auto t) { return sin(t) * t; }, a); };

std::vector<double> host(const dyad::device_array<double, 1>& x) { return dyad::to_host<std::vector<double>>(x); }

} // namespace

TEST_CASE("loops and branches in a kernel, at every element its own rounds; derivatives go forward") {
    const std::vector<double> x{0.3, 0.25, 0.4, 0.31, 0.2}, y{0.8, 0.9, 0.75, 1.0, 1.1};
    const auto gx = dyad::to_device(x), gy = dyad::to_device(y);
    const auto same = [&](auto f) {
        const auto [value, slopes] = dyad::kernel(dyad::value_and_grad(f))(gx, gy);
        const auto v = host(value), dx = host(std::get<0>(slopes)), dy = host(std::get<1>(slopes));
        bool good = true;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const auto [a, s] = dyad::value_and_grad(f)(x[i], y[i]);
            const auto close = [](double p, double q) { return std::abs(p - q) <= 1e-10 * (1 + std::abs(q)); };
            good = good && close(v[i], a) && close(dx[i], std::get<0>(s)) && close(dy[i], std::get<1>(s));
        }
        return good;
    };
    CHECK(same(implied));
    const auto before = dyad::device::launches();
    static_cast<void>(dyad::kernel(dyad::value_and_grad(implied))(gx, gy));
    CHECK(dyad::device::launches() == before + 1);
    CHECK(same([](auto a, auto b) {
        const auto inner = [=](auto s) { return dyad::fori_loop(2, [=](auto j, auto t) { return sin(t) * b + j; }, s); };
        return dyad::fori_loop(3, [=](auto i, auto s) { return inner(s) + i * a; }, a * b);
    }));
    CHECK(same([](auto a, auto b) {
        return dyad::cond(a * 3 > b, [](auto p, auto q) { return p * q * q; }, [](auto p, auto q) { return exp(p) / q; }, a, b) * b;
    }));
    CHECK(same([](auto a, auto b) { // a derivative inside, and a checkpoint
        const auto inner = [](auto s, auto c) { return dyad::fori_loop(3, [=](auto, auto t) { return t * t * c; }, s); };
        const auto [p, q] = dyad::grad(inner)(a, b);
        return p * q + dyad::checkpoint([](auto s) { return sin(s); })(a);
    }));
    CHECK(same([](auto a, auto b) {
        const auto halve = dyad::custom_gradient([](auto s) { return 0.5 * s; }, [](auto, auto, auto up) { return 3 * up; });
        return dyad::fori_loop(2, [=](auto, auto t) { return halve(t) * b; }, a);
    }));
    const auto H = dyad::kernel(dyad::hessian(both))(gx, gy);
    const auto pulled = dyad::kernel([](auto a, auto b) { return std::get<1>(dyad::vjp(both)(a, b).second(1.5)); })(gx, gy);
    const auto exact = dyad::hessian(both)(x[1], y[1]);
    CHECK(host(H[0][1])[1] == doctest::Approx(exact[0][1]).epsilon(1e-12));
    CHECK(host(H[1][1])[1] == doctest::Approx(exact[1][1]).epsilon(1e-12));
    CHECK(host(pulled)[1] == doctest::Approx(1.5 * std::get<1>(dyad::grad(both)(x[1], y[1]))).epsilon(1e-12));
    CHECK(host(dyad::kernel(dyad::jvp(rounds))(gx, gy).second)[1] == doctest::Approx(dyad::jvp(rounds)(0.25, 0.9).second).epsilon(1e-13));
    CHECK(host(dyad::kernel(dyad::derivative<2>(rounds))(gx))[2] == doctest::Approx(dyad::derivative<2>(rounds)(0.4)).epsilon(1e-12));
}

TEST_CASE("what is no number of rounds cannot throw in a kernel: the result is none either") {
    const auto x = dyad::to_device(std::vector<double>{0.3, 0.25, 0.4, 0.31, 0.2}), n = dyad::to_device(std::vector<double>{0, 1, 2, -1, 0.5});
    const auto doubled = host(dyad::kernel([](auto a, auto m) { return dyad::fori_loop(m, [](auto, auto t) { return 2 * t; }, a); })(x, n));
    CHECK(doubled[0] == 0.3);
    CHECK(doubled[2] == 1.6);
    CHECK(std::isnan(doubled[3]));
    CHECK(std::isnan(doubled[4]));
}

TEST_CASE("loops of numbers that the host runs keep their rounds for the gradient") {
    const vector w = wave(3, 0.2);
    CHECK(agrees([](auto x, auto s) { return sum(x) * dyad::fori_loop(3, [=](auto, auto t) { return sin(t); }, s); }, w, 0.5));
    CHECK(agrees([](auto x) { return dyad::fori_loop(3, [=](auto, auto t) { return t * x[0]; }, sum(x)); }, w));
    CHECK(agrees([](auto x) { return dyad::while_loop([](auto t) { return t > 0.01; }, [=](auto t) { return t / (1 + x[0]); }, sum(x)); }, w));
}
