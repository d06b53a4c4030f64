// Ch_S and Ch_NS in O(n k) memory, from lists of near points.
//
// Bound. Let R(C) be the sum of r(p) over C, or their mean for Ch_NS, and gain(C, B) the same of r(p) - d for the
// points that list B, at distance d. A point that does not list the other cluster is at least r(p) away from it. So the
// value of C and B is at least
//   R(C) + R(B) - gain(C, B) - gain(B, C),
// which is R(C) + R(B) if they have no link.
//
// Invariant. Each cluster C has looked at some others: it knows their values, or bounds of them. Its level is the R up
// to which it has looked at clusters without a link, R(C) at first. Of each pair with
//   a link  the younger one has looked at the other one;
//   none    and R(C) <= R(B), C has looked at B, or B at C, if R(B) is below the level of C.
// So each value is known to one of the two, or is at least R(C) + R(B) >= R(C) + the level of C. The key of C is the
// smallest of what it knows and of this sum. Clusters do not change while they are there, so a key remains a bound when
// others are gone.
//
// So if the smallest key is that of a known value, this pair is the closest. If it is R(C) + the level of C, the level
// is raised. A value of zero is taken at once: no other is smaller. (Of more equal points than lists hold, it may not
// be the first by the tie rule.)
//
// In the paper these linkages take all distances. For 20,000 Gaussian points of 8 coordinates, a cluster is compared
// in full with some 30 others before it merges.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "../base/tournament.hpp"
#include "../linkage/chamfer.hpp"
#include "both_reaches.hpp"
#include "links.hpp"
#include "spheres.hpp"

namespace chamfer {

template <class T, class Variant>
class SymmetricLists {
   public:
    // The weights must outlive this.
    SymmetricLists(const Distances<T>& distances, const std::vector<double>& weights, const FirstLists<T>& first,
                   int threads)
        : n_(distances.points.n),
          links_(n_, first, weights, threads),
          reaches_(distances, weights),
          spheres_(distances, weights),
          divisors_(Variant::normalized ? weights : std::vector<double>(n_, 1.0)),
          order_(n_),
          found_(n_),
          neighbour_(n_, kNone),
          ids_(n_),
          levels_(n_),
          keep_(n_),
          rest_(n_, kFar<double>),
          seen_(n_) {
        std::iota(ids_.begin(), ids_.end(), Id{0});
        for (Id p = 0; p < static_cast<Id>(n_); ++p) look_around(p, weights);
    }

    // Merges until so many clusters are left. False, and no more merges, if there is no room for what clusters keep in
    // mind: `most` numbers.
    bool run(Index last, Index most, Merges& merges, const Tick& tick) {
        pause_ = [&] { tick(static_cast<Index>(merges.size())); };
        while (static_cast<Index>(merges.size()) < n_ - last) {
            if (kept_ > most) return false;
            const Id c = order_.top();
            if (order_.key(c).low == kNone)
                look_farther(c);
            else if (is_there(c)) {
                merges.push_back({c, neighbour_[c], found_[c].value});
                merge(c, neighbour_[c], static_cast<Id>(n_ + merges.size() - 1));
            } else
                find_closest(c);
            pause_();
        }
        return true;
    }

    // Of a slot: the cluster, kNone if it is gone, and its points.
    Id id(Id slot) const { return ids_[slot]; }
    const std::vector<Id>& points(Id slot) const { return links_.points(slot); }

   private:
    static constexpr double kSlack = 1 - 0x1p-30;  // of bounds: their sums are rounded
    static constexpr double kKeep = 1.5;           // bounds are kept in mind up to this multiple of the smallest key
    static constexpr double kAhead = 1.03;         // levels are made for keys up to this multiple of the smallest

    // A cluster that another one has looked at.
    struct Seen {
        double value;  // or a bound, if that is all that is known
        Id slot, id;
        bool known;
    };

    double total(Id c) const { return links_.total(c) / divisors_[c]; }  // R(C)
    double bound_of(Id c, Id x) const { return spheres_.bound(c, x, Variant::normalized); }

    // Whether the closest cluster that c has found is there.
    bool is_there(Id c) const {
        const Id b = neighbour_[c];
        return b != kNone && (ids_[b] == found_[c].low || ids_[b] == found_[c].high);
    }

    void merge(Id a, Id b, Id id) {
        if (links_.points(a).size() < links_.points(b).size()) std::swap(a, b);
        order_.remove(b);
        for (const Id slot : {a, b}) by_total_.erase({total(slot), slot});
        links_.unite(a, b);
        if constexpr (Variant::normalized) divisors_[a] += divisors_[b];
        spheres_.unite(a, b, links_.points(a));
        ids_[a] = id;
        ids_[b] = kNone;
        levels_[b] = 0;
        for (const Id slot : {a, b}) kept_ -= static_cast<Index>(std::exchange(seen_[slot], {}).size());
        look_around(a);
    }

    // Single points look at those before them: lists tell their values.
    void look_around(Id p, const std::vector<double>& weights) {
        levels_[p] = total(p);
        by_total_.insert({total(p), p});
        const auto look = [&](const auto& list) {
            for (const auto& [point, distance] : list)
                if (point < p)
                    see(p, point,
                        (weights[p] / divisors_[p] + weights[point] / divisors_[point]) * static_cast<double>(distance),
                        true);
        };
        look(links_.list(p));
        look(links_.listing(p));
        find_closest(p);
    }

