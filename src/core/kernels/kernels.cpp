// The vector loops, compiled once for each level of the instruction set with CHAMFER_LEVEL_NAME naming it.
//
// Nothing here may be shared with files that are compiled for another machine: a linker that finds two copies of an
// inline function keeps either, and a copy with instructions that the machine does not know ends the process. So
// everything is in a namespace without a name, and no function of the standard library is called that is not a builtin.
#include "kernels.hpp"

#include "../linkage/rules.hpp"
#include "grid.hpp"
#include "metrics.hpp"
#include "near.hpp"
#include "vectors.hpp"

namespace chamfer {
namespace loops {
namespace {

template <class T>
double squared_distance(const T* x, const T* y, Index d) {
    constexpr Index kWidth = Vector<double>::width, kSums = kStrands / kWidth;
    Doubles sums[kSums];
    unrolled<kSums>([&](Index s) __attribute__((always_inline)) { sums[s] = Doubles{}; });
    Index k = 0;
    for (; k + kStrands <= d; k += kStrands)
        unrolled<kSums>([&](Index s) __attribute__((always_inline)) {
            const Doubles difference = load_doubles(x + k + s * kWidth) - load_doubles(y + k + s * kWidth);
            sums[s] += difference * difference;
        });
    unrolled<kSums>([&](Index s) __attribute__((always_inline)) {
        const Index at = k + s * kWidth, left = d - at;
        if (left <= 0) return;
        const Doubles difference = load_doubles(x + at, left) - load_doubles(y + at, left);
        sums[s] += difference * difference;
    });
    return fold<double>(sums);
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
T minimum(const T* values, Index n) {
    using V = Vector<T>;
    if (n < V::width) {
        T smallest = kFar<T>;
        for (Index i = 0; i < n; ++i) smallest = smaller(smallest, values[i]);
        return smallest;
    }
    const auto least = [](auto a, auto b) { return b < a ? b : a; };
    auto one = V::load(values + n - V::width), two = one, three = one, four = one;  // the last ones may be read twice
    Index i = 0;
    for (; i + 4 * V::width <= n; i += 4 * V::width) {
        one = least(one, V::load(values + i)), two = least(two, V::load(values + i + V::width));
        three = least(three, V::load(values + i + 2 * V::width)),
        four = least(four, V::load(values + i + 3 * V::width));
    }
    for (; i + V::width <= n; i += V::width) one = least(one, V::load(values + i));
    one = least(least(one, two), least(three, four));
    return smallest_lane<T>(one);
}

template <class T>
Index find(const T* values, Index n, T value) {
    using V = Vector<T>;
    Index i = 0;
    for (; i + V::width <= n; i += V::width)
        if (const unsigned found = bits(V::load(values + i) == value)) return i + __builtin_ctz(found);
    while (i < n && values[i] != value) ++i;
    return i;
}

template <class T>
Index argmin(const T* values, Index n) {
    constexpr Index kChunk = 512;  // so that of many values not all are read again
    T smallest = kFar<T>;
    Index best = 0;
    for (Index start = 0; start < n; start += kChunk) {
        const T here = minimum(values + start, n - start < kChunk ? n - start : kChunk);
        best = here < smallest ? start : best;
        smallest = smaller(smallest, here);
    }
    const Index place = best + find(values + best, n - best, smallest);
    return place < n ? place : n - 1;
}

template <class T>
Neighbour<T> nearest(const T* row, const T* gone, Index from, Index n) {
    using V = Vector<T>;
    static constexpr auto kBefore = [] {
        struct {
            T far[2 * V::width] = {};
        } mask;
        for (Index i = 0; i < V::width; ++i) mask.far[i] = kFar<T>;
        return mask;
    }();
    const auto lanes = [&](Index i) { return V::load(row + i) + V::load(gone + i); };
    const Index start = from / V::width * V::width;
    const auto before = V::load(kBefore.far + V::width - (from - start));  // where a row may hold anything, NaN as well
    const auto first = before == 0 ? lanes(start) : before;
    auto one = first < kFar<T> ? first : V::fill(kFar<T>), two = one;  // no NaN
    Index i = start + V::width;
    for (; i + 2 * V::width <= n; i += 2 * V::width) {
        const auto here = lanes(i), next = lanes(i + V::width);
        one = here < one ? here : one;
        two = next < two ? next : two;
    }
    for (; i < n; i += V::width) {
        const auto here = lanes(i);
        one = here < one ? here : one;
    }
    const T smallest = smallest_lane<T>(two < one ? two : one);
    if (!(smallest < kFar<T>)) return {};
    if (const unsigned found = bits(first == smallest))
        return {smallest, static_cast<Id>(start + __builtin_ctz(found))};
    for (i = start + V::width;; i += V::width)
        if (const unsigned found = bits(lanes(i) == smallest))
            return {smallest, static_cast<Id>(i + __builtin_ctz(found))};
}

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
T add(const T* row, const T* penalty, Index n, T* values) {
    for (Index i = 0; i < n; ++i) values[i] = row[i] + penalty[i];
    return minimum(values, n);
}

template <bool labelled, class T>
T relax_by(const T* row, const Id* label, Id own, Id i, Index n, T* best, Id* from) {
    T smallest = kFar<T>;
#pragma omp simd reduction(min : smallest)
    for (Index j = 0; j < n; ++j) {
        const T here = !labelled || label[j] != own ? row[j] : kFar<T>;
        from[j] = here < best[j] ? i : from[j];
        best[j] = here < best[j] ? here : best[j];
        smallest = here < smallest ? here : smallest;
    }
    return smallest;
}

template <class T>
T relax(const T* row, const Id* label, Id own, Id i, Index n, T* best, Id* from) {
    return label ? relax_by<true>(row, label, own, i, n, best, from)
                 : relax_by<false>(row, label, own, i, n, best, from);
}

template <class T>
TreeEdge<T> join(const T* row, T point, Index n, T* best, T* from) {
    using V = Vector<T>;
    const auto own = V::fill(point);
    auto least = V::fill(kFar<T>);
    for (Index j = 0; j < n; j += V::width) {
        const auto here = V::load(row + j), before = V::load(best + j), other = V::load(from + j);
        const auto now = here < before ? here : before, lower = own < other ? own : other;
        const auto equal = here == before ? lower : other;
        V::store(now, best + j);
        V::store(here < before ? own : equal, from + j);
        least = now < least ? now : least;
    }
    TreeEdge<T> edge{smallest_lane<T>(least), kFar<T>, kFar<T>};
    constexpr Index kBits = 64;  // a branch for so many places, as one of them will do
    for (Index first = 0; first < n; first += kBits) {
        std::uint64_t equal = 0;
        for (Index j = first; j < n && j < first + kBits; j += V::width)
            equal |= static_cast<std::uint64_t>(bits(V::load(best + j) == edge.length)) << (j - first);
        for (; equal != 0; equal &= equal - 1) {
            const Index j = first + __builtin_ctzll(equal);
            const T end = static_cast<T>(j), low = smaller(end, from[j]), high = larger(end, from[j]);
            if (low < edge.low || (low == edge.low && high < edge.high)) edge.low = low, edge.high = high;
        }
    }
    return edge;
}

template <class T>
Neighbour<T> relax_bounds(const T* row, const T* gone, Id a, Id b, Index n, T* bound, Id* nearest) {
    const Index end = b / kRoom * kRoom + kRoom < n ? b / kRoom * kRoom + kRoom : n;
#pragma omp simd
    for (Index x = 0; x < end; ++x) {
        const T here = x < a ? row[x] + gone[x] : kFar<T>;
        const bool closer = here < bound[x], unknown = (nearest[x] == a) | (nearest[x] == b);
        nearest[x] = closer ? a : unknown ? kNone : nearest[x];
        bound[x] = closer ? here : bound[x];
    }
    return loops::nearest(row, gone, a + 1, n);
}

template <class T>
void from_squared(Metric metric, const double* squared, Index n, T* out) {
    if (metric.root)
        for (Index j = 0; j < n; ++j) out[j] = static_cast<T>(__builtin_sqrt(squared[j]));
    else
        for (Index j = 0; j < n; ++j) out[j] = static_cast<T>(squared[j] * metric.factor);
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

template <class T>
void lower(const T* row, Index n, T* into) {
    for (Index i = 0; i < n; ++i) into[i] = smaller(into[i], row[i]);
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

// Widens the ranges by the rows; whether all values are finite. Ranges of a few columns stay in registers.
template <class T>
bool widen(const T* rows, Index n, Index d, T* __restrict low, T* __restrict high) {
    using V = Vector<T>;
    constexpr Index kColumns = 4;
    typename V::Lanes zeros[kColumns] = {};  // unless a value is not finite
    T zero = 0;
    Index k = 0;
    for (; k + kColumns * V::width <= d; k += kColumns * V::width) {
        typename V::Lanes least[kColumns], most[kColumns];
        std::memcpy(least, low + k, sizeof least);
        std::memcpy(most, high + k, sizeof most);
        for (Index i = 0; i < n; ++i)
            unrolled<kColumns>([&](Index c) __attribute__((always_inline)) {
                const auto here = V::load(rows + i * d + k + c * V::width);
                least[c] = here < least[c] ? here : least[c];
                most[c] = most[c] < here ? here : most[c];
                zeros[c] += here - here;
            });
        std::memcpy(low + k, least, sizeof least);
        std::memcpy(high + k, most, sizeof most);
    }
    for (Index i = 0; i < n; ++i)
#pragma omp simd reduction(+ : zero)
        for (Index c = k; c < d; ++c) {
            low[c] = smaller(low[c], rows[i * d + c]);
            high[c] = larger(high[c], rows[i * d + c]);
            zero += rows[i * d + c] - rows[i * d + c];
        }
    return zero == 0 && bits(zeros[0] + zeros[1] + (zeros[2] + zeros[3]) != 0) == 0;
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
    constexpr Index kLong = 64, kBytes = 1 << 14;  // rows of so many bytes are in the first-level cache when looked at
    const Index some = d < kLong ? n : kBytes / (d * 8) > 0 ? kBytes / (d * 8) : 1;
    bool finite = true;
    for (Index i = 0; i < n; i += some) {
        const Index count = some < n - i ? some : n - i;
        for (Index k = i * d; k < (i + count) * d; ++k) rows[k] = static_cast<double>(from[k]);
        finite &= i == 0 ? column_ranges(rows, count, d, low, high) : widen(rows + i * d, count, d, low, high);
    }
    return finite;
}

template <class T>
void change_unit(const T* x, const T* shift, T factor, Index n, T* out) {
    for (Index k = 0; k < n; ++k) out[k] = (x[k] - shift[k]) * factor;
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

template <class R, class T>
void update_row(const T* a, const T* b, const Union& merged, const double* sizes, Index n, T* out) {
    const auto [size_a, size_b, between] = merged;
#pragma omp simd
    for (Index z = 0; z < n; ++z) {
        const double to_a = static_cast<double>(a[z]), to_b = static_cast<double>(b[z]);
        out[z] = static_cast<T>(R::update(to_a, to_b, between, {size_a, size_b, sizes[z]}));
    }
}

// Ch(C, .) by the kind of cluster: see engine/dense_chamfer.hpp.
template <SumsKind kind, class T>
double sum_at(const SumsView<T>& sums, Index x) {
    if constexpr (kind == SumsKind::point) return static_cast<double>(sums.first[x]);
    if constexpr (kind == SumsKind::pair)
        return static_cast<double>(sums.first[x]) + static_cast<double>(sums.second[x]);
    return group_sum(sums.first, sums.second, x);
}

template <SumsKind kind_a, SumsKind kind_b, bool symmetric, class T>
void unite(const UnitePoints<T>& merge, Index begin, Index end) {
    constexpr bool points = kind_a == SumsKind::point;
    const auto [to_a, to_b, a, b, union_, alone, scale, in, out, unused] = merge;
#pragma omp simd
    for (Index x = begin; x < end; ++x) {
        const double sum = sum_at<kind_a>(a, x) + sum_at<kind_b>(b, x);
        const T least = to_b[x] < to_a[x] ? to_b[x] : to_a[x], most = to_b[x] < to_a[x] ? to_a[x] : to_b[x];
        to_a[x] = alone[x] ? least : to_a[x];
        if constexpr (points)
            to_b[x] = alone[x] ? most : to_b[x];
        else
            put_group_sum(union_.first, union_.second, x, alone[x] ? sum : group_sum(union_.first, union_.second, x));
        const double into = static_cast<double>(least) + (symmetric ? scale * sum : 0.0);
        in[x] = alone[x] ? into : in[x];
        if constexpr (!symmetric) out[x] = alone[x] ? scale * sum : out[x];
    }
}

template <SumsKind a, SumsKind b, class T>
void unite(const UnitePoints<T>& merge, Index begin, Index end) {
    merge.symmetric ? unite<a, b, true>(merge, begin, end) : unite<a, b, false>(merge, begin, end);
}

// The larger cluster is a.
template <class T>
void unite_points(const UnitePoints<T>& merge, Index begin, Index end) {
    constexpr auto point = SumsKind::point, pair = SumsKind::pair, group = SumsKind::group;
    const SumsKind b = merge.b.kind;
    if (merge.a.kind == point) return unite<point, point>(merge, begin, end);
    if (merge.a.kind == pair)
        return b == point ? unite<pair, point>(merge, begin, end) : unite<pair, pair>(merge, begin, end);
    if (b == point) return unite<group, point>(merge, begin, end);
    return b == pair ? unite<group, pair>(merge, begin, end) : unite<group, group>(merge, begin, end);
}

template <SumsKind kind, class T>
void look_from(const SumsView<T>& from, const T* to, const char* alone, double scale, Index begin, Index end,
               double* in) {
#pragma omp simd
    for (Index x = begin; x < end; ++x)
        in[x] = alone[x] ? scale * sum_at<kind>(from, x) + static_cast<double>(to[x]) : kFar<double>;
}

template <class T>
void look_again(const SumsView<T>& from, const T* to, const char* alone, double scale, Index begin, Index end,
                double* in) {
    if (from.kind == SumsKind::point) return look_from<SumsKind::point>(from, to, alone, scale, begin, end, in);
    if (from.kind == SumsKind::pair) return look_from<SumsKind::pair>(from, to, alone, scale, begin, end, in);
    look_from<SumsKind::group>(from, to, alone, scale, begin, end, in);
}

template <bool symmetric, class T>
void bound_values(const T* row, const T* size, T own, Index n, T* bounds) {
    constexpr T kMost = std::numeric_limits<T>::max();
#pragma omp simd
    for (Index p = 0; p < n; ++p) {
        const T terms = symmetric ? own + size[p] : smaller(own, size[p]);
        bounds[p] = smaller(terms * row[p], kMost);
    }
}

template <class T>
void older_minima(const T* bounds, const Id* age, Id than, Index n, T* minima) {
    for (Index start = 0; start < n; start += kPart) {
        const Index end = start + kPart < n ? start + kPart : n;
        T smallest = kFar<T>;
#pragma omp simd reduction(min : smallest)
        for (Index p = start; p < end; ++p) {
            const T here = age[p] < than ? bounds[p] : kFar<T>;
            smallest = here < smallest ? here : smallest;
        }
        *minima++ = smallest;
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

void add_floats(const float* values, Index n, bool add, double* sums) {
    if (add)
        for (Index i = 0; i < n; ++i) sums[i] += static_cast<double>(values[i]);
    else
        for (Index i = 0; i < n; ++i) sums[i] = static_cast<double>(values[i]);
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

void adopt(const double* in, Id a, Id b, Index n, double* value, Id* neighbour) {
#pragma omp simd
    for (Index c = 0; c < n; ++c) {
        const bool take = (in[c] < value[c]) | (neighbour[c] == a) | (neighbour[c] == b);
        neighbour[c] = take ? a : neighbour[c];
        value[c] = take ? in[c] : value[c];
    }
}

void adopt_two(const double* in, Id a, Id b, Index n, double* value, Id* first, double* farther, Id* second) {
#pragma omp simd
    for (Index c = 0; c < n; ++c) {
        const double into = c < a ? in[c] : kFar<double>;
        const Id next = (second[c] == a) | (second[c] == b) ? kNone : second[c];
        const bool lost = (first[c] == a) | (first[c] == b);
        const Id kept = lost ? next : first[c];
        const double bound = lost ? farther[c] : value[c];
        const bool take = (into < bound) | ((into == bound) & (kept == kNone) & (into < kFar<double>));
        const bool behind = !take & !lost & (into < farther[c]);
        second[c] = take ? (lost ? next : kept) : lost ? kNone : behind ? a : next;
        farther[c] = take ? bound : behind ? into : farther[c];
        first[c] = take ? a : kept;
        value[c] = take ? into : bound;
    }
}

template <class T>
constexpr Kernels<T> table() {
    return {squared_distance<T>,
            squared_distances<T>,
            static_cast<double (*)(const T*, const T*, Index)>(least_squared_distance),
            {packed_rows<CityBlock, T>, packed_rows<Chebyshev, T>, packed_rows<Present, T>},
            near_blocks<T>,
            minimum<T>,
            find<T>,
            argmin<T>,
            nearest<T>,
            gather<T>,
            add<T>,
            relax<T>,
            mirror<T>,
            join<T>,
            relax_bounds<T>,
            from_squared<T>,
            shift<T>,
            lower<T>,
            dots<T>,
            column_ranges<T>,
            take<T>,
            spread<T>,
            change_unit<T>,
            mark_far<T>,
            mark_labelled<T>,
            mark_eased<T>,
            ranks<T>,
            ranks_by_number<T>,
            {update_row<Complete, T>, update_row<Average, T>, update_row<Weighted, T>, update_row<Ward, T>,
             update_row<Centroid, T>, update_row<Median, T>},
            unite_points<T>,
            look_again<T>,
            {bound_values<false, T>, bound_values<true, T>},
            older_minima<T>};
}

constexpr Kernels<float> floats = table<float>();
constexpr Kernels<double> doubles = table<double>();
constexpr DoubleKernels others{packed_distances, pack<double>, block_products, near_points, near_box,
                               count_bits,       find<Id>,     square,         divide,      cancel,
                               add_floats,       project,      adopt,          adopt_two};
constexpr GridKernels grid{mean, to_grid, pack<Id>, grid_distances, nearest_keys, keys_within, unite_ward, move_centre};

}  // namespace
}  // namespace loops

#define CHAMFER_JOIN(a, b) a##b
#define CHAMFER_LEVEL_OF(name) CHAMFER_JOIN(level_, name)
#define CHAMFER_QUOTE(name) #name
#define CHAMFER_NAME_OF(name) CHAMFER_QUOTE(name)

extern const Level CHAMFER_LEVEL_OF(CHAMFER_LEVEL_NAME);
const Level CHAMFER_LEVEL_OF(CHAMFER_LEVEL_NAME){CHAMFER_NAME_OF(CHAMFER_LEVEL_NAME), &loops::floats, &loops::doubles,
                                                 &loops::others, &loops::grid};

}  // namespace chamfer
