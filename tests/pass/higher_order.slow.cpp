// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// High derivatives of functions of every kind against 40-digit values (mpmath).

#include <dyad/core.hpp>

#include <doctest/doctest.h>

namespace {

/// 3 f(2x) at x = 0.3125, orders 3, 7 and, where it is given, 10.
template <class F, class... Tenth>
void check_orders(const char* name, F, double third, double seventh, Tenth... tenth) {
    constexpr auto h = [](auto x) { return 3 * F{}(2 * x); };
    CAPTURE(name);
    CHECK(dyad::derivative<3>(h)(0.3125) == doctest::Approx(third).epsilon(1e-13));
    CHECK(dyad::derivative<7>(h)(0.3125) == doctest::Approx(seventh).epsilon(1e-11));
    if constexpr (sizeof...(tenth) == 1) CHECK(dyad::derivative<10>(h)(0.3125) == doctest::Approx(tenth...).epsilon(1e-9).scale(1));
}
#define ORDERS(f, ...) check_orders(#f, [](auto x) { return f; }, __VA_ARGS__)

TEST_CASE("orders three, seven and ten of functions of each kind") {
    ORDERS(exp(sin(x)) / (1 + x * x), 59.938440255370302, -89014.900756855447, -459259979.32875964);
    ORDERS(tanh(x), -2.5677376073508749, 57641.399399939972, 59072113.495662609);
    ORDERS(atan(x), 3.0677774483700702, 62673.895206406105, 137630545.16302467);
    ORDERS(erf(x), -8.0167451254863513, 26920.874334116466, -8187769.5434202376);
    ORDERS(sqrt(1 + x * x), -19.732741749049087, 14110.559389354377, 34361913.899539532);
    ORDERS(pow(x, 2.5), 56.920997883030828, 39168.932431254238, -206481064.09584314);
    ORDERS(pow(x, x), 2.3769449807471159, -864206.06146670038);
    ORDERS(asin(x / 2), 4.6363122708826413, 3935.5877052468191, 4959309.4093058748);
    ORDERS(softplus(x), -1.6498288448768585, -156.79785886094525, -7508.7229971925685);
    ORDERS(sigmoid(x), -1.9759715946875763, 0.030372512859050696, -50886.541106867464);
    ORDERS(lgamma(x), -212.84595317183232, -7431307.9090257421, 122578724974.39843);
    ORDERS(tgamma(x), -921.20587535851954, -83083518.381684441, 1961066189754.2073);
    ORDERS(log(x) * cos(x), 167.26406677921557, 7327887.8669209872, -121911061534.84322);
    ORDERS(hypot(x, 1), -19.732741749049087, 14110.559389354377, 34361913.899539532);
    ORDERS(cbrt(x), 31.129162122612226, 843999.04440812308, -12250654882.166589);
    ORDERS(sinc(x), 176.76986464030448, 140054.91776851892, 5894418.8971794448);
    ORDERS(acosh(1 + x), 43.725421848067242, 950545.27958292626, -12831169244.470887);
    ORDERS(atan2(x, 2 - x), -18.699686646084875, 140937.66359418838, -249122835.89930698);
    ORDERS(logaddexp(x, 2 * x), -1.6498288448768585, -156.79785886094525, -7508.7229971925685);
    ORDERS(xlogy(x, x), -61.44, -773094.11328, 8511803295.7302374);
    ORDERS(expm1(x) * log1p(x), 63.319057344321804, -4964.5749647361131, 5983895.4132569696);
    ORDERS(cube(cube(x)), 720.977783203125, 27216000.0, 0.0);
}

} // namespace
