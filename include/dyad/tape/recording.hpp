// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What a tape has recorded of numbers of one type: for each statement the partial derivatives by its active operands. The
// statements are numbered as they come, so that a statement needs no place for its result: one byte for the number of its
// operands; 4 bytes for an operand with slope 1 or -1, 4 and the size of a number for another.
#pragma once

#include <array>
#include <cstring>
#include <memory>

#include <dyad/base/error.hpp>
#include <dyad/tape/adjoints.hpp>
#include <dyad/tape/call_site.hpp>
#include <dyad/tape/recorded.hpp>
#include <dyad/tape/statement.hpp>

namespace dyad {

template <class T>
class recording {
public:
    static constexpr std::size_t pair_size = sizeof(T) + sizeof(std::uint32_t);
    static constexpr std::uint32_t minus = std::uint32_t{1} << 31; ///< in an operand with slope -1

    recording() = default;
    recording(const recording&) = delete;
    recording& operator=(const recording&) = delete;
    ~recording() { stop(); }

    [[nodiscard]] bool started() const { return chunk_ != nullptr; }
    [[nodiscard]] std::uint32_t number() const { return number_; }
    [[nodiscard]] bool paused() const { return paused_; }
    /// Statements, those of variables included.
    [[nodiscard]] std::uint32_t size() const { return started() ? statement_at(codes_) : 0; }
    /// Bytes that the statements take.
    [[nodiscard]] std::size_t bytes() const {
        std::size_t sum = started() ? closed_bytes_ + used(chunk_, operands_, codes_) : 0;
        for (const auto& entry : pullbacks_) sum += entry->bytes() + entry->operands.size() * sizeof(std::uint32_t);
        return sum;
    }

    void start() {
        chunk_ = take_tape_chunk(0, nullptr);
        operands_ = chunk_->begin();
        codes_ = chunk_->end();
        origin_ = reinterpret_cast<std::uintptr_t>(codes_);
        closed_bytes_ = 0;
        number_ = take_recording_number();
        auto& thread = recordings_of_thread<T>;
        older_ = thread.newest;
        thread.newest = this;
        update_current();
    }
    void stop() {
        if (!started()) return;
        while (chunk_ != nullptr) {
            tape_chunk* const previous = chunk_->previous;
            give_back_tape_chunk(chunk_);
            chunk_ = previous;
        }
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
    tape_key push_variable() {
        make_room(1);
        *--codes_ = std::byte{0};
        return tape_key(statement_at(codes_), number_);
    }

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
            const std::uint32_t number = number_;
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
            if (distinct<count>(leaves.key, std::make_index_sequence<count <= most_merged ? count * (count - 1) / 2 : 0>{})) {
                put_all<E, false>(leaves.key, result, std::index_sequence<K...>{});
            } else {
                put_all<E, true>(leaves.key, result, std::index_sequence<K...>{});
            }
            value = result[0];
            key = tape_key(statement_at(codes_), number);
            return true;
        }(std::make_index_sequence<count>{});
    }

    /// A statement whose partial derivatives are known. Passive operands are left out.
    tape_key push_statement(const T* partial, const tape_key* operand, std::size_t count) {
        make_room(count * pair_size + sizeof(std::uint32_t) + 1);
        std::byte* at = operands_;
        std::uint32_t active = 0;
        for (std::size_t k = 0; k < count; ++k) {
            if (!is_active(operand[k])) continue;
            unsigned ignored = 0;
            put_pair(at, ignored, partial[k], operand[k].statement());
            ++active;
        }
        unsigned code = active;
        if (active > statement_code::most_numbers) {
            put(at, active);
            at += sizeof active;
            code = statement_code::long_list;
        }
        operands_ = at;
        *--codes_ = static_cast<std::byte>(code);
        return tape_key(statement_at(codes_), number_);
    }

