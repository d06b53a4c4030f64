// Chamfer linkage and its variants over all pairs, the paper's HAC-NN (Algorithms 1 and 2).
// More than 512 points by Ch or Ch_S come here only if lazy_chamfer.hpp gives up.
//
// A cluster has the slot of one of its points. Kept at all times, for every active cluster C:
//   nearest(C)[p]  the distance from point p to C: row C of the given square matrix
// and for every group G (a cluster of two points and more), in rows that its other points have no more use for:
//   Ch(G, {x})     for every single point x
//   Ch(G, H)       for every other group H, at its slot
// A single point p needs no more: Ch({p}, X) is nearest(X)[p] and, to the groups, the minimum over their
// members of its own row. So a merge is a pass over contiguous rows and one over the members of groups, and only the
// values from groups to the union are written down a column. O(n) a merge, and no memory but the matrix.
//
// Ch and Ch_N never come closer to anything but the new cluster, so a lost nearest neighbour is replaced by
// it (the paper's Observation 2). For Ch_NS one side of a pair is enough, so clusters look at later slots only.
// Each also keeps its second neighbour, for when it loses the first. One that has lost both has to look again, but not
// before what it knows, a lower bound still, is the smallest of all.
#pragma once

#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "../base/threads.hpp"
#include "../kernels/kernels.hpp"
#include "../linkage/chamfer.hpp"
#include "groups.hpp"

namespace chamfer {

template <class T, class Variant>
class DenseChamfer {
   public:
    // `square` holds all distances, is changed, and must outlive this.
    DenseChamfer(T* square, Index n, int threads)
        : n_(n),
          threads_(threads),
          nearest_(square),
          ids_(n),
          neighbour_(n, kNone),
          value_(n, kFar<double>),
          second_(Variant::symmetric ? n : 0, kNone),
          second_value_(Variant::symmetric ? n : 0, kFar<double>),
          scale_(n, 1.0),
          alone_(n, true),
          in_(n, kFar<double>),
          out_(n, kFar<double>) {
        std::iota(ids_.begin(), ids_.end(), Id{0});
    }

    Merges run(const Tick& tick) {
        find_first_neighbours(tick);
        Merges merges;
        merges.reserve(n_ - 1);
        while (static_cast<Index>(merges.size()) < n_ - 1) {
            const Id a = closest(), b = neighbour_[a];
            merges.push_back({a, b, value_[a]});
            merge(a, b, static_cast<Id>(n_ + merges.size() - 1));
            tick(static_cast<Index>(merges.size()));
        }
        return merges;
    }

   private:
    static constexpr Index kShare = 2048, kGroupShare = 512;  // points, and groups (a cache miss each), worth a thread

    static constexpr Index kAhead = 8;  // groups whose value is fetched before it is written

    T* nearest(Id c) const { return nearest_ + c * n_; }
    Index size(Id c) const { return alone_[c] ? 1 : static_cast<Index>(groups_.of(c).size()); }
    // Clusters look for neighbours from this slot on.
    Index first_after(Id c) const { return Variant::symmetric ? c + 1 : 0; }

    // Single points first: a row of distances each.
    void find_first_neighbours(const Tick& tick) {
        const Index batch = 1 + kBatch / n_;
        for (Index first = 0; first < n_; first += batch) {
            parallel_tasks(std::min(batch, n_ - first), n_ < kAlone ? 1 : threads_, [&](Index task, int) {
                const Id p = static_cast<Id>(first + task);
                const T* row = nearest(p);
                const auto [found, distance] = nearest_but(row, first_after(p), p);
                if (found == kNone) return;
                neighbour_[p] = found;
                value_[p] = static_cast<double>(distance);
                if constexpr (Variant::symmetric) {
                    const auto [next, farther] = nearest_but(row, p + 1, found);
                    value_[p] *= 2;
                    second_[p] = next;
                    second_value_[p] = 2 * static_cast<double>(farther);
                }
            });
            tick(0);
        }
    }

    // The nearest of points from `first` on, but one.
    std::pair<Id, T> nearest_but(const T* row, Index first, Index but) const {
        std::pair<Id, T> nearest{kNone, kFar<T>};
        for (const auto& [begin, end] : {std::pair(first, but), std::pair(but + 1, n_)})
            if (begin < end)
                if (const Index x = begin + argmin(row + begin, end - begin);
                    nearest.first == kNone || row[x] < nearest.second)
                    nearest = {static_cast<Id>(x), row[x]};
        return nearest;
    }

