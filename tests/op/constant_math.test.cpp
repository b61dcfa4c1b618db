// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Compiled references are nearest doubles of 21-digit values; at run time the oracle is the
// standard library, in long double (where 0.51 units in the last place are allowed) and in double.

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <limits>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include <dyad/op/constant_math.hpp>

namespace {

namespace c = dyad::constant;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double most = std::numeric_limits<double>::max();
constexpr double least = std::numeric_limits<double>::denorm_min();

/// One value, zeros by their sign.
template <class T>
constexpr bool same(T a, T b) {
    if (a != a || b != b) return a != a && b != b;
    return a == b && c::negative(a) == c::negative(b);
}

// Between the special points

static_assert(same(c::sqrt(2.0), 1.41421356237309504880));
static_assert(same(c::sqrt(0.1), 0.316227766016837941977));
static_assert(same(c::sqrt(1e-300), 1.00000000000000001253e-150));
static_assert(same(c::sqrt(5e-324), 2.22275874948507748344e-162));
static_assert(same(c::cbrt(2.0), 1.25992104989487316477));
static_assert(same(c::cbrt(-0.3), -0.669432950082169513625));
static_assert(same(c::exp(1.0), 2.71828182845904523536));
static_assert(same(c::exp(-0.7), 0.496585303791409536758));
static_assert(same(c::exp(700.5), 1.67218596206749855724e+304));
static_assert(same(c::exp(-740.0), 4.18873988004804893946e-322));
static_assert(same(c::exp2(0.5), 1.41421356237309504880));
static_assert(same(c::exp2(-10.3), 7.93215230816635861882e-4));
static_assert(same(c::exp2(1000.1), 1.14841449006148464627e+301));
static_assert(same(c::expm1(1e-10), 1.00000000005000003643e-10));
static_assert(same(c::expm1(0.3), 0.349858807576003088997));
static_assert(same(c::expm1(-2.5), -0.917915001376101204830));
static_assert(same(c::expm1(40.0), 2.35385266837019984408e+17));
static_assert(same(c::log(2.0), 0.693147180559945309417));
static_assert(same(c::log(0.999), -0.00100050033358353438921));
static_assert(same(c::log(1e-310), -713.801378828154165101));
static_assert(same(c::log(1.5e300), 691.180993006321869640));
static_assert(same(c::log2(3.0), 1.58496250072115618145));
static_assert(same(c::log2(0.99), -0.0144995696951150895769));
static_assert(same(c::log10(2.0), 0.301029995663981195214));
static_assert(same(c::log10(0.999), -4.34511774017691692583e-4));
static_assert(same(c::log10(3e-200), -199.522878745280337570));
static_assert(same(c::log1p(1e-12), 9.99999999999499979887e-13));
static_assert(same(c::log1p(-0.3), -0.356674943938732363052));
static_assert(same(c::log1p(17.0), 2.89037175789616469221));
static_assert(same(c::sin(0.5), 0.479425538604203000273));
static_assert(same(c::sin(3.0), 0.141120008059867222101));
static_assert(same(c::sin(-100.0), 0.506365641109758793657));
static_assert(same(c::sin(1e9), 0.545843449448699564244));
static_assert(same(c::sin(3.141592653589793), 1.22464679914735317723e-16));
static_assert(same(c::cos(0.5), 0.877582561890372716116));
static_assert(same(c::cos(3.0), -0.989992496600445457272));
static_assert(same(c::cos(-100.0), 0.862318872287683934102));
static_assert(same(c::cos(1e9), 0.837887181363902334390));
static_assert(same(c::cos(1.5707963267948966), 6.12323399573676588613e-17));
static_assert(same(c::cos(0x1.7512069b7430dp+47), 1.917727380821700425929e-17), "three words of π");
static_assert(same(c::tan(0.5), 0.546302489843790513255));
static_assert(same(c::tan(3.0), -0.142546543074277805296));
static_assert(same(c::tan(1.5707963267948966), 1.63312393531953697560e+16));
static_assert(same(c::asin(0.3), 0.304692654015397496334));
static_assert(same(c::asin(-0.99), -1.42925685347046933752));
static_assert(same(c::asin(0.9999999), 1.57034911319578757799));
static_assert(same(c::acos(0.3), 1.26610367277949912290));
static_assert(same(c::acos(-0.99), 3.00005318026536595676));
static_assert(same(c::acos(0.9999999), 4.47213599109041237073e-4));
static_assert(same(c::atan(0.3), 0.291456794477867081810));
static_assert(same(c::atan(1.0), 0.785398163397448309616));
static_assert(same(c::atan(-50.0), -1.55079899282174608617));
static_assert(same(c::sinh(0.3), 0.304520293447142607353));
static_assert(same(c::sinh(-3.0), -10.0178749274099018990));
static_assert(same(c::sinh(710.0), 1.11699738308085551563e+308));
static_assert(same(c::cosh(0.3), 1.04533851412886048164));
static_assert(same(c::cosh(-3.0), 10.0676619957777658420));
static_assert(same(c::cosh(710.0), 1.11699738308085551563e+308));
static_assert(same(c::tanh(0.3), 0.291312612451590895658));
static_assert(same(c::tanh(-3.0), -0.995054753686730451332));
static_assert(same(c::asinh(0.3), 0.295673047563422428469));
static_assert(same(c::asinh(-30.0), -4.09462222433053056996));
static_assert(same(c::asinh(1e200), 461.210165779369082083));
static_assert(same(c::acosh(1.0001), 0.0141420177752515454977));
static_assert(same(c::acosh(3.0), 1.76274717403908605047));
static_assert(same(c::acosh(1e200), 461.210165779369082083));
static_assert(same(c::atanh(0.3), 0.309519604203111703274));
static_assert(same(c::atanh(-0.999), -3.80020116725019958746));
static_assert(same(c::atanh(1e-9), 1.00000000000000006261e-9));
static_assert(same(c::erf(0.3), 0.328626759459127416190));
static_assert(same(c::erf(1.0), 0.842700792949714869341));
static_assert(same(c::erf(-2.5), -0.999593047982555041060));
static_assert(same(c::erfc(0.3), 0.671373240540872583810));
static_assert(same(c::erfc(1.0), 0.157299207050285130659));
static_assert(same(c::erfc(5.0), 1.53745979442803485019e-12));
static_assert(same(c::erfc(26.0), 5.66319240885614284648e-296));
static_assert(same(c::erfc(-1.5), 1.96610514647531072707));
static_assert(same(c::tgamma(0.5), 1.77245385090551602730));
static_assert(same(c::tgamma(4.5), 11.6317283965674489291));
static_assert(same(c::tgamma(-1.5), 2.36327180120735470306));
static_assert(same(c::tgamma(100.5), 9.32096310408271660835e+156));
static_assert(same(c::tgamma(1e-5), 99999.4227942255594932));
static_assert(same(c::lgamma(0.5), 0.572364942924700087072));
static_assert(same(c::lgamma(1.001), -5.76393598283306151519e-4));
static_assert(same(c::lgamma(1.999), -4.22461800692107284176e-4));
static_assert(same(c::lgamma(100.5), 361.435540467777621555));
static_assert(same(c::lgamma(-1.5), 0.860047015376481014511));
static_assert(same(c::atan2(1.0, 2.0), 0.463647609000806116214));
static_assert(same(c::atan2(-3.0, -0.5), -1.73594500420952345751));
static_assert(same(c::atan2(1e-200, 1e100), 9.99999999999999966197e-301));
static_assert(same(c::pow(2.0, 0.5), 1.4142135623730950488));
static_assert(same(c::pow(1.0000001, 1e8), 22026.4549101825338401));
static_assert(same(c::pow(0.3, -200.5), 6.87366605229426618317e+104));
static_assert(same(c::pow(-1.7, 31.0), -13928891.7338850901664));
static_assert(same(c::pow(1e300, -0.999), 1.99526231496888072085e-300));
static_assert(same(c::hypot(1.0, 1.0), 1.4142135623730950488));
static_assert(same(c::hypot(1e300, 2e300), 2.23606797749978981381e+300));
static_assert(same(c::hypot(1e-310, 3e-310), 3.16227766016836967103e-310));

// Exact values

static_assert(same(c::sqrt(4.0), 2.0) && same(c::sqrt(1e22), 1e11) && same(c::cbrt(-27.0), -3.0));
static_assert(same(c::hypot(3.0, 4.0), 5.0) && same(c::hypot(-5e-324, 0.0), 5e-324));
static_assert(same(c::exp2(-1074.0), least) && same(c::exp2(10.0), 1024.0));
static_assert(same(c::log2(least), -1074.0) && same(c::log2(0.125), -3.0));
static_assert(same(c::log10(1e22), 22.0) && same(c::log10(1000.0), 3.0));
static_assert(same(c::pow(3.0, 33.0), 5559060566555523.0) && same(c::pow(-2.0, -3.0), -0.125));
static_assert(same(c::pow(10.0, -3.0), 0.001) && same(c::pow(9.0, 1.5), 27.0));
static_assert(same(c::tgamma(1.0), 1.0) && same(c::tgamma(5.0), 24.0));
static_assert(same(c::tgamma(19.0), 6402373705728000.0) && same(c::lgamma(3.0), c::log(2.0)));
static_assert(same(c::lgamma(1.0), 0.0) && same(c::lgamma(2.0), 0.0));
static_assert(same(c::atan2(1.0, 1.0), c::atan(1.0)) && same(c::acos(1.0), 0.0));
static_assert(same(c::fmod(5.5, -2.0), 1.5) && same(c::fmod(-5.5, 2.0), -1.5));
static_assert(same(c::fmod(1e300, 7.0), 1.0) && same(c::fmod(1.0, least), 0.0));
static_assert(same(c::floor(-1.5), -2.0) && same(c::ceil(-1.5), -1.0) &&
              same(c::trunc(-1.5), -1.0));
static_assert(same(c::round(2.5), 3.0) && same(c::round(-2.5), -3.0));
static_assert(same(c::round(0.49999999999999994), 0.0) && same(c::floor(1e300), 1e300));
static_assert(same(c::ceil(-0.5), -0.0) && same(c::round(-0.2), -0.0) &&
              same(c::floor(-0.0), -0.0));
static_assert(same(c::fabs(-0.0), 0.0) && same(c::copysign(2.0, -0.0), -2.0));
static_assert(same(c::fmin(nan, 1.0), 1.0) && same(c::fmax(1.0, nan), 1.0));
static_assert(same(c::fmax(-0.0, 0.0), 0.0) && same(c::fmin(0.0, -0.0), -0.0));
static_assert(same(c::fma(0.1, 10.0, -1.0), 0x1p-54), "the product is not rounded");
static_assert(same(c::fma(0x1p-600, 0x1p-600, 0x1.0000000000001p0), 0x1.0000000000001p0));
static_assert(same(c::fma(0x1p-27, 0x1p-26, 0x1.0000000000001p0), 0x1.0000000000002p0));
static_assert(same(c::fma(0x1.fffffffffffffp-28, 0x1p-26, 0x1.0000000000001p0),
                   0x1.0000000000001p0));

// Single and extended precision

static_assert(same(c::sin(0.5f), 0.479425538604203000273f));
static_assert(same(c::exp(88.7f), 3.3259768301593062e+38f) &&
              same(c::exp(89.0f), c::infinity<float>));
static_assert(same(c::pow(2.0f, -149.0f), 0x1p-149f) && same(c::sqrt(2.0f), 1.41421356f));
static_assert(same(c::fma(0x1.000002p0f, 0x1.000002p0f, -1.0f), 0x1p-22f));
static_assert(same(c::exp(1.0L), 2.71828182845904523536028747L));
static_assert(same(c::log(3.0L), 1.09861228866810969139524523692L));
static_assert(same(c::sin(1.0L), 0.841470984807896506652502321630L));
static_assert(same(c::pow(2.0L, 16383.0L), 0x1p16383L) && same(c::sqrt(9.0L), 3.0L));
static_assert(same(c::exp(12000.0L), c::infinity<long double>) && same(c::tgamma(5.0L), 24.0L));

// Zeros, poles, infinities and NaN, by Annex F of C

static_assert(same(c::sqrt(-0.0), -0.0) && same(c::sqrt(inf), inf) && same(c::sqrt(-1.0), nan));
static_assert(same(c::cbrt(-0.0), -0.0) && same(c::cbrt(-inf), -inf));
static_assert(same(c::hypot(inf, nan), inf) && same(c::hypot(-0.0, 0.0), 0.0));
static_assert(same(c::hypot(most, most), inf));
static_assert(same(c::exp(-inf), 0.0) && same(c::exp(710.0), inf) && same(c::exp(-746.0), 0.0));
static_assert(same(c::exp(0.0), 1.0) && same(c::exp(11370.0), inf) && same(c::exp(most), inf));
static_assert(same(c::exp2(1024.0), inf) && same(c::exp2(-1076.0), 0.0) &&
              same(c::exp2(-inf), 0.0));
static_assert(same(c::expm1(-0.0), -0.0) && same(c::expm1(-inf), -1.0) && same(c::expm1(inf), inf));
static_assert(same(c::log(0.0), -inf) && same(c::log(-1.0), nan) && same(c::log(1.0), 0.0));
static_assert(same(c::log2(inf), inf) && same(c::log10(-0.0), -inf) && same(c::log10(1.0), 0.0));
static_assert(same(c::log1p(-1.0), -inf) && same(c::log1p(-2.0), nan) &&
              same(c::log1p(-0.0), -0.0));
static_assert(same(c::sin(-0.0), -0.0) && same(c::sin(inf), nan) && same(c::cos(0.0), 1.0));
static_assert(same(c::tan(-0.0), -0.0) && same(c::tan(-inf), nan) && same(c::cos(nan), nan));
static_assert(same(c::asin(1.1), nan) && same(c::acos(nan), nan) && same(c::asin(-0.0), -0.0));
static_assert(same(c::atan(inf), 1.57079632679489661923) && same(c::atan(-0.0), -0.0));
static_assert(same(c::atan2(-0.0, -0.0), -3.14159265358979323846) &&
              same(c::atan2(-0.0, 0.0), -0.0));
static_assert(same(c::atan2(inf, -inf), 2.35619449019234492885) && same(c::atan2(1.0, inf), 0.0));
static_assert(same(c::sinh(-inf), -inf) && same(c::cosh(-inf), inf) && same(c::tanh(-inf), -1.0));
static_assert(same(c::sinh(711.0), inf) && same(c::tanh(-0.0), -0.0) && same(c::sinh(-0.0), -0.0));
static_assert(same(c::asinh(-inf), -inf) && same(c::acosh(0.9), nan) && same(c::acosh(1.0), 0.0));
static_assert(same(c::atanh(-1.0), -inf) && same(c::atanh(1.1), nan) && same(c::atanh(-0.0), -0.0));
static_assert(same(c::erf(-inf), -1.0) && same(c::erfc(-inf), 2.0) && same(c::erfc(inf), 0.0));
static_assert(same(c::erf(-0.0), -0.0) && same(c::erfc(0.0), 1.0) && same(c::erfc(28.0), 0.0));
static_assert(same(c::tgamma(-0.0), -inf) && same(c::tgamma(-3.0), nan) && same(c::tgamma(172.0), inf));
static_assert(same(c::tgamma(-inf), nan) && same(c::tgamma(inf), inf) && same(c::tgamma(-200.5), -0.0));
static_assert(same(c::lgamma(-3.0), inf) && same(c::lgamma(-inf), inf) && same(c::lgamma(most), inf));
static_assert(same(c::pow(nan, 0.0), 1.0) && same(c::pow(1.0, nan), 1.0) && same(c::pow(-1.0, inf), 1.0));
static_assert(same(c::pow(-0.0, -3.0), -inf) && same(c::pow(-0.0, -2.0), inf));
static_assert(same(c::pow(-0.0, 3.0), -0.0) && same(c::pow(-8.0, 0.5), nan));
static_assert(same(c::pow(-inf, 3.0), -inf) && same(c::pow(-inf, -3.0), -0.0) &&
              same(c::pow(0.5, inf), 0.0));
static_assert(same(c::pow(2.0, -inf), 0.0) && same(c::pow(1.0 + 0x1p-52, most), inf));
static_assert(same(c::pow(-2.0, 1e301), inf) && same(c::pow(-1.0, 9007199254740991.0), -1.0));
static_assert(same(c::fmod(1.0, 0.0), nan) && same(c::fmod(-0.0, 1.0), -0.0) && same(c::fmod(2.0, inf), 2.0));
static_assert(same(c::fma(inf, 0.0, 1.0), nan) && same(c::fma(inf, 2.0, -inf), nan));
static_assert(same(c::fma(-0.0, 1.0, 0.0), 0.0) && same(c::fma(-0.0, 1.0, -0.0), -0.0));
static_assert(same(c::fma(most, 2.0, -most), most) && same(c::fma(most, most, -inf), -inf));
// Many turns away (mpmath, 4,000 binary digits); 6381956970095103 2⁷⁹⁷ is the double next to a multiple of a quarter turn.
static_assert(same(c::sin(1e19), -0.9270631660486503852341) && same(c::cos(1e19), -0.3749051695507178301532));
static_assert(same(c::sin(1e22), -0.8522008497671888017727) && same(c::tan(-1e19), -2.472793765846527360338));
static_assert(same(c::sin(6381956970095103 * 0x1p797), 1.0) && same(c::cos(6381956970095103 * 0x1p797), -4.687165924254627611123e-19));
static_assert(same(c::cos(most), -0.9999876894265599374649) && same(c::sin(-most), -0.004961954789184061790503));
static_assert(same(c::sin(1.0000000000000003e18), -0.07876723977919220763616));
static_assert(same(c::sin(inf), nan) && same(c::cos(-inf), nan) && same(c::tan(nan), nan));

/// The distance in units of the last place of the double next to `want`.
double units(double got, long double want) {
    if (same(static_cast<long double>(got), want)) return 0;
    if (!std::isfinite(got)) return same(got, static_cast<double>(want)) ? 0 : inf;
    const int exponent = want == 0 ? -1022 : std::max(std::ilogb(want), -1022);
    return static_cast<double>(std::abs(got - want) / std::ldexp(1.0L, exponent - 52));
}

std::mt19937_64 generator(2024);

double uniform(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(generator);
}
/// Of every size from 2^from to 2^to, of either sign.
double any_size(double from, double to) {
    return (uniform(-1, 1) < 0 ? -1 : 1) * std::exp2(uniform(from, to));
}

constexpr int draws = 4000;
constexpr double bar = 0.51; // against long double
const std::array special = {0.0,  -0.0, 1.0,  -1.0, 0.5,   -0.5,    2.0,  -2.0,  3.0,    -3.5,
                            1e17, inf,  -inf, nan,  least, -2e-308, most, -most, 1e-100, 708.0};

/// Of one or two arguments; `double_bar` allows for what the standard library loses in double.
template <class F, class Standard, class... Draw>
void compare(const std::string& name, F f, Standard standard, double double_bar, Draw... draw) {
    CAPTURE(name);
    double worst = 0, worst_double = 0;
    const auto measure = [&](auto... x) {
        const double got = f(x...);
        worst = std::max(worst, units(got, standard(static_cast<long double>(x)...)));
        worst_double = std::max(worst_double, units(got, standard(x...)));
    };
    for (int i = 0; i < draws; ++i) measure(draw()...);
    CHECK(worst <= bar);
    CHECK(worst_double <= double_bar);
    for (const double x : special) {
        CAPTURE(x);
        if constexpr (sizeof...(Draw) == 1) {
            CHECK(units(f(x), standard(x)) <= double_bar);
        } else {
            for (const double y : special) {
                CAPTURE(y);
                CHECK(units(f(x, y), standard(x, y)) <= double_bar);
            }
        }
    }
}

/// Both libraries' functions of that name as objects, so that a precision can be chosen later.
#define BOTH(name)                                                                                 \
#name, [](auto... x) { return c::name(x...); }, [](auto... x) { return std::name(x...); }

} // namespace

