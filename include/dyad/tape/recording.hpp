// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What a tape has recorded of numbers of one type: for each statement the partial derivatives by its active operands.
#pragma once

#include <array>
#include <memory>

#include <dyad/tape/adjoints.hpp>
#include <dyad/tape/call_site.hpp>
#include <dyad/tape/equal_leaves.hpp>
#include <dyad/tape/recorded.hpp>
#include <dyad/tape/statement.hpp>
#include <dyad/tape/statement_stream.hpp>

namespace dyad {

template <class T>
class recording {
public:
    using stream = statement_stream<T>;

    recording() = default;
    recording(const recording&) = delete;
    recording& operator=(const recording&) = delete;
    ~recording() { stop(); }

    [[nodiscard]] bool started() const { return stream_.is_open(); }
    [[nodiscard]] std::uint64_t number() const { return number_; }
    [[nodiscard]] bool paused() const { return paused_; }
    /// Statements, those of variables included.
    [[nodiscard]] std::uint32_t size() const { return stream_.size(); }
    /// Bytes that the statements take.
    [[nodiscard]] std::size_t bytes() const {
        std::size_t sum = stream_.bytes();
        for (const auto& entry : pullbacks_) sum += entry->bytes() + entry->operands.size() * sizeof(std::uint32_t);
        return sum;
    }

    void start() {
        stream_.open();
        number_ = take_recording_number();
        auto& thread = recordings_of_thread<T>;
        older_ = thread.newest;
        thread.newest = this;
        update_current();
    }
    void stop() {
        if (!started()) return;
        stream_.close();
        number_ = take_recording_number(); // the numbers that it gave are of no recording any more
        pullbacks_.clear();
        recording** link = &recordings_of_thread<T>.newest;
        while (*link != nullptr && *link != this) link = &(*link)->older_;
        if (*link == this) *link = older_;
        update_current();
    }
    void pause(bool paused) {
        paused_ = paused;
        update_current();
    }
    /// Every statement from here on is looked at: NaN or inf is an error that names it.
    void trap(bool on) {
        trap_ = on;
    }

    /// A statement without operands.
    tape_key push_variable() { return tape_key(stream_.finish(stream_.room(0), 0), number_); }

    /// Value and record of a statement; without an active operand nothing happens, and the answer is false. The straight way is
    /// that of statements whose leaves are all active; no value of it goes to the others but by copy, so that it stays in
    /// registers.
    template <class E>
    DYAD_INLINE bool record(const E& e, T& value, tape_key& key, call_site where) {
        using program = statement_program<E>;
        constexpr std::size_t count = program::active_count;
        static_assert(count <= statement_code::most_numbers);
        if constexpr (count == 0) return false;
        statement_leaves<E> leaves;
        visit_operand_leaves(leaves, e);
        return [&]<std::size_t... K>(std::index_sequence<K...>) DYAD_INLINE_LAMBDA {
            const std::uint64_t number = number_;
            const bool all = ((leaves.key[K].recording() == number) && ...);
            constexpr bool conditional = ((program::kind(static_cast<int>(K)) == partial_kind::conditional) || ...);
            if (conditional || !all || trap_) {
                const outcome any = record_any(e, where);
                if (!any.recorded) return false;
                value = any.value;
                key = any.key;
                return true;
            }
            const auto result = program::kernel::template run<T>(leaves.input);
            const std::uint32_t statement = equal_leaves<count>::distinct(leaves.key) ? put_all<E, false>(leaves.key, result, std::index_sequence<K...>{})
                                                                                      : put_all<E, true>(leaves.key, result, std::index_sequence<K...>{});
            value = result[0];
            key = tape_key(statement, number);
            return true;
        }(std::make_index_sequence<count>{});
    }

    /// A statement whose partial derivatives are known. Passive operands are left out.
    tape_key push_statement(const T* partial, const tape_key* operand, std::size_t count) {
        std::byte* at = stream_.room(count * stream::pair_size + sizeof(std::uint32_t));
        std::uint32_t active = 0;
        for (std::size_t k = 0; k < count; ++k) {
            if (!is_active(operand[k])) continue;
            unsigned ignored = 0;
            stream::put_pair(at, ignored, partial[k], operand[k].statement());
            ++active;
        }
        unsigned code = active;
        if (active > statement_code::most_numbers) {
            stream::put(at, active);
            code = statement_code::long_list;
        }
        return tape_key(stream_.finish(at, code), number_);
    }

