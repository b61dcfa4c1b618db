// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Every operation of the core on arrays, which are vectors and tails there, against the same on plain numbers: values,
// tangents and pullbacks, in float and double, for lengths around those of vectors, and with strides.

#include "properties.hpp"

using namespace differences;

namespace {

/// Group after group: a program of one operation would be one program for each.
constexpr auto exponentials = [](auto x) { return std::tuple{exp(x), exp2(x), expm1(x), log(x), log2(x), log10(x), log1p(x), dyad::sigmoid(x), dyad::softplus(x), dyad::xlogy(x, x)}; };
constexpr auto circles = [](auto x) { return std::tuple{sin(x), cos(x), tan(x), asin(x / 4), acos(x / 4), atan(x), atan2(x, 1 + x), dyad::sinc(x)}; };
constexpr auto hyperbolas = [](auto x) { return std::tuple{sinh(x), cosh(x), tanh(x), asinh(x), acosh(1 + x), atanh(x / 4), hypot(x, 2 - x)}; };
constexpr auto special = [](auto x) { return std::tuple{erf(x), erfc(x), tgamma(x), lgamma(x), dyad::digamma(x)}; };
constexpr auto powers = [](auto x) { return std::tuple{sqrt(x), cbrt(x), dyad::square(x), dyad::cube(x), pow(x, 3), pow(x, 1.5), pow(1.5, x), pow(x, x), 1 / x, -x}; };
constexpr auto pieces = [](auto x) {
    return std::tuple{abs(x - 1), dyad::sign(x - 1), floor(3 * x), ceil(3 * x), round(3 * x), trunc(3 * x), dyad::relu(x - 1), fmod(x, 0.75), copysign(x, x - 1)};
};
constexpr auto choices = [](auto x) {
    return std::tuple{max(x, 1.25), min(x, 2 - x), fmax(x, 1.25), fmin(x, 2 - x), dyad::clamp(x, 0.75, 1.5), fma(x, x, -x), where(x < 1, x * x, -x), where(!(x >= 1) || x > 1.5, x, 0 * x), dyad::logsumexp(x, 2 * x), dyad::stop_gradient(x) * x};
};

/// Largest difference of an array of one type from numbers, relative to 1 or to what they are.
template <class T, class At>
double off(const xt::xtensor<T, 1>& found, const At& at) {
    double worst = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double wanted = static_cast<double>(at(i)), d = std::abs(static_cast<double>(found(i)) - wanted) / std::max(1.0, std::abs(wanted));
        worst = d <= worst ? worst : std::isnan(d) ? HUGE_VAL : d;
    }
    return worst;
}

/// Numbers are double whatever T is.
template <class T, class F>
void agree(F f, const char* name) {
    constexpr double tolerance = sizeof(T) == 4 ? 2e-5 : 2e-13;
    for (const std::size_t n : {0U, 1U, 2U, 7U, 8U, 9U, 16U, 33U}) {
        INFO(doctest::String(name));
        CAPTURE(n);
        const xt::xtensor<T, 1> x = positives<T, 1>({n}, 5), v = numbers<T, 1>({n}, 6);
        const auto forward = dyad::jvp(f)(x, v); // (no structured bindings: clang 14 does not capture them)
        const auto& values = forward.first;
        const auto& tangents = forward.second;
        const auto reverse = dyad::vjp(f)(x);
        const auto& again = reverse.first;
        const auto pulled = reverse.second(values);
        const properties::with_gaps<T, 1> gaps(x);
        const auto from_gaps = dyad::vjp(f)(gaps.view()).first;
        const auto of_number = [&](std::size_t i) { return dyad::jvp(f)(static_cast<double>(x(i)), 1.0); };
        [&]<std::size_t... K>(std::index_sequence<K...>) {
            const auto each = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
                CAPTURE(I);
                CHECK(std::get<I>(values).size() == n);
                CHECK(off(std::get<I>(values), [&](auto i) { return std::get<I>(of_number(i).first); }) < tolerance);
                CHECK(off(std::get<I>(tangents), [&](auto i) { return std::get<I>(of_number(i).second) * static_cast<double>(v(i)); }) < 4 * tolerance);
                CHECK(off(std::get<I>(again), [&](auto i) { return std::get<I>(values)(i); }) < tolerance); // another program
                CHECK(off(std::get<I>(from_gaps), [&](auto i) { return std::get<I>(values)(i); }) < tolerance);
            };
            (each(std::integral_constant<std::size_t, K>{}), ...);
            CHECK(off(pulled, [&](auto i) { return [](const auto& at) { return (... + (std::get<K>(at.first) * std::get<K>(at.second))); }(of_number(i)); }) < 40 * tolerance);
        }(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(values)>>>{});
    }
}

} // namespace

#define AGREES(group)                                                                                \
    agree<double>(group, #group);                                                                    \
    agree<float>(group, #group)

TEST_CASE("exponentials and logarithms of arrays are those of numbers") {
    AGREES(exponentials);
}
TEST_CASE("circular functions of arrays are those of numbers") {
    AGREES(circles);
}
TEST_CASE("hyperbolic functions of arrays are those of numbers") {
    AGREES(hyperbolas);
}
TEST_CASE("special functions of arrays are those of numbers") {
    AGREES(special);
}
TEST_CASE("powers of arrays are those of numbers") {
    AGREES(powers);
}
TEST_CASE("pieces of arrays are those of numbers") {
    AGREES(pieces);
}
TEST_CASE("choices among arrays are those among numbers") {
    AGREES(choices);
}
