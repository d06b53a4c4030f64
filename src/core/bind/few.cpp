// The short way for few points: one call from the caller's arrays to trees, a problem on a thread.
//
// Few points are clustered in double, also those in float: they take no room, and no rounding of theirs decides a
// merge. It answers what is plain, and gives None for everything else: what needs a word to the user, another type or
// layout, or a unit that would lose digits. Python then goes the long way, which comes to the same Z.
#include "../distance/few.hpp"

#include <cmath>
#include <functional>
#include <memory>
#include <numeric>

#include "../distance/unit.hpp"
#include "../engine/grid_ward.hpp"
#include "bind.hpp"
#include "dense.hpp"

namespace chamfer {
namespace {

struct How {
    std::string method;
    Metric metric;
    bool cosine;
    int threads;  // for the distances of one problem
    Tick tick;    // of the distances
    bool doubt;   // whether as many coordinates as points, which may be distances, take more thought

    How(const std::string& method, const std::string& name, int threads, Tick tick, bool doubt)
        : method(method),
          metric(metric_of(name)),
          cosine(name == "cosine"),
          threads(threads),
          tick(std::move(tick)),
          doubt(doubt) {}
    bool chamfer() const { return method.starts_with("chamfer"); }
    bool squared() const { return method == "ward" || method == "centroid" || method == "median"; }
    bool has(const char* word) const { return method.find(word) != method.npos; }
};

// The two to this power; false if it is no number.
bool power(int exponent, double& factor) {
    factor = std::ldexp(1.0, exponent);
    return std::isnormal(factor);
}

// Writes points in their unit, whose exponent it gives; false if that takes more thought.
template <class T>
bool measure(const Points<T>& given, bool cosine, double* rows, int& exponent) {
    const Index n = given.n, d = given.d;
    std::vector<double> low(d), high(d);
    // The copy is checked: the caller may change the array.
    if (!kernels<T>().take(given.data, n, d, rows, low.data(), high.data())) return false;
    exponent = 0;
    if (cosine) return directions(rows, n, d) == 0;
    const Unit unit = choose_unit(low.data(), high.data(), d);
    exponent = unit.exponent;
    double factor;
    if (exponent > 0 || !power(-exponent, factor)) return false;
    // Squares of floats neither overflow nor vanish in double, nor do differences of such floats in float.
    constexpr int kSmall = -100;
    if (std::is_same_v<T, float> && !unit.shifts() && exponent > kSmall) {
        exponent = 0;
        return true;
    }
    for (Index i = 0; i < n; ++i)
        kernels<double>().change_unit(rows + i * d, unit.shift.data(), factor, d, rows + i * d);
    return true;
}

// Distances d, up to the largest, become (d * factor)^2, factor = 2^-exponent; false if that takes more thought.
bool unit_of_squares(double largest, int& exponent, double& factor) {
    const double zero = 0;
    exponent = choose_unit(&zero, &largest, 1).exponent;
    return power(-exponent, factor);
}

// Heights as the user measures them.
void restore(Merges& merges, bool squared, int exponent) {
    if (squared)
        for (Merge& merge : merges) merge.height = std::sqrt(std::max(merge.height, 0.0));
    double factor;
    if (power(exponent, factor)) {  // the same as ldexp, in a tenth of its time
        if (exponent != 0)
            for (Merge& merge : merges) merge.height *= factor;
    } else {
        for (Merge& merge : merges) merge.height = std::ldexp(merge.height, exponent);
    }
}

template <class T>
bool from_points(const Points<T>& given, const How& how, Merges& merges, RowsAhead ahead) {
    const Index n = given.n, d = given.d;
    if (how.doubt && n == d) return false;
    const Lines<double> own(n * d);
    int exponent;
    if (!measure(given, how.cosine, own.data(), exponent)) return false;
    const Points<double> points{own.data(), n, d};
    const bool euclidean = how.metric.root;
    if (how.method == "ward" && euclidean && Grid::takes(n, d)) {
        if (grid_ward(own.data(), n, d, how.threads, merges, ahead)) {
            restore(merges, true, exponent);
            return true;
        }
        if (!measure(given, false, own.data(), exponent)) return false;
    }
    if (how.chamfer()) {
        const auto matrix = std::make_unique_for_overwrite<double[]>(n * n);
        few_distances(points, how.metric, Triangle<double>{matrix.get(), n, false}, how.threads, how.tick);
        mirror(matrix.get(), n, 1);
        merges = merges_by_chamfer(how.has("normalized"), how.has("symmetric"), matrix.get(), n, 1, [](Index) {});
    } else {
        Square<double> matrix(n);
        const bool squares = how.squared() && euclidean;
        few_distances(points, squares ? Metric{.root = false, .factor = 1} : how.metric, matrix, how.threads, how.tick);
        int other = 0;
        if (how.squared() && !squares) {
            double largest = 0, factor;
            for (Index i = 0; i < n; ++i)
                for (Index j = i + 1; j < n; ++j) largest = std::max(largest, matrix.row(i)[j]);
            if (!unit_of_squares(largest, other, factor)) return false;
            for (Index i = 0; i < n; ++i) level->others->square(factor, n - i - 1, matrix.row(i) + i + 1);
        }
        merges = merges_by_rule(how.method, matrix);
        if (how.squared()) restore(merges, true, other);
    }
    restore(merges, false, euclidean ? exponent : 2 * exponent);
    return true;
}

// A square of as many values is merged in less time than a triangle; `single` by rounds is faster from 1,500 points.
constexpr Index kFewDistances = 1024;

template <class T>
bool from_distances(const T* given, Index n, const How& how, Merges& merges) {
    if (how.chamfer()) return false;
    // Of more points, values are kept in the type of the distances; only those of single linkage do not change.
    if (n > kFewPoints && std::is_same_v<T, float> && how.method != "single") return false;
    Square<double> matrix(n);
    double low, high;
    if (!matrix.fill(given, low, high) || low < 0) return false;  // of the copy: the caller may change the array
    if (high > std::numeric_limits<double>::max() / (4 * static_cast<double>(n))) return false;
    int exponent = 0;
    if (how.squared()) {
        double factor;
        if (!unit_of_squares(high, exponent, factor)) return false;
        for (Index i = 0; i < n; ++i) level->others->square(factor, n - i - 1, matrix.row(i) + i + 1);
    }
    merges = merges_by_rule(how.method, matrix);
    restore(merges, how.squared(), exponent);
    return true;
}

// An array of the user's that looks plain, as far as can be told without reading it.
class Given {
   public:
    explicit Given(nb::handle object) {
        if (!nb::try_cast(object, array_, false)) return;
        const bool is_double = array_.dtype() == nb::dtype<double>();
        if (!is_double && array_.dtype() != nb::dtype<float>()) return;
        const Index rows = array_.ndim() > 0 ? static_cast<Index>(array_.shape(0)) : 0;
        if (array_.ndim() == 2) {
            d_ = static_cast<Index>(array_.shape(1));
            n_ = d_ > 0 && array_.stride(1) == 1 && array_.stride(0) == d_ ? rows : 0;
        } else if (array_.ndim() == 1 && array_.stride(0) == 1) {
            n_ = static_cast<Index>((1 + std::sqrt(1 + 8 * static_cast<double>(rows))) / 2);
            if (n_ * (n_ - 1) / 2 != rows) n_ = 0;
        }
        if (n_ < 2 || n_ > (d_ > 0 ? kFewPoints : kFewDistances)) n_ = 0;
    }

