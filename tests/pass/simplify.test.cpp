// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Every rewrite by the formula that it leaves behind. Those that keep every bit happen under the strict
// policy too; the others must leave a strict program alone, operation for operation. Then the values:
// strict programs give the very bits of the program as written, and even the fast policy must not take
// compensated sums apart, nor overflow where the program as written does not.

#include <dyad/core.hpp>

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

namespace {

using dyad::policy;

template <class T>
struct xy {
    T x, y;
};

template <class F>
constexpr dyad::graph graph_by(policy p) {
    return dyad::simplify(dyad::trace<F, xy<double>>(F{}, policy::verbatim), p);
}
constexpr bool reads(const dyad::graph& g, std::string_view want) {
    const dyad::list<std::string_view> names{"x", "y"};
    return dyad::check(g) == "" && dyad::formula(g, names) == want;
}
/// How often each operation occurs.
struct census {
    int of[static_cast<std::size_t>(dyad::opcode::count)] = {};
    constexpr explicit census(const dyad::graph& g) {
        for (const dyad::node& n : g.nodes) ++of[static_cast<std::size_t>(n.op)];
    }
    friend constexpr bool operator==(const census&, const census&) = default;
};

/// The fast policy makes it `want`; the strict one keeps the operations as they were written.
template <class F>
constexpr bool fast(F, std::string_view want) {
    return reads(graph_by<F>(policy::fast), want) &&
           census(graph_by<F>(policy::strict)) == census(graph_by<F>(policy::verbatim));
}
/// Both make it `want`, which no result can tell from the program as written.
template <class F>
constexpr bool always(F, std::string_view want) {
    return reads(graph_by<F>(policy::fast), want) && reads(graph_by<F>(policy::strict), want) &&
           !reads(graph_by<F>(policy::verbatim), want);
}
/// The fast policy makes it `want`, the strict one goes as far as `halfway`.
template <class F>
constexpr bool faster(F, std::string_view want, std::string_view halfway) {
    return reads(graph_by<F>(policy::fast), want) && reads(graph_by<F>(policy::strict), halfway);
}
/// Neither touches it.
template <class F>
constexpr bool kept(F) {
    const census written(graph_by<F>(policy::verbatim));
    return census(graph_by<F>(policy::fast)) == written && census(graph_by<F>(policy::strict)) == written;
}
template <class F>
constexpr bool never(F, std::string_view want) {
    return reads(graph_by<F>(policy::fast), want) && kept(F{});
}

// --- sums ---
static_assert(always([](auto v) { return v.x + -v.y; }, "x - y"));
static_assert(always([](auto v) { return -v.x + v.y; }, "y - x"));
static_assert(always([](auto v) { return v.x + v.x; }, "2*x"));
static_assert(always([](auto v) { return v.x + -2 * v.y; }, "x - 2*y"));
static_assert(always([](auto v) { return v.x - -2 * v.y; }, "x + 2*y"));
static_assert(always([](auto v) { return v.x - -v.y; }, "x + y"));
static_assert(always([](auto v) { return v.x + -2; }, "x - 2"));
static_assert(always([](auto v) { return v.x - -2; }, "x + 2"));
static_assert(always([](auto v) { return v.x - 0; }, "x"));
static_assert(fast([](auto v) { return v.x + 0; }, "x")); // -0 + 0 is +0
static_assert(fast([](auto v) { return 0 - v.x; }, "-x"));
static_assert(fast([](auto v) { return v.x - v.x; }, "0"));
static_assert(fast([](auto v) { return -(v.x - v.y); }, "y - x"));
static_assert(fast([](auto v) { return 2 * v.x + 3 * v.x; }, "5*x"));
static_assert(fast([](auto v) { return 2 / v.x + 3 / v.x; }, "5/x"));
static_assert(fast([](auto v) { return 1 / v.x - 3 / v.x; }, "-2/x"));
static_assert(fast([](auto v) { return 2 / v.x - 3 * v.x; }, "2/x - 3*x"));
static_assert(kept([](auto v) { return 1e308 / v.x + 1.1e308 / v.x + 1.2e308 / v.x; })); // the sums of two constants overflow
static_assert(kept([](auto v) { return 1e308 * v.x + 1.1e308 * v.x + 1.2e308 * v.x; }));
static_assert(fast([](auto v) { return 5 * v.x - 3 * v.x; }, "2*x"));
static_assert(fast([](auto v) { return v.x + v.y + v.x; }, "y + 2*x"));
static_assert(fast([](auto v) { return (v.x - v.y) + v.x; }, "2*x - y"));
static_assert(fast([](auto v) { return (v.y - v.x) - v.x; }, "y - 2*x"));
static_assert(fast([](auto v) { return v.x + 1 + 2; }, "x + 3"));
static_assert(fast([](auto v) { return -2 * v.x - v.y; }, "-(y + 2*x)"));
static_assert(never([](auto v) { return (v.x + v.y) - v.x; }, "x + y - x")); // how rounding errors are found
static_assert(never([](auto v) { return (v.x - v.y) + v.y; }, "y + x - y"));

// --- products and quotients ---
static_assert(always([](auto v) { return 1 * v.x; }, "x"));
static_assert(always([](auto v) { return v.x * -1; }, "-x"));
static_assert(always([](auto v) { return -v.x * 3; }, "-3*x"));
static_assert(always([](auto v) { return -v.x * -v.y; }, "x*y"));
static_assert(always([](auto v) { return v.x * v.x; }, "x^2"));
static_assert(always([](auto v) { return v.x / 1; }, "x"));
static_assert(always([](auto v) { return v.x / -1; }, "-x"));
static_assert(always([](auto v) { return v.x / 4; }, "0.25*x")); // exact for powers of two only
static_assert(always([](auto v) { return v.x / -3; }, "-x/3"));
static_assert(always([](auto v) { return -v.x / -v.y; }, "x/y"));
static_assert(fast([](auto v) { return 0 * v.x; }, "0"));
static_assert(fast([](auto v) { return 0 / v.x; }, "0"));
static_assert(fast([](auto v) { return v.x / v.x; }, "1"));
static_assert(fast([](auto v) { return 2 * (3 * v.x); }, "6*x"));
static_assert(fast([](auto v) { return (2 * v.x) * (3 * v.y); }, "6*x*y"));
static_assert(faster([](auto v) { return v.x * v.x * v.x; }, "x^3", "x^2*x"));
static_assert(fast([](auto v) { return v.x * v.y * v.x; }, "x^2*y"));
static_assert(fast([](auto v) { return 6 * v.x / 3; }, "2*x"));
static_assert(fast([](auto v) { return 6 / (3 * v.x); }, "2/x"));
static_assert(fast([](auto v) { return 6 / v.x / 3; }, "2/x"));
static_assert(fast([](auto v) { return 6 / (3 / v.x); }, "2*x"));
static_assert(fast([](auto v) { return 2 / v.x / v.x; }, "2/x^2"));
static_assert(fast([](auto v) { return dyad::cube(v.x) / v.x; }, "x^2"));
static_assert(never([](auto v) { return v.x / 3; }, "x/3")); // not x times a rounded third
static_assert(fast([](auto v) { return v.x / v.y * v.y; }, "x"));
static_assert(fast([](auto v) { return v.x / dyad::sqrt(v.x); }, "sqrt(x)"));
static_assert(fast([](auto v) { return dyad::square(dyad::sqrt(v.x)); }, "x"));
static_assert(fast([](auto v) { return dyad::cube(dyad::sqrt(v.x)); }, "x*sqrt(x)"));
static_assert(fast([](auto v) { return v.x * v.y / (dyad::sin(v.y) * v.x); }, "y/sin(y)"));
static_assert(fast([](auto v) { return v.x / (v.x / v.y); }, "y"));
static_assert(fast([](auto v) { return 2 / (v.x / v.y); }, "2*y/x"));
static_assert(fast([](auto v) { return dyad::sin(v.x) / v.y * dyad::sqrt(v.y); }, "sin(x)/sqrt(y)"));
static_assert(fast([](auto v) { return dyad::sin(v.x) / (v.y * dyad::cos(v.x)) * v.y; }, "sin(x)/cos(x)"));
static_assert(never([](auto v) { return v.x * v.y / dyad::sin(v.x); }, "x*y/sin(x)"));

// --- powers ---
static_assert(always([](auto v) { return dyad::pow(-v.x, 2); }, "x^2"));
static_assert(always([](auto v) { return dyad::pow(-v.x, 3); }, "-x^3"));
static_assert(always([](auto v) { return dyad::square(dyad::abs(v.x)); }, "x^2"));
static_assert(always([](auto v) { return dyad::pow(v.x, -1); }, "1/x"));
static_assert(fast([](auto v) { return dyad::pow(v.x, -2); }, "1/x^2")); // whose slope divides by x^4, not strictly by (x^2)^2
static_assert(always([](auto v) { return dyad::pow(v.x, 0); }, "1"));
static_assert(fast([](auto v) { return dyad::pow(v.x, 3.0); }, "x^3"));
static_assert(fast([](auto v) { return dyad::pow(v.x, 0.5); }, "sqrt(x)"));
static_assert(fast([](auto v) { return dyad::pow(v.x, -0.5); }, "1/sqrt(x)"));
static_assert(never([](auto v) { return dyad::pow(v.x, 1.5); }, "x^1.5")); // the slope of x*sqrt(x) at 0 is NaN
static_assert(fast([](auto v) { return dyad::cube(dyad::square(v.x)); }, "x^6"));
static_assert(fast([](auto v) { return dyad::cube(2 * v.x); }, "8*x^3"));
static_assert(fast([](auto v) { return dyad::square(v.x) * dyad::cube(v.x); }, "x^5"));

// --- functions ---
static_assert(always([](auto v) { return dyad::sin(-v.x); }, "-sin(x)"));
static_assert(always([](auto v) { return dyad::cos(-v.x); }, "cos(x)"));
static_assert(always([](auto v) { return dyad::atan(-v.x) * dyad::erf(-v.y); }, "atan(x)*erf(y)"));
static_assert(always([](auto v) { return dyad::abs(dyad::abs(v.x)); }, "abs(x)"));
static_assert(always([](auto v) { return dyad::abs(dyad::exp(v.x)); }, "exp(x)"));
static_assert(fast([](auto v) { return dyad::exp(v.x) - 1; }, "expm1(x)"));
static_assert(fast([](auto v) { return dyad::log(1 + v.x); }, "log1p(x)"));
static_assert(fast([](auto v) { return dyad::log(1 - v.x); }, "log1p(-x)"));
static_assert(fast([](auto v) { return dyad::log(dyad::exp(v.x)); }, "x"));
static_assert(fast([](auto v) { return dyad::log(1 + dyad::exp(v.x)); }, "softplus(x)"));
static_assert(fast([](auto v) { return dyad::log1p(dyad::exp(v.x)); }, "softplus(x)"));
static_assert(fast([](auto v) { return dyad::log1p(dyad::expm1(v.x)); }, "x"));
static_assert(faster([](auto v) { return dyad::sqrt(v.x * v.x); }, "abs(x)", "sqrt(x^2)"));
static_assert(faster([](auto v) { return dyad::sqrt(9 * v.x * v.x); }, "3*abs(x)", "sqrt(x*9*x)"));
static_assert(fast([](auto v) { return dyad::exp(v.x) / (1 + dyad::exp(v.x)); }, "sigmoid(x)"));
static_assert(fast([](auto v) { return 1 / (1 + dyad::exp(-v.x)); }, "sigmoid(x)"));
static_assert(never([](auto v) { return dyad::exp(dyad::log(v.x)); }, "exp(log(x))"));
static_assert(never([](auto v) { return dyad::log(2 + v.x); }, "log(x + 2)"));

// --- order, sharing, conditions ---
static_assert(always([](auto v) { return dyad::sin(v.x * v.y) + dyad::sin(v.y * v.x); }, "2*sin(x*y)"));
static_assert(reads(graph_by<decltype([](auto v) { return dyad::max(v.y, v.x) * v.x; })>(policy::strict), "x*max(y, x)")); // which zero would it be?
static_assert(always([](auto v) { return dyad::min(v.x, v.x); }, "x"));
static_assert(always([](auto v) { return dyad::where(v.x < v.y, v.x, v.x); }, "x"));
static_assert(always([](auto v) { return dyad::where(!(v.x < v.y), v.x, v.y); }, "where(x < y, y, x)"));
static_assert(always([](auto v) { return dyad::where(v.x < v.x, v.x, v.y); }, "y"));
static_assert(always([](auto v) { return dyad::where(!!(v.x < v.y), v.x, v.y); }, "where(x < y, x, y)"));
static_assert(always([](auto v) { return dyad::where(v.x < v.y && v.x < v.y, v.x, v.y); }, "where(x < y, x, y)"));
static_assert(always([](auto v) { return dyad::where(v.x < v.y, dyad::where(v.x < v.y, v.x, 2), v.y); },
                     "where(x < y, x, y)"));
static_assert(never([](auto v) { return dyad::where(v.x == v.x, v.x, v.y); }, "where(x == x, x, y)")); // NaN


// --- values ---

/// Whether two results are the same to the last bit and to the sign of a zero.
bool same_bits(double a, double b) {
    return (a != a && b != b) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

struct lcg {
    std::uint64_t state = 1;
    double operator()() { // of any size between 2^-30 and 2^30, of either sign
        state = state * 6364136223846793005U + 1442695040888963407U;
        const double mantissa = 1 + static_cast<double>(state >> 12) * 0x1p-52;
        return std::ldexp(state >> 11 & 1 ? mantissa : -mantissa, static_cast<int>(state >> 5 & 63) - 31);
    }
};

constexpr auto two_sum = [](auto a) {
    const auto sum = a[0] + a[1];
    const auto part = sum - a[0];
    return std::array{sum, (a[0] - (sum - part)) + (a[1] - part)};
};
constexpr auto fast_two_sum = [](auto a) {
    const auto sum = a[0] + a[1];
    return std::array{sum, a[1] - (sum - a[0])};
};
constexpr auto kahan = [](auto a) {
    auto sum = a[0], compensation = 0 * a[0];
    for (std::size_t i = 1; i < a.size(); ++i) {
        const auto y = a[i] - compensation, t = sum + y;
        compensation = (t - sum) - y;
        sum = t;
    }
    return std::array{sum, compensation};
};
constexpr auto neumaier = [](auto a) {
    auto sum = a[0], compensation = 0 * a[0];
    for (std::size_t i = 1; i < a.size(); ++i) {
        const auto t = sum + a[i];
        compensation += dyad::where(dyad::abs(sum) >= dyad::abs(a[i]), (sum - t) + a[i], (a[i] - t) + sum);
        sum = t;
    }
    return std::array{sum + compensation};
};
/// The halves of a number's digits: of a double or of a float.
template <class T>
constexpr auto split = [](auto x) {
    constexpr T scale = std::is_same_v<T, float> ? T(4097) : T(134217729);
    const auto scaled = scale * x, high = scaled - (scaled - x);
    return std::array{high, x - high};
};
/// The same as Dekker wrote it.
template <class T>
constexpr auto split_by_sum = [](auto x) {
    constexpr T scale = std::is_same_v<T, float> ? T(4097) : T(134217729);
    const auto scaled = scale * x, rest = x - scaled, high = rest + scaled;
    return std::array{high, x - high};
};
/// A product, and what rounding took from it (Dekker, Veltkamp).
template <class T>
constexpr auto two_product = [](auto a) {
    const auto product = a[0] * a[1];
    const auto [ah, al] = split<T>(a[0]);
    const auto [bh, bl] = split<T>(a[1]);
    return std::array{product, ((ah * bh - product) + ah * bl + al * bh) + al * bl};
};

} // namespace

TEST_CASE("compensated sums survive the fast policy to the last bit") {
    lcg random;
    const auto survives = [&](const auto& f, auto numbers) {
        for (int trial = 0; trial < 200; ++trial) {
            for (double& number : numbers) number = random();
            const auto traced = dyad::jvp(f)(numbers, numbers).first;
            const auto plain = f(numbers);
            for (std::size_t i = 0; i < plain.size(); ++i) REQUIRE(same_bits(traced[i], plain[i]));
        }
    };
    survives(two_sum, std::array<double, 2>{});
    survives(fast_two_sum, std::array<double, 2>{});
    survives(kahan, std::array<double, 12>{});
    survives(neumaier, std::array<double, 12>{});
    survives(two_product<double>, std::array<double, 2>{});
    const auto [sum, error] = dyad::jvp(two_sum)(std::array{1.0, 1e-20}, std::array{0.0, 0.0}).first;
    CHECK(sum == 1.0);
    CHECK(error == 1e-20);
}

TEST_CASE("what splits numbers into halves splits them, and has the slopes of both") {
    const auto halves_by = [](const auto& f, auto x) {
        using number = decltype(x);
        const auto [high, low] = dyad::jvp(f)(x, number(3)).first;
        const auto [high_slope, low_slope] = dyad::jvp(f)(x, number(3)).second;
        CHECK(high + low == x);
        CHECK(low != 0);
        CHECK(high * high == number(double(high) * double(high))); // its digits are few
        CHECK(high_slope == 3);
        CHECK(low_slope == 0);
    };
    const auto halves = [&](auto x) {
        halves_by(split<decltype(x)>, x);
        halves_by(split_by_sum<decltype(x)>, x);
        halves_by([](auto y) { // the sum the other way round
            using number = decltype(x);
            const auto scaled = (std::is_same_v<number, float> ? number(4097) : number(134217729)) * y, high = scaled + (y - scaled);
            return std::array{high, y - high};
        }, x);
    };
    halves(3.14159265358979);
    halves(-1e-7 / 3);
    halves(3.1415927F);
    static_assert(fast([](auto s) { return 4000 * s.x - s.x; }, "3999*x"));
    static_assert(fast([](auto s) { return 5000 / s.x - 1 / s.x; }, "4999/x")); // (which is infinite at 0, not NaN)
    static_assert(reads(graph_by<decltype([](auto s) { return s.x - 5000 * s.x; })>(policy::fast), "x - 5000*x"));
    static_assert(census(graph_by<decltype([](auto s) { return 1e308 * s.x - 1e-300 * s.x; })>(policy::fast)).of[static_cast<std::size_t>(dyad::opcode::sub)] == 1);
}

TEST_CASE("a strict program has the bits of the program as written, signs of zeros too") {
    const auto keeps = [](const auto& f) {
        const double inf = std::numeric_limits<double>::infinity(), tiny = std::numeric_limits<double>::denorm_min();
        const double points[] = {0.0, -0.0, 1, -1, 2, -2, 0.1, -0.1, 1e16, -1e16, 1e300, 1e-300, tiny, inf, -inf, inf - inf};
        for (const double x : points) {
            for (const double y : points) {
                const double traced = dyad::value_and_grad(dyad::strict(f))(x, y).first;
                CHECK_MESSAGE(same_bits(traced, f(x, y)), "x = ", x, ", y = ", y, ": ", traced, " instead of ", f(x, y));
            }
        }
    };
    keeps([](auto x, auto y) { return x + 0.0 * y; });
    keeps([](auto x, auto y) { return (x + y) - x; });
    keeps([](auto x, auto y) { return 0 - x * y; });
    keeps([](auto x, auto y) { return -(x - y); });
    keeps([](auto x, auto y) { return x / 8 + y / -3; });
    keeps([](auto x, auto y) { return -2 * x - -y; });
    keeps([](auto x, auto y) { return (x - 0.0) * (y - 1 + 1); });
    keeps([](auto x, auto y) { return x * x * x + y / y; });
    keeps([](auto x, auto y) { return dyad::sqrt(x * x) - dyad::abs(y * y); });
    keeps([](auto x, auto y) { return dyad::where(x <= y, x / y, y - x); });
}

TEST_CASE("strict: -x - y is not -(x + y), which is -0 where the former is 0") {
    const auto f = [](auto x, auto y) { return -x - y; };
    CHECK(same_bits(dyad::value_and_grad(dyad::strict(f))(1.0, -1.0).first, 0.0));
}

TEST_CASE("strict: x - -0 is 0 for x = -0, and the root of -0 is not its own absolute value") {
    const auto f = [](auto x) { return x - -0.0; };
    CHECK(same_bits(dyad::value_and_grad(dyad::strict(f))(-0.0).first, 0.0));
    const auto g = [](auto x) { return dyad::abs(dyad::sqrt(x)); };
    CHECK(same_bits(dyad::value_and_grad(dyad::strict(g))(-0.0).first, 0.0));
}

TEST_CASE("strict: a constant that is wider than a double is not the power of two that it is near") {
    static constexpr long double wide = 2 + std::numeric_limits<long double>::epsilon() * 2;
    const auto f = [](auto x) { return x / wide; };
    CHECK(dyad::value_and_grad(dyad::strict(f))(1.0L).first == 1.0L / wide);
    CHECK(dyad::value_and_grad(f)(1.0L).first == 1.0L / wide);
}

TEST_CASE("constants that would overflow together stay apart") {
    const auto near = [](double got, double want) { CHECK(std::abs(got / want - 1) < 1e-14); };
    near(dyad::value_and_grad([](auto x) { return 1e200 * (1e200 * x); })(1e-300).first, 1e100);
    near(dyad::value_and_grad([](auto x) { return 1e308 * x + 0.9e308 * x; })(0.1).first, 1.9e307);
    near(dyad::value_and_grad([](auto x) { return 1e308 * x + 1e308 * x; })(0.1).first, 2e307);
    near(dyad::value_and_grad([](auto x) { return (x + 1e308) + 1e308; })(-1e308).first, 1e308);
}

TEST_CASE("constants that would vanish together stay apart") {
    const auto near = [](double got, double want) { CHECK(std::abs(got / want - 1) < 1e-14); };
    near(dyad::value_and_grad([](auto x) { return 1e-200 * (1e-200 * x); })(1e300).first, 1e-100);
    near(dyad::value_and_grad([](auto x) { return 1e-200 * (1e-200 / x); })(1e-300).first, 1e-100);
    near(dyad::value_and_grad([](auto x) { return dyad::cube(1e-150 * x); })(1e160).first, 1e30);
    near(dyad::value_and_grad([](auto x) { return (1e-200 * x) / 1e200; })(1e300).first, 1e-100);
}

TEST_CASE("the three policies agree where nothing can go wrong") {
    const auto f = [](auto x, auto y) {
        return dyad::log(1 + dyad::exp(x * y)) + dyad::pow(x, 3.0) / (2 * x) - (dyad::exp(y) - 1) * dyad::sqrt(x * x);
    };
    const auto fast_gradient = dyad::grad(f)(0.75, 1.5), strict_gradient = dyad::grad(dyad::strict(f))(0.75, 1.5),
               verbatim_gradient = dyad::grad(dyad::verbatim(f))(0.75, 1.5);
    CHECK(std::get<0>(fast_gradient) == doctest::Approx(std::get<0>(verbatim_gradient)).epsilon(1e-14));
    CHECK(std::get<1>(fast_gradient) == doctest::Approx(std::get<1>(verbatim_gradient)).epsilon(1e-14));
    CHECK(std::get<0>(strict_gradient) == doctest::Approx(std::get<0>(verbatim_gradient)).epsilon(1e-14));
    CHECK(std::get<1>(strict_gradient) == doctest::Approx(std::get<1>(verbatim_gradient)).epsilon(1e-14));
}
TEST_CASE("no summand is dropped for being small, and floats' constants do not vanish together") {
    const auto [value, slope] = dyad::value_and_grad([](auto x) { return sqrt(1 + cos(x) + 1e-20); })(3.14159265358979323846);
    const auto near = [](double got, double want, double tolerance = 1e-14) { CHECK(std::abs(got / want - 1) < tolerance); };
    near(value, 1e-10);
    near(slope, -6.123233995736766e-7);
    static_assert(dyad::formula(dyad::graph_of<double>([](auto x) { return 1 + x + 0.5; })) == "x0 + 1.5");
    near(dyad::value_and_grad([](auto x) { return 1e-25F * (1e-25F * x); })(1e30F).first, 1e-20, 4e-7);
}
