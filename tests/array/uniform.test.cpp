// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Programs whose arrays have one shape run in a short way where their elements lie side by side and are few: to the bits what
// the general way gives, and never where it would overwrite what is still to be read.

#include <dyad/array.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

constexpr auto chain = [](auto x, auto y) { return sum(exp(x) * sin(y) + x * y); };
constexpr auto density = [](auto x, auto mu, auto log_sigma) {
    const auto z = (x - mu) * exp(-log_sigma);
    return mean(-0.5 * z * z) - log_sigma;
};
constexpr auto soft = [](auto x) { return dyad::logsumexp(2 * x); };
constexpr auto curved = [](auto x) { return 2 * x + x * x; };
constexpr auto centred = [](auto x) { return (x - mean(x)) / dyad::max(x); };

// Slices, that leave out so many elements, and what is computed of them.
constexpr auto stencil = [](auto x) { return sum(square(dyad::slice(x, 0, 1) - dyad::slice(x, 0, 0, -1))); };
constexpr auto valley = [](auto x) {
    const auto here = dyad::slice(x, 0, 0, -1), next = dyad::slice(x, 0, 1);
    return sum(100 * square(next - here * here) + square(1 - here));
};
constexpr auto far = [](auto x, auto y) { // six wide, of what is computed once and lies in memory
    const auto e = exp(x) / y;
    const auto inner = dyad::slice(dyad::slice(x * y, 0, 1), 0, 1, -1);
    return sum(dyad::slice(e, 0, 5) * dyad::slice(e, 0, 0, -5) - dyad::slice(y, 0, 2, -3)) + sum(inner) / (inner.size() + 1) * sum(x);
};
constexpr auto cut_exponentials = [](auto x) { return sum(dyad::slice(exp(x), 0, 1)) + 2 * sum(dyad::slice(log(x), 0, 0, -1)); }; // its gradient needs neither slice
constexpr auto steps = [](auto x) { return dyad::slice(x, 0, 1) - sin(dyad::slice(x, 0, 0, -1)); };
constexpr auto largest = [](auto x) { return dyad::max(dyad::slice(x, 0, 1) * dyad::slice(x, 0, 0, -1)) + dyad::logsumexp(dyad::slice(x, 0, 1)); };

// Which programs are uniform.
template <class T, class... Args, class F>
constexpr auto uniformity(const F&) {
    using program = typename dyad::transform_of<F>::template backend<Args...>::template program<dyad::kind_of<Args>...>;
    const auto inputs = [](const Args&... x) { return dyad::flat_leaves<T>(x...); };
    return []<class... X>(std::type_identity<std::tuple<X...>>) {
        return dyad::uniform_program<program, T, X...>{};
    }(std::type_identity<decltype(inputs(std::declval<const Args&>()...))>{});
}
template <class T, class... Args, class F>
constexpr bool is_uniform(const F& f) {
    return decltype(uniformity<T, Args...>(f))::value;
}
template <class T, class... Args, class F>
constexpr bool fits_registers(const F& f) {
    return decltype(uniformity<T, Args...>(f))::fits_registers;
}
template <auto F>
constexpr auto with_gradient = dyad::value_and_grad(F);
static_assert(is_uniform<double, vector, vector>(with_gradient<chain>));
static_assert(is_uniform<double, matrix, matrix>(with_gradient<chain>));
static_assert(is_uniform<double, vector, double, double>(with_gradient<density>));
static_assert(is_uniform<double, vector>(with_gradient<soft>));
static_assert(is_uniform<double, vector>(with_gradient<stencil>));
static_assert(is_uniform<double, vector>(with_gradient<valley>));
static_assert(is_uniform<double, vector, vector>(with_gradient<far>));
static_assert(is_uniform<double, vector>(dyad::grad(cut_exponentials)));
static_assert(!is_uniform<double, vector>(dyad::value_and_grad([](auto x) { return sum(square(dyad::slice(x, 0, -3))); })), "as many elements as there are");
static_assert(!is_uniform<double, vector>(dyad::value_and_grad([](auto x) { return sum(square(dyad::slice(x, 0, 0, -1, 2))); })), "every other element");
static_assert(!is_uniform<double, vector, vector>(dyad::grad([](auto x, auto y) { return sum(dyad::slice(x, 0, 1) + y); })), "two shapes");
static_assert(!is_uniform<double, matrix>(with_gradient<stencil>), "rows of two lengths");
static_assert(!is_uniform<double, matrix, vector>(with_gradient<chain>), "rows stretch");
static_assert(!is_uniform<double, xt::xtensor<float, 1>, vector>(with_gradient<chain>), "floats are converted");
static_assert(!is_uniform<double, matrix>(dyad::value_and_grad([](auto x) { return sum(square(transpose(x) + x)); })), "not element by element");
static_assert(!is_uniform<double, vector, matrix>(dyad::value_and_grad([](auto x, auto a) { return sum(matmul(a, x)); })));

