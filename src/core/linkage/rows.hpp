// Where the classical algorithms get linkage values from: a condensed matrix that they update (MatrixRows), or the
// clusters' centres, from which values are computed as needed in O(n d) memory (CentreRows).
//
// Both number clusters by slots in [0, width()), of which count() are not gone, and offer
//   nearest(c, from)      the nearest to c of the slots at or after `from`, the first of equals
//   merge(lost, kept)     `kept` becomes the union, `lost` is gone
//   merge_row(lost, kept) the same; values between the union and all slots, of any value for itself and those gone
//   gone()                infinite for slots that are gone and to the end of a cache line, zero for others
//   point(c)              a point of c
//   compact(renamed)      may close the gaps; if so, slot c is now renamed[c], or was gone if that is kNone
#pragma once

#include <numeric>
#include <vector>

#include "../base/lines.hpp"
#include "../base/threads.hpp"
#include "../distance/packed.hpp"
#include "../distance/shadow.hpp"
#include "../distance/triangle.hpp"
#include "rules.hpp"
#include "weights.hpp"

namespace chamfer {

template <class R>
concept Rows = requires(R rows, Id c, Index from, std::vector<Id> renamed) {
    typename R::Value;
    { rows.width() } -> std::same_as<Index>;
    { rows.count() } -> std::same_as<Index>;
    { rows.nearest(c, from) } -> std::same_as<Neighbour<typename R::Value>>;
    { rows.point(c) } -> std::same_as<Id>;
    { rows.compact(renamed) } -> std::same_as<bool>;
};

// Names for the slots that are left, in their order.
inline void rename(const std::vector<Id>& left, Index width, std::vector<Id>& renamed) {
    renamed.assign(width, kNone);
    for (std::size_t i = 0; i < left.size(); ++i) renamed[left[i]] = static_cast<Id>(i);
}

// out[z] = value between z and the union of a and b
template <Rule R, class T>
void update_row(const T* a, const T* b, const Union& merged, const double* sizes, Index n, T* out) {
    kernels<T>().update_row[static_cast<int>(R::kind)](a, b, merged, sizes, n, out);
}

template <class T, Rule R>
class MatrixRows {
   public:
    using Value = T;
    using RuleType = R;

    // `matrix` is condensed.
    MatrixRows(Triangle<T> matrix, int threads, std::vector<double> sizes, std::vector<Id> points)
        : matrix_(matrix),
          threads_(threads),
          left_(matrix.n),
          sizes_(std::move(sizes)),
          points_(std::move(points)),
          penalty_(Lines<T>::whole(matrix.n), kFar<T>),
          row_(penalty_.size()) {
        std::fill_n(penalty_.begin(), matrix.n, T{0});
        std::iota(left_.begin(), left_.end(), Id{0});
    }

    MatrixRows(Triangle<T> matrix, int threads, const Weights& weights = {})
        : MatrixRows(matrix, threads, or_ones(weights, matrix.n), std::vector<Id>(matrix.n)) {
        std::iota(points_.begin(), points_.end(), Id{0});
    }

    Index width() const { return matrix_.n; }
    Index count() const { return static_cast<Index>(left_.size()); }
    Id first() const { return left_.front(); }
    Id point(Id c) const { return points_[c]; }

    Neighbour<T> nearest(Id c, Index from) const {
        Neighbour<T> best;
        // Before the diagonal, the row is a column of the triangle, with a cache line for each value.
        for (auto x = left_.begin() + count_before(from); x != left_.end() && *x < c; ++x) {
            const T here = matrix_.row(*x)[c];
            if (here < best.value) best = {here, *x};
        }
        constexpr Index kChunk = 512;
        T values[kChunk];
        const T* row = matrix_.row(c);
        for (Index start = std::max<Index>(c + 1, from); start < width(); start += kChunk) {
            const Index length = std::min(kChunk, width() - start);
            const T smallest = kernels<T>().add(row + start, &penalty_[start], length, values);
            if (smallest < best.value)
                best = {smallest, static_cast<Id>(start + kernels<T>().find(values, length, smallest))};
        }
        return best;
    }

    void merge(Id lost, Id kept) { merge_row(lost, kept); }

