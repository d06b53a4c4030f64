// Vector loops on points of a grid, and on values that only have to be nearly right: for kernels.cpp, and for nothing
// else. See distance/grid.hpp and engine/grid_ward.hpp.
#pragma once

#include "distances.hpp"
#include "vectors.hpp"

namespace chamfer {
namespace loops {
namespace {

using Ints = Vector<Id>::Lanes;

// sum + the product of the lower halves of each lane + that of the upper halves, signed
Ints add_products(Ints x, Ints y, Ints sum) {
#if defined(__AVX512BW__)
    return sum + reinterpret_cast<Ints>(_mm512_madd_epi16(reinterpret_cast<__m512i>(x), reinterpret_cast<__m512i>(y)));
#elif defined(__AVX2__)
    return sum + reinterpret_cast<Ints>(_mm256_madd_epi16(reinterpret_cast<__m256i>(x), reinterpret_cast<__m256i>(y)));
#elif defined(__SSE2__)
    return sum + reinterpret_cast<Ints>(_mm_madd_epi16(reinterpret_cast<__m128i>(x), reinterpret_cast<__m128i>(y)));
#else
    return sum + (x << 16 >> 16) * (y << 16 >> 16) + (x >> 16) * (y >> 16);
#endif
}

// The first `count` of a vector, and zeros.
Vector<float>::Lanes first_of(const float* x, Index count) {
    using V = Vector<Id>;
    V::Lanes place;
    for (Id i = 0; i < V::width; ++i) place[i] = i;
    return reinterpret_cast<Vector<float>::Lanes>(V::load(reinterpret_cast<const Id*>(x)) &
                                                  (place < V::fill(static_cast<Id>(count))));
}

Ints lesser(Ints a, Ints b) { return b < a ? b : a; }
Ints greater(Ints a, Ints b) { return a < b ? b : a; }

void mean(const double* rows, Index stride, Index n, Index d, double* out) {
    using V = Vector<double>;
    constexpr Index kColumns = 4;
    Index k = 0;
    for (; k + kColumns * V::width <= d; k += kColumns * V::width) {
        Doubles sums[kColumns] = {};
        for (Index i = 0; i < n; ++i)
            unrolled<kColumns>([&](Index c) __attribute__((always_inline)) {
                sums[c] += V::load(rows + i * stride + k + c * V::width);
            });
        std::memcpy(out + k, sums, sizeof sums);
    }
    for (Index c = k; c < d; ++c) {
        out[c] = 0;
        for (Index i = 0; i < n; ++i) out[c] += rows[i * stride + c];
    }
    for (k = 0; k < d; ++k) out[k] /= static_cast<double>(n);
}

// Numbers after the last one of a row come before those of the next one, which overwrites them.
double centred(const double* x, const double* centre, Index d, float* out) {
    typedef float Floats __attribute__((vector_size(kVectorBytes / 2)));
    return squared_length(d, [&](Index at, Index count) __attribute__((always_inline)) {
        const Doubles difference = load_doubles(x + at, count) - load_doubles(centre + at, count);
        const auto floats = __builtin_convertvector(difference, Floats);
        std::memcpy(out + at, &floats, sizeof floats);
        return difference;
    });
}

// Pairs are made of coordinates that are kPairs apart, or half of those that are left. So many strands make `moved` the
// same on every level.
Id to_grid(const float* x, float factor, Index d, Id* pairs, float* moved) {
    using V = Vector<float>;
    constexpr float kRound = 0x1.8p23F;  // leaves no bits below one, and those of a short integer at the end
    constexpr Index kPairs = 16, kSums = kPairs / V::width;
    V::Lanes sums[kSums];
    Ints squares = {};
    unrolled<kSums>([&](Index s) __attribute__((always_inline)) { sums[s] = V::Lanes{}; });
    const auto step = [&](Index s, V::Lanes from) __attribute__((always_inline)) {
        const auto place = from * factor, shifted = place + kRound, error = place - (shifted - kRound);
        sums[s] += error * error;
        return reinterpret_cast<Ints>(shifted);
    };
    const auto put = [&](Index s, V::Lanes low, V::Lanes high) __attribute__((always_inline)) {
        const Ints lower = step(s, low) & 0xffff, both = lower | step(s, high) << 16;
        squares = add_products(both, both, squares);
        Vector<Id>::store(both, pairs + s * V::width);
    };
    for (; d >= 2 * kPairs; x += 2 * kPairs, pairs += kPairs, d -= 2 * kPairs)
        unrolled<kSums>([&](Index s) __attribute__((always_inline)) {
            put(s, V::load(x + s * V::width), V::load(x + kPairs + s * V::width));
        });
    const Index half = (d + 1) / 2;
    unrolled<kSums>([&](Index s) __attribute__((always_inline)) {
        const Index at = s * V::width;
        if (at < half) put(s, first_of(x + at, half - at), first_of(x + half + at, d - half - at));
    });
    *moved = fold<float>(sums);
    return sum_of_lanes<Id>(squares);
}

// The same where `fused`, in one instruction that not every machine of this level knows.
template <bool fused>
__attribute__((always_inline)) inline Ints add_products(Ints x, Ints y, Ints sum) {
#if defined(__AVX512BW__)
    if constexpr (fused) {
        asm("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y));
        return sum;
    }
#endif
    return add_products(x, y, sum);
}

bool can_fuse() {
#if defined(__AVX512BW__)
    return __builtin_cpu_supports("avx512vnni");
#else
    return false;
#endif
}

// Of kColumns vectors of a block: as many sums as registers allow.
template <Index kColumns, bool fused>
void grid_columns(const Id* x, const Id* lengths, const Id* strips, const Id* norms, Index pairs, Index stride,
                  float* out) {
    using V = Vector<Id>;
    Ints sums[kRows * kColumns];
    unrolled<kRows * kColumns>([&](Index s) __attribute__((always_inline)) { sums[s] = Ints{}; });
#pragma GCC unroll 2
    for (Index k = 0; k < pairs; ++k) {
        Ints own[kRows];
        unrolled<kRows>([&](Index r) __attribute__((always_inline)) { own[r] = V::fill(x[k * kBlock + r]); });
        unrolled<kColumns>([&](Index c) __attribute__((always_inline)) {
            const auto y = V::load(strips + k * kBlock + c * V::width);
            unrolled<kRows>([&](Index r) __attribute__((always_inline)) {
                sums[r * kColumns + c] = add_products<fused>(own[r], y, sums[r * kColumns + c]);
            });
        });
    }
    unrolled<kRows * kColumns>([&](Index s) __attribute__((always_inline)) {
        const Index r = s / kColumns, c = s % kColumns;
        const Ints squared = lengths[r] + V::load(norms + c * V::width) - sums[s];
        Vector<float>::store(__builtin_convertvector(squared, Vector<float>::Lanes), out + r * stride + c * V::width);
    });
}

template <bool fused>
void grid_rows(const Id* x, const Id* lengths, const Id* strips, const Id* norms, Index pairs, Index begin, Index end,
               Index stride, float* out) {
    constexpr Index kWidth = Vector<Id>::width;
    Index at = begin / kWidth * kWidth;
    for (; at + 2 * kWidth <= end; at += 2 * kWidth)
        grid_columns<2, fused>(x, lengths, strips + at, norms + at, pairs, stride, out + at);
    for (; at < end; at += kWidth) grid_columns<1, fused>(x, lengths, strips + at, norms + at, pairs, stride, out + at);
}

void grid_distances(const Id* x, const Id* lengths, const Id* strips, const Id* norms, Index pairs, Index begin,
                    Index end, Index stride, float* out) {
    (can_fuse() ? grid_rows<true> : grid_rows<false>)(x, lengths, strips, norms, pairs, begin, end, stride, out);
}

// What `nearest_keys` compares: the leading bits of a positive number, and the slot.
Ints keys(const float* values, const Id* tags, Index i) {
    Ints bits;
    std::memcpy(&bits, values + i, sizeof bits);
    return (bits & kValueBits) | Vector<Id>::load(tags + i);
}

template <Index kHalf>
Ints rotated(Ints lanes) {
    return [&]<Index... i>(std::integer_sequence<Index, i...>) {
        return __builtin_shufflevector(lanes, lanes, ((i + kHalf) % Vector<Id>::width)...);
    }(std::make_integer_sequence<Index, Vector<Id>::width>{});
}

struct TwoLeast {
    Ints one, two;
    __attribute__((always_inline)) void look(Ints key) {
        two = lesser(two, greater(one, key));
        one = lesser(one, key);
    }
    __attribute__((always_inline)) void join(const TwoLeast& other) {
        look(other.one);
        two = lesser(two, other.two);
    }
    template <Index kHalf>
    __attribute__((always_inline)) void fold() {
        join({rotated<kHalf>(one), rotated<kHalf>(two)});
        if constexpr (kHalf > 1) fold<kHalf / 2>();
    }
};

NearestKeys nearest_keys(const float* values, const Id* tags, Index n) {
    using V = Vector<Id>;
    const Index end = (n + V::width - 1) / V::width * V::width;
    const Ints none = V::fill(kGone);
    TwoLeast even{none, none}, odd = even;
    Index i = 0;
    for (; i + 2 * V::width <= end; i += 2 * V::width) {
        even.look(keys(values, tags, i));
        odd.look(keys(values, tags, i + V::width));
    }
    if (i < end) even.look(keys(values, tags, i));
    even.join(odd);
    even.fold<V::width / 2>();
    return {even.one[0], even.two[0]};
}

Index keys_within(const float* values, const Id* tags, Index n, Id limit, Id* found) {
    using V = Vector<Id>;
    Index count = 0;
    for (Index i = 0; i < n; i += V::width)
        for (unsigned near = bits(keys(values, tags, i) <= limit); near != 0; near &= near - 1)
            found[count++] = static_cast<Id>(i + __builtin_ctz(near));
    return count;
}

void unite_ward(const float* a, const float* b, float size_a, float size_b, float between, const float* sizes, Index n,
                float* out) {
#pragma omp simd
    for (Index z = 0; z < n; ++z) {
        const float with_a = size_a + sizes[z], with_b = size_b + sizes[z];
        out[z] = (with_a * a[z] + with_b * b[z] - sizes[z] * between) / (with_a + size_b);
    }
}

double move_centre(const double* other, double share, Index d, double* centre) {
    return squared_length(d, [&](Index at, Index count) __attribute__((always_inline)) {
        const Doubles before = load_doubles(centre + at, count);
        const Doubles difference = load_doubles(other + at, count) - before, after = before + share * difference;
        if (count >= Vector<double>::width) {
            Vector<double>::store(after, centre + at);
        } else {
            for (Index i = 0; i < count; ++i) centre[at + i] = after[i];
        }
        return difference;
    });
}

}  // namespace
}  // namespace loops
}  // namespace chamfer
