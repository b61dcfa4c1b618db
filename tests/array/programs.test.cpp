// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Plans, kernels over arrays, results into memory that is there, threads, eager expressions, constructors: what the
// API promises about them.
#include <cmath>
#include <cstdlib>
#include <new>
#include <sstream>

#include <doctest/doctest.h>

#include <dyad/array.hpp>

namespace {

std::size_t allocations = 0;

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

constexpr auto chain = [](auto x) { return sum(exp(x) * sin(x) + square(x) / (1 + square(x))); };
constexpr auto squared_error = [](auto w, auto X, auto t) { return dyad::mean(square(dyad::matmul(X, w) - t)); };
constexpr auto wave = [](auto x, auto y) {
    using dyad::sin;
    return sin(x * y) + x * x;
};
constexpr auto times = [](auto a, auto b) { return a * b; };

// Static: what plans are.
constexpr auto chain_plan = dyad::plan_of<vector>(dyad::value_and_grad(chain));
static_assert(chain_plan.passes() == 1 && chain_plan.calls() == 0 && chain_plan.buffers() == 0);
constexpr auto wave_plan = dyad::plan_of<vector, vector>(dyad::kernel(dyad::value_and_grad(wave)));
static_assert(wave_plan.passes() == 1 && wave_plan.buffers() == 0);
constexpr auto error_plan = dyad::plan_of<vector, matrix, vector>(dyad::value_and_grad<0>(squared_error));
static_assert(error_plan.passes() == 1 && error_plan.calls() == 2 && error_plan.buffers() == 2);
// What is read for the last time gives its memory to what comes after it.
constexpr auto deep = [](auto x, auto w) {
    auto a = dyad::tanh(dyad::matmul(x, w)), b = dyad::tanh(dyad::matmul(a, w)), c = dyad::tanh(dyad::matmul(b, w));
    return dyad::matmul(c, w);
};
constexpr auto deep_plan = dyad::plan_of<matrix, matrix>(deep);
static_assert(deep_plan.calls() == 4 && deep_plan.buffers() <= 3);
// What a result is computed from lies where the result comes.
static_assert(dyad::plan_of<vector>(dyad::value_and_grad([](auto x) { return dyad::logsumexp(x); })).buffers() == 0);
// What only gave its shape is not computed.
static_assert(dyad::plan_of<vector>(dyad::grad([](auto x) { return sum(dyad::cumsum(x)); })).calls() == 1);
// A sum that nobody waits for does not need a pass of its own.
constexpr auto centred = [](auto x) { return std::tuple{sum(square(x)), x - sum(x), dyad::min(x)}; };
static_assert(dyad::plan_of<vector>(centred).passes() == 2);

} // namespace

[[gnu::noinline]] void* operator new(std::size_t size) { // (inlined into a caller, g++ takes its free for a mistake)
    ++allocations;
    if (void* p = std::malloc(size)) return p;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
    std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
    std::free(p);
}

