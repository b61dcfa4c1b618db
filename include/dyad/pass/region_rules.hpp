// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What the differentiating passes ask of loops, branches and rules: a table that the builder carries, so that who has
// none of them does not compile how they are differentiated (region_derivatives.hpp).
#pragma once

#include <dyad/pass/contribution.hpp>

namespace dyad {

struct region_rules {
    /// Completes the marks of active nodes: what goes round a loop is active if it becomes so in any round.
    void (*spread)(builder&, list<bool>& active);
    /// Adds to the adjoints of a region's operands what its results hand down.
    void (*pull)(builder&, node_index region, const list<bool>& active, list<contribution>& adjoint);
    /// Sets the tangents of a region's results.
    void (*push)(builder&, node_index region, const list<bool>& active, list<contribution>& tangent);
};

} // namespace dyad
