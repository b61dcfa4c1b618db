# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors
"""The programs whose compilation is timed, as text.

In traced-N and eager-N the user writes N operations; in gradient-N the program that the compiler ends up with, value and
gradient together, has N. The budgets speak of the latter.
"""

HEADER = "#include <dyad/core.hpp>\n"

# One round of five operations in which nothing is constant, common or cancels, so that no pass makes the program
# smaller than it looks. `{p}` and `{q}` are the two latest results.
ROUND = ["{p} * y", "{p} + x", "sin({p})", "{p} * {q}", "{p} - {q}"]


def chain(nodes, indent):
    """Statements that compute `nodes` operations, and the name of the last result."""
    previous, latest = "y", "x"
    lines = []
    for number in range(nodes):
        expression = ROUND[number % len(ROUND)].format(p=latest, q=previous)
        lines.append(f"{indent}auto v{number} = {expression};\n")
        previous, latest = latest, f"v{number}"
    return "".join(lines), latest


def traced(nodes):
    """A stateless generic lambda: the graph is built by running it in the compiler."""
    body, result = chain(nodes, "        ")
    return f"""{HEADER}
double run(double a, double b) {{
    using dyad::sin;
    auto f = [](auto x, auto y) {{
{body}        return {result};
    }};
    auto [value, gradient] = dyad::value_and_grad(f)(a, b);
    auto [gx, gy] = gradient;
    return value + gx + gy;
}}
"""


def value_and_gradient_of(nodes):
    """A traced program whose value and gradient together have about `nodes` operations: thrice the chain's, less 3."""
    return traced((nodes + 3) // 3)


def eager(nodes):
    """The same statements over eager expressions: a new type for each operation."""
    body, result = chain(nodes, "    ")
    return f"""{HEADER}
double run(double a, double b) {{
    dyad::var<"x"> x{{a}};
    dyad::var<"y"> y{{b}};
{body}    auto [value, gradient] = dyad::value_and_gradient({result}, x, y);
    auto [gx, gy] = gradient;
    return value + gx + gy;
}}
"""


def traced_doubling(times):
    """x = x * x + x, again and again: `times` squarings of the tree's size, two nodes each in a graph."""
    return f"""{HEADER}
double run(double a) {{
    auto f = [](auto x) {{
        for (int i = 0; i < {times}; ++i) x = x * x + x;
        return x;
    }};
    auto [value, slope] = dyad::value_and_grad(f)(a);
    return value + slope;
}}
"""


def eager_doubling(times):
    body = "".join(f"    auto x{i + 1} = x{i} * x{i} + x{i};\n" for i in range(times))
    return f"""{HEADER}
double run(double a) {{
    dyad::var<"x"> x0{{a}};
{body}    auto [value, gradient] = dyad::value_and_gradient(x{times}, x0);
    (void)gradient;
    return value;
}}
"""


def all_programs(traced_sizes, gradient_sizes, eager_sizes):
    """Name and text of every program; the first three are what the others are compared with."""
    programs = {
        "empty": "int main() {}\n",
        "std": "#include <array>\n#include <cmath>\n#include <tuple>\nint main() {}\n",
        "core": HEADER + "int main() {}\n",
    }
    programs |= {f"traced-{size}": traced(size) for size in traced_sizes}
    programs |= {f"gradient-{size}": value_and_gradient_of(size) for size in gradient_sizes}
    programs |= {f"eager-{size}": eager(size) for size in eager_sizes}
    programs |= {"traced-doubling-60": traced_doubling(60), "eager-doubling-60": eager_doubling(60)}
    return programs