TEST_CASE("a plan prints its loops and calls") {
    CHECK(dyad::print(chain_plan).view() == "plan(1 input)\n  loop over 1 axis: n9 = reduce_sum of n8; n19 stored\n");
}
TEST_CASE("a kernel computes value and partial derivatives at every element") {
    const vector x{1, 2, 3}, y{4, 5, 6};
    const auto [values, partials] = dyad::kernel(dyad::value_and_grad(wave))(x, y);
    for (std::size_t i = 0; i < 3; ++i) {
        const auto [value, slopes] = dyad::value_and_grad(wave)(x(i), y(i));
        CHECK(values(i) == doctest::Approx(value).epsilon(1e-14));
        CHECK(std::get<0>(partials)(i) == doctest::Approx(std::get<0>(slopes)).epsilon(1e-14));
        CHECK(std::get<1>(partials)(i) == doctest::Approx(std::get<1>(slopes)).epsilon(1e-14));
    }
    CHECK(dyad::kernel(times)(matrix{{1}, {2}}, matrix{{3, 4}}) == matrix{{3, 4}, {6, 8}});
}
TEST_CASE("results into memory that is there allocate nothing") {
    const vector w{1, 2}, t{1, 0, 2};
    const matrix X{{1, 2}, {3, 4}, {5, 7}};
    double value = 0;
    vector slope = w;
    auto out = std::tie(value, slope);
    dyad::evaluate_into(out, dyad::value_and_grad<0>(squared_error), w, X, t); // takes its workspace
    const std::size_t before = allocations;
    dyad::evaluate_into(out, dyad::value_and_grad<0>(squared_error), w, X, t);
    CHECK(allocations == before);
    CHECK(value == 142);
    CHECK(slope(0) == doctest::Approx(244.0 / 3));
    vector shared = w; // the argument is the result
    auto in_place = std::tie(value, shared);
    dyad::evaluate_into(in_place, dyad::value_and_grad(chain), shared);
    CHECK(shared == dyad::value_and_grad(chain)(w).second);
}
TEST_CASE("factorisations, and products of what they must pack, take their memory from what is kept") {
    const vector b{1, 2};
    const matrix A{{4, 1}, {1, 3}}, wide{{4, 0, 1, 0}, {0, 0, 0, 0}, {1, 0, 3, 0}, {0, 0, 0, 0}};
    double value = 0;
    matrix slope = A;
    auto out = std::tie(value, slope);
    const auto again = [&](const auto& f, const auto& a) {
        const auto all = dyad::value_and_grad<0>(f);
        dyad::evaluate_into(out, all, a, b);
        const std::size_t before = allocations;
        dyad::evaluate_into(out, all, a, b);
        CHECK(allocations == before);
    };
    again([](auto a, auto x) { return sum(dyad::solve(a, x)); }, A);
    again([](auto a, auto x) { return dyad::det(a) + dyad::logdet(a) * sum(x); }, A);
    again([](auto a, auto x) { return sum(dyad::matmul(dyad::inverse(a), x)); }, A);
    again([](auto a, auto x) { return sum(dyad::matmul(dyad::cholesky(a), x)); }, A);
    again([](auto a, auto x) { return sum(dyad::matmul(std::get<0>(dyad::qr(a)), x)); }, A);
    again([](auto a, auto x) { return sum(dyad::matmul(dyad::matmul(a, a), x)); }, xt::view(wide, xt::range(0, 4, 2), xt::range(0, 4, 2)));
}
TEST_CASE("sums have the same bits for any number of threads, and floats keep six digits") {
    std::vector<double> x(70001);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1e-5 * static_cast<double>(i);
    const auto one = dyad::value_and_grad(chain)(x);
    for (const std::size_t n : {2U, 3U, 7U}) {
        dyad::threads(n);
        CHECK(dyad::value_and_grad(chain)(x) == one);
    }
    dyad::threads(1);
    const std::vector<float> tenths(2000000, 0.1F);
    const float total = dyad::evaluate([](auto v) { return sum(v); }, tenths);
    CHECK(total == doctest::Approx(2e6 * 0.1F).epsilon(1e-6));
}
TEST_CASE("expressions of arrays have values, keep them, and are differentiated") {
    using namespace dyad::literals;
    dyad::var<"w", dyad::tensor<double, 1>> w{vector{1, 2, 3}};
    dyad::var<"X", dyad::tensor<double, 2>> X{matrix{{1, 2, 3}, {4, 5, 6}}};
    dyad::var<"s"> s{2.0};
    const auto z = sum(w * w * s) + 1_c;
    CHECK(z.value() == 29);
    w = vector{1, 1, 1};
    CHECK(z.value() == 29);
    const auto rows = matmul(X, w);
    CHECK(rows.value() == vector{6, 15});
    const auto [by_X, by_w, by_s] = dyad::gradient(sum(rows * rows) * s, X, w, s);
    CHECK(by_X == matrix{{24, 24, 24}, {60, 60, 60}});
    CHECK(by_w == vector{264, 348, 432});
    CHECK(by_s == 261);
    const dyad::var<"p", dyad::tensor<double, 2>> absent{matrix{{1, 2}, {3, 4}}}, single{matrix{{2}}};
    const auto [value, by_absent] = dyad::value_and_gradient(sum(w * s), absent);
    CHECK(value == 6);
    CHECK(std::get<0>(by_absent) == matrix{{0, 0}, {0, 0}});
    CHECK(std::get<0>(dyad::gradient(sum(single * X), single)) == matrix{{21}}); // it stretched
    CHECK(dyad::diff(sum(w * w * w), w).value() == vector{3, 3, 3});
    CHECK(sum(X, 0_c).value() == vector{5, 7, 9});
    CHECK(logsumexp(w).value() == doctest::Approx(1 + std::log(3.0)));
    CHECK(logsumexp(X, 1_c).value()(1) == doctest::Approx(6 + std::log(1 + std::exp(-1.0) + std::exp(-2.0))));
    CHECK(logsumexp(w, 2 * w).value()(0) == doctest::Approx(2 + std::log1p(std::exp(-1.0))));
    CHECK(logsumexp(s, s).value() == doctest::Approx(2 + std::log(2.0)));
    vector out;
    dyad::evaluate_into(out, w * 2_c);
    CHECK(out == vector{2, 2, 2});
    const dyad::var<"v", dyad::tensor<double, 1>> v{std::vector<double>{1, 2}};
    CHECK_THROWS_WITH_AS(v * w, "[dyad] mul: Incompatible shapes: [2] vs. [3]", dyad::shape_error);
    const auto old = w * 2_c;
    w = vector{4, 4, 4};
    CHECK_THROWS_AS(old + w, dyad::value_error);
}
TEST_CASE("formulas of arrays are written with the users' names, and axes from the first") {
    using namespace dyad::literals;
    const dyad::var<"w", vector> w{vector{1, 2}};
    const dyad::var<"X", matrix> X{matrix{{1, 2}, {3, 4}}};
    CHECK(dyad::formula(sum(w * w)) == "sum(w^2)");
    CHECK(dyad::formula(mean(X, 1_c)) == "sum(X, 1)/size(X, 1)");
    CHECK(dyad::formula(amax(X, 0_c)) == "amax(X, 0)");
    CHECK(dyad::formula(flip(X, 1_c)) == "flip(X, 1)");
    CHECK(dyad::formula(transpose(X)) == "transpose(X, 1, 0)");
    CHECK(dyad::formula(matmul(X, X)) == "matmul(X, X)");
}
TEST_CASE("arrays print as they are written") {
    const dyad::var<"w", vector> w{vector{1, 2.5, 3}};
    const dyad::var<"m", xt::xtensor<float, 2>> m{xt::xtensor<float, 2>{{1, 2, 3}, {4, 5, 6}}};
    const dyad::var<"e", std::vector<double>> empty{std::vector<double>{}};
    std::ostringstream out;
    out << w << w * w << transpose(m) << (m > 2) << sum(m) << empty << 2 * empty;
    CHECK(out.str() == "{1, 2.5, 3}{1, 6.25, 9}{{1, 4}, {2, 5}, {3, 6}}{{0, 0, 1}, {1, 1, 1}}21{}{}");
}

