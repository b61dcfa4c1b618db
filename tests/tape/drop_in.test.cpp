// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Code that was written for double, as it stands: algorithms and containers, limits, streams, factorisations, Eigen.

#include <dyad/tape.hpp>
#include <dyad/tape/eigen.hpp>

#include <Eigen/Dense>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <sstream>
#include <type_traits>
#include <vector>

namespace {

using dyad::real, dyad::tape;

/// log |det A| by elimination with pivots; A row by row.
template <class T>
T log_determinant(std::vector<T> a, std::size_t n) {
    using std::abs, std::log, std::swap;
    T sum = 0;
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k + 1; i < n; ++i) {
            if (abs(a[i * n + k]) > abs(a[pivot * n + k])) pivot = i;
        }
        for (std::size_t j = 0; j < n; ++j) swap(a[k * n + j], a[pivot * n + j]);
        sum += log(abs(a[k * n + k]));
        for (std::size_t i = k + 1; i < n; ++i) {
            a[i * n + k] /= a[k * n + k];
            for (std::size_t j = k + 1; j < n; ++j) a[i * n + j] -= a[i * n + k] * a[k * n + j];
        }
    }
    return sum;
}

/// The sum of the diagonal of R in A = Q R, by Householder's reflections.
template <class T>
T qr_trace(std::vector<T> a, int rows, int columns) {
    using std::sqrt;
    T trace = T(0);
    for (int k = 0; k < columns; ++k) {
        T norm = 0;
        for (int i = k; i < rows; ++i) norm += a[static_cast<std::size_t>(i * columns + k)] * a[static_cast<std::size_t>(i * columns + k)];
        norm = sqrt(norm);
        T* const head = &a[static_cast<std::size_t>(k * columns + k)];
        const T diagonal = *head > 0 ? T(-norm) : norm;
        trace += diagonal;
        *head -= diagonal;
        T square{};
        for (int i = k; i < rows; ++i) square += a[static_cast<std::size_t>(i * columns + k)] * a[static_cast<std::size_t>(i * columns + k)];
        for (int j = k + 1; j < columns; ++j) {
            T dot = 0;
            for (int i = k; i < rows; ++i) dot += a[static_cast<std::size_t>(i * columns + k)] * a[static_cast<std::size_t>(i * columns + j)];
            for (int i = k; i < rows; ++i) a[static_cast<std::size_t>(i * columns + j)] -= 2 * dot / square * a[static_cast<std::size_t>(i * columns + k)];
        }
    }
    return trace;
}

/// A bisection that ends by the type's own precision.
template <class T>
T root_of_cosine() {
    using std::cos;
    T low = 0, high = 3;
    while (high - low > 4 * std::numeric_limits<T>::epsilon()) {
        const T middle = (low + high) / 2;
        (cos(middle) > 0 ? low : high) = middle;
    }
    return low;
}

std::vector<double> matrix(std::size_t n) {
    std::vector<double> a(n * n);
    for (std::size_t k = 0; k < n * n; ++k) a[k] = std::sin(1.0 + 0.7 * static_cast<double>(k * k));
    return a;
}
void agrees_with_differences(auto f, const std::vector<double>& x) {
    const auto [value, slope] = dyad::tape_value_and_grad(f)(x);
    CHECK(value == f(x));
    for (std::size_t k = 0; k < x.size(); ++k) {
        std::vector<double> up = x, down = x;
        up[k] += 1e-6;
        down[k] -= 1e-6;
        CHECK(slope[k] == doctest::Approx((f(up) - f(down)) / (up[k] - down[k])).epsilon(2e-7));
    }
}

} // namespace

TEST_CASE("limits, types and conversions are those of the number inside") {
    static_assert(std::numeric_limits<real>::is_specialized);
    static_assert(std::numeric_limits<real>::digits == 53);
    CHECK(std::numeric_limits<real>::max().value() == std::numeric_limits<double>::max());
    CHECK(isinf(std::numeric_limits<real>::infinity()));
    CHECK(std::numeric_limits<dyad::active<float>>::epsilon().value() == std::numeric_limits<float>::epsilon());
    CHECK(std::numeric_limits<dyad::dual<double, 3>>::lowest().value() == std::numeric_limits<double>::lowest());
    static_assert(std::is_same_v<std::common_type_t<real, double>, real>);
    static_assert(std::is_same_v<std::common_type_t<int, real>, real>);
    static_assert(std::is_same_v<decltype(real(1) < real(2)), bool>);
    static_assert(std::is_same_v<decltype(real(1) * 2.0 == 2), bool>);
    const real x = 2.75;
    CHECK(static_cast<double>(x) == 2.75);
    CHECK(static_cast<int>(x) == 2);
    CHECK(static_cast<float>(x * 2) == 5.5F);
    CHECK(static_cast<bool>(x));
    CHECK(!real(0));
}

