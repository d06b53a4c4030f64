// Approximate nearest neighbours of all points, by randomised ball carving.
//
// A bounded list per point holds the nearest others seen so far. What fills it is a join: all pairs of a small set are
// multiplied, and each point is offered the others. `carve` joins the leaves of a partition into overlapping balls
// (carve.hpp). After L. Dhulipala and others, PiPNN, 2026.
//
// Any number of threads gives the same lists. The sets, and so the pairs and their values, are fixed before a round
// begins. A list ends up with the smallest (value, point) of all that it was offered, in whatever order they came.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "../base/prefetch.hpp"
#include "carve.hpp"
#include "tiles.hpp"
#include "top_k.hpp"

namespace chamfer {

template <class F>
class GraphBuilder {
   public:
    // `coordinates`: n x m, kept by the caller. Lists have `length` entries.
    GraphBuilder(const F* coordinates, Index n, Index m, Index length, Blas blas)
        : rows_{coordinates, n, m},
          length_(length),
          blas_(blas),
          half_(n),
          points_(n * length, kNone),
          values_(n * length, kFar<F>),
          reach_(n) {
        for (Index p = 0; p < n; ++p) {
            half_[p] = half_length(p);
            reach_[p].store(kFar<F>, std::memory_order_relaxed);
        }
    }

    // Joins the leaves of a partition into balls that overlap.
    void carve(const Carving& carving, int threads, const Tick& tick) {
        std::vector<Scratch> scratch(threads);
        Carver<F>(rows_, blas_, carving).each_leaf(threads, tick, [&](const Id* members, Index count, int thread) {
            join(members, count, central(members, count), scratch[thread]);
        });
    }

    // The same for groups that the points were split into elsewhere.
    void carve_groups(const CarvedGroups& groups, const Carving& carving, int threads, const Tick& tick) {
        std::vector<Scratch> scratch(threads);
        Carver<F>(rows_, blas_, carving)
            .each_leaf_of(groups, threads, tick, [&](const Id* members, Index count, int thread) {
                join(members, count, central(members, count), scratch[thread]);
            });
    }

    // From now on no list takes what is farther than this, half a squared distance a point.
    void limit(const F* reach) {
        for (Index p = 0; p < rows_.n; ++p) reach_[p].store(reach[p], std::memory_order_relaxed);
    }
    F reach(Index p) const { return reach_[p].load(std::memory_order_relaxed); }

    // Adds what was found elsewhere for some points: rows of `width` points, -1 behind them, and their values.
    void add(const Id* points, Index count, const Id* found, const F* values, Index width, int threads) {
        parallel_ranges(count, 1024, threads, [&](Index begin, Index end) {
            std::vector<Entry> offered(width);
            for (Index i = begin; i < end; ++i) {
                Index offers = 0;
                for (Index j = i * width; j < (i + 1) * width && found[j] != kNone; ++j)
                    offered[offers++] = {values[j], found[j]};
                if (offers > 0) deliver(points[i], offered.data(), offers);
            }
        });
    }

    // The nearest of each list by their true distances, nearest first; `order` names the points of the rows. Rows are
    // done in their order, in which neighbours are close together and so in the cache.
    template <class T>
    void finish(const Distances<T>& distances, const Id* order, Answers<T> answers, int threads,
                const Tick& tick) const {
        std::vector<std::vector<Entry>> lists(threads, std::vector<Entry>(length_));
        std::vector<std::vector<std::pair<T, Id>>> sorted(threads);
        in_parts(rows_.n, 256, threads, tick, [&](Index begin, Index end, int thread) {
            for (Index p = begin; p < end; ++p) {
                Nearest<T> nearest = answers.row(order[p]);
                take(p, distances, order, lists[thread], nearest);
                answers.bounds[order[p]] = nearest.finish();
                sort_row(answers, order[p], nearest.count(), sorted[thread]);
            }
        });
    }

    // The lists, row after row, in no order; -1 where there are fewer.
    const std::vector<Id>& points() const { return points_; }
    const std::vector<F>& values() const { return values_; }
    Index length() const { return length_; }
    Index pairs() const { return pairs_; }  // multiplied

   private:
    struct Entry {
        F value;
        Id point;
        bool operator<(const Entry& other) const {
            return value != other.value ? value < other.value : point < other.point;
        }
    };
    // What one thread needs to join a set: the rows, and what each member was offered.
    struct Scratch : TileScratch<F> {
        std::vector<F> rows, half, reach;
        std::vector<Entry> offered;
        std::vector<Index> count;
        F slack;  // what rounding may add to a value where it is compared with a reach
    };

