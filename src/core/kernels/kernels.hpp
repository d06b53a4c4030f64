// The vector loops: what they do. How they do it is in kernels.cpp, which is compiled once for each level of the
// instruction set; the table for the best level that the machine knows is chosen when the module is loaded.
// Everything else in the core is compiled once, for any machine.
//
// Every kernel gives the same bits on every level: sums have a fixed order, and no product is fused with a sum.
#pragma once

#include <algorithm>

#include "../base/types.hpp"

namespace chamfer {

// Up to kSequential coordinates are summed one after the other; more are summed in kStrands interleaved strands, enough
// to keep several additions in flight. All that compute distances between points follow this rule, so d(p, q) is the
// same number wherever it appears.
inline constexpr Index kSequential = 16, kStrands = 32;

// How a squared Euclidean distance becomes the distance asked for: its root, or a multiple of it.
struct Metric {
    bool root;
    double factor;  // 1 with the root
};
inline constexpr int kRowMetrics = 3;  // cityblock, chebyshev, squared nan_euclidean: see kernels/metrics.hpp
enum class RuleKind { complete, average, weighted, ward, centroid, median };
inline constexpr int kRules = 6;

// Sizes of two clusters and their value, for the Lance-Williams update of a row.
struct Union {
    double size_a, size_b, between;
};

// Points are packed in blocks of so many, coordinate after coordinate: distance/packed.hpp. A block is multiplied by
// kRows points at a time.
inline constexpr Index kBlock = 32, kRows = 4;
inline constexpr Index kRoom = 32;  // values that the widest machine takes at once, in all vectors of a step

// A cluster and how far it is; kNone if there is none.
template <class Value>
struct Neighbour {
    Value value = kFar<Value>;
    Id slot = kNone;
};

// An edge between two points of few, low < high.
template <class T>
struct TreeEdge {
    T length, low, high;
};

// Where dense Chamfer keeps Ch(C, .): see engine/dense_chamfer.hpp.
enum class SumsKind { point, pair, group };
template <class T>
struct SumsView {
    SumsKind kind = SumsKind::group;
    T *first = nullptr, *second = nullptr;
};

// Of a group: doubles, for floats as upper and lower halves in two rows.
template <class T>
static inline double group_sum(const T* upper, const T* lower, Index x) {
    if constexpr (sizeof(T) == sizeof(double)) {
        return upper[x];
    } else {
        const std::uint64_t high = __builtin_bit_cast(std::uint32_t, upper[x]);
        return __builtin_bit_cast(double, high << 32 | __builtin_bit_cast(std::uint32_t, lower[x]));
    }
}
template <class T>
static inline void put_group_sum(T* upper, T* lower, Index x, double sum) {
    if constexpr (sizeof(T) == sizeof(double)) {
        upper[x] = sum;
    } else {
        const auto bits = __builtin_bit_cast(std::uint64_t, sum);
        upper[x] = __builtin_bit_cast(float, static_cast<std::uint32_t>(bits >> 32));
        lower[x] = __builtin_bit_cast(float, static_cast<std::uint32_t>(bits));
    }
}

// A merge of dense Chamfer at the places of single points.
template <class T>
struct UnitePoints {
    T *to_a, *to_b;            // distances from the points to both clusters
    SumsView<T> a, b, union_;  // from the clusters to the points; the union of two points needs none
    const char* alone;         // which places are single points
    double scale;              // of values from the union
    double *in, *out;          // linkage values into the union, and out of it
    bool symmetric;            // in: both directions; out is not needed
};

inline constexpr Index kLanes = 8;  // doubles in the widest vector
inline constexpr Index kPart = 64;  // places of a row whose smallest bound is kept: see engine/lazy_chamfer.hpp

template <class T>
struct Kernels {
    // For d > kSequential.
    double (*squared_distance)(const T* x, const T* y, Index d);
    // out[j] = squared distance from x to row j
    void (*squared_distances)(const T* x, const T* rows, Index d, Index n, double* out);
    // Not above the squared distance, at a third of its cost; zero for doubles, where there is nothing to save.
    double (*least_squared_distance)(const T* x, const T* y, Index d);

