// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Sizes that are known at run time alone: reshape, broadcast_to, full, zeros and ones with those of other arrays' axes, x.shape(0).
// One function with arguments of any size: traced, on expressions, on plain arrays and on the tape.

#include "differences.hpp"

#include <dyad/tape.hpp>

#include <doctest/doctest.h>

using namespace differences;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using cube = xt::xtensor<double, 3>;

/// Self-attention of two heads; [batch, length, features] in and out.
const auto attention = [](auto x, auto W) {
    using dyad::matmul, dyad::reshape, dyad::transpose, dyad::softmax;
    const auto heads = [&](const auto& y) { return transpose(reshape(y, y.shape(0), y.shape(1), 2, -1), 0, 2, 1, 3); };
    const auto q = heads(matmul(x, W));
    const auto k = heads(x);
    const auto mixed = matmul(softmax(matmul(q, transpose(k, 0, 1, 3, 2)), -1), k);
    return reshape(transpose(mixed, 0, 2, 1, 3), x.shape(0), x.shape(1), -1);
};
/// The same, head by head, with the sizes in the source.
const auto attention_by_heads = [](auto x, auto W) {
    using dyad::matmul, dyad::slice, dyad::softmax, dyad::concatenate, dyad::transpose;
    const auto projected = matmul(x, W);
    const auto head = [&](const auto& q, const auto& k) { return matmul(softmax(matmul(q, transpose(k, 0, 2, 1)), -1), k); };
    return concatenate(std::tuple{head(slice(projected, 2, 0, 2), slice(x, 2, 0, 2)), head(slice(projected, 2, 2), slice(x, 2, 2))}, 2);
};
/// And in loops.
cube attention_in_loops(const cube& x, const matrix& W) {
    cube mixed(x.shape());
    const std::size_t length = x.shape()[1];
    for (std::size_t b = 0; b < x.shape()[0]; ++b) {
        for (std::size_t i = 0; i < length; ++i) {
            for (const std::size_t head : {0U, 2U}) { // its first feature
                double q[2] = {}, out[2] = {}, total = 0;
                for (std::size_t c = 0; c < 2; ++c) {
                    for (std::size_t f = 0; f < 4; ++f) q[c] += x(b, i, f) * W(f, head + c);
                }
                for (std::size_t j = 0; j < length; ++j) {
                    const double weight = std::exp(q[0] * x(b, j, head) + q[1] * x(b, j, head + 1));
                    total += weight;
                    for (std::size_t c = 0; c < 2; ++c) out[c] += weight * x(b, j, head + c);
                }
                for (std::size_t c = 0; c < 2; ++c) mixed(b, i, head + c) = out[c] / total;
            }
        }
    }
    return mixed;
}
const auto loss = [](auto f) { return [f](auto x, auto W) { return sum(square(f(x, W))); }; };

/// A recurrent network that begins with a state of zeros: [length, batch, features].
const auto recurrent = [](auto W, auto U, auto x) {
    const auto step = [&](auto h, auto now) {
        const auto next = tanh(matmul(h, W) + matmul(now, U));
        return std::pair{next, sum(next)};
    };
    const auto [last, sums] = dyad::scan(step, dyad::zeros(x.shape(1), W.shape(0)), x);
    return sum(square(last)) + sum(sums);
};
const auto recurrent_from = [](auto W, auto U, auto x, auto h0) {
    const auto step = [&](auto h, auto now) {
        const auto next = tanh(matmul(h, W) + matmul(now, U));
        return std::pair{next, sum(next)};
    };
    const auto [last, sums] = dyad::scan(step, h0, x);
    return sum(square(last)) + sum(sums);
};

} // namespace

TEST_CASE("heads of an attention, of any batch and length: values and slopes are those of the heads one by one") {
    const matrix W = numbers<double, 2>({4, 4}, 3);
    for (const std::size_t batch : {1U, 2U, 5U}) {
        for (const std::size_t length : {1U, 3U, 6U}) {
            const cube x = numbers<double, 3>({batch, length, 4});
            CHECK(apart(cube(dyad::evaluate(attention, x, W)), attention_in_loops(x, W)) < 1e-14);
            const auto [value, slopes] = dyad::value_and_grad(loss(attention))(x, W);
            const auto [wanted, wanted_slopes] = dyad::value_and_grad(loss(attention_by_heads))(x, W);
            CHECK(apart(value, wanted) < 1e-14);
            CHECK(apart(std::get<0>(slopes), std::get<0>(wanted_slopes)) < 1e-13);
            CHECK(apart(std::get<1>(slopes), std::get<1>(wanted_slopes)) < 1e-13);
        }
    }
    const cube nothing(std::array<std::size_t, 3>{0, 3, 4});
    CHECK_THROWS_AS(dyad::evaluate(attention, nothing, W), dyad::shape_error); // 0 elements do not say what is left
}

