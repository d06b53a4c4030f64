// Memory in large pages, where the system has them: it is visited in no order, and the time to touch a small
// page for the first time adds up.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <memory>
#include <new>
#include <vector>

#include "types.hpp"

namespace chamfer {

struct LargeArrayDelete {
    static constexpr std::align_val_t alignment{std::size_t{1} << 21};
    void operator()(double* array) const { ::operator delete[](array, alignment); }
};
using LargeArray = std::unique_ptr<double[], LargeArrayDelete>;

// Not initialised.
inline LargeArray large_array(Index n) {
    const std::size_t bytes = sizeof(double) * static_cast<std::size_t>(n);
    LargeArray array(static_cast<double*>(::operator new[](bytes, LargeArrayDelete::alignment)));
#if defined(MADV_HUGEPAGE)
    if (bytes >= static_cast<std::size_t>(LargeArrayDelete::alignment)) madvise(array.get(), bytes, MADV_HUGEPAGE);
#endif
    return array;
}

// Rows of equal length that come and go, reused before more memory is taken.
class Pool {
   public:
    explicit Pool(Index length) : length_((length + 7) / 8 * 8) {}

    double* row(Id i) const { return blocks_[i / kRows].get() + i % kRows * length_; }
    Index capacity() const { return static_cast<Index>(blocks_.size()) * kRows; }

    Id take() {
        if (free_.empty()) grow();
        const Id i = free_.back();
        free_.pop_back();
        return i;
    }

    void give_back(Id i) { free_.push_back(i); }

   private:
    static constexpr Id kRows = 64;

    void grow() {
        const Id first = static_cast<Id>(capacity());
        blocks_.push_back(large_array(kRows * length_));
        for (Id i = kRows; i-- > 0;) free_.push_back(first + i);  // the lowest is taken first
    }

    Index length_;
    std::vector<LargeArray> blocks_;
    std::vector<Id> free_;
};

}  // namespace chamfer
