// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// The problems: each a templated function of a vector of numbers, as people write them for double, and its gradient by hand.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace bench {

using vector = std::vector<double>;

inline vector waves(std::size_t n, double scale, double shift) {
    vector v(n);
    for (std::size_t k = 0; k < n; ++k) v[k] = shift + scale * std::sin(1.0 + 0.7 * static_cast<double>(k) * static_cast<double>(k % 97));
    return v;
}

/// Two species, integrated with steps that depend on how fast they change: about 10,000 steps.
struct euler {
    static constexpr const char* name = "euler";
    static constexpr double end = 17.9;
    static vector inputs() { return {1.1, 0.4, 0.1, 0.4}; }
    template <class T>
    static T run(const std::vector<T>& p) {
        T x = 1.0, y = 0.5, t = 0.0;
        while (t < end) {
            T dx = p[0] * x - p[1] * x * y;
            T dy = p[2] * x * y - p[3] * y;
            T h = 0.01 / (1.0 + 0.1 * (dx * dx + dy * dy));
            x = x + h * dx;
            y = y + h * dy;
            t = t + h;
        }
        return x + y;
    }
    static double hand(const vector& p, vector& g) {
        static std::vector<double> path;
        path.clear();
        double x = 1, y = 0.5, t = 0;
        while (t < end) {
            path.push_back(x);
            path.push_back(y);
            const double dx = p[0] * x - p[1] * x * y, dy = p[2] * x * y - p[3] * y, h = 0.01 / (1 + 0.1 * (dx * dx + dy * dy));
            x += h * dx;
            y += h * dy;
            t += h;
        }
        const double value = x + y;
        double ax = 1, ay = 1, a = 0, b = 0, c = 0, d = 0;
        for (std::size_t k = path.size(); k > 0; k -= 2) {
            x = path[k - 2];
            y = path[k - 1];
            const double dx = p[0] * x - p[1] * x * y, dy = p[2] * x * y - p[3] * y, q = 1 / (1 + 0.1 * (dx * dx + dy * dy)), h = 0.01 * q;
            const double ah = ax * dx + ay * dy, aq = -0.2 * h * q * ah, adx = ax * h + aq * dx, ady = ay * h + aq * dy;
            a += adx * x;
            b -= adx * x * y;
            c += ady * x * y;
            d -= ady * y;
            const double lower = ax + adx * (p[0] - p[1] * y) + ady * p[2] * y;
            ay += ady * (p[2] * x - p[3]) - adx * p[1] * x;
            ax = lower;
        }
        g = {a, b, c, d};
        return value;
    }
    /// The four directions carried along, as one writes it: each line followed by its differential.
    static double hand_forward(const vector& p, vector& g) {
        double x = 1, y = 0.5, t = 0, tx[4] = {}, ty[4] = {}, tt[4] = {};
        while (t < end) {
            const double xy = x * y, dx = p[0] * x - p[1] * xy, dy = p[2] * xy - p[3] * y, q = 1 / (1 + 0.1 * (dx * dx + dy * dy)), h = 0.01 * q;
            const double own_x[4] = {x, -xy, 0, 0}, own_y[4] = {0, 0, xy, -y}; // the partial derivatives with respect to p
            const double dx_x = p[0] - p[1] * y, dx_y = -p[1] * x, dy_x = p[2] * y, dy_y = p[2] * x - p[3], slope = -0.2 * h * q;
            for (int k = 0; k < 4; ++k) {
                const double tdx = own_x[k] + dx_x * tx[k] + dx_y * ty[k], tdy = own_y[k] + dy_x * tx[k] + dy_y * ty[k];
                const double th = slope * (dx * tdx + dy * tdy);
                tx[k] += h * tdx + th * dx;
                ty[k] += h * tdy + th * dy;
                tt[k] += th;
            }
            x += h * dx;
            y += h * dy;
            t += h;
        }
        g.resize(4);
        for (std::size_t k = 0; k < 4; ++k) g[k] = tx[k] + ty[k];
        return x + y;
    }
};