TEST_CASE("the same of expressions, at once, and recorded") {
    const matrix W = numbers<double, 2>({4, 4}, 3);
    const cube x = numbers<double, 3>({2, 3, 4});
    const cube wanted = attention_in_loops(x, W);
    CHECK(apart(cube(attention(x, W)), wanted) < 1e-14);
    const dyad::var<"x", cube> v{x};
    CHECK(apart(cube(attention(v, W).value()), wanted) < 1e-14);
    const auto wanted_slopes = std::get<0>(dyad::value_and_grad(loss(attention_by_heads))(x, W).second);
    CHECK(apart(std::get<0>(dyad::gradient(sum(square(attention(v, W))), v)), wanted_slopes) < 1e-13);
    CHECK(apart(dyad::tape_grad<0>(loss(attention))(x, W), wanted_slopes) < 1e-13);
    CHECK(apart(cube((broadcast_to(v, 2.0, v.shape(0), v.shape(1), -1)[0]).value()), x) == 0);
    CHECK_THROWS_AS(reshape(v, 2.5, -1), dyad::value_error);
    CHECK_THROWS_AS(reshape(v, v.shape(0) - 5, -1), dyad::value_error);
}

TEST_CASE("sizes stay sizes: floats are floats, whole numbers positions, and conditions conditions") {
    const xt::xtensor<float, 2> f{{1, 2, 3}, {4, 5, 6}};
    const auto both = [](auto x, auto other) {
        return std::pair{reshape(x, other.shape(0), x.shape(1)), dyad::zeros(other.shape(0), x.shape(1)) + x + dyad::full(0.5, x.shape(0), other.shape(1))};
    };
    const auto [flat, filled] = dyad::evaluate(both, f, xt::xtensor<int, 2>{{1}, {2}});
    static_assert(std::is_same_v<std::remove_const_t<decltype(flat)>, xt::xtensor<float, 2>>);
    static_assert(std::is_same_v<std::remove_const_t<decltype(filled)>, xt::xtensor<float, 2>>);
    CHECK(flat == f);
    CHECK(filled(1, 2) == 6.5F);
    const auto picked = [](auto table, auto rows) { return take(table, reshape(rows, rows.size())); };
    CHECK(dyad::evaluate(picked, vector{1, 2, 4}, xt::xtensor<int, 2>{{2, 0}, {1, 1}}) == vector{4, 1, 2, 2});
    const auto chosen = [](auto x, auto mask) { return sum(where(reshape(mask, x.shape(0), -1), x, 0)); };
    CHECK(dyad::evaluate(chosen, matrix{{1, 2}, {4, 8}}, xt::xtensor<bool, 1>{true, false, false, true}) == 9);
}

