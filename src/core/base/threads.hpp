// The only header that knows threads exist. Work is split so that no result depends on their number.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <type_traits>

#include "types.hpp"

namespace chamfer {

// Tasks are handed out in batches of about this many values: milliseconds, so that Ctrl-C is seen soon.
inline constexpr Index kBatch = Index{1} << 21;
inline constexpr Index kAlone = 512;  // clusters or points that are too few to share among threads

// Calls body(context, i) once for every i of [0, count), on as many threads as there are; on the caller's alone if
// others are at work for somebody else, or if this is called by a body. Returns when all calls have. Bodies must not
// throw.
void fork_join(int count, void (*body)(void* context, int i), void* context);

namespace detail {

// The first error of several threads: an allocation that fails, for instance.
class FirstError {
   public:
    template <class Body>
    void guard(Body&& body) {
        try {
            body();
        } catch (...) {
            const std::scoped_lock lock(mutex_);
            if (!error_) error_ = std::current_exception();
        }
    }
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

   private:
    std::mutex mutex_;
    std::exception_ptr error_;
};

// body(i) for every i of [0, count), at the same time if possible. Rethrows the first error.
template <class Body>
void on_threads(int count, Body&& body) {
    FirstError error;
    auto guarded = [&](int i) { error.guard([&] { body(i); }); };
    fork_join(count, [](void* context, int i) { (*static_cast<decltype(guarded)*>(context))(i); }, &guarded);
    error.rethrow();
}

}  // namespace detail

// Thread-local data of exceptions is allocated when a thread first uses it. If there is no memory then, the C library
// ends the process. So every thread that may throw calls this before it needs memory.
void prepare_to_throw();

// body(begin, end) over contiguous shares of [0, n), one a thread, none smaller than `grain`.
template <class Body>
void parallel_ranges(Index n, Index grain, int threads, Body&& body) {
    const int shares = static_cast<int>(std::clamp<Index>(n / std::max<Index>(grain, 1), 1, threads));
    if (shares == 1) {
        if (n > 0) body(Index{0}, n);
        return;
    }
    detail::on_threads(shares, [&](int share) { body(n * share / shares, n * (share + 1) / shares); });
}

// body(task, thread) for tasks of unequal cost; `thread` is below `threads` and indexes scratch memory.
template <class Body>
void parallel_tasks(Index n, int threads, Body&& body) {
    if (threads <= 1 || n <= 1) {
        for (Index task = 0; task < n; ++task) body(task, 0);
        return;
    }
    std::atomic<Index> next = 0;
    detail::on_threads(static_cast<int>(std::min<Index>(threads, n)), [&](int thread) {
        for (Index task; (task = next.fetch_add(1, std::memory_order_relaxed)) < n;) body(task, thread);
    });
}

}  // namespace chamfer
