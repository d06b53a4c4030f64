// Rows of distances: by metrics of their own loops, of bits, and of sparse points.
#include "../distance/sparse.hpp"
#include "bind.hpp"

namespace chamfer {
namespace {

int row_metric_of(const std::string& name) {
    if (name == "cityblock") return 0;
    if (name == "chebyshev") return 1;
    if (name == "nan_euclidean") return 2;
    throw nb::value_error("the core knows rows of cityblock, chebyshev and nan_euclidean");
}

template <class T>
void bind_packed(nb::module_& m) {
    m.def(
        "packed_rows",
        [](Array<const T, 2> queries, Array<const T, 3> strips, const std::string& metric, Array<double, 2> out,
           int threads) {
            const auto loop = kernels<T>().packed_rows[row_metric_of(metric)];
            const bool root = metric == "nan_euclidean";
            const Points<T> rows = points_of<T>(queries);
            const Index blocks = static_cast<Index>(strips.shape(0)), width = blocks * kBlock;
            nb::gil_scoped_release unlocked;
            parallel_tasks(rows.n, threads, [&](Index i, int) {
                double* to = out.data() + i * width;
                loop(rows.row(i), strips.data(), rows.d, blocks, to);
                if (root) kernels<double>().from_squared({.root = true, .factor = 1}, to, width, to);
            });
        },
        "queries"_a.noconvert(), "strips"_a.noconvert(), nb::kw_only(), "metric"_a, "out"_a.noconvert(), "threads"_a,
        "Writes distances of queries to points in packed blocks, see kernels/metrics.hpp.");
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
            const Lines<T> queries{query_starts.data(), query_places.data(), query_values.data()};
            const Lines<T> points{starts.data(), places.data(), values.data()};
            const Lines<T> columns{column_starts.data(), column_places.data(), column_values.data()};
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

}  // namespace

void bind_rows(nb::module_& m) {
    bind_packed<float>(m);
    bind_packed<double>(m);
    m.attr("BLOCK") = kBlock;
    m.def("bit_rows", bit_rows, "queries"_a.noconvert(), "rows"_a.noconvert(), nb::kw_only(), "d"_a, "jaccard"_a,
          "out"_a.noconvert(), "threads"_a, "Writes Hamming or Jaccard distances of rows of d bits.");
    bind_sparse<float>(m);
    bind_sparse<double>(m);
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
