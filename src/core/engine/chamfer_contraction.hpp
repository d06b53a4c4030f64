// Merges by Chamfer linkage along the edges of a graph, in memory that follows the edges: no distance is kept but those
// between points and adjacent clusters.
//
// Of two adjacent clusters the larger one is the host and the other one its guest. A host keeps the reach of all points
// of its guests: how far the host is. So Ch(guest, host) is always known. Of Ch(host, guest) most linkages ask only
// whether it is the smaller one: it is summed over the host's points, oldest first, until it is not, and the reaches
// that were summed are kept. Symmetric ones add it: it is summed while the pair is on top of the heap.
//
// A merge of A and the smaller B. Guests of A come closer through the points of B, if at all; one pass over their
// reaches, in packed blocks, finds those that do. All else follows B: its pairs become pairs of A, and reaches that no
// one knew are computed. What was summed of Ch(A, guest) stays a lower bound, since A only grows. So the heap has a
// lower bound of each pair: a pair on top is summed on, and merged if it stays there. Ids only grow, too, and with them
// the keys by which ties are broken.
//
// Means over the host's points may fall as it grows. So bounds of normalized linkages divide by the most that the host
// may weigh until all its pairs are rated again, an eighth more than it weighed. The mean itself is a bound for the
// pair on top only: it is taken back when the host grows.
//
// The same for the capped linkage: the reach of a point is at most its cap, and a direction counts only once a point of
// the cluster has one of the other on its list.
#pragma once

#include <unordered_map>
#include <vector>

#include "../base/heap.hpp"
#include "../linkage/chamfer.hpp"
#include "../linkage/constraints.hpp"
#include "guests.hpp"
#include "reaches.hpp"

namespace chamfer {

template <class T, class Variant>
class ChamferContraction {
   public:
    ChamferContraction(const Distances<T>& distances, const Constraints& constraints, const NearLists& lists,
                       const Tick& tick)
        : reaches_(distances, constraints.weights, lists),
          points_(reaches_.points()),
          lists_(lists),
          tick_(tick),
          limits_(constraints),
          n_(constraints.n()),
          label_(n_),
          id_(n_),
          members_(n_),
          guests_(n_),
          links_(n_),
          hosts_(n_),
          most_(constraints.weights),
          risen_(n_),
          heap_(static_cast<Index>(constraints.graph.items.size()) / 2) {
        start(constraints);
    }

    Merges run() {
        while (!heap_.empty()) {
            const Id top = heap_.top(), host = pairs_[top].host, guest = pairs_[top].guest;
            const Key before = heap_.key(top);
            if (!limits_.allow(host, guest)) {
                forget(top);
                continue;
            }
            if (!rate_on_top(top) || !heap_.has(top) || heap_.key(top) != before) continue;
            merges_.push_back({host, guest, before.value});
            forget(top);
            unite(host, guest);
            tick_(done());
        }
        return std::move(merges_);
    }

   private:
    using Key = TieKey<double>;
    static constexpr double kSlack = 1.125;
    static constexpr Index kLong = 4096;  // so many distances take longer than to look at the clock

    struct Pair {
        Id host, guest;                // kNone if the pair is gone
        Chain chain{};                 // the guest's points on the host's list
        Sum out{};                     // Ch(guest, host)
        PartialSum back{};             // Ch(host, guest)
        bool out_counts, back_counts;  // always, unless the linkage is capped
        Id changed = kNone;            // by the merge of that number
        Id entered = kNone;            // the same, and all points of the guest are on the host's list
    };

    Index done() const { return static_cast<Index>(merges_.size()); }
    Id now() const { return static_cast<Id>(merges_.size()); }
    bool capped() const { return lists_.there(); }
    static double value(const Sum& sum) { return std::max(sum.high + sum.low, 0.0); }

    double reach(Id p, const PackedList<T>& cluster) {
        if (cluster.size() > kLong) tick_(done());
        return reaches_(p, cluster);
    }

    static std::uint64_t key(Id a, Id b) {
        return static_cast<std::uint64_t>(std::min(a, b)) << 32 | static_cast<std::uint32_t>(std::max(a, b));
    }
    Id find(Id a, Id b) const {
        const auto found = index_.find(key(a, b));
        return found == index_.end() ? kNone : found->second;
    }