    F half_length(Index p) const {
        double sum = 0;
        for (const F* x = rows_.rows + p * rows_.m; x != rows_.rows + (p + 1) * rows_.m; ++x)
            sum += static_cast<double>(*x) * static_cast<double>(*x);
        return static_cast<F>(sum / 2);
    }

    // Offers of a member are cut to about the `length_` nearest whenever there are twice as many.
    Index room() const { return 2 * length_; }

    // Of a few members the one that is nearest to the others: not an outlier, if these are few.
    Id central(const Id* members, Index count) const {
        constexpr Index kFew = 5;
        Id best = members[0];
        double least = kFar<double>;
        for (Index i = 0; i < kFew; ++i) {
            const Id p = members[i * (count - 1) / (kFew - 1)];
            double sum = 0;
            for (Index j = 0; j < kFew; ++j)
                sum += std::sqrt(squared_distance(row(p), row(members[j * (count - 1) / (kFew - 1)]), rows_.m));
            if (sum < least) least = sum, best = p;
        }
        return best;
    }
    const F* row(Id p) const { return rows_.rows + p * rows_.m; }

    void join(const Id* members, Index count, Id origin, Scratch& own) {
        gather(members, count, row(origin), own);
        for (Index top = 0; top < count; top += kPanel)
            for (Index left = top; left < count; left += kColumns) {
                const Index rows = std::min(kPanel, count - top), columns = std::min(kColumns, count - left);
                blas_.products(own.rows.data() + top * rows_.m, rows, rows_.m, own.rows.data() + left * rows_.m,
                               columns, rows_.m, rows_.m, own.products.data(), kColumns);
                for (Index i = top; i < top + rows; ++i) look(members, i, top, left, columns, own);
            }
        for (Index i = 0; i < count; ++i)
            if (own.count[i] > 0) deliver(members[i], own.offered.data() + i * room(), own.count[i]);
        pairs_ += count * (count - 1) / 2;
    }

    // Rows are taken relative to one of them: products of neighbours that lie far from zero keep their digits.
    void gather(const Id* members, Index count, const F* origin, Scratch& own) const {
        const Index m = rows_.m;
        own.rows.resize(std::max<std::size_t>(own.rows.size(), count * m));
        own.offered.resize(std::max<std::size_t>(own.offered.size(), count * room()));
        own.half.resize(count);
        own.reach.resize(count);
        own.count.assign(count, 0);
        for (Index i = 0; i < count; ++i) {
            const Id p = members[i];
            F* row = own.rows.data() + i * m;
            kernels<F>().change_unit(rows_.rows + p * m, origin, 1, m, row);
            kernels<F>().dots(row, row, m, 1, &own.half[i]);
            own.half[i] /= 2;
            own.reach[i] = reach_[p].load(std::memory_order_relaxed);
        }
        constexpr F kEpsilon = std::numeric_limits<F>::epsilon();
        own.slack = 16 * kEpsilon * *std::max_element(own.half.begin(), own.half.end());
    }

    // Pairs of member i with columns [left, left + columns) behind it. The slack keeps what `offer` would take: else
    // the moment at which a reach is read could decide about the last of a list.
    void look(const Id* members, Index i, Index top, Index left, Index columns, Scratch& own) const {
        const Index first = std::max(left, i + 1), count = left + columns - first;
        if (count <= 0) return;
        const F* products = own.products.data() + (i - top) * kColumns + first - left;
        kernels<F>().mark_far(products, own.half.data() + first, own.reach.data() + first, own.reach[i],
                              own.half[i] - own.slack, count, own.keep.data());
        each_kept(own.keep.data(), count, [&](Index j) {
            const F value = own.half[i] + own.half[first + j] - products[j];
            offer(own, i, {value, members[first + j]});
            offer(own, first + j, {value, members[i]});
        });
    }

    void offer(Scratch& own, Index i, Entry entry) const {
        if (!(entry.value <= own.reach[i])) return;
        Entry* offered = own.offered.data() + i * room();
        offered[own.count[i]++] = entry;
        if (own.count[i] < room()) return;
        own.count[i] = keep_nearest(offered, own.reach[i]);
    }

