// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
#pragma once

#include <dyad/array.hpp>

/// The gradient by w of the squared length of X w.
xt::xtensor<double, 1> slope(const xt::xtensor<double, 1>& w, const xt::xtensor<double, 2>& X);