    // Merges that must be made, and pairs of what they leave.
    void start(const Constraints& constraints) {
        for (Id p = 0; p < n_; ++p) {
            label_[p] = id_[p] = p;
            members_[p].push(points_, p);
        }
        for (const Merge& merge : constraints.together) {
            Id a = label_[merge.a], b = label_[merge.b];
            if (members_[a].size() < members_[b].size()) std::swap(a, b);
            merges_.push_back({a, b, merge.height});
            join(a, b);
            tick_(done());
        }
        for (Id c = 0; c < n_; ++c) most_[c] = limits_.size(c);
        for (Id p = 0; p < n_; ++p)
            for (const Id q : constraints.graph[p])
                if (p < q) connect(label_[p], label_[q]);
        if (capped())
            for (Id p = 0; p < n_; ++p) nominate(label_[p], lists_.listed(p), {});
        for (Id pair = 0; pair < static_cast<Id>(pairs_.size()); ++pair) rate(pair);
    }

    void connect(Id a, Id b) {
        if (a == b || find(a, b) != kNone || !limits_.allow(a, b)) return;
        if (members_[a].size() < members_[b].size()) std::swap(a, b);
        const Id pair = static_cast<Id>(pairs_.size());
        pairs_.push_back({.host = a, .guest = b, .out_counts = !capped(), .back_counts = !capped()});
        index_[key(a, b)] = pair;
        links_[a].push_back(pair);
        links_[b].push_back(pair);
        hosts_[b].push_back(pair);
        meet(pair);
    }

    // The points of b become points of a; gives the list of b.
    PackedList<T> join(Id a, Id b) {
        limits_.unite(a, b);
        id_[a] = static_cast<Id>(n_ + done() - 1);
        for (const Id p : members_[b].numbers()) {
            label_[p] = a;
            members_[a].push(points_, p);
        }
        return std::exchange(members_[b], {});
    }

    // A lower bound of the value, for as long as the pair does not change and the host weighs no more than `most_`.
    void rate(Id number) {
        const Pair& pair = pairs_[number];
        if (pair.host == kNone) return;
        if (!Variant::symmetric) sum_until_larger(number, most_[pair.host]);
        set_key(number, most_[pair.host]);
    }

    // The same for the host as it is; whether it is exact.
    bool rate_on_top(Id number) {
        const Pair& pair = pairs_[number];
        const Index host = members_[pair.host].size();
        const double weight = limits_.size(pair.host);
        if (Variant::symmetric)
            sum_back(number, std::min(host, 2 * std::max(pair.back.count, members_[pair.guest].size())));
        else
            sum_until_larger(number, weight);
        set_key(number, weight);
        if (Variant::normalized) risen_[pair.host].push_back(number);
        return !Variant::symmetric || pair.back.count == host;
    }

    static double over(double sum, double weight) { return Variant::normalized ? sum / weight : sum; }
    double out(const Pair& pair) const {
        return pair.out_counts ? over(value(pair.out), limits_.size(pair.guest)) : kFar<double>;
    }

    // Sums Ch(host, guest) until it is not the smaller direction, if the host weighs so much.
    void sum_until_larger(Id number, double weight) {
        const Pair& pair = pairs_[number];
        const Index host = members_[pair.host].size();
        for (const double there = out(pair); pair.back_counts && pair.back.count < host;) {
            if (!(over(value(pair.back.sum), weight) < there)) return;
            sum_back(number, std::min(host, pair.back.count + (Variant::normalized ? kBlock : 1)));
        }
    }

    // Sums Ch(host, guest) over so many points of the host.
    void sum_back(Id number, Index count) {
        Pair& pair = pairs_[number];
        const PackedList<T>&host = members_[pair.host], &guest = members_[pair.guest];
        while (pair.back.count < count) {
            pair.back.go_on(reaches_, host, guest, count);
            if (guest.size() > kLong / kBlock) tick_(done());
        }
    }

    void set_key(Id number, double weight) {
        const Pair& pair = pairs_[number];
        const double there = out(pair), back = pair.back_counts ? over(value(pair.back.sum), weight) : kFar<double>;
        const double key = Variant::symmetric ? there + back : std::min(there, back);
        if (key < kFar<double>)
            heap_.set(number, {key, id_[pair.host], id_[pair.guest]});
        else
            heap_.remove(number);
    }

