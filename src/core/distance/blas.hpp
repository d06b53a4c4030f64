// Matrix multiplication, borrowed at run time from the BLAS that SciPy already carries: nothing to link
// against, and the best kernel for the machine. Callers run one multiplication per thread (BLAS itself set to
// one thread).
#pragma once

#include "../base/types.hpp"

namespace chamfer {

template <class T>
using Gemm = void (*)(char*, char*, int*, int*, int*, T*, T*, int*, T*, int*, T*, T*, int*);

struct Blas {
    Gemm<float> sgemm;
    Gemm<double> dgemm;

    // out[i * width + j] = x_i . y_j for row-major x (rows x d) and y (columns x d) with the given strides; or adds
    // that to what is there.
    template <class T>
    void products(const T* x, Index rows, Index x_stride, const T* y, Index columns, Index y_stride, Index d, T* out,
                  Index width, bool add = false) const {
        // BLAS sees the transposed, column-major world: out' = y' x.
        char transpose = 'T', plain = 'N';
        int m = static_cast<int>(columns), n = static_cast<int>(rows), k = static_cast<int>(d);
        int ldy = static_cast<int>(y_stride), ldx = static_cast<int>(x_stride), ldo = static_cast<int>(width);
        T one = 1, before = add ? 1 : 0;
        T* y_ = const_cast<T*>(y);  // Fortran knows no const
        T* x_ = const_cast<T*>(x);
        if constexpr (sizeof(T) == 4)
            sgemm(&transpose, &plain, &m, &n, &k, &one, y_, &ldy, x_, &ldx, &before, out, &ldo);
        else
            dgemm(&transpose, &plain, &m, &n, &k, &one, y_, &ldy, x_, &ldx, &before, out, &ldo);
    }
};

}  // namespace chamfer
