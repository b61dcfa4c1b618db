// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// What a tape promises: gradients of any path through a program, sources and targets in any structure, its states
// (persistent, paused, spent, reset), and its refusals.

#include <dyad/tape.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

namespace {

using dyad::real, dyad::tape, dyad::tape_error;

static_assert(std::is_same_v<real, dyad::active<double>>);
static_assert(std::is_trivially_copyable_v<real>);
static_assert(sizeof(real) == 16);
static_assert(!std::is_copy_constructible_v<tape>);
static_assert(!std::is_convertible_v<real, double>, "a derivative is not to be lost silently");

template <class T>
struct point {
    T x, y;
};

std::string refusal(auto&& f) {
    try {
        f();
    } catch (const tape_error& e) {
        return e.what();
    }
    return "";
}
bool says(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a loop whose length depends on data is followed as it ran") {
    tape t;
    const real x = t.variable(3.0);
    real y = 1;
    double value = 1, slope = 0;
    while (y < 100) {
        y = y * x + sin(x);
        slope = slope * 3.0 + value + std::cos(3.0);
        value = value * 3.0 + std::sin(3.0);
    }
    CHECK(y.value() == value);
    CHECK(t.gradient(y, x) == doctest::Approx(slope).epsilon(1e-14));
}

TEST_CASE("sources in any structure give gradients in that structure") {
    tape t{dyad::persistent};
    const real x = t.variable(3.0), y = t.variable(2.0);
    const real z = x * x * y - y / x;
    const double dx = 2 * 3.0 * 2.0 + 2.0 / 9, dy = 9.0 - 1 / 3.0;
    CHECK(t.gradient(z, x) == doctest::Approx(dx));
    const auto [a, b] = t.gradient(z, std::tuple{x, y});
    CHECK(a == doctest::Approx(dx));
    CHECK(b == doctest::Approx(dy));
    const std::array<double, 2> ar = t.gradient(z, std::array{y, x});
    CHECK(ar[0] == b);
    CHECK(ar[1] == a);
    const std::vector<double> v = t.gradient(z, std::vector<real>{x, y, x});
    CHECK(v == std::vector<double>{a, b, a});
    const std::pair<double, std::vector<double>> p = t.gradient(z, std::pair{x, std::vector<real>{y}});
    CHECK(p.first == a);
    CHECK(p.second.at(0) == b);
    std::vector<real> v_of{y};
    const point<double> q = t.gradient(z, point<real>{x, y});
    CHECK(q.x == a);
    CHECK(q.y == b);
    const auto [tied_x, tied_v] = t.gradient(std::tie(z, z), std::tie(x, v_of)); // borrowed, values come back
    static_assert(std::is_same_v<decltype(tied_x), const double>);
    CHECK(tied_x == 2 * a);
    CHECK(tied_v == std::vector<double>{2 * b});
    CHECK(dyad::tape_grad([](auto s) { return std::get<0>(s) > 1 ? std::get<0>(s) * std::get<1>(s) : std::get<0>(s); })(std::tie(a, b)) == std::tuple{b, a});
    double into[2] = {};
    t.gradient_into(into, z, std::tie(y, x));
    CHECK(into[0] == b);
    CHECK(into[1] == a);
    CHECK(t.gradient(x * x * y, x) == 12); // an operation that no variable holds
}

TEST_CASE("variables can be arrays, vectors, tuples and aggregates") {
    tape t;
    const auto v = t.variable(std::vector<double>{1, 2, 3});
    const auto a = t.variable(std::array{4.0, 5.0});
    const auto [f, d] = t.variable(std::tuple{6.0, 7.0});
    const point<real> p = t.variable(point<double>{8, 9});
    real sum = f * d + p.x * p.y;
    for (const real& x : v) sum += x * x;
    for (const real& x : a) sum *= x;
    const auto [gv, ga, gf, gp] = t.gradient(sum, std::tuple{v, a, f, p});
    CHECK(gv == std::vector<double>{40, 80, 120});
    CHECK(ga[0] == 5 * (42 + 72 + 14));
    CHECK(gf == 140);
    CHECK(gp.y == 160);
}

TEST_CASE("several targets add up, with seeds of their own or one for all") {
    tape t{dyad::persistent};
    const real x = t.variable(2.0);
    const real y = x * x, z = 3 * x;
    CHECK(t.gradient(std::tuple{y, z}, x) == 7);
    CHECK(t.gradient(y, x, dyad::seed(2.0)) == 8);
    CHECK(t.gradient(std::tuple{y, z}, x, dyad::seed(std::tuple{1.0, -1.0})) == 1);
    CHECK(t.gradient(std::vector<real>{y, z, y}, x, dyad::seed(std::vector<double>{1, 0, 1})) == 8);
    CHECK(t.gradient(std::array{y, y}, x) == 8);
    CHECK(says(refusal([&] { t.gradient(std::vector<real>{y, z}, x, dyad::seed(std::vector<double>{1})); }), "1 seeds for 2 targets"));
}

TEST_CASE("gradients of and by intermediates") {
    tape t{dyad::persistent};
    const real x = t.variable(2.0);
    const real u = x * x, w = sin(u), y = u * w;
    CHECK(t.gradient(y, u) == doctest::Approx(std::sin(4.0) + 4 * std::cos(4.0)));
    CHECK(t.gradient(u, x) == 4);
    CHECK(t.gradient(u, y) == 0); // later than the target
    CHECK(t.gradient(u, u) == 1);
    const auto [gx, gu] = t.gradient(y, std::tuple{x, u});
    CHECK(gx == doctest::Approx(gu * 4));
}

TEST_CASE("a source that is not connected has gradient 0, and one with slope 0 is connected") {
    tape t{dyad::persistent};
    const real x = t.variable(2.0), z = t.variable(5.0);
    const real y = x * 0.0, constant = 3;
    CHECK(t.gradient(y, z) == 0);
    CHECK(!t.connected(y, z));
    CHECK(t.gradient(y, x) == 0);
    CHECK(t.connected(y, x));
    CHECK(!t.connected(constant, x));
    CHECK(t.gradient(constant, x) == 0);
    CHECK(!t.connected(y, constant));
    CHECK(t.connected(std::tuple{y, z}, z));
    const real flat = floor(x), chosen = where(x > 0, z, x);
    CHECK(!t.connected(flat, x));
    CHECK(t.connected(chosen, z));
    CHECK(!t.connected(chosen, x)); // the branch not taken
}

TEST_CASE("a tape gives one gradient and frees its memory; a persistent one gives any number") {
    tape t;
    real x = t.variable(2.0), y = x * x;
    CHECK(t.size() == 2);
    CHECK(t.bytes() > 0);
    CHECK(t.gradient(y, x) == 4);
    CHECK(t.size() == 0);
    CHECK(t.bytes() == 0);
    CHECK(says(refusal([&] { t.gradient(y, x); }), "dyad::persistent"));
    CHECK(says(refusal([&] { static_cast<void>(t.connected(y, x)); }), "one gradient"));
    x = x - 0.5; // without a recording: a plain number
    CHECK(x.value() == 1.5);

    x = t.variable(3.0); // begins the next recording
    y = x * x;
    CHECK(t.gradient(y, x) == 6);

    tape p{dyad::persistent};
    x = p.variable(2.0);
    y = x * x;
    CHECK(p.gradient(y, x) == 4);
    y = y * x; // and goes on recording
    CHECK(p.gradient(y, x) == 12);
}

TEST_CASE("pause and resume") {
    tape t;
    const real x = t.variable(2.0);
    t.pause();
    CHECK(t.paused());
    const real c = x * x; // a constant
    const std::size_t size = t.size();
    t.resume();
    CHECK(!t.paused());
    const real y = c * x;
    CHECK(t.size() == size + 1);
    CHECK(t.gradient(y, x) == 4);
}

TEST_CASE("while an inner tape of the same numbers is paused, the outer one records") {
    tape outer{dyad::persistent};
    const real x = outer.variable(2.0);
    tape inner{dyad::persistent};
    const real z = inner.variable(5.0);
    inner.pause();
    const real y = x * z; // z is constant here
    CHECK(outer.gradient(y, x) == 5);
    inner.resume();
    const real w = z * z;
    CHECK(inner.gradient(w, z) == 10);
}

TEST_CASE("reset forgets, and the numbers recorded before are refused") {
    tape t;
    const real x = t.variable(2.0);
    const real y = x * x;
    t.reset();
    CHECK(t.size() == 0);
    const real z = t.variable(3.0);
    CHECK(says(refusal([&] { static_cast<void>(real(z * y)); }), "has ended"));
    const real w = z * y.value();
    CHECK(t.gradient(w, z) == 4);
}

TEST_CASE("one resume ends any number of pauses") {
    tape t;
    const real x = t.variable(3.0);
    t.pause();
    t.pause();
    t.resume();
    CHECK(!t.paused());
    CHECK(t.gradient(real(x * x), x) == 6);
}
TEST_CASE("reset ends a pause") {
    dyad::tape t;
    t.pause();
    t.reset();
    CHECK(!t.paused());
    const dyad::real x = t.variable(3.0);
    CHECK(t.gradient(dyad::real(x * x), x) == 6);
}
TEST_CASE("numbers of another tape are refused") {
    tape a;
    const real x = a.variable(1.0);
    {
        tape b;
        const real z = b.variable(2.0);
        CHECK(says(refusal([&] { static_cast<void>(real(z * x)); }), "another tape, which is still recording"));
        CHECK(says(refusal([&] { b.gradient(z, x); }), "another tape"));
        CHECK(says(refusal([&] { b.gradient(x, z); }), "another tape"));
        CHECK(b.gradient(z * z, z) == 4); // a refusal takes nothing away
    }
    const real y = x * x;
    CHECK(a.gradient(y, x) == 2);
}

TEST_CASE("numbers of a tape that has ended are refused by the next") {
    real old;
    {
        tape a;
        old = a.variable(1.0) * 2;
    }
    CHECK((old * old).value() == 4); // no tape: plain numbers
    const real plain = old + 1;
    CHECK(plain.value() == 3);
    tape b;
    const real z = b.variable(2.0);
    CHECK(says(refusal([&] { static_cast<void>(real(z + old)); }), "has ended"));
    CHECK(says(refusal([&] { b.gradient(z, old); }), "tape is gone"));
}

TEST_CASE("without a tape a real is its value") {
    real x = 3;
    x += x * x;
    x /= 4;
    CHECK(x.value() == 3);
    CHECK(x.key().statement() == 0);
}

TEST_CASE("float and double have recordings of their own on one tape") {
    tape t{dyad::persistent};
    const dyad::active<float> f = t.variable(2.0F);
    const real d = t.variable(2.0);
    const dyad::active<float> ff = f * f * f;
    const real dd = d * d;
    static_assert(std::is_same_v<decltype(t.gradient(ff, f)), float>);
    CHECK(t.gradient(ff, f) == 12.0F);
    CHECK(t.gradient(dd, d) == 4.0);
    CHECK(t.size() == 4);
}

TEST_CASE("a statement takes a byte and its operands, slopes of one less, equal operands once") {
    tape t;
    const real x = t.variable(2.0), y = t.variable(3.0);
    const auto bytes_of = [&](auto&& statement) {
        const std::size_t before = t.bytes();
        real z = statement();
        CHECK(z.key().statement() == t.size());
        return t.bytes() - before;
    };
    CHECK(bytes_of([&] { return real(x * y); }) == 1 + 12 + 12);
    CHECK(bytes_of([&] { return real(x * x); }) == 1 + 12);
    CHECK(bytes_of([&] { return real(x + y); }) == 1 + 4 + 4);
    CHECK(bytes_of([&] { return real(x - 2 * y); }) == 1 + 4 + 12);
    CHECK(bytes_of([&] { return real(x * x * x - 7 * sin(x)); }) == 1 + 12);
    const std::size_t before = t.bytes();
    const real copy = x, constant = real(2) * 3;
    CHECK(t.bytes() == before);
    CHECK(copy.key() == x.key());
    CHECK(constant.key().statement() == 0);
}

TEST_CASE("the same recording again and again takes no more memory") {
    dyad::release_tape_memory();
    std::size_t size = 0;
    double sum = 0;
    for (int round = 0; round < 100000; ++round) {
        tape t;
        const real x = t.variable(1.0 + round);
        const real y = x * x + sin(x);
        if (round == 0) size = t.bytes();
        REQUIRE(t.bytes() == size);
        sum += t.gradient(y, x);
        REQUIRE(dyad::thread_tape_memory.chunks != nullptr);
        REQUIRE(dyad::thread_tape_memory.chunks->previous == nullptr); // one chunk serves all
    }
    CHECK(std::isfinite(sum));
    dyad::release_tape_memory();
    CHECK(dyad::thread_tape_memory.chunks == nullptr);
}

TEST_CASE("a chain of ten million statements needs no recursion") {
    tape t;
    const real x = t.variable(1.0);
    real y = x;
    for (int i = 0; i < 10000000; ++i) y = y * 1.0000001;
    CHECK(t.size() == 10000001);
    CHECK(t.gradient(y, x) == doctest::Approx(std::pow(1.0000001, 1e7)).epsilon(1e-8));
    dyad::release_tape_memory();
}

TEST_CASE("an exception in the middle of a recording leaves a tape that works") {
    const auto f = [](const real& x) {
        real y = x * x;
        if (y > 5) throw std::runtime_error("too large");
        return y;
    };
    tape t;
    const real x = t.variable(3.0);
    CHECK_THROWS_AS(f(x), std::runtime_error);
    const real z = t.variable(2.0);
    CHECK(t.gradient(f(z), z) == 4);
    CHECK_THROWS_AS(dyad::tape_grad(f)(3.0), std::runtime_error);
    CHECK(dyad::tape_grad(f)(2.0) == 4);
    CHECK(dyad::recordings_of_thread<double>.newest == nullptr);
}
