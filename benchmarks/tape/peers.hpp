// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// The other tapes, each as a function gradient<Problem>(inputs, gradient) in the way its documentation shows.
#pragma once

#include "problems.hpp"

#include <utility>

#if defined(BENCH_CODIPACK)
#include <codi.hpp>
#endif
#if defined(BENCH_ADEPT)
#include <adept.h>
#endif
#if defined(BENCH_SACADO)
#include <Sacado_trad.hpp>
#endif
#if defined(BENCH_ADOLC)
#include <adolc/adolc.h>
#endif

namespace bench {

#if defined(BENCH_CODIPACK)
struct codipack {
    static constexpr const char* name = "CoDiPack";
    template <class Problem>
    static double gradient(const vector& inputs, vector& g) {
        using number = codi::RealReverse;
        auto& tape = number::getTape();
        tape.reset();
        tape.setActive();
        std::vector<number> x(inputs.begin(), inputs.end());
        for (number& e : x) tape.registerInput(e);
        number y = Problem::template run<number>(x);
        tape.registerOutput(y);
        tape.setPassive();
        y.setGradient(1.0);
        tape.evaluate();
        g.resize(x.size());
        for (std::size_t k = 0; k < x.size(); ++k) g[k] = x[k].getGradient();
        return y.getValue();
    }
};
#endif

#if defined(BENCH_ADEPT)
struct adept_tape {
    static constexpr const char* name = "Adept";
    static adept::Stack& stack_of_thread() {
        static adept::Stack stack;
        return stack;
    }
    template <class Problem>
    static double gradient(const vector& inputs, vector& g) {
        adept::Stack& stack = stack_of_thread();
        std::vector<adept::adouble> x(inputs.begin(), inputs.end());
        stack.new_recording();
        adept::adouble y = Problem::template run<adept::adouble>(x);
        y.set_gradient(1.0);
        stack.compute_adjoint();
        g.resize(x.size());
        for (std::size_t k = 0; k < x.size(); ++k) g[k] = x[k].get_gradient();
        return adept::value(y);
    }
};
#endif

#if defined(BENCH_SACADO)
struct sacado {
    static constexpr const char* name = "Sacado";
    template <class Problem>
    static double gradient(const vector& inputs, vector& g) {
        using number = Sacado::Rad::ADvar<double>;
        std::vector<number> x(inputs.begin(), inputs.end());
        number y = Problem::template run<number>(x);
        number::Gradcomp();
        g.resize(x.size());
        for (std::size_t k = 0; k < x.size(); ++k) g[k] = x[k].adj();
        return y.val();
    }
};
#endif

#if defined(BENCH_ADOLC)
struct adolc {
    static constexpr const char* name = "ADOL-C";
    template <class Problem>
    static double gradient(const vector& inputs, vector& g) {
        double value = 0;
        const int n = static_cast<int>(inputs.size());
        trace_on(1);
        {
            std::vector<adouble> x(inputs.size());
            for (std::size_t k = 0; k < inputs.size(); ++k) x[k] <<= inputs[k];
            adouble y = Problem::template run<adouble>(x);
            y >>= value;
        }
        trace_off();
        g.resize(inputs.size());
        ::gradient(1, n, inputs.data(), g.data());
        return value;
    }
};
#endif

} // namespace bench
