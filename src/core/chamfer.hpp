// Chamfer linkage and its variants over all pairs, the paper's HAC-NN (Algorithms 1 and 2).
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
// it (the paper's Observation 2). For Ch_S and Ch_NS one side of a pair is enough, so clusters look at later
// slots only. Each also keeps its second neighbour, for when it loses the first. One that has lost both has to look
// again, but not before what it knows, a lower bound still, is the smallest of all.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "groups.hpp"
#include "kernels.hpp"
#include "parallel.hpp"
#include "types.hpp"

namespace chamfer {

struct Ch {
    static constexpr bool normalized = false, symmetric = false;
};
struct ChN {
    static constexpr bool normalized = true, symmetric = false;
};
struct ChS {
    static constexpr bool normalized = false, symmetric = true;
};
struct ChNS {
    static constexpr bool normalized = true, symmetric = true;
};

namespace detail {

// Ch(C, {x}) for single points x, at [x], and Ch(C, H) for groups H, at their slots, where the distance between the
// nearest points of C and H, which is found on the way, may help.
//
// One point has its row of distances. Two have nearest(C), the smaller of their distances, and put the larger ones into
// the row that is free. More have two free rows and put doubles there.
template <class T>
struct Row {
    const T* row;
    double operator[](Index x) const { return static_cast<double>(row[x]); }
    double to_group(Index, T nearest) const { return static_cast<double>(nearest); }
};

template <class T>
struct Pair {
    const T *least, *most;
    double operator[](Index x) const { return static_cast<double>(least[x]) + static_cast<double>(most[x]); }
    double to_group(Index slot, T nearest) const {
        return static_cast<double>(nearest) + static_cast<double>(most[slot]);
    }
};

template <class T>
struct Sums {
    T *row, *rest;  // for floats: the upper and the lower halves of doubles; else all is in the first
    double operator[](Index x) const {
        if constexpr (sizeof(T) == sizeof(double)) {
            return row[x];
        } else {
            const std::uint64_t upper = std::bit_cast<std::uint32_t>(row[x]);
            return std::bit_cast<double>(upper << 32 | std::bit_cast<std::uint32_t>(rest[x]));
        }
    }
    double to_group(Index slot, T) const { return (*this)[slot]; }
    void put(Index x, double sum) const {
        if constexpr (sizeof(T) == sizeof(double)) {
            row[x] = sum;
        } else {
            const auto bits = std::bit_cast<std::uint64_t>(sum);
            row[x] = std::bit_cast<float>(static_cast<std::uint32_t>(bits >> 32));
            rest[x] = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        }
    }
};

// Whether two single points merge, into a pair.
template <class A, class B>
inline constexpr bool are_points = false;
template <class T>
inline constexpr bool are_points<Row<T>, Row<T>> = true;

}  // namespace detail

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
          value_(n, kGone),
          second_(Variant::symmetric ? n : 0, kNone),
          second_value_(Variant::symmetric ? n : 0, kGone),
          scale_(n, 1.0),
          alone_(n, true),
          in_(n, kGone),
          out_(n, kGone) {
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
    static constexpr double kGone = std::numeric_limits<double>::infinity();
    static constexpr Id kNone = -1;
    static constexpr Index kShare = 2048, kGroupShare = 512;  // points, and groups (a cache miss each), worth a thread

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
        std::pair<Id, T> nearest{kNone, std::numeric_limits<T>::infinity()};
        for (const auto& [begin, end] : {std::pair(first, but), std::pair(but + 1, n_)})
            if (begin < end)
                if (const Index x = begin + argmin(row + begin, end - begin);
                    nearest.first == kNone || row[x] < nearest.second)
                    nearest = {static_cast<Id>(x), row[x]};
        return nearest;
    }

    // The cluster with the smallest value. The tie rule: then the smaller lower id, then the smaller higher
    // id.
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

    std::pair<Id, Id> key(Id c) const {
        return neighbour_[c] == kNone ? std::pair(kNone, kNone) : ordered(c, neighbour_[c]);
    }