// Which of them keep few elements in registers.
constexpr auto extrema = [](auto x, auto y) { return std::tuple{dyad::max(x * y) - dyad::min(x) * prod(1 + 0.1 * y), x / y, exp(x) - sum(y), x}; };
static_assert(fits_registers<double, vector, vector>(with_gradient<chain>));
static_assert(fits_registers<float, xt::xtensor<float, 2>, xt::xtensor<float, 2>>(with_gradient<chain>));
static_assert(fits_registers<double, vector, double, double>(with_gradient<density>));
static_assert(fits_registers<double, vector>(with_gradient<soft>));
static_assert(!fits_registers<double, vector>(with_gradient<stencil>), "slices lie apart");

vector numbers(std::size_t n, double first) {
    vector x(std::array{n});
    for (std::size_t k = 0; k < n; ++k) x(k) = first + std::sin(1.7 * static_cast<double>(k + 1));
    return x;
}
/// Every other element of a longer array: not side by side, so the general way takes it.
vector spread(const vector& x) {
    vector wide(std::array{2 * x.size()}, -9);
    for (std::size_t k = 0; k < x.size(); ++k) wide(2 * k) = x(k);
    return wide;
}
auto every_other(vector& wide) { return xt::view(wide, xt::range(0, static_cast<std::ptrdiff_t>(wide.size()), 2)); }

constexpr std::size_t counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 31, 32, 33, 64, 100, 255, 256};

} // namespace

