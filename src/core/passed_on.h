/* passed_on.h: why a call that was intercepted was passed on to the library that the program has.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_PASSED_ON_H
#define CORE_PASSED_ON_H

/* X(suffix, name in JSON, sentence) */
#define GR_PASSED_ON_LIST(X)                                                                       \
    X(NOT, "", "")                                                                                 \
    X(TYPES, "types", "no kernel of gradus has these types")                                       \
    X(F64, "f64", "float64 with even leading dimensions, where cuBLAS is as fast")                 \
    X(BF16, "bf16", "bfloat16 with rows of whole vectors, where cuBLAS is as fast")                \
    X(TF32, "tf32", "the program allows TF32, with which cuBLAS is faster (--math takes them)")    \
    X(POINTERS, "pointer-mode", "alpha and beta are in the GPU's memory")                          \
    X(ARRAYS, "arrays",                                                                            \
      "the arrays of addresses are in the GPU's memory (--math ieee takes them)")                  \
    X(BATCH, "small-batch",                                                                        \
      "a batch of small products, where gradus was not measured to be faster")                     \
    X(BIAS, "small-bias", "a small product with an epilogue, for which cuBLAS is faster")          \
    X(NARROW, "narrow", "a product with few rows or columns, for which cuBLAS is faster")          \
    X(EPILOGUE, "epilogue", "an epilogue other than a bias, ReLU and GELU")                        \
    X(LAYOUT, "layout", "a layout, or an option of the call, that gradus does not have")           \
    X(CAPTURE, "capture", "a stream is being captured, and there is no memory for the graph")      \
    X(MEMORY, "memory", "no memory for the workspace")                                             \
    X(REFUSED, "refused", "gradus refused it")                                                     \
    X(FAILED, "failed", "gradus failed, and so did the call")

enum gr_passed_on {
#define GR_PASSED_ON_ENUM(suffix, name, text) GR_PASSED_##suffix,
    GR_PASSED_ON_LIST(GR_PASSED_ON_ENUM)
#undef GR_PASSED_ON_ENUM
        GR_PASSED_ON_REASONS
};

#endif
