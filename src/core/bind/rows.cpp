// Rows of distances: by metrics of their own loops, of bits, and of sparse points.
#include "../distance/rows.hpp"

#include "../distance/sparse.hpp"
#include "../search/packed_search.hpp"
#include "../search/sparse_search.hpp"
#include "bind.hpp"

namespace chamfer {
namespace {

RowMetric row_metric_of(const std::string& name) {
    if (name == "cityblock") return {kCityBlock, {.root = false, .factor = 1}};
    if (name == "chebyshev") return {1, {.root = false, .factor = 1}};
    if (name == "nan_euclidean") return {2, {.root = true, .factor = 1}};
    throw nb::value_error("the core knows rows of cityblock, chebyshev and nan_euclidean");
}

template <class T>
Strips<T> strips_of(const Array<const T, 3>& strips) {
    return {strips.data(), static_cast<Index>(strips.shape(0)), static_cast<Index>(strips.shape(1))};
}

template <class T>
void bind_packed(nb::module_& m) {
    m.def(
        "packed_rows",
        [](Array<const T, 2> queries, Array<const T, 3> strips, const std::string& metric, Array<double, 2> out,
           int threads) {
            const RowMetric kind = row_metric_of(metric);
            nb::gil_scoped_release unlocked;
            packed_rows(points_of<T>(queries), strips_of<T>(strips), kind, out.data(), threads);
        },
        "queries"_a.noconvert(), "strips"_a.noconvert(), nb::kw_only(), "metric"_a, "out"_a.noconvert(), "threads"_a,
        "Writes distances of queries to points in packed blocks, see distance/rows.hpp.");
    m.def(
        "packed_triangle",
        [](Array<const T, 2> X, Array<const T, 3> strips, const std::string& metric,
           nb::ndarray<T, nb::c_contig, nb::device::cpu> out, int threads, nb::object callback) {
            const Tick tick = python_tick(callback);
            const RowMetric kind = row_metric_of(metric);
            const Points<T> points = points_of<T>(X);
            const Triangle<T> triangle{out.data(), points.n, out.ndim() == 1};
            nb::gil_scoped_release unlocked;
            return static_cast<double>(packed_triangle(points, strips_of<T>(strips), kind, triangle, threads, tick));
        },
        "X"_a.noconvert(), "strips"_a.noconvert(), nb::kw_only(), "metric"_a, "out"_a.noconvert(), "threads"_a,
        "tick"_a = nb::none(),
        "Writes all distances, condensed or square; gives the largest, infinity if one is no number.");
}

void bit_rows(Array<const std::uint64_t, 2> queries, Array<const std::uint64_t, 2> rows, Index d, bool jaccard,
              Array<double, 2> out, int threads) {
    const Index words = static_cast<Index>(rows.shape(1)), n = static_cast<Index>(rows.shape(0));
    nb::gil_scoped_release unlocked;
    parallel_tasks(static_cast<Index>(queries.shape(0)), threads, [&](Index i, int) {
        std::vector<Id> differ(n), either(n);
        level->others->count_bits(queries.data() + i * words, rows.data(), words, n, differ.data(), either.data());
        double* to = out.data() + i * n;
        for (Index j = 0; j < n; ++j)
            to[j] = differ[j] ? static_cast<double>(differ[j]) / static_cast<double>(jaccard ? either[j] : d) : 0;
    });
}

template <class T>
void bind_sparse(nb::module_& m) {
    m.def(
        "sparse_rows",
        [](Array<const Index, 1> query_starts, Array<const Id, 1> query_places, Array<const T, 1> query_values,
           Array<const Index, 1> starts, Array<const Id, 1> places, Array<const T, 1> values,
           Array<const Index, 1> column_starts, Array<const Id, 1> column_places, Array<const T, 1> column_values,
           Index first, const std::string& metric, Array<double, 2> out, int threads) {
            const Compressed<T> queries{query_starts.data(), query_places.data(), query_values.data()};
            const Compressed<T> points{starts.data(), places.data(), values.data()};
            const Compressed<T> columns{column_starts.data(), column_places.data(), column_values.data()};
            const Metric kind = metric_of(metric);
            const Index n = static_cast<Index>(starts.shape(0)) - 1, count = static_cast<Index>(out.shape(0));
            nb::gil_scoped_release unlocked;
            sparse_distances(queries, count, points, columns, n, first, kind, out.data(), threads);
        },
        "query_starts"_a.noconvert(), "query_places"_a.noconvert(), "query_values"_a.noconvert(), nb::kw_only(),
        "starts"_a.noconvert(), "places"_a.noconvert(), "values"_a.noconvert(), "column_starts"_a.noconvert(),
        "column_places"_a.noconvert(), "column_values"_a.noconvert(), "first"_a, "metric"_a, "out"_a.noconvert(),
        "threads"_a, "Writes distances of sparse queries to the sparse points from `first` on.");
}

template <class T>
void bind_packed_search(nb::module_& m, const char* name) {
    using Search = PackedSearch<T>;
    nb::class_<Search> c(m, name, "Nearest clusters by cityblock or chebyshev.");
    m.def(
        "packed_search",
        [](Array<const T, 3> strips, Array<const Id, 1> order, Array<const Id, 1> leading, const std::string& metric) {
            return Search(strips_of<T>(strips), order.data(), static_cast<Index>(order.size()), leading.data(),
                          static_cast<Index>(leading.size()), row_metric_of(metric));
        },
        "strips"_a.noconvert(), nb::kw_only(), "order"_a.noconvert(), "leading"_a.noconvert(), "metric"_a,
        nb::keep_alive<0, 1>(), "A search among packed points, by boxes of their leading coordinates.");
    bind_nearest<Search, T>(c);
}

template <class T>
void bind_sparse_search(nb::module_& m, const char* name) {
    using Search = SparseSearch<T>;
    nb::class_<Search> c(m, name, "Nearest clusters of sparse points.");
    m.def(
        "sparse_search",
        [](Array<const Index, 1> starts, Array<const Id, 1> places, Array<const T, 1> values,
           Array<const Index, 1> column_starts, Array<const Id, 1> column_places, Array<const T, 1> column_values,
           Array<const bool, 1> frequent, const std::string& metric) {
            const Compressed<T> points{starts.data(), places.data(), values.data()};
            const Compressed<T> columns{column_starts.data(), column_places.data(), column_values.data()};
            return Search(points, columns, frequent.data(), static_cast<Index>(starts.shape(0)) - 1,
                          static_cast<Index>(frequent.shape(0)), metric_of(metric));
        },
        "starts"_a.noconvert(), "places"_a.noconvert(), "values"_a.noconvert(), nb::kw_only(),
        "column_starts"_a.noconvert(), "column_places"_a.noconvert(), "column_values"_a.noconvert(),
        "frequent"_a.noconvert(), "metric"_a, nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(), nb::keep_alive<0, 3>(),
        nb::keep_alive<0, 4>(), nb::keep_alive<0, 5>(), nb::keep_alive<0, 6>(),
        "A search among sparse points; columns hold the points of each coordinate that is not frequent.");
    bind_nearest<Search, T>(c);
}

}  // namespace

void bind_rows(nb::module_& m) {
    bind_packed<float>(m);
    bind_packed<double>(m);
    m.attr("BLOCK") = kBlock;
    m.def("bit_rows", bit_rows, "queries"_a.noconvert(), "rows"_a.noconvert(), nb::kw_only(), "d"_a, "jaccard"_a,
          "out"_a.noconvert(), "threads"_a, "Writes Hamming or Jaccard distances of rows of d bits.");
    bind_sparse<float>(m);
    bind_sparse<double>(m);
    bind_packed_search<float>(m, "PackedSearch32");
    bind_packed_search<double>(m, "PackedSearch64");
    bind_sparse_search<float>(m, "SparseSearch32");
    bind_sparse_search<double>(m, "SparseSearch64");
    m.def(
        "edges_tree",
        [](Array<const Id, 1> first, Array<const Id, 1> second, Array<const double, 1> lengths) {
            Merges merges(first.shape(0));
            for (std::size_t i = 0; i < merges.size(); ++i) {
                const auto [a, b] = std::minmax(first.data()[i], second.data()[i]);
                merges[i] = {a, b, lengths.data()[i]};
            }
            return tree_of(by_tie_rule(std::move(merges)));
        },
        "first"_a, "second"_a, "lengths"_a, "Z of single linkage from the edges of a spanning tree.");
}

}  // namespace chamfer
