// matrix.cpp: using the library from C++: a matrix class, its product, and errors as exceptions.
// It prints:
//
//  > 19 22
//  > 43 50
//  > refused: as many rows of B as columns of A are wanted
//
// SPDX-License-Identifier: MIT
#include <gradus/gradus.h>

#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <utility>
#include <vector>

class Matrix
{
  public:
    Matrix(int64_t rows, int64_t cols, std::vector<double> elements = {})
        : rows_(rows), cols_(cols), elements_(std::move(elements))
    {
        elements_.resize(static_cast<std::size_t>(rows * cols));
    }
    double operator()(int64_t i, int64_t j) const
    {
        return elements_[static_cast<std::size_t>(i * cols_ + j)];
    }

    Matrix operator*(const Matrix &right) const
    {
        if (cols_ != right.rows_)
            throw std::invalid_argument("as many rows of B as columns of A are wanted");
        Matrix product(rows_, right.cols_);
        gradus_gemm gemm;
        gradus_gemm_init(&gemm, GRADUS_F64);
        gemm.m = rows_, gemm.n = right.cols_, gemm.k = cols_;
        gemm.a = elements_.data(), gemm.lda = cols_;
        gemm.b = right.elements_.data(), gemm.ldb = right.cols_;
        gemm.c = product.elements_.data(), gemm.ldc = right.cols_;
        gradus_error error = {};
        if (gradus_gemm_run(&gemm, &error))
            throw std::invalid_argument(error.text);
        return product;
    }

  private:
    int64_t rows_, cols_;
    std::vector<double> elements_;
};

int main()
{
    const Matrix a(2, 2, {1, 2, 3, 4}), b(2, 2, {5, 6, 7, 8});
    const Matrix c = a * b;
    std::printf("%g %g\n%g %g\n", c(0, 0), c(0, 1), c(1, 0), c(1, 1));
    try {
        a *Matrix(1, 2, {1, 2});
    } catch (const std::invalid_argument &refusal) {
        std::printf("refused: %s\n", refusal.what());
    }
    return 0;
}
