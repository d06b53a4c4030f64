// The short way for few points: one call from the caller's array to Z, on one thread.
//
// It answers what is plain, and gives None for everything else: what needs a word to the user, another type or layout,
// or a unit that would lose digits. `chamfer.hac` then goes the long way, which comes to the same Z.
#include "../distance/few.hpp"

#include <cmath>
#include <memory>

#include "../distance/unit.hpp"
#include "bind.hpp"
#include "dense.hpp"

namespace chamfer {
namespace {

enum class Family { rule, squared_rule, chamfer };

Family family_of(const std::string& method) {
    if (method.starts_with("chamfer")) return Family::chamfer;
    return method == "ward" || method == "centroid" || method == "median" ? Family::squared_rule : Family::rule;
}

// Exponents of factors that are numbers themselves.
template <class T>
constexpr int kMost = sizeof(T) == 4 ? 120 : 1000;

// Heights are multiplied by two to this power, after their root is taken if they are squared.
struct Heights {
    bool squared;
    int exponent;
};

void restore(Merges& merges, Heights heights) {
    for (Merge& merge : merges) {
        if (heights.squared) merge.height = std::sqrt(std::max(merge.height, 0.0));
        merge.height = std::ldexp(merge.height, heights.exponent);
    }
}

// The points in their unit, or nothing if that takes more thought.
template <class T>
std::unique_ptr<T[]> measure(const Points<T>& given, int& exponent) {
    const Index n = given.n, d = given.d;
    std::vector<T> low(d), high(d);
    if (!kernels<T>().column_ranges(given.data, n, d, low.data(), high.data())) return nullptr;
    const Unit unit = choose_unit(low.data(), high.data(), d);
    exponent = unit.exponent;
    if (exponent > 0 || -exponent > kMost<T>) return nullptr;
    const T factor = std::ldexp(T{1}, -exponent);
    const std::vector<T> shift(unit.shift.begin(), unit.shift.end());
    auto own = std::make_unique_for_overwrite<T[]>(n * d);
    for (Index i = 0; i < n; ++i) kernels<T>().change_unit(given.row(i), shift.data(), factor, d, &own[i * d]);
    return own;
}

template <class T>
Merges by_chamfer(const std::string& method, const Points<T>& points) {
    const Index n = points.n;
    const auto matrix = std::make_unique_for_overwrite<T[]>(n * n);
    few_distances(points, {.root = true, .factor = 1}, Triangle<T>{matrix.get(), n, false});
    mirror(matrix.get(), n, 1);
    const bool normalized = method.find("normalized") != method.npos,
               symmetric = method.find("symmetric") != method.npos;
    return merges_by_chamfer(normalized, symmetric, matrix.get(), n, 1, [](Index) {});
}

template <class T>
bool from_points(const Points<T>& given, const std::string& method, Merges& merges) {
    int exponent;
    if (given.n > kFewPoints || given.n == given.d) return false;
    const auto own = measure(given, exponent);
    if (!own) return false;
    nb::gil_scoped_release unlocked;
    const Points<T> points{own.get(), given.n, given.d};
    const Family family = family_of(method);
    const bool squared = family == Family::squared_rule;
    if (family == Family::chamfer) {
        merges = by_chamfer(method, points);
    } else {
        Square<T> matrix(given.n);
        few_distances(points, {.root = !squared, .factor = 1}, matrix);
        matrix.mirror();
        merges = merges_by_rule(method, matrix);
    }
    restore(merges, {squared, exponent});
    return true;
}

template <class T>
bool from_distances(const T* given, Index n, const std::string& method, Merges& merges) {
    const Family family = family_of(method);
    const Index pairs = n * (n - 1) / 2;
    T low, high;
    if (n > kFewPoints || family == Family::chamfer || !kernels<T>().column_ranges(given, pairs, 1, &low, &high))
        return false;
    if (low < 0 || static_cast<double>(high) > std::numeric_limits<double>::max() / (4 * static_cast<double>(n)))
        return false;
    const T zero = 0;
    const bool squared = family == Family::squared_rule;
    const int exponent = squared ? choose_unit(&zero, &high, 1).exponent : 0;
    if (std::abs(exponent) > kMost<T>) return false;
    Square<T> matrix(n);
    for (Index i = 0; i < n - 1; given += n - 1 - i, ++i) std::copy_n(given, n - 1 - i, matrix.row(i) + i + 1);
    nb::gil_scoped_release unlocked;
    const T factor = std::ldexp(T{1}, -exponent);
    for (Index i = 0; squared && i < n; ++i)
        for (T* each = matrix.row(i) + i + 1; each < matrix.row(i) + n; ++each)
            *each = (*each * factor) * (*each * factor);
    matrix.mirror();
    merges = merges_by_rule(method, matrix);
    restore(merges, {squared, exponent});
    return true;
}

template <class T>
bool from_array(const nb::ndarray<nb::ro, nb::device::cpu>& X, const std::string& method, Merges& merges) {
    const T* data = static_cast<const T*>(X.data());
    const Index rows = static_cast<Index>(X.shape(0));
    if (X.ndim() == 2) {
        const Index d = static_cast<Index>(X.shape(1));
        if (rows < 2 || d < 1 || X.stride(1) != 1 || X.stride(0) != d) return false;
        return from_points(Points<T>{data, rows, d}, method, merges);
    }
    const Index n = static_cast<Index>((1 + std::sqrt(1 + 8 * static_cast<double>(rows))) / 2);
    if (n < 2 || n * (n - 1) / 2 != rows || X.stride(0) != 1) return false;
    return from_distances(data, n, method, merges);
}

}  // namespace

void bind_few(nb::module_& m) {
    m.def(
        "few",
        [](nb::object given, const std::string& method, nb::object empty) -> nb::object {
            Merges merges;
            bool done = false;
            nb::ndarray<nb::ro, nb::device::cpu> X;
            if (nb::try_cast(given, X, false) && (X.ndim() == 1 || X.ndim() == 2)) {
                if (X.dtype() == nb::dtype<double>()) done = from_array<double>(X, method, merges);
                if (X.dtype() == nb::dtype<float>()) done = from_array<float>(X, method, merges);
            }
            if (!done) return nb::none();
            nb::object Z = empty(nb::make_tuple(merges.size(), 4));
            write_tree(merges, nb::cast<Array<double, 2>>(Z).data());
            return Z;
        },
        "X"_a, "method"_a, "empty"_a, "Z of few points or distances; None if that takes more thought.");
}

}  // namespace chamfer