TEST_CASE("the short way gives the general way's bits") {
    for (const std::size_t n : counts) {
        CAPTURE(n);
        const vector x = numbers(n, 0.3), y = numbers(n, -0.2);
        vector wide_x = spread(x), wide_y = spread(y);
        const auto sparse_x = every_other(wide_x), sparse_y = every_other(wide_y);
        CHECK(dyad::value_and_grad(chain)(x, y) == dyad::value_and_grad(chain)(sparse_x, sparse_y));
        CHECK(dyad::value_and_grad(chain)(x, sparse_y) == dyad::value_and_grad(chain)(sparse_x, y));
        CHECK(dyad::value_and_grad(density)(x, 0.4, -0.3) == dyad::value_and_grad(density)(sparse_x, 0.4, -0.3));
        CHECK(dyad::value_and_grad(soft)(x) == dyad::value_and_grad(soft)(sparse_x));
        CHECK(dyad::evaluate(centred, x) == dyad::evaluate(centred, sparse_x));
        CHECK(dyad::evaluate(extrema, x, y) == dyad::evaluate(extrema, sparse_x, sparse_y));
        const xt::xtensor<float, 1> few = xt::cast<float>(x), others = xt::cast<float>(y), wide_few = xt::cast<float>(wide_x), wide_others = xt::cast<float>(wide_y);
        const auto every_other_float = [](const auto& wide) { return xt::view(wide, xt::range(0, static_cast<std::ptrdiff_t>(wide.size()), 2)); };
        CHECK(dyad::value_and_grad(chain)(few, others) == dyad::value_and_grad(chain)(every_other_float(wide_few), every_other_float(wide_others)));
    }
}
TEST_CASE("numbers that are none, in each place") {
    for (std::size_t n = 1; n <= 36; ++n) {
        for (std::size_t at = 0; at < n; ++at) {
            CAPTURE(n);
            CAPTURE(at);
            vector x = numbers(n, 0.3), y = numbers(n, 2.5);
            x(at) = std::numeric_limits<double>::quiet_NaN();
            const auto [values, quotients, apart, same] = dyad::evaluate(extrema, x, y);
            CHECK(std::isnan(values));
            for (std::size_t k = 0; k < n; ++k) CHECK(std::isnan(quotients(k)) == (k == at));
            x(at) = 1e300; // and the largest, that hides none
            y(at) = 3;
            CHECK(dyad::max(x) == 1e300);
            CHECK(std::get<0>(dyad::evaluate(extrema, x, y)) > 1e300);
        }
    }
}
TEST_CASE("slices too, at every length around a vector's, into their own memory too") {
    for (std::size_t n = 0; n <= 70; ++n) {
        CAPTURE(n);
        vector x = numbers(n, 0.3), y = numbers(n, 2.2), wide_x = spread(x), wide_y = spread(y);
        const auto sparse_x = every_other(wide_x), sparse_y = every_other(wide_y);
        CHECK(dyad::value_and_grad(stencil)(x) == dyad::value_and_grad(stencil)(sparse_x));
        CHECK(dyad::value_and_grad(valley)(x) == dyad::value_and_grad(valley)(sparse_x));
        CHECK(dyad::value_and_grad(far)(x, y) == dyad::value_and_grad(far)(sparse_x, sparse_y));
        CHECK(dyad::evaluate(steps, x) == dyad::evaluate(steps, sparse_x));
        CHECK(dyad::evaluate(steps, x).size() == (n == 0 ? 0 : n - 1));
        if (n > 1) CHECK(dyad::value_and_grad(largest)(x) == dyad::value_and_grad(largest)(sparse_x));
        CHECK(dyad::grad(cut_exponentials)(y) == dyad::grad(cut_exponentials)(sparse_y));
        const vector direction = numbers(n, 0.1);
        CHECK(dyad::jvp(steps)(x, direction) == dyad::jvp(steps)(sparse_x, direction));
        CHECK(dyad::hvp(valley)(x, direction) == dyad::hvp(valley)(sparse_x, direction));
        const auto [height, slope] = dyad::value_and_grad(valley)(x);
        double again = 0;
        dyad::evaluate_into(std::tie(again, x), dyad::value_and_grad(valley), x);
        CHECK(again == height);
        CHECK(x == slope);
        vector few = numbers(n + 3, 1), part = few; // a result that begins within the argument
        const vector expected = dyad::evaluate(steps, few);
        auto target = dyad::view(few.data() + 1, n + 2);
        dyad::evaluate_into(target, steps, few);
        CHECK(std::equal(expected.begin(), expected.end(), few.begin() + 1));
    }
}
TEST_CASE("in every shape, where targets lie side by side and where they do not") {
    for (const auto& shape : {std::array<std::size_t, 2>{1, 1}, {1, 5}, {5, 1}, {3, 4}, {16, 16}, {40, 50}, {50, 50}, {0, 3}}) {
        CAPTURE(shape[0]);
        CAPTURE(shape[1]);
        matrix x(shape), y(shape), gx(shape), gy(shape), wide(std::array{shape[0], 2 * shape[1]});
        for (std::size_t k = 0; k < x.size(); ++k) {
            x.flat(k) = std::cos(static_cast<double>(k));
            y.flat(k) = std::sin(static_cast<double>(3 * k));
        }
        double value = 7, again = 7;
        dyad::evaluate_into(std::tie(value, gx, gy), dyad::value_and_grad(chain), x, y);
        auto every_other_column = xt::view(wide, xt::all(), xt::range(0, static_cast<std::ptrdiff_t>(2 * shape[1]), 2));
        matrix gy_again(shape);
        dyad::evaluate_into(std::tie(again, every_other_column, gy_again), dyad::value_and_grad(chain), x, y);
        CHECK(value == doctest::Approx(again).epsilon(1e-14)); // (rows of one element are summed in another order)
        CHECK(gx == matrix(every_other_column));
        CHECK(gy == gy_again);
        double total = 0;
        for (std::size_t k = 0; k < x.size(); ++k) {
            total += std::exp(x.flat(k)) * std::sin(y.flat(k)) + x.flat(k) * y.flat(k);
            CHECK(gx.flat(k) == doctest::Approx(std::exp(x.flat(k)) * std::sin(y.flat(k)) + y.flat(k)).epsilon(1e-13));
            CHECK(gy.flat(k) == doctest::Approx(std::exp(x.flat(k)) * std::cos(y.flat(k)) + x.flat(k)).epsilon(1e-13));
        }
        CHECK(value == doctest::Approx(total).epsilon(1e-12));
    }
}
TEST_CASE("a target that is an argument, or some of one") {
    for (const std::size_t n : {1U, 2U, 9U, 17U, 100U}) {
        CAPTURE(n);
        const vector x = numbers(n, 0.5);
        const vector doubled = dyad::evaluate(curved, x), middle = dyad::evaluate(centred, x);
        vector one = x, two = x;
        dyad::evaluate_into(one, curved, one);
        CHECK(one == doubled);
        dyad::evaluate_into(two, centred, two); // two loops: the second reads what the first has read
        CHECK(two == middle);
        for (const std::size_t shift : {std::size_t{1}, n / 2, n}) {
            for (const bool forward : {false, true}) {
                vector room(std::array{n + shift});
                const auto part = [&](std::size_t first) { return xt::view(room, xt::range(first, first + n)); };
                auto source = part(forward ? 0 : shift), target = part(forward ? shift : 0);
                source = x;
                dyad::evaluate_into(target, curved, source);
                CHECK(vector(target) == doubled);
                source = x;
                dyad::evaluate_into(target, centred, source);
                CHECK(vector(target) == middle);
            }
        }
    }
}
TEST_CASE("what does not fit is refused in the short way's place too, and nothing is changed") {
    vector g{7, 7};
    double value = 7;
    vector gy{8};
    CHECK_THROWS_AS(dyad::evaluate_into(std::tie(value, g, gy), dyad::value_and_grad(chain), vector{1, 2, 3}, vector{1, 2}), dyad::shape_error);
    CHECK((value == 7 && g == vector{7, 7} && gy == vector{8}));
}
TEST_CASE("a stretching argument is not taken for a uniform one") {
    const matrix x{{1, 2, 3}}, y{{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}};
    const auto [value, gradient] = dyad::value_and_grad(chain)(x, y);
    const auto& [by_x, by_y] = gradient;
    double total = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        double slope = 0;
        for (std::size_t i = 0; i < 2; ++i) {
            total += std::exp(x(0, k)) * std::sin(y(i, k)) + x(0, k) * y(i, k);
            slope += std::exp(x(0, k)) * std::sin(y(i, k)) + y(i, k);
            CHECK(by_y(i, k) == doctest::Approx(std::exp(x(0, k)) * std::cos(y(i, k)) + x(0, k)));
        }
        CHECK(by_x(0, k) == doctest::Approx(slope));
    }
    CHECK(value == doctest::Approx(total));
}
TEST_CASE("a target that has no memory yet gets some") {
    vector fresh;
    dyad::evaluate_into(fresh, curved, vector{1, 2, 3});
    CHECK(fresh == vector{3, 8, 15});
}
