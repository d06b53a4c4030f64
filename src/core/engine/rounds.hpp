// Rounds of merges for reducible rules: as no merge brings anybody closer, all pairs of clusters that are
// each other's nearest may merge at once. A round streams once through the condensed matrix: rows are folded,
// written back shorter in place, and searched for the next neighbours while they are in cache. When few pairs
// are found (say, one large cluster takes in point after point), the nearest-neighbour chain is faster and
// finishes. M. Bruynooghe, Classification ascendante hierarchique des grands ensembles de donnees, Cah. Anal.
// Donnees 3 (1978) 7-33.
//
// Clusters keep the order of their lowest members, so a new row is made of the old row of its lower half and
// later ones, and ends no later than that row did: what a batch of rows overwrites, no later batch reads.
//
// The first rounds of points with few coordinates need no matrix: see first_rounds.hpp.
#pragma once

#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include "../base/threads.hpp"
#include "../linkage/rows.hpp"
#include "chain.hpp"
#include "first_rounds.hpp"
#include "neighbours.hpp"
#include "union_rows.hpp"

namespace chamfer {

template <class T, Rule R>
    requires(R::reducible)
class Rounds {
   public:
    // `matrix` is condensed.
    Rounds(Triangle<T> matrix, int threads, std::vector<double> sizes, std::vector<Id> points)
        : matrix_(matrix), threads_(threads), sizes_(std::move(sizes)), points_(std::move(points)) {}

    Rounds(Triangle<T> matrix, int threads, const Weights& weights = {})
        : Rounds(matrix, threads, or_ones(weights, matrix.n), std::vector<Id>(matrix.n)) {
        std::iota(points_.begin(), points_.end(), Id{0});
    }

    Merges run(const Tick& tick) {
        const Neighbours<T> found = find_neighbours<T>(
            matrix_.n, 1 + kBatch / matrix_.n, threads_,
            [&](Id x, int, Neighbours<T>& neighbours) { neighbours.compare(x, matrix_.row(x)); },
            [&](Index, Index) { tick(0); });
        Merges merges;
        merges.reserve(matrix_.n - 1);
        return run(std::move(merges), found, tick);
    }

    // Goes on after these merges.
    Merges run(Merges merges, const Neighbours<T>& neighbours, const Tick& tick) {
        for (find_pairs(neighbours); productive();) {
            for (const Pair& pair : pairs_)
                merges.push_back({points_[pair.high], points_[pair.low], static_cast<double>(pair.between)});
            find_pairs(fold(tick, static_cast<Index>(merges.size())));
        }
        MatrixRows<T, R> rest(matrix_, threads_, std::move(sizes_), std::move(points_));
        chain(rest, merges, tick);
        return merges;
    }

   private:
    // Two clusters that merge; the union takes the place of the lower one, `place` once gaps are closed.
    struct Pair {
        Id low, high, place;
        T between;
    };
    static constexpr Index kProductive = 32;  // a round costs what the chain takes for n / 32 merges

    bool productive() const { return static_cast<Index>(pairs_.size()) * kProductive >= matrix_.n && matrix_.n > 1; }

    void find_pairs(const Neighbours<T>& neighbours) {
        pairs_.clear();
        for (Id low = 0; low < matrix_.n; ++low) {
            const Id high = neighbours.nearest[low];
            if (low < high && high < matrix_.n && neighbours.nearest[high] == low)
                pairs_.push_back({low, high, low, neighbours.value[low]});
        }
    }

    // Merges the pairs, closes the gaps and finds the neighbours of all that are left.
    Neighbours<T> fold(const Tick& tick, Index done) {
        keep_lower();
        const Index n = static_cast<Index>(kept_.size()), batch = std::min(n, 1 + kBatch / n);
        const Triangle<T> next{matrix_.data, n, true};
        const auto rows = std::make_unique_for_overwrite<T[]>(batch * n);
        const auto room = std::make_unique_for_overwrite<T[]>(threads_ * matrix_.n);
        auto found = find_neighbours<T>(
            n, batch, threads_,
            [&](Id place, int thread, Neighbours<T>& neighbours) {
                T* row = &rows[place % batch * n];
                fold_row(place, &room[thread * matrix_.n], row);
                neighbours.compare(place, row);
            },
            [&](Index first, Index count) {
                move_rows(rows.get(), first, count, next);
                tick(done);
            });
        close_gaps(next);
        return found;
    }

