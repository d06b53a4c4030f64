// A number of 64 bits for each row that equal rows share, and others hardly ever.
#pragma once

#include <bit>
#include <type_traits>
#include <vector>

#include "../base/random.hpp"
#include "../base/threads.hpp"

namespace chamfer {

template <class T>
void hash_rows(const T* rows, Index n, Index d, std::uint64_t* hashes, int threads) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    Random random(0);
    std::vector<std::uint64_t> columns(d);  // the same number counts otherwise in another column
    for (std::uint64_t& column : columns) column = random();
    parallel_ranges(n, kBatch / d + 1, threads, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
            std::uint64_t sum = 0;
            for (Index k = 0; k < d; ++k)
                sum += mix(std::bit_cast<Bits>(rows[i * d + k] + 0) + columns[k]);  // + 0 makes 0 of -0
            hashes[i] = sum;
        }
    });
}

}  // namespace chamfer
