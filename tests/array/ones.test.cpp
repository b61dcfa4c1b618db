// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Axes of size 1, known to the compiler or not, where short cuts are taken for them: arrays of one element and their views, sums
// along such an axis, batches of one matrix, arrays that stretch beside loops.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <tuple>
#include <type_traits>

#include <dyad/array.hpp>

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using doctest::Approx;

/// Leaves other numbers where the next program stores what it computes in between.
void dirty_memory() {
    const matrix x = xt::ones<double>({30, 30});
    static_cast<void>(dyad::evaluate([](auto a) { return dyad::matmul(dyad::matmul(a, a) * 1e5, a + 7.0); }, x));
}

} // namespace

TEST_CASE("a view of an array of one element is read after it is computed") {
    const vector x{0.3, -0.4, 0.5}; // their sum is 0.4
    const double s = 0.4, q = std::exp(s), t = std::sin(s) * s;
    dirty_memory();
    const auto [v, g] = dyad::value_and_grad([](auto a) {
        const auto total = sum(a, 0, dyad::keep_dims);
        return sin(total * exp(total)[0])[0];
    })(x);
    CHECK(v == Approx(std::sin(s * q)));
    CHECK(g(0) == Approx(std::cos(s * q) * (q + s * q)));
    dirty_memory();
    const auto [w, h] = dyad::value_and_grad([](auto a) {
        return sum(sin(dyad::checkpoint([](auto b) { return sin(b) * b; })(sum(a, 0, dyad::keep_dims))));
    })(x);
    CHECK(w == Approx(std::sin(t)));
    CHECK(h(0) == Approx(std::cos(t) * (std::cos(s) * s + std::sin(s))));
    dirty_memory();
    const auto squeezed = [](auto a) {
        const auto total = sum(a, 0, dyad::keep_dims);
        const auto factor = squeeze(exp(total), 0);
        return sin(total * factor * squeeze(sin(total * factor), 0));
    };
    CHECK(dyad::evaluate(squeezed, x)(0) == Approx(std::sin(s * q * std::sin(s * q))));
}

TEST_CASE("a sum along an axis of size 1, beside a short one, adds onto nothing") {
    const vector a{0.1, 0.2, 0.3};
    const auto f = [](auto b) {
        const auto stacked = expand_dims(expand_dims(b, 0), 0);
        return sum(sin(diag(concatenate(stacked, stacked, 1)))); // sin a0 + sin a1
    };
    for (int call = 0; call < 3; ++call) {
        const vector g = dyad::grad(f)(a);
        CHECK(g(0) == Approx(std::cos(0.1)));
        CHECK(g(1) == Approx(std::cos(0.2)));
        CHECK(g(2) == 0);
    }
}

TEST_CASE("diagonals, eigenvalues and singular values of a batch of one matrix stretch with it") {
    const matrix A{{1, 2}, {2, 5}}, B{{1, 10}, {100, 1000}, {3, 4}};
    const double first = 104, second = 1014, both = first + second; // sums of B's columns
    const auto is = [&](auto f, double value, const matrix& slope) {
        const auto [v, g] = dyad::value_and_grad<0>(f)(A, B);
        bool good = std::abs(v - value) < 1e-9 * std::abs(value);
        for (std::size_t k = 0; k < 4; ++k) good = good && std::abs(g.data()[k] - slope.data()[k]) < 1e-9 * (1 + std::abs(slope.data()[k]));
        return good;
    };
    CHECK(is([](auto a, auto b) { return sum(diag(expand_dims(a, 0)) * b); }, first + 5 * second, matrix{{first, 0}, {0, second}}));
    CHECK(is([](auto a, auto b) { return sum(dyad::trace(expand_dims(a, 0)) * b); }, 6 * both, matrix{{both, 0}, {0, both}}));
    // A's eigenvalues l are its singular values too, in the other order; their slopes are v vᵀ, where v is (2, l - 1), made of length 1.
    const double small = 3 - 2 * std::sqrt(2), large = 3 + 2 * std::sqrt(2);
    const auto projector = [](double l) {
        const double length = 4 + (l - 1) * (l - 1);
        return matrix(matrix{{4, 2 * (l - 1)}, {2 * (l - 1), (l - 1) * (l - 1)}} / length);
    };
    CHECK(is([](auto a, auto b) { return sum(std::get<0>(dyad::eigh(expand_dims(a, 0))) * b); },
             first * small + second * large, first * projector(small) + second * projector(large)));
    CHECK(is([](auto a, auto b) { return sum(std::get<1>(dyad::svd(expand_dims(a, 0))) * b); },
             first * large + second * small, first * projector(large) + second * projector(small)));
}

