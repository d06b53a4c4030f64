// The points of a k-d tree, packed leaf by leaf, and the way of many queries through it at once.
//
// Queries that lie together go down the tree together: a node is left out if the box of all queries is beyond the
// farthest of their limits. At a leaf each query compares its own limit with the leaf's box, then with the points, a
// vector at a time.
#pragma once

#include <bit>
#include <vector>

#include "../distance/packed.hpp"
#include "kdtree.hpp"

namespace chamfer {

template <class Body>
void each_bit(std::uint32_t bits, Body&& body) {
    for (; bits != 0; bits &= bits - 1) body(static_cast<Index>(std::countr_zero(bits)));
}

inline std::uint32_t first_bits(Index count) { return static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1); }

// Up to kBlock queries that are near each other, each in a lane of a packed block.
struct Group {
    const double* strips;      // the block
    Id first = kNone;          // the place of its first lane; none for visitors
    std::uint32_t lanes = 0;   // those that are queries
    std::vector<double> rows;  // coordinates by lane
    std::vector<double> box;   // of the queries: lowest coordinates, then highest
    double limit[kBlock];      // squared distances beyond which a query need not look
    double farthest = 0;       // the largest of them

    // Takes these lanes of a block for queries, without limits.
    void start(const double* block, Id place, std::uint32_t which, Index m) {
        strips = block;
        first = place;
        lanes = which;
        rows.resize(kBlock * m);
        box.resize(2 * m);
        std::fill_n(limit, kBlock, -1.0);
        each_bit(lanes, [&](Index lane) { limit[lane] = kFar<double>; });
        for (Index k = 0; k < m; ++k) {
            double low = kFar<double>, high = -kFar<double>;
            each_bit(lanes, [&](Index lane) {
                const double x = rows[lane * m + k] = strips[k * kBlock + lane];
                low = std::min(low, x);
                high = std::max(high, x);
            });
            box[k] = low, box[m + k] = high;
        }
        farthest = kFar<double>;
    }
    void update() { farthest = *std::max_element(limit, limit + kBlock); }
};

class Leaves {
   public:
    Leaves(const double* coordinates, Index n, Index m, int threads, const Tick& tick)
        : m_(m),
          tree_(coordinates, n, m, kBlock, threads, tick),
          packed_(Points<double>{tree_.take_rows().get(), n, m}),
          place_(n) {
        for (Index i = 0; i < n; ++i) place_[tree_.order()[i]] = static_cast<Id>(i);
    }

    Index m() const { return m_; }
    const KdTree<double>& tree() const { return tree_; }
    const Id* order() const { return tree_.order().data(); }
    Id place(Id point) const { return place_[point]; }
    const double* block(Id begin) const { return packed_.block(begin); }

    // The places of some points, sorted by leaf, with what was at which position.
    struct Query {
        Id place, at;
    };
    std::vector<Query> sorted(const Id* points, Index count) const {
        std::vector<Id> start(packed_.n() / kBlock + 2);
        for (Index i = 0; i < count; ++i) ++start[place_[points[i]] / kBlock + 1];
        std::partial_sum(start.begin(), start.end(), start.begin());
        std::vector<Query> queries(count);
        for (Index i = 0; i < count; ++i) {
            const Id place = place_[points[i]];
            queries[start[place / kBlock]++] = {place, static_cast<Id>(i)};
        }
        return queries;
    }

    // Calls visit(node, near) for leaves near the group, nearer ones first; `near`: the queries, as bits, that the leaf
    // is within the limits of. These may shrink in `visit`. skip(node, squared) may leave out further nodes.
    template <class Skip, class Visit>
    void each_leaf(Group& group, Skip&& skip, Visit&& visit) const {
        tree_.descend(
            group.box.data(), group.box.data() + m_, group.first,
            [&](Id node, double squared) { return squared > group.farthest || skip(node, squared); },
            [&](Id node) {
                const double* box = tree_.box(node);
                const std::uint32_t near =
                    level->others->near_box(group.strips, m_, box, box + m_, group.limit) & group.lanes;
                if (near == 0) return;
                visit(node, near);
                group.update();
            });
    }

    // Which points of a leaf are within the limit of a query, as bits, and all their squared distances.
    std::uint32_t near_points(const Group& group, Index lane, Id node, double limit, double* squared) const {
        const auto& [begin, end, right] = tree_.nodes()[node];
        return level->others->near_points(group.rows.data() + lane * m_, block(begin), m_, limit, squared) &
               first_bits(end - begin);
    }

   private:
    Index m_;
    KdTree<double> tree_;
    Packed packed_;  // in the tree's order
    std::vector<Id> place_;
};

}  // namespace chamfer
