// Merges by the values of all pairs of clusters, of which only some may be merged: see constraints.hpp.
//
// After the generic algorithm of D. Mullner, Modern hierarchical, agglomerative clustering algorithms,
// arXiv:1109.2378, section 3.1, which is correct for every rule. Each cluster keeps a lower bound of its values to
// younger ones, and a bound that is no longer exact is made so only when it is the smallest. The first of the smallest
// bounds, in the order of ids, and its first nearest cluster are the pair of the tie rule.
#pragma once

#include <numeric>
#include <vector>

#include "../base/threads.hpp"
#include "../linkage/all_values.hpp"
#include "../linkage/constraints.hpp"
#include "../linkage/rows.hpp"

namespace chamfer {

template <class Values>
class Allowed {
   public:
    Allowed(Values& values, const Constraints& constraints)
        : values_(values),
          n_(constraints.n()),
          max_size_(constraints.max_size),
          sizes_(constraints.weights),
          left_(n_),
          id_(n_),
          slot_(n_),
          state_(n_ * n_, constraints.everywhere ? kAdjacent : 0),
          nearest_(2 * n_ - 1, kNone),
          bound_(2 * n_ - 1, kFar<double>) {
        std::iota(left_.begin(), left_.end(), Id{0});
        id_ = slot_ = left_;
        if (!constraints.everywhere)
            for (Id p = 0; p < n_; ++p)
                for (const Id q : constraints.graph[p]) state_[p * n_ + q] |= kAdjacent;
        forbid(constraints.labels);
    }

    Merges run(const Merges& together, int threads, const Tick& tick) {
        Merges merges;
        merges.reserve(n_ - 1);
        UnionFind sets(n_);
        for (const Merge& merge : together) {
            const Id a = sets.find(merge.a), b = sets.find(merge.b), kept = std::min(a, b), lost = std::max(a, b);
            sets.attach(lost, kept);
            merges.push_back(merge);
            unite(kept, lost);
            tick(static_cast<Index>(merges.size()));
        }
        find_all(threads, tick);
        for (Id c; (c = closest()) != kNone; tick(static_cast<Index>(merges.size()))) {
            const Id other = nearest_[c], kept = std::min(slot_[c], slot_[other]);
            const Id lost = std::max(slot_[c], slot_[other]);
            merges.push_back({kept, lost, bound_[c]});
            unite(kept, lost);
            relax(kept, c, other);
        }
        return merges;
    }

   private:
    static constexpr char kAdjacent = 1, kForbidden = 2;

    bool allowed(Id a, Id b) const { return state_[a * n_ + b] == kAdjacent && sizes_[a] + sizes_[b] <= max_size_; }

    void forbid(const Csr& labels) {
        std::vector<std::vector<Id>> sharing;
        for (Id p = 0; p < n_; ++p)
            for (const Id label : labels[p]) {
                if (label >= static_cast<Id>(sharing.size())) sharing.resize(label + 1);
                for (const Id q : sharing[label]) {
                    state_[p * n_ + q] |= kForbidden;
                    state_[q * n_ + p] |= kForbidden;
                }
                sharing[label].push_back(p);
            }
    }

    void find_all(int threads, const Tick& tick) {
        const Index count = static_cast<Index>(left_.size()), batch = 1 + kBatch / n_;
        for (Index first = 0; first < count; first += batch) {
            parallel_tasks(std::min(batch, count - first), n_ < kAlone ? 1 : threads,
                           [&](Index task, int) { look_ahead(id_[left_[first + task]]); });
            tick(static_cast<Index>(n_ - count));
        }
    }

    auto place(Id id) const {
        return std::ranges::lower_bound(left_, id, {}, [&](Id slot) { return id_[slot]; });
    }

    // The nearest of the younger clusters.
    void look_ahead(Id c) {
        const Id own = slot_[c];
        bound_[c] = kFar<double>;
        for (auto x = place(c + 1); x != left_.end(); ++x)
            if (allowed(own, *x))
                if (const double here = values_(own, *x); here < bound_[c]) {
                    bound_[c] = here;
                    nearest_[c] = id_[*x];
                }
    }

    // The cluster with the smallest bound, that bound being exact; none if no merge is left.
    Id closest() {
        for (;;) {
            const Id c = static_cast<Id>(argmin(bound_.data(), static_cast<Index>(slot_.size())));
            if (!(bound_[c] < kFar<double>)) return kNone;
            if (nearest_[c] != kNone) return c;
            look_ahead(c);
        }
    }

    // The union takes the slot `kept`, and is the youngest.
    void unite(Id kept, Id lost) {
        bound_[id_[kept]] = bound_[id_[lost]] = kFar<double>;
        left_.erase(place(id_[lost]));
        left_.erase(place(id_[kept]));
        id_[kept] = static_cast<Id>(slot_.size());
        slot_.push_back(kept);
        left_.push_back(kept);
        values_.merge(lost, kept, left_);
        sizes_[kept] += sizes_[lost];
        char *into = &state_[kept * n_], *from = &state_[lost * n_];
        for (const Id x : left_)
            if (x != kept) state_[x * n_ + kept] = into[x] |= from[x];
    }

    // Everything compares its nearest younger cluster with a union, whose halves are gone.
    void relax(Id made, Id gone, Id gone_too) {
        for (const Id x : left_) {
            const Id c = id_[x];
            const double value = x != made && allowed(made, x) ? values_(made, x) : kFar<double>;
            if (value < bound_[c]) {
                bound_[c] = value;
                nearest_[c] = id_[made];
            } else if (nearest_[c] == gone || nearest_[c] == gone_too) {
                nearest_[c] = kNone;
            }
        }
    }

    Values& values_;
    Index n_;
    double max_size_;
    std::vector<double> sizes_;  // by slot
    std::vector<Id> left_;       // slots, in the order of ids
    std::vector<Id> id_, slot_;  // of each other
    std::vector<char> state_;    // of all pairs of slots
    std::vector<Id> nearest_;    // by id: an id; kNone where the bound may not be exact
    std::vector<double> bound_;  // by id; infinite for those that are gone
};

}  // namespace chamfer
