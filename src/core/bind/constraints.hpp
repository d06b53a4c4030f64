// The door for constraints, which the doors of two engines share.
#pragma once

#include "../linkage/constraints.hpp"
#include "bind.hpp"

namespace chamfer {

// Merges that respect constraints, as Z; what is left joins at an infinite height.
template <class Algorithm>
nb::ndarray<nb::numpy, double> run_constrained(const Constraints& constraints, nb::object callback,
                                               Algorithm&& algorithm) {
    return run(callback, [&](const Tick& tick) { return as_tree(algorithm(tick), constraints.n()); });
}

}  // namespace chamfer
