// The values between all clusters of a few points each, row by row from the points: those of the points are computed in
// cache and merged there, round by round, so that only values between clusters are ever written.
//
// Columns are the points, those of a cluster side by side, so that a row begins behind its own cluster. A union has the
// column of its lower half.
#pragma once

#include <bit>
#include <memory>
#include <vector>

#include "../distance/packed.hpp"
#include "../distance/triangle.hpp"
#include "../linkage/rows.hpp"
#include "neighbours.hpp"
#include "unions.hpp"

namespace chamfer {

template <class T, Rule R>
class UnionRows {
   public:
    // Unions from first[i] on, up to first[i + 1], are those of a round; `clusters` are what is left.
    UnionRows(const Unions<T, R>& unions, const std::vector<Id>& clusters, const std::vector<Id>& first)
        : unions_(unions),
          clusters_(clusters),
          first_(first),
          column_(unions.n() + unions.count()),
          packed_(sorted()),
          ones_(unions.n(), 1.0) {
        for (Id c = static_cast<Id>(unions.n()); c < static_cast<Id>(column_.size()); ++c)
            column_[c] = column_[unions.halves(c).low];
        for (std::size_t i = 0; i + 1 < first.size(); ++i) {
            std::vector<Step>& steps = rounds_.emplace_back();
            for (Id c = first[i]; c < first[i + 1]; ++c)
                steps.push_back({column_[unions.halves(c).low], column_[unions.halves(c).high], c});
            std::ranges::sort(steps, {}, &Step::to);
        }
        for (const Id c : clusters) {
            columns_.push_back(column_[c]);
            rows_ = std::max<Index>(rows_, std::bit_width(static_cast<std::size_t>(unions.size(c))));
        }
    }

    // All values, and the nearest neighbours.
    Neighbours<T> write(const Triangle<T>& out, int threads, const Tick& tick) const {
        const Index n = unions_.n();
        const auto room = std::make_unique_for_overwrite<T[]>(threads * rows_ * n);
        return find_neighbours<T>(
            out.n, 1 + kBatch / n, threads,
            [&](Id i, int thread, Neighbours<T>& neighbours) {
                T *row = &room[thread * rows_ * n], *values = out.row(i);
                if (const Index next = i + 1; next < out.n) {
                    fill(clusters_[i], rounds_.size(), columns_[next], row);
                    kernels<T>().gather(row, &columns_[next], out.n - next, values + next);
                }
                neighbours.compare(i, values);
            },
            [&](Index, Index) { tick(unions_.count()); });
    }

   private:
    // Two columns become one; `made` is the union.
    struct Step {
        Id to, from, made;
    };

    // The points in the order of columns, which this decides.
    Packed sorted() {
        const Points<T>& points = unions_.distances().points;
        std::vector<T> rows;
        rows.reserve(points.n * points.d);
        std::vector<Id> open;
        Id column = 0;
        for (const Id cluster : clusters_)
            for (open.push_back(cluster); !open.empty();) {
                const Id c = open.back();
                open.pop_back();
                if (unions_.is_point(c)) {
                    column_[c] = column++;
                    rows.insert(rows.end(), points.row(c), points.row(c) + points.d);
                } else {
                    open.insert(open.end(), {unions_.halves(c).high, unions_.halves(c).low});
                }
            }
        return Packed(Points<T>{rows.data(), points.n, points.d});
    }

    // row[z] = value from c to each cluster that there is after so many rounds, from column `first` on, where nothing
    // is part of c. The larger half comes first, so that a cluster of s points needs room for 1 + log2(s) rows.
    void fill(Id c, std::size_t rounds, Index first, T* row) const {
        std::size_t made = 0;
        if (unions_.is_point(c)) {
            distances(c, first, row);
        } else {
            const auto& [low, high, between] = unions_.halves(c);
            const double size_low = unions_.size(low), size_high = unions_.size(high);
            T *other = row + unions_.n(), *to_low = size_low < size_high ? other : row,
              *to_high = size_low < size_high ? row : other;
            made = std::ranges::upper_bound(first_, c) - first_.begin();
            fill(to_low == row ? low : high, made - 1, first, row);
            fill(to_low == row ? high : low, made - 1, first, other);
            // In its own round, unions that were made before c are folded before c is.
            const auto before = [c](Id each) { return each < c; }, after = [c](Id each) { return each > c; };
            fold(made, first, size_low, to_low, before);
            fold(made, first, size_high, to_high, before);
            update_row<R>(to_low + first, to_high + first, {size_low, size_high, static_cast<double>(between)},
                          ones_.data() + first, unions_.n() - first, row + first);
            fold(made, first, unions_.size(c), row, after);
        }
        while (made < rounds) fold(++made, first, unions_.size(c), row, [](Id) { return true; });
    }

    // Merges columns as a round does (they are counted from 1), in the row of a cluster of this size.
    template <class Which>
    void fold(std::size_t round, Index first, double size, T* row, Which&& which) const {
        const std::vector<Step>& steps = rounds_[round - 1];
        for (auto step = std::ranges::lower_bound(steps, first, {}, &Step::to); step != steps.end(); ++step)
            if (which(step->made)) row[step->to] = unions_.updated(row[step->to], row[step->from], step->made, size);
    }

    void distances(Id point, Index first, T* out) const {
        constexpr Index kChunk = 32 * kBlock;
        const auto& [points, metric] = unions_.distances();
        double x[kSequential], squared[kChunk];
        packed_.get(column_[point], x);
        for (Index start = first / kBlock * kBlock; start < points.n; start += kChunk) {
            const Index begin = std::max(first, start), end = std::min(points.n, start + kChunk);
            packed_.squared_distances(x, start, end, squared);
            kernels<T>().from_squared(metric, squared + begin - start, end - begin, out + begin);
        }
    }

    const Unions<T, R>& unions_;
    const std::vector<Id>&clusters_, &first_;
    std::vector<Id> column_;    // by cluster
    std::vector<Id> columns_;   // of what is left
    Packed packed_;             // by column
    std::vector<double> ones_;  // sizes, which the rules here do not ask for
    std::vector<std::vector<Step>> rounds_;
    Index rows_ = 1;  // that a thread needs
};

}  // namespace chamfer