TEST_CASE("comparisons with numbers, operations and other reals") {
    const real x = 2, y = 3;
    CHECK((x < y && y > x && x <= 2 && 3.0 >= y && x != y && x == 2 && !(x == y)));
    CHECK((x * y > x + y && x * y == 6 && 7 > x * y && -x < 0 && (x < y || x > y)));
    const real nan = std::numeric_limits<real>::quiet_NaN();
    CHECK((!(nan == nan) && nan != nan && !(nan < 1) && !(nan >= 1)));
    using namespace dyad::literals;
    CHECK(real(x * 3_c).value() == 6);
}

TEST_CASE("increments, signs and streams") {
    tape t;
    real x = t.variable(2.0);
    const real first = x;
    CHECK((x++).value() == 2);
    CHECK((++x).value() == 4);
    CHECK((x--).value() == 4);
    CHECK((--x).value() == 2);
    x = +x;
    x = -x;
    std::ostringstream out;
    out << x << ' ' << x * 2;
    CHECK(out.str() == "-2 -4");
    CHECK(t.gradient(x, first) == -1);
    std::istringstream in("2.5 7");
    in >> x;
    CHECK(x.value() == 2.5);
    CHECK(x.key().statement() == 0);
}

TEST_CASE("the standard algorithms") {
    tape t;
    std::vector<real> v = t.variable(std::vector<double>{3, 1, 4, 1.5, 9});
    const std::vector<real> sources = v;
    std::sort(v.begin(), v.end());
    const real y = std::max(v[0], v[1]) * 10 + std::min(v[3], v[4]) * 100 + *std::max_element(v.begin(), v.end()) +
                   std::accumulate(v.begin(), v.end(), real(0)) + std::inner_product(v.begin(), v.end(), v.begin(), real(0)) + std::clamp(v[2], v[0], v[4]);
    const std::vector<double> g = t.gradient(y, sources);
    CHECK(g == std::vector<double>{0 + 1 + 6 + 1, 1 + 2, 100 + 1 + 8, 10 + 1 + 3, 1 + 1 + 18});
}

TEST_CASE("the functions of <cmath>, each with the bits of double") {
    const auto all = [](auto x) {
        using namespace std;
        auto s = fabs(-x) + fdim(x, 1) + ldexp(x, 3) + exp(x) + exp2(x) + expm1(x) + log(x) + log2(x) + log10(x) + log1p(x);
        s = s + sqrt(x) + cbrt(x) + sin(x) + cos(x) + tan(x) + asin(x / 4) + acos(x / 4) + atan(x) + sinh(x) + cosh(x) + tanh(x);
        s = s + asinh(x) + acosh(x + 1) + atanh(x / 4) + erf(x) + erfc(x) + tgamma(x) + lgamma(x) + pow(x, 2.5) + pow(2.0, x) + pow(x, x) + atan2(x, 2.0);
        return s + hypot(x, 2.0) + fmod(x, 0.7) + copysign(x, -1.0) + fmax(x, 1.0) + fmin(x, 1.0) + floor(x) + ceil(x) + round(x) + trunc(x) + fma(x, x, x) + rint(x);
    };
    const auto [value, slope] = dyad::tape_value_and_grad(all)(1.7);
    CHECK(value == all(1.7));
    CHECK(slope == doctest::Approx((all(1.7 + 1e-6) - all(1.7 - 1e-6)) / 2e-6).epsilon(1e-7));
    const real x = 1.7;
    CHECK((isfinite(x) && !isnan(x) && !isinf(x * 2) && isnormal(x) && signbit(-x)));
    CHECK(lround(x) == 2);
}
TEST_CASE("ldexp has the bits of the plain number's where the power of 2 alone is none") {
    for (const double from : {1.0, -1.7, 1e-300, 3e300, 5e-324, 1.0 / 3}) {
        for (const int n : {0, 3, -3, 1023, 1100, 2044, 2097, -1022, -1050, -1074, -1100, -2044, -2100, 1000000, -1000000}) {
            CHECK(ldexp(real(from), n).value() == std::ldexp(from, n));
            CHECK(ldexp(dyad::dual<float, 1>(static_cast<float>(from)), n / 8).value() == std::ldexp(static_cast<float>(from), n / 8));
        }
    }
    CHECK(dyad::tape_grad([](auto v) { return 3 * ldexp(v * v, 5); })(2.0) == 384);
}

namespace {

/// A number with something beside it.
struct named_real : real {
    using real::real;
    explicit(false) named_real(const real& x) : real(x) {}
    const char* name = "";
};

} // namespace

TEST_CASE("classes derived from real keep its derivative") {
    dyad::tape tape;
    const real x = tape.variable(3.0);
    const named_real m(x);
    const real y = m * m + sin(m) * x;
    CHECK(tape.gradient(y, x) == doctest::Approx(6 + std::cos(3.0) * 3 + std::sin(3.0)));
}