    // out[j] = distance from x to point j of whole blocks, by a metric of its own loop
    void (*packed_rows[kRowMetrics])(const T* x, const T* strips, Index d, Index blocks, double* out);

    // The numbers of those whole blocks, ascending, that have a point j within fixed + slope * each[j] of x, squared;
    // how many they are. `each` may be missing. Rounding depends on the level: it is for filters.
    Index (*near_blocks)(const T* x, const T* strips, Index d, Index blocks, const T* each, T slope, T fixed, Id* near);
    // Of squared distances between `count` of the rows and the points of strips (coordinate after coordinate, `lanes`
    // points, a multiple of kLanes): least[i] = the smallest of row which[i], nearest[j] = the smallest of point j, if
    // that is below what it was.
    void (*nearest_both)(const T* rows, const Id* which, Index count, const double* strips, Index d, Index lanes,
                         double* least, double* nearest);

    T (*minimum)(const T* values, Index n);
    // The first place of a value; n if it is not there.
    Index (*find)(const T* values, Index n, T value);
    // The first place of the smallest of all.
    Index (*argmin)(const T* values, Index n);
    // The nearest of the places from `from` on, the first of equals. The loop takes whole vectors: gone[i] is infinite
    // for those that are gone, and from the last of them on to n, the end of a cache line; zero for others.
    Neighbour<T> (*nearest)(const T* row, const T* gone, Index from, Index n);
    // out[i] = values[places[i]]; places ascend, and values may move towards the front
    void (*gather)(const T* values, const Id* places, Index n, T* out);
    // values[i] = row[i] + penalty[i]; gives the smallest.
    T (*add)(const T* row, const T* penalty, Index n, T* values);
    // Where row[j] < best[j], and label[j] != own if there are labels: best[j] = row[j] and from[j] = i. Gives the
    // smallest value of the row that counts.
    T (*relax)(const T* row, const Id* label, Id own, Id i, Index n, T* best, Id* from);
    // Rows [first, last) of a square matrix below its diagonal, from what is above.
    void (*mirror)(T* square, Index stride, Index first, Index last);
    // A point joins a spanning tree: best[j] is the shortest edge from j into it, from[j] the lowest of its nearest
    // points; best is NaN for points that have joined. Gives the shortest edge, of equal ones that of the tie rule. All
    // arrays are whole cache lines, and best is NaN from n on.
    TreeEdge<T> (*join)(const T* row, T point, Index n, T* best, T* from);
    // Clusters a and b, a < b, merge in place a, to which `row` has the values: the bounds of places before a, see
    // engine/generic.hpp. Where the nearest was a or b, none is known now unless a is nearer still. Gives the nearest
    // of a of the places after it, as above.
    Neighbour<T> (*relax_bounds)(const T* row, const T* gone, Id a, Id b, Index n, T* bound, Id* nearest);

    // Distances from squared ones.
    void (*from_squared)(Metric metric, const double* squared, Index n, T* out);
    // out[k] = x[k] - shift[k]
    void (*shift)(const T* x, const double* shift, Index n, double* out);
    // into[i] = the smaller of into[i] and row[i]
    void (*lower)(const T* row, Index n, T* into);
    // products[k] = x . row k, of count rows of m coordinates
    void (*dots)(const T* x, const T* rows, Index m, Index count, T* products);

    // The smallest and the largest value of each column; whether all are finite.
    bool (*column_ranges)(const T* rows, Index n, Index d, T* low, T* high);
    // The same of a copy in double.
    bool (*take)(const T* from, Index n, Index d, double* rows, double* low, double* high);
    // Condensed values of n points to the places above the diagonal of a square matrix; the smallest and the largest of
    // what was written, and whether all are finite.
    bool (*spread)(const T* condensed, Index n, Index stride, double* square, double* low, double* high);
    // out[k] = (x[k] - shift[k]) * factor
    void (*change_unit)(const T* x, const T* shift, T factor, Index n, T* out);

    // The filter: keep[j] says whether pair j may be within reach, see search/filter.hpp. A pair is kept if
    // products[j] - half[j] + (the reach of j) >= need. keep[n .. n + 8) becomes zero.
    void (*mark_far)(const T* products, const T* half, const T* reach, T least, T need, Index n, unsigned char* keep);
    void (*mark_labelled)(const T* products, const T* half, T reach, T need, const Id* label, Id own, Index n,
                          unsigned char* keep);
    void (*mark_eased)(const T* products, const T* half, const T* ease, T reach, T need, Index n, unsigned char* keep);