TEST_CASE("an array that has size 1 only at run time stretches beside loops, checkpoints and branches") {
    const vector x{1, 2, 3}, one{2};
    const matrix A{{1, 2}, {3, 4}};
    const double total = 2 * (std::sin(1) + std::sin(2) + std::sin(3));
    constexpr auto kept = [](auto a, auto b) { return sum(dyad::checkpoint([](auto q) { return sin(q); })(a) * b); };
    constexpr auto rounds = [](auto a, auto b) { return sum(dyad::fori_loop(1, [](auto, auto s) { return sin(s); }, a) * b); };
    constexpr auto chosen = [](auto a, auto b) { return sum(dyad::cond(sum(a) > 0, [](auto q) { return sin(q); }, [](auto q) { return q; }, a) * b); };
    constexpr auto product = [](auto a, auto b) { return sum(dyad::matmul(dyad::checkpoint([](auto q) { return sin(q); })(a), a) + b); };
    const auto holds = [&](auto f) {
        const auto [v, g] = dyad::value_and_grad(f)(x, one);
        return std::abs(v - total) < 1e-12 && std::get<1>(g).size() == 1 && std::abs(std::get<1>(g)(0) - total / 2) < 1e-12 && std::abs(std::get<0>(g)(1) - 2 * std::cos(2)) < 1e-12;
    };
    CHECK(holds(kept));
    CHECK(dyad::evaluate(rounds, x, one) == Approx(total));
    CHECK(dyad::evaluate(chosen, x, one) == Approx(total));
    CHECK(dyad::evaluate(product, A, one) == Approx(8 + std::sin(1) * 3 + std::sin(2) * 7 + std::sin(3) * 3 + std::sin(4) * 7));
    constexpr auto misfit = [](auto a, auto b) { return sum(dyad::fori_loop(3, [](auto, auto s) { return sin(s); }, a) + a) + sum(b * a); };
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::evaluate(misfit, vector{1, 2}, x)), doctest::Contains("mul: Incompatible shapes: [2] vs. [3]"), dyad::shape_error);
}
TEST_CASE("axes of size 1 by construction do not stretch where sizes must be equal") {
    const vector two{1, 2}, four{1, 2, 3, 4};
    const matrix W = xt::ones<double>({3, 4}), X = xt::ones<double>({2, 3});
    constexpr auto product = [](auto v, auto w) { return matmul(expand_dims(v, 1), w); };
    constexpr auto determinant = [](auto v) { return det(expand_dims(v, 0)); };
    CHECK_THROWS_WITH_AS(dyad::evaluate(product, two, W), "[dyad] matmul: Matrix size-incompatible: In[0]: [2], In[1]: [3,4]", dyad::shape_error);
    CHECK_THROWS_AS(dyad::evaluate([](auto x, auto v) { return matmul(x, expand_dims(v, 0)); }, X, four), dyad::shape_error);
    CHECK_THROWS_AS(dyad::grad<0>([](auto v, auto w) { return sum(matmul(expand_dims(v, 1), w)); })(two, W), dyad::shape_error);
    CHECK_THROWS_WITH_AS(dyad::evaluate([](auto v) { return inverse(expand_dims(v, 1)); }, two), "[dyad] inverse: Incompatible shapes: [2,1]", dyad::shape_error);
    CHECK_THROWS_AS(dyad::evaluate(determinant, four), dyad::shape_error);
    CHECK_THROWS_AS(dyad::evaluate([](auto v) { return cholesky(expand_dims(v, 0)); }, four), dyad::shape_error);
    CHECK_THROWS_AS(dyad::evaluate([](auto v) { return eigh(expand_dims(v, 0)).first; }, four), dyad::shape_error);
    CHECK_THROWS_AS(dyad::evaluate([](auto a, auto v) { return solve(a, expand_dims(v, 0)); }, matrix{{1, 2}, {3, 5}}, four), dyad::shape_error);
    const xt::xtensor<double, 4> kernels = xt::ones<double>({2, 3, 3, 3});
    CHECK_THROWS_AS(dyad::evaluate([](auto x, auto k) { return conv2d(reshape(x, -1, 1, 4, 4), k); }, matrix(xt::ones<double>({2, 16})), kernels), dyad::shape_error);
    CHECK(dyad::evaluate(product, two, matrix{{3, 4}}) == matrix{{3, 4}, {6, 8}});
    CHECK(dyad::evaluate(determinant, vector{3}) == Approx(3));
}

