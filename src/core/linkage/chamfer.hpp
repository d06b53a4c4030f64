// The paper's variants of Chamfer linkage, from Ch(A,B), the sum over the points of A of the distance to the nearest
// point of B.
#pragma once

namespace chamfer {

struct Ch {  // the smaller of Ch(A,B) and Ch(B,A)
    static constexpr bool normalized = false, symmetric = false;
};
struct ChN {  // the smaller of Ch(A,B) / |A| and Ch(B,A) / |B|
    static constexpr bool normalized = true, symmetric = false;
};
struct ChS {  // Ch(A,B) + Ch(B,A)
    static constexpr bool normalized = false, symmetric = true;
};
struct ChNS {  // Ch(A,B) / |A| + Ch(B,A) / |B|
    static constexpr bool normalized = true, symmetric = true;
};

}  // namespace chamfer
