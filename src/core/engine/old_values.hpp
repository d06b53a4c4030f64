// Where a round of merges reads the values between the clusters that it merges: in the triangle that the last round has
// left, or, in the first one, from the points, so that the triangle of all points is never written.
//
//   after(x, room)     values from x to all later clusters z, at [z]; `room` may hold them
//   from(x, first, out)  out[z] = value from x to every cluster z from `first` on, but x
//   fill(matrix)       makes the values those of the triangle
#pragma once

#include "../distance/few.hpp"

namespace chamfer {

template <class T>
struct TriangleValues {
    static constexpr bool in_place = true;  // whether the next triangle overwrites them
    Triangle<T> matrix;

    const T* after(Id x, T*) const { return matrix.row(x); }

    // Before x, its values lie down a column, in a cache line each.
    void from(Id x, Index first, T* out) const {
        for (Index z = first; z < x; ++z) out[z] = matrix.row(z)[x];
        std::copy(matrix.row(x) + x + 1, matrix.row(x) + matrix.n, out + x + 1);
    }

    void fill(const Triangle<T>&, int, const Tick&) const {}
};

// Of points with up to kSequential coordinates.
template <class T>
class PointValues {
   public:
    static constexpr bool in_place = false;

    PointValues(const Points<T>& points, Metric metric) : points_(points), metric_(metric), packed_(points) {}

    const T* after(Id x, T* room) const {
        from(x, x + 1, room);
        return room;
    }

    void from(Id x, Index first, T* out) const {
        constexpr Index kChunk = 32 * kBlock;
        double point[kSequential], squared[kChunk];
        packed_.get(x, point);
        for (Index start = first / kBlock * kBlock; start < points_.n; start += kChunk) {
            const Index begin = std::max(first, start), end = std::min(points_.n, start + kChunk);
            packed_.squared_distances(point, start, end, squared);
            kernels<T>().from_squared(metric_, squared + begin - start, end - begin, out + begin);
        }
    }

    void fill(const Triangle<T>& matrix, int threads, const Tick& tick) const {
        detail::by_differences(points_, metric_, matrix, threads, [&](Index) { tick(0); });
    }

   private:
    Points<T> points_;
    Metric metric_;
    Packed packed_;
};

}  // namespace chamfer
