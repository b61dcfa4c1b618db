// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The parts of examples/nist_regression: what its reader takes and rejects, and what its fit finds.
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <nist_regression/built_in_problems.hpp>
#include <nist_regression/certify.hpp>
#include <nist_regression/dat_file.hpp>
#include <nist_regression/levenberg_marquardt.hpp>
#include <nist_regression/models.hpp>

namespace {

// The shape of an official file, with fewer lines between its parts.
const std::string good_file = R"(NIST/ITL StRD
Dataset Name:  DanWood           (DanWood.dat)

File Format:   ASCII
               Starting Values   (lines 14 to  15)
               Certified Values  (lines 14 to 20)
               Data              (lines 23 to 25)

Data:          1 Response Variable  (y = energy)
               Lower Level of Difficulty
Model:         y  = b1*x**b2  +  e
          Starting values                  Certified Values
        Start 1     Start 2           Parameter     Standard Deviation
  b1 =   1           0.7           7.6886226176E-01  1.8281973860E-02
  b2 =   5           4             3.8604055871E-0   5.1726610913E-02

Residual Sum of Squares:                    4.3173084083E-03
Residual Standard Deviation:                3.2853114039E-02
Degrees of Freedom:                                9
Number of Observations:                            3

Data:  y              x
      2.138E0        1.309E0
       .591E0       -1
      5.660E0        1.680E0
)";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

nist::problem read(const std::string& text) {
    std::istringstream in(text);
    return nist::read_dat(in, "some.dat");
}

// What the reader says about the good file with one thing changed.
std::string complaint(std::string_view from, std::string_view to) {
    const std::string text = replaced(good_file, from, to);
    REQUIRE(text != good_file);
    try {
        read(text);
    } catch (const nist::input_error& error) {
        return error.what();
    }
    return "";
}

const std::vector<double> dan_wood_rows{2.138, 1.309, 0.591, -1, 5.66, 1.68};

} // namespace

TEST_CASE("the reader finds every part of a file") {
    const nist::problem data = read(good_file);
    CHECK(data.name == "DanWood");
    CHECK(data.level == "Lower");
    CHECK(data.starts[0] == std::vector<double>{1, 5});
    CHECK(data.starts[1] == std::vector<double>{0.7, 4});
    CHECK(data.certified == std::vector<double>{0.76886226176, 3.8604055871});
    CHECK(data.certified_residual_sum == 4.3173084083e-3);
    CHECK(data.observations == dan_wood_rows);
}

TEST_CASE("the reader takes CRLF, tabs, blanks at the end and a last line without an end") {
    CHECK(read(replaced(good_file, "\n", " \t\r\n")).observations == dan_wood_rows);
    CHECK(read(good_file + "\r\n  \r\n").observations == dan_wood_rows);
    CHECK(read(good_file.substr(0, good_file.size() - 1)).observations == dan_wood_rows);
}

TEST_CASE("the reader rejects what is not a number, with file and line") {
    CHECK(complaint("2.138E0", "2.1x8E0") == "some.dat:23: \"2.1x8E0\" is not a finite number");
    CHECK(complaint(".591E0", "NaN") == "some.dat:24: \"NaN\" is not a finite number");
    CHECK(complaint(".591E0", "1E999") == "some.dat:24: \"1E999\" is not a finite number");
    CHECK(complaint("0.7 ", "inf ") == "some.dat:14: \"inf\" is not a finite number");
    CHECK(complaint("4.3173084083E-03", "?") == "some.dat:17: \"?\" is not a finite number");
    CHECK(complaint("(lines 23 to 25)", "(lines 23 - 25)") ==
          "some.dat:7: \"(lines 23 - 25)\" is not a range of lines");
    CHECK(complaint("(lines 23 to 25)", "(lines 25 to 23)") ==
          "some.dat:7: \"(lines 25 to 23)\" is not a range of lines");
}

TEST_CASE("the reader rejects wrong counts") {
    CHECK(complaint("1.309E0", "1.309E0 7") == "some.dat:23: expected 2 numbers, found 3");
    CHECK(complaint("1.309E0", "") == "some.dat:23: expected 2 numbers, found 1");
    CHECK(complaint("Observations:                            3", "Observations: 4") ==
          "some.dat:20: 4 observations, but line 7 gives the data 3 lines");
    CHECK(complaint("1.680E0\n", "1.680E0\n 1 2\n") ==
          "some.dat:26: text after the data, which end in line 25");
    CHECK(complaint("(lines 14 to  15)", "(lines 14 to  16)") ==
          "some.dat:5: 3 lines of starting values, but DanWood has 2 parameters");
}

TEST_CASE("the reader rejects files that are cut off or lack a part") {
    CHECK(complaint("      5.660E0        1.680E0\n", "") ==
          "some.dat:24: the file ends here, but line 7 promises \"Data (lines 23 to 25)\"");
    CHECK(complaint("7.6886226176E-01  1.8281973860E-02", "") ==
          "some.dat:14: expected 4 numbers, found 2");
    CHECK(complaint("  b2 =", "  b3 =") == "some.dat:15: expected \"b2 = ...\"");
    CHECK(complaint("Residual Sum of Squares:", "Sum:") ==
          "some.dat:6: no line from 14 to 20 begins with \"Residual Sum of Squares:\"");
    CHECK(complaint("Starting Values ", "Values") ==
          "some.dat:25: no line \"Starting Values (lines A to B)\" in the file");
    CHECK(complaint("Lower Level", "Level") ==
          "some.dat:25: no line \"(Lower|Average|Higher) Level of Difficulty\" in the file");
    CHECK(complaint("Dataset Name:", "Name:") ==
          "some.dat:25: no line from 1 to 25 begins with \"Dataset Name:\"");
    CHECK(complaint(good_file, "") == "some.dat:1: the file is empty");
}

