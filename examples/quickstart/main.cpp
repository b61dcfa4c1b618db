// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// dyad in one page. Read it from top to bottom beside what it prints.
#include <dyad/core.hpp>

#include <array>
#include <cstddef>
#include <iostream>
#include <tuple>

using namespace dyad::literals; // 2_c: the number 2 as a constant that the compiler knows

namespace {

// An ordinary generic function. The same body runs on plain numbers and is differentiated.
constexpr auto wave = [](auto x, auto y) {
    using dyad::exp, dyad::log, dyad::sin;
    return log(x * y) + sin(x * y) * exp(y / (1 + x * x));
};

constexpr auto quartic = [](auto x) { return x * x * x * x; };

// A plain loop over an array: the gradient comes back as an array too.
constexpr auto rosenbrock = [](auto x) {
    typename decltype(x)::value_type sum = 0;
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
        const auto valley = x[i + 1] - x[i] * x[i];
        const auto slope = 1 - x[i];
        sum += 100 * valley * valley + slope * slope;
    }
    return sum;
};

// A traced value cannot steer an if; where() selects. What is not selected adds nothing to a derivative.
constexpr auto root_or_zero = [](auto x) { return dyad::where(x > 0, dyad::sqrt(x), 0); };

// Derivatives are constant expressions: a wrong one would not compile.
static_assert(dyad::grad(quartic)(2.0) == 32.0);

void functions() {
    std::cout << "-- functions in, derivatives out\n";
    const auto [value, gradient] = dyad::value_and_grad(wave)(1.5, 2.0);
    const auto [dx, dy] = gradient;
    std::cout << "f(1.5, 2)         = " << value << ", called on plain numbers " << wave(1.5, 2.0) << '\n';
    std::cout << "gradient          = (" << dx << ", " << dy << ")\n";
    std::cout << "df/dy alone       = " << dyad::grad<1>(wave)(1.5, 2.0) << '\n';

    const std::array<double, 3> at = dyad::grad(rosenbrock)(std::array{-1.2, 1.0, 0.5});
    std::cout << "of an array       = {" << at[0] << ", " << at[1] << ", " << at[2] << "}\n";
    std::cout << "where, at -1 and 4: " << dyad::grad(root_or_zero)(-1.0) << ", "
              << dyad::grad(root_or_zero)(4.0) << '\n';
}

void higher_orders() {
    std::cout << "\n-- higher orders\n";
    std::cout << "third derivative of x^4 at 2 = " << dyad::derivative<3>(quartic)(2.0) << '\n';
    std::cout << "grad(grad(x^4)) at 2         = " << dyad::grad(dyad::grad(quartic))(2.0) << '\n';
    const auto h = dyad::hessian(wave)(1.5, 2.0);
    std::cout << "Hessian of f                 = {{" << h[0][0] << ", " << h[0][1] << "}, {" << h[1][0]
              << ", " << h[1][1] << "}}\n";
    const auto [hx, hy] = dyad::hvp(wave)(std::tuple{1.5, 2.0}, std::tuple{1.0, 0.0});
    std::cout << "its product with (1, 0)      = (" << hx << ", " << hy << "), without the matrix\n";
}

void expressions() {
    std::cout << "\n-- expressions: a value now, a formula for the compiler\n";
    dyad::var<"x"> x{3.0};
    const dyad::var<"y"> y{2.0};
    const auto z = x * x * y + 1_c;
    std::cout << "z       = " << dyad::formula(z) << " = " << z << '\n';
    if (z > 10) std::cout << "z > 10: the value is known, so you may branch on it\n";

    const auto dz = dyad::diff(z, x);
    static_assert(dyad::formula(dz) == "2*x*y");
    std::cout << "dz/dx   = " << dyad::formula(dz) << " = " << dz << '\n';
    std::cout << "d2z/dx2 = " << dyad::formula(dyad::diff<2>(z, x)) << '\n';
    const auto [gx, gy] = dyad::gradient(z, x, y);
    std::cout << "gradient (" << gx << ", " << gy << ") in one pass\n";

    x = 4.0; // z keeps what it captured
    std::cout << "after x = 4, z is still " << z << '\n';
}

void graphs() {
    std::cout << "\n-- the program behind the derivative of x^4\n";
    std::cout << dyad::print(dyad::graph_of<double>(dyad::grad(quartic)));
    std::cout << "f alone takes " << dyad::operation_count(dyad::graph_of<double, double>(wave))
              << " operations, with its gradient "
              << dyad::operation_count(dyad::graph_of<double, double>(dyad::value_and_grad(wave)))
              << '\n';
}

} // namespace

int main() {
    functions();
    higher_orders();
    expressions();
    graphs();
}
