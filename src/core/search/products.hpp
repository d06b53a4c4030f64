// Nearest clusters by blocked matrix multiplication, exactly.
//
// Filter. Each point is given a few coordinates (leading principal coordinates and the length of what is left; or all
// coordinates) whose Euclidean distance never exceeds the true one. The multiplication of these few nominates: it
// skips a pair only if its lower bound, less all rounding (filter.hpp), is beyond the reach of both points. The rest is
// computed by differences in double from the points themselves.
//
// Order. Near blocks come first, so that the reach shrinks soon; blocks whose balls are apart by more than the reach
// are not multiplied at all. When clusters have become larger than blocks, points are sorted by clusters. Then most
// blocks have points of one cluster only, and the reach is the distance to that cluster as far as it is known.
#pragma once

#include <cmath>
#include <mutex>
#include <numeric>
#include <unordered_set>
#include <vector>

#include "balls.hpp"
#include "filter.hpp"
#include "tiles.hpp"
#include "top_k.hpp"

namespace chamfer {

// Work done by a search, for choosing between searches and for the curious.
struct SearchCount {
    Index pairs = 0;     // multiplied
    Index computed = 0;  // computed in full
};

template <class T, class F>
class ProductSearch {
   public:
    // `coordinates`: n x m in the order of `order`, which lists all points so that neighbours are close together.
    ProductSearch(Distances<T> distances, const F* coordinates, Index m, const Id* order, Blas blas)
        : distances_(distances),
          points_(distances.points),
          coordinates_(coordinates, coordinates + points_.n * m),
          m_(m),
          filter_(m, points_.d),
          order_(order, order + points_.n),
          place_(points_.n),
          half_(points_.n),
          blas_(blas) {
        arrange();
    }

    static constexpr Index kPairs = Index{1} << 23;  // of blocks, about so many in memory at a time

    // The k nearest other points of every point: each pair is multiplied once and serves both.
    void all_points(Answers<T> answers, int threads, const Tick& tick, Index pairs_at_once = kPairs) {
        const Index n = points_.n, blocks = (n + kBlock - 1) / kBlock;
        std::vector<Nearest<T>> nearest;
        for (Index i = 0; i < n; ++i) nearest.push_back(answers.row(order_[i]));
        std::vector<std::mutex> locks(blocks);
        std::vector<Scratch> scratch(threads);
        const Balls<F> balls(coordinates_.data(), n, m_, kBlock);
        const Index count = blocks * (blocks + 1) / 2;
        Index done = 0;
        const auto in_parts = [&](Index tasks, auto&& run) {
            for (Index first = 0; first < tasks; first += 64 * threads) {
                const Index some = std::min<Index>(64 * threads, tasks - first);
                parallel_tasks(some, threads, [&](Index i, int thread) { run(first + i, scratch[thread]); });
                tick(n * (done += some) / count);
            }
        };
        in_parts(blocks, [&](Index a, Scratch& own) { block_with_itself(a, nearest, own); });
        balls.each_pair(pairs_at_once, [&](const std::vector<BallPair>& pairs) {
            in_parts(static_cast<Index>(pairs.size()), [&](Index i, Scratch& own) {
                pair_of_blocks(pairs[i].a, pairs[i].b, balls, nearest, locks, own);
            });
        });
        for (Index i = 0; i < n; ++i) answers.bounds[order_[i]] = nearest[i].finish();
        collect(scratch);
    }

    // The k nearest clusters of some points; `labels` gives the cluster of each point.
    void nearest(const Id* queries, Index count, const Id* labels, Answers<T> answers, int threads, const Tick& tick) {
        std::vector<Id> label = by_place(labels);
        if (worth_sorting(label)) {
            sort_by(label);
            label = by_place(labels);
        }
        std::vector<Index> sorted(count);
        std::iota(sorted.begin(), sorted.end(), Index{0});
        std::sort(sorted.begin(), sorted.end(),
                  [&](Index a, Index b) { return place_[queries[a]] < place_[queries[b]]; });
        std::vector<Nearest<T>> nearest;
        for (Index i = 0; i < count; ++i) nearest.push_back(answers.row(i));
        std::vector<Query> wanted;
        for (const Index i : sorted) {
            const Id place = place_[queries[i]];
            wanted.push_back({points_.row(queries[i]), row(place), half_[place], label[place], &nearest[i]});
        }
        collect(search(wanted, label, threads, tick));
        for (Index i = 0; i < count; ++i) answers.bounds[i] = nearest[i].finish();
    }

