// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Rules of one's own around functions of arrays that do not go element by element: in the mode that the rule is not written
// for it is transposed.

#include "differences.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

using namespace differences;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

const vector x{1, -2, 3, 0.5}, v{1, 10, -3, 2};
const matrix a{{2, 1, 0, 1}, {0, -1, 3, 2}, {1, 1, 1, -1}, {0.5, 0, 2, 1}};

constexpr auto running = [](auto u) { return dyad::cumsum(u); };
constexpr auto backwards = [](auto u) { return dyad::flip(dyad::cumsum(dyad::flip(u, 0)), 0); };
constexpr auto by_cotangents = dyad::custom_gradient(running, [](auto, auto, auto up) { return backwards(up); });
constexpr auto by_tangents = dyad::custom_jvp(running, [](auto, auto, auto t) { return dyad::cumsum(t); });
constexpr auto squares_by_cotangents = dyad::custom_gradient([](auto u) { return sum(u * u); }, [](auto u, auto, auto up) { return 2 * up * u; });
constexpr auto squares_by_tangents = dyad::custom_jvp([](auto u) { return sum(u * u); }, [](auto u, auto, auto t) { return sum(2 * u * t); });
constexpr auto product_by_tangents = dyad::custom_jvp([](auto m, auto u) { return dyad::matmul(m, u); },
                                                      [](auto m, auto u, auto, auto tm, auto tu) { return dyad::matmul(tm, u) + dyad::matmul(m, tu); });
constexpr auto product_by_cotangents = dyad::custom_gradient([](auto m, auto u) { return dyad::matmul(m, u); }, [](auto m, auto u, auto, auto up) {
    return std::tuple{dyad::outer(up, u), dyad::matmul(dyad::transpose(m), up)};
});
constexpr auto without_first = dyad::custom_gradient([](auto u) { return sum(u * u); }, [](auto u, auto, auto up) { return up * dyad::slice(u, 0, 1); });
constexpr auto clip = dyad::custom_gradient([](auto u) { return 1 * u; }, [](auto, auto, auto up) { return dyad::clamp(up, -1, 1); });

vector sums(const vector& u) {
    return xt::cumsum(u);
}
vector sums_backwards(const vector& u) {
    vector s = u;
    for (std::size_t i = s.size() - 1; i-- > 0;) s(i) += s(i + 1);
    return s;
}
vector product(const matrix& m, const vector& u) {
    return xt::sum(m * u, 1);
}
/// Both functions have the given first and second derivatives, by all transforms.
template <class... Ruled>
void check_all(const vector& gradient, const matrix& hessian, const Ruled&... ruled) {
    const auto check = [&](const auto& f) {
        CHECK(apart(dyad::grad(f)(x), gradient) < 1e-14);
        CHECK(apart(dyad::jvp(f)(x, v).second, inner(gradient, v)) < 1e-14);
        CHECK(apart(dyad::hvp(f)(x, v), product(hessian, v)) < 1e-14);
        CHECK(apart(dyad::hessian<0>(f)(x), hessian) < 1e-14);
    };
    (check(ruled), ...);
}

} // namespace

