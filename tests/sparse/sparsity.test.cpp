// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Patterns of Jacobians and Hessians: operation by operation, through selections, loops, branches and rules; and on
// random graphs, where no derivative that the differentiate pass finds may lie outside.

#include <dyad/sparse.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <string_view>
#include <tuple>

namespace {

template <class F, class... S>
constexpr dyad::graph graph_of(const F& f) {
    return dyad::trace<F, S...>(f, dyad::policy::fast);
}
constexpr dyad::list<std::uint32_t> all_inputs(dyad::graph_view g) {
    dyad::list<std::uint32_t> by;
    for (std::uint32_t k = 0; k < g.input_count; ++k) by.push_back(k);
    return by;
}
/// Whether a pattern is what rows of 0 and 1 say, with blanks between them.
constexpr bool is(const dyad::bit_matrix& m, std::string_view rows) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < m.rows(); ++i, ++next) {
        for (std::size_t j = 0; j < m.columns(); ++j) {
            if (next >= rows.size() || (rows[next++] == '1') != m.test(i, j)) return false;
        }
    }
    return next == rows.size() + 1;
}
template <class... S, class F>
constexpr bool jacobian_is(const F& f, std::string_view rows) {
    const dyad::graph g = graph_of<F, S...>(f);
    return is(dyad::jacobian_pattern(g, all_inputs(g)), rows);
}
template <class... S, class F>
constexpr bool hessian_is(const F& f, std::string_view rows) {
    const dyad::graph g = graph_of<F, S...>(f);
    return is(dyad::hessian_pattern(g, all_inputs(g)), rows);
}
using two = std::array<double, 2>;
using three = std::array<double, 3>;
using five = std::array<double, 5>;

// --- Jacobians ---

static_assert(jacobian_is<double, double, double>([](auto x, auto y, auto z) { return std::tuple{x * y, floor(y), z + 1}; }, "110 000 001"));
static_assert(jacobian_is<double>([](auto) { return 3.0; }, "0"));
static_assert(jacobian_is<double>([](auto x) { return x; }, "1"));
static_assert(jacobian_is<double, double>([](auto x, auto y) { return std::tuple{where(x < 0, y, 2 * y), max(x, y), stop_gradient(x) * y, copysign(x, y)}; },
                                          "01 11 01 10"));
// The graph decides, not algebra: sums are not searched for what cancels.
static_assert(jacobian_is<double, double>([](auto x, auto y) { return std::tuple{x + y - x, y * 1 + 0}; }, "11 01"));

// --- Hessians ---

static_assert(hessian_is<double, double, double>([](auto x, auto y, auto z) { return x * y + z * z; }, "010 100 001"));
static_assert(hessian_is<double, double, double>([](auto x, auto y, auto z) { return 2 * x - y + z / 3; }, "000 000 000"));
static_assert(hessian_is<double, double>([](auto x, auto y) { return x / y; }, "01 11"));
static_assert(hessian_is<double, double>([](auto x, auto y) { return xlogy(x, y); }, "01 11"));
static_assert(hessian_is<double, double, double>([](auto x, auto y, auto z) { return fma(x, y, z); }, "010 100 000"));
static_assert(hessian_is<double, double>([](auto x, auto y) { return hypot(x, y); }, "11 11"));
static_assert(hessian_is<double, double>([](auto x, auto y) { return exp(x + y) + 1; }, "11 11"));
static_assert(hessian_is<double, double>([](auto x, auto y) { return exp(x) + sin(y); }, "10 01"));
static_assert(hessian_is<double, double>([](auto x, auto y) { return max(x, y) + abs(x) + clamp(y, -1, x); }, "00 00"));
static_assert(hessian_is<double, double>([](auto x, auto y) { return where(x < y, x * x, y); }, "10 00"));
static_assert(hessian_is<double, double>([](auto x, auto y) { return floor(x * x) * y + stop_gradient(x) * y; }, "00 00"));
// Only what the output needs counts; pairs come from above as well as from the operation itself.
static_assert(hessian_is<double, double, double>([](auto x, auto y, auto z) { return sin(x + 0 * y * y) * z; }, "101 000 100"));
static_assert(hessian_is<double, double, double>([](auto x, auto y, auto z) { return (x + y) * z; }, "001 001 110"));

