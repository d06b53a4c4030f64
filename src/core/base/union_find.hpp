// Which set each element is part of, while sets are united. R. E. Tarjan, J. van Leeuwen, Worst-case analysis of set
// union algorithms, J. ACM 31 (1984) 245-281: path halving.
#pragma once

#include <numeric>
#include <vector>

#include "types.hpp"

namespace chamfer {

class UnionFind {
   public:
    explicit UnionFind(Index n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), Id{0}); }

    // The element that names the set.
    Id find(Id x) {
        while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
        return x;
    }
    bool is_root(Id x) const { return parent_[x] == x; }

    // The set named by `child` becomes part of the one named by `root`.
    void attach(Id child, Id root) { parent_[child] = root; }

   private:
    std::vector<Id> parent_;
};

}  // namespace chamfer
