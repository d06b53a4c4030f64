// Chamfer linkage and its variants over all pairs, the paper's HAC-NN (Algorithms 1 and 2).
//
// A cluster has the slot of one of its points. Kept at all times, for every active cluster C:
//   nearest(C)[p]    the distance from point p to C: row C of the given square matrix
// and for every group G (a cluster of two points and more), which has a number besides its slot:
//   to_groups(G)[h]  Ch(G, H) for every group H, by its number
//   Ch(G, {x})       for every single point x: in rows of the matrix that the points of G have no other use for
// A single point p needs no more: Ch({p}, X) is nearest(X)[p] and, to the groups, the minimum over their
// members of its own row. So a merge is a few passes over contiguous rows and over the members of groups, and
// only the values from groups to the union are written down a column. O(n) a merge.
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
#include <type_traits>
#include <vector>

#include "kernels.hpp"
#include "parallel.hpp"
#include "pool.hpp"
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

// Ch(C, {x}) for all x, by the number of points. One has its row of distances. Two have nearest(C), the smaller of
// their distances, and put the larger ones into the row that is free. More have two free rows and put doubles there.
template <class T>
struct Row {
    const T* row;
    double operator[](Index x) const { return static_cast<double>(row[x]); }
};

template <class T>
struct Pair {
    const T *least, *most;
    double operator[](Index x) const { return static_cast<double>(least[x]) + static_cast<double>(most[x]); }
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

}  // namespace detail

template <class T, class Variant>
class DenseChamfer {
   public:
    // `square` holds all distances, is changed, and must outlive this.
    DenseChamfer(T* square, Index n, int threads)
        : n_(n),
          threads_(threads),
          nearest_(square),
          to_groups_(n / 2, std::max<Index>(1, n / 2), threads),
          ids_(n),
          number_(n, kNone),
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
    static constexpr Index kShare = 2048;  // groups that are worth a thread: each may cost a cache miss

