// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Random functions of a vector, a row and a matrix: what broadcasts, reduces, shifts, scans, multiplies and loops, with results used
// more than once. Each is traced, fused and differentiated, and, the same function on plain arrays, computed operation by operation;
// its slopes are compared with differences of those values, its jvp and hvp with the slopes, at sizes around a vector's, of one and of none left by slices.
#include <doctest/doctest.h>

#include <dyad/array.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "differences.hpp"
#include "generator.hpp"

namespace {

using differences::apart, differences::inner, differences::moved, differences::numbers;
using dyad_test::generator;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

/// Values of one shape, the last ones first.
template <class T>
class pool {
public:
    constexpr explicit pool(T first) { keep(std::move(first)); }
    constexpr void keep(T x) {
        content_[count_ % most] = std::move(x);
        ++count_;
    }
    constexpr const T& pick(generator& random) const { return content_[random.below(count_ < most ? count_ : most)]; }
    constexpr const T& last() const { return content_[(count_ - 1) % most]; }

private:
    static constexpr std::size_t most = 6;
    std::array<T, most> content_{};
    std::size_t count_ = 0;
};

/// Element by element, of two values of one shape: T(...) computes at once where T is an array.
template <class T>
constexpr T combined(generator& random, const T& a, const T& b) {
    switch (random.below(10)) {
    case 0: return T(0.5 * a + b);
    case 1: return T(dyad::sin(a) * b);
    case 2: return T(a / (2 + dyad::square(b)));
    case 3: return T(dyad::exp(-dyad::square(a)) - b);
    case 4: return T(dyad::max(a, T(0.3 * b)));
    case 5: return T(dyad::tanh(a) * dyad::tanh(b));
    case 6: return T(dyad::where(a > 0.15, dyad::cos(a), 0.4 * b));
    case 7: return T(dyad::sqrt(1 + dyad::square(a)) - 0.2 * b);
    case 8: return T(-(a * b));
    default: return T(dyad::log1p(dyad::square(a - b)));
    }
}
/// A vector with its neighbours, as long as it is.
template <class T>
constexpr T stencil(generator& random, const T& a, const T& b) {
    switch (random.below(6)) {
    case 0: return T(dyad::pad(T(dyad::slice(a, 0, 1) * dyad::slice(b, 0, 0, -1)), 0, 0, 1));
    case 1: return T(dyad::pad(T(dyad::slice(a, 0, 1) - dyad::square(dyad::slice(b, 0, 0, -1))), 0, 1, 0));
    case 2: return T(a + dyad::pad(T(dyad::slice(a, 0, 2) - dyad::slice(b, 0, 0, -2)), 0, 1, 1));
    case 3: return T(dyad::flip(a, 0) + b);
    case 4: return T(dyad::cumsum(a) * b);
    default: return T(dyad::concatenate(std::tuple{T(dyad::slice(a, 0, 1)), T(dyad::slice(b, 0, 0, 1))}, 0));
    }
}

/// Σ of functions of c [n], r [m] and a [n, m].
template <class Number, class Vector, class Matrix>
constexpr Number grown(std::uint64_t seed, Vector c, Vector r, Matrix a) {
    generator random(seed);
    pool<Number> totals{Number(dyad::sum(c) * 0.1)};
    pool<Vector> columns{c}, rows{r};
    pool<Matrix> matrices{a};
    for (std::size_t k = random.below(8); k > 0; --k) {
        const Vector u = columns.pick(random), v = rows.pick(random), other = random.below(2) == 0 ? columns.pick(random) : c;
        const Vector w = rows.pick(random);
        const Matrix p = matrices.pick(random), q = matrices.pick(random);
        const Number s = totals.pick(random);
        switch (random.below(26)) {
        case 0: columns.keep(combined<Vector>(random, u, other)); break;
        case 1: rows.keep(combined<Vector>(random, v, w)); break;
        case 2:
        case 3: matrices.keep(combined<Matrix>(random, p, q)); break;
        case 4: matrices.keep(Matrix(p * v + s)); break;
        case 5: matrices.keep(Matrix(dyad::expand_dims(u, 1) * q - 0.5 * p)); break;
        case 6: matrices.keep(Matrix(dyad::sin(dyad::expand_dims(u, 1) - v))); break;
        case 7: columns.keep(Vector(dyad::sum(p, 1))); break;
        case 8: rows.keep(Vector(dyad::sum(Matrix(p * q), 0))); break;
        case 9: columns.keep(Vector(dyad::logsumexp(p, 1) + u)); break;
        case 10: rows.keep(Vector(dyad::mean(p, 0) * v)); break;
        case 11: totals.keep(Number(dyad::sum(Vector(u * other)) * 0.2)); break;
        case 12: totals.keep(Number(dyad::logsumexp(v) - s)); break;
        case 13: totals.keep(Number(dyad::sin(dyad::mean(dyad::square(p))))); break;
        case 14: columns.keep(stencil<Vector>(random, u, other)); break;
        case 15: rows.keep(stencil<Vector>(random, v, w)); break;
        case 16: rows.keep(Vector(dyad::softmax(v) * s)); break;
        case 17: matrices.keep(Matrix(dyad::log_softmax(p, 1) * 0.3)); break;
        case 18: columns.keep(Vector(dyad::matmul(p, v) * 0.3)); break;
        case 19: rows.keep(Vector(dyad::matmul(Matrix(dyad::transpose(p)), u) * 0.3)); break;
        case 20: rows.keep(Vector(dyad::squeeze(dyad::slice(p, 0, 0, 1), 0) * v)); break;
        case 21: totals.keep(Number(dyad::sum(Vector(dyad::square(dyad::slice(u, 0, 0, 1)))))); break;
        case 22: totals.keep(Number(dyad::sum(Matrix(dyad::square(dyad::slice(p, 0, 0, 1)))))); break;
        case 23: rows.keep(Vector(dyad::sum(Matrix(dyad::slice(p, 0, 1) * dyad::slice(q, 0, 0, -1)), 0))); break;
        case 24: columns.keep(Vector(dyad::sum(Matrix(dyad::square(dyad::slice(p, 1, 0, 1) - dyad::slice(q, 1, -1))), 1))); break;
        default: columns.keep(Vector(dyad::fori_loop(2, [=](auto, auto x) { return Vector(0.5 * dyad::sin(x) + u * s); }, other))); break;
        }
    }
    Number result = totals.last();
    const std::size_t which = random.below(8); // few results: short programs are fused in other ways than long ones
    if ((which & 1) != 0) result = Number(result + dyad::sum(Vector(columns.last() * 1.5)));
    if ((which & 2) != 0) result = Number(dyad::sum(Vector(dyad::square(rows.last()))) - result);
    if ((which & 4) != 0) result = Number(result * 0.5 + dyad::mean(Matrix(dyad::sin(matrices.last()))));
    return result;
}

template <std::uint64_t Seed>
struct random_program {
    template <class Vector, class Matrix>
    constexpr auto operator()(Vector c, Vector r, Matrix a) const {
        return grown<Vector, Vector, Matrix>(Seed, c, r, a);
    }
    double operator()(const vector& c, const vector& r, const matrix& a) const { return grown<double, vector, matrix>(Seed, c, r, a); }
};

struct point {
    vector c, r;
    matrix a;

