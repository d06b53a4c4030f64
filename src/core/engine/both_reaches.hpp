// Distances from the points of one cluster to another one, in both directions at once.
#pragma once

#include <span>
#include <vector>

#include "../base/threads.hpp"
#include "../distance/points.hpp"
#include "../linkage/weights.hpp"

namespace chamfer {

template <class T>
class BothReaches {
   public:
    BothReaches(const Distances<T>& distances, const std::vector<double>& weights)
        : points_(distances.points), metric_(distances.metric), weights_(weights) {}

    // The cluster C that others are compared with, and what Ch(C, B) is divided by.
    void of(std::span<const Id> cluster, double divisor) {
        cluster_ = cluster;
        divisor_ = divisor;
        const Index count = size(), d = points_.d;
        lanes_ = (count + kLanes - 1) / kLanes * kLanes;
        nearest_.resize(lanes_);
        if (few_coordinates()) {
            strips_.resize(lanes_ * d);
            for (Index j = 0; j < lanes_; ++j)
                for (Index k = 0; k < d; ++k)
                    strips_[k * lanes_ + j] =
                        j < count ? static_cast<double>(points_.row(cluster[j])[k]) : kFar<double>;
        } else {
            rows_.resize(count * d);
            for (Index j = 0; j < count; ++j) std::copy_n(points_.row(cluster[j]), d, &rows_[j * d]);
            squared_.resize(count);
        }
    }

    // The value of C and another cluster B, of which Ch(B, C) is divided by `divisor`; or a smaller number above the
    // limit if it is beyond that. Calls pause() from time to time.
    template <class Pause>
    double with(std::span<const Id> others, double divisor, double limit, Pause&& pause) {
        std::fill(nearest_.begin(), nearest_.end(), kFar<double>);
        double sum = 0;
        for (std::size_t first = 0; first < others.size(); first += kTogether) {
            const std::span part = others.subspan(first, std::min(kTogether, others.size() - first));
            double least[kTogether];
            compare(part, least);
            sum += sum_of(part, least);
            if (sum / divisor > limit) return sum / divisor;
            if ((steps_ += lanes_ * points_.d) > kBatch) {
                steps_ = 0;
                pause();
            }
        }
        return sum / divisor + sum_of(cluster_, nearest_.data()) / divisor_;
    }

   private:
    static constexpr std::size_t kTogether = 32;

    Index size() const { return static_cast<Index>(cluster_.size()); }
    bool few_coordinates() const { return points_.d <= kSequential; }

    // Squared distances of some points to C; those of C to the others are lowered.
    void compare(std::span<const Id> others, double* least) {
        const auto count = static_cast<Index>(others.size());
        if (few_coordinates()) {
            kernels<T>().nearest_both(points_.data, others.data(), count, strips_.data(), points_.d, lanes_, least,
                                      nearest_.data());
            return;
        }
        for (Index i = 0; i < count; ++i) {
            kernels<T>().squared_distances(points_.row(others[i]), rows_.data(), points_.d, size(), squared_.data());
            kernels<double>().lower(squared_.data(), size(), nearest_.data());
            least[i] = kernels<double>().minimum(squared_.data(), size());
        }
    }

    double sum_of(std::span<const Id> points, const double* squared) {
        const auto count = static_cast<Index>(points.size());
        distances_.resize(std::max(distances_.size(), points.size()));
        kernels<T>().from_squared(metric_, squared, count, distances_.data());
        double sum = 0;
        for (Index i = 0; i < count; ++i) sum += weights_[points[i]] * static_cast<double>(distances_[i]);
        return sum;
    }

    Points<T> points_;
    Metric metric_;
    const std::vector<double>& weights_;
    std::span<const Id> cluster_;
    double divisor_ = 1;
    Index lanes_ = 0, steps_ = 0;
    std::vector<double> strips_;  // the points of C, coordinate after coordinate
    std::vector<T> rows_;         // the same point after point, if they have many coordinates
    std::vector<double> nearest_, squared_;
    std::vector<T> distances_;
};

}  // namespace chamfer
