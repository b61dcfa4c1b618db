// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Functions of the user's own that are called as the transforms, or as what the library keeps for itself, go first: beside
// `using namespace dyad`, and where only an argument is the library's. (The refusals of grad(f, x) must not stand in their way.)

#include <dyad/core.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <vector>

using namespace dyad;

namespace {

double derivative(const std::function<double(double)>& f, double x) {
    return (f(x + 0.5) - f(x - 0.5));
}
template <class F, class... X>
double hessian(F f, X... x) {
    return f(x...);
}
void grad(const std::vector<double>& x, std::vector<double>& slopes) {
    slopes = x;
}
void jacobian(double* J, const double* x) {
    *J = 2 * *x;
}
enum class color { red, green };
template <class T>
bool is(const T& a, const T& b) {
    return a == b;
}

namespace models {
struct model {
    auto operator()(auto x) const { return x * x; }
};
template <class F, class... X>
auto vjp(const F& f, const X&... x) {
    return f(x...);
}
double square(const dyad::var<"x">& x) {
    return vjp(model{}, x).value();
}
} // namespace models

} // namespace

TEST_CASE("functions of the user's own go first") {
    CHECK(derivative([](double x) { return x * x; }, 3.0) == 6);
    CHECK(hessian([](double u) { return u + 1; }, 2.0) == 3);
    std::vector<double> slopes;
    grad(std::vector{1.0, 2.0}, slopes);
    CHECK(slopes.size() == 2);
    double J = 0, x = 3;
    jacobian(&J, &x);
    CHECK(J == 6);
    CHECK(is(color::red, color::red));
    CHECK(!is(color::red, color::green));
    CHECK(models::square(dyad::var<"x">(3.0)) == 9);
}
