// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// The functions of arrays on arrays of recorded numbers: bodies for grad that run on the tape unchanged, and branch.

#include <dyad/dyad.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace {

using dyad::real, dyad::tape;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

const vector a{1, -2, 3}, b{1.5, 2, 0.25}, t{1, 0};
const matrix X{{1, 2, 3}, {4, 5, -6}}, S{{4, 1}, {1, 3}};

/// Value and gradient by the first argument: compiled, and of the same body on the tape.
template <class F, class W, class... S>
void runs_on_the_tape(const F& f, const W& w, const S&... rest) {
    const auto [value, slope] = dyad::value_and_grad<0>(f)(w, rest...);
    const auto [taped, taped_slope] = dyad::tape_value_and_grad<0>(f)(w, rest...);
    CHECK(taped == doctest::Approx(value));
    REQUIRE(taped_slope.shape() == slope.shape());
    for (std::size_t k = 0; k < slope.size(); ++k) CHECK(taped_slope.data()[k] == doctest::Approx(slope.data()[k]));
}

} // namespace

TEST_CASE("reductions, by their own name and by argument-dependent look-up") {
    runs_on_the_tape([](auto w) { return sum(w * w) + mean(exp(w)) * dyad::prod(w); }, a);
    runs_on_the_tape([](auto w) {
        const auto extrema = max(w * 2) + dyad::max(w) * dyad::min(w) + 3 * dyad::amax(w, 0);
        return extrema + dyad::logsumexp(w) + norm(w) + 2 * dyad::norm(w * w) + dyad::variance(w) + 3 * dyad::var(w);
    }, a);
    runs_on_the_tape([](auto x) {
        const auto of_axes = sum(square(sum(x, 0))) + sum(cube(mean(x, 1)));
        return of_axes + 2 * sum(square(x - mean(x, -1, dyad::keep_dims))) + 3 * sum(x * dyad::log_softmax(x, 1));
    }, X);
    runs_on_the_tape([](auto w, auto v) { return dyad::dot(w, w * v) + sum(cumsum(w)); }, a, b);
}

TEST_CASE("elements, one by one by xtensor or all at once") {
    runs_on_the_tape([](auto w) { return sum(where(w > 1.5, w * w, w)) + sum(dyad::where(w > 1.5, w * w * w, w)); }, a);
    runs_on_the_tape([](auto w) { return sum(pow(w, 3)) + sum(dyad::pow(w, 3) * dyad::pow(2.0, w)) + sum(dyad::tanh(w)); }, a);
    runs_on_the_tape([](auto w, auto v) { return sum(dyad::max(w, v) + dyad::atan2(v, w)); }, a, b);
}

TEST_CASE("shapes, indices and algebra") {
    runs_on_the_tape([](auto w, auto x, auto y) { return dyad::mean(square(dyad::matmul(x, w) - y)); }, a, X, t);
    runs_on_the_tape([](auto x, auto w, auto y) { return dyad::mean(square(dyad::matmul(x, w) - y)); }, X, a, t);
    runs_on_the_tape([](auto x) { return sum(square(dyad::matmul(transpose(x), x))) + sum(cube(dyad::slice(dyad::reshape(x, 3, 2), 1, 0, 1))); }, X);
    runs_on_the_tape([](auto w, auto i) { return sum(cube(dyad::take(w, i, 0))); }, a, xt::xtensor<std::size_t, 1>{0, 0, 2});
    runs_on_the_tape([](auto w) { return sum(square(dyad::concatenate(std::tuple{w, w * w}, 0))); }, a);
    runs_on_the_tape([](auto w) {
        const auto [head, rest] = dyad::split(w, 0, 1);
        return sum(head * head) + sum(rest * rest * rest);
    }, a);
    runs_on_the_tape([](auto s, auto y) { return dyad::logdet(s) + sum(square(dyad::solve(s, y))); }, S, t);
}

TEST_CASE("a body that branches on its values, and loops until they are small") {
    const auto f = [](auto w, auto x) {
        auto h = dyad::matmul(x, w);
        int layers = 0;
        for (; layers < 40 && sum(h * h) > 0.3; ++layers) h = dyad::tanh(dyad::matmul(x, h)) * 0.8;
        if (layers > 2) return sum(h * h * h) * layers;
        return sum(h);
    };
    const matrix x{{0.5, -0.3}, {0.8, 0.1}};
    for (const vector& w : {vector{1, -2}, vector{0.1, 0.2}}) {
        const auto value = [&](const vector& at) {
            vector h{x(0, 0) * at(0) + x(0, 1) * at(1), x(1, 0) * at(0) + x(1, 1) * at(1)};
            int layers = 0;
            for (; layers < 40 && h(0) * h(0) + h(1) * h(1) > 0.3; ++layers)
                h = vector{std::tanh(x(0, 0) * h(0) + x(0, 1) * h(1)) * 0.8, std::tanh(x(1, 0) * h(0) + x(1, 1) * h(1)) * 0.8};
            return layers > 2 ? (h(0) * h(0) * h(0) + h(1) * h(1) * h(1)) * layers : h(0) + h(1);
        };
        const auto [y, slope] = dyad::tape_value_and_grad<0>(f)(w, x);
        CHECK(y == doctest::Approx(value(w)));
        for (std::size_t k = 0; k < 2; ++k) {
            vector up = w, down = w;
            up(k) += 1e-6;
            down(k) -= 1e-6;
            CHECK(slope(k) == doctest::Approx((value(up) - value(down)) / 2e-6).epsilon(1e-6));
        }
    }
}