/// Twenty lines of ten variables, evaluated at 1,000 points in turn.
struct twenty_lines {
    static constexpr const char* name = "twenty_lines";
    static constexpr int rounds = 1000;
    static vector inputs() { return {0.3, 1.2, -0.7, 0.9, 2.1, 0.4, -1.3, 0.8, 1.6, 0.5}; }
    template <class T>
    static T once(const std::vector<T>& x, double s) {
        using std::cos, std::exp, std::log, std::sin, std::sqrt;
        T a = x[0] * x[1] + s * x[2];
        T b = sin(a) * x[3];
        T c = exp(-x[4] * x[4]) + b * b;
        T d = x[5] / (1.0 + c * c);
        T e = a * d - b * x[6];
        T f = log(1.0 + e * e);
        T g = sqrt(1.0 + f * x[7] * x[7]);
        T h = g * cos(x[8] * s);
        T i = h - x[9] * e;
        T j = i * i + d;
        T k = j / (1.0 + g * g);
        T l = k + x[0] * b;
        T m = l * x[1] - c;
        T n = m * m * 0.5 + f;
        T o = n / (2.0 + h * h);
        T p = o * x[2] + x[3] * x[4];
        T q = exp(-p * p) * x[5];
        T r = q - x[6] * x[7] * o;
        T u = r * r + x[8] * k;
        return u + x[9] * p;
    }
    template <class T>
    static T run(const std::vector<T>& x) {
        T sum = 0.0;
        for (int k = 0; k < rounds; ++k) sum += once(x, 0.001 * k);
        return sum;
    }
    static double hand(const vector& x, vector& grad) {
        grad.assign(10, 0);
        double sum = 0;
        for (int round = 0; round < rounds; ++round) {
            const double s = 0.001 * round;
            const double a = x[0] * x[1] + s * x[2], sa = std::sin(a), b = sa * x[3], ex = std::exp(-x[4] * x[4]), c = ex + b * b, d1 = 1 / (1 + c * c), d = x[5] * d1;
            const double e = a * d - b * x[6], f = std::log(1 + e * e), g = std::sqrt(1 + f * x[7] * x[7]), cs = std::cos(x[8] * s), h = g * cs, i = h - x[9] * e;
            const double j = i * i + d, k1 = 1 / (1 + g * g), k = j * k1, l = k + x[0] * b, m = l * x[1] - c, n = m * m * 0.5 + f, o1 = 1 / (2 + h * h), o = n * o1;
            const double p = o * x[2] + x[3] * x[4], ep = std::exp(-p * p), q = ep * x[5], r = q - x[6] * x[7] * o, u = r * r + x[8] * k;
            sum += u + x[9] * p;
            double B = 0, C = 0, D = 0, E = 0, F = 0, G = 0, H = 0, K = 0, O = 0, P = x[9];
            grad[9] += p;
            const double R = 2 * r;
            grad[8] += k;
            K += x[8];
            grad[6] -= R * x[7] * o;
            grad[7] -= R * x[6] * o;
            O -= R * x[6] * x[7];
            grad[5] += R * ep;
            P -= R * 2 * p * q;
            O += P * x[2];
            grad[2] += P * o;
            grad[3] += P * x[4];
            grad[4] += P * x[3];
            const double N = O * o1;
            H -= O * o * o1 * 2 * h;
            const double M = N * m;
            F += N;
            const double L = M * x[1];
            grad[1] += M * l;
            C -= M;
            K += L;
            grad[0] += L * b;
            B += L * x[0];
            const double J = K * k1;
            G -= K * k * k1 * 2 * g;
            const double I = J * 2 * i;
            D += J;
            H += I;
            grad[9] -= I * e;
            E -= I * x[9];
            G += H * cs;
            grad[8] -= H * g * std::sin(x[8] * s) * s;
            const double root = G / (2 * g);
            F += root * x[7] * x[7];
            grad[7] += root * f * 2 * x[7];
            E += F * 2 * e / (1 + e * e);
            double A = E * d;
            D += E * a;
            B -= E * x[6];
            grad[6] -= E * b;
            grad[5] += D * d1;
            C -= D * d * d1 * 2 * c;
            grad[4] -= C * ex * 2 * x[4];
            B += C * 2 * b;
            A += B * std::cos(a) * x[3];
            grad[3] += B * sa;
            grad[0] += A * x[1];
            grad[1] += A * x[0];
            grad[2] += A * s;
        }
        return sum;
    }
};

