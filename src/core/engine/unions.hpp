// Clusters that have merged in rounds (see rounds.hpp), as trees over their points: enough to compute the value between
// any two of them, with the bits that updating a matrix of values would give.
//
// Such an update makes the value of a union from those of its halves. Where both clusters of a value are unions, the
// one that was made later was updated last, and in a round the unions are made one after the other. So with unions
// numbered as they are made, the higher number is always the one to take apart.
#pragma once

#include <vector>

#include "../distance/points.hpp"
#include "../linkage/rules.hpp"

namespace chamfer {

// Numbers: points from 0, unions from n on.
template <class T, Rule R>
    requires(R::reducible && !CentreRule<R>)  // rules of centres need no points: see linkage/centres.hpp
class Unions {
   public:
    // The half with the lowest point is `low`.
    struct Halves {
        Id low, high;
        T between;
    };

    explicit Unions(const Distances<T>& distances) : distances_(distances), sizes_(distances.points.n, 1.0) {}

    Index n() const { return distances_.points.n; }
    const Distances<T>& distances() const { return distances_; }
    bool is_point(Id c) const { return c < n(); }
    Index count() const { return static_cast<Index>(halves_.size()); }
    const Halves& halves(Id c) const { return halves_[c - n()]; }
    double size(Id c) const { return sizes_[c]; }

    Id unite(const Halves& halves) {
        halves_.push_back(halves);
        sizes_.push_back(sizes_[halves.low] + sizes_[halves.high]);
        return static_cast<Id>(sizes_.size()) - 1;
    }

    // Costs a distance for each pair of points.
    T value(Id a, Id b) const {
        if (a > b) std::swap(a, b);
        if (is_point(b)) return distances_(a, b);
        return updated(value(a, halves(b).low), value(a, halves(b).high), b, size(a));
    }

    // The value from a union, given those from its halves, to a cluster of this size.
    T updated(T low, T high, Id c, double size) const {
        const Halves& of = halves(c);
        return static_cast<T>(R::update(static_cast<double>(low), static_cast<double>(high),
                                        static_cast<double>(of.between), {sizes_[of.low], sizes_[of.high], size}));
    }

   private:
    Distances<T> distances_;
    std::vector<Halves> halves_;
    std::vector<double> sizes_;
};

}  // namespace chamfer
