// The dense engine, as the doors call it.
#pragma once

#include <string>

#include "../base/types.hpp"
#include "../linkage/square.hpp"

namespace chamfer {

// By a rule, from few distances or from condensed ones; by a Chamfer linkage, from square ones. All overwrite them.
Merges merges_by_rule(const std::string& rule, Square<double>& matrix);
template <class T>
Merges merges_by_rule(const std::string& rule, const Triangle<T>& matrix, const Weights& weights, int threads,
                      const Tick& tick);
template <class T>
Merges merges_by_chamfer(bool normalized, bool symmetric, T* square, Index n, int threads, const Tick& tick);

extern template Merges merges_by_rule(const std::string&, const Triangle<float>&, const Weights&, int, const Tick&);
extern template Merges merges_by_rule(const std::string&, const Triangle<double>&, const Weights&, int, const Tick&);
extern template Merges merges_by_chamfer(bool, bool, float*, Index, int, const Tick&);
extern template Merges merges_by_chamfer(bool, bool, double*, Index, int, const Tick&);

}  // namespace chamfer
