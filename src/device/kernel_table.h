/* kernel_table.h: the GPU kernels of the library as tables, which the build makes of the files of
 * kernels/ that src/device/kernels.list names (gradus-pack, src/pack/pack_main.c). Their
 * expressions are C functions, so that nothing is parsed at run time.
 * SPDX-License-Identifier: MIT */
#ifndef DEVICE_KERNEL_TABLE_H
#define DEVICE_KERNEL_TABLE_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GR_DEVICE_ARGS = 56,
    GR_DEVICE_WORKS = 8,
    GR_DEVICE_MAPS = 4,
    GR_DEVICE_STANZAS = 16,
    GR_DEVICE_PARAMETERS = 32
};

/* A row-major product, or `batch` of them whose matrices are a stride apart, and the GPU, as
 * expressions see them. The last line is of the epilogue, and 0 for the kernels of products. */
struct gr_device_given {
    int64_t m, n, k, lda, ldb, ldc;
    double alpha, beta;
    uint64_t a, b, c; /* addresses */
    int64_t trans_a, trans_b;
    int64_t sms, smem_max, cc, warp;
    int64_t batch, stride_a, stride_b, stride_c; /* 0 and 1: one product; strides in elements */
    int64_t arrays; /* 1: a, b and c are addresses of arrays of addresses, one for each product */
    uint64_t sums, bias;
    int64_t lds, per_row, activation;
};

/* What a kernel's parameter is given. */
enum gr_device_role {
    GR_DEVICE_M,
    GR_DEVICE_N,
    GR_DEVICE_K,
    GR_DEVICE_ALPHA,
    GR_DEVICE_BETA,
    GR_DEVICE_A,
    GR_DEVICE_B,
    GR_DEVICE_C,
    GR_DEVICE_LDA,
    GR_DEVICE_LDB,
    GR_DEVICE_LDC,
    GR_DEVICE_ARG,  /* `index`: of the `arg` line */
    GR_DEVICE_WORK, /* of the `work` line */
    GR_DEVICE_MAP,  /* of the `map` line */
    GR_DEVICE_SUMS, /* alpha * op(A) * op(B) in float, rows `lds` apart */
    GR_DEVICE_LDS,
    GR_DEVICE_BIAS,    /* or null */
    GR_DEVICE_PER_ROW, /* of the bias: 1: an element for each row */
    GR_DEVICE_ACTIVATION,
    GR_DEVICE_STRIDE_C
};

/* How it is stored. */
enum gr_device_value {
    GR_DEVICE_INT32,
    GR_DEVICE_INT64,
    GR_DEVICE_F32,
    GR_DEVICE_F64,
    GR_DEVICE_ADDRESS,
    GR_DEVICE_TENSOR_MAP /* 128 bytes */
};

struct gr_device_parameter {
    enum gr_device_role role;
    enum gr_device_value value;
    int index;
};

/* What a `kernel` line begins: one launch. */
struct gr_device_stanza {
    const char *name;  /* of the __global__ function */
    bool begins_early; /* it may be launched before earlier kernels have ended: it waits for them */
    int parameter_count;
    const struct gr_device_parameter *parameters;
};

/* A `map` line. */
struct gr_device_map {
    char operand;
    int type; /* CUtensorMapDataType */
    int swizzle_bytes;
};

struct gr_device_launch {
    int stanza;
    int64_t grid[3], block[3], cluster[3], smem_bytes;
};

/* What a kernel's lines come to for one problem. Of a kernel that chooses (`choose` lines),
 * `picked` is the combination of choices and `cost_ns` what its `least` line expects of it. */
struct gr_device_plan {
    int64_t picked, cost_ns;
    int64_t args[GR_DEVICE_ARGS];
    int64_t work_bytes[GR_DEVICE_WORKS];
    int64_t boxes[GR_DEVICE_MAPS][2]; /* rows, columns */
    int64_t tile[3], blocks; /* the file's parameters BM, BN, BK, and BLOCKS; 0: it has none */
    bool lengthy;            /* it takes so long that nothing is gained by launching it early */
    int launch_count;
    struct gr_device_launch launches[GR_DEVICE_STANZAS];
};

/* A file of kernels/gpu/ or kernels/library/ with the element types and parameter values of a line
 * of kernels.list. */
struct gr_device_kernel {
    const char *name; /* "12_best f32 BM=128 BN=256": the file, the types, every parameter */
    const char *file; /* "12_best" */
    enum gradus_type a_type, b_type, c_type, sum_type;
    const char *arch; /* the `arch` line: ">= sm_80", "sm_90a" */
    int work_count;
    bool work_zero[GR_DEVICE_WORKS]; /* set to zero before each product */
    int map_count;
    const struct gr_device_map *maps;
    int stanza_count;
    const struct gr_device_stanza *stanzas;
    bool chooses;  /* it has a `least` line, which says how long a product takes */
    bool batches;  /* it computes a batch in one launch: it has an `arg` line with `batch` */
    bool arrays;   /* by arrays of addresses, too: with `arrays` */
    bool finishes; /* it applies the epilogue to what a product has left, and is no product */
    /* False: a `require` line refuses the problem. `picked`: what an earlier plan of the same
     * problem has in `picked`, or -1. `plan` must be all zero. */
    bool (*plan)(const struct gr_device_given *given, int64_t picked, struct gr_device_plan *plan);
    const char *texts[4]; /* what a compiler reads, for nn, nt, tn, tt; null: no such transposes */
};

extern const struct gr_device_kernel gr_device_kernels[];
extern const int gr_device_kernel_count;

/* The headers that the texts include. */
struct gr_device_header {
    const char *name, *text;
};
extern const struct gr_device_header gr_device_headers[];
extern const int gr_device_header_count;

/* Machine code that was made during the build: of the kernel with that number, for transposes (0 to
 * 3) and an architecture, with the symbols of its stanzas. */
struct gr_device_cubin {
    const char *arch; /* "sm_80" */
    int kernel, trans;
    const char *const *symbols;
    const char *image;
    size_t length;
};
/* A table for each architecture, which ends with an entry of zeros; their list ends with null. */
extern const struct gr_device_cubin *const gr_device_cubins[];

/* The functions of expressions. cdiv rounds towards plus infinity. */
static inline int64_t gr_device_cdiv(int64_t a, int64_t b)
{
    const int64_t quotient = a / b, rest = a % b;
    return quotient + (rest != 0 && (rest > 0) == (b > 0));
}

static inline int64_t gr_device_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t gr_device_max(int64_t a, int64_t b)
{
    return a < b ? b : a;
}

static inline int64_t gr_device_clamp(int64_t x, int64_t low, int64_t high)
{
    return gr_device_min(gr_device_max(x, low), high);
}

static inline int64_t gr_device_aligned(uint64_t address, int64_t bytes)
{
    return address % (uint64_t)bytes == 0;
}

/* Of the combinations of choices the first of least cost, or the one that is given; its args and
 * its cost. */
static inline int64_t gr_device_pick(int64_t (*cost_of)(const struct gr_device_given *given,
                                                        int64_t picked, int64_t *args),
                                     const struct gr_device_given *given, int64_t combinations,
                                     int64_t picked, int64_t *args, int64_t *cost)
{
    int64_t best = picked < 0 ? 0 : picked, least = INT64_MAX;
    for (int64_t i = 0; i < combinations && combinations > 1 && picked < 0; i++) {
        const int64_t one = cost_of(given, i, args);
        if (one < least) {
            least = one;
            best = i;
        }
    }
    *cost = cost_of(given, best, args);
    return best;
}

#endif
