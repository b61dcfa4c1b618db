// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A growing array that works in constant evaluation on every supported compiler (std::vector does not on
// clang 14, and its header costs more than the rest of the core). Graphs and passes use it; it never reaches
// run-time kernels. Compilers count and pay for every call in constant evaluation, so the elements are also
// there without one: `xs.at[i]`.
#pragma once

#include <cstddef>
#include <initializer_list>

#include <dyad/base/config.hpp>

namespace dyad {

/// Room for elements in constant evaluation, where that is cheaper than an array (config.hpp).
template <class T, bool = __is_class(T)>
struct constant_room {
    static constexpr std::size_t size = std::size_t{1} << 16;
    T at[size] = {};
};
/// Classes make themselves: from g++ 13 on, elements that `= {}` makes are copies of what the first one is by then.
template <class T>
struct constant_room<T, true> {
    static constexpr std::size_t size = std::size_t{1} << 16;
    T at[size];
};

/// A sequence of default-constructible values with amortised constant `push_back`.
template <class T>
class list {
public:
    T* at = nullptr;       ///< the elements
    std::size_t count = 0; ///< how many

    constexpr list() = default;
    /// `size` elements T{}.
    constexpr explicit list(std::size_t size) : count(size) { allocate(size); }
    /// `size` copies of a value: in constant evaluation much slower than T{}, which the compiler sets all at once.
    constexpr list(std::size_t size, const T& value) : list(size) {
        for (std::size_t i = 0; i < size; ++i) at[i] = value;
    }
    constexpr list(std::initializer_list<T> values) : list(values.size()) {
        std::size_t i = 0;
        for (const T& value : values) at[i++] = value;
    }
    constexpr list(const list& other) : list(other.count) {
        for (std::size_t i = 0; i < count; ++i) at[i] = other.at[i];
    }
    constexpr list(list&& other) noexcept
        : at(other.at), count(other.count), capacity_(other.capacity_), room_(other.room_) {
        other.at = nullptr;
        other.room_ = nullptr;
        other.count = other.capacity_ = 0;
    }
    constexpr list& operator=(list other) noexcept {
        T* const mine = at;
        constant_room<T>* const room = room_;
        at = other.at;
        count = other.count;
        capacity_ = other.capacity_;
        room_ = other.room_;
        other.at = mine;
        other.room_ = room;
        return *this;
    }
    constexpr ~list() { release(at, room_); }

    [[nodiscard]] constexpr std::size_t size() const { return count; }
    [[nodiscard]] constexpr bool empty() const { return count == 0; }
    [[nodiscard]] constexpr const T* data() const { return at; }
    [[nodiscard]] constexpr const T* begin() const { return at; }
    [[nodiscard]] constexpr const T* end() const { return at + count; }
    [[nodiscard]] constexpr T* begin() { return at; }
    [[nodiscard]] constexpr T* end() { return at + count; }
    [[nodiscard]] constexpr T& operator[](std::size_t i) { return at[i]; }
    [[nodiscard]] constexpr const T& operator[](std::size_t i) const { return at[i]; }
    [[nodiscard]] constexpr T& back() { return at[count - 1]; }

    constexpr void push_back(const T& value) {
        if (count == capacity_) {
            const T kept = value; // `value` may lie in the storage that reserve() replaces
            reserve(count == 0 ? 16 : 4 * count);
            at[count++] = kept;
        } else {
            at[count++] = value;
        }
    }
    constexpr void pop_back() { --count; }
    // (Where g++ -O3 inlines this, it warns of writes that it makes up.)
    [[gnu::noinline]] constexpr void reserve(std::size_t capacity) {
        if (capacity <= capacity_) return;
        T* const smaller = at;
        constant_room<T>* const room = room_;
        allocate(capacity);
        for (std::size_t i = 0; i < count; ++i) at[i] = smaller[i];
        release(smaller, room);
    }

private:
    constexpr void allocate(std::size_t size) {
        if (size == 0) return;
        capacity_ = size;
        if constexpr (DYAD_LAZY_MEMBER_ARRAY(T)) {
            if (DYAD_CONSTANT_EVALUATED && size <= constant_room<T>::size) {
                room_ = new constant_room<T>;
                at = room_->at;
                capacity_ = constant_room<T>::size;
                return;
            }
        }
        room_ = nullptr;
        at = new T[size]{};
    }
    static constexpr void release(T* elements, constant_room<T>* room) {
        if constexpr (DYAD_LAZY_MEMBER_ARRAY(T)) {
            if (room != nullptr) {
                delete room;
                return;
            }
        }
        delete[] elements;
    }

    std::size_t capacity_ = 0;
    constant_room<T>* room_ = nullptr;
};

} // namespace dyad