    void move_rows(const T* rows, Index first, Index count, const Triangle<T>& next) const {
        const Index n = next.n;
        parallel_ranges(count, kBatch / 16 / n, threads_, [&](Index begin, Index end) {
            for (Index i = begin, place = first + begin; i < end; ++i, ++place)
                std::copy(&rows[i * n + place + 1], &rows[i * n + n], next.row(place) + place + 1);
        });
    }

    void keep_lower() {
        std::vector<char> gone(matrix_.n);
        for (const Pair& pair : pairs_) gone[pair.high] = true;
        kept_.clear();
        for (Id c = 0; c < matrix_.n; ++c)
            if (!gone[c]) kept_.push_back(c);
        for (Pair& pair : pairs_)
            pair.place = static_cast<Id>(std::lower_bound(kept_.begin(), kept_.end(), pair.low) - kept_.begin());
    }

    // out[z] for every later place z; `half` has room for a row.
    void fold_row(Index place, T* half, T* out) const {
        const Id x = kept_[place];
        const T* row = matrix_.row(x);
        double size = sizes_[x];
        auto pair =
            std::lower_bound(pairs_.begin(), pairs_.end(), x, [](const Pair& each, Id low) { return each.low < low; });
        if (pair != pairs_.end() && pair->low == x) {
            const Index z = x + 1;
            values_from(pair->high, z, half);
            update_row<R>(row + z, half + z, {size, sizes_[pair->high], pair->between}, &sizes_[z], matrix_.n - z,
                          half + z);
            size += sizes_[pair->high];
            row = half;
            ++pair;
        }
        const Index next = place + 1;
        kernels<T>().gather(row, kept_.data() + next, static_cast<Index>(kept_.size()) - next, out + next);
        for (; pair != pairs_.end(); ++pair) out[pair->place] = merged(row[pair->low], row[pair->high], *pair, size);
    }

    // out[z] = value from x to every cluster z from `first` on, but x. Before x, they lie down a column, in a cache
    // line each.
    void values_from(Id x, Index first, T* out) const {
        for (Index z = first; z < x; ++z) out[z] = matrix_.row(z)[x];
        std::copy(matrix_.row(x) + x + 1, matrix_.row(x) + matrix_.n, out + x + 1);
    }

    T merged(T low, T high, const Pair& pair, double size) const {
        return static_cast<T>(R::update(low, high, pair.between, {sizes_[pair.low], sizes_[pair.high], size}));
    }

    void close_gaps(Triangle<T> next) {
        for (const Pair& pair : pairs_) sizes_[pair.low] += sizes_[pair.high];
        for (std::size_t place = 0; place < kept_.size(); ++place) {
            sizes_[place] = sizes_[kept_[place]];
            points_[place] = points_[kept_[place]];
        }
        matrix_ = next;
    }

