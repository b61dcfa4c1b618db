// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// What goes round a loop: many values, arrays of numbers, aggregates; through branches, checkpoints and scans, too.

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include <dyad/core.hpp>

#include "slope.hpp"

using dyad::log, dyad_test::slope;

TEST_CASE("loops over more values than 256 keep each of them") {
    // (The number of rounds is a result of the loop too, and was taken for value 255.)
    constexpr auto f = [](auto x) {
        return dyad::fori_loop(3, [](auto, auto s) {
            for (auto& v : s) v = v * 2;
            return s;
        }, x);
    };
    std::array<double, 130> x{};
    x.fill(1);
    const auto [value, moved] = dyad::jvp(f)(x, x); // 260 values go round
    for (std::size_t i = 0; i < x.size(); ++i) {
        CHECK(value[i] == 8);
        CHECK(moved[i] == 8);
    }
}
TEST_CASE("arrays of numbers as a state, beside traced values and in tuples of arrays") {
    const auto scanned = [](auto x) {
        return dyad::scan([](auto s, auto e) { return std::pair{std::array{s[0] + e, s[1] * e}, e}; }, std::array{0.0, 1.0}, x).first;
    };
    CHECK(scanned(std::array{2.0, 3.0}) == std::array{5.0, 6.0});
    CHECK(dyad::grad([=](auto x) { return scanned(x)[1]; })(std::array{2.0, 3.0}) == std::array{3.0, 2.0});
    constexpr auto product = [](auto a, auto b) {
        return dyad::scan([](auto s, auto x) { return std::pair{s + std::get<0>(x) * std::get<1>(x), s}; }, 1.0, std::tuple{a, b}).first;
    };
    CHECK(product(std::array{1.0, 2.0}, std::array{3.0, 4.0}) == 12);
    CHECK(dyad::grad<1>(product)(std::array{1.0, 2.0}, std::array{3.0, 4.0}) == std::array{1.0, 2.0});
    CHECK(dyad::grad([](auto x) {
        const auto y = dyad::vmap([](auto e) { return e * e; })(x);
        return y[0] + 3 * y[1];
    })(std::array{1.0, 2.0}) == std::array{2.0, 12.0});
}
namespace {
template <class T>
struct particle {
    T place, speed;
};
template <class T>
particle(T, T) -> particle<T>;
template <class T, class U>
struct two_of {
    T first;
    U second;
};
template <class T, class U>
two_of(T, U) -> two_of<T, U>;
inline constexpr auto swing = [](auto x, auto v, auto n) {
    const auto end = dyad::fori_loop(n, [](auto, auto s) { return particle{s.place + 0.1 * s.speed, s.speed - 0.1 * sin(s.place)}; }, particle{x, v});
    return end.place * end.speed;
};
} // namespace
TEST_CASE("an aggregate goes through loops, branches and checkpoints") {
    const auto plain = [](double x, double v) {
        for (int i = 0; i < 7; ++i) {
            const double to = x + 0.1 * v;
            v -= 0.1 * std::sin(x);
            x = to;
        }
        return x * v;
    };
    const auto [value, slopes] = dyad::value_and_grad<0, 1>(swing)(0.7, -0.3, 7);
    CHECK(value == doctest::Approx(plain(0.7, -0.3)).epsilon(1e-14));
    CHECK(swing(0.7, -0.3, 7) == doctest::Approx(plain(0.7, -0.3)).epsilon(1e-14));
    CHECK(std::get<0>(slopes) == doctest::Approx(slope([&](double x) { return plain(x, -0.3); }, 0.7)).epsilon(1e-9));
    CHECK(std::get<1>(slopes) == doctest::Approx(slope([&](double v) { return plain(0.7, v); }, -0.3)).epsilon(1e-9));
    const auto squared = [](auto x) {
        return dyad::while_loop([](auto s) { return s.speed < 3; }, [](auto s) { return particle{s.place * s.place, s.speed + 1}; }, particle{x, 0 * x}).place;
    };
    CHECK(dyad::grad(squared)(1.1) == doctest::Approx(8 * std::pow(1.1, 7)).epsilon(1e-13));
    const auto chosen = [](auto x, auto y) {
        const auto [p, q] = dyad::cond(x > y, [](auto s) { return two_of{s.place * s.speed, sin(s.place)}; }, [](auto s) { return two_of{s.place, s.speed * s.speed}; }, particle{x, y});
        return p * q;
    };
    const auto [dx, dy] = dyad::grad(chosen)(1.2, 0.5); // of x y sin x
    CHECK(dx == doctest::Approx(0.5 * (std::sin(1.2) + 1.2 * std::cos(1.2))).epsilon(1e-14));
    CHECK(dy == doctest::Approx(1.2 * std::sin(1.2)).epsilon(1e-14));
    CHECK(dyad::grad(chosen)(0.5, 1.5) == std::tuple{2.25, 1.5});
    const auto kept = [](auto x, auto y) {
        const auto end = dyad::checkpoint([](auto s) { return particle{sin(s.place) * s.speed, s.place}; })(particle{x, y});
        return end.place * end.speed;
    };
    CHECK(std::get<0>(dyad::grad(kept)(0.8, 1.5)) == doctest::Approx(1.5 * (std::sin(0.8) + 0.8 * std::cos(0.8))).epsilon(1e-14));
    CHECK(std::get<1>(dyad::grad(kept)(0.8, 1.5)) == doctest::Approx(0.8 * std::sin(0.8)).epsilon(1e-14));
}
TEST_CASE("an aggregate goes through a scan") {
    const auto f = [](auto x, auto a) {
        const auto [end, kept] = dyad::scan(
            [](auto s, auto e) {
                const particle next{s.place + e * s.speed, s.speed * e};
                return std::pair{next, next.place * e};
            },
            particle{x, 1 + x}, a);
        return end.place * end.speed + kept[0] + kept[1] + kept[2];
    };
    const auto plain = [](double x, const std::array<double, 3>& a) {
        double p = x, v = 1 + x, sum = 0;
        for (const double e : a) p += e * v, v *= e, sum += p * e;
        return sum + p * v;
    };
    const std::array a{0.5, -1.2, 0.9};
    const auto [value, slopes] = dyad::value_and_grad(f)(0.3, a);
    CHECK(value == doctest::Approx(plain(0.3, a)).epsilon(1e-14));
    CHECK(std::get<0>(slopes) == doctest::Approx(slope([&](double x) { return plain(x, a); }, 0.3)).epsilon(1e-9));
    for (std::size_t i = 0; i < 3; ++i) {
        const auto by_element = [&](double e) {
            auto moved = a;
            moved[i] = e;
            return plain(0.3, moved);
        };
        CHECK(std::get<1>(slopes)[i] == doctest::Approx(slope(by_element, a[i])).epsilon(1e-9));
    }
}
TEST_CASE("results that are a std::array are stacked part by part, of plain numbers as of traced ones") {
    const std::array<std::array<double, 2>, 3> rows{{{1, 2}, {3, 4}, {5, 6}}};
    const auto [last, kept] = dyad::scan([](auto s, auto row) { return std::pair{s + row[0], std::array{row[1], s}}; }, 0.0, rows);
    CHECK(last == 9);
    CHECK(kept == std::array<std::array<double, 3>, 2>{{{2, 4, 6}, {0, 1, 4}}});
    const std::vector<double> xs{1, 2, 3};
    CHECK(dyad::map([](auto x) { return std::array{x, x * x}; }, xs) == std::array<std::vector<double>, 2>{{{1, 2, 3}, {1, 4, 9}}});
    const auto f = [](auto r) {
        const auto all = dyad::map([](auto row) { return std::array{row[0] * row[1], row[0]}; }, r);
        return all[0][2] * all[1][1];
    };
    CHECK(f(rows) == 90);
    CHECK(dyad::value_and_grad(f)(rows) == std::pair{90.0, std::array<std::array<double, 2>, 3>{{{0, 0}, {30, 0}, {18, 15}}}});
    // parts of parts, aggregates
    const auto nested = dyad::map([](auto x) { return std::tuple{x, std::array{x * x, 2 * x}, std::pair{particle{x, -x}, x}}; }, xs);
    CHECK(std::get<0>(nested) == xs);
    CHECK(std::get<1>(nested) == std::array<std::vector<double>, 2>{{{1, 4, 9}, {2, 4, 6}}});
    CHECK(std::get<2>(nested).first.speed == std::vector<double>{-1, -2, -3});
    const auto moved = [](auto r) { return dyad::map([](auto row) { return particle{row[0] * row[1], row[0]}; }, r).place[2]; };
    CHECK(dyad::grad(moved)(rows)[2] == std::array{6.0, 5.0});
    // a number that stays plain may steer the rounds
    const auto steered = [](auto r) {
        const auto products = dyad::scan([](auto t, auto row) { return std::pair{t + 0.5, row[0] * (t > 0.4 ? row[1] : 1.0 + 0 * row[1])}; }, 0.0, r).second;
        return products[0] + products[1] + products[2];
    };
    CHECK(steered(rows) == 43);
    CHECK(dyad::grad(steered)(rows) == std::array<std::array<double, 2>, 3>{{{1, 0}, {4, 3}, {6, 5}}});
}
TEST_CASE("a state of plain numbers may be what the body cannot be at 0") {
    CHECK(dyad::grad([](auto x) { return dyad::fori_loop(5, [&](auto, auto s) { return x + 1 / s; }, 1.0); })(2.0) ==
          doctest::Approx(slope([](double x) { return dyad::fori_loop(5, [&](auto, auto s) { return x + 1 / s; }, 1.0); }, 2.0)).epsilon(1e-9));
    CHECK(dyad::grad([](auto x) { return dyad::while_loop([](auto s) { return log(s) < 3; }, [&](auto s) { return s * x; }, 1.0); })(2.0) == 5 * 16);
    // A loop that meets no traced value is an ordinary one.
    CHECK(dyad::grad([](auto x) { return dyad::fori_loop(3, [&](auto, auto s) { return x * dyad::fori_loop(2, [](auto, auto t) { return t + 1; }, s); }, 1.0); })(1.0) == 15);
    CHECK(dyad::grad([](auto x) { return dyad::fori_loop(2, [&](auto, auto s) { return x * dyad::while_loop([](auto t) { return t < 10; }, [](auto t) { return t * 3; }, s); }, 1.0); })(1.0) == 27 + 27);
}
TEST_CASE("what goes round in a tuple has the wider type of its first values and the next ones") {
    const auto loop = [](auto x) {
        auto [a, b] = dyad::fori_loop(3, [&](auto, auto s) { auto [p, q] = s; return std::tuple{p + 0.5, q * p + x}; }, std::tuple{0, x});
        return a * b;
    };
    const auto repeated = [](auto x) {
        auto [a, b] = dyad::while_loop([](auto s) { return std::get<0>(s) < 1.4; },
                                       [&](auto s) { auto [p, q] = s; return std::pair{p + 0.5, q * p + x}; }, std::pair{0, x});
        return a * b;
    };
    const auto chosen = [](auto x) {
        auto [a, b] = dyad::cond(x > 1, [](auto s) { return std::tuple{1, s}; }, [](auto s) { return std::tuple{0.5, s * s}; }, x);
        return a * b;
    };
    const auto scanned = [](auto x) {
        const auto [a, b] = dyad::scan([](auto s, auto e) { auto [p, q] = s; return std::pair{std::tuple{p + 0.5 * e, q * e + p}, q}; },
                                       std::tuple{0, x}, std::array<double, 3>{1, 2, 3}).first;
        return a * b;
    };
    CHECK(loop(1.5) == 5.625);
    CHECK(dyad::value_and_grad(loop)(1.5) == std::pair{5.625, 3.75});
    CHECK(repeated(1.5) == 5.625);
    CHECK(dyad::value_and_grad(repeated)(1.5) == std::pair{5.625, 3.75});
    CHECK(chosen(0.5) == 0.125);
    CHECK(dyad::value_and_grad(chosen)(0.5) == std::pair{0.125, 0.5});
    CHECK(scanned(0.5) == doctest::Approx(3 * (6 * 0.5 + 3)));
    CHECK(dyad::value_and_grad(scanned)(0.5).first == doctest::Approx(scanned(0.5)));
    CHECK(dyad::grad(scanned)(0.5) == doctest::Approx(18));
}
namespace {
template <class T>
constexpr std::array<T, 2> grown(const std::array<T, 2>& s, const T& x) {
    return {s[0] * x, s[1] + x};
}
} // namespace
TEST_CASE("a state of plain numbers that traced values go round") {
    // (The body does not compile for the plain state: std::array has one type of elements.)
    const auto counted = [](auto x, auto n) {
        const auto s = dyad::fori_loop(n, [&](auto, auto t) { return std::array{t[0] * x, t[1] + 1}; }, std::array{1.0, 0.0});
        return s[0] * s[1];
    };
    CHECK(counted(1.5, 3) == 3 * 1.5 * 1.5 * 1.5);
    CHECK(dyad::grad<0>(counted)(1.5, 3) == 9 * 1.5 * 1.5);
    const auto helped = [](auto x, auto n) {
        const auto s = dyad::fori_loop(n, [&](auto, auto t) { return grown(t, x); }, std::array{1.0, 0.0});
        return s[0] * s[1];
    };
    CHECK(dyad::value_and_grad<0>(helped)(1.5, 3) == std::pair{helped(1.5, 3), 12 * 1.5 * 1.5 * 1.5});
    const auto flown = [](auto x, auto n) {
        const auto s = dyad::fori_loop(n, [&](auto i, auto t) { return particle{t.place * x, t.speed + i}; }, particle{1.0, 0.0});
        return s.place * s.speed;
    };
    CHECK(dyad::grad<0>(flown)(1.5, 3) == 9 * 1.5 * 1.5);
    const auto scanned = [](auto xs) {
        const auto [s, ys] = dyad::scan([](auto t, auto x) { return std::pair{std::array{t[0] * x, t[1] + 1}, x}; }, std::array{1.0, 0.0}, xs);
        return s[0] * s[1] + ys[0];
    };
    CHECK(scanned(std::array{1.5, 2.0}) == 7.5);
    CHECK(dyad::grad(scanned)(std::array{1.5, 2.0}) == std::array{5.0, 3.0});
    // Where no type tells that values are traced, the body's own does.
    const auto typed = [](auto x) {
        const auto s = dyad::fori_loop(3, [&](auto i, std::array<decltype(x), 2> t) { return std::array{t[0] * x, t[1] + i}; }, std::array{1.0, 0.0});
        return s[0] * s[1];
    };
    CHECK(dyad::value_and_grad(typed)(1.5) == std::pair{typed(1.5), 9 * 1.5 * 1.5});
    const auto begun = [](auto x) {
        const auto s = dyad::fori_loop(3, [&](auto i, auto t) { return particle{t.place * x, t.speed + i}; }, particle<decltype(x)>{1.0, 0.0});
        return s.place * s.speed;
    };
    CHECK(dyad::value_and_grad(begun)(1.5) == std::pair{begun(1.5), 9 * 1.5 * 1.5});
    const auto repeated = [](auto x) {
        using state = std::array<decltype(x), 2>;
        const auto s = dyad::while_loop([](const state& t) { return t[1] < 3; }, [&](const state& t) { return state{t[0] * x, t[1] + 1}; }, std::array{1.0, 0.0});
        return s[0] * s[1];
    };
    CHECK(dyad::value_and_grad(repeated)(1.5) == std::pair{repeated(1.5), 9 * 1.5 * 1.5});
}
TEST_CASE("what a body returns may be of other types, in the structure of the state") {
    const auto f = [](auto x) {
        const auto [a, b] = dyad::fori_loop(2, [](auto, auto s) {
            const auto [p, q] = s;
            return std::pair{p * q[0], std::tuple{q[0] + 1, 2}}; // of a std::tuple of a number and a std::array
        }, std::tuple{x, std::array{x, 0 * x}});
        return a + b[1];
    };
    CHECK(dyad::value_and_grad(f)(3.0) == std::pair{3.0 * 3 * 4 + 2, 3.0 * 9 + 2 * 3}); // x^2 (x + 1) + 2
}
namespace {
template <class T, int N>
struct fixed_vector {
    std::array<T, static_cast<std::size_t>(N)> at;
};
} // namespace
TEST_CASE("a body that returns a pair for a tuple, an array for either: whole numbers become real ones") {
    // (On plain numbers, each round cut them off.)
    const auto check = [](auto f) {
        CHECK(f(0.7) == doctest::Approx(2.8));
        CHECK(dyad::value_and_grad(f)(0.7).first == doctest::Approx(2.8));
        CHECK(dyad::grad(f)(0.7) == doctest::Approx(4));
    };
    check([](auto x) {
        return std::get<1>(dyad::fori_loop(4, [&](auto, auto s) { return std::pair{std::get<0>(s), std::get<1>(s) + x}; }, std::tuple{x, 0}));
    });
    check([](auto x) {
        return dyad::fori_loop(4, [&](auto, auto s) { return std::tuple{std::get<0>(s), std::get<1>(s) + x}; }, std::pair{x, 0}).second;
    });
    check([](auto x) {
        return dyad::fori_loop(4, [&](auto, auto s) { return std::tuple{s[0] + 1, s[1] + x}; }, std::array{0, 0})[1];
    });
    check([](auto x) {
        const auto step = [&](auto s) { return std::pair{std::get<0>(s) + 1, std::get<1>(s) + x}; };
        return std::get<1>(dyad::while_loop([](auto s) { return std::get<0>(s) < 4; }, step, std::tuple{0, 0}));
    });
    check([](auto x) {
        const auto step = [&](auto, auto s) {
            const auto [a, b] = s.first;
            return std::pair{std::tuple{a + x, b + 1}, s.second};
        };
        return std::get<0>(dyad::fori_loop(4, step, std::pair{std::pair{0, 0}, x}).first);
    });
    check([](auto x) {
        const auto step = [&](auto, auto s) {
            using next = decltype(s.at[0] + x);
            return fixed_vector<next, 2>{{s.at[0] + x, s.at[1] + 2 * x}};
        };
        return dyad::fori_loop(4, step, fixed_vector<int, 2>{{0, 0}}).at[0];
    });
    check([](auto x) {
        const auto step = [&](auto s, auto e) { return std::pair{std::pair{std::get<0>(s), std::get<1>(s) + e * x}, 1}; };
        return std::get<1>(dyad::scan(step, std::tuple{x, 0}, std::array{1.0, 3.0}).first);
    });
}
TEST_CASE("a plain array of many elements goes round, and one of none") {
    std::array<double, 2000> many{};
    const auto next = [](auto, auto s) {
        for (auto& e : s) e += 1;
        return s;
    };
    CHECK(dyad::fori_loop(3, next, many)[1999] == 3);
    CHECK(dyad::fori_loop(3, next, std::array<double, 0>{}).empty());
    CHECK(dyad::fori_loop(3, [](auto, auto s) { return std::array{s[0] + 0.5, s[1] * 1.5}; }, std::array{0, 1}) == std::array{1.5, 3.375});
}
