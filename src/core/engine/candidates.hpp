// Clusters, and for each the candidate that may be nearest: the state of the lists engine. See engine/lists.hpp.
//
// A cluster of few points has no map of gains: they are added up from the lists of its points when somebody has to
// know, which touches less memory than a map does. What a change touches is in one cache line for each cluster.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "../base/tournament.hpp"
#include "../linkage/weights.hpp"
#include "entries.hpp"
#include "gains.hpp"

namespace chamfer {

// The largest gain of a cluster; if stale, not below it.
struct Best {
    Id cluster = kNone;  // none: a cluster that no point lists
    Id count = 0;
    Sum gain;
    bool stale = false;
    bool tied = false;  // whether another one may have the same value
};

// To be merged, at the value of Ch(a, b).
struct Pair {
    Id a = kNone, b = kNone;
    double value = 0;
};

// If not `weighted`, all points weigh the same and there are no weights to read.
template <class T, bool weighted>
class Candidates {
   public:
    // `ids` are those of the points, by which ties are decided.
    Candidates(Index n, bool normalized, bool capped, double epsilon, const std::vector<Id>& ids, Weights weights)
        : entries(n),
          n_(n),
          active_(n),
          normalized_(normalized),
          capped_(capped),
          epsilon_(epsilon),
          weights_(std::move(weights)),
          set_of_(n),
          cluster_of_(n),
          next_(n),
          states_(n),
          sure_(epsilon > 0 ? n : 0),
          order_(n),
          sure_order_(epsilon > 0 ? n : 0) {
        std::iota(set_of_.begin(), set_of_.end(), Id{0});
        std::iota(cluster_of_.begin(), cluster_of_.end(), Id{0});
        std::iota(next_.begin(), next_.end(), Id{0});
        for (Id c = 0; c < n; ++c) states_[c].id = ids[c];
        if (normalized_) masses_ = weights_;
        range_ = weighted ? range_of(weights_) : static_cast<double>(n);
        for (Id c = 0; c < n; ++c) order_.set(c, key(c, states_[c].best));
    }

    Entries<T> entries;

    Index active() const { return active_; }
    bool capped() const { return capped_; }
    Id cluster(Id p) const { return cluster_of_[set_of_[p]]; }
    Id size(Id c) const { return states_[c].size; }
    const Best& best(Id c) const { return states_[c].best; }
    bool certified(Id c) const { return certified(c, best(c)); }
    Id top() const { return order_.top(); }

    template <class Visit>
    void in_order(Visit&& visit) {
        order_.in_order(visit);
    }

    // The points of c. c is the number of one of them.
    template <class Visit>
    void each_member(Id c, Visit&& visit) const {
        Id p = c;
        do visit(p);
        while ((p = next_[p]) != c);
    }

    // A certified pair of a value within the factor of all bounds; none if the lists do not tell.
    Pair closest() const {
        const Id c = top();
        if (certified(c)) return {c, best(c).cluster, order_.key(c).value};
        if (epsilon_ == 0 || sure_order_.empty()) return {};
        const Id sure = sure_order_.top();
        const double value = sure_order_.key(sure).value;
        if (value > (1 + epsilon_) * order_.key(c).value) return {};
        return {sure, sure_[sure].cluster, value};
    }

    void set_bound(Id p, T bound) {
        Sum& total = states_[cluster(p)].total;
        add(total, p, -static_cast<double>(entries.bound(p)));
        add(total, p, static_cast<double>(bound));
        entries.set_bound(p, bound);
    }

    // First lists are there: bounds and candidates of all points.
    void start() {
        for (Id p = 0; p < n_; ++p) {
            add(states_[p].total, p, static_cast<double>(entries.bound(p)));
            for (Id i = 0; i < entries.size(p); ++i) measure(entries.distances(p)[i], entries.bound(p));
        }
        for (Id p = 0; p < n_; ++p) find_best(p);
    }

    // What p lists at this place counts for its cluster c, or no longer.
    void count(Id c, Id p, Id place, int sign) {
        if (sign > 0) measure(entries.distances(p)[place], entries.bound(p));
        Gains* gains = states_[c].gains.get();
        const Id other = entries.clusters(p)[place];
        if (!gains || other == c) return;
        Gain& gain = gains->at(other);
        add(gain, p, place, sign);
        if (gain.count == 0) gains->erase(other);
    }

    void find_best(Id c) {
        Best best, sure;
        // With the cap only listed clusters are candidates; else the rest are bounded by a gain of zero.
        double value = capped_ ? kFar<double> : value_of(c, best), sure_value = kFar<double>;
        Index others = 0;
        const auto consider = [&](const Gain& gain) {
            const Best other{gain.cluster, gain.count, gain.sum};
            improve(c, best, value, other);
            if (epsilon_ > 0 && gain.count == size(c)) improve(c, sure, sure_value, other);
            ++others;
        };
        each_gain(c, consider);
        if (best.cluster < 0 && others == active_ - 1) {  // no cluster is unlisted
            value = kFar<double>;
            each_gain(c, consider);
        }
        states_[c].best = best;
        if (epsilon_ > 0) sure_[c] = sure;
        place(c);
    }