    /// The same of a function of few operands that the tape computes itself.
    tape_key push_function(const T& value, const T* partial, const tape_key* operand, std::size_t count) {
        if (trap_) refuse_nonfinite(value, partial, operand, count);
        return push_statement(partial, operand, count);
    }

    /// The first of the results of a statement that goes through a function; without results there is nothing to record.
    tape_key push_pullback(std::unique_ptr<pullback_entry<T>> entry) {
        const std::uint32_t results = entry->results;
        if (results == 0) return {};
        std::byte* at = stream_.room(sizeof(std::uint32_t), results);
        stream::put(at, static_cast<std::uint32_t>(pullbacks_.size()));
        pullbacks_.push_back(std::move(entry));
        const tape_key first{stream_.finish(at, statement_code::pullback), number_};
        for (std::uint32_t k = 1; k < results; ++k) stream_.finish(at, 0);
        return first;
    }

    /// Whether a number is a result of this recording; refuses one of another recording, unless that is paused.
    [[nodiscard]] DYAD_INLINE bool is_active(tape_key key) const {
        if (key.recording() == number_) return true;
        if (key.statement() != 0) [[unlikely]] refuse_foreign(key);
        return false;
    }

    /// Carries the adjoints of the last statement that has a row, and of all before it, to their operands.
    template <int Lanes>
    void sweep(adjoint_view<T, Lanes> rows) const;
    /// reached[i] becomes 1 for every statement i that one with reached[k] = 1, k <= last, depends on.
    void mark_reached(char* reached, std::uint32_t last) const;
    [[nodiscard]] const stream& statements() const { return stream_; }
    [[nodiscard]] const pullback_entry<T>& pullback_at(const std::byte* operands) const {
        return *pullbacks_[stream::template get<std::uint32_t>(operands)];
    }

private:
    /// The inputs of a statement's kernel and the keys of its active leaves.
    template <class E>
    struct statement_leaves {
        T input[E::leaf_count];
        tape_key key[statement_program<E>::active_count + 1];
        int next = 0, next_active = 0;

        DYAD_INLINE void operator()(const typename E::result_type& leaf) {
            input[next++] = leaf.value();
            key[next_active++] = leaf.key();
        }
        DYAD_INLINE void operator()(const passive_operand<T>& leaf) { input[next++] = leaf.number; }
        DYAD_INLINE void operator()(bool condition) { input[next++] = T(condition ? 1 : 0); }
    };