    T* nearest(Id c) const { return nearest_ + c * n_; }
    bool single(Id c) const { return number_[c] == kNone; }
    double* to_groups(Id c) const { return to_groups_.row(number_[c]); }
    Index size(Id c) const { return single(c) ? 1 : static_cast<Index>(members_[number_[c]].size()); }
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
        alone_[a] = alone_[b] = false;
        in_[a] = in_[b] = out_[a] = out_[b] = kGone;
        const bool two_points = single(a);
        if (two_points) make_group(a);
        unite_groups(a, b, two_points ? nullptr : to_groups(a), single(b) ? nullptr : to_groups(b));
        with_sums(a, [&](auto from_a) {
            with_sums(b, [&](auto from_b) {
                join(a, b);
                unite_points(a, b, from_a, from_b);
            });
        });
        update_neighbours(a, b);
        choose_neighbour(a);
    }

    void make_group(Id c) {
        number_[c] = to_groups_.take();
        if (number_[c] == static_cast<Id>(groups_.size())) {
            groups_.emplace_back();
            members_.emplace_back();
        }
        groups_[number_[c]] = c;
        members_[number_[c]] = {c};
    }

    // Ch(A + B, H) = Ch(A, H) + Ch(B, H), where for a single point Ch is the distance to the nearest member;
    // Ch(H, A + B) is the sum over members p of min(d(p, A), d(p, B)). in_ and out_ get the linkage values from and
    // to the groups.
    void unite_groups(Id a, Id b, const double* from_a, const double* from_b) {
        const T *to_a = nearest(a), *to_b = nearest(b);
        double* from = to_groups(a);
        parallel_ranges(static_cast<Index>(groups_.size()), kShare, threads_, [&](Index begin, Index end) {
            for (Id h = static_cast<Id>(begin); h < static_cast<Id>(end); ++h) {
                const Id slot = groups_[h];
                if (slot == kNone || slot == a || slot == b) continue;
                T least_a = std::numeric_limits<T>::infinity(), least_b = least_a;
                double into = 0;
                bool closer = false;
                for (const Id p : members_[h]) {
                    least_a = std::min(least_a, to_a[p]);
                    least_b = std::min(least_b, to_b[p]);
                    closer |= to_b[p] < to_a[p];
                    into += static_cast<double>(std::min(to_a[p], to_b[p]));
                }
                from[h] = (from_a ? from_a[h] : static_cast<double>(least_a)) +
                          (from_b ? from_b[h] : static_cast<double>(least_b));
                // Otherwise this is Ch(H, A), which is there; to write it again would cost a cache miss.
                if (closer || !from_a) to_groups(slot)[number_[a]] = into;
                out_[slot] = scale_[a] * from[h];
                in_[slot] = scale_[slot] * into + (Variant::symmetric ? out_[slot] : 0.0);
            }
        });
    }

    // One cluster less.
    void join(Id a, Id b) {
        std::vector<Id>& members = members_[number_[a]];
        if (single(b)) {
            members.push_back(b);
        } else {
            const std::vector<Id>& others = members_[number_[b]];
            members.insert(members.end(), others.begin(), others.end());
            groups_[number_[b]] = kNone;
            to_groups_.give_back(number_[b]);
        }
        number_[b] = neighbour_[b] = kNone;
    }

    // Calls body with Ch(C, {x}) for all x.
    template <class Body>
    void with_sums(Id c, Body&& body) const {
        if (size(c) == 1)
            body(detail::Row<T>{nearest(c)});
        else if (size(c) == 2)
            body(detail::Pair<T>{nearest(c), nearest(members_[number_[c]][1])});
        else
            body(sums(c));
    }

    // In the rows of the second and the third point, which stay the same while the cluster grows.
    detail::Sums<T> sums(Id c) const {
        const std::vector<Id>& members = members_[number_[c]];
        return {nearest(members[1]), nearest(members[2])};
    }

    // Ch(A + B, {x}) = Ch(A, {x}) + Ch(B, {x}) and d(p, A + B) = min(d(p, A), d(p, B)), in place. in_ and out_ get the
    // linkage values from and to single points.
    template <class A, class B>
    void unite_points(Id a, Id b, A from_a, B from_b) {
        constexpr bool pair = std::is_same_v<A, detail::Row<T>> && std::is_same_v<B, detail::Row<T>>;
        const detail::Sums<T> from = pair ? detail::Sums<T>{} : sums(a);
        T *to_a = nearest(a), *to_b = nearest(b);
        double *in = in_.data(), *out = out_.data();
        const char* alone = alone_.data();
        const double scale = scale_[a];
        parallel_ranges(n_, kShare, threads_, [=](Index begin, Index end) {
#pragma omp simd
            for (Index x = begin; x < end; ++x) {
                const double sum = from_a[x] + from_b[x];
                const T least = to_b[x] < to_a[x] ? to_b[x] : to_a[x], most = to_b[x] < to_a[x] ? to_a[x] : to_b[x];
                to_a[x] = least;
                if constexpr (pair)
                    to_b[x] = most;
                else
                    from.put(x, sum);
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
        });
        for (Id h = 0; h < static_cast<Id>(groups_.size()); ++h) {
            const Id slot = groups_[h];
            if (slot <= c) continue;
            T least = std::numeric_limits<T>::infinity();
            double into = 0;
            for (const Id p : members_[h]) {
                least = std::min(least, to_c[p]);
                into += static_cast<double>(to_c[p]);
            }
            in[slot] = scale_[slot] * into + (single(c) ? static_cast<double>(least) : scale * to_groups(c)[h]);
        }
        choose_neighbour(c);
    }

    std::pair<Id, Id> ordered(Id c, Id x) const { return std::minmax(ids_[c], ids_[x]); }

    Index n_;
    int threads_;
    T* nearest_;
    Pool to_groups_;                        // rows by number of the group
    std::vector<Id> groups_;                // slots by number; kNone while a number is not in use
    std::vector<std::vector<Id>> members_;  // by number
    std::vector<Id> ids_;                   // of the clusters, in the order of their making
    std::vector<Id> number_;                // kNone for single points
    std::vector<Id> neighbour_;             // kNone for slots that are gone, and for clusters that have to look again
    std::vector<double> value_;             // linkage value to the neighbour, or a lower bound; infinite for those gone
    std::vector<Id> second_;                // the next neighbour; kNone if it is not known
    std::vector<double> second_value_;      // its linkage value, or a lower bound for all but the neighbour
    std::vector<double> scale_;             // 1 / size if normalized, else 1
    std::vector<char> alone_;               // whether single points
    std::vector<double> in_, out_;          // linkage values from and to others; infinite for those gone
};

}  // namespace chamfer
