// Vector loops that copy, measure and shift rows: for kernels.cpp, and for nothing else.
#pragma once

#include "distances.hpp"
#include "vectors.hpp"

namespace chamfer {
namespace loops {
namespace {

template <class T>
void gather(const T* values, const Id* places, Index n, T* out) {
#pragma omp simd
    for (Index i = 0; i < n; ++i) out[i] = values[places[i]];
}

// to[i][j] = from[j][i] of four rows and columns
template <class T>
void transpose(const T* from, Index stride, T* to, Index to_stride) {
    if constexpr (kVectorBytes < 4 * sizeof(T)) {  // shuffles of split vectors take longer than this
        for (Index i = 0; i < 4; ++i)
            for (Index j = 0; j < 4; ++j) to[i * to_stride + j] = from[j * stride + i];
        return;
    }
    typedef T Four __attribute__((vector_size(4 * sizeof(T))));
    Four a, b, c, d;
    std::memcpy(&a, from, sizeof a);
    std::memcpy(&b, from + stride, sizeof b);
    std::memcpy(&c, from + 2 * stride, sizeof c);
    std::memcpy(&d, from + 3 * stride, sizeof d);
    const Four ab = __builtin_shufflevector(a, b, 0, 4, 2, 6), ba = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const Four cd = __builtin_shufflevector(c, d, 0, 4, 2, 6), dc = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    a = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    b = __builtin_shufflevector(ba, dc, 0, 1, 4, 5);
    c = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    d = __builtin_shufflevector(ba, dc, 2, 3, 6, 7);
    std::memcpy(to, &a, sizeof a);
    std::memcpy(to + to_stride, &b, sizeof b);
    std::memcpy(to + 2 * to_stride, &c, sizeof c);
    std::memcpy(to + 3 * to_stride, &d, sizeof d);
}

template <class T>
void mirror(T* square, Index stride, Index first, Index last) {
    constexpr Index kTile = 64;
    for (Index left = 0; left < last; left += kTile) {
        const Index right = left + kTile < last ? left + kTile : last;
        Index i = first;
        for (; i + 4 <= last; i += 4) {
            Index j = left;
            for (; j + 4 <= (right < i ? right : i); j += 4)
                transpose(square + j * stride + i, stride, square + i * stride + j, stride);
            for (; j < (right < i + 4 ? right : i + 4); ++j)
                for (Index k = i > j ? i : j + 1; k < i + 4; ++k) square[k * stride + j] = square[j * stride + k];
        }
        for (; i < last; ++i)
            for (Index j = left; j < (right < i ? right : i); ++j) square[i * stride + j] = square[j * stride + i];
    }
}

template <class T>
void shift(const T* x, const double* shift, Index n, double* out) {
    for (Index k = 0; k < n; ++k) out[k] = static_cast<double>(x[k]) - shift[k];
}

// Lanes of a block are rows, four at a time.
template <class T>
void pack(const T* rows, Index d, T* strips) {
    for (Index lane = 0; lane < kBlock; lane += 4) {
        Index k = 0;
        for (; k + 4 <= d; k += 4) transpose(rows + lane * d + k, d, strips + k * kBlock + lane, kBlock);
        for (; k < d; ++k)
            for (Index l = lane; l < lane + 4; ++l) strips[k * kBlock + l] = rows[l * d + k];
    }
}

// Widens the ranges by a few rows, which are copied if `copied`, and adds zeros to `zeros` unless a value is not
// finite.
template <bool copied, Index kFew, class T, class From>
void widen_by(const From* rows, Index d, T* __restrict low, T* __restrict high, T* __restrict copy, T& zero,
              typename Vector<T>::Lanes& zeros) {
    using V = Vector<T>;
    Index k = 0;
    for (; k + V::width <= d; k += V::width) {
        auto least = V::load(low + k), most = V::load(high + k);
        unrolled<kFew>([&](Index r) __attribute__((always_inline)) {
            const auto here = load_as<T>(rows + r * d + k);
            least = here < least ? here : least;
            most = most < here ? here : most;
            zeros += here - here;
            if constexpr (copied) V::store(here, copy + r * d + k);
        });
        V::store(least, low + k);
        V::store(most, high + k);
    }
    for (; k < d; ++k)
        for (Index r = 0; r < kFew; ++r) {
            const T here = static_cast<T>(rows[r * d + k]);
            low[k] = smaller(low[k], here);
            high[k] = larger(high[k], here);
            zero += here - here;
            if constexpr (copied) copy[r * d + k] = here;
        }
}

// The same of n rows; whether all values are finite.
template <bool copied, class T, class From>
bool widen(const From* rows, Index n, Index d, T* low, T* high, T* copy) {
    constexpr Index kFew = 4;  // go through memory in order, and look at the ranges once
    typename Vector<T>::Lanes zeros = {};
    T zero = 0;
    Index i = 0;
    for (; i + kFew <= n; i += kFew) widen_by<copied, kFew>(rows + i * d, d, low, high, copy + i * d, zero, zeros);
    for (; i < n; ++i) widen_by<copied, 1>(rows + i * d, d, low, high, copy + i * d, zero, zeros);
    return zero == 0 && bits(zeros != 0) == 0;
}
template <class T>
bool widen(const T* rows, Index n, Index d, T* low, T* high) {
    return widen<false>(rows, n, d, low, high, const_cast<T*>(rows));
}

// The same of one column.
template <class T>
bool range(const T* values, Index n, T* low, T* high) {
    using V = Vector<T>;
    if (n < V::width) {
        *low = *high = values[0];
        return widen(values, n, 1, low, high);
    }
    struct Seen {
        typename V::Lanes least, most, sum;
        void look(const T* from) {
            const auto here = V::load(from);
            least = here < least ? here : least;
            most = most < here ? here : most;
            sum += here - here;
        }
    };
    const auto first = V::load(values), last = V::load(values + n - V::width);  // the last ones are read twice
    Seen one{first, first, first - first}, two{last, last, last - last};
    Index i = V::width;
    for (; i + 2 * V::width <= n; i += 2 * V::width) one.look(values + i), two.look(values + i + V::width);
    if (i + V::width <= n) one.look(values + i);
    *low = smallest_lane<T>(two.least < one.least ? two.least : one.least);
    *high = -smallest_lane<T>(-(one.most < two.most ? two.most : one.most));
    return bits(one.sum + two.sum != 0) == 0;
}

template <class T>
bool spread(const T* condensed, Index n, Index stride, double* square, double* low, double* high) {
    constexpr Index kWidth = Vector<double>::width;
    Doubles least = Vector<double>::fill(kFar<double>), most = -least, sum = {};
    double lowest = kFar<double>, highest = -lowest, rest = 0;  // of rows shorter than a vector
    for (Index i = 0; i < n - 1; condensed += n - 1 - i, ++i) {
        const Index length = n - 1 - i;
        double* to = square + i * stride + i + 1;
        const auto look = [&](Index j) __attribute__((always_inline)) {
            const Doubles here = load_doubles(condensed + j);
            Vector<double>::store(here, to + j);
            least = here < least ? here : least;
            most = most < here ? here : most;
            sum += here - here;  // zero unless a value is not finite
        };
        Index j = 0;
        for (; j + kWidth <= length; j += kWidth) look(j);
        if (j < length && length >= kWidth) look(length - kWidth), j = length;  // some are taken twice
        for (; j < length; ++j) {
            const double here = to[j] = static_cast<double>(condensed[j]);
            lowest = smaller(lowest, here);
            highest = larger(highest, here);
            rest += here - here;
        }
    }
    *low = smaller(lowest, smallest_lane<double>(least));
    *high = larger(highest, -smallest_lane<double>(-most));
    return rest == 0 && bits(sum != 0) == 0;
}

template <class T>
bool column_ranges(const T* rows, Index n, Index d, T* low, T* high) {
    if (d == 1) return range(rows, n, low, high);
    for (Index k = 0; k < d; ++k) low[k] = high[k] = rows[k];
    // Several short rows are taken for a long one.
    constexpr Index kLong = 64;
    const Index together = kLong / d;
    if (together < 2 || n < together) return widen(rows, n, d, low, high);
    T lows[kLong], highs[kLong];
    for (Index k = 0; k < together * d; ++k) lows[k] = highs[k] = rows[k];
    const bool finite = widen(rows, n / together, together * d, lows, highs);
    for (Index i = 0; i < together; ++i)
        for (Index k = 0; k < d; ++k) {
            low[k] = smaller(low[k], lows[i * d + k]);
            high[k] = larger(high[k], highs[i * d + k]);
        }
    return widen(rows + n / together * together * d, n % together, d, low, high) && finite;
}

template <class T>
bool take(const T* from, Index n, Index d, double* rows, double* low, double* high) {
    constexpr Index kLong = 64;
    if (d < kLong) {
        for (Index k = 0; k < n * d; ++k) rows[k] = static_cast<double>(from[k]);
        return column_ranges(rows, n, d, low, high);
    }
    for (Index k = 0; k < d; ++k) low[k] = kFar<double>, high[k] = -kFar<double>;
    return widen<true>(from, n, d, low, high, rows);
}

template <class T>
void change_unit(const T* x, const T* shift, T factor, Index n, T* out) {
    for (Index k = 0; k < n; ++k) out[k] = (x[k] - shift[k]) * factor;
}

double project(const double* x, const double* mean, const double* axes, Index d, Index m, double* leading,
               double* rest) {
    shift(x, mean, d, rest);
    for (Index j = 0; j < m; ++j) leading[j] = 0;
    for (Index k = 0; k < d; ++k)
        for (Index j = 0; j < m; ++j) leading[j] += rest[k] * axes[k * m + j];
    double length = 0;
    for (Index k = 0; k < d; ++k) {
        double along;
        dots(leading, axes + k * m, m, 1, &along);
        rest[k] -= along;
        length += rest[k] * rest[k];
    }
    return length;
}

}  // namespace
}  // namespace loops
}  // namespace chamfer
