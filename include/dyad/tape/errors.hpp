// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What a recording says when it cannot go on: the slow paths.
#pragma once

#include <atomic>
#include <sstream>

#include <dyad/base/config.hpp>
#include <dyad/graph/formula.hpp>
#include <dyad/tape/sweep.hpp>

namespace dyad {

DYAD_SHARED inline constinit std::atomic<std::uint32_t> next_recording_numbers{1};

inline std::uint32_t more_recording_numbers() {
    constexpr std::uint32_t block = 1024; // (A divisor of 2³²: so no number is ever 0, which is no recording. They repeat after 2³².)
    recording_numbers& n = numbers_of_thread;
    n.next = next_recording_numbers.fetch_add(block, std::memory_order_relaxed);
    n.end = n.next + block;
    return n.next++;
}

template <class T>
void recording<T>::refuse_foreign(tape_key key) const {
    for (const recording* r = recordings_of_thread<T>.newest; r != nullptr; r = r->older_) {
        if (r->number_ != key.recording()) continue;
        if (r->paused_) return; // what a paused tape follows is constant here
        throw tape_error("[dyad] tape: a number of another tape, which is still recording, meets this one; make it a variable of this "
                         "tape (tape.variable(x), one level higher), pass it as an argument where a function for tape_grad captures it, put it in the "
                         "state where the body of checkpointed_loop does, or take its value()");
    }
    throw tape_error("[dyad] tape: a number of a recording that has ended (its tape is gone, was reset, gave its gradient, or belongs to "
                     "another thread) meets this one; make it a variable again, tape.variable(x.value()), or take its value()");
}

/// Refuses a statement whose value or one of whose slopes is NaN or infinite. `result` is what its kernel gives.
template <class T>
void recording<T>::refuse_nonfinite(graph_view g, const T* input, std::size_t inputs, const T* result, std::size_t results, call_site where) const {
    const auto number = [](const T& x) { return static_cast<double>(bottom_value(x)); };
    bool good = is_finite(result[0]);
    for (std::size_t k = 1; k < results; k += 2) good = good && (is_finite(result[k]) || number(result[k + 1]) == 0);
    if (good) return;
    std::ostringstream out;
    out << "[dyad] trap: ";
    if (where.line != 0) {
        out << where.file << ':' << where.line;
    } else {
        out << "in an assignment such as +=, or within a long formula";
    }
    g.output_count = 1;
    out << ", statement " << size() << ", " << formula(g).view() << " = " << number(result[0]) << " with slopes";
    for (std::size_t k = 1; k < results; k += 2) out << (k == 1 ? " " : ", ") << (number(result[k + 1]) == 0 ? 0 : number(result[k]));
    out << " at";
    for (std::size_t k = 0; k < inputs; ++k) out << (k == 0 ? " x" : ", x") << k << " = " << number(input[k]);
    throw tape_error(out.str());
}
/// The same of a function of operands of which some are passive.
template <class T>
void recording<T>::refuse_nonfinite(const T& value, const T* partial, const tape_key* operand, std::size_t count) const {
    bool good = is_finite(value);
    for (std::size_t k = 0; k < count; ++k) good = good && (is_finite(partial[k]) || !is_active(operand[k]));
    if (good) return;
    std::ostringstream out;
    out << "[dyad] trap: statement " << size() << ", a function such as remainder, hypot of three or ipow, = " << bottom_value(value) << " with slopes";
    for (std::size_t k = 0; k < count; ++k) out << (k == 0 ? " " : ", ") << bottom_value(partial[k]);
    throw tape_error(out.str());
}

} // namespace dyad