    // Nothing but the new cluster a can have come closer to c, and if b was its best, a is now.
    void adopt(Id c, Id a, Id b) {
        Best& best = states_[c].best;
        const Gain gain = gain_of(c, a);  // none if all that was known of a and b lay beyond bounds
        // Of candidates that tie, those of a point are few: it looks at their ids again, which others may have changed.
        const bool again = gain.count == 0 || best.cluster < 0 || (best.tied && size(c) == 1);
        if (again && !best.stale) return find_best(c);
        const Best other = gain.count == 0 ? Best{} : Best{a, gain.count, gain.sum};
        double value = order_.key(c).value;
        if (best.stale) {
            best.gain = std::max(best.gain, other.gain);
        } else if (best.cluster != a && best.cluster != b) {
            improve(c, best, value, other);
        } else if (best.tied && value_of(c, other) == value) {  // one of smaller id than a has now may be as near
            return find_best(c);
        } else {
            best = other;
        }
        if (epsilon_ > 0) {
            Best& sure = sure_[c];
            if (sure.cluster == a || sure.cluster == b) sure = {};
            double sure_value = sure.cluster < 0 ? kFar<double> : value_of(c, sure);
            if (certified(c, other)) improve(c, sure, sure_value, other);
        }
        place(c);  // also if nothing has changed but the id of its best
    }

    // Members and gains of b go to a, whose id is a new one; what a and b knew of each other is dropped. The best
    // candidate is determined when the union comes to the top: until then the sum of both is a bound.
    void join(Id a, Id b, Id id) {
        State &state = states_[a], &gone = states_[b];
        join_gains(a, b);
        join_members(a, b);
        state.size += gone.size;
        if (weighted && normalized_) masses_[a] += masses_[b];
        state.id = id;
        state.total.add(gone.total);
        state.best.gain.add(gone.best.gain);
        state.best.stale = true;
        --active_;
        order_.remove(b);
        if (epsilon_ > 0) {
            sure_order_.remove(b);
            sure_[a] = {};
        }
    }

    // Where c comes in the order, by its best candidate.
    void place(Id c) {
        order_.set(c, key(c, best(c)));
        if (epsilon_ == 0) return;
        sure_[c].cluster < 0 ? sure_order_.remove(c) : sure_order_.set(c, key(c, sure_[c]));
    }

    // From now on bounds are only bounds, and unlisted clusters are candidates.
    void uncap() {
        capped_ = false;
        for (Id c = 0; c < n_; ++c)
            if (cluster(c) == c) find_best(c);
    }

    void prefetch(Id c) const {
        chamfer::prefetch(&states_[c]);
        order_.prefetch(c);
    }

   private:
    static constexpr double kDigits = 0x1p-48;  // of 106 that a sum has, 58 are left to such a part of it
    static constexpr Id kFew = 8;               // points of a cluster without a map

    struct alignas(64) State {
        Sum total;  // R(C)
        Best best;
        Id id = kNone;  // SciPy's number
        Id size = 1;
        std::unique_ptr<Gains> gains;  // of a cluster of more than a few points
    };
    // The tie rule, but of equal values those of certified pairs come first: open ones have the highest bit set.
    struct Key {
        double value = 0;
        std::uint32_t low = 0;
        Id high = 0;
        bool operator==(const Key&) const = default;
        bool operator<(const Key& other) const {
            if (value != other.value) return value < other.value;
            return low != other.low ? low < other.low : high < other.high;
        }
    };

    // The most that all points together count, in terms of the least that one may.
    static double range_of(const Weights& weights) {
        return std::accumulate(weights.begin(), weights.end(), 0.0) / *std::ranges::min_element(weights);
    }

    // What p adds to a sum, as often as p weighs.
    void add(Sum& sum, Id p, double value) const {
        if constexpr (weighted)
            sum.add_product(weights_[p], value);
        else
            sum.add(value);
    }

    // What p lists at this place adds to the gain of p's cluster, or takes from it.
    void add(Gain& gain, Id p, Id place, int sign = 1) const {
        add(gain.sum, p, sign * static_cast<double>(entries.bound(p)));
        add(gain.sum, p, -sign * static_cast<double>(entries.distances(p)[place]));
        gain.count += sign;
    }

    // By which sums are divided: the number of points, or their weight.
    double mass(Id c) const { return weighted ? masses_[c] : size(c); }

    bool certified(Id c, const Best& best) const {
        return !best.stale && best.cluster >= 0 && (capped_ || best.count == size(c));
    }

    Key key(Id c, const Best& best) const {
        double value = value_of(c, best);
        // With the cap, a cluster that nobody lists is no candidate at any height.
        if (capped_ && best.cluster < 0 && !best.stale) value = kFar<double>;
        const Id id = states_[c].id, other = best.cluster < 0 ? id : states_[best.cluster].id;
        const std::uint32_t open = certified(c, best) ? 0 : std::uint32_t{1} << 31;
        return {value, open | static_cast<std::uint32_t>(std::min(id, other)), std::max(id, other)};
    }