TEST_CASE("arrays of one value: sizes of two arrays, numbers, a value that has slopes") {
    const matrix X = numbers<double, 2>({3, 4}), W = numbers<double, 2>({4, 2}, 2);
    const auto all = [](auto x, auto w, auto c) {
        return std::tuple{dyad::zeros(x.shape(0), w.shape(1)), dyad::ones(x.shape(1)), dyad::full(c, w.shape(1), 3, x.shape(0)), dyad::full(2, x.shape(0), 1)};
    };
    const auto [zeros, ones, full, column] = dyad::evaluate(all, X, W, 0.5);
    CHECK(zeros == dyad::zeros(3, 2));
    CHECK(ones == dyad::ones(4));
    CHECK(full == dyad::full(0.5, 2, 3, 3));
    CHECK(column == dyad::full(2.0, 3, 1));
    const auto [plain_zeros, plain_ones, plain_full, plain_column] = all(X, W, 0.5); // the same names on plain arrays
    CHECK((plain_zeros == zeros && plain_ones == ones && plain_full == full && plain_column.shape()[1] == 1));
    const auto weighted = [](auto c, auto x) { return sum(dyad::full(sin(c), x.shape(0), 3)) + 2 * sum(dyad::full(c, x.shape(1)) * mean(x, 0)); };
    double means = 0;
    for (const double element : X) means += element / 3;
    CHECK(std::abs(dyad::grad<0>(weighted)(0.3, X) - (9 * std::cos(0.3) + 2 * means)) < 1e-13);
    CHECK(dyad::grad<0>([](auto x, auto c) { return sum(dyad::full(c, x.shape(0))) + 0 * sum(x); })(X, 2.0) == dyad::zeros(3, 4));
    CHECK(dyad::jvp<0>(weighted)(std::tuple{0.3, X}, 2.0).second == doctest::Approx(2 * dyad::grad<0>(weighted)(0.3, X)));
    CHECK(std::abs(dyad::hessian<0>(weighted)(0.3, X) + 9 * std::sin(0.3)) < 1e-13);
}

TEST_CASE("an identity with as many rows as an array has columns") {
    const auto ridge = [](auto lambda, auto X) { return sum(dyad::inverse(matmul(transpose(X), X) + lambda * dyad::eye(X.shape(1)))); };
    const auto ridge_like = [](auto lambda, auto X) {
        const auto G = matmul(transpose(X), X);
        return sum(dyad::inverse(G + lambda * eye_like(G)));
    };
    const matrix X = numbers<double, 2>({5, 3});
    const auto [value, slope] = dyad::value_and_grad<0>(ridge)(0.5, X);
    const auto [value_like, slope_like] = dyad::value_and_grad<0>(ridge_like)(0.5, X);
    CHECK(value == value_like);
    CHECK(apart(slope, slope_like) < 1e-14);
}

TEST_CASE("a recurrent network whose state begins as zeros, of as many rows as the batch has") {
    const matrix W = numbers<double, 2>({3, 3}), U = numbers<double, 2>({2, 3}, 2);
    for (const std::size_t batch : {1U, 4U}) {
        const cube x = numbers<double, 3>({5, batch, 2}, 3);
        const matrix h0 = dyad::zeros(batch, 3);
        const auto [value, slopes] = dyad::value_and_grad<0, 1>(recurrent)(W, U, x);
        const auto [wanted, wanted_slopes] = dyad::value_and_grad<0, 1>(recurrent_from)(W, U, x, h0);
        CHECK(apart(value, wanted) < 1e-14);
        CHECK(apart(std::get<0>(slopes), std::get<0>(wanted_slopes)) < 1e-13);
        CHECK(apart(std::get<1>(slopes), std::get<1>(wanted_slopes)) < 1e-13);
    }
}

TEST_CASE("in the bodies of loops, of functions of rows, and around one another") {
    const cube X = numbers<double, 3>({4, 3, 6});
    const auto rows = [](auto x) { return dyad::map([](auto row) { return sum(square(reshape(row, row.shape(0), 2, -1)), 0, 1); }, x); };
    matrix wanted(std::array<std::size_t, 2>{4, 3});
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            wanted(i, j) = 0;
            for (std::size_t k = 0; k < 3; ++k) wanted(i, j) += X(i, k, j) * X(i, k, j) + X(i, k, j + 3) * X(i, k, j + 3);
        }
    }
    CHECK(apart(matrix(dyad::evaluate(rows, X)), wanted) < 1e-14);
    CHECK(apart(dyad::grad([](auto x) { return dyad::sum(decltype(rows){}(x)); })(X), cube(2 * X)) < 1e-14);
    const auto repeated = [](auto x) {
        return dyad::sum(dyad::fori_loop(3, [&](auto, auto s) { return tanh(reshape(transpose(reshape(s, s.shape(0), -1)), s.shape(0), s.shape(1), s.shape(2))) + x; }, x));
    };
    CHECK(gradient_off(repeated, X) < 1e-7);
    CHECK(dyad::evaluate([](auto x) { return reshape(reshape(x, x.shape(1), -1), x.shape(0), x.shape(1), x.shape(2)); }, X) == X);
}