    Triangle<T> matrix_;
    int threads_;
    std::vector<double> sizes_;
    std::vector<Id> points_, kept_;
    std::vector<Pair> pairs_;  // ascending
};

// Memory for the condensed distances of so many clusters.
template <class T>
using Room = std::function<T*(Index clusters)>;

// The same for points of up to kSequential coordinates.
template <Rule R, class T>
Merges rounds_of_points(const Distances<T>& distances, const Room<T>& room, int threads, const Tick& tick) {
    FirstRounds<T, R> first(distances, threads);
    Merges merges = first.run(tick);
    const std::vector<Id>& clusters = first.clusters();
    const Index left = static_cast<Index>(clusters.size());
    const Triangle<T> matrix{room(left), left, true};
    const auto neighbours = UnionRows<T, R>(first.unions(), clusters, first.starts()).write(matrix, threads, tick);
    std::vector<double> sizes;
    std::vector<Id> points;
    for (const Id c : clusters) {
        sizes.push_back(first.unions().size(c));
        points.push_back(first.point(c));
    }
    Rounds<T, R> rest(matrix, threads, std::move(sizes), std::move(points));
    return rest.run(std::move(merges), neighbours, tick);
}

// Rounds from centres. A cluster keeps its neighbour as long as that is not merged, as nothing comes
// closer.
template <CentreRule R>
    requires(R::reducible && !R::spreads)
class CentreRounds {
   public:
    template <class T>
    CentreRounds(const Points<T>& points, int threads, const Weights& weights = {})
        : rows_(points, weights), threads_(threads), neighbours_(points.n), stale_(points.n) {
        std::iota(stale_.begin(), stale_.end(), Id{0});
    }

    Merges run(const Tick& tick) {
        Merges merges;
        merges.reserve(rows_.count() - 1);
        for (;;) {
            find_stale(tick, static_cast<Index>(merges.size()));
            const std::size_t before = merges.size();
            merge_pairs(merges);
            if ((merges.size() - before) * kProductive < stale_.size() || rows_.count() == 1) break;
        }
        chain(rows_, merges, tick);
        return merges;
    }

   private:
    static constexpr std::size_t kProductive = 8;  // searches for a merge, more than the chain needs
    static constexpr Index kTogether = 16;         // searches that share what they load into the cache

    void find_stale(const Tick& tick, Index done) {
        const Index n = rows_.width(), tasks = (static_cast<Index>(stale_.size()) + kTogether - 1) / kTogether;
        const Index batch = 1 + 8 * kBatch / (n * kTogether);
        for (Index first = 0; first < tasks; first += batch) {
            parallel_tasks(std::min(batch, tasks - first), n < kAlone ? 1 : threads_, [&](Index task, int) {
                const Index begin = (first + task) * kTogether;
                find(&stale_[begin], std::min<Index>(kTogether, stale_.size() - begin));
            });
            tick(done);
        }
    }

    void find(const Id* clusters, Index count) {
        std::vector<typename CentreRows<R>::Search> searches;
        for (Index i = 0; i < count; ++i) searches.push_back(rows_.start(clusters[i]));
        for (Index first = 0; first < rows_.width(); first += rows_.chunk())
            for (auto& search : searches) rows_.look(search, first, 0);
        for (const auto& search : searches) neighbours_[search.self] = search.best;
    }

    void merge_pairs(Merges& merges) {
        std::vector<char> merged(rows_.width());
        for (Id low = 0; low < rows_.width(); ++low) {
            const auto [value, high] = neighbours_[low];
            if (low >= high || neighbours_[high].slot != low) continue;
            merges.push_back({rows_.point(high), rows_.point(low), value});
            rows_.merge(high, low);
            neighbours_[high] = {};
            merged[low] = merged[high] = true;
        }
        stale_.clear();
        for (Id c = 0; c < rows_.width(); ++c)
            if (const Id slot = neighbours_[c].slot; slot != kNone && (merged[c] || merged[slot])) stale_.push_back(c);
        if (rows_.compact(renamed_)) rename_slots();
    }

    void rename_slots() {
        for (Id& c : stale_) c = renamed_[c];
        for (std::size_t c = 0; c < renamed_.size(); ++c)
            if (const auto [value, slot] = neighbours_[c]; renamed_[c] != kNone)
                neighbours_[renamed_[c]] = {value, renamed_[slot]};
        neighbours_.resize(rows_.width());
    }

    CentreRows<R> rows_;
    int threads_;
    std::vector<Neighbour<double>> neighbours_;
    std::vector<Id> stale_;  // clusters whose neighbour is not known
    std::vector<Id> renamed_;
};

}  // namespace chamfer
