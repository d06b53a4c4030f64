// A pool of threads that is made when it is first needed, and again in a process that was forked.
//
// A worker waits for a job at its own desk: busily for a moment, as engines come back with the next region within
// microseconds, then asleep. One region runs at a time. Who finds the pool at work does all by itself: calls from many
// threads of a program do not make more threads than processors, and regions within regions are no special case.
#include "threads.hpp"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <thread>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif
#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace chamfer {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::microseconds(200);  // longer than engines take between two regions

void pause() {
#if defined(__x86_64__) || defined(__i386__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// Waits busily for `ready`, but no longer than this; whether it was enough.
template <class Ready>
bool spin(Clock::duration patience, Ready&& ready) {
    constexpr int kPauses = 64;  // between looks at the clock
    Clock::time_point end;
    do {
        for (int i = 0; i < kPauses; ++i) {
            if (ready()) return true;
            if (patience != Clock::duration::zero()) pause();
        }
        if (end == Clock::time_point()) end = Clock::now() + patience;
    } while (Clock::now() < end);
    return ready();
}

struct Job {
    void (*body)(void*, int);
    void* context;
    std::atomic<int> left;  // workers that are not done
};

class Pool {
   public:
    // False if the pool is at work for somebody else.
    bool run(int count, void (*body)(void*, int), void* context) {
        const std::unique_lock mine(busy_, std::try_to_lock);
        if (!mine) return false;
        const int helpers = hire(count - 1);
        const auto patience = count <= processors_ ? kPatience : Clock::duration::zero();
        Job job{body, context, helpers};
        for (int i = 0; i < helpers; ++i) desks_[i]->give(&job, i + 1, patience);
        body(context, 0);
        for (int i = helpers + 1; i < count; ++i) body(context, i);  // there is no thread to be had for these
        wait(job, patience);
        return true;
    }

   private:
    // Where one worker gets its jobs.
    struct alignas(64) Desk {
        std::atomic<Job*> job = nullptr;
        int place = 0;
        Clock::duration patience{};  // of the worker, after this job
        bool asleep = false;
        std::mutex mutex;
        std::condition_variable wake;

        void give(Job* next, int at, Clock::duration how_long) {
            place = at;
            patience = how_long;
            const std::scoped_lock lock(mutex);
            job.store(next, std::memory_order_release);
            if (asleep) wake.notify_one();
        }
        Job* take(Clock::duration how_long) {
            const auto there = [&] { return job.load(std::memory_order_acquire) != nullptr; };
            if (!spin(how_long, there)) {
                std::unique_lock lock(mutex);
                asleep = true;
                wake.wait(lock, there);
                asleep = false;
            }
            return job.load(std::memory_order_relaxed);
        }
    };

    // Has up to `count` workers ready; fewer if the system gives no more threads.
    int hire(int count) {
        while (static_cast<int>(desks_.size()) < count) {
            auto desk = std::make_unique<Desk>();
            try {
                std::thread([this, at = desk.get()] { work(*at); }).detach();
            } catch (const std::system_error&) {
                break;
            }
            desks_.push_back(std::move(desk));
        }
        return std::min(count, static_cast<int>(desks_.size()));
    }

    [[noreturn]] void work(Desk& desk) {
        prepare_to_throw();
        for (Clock::duration patience{};;) {
            Job* job = desk.take(patience);
            patience = desk.patience;
            job->body(job->context, desk.place);
            desk.job.store(nullptr, std::memory_order_relaxed);
            // The job may be gone as soon as nobody is left, so nothing of it is touched after this.
            if (job->left.fetch_sub(1, std::memory_order_acq_rel) == 1) {
                const std::scoped_lock lock(done_mutex_);
                done_.notify_one();
            }
        }
    }

    void wait(Job& job, Clock::duration patience) {
        const auto finished = [&] { return job.left.load(std::memory_order_acquire) == 0; };
        if (spin(patience, finished)) return;
        std::unique_lock lock(done_mutex_);
        done_.wait(lock, finished);
    }

    const int processors_ = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    std::mutex busy_;
    std::vector<std::unique_ptr<Desk>> desks_;
    std::mutex done_mutex_;
    std::condition_variable done_;
};

// Never destroyed: workers may still wait when the process ends.
std::atomic<Pool*> the_pool = nullptr;

#if defined(__unix__) || defined(__APPLE__)
// A forked process has none of its parent's threads, and perhaps their locks.
void forget_pool() { the_pool.store(nullptr); }
const int registered = pthread_atfork(nullptr, nullptr, forget_pool);
#endif

Pool& pool() {
    Pool* found = the_pool.load(std::memory_order_acquire);
    if (found) return *found;
    auto fresh = std::make_unique<Pool>();
    if (the_pool.compare_exchange_strong(found, fresh.get())) found = fresh.release();
    return *found;
}

}  // namespace

void prepare_to_throw() {
    static thread_local bool ready = false;
    if (ready) return;
    ready = true;
    try {
        throw 0;
    } catch (int) {
    }
}

void fork_join(int count, void (*body)(void*, int), void* context) {
    if (count > 1 && pool().run(count, body, context)) return;
    for (int i = 0; i < count; ++i) body(context, i);
}

}  // namespace chamfer