    // The cluster with the smallest value, by the tie rule.
    Id closest() {
        for (;;) {
            Id c = kNone;
            each_minimum(value_.data(), n_, [&](Index x) {
                if (c == kNone || key(static_cast<Id>(x)) < key(c)) c = static_cast<Id>(x);
            });
            if (c == kNone) throw std::domain_error("distances that are not finite");
            if (neighbour_[c] != kNone) return c;
            look_again(c);
        }
    }

    TieKey<double> key(Id c) const {
        return neighbour_[c] == kNone ? TieKey<double>(value_[c]) : key(value_[c], c, neighbour_[c]);
    }
    TieKey<double> key(double value, Id c, Id x) const { return {value, ids_[c], ids_[x]}; }

    // The smaller cluster joins the larger one's slot, a; the union gets the identity `id`.
    void merge(Id a, Id b, Id id) {
        if (size(a) < size(b)) std::swap(a, b);
        ids_[a] = id;
        if (Variant::normalized) scale_[a] = 1 / static_cast<double>(size(a) + size(b));
        value_[b] = kFar<double>;
        in_[a] = in_[b] = out_[a] = out_[b] = kFar<double>;
        const SumsView<T> from_a = sums(a), from_b = sums(b);
        join(a, b);
        unite_points(a, b, from_a, from_b);  // first, as it fetches the rows in order
        from_a.kind == SumsKind::point ? unite_groups<true>(a, b, from_a, from_b)
                                       : unite_groups<false>(a, b, from_a, from_b);
        update_neighbours(a, b);
        choose_neighbour(a);
    }

    // One cluster less.
    void join(Id a, Id b) {
        groups_.join(a, b);
        alone_[a] = alone_[b] = false;
        neighbour_[b] = kNone;
    }

    // Where Ch(C, .) is: for points x at [x], for groups at their slots.
    //
    // One point has its row of distances. Two have nearest(C), the smaller of their distances, and put the larger ones
    // into the row that is free. More have two free rows and put doubles there, in the rows of the second and the third
    // point, which stay the same while the cluster grows.
    SumsView<T> sums(Id c) const {
        if (size(c) == 1) return {SumsKind::point, nearest(c)};
        return sums(groups_.of(c));
    }
    SumsView<T> sums(std::span<const Id> points) const {
        if (points.size() == 2) return {SumsKind::pair, nearest(points[0]), nearest(points[1])};
        return {SumsKind::group, nearest(points[1]), nearest(points[2])};
    }

    // Ch(C, H) of a group H, given the distance between the nearest points of C and H.
    static double to_group(const SumsView<T>& from, Index h, T nearest) {
        if (from.kind == SumsKind::group) return group_sum(from.first, from.second, h);
        const double least = static_cast<double>(nearest);
        return from.kind == SumsKind::point ? least : least + static_cast<double>(from.second[h]);
    }

    static void put(const SumsView<T>& into, Index at, double sum) { put_group_sum(into.first, into.second, at, sum); }

    // At places of points in groups H: Ch(A + B, H) = Ch(A, H) + Ch(B, H), and Ch(H, A + B) is the sum over members p
    // of d(p, A + B) = min(d(p, A), d(p, B)). in_ and out_ get the linkage values from and to the groups.
    template <bool pair>
    void unite_groups(Id a, Id b, SumsView<T> from_a, SumsView<T> from_b) {
        const SumsView<T> from = pair ? SumsView<T>{} : sums(a);
        T *to_a = nearest(a), *to_b = nearest(b);
        parallel_ranges(groups_.count(), kGroupShare, threads_, [=, this](Index begin, Index end) {
            for (Index i = begin; i < end; ++i) {
                if (i + kAhead < end) __builtin_prefetch(nearest(groups_[i + kAhead][1]) + a, 1);
                const Id h = groups_.slot(i);
                if (h == a) continue;
                const auto points = groups_[i];
                T least_a = kFar<T>, least_b = least_a;
                double into = 0;
                bool closer = pair;
                for (const Id p : points) {
                    least_a = std::min(least_a, to_a[p]);
                    least_b = std::min(least_b, to_b[p]);
                    closer |= to_b[p] < to_a[p];
                    into += static_cast<double>(std::min(to_a[p], to_b[p]));
                }
                // Otherwise it stays; to write Ch(H, A + B) = Ch(H, A) again would cost a cache miss.
                if (closer) {
                    for (const Id p : points) to_a[p] = std::min(to_a[p], to_b[p]);
                    if (points.size() == 2)
                        nearest(points[1])[a] = std::max(to_a[h], to_a[points[1]]);
                    else
                        put(sums(points), a, into);
                }
                const double sum = to_group(from_a, h, least_a) + to_group(from_b, h, least_b);
                if constexpr (pair)
                    to_b[h] = std::max(least_a, least_b);
                else
                    put(from, h, sum);
                out_[h] = scale_[a] * sum;
                in_[h] = scale_[h] * into + (Variant::symmetric ? out_[h] : 0.0);
            }
        });
    }