    // A host that has grown: bounds by its old weight are none any more.
    void grow(Id host) {
        for (const Id pair : std::exchange(risen_[host], {}))
            if (pairs_[pair].host == host) change(pair);
        if (!Variant::normalized || limits_.size(host) <= most_[host]) return;
        most_[host] = limits_.size(host) * kSlack;
        std::erase_if(links_[host], [&](Id pair) { return pairs_[pair].host != host && pairs_[pair].guest != host; });
        for (const Id pair : links_[host])
            if (pairs_[pair].host == host) change(pair);
    }

    void change(Id pair) {
        if (pairs_[pair].changed == now()) return;
        pairs_[pair].changed = now();
        changed_.push_back(pair);
    }

    // A point of the guest goes onto the host's list.
    void enter(Id number, Id p) {
        Pair& pair = pairs_[number];
        const double squared = reach(p, members_[pair.host]);
        guests_[pair.host].enter(points_, pair.chain, p, squared, number);
        pair.out.add(reaches_.term(p, squared));
    }

    // All points of the guest do, and nothing is known of the way back.
    void meet(Id pair) {
        forget_back(pair);
        for (const Id p : members_[pairs_[pair].guest].numbers()) enter(pair, p);
        pairs_[pair].entered = now();
    }

    void forget_back(Id pair) { pairs_[pair].back = {}; }

    // The guest's points leave the host's list.
    void leave(Id number) {
        Pair& pair = pairs_[number];
        Guests<T>& guests = guests_[pair.host];
        guests.leave(pair.chain);
        pair.out = {};
        if (guests.has_many_gaps()) guests.close_gaps(points_, [&](Id each) -> Chain& { return pairs_[each].chain; });
    }

    void forget(Id pair) {
        leave(pair);
        index_.erase(key(pairs_[pair].host, pairs_[pair].guest));
        drop(pair);
    }

    void drop(Id pair) {
        forget_back(pair);
        heap_.remove(pair);
        pairs_[pair].host = pairs_[pair].guest = kNone;
    }

    // Everything that b was becomes a's; a is not the smaller one.
    void unite(Id a, Id b) {
        changed_.clear();
        const Box box = members_[b].box(points_);
        bring_closer(guests_[a], members_[b], box);
        const Index before = members_[a].size();
        const PackedList<T> lost = join(a, b);
        for (const Id pair : std::exchange(links_[b], {}))
            if (pairs_[pair].host == b || pairs_[pair].guest == b) inherit(pair, a, b, before);
        for (const Id pair : std::exchange(hosts_[a], {}))
            if (pairs_[pair].guest == a) grow_guest(pair, a, lost, box);
        guests_[b] = {};
        hosts_[b] = {};
        risen_[b] = {};
        grow(a);
        if (capped())
            for (const Id p : lost.numbers()) nominate(a, lists_.listed(p), lists_.listing(p));
        for (const Id pair : changed_) rate(pair);
    }

    // Guests of a host that b joins.
    void bring_closer(Guests<T>& guests, const PackedList<T>& b, const Box& box) {
        guests.each_near(points_, box, [&](Index at) {
            const Id p = guests.point(at), pair = guests.pair(at);
            lower(p, reach(p, b), guests.reach(at), pairs_[pair].out, pair);
        });
    }

    void lower(Id p, double squared, double& reach, Sum& sum, Id pair) {
        if (!(squared < reach)) return;
        sum.add(reaches_.term(p, squared));
        sum.add(-reaches_.term(p, reach));
        reach = squared;
        change(pair);
    }

