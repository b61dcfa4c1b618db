// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What an example checks about its own results: each check prints a line, and all of them together decide the exit status.
#pragma once

#include <cmath>
#include <cstdio>

namespace checks {

/// f'(0), by central differences of fourth order.
template <class F>
double slope_by_differences(const F& f, double step) {
    return (8 * (f(step) - f(-step)) - (f(2 * step) - f(-2 * step))) / (12 * step);
}

class list {
public:
    void expect(const char* what, bool holds) {
        std::printf("%s  %s\n", holds ? "ok    " : "FAILED", what);
        good_ = good_ && holds;
    }
    /// Whether `found` is `expected`, up to `tolerance` of that (or of 1, if that is less).
    void compare(const char* what, double found, double expected, double tolerance) {
        const bool holds = std::abs(found - expected) <= tolerance * std::fmax(1, std::abs(expected));
        std::printf("%s  %s: %.12g and %.12g\n", holds ? "ok    " : "FAILED", what, found, expected);
        good_ = good_ && holds;
    }
    [[nodiscard]] bool good() const { return good_; }

private:
    bool good_ = true;
};

} // namespace checks