    const T* merge_row(Id lost, Id kept) {
        const double between = matrix_(lost, kept), size_lost = sizes_[lost], size_kept = sizes_[kept];
        const auto united = [=, sizes = sizes_.data()](T lost_value, T kept_value, Index x) {
            return static_cast<T>(R::update(lost_value, kept_value, between, {size_lost, size_kept, sizes[x]}));
        };
        // Before the higher slot values lie down a column, in a cache line each.
        const Id low = std::min(lost, kept), high = std::max(lost, kept), *left = left_.data();
        parallel_ranges(
            count_before(high), kShare, threads_, [=, matrix = matrix_, out = row_.data()](Index begin, Index end) {
                for (Index i = begin; i < end; ++i) {
                    __builtin_prefetch(matrix.row(left[std::min(i + kAhead, end - 1)]) + high);
                    const Id x = left[i];
                    T *row = matrix.row(x), *near = x < low ? row + low : matrix.row(low) + x, *far = row + high;
                    if (x == low) continue;
                    const T value = kept == low ? united(*far, *near, x) : united(*near, *far, x);
                    out[x] = *(kept == low ? near : far) = value;
                }
            });
        if (const Index after = high + 1, length = width() - after; length > 0) {
            T* kept_row = matrix_.row(kept) + after;
            update_row<R>(matrix_.row(lost) + after, kept_row, {size_lost, size_kept, between}, &sizes_[after], length,
                          kept_row);
            std::copy_n(kept_row, length, &row_[after]);
        }
        sizes_[kept] += size_lost;
        left_.erase(left_.begin() + count_before(lost));
        penalty_[lost] = row_[lost] = row_[kept] = kFar<T>;
        return row_.data();
    }

    const T* gone() const { return penalty_.data(); }

    bool compact(std::vector<Id>& renamed) {
        if (4 * count() > 3 * width()) return false;
        rename(left_, width(), renamed);
        const Triangle<T> next{matrix_.data, count(), true};
        // Every value moves towards the front, and none onto one that is still to be moved.
        for (Index i = 0; i < next.n; ++i) {
            const T* from = matrix_.row(left_[i]);
            T* to = next.row(i);
            kernels<T>().gather(from, left_.data() + i + 1, next.n - i - 1, to + i + 1);
            sizes_[i] = sizes_[left_[i]];
            points_[i] = points_[left_[i]];
        }
        matrix_ = next;
        std::iota(left_.begin(), left_.end(), Id{0});
        std::fill(std::fill_n(penalty_.begin(), count(), T{0}), penalty_.end(), kFar<T>);
        return true;
    }

   private:
    static constexpr Index kShare = 1024;  // values down a column that are worth a thread
    static constexpr Index kAhead = 16;    // cache lines that are fetched before they are needed

    Index count_before(Index slot) const { return std::lower_bound(left_.begin(), left_.end(), slot) - left_.begin(); }

    Triangle<T> matrix_;
    int threads_;
    std::vector<Id> left_;  // ascending
    std::vector<double> sizes_;
    std::vector<Id> points_;
    std::vector<T> penalty_;  // infinite for slots that are gone, and to the end of the last line
    std::vector<T> row_;
};

template <CentreRule R>
    requires(!R::spreads)
class CentreRows {
   public:
    using Value = double;
    using RuleType = R;

    // What one cluster is looking for, and the best so far.
    struct Search {
        std::vector<double> centre;
        Shadow::Query query;
        double size;
        Id self;
        Neighbour<double> best;
        Index looked = 0;  // blocks
    };

    // Weights are at least one.
    template <class T>
    explicit CentreRows(const Points<T>& points, const Weights& weights = {})
        : centres_(points),
          shadow_(centres_),
          chunk_(std::clamp<Index>(kInCache / points.d, 1, kMost) * kBlock),
          left_(points.n),
          sizes_(or_ones(weights, points.n)),
          eases_(points.n),
          points_(points.n),
          near_((points.n + kBlock - 1) / kBlock) {
        for (Index c = 0; c < points.n; ++c) set_ease(c);
        std::iota(left_.begin(), left_.end(), Id{0});
        std::iota(points_.begin(), points_.end(), Id{0});
    }

    Index width() const { return centres_.n(); }
    Index count() const { return static_cast<Index>(left_.size()); }
    Index chunk() const { return chunk_; }
    Id first() const { return left_.front(); }
    Id point(Id c) const { return points_[c]; }

    Neighbour<double> nearest(Id c, Index from) const {
        Search search = start(c);
        for (Index first = from / chunk_ * chunk_; first < width(); first += chunk_) look(search, first, from);
        return search.best;
    }

    Search start(Id c) const {
        Search search{std::vector<double>(centres_.d()), {}, sizes_[c], c, {}, 0};
        centres_.get(c, search.centre.data());
        search.query = shadow_.query(search.centre.data());
        return search;
    }