TEST_CASE("roots, exponentials and logarithms are within 0.51 ulp of the true value") {
    compare(BOTH(sqrt), 0, [] { return std::abs(any_size(-1074, 1023)); });
    compare(BOTH(cbrt), 4, [] { return any_size(-1074, 1023); });
    compare(BOTH(exp), 1, [] { return uniform(-745, 710); });
    compare(BOTH(exp), 1, [] { return any_size(-60, 2); });
    compare(BOTH(exp2), 1, [] { return uniform(-1075, 1025); });
    compare(BOTH(expm1), 1, [] { return any_size(-60, 9); });
    compare(BOTH(log), 1, [] { return std::abs(any_size(-1074, 1023)); });
    compare(BOTH(log), 1, [] { return uniform(0.5, 2); });
    compare(BOTH(log2), 1, [] { return std::abs(any_size(-1074, 1023)); });
    compare(BOTH(log2), 1, [] { return uniform(0.5, 2); });
    compare(BOTH(log10), 2, [] { return std::abs(any_size(-1074, 1023)); });
    compare(BOTH(log1p), 1, [] { return any_size(-60, -0.01); });
    compare(BOTH(log1p), 1, [] { return std::abs(any_size(0, 1000)); });
}

TEST_CASE("trigonometric functions are within 0.51 ulp of the true value") {
    const auto turns = [] { return any_size(-60, 59); };
    const auto many_turns = [] { return any_size(59, 1023); };
    const auto near_pole = [] { return std::round(uniform(-1e9, 1e9)) * 1.5707963267948966; };
    const auto compare_turned = [=](const char* name, auto f, auto standard) {
        compare(name, f, standard, 1, turns);
        compare(name, f, standard, 1, many_turns);
        compare(name, f, standard, 1, near_pole);
    };
    compare_turned(BOTH(sin));
    compare_turned(BOTH(cos));
    compare_turned(BOTH(tan));
    compare(BOTH(asin), 1, [] { return uniform(-1, 1); });
    compare(BOTH(asin), 1, [] { return any_size(-60, -1); });
    compare(BOTH(acos), 1, [] { return uniform(-1, 1); });
    compare(BOTH(acos), 1, [] { return 1 - std::abs(any_size(-50, -1)); });
    compare(BOTH(atan), 1, [] { return any_size(-60, 60); });
    compare(
        BOTH(atan2), 1, [] { return any_size(-30, 30); }, [] { return any_size(-30, 30); });
}