    // A union, the youngest of all, looks at those that have a link with it, or have looked up to its R.
    void look_around(Id c) {
        const double here = levels_[c] = total(c);
        rest_[c] = kFar<double>;
        by_total_.insert({here, c});
        links_.each_candidate(c, [&](Id slot, double own, double other) {
            see(c, slot, (here + total(slot)) * kSlack - own / divisors_[c] - other / divisors_[slot]);
        });
        std::erase_if(raised_, [&](Id x) { return levels_[x] <= total(x); });
        for (const Id x : raised_)
            if (total(x) <= here && here < levels_[x]) see(c, x, bound_of(c, x));
        find_closest(c);
    }

    void see(Id c, Id slot, double value, bool known = false) {
        seen_[c].push_back({value, slot, ids_[slot], known});
        ++kept_;
    }

    // A higher level for c: it looks at one cluster more at least. Or, if one that it has not kept in mind may be the
    // closest by now, it looks at all up to its level again.
    void look_farther(Id c) {
        const double here = total(c), key = order_.key(c).value;
        const auto begin = by_total_.lower_bound({levels_[c], kNone});
        if (levels_[c] <= here) {
            raised_.push_back(c);
            keep_[c] = kKeep * key;
        }
        if (rest_[c] <= key) {
            const double kept = std::exchange(keep_[c], kKeep * key);
            rest_[c] = kFar<double>;
            look_at(c, by_total_.lower_bound({here, kNone}), kept);
        } else {
            levels_[c] = begin == by_total_.end()
                             ? kFar<double>
                             : std::max(kAhead * key - here, std::nextafter(begin->first, kFar<double>));
            look_at(c, begin, -1);
        }
        find_closest(c);
    }

    // c looks at clusters up to its level. Those with bounds beyond what is kept in mind are represented by the
    // smallest of these; those with bounds up to `before` are known.
    void look_at(Id c, std::set<std::pair<double, Id>>::iterator from, double before) {
        for (; from != by_total_.end() && from->first < levels_[c]; ++from) {
            if (from->second == c) continue;
            const double bound = bound_of(c, from->second);
            if (bound > keep_[c])
                rest_[c] = std::min(rest_[c], bound);
            else if (bound > before)
                see(c, from->second, bound);
        }
    }

    // The closest of those that c has seen, and its key.
    void find_closest(Id c) {
        std::vector<Seen>& seen = seen_[c];
        kept_ -= static_cast<Index>(std::erase_if(seen, [&](const Seen& each) { return ids_[each.slot] != each.id; }));
        found_[c] = {};
        neighbour_[c] = kNone;
        Seen* first = nullptr;
        for (Seen& each : seen)
            if (each.known)
                offer(c, each);
            else if (!first || each.value < first->value)
                first = &each;
        if (first && first->value <= found_[c].value) compare(c, *first);
        const double unseen = std::min((total(c) + levels_[c]) * kSlack, rest_[c]);
        const bool is_closest = unseen > found_[c].value || found_[c].value == 0;
        order_.set(c, is_closest ? found_[c] : TieKey<double>(unseen));
    }

    void offer(Id c, const Seen& each) {
        if (const TieKey<double> key{each.value, ids_[c], each.id}; key < found_[c])
            found_[c] = key, neighbour_[c] = each.slot;
    }

    // Values of those that may be closer, in the order of their bounds. The first one leaves few others.
    void compare(Id c, Seen& first) {
        reaches_.of(links_.points(c), divisors_[c]);
        evaluate(c, first);
        open_.clear();
        for (Seen& each : seen_[c])
            if (!each.known && each.value <= found_[c].value) open_.push_back(&each);
        std::ranges::sort(open_, {}, &Seen::value);
        for (Seen* each : open_)
            if (each->value <= found_[c].value && found_[c].value > 0) evaluate(c, *each);
    }

    void evaluate(Id c, Seen& other) {
        other.value = reaches_.with(links_.points(other.slot), divisors_[other.slot], found_[c].value, pause_);
        other.known = other.value <= found_[c].value;
        if (other.known) offer(c, other);
    }

    Index n_;
    Links<T> links_;
    BothReaches<T> reaches_;
    Spheres<T> spheres_;
    Tournament<TieKey<double>> order_;
    std::vector<TieKey<double>> found_;  // the closest that a cluster knows
    std::vector<Id> neighbour_;          // and its slot
    std::vector<Id> ids_;                // SciPy's numbers; kNone for slots that are gone
    std::vector<double> divisors_;       // of sums over clusters: their weights, or one
    std::vector<double> levels_;
    std::vector<double> keep_, rest_;           // of bounds: those kept in mind, and the smallest of all others
    std::vector<std::vector<Seen>> seen_;       // by clusters
    Index kept_ = 0;                            // of these, in all
    std::vector<Id> raised_;                    // clusters whose level is above R
    std::set<std::pair<double, Id>> by_total_;  // R and slot
    std::vector<Seen*> open_;
    std::function<void()> pause_;
};

}  // namespace chamfer
