// The vector loops. Each is compiled for several instruction sets and chosen when the program starts, so one
// build runs on any x86-64 and on ARM. Distances are accumulated in double whatever the points are stored in.
#pragma once

#include "types.hpp"

namespace chamfer {

// Up to this many coordinates are summed one after the other; more are summed in eight interleaved strands.
// Every kernel follows this rule, so d(p, q) is the same number wherever it is computed.
inline constexpr Index kSequential = 16;

double squared_distance(const float* x, const float* y, Index d);
double squared_distance(const double* x, const double* y, Index d);

// out[j] = squared distance from x to point j of [begin, end); coordinate k of point j is at columns[k * stride + j].
void squared_distances(const double* x, const double* columns, Index stride, Index d, Index begin, Index end,
                       double* out);

// Position of the smallest value; the first one if several are equal.
Index argmin(const float* values, Index n);
Index argmin(const double* values, Index n);

// values[i] = min(values[i], others[i])
void take_minimum(float* values, const float* others, Index n);
void take_minimum(double* values, const double* others, Index n);

// values[i] += others[i]
void add(double* values, const double* others, Index n);

// out[i] = row[i] + penalty[i]: infinite penalties hide what is gone without a branch.
void add_to(const float* row, const float* penalty, Index n, float* out);
void add_to(const double* row, const double* penalty, Index n, double* out);

// Where values[i] < best[i]: best[i] = values[i], from[i] = source.
void relax(const float* values, Id source, Index n, float* best, Id* from);
void relax(const double* values, Id source, Index n, double* best, Id* from);

}  // namespace chamfer
