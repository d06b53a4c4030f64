// Weights of points, by which sizes are counted.
#pragma once

#include <vector>

#include "../base/types.hpp"

namespace chamfer {

using Weights = std::vector<double>;  // empty: all are one

inline Weights or_ones(const Weights& weights, Index n) { return weights.empty() ? Weights(n, 1.0) : weights; }

}  // namespace chamfer
