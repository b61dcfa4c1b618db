// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What tests of memory and work count; memory.test.cpp stands in the place of the library's functions.
#pragma once

#include <cstddef>
#include <thread>

namespace counted {

/// Calls of cblas_dgemm.
extern int products;
/// Bytes of all aligned memory that has been asked for: workspaces are made of nothing else.
extern std::size_t bytes;

template <class F>
int products_of(const F& f) {
    const int before = products;
    f();
    return products - before;
}
/// What a fresh thread, which has no workspace yet, asks for. (A workspace grows by blocks of twice the last one's size: it
/// asks for at most three times what is used at once.)
template <class F>
std::size_t bytes_of(const F& f) {
    const std::size_t before = bytes;
    std::thread(f).join();
    return bytes - before;
}

} // namespace counted