// Sizes that no rule tells from the arguments' by adding and subtracting: parts between two ends, what reshape leaves open, windows.
TEST_CASE("gradients that need no value see what stretches beside a part of an array, and what does not fit") {
    const vector one{5}, two{5, 6}, x{1, 2, 3, 4};
    constexpr auto part = [](auto w, auto a) { return sum(slice(a, 0, 1, 4) + w); };
    constexpr auto open = [](auto w, auto a) { return sum(reshape(a, -1) + w); };
    constexpr auto pooled = [](auto w, auto a) { return sum(dyad::max_pool(reshape(a, 2, 2), 2, 2) + w); };
    CHECK(dyad::grad<0>(part)(one, x) == vector{3});
    CHECK(dyad::grad<0>(part)(vector{5, 6, 7}, x) == vector{1, 1, 1});
    CHECK(dyad::grad<0>(open)(one, x) == vector{4});
    CHECK(dyad::grad<0>(dyad::strict(part))(one, x) == vector{3});
    CHECK(dyad::grad<0>(pooled)(matrix{{1}}, x) == matrix{{1}});
    CHECK_THROWS_AS(dyad::grad<0>(part)(two, x), dyad::shape_error);
    CHECK_THROWS_AS(dyad::grad<0>(part)(x, x), dyad::shape_error);
    CHECK_THROWS_AS(dyad::grad<0>(open)(two, x), dyad::shape_error);
    CHECK_THROWS_AS(dyad::grad<0>(pooled)(matrix{{1, 2}, {3, 4}}, vector{1, 2, 3, 4, 5}), dyad::shape_error);
    CHECK_THROWS_AS(dyad::grad<0>([](auto w, auto a) { return sum(w) + sum(reshape(a, 3, -1)); })(one, x), dyad::shape_error);
    constexpr auto square = [](auto w, auto a) { return sum(w + reshape(a, 2, 2)); };
    CHECK(dyad::grad<0>(square)(matrix{{1, 2}, {3, 4}}, x) == matrix{{1, 1}, {1, 1}});
    CHECK(dyad::grad<0>(square)(matrix{{1, 2}}, x) == matrix{{2, 2}});
    CHECK_THROWS_WITH_AS(dyad::grad<0>(square)(matrix{{1, 2}, {3, 4}}, vector{1, 2, 3, 4, 5}),
                         doctest::Contains("reshape: [5] has 5 elements, which do not fill a shape of 4"), dyad::shape_error);
    constexpr auto none = [](auto w, auto a) { return sum(w) + sum(reshape(a, 0, 3)); };
    CHECK(dyad::grad<0>(none)(one, vector(std::array<std::size_t, 1>{0})) == vector{1});
    CHECK_THROWS_AS(dyad::grad<0>(none)(one, x), dyad::shape_error);
    CHECK_THROWS_AS(dyad::grad<0>([](auto w, auto a) { return sum(w) + sum(dyad::max_pool(a, 2, 2)); })(one, matrix{{1}}), dyad::shape_error);
    const auto rows = [](auto w, auto a) { return slice(a, 0, 1, 4) + w; };
    CHECK(dyad::jacobian<0>(rows)(one, x) == matrix{{1}, {1}, {1}});
    CHECK_THROWS_AS(dyad::jacobian<0>(rows)(two, x), dyad::shape_error);
    const double scale = 2;
    CHECK(dyad::grad<0>([scale](auto w, auto a) { return scale * sum(slice(a, 0, 1, 4) + w); })(one, x) == vector{6});
}
TEST_CASE("what stretches beside a part of an array, and counts as it is elsewhere, is refused") {
    const vector w{5}, x{1, 2, 3, 4};
    constexpr auto part = [](auto a, auto b) { return sum(slice(b, 0, 1, 4) * a) + 7 * sum(a); };
    constexpr auto open = [](auto a, auto b) { return sum(reshape(b, -1) * a) + 7 * sum(a); };
    CHECK_THROWS_AS(dyad::value_and_grad<0>(part)(w, x), dyad::shape_error);
    CHECK_THROWS_AS(dyad::value_and_grad<0>(open)(w, x), dyad::shape_error);
    CHECK_THROWS_AS(dyad::evaluate(part, w, x), dyad::shape_error);
    CHECK_THROWS_AS(dyad::hessian<0>(part)(w, x), dyad::shape_error);
    CHECK_THROWS_AS(dyad::jvp<0>(part)(std::tie(w, x), w), dyad::shape_error);
    const auto both = [](auto a, auto b) { return std::tuple{a * 1.0, slice(b, 1, 0, 3) * a}; };
    CHECK_THROWS_AS(dyad::evaluate(both, matrix{{1}, {2}}, matrix{{1, 2, 3, 4}, {5, 6, 7, 8}}), dyad::shape_error);
    CHECK(dyad::value_and_grad<0>(part)(vector{5, 6, 7}, x).first == 56 + 126);
}
TEST_CASE("a direction counts as often as what it belongs to stretches") {
    const vector w{5}, x{1, 2, 3, 4}, direction{3};
    const matrix row{{1, 2}}, tall{{1, 2}, {3, 4}, {5, 6}, {7, 8}}, along{{1, -1}};
    constexpr auto distance = [](auto a, auto b) { return sum(square(a - b)); };
    CHECK(dyad::hvp<0>(distance)(std::tie(w, x), direction) == vector{24});
    CHECK(dyad::hvp<0>(dyad::strict(distance))(std::tie(w, x), direction) == vector{24});
    CHECK(dyad::hvp<0>(distance)(std::tie(row, tall), along) == matrix{{8, -8}});
    CHECK(dyad::hvp<0>([](auto a, auto b) { return dyad::mean(square(a) + b); })(std::tie(w, x), direction) == vector{6});
    CHECK(dyad::jvp<0>(distance)(std::tie(w, x), direction).second == 6 * (4 + 3 + 2 + 1));
    const double scale = 2;
    CHECK(dyad::hvp<0>([scale](auto a, auto b) { return scale * sum(square(a - b)); })(std::tie(w, x), direction) == vector{48});
    const vector both{1, 1};
    CHECK(std::get<1>(dyad::hvp<0, 1>(distance)(std::tie(w, both), std::tuple{direction, vector{0, 1}})) == vector{-6, -4});
}
TEST_CASE("what branches and maps give has sizes of its own, whatever stretches beside them") {
    const matrix a{{3}}, b{{.1, .2}, {.3, .5}}, c{{3, 3}, {3, 3}};
    constexpr auto branch = [](auto s, auto m) {
        const auto u = dyad::cond(sum(m) > 0, [](auto q) { return sin(q); }, [](auto q) { return q * q; }, m);
        return sum(dyad::matmul(m, u)) + sum(dyad::solve(u, m)) + sum(dyad::concatenate(std::tuple{u, m}, 0) * 2) + sum(m * s);
    };
    constexpr auto mapped = [](auto s, auto m) {
        const auto u = dyad::map([](auto r) { return r * sum(r); }, m);
        const auto sums = dyad::scan([](auto total, auto r) { return std::pair{total + sum(r), r * total}; }, 0.0, u).second;
        return sum(u[1]) + sum(sums[1]) + sum(reshape(u, 4) * 2) + sum(m * s);
    };
    CHECK(dyad::value_and_grad<1>(branch)(a, b) == dyad::value_and_grad<1>(branch)(c, b));
    CHECK(dyad::value_and_grad<1>(mapped)(a, b) == dyad::value_and_grad<1>(mapped)(c, b));
    CHECK(dyad::grad<0>(mapped)(a, b)(0, 0) == Approx(xt::sum(b)()));
}
TEST_CASE("what stretches beside a branch's result or what a scan stacks is summed, or refused where it counts as it is") {
    const vector w{5}, two{5, 6}, x{1, 2, 3, 4}, direction{3};
    static constexpr auto chosen = [](auto a) { return dyad::cond(sum(a) > 0, [](auto q) { return sin(q); }, [](auto q) { return q * q; }, a); };
    constexpr auto added = [](auto b, auto a) { return sum(b + chosen(a)); };
    CHECK(dyad::grad<0>(added)(w, x) == vector{4});
    CHECK_THROWS_AS(dyad::grad<0>(added)(two, x), dyad::shape_error);
    CHECK(dyad::jvp<0>(added)(std::tie(w, x), direction).second == 12);
    CHECK(dyad::hvp<0>([](auto b, auto a) { return sum(square(b + chosen(a))); })(std::tie(w, x), direction) == vector{24});
    constexpr auto both = [](auto b, auto a) { return sum(b) + sum(b * chosen(a)); };
    CHECK_THROWS_AS(dyad::evaluate(both, w, x), dyad::shape_error);
    CHECK_THROWS_AS(dyad::value_and_grad<0>(both)(w, x), dyad::shape_error);
    constexpr auto stacked = [](auto b, auto a) { return sum(b + dyad::scan([](auto s, auto r) { return std::pair{s + r, s * r}; }, 0.0, a).second); };
    CHECK(dyad::evaluate(stacked, w, x) == 20 + 0 + 2 + 9 + 24);
    CHECK(dyad::grad<0>(stacked)(w, x) == vector{4});
    CHECK_THROWS_AS(dyad::grad<0>(stacked)(two, x), dyad::shape_error);
    CHECK_THROWS_AS(dyad::evaluate(stacked, x, w), dyad::shape_error); // one round, whose product does not stretch to four
    const matrix one{{2}}, square_matrix{{4, 1}, {1, 3}};
    constexpr auto rows = [](auto b, auto a) { return sum(dyad::scan([](auto s, auto r) { return std::pair{s * sum(r), r * s}; }, 1.0, a).second + b); };
    CHECK(dyad::grad<0>(rows)(one, square_matrix) == matrix{{4}});
}