    // The smaller cluster joins the larger one's slot, a; the union gets the identity `id`.
    void merge(Id a, Id b, Id id) {
        if (size(a) < size(b)) std::swap(a, b);
        ids_[a] = id;
        if (Variant::normalized) scale_[a] = 1 / static_cast<double>(size(a) + size(b));
        value_[b] = kGone;
        in_[a] = in_[b] = out_[a] = out_[b] = kGone;
        with_sums(a, [&](auto from_a) {
            with_sums(b, [&](auto from_b) {
                join(a, b);
                unite_points(a, b, from_a, from_b);  // first, as it fetches the rows in order
                unite_groups(a, b, from_a, from_b);
            });
        });
        update_neighbours(a, b);
        choose_neighbour(a);
    }

    // One cluster less.
    void join(Id a, Id b) {
        groups_.join(a, b);
        alone_[a] = alone_[b] = false;
        neighbour_[b] = kNone;
    }

    // Calls body with what is known of Ch(C, .).
    template <class Body>
    void with_sums(Id c, Body&& body) const {
        if (size(c) == 1)
            body(detail::Row<T>{nearest(c)});
        else if (size(c) == 2)
            body(detail::Pair<T>{nearest(c), nearest(groups_.of(c)[1])});
        else
            body(sums(groups_.of(c)));
    }

    // In the rows of the second and the third point, which stay the same while the cluster grows.
    detail::Sums<T> sums(std::span<const Id> points) const { return {nearest(points[1]), nearest(points[2])}; }