/// log |det A| of a 50 by 50 matrix, by elimination with pivots.
struct lu {
    static constexpr const char* name = "lu_50";
    static constexpr std::size_t n = 50;
    static vector inputs() { return waves(n * n, 1, 0); }
    template <class T>
    static std::size_t pivot(const std::vector<T>& a, std::size_t k) {
        using std::fabs;
        std::size_t best = k;
        for (std::size_t i = k + 1; i < n; ++i) {
            if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
        }
        return best;
    }
    template <class T>
    static T run(const std::vector<T>& matrix) {
        using std::fabs, std::log, std::swap;
        std::vector<T> a = matrix;
        T sum = 0.0;
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t p = pivot(a, k);
            for (std::size_t j = 0; j < n; ++j) swap(a[k * n + j], a[p * n + j]);
            sum += log(fabs(a[k * n + k]));
            for (std::size_t i = k + 1; i < n; ++i) {
                a[i * n + k] /= a[k * n + k];
                for (std::size_t j = k + 1; j < n; ++j) a[i * n + j] -= a[i * n + k] * a[k * n + j];
            }
        }
        return sum;
    }
    /// The gradient is the transposed inverse: P A = L U gives it by two triangular solutions.
    static double hand(const vector& matrix, vector& g) {
        vector a = matrix;
        std::size_t row[n];
        for (std::size_t k = 0; k < n; ++k) row[k] = k;
        double sum = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t p = pivot(a, k);
            for (std::size_t j = 0; j < n; ++j) std::swap(a[k * n + j], a[p * n + j]);
            std::swap(row[k], row[p]);
            sum += std::log(std::fabs(a[k * n + k]));
            for (std::size_t i = k + 1; i < n; ++i) {
                const double f = a[i * n + k] /= a[k * n + k];
                for (std::size_t j = k + 1; j < n; ++j) a[i * n + j] -= f * a[k * n + j];
            }
        }
        vector inverse(n * n);
        for (std::size_t k = 0; k < n; ++k) {
            inverse[k * n + row[k]] = 1;
            for (std::size_t i = 0; i < k; ++i) {
                for (std::size_t j = 0; j < n; ++j) inverse[k * n + j] -= a[k * n + i] * inverse[i * n + j];
            }
        }
        for (std::size_t k = n; k-- > 0;) {
            for (std::size_t i = k + 1; i < n; ++i) {
                for (std::size_t j = 0; j < n; ++j) inverse[k * n + j] -= a[k * n + i] * inverse[i * n + j];
            }
            for (std::size_t j = 0; j < n; ++j) inverse[k * n + j] /= a[k * n + k];
        }
        g.resize(n * n);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) g[i * n + j] = inverse[j * n + i];
        }
        return sum;
    }
};

/// log Σ exp xₖ of 100,000 numbers.
struct log_sum_exp {
    static constexpr const char* name = "log_sum_exp_1e5";
    static vector inputs() { return waves(100000, 3, 0.5); }
    template <class T>
    static T run(const std::vector<T>& x) {
        using std::exp, std::log;
        T top = x[0];
        for (const T& e : x) {
            if (e > top) top = e;
        }
        T sum = 0.0;
        for (const T& e : x) sum += exp(e - top);
        return top + log(sum);
    }
    static double hand(const vector& x, vector& g) {
        double top = x[0], sum = 0;
        for (const double e : x) top = e > top ? e : top;
        g.resize(x.size());
        for (std::size_t k = 0; k < x.size(); ++k) sum += g[k] = std::exp(x[k] - top);
        const double scale = 1 / sum;
        for (double& e : g) e *= scale;
        return top + std::log(sum);
    }
};