TEST_CASE("hyperbolic functions are within 0.51 ulp of the true value") {
    compare(BOTH(sinh), 2, [] { return any_size(-60, 9.5); });
    compare(BOTH(cosh), 2, [] { return any_size(-10, 9.5); });
    compare(BOTH(tanh), 2, [] { return any_size(-60, 5); });
    compare(BOTH(asinh), 2, [] { return any_size(-60, 1000); });
    compare(BOTH(acosh), 2, [] { return 1 + std::abs(any_size(-50, 50)); });
    compare(BOTH(acosh), 2, [] { return std::abs(any_size(1, 1000)); });
    compare(BOTH(atanh), 2, [] { return any_size(-60, -1e-6); });
}

TEST_CASE("error and gamma functions are within 0.51 ulp of the true value") {
    compare(BOTH(erf), 1, [] { return any_size(-60, 3); });
    compare(BOTH(erfc), 5, [] { return uniform(-6, 26); });
    compare(BOTH(erfc), 5, [] { return any_size(-40, 1); });
    compare(BOTH(tgamma), 10, [] { return uniform(0.01, 172); });
    compare(BOTH(tgamma), 10, [] { return uniform(-170, 0); });
    compare(BOTH(lgamma), 5, [] { return uniform(0, 20); });
    compare(BOTH(lgamma), 5, [] { return std::abs(any_size(-1000, 1000)); });
}

