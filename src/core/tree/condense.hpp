// The condensed tree: a split counts if both of its parts have at least some points. Smaller parts fall off, and their
// points leave the cluster.
#pragma once

#include <vector>

#include "leaves.hpp"

namespace chamfer {

// Cluster 0 holds all points; parents come before children.
struct Condensed {
    std::vector<Index> parent;      // of each cluster; -1 of cluster 0
    std::vector<Index> split;       // the merge whose split makes clusters 1, 2, …
    std::vector<Index> cluster_of;  // by point: the cluster that it leaves
    std::vector<Index> left;        // by point: the merge at which it does; -1 if there are too few points for one
};

inline Condensed condense(const Tree& tree, Index least) {
    const LeafOrder leaves(tree);
    const Index n = tree.n;
    Condensed made{{-1}, {}, std::vector<Index>(n, 0), std::vector<Index>(n, -1)};
    std::vector<Index> cluster(n + tree.merges(), 0), fallen(n + tree.merges(), -1);
    for (Index i = tree.merges() - 1; i >= 0; --i) {
        const Index whole = n + i;
        const Id parts[] = {tree.child(i, 0), tree.child(i, 1)};
        const bool counts = leaves.size[parts[0]] >= least && leaves.size[parts[1]] >= least;
        for (const Id part : parts) {
            cluster[part] = cluster[whole];
            // Below `least` points a part has fallen off, here or further up.
            fallen[part] = fallen[whole] >= 0 ? fallen[whole] : leaves.size[part] < least ? i : -1;
            if (!counts) continue;
            cluster[part] = static_cast<Index>(made.parent.size());
            made.parent.push_back(cluster[whole]);
            made.split.push_back(i);
        }
    }
    for (Index p = 0; p < n; ++p) {
        made.cluster_of[p] = cluster[p];
        made.left[p] = fallen[p];
    }
    return made;
}

}  // namespace chamfer