    // At places of points in groups H: Ch(A + B, H) = Ch(A, H) + Ch(B, H), and Ch(H, A + B) is the sum over members p
    // of d(p, A + B) = min(d(p, A), d(p, B)). in_ and out_ get the linkage values from and to the groups.
    template <class A, class B>
    void unite_groups(Id a, Id b, A from_a, B from_b) {
        constexpr bool pair = detail::are_points<A, B>;
        const detail::Sums<T> from = pair ? detail::Sums<T>{} : sums(groups_.of(a));
        T *to_a = nearest(a), *to_b = nearest(b);
        parallel_ranges(groups_.count(), kGroupShare, threads_, [=, this](Index begin, Index end) {
            for (Index i = begin; i < end; ++i) {
                const Id h = groups_.slot(i);
                if (h == a) continue;
                const auto points = groups_[i];
                T least_a = std::numeric_limits<T>::infinity(), least_b = least_a;
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
                        sums(points).put(a, into);
                }
                const double sum = from_a.to_group(h, least_a) + from_b.to_group(h, least_b);
                if constexpr (pair)
                    to_b[h] = std::max(least_a, least_b);
                else
                    from.put(h, sum);
                out_[h] = scale_[a] * sum;
                in_[h] = scale_[h] * into + (Variant::symmetric ? out_[h] : 0.0);
            }
        });
    }

    // At places of single points: Ch(A + B, {x}) = Ch(A, {x}) + Ch(B, {x}) and d(x, A + B) = min(d(x, A), d(x, B)).
    // in_ and out_ get the linkage values from and to them.
    template <class A, class B>
    void unite_points(Id a, Id b, A from_a, B from_b) {
        constexpr bool pair = detail::are_points<A, B>;
        const detail::Sums<T> from = pair ? detail::Sums<T>{} : sums(groups_.of(a));
        T *to_a = nearest(a), *to_b = nearest(b);
        double *in = in_.data(), *out = out_.data();
        const char* alone = alone_.data();
        const double scale = scale_[a];
        parallel_ranges(n_, kShare, threads_, [=](Index begin, Index end) {
#pragma omp simd
            for (Index x = begin; x < end; ++x) {
                const double sum = from_a[x] + from_b[x];
                const T least = to_b[x] < to_a[x] ? to_b[x] : to_a[x], most = to_b[x] < to_a[x] ? to_a[x] : to_b[x];
                to_a[x] = alone[x] ? least : to_a[x];
                if constexpr (pair)
                    to_b[x] = alone[x] ? most : to_b[x];
                else
                    from.put(x, alone[x] ? sum : from[x]);
                const double into = static_cast<double>(least) + (Variant::symmetric ? scale * sum : 0.0);
                in[x] = alone[x] ? into : in[x];
                if constexpr (!Variant::symmetric) out[x] = alone[x] ? scale * sum : out[x];
            }
        });
    }

    // Everything compares its nearest neighbour with the union.
    void update_neighbours(Id a, Id b) {
        if constexpr (Variant::symmetric) {
            update_two(a, b);
        } else {
            for (Index c = 0; c < n_; ++c) {
                const bool take = in_[c] < value_[c] || neighbour_[c] == a || neighbour_[c] == b;
                neighbour_[c] = take ? a : neighbour_[c];
                value_[c] = take ? in_[c] : value_[c];
            }
        }
    }

    // First and second neighbour; everything else is at least as far as the second value, also where its cluster is
    // not known any more. Clusters after a do not look at it.
    void update_two(Id a, Id b) {
        Id *first = neighbour_.data(), *second = second_.data();
        double *value = value_.data(), *farther = second_value_.data(), *in = in_.data();
        for (Index c = 0; c < std::max(a, b); ++c) {
            const double into = c < a ? in[c] : kGone;
            const Id next = second[c] == a || second[c] == b ? kNone : second[c];
            const bool lost = first[c] == a || first[c] == b;
            const Id kept = lost ? next : first[c];
            const double bound = lost ? farther[c] : value[c];
            const bool take = into < bound || (into == bound && kept == kNone && into < kGone);
            const bool behind = !take && !lost && into < farther[c];
            second[c] = take ? (lost ? next : kept) : lost ? kNone : behind ? a : next;
            farther[c] = take ? bound : behind ? into : farther[c];
            first[c] = take ? a : kept;
            value[c] = take ? into : bound;
        }
    }

    // From linkage values: out_ for Ch and Ch_N; in_, which has both directions, for Ch_S and Ch_NS.
    void choose_neighbour(Id c) {
        const Index first = first_after(c);
        double* values = (Variant::symmetric ? in_ : out_).data();
        Id nearest = kNone;
        value_[c] = each_minimum(values + first, n_ - first, [&](Index i) {
            const Id x = static_cast<Id>(first + i);
            if (nearest == kNone || ordered(c, x) < ordered(c, nearest)) nearest = x;
        });
        neighbour_[c] = nearest;
        if constexpr (Variant::symmetric) {
            if (nearest == kNone) return;
            values[nearest] = kGone;
            const Index next = first + argmin(values + first, n_ - first);
            second_value_[c] = values[next];
            second_[c] = values[next] < kGone ? static_cast<Id>(next) : kNone;
        }
    }

    // The neighbour of a cluster of Ch_S or Ch_NS that has lost its own.
    void look_again(Id c) {
        const T* to_c = nearest(c);
        double* in = in_.data();
        const char* alone = alone_.data();
        const double scale = scale_[c];
        with_sums(c, [=, this](auto from) {
#pragma omp simd
            for (Index x = c + 1; x < n_; ++x)
                in[x] = alone[x] ? scale * from[x] + static_cast<double>(to_c[x]) : kGone;
            for (Index i = groups_.find(c + 1); i < groups_.count(); ++i) {
                const Id h = groups_.slot(i);
                T least = std::numeric_limits<T>::infinity();
                double into = 0;
                for (const Id p : groups_[i]) {
                    least = std::min(least, to_c[p]);
                    into += static_cast<double>(to_c[p]);
                }
                in[h] = scale_[h] * into + scale * from.to_group(h, least);
            }
        });
        choose_neighbour(c);
    }

    std::pair<Id, Id> ordered(Id c, Id x) const { return std::minmax(ids_[c], ids_[x]); }

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