    Index n() const { return n_; }  // zero if it takes more thought
    bool of_points() const { return d_ > 0; }
    Index cost() const { return n_ * n_ * (d_ + 100); }  // in products of coordinates
    RowsAhead rows() const { return {array_.data(), n_, d_ * static_cast<Index>(array_.itemsize())}; }
    // Rows that are needed next may be asked for meanwhile.
    bool cluster(const How& how, Merges& merges, RowsAhead ahead = {}) const {
        return array_.dtype() == nb::dtype<double>() ? cluster_as<double>(how, merges, ahead)
                                                     : cluster_as<float>(how, merges, ahead);
    }

   private:
    template <class T>
    bool cluster_as(const How& how, Merges& merges, RowsAhead ahead) const {
        const T* data = static_cast<const T*>(array_.data());
        return d_ > 0 ? from_points(Points<T>{data, n_, d_}, how, merges, ahead)
                      : from_distances(data, n_, how, merges);
    }

    nb::ndarray<nb::ro, nb::device::cpu> array_;
    Index n_ = 0, d_ = 0;
};

constexpr Index kBrief = Index{1} << 17;  // in products: a few microseconds, in which nobody needs the interpreter

nb::object few(nb::object X, const std::string& method, const std::string& metric, int threads, nb::object empty) {
    const Given given(X);
    Merges merges;
    {
        if (given.n() == 0) return nb::none();
        prepare_to_throw();
        const How how(method, metric, threads, given.of_points() ? python_tick(nb::none()) : Tick(), true);
        std::optional<nb::gil_scoped_release> unlocked;
        if (given.cost() > kBrief) unlocked.emplace();
        if (!given.cluster(how, merges)) merges.clear();
    }
    if (merges.empty()) return nb::none();
    nb::object Z = empty(nb::make_tuple(merges.size(), 4));
    write_tree(merges, nb::cast<Array<double, 2>>(Z).data());
    return Z;
}

// Large problems come first, so that no thread waits long for the last ones.
std::vector<Index> by_cost(const std::vector<Given>& given) {
    std::vector<Index> order(given.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::stable_sort(order, std::greater{}, [&](Index i) { return given[i].cost(); });
    return order;
}

constexpr Index kProducts = Index{1} << 32;  // of a thread between ticks: some 50 milliseconds

// Where the problems of a batch of this cost end that begins with order[first].
Index end_of_batch(const std::vector<Given>& given, const std::vector<Index>& order, Index first, Index most) {
    Index last = first, cost = 0;
    while (last < static_cast<Index>(order.size()) && cost <= most) cost += 1 + given[order[last++]].cost();
    return last;
}

nb::list few_many(nb::list problems, const std::string& method, const std::string& metric, nb::object empty,
                  int threads, nb::object callback) {
    const How how(method, metric, 1, [](Index) {}, false);  // ticks must not come from several threads
    const Tick tick = python_tick(callback);
    const Index count = static_cast<Index>(problems.size());
    std::vector<Given> given;
    std::vector<nb::object> trees;
    std::vector<double*> Z;
    for (nb::handle problem : problems) {
        const Given& each = given.emplace_back(problem);
        trees.push_back(each.n() > 0 ? nb::object(empty(nb::make_tuple(each.n() - 1, 4))) : nb::none());
        Z.push_back(each.n() > 0 ? nb::cast<Array<double, 2>>(trees.back()).data() : nullptr);
    }
    {
        nb::gil_scoped_release unlocked;
        const std::vector<Index> order = by_cost(given);
        for (Index first = 0, last; first < count; first = last) {
            last = end_of_batch(given, order, first, kProducts * threads);
            parallel_tasks(last - first, threads, [&](Index task, int) {
                const Index i = order[first + task], next = first + task + threads;  // of this thread, more or less
                Merges merges;
                if (Z[i] && given[i].cluster(how, merges, next < count ? given[order[next]].rows() : RowsAhead()))
                    write_tree(merges, Z[i]);
                else
                    Z[i] = nullptr;
            });
            tick(first);
        }
    }
    nb::list done;
    for (Index i = 0; i < count; ++i) done.append(Z[i] ? trees[i] : nb::none());
    return done;
}

// Labels of the points of each tree, when it is cut to counts[i] clusters in merge order.
void cut_many(nb::list trees, Array<const Index, 1> counts, nb::list labels, int threads) {
    const Index count = static_cast<Index>(trees.size());
    std::vector<Array<const double, 2>> Z;
    std::vector<std::int64_t*> out;
    for (Index i = 0; i < count; ++i) {
        Z.push_back(nb::cast<Array<const double, 2>>(trees[i]));
        out.push_back(nb::cast<Array<std::int64_t, 1>>(labels[i]).data());
    }
    nb::gil_scoped_release unlocked;
    parallel_tasks(count, threads, [&](Index i, int) { cut_points(tree_from(Z[i]), counts.data()[i], out[i]); });
}

template <class T>
void mean_rows(const Points<T>& points, const std::int64_t* labels, Index count, T* out) {
    std::vector<double> sums(count * points.d);
    std::vector<Index> sizes(count);
    for (Index i = 0; i < points.n; ++i) {
        double* sum = &sums[labels[i] * points.d];
        ++sizes[labels[i]];
        for (Index k = 0; k < points.d; ++k) sum[k] += static_cast<double>(points.row(i)[k]);
    }
    for (Index c = 0; c < count; ++c)
        for (Index k = 0; k < points.d; ++k)
            out[c * points.d + k] = static_cast<T>(sums[c * points.d + k] / static_cast<double>(sizes[c]));
}

template <class T>
void bind_means(nb::module_& m) {
    m.def(
        "label_means",
        [](Array<const T, 2> X, Array<const std::int64_t, 1> labels, Array<T, 2> out) {
            const Points<T> points = points_of<T>(X);
            nb::gil_scoped_release unlocked;
            mean_rows(points, labels.data(), static_cast<Index>(out.shape(0)), out.data());
        },
        "X"_a.noconvert(), nb::kw_only(), "labels"_a, "out"_a.noconvert(),
        "Writes the mean of the rows of each label.");
}

template <class T>
void bind_directions(nb::module_& m) {
    m.def(
        "directions",
        [](Array<T, 2> X) {
            return directions(X.data(), static_cast<Index>(X.shape(0)), static_cast<Index>(X.shape(1)));
        },
        "X"_a.noconvert(), "Brings rows to unit length, in place; how many are zero, and stay so.");
}

}  // namespace

void bind_few(nb::module_& m) {
    m.attr("FEW") = kFewPoints;
    m.def("few", few, "X"_a, "method"_a, "metric"_a, "threads"_a, "empty"_a,
          "Z of few points or distances, in what `empty` gives; None if that takes more thought.");
    m.def("few_many", few_many, "problems"_a, nb::kw_only(), "method"_a, "metric"_a, "empty"_a, "threads"_a,
          "tick"_a = nb::none(), "The same of many problems, shared among threads.");
    m.def("cut_many", cut_many, "trees"_a, nb::kw_only(), "counts"_a, "labels"_a, "threads"_a,
          "Writes the labels of each tree, cut to so many clusters in merge order.");
    bind_means<float>(m);
    bind_means<double>(m);
    bind_directions<float>(m);
    bind_directions<double>(m);
}

}  // namespace chamfer