TEST_CASE("a number made of arrays can be branched on") {
    const auto check = [](const vector& at, bool large, bool large_of_small_sum, bool not_zero) {
        const dyad::var<"w", dyad::tensor<double, 1>> w{at};
        const auto z = sum(w * w);
        CHECK(bool(z > 10) == large);
        CHECK(bool(z > 10 && sum(w) < 7) == large_of_small_sum);
        CHECK(bool(z) == not_zero);
    };
    check({1, 2, 3}, true, true, true);
    check({1, 2, 4}, true, false, true);
    check({1, 1, 1}, false, false, true);
    check({0, 0, 0}, false, false, false);
}
TEST_CASE("expressions of xtensor are computed for the call, and an xarray is given its rank") {
    const vector x{1, 2, 3}, y{4, 5, 6};
    const auto both = dyad::value_and_grad(chain);
    CHECK(both(x + y) == both(vector{5, 7, 9}));
    const matrix column{{1}, {2}}, row{{3, 4}};
    CHECK(dyad::kernel(times)(2 * column, row) == matrix{{6, 8}, {12, 16}});
#if !defined(__clang__) || __clang_major__ < 19 || XTENSOR_VERSION_MINOR >= 26 // else xtensor's own xarray does not compile
    const xt::xarray<double> any = x;
    CHECK(both(dyad::ranked<1>(any)) == both(x));
    CHECK_THROWS_WITH_AS(dyad::ranked<2>(any), "[dyad] ranked: the array has 1 axes, not 2", dyad::shape_error);
#endif
}
TEST_CASE("arrays to begin with") {
    CHECK(dyad::zeros(2, 3) == matrix{{0, 0, 0}, {0, 0, 0}});
    CHECK(dyad::ones<float>(2) == xt::xtensor<float, 1>{1, 1});
    CHECK(dyad::full(7, 1, 2) == xt::xtensor<int, 2>{{7, 7}});
    CHECK(dyad::arange(3) == xt::xtensor<int, 1>{0, 1, 2});
    CHECK(dyad::arange(1.0, 0.0, -0.25) == vector{1, 0.75, 0.5, 0.25});
    CHECK(dyad::arange(2, 2).size() == 0);
    CHECK(dyad::linspace(0.0, 1.0, 5) == vector{0, 0.25, 0.5, 0.75, 1});
    CHECK(dyad::linspace(0, 1, 5) == vector{0, 0.25, 0.5, 0.75, 1});
    CHECK(dyad::linspace(1, 0.0F, 3) == xt::xtensor<float, 1>{1, 0.5F, 0});
    CHECK(dyad::eye(2) == matrix{{1, 0}, {0, 1}});
    CHECK_THROWS_WITH_AS(dyad::eye(-2), "[dyad] eye: a size of -2", dyad::value_error);
    CHECK_THROWS_AS(dyad::zeros(3, -1), dyad::value_error);
    CHECK_THROWS_AS(dyad::linspace(0.0, 1.0, -1), dyad::value_error);
    CHECK_THROWS_AS(dyad::arange(0, 1, 0), dyad::value_error);
}
TEST_CASE("a result may be an argument, of the same size or another") {
    const vector x{1, 2, 3, 4};
    const auto apart = [](auto f, vector v) {
        const auto expected = dyad::vjp(f)(v).first;
        dyad::evaluate_into(v, f, v);
        return v == expected;
    };
    CHECK(apart([](auto v) { return 2 * v + 1; }, x));
    CHECK(apart([](auto v) { return v / sum(v); }, x));
    CHECK(apart([](auto v) { return dyad::slice(v, 0, 1); }, x));
    CHECK(apart([](auto v) { return dyad::flip(v, 0) - v; }, x));
    CHECK(apart([](auto v) { return dyad::pad(v, 0, 1, 2) * 3; }, x));
    matrix a{{1, 2}, {3, 4}};
    dyad::evaluate_into(a, [](auto m) { return dyad::matmul(m, m); }, a);
    CHECK(a == matrix{{7, 10}, {15, 22}});
    vector p = x, q{5, 6, 7, 8};
    auto both = std::tie(p, q);
    dyad::evaluate_into(both, [](auto u, auto v) { return std::tuple{u * v, u + v}; }, p, q);
    CHECK(p == vector{5, 12, 21, 32});
    CHECK(q == vector{6, 8, 10, 12});
    vector row = x;
    auto halves = xt::view(row, xt::range(1, 4));
    dyad::evaluate_into(halves, [](auto v) { return 10 * v; }, xt::view(row, xt::range(0, 3)));
    CHECK(row == vector{1, 10, 20, 30});
}
TEST_CASE("arrays that share memory, and sums that ride in later loops, have the values of their own") {
    const matrix x{{0.5, -1}, {2, 0.25}, {1, 1}}, w{{0.3, -0.7}, {1.1, 0.4}};
    const auto layer = [&](const matrix& m) {
        matrix y = 0 * m;
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 2; ++j) y(i, j) = m(i, 0) * w(0, j) + m(i, 1) * w(1, j);
        }
        return y;
    };
    const matrix expected = layer(xt::tanh(layer(xt::tanh(layer(xt::tanh(layer(x)))))));
    const matrix found = dyad::vjp<0>(deep)(x, w).first;
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(found.data()[i] == doctest::Approx(expected.data()[i]).epsilon(1e-13));
    const auto [squares, around, least] = dyad::evaluate(centred, vector{1, -2, 4});
    CHECK(squares == 21);
    CHECK(around == vector{-2, -5, 1});
    CHECK(least == -2);
}
TEST_CASE("a long chain whose values are used twice is planned in time that grows with it") {
    constexpr auto twice_used = [](auto x, auto y) {
        auto s = x;
        for (int i = 0; i < 20; ++i) s = sin(s * y) + cos(s + i * 0.125) * exp(-s * s * 0.125);
        return s;
    };
    const vector a{0.5, 0.75}, b{1, 2};
    const vector got = dyad::kernel(twice_used)(a, b);
    for (std::size_t k = 0; k < 2; ++k) CHECK(got(k) == doctest::Approx(twice_used(a(k), b(k))));
}
TEST_CASE("a result that is cheap to compute keeps what it is made of, where another loop computes it again") {
    const matrix X{{1, 2}, {3, 6}};
    constexpr auto less_mean = [](auto a) { // (the sums once lay in the mean's memory, which the first loop overwrites)
        const auto m = dyad::mean(a, 0);
        return std::tuple{m, a - m};
    };
    const auto [m, c] = dyad::evaluate(less_mean, X);
    CHECK(m == vector{2, 4});
    CHECK(c == matrix{{-1, -2}, {1, 2}});
    const auto [mean_slope, slope] = dyad::jvp(less_mean)(X, matrix{{1, 0}, {0, 1}}).second;
    CHECK(mean_slope == vector{0.5, 0.5});
    CHECK(slope == matrix{{0.5, -0.5}, {-0.5, 0.5}});
    const auto [y, around] = dyad::evaluate([](auto a, auto v, auto b) {
        const auto product = dyad::matmul(a, v) + b;
        return std::tuple{product, dyad::pad(product, 0, 1, 1)};
    }, X, vector{1, 1}, vector{10, 20});
    CHECK(y == vector{13, 29});
    CHECK(around == vector{0, 13, 29, 0});
}
TEST_CASE("the gradient by a variable of floats is of floats, whatever numbers stand beside it") {
    using floats = xt::xtensor<float, 1>;
    dyad::var<"f", floats> f{floats{1, 2, 3}};
    dyad::var<"x"> x{2.0};
    const auto [by_f, by_x] = dyad::gradient(sum(f * f) * 0.5 * x, f, x);
    static_assert(std::is_same_v<decltype(by_f), const floats>);
    static_assert(std::is_same_v<decltype(by_x), const double>);
    CHECK(by_f == floats{2, 4, 6});
    CHECK(by_x == 7);
}
