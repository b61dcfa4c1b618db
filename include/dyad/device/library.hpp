// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What CUDA's libraries have in common: a handle for each thread and device, whose work goes to the thread's stream, and the
// names of element types.
#pragma once

#include <utility>
#include <vector>

#include <dyad/device/status.hpp>

namespace dyad::device {

/// The calling thread's handle of a library for the current device, made when it is first asked for: `Library::make()`,
/// `Library::use(handle)` with the thread's stream, `Library::end(handle)`.
template <class Library>
typename Library::handle handle_of() {
    struct owner {
        std::vector<std::pair<int, typename Library::handle>> all; // (of a few devices)
        owner() = default;
        owner(const owner&) = delete;
        owner& operator=(const owner&) = delete;
        ~owner() {
            for (const auto& [device, handle] : all) Library::end(handle);
        }
    };
    thread_local owner mine;
    const int device = current_device();
    for (const auto& [of, handle] : mine.all) {
        if (of != device) continue;
        Library::use(handle);
        return handle;
    }
    mine.all.reserve(mine.all.size() + 1);
    mine.all.emplace_back(device, Library::make());
    Library::use(mine.all.back().second);
    return mine.all.back().second;
}

} // namespace dyad::device