// expand_dims and transpose move axes, whatever their size: one length scale for all columns, or one for each.
TEST_CASE("axes that stretch may be moved before they do") {
    constexpr auto kernel = [](auto scale, auto points) {
        const auto z = points / expand_dims(scale, 0);
        return sum(exp(-sum(square(expand_dims(z, 1) - expand_dims(z, 0)), 2)));
    };
    constexpr auto turned = [](auto b, auto a) { return sum(square(transpose(exp(b)) * sin(transpose(a)))); };
    const matrix points{{1, 2, 3}, {2.5, 1, 4}}, column{{0.3}, {-0.4}}, wide{{0.3, 0.3, 0.3}, {-0.4, -0.4, -0.4}};
    const vector one{1.5}, three{1.5, 1.5, 1.5};
    const auto [v, slopes] = dyad::value_and_grad(kernel)(one, points);
    const auto [of_three, slopes_of_three] = dyad::value_and_grad(kernel)(three, points);
    CHECK(v == Approx(of_three));
    CHECK(std::get<0>(slopes)(0) == Approx(xt::sum(std::get<0>(slopes_of_three))()));
    CHECK(std::get<1>(slopes) == std::get<1>(slopes_of_three));
    const double bend = dyad::hessian<0>(kernel)(one, points)(0, 0);
    CHECK(bend == Approx(xt::sum(dyad::hessian<0>(kernel)(three, points))()));
    CHECK(dyad::hvp<0>(kernel)(std::tuple(one, points), vector{2})(0) == Approx(2 * bend));
    const dyad::var<"scale", vector> scale(one);
    const dyad::var<"points", matrix> at(points);
    CHECK(kernel(scale, at).value() == Approx(v));
    const auto [w, turned_slopes] = dyad::value_and_grad(turned)(column, points);
    const auto [of_wide, slopes_of_wide] = dyad::value_and_grad(turned)(wide, points);
    const auto& [by_column, by_points] = turned_slopes;
    const auto& [by_wide, by_points_of_wide] = slopes_of_wide;
    CHECK(w == Approx(of_wide));
    for (std::size_t i = 0; i < 2; ++i) CHECK(by_column(i, 0) == Approx(by_wide(i, 0) + by_wide(i, 1) + by_wide(i, 2)));
    CHECK(by_points(1, 2) == Approx(by_points_of_wide(1, 2)));
    // What counts copies is refused as before.
    CHECK_THROWS_AS(dyad::evaluate([](auto b, auto a) { return sum(expand_dims(b, 0) * a) + sum(expand_dims(b, 0)); }, vector{1}, points), dyad::shape_error);
    CHECK_THROWS_AS(dyad::grad<0>([](auto b, auto a) { return sum(transpose(b) * a) + sum(dyad::matmul(transpose(b), b)); })(column, matrix{{1, 2}, {3, 4}}), dyad::shape_error);
    CHECK_THROWS_AS(dyad::grad<0>([](auto b, auto a) { return sum(expand_dims(b, 0) * a) + sum(slice(expand_dims(b, 0), 1, 0, 1)); })(vector{1}, points), dyad::shape_error);
}