TEST_CASE("beside what other functions make: rows, parts, second derivatives") {
    const matrix X = numbers<double, 2>({3, 4});
    const vector w = numbers<double, 1>({4}, 2);
    const auto rows = [](auto x, auto y) { return dyad::map([&](auto row) { return sum(dyad::full(row[0], y.shape(0), row.shape(0)) * row); }, x); };
    vector wanted(std::array<std::size_t, 1>{3});
    for (std::size_t i = 0; i < 3; ++i) wanted(i) = 4 * X(i, 0) * (X(i, 0) + X(i, 1) + X(i, 2) + X(i, 3));
    CHECK(apart(vector(dyad::evaluate(rows, X, w)), wanted) < 1e-14);
    const auto padded = [](auto x) { return sum(dyad::cumsum(concatenate(std::tuple{dyad::zeros(1, x.shape(1)), x}, 0), 0)); };
    CHECK(dyad::grad(padded)(X) == matrix{{3, 3, 3, 3}, {2, 2, 2, 2}, {1, 1, 1, 1}});
    const auto added = [](auto x, auto at) { return sum(square(scatter_add(dyad::zeros(x.shape(0)), at, x))); };
    CHECK(dyad::grad<0>(added)(vector{1, 2, 3, 4}, xt::xtensor<int, 1>{0, 0, 1, 3}) == vector{6, 6, 6, 8});
    const auto h = dyad::hessian([](auto x) { return sum(dyad::full(x[0][0], x.shape(1)) * x[1]) + sum(dyad::cube(reshape(x, x.size()))) / 6; })(X);
    for (std::size_t k = 0; k < 144; ++k) {
        const std::size_t i = k / 12, j = k % 12;
        const bool cross = (i == 0 && j / 4 == 1) || (j == 0 && i / 4 == 1);
        CHECK(std::abs(h.data()[k] - (i == j ? X.data()[i] : cross ? 1 : 0)) < 1e-15);
    }
}

TEST_CASE("a size of x itself is that number, not what is left") {
    const vector x{1, 2, 3, 4};
    CHECK(dyad::evaluate([](auto a) { return std::pair{reshape(a, a.shape(0), -1), reshape(a, 1, a.size())}; }, x) == std::pair{matrix{{1}, {2}, {3}, {4}}, matrix{{1, 2, 3, 4}}});
    CHECK(dyad::evaluate([](auto a) { return reshape(a, a.size()); }, matrix{{1, 2}, {3, 4}}) == x);
    CHECK_THROWS_WITH_AS(dyad::evaluate([](auto a) { return reshape(a, a.shape(0), 2); }, x), "[dyad] reshape: one shape has 4 elements and the other 8", dyad::shape_error);
    CHECK_THROWS_AS(dyad::evaluate([](auto a, auto b) { return reshape(a, a.shape(0), b.shape(0)); }, x, vector{1, 2}), dyad::shape_error);
}

TEST_CASE("what does not fit is said with the numbers") {
    const matrix x = numbers<double, 2>({4, 6});
    const auto heads = [](auto a) { return sum(reshape(a, a.shape(0), 5, -1)); };
    const char* const rest = "[dyad] reshape: [4,6] has 24 elements, which do not fill a shape of 20 by what is left (-1)";
    CHECK_THROWS_WITH_AS(dyad::evaluate(heads, x), rest, dyad::shape_error);
    CHECK_THROWS_WITH_AS(dyad::grad(heads)(x), rest, dyad::shape_error);
    CHECK_THROWS_WITH_AS(dyad::evaluate([](auto a) { return reshape(a, a.shape(0), 5); }, x), "[dyad] reshape: one shape has 24 elements and the other 20", dyad::shape_error);
    CHECK_THROWS_AS(dyad::evaluate([](auto a, auto b) { return a + dyad::zeros(b.shape(0)); }, vector{1, 2, 3}, vector{1, 2}), dyad::shape_error);
    CHECK_THROWS_AS(dyad::grad<0>([](auto a, auto b) { return sum(a + dyad::zeros(b.shape(0))); })(vector{1, 2, 3}, vector{1, 2}), dyad::shape_error);
    CHECK_THROWS_AS(dyad::evaluate([](auto a, auto b) { return broadcast_to(a, b.shape(0)); }, vector{1, 2, 3}, vector{1, 2}), dyad::shape_error);
}
