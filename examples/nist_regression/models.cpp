// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The 27 models, each written once as a plain generic function of its parameters b (counted from 0)
// and predictors x, in the form in which NIST prints it, and the one table that names them.
#include "models.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include <dyad/core.hpp>

namespace nist {
namespace {

using dyad::atan, dyad::cos, dyad::cube, dyad::exp, dyad::pow, dyad::sin, dyad::square;
using std::numbers::pi;

constexpr auto saturation = [](const auto& b, auto x) { return b[0] * (1 - exp(-b[1] * x)); };

constexpr auto misra1b = [](const auto& b, auto x) {
    return b[0] * (1 - pow(1 + b[1] * x / 2, -2));
};

constexpr auto misra1c = [](const auto& b, auto x) {
    return b[0] * (1 - pow(1 + 2 * b[1] * x, -0.5));
};

constexpr auto misra1d = [](const auto& b, auto x) { return b[0] * b[1] * x / (1 + b[1] * x); };

constexpr auto chwirut = [](const auto& b, auto x) { return exp(-b[0] * x) / (b[1] + b[2] * x); };

constexpr auto dan_wood = [](const auto& b, auto x) { return b[0] * pow(x, b[1]); };

constexpr auto lanczos = [](const auto& b, auto x) {
    return b[0] * exp(-b[1] * x) + b[2] * exp(-b[3] * x) + b[4] * exp(-b[5] * x);
};

constexpr auto gauss = [](const auto& b, auto x) {
    return b[0] * exp(-b[1] * x) + b[2] * exp(-square((x - b[3]) / b[4])) +
           b[5] * exp(-square((x - b[6]) / b[7]));
};

constexpr auto kirby2 = [](const auto& b, auto x) {
    return (b[0] + b[1] * x + b[2] * square(x)) / (1 + b[3] * x + b[4] * square(x));
};

constexpr auto cubic_by_cubic = [](const auto& b, auto x) {
    return (b[0] + b[1] * x + b[2] * square(x) + b[3] * cube(x)) /
           (1 + b[4] * x + b[5] * square(x) + b[6] * cube(x));
};

constexpr auto enso = [](const auto& b, auto x) {
    const auto cycle = [&](auto period, auto cosine, auto sine) {
        return cosine * cos(2 * pi * x / period) + sine * sin(2 * pi * x / period);
    };
    return b[0] + cycle(12, b[1], b[2]) + cycle(b[3], b[4], b[5]) + cycle(b[6], b[7], b[8]);
};

constexpr auto nelson = [](const auto& b, const auto& x) {
    return b[0] - b[1] * x[0] * exp(-b[2] * x[1]);
};

constexpr auto mgh09 = [](const auto& b, auto x) {
    return b[0] * (square(x) + x * b[1]) / (square(x) + x * b[2] + b[3]);
};

constexpr auto mgh10 = [](const auto& b, auto x) { return b[0] * exp(b[1] / (x + b[2])); };

constexpr auto mgh17 = [](const auto& b, auto x) {
    return b[0] + b[1] * exp(-x * b[3]) + b[2] * exp(-x * b[4]);
};

constexpr auto roszman1 = [](const auto& b, auto x) {
    return b[0] - b[1] * x - atan(b[2] / (x - b[3])) / pi;
};

constexpr auto rat42 = [](const auto& b, auto x) { return b[0] / (1 + exp(b[1] - b[2] * x)); };

constexpr auto rat43 = [](const auto& b, auto x) {
    return b[0] / pow(1 + exp(b[1] - b[2] * x), 1 / b[3]);
};

constexpr auto eckerle4 = [](const auto& b, auto x) {
    return b[0] / b[1] * exp(-0.5 * square((x - b[2]) / b[1]));
};

constexpr auto bennett5 = [](const auto& b, auto x) { return b[0] * pow(b[1] + x, -1 / b[2]); };

constexpr auto log_response = [](double y) { return std::log(y); };

// An arctan over pi is known up to a whole number, its branch, and so is the b[0] beside it. Of the
// files in circulation some certify 0.20196866396, some 1.20196866396, all with one residual sum.
constexpr model up_to_whole_numbers(model m) {
    m.period = 1;
    return m;
}

constexpr std::array models{
    make_model<3>("Bennett5", bennett5),
    make_model<2>("BoxBOD", saturation),
    make_model<3>("Chwirut1", chwirut),
    make_model<3>("Chwirut2", chwirut),
    make_model<2>("DanWood", dan_wood),
    make_model<9>("ENSO", enso),
    make_model<3>("Eckerle4", eckerle4),
    make_model<8>("Gauss1", gauss),
    make_model<8>("Gauss2", gauss),
    make_model<8>("Gauss3", gauss),
    make_model<7>("Hahn1", cubic_by_cubic),
    make_model<5>("Kirby2", kirby2),
    make_model<6>("Lanczos1", lanczos),
    make_model<6>("Lanczos2", lanczos),
    make_model<6>("Lanczos3", lanczos),
    make_model<4>("MGH09", mgh09),
    make_model<3>("MGH10", mgh10),
    make_model<5>("MGH17", mgh17),
    make_model<2>("Misra1a", saturation),
    make_model<2>("Misra1b", misra1b),
    make_model<2>("Misra1c", misra1c),
    make_model<2>("Misra1d", misra1d),
    make_model<3, 2>("Nelson", nelson, log_response),
    make_model<3>("Rat42", rat42),
    make_model<4>("Rat43", rat43),
    up_to_whole_numbers(make_model<4>("Roszman1", roszman1)),
    make_model<7>("Thurber", cubic_by_cubic),
};

} // namespace

const model* find_model(std::string_view name) {
    for (const model& candidate : models)
        if (candidate.name == name) return &candidate;
    return nullptr;
}

} // namespace nist
