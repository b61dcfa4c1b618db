// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Levenberg-Marquardt with More's scaling and Nielsen's update of the damping, then Gauss-Newton.
// All linear systems are solved by column-pivoted QR of the scaled Jacobian, never by normal
// equations: those would square condition numbers that already reach 1e6 here.
#include "levenberg_marquardt.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <Eigen/QR>

namespace nist {
namespace {

constexpr int max_iterations = 10'000;
constexpr int max_polish_steps = 100;

// A heavy start keeps the first steps short: some official starts lie where a full step leads to a
// plateau at infinity (BoxBOD) or to a mirror image of the certified minimum (Eckerle4).
constexpr double first_damping = 1e3;

// More lets the scale of a parameter only grow. A start where the model is far too steep (MGH10)
// would then slow the fit down for ever, so the memory of it fades.
constexpr double scale_memory = 0.9;

// The last full step of a converged fit, relative to the parameters, in their scale.
constexpr double converged_step = 1e-9;

struct point {
    Eigen::VectorXd b;
    linearisation at;
    double residual_sum;

    point(const auto& linearise, Eigen::VectorXd where)
        : b(std::move(where)), at(linearise(b)), residual_sum(at.residuals.squaredNorm()) {}

    [[nodiscard]] bool finite() const { return at.finite() && std::isfinite(residual_sum); }

    // A column of zeros gets a scale that divides it safely.
    [[nodiscard]] Eigen::VectorXd scale() const {
        return at.jacobian.colwise().norm().transpose().cwiseMax(
            std::numeric_limits<double>::min());
    }
};

// The h that minimises |J h + r|^2 + damping |scale h|^2.
Eigen::VectorXd damped_step(const linearisation& at, const Eigen::VectorXd& scale, double damping) {
    const Eigen::Index rows = at.jacobian.rows();
    const Eigen::Index columns = at.jacobian.cols();
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(rows + columns, columns);
    matrix.topRows(rows) = at.jacobian * scale.cwiseInverse().asDiagonal();
    matrix.bottomRows(columns).diagonal().setConstant(std::sqrt(damping));
    Eigen::VectorXd target = Eigen::VectorXd::Zero(rows + columns);
    target.head(rows) = -at.residuals;
    return matrix.colPivHouseholderQr().solve(target).cwiseQuotient(scale);
}

struct full_step {
    Eigen::VectorXd h;
    double gain;   // |J h|, what of the residuals the step still explains
    bool decisive; // the Jacobian has full rank and the step is negligible
};

full_step gauss_newton_step(const point& here) {
    const Eigen::VectorXd scale = here.scale();
    const Eigen::MatrixXd matrix = here.at.jacobian * scale.cwiseInverse().asDiagonal();
    const auto qr = matrix.colPivHouseholderQr();
    const Eigen::VectorXd scaled = qr.solve(-here.at.residuals);
    return {scaled.cwiseQuotient(scale), (matrix * scaled).norm(),
            qr.rank() == matrix.cols() &&
                scaled.norm() <= converged_step * here.b.cwiseProduct(scale).norm()};
}

// Until the decrease that the linear model promises is below what a double can show.
int descend(const auto& linearise, point& here) {
    Eigen::VectorXd scale = here.scale();
    double damping = first_damping;
    double growth = 2;
    int iterations = 0;
    while (iterations < max_iterations) {
        const Eigen::VectorXd h = damped_step(here.at, scale, damping);
        const double promised = (here.at.jacobian * h).squaredNorm() +
                                2 * damping * h.cwiseProduct(scale).squaredNorm();
        if (!(promised > std::numeric_limits<double>::epsilon() * here.residual_sum)) break;
        ++iterations;
        point trial(linearise, here.b + h);
        const double ratio = (here.residual_sum - trial.residual_sum) / promised;
        if (trial.finite() && ratio > 0) {
            here = std::move(trial);
            scale = (scale_memory * scale).cwiseMax(here.scale());
            damping *= std::max(1.0 / 3, 1 - std::pow(2 * ratio - 1, 3));
            growth = 2;
        } else {
            damping *= growth;
            growth *= 2;
        }
    }
    return iterations;
}

// The sum of squares is flat to half the digits of a double; the full step is not. Take it while it
// shrinks. Returns whether the last one says that this is the minimum.
bool polish(const auto& linearise, point& here, int& iterations) {
    full_step step = gauss_newton_step(here);
    for (int i = 0; i < max_polish_steps; ++i) {
        ++iterations;
        point trial(linearise, here.b + step.h);
        if (!trial.finite()) break;
        full_step next = gauss_newton_step(trial);
        if (!(next.gain < step.gain)) break;
        here = std::move(trial);
        step = std::move(next);
    }
    return step.decisive;
}

} // namespace

fit levenberg_marquardt(const std::function<linearisation(const Eigen::VectorXd&)>& linearise,
                        const Eigen::VectorXd& start) {
    point here(linearise, start);
    if (!here.finite()) return {here.b, here.residual_sum, 0, false};
    int iterations = descend(linearise, here);
    const bool converged = iterations < max_iterations && polish(linearise, here, iterations);
    return {here.b, here.residual_sum, iterations, converged};
}

} // namespace nist
