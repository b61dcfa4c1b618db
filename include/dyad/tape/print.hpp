// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A recording as text, and as a drawing for Graphviz.
#pragma once

#include <sstream>

#include <dyad/tape/tape.hpp>

namespace dyad {

/// Calls f(statement number, operands, slopes), from the first statement to the last; `results` of a statement that goes
/// through a function are more than 0 for its first one.
template <class T, class F>
void each_statement(const recording<T>& r, F&& f) {
    using stream = statement_stream<T>;
    struct line {
        std::uint32_t number, results;
        std::vector<std::pair<double, std::uint32_t>> operands;
    };
    std::vector<line> lines;
    r.statements().walk_back(r.size(), [&](const recorded_statement& s) {
        line l{s.number, 0, {}};
        if (s.pullback) {
            l.results = r.pullback_at(s.operands).results;
            for (const std::uint32_t operand : r.pullback_at(s.operands).operands) l.operands.push_back({0, operand});
        }
        for (std::uint32_t k = 0; k < s.pairs; ++k) {
            const std::byte* const at = s.operands + k * stream::pair_size;
            l.operands.push_back({static_cast<double>(bottom_value(stream::template get<T>(at))),
                                  stream::template get<std::uint32_t>(at + sizeof(T))});
        }
        for (std::uint32_t k = 0; k < s.units; ++k) {
            const auto unit = stream::template get<std::uint32_t>(s.operands + s.pairs * stream::pair_size + k * sizeof(std::uint32_t));
            l.operands.push_back({(unit & stream::minus) != 0 ? -1 : 1, unit & ~stream::minus});
        }
        lines.push_back(std::move(l));
    });
    for (std::size_t k = lines.size(); k-- > 0;) f(lines[k].number, lines[k].results, lines[k].operands);
}

/// One line a statement: `s3: 2 ds1 - ds2` says that the slopes of statement 3 are 2 and -1.
template <class T>
std::string print(const recording<T>& r) {
    std::ostringstream out;
    out << "recording of " << r.size() << " statements, " << r.bytes() << " bytes\n";
    each_statement(r, [&](std::uint32_t number, std::uint32_t results, const auto& operands) {
        out << "  s" << number << ": ";
        if (results > 0) {
            out << "to s" << number + results - 1 << ", function of";
            for (const auto& [slope, operand] : operands) out << " s" << operand;
        } else if (operands.empty()) {
            out << "variable";
        }
        for (std::size_t k = 0; results == 0 && k < operands.size(); ++k) {
            const double slope = operands[k].first, size = slope < 0 ? -slope : slope;
            out << (slope < 0 ? (k == 0 ? "-" : " - ") : (k == 0 ? "" : " + "));
            if (size != 1) out << size << ' ';
            out << "ds" << operands[k].second;
        }
        out << '\n';
    });
    return out.str();
}

/// For `dot -Tsvg`: statements as nodes, slopes at the edges.
template <class T>
std::string to_dot(const recording<T>& r) {
    std::ostringstream out;
    out << "digraph tape {\n  rankdir=BT;\n";
    each_statement(r, [&](std::uint32_t number, std::uint32_t results, const auto& operands) {
        out << "  s" << number << (operands.empty() ? " [shape=box];\n" : ";\n");
        for (const auto& [slope, operand] : operands) {
            out << "  s" << operand << " -> s" << number;
            if (results == 0) out << " [label=\"" << slope << "\"]";
            out << ";\n";
        }
    });
    out << "}\n";
    return out.str();
}

template <class>
std::string tape::print() {
    std::string text = double_.started() ? dyad::print(double_) : std::string();
    for (other* o = others_; o != nullptr; o = o->next) text += o->print();
    return text.empty() ? "no recording\n" : text;
}
template <class>
std::string tape::to_dot() {
    return dyad::to_dot(double_);
}
template <class T>
std::string tape::other_of<T>::print() const {
    return dyad::print(content);
}

} // namespace dyad
