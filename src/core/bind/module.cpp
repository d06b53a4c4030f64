// The module: all doors in one place.
#include <cstdlib>

#include "bind.hpp"

using namespace chamfer;

namespace {

// Tests and reports name a level; one that this machine cannot run must not pass for it.
void check_level() {
    const char* wanted = std::getenv("CHAMFER_LEVEL");
    if (wanted && std::string(wanted) != level->name)
        throw nb::import_error(("CHAMFER_LEVEL must be a level that this machine knows, the best of which is " +
                                std::string(level->name) + "; got " + wanted)
                                   .c_str());
}

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "The compiled core of chamfer. It trusts its caller: use the functions of the package.";
    nb::set_leak_warnings(false);  // a traceback that somebody keeps until the end is no leak of ours
    check_level();
    m.attr("level") = level->name;
    bind_distances(m);
    bind_searches(m);
    bind_graph(m);
    bind_rows(m);
    bind_dense_chamfer(m);
    bind_dense_rules(m);
    bind_constraints(m);
    bind_allowed(m);
    bind_contraction(m);
    bind_chamfer_contraction(m);
    bind_few(m);
    bind_few_points(m);
    bind_centre_lists(m);
    bind_spanning(m);
    bind_lists(m);
    bind_symmetric_lists(m);
    bind_tradeoff(m);
    bind_trees(m);
    bind_curves(m);
}