TEST_CASE("the reader rejects unknown datasets and files that cannot be read") {
    CHECK(complaint("Name:  DanWood ", "Name:  Longley") ==
          "some.dat:2: unknown dataset \"Longley\"");
    CHECK_THROWS_WITH_AS(nist::read_dat_file("no/such.dat"), "no/such.dat: cannot be opened",
                         nist::input_error);
    CHECK_THROWS_AS(nist::read_dat_file("."), nist::input_error);
}

TEST_CASE("the fit finds the minimum of a linear problem") {
    Eigen::MatrixXd matrix(4, 2);
    matrix << 1, 0, 1, 1, 1, 2, 1, 3;
    const Eigen::Vector4d target(1, 3, 5, 8); // normal equations: 4a + 6b = 17, 6a + 14b = 37
    const nist::fit fit = nist::levenberg_marquardt(
        [&](const Eigen::VectorXd& b) {
            return nist::linearisation{matrix * b - target, matrix};
        },
        Eigen::Vector2d(100, -100));
    CHECK(fit.converged);
    CHECK(fit.parameters[0] == doctest::Approx(0.8).epsilon(1e-14));
    CHECK(fit.parameters[1] == doctest::Approx(2.3).epsilon(1e-14));
    CHECK(fit.residual_sum == doctest::Approx(0.3).epsilon(1e-13));
}

TEST_CASE("the fit steps back from where the residuals are not finite") {
    int outside = 0;
    const nist::fit fit = nist::levenberg_marquardt(
        [&](const Eigen::VectorXd& b) {
            outside += b[0] <= 0;
            return nist::linearisation{Eigen::VectorXd::Constant(1, std::log(b[0]) - 1),
                                       Eigen::MatrixXd::Constant(1, 1, 1 / b[0])};
        },
        Eigen::VectorXd::Constant(1, 1e6));
    CHECK(outside > 0);
    CHECK(fit.converged);
    CHECK(fit.parameters[0] == doctest::Approx(std::exp(1.0)).epsilon(1e-15));
}

TEST_CASE("the fit does not claim to have converged where it has not") {
    const auto constant = [](double residual, double slope) {
        return [=](const Eigen::VectorXd& b) {
            return nist::linearisation{Eigen::VectorXd::Constant(2, residual + slope * b.sum()),
                                       Eigen::MatrixXd::Constant(2, b.size(), slope)};
        };
    };
    const Eigen::VectorXd start = Eigen::VectorXd::Ones(2);
    CHECK_FALSE(nist::levenberg_marquardt(constant(1, 1), start).converged); // a valley, no minimum
    CHECK_FALSE(nist::levenberg_marquardt(constant(1, 0), start).converged); // flat

    const double nan = std::numeric_limits<double>::quiet_NaN();
    const nist::fit nowhere = nist::levenberg_marquardt(constant(nan, 1), start);
    CHECK_FALSE(nowhere.converged);
    CHECK(nowhere.iterations == 0);
    CHECK(nowhere.parameters == start);
}

TEST_CASE("agreement is the log relative error of the worst parameter") {
    CHECK(nist::agreement(Eigen::Vector2d(2, 1.001), {2, 1}) == doctest::Approx(3));
    CHECK(nist::agreement(Eigen::Vector2d(2, 1), {2, 1}) == 11);
    CHECK(nist::agreement(Eigen::Vector2d(2, -40), {2, 1}) == 0);
    CHECK(nist::agreement(Eigen::Vector2d(std::nan(""), 1), {2, 1}) == 0);
}

TEST_CASE("every built-in problem agrees in 6 digits from both starts") {
    CHECK(nist::built_in_problems().size() == 8);
    for (const nist::problem& data : nist::built_in_problems())
        for (const std::size_t start : {0u, 1u}) {
            CAPTURE(data.name);
            CAPTURE(start);
            const nist::certified_fit result = nist::certify(data, start);
            CHECK(result.fit.converged);
            CHECK(result.digits >= 6);
            CHECK(result.fit.residual_sum ==
                  doctest::Approx(data.certified_residual_sum).epsilon(1e-9));
        }
}

TEST_CASE("the b1 of Roszman1 may lie on another branch of the arctan") {
    nist::problem data{.name = "Roszman1",
                       .level = "Average",
                       .starts = {{{0.1, -1e-5, 1000, -100}, {0.2, -5e-6, 1200, -150}}},
                       .certified = {1.25, -6e-6, 1250, -180},
                       .observations = {}};
    for (double x = -5000; x < -400; x += 200) {
        const double y = 0.25 + 6e-6 * x - std::atan(1250 / (x + 180)) / std::acos(-1.0);
        data.observations.insert(data.observations.end(), {y, x});
    }
    const nist::certified_fit result = nist::certify(data, 0);
    CHECK(result.fit.parameters[0] == doctest::Approx(0.25).epsilon(1e-6));
    CHECK(result.turn == 1);
    CHECK(result.digits >= 6);
}