    /// Whether leaf K is stored as an operand with slope ±1.
    template <class E>
    static constexpr bool is_unit(std::size_t k) {
        using program = statement_program<E>;
        const partial_kind kind = program::kind(static_cast<int>(k));
        return program::active_count <= static_cast<int>(statement_code::most_units) && (kind == partial_kind::one || kind == partial_kind::minus_one);
    }
    template <partial_kind Kind>
    static bool is_live(const T& condition) {
        if constexpr (Kind == partial_kind::nothing) {
            return false;
        } else if constexpr (Kind == partial_kind::conditional) {
            return bottom_value(condition) != 0;
        } else {
            return true;
        }
    }
    struct outcome {
        bool recorded = false;
        T value{};
        tape_key key;
    };
    /// A statement with passive leaves or with partial derivatives that count only under a condition, or under the trap.
    template <class E>
    [[gnu::noinline]] outcome record_any(E e, call_site where) {
        using program = statement_program<E>;
        constexpr std::size_t count = program::active_count;
        statement_leaves<E> leaves;
        visit_operand_leaves(leaves, e);
        return [&]<std::size_t... K>(std::index_sequence<K...>) {
            if (!any_active(leaves.key, count)) return outcome{};
            const auto result = program::kernel::template run<T>(leaves.input);
            const bool live[] = {is_live<program::kind(static_cast<int>(K))>(result[2 + 2 * K])...};
            const bool unit[] = {is_unit<E>(K)...}, minus_unit[] = {program::kind(static_cast<int>(K)) == partial_kind::minus_one...};
            unsigned units = 0, minus_units = 0, used = 0;
            for (std::size_t k = 0; k < count; ++k) {
                used |= live[k] ? 1U << k : 0;
                units |= unit[k] ? 1U << k : 0;
                minus_units |= minus_unit[k] ? 1U << k : 0;
            }
            const std::uint32_t statement = put_some(std::array<T, count>{result[1 + 2 * K]...}, leaves.key, units, minus_units, used);
            if (trap_) {
                auto recorded = result; // of which the slopes by constants are none
                for (std::size_t k = 0; k < count; ++k) {
                    if (!is_active(leaves.key[k])) recorded[2 + 2 * k] = T(0);
                }
                refuse_nonfinite(program::source::graph.view(), leaves.input, E::leaf_count, recorded.data(), 1 + 2 * count, where);
            }
            return outcome{true, result[0], tape_key(statement, number_)};
        }(std::make_index_sequence<count>{});
    }
    /// All leaves, of which none is passive: straight code.
    template <class E, bool Merge, class Result, std::size_t... K>
    DYAD_INLINE std::uint32_t put_all(const tape_key* key, const Result& result, std::index_sequence<K...>) {
        using program = statement_program<E>;
        T partial[] = {result[1 + 2 * K]...};
        bool unit[] = {is_unit<E>(K)...};
        bool merged[] = {program::kind(static_cast<int>(K)) == partial_kind::nothing...};
        if constexpr (Merge) equal_leaves<sizeof...(K)>::merge(key, partial, unit, merged);
        std::byte* at = stream_.room(sizeof...(K) * stream::pair_size);
        unsigned code = 0;
        (void(!merged[K] && !unit[K] ? (stream::put_pair(at, code, partial[K], key[K].statement()), 0) : 0), ...);
        (void(!merged[K] && unit[K] ? (stream::put_unit(at, code, program::kind(static_cast<int>(K)) == partial_kind::minus_one, key[K].statement()), 0) : 0), ...);
        return stream_.finish(at, code);
    }
    /// Those leaves that are active, with equal ones merged.
    template <std::size_t N>
    std::uint32_t put_some(std::array<T, N> partial, const tape_key* key, unsigned units, unsigned minus_units, unsigned used) {
        for (std::size_t k = 0; k < N; ++k) {
            const unsigned bit = 1U << k;
            if (key[k].recording() != number_) used &= ~bit;
            for (std::size_t j = 0; j < k && (used & bit) != 0; ++j) {
                if ((used & 1U << j) == 0 || key[j] != key[k]) continue;
                partial[j] = T(partial[j] + partial[k]);
                units &= ~(1U << j);
                used &= ~bit;
            }
        }
        std::byte* at = stream_.room(N * stream::pair_size);
        unsigned code = 0;
        for (std::size_t k = 0; k < N; ++k) {
            if ((used & ~units & 1U << k) != 0) stream::put_pair(at, code, partial[k], key[k].statement());
        }
        for (std::size_t k = 0; k < N; ++k) {
            if ((used & units & 1U << k) != 0) stream::put_unit(at, code, (minus_units & 1U << k) != 0, key[k].statement());
        }
        return stream_.finish(at, code);
    }
    bool any_active(const tape_key* key, std::size_t count) const {
        bool any = false;
        for (std::size_t k = 0; k < count; ++k) any = is_active(key[k]) || any;
        return any;
    }
    static void update_current() {
        auto& thread = recordings_of_thread<T>;
        recording* r = thread.newest;
        while (r != nullptr && r->paused_) r = r->older_;
        thread.current = r;
    }
    [[gnu::noinline, gnu::cold]] void refuse_foreign(tape_key key) const;
    static bool is_finite(const T& x) { return bottom_value(x) - bottom_value(x) == 0; }
    void refuse_nonfinite(graph_view g, const T* input, std::size_t inputs, const T* result, std::size_t results, call_site where) const;
    void refuse_nonfinite(const T& value, const T* partial, const tape_key* operand, std::size_t count) const;

    stream stream_;
    std::uint64_t number_ = 0;
    bool paused_ = false;
    bool trap_ = false;
    recording* older_ = nullptr;
    std::vector<std::unique_ptr<pullback_entry<T>>> pullbacks_;
};

} // namespace dyad
