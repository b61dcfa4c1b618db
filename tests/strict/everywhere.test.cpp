// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// A program compiled with DYAD_STRICT, from the command line (see CMakeLists.txt): functions, functions with captured values and
// expressions are strict though nobody says so.
#if !defined(DYAD_STRICT)
#error "compile with -DDYAD_STRICT, everywhere in the program"
#endif

#include <dyad/core.hpp>
#include <dyad/tape.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <tuple>

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

// Each of these the fast policy makes another one.
constexpr auto difference = [](auto x) { return x - x; };
constexpr auto root_of_square = [](auto x) { return sqrt(x * x); };
constexpr auto logarithm = [](auto x) { return log(1 + x); };

static_assert(dyad::default_policy == dyad::policy::strict);
static_assert(dyad::formula(dyad::graph_of<double>(difference)) == dyad::formula(dyad::graph_of<double>(dyad::strict(difference))));
static_assert(dyad::formula(dyad::graph_of<double>(difference)) == "x0 - x0");
static_assert(dyad::formula(dyad::graph_of<double>(logarithm)) == "log(x0 + 1)");
static_assert(dyad::policy_of<decltype(dyad::verbatim(difference))>() == dyad::policy::verbatim);

} // namespace

TEST_CASE("functions are strict") {
    CHECK(std::isnan(dyad::value_and_grad(difference)(inf).first));
    CHECK(std::isnan(dyad::grad(root_of_square)(0.0)));
    CHECK(dyad::value_and_grad(logarithm)(1e-20).first == 0);
    CHECK(std::isnan(std::get<0>(dyad::grad([](auto x, auto y) { return sqrt(x * x) + y; })(0.0, 1.0))));
    CHECK(std::isnan(dyad::hessian(root_of_square)(0.0)));
    CHECK(std::isnan(dyad::jvp(root_of_square)(0.0, 1.0).second));
    CHECK(std::isnan(dyad::vjp(difference)(inf).first));
}
TEST_CASE("functions with captured values are strict, also by name") {
    const double one = std::abs(-1.0);
    const auto f = [=](auto x) { return log(one + x) + one * (x - x); };
    CHECK(std::isnan(dyad::value_and_grad(f)(inf).first));
    CHECK(dyad::value_and_grad(dyad::strict(f))(1e-20).first == 0);
    CHECK(dyad::grad(dyad::strict(f))(1.0) == 0.5);
}
TEST_CASE("expressions of variables are strict") {
    const dyad::var<"x"> x{inf};
    CHECK(std::isnan((x - x).value()));
    const dyad::var<"x"> zero{0.0};
    CHECK(std::isnan(dyad::diff(sqrt(zero * zero), zero).value()));
}
TEST_CASE("loops, branches and tapes go along") {
    const auto loop = [](auto x) { return dyad::fori_loop(2, [](auto, auto s) { return s + (s - s); }, x); };
    CHECK(std::isnan(dyad::value_and_grad(loop)(inf).first));
    CHECK(dyad::grad(loop)(3.0) == 1);
    const auto branch = [](auto x) { return dyad::cond(x > 0, [](auto y) { return y - y; }, [](auto y) { return y; }, x); };
    CHECK(std::isnan(dyad::value_and_grad(branch)(inf).first));
    CHECK(std::isnan(dyad::tape_grad(root_of_square)(0.0)));
}
TEST_CASE("gradients are those of the default policy but for their last digits") {
    const auto f = [](auto x, auto y) { return log(1 + exp(x * y)) * sqrt(x / 3) + pow(y, 3) / (2 * y); };
    const auto strict = dyad::grad(f)(0.7, 1.3), verbatim = dyad::grad(dyad::verbatim(f))(0.7, 1.3);
    CHECK(std::get<0>(strict) == doctest::Approx(std::get<0>(verbatim)).epsilon(1e-14));
    CHECK(std::get<1>(strict) == doctest::Approx(std::get<1>(verbatim)).epsilon(1e-14));
}