    // Keeps between a half and three quarters of a full row of offers, the nearest, and what is as near as the last of
    // them; how many. Values that decide are guessed from a few, and counted without branches: nth_element takes three
    // times as long.
    Index keep_nearest(Entry* offered, F& reach) const {
        constexpr Index kGuesses = 8;
        const Index least = length_, most = length_ + length_ / 2;
        F guesses[kGuesses];
        for (Index g = 0; g < kGuesses; ++g) guesses[g] = offered[g * room() / kGuesses].value;
        std::sort(guesses, guesses + kGuesses);
        for (const F guess : {guesses[4], guesses[5], guesses[3]}) {
            Index within = 0;
            for (Index i = 0; i < room(); ++i) within += offered[i].value <= guess;
            if (within < least || within > most) continue;
            Index kept = 0;
            for (Index i = 0; i < room(); ++i) {
                const Entry entry = offered[i];
                offered[kept] = entry;
                kept += entry.value <= guess;
            }
            reach = std::min(reach, guess);
            return kept;
        }
        std::nth_element(offered, offered + least - 1, offered + room());
        reach = std::min(reach, offered[least - 1].value);
        return least;
    }

    // Most offers are known already, so these are sorted out first; `offered` is overwritten.
    void deliver(Id p, Entry* offered, Index count) {
        const std::scoped_lock lock(locks_[p % kLocks]);
        Id* points = points_.data() + p * length_;
        F* values = values_.data() + p * length_;
        Index fresh = 0;
        for (Index i = 0; i < count; ++i) {
            const Entry entry = offered[i];
            const Index at = level->others->find_id(points, length_, entry.point);
            if (at == length_)
                offered[fresh++] = entry;
            else
                values[at] = std::min(values[at], entry.value);  // another join may have rounded otherwise
        }
        if (fresh == 0) return;
        Nearest<F> list(points, values, length_);
        list.resume();
        for (Index i = 0; i < fresh; ++i) list.offer(offered[i].point, offered[i].value, true);
        reach_[p].store(std::min(reach(p), list.reach()), std::memory_order_relaxed);
    }

    // Offers what is on the list of p, by ascending values, as far as these leave a chance: coordinates bound distances
    // from below, see filter.hpp for what rounding can do.
    template <class T>
    void take(Index p, const Distances<T>& distances, const Id* order, std::vector<Entry>& list,
              Nearest<T>& nearest) const {
        constexpr double kEpsilon = std::numeric_limits<F>::epsilon();
        const double rounding = static_cast<double>(rows_.m + distances.points.d + 16) * kEpsilon;
        for (Index i = 0; i < length_; ++i) list[i] = {values_[p * length_ + i], points_[p * length_ + i]};
        std::sort(list.begin(), list.end());
        const T* x = distances.points.row(order[p]);
        for (Index i = 0; i < length_ && list[i].point != kNone; ++i) {
            const auto [value, other] = list[i];
            if (i + 1 < length_ && list[i + 1].point != kNone) fetch_ahead(distances.points, order[list[i + 1].point]);
            const double lengths = static_cast<double>(half_[p]) + static_cast<double>(half_[other]);
            const double reach = squared_reach(distances.metric, nearest.reach());
            if (2 * (static_cast<double>(value) - rounding * lengths) > reach) continue;
            const T* y = distances.points.row(order[other]);
            if (nearest.count() == nearest.k() && distances.beyond(x, y, reach)) continue;
            nearest.offer(order[other], distances.between(x, y), true);
        }
    }

    // Rows lie anywhere in memory: the next one comes while a distance to this one is computed.
    template <class T>
    static void fetch_ahead(const Points<T>& points, Id p) {
        constexpr Index kLine = 64, kMost = 4096;  // bytes
        const char* row = reinterpret_cast<const char*>(points.row(p));
        const Index bytes = std::min(kMost, points.d * static_cast<Index>(sizeof(T)));
        for (Index i = 0; i < bytes; i += kLine) prefetch(row + i);
    }

    template <class T>
    static void sort_row(Answers<T> answers, Index row, Index count, std::vector<std::pair<T, Id>>& sorted) {
        Id* clusters = answers.clusters + row * answers.k;
        T* distances = answers.distances + row * answers.k;
        sorted.clear();
        for (Index i = 0; i < count; ++i) sorted.emplace_back(distances[i], clusters[i]);
        std::ranges::sort(sorted);
        for (Index i = 0; i < count; ++i) std::tie(distances[i], clusters[i]) = sorted[i];
    }

    static constexpr Index kLocks = 1 << 12;
    Columns<F> rows_;
    Index length_;
    Blas blas_;
    std::vector<F> half_;  // half the squared length of each point
    std::vector<Id> points_;
    std::vector<F> values_;              // half the squared distances
    std::vector<std::atomic<F>> reach_;  // of each list, never below what it is now
    std::array<std::mutex, kLocks> locks_;
    std::atomic<Index> pairs_ = 0;
};

}  // namespace chamfer
