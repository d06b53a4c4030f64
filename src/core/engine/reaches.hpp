// How far points are from the nearest point of a cluster, and Ch(A, B) summed over the first points of A, for
// chamfer_contraction.hpp. Reaches are squared distances, at most the caps of points.
#pragma once

#include <vector>

#include "../base/sums.hpp"
#include "../linkage/near_lists.hpp"

namespace chamfer {

template <class T>
class Reaches {
   public:
    Reaches(const Distances<T>& distances, const std::vector<double>& weights, const NearLists& lists)
        : points_(distances.points), metric_(distances.metric), weights_(weights), lists_(lists), row_(points_.d) {}

    const Points<T>& points() const { return points_; }

    // What p adds to a sum.
    double term(Id p, double squared) const { return weights_[p] * from_squared(metric_, squared); }

    double operator()(Id p, const PackedList<T>& cluster) {
        std::copy_n(points_.row(p), points_.d, row_.begin());
        return std::min(cluster.nearest(points_, row_.data()), lists_.cap(p));
    }

    // The same for some points of a cluster, of one block.
    void from(const PackedList<T>& cluster, Index first, Index length, const PackedList<T>& to, double* squared) {
        if (length < kBlock) {
            for (Index i = 0; i < length; ++i) squared[i] = (*this)(cluster[first + i], to);
            return;
        }
        cluster.block_to_nearest(points_, first, to, row_.data(), squared);
        for (Index i = 0; i < length; ++i) squared[i] = std::min(squared[i], lists_.cap(cluster[first + i]));
    }

   private:
    Points<T> points_;
    Metric metric_;
    const std::vector<double>& weights_;
    const NearLists& lists_;
    std::vector<double> row_;
};

// Ch(A, B) as far as it was summed.
struct PartialSum {
    Sum sum{};
    Index count = 0;                // over so many of A's first points
    std::vector<double> reaches{};  // of these; none for a small B, to which they are as soon computed again

    // Sums over the next points of A, up to the end of a block or up to `count` points in all.
    template <class T>
    void go_on(Reaches<T>& reach, const PackedList<T>& a, const PackedList<T>& b, Index up_to) {
        constexpr Index kSmall = 8;
        double squared[kBlock];
        const Index length = std::min(kBlock - count % kBlock, up_to - count);
        reach.from(a, count, length, b, squared);
        for (Index i = 0; i < length; ++i) sum.add(reach.term(a[count + i], squared[i]));
        count += length;
        if (b.size() > kSmall) reaches.insert(reaches.end(), squared, squared + length);
    }
};

}  // namespace chamfer
