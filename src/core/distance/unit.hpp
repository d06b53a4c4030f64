// The unit in which coordinates reach the engines: src/chamfer/units.py says why.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../kernels/kernels.hpp"

namespace chamfer {

// A coordinate x becomes (x - shift) / 2^exponent.
struct Unit {
    std::vector<double> shift;
    int exponent = 0;
    bool shifts() const {
        return std::ranges::any_of(shift, [](double each) { return each != 0; });
    }
};

// The unit for points whose columns range from `low` to `high`.
template <class T>
Unit choose_unit(const T* low, const T* high, Index d) {
    constexpr int kDiagonal = 50;  // its binary exponent in the unit
    const auto magnitude = [&](Index k) {
        return std::max(-static_cast<double>(low[k]), static_cast<double>(high[k]));
    };
    double largest = 0, most = 0;
    for (Index k = 0; k < d; ++k) largest = std::max(largest, magnitude(k));
    const bool huge = largest > 1e300;  // differences might overflow
    Unit unit{std::vector<double>(d)};
    std::vector<double> spread(d);
    for (Index k = 0; k < d; ++k) {
        const double from = low[k], to = high[k];
        spread[k] = huge ? to / 2 - from / 2 : to - from;
        most = std::max(most, spread[k]);
        if ((from > 0 && to <= 3 * from) || (to < 0 && from >= 3 * to)) unit.shift[k] = from / 2 + to / 2;
    }
    if (most == 0) return unit;
    int widest, above;
    std::frexp(most, &widest);
    double squared = 0;
    for (const double each : spread) squared += std::ldexp(each, -widest) * std::ldexp(each, -widest);
    std::frexp(std::sqrt(squared), &above);
    unit.exponent = widest + above + (huge ? 1 : 0) - kDiagonal;
    return unit;
}

// Rows at unit length: half their squared distance is the cosine distance. Rows of zeros stay; how many there are.
template <class T>
Index directions(T* rows, Index n, Index d) {
    const std::vector<T> origin(d);
    Index zeros = 0;
    for (T* x = rows; x < rows + n * d; x += d) {
        T largest = 0;
        for (Index k = 0; k < d; ++k) largest = std::max(largest, std::abs(x[k]));
        if (largest == 0) {
            ++zeros;
            continue;
        }
        for (Index k = 0; k < d; ++k) x[k] /= largest;  // so that no square overflows or vanishes
        const double norm = std::sqrt(squared_distance(x, origin.data(), d));
        for (Index k = 0; k < d; ++k) x[k] = static_cast<T>(static_cast<double>(x[k]) / norm);
    }
    return zeros;
}

}  // namespace chamfer