    point(std::size_t n, std::size_t m, unsigned seed) : c(numbers<double, 1>({n}, seed)), r(numbers<double, 1>({m}, seed + 1)), a(numbers<double, 2>({n, m}, seed + 2)) {}
};

/// Value and gradient against plain arrays.
template <std::uint64_t Seed>
void check_first_order(const point& x) {
    constexpr random_program<Seed> f;
    const auto [value, gradient] = dyad::value_and_grad(f)(x.c, x.r, x.a);
    CHECK(apart(value, f(x.c, x.r, x.a)) < 1e-12);
    CHECK(apart(std::get<0>(gradient), differences::gradient(f, x.c, x.r, x.a)) < 1e-6);
    CHECK(apart(std::get<1>(gradient), differences::gradient([&](const vector& r) { return f(x.c, r, x.a); }, x.r)) < 1e-6);
    CHECK(apart(std::get<2>(gradient), differences::gradient([&](const matrix& a) { return f(x.c, x.r, a); }, x.a)) < 1e-6);
}
/// Forward mode, and forward over reverse, along a direction, against the gradient and its differences.
template <std::uint64_t Seed>
void check_second_order(const point& x, const point& along) {
    constexpr random_program<Seed> f;
    constexpr double h = 1e-5;
    const auto slope = dyad::grad(f);
    const auto moved_by = [&](double by) { return slope(moved(x.c, along.c, by), moved(x.r, along.r, by), moved(x.a, along.a, by)); };
    const auto here = moved_by(0), above = moved_by(h), below = moved_by(-h);
    const auto quotient = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
        auto q = std::get<K>(above);
        q = (q - std::get<K>(below)) / (2 * h);
        return q;
    };
    const std::tuple at{x.c, x.r, x.a}, direction{along.c, along.r, along.a};
    CHECK(apart(dyad::jvp(f)(at, direction).second, inner(std::get<0>(here), along.c) + inner(std::get<1>(here), along.r) + inner(std::get<2>(here), along.a)) < 1e-12);
    const auto curvature = dyad::hvp(f)(at, direction);
    CHECK(apart(std::get<0>(curvature), quotient(std::integral_constant<std::size_t, 0>{})) < 1e-5);
    CHECK(apart(std::get<1>(curvature), quotient(std::integral_constant<std::size_t, 1>{})) < 1e-5);
    CHECK(apart(std::get<2>(curvature), quotient(std::integral_constant<std::size_t, 2>{})) < 1e-5);
}

/// How many of the 120 programs with sizes of 1, which the types do not know, were refused.
int refused = 0;

template <std::uint64_t Seed>
void check() {
    for (const auto& [n, m] : {std::array<std::size_t, 2>{5, 3}, {3, 9}, {1, 4}, {6, 1}, {1, 1}, {17, 2}}) {
        CAPTURE(Seed);
        CAPTURE(n);
        CAPTURE(m);
        try {
            check_first_order<Seed>(point(n, m, 1));
            if constexpr (Seed < 15) check_second_order<Seed>(point(n, m, 1), point(n, m, 4));
        } catch (const dyad::shape_error& error) {
            CAPTURE(error.what());
            CHECK((n == 1 || m == 1));
            ++refused;
        }
    }
}
template <std::size_t... Seed>
void check_all(std::index_sequence<Seed...>) {
    (check<Seed>(), ...);
}

} // namespace

TEST_CASE("random functions of arrays, fused and differentiated, are what their operations give one by one") {
    check_all(std::make_index_sequence<40>{});
    CHECK(refused <= 4);
}