// --- more than 64 inputs: several words ---

constexpr auto chained = [](const auto& x) {
    auto s = x[0] * x[1];
    for (std::size_t i = 1; i + 1 < x.size(); ++i) s = s + x[i] * x[i + 1];
    return s;
};
constexpr bool wide_band() {
    const dyad::graph g = graph_of<decltype(chained), std::array<double, 150>>(chained);
    const dyad::bit_matrix h = dyad::hessian_pattern(g, all_inputs(g));
    for (std::size_t i = 0; i < 150; ++i) {
        for (std::size_t j = 0; j < 150; ++j) {
            if (h.test(i, j) != (i == j + 1 || j == i + 1)) return false;
        }
    }
    return h.count() == 298 && h.transposed() == h;
}
static_assert(wide_band());

// --- loops, branches and rules ---

/// A stencil's rounds: how far each number reaches depends on how many they are.
template <int Rounds>
constexpr auto stencil = [](const auto& x) {
    return dyad::fori_loop(Rounds, [](auto, auto s) {
        auto next = s;
        for (std::size_t i = 0; i + 1 < s.size(); ++i) next[i] = s[i] + s[i + 1] * s[i + 1];
        return next;
    }, x);
};
static_assert(jacobian_is<five>(stencil<0>, "10000 01000 00100 00010 00001"));
static_assert(jacobian_is<five>(stencil<1>, "11000 01100 00110 00011 00001"));
static_assert(jacobian_is<five>(stencil<2>, "11100 01110 00111 00011 00001"));
static_assert(jacobian_is<five>(stencil<1000>, "11111 01111 00111 00011 00001"));
// The number of rounds is not known: all that any number of them may bring.
static_assert(jacobian_is<three>([](const auto& x) {
    return dyad::while_loop([](auto s) { return s[2] < 10; }, [](auto s) { return std::array{s[0] + s[1], s[1] * s[1], s[2] + 1}; }, x);
}, "110 010 001"));
// Two that change places: an even number of rounds brings them back.
template <int Rounds>
constexpr auto swaps = [](const auto& x) { return dyad::fori_loop(Rounds, [](auto, auto s) { return std::array{s[1], s[0]}; }, x); };
static_assert(jacobian_is<two>(swaps<2>, "10 01"));
static_assert(jacobian_is<two>(swaps<3>, "01 10"));
static_assert(jacobian_is<two>(swaps<65>, "11 11")); // so many are not followed one by one
// A loop in a loop, and one that uses what stands outside.
static_assert(jacobian_is<three>([](const auto& x) {
    return dyad::fori_loop(2, [&](auto, auto s) {
        return dyad::fori_loop(1, [&](auto, auto t) { return std::array{t[0] + t[1], t[1] * x[2]}; }, s);
    }, std::array{x[0], x[1]});
}, "111 011"));
static_assert(hessian_is<three>([](const auto& x) {
    return dyad::fori_loop(3, [&](auto, auto s) { return s + x[1] * x[2]; }, x[0]);
}, "000 001 010"));
static_assert(hessian_is<two>([](const auto& x) { return dyad::fori_loop(3, [&](auto, auto s) { return s * x[1]; }, x[0]); }, "01 11"));
static_assert(hessian_is<two>([](const auto& x) { return dyad::fori_loop(1, [&](auto, auto s) { return s * x[1]; }, x[0]); }, "01 10"));

static_assert(jacobian_is<three>([](const auto& x) {
    return cond(x[0] > 0, [](auto y, auto) { return y; }, [](auto, auto z) { return z * z; }, x[1], x[2]);
}, "011"));
static_assert(hessian_is<three>([](const auto& x) {
    return cond(x[0] > 0, [](auto y, auto) { return y; }, [](auto, auto z) { return z * z; }, x[1], x[2]);
}, "000 000 001"));

