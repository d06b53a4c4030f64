// The only file that knows threads exist. Work is split so that no result depends on their number.
#pragma once

#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <exception>
#include <mutex>

#include "types.hpp"

namespace chamfer {

// Tasks are handed out in batches of about this many values: milliseconds, as starting threads on a busy
// machine may take as long.
inline constexpr Index kBatch = Index{1} << 21;
inline constexpr Index kAlone = 1024;  // clusters or points that are too few to share among threads

// As many as OMP_NUM_THREADS, threadpoolctl and the processor affinity allow.
inline int available_threads() {
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

// The first error of several threads, which may not leave a parallel region: an allocation that fails, for instance.
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

// body(begin, end) over contiguous shares of [0, n), one a thread, none smaller than `grain`.
template <class Body>
void parallel_ranges(Index n, Index grain, int threads, Body&& body) {
    const int shares = static_cast<int>(std::clamp<Index>(n / std::max<Index>(grain, 1), 1, threads));
    if (shares == 1) {
        if (n > 0) body(Index{0}, n);
        return;
    }
    FirstError error;
#ifdef _OPENMP
#pragma omp parallel for num_threads(shares) schedule(static, 1)
#endif
    for (int share = 0; share < shares; ++share)
        error.guard([&] { body(n * share / shares, n * (share + 1) / shares); });
    error.rethrow();
}

// body(task, thread) for tasks of unequal cost; `thread` is below `threads` and indexes scratch memory.
template <class Body>
void parallel_tasks(Index n, int threads, Body&& body) {
#ifdef _OPENMP
    if (threads > 1 && n > 1) {
        FirstError error;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
        for (Index task = 0; task < n; ++task) error.guard([&] { body(task, omp_get_thread_num()); });
        error.rethrow();
        return;
    }
#endif
    for (Index task = 0; task < n; ++task) body(task, 0);
}

}  // namespace chamfer