TEST_CASE("factorisations written for double") {
    agrees_with_differences([](const auto& a) { return log_determinant(a, 6); }, matrix(6));
    agrees_with_differences([](const auto& a) { return qr_trace(a, 6, 6); }, matrix(6));
    CHECK(root_of_cosine<real>().value() == root_of_cosine<double>());
    CHECK(root_of_cosine<dyad::active<float>>().value() == root_of_cosine<float>());
}

TEST_CASE("Eigen's matrices of reals") {
    using matrix_of_reals = Eigen::Matrix<real, Eigen::Dynamic, Eigen::Dynamic>;
    using vector_of_reals = Eigen::Matrix<real, Eigen::Dynamic, 1>;
    const Eigen::MatrixXd a0 = Eigen::MatrixXd::Random(4, 4) + 4 * Eigen::MatrixXd::Identity(4, 4);
    const Eigen::VectorXd b0 = Eigen::VectorXd::Random(4);
    const auto f = [](const auto& a, const auto& b) {
        using T = typename std::remove_cvref_t<decltype(a)>::Scalar;
        const Eigen::Matrix<T, Eigen::Dynamic, 1> lu = a.partialPivLu().solve(b), qr = a.householderQr().solve(b);
        const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> square = a * a.transpose();
        const Eigen::Matrix<T, Eigen::Dynamic, 1> cholesky = square.llt().solve(b);
        return T(lu.squaredNorm() + qr.sum() + cholesky.dot(b) + 2.0 * a.trace() + (a * b).norm() + a.determinant() / 100.0);
    };
    tape t;
    const matrix_of_reals a = t.variable(a0);
    const vector_of_reals b = t.variable(b0);
    const real y = f(a, b);
    CHECK(y.value() == doctest::Approx(f(a0, b0)).epsilon(1e-14));
    const auto [ga, gb] = t.gradient(y, std::tuple{a, b});
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(ga)>, Eigen::MatrixXd>);
    for (int k = 0; k < 16; ++k) {
        Eigen::MatrixXd up = a0, down = a0;
        up.data()[k] += 1e-6;
        down.data()[k] -= 1e-6;
        CHECK(ga.data()[k] == doctest::Approx((f(up, b0) - f(down, b0)) / 2e-6).epsilon(1e-6));
    }
    for (int k = 0; k < 4; ++k) {
        Eigen::VectorXd up = b0, down = b0;
        up[k] += 1e-6;
        down[k] -= 1e-6;
        CHECK(gb[k] == doctest::Approx((f(a0, up) - f(a0, down)) / 2e-6).epsilon(1e-6));
    }
    const Eigen::Matrix<real, 3, 3> fixed = Eigen::Matrix<real, 3, 3>::Identity() * 2.0;
    CHECK(fixed.inverse()(0, 0).value() == 0.5);
}
TEST_CASE("the end of a stream leaves the number as it is, and floats are compared with doubles as doubles") {
    std::istringstream in("1 2 3");
    real x;
    while (in >> x) {
    }
    CHECK(x.value() == 3);
    CHECK((dyad::active<float>(0.1F) > 0.1));
    CHECK(!(dyad::active<float>(0.1F) == 0.1));
    CHECK((dyad::active<float>(0.5F) == 0.5));
}

TEST_CASE("max, min and clamp of two of one type are dyad's where the standard library's fit as well") {
    using namespace std; // NOLINT: as many programs have it
    const auto f = [](auto x, auto y) { return 3 * max(x, y) + min(x, y) + 2 * clamp(x, y, y) + fabs(-x) + fdim(x, y) + max(x * y, y * x); };
    // at the tie x = y: one half of each, as docs/conventions.md says; clamp is max and then min
    CHECK(dyad::grad(f)(2.0, 2.0) == dyad::tape_grad(f)(2.0, 2.0));
    CHECK(get<0>(dyad::grad([](auto x, auto y) { return 3 * max(x, y) + min(x, y); })(2.0, 2.0)) == 2.0);
    CHECK(dyad::grad(f)(1.5, 2.0) == std::tuple{1 + 1 + 2.0, 3 + 2 + 1.5});
    const double k = 2.0;
    CHECK(dyad::grad([k](auto x) { return k * max(x, x) + min(x, x); })(2.0) == 3.0);
    CHECK(dyad::grad([k](auto x, auto y) { return k * max(x, y); })(2.0, 2.0) == std::tuple{1.0, 1.0});
    const dyad::var<"x"> x{2.0};
    const auto z = max(x, x) + min(x * x, x * x) + clamp(x, x, x);
    CHECK(z.value() == 8.0);
    CHECK(dyad::diff(z, x).value() == 6.0);
    CHECK(max(1.0, 2.0) == 2.0);
    CHECK(dyad::fabs(-2.0F) == 2.0F);
    static_assert(std::is_same_v<decltype(dyad::fabs(-2.0F)), float> && dyad::fdim(3.0, 1.0) == 2.0 && dyad::fdim(1, 3.0) == 0.0);
    constexpr double infinite = std::numeric_limits<double>::infinity();
    static_assert(dyad::fdim(1U, 3U) == 0.0 && dyad::fdim(-2147483647, 2147483647) == 0.0 && dyad::fdim(infinite, infinite) == 0.0 && dyad::fabs(-2) == 2.0);
    CHECK(std::isnan(dyad::fdim(std::nan(""), 1.0)));
    CHECK(dyad::grad([](auto u, auto v) { return 3 * fdim(2 * u, v); })(2.0, 1.0) == std::tuple{6.0, -3.0});
    CHECK(dyad::grad([](auto u, auto v) { return 3 * fdim(2 * u, v); })(1.0, 2.0) == std::tuple{0.0, 0.0});
}

