// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A few threads that wait for work, and share it out: what the library's loops over large arrays run on.
#pragma once

#include <pthread.h>

#include <concepts>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

#include <dyad/base/config.hpp>
#include <dyad/base/error.hpp>

namespace dyad {

// Not <thread>, <condition_variable> and <atomic>: they take the compiler a tenth of all that dyad/array.hpp adds to xtensor. What they are
// made of is used here.

/// A number that other threads may read while it is set.
class shared_number {
public:
    constexpr explicit shared_number(std::size_t value) : value_(value) {}
    operator std::size_t() const { return __atomic_load_n(&value_, __ATOMIC_ACQUIRE); }
    shared_number& operator=(std::size_t value) {
        __atomic_store_n(&value_, value, __ATOMIC_RELEASE);
        return *this;
    }

private:
    std::size_t value_;
};

/// Something to wait for while a mutex is held.
class waiting_room {
public:
    waiting_room() = default;
    waiting_room(const waiting_room&) = delete;
    waiting_room& operator=(const waiting_room&) = delete;
    ~waiting_room() { pthread_cond_destroy(&condition_); }

    template <class Until>
    void wait(std::unique_lock<std::mutex>& lock, const Until& until) {
        while (!until()) pthread_cond_wait(&condition_, lock.mutex()->native_handle());
    }
    void wake_all() { pthread_cond_broadcast(&condition_); }

private:
    pthread_cond_t condition_ = PTHREAD_COND_INITIALIZER;
};

class thread_pool {
public:
    DYAD_SHARED static thread_pool& shared() {
        static thread_pool pool;
        return pool;
    }
    thread_pool(const thread_pool&) = delete;
    thread_pool& operator=(const thread_pool&) = delete;
    ~thread_pool() { resize(1); }

    /// How many threads work, the calling one among them.
    [[nodiscard]] std::size_t size() const { return size_; }

    /// Throws value_error from inside of run(), std::system_error if there are not so many threads: as many as could be had work.
    void resize(std::size_t size) {
        if (inside_) throw value_error("[dyad] threads: cannot change while they work");
        const std::lock_guard one_owner(owner_);
        {
            const std::lock_guard lock(mutex_);
            stop_ = true;
        }
        wake_.wake_all();
        for (; workers_; workers_ = std::move(workers_->next)) pthread_join(workers_->thread, nullptr);
        stop_ = false;
        size_ = 1;
        for (std::size_t k = 1; k < size; ++k) {
            auto w = std::make_unique<worker>(this, k, round_);
            const int error = pthread_create(&w->thread, nullptr, &start, w.get());
            if (error != 0) throw std::system_error(error, std::generic_category(), "[dyad] threads: there is no further one");
            w->next = std::move(workers_);
            workers_ = std::move(w);
            size_ = k + 1;
        }
    }

    /// f(k, parts) for k < parts. Calls from a worker, or while another thread has the pool, are one part, in the calling
    /// thread. (How many there are only the call knows: size() may change before it.)
    template <class F>
    void run(const F& f) {
        run_task(run_part<F>, &f);
    }

private:
    thread_pool() = default;
    using task_type = void (*)(const void*, std::size_t part, std::size_t parts);
    template <class F>
    static void run_part(const void* f, std::size_t part, std::size_t parts) {
        (*static_cast<const F*>(f))(part, parts);
    }
    void run_task(task_type task, const void* argument) {
        if (inside_ || size_ == 1) return task(argument, 0, 1);
        const std::unique_lock owner(owner_, std::try_to_lock);
        if (!owner.owns_lock()) return task(argument, 0, 1);
        {
            const std::lock_guard lock(mutex_);
            task_ = task;
            argument_ = argument;
            left_ = size_ - 1;
            ++round_;
        }
        wake_.wake_all();
        inside_ = true;
        try {
            task(argument, 0, size_);
        } catch (...) {
            keep(std::current_exception());
        }
        inside_ = false;
        std::unique_lock lock(mutex_);
        done_.wait(lock, [&] { return left_ == 0; });
        if (const std::exception_ptr failed = std::exchange(failure_, nullptr)) std::rethrow_exception(failed);
    }
    void keep(std::exception_ptr e) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = e;
    }
    struct worker {
        worker(thread_pool* of, std::size_t k, std::size_t round) : pool(of), number(k), seen(round) {}
        thread_pool* pool;
        std::size_t number, seen;
        pthread_t thread{};
        std::unique_ptr<worker> next;
    };
    static void* start(void* w) {
        const auto* const self = static_cast<const worker*>(w);
        self->pool->work(self->number, self->seen);
        return nullptr;
    }
    void work(std::size_t k, std::size_t seen) {
        inside_ = true;
        std::unique_lock lock(mutex_);
        for (;;) {
            wake_.wait(lock, [&] { return stop_ || round_ != seen; });
            if (stop_) return;
            seen = round_;
            lock.unlock();
            try {
                task_(argument_, k, size_);
            } catch (...) {
                keep(std::current_exception());
            }
            lock.lock();
            if (--left_ == 0) done_.wake_all();
        }
    }

    std::mutex owner_, mutex_;
    waiting_room wake_, done_;
    std::unique_ptr<worker> workers_; ///< the last one made first
    task_type task_ = nullptr;
    const void* argument_ = nullptr;
    std::exception_ptr failure_;
    shared_number size_{1}; ///< changes while owner_ is held
    std::size_t round_ = 0, left_ = 0;
    bool stop_ = false;
    static inline thread_local bool inside_ = false;
};

/// From now on loops over large arrays run on n threads (1 at the start). Results have the same bits for every n.
/// Throws value_error if n is negative, std::system_error if there are not so many.
template <std::integral N>
void threads(N n) {
    if (std::cmp_less(n, 0)) throw value_error("[dyad] threads: their number is " + std::to_string(n) + "; it must not be negative");
    thread_pool::shared().resize(static_cast<std::size_t>(n));
}

} // namespace dyad
