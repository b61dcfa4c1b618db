// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// bench_cuda [--quick] [--json FILE]: the copy bandwidth, then dyad beside hand-written kernels and Thrust.
#include <chrono>
#include <cstring>
#include <iostream>

#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>

#include "hand.cuh"
#include "harness.hpp"

namespace bench {

template <class T>
dyad::device_array<T, 1> numbers(std::size_t n, T shift) {
    dyad::device_array<T, 1> x(n);
    hand::iota<<<hand::blocks_for(n), hand::threads>>>(x.data(), n, shift);
    dyad::device::check(cudaGetLastError(), "iota");
    return x;
}
template <class T>
auto wide(dyad::device_array<T, 1>& x) {
    return reinterpret_cast<hand::vector_of<T>*>(x.data());
}
template <class T>
constexpr std::size_t lanes = 16 / sizeof(T);

template <class T>
void copies(recorder& r, std::size_t n) {
    if (!fits(2.0 * n * sizeof(T))) return;
    auto x = numbers<T>(n, T(0)), y = numbers<T>(n, T(1));
    const double bytes = 2.0 * n * sizeof(T);
    const auto results = [&] { return first_numbers(y); };
    r.measure({"copy", type_name<T>, "memcpy", n, 0}, bytes, [&] { dyad::device::copy_on_device(y.data(), x.data(), n * sizeof(T)); }, results);
    r.measure({"copy", type_name<T>, "hand", n, 0}, bytes, [&] { hand::copy<<<hand::blocks_for(n / lanes<T>), hand::threads>>>(wide(x), wide(y), n / lanes<T>); }, results);
    r.measure({"copy", type_name<T>, "dyad", n, 0}, bytes, [&] { dyad::kernel([](auto a) { return a; }).into(y, x); }, results);
}

template <class T>
struct thrust_quotient {
    __device__ thrust::tuple<T, T, T> operator()(const thrust::tuple<T, T>& in) const {
        T v, dx, dy;
        hand::quotient(thrust::get<0>(in), thrust::get<1>(in), v, dx, dy);
        return {v, dx, dy};
    }
};
/// x² y / (1 + y²), and both slopes.
template <class T>
void quotients(recorder& r, std::size_t n) {
    const double bytes = 5.0 * n * sizeof(T);
    if (!fits(bytes)) return;
    auto x = numbers<T>(n, T(0)), y = numbers<T>(n, T(1)), v = numbers<T>(n, T(0)), dx = numbers<T>(n, T(0)), dy = numbers<T>(n, T(0));
    constexpr auto f = [](auto a, auto b) { return a * a * b / (1 + b * b); };
    auto out = std::tie(v, dx, dy);
    const auto results = [&] { return joined(first_numbers(v), joined(first_numbers(dx), first_numbers(dy))); };
    r.measure({"value+gradient", type_name<T>, "dyad", n, 10}, bytes, [&] { dyad::kernel(dyad::value_and_grad(f)).into(out, x, y); }, results);
    r.measure({"value+gradient", type_name<T>, "hand", n, 10}, bytes, [&] {
        hand::value_and_slopes<<<hand::blocks_for(n / lanes<T>), hand::threads>>>(wide(x), wide(y), wide(v), wide(dx), wide(dy), n / lanes<T>);
    }, results);
    r.measure({"value+gradient", type_name<T>, "thrust", n, 10}, bytes, [&] {
        const auto in = thrust::make_zip_iterator(thrust::make_tuple(thrust::device_pointer_cast(x.data()), thrust::device_pointer_cast(y.data())));
        const auto to = thrust::make_zip_iterator(thrust::make_tuple(thrust::device_pointer_cast(v.data()), thrust::device_pointer_cast(dx.data()), thrust::device_pointer_cast(dy.data())));
        thrust::transform(thrust::cuda::par_nosync, in, in + static_cast<std::ptrdiff_t>(n), to, thrust_quotient<T>{});
    }, results);
}

/// Polynomials of more and more operations: where arithmetic begins to count.
template <int Terms, class T>
void polynomials(recorder& r, std::size_t n) {
    const double bytes = 5.0 * n * sizeof(T);
    if (!fits(bytes)) return;
    auto x = numbers<T>(n, T(0)), y = numbers<T>(n, T(1)), v = numbers<T>(n, T(0)), dx = numbers<T>(n, T(0)), dy = numbers<T>(n, T(0));
    constexpr auto f = [](auto a, auto b) {
        auto sum = a;
        for (int k = 0; k < Terms; ++k) sum = sum * b + (0.25 + 0.125 * k) * a;
        return sum;
    };
    auto out = std::tie(v, dx, dy);
    const std::size_t operations = dyad::operation_count(dyad::graph_of<T, T>(dyad::value_and_grad(f)));
    r.measure({"polynomial of " + std::to_string(Terms), type_name<T>, "dyad", n, operations}, bytes, [&] { dyad::kernel(dyad::value_and_grad(f)).into(out, x, y); },
              [] { return std::vector<double>(); }); // (nothing to compare with)
}

template <class T>
struct thrust_square {
    __device__ T operator()(const thrust::tuple<T, T>& in) const {
        const T w = thrust::get<0>(in), x = thrust::get<1>(in), e = w * x - x * x;
        return e * e;
    }
};
template <class T>
struct thrust_slope {
    __device__ T operator()(const thrust::tuple<T, T>& in) const {
        const T w = thrust::get<0>(in), x = thrust::get<1>(in);
        return 2 * (w * x - x * x) * x;
    }
};
/// Σ (w x - x²)² and its slope in w.
template <class T>
void sums(recorder& r, std::size_t n) {
    const double bytes = 3.0 * n * sizeof(T);
    if (!fits(bytes)) return;
    auto w = numbers<T>(n, T(0)), x = numbers<T>(n, T(1)), slope = numbers<T>(n, T(0));
    constexpr auto loss = [](auto a, auto b) { return sum(square(a * b - b * b)); };
    T value = 0;
    dyad::device_array<T, 0> stays;
    auto out = std::tie(value, slope);
    auto out_there = std::tie(stays, slope);
    const auto results = [&] { return joined({static_cast<double>(value)}, first_numbers(slope)); };
    const auto results_there = [&] { return joined({static_cast<double>(dyad::to_host(stays))}, first_numbers(slope)); };
    r.measure({"sum+gradient", type_name<T>, "dyad", n, 7}, bytes, [&] { dyad::evaluate_into(out_there, dyad::value_and_grad<0>(loss), w, x); }, results_there);
    r.measure({"sum+gradient", type_name<T>, "dyad, fetched", n, 7}, bytes, [&] { dyad::evaluate_into(out, dyad::value_and_grad<0>(loss), w, x); }, results);
    r.measure({"sum+gradient", type_name<T>, "hand", n, 7}, bytes, [&] {
        cudaMemsetAsync(stays.data(), 0, sizeof(T));
        hand::squares<<<1056, hand::threads>>>(wide(w), wide(x), wide(slope), stays.data(), n / lanes<T>);
    }, results_there);
    r.measure({"sum+gradient", type_name<T>, "thrust", n, 7}, bytes, [&] {
        const auto in = thrust::make_zip_iterator(thrust::make_tuple(thrust::device_pointer_cast(w.data()), thrust::device_pointer_cast(x.data())));
        const auto end = in + static_cast<std::ptrdiff_t>(n);
        value = thrust::transform_reduce(thrust::device, in, end, thrust_square<T>{}, T(0), thrust::plus<T>());
        thrust::transform(thrust::device, in, end, thrust::device_pointer_cast(slope.data()), thrust_slope<T>{});
    }, results);
}

/// Softmax cross-entropy of rows of a thousand, and its gradient.
template <class T>
void cross_entropies(recorder& r, std::size_t rows) {
    const std::size_t columns = 1000, n = rows * columns;
    const double bytes = 3.0 * n * sizeof(T);
    if (!fits(2 * bytes)) return;
    auto flat_x = numbers<T>(n, T(0)), flat_t = numbers<T>(n, T(0));
    dyad::device_array<T, 2> x(rows, columns), t(rows, columns), slope(rows, columns);
    dyad::device::copy_on_device(x.data(), flat_x.data(), n * sizeof(T));
    dyad::device::copy_on_device(t.data(), flat_t.data(), n * sizeof(T));
    constexpr auto loss = [](auto a, auto target) { return -mean(sum(target * log_softmax(a, 1), 1)); };
    dyad::device_array<T, 0> stays;
    auto out = std::tie(stays, slope);
    const auto results = [&] {
        std::vector<T> row(columns);
        dyad::device::copy_to_host(row.data(), slope.data(), columns * sizeof(T));
        return joined({static_cast<double>(dyad::to_host(stays))}, std::vector<double>(row.begin(), row.end()));
    };
    r.measure({"softmax cross-entropy", type_name<T>, "dyad", n, 0}, bytes, [&] { dyad::evaluate_into(out, dyad::value_and_grad<0>(loss), x, t); }, results);
    r.measure({"softmax cross-entropy", type_name<T>, "hand", n, 0}, bytes, [&] {
        cudaMemsetAsync(stays.data(), 0, sizeof(T));
        hand::cross_entropy<<<static_cast<unsigned>(rows), hand::threads>>>(x.data(), t.data(), slope.data(), stays.data(), columns, T(1) / static_cast<T>(rows));
    }, results);
}

/// Half a second of work, so that the first figures are not those of a device at rest.
inline void warm_up() {
    auto x = numbers<float>(1 << 22, 0), y = numbers<float>(1 << 22, 1);
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
    while (std::chrono::steady_clock::now() < end) {
        for (int i = 0; i < 100; ++i) dyad::device::copy_on_device(y.data(), x.data(), x.size() * sizeof(float));
        dyad::device::synchronize();
    }
}

template <class T>
void all(recorder& r, bool quick) {
    for (int power = 20; power <= (quick ? 26 : 28); power += quick ? 3 : 2) {
        const std::size_t n = std::size_t{1} << power;
        copies<T>(r, n);
        quotients<T>(r, n);
        polynomials<5, T>(r, n);
        if (!quick) polynomials<12, T>(r, n);
        polynomials<25, T>(r, n);
        if (!quick) polynomials<50, T>(r, n);
        sums<T>(r, n);
        cross_entropies<T>(r, n / 1000);
    }
}

} // namespace bench

int main(int count, char** arguments) {
    bool quick = false;
    std::string json;
    for (int i = 1; i < count; ++i) {
        if (std::strcmp(arguments[i], "--quick") == 0) quick = true;
        if (std::strcmp(arguments[i], "--json") == 0 && i + 1 < count) json = arguments[++i];
    }
    try {
        std::cout << dyad::device::name() << std::endl;
        bench::warm_up();
        bench::recorder r(quick);
        bench::all<float>(r, quick);
        bench::all<double>(r, quick);
        if (!json.empty()) r.write(json, dyad::device::name());
        if (!r.good()) return 1;
    } catch (const dyad::error& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
