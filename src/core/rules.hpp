// The classical linkages as Lance-Williams rules: the value between x and the union of a and b, from the
// three values between a, b and x and the sizes. Ward, centroid and median work on squared Euclidean
// distances and give squared heights. `reducible` says that a merge brings nobody closer: only then is the
// nearest-neighbour chain correct. G. N. Lance, W. T. Williams, A general theory of classificatory sorting
// strategies, Comput. J. 9 (1967) 373-380.
#pragma once

#include <algorithm>
#include <concepts>

namespace chamfer {

struct Sizes {
    double a, b, x;
};

template <class R>
concept Rule = requires(double value, Sizes sizes) {
    { R::reducible } -> std::convertible_to<bool>;
    { R::update(value, value, value, sizes) } -> std::same_as<double>;
};

struct Single {
    static constexpr bool reducible = true;
    static double update(double ax, double bx, double, Sizes) { return std::min(ax, bx); }
};

struct Complete {
    static constexpr bool reducible = true;
    static double update(double ax, double bx, double, Sizes) { return std::max(ax, bx); }
};

struct Average {
    static constexpr bool reducible = true;
    static double update(double ax, double bx, double, Sizes n) { return (n.a * ax + n.b * bx) / (n.a + n.b); }
};

struct Weighted {
    static constexpr bool reducible = true;
    static double update(double ax, double bx, double, Sizes) { return (ax + bx) / 2; }
};

struct Ward {
    static constexpr bool reducible = true;
    static double update(double ax, double bx, double ab, Sizes n) {
        return ((n.a + n.x) * ax + (n.b + n.x) * bx - n.x * ab) / (n.a + n.b + n.x);
    }
    // The same from centres: what merging costs, scaled so that two points are at their squared distance.
    static double between(double squared, double a, double b) { return 2 * a * b / (a + b) * squared; }
    static double share(double a, double b) { return a / (a + b); }
};

struct Centroid {
    static constexpr bool reducible = false;
    static double update(double ax, double bx, double ab, Sizes n) {
        const double total = n.a + n.b;
        return (n.a * ax + n.b * bx - n.a * n.b * ab / total) / total;
    }
    static double between(double squared, double, double) { return squared; }
    static double share(double a, double b) { return a / (a + b); }
};

struct Median {
    static constexpr bool reducible = false;
    static double update(double ax, double bx, double ab, Sizes) { return (ax + bx) / 2 - ab / 4; }
    static double between(double squared, double, double) { return squared; }
    static double share(double, double) { return 0.5; }
};

// Rules that can be told from the centres of two clusters and their sizes; `between` must not fall when a
// size grows, and `share` says how much of the new centre comes from a.
template <class R>
concept CentreRule = Rule<R> && requires(double value) {
    { R::between(value, value, value) } -> std::same_as<double>;
    { R::share(value, value) } -> std::same_as<double>;
};

}  // namespace chamfer
