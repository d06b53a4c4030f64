// Matrix multiplication, and all distances at once.
#include "../distance/pairwise.hpp"
#include "../distance/unit.hpp"
#include "bind.hpp"

namespace chamfer {
namespace {

template <class T>
void bind_pairwise(nb::module_& m) {
    m.def(
        "centre", [](Array<const T, 2> X) { return to_numpy(centre(points_of<T>(X)), {X.shape(1)}); },
        "X"_a.noconvert(),
        "Near the column means, in few bits: shifted integers stay integers, and their products exact.");
    m.def(
        "pairwise_distances",
        [](Array<const T, 2> X, Array<const double, 1> shift, const std::string& metric,
           nb::ndarray<T, nb::c_contig, nb::device::cpu> out, const Blas& blas, int threads, nb::object callback) {
            const Tick tick = python_tick(callback);
            const auto [points, kind] = distances_of<T>(X, metric);
            const Triangle<T> triangle{out.data(), points.n, out.ndim() == 1};
            nb::gil_scoped_release unlocked;
            pairwise(points, shift.data(), kind, triangle, blas, threads, tick);
        },
        "X"_a.noconvert(), nb::kw_only(), "shift"_a, "metric"_a, "out"_a.noconvert(), "blas"_a, "threads"_a,
        "tick"_a = nb::none(),
        "Writes all distances into `out`, condensed if it has one dimension, square if it has two.");
}

// Cython names a capsule by the C signature of its function. Ours takes 32-bit integers.
void check_signature(const nb::capsule& gemm) {
    const std::string name = gemm.name() ? gemm.name() : "";
    const auto number = [](const std::string& argument) {
        return argument != "char *" && argument != "int *" && argument.find('*') != std::string::npos;
    };
    std::vector<std::string> arguments;
    const std::size_t open = name.find('('), close = name.rfind(')');
    if (name.rfind("void (", 0) == 0 && close != std::string::npos)
        for (std::size_t start = open + 1; start < close;) {
            const std::size_t end = std::min(name.find(", ", start), close);
            arguments.push_back(name.substr(start, end - start));
            start = end + 2;
        }
    bool fits = arguments.size() == 13;
    for (std::size_t i = 0; fits && i < 13; ++i) {
        const char kind = "ccIIIxxIxIxxI"[i];
        fits = kind == 'c' ? arguments[i] == "char *" : kind == 'I' ? arguments[i] == "int *" : number(arguments[i]);
    }
    if (!fits) throw nb::import_error(("scipy.linalg.cython_blas has a gemm of another signature: " + name).c_str());
}

template <class T>
void bind_range(nb::module_& m) {
    m.def(
        "value_range",
        [](Array<const T, 1> values) {
            T low, high;
            bool finite;
            {
                nb::gil_scoped_release unlocked;
                const Index n = static_cast<Index>(values.size());
                finite = kernels<T>().column_ranges(values.data(), n, 1, &low, &high);
            }
            return nb::make_tuple(low, high, finite);
        },
        "values"_a.noconvert(), "The smallest and the largest value, of one at least, and whether all are finite.");
}

}  // namespace

void bind_distances(nb::module_& m) {
    nb::class_<Blas>(m, "Blas", "Matrix multiplication from the capsules of scipy.linalg.cython_blas.")
        .def(
            "__init__",
            [](Blas* self, nb::capsule sgemm, nb::capsule dgemm) {
                check_signature(sgemm), check_signature(dgemm);
                new (self)
                    Blas{reinterpret_cast<Gemm<float>>(sgemm.data()), reinterpret_cast<Gemm<double>>(dgemm.data())};
            },
            "sgemm"_a, "dgemm"_a);
    m.def(
        "choose_unit",
        [](Array<const double, 1> low, Array<const double, 1> high) {
            Unit unit = choose_unit(low.data(), high.data(), static_cast<Index>(low.shape(0)));
            return nb::make_tuple(to_numpy(std::move(unit.shift), {low.shape(0)}), unit.exponent);
        },
        "low"_a, "high"_a, "Shift and exponent of the unit for points whose columns range from low to high.");
    m.def(
        "few_distances",
        [](Array<const double, 2> X, const std::string& metric, nb::ndarray<double, nb::c_contig, nb::device::cpu> out,
           int threads, nb::object callback) {
            const Tick tick = python_tick(callback);
            const auto [points, kind] = distances_of<double>(X, metric);
            const Triangle<double> triangle{out.data(), points.n, out.ndim() == 1};
            nb::gil_scoped_release unlocked;
            few_distances(points, kind, triangle, threads, tick);
            if (!triangle.condensed) mirror(triangle.data, triangle.n, threads);
        },
        "X"_a.noconvert(), nb::kw_only(), "metric"_a, "out"_a.noconvert(), "threads"_a, "tick"_a = nb::none(),
        "Writes all distances between few points into `out`, as doubles.");
    bind_range<float>(m);
    bind_range<double>(m);
    bind_pairwise<float>(m);
    bind_pairwise<double>(m);
    m.attr("DIFFERENCES") = kSequential;
}

}  // namespace chamfer