TEST_CASE("Eigen's functions that compute with operations not yet recorded") {
    tape t(dyad::persistent);
    const auto v = t.variable(Eigen::Vector3d(1, 2, 4));
    Eigen::Matrix<real, 4, 4> A = Eigen::Matrix<real, 4, 4>::Identity();
    A(0, 0) = v[0], A(1, 1) = v[1], A(2, 3) = v[2], A(3, 2) = real(0.5);
    const real d = A.determinant(); // v0 v1 (1 - v2/2)
    CHECK(t.gradient(d, v) == Eigen::Vector3d(-2, -1, -1));
    const Eigen::Matrix<real, 3, 1> scaled = (v[0] * v[1]) * Eigen::Vector3d(1, 2, 3);
    CHECK(t.gradient(scaled[2], v) == Eigen::Vector3d(6, 3, 0));
    const Eigen::AngleAxis<real> turn(Eigen::Quaternion<real>(v[0], v[1], v[0], v[1]));
    CHECK(turn.axis()[0].value() == doctest::Approx(2 / 3.0));
    const real length = v.stableNorm();
    CHECK(t.gradient(length, v)[2] == doctest::Approx(4 / std::sqrt(21.0)));
    Eigen::MatrixXd L = Eigen::MatrixXd::Ones(3, 3);
    const Eigen::Matrix<real, 3, 1> below = L.triangularView<Eigen::Lower>() * v;
    CHECK(t.gradient(below[2], v) == Eigen::Vector3d(1, 1, 1));
}

TEST_CASE("Eigen's arrays, maps and parts are variables, sources and arguments; gradients are plain ones of their shape") {
    double memory[] = {1, 2, 3, 4};
    const Eigen::Map<Eigen::VectorXd> map(memory, 4);
    dyad::tape t(dyad::persistent);
    const auto x = t.variable(map);
    const real y = x.squaredNorm();
    static_assert(std::is_same_v<decltype(t.gradient(y, x)), Eigen::VectorXd>);
    CHECK(t.gradient(y, x) == 2 * map);
    CHECK(t.gradient(y, x.head(2)) == Eigen::Vector2d(2, 4));
    CHECK(t.gradient(y, x.segment<2>(2)) == Eigen::Vector2d(6, 8));
    CHECK(t.gradient(y, x.transpose()) == 2 * map.transpose());
    const Eigen::ArrayXd a = Eigen::ArrayXd::LinSpaced(3, 1, 3);
    const auto cubes = dyad::tape_grad([](const auto& v) { return (v * v * v).sum(); })(a);
    static_assert(std::is_same_v<std::remove_const_t<decltype(cubes)>, Eigen::ArrayXd>);
    CHECK((cubes == 3 * a * a).all());
    using rows = Eigen::Matrix<double, 2, 3, Eigen::RowMajor>;
    rows m;
    m << 1, 2, 3, 4, 5, 6;
    const auto by_m = dyad::tape_grad([](const auto& v) { return v(0, 1) * v(1, 2) + v.sum(); })(m);
    static_assert(std::is_same_v<std::remove_const_t<decltype(by_m)>, rows>);
    CHECK(by_m == (rows() << 1, 7, 1, 1, 1, 3).finished());
    CHECK(dyad::tape_grad([](const auto& v) { return v(0) * v(1); })(m.col(1)) == Eigen::Vector2d(5, 2));
    CHECK(dyad::tape_grad([](const auto& v) { return v(0) * v(1); })(2 * m.col(1)) == Eigen::Vector2d(10, 4));
    CHECK(dyad::tape_grad([](const auto& v) { return v.squaredNorm(); })(m.block(0, 1, 2, 2)) == 2 * m.block(0, 1, 2, 2));
}