    // At places of single points: Ch(A + B, {x}) = Ch(A, {x}) + Ch(B, {x}) and d(x, A + B) = min(d(x, A), d(x, B)).
    // in_ and out_ get the linkage values from and to them.
    void unite_points(Id a, Id b, SumsView<T> from_a, SumsView<T> from_b) {
        const UnitePoints<T> merge{nearest(a),    nearest(b), from_a,     from_b,      sums(a),
                                   alone_.data(), scale_[a],  in_.data(), out_.data(), Variant::symmetric};
        parallel_ranges(n_, kShare, threads_,
                        [&](Index begin, Index end) { kernels<T>().unite_points(merge, begin, end); });
    }

    // Everything compares its nearest neighbour with the union.
    void update_neighbours(Id a, Id b) {
        // First and second neighbour; everything else is at least as far as the second value, also where its cluster is
        // not known any more. Clusters after a do not look at it.
        if constexpr (Variant::symmetric)
            level->others->adopt_two(in_.data(), a, b, std::max(a, b), value_.data(), neighbour_.data(),
                                     second_value_.data(), second_.data());
        else
            level->others->adopt(in_.data(), a, b, n_, value_.data(), neighbour_.data());
    }

    // From linkage values: out_ for Ch and Ch_N; in_, which has both directions, for Ch_NS.
    void choose_neighbour(Id c) {
        const Index first = first_after(c);
        double* values = (Variant::symmetric ? in_ : out_).data();
        Id nearest = kNone;
        value_[c] = each_minimum(values + first, n_ - first, [&](Index i) {
            const Id x = static_cast<Id>(first + i);
            if (nearest == kNone || key(0, c, x) < key(0, c, nearest)) nearest = x;
        });
        neighbour_[c] = nearest;
        if constexpr (Variant::symmetric) {
            if (nearest == kNone) return;
            values[nearest] = kFar<double>;
            const Index next = first + argmin(values + first, n_ - first);
            second_value_[c] = values[next];
            second_[c] = values[next] < kFar<double> ? static_cast<Id>(next) : kNone;
        }
    }

    // The neighbour of a cluster of Ch_NS that has lost its own.
    void look_again(Id c) {
        const T* to_c = nearest(c);
        const SumsView<T> from = sums(c);
        const double scale = scale_[c];
        kernels<T>().look_again(from, to_c, alone_.data(), scale, c + 1, n_, in_.data());
        for (Index i = groups_.find(c + 1); i < groups_.count(); ++i) {
            const Id h = groups_.slot(i);
            T least = kFar<T>;
            double into = 0;
            for (const Id p : groups_[i]) {
                least = std::min(least, to_c[p]);
                into += static_cast<double>(to_c[p]);
            }
            in_[h] = scale_[h] * into + scale * to_group(from, h, least);
        }
        choose_neighbour(c);
    }

    Index n_;
    int threads_;
    T* nearest_;
    Groups groups_;
    std::vector<Id> ids_;               // of the clusters, in the order of their making
    std::vector<Id> neighbour_;         // kNone for slots that are gone, and for clusters that have to look again
    std::vector<double> value_;         // linkage value to the neighbour, or a lower bound; infinite for those gone
    std::vector<Id> second_;            // the next neighbour; kNone if it is not known
    std::vector<double> second_value_;  // its linkage value, or a lower bound for all but the neighbour
    std::vector<double> scale_;         // 1 / size if normalized, else 1
    std::vector<char> alone_;           // whether single points
    std::vector<double> in_, out_;      // linkage values from and to others; infinite for those gone
};

}  // namespace chamfer