    // The same for visitors, in an order in which neighbours are close together, going on from what the answers hold.
    // Several such searches may run side by side.
    void visit(Visitors<T, F> visitors, const Id* labels, Answers<T> answers, int threads, const Tick& tick) const {
        const std::vector<Id> label = by_place(labels);
        std::vector<Nearest<T>> nearest;
        for (Index i = 0; i < visitors.count; ++i) nearest.push_back(answers.resumed(i));
        std::vector<Query> wanted;
        for (Index i = 0; i < visitors.count; ++i) {
            const F* coordinates = visitors.coordinates + i * m_;
            wanted.push_back({visitors.rows + i * points_.d, coordinates, filter_.half_length(coordinates, m_),
                              visitors.homes[i], &nearest[i]});
        }
        search(wanted, label, threads, tick);
        for (Index i = 0; i < visitors.count; ++i) answers.bounds[i] = nearest[i].finish();
    }

    SearchCount count() const { return count_; }

   private:
    static constexpr Index kBlock = 256;
    static constexpr Id kMixed = -1;

    struct Candidate {
        Id row, column;
        T distance;
    };
    static_assert(kBlock * kBlock <= kPanel * kColumns && kBlock <= kColumns);
    struct Scratch : TileScratch<F> {
        std::vector<F> reach = std::vector<F>(2 * kBlock);
        std::vector<Candidate> candidates;
        SearchCount count;
    };
    // A point that looks for its nearest clusters.
    struct Query {
        const T* point;
        const F* coordinates;
        F half;
        Id home;
        Nearest<T>* nearest;
    };
    const F* row(Index i) const { return coordinates_.data() + i * m_; }

    // After coordinates_ and order_ have changed.
    void arrange() {
        for (Index i = 0; i < points_.n; ++i) {
            place_[order_[i]] = static_cast<Id>(i);
            half_[i] = filter_.half_length(row(i), m_);
        }
        tiles_ = Balls<F>(coordinates_.data(), points_.n, m_, kColumns);
    }

    std::vector<Id> by_place(const Id* labels) const {
        std::vector<Id> label(points_.n);
        for (Index i = 0; i < points_.n; ++i) label[i] = labels[order_[i]];
        return label;
    }

    // The label of all points of a tile; kMixed if there are several.
    Id label_of(Index tile, const std::vector<Id>& label) const {
        const Index begin = tile * kColumns, end = std::min(points_.n, begin + kColumns);
        for (Index i = begin; i < end; ++i)
            if (label[i] != label[begin]) return kMixed;
        return label[begin];
    }

    // Whether there are more than twice as many mixed tiles as clusters. Seldom: tiles of one cluster stay so while
    // clusters merge.
    bool worth_sorting(const std::vector<Id>& label) const {
        std::size_t mixed = 0;
        for (Index tile = 0; tile < tiles_.size(); ++tile) mixed += label_of(tile, label) == kMixed;
        std::unordered_set<Id> seen;
        for (const Id each : label) {
            seen.insert(each);
            if (2 * seen.size() >= mixed) return false;
        }
        return true;
    }

    void sort_by(const std::vector<Id>& label) {
        std::vector<Id> places(points_.n), order;
        std::iota(places.begin(), places.end(), Id{0});
        std::ranges::stable_sort(places, {}, [&](Id place) { return label[place]; });
        std::vector<F> coordinates;
        coordinates.reserve(coordinates_.size());
        for (const Id place : places) {
            order.push_back(order_[place]);
            coordinates.insert(coordinates.end(), row(place), row(place) + m_);
        }
        order_ = std::move(order);
        coordinates_ = std::move(coordinates);
        arrange();
    }

    F half_reach(T reach) const { return filter_.half_reach(squared_reach(distances_.metric, reach)); }

    const T* point(Index place) const { return points_.row(order_[place]); }

