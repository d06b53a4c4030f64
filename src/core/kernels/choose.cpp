// Chooses the kernels for this machine when the module is loaded.
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "kernels.hpp"

namespace chamfer {

extern const Level level_base;
#if defined(CHAMFER_X86_LEVELS)
extern const Level level_v3, level_v4;
#endif

namespace {

#if defined(CHAMFER_X86_LEVELS)
bool has_v3() {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}
bool has_v4() {
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512cd");
}
#endif

// The best level of those that the machine knows, or the one that CHAMFER_LEVEL names if it is one of them.
const Level* choose() {
    const Level* known[3] = {&level_base};
    int count = 1;
#if defined(CHAMFER_X86_LEVELS)
    __builtin_cpu_init();
    if (has_v3()) known[count++] = &level_v3;
    if (has_v4()) known[count++] = &level_v4;
#endif
    if (const char* wanted = std::getenv("CHAMFER_LEVEL"))
        for (int i = 0; i < count; ++i)
            if (std::strcmp(wanted, known[i]->name) == 0) return known[i];
    return known[count - 1];
}

}  // namespace

const Level* level = choose();

}  // namespace chamfer
