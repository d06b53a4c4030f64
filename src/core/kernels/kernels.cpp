// The vector loops, compiled once for each level of the instruction set with CHAMFER_LEVEL_NAME naming it.
//
// Nothing here may be shared with files that are compiled for another machine: a linker that finds two copies of an
// inline function keeps either, and a copy with instructions that the machine does not know ends the process. So
// everything is in a namespace without a name, and no function of the standard library is called that is not a builtin.
#include "kernels.hpp"

#include "distances.hpp"
#include "grid.hpp"
#include "layout.hpp"
#include "metrics.hpp"
#include "near.hpp"
#include "scans.hpp"
#include "updates.hpp"

namespace chamfer {
namespace loops {
namespace {

template <class T>
constexpr Kernels<T> table() {
    return {squared_distance<T>,
            squared_distances<T>,
            static_cast<double (*)(const T*, const T*, Index)>(least_squared_distance),
            {packed_rows<CityBlock, T>, packed_rows<Chebyshev, T>, packed_rows<Present, T>},
            near_blocks<T>,
            nearest_both<T>,
            minimum<T>,
            find<T>,
            argmin<T>,
            nearest<T>,
            gather<T>,
            add<T>,
            relax<T>,
            mirror<T>,
            join<T>,
            relax_bounds<T>,
            from_squared<T>,
            shift<T>,
            lower<T>,
            dots<T>,
            column_ranges<T>,
            take<T>,
            spread<T>,
            change_unit<T>,
            mark_far<T>,
            mark_labelled<T>,
            mark_eased<T>,
            ranks<T>,
            ranks_by_number<T>,
            {update_row<Complete, T>, update_row<Average, T>, update_row<Weighted, T>, update_row<Ward, T>,
             update_row<Centroid, T>, update_row<Median, T>},
            unite_points<T>,
            look_again<T>,
            {bound_values<false, T>, bound_values<true, T>},
            older_minima<T>};
}

constexpr Kernels<float> floats = table<float>();
constexpr Kernels<double> doubles = table<double>();
constexpr DoubleKernels others{packed_distances, pack<double>, block_products, near_points, near_box,
                               nearest_rows,     count_bits,   find<Id>,       square,      divide,
                               cancel,           add_floats,   project,        adopt,       adopt_two};
constexpr GridKernels grid{mean,         centred,     to_grid,    pack<Id>,   grid_distances,
                           nearest_keys, keys_within, unite_ward, move_centre};

}  // namespace
}  // namespace loops

#define CHAMFER_JOIN(a, b) a##b
#define CHAMFER_LEVEL_OF(name) CHAMFER_JOIN(level_, name)
#define CHAMFER_QUOTE(name) #name
#define CHAMFER_NAME_OF(name) CHAMFER_QUOTE(name)

extern const Level CHAMFER_LEVEL_OF(CHAMFER_LEVEL_NAME);
const Level CHAMFER_LEVEL_OF(CHAMFER_LEVEL_NAME){CHAMFER_NAME_OF(CHAMFER_LEVEL_NAME), &loops::floats, &loops::doubles,
                                                 &loops::others, &loops::grid};

}  // namespace chamfer