    // Whether two points are farther apart, as far as can be told cheaply.
    bool beyond(const T* x, const T* y, F half_reach) const {
        return distances_.beyond(x, y, 2 * static_cast<double>(half_reach));
    }

    // How far to look for what may be within reach of one of these.
    double widest(const F* half_reach, Index count) const {
        return std::sqrt(2 * static_cast<double>(*std::max_element(half_reach, half_reach + count)));
    }

    // Nobody else reads or writes this block yet. Pairs that look nearest give every point a reach; what is left is
    // filtered by that.
    void block_with_itself(Index a, std::vector<Nearest<T>>& nearest, Scratch& scratch) {
        const Index top = a * kBlock, rows = std::min(kBlock, points_.n - top), k = nearest[top].k();
        blas_.products(row(top), rows, m_, row(top), rows, m_, m_, scratch.products.data(), kBlock);
        scratch.count.pairs += rows * rows;
        const auto bound = [&](Index i, Index j) {
            return half_[top + i] + half_[top + j] - scratch.products[i * kBlock + j];
        };
        F *likely = scratch.reach.data(), *bounds = likely + kBlock;
        for (Index i = 0; i < rows; ++i) {
            for (Index j = 0; j < rows; ++j) bounds[j] = i == j ? kFar<F> : bound(i, j);
            std::nth_element(bounds, bounds + std::min(k, rows) - 1, bounds + rows);
            likely[i] = bounds[std::min(k, rows) - 1];
        }
        for (const bool first : {true, false})
            for (Index i = 0; i < rows; ++i)
                for (Index j = 0; j < i; ++j) {
                    const F need = bound(i, j);
                    if ((need <= std::max(likely[i], likely[j])) != first) continue;
                    Nearest<T>&one = nearest[top + i], &two = nearest[top + j];
                    const F reach = half_reach(std::max(one.reach(), two.reach()));
                    if (need > reach) continue;
                    ++scratch.count.computed;
                    if (!first && beyond(point(top + i), point(top + j), reach)) continue;
                    const T distance = distances_.between(point(top + i), point(top + j));
                    one.offer(order_[top + j], distance, true);
                    two.offer(order_[top + i], distance, true);
                }
    }

    void pair_of_blocks(Index a, Index b, const Balls<F>& balls, std::vector<Nearest<T>>& nearest,
                        std::vector<std::mutex>& locks, Scratch& scratch) {
        const Index n = points_.n, top = a * kBlock, rows = std::min(kBlock, n - top);
        const Index left = b * kBlock, columns = std::min(kBlock, n - left);
        F *row_reach = scratch.reach.data(), *column_reach = row_reach + kBlock;
        {
            std::scoped_lock lock(locks[a]);
            for (Index i = 0; i < rows; ++i) row_reach[i] = half_reach(nearest[top + i].reach());
        }
        {
            std::scoped_lock lock(locks[b]);
            for (Index j = 0; j < columns; ++j) column_reach[j] = half_reach(nearest[left + j].reach());
        }
        const double reach = std::max(widest(row_reach, rows), widest(column_reach, columns));
        if (balls.apart(a, balls, b, balls.between(a, balls, b), reach)) return;
        blas_.products(row(top), rows, m_, row(left), columns, m_, m_, scratch.products.data(), kBlock);
        scratch.count.pairs += rows * columns;
        scratch.candidates.clear();
        for (Index i = 0; i < rows; ++i) {
            const F* products = scratch.products.data() + i * kBlock;
            const F reach = row_reach[i];
            kernels<F>().mark_far(products, half_.data() + left, column_reach, reach, half_[top + i], columns,
                                  scratch.keep.data());
            each_kept(scratch.keep.data(), columns, [&](Index j) {
                const T *x = point(top + i), *y = point(left + j);
                ++scratch.count.computed;
                if (beyond(x, y, std::max(reach, column_reach[j]))) return;
                scratch.candidates.push_back({static_cast<Id>(i), static_cast<Id>(j), distances_.between(x, y)});
            });
        }
        if (scratch.candidates.empty()) return;
        std::scoped_lock lock(locks[a], locks[b]);
        for (const Candidate& c : scratch.candidates) {
            nearest[top + c.row].offer(order_[left + c.column], c.distance, true);
            nearest[left + c.column].offer(order_[top + c.row], c.distance, true);
        }
    }

