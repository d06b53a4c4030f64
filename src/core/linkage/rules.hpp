// The classical linkages as Lance-Williams rules: the value between x and the union of a and b, from the
// three values between a, b and x and the sizes. Ward, centroid and median work on squared Euclidean
// distances and give squared heights. `reducible` says that a merge brings nobody closer: only then is the
// nearest-neighbour chain correct. G. N. Lance, W. T. Williams, A general theory of classificatory sorting
// strategies, Comput. J. 9 (1967) 373-380.
#pragma once

#include <concepts>

#include "../kernels/kernels.hpp"

namespace chamfer {

struct Sizes {
    double a, b, x;
};

// Also used by kernels.cpp, so these functions must never exist apart from their callers.
#define CHAMFER_INLINE [[gnu::always_inline]] static inline

template <class R>
concept Rule = requires(double value, Sizes sizes) {
    { R::reducible } -> std::convertible_to<bool>;
    { R::update(value, value, value, sizes) } -> std::same_as<double>;
};

struct Single {
    static constexpr bool reducible = true;
    CHAMFER_INLINE double update(double ax, double bx, double, Sizes) { return bx < ax ? bx : ax; }
};

struct Complete {
    static constexpr RuleKind kind = RuleKind::complete;
    static constexpr bool reducible = true;
    CHAMFER_INLINE double update(double ax, double bx, double, Sizes) { return ax < bx ? bx : ax; }
};

struct Average {
    static constexpr RuleKind kind = RuleKind::average;
    static constexpr bool reducible = true;
    CHAMFER_INLINE double update(double ax, double bx, double, Sizes n) { return (n.a * ax + n.b * bx) / (n.a + n.b); }
};

struct Weighted {
    static constexpr RuleKind kind = RuleKind::weighted;
    static constexpr bool reducible = true;
    CHAMFER_INLINE double update(double ax, double bx, double, Sizes) { return (ax + bx) / 2; }
};

struct Ward {
    static constexpr RuleKind kind = RuleKind::ward;
    static constexpr bool reducible = true, spreads = false, sized = true;
    CHAMFER_INLINE double update(double ax, double bx, double ab, Sizes n) {
        return ((n.a + n.x) * ax + (n.b + n.x) * bx - n.x * ab) / (n.a + n.b + n.x);
    }
    static double ease(double size) { return 0.5 / size; }
    static double share(double a, double b) { return a / (a + b); }
};

struct Centroid {
    static constexpr RuleKind kind = RuleKind::centroid;
    static constexpr bool reducible = false, spreads = false, sized = false;
    CHAMFER_INLINE double update(double ax, double bx, double ab, Sizes n) {
        const double total = n.a + n.b;
        return (n.a * ax + n.b * bx - n.a * n.b * ab / total) / total;
    }
    static double ease(double) { return 0.5; }
    static double share(double a, double b) { return a / (a + b); }
};

struct Median {
    static constexpr RuleKind kind = RuleKind::median;
    static constexpr bool reducible = false, spreads = false, sized = false;
    CHAMFER_INLINE double update(double ax, double bx, double ab, Sizes) { return (ax + bx) / 2 - ab / 4; }
    static double ease(double) { return 0.5; }
    static double share(double, double) { return 0.5; }
};

// Average linkage of squared Euclidean distances: their mean exceeds that of the centres by the two variances.
struct MeanSquare : Average {
    static constexpr bool spreads = true, sized = false;
    static double ease(double) { return 0.5; }
    static double share(double a, double b) { return a / (a + b); }
};

// Rules that can be told from the centres of two clusters, their sizes and their variances. The value is
//   (|centre A - centre B|^2 + spread A + spread B) / (ease A + ease B),
// the spread being the variance if it counts at all. The eases depend on sizes if `sized`, otherwise they add up to
// one. `share` says how much of the new centre comes from a.
template <class R>
concept CentreRule = Rule<R> && requires(double value) {
    { R::spreads } -> std::convertible_to<bool>;
    { R::sized } -> std::convertible_to<bool>;
    { R::ease(value) } -> std::same_as<double>;
    { R::share(value, value) } -> std::same_as<double>;
};

// The value without spreads, from the squared distance of the centres and the sizes.
template <CentreRule R>
double between(double squared, double a, double b) {
    return squared / (R::ease(a) + R::ease(b));
}

}  // namespace chamfer