TEST_CASE("a rule around a running sum") {
    const vector c = sums(x), behind = sums_backwards(x); // 3 Σ c² u
    const vector gradient = 3 * c * c + 6 * sums_backwards(c * x);
    const matrix hessian = made<2>({4, 4}, [&](std::size_t i, std::size_t j) { return 6 * ((j <= i ? c(i) : 0) + (i <= j ? c(j) : 0) + behind(std::max(i, j))); });
    check_all(gradient, hessian, [](auto u) { return 3 * sum(square(by_cotangents(u)) * u); }, [](auto u) { return 3 * sum(square(by_tangents(u)) * u); });
    const matrix lower{{1, 0, 0, 0}, {1, 1, 0, 0}, {1, 1, 1, 0}, {1, 1, 1, 1}};
    CHECK(dyad::jacobian([](auto u) { return by_cotangents(u); })(x) == lower);
    CHECK(dyad::jacobian([](auto u) { return by_tangents(u); })(x) == lower);
    CHECK(dyad::vjp([](auto u) { return by_tangents(u); })(x).second(v) == sums_backwards(v));
    CHECK(dyad::jvp([](auto u) { return by_cotangents(u); })(x, v).second == sums(v));
}
TEST_CASE("a rule around a number that is made of an array") {
    const double e = std::exp(0.1 * inner(x, x));
    const auto one = [](bool is) { return is ? 1.0 : 0.0; };
    const vector gradient = made<1>({4}, [&](std::size_t i) { return e * (0.2 * x(i) * x(0) + one(i == 0)); });
    const matrix hessian = made<2>({4, 4}, [&](std::size_t i, std::size_t j) {
        return e * (0.04 * x(i) * x(j) * x(0) + 0.2 * (one(i == 0) * x(j) + one(j == 0) * x(i) + one(i == j) * x(0)));
    });
    check_all(gradient, hessian, [](auto u) { return exp(0.1 * squares_by_cotangents(u)) * u[0]; }, [](auto u) { return exp(0.1 * squares_by_tangents(u)) * u[0]; });
    CHECK(dyad::jvp([](auto u) { return squares_by_cotangents(u); })(x, v).second == doctest::Approx(2 * inner(x, v)));
}
TEST_CASE("a rule around a product of two arguments") {
    const vector p = product(a, x), weights = 2 * p * xt::sin(x); // Σ p² sin u
    const matrix by_m = made<2>({4, 4}, [&](std::size_t i, std::size_t j) { return weights(i) * x(j); });
    const vector by_u = product(xt::transpose(a), weights) + p * p * xt::cos(x);
    const auto check = [&](const auto& f) {
        const auto [gm, gu] = dyad::grad(f)(a, x);
        CHECK(apart(gm, by_m) < 1e-14);
        CHECK(apart(gu, by_u) < 1e-14);
        CHECK(apart(dyad::jvp(f)(std::tuple{a, x}, std::tuple{a, v}).second, inner(by_m, a) + inner(by_u, v)) < 1e-14);
    };
    check([](auto m, auto u) { return sum(square(product_by_tangents(m, u)) * sin(u)); });
    check([](auto m, auto u) { return sum(square(product_by_cotangents(m, u)) * sin(u)); });
}
TEST_CASE("a rule in a loop, in both modes") {
    const auto f = [](auto u, auto m) {
        return sum(dyad::fori_loop(3, [&](auto, auto s) { return sin(product_by_cotangents(0.3 * m, s)); }, u));
    };
    const auto plain_tangent = [](const vector& du, const matrix& dm) {
        vector s = x, ds = du;
        for (int k = 0; k < 3; ++k) {
            const vector inside = product(0.3 * a, s), along = product(0.3 * dm, s) + product(0.3 * a, ds);
            s = xt::sin(inside);
            ds = xt::cos(inside) * along;
        }
        return xt::sum(ds)();
    };
    const matrix none = 0 * a, each = xt::eye<double>(4);
    const vector slopes = made<1>({4}, [&](std::size_t i) { return plain_tangent(xt::row(each, static_cast<std::ptrdiff_t>(i)), none); });
    CHECK(apart(dyad::grad<0>(f)(x, a), slopes) < 1e-14);
    CHECK(apart(dyad::jvp(f)(std::tuple{x, a}, std::tuple{v, a}).second, plain_tangent(v, a)) < 1e-14);
}
TEST_CASE("a rule that is not linear goes element by element") {
    CHECK(dyad::grad([](auto u) { return sum(clip(u) * 100); })(x) == vector{1, 1, 1, 1});
    CHECK(dyad::jvp([](auto u) { return clip(u); })(x, v).second == v);
    // Also where loops and checkpoints own what goes so: u becomes clamp(u·s, -2, 2) with s = 0, 1, 2 first, as 1 becomes 2.
    const auto in_bodies = dyad::custom_gradient([](auto u) { return 1 * u; }, [](auto, auto, auto up) {
        const auto next = [](auto i, auto s) {
            const auto [still, moved] = s;
            return std::tuple{dyad::cumsum(still), dyad::checkpoint([=](auto u) { return dyad::clamp((i + 1) * u, -2, 2); })(moved)};
        };
        return std::get<1>(dyad::fori_loop(3, next, std::tuple{0 * up, up}));
    });
    CHECK(dyad::jvp([=](auto u) { return in_bodies(u); })(x, v).second == vector(2 * v));
}
TEST_CASE("a constant is what a rule gives for an array of any rank") {
    const auto inert = dyad::custom_gradient([](auto m, auto u) { return sum(m) * sum(u * u); }, [](auto, auto u, auto, auto up) { return std::tuple{0, 2 * up * u}; });
    const auto f = [=](auto m, auto u) { return inert(2 * m, 3 * u) + sum(m); };
    const auto [gm, gu] = dyad::grad(f)(a, x);
    CHECK(gm == matrix{{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}});
    CHECK(apart(gu, vector(18 * x)) < 1e-14);
    CHECK(dyad::grad<0>([=](auto m, auto u) { return inert(2 * m, 3 * u); })(a, x) == matrix(0 * a));
    const auto ones = dyad::custom_gradient([](auto u) { return 5 * sum(u); }, [](auto, auto, auto) { return 1; });
    CHECK(dyad::grad([=](auto u) { return ones(u * u); })(x) == vector(2 * x));
    const auto still = dyad::custom_jvp([](auto u) { return u * u; }, [](auto, auto, auto) { return 0; });
    CHECK(dyad::jvp([=](auto u) { return still(u); })(x, v) == std::pair{vector(x * x), vector(0 * x)});
    CHECK(dyad::grad([=](auto u) { return sum(still(u) * u); })(x) == vector(x * x));
}
TEST_CASE("a cotangent of another size than its argument's is refused, however few elements that has") {
    constexpr auto f = [](auto u) { return 2 * without_first(u); };
    for (const std::size_t n : {2U, 4U, 5000U}) {
        const vector u = xt::ones<double>({n});
        vector gradient{7};
        const std::string shapes = "gradient: Incompatible shapes: [" + std::to_string(n - 1) + "] vs. [" + std::to_string(n) + "]";
        if (n > 2) { // (one element stretches, as everywhere)
            CHECK_THROWS_WITH_AS(static_cast<void>(dyad::grad(f)(u)), doctest::Contains(shapes.c_str()), dyad::shape_error);
            CHECK_THROWS_AS(dyad::evaluate_into(gradient, dyad::grad(f), u), dyad::shape_error);
            CHECK(gradient == vector{7});
        } else {
            CHECK(dyad::grad(f)(u) == vector{2, 2});
        }
    }
}