    std::vector<Scratch> search(const std::vector<Query>& queries, const std::vector<Id>& label, int threads,
                                const Tick& tick) const {
        std::vector<Scratch> scratch(threads);
        const Index count = static_cast<Index>(queries.size());
        const Index size = std::clamp<Index>(count / threads, 1, kPanel), tasks = (count + size - 1) / size;
        const Index group = 4 * threads;
        std::vector<Id> only;  // by tile
        for (Index tile = 0; tile < tiles_.size(); ++tile) only.push_back(label_of(tile, label));
        for (Index first = 0; first < tasks; first += group) {
            parallel_tasks(std::min(group, tasks - first), threads, [&](Index task, int thread) {
                const Index begin = (first + task) * size, end = std::min(count, begin + size);
                query_block(queries.data() + begin, end - begin, label, only, scratch[thread]);
            });
            tick(std::min(count, (first + group) * size));
        }
        return scratch;
    }

    // How far to look in a tile with this label. Below zero: not at all.
    static T reach(const Query& query, Id only) {
        if (only == query.home) return -1;
        const T reach = query.nearest->reach();
        return only == kMixed ? reach : std::min(reach, query.nearest->distance_to(only));
    }

    void query_block(const Query* queries, Index count, const std::vector<Id>& label, const std::vector<Id>& only,
                     Scratch& scratch) const {
        scratch.panel.resize(count * m_);
        for (Index i = 0; i < count; ++i) std::copy_n(queries[i].coordinates, m_, scratch.panel.data() + i * m_);
        const Balls<F> panel(scratch.panel.data(), count, m_, count);
        std::vector<std::pair<double, Index>> order;
        for (Index tile = 0; tile < tiles_.size(); ++tile) order.emplace_back(panel.between(0, tiles_, tile), tile);
        std::ranges::sort(order);
        Index next = 0;
        sweep(
            Columns<F>{coordinates_.data(), points_.n, m_}, blas_, count, scratch,
            [&](Index i) { return order[next = i].second; },
            [&](Index tile) {
                T widest = -1;
                for (Index i = 0; i < count; ++i) widest = std::max(widest, reach(queries[i], only[tile]));
                if (widest < 0) return true;
                const F half = half_reach(widest);
                if (panel.apart(0, tiles_, tile, order[next].first, this->widest(&half, 1))) return true;
                scratch.count.pairs += count * std::min(kColumns, points_.n - tile * kColumns);
                return false;
            },
            [&](Index i, const F* products, Index left, Index width) {
                if (const T own = reach(queries[i], only[left / kColumns]); own >= 0)
                    look(queries[i], own, products, left, width, label, scratch);
            });
    }

    void look(const Query& query, T reach, const F* products, Index left, Index width, const std::vector<Id>& labels,
              Scratch& scratch) const {
        Nearest<T>& nearest = *query.nearest;
        const F *half = half_.data() + left, own = query.half;
        const Id* label = labels.data() + left;
        kernels<F>().mark_labelled(products, half, half_reach(reach), own, label, query.home, width,
                                   scratch.keep.data());
        each_kept(scratch.keep.data(), width, [&](Index j) {
            const F now = half_reach(std::min(nearest.reach(), nearest.distance_to(label[j])));
            if (half[j] + own - products[j] > now) return;
            ++scratch.count.computed;
            if (!beyond(query.point, point(left + j), now))
                nearest.offer(label[j], distances_.between(query.point, point(left + j)));
        });
    }

    void collect(const std::vector<Scratch>& scratch) {
        for (const Scratch& each : scratch) {
            count_.pairs += each.count.pairs;
            count_.computed += each.count.computed;
        }
    }

    Distances<T> distances_;
    Points<T> points_;
    std::vector<F> coordinates_;  // by place
    Index m_;
    Filter<F> filter_;
    std::vector<Id> order_, place_;
    std::vector<F> half_;  // half the squared length, rounded down
    Balls<F> tiles_;       // kColumns rows of coordinates each
    Blas blas_;
    SearchCount count_;
};

}  // namespace chamfer
