// Vector loops that compute distances and products, and mark pairs within reach: for kernels.cpp, and for nothing else.
#pragma once

#include "vectors.hpp"

namespace chamfer {
namespace loops {
namespace {

// Of d numbers, of which numbers(at, count) gives those from `at` on: a vector, or `count` of them and zeros.
template <class Numbers>
__attribute__((always_inline)) inline double squared_length(Index d, Numbers&& numbers) {
    constexpr Index kWidth = Vector<double>::width, kSums = kStrands / kWidth;
    Doubles sums[kSums];
    unrolled<kSums>([&](Index s) __attribute__((always_inline)) { sums[s] = Doubles{}; });
    const auto add = [&](Index s, Index at, Index count) __attribute__((always_inline)) {
        const Doubles some = numbers(at, count);
        sums[s] += some * some;
    };
    Index k = 0;
    for (; k + kStrands <= d; k += kStrands)
        unrolled<kSums>([&](Index s) __attribute__((always_inline)) { add(s, k + s * kWidth, kWidth); });
    unrolled<kSums>([&](Index s) __attribute__((always_inline)) {
        const Index at = k + s * kWidth;
        if (at < d) add(s, at, d - at);
    });
    return fold<double>(sums);
}

template <class T>
double squared_distance(const T* x, const T* y, Index d) {
    return squared_length(d, [&](Index at, Index count) __attribute__((always_inline)) {
        return load_doubles(x + at, count) - load_doubles(y + at, count);
    });
}

template <class T>
void squared_distances(const T* x, const T* rows, Index d, Index n, double* out) {
    for (Index j = 0; j < n; ++j, rows += d) out[j] = squared_distance(x, rows, d);
}

double least_squared_distance(const float* x, const float* y, Index d) {
    using V = Vector<float>;
    constexpr Index kWidth = V::width, kTerms = 64, kSums = kTerms / kWidth;
    V::Lanes sums[kSums];
    unrolled<kSums>([&](Index s) __attribute__((always_inline)) { sums[s] = V::Lanes{}; });
    Index k = 0;
    for (; k + kTerms <= d; k += kTerms)
        unrolled<kSums>([&](Index s) __attribute__((always_inline)) {
            const auto difference = V::load(x + k + s * kWidth) - V::load(y + k + s * kWidth);
            sums[s] += difference * difference;
        });
    for (; k + kWidth <= d; k += kWidth) {
        const auto difference = V::load(x + k) - V::load(y + k);
        sums[0] += difference * difference;
    }
    if (k < d) {  // the last vector of the row, without those that have been counted
        static_assert(kWidth <= kSequential);
        static constexpr auto kNew = [] {
            struct {
                float ones[2 * kWidth] = {};
            } mask;
            for (Index i = kWidth; i < 2 * kWidth; ++i) mask.ones[i] = 1;
            return mask;
        }();
        const auto difference = (V::load(x + d - kWidth) - V::load(y + d - kWidth)) * V::load(kNew.ones + d - k);
        sums[0] += difference * difference;
    }
    // Every term is positive and rounded d + 4 times at most, by half of the smallest number if it is as small.
    return static_cast<double>(fold<float>(sums)) * (1 - static_cast<double>(d + 4) * 0x1p-23) -
           static_cast<double>(d) * 0x1p-149;
}
double least_squared_distance(const double*, const double*, Index) { return 0; }

template <class T>
void from_squared(Metric metric, const double* squared, Index n, T* out) {
    if (metric.root)
        for (Index j = 0; j < n; ++j) out[j] = static_cast<T>(__builtin_sqrt(squared[j]));
    else
        for (Index j = 0; j < n; ++j) out[j] = static_cast<T>(squared[j] * metric.factor);
}

template <class T>
void dots(const T* x, const T* rows, Index m, Index count, T* products) {
    using V = Vector<T>;
    constexpr Index kWidth = 64 / sizeof(T), kSums = kWidth / V::width;
    const Index whole = m / kWidth * kWidth;
    if (whole == 0) {
        for (Index j = 0; j < count; ++j, rows += m) {
            products[j] = 0;
            for (Index k = 0; k < m; ++k) products[j] += x[k] * rows[k];
        }
        return;
    }
    // What whole vectors leave of x, in the last lanes of one more: rows are read from m - kWidth on for it.
    T last[kWidth] = {};
    for (Index k = whole; k < m; ++k) last[kWidth - m + k] = x[k];
    for (Index j = 0; j < count; ++j, rows += m) {
        typename V::Lanes sums[kSums];
        const auto each = [&](const T* one, const T* two, bool add) {
            for (Index s = 0; s < kSums; ++s) {
                const auto products = V::load(one + s * V::width) * V::load(two + s * V::width);
                sums[s] = add ? sums[s] + products : products;
            }
        };
        each(last, rows + m - kWidth, false);
        for (Index k = 0; k < whole; k += kWidth) each(x + k, rows + k, true);
        products[j] = fold<T>(sums);
    }
}

void packed_distances(const double* x, const double* strips, Index d, Index blocks, double* out) {
    using V = Vector<double>;
    constexpr Index kSums = 4;  // enough to hide the latency of addition, few enough for any machine
    for (Index block = 0; block < blocks; ++block, strips += d * kBlock, out += kBlock)
        for (Index part = 0; part < kBlock; part += kSums * V::width) {
            V::Lanes sums[kSums] = {};
            for (Index k = 0; k < d; ++k)
                for (Index s = 0; s < kSums; ++s) {
                    const auto difference = x[k] - V::load(strips + k * kBlock + part + s * V::width);
                    sums[s] += difference * difference;
                }
            std::memcpy(out + part, sums, sizeof sums);
        }
}

// Of kColumns vectors of a block: as many sums as registers allow.
template <Index kColumns>
void column_products(const double* x, const double* strips, Index d, Index width, double* products) {
    using V = Vector<double>;
    V::Lanes sums[kRows][kColumns] = {};
    for (Index k = 0; k < d; ++k)
        for (Index c = 0; c < kColumns; ++c) {
            const auto y = V::load(strips + k * kBlock + c * V::width);
            for (Index r = 0; r < kRows; ++r) sums[r][c] = multiply_add(V::fill(x[r * d + k]), y, sums[r][c]);
        }
    for (Index r = 0; r < kRows; ++r) std::memcpy(products + r * width, sums[r], sizeof sums[r]);
}

void block_products(const double* x, const double* strips, Index d, Index begin, Index end, Index width,
                    double* products) {
    constexpr Index kWide = kVectorBytes == 64 ? 4 : 2, kWidth = Vector<double>::width;
    Index at = begin / kWidth * kWidth;
    for (; at + kWide * kWidth <= end; at += kWide * kWidth)
        column_products<kWide>(x, strips + at, d, width, products + at);
    for (; at + 2 * kWidth <= end; at += 2 * kWidth) column_products<2>(x, strips + at, d, width, products + at);
    for (; at < end; at += kWidth) column_products<1>(x, strips + at, d, width, products + at);
}

void square(double factor, Index n, double* values) {
    for (Index i = 0; i < n; ++i) values[i] = (values[i] * factor) * (values[i] * factor);
}

void divide(double ease, const double* eases, Index n, double* values) {
    for (Index i = 0; i < n; ++i) values[i] /= ease + eases[i];
}

Index cancel(double norm, const double* norms, Index n, double cancelled, double* products) {
    Index lost = 0;
    for (Index j = 0; j < n; ++j) {
        const double scale = norm + norms[j], squared = scale - 2 * products[j];
        products[j] = squared;
        lost += squared < cancelled * scale;
    }
    return lost;
}

template <class T>
void mark_far(const T* products, const T* half, const T* reach, T least, T need, Index n, unsigned char* keep) {
    for (Index j = 0; j < n; ++j) keep[j] = products[j] - half[j] + larger(reach[j], least) >= need;
    std::memset(keep + n, 0, 8);
}

template <class T>
void mark_labelled(const T* products, const T* half, T reach, T need, const Id* label, Id own, Index n,
                   unsigned char* keep) {
    for (Index j = 0; j < n; ++j) keep[j] = (products[j] - half[j] + reach >= need) & (label[j] != own);
    std::memset(keep + n, 0, 8);
}

template <class T>
void mark_eased(const T* products, const T* half, const T* ease, T reach, T need, Index n, unsigned char* keep) {
    for (Index j = 0; j < n; ++j) keep[j] = products[j] - half[j] + reach * ease[j] >= need;
    std::memset(keep + n, 0, 8);
}

}  // namespace
}  // namespace loops
}  // namespace chamfer
