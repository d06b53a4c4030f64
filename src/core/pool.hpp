// Rows of doubles that come and go, reused before more memory is taken.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "parallel.hpp"
#include "types.hpp"

namespace chamfer {

// Not initialised. In large pages, if the system has them: rows are visited in no order, and to touch many
// small pages for the first time takes long.
inline std::unique_ptr<double[]> large_array(Index n) {
    auto array = std::make_unique_for_overwrite<double[]>(n);
#if defined(MADV_HUGEPAGE)
    constexpr std::uintptr_t kPage = 4096, kLarge = std::uintptr_t{1} << 22;
    const auto begin = reinterpret_cast<std::uintptr_t>(array.get()), end = begin + sizeof(double) * n;
    const auto first = (begin + kPage - 1) / kPage * kPage;
    if (end - begin >= kLarge) madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
#endif
    return array;
}

class Pool {
   public:
    // At most `most` rows are in use at a time.
    Pool(Index length, Index most, int threads)
        : length_(std::max<Index>(8, (length + 7) / 8 * 8)),
          block_(std::clamp<Index>(kBlock / length_, 1, most)),
          threads_(threads) {}

    double* row(Id i) const { return blocks_[i / block_].get() + i % block_ * length_; }
    Index capacity() const { return static_cast<Index>(blocks_.size()) * block_; }

    // The lowest row that was never used, unless one was given back.
    Id take() {
        if (free_.empty()) {
            const Index first = capacity();
            blocks_.push_back(large_array(block_ * length_));
            touch(blocks_.back().get(), block_ * length_);
            for (Index i = block_; i-- > 0;) free_.push_back(static_cast<Id>(first + i));
        }
        const Id i = free_.back();
        free_.pop_back();
        return i;
    }

    void give_back(Id i) { free_.push_back(i); }

   private:
    static constexpr Index kBlock = Index{1} << 22;

    // The system clears memory when it is first touched, which takes about as long as what is done with it here.
    void touch(double* array, Index n) const {
        constexpr Index kPage = 512;  // doubles
        parallel_ranges(n / kPage, Index{1} << 11, threads_, [&](Index begin, Index end) {
            for (Index page = begin; page < end; ++page) array[page * kPage] = 0;
        });
    }

    Index length_, block_;  // block_ rows are allocated at a time
    int threads_;
    std::vector<std::unique_ptr<double[]>> blocks_;
    std::vector<Id> free_;
};

}  // namespace chamfer
