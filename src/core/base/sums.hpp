// Sums that do not drift.
#pragma once

#include <cmath>
#include <compare>

#include "types.hpp"

namespace chamfer {

// A double and the rounding error it has made so far (Knuth's two-sum): sums of distances that lists change a
// million times, by additions and subtractions, come out as if computed once and exactly.
struct Sum {
    double high = 0, low = 0;

    void add(double value) {
        const double total = high + value, part = total - high;
        low += (high - (total - part)) + (value - part);
        high = total;
    }
    // The product with its rounding error, so that an integer times a value is as many of them added up.
    void add_product(double factor, double value) {
        const double product = factor * value;
        add(product);
        low += std::fma(factor, value, -product);
    }
    void add(const Sum& other) {
        add(other.high);
        low += other.low;
    }
    // Rounded once, so that it does not depend on how large the two sums are.
    double minus(const Sum& other) const {
        Sum difference = *this;
        difference.add(-other.high);
        return difference.high + (difference.low - other.low);
    }
    // The same sum may be split in many ways, so it is the difference that counts.
    auto operator<=>(const Sum& other) const { return minus(other) <=> 0.0; }
    bool operator==(const Sum& other) const { return minus(other) == 0; }
};

}  // namespace chamfer