    // A pair of b and x becomes one of a, whose first `before` points were there before; b is gone.
    void inherit(Id number, Id a, Id b, Index before) {
        Pair& pair = pairs_[number];
        const bool was_guest = pair.guest == b;
        const Id x = was_guest ? pair.host : pair.guest, same = find(a, x);
        index_.erase(key(b, x));
        const bool stays_guest = was_guest && members_[x].size() >= members_[a].size();
        if (same != kNone && stays_guest && pairs_[same].guest == a) {
            hand_over(number, same);
        } else if (was_guest && !(same == kNone && stays_guest)) {
            leave(number);
        } else if (!was_guest) {
            pair.chain = {};  // the list of b is gone
            pair.out = {};
        }
        if (same != kNone || !limits_.allow(a, x)) {
            if (pair.chain.first != kNone) leave(number);
            drop(number);
            if (same != kNone) change(same);
            return;
        }
        index_[key(a, x)] = number;
        links_[a].push_back(number);
        if (stays_guest) {
            pair.guest = a;
            hosts_[a].push_back(number);
            forget_back(number);
            for (Index i = 0; i < before; ++i) enter(number, members_[a][i]);
            pair.entered = now();
        } else {
            if (was_guest) hosts_[x].push_back(number);
            pair.host = a;
            pair.guest = x;
            meet(number);
        }
        if (capped()) look_for_candidates(number, a, x);
        change(number);
    }

    // Reaches that one pair has on a host's list become those of another.
    void hand_over(Id from, Id to) {
        Pair &giving = pairs_[from], &taking = pairs_[to];
        guests_[taking.host].hand_over(giving.chain, taking.chain, to);
        taking.out.add(giving.out);
        taking.entered = now();
    }

    // The guest a of a pair has grown by some points, perhaps beyond its host.
    void grow_guest(Id number, Id a, const PackedList<T>& by, const Box& box) {
        Pair& pair = pairs_[number];
        const Id x = pair.host;
        if (!limits_.allow(a, x)) return forget(number);
        change(number);
        if (members_[x].size() < members_[a].size()) {
            leave(number);
            std::swap(pair.host, pair.guest);
            std::swap(pair.out_counts, pair.back_counts);
            hosts_[x].push_back(number);
            return meet(number);
        }
        hosts_[a].push_back(number);
        if (pair.entered != now())
            for (const Id p : by.numbers()) enter(number, p);
        if (pair.back.reaches.empty()) return forget_back(number);
        members_[x].each_near(points_, box, pair.back.reaches.data(), pair.back.count, [&](Index i) {
            const Id p = members_[x][i];
            lower(p, reach(p, by), pair.back.reaches[i], pair.back.sum, number);
        });
    }

    // A point of c has these on its list, and is on the lists of those.
    void nominate(Id c, std::span<const Id> listed, std::span<const Id> listing) {
        for (const Id p : listed) nominate(c, label_[p]);
        for (const Id p : listing) nominate(label_[p], c);
    }

    void nominate(Id from, Id to) {
        const Id number = from == to ? kNone : find(from, to);
        if (number == kNone) return;
        Pair& pair = pairs_[number];
        bool& counts = pair.guest == from ? pair.out_counts : pair.back_counts;
        if (!counts) change(number);
        counts = true;
    }

    void look_for_candidates(Id number, Id a, Id x) {
        pairs_[number].out_counts = pairs_[number].back_counts = false;
        const Id fewer = members_[a].size() < members_[x].size() ? a : x, more = fewer == a ? x : a;
        for (const Id p : members_[fewer].numbers()) {
            for (const Id q : lists_.listed(p))
                if (label_[q] == more) nominate(fewer, more);
            for (const Id q : lists_.listing(p))
                if (label_[q] == more) nominate(more, fewer);
        }
    }

    Reaches<T> reaches_;
    const Points<T>& points_;
    const NearLists& lists_;
    const Tick& tick_;
    Limits limits_;
    Index n_;
    Merges merges_;
    std::vector<Id> label_;               // by point: its cluster, a slot
    std::vector<Id> id_;                  // by slot, as all below
    std::vector<PackedList<T>> members_;  // oldest first
    std::vector<Guests<T>> guests_;
    std::vector<std::vector<Id>> links_;  // pairs, some of which may be gone
    std::vector<std::vector<Id>> hosts_;  // pairs of which it is the guest; some may be gone
    std::vector<double> most_;            // a bound of the weight, for the bounds of pairs that it is the host of
    std::vector<std::vector<Id>> risen_;  // pairs with bounds by its weight itself
    std::vector<Pair> pairs_;
    std::unordered_map<std::uint64_t, Id> index_;  // of pairs by slots
    std::vector<Id> changed_;                      // pairs of this merge
    Heap<Key> heap_;                               // of pairs
};

}  // namespace chamfer