    // Goes on with the slots of the chunk at `first` that are at or after `from`: few at a time at first, as long as
    // the reach is large.
    void look(Search& search, Index first, Index from) const {
        const Index end = (std::min(first + chunk_, width()) + kBlock - 1) / kBlock;
        for (Index at = std::max(first, from) / kBlock; at < end && search.best.value > 0;) {
            const Index next = std::min(end, at + std::max<Index>(1, search.looked));
            look_at_blocks(search, at, next, from);
            search.looked += next - at;
            at = next;
        }
    }

    void merge(Id lost, Id kept) {
        const double share = R::share(sizes_[lost], sizes_[kept]);
        for (Index k = 0; k < centres_.d(); ++k)
            centres_.at(kept, k) += share * (centres_.at(lost, k) - centres_.at(kept, k));
        sizes_[kept] += sizes_[lost];
        set_ease(kept);
        for (Index k = 0; k < centres_.d(); ++k) shadow_.put(kept, k, centres_.at(kept, k));
        centres_.remove(lost);
        shadow_.remove(lost);
        left_.erase(std::lower_bound(left_.begin(), left_.end(), lost));
    }

    // For rules without sizes: slots before a union are of interest if they are nearer to it than this.
    void set_bound(Id c, double bound)
        requires(!R::sized)
    {
        shadow_.each(c) = bound > 0 ? shadow_.limit(bound, shadow_.slack(c)) : -1;
    }

    // The same as merge; calls closer(x, value) for all slots x before the union with values below their bounds, at
    // least, and gives the nearest of those after it.
    template <class Closer>
    Neighbour<double> merge_near(Id lost, Id kept, Closer&& closer)
        requires(!R::sized)
    {
        merge(lost, kept);
        const Search search = start(kept);
        const Index found = shadow_.near(search.query, 0, kept / kBlock + 1, 1, 0, near_.data());
        double values[kBlock];
        for (Index i = 0; i < found; ++i) {
            const Index first = near_[i] * kBlock, length = std::min<Index>(kBlock, kept - first);
            centres_.squared_distances(search.centre.data(), first, first + kBlock, values);
            for (Index lane = 0; lane < length; ++lane) closer(static_cast<Id>(first + lane), values[lane]);
        }
        return nearest(kept, kept + 1);
    }

    bool compact(std::vector<Id>& renamed) {
        if (8 * count() > 7 * width()) return false;
        rename(left_, width(), renamed);
        for (Index i = 0; i < count(); ++i) {
            centres_.move(left_[i], i);
            shadow_.move(left_[i], i);
            sizes_[i] = sizes_[left_[i]];
            eases_[i] = eases_[left_[i]];
            points_[i] = points_[left_[i]];
        }
        for (Index i = count(); i < width(); ++i) shadow_.remove(i);
        centres_.shrink(count());
        std::iota(left_.begin(), left_.end(), Id{0});
        return true;
    }

   private:
    static constexpr Index kInCache = 128;  // blocks times coordinates that stay in the first-level cache
    static constexpr Index kMost = 16;      // blocks in a chunk

    void set_ease(Id c) {
        eases_[c] = R::ease(sizes_[c]);
        if constexpr (R::sized) shadow_.each(c) = static_cast<float>(eases_[c]);
    }

    void look_at_blocks(Search& search, Index begin, Index end, Index from) const {
        Id near[kMost];
        const double reach = search.best.value, ease = R::sized ? R::ease(search.size) : 1;
        const Index found = shadow_.near(search.query, begin, end, R::sized ? shadow_.limit(reach, 0) : 0,
                                         shadow_.limit(reach * ease, search.query.slack), near);
        for (Index i = 0; i < found; ++i) look_at(search, near[i] * kBlock, from);
    }

    void look_at(Search& search, Index first, Index from) const {
        double values[kBlock];
        const Index length = std::min(kBlock, width() - first);
        centres_.squared_distances(search.centre.data(), first, first + length, values);
        if (from > first) std::fill_n(values, std::min(from - first, length), kFar<double>);
        if (search.self >= first && search.self < first + length) values[search.self - first] = kFar<double>;
        if constexpr (R::sized) level->others->divide(R::ease(search.size), &eases_[first], length, values);
        const Index at = argmin(values, length);
        if (values[at] < search.best.value) search.best = {values[at], static_cast<Id>(first + at)};
    }

    Packed centres_;
    Shadow shadow_;  // each: the ease of a cluster, or the limit within which it looks for a union
    Index chunk_;
    std::vector<Id> left_;  // ascending
    std::vector<double> sizes_, eases_;
    std::vector<Id> points_;
    std::vector<Id> near_;
};

}  // namespace chamfer