/// A rule may say what it likes: all entries of its arguments count.
constexpr auto ruled = dyad::custom_gradient([](auto x, auto y) { return x + y; },
                                             [](auto x, auto y, auto, auto g) { return std::tuple{g * y, g * x}; });
static_assert(hessian_is<three>([](const auto& x) { return ruled(x[0], x[1]) + x[2]; }, "110 110 000"));

// --- random graphs ---

using dyad::opcode;

dyad::graph random_graph(std::mt19937& random, std::uint32_t inputs, std::size_t operations, dyad::policy p) {
    constexpr opcode of_one[] = {opcode::neg, opcode::exp, opcode::sin, opcode::abs, opcode::floor, opcode::relu, opcode::stop_gradient, opcode::log};
    constexpr opcode of_two[] = {opcode::add, opcode::sub, opcode::mul, opcode::div, opcode::max, opcode::fmin, opcode::pow, opcode::hypot,
                                 opcode::atan2, opcode::copysign, opcode::xlogy, opcode::logaddexp, opcode::fmod, opcode::add};
    dyad::builder b(dyad::rewriter_of(p));
    dyad::list<dyad::node_index> nodes;
    for (std::uint32_t k = 0; k < inputs; ++k) nodes.push_back(b.input(k, dyad::element::float64));
    const auto pick = [&] { // of the last ones rather than of the first
        const std::size_t back = random() % (nodes.size() < 9 ? nodes.size() : 9);
        return random() % 4 == 0 ? nodes[random() % nodes.size()] : nodes[nodes.size() - 1 - back];
    };
    for (std::size_t k = 0; k < operations; ++k) {
        const dyad::node_index x = pick(), y = pick(), z = pick();
        switch (random() % 5) {
        case 0: nodes.push_back(b.emit(of_one[random() % std::size(of_one)], x)); break;
        case 1: nodes.push_back(b.emit(opcode::where, b.emit(opcode::less, x, y), y, z)); break;
        case 2: nodes.push_back(b.emit(random() % 2 == 0 ? opcode::fma : opcode::clamp, x, y, z)); break;
        default: nodes.push_back(b.emit(of_two[random() % std::size(of_two)], x, y));
        }
    }
    dyad::list<dyad::node_index> outputs;
    for (std::size_t k = nodes.size(); outputs.size() < inputs; --k) outputs.push_back(nodes[k - 1]);
    return b.finish(outputs);
}
bool is_zero_constant(const dyad::node& n) {
    return n.op == opcode::constant && dyad::constant_value(n) == 0.0;
}
/// The derivatives that the pattern leaves out are the constant 0.
bool covers(const dyad::bit_matrix& pattern, dyad::graph_view derivatives) {
    for (std::size_t k = 0; k < derivatives.output_count; ++k) {
        if (!pattern.test(k / pattern.columns(), k % pattern.columns()) && !is_zero_constant(derivatives[derivatives.outputs[k]])) return false;
    }
    return true;
}

/// What a graph gives at x: constants in, constants out (or what has no finite value).
dyad::list<double> evaluated(dyad::graph_view g, const dyad::list<double>& x) {
    dyad::builder b(dyad::rewriter_of(dyad::policy::fast));
    dyad::list<dyad::node_index> arguments;
    for (const double value : x) arguments.push_back(b.constant(dyad::exact(value), dyad::element::float64));
    dyad::list<double> result;
    for (const dyad::node_index i : b.append(g, arguments)) {
        result.push_back(b.is_constant(i) ? dyad::constant_value(b[i]).high : NAN);
    }
    return result;
}
dyad::colouring all_different(std::size_t n) {
    dyad::colouring c{dyad::list<std::uint32_t>(n), static_cast<std::uint32_t>(n)};
    for (std::uint32_t k = 0; k < n; ++k) c.colour[k] = k;
    return c;
}

} // namespace