TEST_CASE("on variables of a tape, beside plain numbers and arrays") {
    const auto f = [](auto w, auto x, auto y) {
        auto r = matmul(x, w) - y;
        auto m = sum(square(r)) + dyad::norm(w * w) * mean(exp(w)) + dyad::var(w);
        return m * max(w) + sum(where(w > 0.5, w * w, w * 3));
    };
    const auto slope = dyad::grad<0>(f)(a, X, t);
    tape tape;
    const auto w = tape.variable(a);
    const real y = f(w, X, t);
    const auto g = tape.gradient(y * 3, w);
    for (std::size_t k = 0; k < 3; ++k) CHECK(g(k) == doctest::Approx(3 * slope(k)));
}

TEST_CASE("one statement a call; sizes, types and places") {
    tape tape{dyad::persistent};
    const auto w = tape.variable(a);
    const std::size_t before = tape.size();
    const real y = dyad::sum(w);
    CHECK(tape.size() == before + 1);
    CHECK(tape.gradient(y, w)(1) == 1);
    tape.pause();
    const real constant = dyad::sum(w);
    tape.resume();
    CHECK(constant.value() == 2);
    CHECK(!tape.connected(constant, w));

    const auto narrow = tape.variable(xt::xtensor<float, 1>{1, 2});
    const dyad::active<float> z = sum(narrow * narrow);
    CHECK(tape.gradient(z, narrow)(1) == 4.0F);

    const auto none = tape.variable(vector(std::array<std::size_t, 1>{0}));
    CHECK(dyad::sum(none).value() == 0);
    const auto fixed = tape.variable(xt::xtensor_fixed<double, xt::xshape<2>>{1, 2});
    CHECK(tape.gradient(dyad::sum(fixed * fixed), fixed)(1) == 4);
    const auto flat = tape.variable(std::vector<double>{1, 2, 3});
    CHECK(tape.gradient(sum(exp(flat)) * dyad::max(flat), flat)[2] == doctest::Approx(std::exp(1.0) + std::exp(2.0) + 4 * std::exp(3.0)));
    const auto rows = tape.variable(X);
    const real part = dyad::sum(square(xt::view(rows, 1, xt::all())));
    CHECK(tape.gradient(part, rows)(0, 0) == 0);
    CHECK(tape.gradient(part, rows)(1, 2) == -12);
}

TEST_CASE("without a tape they are values, and errors name the function") {
    xt::xtensor<real, 1> w{1, 2, 3};
    const real y = dyad::sum(w * w);
    CHECK(y.value() == 14);
    tape tape;
    const auto v = tape.variable(vector{1, 2});
    std::string text;
    try {
        static_cast<void>(dyad::matmul(X, v));
    } catch (const dyad::shape_error& e) {
        text = e.what();
    }
    CHECK(text.find("matmul") != std::string::npos);
    CHECK(text.find("[2,3]") != std::string::npos);
}

TEST_CASE("arrays are joined by names that xtensor has too") {
    runs_on_the_tape([](auto x) { return dyad::sum(dyad::exp(concatenate(std::tuple{x, 2 * x}, 1))); }, X);
    runs_on_the_tape([](auto v) { return dyad::sum(dyad::exp(stack(std::tuple{v, 3 * v}, 0)) * 0.5); }, a);
    runs_on_the_tape([](auto x) {
        const auto both = std::tuple{x, x};
        return dyad::sum(dyad::exp(concatenate(both, 0)));
    }, X);
}