    // rank[i] = how many of n values are below values[i]; gives the sum of all ranks, n (n - 1) / 2 if no two values
    // are equal. All arrays have room for whole multiples of kRoom.
    Index (*ranks)(const T* values, Index n, Id* rank);
    // The same where values may be equal: lower numbers come first.
    void (*ranks_by_number)(const T* values, const Id* number, Index n, Id* rank);

    // Lance-Williams: out[z] = value between z and the union of a and b.
    void (*update_row[kRules])(const T* a, const T* b, const Union& merged, const double* sizes, Index n, T* out);

    // Dense Chamfer.
    void (*unite_points)(const UnitePoints<T>& merge, Index begin, Index end);
    // in[x] = value between C and single points x of [begin, end), both directions; infinite at other places.
    void (*look_again)(const SumsView<T>& from, const T* to, const char* alone, double scale, Index begin, Index end,
                       double* in);
    // bounds[p] = terms * row[p], but no more than the largest number; terms is the smaller of own and size[p], [1]:
    // their sum
    void (*bound_values[2])(const T* row, const T* size, T own, Index n, T* bounds);
    // minima[i] = the smallest bound of part i with age[p] < than; infinite if there is none
    void (*older_minima)(const T* bounds, const Id* age, Id than, Index n, T* minima);
};

// Kernels on doubles only.
struct DoubleKernels {
    // out[j] = squared distance from x to point j of whole blocks
    void (*packed_distances)(const double* x, const double* strips, Index d, Index blocks, double* out);
    // A block of packed points, from its kBlock rows.
    void (*pack)(const double* rows, Index d, double* strips);
    // products[r * width + j] = x_r . y_j of kRows rows x of d coordinates and points j of [begin, end) of a packed
    // block, and maybe of others near them. The only kernel of results whose last bits depend on the level: it fuses
    // products and sums where it can.
    void (*block_products)(const double* x, const double* strips, Index d, Index begin, Index end, Index width,
                           double* products);
    // Which points of a packed block are within a squared distance of x, as bits; `squared` gets all distances.
    std::uint32_t (*near_points)(const double* x, const double* strips, Index m, double limit, double* squared);
    // Which points j of a packed block are within the squared distance limits[j] of a box, as bits.
    std::uint32_t (*near_box)(const double* strips, Index m, const double* low, const double* high,
                              const double* limits);
    // nearest[j] = the smallest squared distance between point j of packed blocks and `count` rows.
    void (*nearest_rows)(const double* rows, Index count, const double* strips, Index d, Index blocks, double* nearest);
    // How many bits differ between x and row j, and how many are set in either.
    void (*count_bits)(const std::uint64_t* x, const std::uint64_t* rows, Index words, Index n, Id* differ, Id* either);
    // The first place of a number; n if it is not there.
    Index (*find_id)(const Id* ids, Index n, Id id);
    // values[i] = (values[i] * factor)^2
    void (*square)(double factor, Index n, double* values);
    // values[i] /= ease + eases[i]
    void (*divide)(double ease, const double* eases, Index n, double* values);
    // products[j] = squared distance of a point with squared length `norm`; how many have lost their digits.
    Index (*cancel)(double norm, const double* norms, Index n, double cancelled, double* products);
    // sums[i] += values[i], or begins with them.
    void (*add_floats)(const float* values, Index n, bool add, double* sums);
    // Coordinates of x - mean along m axes (d x m, orthonormal columns); gives the squared length of the rest, whose d
    // coordinates are left in `rest`.
    double (*project)(const double* x, const double* mean, const double* axes, Index d, Index m, double* leading,
                      double* rest);
    // Dense Chamfer: everything compares its nearest neighbour with the union of a and b, which is in slot a. One
    // neighbour: Ch and Ch_N.
    void (*adopt)(const double* in, Id a, Id b, Index n, double* value, Id* neighbour);
    // Two: Ch_NS. Clusters from a on do not look at a.
    void (*adopt_two)(const double* in, Id a, Id b, Index n, double* value, Id* first, double* farther, Id* second);
};

// A key is made of the leading bits of a positive float and of a number below 512, so that the smallest key tells both.
// A tag is that number, or kGone for what is not to be looked at.
inline constexpr Id kValueBits = 0x7ffffe00, kPlaceBits = 0x1ff, kGone = 0x7fffffff;
inline constexpr Index kMostOnGrid = 512;
struct NearestKeys {
    Id first, second;
};

// Kernels on points of a grid, pairs of whose coordinates share an Id: see distance/grid.hpp; and on values that need
// only be nearly right: see engine/grid_ward.hpp. Arrays of values and tags are whole cache lines.
struct GridKernels {
    // The mean of n rows that begin so many numbers apart.
    void (*mean)(const double* rows, Index stride, Index n, Index d, double* out);
    // out = x - centre, and maybe something after it, on less than a cache line; the squared length.
    double (*centred)(const double* x, const double* centre, Index d, float* out);
    // The pairs of the nearest point to x * factor on the grid, and maybe something after them, on less than a cache
    // line; its squared length. The squared distance between the two is `moved`. What is behind x is read, too.
    Id (*to_grid)(const float* x, float factor, Index d, Id* pairs, float* moved);
    // A block of packed pairs, from its kBlock rows.
    void (*pack)(const Id* rows, Index pairs, Id* strips);
    // out[r * stride + j] = half the squared distance between kRows points at x in a packed block and points j of
    // [begin, end) of another one, and maybe of others near them; `lengths` and `norms` are half their squared lengths.
    void (*distances)(const Id* x, const Id* lengths, const Id* strips, const Id* norms, Index pairs, Index begin,
                      Index end, Index stride, float* out);
    // The two smallest keys.
    NearestKeys (*nearest)(const float* values, const Id* tags, Index n);
    // The places, ascending, of all keys up to `limit`; how many they are.
    Index (*within)(const float* values, const Id* tags, Index n, Id limit, Id* found);
    // Ward's update of a row; the value between a and b is `between`.
    void (*unite)(const float* a, const float* b, float size_a, float size_b, float between, const float* sizes,
                  Index n, float* out);
    // centre += share * (other - centre); the squared distance that was between them.
    double (*move)(const double* other, double share, Index d, double* centre);
};

struct Level {
    const char* name;
    const Kernels<float>* floats;
    const Kernels<double>* doubles;
    const DoubleKernels* others;
    const GridKernels* grid;
};

// The level in use; CHAMFER_LEVEL in the environment names a lower one than the best.
extern const Level* level;

template <class T>
const Kernels<T>& kernels() {
    if constexpr (sizeof(T) == 4)
        return *level->floats;
    else
        return *level->doubles;
}

template <class T>
double squared_distance(const T* x, const T* y, Index d) {
    if (d > kSequential) return kernels<T>().squared_distance(x, y, d);
    double sum = 0;
    for (Index k = 0; k < d; ++k) {
        const double difference = static_cast<double>(x[k]) - static_cast<double>(y[k]);
        sum += difference * difference;
    }
    return sum;
}

// Calls found(i), ascending, for every i where values[i] is the smallest value; gives that value.
template <class T, class Found>
T each_minimum(const T* values, Index n, Found&& found) {
    constexpr Index kChunk = 256, kChunks = 64;  // minima of so many chunks say which to look at again
    T smallest = kFar<T>, minima[kChunks];
    const Index chunk = std::max(kChunk, (n + kChunks - 1) / kChunks);
    for (Index start = 0, c = 0; start < n; start += chunk, ++c) {
        minima[c] = kernels<T>().minimum(values + start, std::min(chunk, n - start));
        smallest = std::min(smallest, minima[c]);
    }
    for (Index start = 0, c = 0; start < n; start += chunk, ++c)
        if (minima[c] == smallest)
            for (Index i = start; i < std::min(n, start + chunk); ++i)
                if (values[i] == smallest) found(i);
    return smallest;
}

// Position of the smallest value; the first one if several are equal.
template <class T>
Index argmin(const T* values, Index n) {
    return kernels<T>().argmin(values, n);
}

}  // namespace chamfer
