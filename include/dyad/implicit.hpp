// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What equations define: roots and fixed points, differentiated by the implicit function theorem, and solutions of
// ordinary differential equations. No third-party header.
#pragma once

#include <dyad/core.hpp>

#include <dyad/api/implicit.hpp>
#include <dyad/api/odeint.hpp>