// What a rewrite leaves out may have stretched what it leaves.
TEST_CASE("what cancels, or is chosen from whatever the mask, has as many elements as before") {
    const vector one{-2}, four{1, 2, 3, 4};
    const matrix column{{1}, {2}}, wide{{1, 2, 3}, {4, 5, 6}};
    // All of them are x, or that number of times x, for every element of y: so many go into a sum, and so many slopes into x's.
    const auto holds = [](auto f, const auto& x, const auto& y, double times = 1) {
        const auto [v, g] = dyad::value_and_grad([f](auto a, auto b) { return sum(3 * f(a, b)); })(x, y);
        const double slope = 3 * times * static_cast<double>(y.size() / x.size());
        const auto near_to = [](const auto& p, const auto& q) { return p.size() == q.size() && xt::amax(xt::abs(p - q))() < 1e-12; };
        return std::abs(v - slope * xt::sum(x)()) < 1e-12 && near_to(std::get<0>(g), x * 0 + slope) && near_to(std::get<1>(g), y * 0);
    };
    constexpr auto quotient = [](auto x, auto y) { return x * y / y; };
    constexpr auto chosen = [](auto x, auto y) { return where(y > 2, x, x); };
    const vector four_times_one{-2, -2, -2, -2};
    CHECK(dyad::evaluate(quotient, one, four) == four_times_one);
    CHECK(dyad::evaluate(dyad::verbatim(quotient), one, four) == four_times_one);
    CHECK(dyad::evaluate(quotient, column, wide) == matrix{{1, 1, 1}, {2, 2, 2}});
    CHECK(dyad::evaluate([](auto x, auto y) { return y / (y / x); }, one, four) == four_times_one);
    CHECK(dyad::evaluate(chosen, one, four) == four_times_one);
    CHECK(dyad::evaluate([](auto x, auto y) { return where(x < 0, x, where(x < 0, y, x)); }, one, four) == four_times_one);
    CHECK(holds(quotient, one, four));
    CHECK(holds(quotient, column, wide));
    const auto [as_written, slopes] = dyad::value_and_grad(dyad::verbatim([=](auto x, auto y) { return sum(3 * quotient(x, y)); }))(one, four);
    CHECK(as_written == Approx(-24));
    CHECK(std::get<0>(slopes) == vector{12});
    CHECK((std::get<1>(slopes).size() == 4 && xt::amax(xt::abs(std::get<1>(slopes)))() < 1e-12));
    CHECK(holds([](auto x, auto y) { return y / (y / x); }, one, four));
    CHECK(holds([](auto x, auto y) { return x / y * y; }, one, four));
    CHECK(holds([](auto x, auto y) { return x * sqrt(y) / sqrt(y); }, one, four));
    CHECK(holds([](auto x, auto y) { return x * square(y) / y / y; }, one, four));
    CHECK(holds(chosen, one, four));
    CHECK(holds([](auto x, auto y) { return where(y > 2, where(y > 2, x, y), x); }, one, four));
    CHECK(holds([](auto x, auto y) { return where(x < 0, x, where(x < 0, y, x)); }, one, four));
    CHECK(holds([](auto x, auto y) { return where(x < 0, where(x < 0, x, y), x); }, one, four));
    CHECK(holds([](auto x, auto y) { return where(x < 0, where(x < 0, x * 2, y), x * 3); }, one, four, 2));
    CHECK(holds([](auto x, auto y) { return where(!(x < 0), x, where(x < 0, x * 2, y)); }, one, four, 2));
    CHECK(dyad::grad<0>(dyad::strict([](auto x, auto y) { return sum(where(x < 0, x, where(x < 0, y, x))); }))(one, four) == vector{4});
    CHECK(dyad::grad<0>([](auto x, auto y) { return sum(x * y / y); })(one, four) == vector{4});
    CHECK(dyad::grad<0>([](auto x, auto y) { return sum(where(y > 2, x, x)); })(one, four) == vector{4});
    CHECK_THROWS_AS(static_cast<void>(dyad::evaluate(chosen, vector{1, 2, 3}, four)), dyad::shape_error);
    CHECK_THROWS_AS(static_cast<void>(dyad::evaluate(quotient, vector{1, 2, 3}, four)), dyad::shape_error);
}
TEST_CASE("arrays in the shape of what stretches have all of its elements") {
    const vector one{2}, three{1, 2, 3};
    const matrix row{{1, 2, 3}}, square_matrix = xt::ones<double>({3, 3});
    const auto all = [](auto f, const auto& a, const auto& b) { return dyad::evaluate(f, a, b); };
    constexpr auto of_product = [](auto x, auto y) { return ones_like(x * y); };
    constexpr auto identity = [](auto x, auto y) { return eye_like(x + y); };
    CHECK(all(of_product, one, three) == vector{1, 1, 1});
    CHECK(all(of_product, three, one) == vector{1, 1, 1});
    CHECK(all([](auto x, auto y) { return zeros_like(sin(x) + y); }, square_matrix, row) == matrix(xt::zeros<double>({3, 3})));
    CHECK(all([](auto x, auto y) { return full_like(x + y, 2.5); }, row, square_matrix) == matrix(2.5 * square_matrix));
    CHECK(all(identity, square_matrix, row) == dyad::eye(3));
    CHECK(all(identity, row, square_matrix) == dyad::eye(3));
    CHECK(all([](auto x, auto y) { return dyad::broadcast_like(x, x + y); }, one, three) == vector{2, 2, 2});
    CHECK(all([](auto x, auto y) { return dyad::broadcast_like(x, y + x); }, one, three) == vector{2, 2, 2});
    CHECK(all([](auto x, auto y) { return dyad::broadcast_like(dyad::broadcast_like(2.0, y), x); }, one, three) == vector{2, 2, 2});
    CHECK(all([](auto x, auto y) { return dyad::broadcast_like(y - y, x); }, matrix{{1}, {2}}, three) == matrix(xt::zeros<double>({2, 3})));
    CHECK(all([](auto x, auto y) { return dyad::broadcast_like(pow(y, 0), x); }, matrix{{1}, {2}}, three) == matrix(xt::ones<double>({2, 3})));
    CHECK(dyad::grad<0>([](auto x, auto y) { return sum(square(dyad::broadcast_like(x, x * y))); })(one, three) == vector{12});
    CHECK(dyad::grad<0>([](auto x, auto y) { return sum(diag(x + y)); })(row, square_matrix) == matrix{{1, 1, 1}});
}
TEST_CASE("the gradient by what stretches is the sum over where it does, along rows and columns of any length") {
    const auto f = [](auto a, auto b) { return sum(square(a * b) * b); };
    for (const std::size_t m : {1U, 2U, 5U}) {
        for (const std::size_t n : {1U, 2U, 7U, 8U, 9U, 16U, 19U, 40U}) {
            xt::xtensor<double, 2> column = xt::zeros<double>({m, std::size_t{1}}), row = xt::zeros<double>({std::size_t{1}, n});
            for (std::size_t i = 0; i < m; ++i) column(i, 0) = 0.5 - 0.3 * static_cast<double>(i);
            for (std::size_t j = 0; j < n; ++j) row(0, j) = 0.2 + 0.1 * static_cast<double>(j);
            const auto [by_column, by_row] = dyad::grad(f)(column, row);
            REQUIRE((by_column.shape() == column.shape() && by_row.shape() == row.shape()));
            double squares = 0, cubes = 0;
            for (std::size_t i = 0; i < m; ++i) squares += column(i, 0) * column(i, 0);
            for (std::size_t j = 0; j < n; ++j) cubes += row(0, j) * row(0, j) * row(0, j);
            for (std::size_t i = 0; i < m; ++i) CHECK(by_column(i, 0) == doctest::Approx(2 * column(i, 0) * cubes).epsilon(1e-13));
            for (std::size_t j = 0; j < n; ++j) CHECK(by_row(0, j) == doctest::Approx(3 * row(0, j) * row(0, j) * squares).epsilon(1e-13));
        }
    }
}
