/* strided_product.h: products of strided arrays by the library, with a copy of what BLAS cannot
 * read or write where it lies. Nothing here is Python's. SPDX-License-Identifier: MIT */
#ifndef PYTHON_STRIDED_PRODUCT_H
#define PYTHON_STRIDED_PRODUCT_H

#include "strided_array.h"

/* What the package calls of libgradus.so, which is loaded when the package is. */
struct gr_library {
    const char *(*version)(void);
    int (*set_threads)(int threads);
    enum gradus_status (*gemm_run)(const struct gradus_gemm *gemm, struct gradus_error *error);
    int64_t (*gemm_workspace)(const struct gradus_gemm *gemm, struct gradus_error *error);
    void (*error_clear)(struct gradus_error *error);
};

/* c = activation(alpha * a @ b + beta * c + bias). All have two dimensions or more, the last two
 * are the matrices'; the others of a and b broadcast to c's. */
struct gr_strided_product {
    struct gr_array a, b, c;
    enum gradus_type a_type, b_type; /* as which a and b are taken: their own, or float64 */
    double alpha, beta;
    int threads;
    bool has_bias, bias_per_row;
    struct gr_array bias; /* of one dimension, of the type of the sums */
    enum gradus_activation activation;
    /* All arrays are in the memory of a GPU, where nothing is copied and C meets no other array. */
    bool on_gpu;
    enum gradus_math math;
    void *stream;
    /* Memory of that GPU, as many bytes as are asked for, or null; a null function: none is needed,
     * as the stream is not being captured. */
    void *(*lend)(void *context, int64_t bytes);
    void *lend_context;
};

/* Multiply-adds of all matrices. */
double gr_strided_product_work(const struct gr_strided_product *product);
/* Computes it; c may meet the other arrays. An error leaves c as it was. */
enum gradus_status gr_strided_product_run(const struct gr_library *library,
                                          const struct gr_strided_product *product,
                                          struct gradus_error *error);

#endif
