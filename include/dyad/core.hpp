// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The core: derivatives of scalar functions and eager expressions, at compile time. No third-party header.
#pragma once

// First the headers that refuse wrong programs: a short chain of includes makes for short messages.
#include <dyad/op/operators.hpp>

#include <dyad/graph/tracer.hpp>

#include <dyad/trace/structure.hpp>

#include <dyad/api/call.hpp>

#include <dyad/api/at_once.hpp>
#include <dyad/api/custom_gradient.hpp>
#include <dyad/api/expression.hpp>
#include <dyad/api/inspect.hpp>
#include <dyad/api/products.hpp>
#include <dyad/api/reversible.hpp>
#include <dyad/api/scan.hpp>
#include <dyad/api/transform.hpp>
#include <dyad/api/vjp.hpp>
