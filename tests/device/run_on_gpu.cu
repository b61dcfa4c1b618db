// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The devices' tests for a bare machine with a GPU, where there is no doctest: a line for each check, exit status 1 if one
// fails. tools/gpu.sh runs it; without a GPU it is compiled only.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

#include <cuda_fp16.h>

#include <dyad/cuda.hpp>

namespace {

int failures = 0;

void check(const char* what, bool good) {
    std::printf("%s %s\n", good ? "ok  " : "FAIL", what);
    failures += good ? 0 : 1;
}
template <class T>
std::vector<T> wave(std::size_t n, double shift) {
    std::vector<T> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(1.5 + std::sin(0.37 * static_cast<double>(i) + shift));
    return x;
}
template <class T>
bool near(T a, T b, double tolerance) {
    return std::abs(static_cast<double>(a) - static_cast<double>(b)) <= tolerance * (1 + std::abs(static_cast<double>(b)));
}
template <class T>
bool elementwise(double tolerance) {
    auto f = [](auto a, auto b) { return sin(a) * b + exp(-a * a) / b + where(a > b, a, log(b)); };
    bool good = true;
    for (const std::size_t n : {std::size_t{1}, std::size_t{3}, std::size_t{1000}, std::size_t{1} << 20, (std::size_t{1} << 20) + 3}) {
        const auto x = wave<T>(n, 0.0), y = wave<T>(n, 1.0);
        const auto [v, g] = dyad::kernel(dyad::value_and_grad(f))(dyad::to_device(x), dyad::to_device(y));
        const auto hv = dyad::to_host<std::vector<T>>(v), dx = dyad::to_host<std::vector<T>>(std::get<0>(g)), dy = dyad::to_host<std::vector<T>>(std::get<1>(g));
        for (std::size_t i = 0; i < n; i += n / 97 + 1) {
            const auto [a, s] = dyad::value_and_grad(f)(x[i], y[i]);
            good = good && near(hv[i], a, tolerance) && near(dx[i], std::get<0>(s), tolerance) && near(dy[i], std::get<1>(s), tolerance);
        }
    }
    return good;
}
template <class T>
bool sums(double tolerance) {
    auto loss = [](auto w, auto x) { return sum(exp(w) * x + w * w); };
    bool good = true;
    for (const std::size_t n : {std::size_t{1}, std::size_t{1001}, std::size_t{5000001}}) {
        const auto w = wave<T>(n, 0.0), x = wave<T>(n, 1.0);
        const auto gw = dyad::to_device(w), gx = dyad::to_device(x);
        const auto [value, slope] = dyad::value_and_grad<0>(loss)(gw, gx);
        const auto again = dyad::value_and_grad<0>(loss)(gw, gx);
        double expected = 0;
        for (std::size_t i = 0; i < n; ++i) expected += std::exp(static_cast<double>(w[i])) * x[i] + static_cast<double>(w[i]) * w[i];
        const auto d = dyad::to_host<std::vector<T>>(slope);
        good = good && near(static_cast<double>(value), expected, tolerance) && again.first == value;
        for (std::size_t i = 0; i < n; i += n / 97 + 1) good = good && near(d[i], static_cast<T>(std::exp(w[i]) * x[i] + 2 * w[i]), tolerance);
    }
    return good;
}
bool along_axes() {
    auto loss = [](auto a) { return sum(square(sum(a, 1))) + sum(exp(sum(a, 0) * 0.001)); };
    bool good = true;
    for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{3, 200000}, {200000, 3}, {1000, 1000}, {1, 1}}) {
        const auto x = wave<double>(rows * columns, 0.1);
        const auto [value, slope] = dyad::value_and_grad(loss)(dyad::to_device(dyad::view(x.data(), rows, columns)));
        std::vector<double> by_row(rows), by_column(columns), d(rows * columns);
        for (std::size_t i = 0; i < rows * columns; ++i) by_row[i / columns] += x[i], by_column[i % columns] += x[i];
        double expected = 0;
        for (const double r : by_row) expected += r * r;
        for (const double c : by_column) expected += std::exp(0.001 * c);
        dyad::to_host_into(slope, std::span(d));
        good = good && near(value, expected, 1e-11);
        for (std::size_t i = 0; i < d.size(); i += d.size() / 97 + 1)
            good = good && near(d[i], 2 * by_row[i / columns] + 0.001 * std::exp(0.001 * by_column[i % columns]), 1e-11);
    }
    return good;
}
/// Softmax cross-entropy with its slope, and normalised rows: row kernels of threads that share a warp, or not, and longer rows.
template <class T>
bool rows_of(double tolerance) {
    auto loss = [](auto a, auto t) { return -mean(sum(t * log_softmax(a, 1), 1)); };
    auto scaled = [](auto a, auto w) {
        const auto c = a - mean(a, 1, dyad::keep_dims);
        return c / sqrt(mean(c * c, 1, dyad::keep_dims) + 1e-3) * w;
    };
    bool good = true;
    for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{1, 1}, {7, 3}, {5000, 10}, {1000, 64}, {513, 257}, {2000, 1000}, {300, 2048}, {11, 5000}}) {
        const auto x = wave<T>(rows * columns, 0.1), t = wave<T>(rows * columns, 0.9), w = wave<T>(columns, 0.5);
        const auto gx = dyad::to_device(dyad::view(x.data(), rows, columns)), gt = dyad::to_device(dyad::view(t.data(), rows, columns));
        const auto [value, slope] = dyad::value_and_grad<0>(loss)(gx, gt);
        const auto again = dyad::value_and_grad<0>(loss)(gx, gt);
        std::vector<T> d(rows * columns), n(rows * columns);
        dyad::to_host_into(slope, std::span(d));
        dyad::to_host_into(dyad::evaluate(scaled, gx, dyad::to_device(w)), std::span(n));
        double expected = 0;
        for (std::size_t i = 0; i < rows; ++i) {
            double sum = 0, weight = 0, mean = 0, square = 0;
            for (std::size_t j = i * columns; j < (i + 1) * columns; ++j) sum += std::exp(static_cast<double>(x[j])), weight += t[j], mean += static_cast<double>(x[j]) / columns;
            for (std::size_t j = i * columns; j < (i + 1) * columns; ++j) {
                expected -= t[j] * (x[j] - std::log(sum)) / rows;
                square += (x[j] - mean) * (x[j] - mean) / columns;
                good = good && near(static_cast<double>(d[j]), (weight * std::exp(static_cast<double>(x[j])) / sum - t[j]) / rows, tolerance);
            }
            for (std::size_t j = 0; j < columns; ++j) good = good && near(static_cast<double>(n[i * columns + j]), (x[i * columns + j] - mean) / std::sqrt(square + 1e-3) * w[j], 10 * tolerance);
        }
        good = good && near(static_cast<double>(value), expected, tolerance) && again.first == value;
    }
    return good;
}
bool regression() {
    const std::size_t rows = 3000, columns = 70;
    const auto X = wave<double>(rows * columns, 0.7), w = wave<double>(columns, 0.1), t = wave<double>(rows, 0.4);
    auto loss = [](auto a, auto b, auto c) { return mean(square(matmul(b, a) - c)); };
    const auto [value, dw] = dyad::value_and_grad<0>(loss)(dyad::to_device(w), dyad::to_device(dyad::view(X.data(), rows, columns)), dyad::to_device(t));
    double v = 0;
    std::vector<double> expected(columns);
    for (std::size_t i = 0; i < rows; ++i) {
        double r = -t[i];
        for (std::size_t j = 0; j < columns; ++j) r += X[i * columns + j] * w[j];
        v += r * r / rows;
        for (std::size_t j = 0; j < columns; ++j) expected[j] += 2 * r * X[i * columns + j] / rows;
    }
    const auto d = dyad::to_host<std::vector<double>>(dw);
    bool good = near(value, v, 1e-11);
    for (std::size_t j = 0; j < columns; ++j) good = good && near(d[j], expected[j], 1e-11);
    return good;
}
/// Σ (x[i])² over indices of which many occur several times: the slope counts them.
bool gathered() {
    const std::size_t n = 5000, count = 70001;
    const auto x = wave<double>(n, 0.3);
    std::vector<int> at(count);
    for (std::size_t k = 0; k < count; ++k) at[k] = static_cast<int>(k * k % 2311) - 7;
    std::vector<double> expected(n);
    for (const int i : at) {
        const std::size_t j = i < 0 ? n - static_cast<std::size_t>(-i) : static_cast<std::size_t>(i);
        expected[j] += 2 * x[j];
    }
    auto loss = [](auto a, auto i) { return sum(square(take(a, i))); };
    const auto gx = dyad::to_device(x);
    const auto gi = dyad::to_device(at);
    const auto first = dyad::to_host<std::vector<double>>(dyad::grad<0>(loss)(gx, gi));
    bool good = first == dyad::to_host<std::vector<double>>(dyad::grad<0>(loss)(gx, gi)); // the same bits every time
    for (std::size_t j = 0; j < n; ++j) good = good && near(first[j], expected[j], 1e-12);
    at[12345] = static_cast<int>(n);
    try {
        static_cast<void>(dyad::evaluate([](auto a, auto i) { return take(a, i); }, gx, dyad::to_device(at)));
        good = false;
    } catch (const dyad::index_error& e) {
        good = good && std::strstr(e.what(), "take: indices = 5000") != nullptr;
    }
    return good;
}
bool running_sums() {
    const std::size_t rows = 200, columns = 300;
    const auto x = wave<double>(rows * columns, 0.2);
    const auto gx = dyad::to_device(dyad::view(x.data(), rows, columns));
    const auto y = dyad::to_host<std::vector<double>>(dyad::evaluate([](auto a) { return reshape(cumsum(a, 1), -1); }, gx));
    const auto slope = dyad::to_host<std::vector<double>>(dyad::evaluate([](auto a) { return reshape(a, -1); }, dyad::grad([](auto a) { return sum(cumsum(a, 1)); })(gx)));
    const auto largest = dyad::to_host<std::vector<double>>(dyad::evaluate([](auto a) { return argmax(a, 1); }, gx));
    bool good = true;
    for (std::size_t i = 0; i < rows; ++i) {
        double sum = 0;
        std::size_t best = 0;
        for (std::size_t j = 0; j < columns; ++j) {
            sum += x[i * columns + j];
            if (x[i * columns + j] > x[i * columns + best]) best = j;
            good = good && near(y[i * columns + j], sum, 1e-12) && slope[i * columns + j] == static_cast<double>(columns - j);
        }
        good = good && largest[i] == static_cast<double>(best);
    }
    return good;
}
/// Forwards, backwards, and twice: f = Σ x³ / 3.
bool products() {
    const auto x = wave<double>(10001, 0.1), v = wave<double>(10001, 0.6);
    const auto gx = dyad::to_device(x), gv = dyad::to_device(v);
    auto f = [](auto a) { return sum(a * a * a) / 3; };
    const auto [value, tangent] = dyad::jvp(f)(gx, gv);
    const auto [again, pullback] = dyad::vjp(f)(gx);
    const auto slope = dyad::to_host<std::vector<double>>(pullback(2.0)), bend = dyad::to_host<std::vector<double>>(dyad::hvp(f)(gx, gv));
    double expected = 0;
    bool good = near(value, again, 1e-14);
    for (std::size_t i = 0; i < x.size(); ++i) {
        expected += x[i] * x[i] * v[i];
        good = good && near(slope[i], 2 * x[i] * x[i], 1e-14) && near(bend[i], 2 * x[i] * v[i], 1e-14);
    }
    return good && near(tangent, expected, 1e-12);
}
/// A pool of 3 by 3 windows, 2 apart, against loops.
bool pooled() {
    const std::size_t planes = 12, height = 41, width = 37, rows = 20, columns = 18;
    const auto x = wave<double>(planes * height * width, 0.3);
    const auto slope = dyad::to_host<std::vector<double>>(dyad::evaluate([](auto a) { return reshape(a, -1); }, dyad::grad([](auto a) { return sum(square(max_pool(a, 3, 2))) + sum(avg_pool(a, 3, 2)); })(dyad::to_device(dyad::view(x.data(), planes, height, width)))));
    std::vector<double> expected(x.size());
    for (std::size_t p = 0; p < planes; ++p) {
        for (std::size_t w = 0; w < rows * columns; ++w) {
            const std::size_t first = (p * height + 2 * (w / columns)) * width + 2 * (w % columns);
            std::size_t best = first;
            for (std::size_t k = 0; k < 9; ++k) {
                const std::size_t at = first + k / 3 * width + k % 3;
                if (x[at] > x[best]) best = at;
                expected[at] += 1 / 9.0;
            }
            expected[best] += 2 * x[best];
        }
    }
    bool good = true;
    for (std::size_t i = 0; i < x.size(); ++i) good = good && near(slope[i], expected[i], 1e-12);
    return good;
}
bool constants() {
    auto f = [](auto x) { return std::array{x * 0 + 1.0 / 3, where(x > 0, decltype(x)(__builtin_bit_cast(double, 0x7ff8000000abcdefULL)), decltype(x)(-0.0))}; };
    const auto all = dyad::kernel(f)(dyad::to_device(std::vector<double>{1.0, -1.0}));
    const auto a = dyad::to_host<std::vector<double>>(all[0]), b = dyad::to_host<std::vector<double>>(all[1]);
    std::uint64_t bits[2];
    std::memcpy(bits, b.data(), sizeof(bits));
    return a[0] == 1.0 / 3 && bits[0] == 0x7ff8000000abcdefULL && bits[1] == std::uint64_t{1} << 63;
}
bool halves() {
    const std::vector<float> x = wave<float>(10001, 0.0);
    const auto gx = dyad::to_device<__half>(x);
    const dyad::device_array<__half, 1> y = dyad::kernel([](auto a) { return a * a + 1; })(gx);
    const auto hx = dyad::to_host<std::vector<float>>(gx), hy = dyad::to_host<std::vector<float>>(y);
    bool good = true;
    for (std::size_t i = 0; i < x.size(); ++i) good = good && hy[i] == __half2float(__float2half(hx[i] * hx[i] + 1));
    return good;
}
bool out_of_memory() {
    auto a = dyad::to_device(std::vector<double>{1, 2, 3});
    try {
        a = dyad::device_array<double, 1>(std::size_t{1} << 50);
    } catch (const dyad::device_error& e) {
        std::printf("     %s\n", e.what());
        return dyad::to_host<std::vector<double>>(a) == std::vector<double>{1, 2, 3} && std::strstr(e.what(), "cudaMalloc") != nullptr;
    }
    return false;
}
bool mixed_places() {
    const std::vector<double> x{1, 2, 3};
    try {
        static_cast<void>(dyad::kernel([](auto a, auto b) { return a * b; })(x, dyad::to_device(x)));
    } catch (const dyad::device_error& e) {
        return std::strstr(e.what(), "argument 1 lies on the device") != nullptr;
    }
    return false;
}
/// As long as it lives, this thread's work goes to a stream of its own.
struct own_stream {
    cudaStream_t s = nullptr;
    own_stream() {
        dyad::device::check(cudaStreamCreate(&s), "cudaStreamCreate");
        dyad::device::use_stream(s);
    }
    ~own_stream() {
        dyad::device::use_stream(nullptr);
        cudaStreamDestroy(s);
    }
};
/// A step runs once, is captured once, and is launched many times as a CUDA graph; after each launch `look` is called.
template <class Step, class Look>
void run_as_graph(cudaStream_t s, int launches, const Step& step, const Look& look) {
    step();
    dyad::device::synchronize();
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    dyad::device::check(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    step();
    dyad::device::check(cudaStreamEndCapture(s, &graph), "cudaStreamEndCapture");
    dyad::device::check(cudaGraphInstantiate(&exec, graph, 0), "cudaGraphInstantiate");
    for (int i = 0; i < launches; ++i) {
        dyad::device::check(cudaGraphLaunch(exec, s), "cudaGraphLaunch");
        look();
    }
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}
bool captured() {
    const own_stream stream;
    auto w = dyad::to_device(std::vector<float>(1000, 1.0F)), next = w;
    auto half_way = dyad::kernel([](auto a) { return a - 0.5 * (a - 3); });
    run_as_graph(stream.s, 20, [&] {
        half_way.into(next, w);
        half_way.into(w, next);
    }, [] {});
    bool good = true;
    for (const float a : dyad::to_host<std::vector<float>>(w)) good = good && std::abs(a - 3.0F) < 1e-5F;
    return good;
}
/// The same with the loss, a number that stays on the device.
bool captured_with_loss() {
    const own_stream stream;
    auto w = dyad::to_device(std::vector<double>(1000, 1.0)), g = w;
    const auto t = dyad::to_device(std::vector<double>(1000, 3.0));
    dyad::device_array<double, 0> loss;
    auto results = std::tie(loss, g);
    double expected = 4; // each step halves the distance
    bool good = true;
    run_as_graph(stream.s, 10, [&] {
        dyad::evaluate_into(results, dyad::value_and_grad<0>([](auto a, auto b) { return mean(square(a - b)); }), w, t);
        dyad::kernel([](auto a, auto b) { return a - 250 * b; }).into(w, w, g);
    }, [&] { good = good && near(dyad::to_host(loss), expected /= 4, 1e-12); });
    return good;
}

/// Σ of five rounds at every element, and conjugate gradients, whose numbers and condition are the device's.
bool loops() {
    const std::size_t n = 3001;
    auto rounds = [](auto x) { return dyad::fori_loop(5, [](auto i, auto s) { return sin(s) + 0.1 * (i + 1) * s * s; }, x); };
    const auto x = wave<double>(n, 0.2);
    const auto [value, slope] = dyad::value_and_grad([](auto a) { return sum(dyad::fori_loop(5, [](auto i, auto s) { return sin(s) + 0.1 * (i + 1) * s * s; }, a)); })(dyad::to_device(x));
    const auto d = dyad::to_host<std::vector<double>>(slope);
    double expected = 0;
    bool good = true;
    for (std::size_t i = 0; i < n; ++i) {
        const auto [v, s] = dyad::value_and_grad(rounds)(x[i]);
        expected += v;
        good = good && near(d[i], s, 1e-11);
    }
    good = good && near(value, expected, 1e-11);

    const std::size_t size = 300;
    std::vector<double> A(size * size, 0.01), b = wave<double>(size, 0.6), Ax(size);
    for (std::size_t i = 0; i < size; ++i) A[i * size + i] += 1.0 + 0.01 * static_cast<double>(i);
    auto solve = [](auto M, auto v) {
        const auto end = dyad::while_loop([](auto s) { return std::get<3>(s) > 1e-22; },
                                          [=](auto s) {
                                              const auto Mp = matmul(M, std::get<2>(s));
                                              const auto a = std::get<3>(s) / sum(std::get<2>(s) * Mp);
                                              const auto r = std::get<1>(s) - a * Mp;
                                              const auto square = sum(r * r);
                                              return std::tuple{std::get<0>(s) + a * std::get<2>(s), r, r + square / std::get<3>(s) * std::get<2>(s), square};
                                          },
                                          std::tuple{0.0 * v, v, v, sum(v * v)});
        return std::get<0>(end);
    };
    const auto y = dyad::to_host<std::vector<double>>(dyad::evaluate(solve, dyad::to_device(dyad::view(A.data(), size, size)), dyad::to_device(b)));
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) Ax[i] += A[i * size + j] * y[j];
        good = good && near(Ax[i], b[i], 1e-9);
    }
    return good;
}
/// Σ (images * kernels)² with both gradients, against loops.
template <class T>
bool convolved(double tolerance) {
    const std::size_t n = 5, channels = 3, height = 17, width = 14, outputs = 6, tall = 3, wide = 4, rows = 9, columns = 7; // step 2, padding 1
    const auto x = wave<T>(n * channels * height * width, 0.3), k = wave<T>(outputs * channels * tall * wide, 0.8);
    auto loss = [](auto a, auto b) { return sum(square(conv2d(a, b, 2, 1))); };
    const auto gx = dyad::to_device(dyad::view(x.data(), n, channels, height, width)), gk = dyad::to_device(dyad::view(k.data(), outputs, channels, tall, wide));
    const auto [value, gradient] = dyad::value_and_grad(loss)(gx, gk);
    std::vector<double> y(n * outputs * rows * columns), by_x(x.size()), by_k(k.size());
    const auto each = [&](auto f) {
        for (std::size_t at = 0; at < y.size(); ++at) {
            const std::size_t s = at % columns, r = at / columns % rows, o = at / columns / rows % outputs, image = at / columns / rows / outputs;
            for (std::size_t w = 0; w < channels * tall * wide; ++w) {
                const std::size_t j = w % wide, i = w / wide % tall, c = w / wide / tall, row = 2 * r + i - 1, column = 2 * s + j - 1;
                if (row < height && column < width) f(at, ((image * channels + c) * height + row) * width + column, o * channels * tall * wide + w);
            }
        }
    };
    each([&](std::size_t at, std::size_t i, std::size_t j) { y[at] += static_cast<double>(x[i]) * static_cast<double>(k[j]); });
    double expected = 0;
    for (const double v : y) expected += v * v;
    each([&](std::size_t at, std::size_t i, std::size_t j) {
        by_x[i] += 2 * y[at] * static_cast<double>(k[j]);
        by_k[j] += 2 * y[at] * static_cast<double>(x[i]);
    });
    std::vector<T> dx(x.size()), dk(k.size());
    dyad::to_host_into(std::get<0>(gradient), std::span(dx));
    dyad::to_host_into(std::get<1>(gradient), std::span(dk));
    bool good = near(static_cast<double>(value), expected, tolerance);
    for (std::size_t i = 0; i < dx.size(); ++i) good = good && near(static_cast<double>(dx[i]), by_x[i], tolerance);
    for (std::size_t i = 0; i < dk.size(); ++i) good = good && near(static_cast<double>(dk[i]), by_k[i], tolerance);
    return good;
}
#ifdef DYAD_CUSOLVER
constexpr auto difference = [](auto x, auto y) { return max(abs(x - y)); };
constexpr auto reflections = [](auto m) {
    const auto [q, r] = qr(m);
    return difference(matmul(q, r), m);
};
constexpr auto values = [](auto m) {
    const auto [u, s, v] = svd(m);
    return difference(matmul(u * s, v), m);
};
/// Each factorisation, multiplied out again: the largest element of what should be zero, in a stack of two as well.
bool factorised() {
    const std::size_t n = 60, rows = 90;
    auto square = wave<double>(2 * n * n, 0.6), tall = wave<double>(rows * n, 0.1);
    for (std::size_t i = 0; i < tall.size(); ++i) tall[i] += std::sin(0.01 * static_cast<double>(i * i % 7919));
    for (std::size_t i = 0; i < 2 * n; ++i) square[i * n + i % n] += 200.0;
    const auto pair = dyad::to_device(dyad::view(square.data(), std::size_t{2}, n, n));
    const auto a = dyad::to_device(dyad::view(square.data(), n, n)), long_one = dyad::to_device(dyad::view(tall.data(), rows, n));
    const double solved = dyad::evaluate([](auto m, auto b) { return difference(matmul(m, solve(m, b)), b); }, pair, pair);
    const double inverted = dyad::evaluate([](auto m) { return difference(matmul(inverse(m), m), solve(m, m)); }, pair);
    const double rooted = dyad::evaluate([](auto m) {
        const auto s = m + permute(m, 1, 0);
        const auto l = cholesky(s);
        return difference(matmul(l, permute(l, 1, 0)), s);
    }, a);
    const double reflected = dyad::evaluate(reflections, long_one), split = dyad::evaluate(values, long_one);
    const double wide = dyad::evaluate([](auto m) { return reflections(permute(m, 1, 0)) + values(permute(m, 1, 0)); }, long_one);
    const double turned = dyad::evaluate([](auto m) {
        const auto s = m + permute(m, 1, 0);
        const auto [w, v] = eigh(s);
        return difference(matmul(s, v), v * w);
    }, a);
    // d logdet/da = a⁻ᵀ, d det/da = det a a⁻ᵀ
    const double slopes = dyad::evaluate([](auto g, auto h, auto m) { return difference(g, permute(inverse(m), 1, 0)) + difference(h, det(0.005 * m) * permute(inverse(m), 1, 0)); },
                                         dyad::grad([](auto m) { return logdet(m); })(a), dyad::grad([](auto m) { return det(0.005 * m); })(a), a);
    std::printf("     solve %.1e, inverse %.1e, cholesky %.1e, qr %.1e, svd %.1e, wide %.1e, eigh %.1e, slopes %.1e\n", solved, inverted, rooted, reflected, split, wide, turned, slopes);
    bool good = solved < 1e-10 && inverted < 1e-10 && rooted < 1e-10 && reflected < 1e-10 && split < 1e-10 && wide < 1e-10 && turned < 1e-9 && slopes < 1e-10;
    for (std::size_t j = 0; j < n; ++j) square[n * n + 7 * n + j] = 0; // the second matrix has no inverse
    try {
        static_cast<void>(dyad::evaluate([](auto m) { return inverse(m); }, dyad::to_device(dyad::view(square.data(), std::size_t{2}, n, n))));
        good = false;
    } catch (const dyad::value_error& e) {
        std::printf("     %s\n", e.what());
    }
    tall[5] = std::nan("");
    const auto spoiled = dyad::to_host<std::vector<double>>(dyad::evaluate([](auto m) { return std::get<1>(svd(m)); }, dyad::to_device(dyad::view(tall.data(), rows, n))));
    for (const double s : spoiled) good = good && s != s;
    return good;
}
#endif

} // namespace

int main() {
    try {
        std::printf("%s\n", dyad::device::name().c_str());
        check("elementwise, float", elementwise<float>(2e-6));
        check("elementwise, double", elementwise<double>(1e-13));
        check("sums, float", sums<float>(2e-6));
        check("sums, double", sums<double>(1e-12));
        check("sums along axes", along_axes());
        check("rows, float", rows_of<float>(2e-5));
        check("rows, double", rows_of<double>(1e-12));
        check("regression", regression());
        check("gathered", gathered());
        check("running sums", running_sums());
        check("products with derivatives", products());
        check("loops", loops());
        check("pooled", pooled());
        check("convolved, float", convolved<float>(1e-5));
        check("convolved, double", convolved<double>(1e-12));
#ifdef DYAD_CUSOLVER
        check("factorised", factorised());
#endif
        check("constants", constants());
        check("halves", halves());
        check("out of memory", out_of_memory());
        check("mixed places", mixed_places());
        check("captured", captured());
        check("captured_with_loss", captured_with_loss());
    } catch (const std::exception& e) {
        std::printf("FAIL %s\n", e.what());
        return 1;
    }
    std::printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