    /// The first of the results of a statement that goes through a function.
    tape_key push_pullback(std::unique_ptr<pullback_entry<T>> entry) {
        make_room(sizeof(std::uint32_t) + entry->results);
        put(operands_, static_cast<std::uint32_t>(pullbacks_.size()));
        const std::uint32_t results = entry->results;
        pullbacks_.push_back(std::move(entry));
        operands_ += sizeof(std::uint32_t);
        *--codes_ = static_cast<std::byte>(statement_code::pullback);
        const tape_key first{statement_at(codes_), number_};
        for (std::uint32_t k = 1; k < results; ++k) *--codes_ = std::byte{0};
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
    void sweep(const adjoint_rows<T, Lanes>& rows) const;
    /// reached[i] becomes 1 for every statement i that one with reached[k] = 1, k <= last, depends on.
    void mark_reached(char* reached, std::uint32_t last) const;
    /// f(recorded_statement) from the statement `last` to the first; `Straight`: f is compiled once more for each of the frequent
    /// kinds of statement.
    template <bool Straight = false, class F>
    void walk_back(std::uint32_t last, F f) const;

    [[nodiscard]] const pullback_entry<T>& pullback_at(const std::byte* operands) const {
        return *pullbacks_[get<std::uint32_t>(operands)];
    }
    template <class U>
    [[nodiscard]] DYAD_INLINE static U get(const std::byte* at) {
        U value;
        std::memcpy(&value, at, sizeof value);
        return value;
    }

private:
    /// Up to so many leaves, equal ones are looked for and merged; up to so many more, those that the optimiser knows to be
    /// equal, as in `p * x - q * x * y`.
    static constexpr std::size_t most_compared = 4, most_merged = 8;

    static recorded_statement decode(std::uint32_t number, std::uint8_t code, const std::byte* operands_end);

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
            put_some(std::array<T, count>{result[1 + 2 * K]...}, leaves.key, units, minus_units, used);
            if (trap_) refuse_nonfinite(program::source::graph.view(), leaves.input, E::leaf_count, result.data(), 1 + 2 * count, where);
            return outcome{true, result[0], tape_key(statement_at(codes_), number_)};
        }(std::make_index_sequence<count>{});
    }
    /// Pair number P of leaves: (0, 1), (0, 2), (1, 2), (0, 3) ...
    static constexpr std::pair<std::size_t, std::size_t> leaf_pair(std::size_t p) {
        std::size_t second = 1;
        while (p >= second) p -= second++;
        return {p, second};
    }
    /// Whether two of `Count` leaves count as equal.
    template <std::size_t Count>
    DYAD_INLINE static bool equal(const tape_key& a, const tape_key& b) {
        if constexpr (Count <= most_compared) return a == b;
        const bool same = a == b; // (of a call g++ knows nothing)
        return __builtin_constant_p(same) && same;
    }
    template <std::size_t Count, std::size_t... P>
    DYAD_INLINE static bool distinct([[maybe_unused]] const tape_key* key, std::index_sequence<P...>) {
        return !(equal<Count>(key[leaf_pair(P).first], key[leaf_pair(P).second]) || ...);
    }
    template <std::size_t Count, std::size_t K, std::size_t... J>
    DYAD_INLINE static void merge_before([[maybe_unused]] const tape_key* key, [[maybe_unused]] bool* merged, [[maybe_unused]] bool* unit,
                                         [[maybe_unused]] T* partial, std::index_sequence<J...>) {
        (void((!merged[K] && !merged[J] && equal<Count>(key[J], key[K]))
                  ? (partial[J] = T(partial[J] + partial[K]), unit[J] = false, merged[K] = true)
                  : false),
         ...);
    }
    /// All leaves, of which none is passive: straight code.
    template <class E, bool Merge, class Result, std::size_t... K>
    DYAD_INLINE void put_all(const tape_key* key, const Result& result, std::index_sequence<K...>) {
        using program = statement_program<E>;
        T partial[] = {result[1 + 2 * K]...};
        bool unit[] = {is_unit<E>(K)...};
        bool merged[] = {program::kind(static_cast<int>(K)) == partial_kind::nothing...};
        if constexpr (Merge) (merge_before<sizeof...(K), K>(key, merged, unit, partial, std::make_index_sequence<K>{}), ...);
        make_room(sizeof...(K) * pair_size + 1);
        std::byte* at = operands_;
        unsigned code = 0;
        (void(!merged[K] && !unit[K] ? (put_pair(at, code, partial[K], key[K].statement()), 0) : 0), ...);
        (void(!merged[K] && unit[K] ? (put_unit(at, code, program::kind(static_cast<int>(K)) == partial_kind::minus_one, key[K].statement()), 0) : 0), ...);
        operands_ = at;
        *--codes_ = static_cast<std::byte>(code);
    }
    /// Those leaves that are active, with equal ones merged.
    template <std::size_t N>
    void put_some(std::array<T, N> partial, const tape_key* key, unsigned units, unsigned minus_units, unsigned used) {
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
        make_room(N * pair_size + 1);
        std::byte* at = operands_;
        unsigned code = 0;
        for (std::size_t k = 0; k < N; ++k) {
            if ((used & ~units & 1U << k) != 0) put_pair(at, code, partial[k], key[k].statement());
        }
        for (std::size_t k = 0; k < N; ++k) {
            if ((used & units & 1U << k) != 0) put_unit(at, code, (minus_units & 1U << k) != 0, key[k].statement());
        }
        operands_ = at;
        *--codes_ = static_cast<std::byte>(code);
    }
    bool any_active(const tape_key* key, std::size_t count) const {
        bool any = false;
        for (std::size_t k = 0; k < count; ++k) any = is_active(key[k]) || any;
        return any;
    }
    template <class U>
    DYAD_INLINE static void put(std::byte* at, const U& value) {
        std::memcpy(at, &value, sizeof value);
    }
    DYAD_INLINE static void put_pair(std::byte*& at, unsigned& code, const T& partial, std::uint32_t statement) {
        put(at, partial);
        put(at + sizeof(T), statement);
        at += pair_size;
        ++code;
    }
    DYAD_INLINE static void put_unit(std::byte*& at, unsigned& code, bool negative, std::uint32_t statement) {
        put(at, negative ? statement | minus : statement);
        at += sizeof statement;
        code += 1U << statement_code::units_shift;
    }
    [[nodiscard]] DYAD_INLINE std::uint32_t statement_at(const std::byte* code) const {
        return static_cast<std::uint32_t>(origin_ - reinterpret_cast<std::uintptr_t>(code));
    }
    [[nodiscard]] static std::size_t used(tape_chunk* chunk, const std::byte* operands, const std::byte* codes) {
        return static_cast<std::size_t>((operands - chunk->begin()) + (chunk->end() - codes));
    }
    DYAD_INLINE void make_room(std::size_t bytes) {
        if (static_cast<std::size_t>(codes_ - operands_) < bytes) [[unlikely]] next_chunk(bytes);
    }
    [[gnu::noinline]] void next_chunk(std::size_t bytes) {
        const std::uint32_t count = size();
        if (count > minus - 1 - tape_chunk_size - bytes)
            throw tape_error("[dyad] tape: a recording cannot hold more than 2^31 statements; use checkpointed_loop or several tapes");
        tape_chunk* const next = take_tape_chunk(bytes, chunk_);
        chunk_->operands_end = operands_;
        chunk_->codes_begin = codes_;
        closed_bytes_ += used(chunk_, operands_, codes_);
        chunk_ = next;
        operands_ = next->begin();
        codes_ = next->end();
        origin_ = reinterpret_cast<std::uintptr_t>(codes_) + count;
    }
    static void update_current() {
        auto& thread = recordings_of_thread<T>;
        recording* r = thread.newest;
        while (r != nullptr && r->paused_) r = r->older_;
        thread.current = r;
    }
    [[gnu::noinline, gnu::cold]] void refuse_foreign(tape_key key) const;
    void refuse_nonfinite(graph_view g, const T* input, std::size_t inputs, const T* result, std::size_t results, call_site where) const;

    std::byte* operands_ = nullptr; ///< the end of those of the last statement
    std::uintptr_t origin_ = 0;     ///< a statement's number is the distance of its code from here
    std::byte* codes_ = nullptr;    ///< that of the last statement
    std::uint32_t number_ = 0;
    bool paused_ = false;
    bool trap_ = false;
    tape_chunk* chunk_ = nullptr;
    std::size_t closed_bytes_ = 0;
    recording* older_ = nullptr;
    std::vector<std::unique_ptr<pullback_entry<T>>> pullbacks_;
};

} // namespace dyad