/// A cell with a memory and three gates, 1,000 steps: 12 weights.
struct recurrence {
    static constexpr const char* name = "lstm";
    static constexpr int steps = 1000;
    static vector inputs() { return waves(12, 0.8, 0.1); }
    template <class T>
    static T run(const std::vector<T>& w) {
        using std::exp, std::tanh;
        T h = 0.0, c = 0.0, loss = 0.0;
        for (int k = 0; k < steps; ++k) {
            const double x = 0.01 * (k % 100);
            T forget = 1.0 / (1.0 + exp(-(w[0] * x + w[1] * h + w[2])));
            T input = 1.0 / (1.0 + exp(-(w[3] * x + w[4] * h + w[5])));
            T output = 1.0 / (1.0 + exp(-(w[6] * x + w[7] * h + w[8])));
            T memory = tanh(w[9] * x + w[10] * h + w[11]);
            c = forget * c + input * memory;
            h = output * tanh(c);
            loss += (h - x) * (h - x);
        }
        return loss;
    }
    static double hand(const vector& w, vector& g) {
        struct step {
            double x, h, c, f, i, o, m, t;
        };
        static std::vector<step> path;
        path.resize(steps);
        double h = 0, c = 0, loss = 0;
        for (int k = 0; k < steps; ++k) {
            step& s = path[static_cast<std::size_t>(k)];
            s.x = 0.01 * (k % 100);
            s.h = h;
            s.c = c;
            s.f = 1 / (1 + std::exp(-(w[0] * s.x + w[1] * h + w[2])));
            s.i = 1 / (1 + std::exp(-(w[3] * s.x + w[4] * h + w[5])));
            s.o = 1 / (1 + std::exp(-(w[6] * s.x + w[7] * h + w[8])));
            s.m = std::tanh(w[9] * s.x + w[10] * h + w[11]);
            c = s.f * c + s.i * s.m;
            s.t = std::tanh(c);
            h = s.o * s.t;
            loss += (h - s.x) * (h - s.x);
        }
        g.assign(12, 0);
        double ah = 0, ac = 0;
        for (int k = steps; k-- > 0;) {
            const step& s = path[static_cast<std::size_t>(k)];
            ah += 2 * (s.o * s.t - s.x);
            ac += ah * s.o * (1 - s.t * s.t);
            const double gate[] = {ac * s.c * s.f * (1 - s.f), ac * s.m * s.i * (1 - s.i), ah * s.t * s.o * (1 - s.o), ac * s.i * (1 - s.m * s.m)};
            ac *= s.f;
            ah = 0;
            for (std::size_t q = 0; q < 4; ++q) {
                g[3 * q] += gate[q] * s.x;
                g[3 * q + 1] += gate[q] * s.h;
                g[3 * q + 2] += gate[q];
                ah += gate[q] * w[3 * q + 1];
            }
        }
        return loss;
    }
};

/// ‖A w - t‖² of 500 rows and 20 columns.
struct least_squares {
    static constexpr const char* name = "least_squares";
    static constexpr std::size_t rows = 500, columns = 20;
    static vector inputs() { return waves(columns, 1, 0); }
    static const vector& data() {
        static const vector a = waves(rows * (columns + 1), 1, 0.2);
        return a;
    }
    template <class T>
    static T run(const std::vector<T>& w) {
        const vector& a = data();
        T sum = 0.0;
        for (std::size_t i = 0; i < rows; ++i) {
            T r = -a[rows * columns + i];
            for (std::size_t j = 0; j < columns; ++j) r += a[i * columns + j] * w[j];
            sum += r * r;
        }
        return sum;
    }
    static double hand(const vector& w, vector& g) {
        const vector& a = data();
        g.assign(columns, 0);
        double sum = 0;
        for (std::size_t i = 0; i < rows; ++i) {
            double r = -a[rows * columns + i];
            for (std::size_t j = 0; j < columns; ++j) r += a[i * columns + j] * w[j];
            sum += r * r;
            for (std::size_t j = 0; j < columns; ++j) g[j] += 2 * r * a[i * columns + j];
        }
        return sum;
    }
};

/// A gradient so small that beginning and ending a recording is most of it.
struct tiny {
    static constexpr const char* name = "tiny";
    static vector inputs() { return {1.5, 2.0}; }
    template <class T>
    static T run(const std::vector<T>& x) {
        return x[0] * x[1] + x[0] * x[0];
    }
    static double hand(const vector& x, vector& g) {
        g.resize(2);
        g[0] = x[1] + 2 * x[0];
        g[1] = x[0];
        return x[0] * x[1] + x[0] * x[0];
    }
};

} // namespace bench
