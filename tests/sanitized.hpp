// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Whether a sanitizer watches the memory: its allocator ends a program that asks for too much.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
inline constexpr bool sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool sanitized = false;
#endif
