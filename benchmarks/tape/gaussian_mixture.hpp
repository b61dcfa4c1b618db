// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// The log-likelihood of a mixture of normal distributions with full covariances: the objective of ADBench (Srajer, Kukelova,
// Fitzgibbon, "A benchmark of selected algorithmic differentiation tools", 2018) without its prior. Each component has a
// weight, a mean and the inverse of its covariance's triangular factor, whose diagonal is kept as logarithms.
#pragma once

#include "problems.hpp"

namespace bench {

struct gaussian_mixture {
    static constexpr const char* name = "gaussian_mixture";
    static constexpr std::size_t points = 100, dimensions = 4, components = 5;
    static constexpr std::size_t below = dimensions * (dimensions - 1) / 2, size = 1 + 2 * dimensions + below; // of a component
    static vector inputs() { return waves(components * size, 0.7, 0.1); }
    static const vector& data() {
        static const vector x = waves(points * dimensions, 1.5, 0);
        return x;
    }

    template <class T>
    static T log_sum(const T* t) {
        using std::exp, std::log;
        T top = t[0];
        for (std::size_t k = 1; k < components; ++k) {
            if (t[k] > top) top = t[k];
        }
        T sum = 0.0;
        for (std::size_t k = 0; k < components; ++k) sum += exp(t[k] - top);
        return top + log(sum);
    }
    template <class T>
    static T run(const std::vector<T>& p) {
        using std::exp;
        T weight[components], diagonal[components][dimensions], logarithms[components];
        for (std::size_t k = 0; k < components; ++k) {
            const T* c = &p[k * size];
            weight[k] = c[0];
            logarithms[k] = 0.0;
            for (std::size_t a = 0; a < dimensions; ++a) {
                diagonal[k][a] = exp(c[1 + dimensions + a]);
                logarithms[k] += c[1 + dimensions + a];
            }
        }
        T sum = -static_cast<double>(points) * log_sum(weight);
        for (std::size_t i = 0; i < points; ++i) {
            const double* x = &data()[i * dimensions];
            T t[components];
            for (std::size_t k = 0; k < components; ++k) {
                const T *mean = &p[k * size + 1], *lower = mean + 2 * dimensions;
                T far[dimensions], square = 0.0;
                for (std::size_t a = 0; a < dimensions; ++a) {
                    far[a] = x[a] - mean[a];
                    T y = diagonal[k][a] * far[a];
                    for (std::size_t b = 0; b < a; ++b) y += *lower++ * far[b];
                    square += y * y;
                }
                t[k] = weight[k] + logarithms[k] - 0.5 * square;
            }
            sum += log_sum(t);
        }
        return sum;
    }
    static double hand(const vector& p, vector& g) {
        g.assign(p.size(), 0);
        double weight[components], diagonal[components][dimensions];
        for (std::size_t k = 0; k < components; ++k) {
            weight[k] = p[k * size];
            for (std::size_t a = 0; a < dimensions; ++a) diagonal[k][a] = std::exp(p[k * size + 1 + dimensions + a]);
        }
        const double all = log_sum(weight);
        double sum = -static_cast<double>(points) * all;
        for (std::size_t k = 0; k < components; ++k) g[k * size] = -static_cast<double>(points) * std::exp(weight[k] - all);
        for (std::size_t i = 0; i < points; ++i) {
            const double* x = &data()[i * dimensions];
            double t[components], far[components][dimensions], y[components][dimensions];
            for (std::size_t k = 0; k < components; ++k) {
                const double *mean = &p[k * size + 1], *lower = mean + 2 * dimensions;
                t[k] = weight[k];
                for (std::size_t a = 0; a < dimensions; ++a) {
                    far[k][a] = x[a] - mean[a];
                    y[k][a] = diagonal[k][a] * far[k][a];
                    for (std::size_t b = 0; b < a; ++b) y[k][a] += *lower++ * far[k][b];
                    t[k] += mean[dimensions + a] - 0.5 * y[k][a] * y[k][a];
                }
            }
            const double value = log_sum(t);
            sum += value;
            for (std::size_t k = 0; k < components; ++k) {
                const double share = std::exp(t[k] - value), *lower = &p[k * size + 1 + 2 * dimensions];
                double *mean = &g[k * size + 1], *of_lower = mean + 2 * dimensions;
                g[k * size] += share;
                for (std::size_t a = 0; a < dimensions; ++a) {
                    const double pull = share * y[k][a];
                    mean[a] += pull * diagonal[k][a];
                    mean[dimensions + a] += share - pull * diagonal[k][a] * far[k][a];
                    for (std::size_t b = 0; b < a; ++b) {
                        *of_lower++ -= pull * far[k][b];
                        mean[b] += pull * *lower++;
                    }
                }
            }
        }
        return sum;
    }
};

} // namespace bench
