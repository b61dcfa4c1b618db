// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Statements of every kind, through many pieces of memory, read back from any of them; and leaves that are the same number.
#include <doctest/doctest.h>

#include <dyad/tape/equal_leaves.hpp>
#include <dyad/tape/statement_stream.hpp>

#include <random>
#include <vector>

namespace {

template <class T>
struct written {
    bool pullback = false;
    std::vector<std::pair<T, std::uint32_t>> pairs;
    std::vector<std::uint32_t> units; ///< with the bit of the sign
};

template <class T>
written<T> read(const dyad::recorded_statement& s) {
    using stream = dyad::statement_stream<T>;
    written<T> w{s.pullback, {}, {}};
    const std::byte* at = s.operands;
    for (std::uint32_t k = 0; k < s.pairs; ++k, at += stream::pair_size)
        w.pairs.push_back({stream::template get<T>(at), stream::template get<std::uint32_t>(at + sizeof(T))});
    for (std::uint32_t k = 0; k < s.units; ++k, at += sizeof(std::uint32_t)) w.units.push_back(stream::template get<std::uint32_t>(at));
    return w;
}
template <class T>
std::uint32_t write(dyad::statement_stream<T>& s, const written<T>& w) {
    using stream = dyad::statement_stream<T>;
    std::byte* at = s.room(w.pairs.size() * stream::pair_size + w.units.size() * sizeof(std::uint32_t) + sizeof(std::uint32_t));
    unsigned code = 0;
    for (const auto& [partial, operand] : w.pairs) stream::put_pair(at, code, partial, operand);
    for (const std::uint32_t unit : w.units) stream::put_unit(at, code, (unit & stream::minus) != 0, unit & ~stream::minus);
    if (w.pairs.size() > dyad::statement_code::most_numbers) {
        stream::put(at, static_cast<std::uint32_t>(w.pairs.size()));
        code = dyad::statement_code::long_list;
    }
    return s.finish(at, code);
}

} // namespace

TEST_CASE_TEMPLATE("statements are read back as they were written", T, float, double, long double) {
    using stream = dyad::statement_stream<T>;
    std::mt19937 draw(7);
    const auto below = [&](unsigned n) { return static_cast<std::uint32_t>(draw() % n); };
    stream s;
    CHECK(s.size() == 0);
    CHECK(s.bytes() == 0);
    s.open();
    std::vector<written<T>> all;
    std::size_t bytes = 0;
    bool in_order = true;
    for (std::uint32_t number = 1; number <= 6'000; ++number) {
        written<T> w;
        // Every number of operands that a code can tell; now and then a list, once one longer than a piece of memory.
        const bool list = below(1000) == 0;
        const std::uint32_t pairs = number == 3'000 ? 40'000 : list ? 30 + below(300) : below(30), units = list || number == 3'000 ? 0 : below(8);
        for (std::uint32_t k = 0; k < pairs; ++k) w.pairs.push_back({static_cast<T>(draw()), below(number)});
        for (std::uint32_t k = 0; k < units && pairs + units < 37; ++k) w.units.push_back(below(number) | (below(2) == 0 ? stream::minus : 0));
        // (29 pairs and 7 units would be the code of a function.)
        if (w.pairs.size() >= 29 && w.units.size() == 7) w.units.pop_back();
        bytes += 1 + w.pairs.size() * stream::pair_size + w.units.size() * sizeof(std::uint32_t) + (w.pairs.size() > 29 ? sizeof(std::uint32_t) : 0);
        in_order = write(s, w) == number && in_order;
        all.push_back(std::move(w));
    }
    CHECK(in_order);
    CHECK(s.size() == 6'000);
    CHECK(s.bytes() == bytes);
    const auto read_from = [&](std::uint32_t last, auto straight) {
        std::uint32_t next = last;
        bool good = true;
        s.template walk_back<decltype(straight)::value>(last, [&](const dyad::recorded_statement& r) {
            const written<T> w = read<T>(r), &expected = all[r.number - 1];
            good = good && r.number == next-- && w.pullback == expected.pullback && w.pairs == expected.pairs && w.units == expected.units;
        });
        CHECK(good);
        CHECK(next == 0);
    };
    for (const std::uint32_t last : {6'000U, 5'999U, 3'001U, 3'000U, 2'999U, 1U, 0U}) {
        read_from(last, std::false_type{});
        read_from(last, std::true_type{});
    }
    s.close();
    CHECK(s.size() == 0);
    s.open(); // with memory that was given back
    CHECK(write(s, all[5]) == 1);
}

TEST_CASE("a function of many results takes a code for each, all in one piece of memory") {
    using stream = dyad::statement_stream<double>;
    stream s;
    s.open();
    for (std::uint32_t f = 0; f < 40; ++f) {
        const std::uint32_t results = 1 + f * 1000;
        std::byte* at = s.room(sizeof f, results);
        stream::put(at, f);
        s.finish(at, dyad::statement_code::pullback);
        for (std::uint32_t k = 1; k < results; ++k) s.finish(at, 0);
    }
    std::uint32_t f = 40, plain = 0;
    bool good = true;
    s.walk_back(s.size(), [&](const dyad::recorded_statement& r) {
        if (!r.pullback) {
            ++plain;
            return;
        }
        --f;
        good = good && stream::get<std::uint32_t>(r.operands) == f && plain == f * 1000;
        plain = 0;
    });
    CHECK(good);
    CHECK(f == 0);
}

TEST_CASE("equal leaves: the first has the sum, the others are merged") {
    using dyad::tape_key;
    const tape_key a(1, 1), b(2, 1), c(3, 1);
    CHECK(dyad::equal_leaves<1>::distinct(&a));
    const tape_key different[] = {a, b, c, tape_key(1, 2)};
    CHECK(dyad::equal_leaves<4>::distinct(different));
    const tape_key same[] = {a, b, a, a};
    CHECK_FALSE(dyad::equal_leaves<4>::distinct(same));
    double partial[] = {1, 10, 100, 1000};
    bool unit[] = {true, true, false, true}, merged[] = {false, false, false, false};
    dyad::equal_leaves<4>::merge(same, partial, unit, merged);
    CHECK(partial[0] == 1101);
    CHECK(partial[1] == 10);
    CHECK_FALSE(unit[0]);
    CHECK(unit[1]);
    CHECK((!merged[0] && !merged[1] && merged[2] && merged[3]));
    // What counts for nothing is neither merged nor merged into.
    double once[] = {1, 10, 100, 1000};
    bool slope[] = {true, true, false, true}, left_out[] = {true, false, false, false};
    dyad::equal_leaves<4>::merge(same, once, slope, left_out);
    CHECK(once[0] == 1);
    CHECK(once[2] == 1100);
    CHECK((left_out[0] && !left_out[2] && left_out[3]));
}