TEST_CASE("lgamma of negative numbers is within 1e-18 beside its zeros") {
    for (int i = 0; i < draws; ++i) {
        const double x = uniform(-50, 0);
        const long double want = std::lgamma(static_cast<long double>(x));
        CAPTURE(x);
        CHECK(std::abs(c::lgamma(x) - want) <= 1e-18L + 0x1.05p-53L * std::abs(want));
    }
}

TEST_CASE("powers and distances are within 0.51 ulp of the true value") {
    const auto positive = [] { return std::abs(any_size(-1074, 1023)); };
    compare(BOTH(pow), 1, positive, [] { return any_size(-20, 0); });
    compare(
        BOTH(pow), 1, [] { return uniform(0, 4); }, [] { return uniform(-300, 300); });
    compare(
        BOTH(pow), 1, [] { return uniform(-4, 0); }, [] { return std::round(uniform(-99, 99)); });
    compare(
        BOTH(pow), 1, [] { return 1 + any_size(-50, -2); }, [] { return any_size(0, 50); });
    compare(
        BOTH(hypot), 1, [] { return any_size(-30, 30); }, [] { return any_size(-30, 30); });
    compare(BOTH(hypot), 1, positive, positive);
}

TEST_CASE("remainders, roundings and fused products are exact") {
    const auto whole = [] { return any_size(-3, 54); };
    compare(
        BOTH(fmod), 0, [] { return any_size(-90, 90); }, [] { return any_size(-90, 90); });
    compare(
        BOTH(fmod), 0, [] { return any_size(-1074, 1023); }, [] { return any_size(-1074, 1023); });
    compare(BOTH(floor), 0, whole);
    compare(BOTH(ceil), 0, whole);
    compare(BOTH(trunc), 0, whole);
    compare(BOTH(round), 0, whole);
    compare(BOTH(fabs), 0, whole);
    compare(BOTH(copysign), 0, whole, whole);
    for (int i = 0; i < 10 * draws; ++i) {
        const double x = any_size(-30, 30), y = any_size(-30, 30);
        const double z = i % 2 == 0 ? -x * y * (1 + any_size(-54, 0)) : any_size(-140, 140);
        CAPTURE(x);
        CAPTURE(y);
        CAPTURE(z);
        CHECK(same(c::fma(x, y, z), std::fma(x, y, z)));
        const auto a = static_cast<float>(x), b = static_cast<float>(y), d = static_cast<float>(z);
        CHECK(same(c::fma(a, b, d), std::fma(a, b, d)));
    }
    for (const double x : special) {
        for (const double y : special) {
            for (const double z : special) {
                CAPTURE(x);
                CAPTURE(y);
                CAPTURE(z);
                CHECK(same(c::fma(x, y, z), std::fma(x, y, z)));
            }
            if (x == 0 && y == 0) continue; // either zero will do
            CHECK(same(c::fmin(x, y), std::fmin(x, y)));
            CHECK(same(c::fmax(x, y), std::fmax(x, y)));
        }
    }
}