TEST_CASE("no derivative of a random graph lies outside of its pattern") {
    std::mt19937 random(7);
    std::size_t ones = 0, places = 0;
    for (int round = 0; round < 300; ++round) {
        const dyad::policy p = round % 2 == 0 ? dyad::policy::fast : dyad::policy::verbatim;
        const dyad::graph g = random_graph(random, 2 + static_cast<std::uint32_t>(random() % 7), 5 + random() % 30, p);
        const auto by = all_inputs(g);
        const dyad::bit_matrix j = dyad::jacobian_pattern(g, by), h = dyad::hessian_pattern(g, by);
        CHECK(covers(j, dyad::differentiate(g, dyad::transform::jacobian, by, p)));
        CHECK(covers(h, dyad::differentiate(g, dyad::transform::hessian, by, p)));
        CHECK(h == h.transposed());
        ones += h.count();
        places += by.size() * by.size();
    }
    CHECK(ones < places); // or the check above says nothing
    CHECK(ones > 0);
}

TEST_CASE("compressed sweeps compute the entries of the dense matrices") {
    std::mt19937 random(11);
    std::size_t fewer = 0, compared = 0, unknown = 0;
    for (int round = 0; round < 200; ++round) {
        const dyad::graph g = random_graph(random, 3 + static_cast<std::uint32_t>(random() % 6), 5 + random() % 25, dyad::policy::fast);
        const auto by = all_inputs(g);
        dyad::list<double> x;
        for (std::size_t k = 0; k < by.size(); ++k) x.push_back(0.25 + static_cast<double>(random() % 1000) / 400);
        const dyad::bit_matrix j = dyad::jacobian_pattern(g, by), h = dyad::hessian_pattern(g, by);
        const dyad::colouring star = dyad::star_colouring(h), columns = dyad::colour_columns(j), rows = dyad::colour_rows(j);
        fewer += star.count < by.size() ? 1 : 0;
        const auto compare = [&](const dyad::graph& some, const dyad::bit_matrix& pattern, dyad::transform dense) {
            CHECK(dyad::check(some).size() == 0);
            const dyad::list<double> entries = evaluated(some, x), all = evaluated(dyad::differentiate(g, dense, by), x);
            REQUIRE(entries.size() == pattern.count());
            std::size_t k = 0;
            for (std::size_t i = 0; i < pattern.rows(); ++i) {
                pattern.each(i, [&](std::size_t c) {
                    const double is = entries[k++], expected = all[i * pattern.columns() + c];
                    if (std::isnan(expected)) return;
                    if (std::isnan(is)) { // in reverse, or across the diagonal, other constants are too extreme to fold
                        ++unknown;
                        return;
                    }
                    CHECK(is == doctest::Approx(expected).epsilon(1e-7));
                    ++compared;
                });
            }
        };
        compare(dyad::compressed(g, dyad::compression::columns, by, j, columns), j, dyad::transform::jacobian);
        compare(dyad::compressed(g, dyad::compression::rows, by, j, rows), j, dyad::transform::jacobian);
        compare(dyad::compressed(dyad::differentiate(g, dyad::transform::gradient, by), dyad::compression::symmetric, by, h, star), h, dyad::transform::hessian);
    }
    CHECK(fewer > 20);
    CHECK(compared > 2000);
    CHECK(100 * unknown < compared);
}

TEST_CASE("one sweep for each colour is as many operations as one for each column") {
    std::mt19937 random(5);
    std::size_t fewer = 0;
    for (int round = 0; round < 100; ++round) {
        const dyad::graph g = random_graph(random, 3 + static_cast<std::uint32_t>(random() % 6), 5 + random() % 25, dyad::policy::verbatim);
        const auto by = all_inputs(g);
        const dyad::bit_matrix j = dyad::jacobian_pattern(g, by);
        const dyad::colouring colours = dyad::colour_columns(j);
        fewer += colours.count < by.size() ? 1 : 0;
        CHECK(dyad::operation_count(dyad::compressed(g, dyad::compression::columns, by, j, colours, dyad::policy::verbatim)) ==
              dyad::operation_count(dyad::compressed(g, dyad::compression::columns, by, j, all_different(by.size()), dyad::policy::verbatim)));
    }
    CHECK(fewer > 10);
}
