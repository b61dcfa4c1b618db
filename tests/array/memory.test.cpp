// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// What eager expressions remember: each matrix product, factorisation and reduction is computed once, whichever of the
// expressions that contain it is asked first. Counted where the library computes products.

#include "counted.hpp"
#include "differences.hpp"

#include <doctest/doctest.h>

#include <dlfcn.h>

#include <cstdlib>
#include <new>
#include <thread>

int counted::products = 0;
std::size_t counted::bytes = 0;

namespace {

template <class F>
F* next_symbol(F*, const char* name) {
    return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

} // namespace

// In the place of the libraries' functions, which they call.
extern "C" {
void cblas_dgemm(CBLAS_LAYOUT o, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, blasint m, blasint n, blasint k, double alpha, const double* a,
                 blasint lda, const double* b, blasint ldb, double beta, double* c, blasint ldc) {
    ++counted::products;
    static auto* const real = next_symbol(&cblas_dgemm, "cblas_dgemm");
    real(o, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    counted::bytes += size;
    const auto to = static_cast<std::size_t>(alignment);
    if (void* const memory = std::aligned_alloc(to, (size + to - 1) / to * to)) return memory;
    throw std::bad_alloc{};
}
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

using namespace differences;
using counted::products_of;
using namespace dyad::literals;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

const matrix large = numbers<double, 2>({40, 40}), other = numbers<double, 2>({40, 40}, 2);

} // namespace

TEST_CASE("a matrix product is computed once, in whichever expression it stands") {
    const dyad::var<"A", matrix> A{large};
    const dyad::var<"B", matrix> B{other};
    const auto product = matmul(A, B);
    const auto twice = 2 * product;
    const auto loss = mean(square(twice - 1));
    const auto both = sum(product) + sum(exp(twice)) * loss;
    CHECK(products_of([&] { CHECK(std::isfinite(both.value())); }) == 1);
    CHECK(products_of([&] { CHECK(apart(twice.value(), matrix(2 * product.value())) == 0); }) == 0);
    CHECK(products_of([&] { CHECK(std::isfinite(loss.value())); }) == 0);
    CHECK(products_of([&] { CHECK(std::isfinite(sum(product * A).value())); }) == 0);
    CHECK(products_of([&] { CHECK(both.value() == both.value()); }) == 0);
    const auto again = matmul(A, B); // made anew: nothing says that it is the same
    CHECK(products_of([&] { CHECK(apart(again.value(), product.value()) == 0); }) == 1);
}
TEST_CASE("what a part has computed, the whole does not compute again") {
    const dyad::var<"A", matrix> A{large};
    const dyad::var<"B", matrix> B{other};
    const auto first = matmul(A, B);
    const auto second = matmul(first, A);
    const auto z = sum(second * first);
    CHECK(products_of([&] { CHECK(apart(first.value(), dyad::matmul(large, other)) == 0); }) == 2);
    CHECK(products_of([&] { CHECK(std::isfinite(z.value())); }) == 1); // second
    CHECK(products_of([&] { CHECK(std::isfinite(sum(second).value())); }) == 0);
    matrix out;
    CHECK(products_of([&] { dyad::evaluate_into(out, second + first); }) == 0);
}
TEST_CASE("gradients and derivatives use the products that are known") {
    const dyad::var<"A", matrix> A{large};
    const dyad::var<"B", matrix> B{other};
    const auto product = matmul(A, B);
    const auto z = sum(square(product));
    CHECK(products_of([&] { CHECK(std::isfinite(z.value())); }) == 1);
    CHECK(products_of([&] {
              const auto [by_A] = dyad::gradient(z, A);
              CHECK(apart(by_A, dyad::grad<0>([](auto a, auto b) { return sum(square(matmul(a, b))); })(large, other)) < 1e-14);
          }) == 1 + 2);
    const auto slope = dyad::diff(z, A);
    CHECK(products_of([&] { CHECK(std::isfinite(slope.value()(0, 0))); }) == 1);
}
TEST_CASE("variables of one name in another order are the same leaves") {
    const dyad::var<"z", matrix> A{large};
    const dyad::var<"a", matrix> B{other};
    const dyad::var<"k", matrix> C{large};
    const auto product = matmul(A * A + A, A); // its leaf number 0 is number 2 in the whole
    const auto whole = B * C + product * B;
    CHECK(products_of([&] { CHECK(apart(whole.value(), matrix(other * large + product.value() * other)) == 0); }) == 1);
}
TEST_CASE("numbers between the parts, each of its own, keep the parts") {
    const dyad::var<"A", matrix> A{large};
    const auto scaled = matmul(A * 2.5, A * 1.5);
    const auto whole = sum(scaled * 3.5) + 0.5;
    CHECK(products_of([&] {
              CHECK(scaled.value()(0, 0) == doctest::Approx(3.75 * dyad::matmul(large, large)(0, 0)));
              CHECK(std::isfinite(whole.value()));
          }) == 2);
}
TEST_CASE("an assignment changes no expression, and makes new values for new ones") {
    dyad::var<"A", matrix> A{large};
    const auto old = matmul(A, A);
    A = other;
    const auto fresh = matmul(A, A);
    CHECK(products_of([&] {
              CHECK(apart(old.value(), dyad::matmul(large, large)) == 0);
              CHECK(apart(fresh.value(), dyad::matmul(other, other)) == 0);
          }) == 4);
}
TEST_CASE("an expression asked by several threads computes once") {
    const dyad::var<"A", matrix> A{large};
    const auto product = matmul(A, A);
    const auto a = product + 1;
    const auto b = product * 2;
    double first = 0, second = 0;
    CHECK(products_of([&] {
              std::thread other_thread([&] { first = a.value()(0, 0); });
              second = b.value()(0, 0);
              other_thread.join();
          }) == 1);
    CHECK(2 * (first - 1) == doctest::Approx(second));
}
TEST_CASE("an error is not remembered as a value") {
    const dyad::var<"S", matrix> S{matrix{{1, 2}, {2, 4}}};
    const auto z = sum(inverse(S));
    CHECK_THROWS_AS(static_cast<void>(z.value()), dyad::error);
    CHECK_THROWS_AS(static_cast<void>(z.value()), dyad::error);
    CHECK_THROWS_AS(static_cast<void>((z * 2).value()), dyad::error);
}
TEST_CASE("reductions are remembered too") {
    const dyad::var<"v", vector> v{numbers<double, 1>({1000})};
    const auto total = sum(v * v);
    const auto scaled = v / total;
    const auto shifted = total + v;
    CHECK(total.memo().cell(0) == scaled.memo().cell(0));
    CHECK(total.memo().cell(0) == shifted.memo().cell(0));
    CHECK(scaled.value()(0) == v.value()(0) / total.value());
    const auto spread = sum(square(v - total));
    CHECK(spread.memo().cell(0) == total.memo().cell(0));
    CHECK(spread.value() > 0);
}
TEST_CASE("derivatives of arrays, and by arrays twice, have the axes of both") {
    const dyad::var<"w", vector> w{{1, 2, 3}};
    const dyad::var<"s"> s{2.0};
    CHECK(dyad::diff<2>(sum(w * w * w), w).value() == matrix{{6, 0, 0}, {0, 12, 0}, {0, 0, 18}});
    CHECK(dyad::diff(w * w, w).value() == matrix{{2, 0, 0}, {0, 4, 0}, {0, 0, 6}});
    CHECK(dyad::diff(w * s * s, s).value() == vector{4, 8, 12});
    CHECK(dyad::diff(sum(w * s * s), w, s).value() == vector{4, 4, 4});
    CHECK(dyad::diff(sum(w * s * s), s, w).value() == vector{4, 4, 4});
    CHECK(dyad::diff(sum(w), s).value() == 0);
}
TEST_CASE("a variable of an array takes steps") {
    dyad::var<"w", vector> w{{1, 2, 3}};
    const auto total = sum(w * w);
    w -= 0.5 * vector{2, 0, 4};
    CHECK(w.value() == vector{0, 2, 1});
    CHECK(total.value() == 14); // as it was
    w += 1;
    w *= vector{2, 1, 1};
    CHECK(w.value() == vector{2, 3, 2});
    w -= dyad::diff(sum(w * w), w) * 0.5;
    CHECK(w.value() == vector{0, 0, 0});
    CHECK_THROWS_AS((w -= vector{1, 2}), dyad::shape_error);
    CHECK(w.value() == vector{0, 0, 0});
}