    // Ch(C, B) or its bound, rounded once: equal values tie, in whatever order their terms were added.
    double value_of(Id c, const Best& best) const {
        const Sum& total = states_[c].total;
        double value = total.minus(best.gain);
        if (wide_ && value < kDigits * total.high) value = best.stale ? 0 : term_by_term(c, best.cluster);
        return normalized_ ? value / mass(c) : value;
    }

    // The same without the difference of two large sums, which leaves no digits of a small value.
    double term_by_term(Id c, Id b) const {
        Sum sum;
        each_member(c, [&](Id p) {
            const Id place = entries.find(p, b);
            add(sum, p, static_cast<double>(place < 0 ? entries.bound(p) : entries.distances(p)[place]));
        });
        return sum.high + sum.low;
    }

    // Whether values may be so small against sums of bounds: none is below the smallest distance, unless it is zero.
    void measure(T distance, T bound) {
        if (distance > 0) smallest_ = std::min(smallest_, static_cast<double>(distance));
        largest_ = std::max(largest_, static_cast<double>(bound));
        wide_ = smallest_ < kDigits * range_ * largest_;
    }

    // Takes the other one if its value is smaller or, of equal ones, if it comes first: certified, or of smaller id.
    void improve(Id c, Best& best, double& value, const Best& other) const {
        const double now = value_of(c, other);
        if (now > value) return;
        const bool tied = now == value, sure = other.count == size(c);
        bool first = sure;
        if (sure == (best.count == size(c)))
            first = best.cluster < 0 || states_[other.cluster].id < states_[best.cluster].id;
        if (!tied || first) best = other;
        best.tied = tied;
        value = now;
    }

    // All gains of c, in any order.
    template <class Visit>
    void each_gain(Id c, Visit&& visit) {
        if (size(c) == 1) {
            for (Id i = 0; i < entries.size(c); ++i)
                if (const Id other = entries.clusters(c)[i]; other != c) {
                    Gain gain{other};
                    add(gain, c, i);
                    visit(gain);
                }
        } else if (states_[c].gains) {
            states_[c].gains->each(visit);
        } else {
            gather(c, scratch_);
            scratch_.each(visit);
        }
    }

    // The gain of c by the cluster a.
    Gain gain_of(Id c, Id a) const {
        if (const Gains* gains = states_[c].gains.get()) {
            const Gain* gain = gains->find(a);
            return gain ? *gain : Gain{};
        }
        Gain gain{a};
        each_member(c, [&](Id p) {
            if (const Id place = entries.find(p, a); place >= 0) add(gain, p, place);
        });
        return gain;
    }

    // The gains of c from the lists of its points.
    void gather(Id c, Gains& gains) const {
        std::size_t most = 0;
        each_member(c, [&](Id p) { most += static_cast<std::size_t>(entries.size(p)); });
        gains.clear(most);
        each_member(c, [&](Id p) {
            for (Id i = 0; i < entries.size(p); ++i)
                if (const Id other = entries.clusters(p)[i]; other != c) add(gains.at(other), p, i);
        });
    }

    // The smaller map goes into the larger.
    void join_gains(Id a, Id b) {
        if (size(a) + size(b) <= kFew) return;
        for (const Id c : {a, b}) {
            if (states_[c].gains) continue;
            gather(c, scratch_);
            states_[c].gains = std::make_unique<Gains>();
            scratch_.each([&](const Gain& gain) { states_[c].gains->at(gain.cluster).add(gain); });
        }
        std::unique_ptr<Gains>&large = states_[a].gains, &small = states_[b].gains;
        if (large->size() < small->size()) std::swap(large, small);
        small->each([&](const Gain& gain) { large->at(gain.cluster).add(gain); });
        small.reset();
        large->erase(a);
        large->erase(b);
    }

    // The points of the smaller cluster move to the set of the larger, and two rings become one.
    void join_members(Id a, Id b) {
        const bool swapped = size(a) < size(b);
        const Id set = set_of_[swapped ? b : a];
        each_member(swapped ? a : b, [&](Id p) { set_of_[p] = set; });
        cluster_of_[set] = a;
        std::swap(next_[a], next_[b]);
    }

    Index n_, active_;
    bool normalized_, capped_;
    double epsilon_;
    Weights weights_;                      // by point
    Weights masses_;                       // by cluster, if divided by
    double range_;                         // see range_of; the number of points without weights
    std::vector<Id> set_of_, cluster_of_;  // point -> member set -> cluster
    std::vector<Id> next_;                 // point -> another point of its cluster, in a ring
    std::vector<State> states_;            // by cluster
    std::vector<Best> sure_;               // by cluster, with epsilon: the largest gain that is certified, if known
    Tournament<Key> order_;                // clusters by their bounds
    Tournament<Key> sure_order_;           // those with something sure by its value
    Gains scratch_;
    double smallest_ = kFar<double>, largest_ = 0;  // distance but zero, and bound, so far
    bool wide_ = false;
};

}  // namespace chamfer