TEST_CASE("what functions return of their arguments, lazily, is computed before these are gone") {
    // Value and slope as sums of those of one element.
    const auto all = [](auto f, auto value_of, auto slope_of) {
        const double value = value_of(a(0)) + value_of(a(1)) + value_of(a(2));
        CHECK(double(f(a)) == doctest::Approx(value));
        const auto [taped, slope] = dyad::tape_value_and_grad(f)(a);
        CHECK(taped == doctest::Approx(value));
        REQUIRE(slope.size() == 3);
        for (std::size_t k = 0; k < 3; ++k) CHECK(slope(k) == doctest::Approx(slope_of(a(k))));
    };
    all([](auto v) { return dyad::sum(dyad::checkpoint([](auto u) { return u * u * u; })(v)); }, [](double u) { return u * u * u; }, [](double u) { return 3 * u * u; });
    const auto ruled = [](auto v) { return dyad::sum(dyad::custom_gradient([](auto u) { return u * u; }, [](auto u, auto, auto up) { return 2 * up * u; })(v)); };
    CHECK(double(ruled(a)) == doctest::Approx(14.0));
    all([](auto v) { return dyad::sum(dyad::cond(dyad::sum(v) > 0, [](auto u) { return u * u; }, [](auto u) { return u * 3; }, v)); },
        [](double u) { return u * u; }, [](double u) { return 2 * u; });
    all([](auto v) { return dyad::sum(dyad::cond(dyad::sum(v) < 0, [](auto u) { return u * u; }, [](auto u) { return u * 3; }, v)); },
        [](double u) { return 3 * u; }, [](double) { return 3; });
    all([](auto v) {
        auto z = dyad::cond(dyad::sum(v) < 0, [](const auto& u) { return u * u; }, [](const auto& u) { return dyad::sin(u); }, v);
        return dyad::sum(z * z);
    }, [](double u) { return std::pow(std::sin(u), 2); }, [](double u) { return std::sin(2 * u); });
    all([](auto v) {
        auto [y, z] = dyad::cond(dyad::sum(v) > 0, [](auto u) { return std::pair{u * u, 2 * u}; }, [](auto u) { return std::pair{u + 1, u - 1}; }, v);
        return dyad::sum(y * z);
    }, [](double u) { return 2 * u * u * u; }, [](double u) { return 6 * u * u; });
    const auto looped = [](auto v) {
        auto z = dyad::fori_loop(
            2,
            [=](auto i, auto s) {
                auto u = dyad::computed(s * v);
                return dyad::computed(u + i * s);
            },
            v);
        return dyad::sum(z * z);
    };
    all(looped, [](double u) { return std::pow(u * u * u + u * u, 2); }, [](double u) { return 2 * (u * u * u + u * u) * (3 * u * u + 2 * u); });
    runs_on_the_tape(looped, a);
    const auto rows = dyad::tape_jacobian([](auto v) {
        auto u = dyad::computed(2 * v);
        return dyad::computed(u * u);
    })(a);
    const auto lazy_rows = dyad::tape_jacobian([](auto v) { return 4 * v * v; })(a);
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            CHECK(rows[i][j] == doctest::Approx(i == j ? 8 * a(i) : 0));
            CHECK(lazy_rows[i][j] == doctest::Approx(i == j ? 8 * a(i) : 0));
        }
    }
    tape tape{dyad::persistent};
    const auto w = tape.variable(a);
    const auto squares = tape.preaccumulate([](auto v) { return v * v; }, w);
    CHECK(tape.gradient(dyad::sum(squares), w)(2) == doctest::Approx(2 * a(2)));
    const auto last = tape.checkpointed_loop(3, [](auto, auto v) { return v * v; }, w, 2);
    CHECK(tape.gradient(dyad::sum(last), w)(2) == doctest::Approx(8 * std::pow(a(2), 7)));
}

TEST_CASE("a recorded number is an array without axes, in a function of one number and in one of arrays") {
    tape tape{dyad::persistent};
    const auto x = tape.variable(-3.0);
    const auto check = [&](const auto& y, double value, double slope) {
        CHECK(y.value() == doctest::Approx(value));
        CHECK(tape.gradient(3 * y, x) == doctest::Approx(3 * slope));
    };
    check(dyad::sum(x), -3, 1);
    check(dyad::mean(x * x), 9, -6);
    check(dyad::norm(x), 3, -1);
    check(dyad::prod(x), -3, 1);
    check(dyad::amax(x), -3, 1);
    check(dyad::variance(x) + x, -3, 1);
    check(dyad::sum(x, dyad::keep_dims), -3, 1);
    const auto loss = [](auto w) { return dyad::sum(dyad::square(w)) + dyad::mean(w); };
    CHECK(dyad::tape_grad(loss)(1.5) == doctest::Approx(dyad::grad(loss)(1.5)));
    CHECK(dyad::tape_grad(loss)(xt::xtensor<double, 1>{1.5, 2})(1) == doctest::Approx(4.5));
}

TEST_CASE("spans of recorded numbers are arrays too") {
    const auto body = [](std::span<const real> w) { return dyad::sum(dyad::exp(w)) * dyad::dot(w, a) + dyad::sum(dyad::matmul(X, w)); };
    tape record;
    const std::vector<real> w = record.variable(std::vector<double>{0.5, -1, 0.25});
    const real value = body(w);
    const double total = std::exp(0.5) + std::exp(-1.0) + std::exp(0.25), dot = 0.5 + 2 + 0.75, weights[] = {5, 7, -3};
    CHECK(value.value() == doctest::Approx(total * dot + 2.5 - 7 - 0.75));
    const std::vector<double> slopes = record.gradient(value, w);
    for (std::size_t k = 0; k < 3; ++k) CHECK(slopes[k] == doctest::Approx(std::exp(w[k].value()) * dot + total * a(k) + weights[k]));
    CHECK(dyad::max(std::span<const real>(w)).value() == 0.5);
}
