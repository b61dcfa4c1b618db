// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Is the gradient right? Compares reverse mode (tape), forward mode (dual) and finite differences, number by number, and says
// so readably.
#pragma once

#include <cmath>
#include <iomanip>
#include <sstream>

#include <dyad/api/tape_transform.hpp>
#include <dyad/base/unpack.hpp>

namespace dyad {

/// What check_gradient found, one row for each number of the arguments.
struct gradient_report {
    struct row {
        double at = 0;         ///< the number
        double reverse = 0;    ///< the slope by the tape
        double forward = 0;    ///< by dual numbers
        double difference = 0; ///< by finite differences
        double doubt = 0;      ///< how far the differences of two steps disagree
        bool good = true;
    };
    double value = 0;
    bool same_value = true; ///< the function gives active numbers, but for the last digits, the value that it gives plain ones
    std::vector<row> rows;

    [[nodiscard]] bool good() const {
        bool all = same_value;
        for (const row& r : rows) all = all && r.good;
        return all;
    }
    explicit operator bool() const { return good(); }
    [[nodiscard]] std::string text() const {
        std::ostringstream out;
        out << "gradient check at value " << std::setprecision(10) << value << ": ";
        std::size_t wrong = 0;
        for (const row& r : rows) wrong += r.good ? 0 : 1;
        if (good()) out << "all " << rows.size() << " slopes agree\n";
        if (wrong != 0) out << wrong << " of " << rows.size() << " slopes disagree\n";
        if (!same_value) out << "the value differs between plain and active numbers: does the function lose digits on the way?\n";
        out << "   k               x         reverse         forward      difference      (+-)\n";
        for (std::size_t k = 0; k < rows.size(); ++k) {
            const row& r = rows[k];
            out << std::setw(4) << k << std::setprecision(8);
            for (const double x : {r.at, r.reverse, r.forward, r.difference}) out << ' ' << std::setw(15) << x;
            out << ' ' << std::setw(9) << std::setprecision(1) << r.doubt << (r.good ? "\n" : "  <-- wrong\n");
        }
        return out.str();
    }
    template <class Traits>
    friend auto& operator<<(std::basic_ostream<char, Traits>& out, const gradient_report& r) {
        return out << r.text();
    }
};

/// Whether f takes such variables and returns one number; says why not.
template <class F, class... V>
constexpr bool is_checkable(std::type_identity<std::tuple<V...>>) {
    if constexpr (callable_on_active<F, V...>()) {
        constexpr bool number = std::is_convertible_v<decltype(call_on_active(std::declval<const F&>(), std::declval<const V&>()...)), active<double>>;
        static_assert(number, "[dyad] check_gradient: the function must return one number");
        return number;
    } else {
        return false;
    }
}
/// A slope by differences, and how far those of two steps disagree.
struct difference_estimate {
    double slope = 0, doubt = 0;
    [[nodiscard]] bool agrees(double with) const { return std::fabs(with - slope) <= 4 * doubt; }
};

/// Compares the derivatives of f(x...) by reverse mode, forward mode and differences of sixth order. A slope is wrong if
/// reverse and forward mode differ beyond rounding, or both lie farther from the differences than these are uncertain.
/// Example: `auto report = check_gradient(f, std::vector{1.0, 2.0}); if (!report) std::cerr << report;`
template <class F, class... S>
gradient_report check_gradient(const F& f, const S&... s) {
    const auto arguments = std::tuple<S...>(s...);
    using reverse = immediate<active<double>>;
    using forward = immediate<dual<double, 1>>;
    gradient_report report;
    tape home;
    const auto with = [&](auto make) {
        return map_tree(arguments, [&]<class Leaf>(const Leaf& leaf) {
            if constexpr (std::is_integral_v<Leaf>) {
                return leaf;
            } else { // (in double, as the derivatives)
                return make(static_cast<double>(leaf));
            }
        });
    };
    const auto variables = with([&](double x) {
        report.rows.push_back({x, 0, 0, 0, 0, true});
        return reverse(home.variable(x));
    });
    if constexpr (is_checkable<F>(std::type_identity<std::remove_const_t<decltype(variables)>>())) {
        const auto value_at = [&](std::size_t k, double offset) {
            std::size_t next = 0;
            return static_cast<double>(unpack(f, with([&](double x) { return x + (next++ == k ? offset : 0); })));
        };
        report.value = value_at(0, 0);
        const active<double> result = unpack(f, variables);
        const double active_value = result.value();
        // (Of one function a compiler may round products and sums once, of the other twice.)
        report.same_value = active_value == report.value || std::fabs(active_value - report.value) <= 1e-11 * std::fabs(report.value) ||
                            (active_value != active_value && report.value != report.value);
        std::vector<active<double>> sources;
        visit_tree(variables, [&]<class Leaf>(const Leaf& leaf) {
            if constexpr (std::is_base_of_v<active<double>, Leaf>) sources.push_back(leaf);
        });
        const std::vector<double> slopes = home.gradient(result, sources);

        for (std::size_t k = 0; k < report.rows.size(); ++k) {
            gradient_report::row& r = report.rows[k];
            r.reverse = slopes[k];
            std::size_t next = 0;
            const auto duals = with([&](double x) { return forward(dual<double, 1>(x, {next++ == k ? 1.0 : 0.0})); });
            r.forward = dual<double, 1>(unpack(f, duals)).tangent();
            // Seven points; two steps say how far to trust them.
            const auto difference = [&](double h) {
                return (45 * (value_at(k, h) - value_at(k, -h)) - 9 * (value_at(k, 2 * h) - value_at(k, -2 * h)) +
                        (value_at(k, 3 * h) - value_at(k, -3 * h))) / (60 * h);
            };
            const auto estimate = [&](double step, double coarse) {
                const double slope = difference(step / 2), size = std::fabs(slope) + std::fabs(r.reverse);
                return difference_estimate{slope, std::fabs(coarse - slope) + 1e-11 * (std::fabs(report.value) / step + size)};
            };
            double step = std::exp2(std::round(std::log2(std::fmax(std::fabs(r.at), 1e-2))) - 7), coarse = difference(step);
            for (int shorter = 0; shorter < 12 && std::isfinite(r.reverse) && !std::isfinite(coarse); ++shorter) { // beyond the edge of a domain
                coarse = difference(step /= 8);
            }
            difference_estimate best = estimate(step, coarse);
            // Where the function changes within the steps, both may be wrong, also alike: then the least doubtful of shorter ones decides.
            const bool convincing = best.agrees(r.reverse) && best.doubt <= 1e-4 * (std::fabs(best.slope) + std::fabs(r.reverse));
            const int more = convincing ? 0 : 12;
            for (int shorter = 0; shorter < more; ++shorter) {
                step /= 5;
                if (const difference_estimate other = estimate(step, difference(step)); other.doubt < best.doubt) best = other;
            }
            r.difference = best.slope;
            r.doubt = best.doubt;
            // (Slopes of terms that cancel out are rounding alone: what they are compared with is known in the differences.)
            const bool modes = std::fabs(r.reverse - r.forward) <= 1e-11 * (std::fabs(r.reverse) + std::fabs(r.forward)) + 1e-3 * best.doubt;
            r.good = modes && best.agrees(r.reverse);
        }
    }
    return report;
}

} // namespace dyad
