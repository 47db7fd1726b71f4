/* kernel_table.h: the tables of the library's GPU kernels. The build (gradus-pack,
 * src/pack/pack_main.c) generates them from the files of kernels/ that src/device/kernels.list
 * names. The expressions of those files become C functions, so that nothing is parsed at run time.
 * SPDX-License-Identifier: MIT */
#ifndef DEVICE_KERNEL_TABLE_H
#define DEVICE_KERNEL_TABLE_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GR_DEVICE_ARGS = 64,
    GR_DEVICE_WORKS = 8,
    GR_DEVICE_MAPS = 4,
    GR_DEVICE_STANZAS = 16,
    GR_DEVICE_PARAMETERS = 32
};

/* What the expressions of a kernel file can refer to: a row-major product, or a batch of `batch`
 * products whose matrices are a stride apart, and the properties of the GPU. `sums` to `activation`
 * describe the epilogue, and are 0 if the kernel applies none. */
struct gr_device_given {
    int64_t m, n, k, lda, ldb, ldc;
    double alpha, beta;
    uint64_t a, b, c; /* addresses */
    int64_t trans_a, trans_b;
    int64_t sms, smem_max, cc, warp;
    int64_t batch, stride_a, stride_b, stride_c; /* 0 and 1: one product; strides in elements */
    int64_t arrays; /* 1: a, b and c are the addresses of arrays of pointers, one pointer for each
                       product */
    uint64_t sums, bias;
    int64_t lds, per_row, activation;
    uint64_t scale_a, scale_b; /* the addresses of factors of A and B, or 0 */
};

/* What the host passes for a parameter of a __global__ function. */
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
    GR_DEVICE_ARG,  /* the value of the `arg` line with number `index` */
    GR_DEVICE_WORK, /* the address of the buffer of the `work` line with that number */
    GR_DEVICE_MAP,  /* the tensor map of the `map` line with that number */
    GR_DEVICE_SUMS, /* alpha * op(A) * op(B) in float, with leading dimension `lds` */
    GR_DEVICE_LDS,
    GR_DEVICE_BIAS,    /* the address of the bias, or null */
    GR_DEVICE_PER_ROW, /* 1: the bias has one element for each row of C */
    GR_DEVICE_ACTIVATION,
    GR_DEVICE_STRIDE_C,
    GR_DEVICE_ARRAYS /* 1: C is the address of an array of pointers */
};

/* The C type in which the parameter is passed. */
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

/* A stanza of a kernel file, which begins with a `kernel` line and describes one launch. */
struct gr_device_stanza {
    const char *name;  /* the name of the __global__ function */
    bool begins_early; /* it may be launched before earlier kernels have ended, since it waits for
                          them itself (programmatic dependent launch) */
    int parameter_count;
    const struct gr_device_parameter *parameters;
};

/* A `map` line, which describes a tensor map (CUtensorMap). */
struct gr_device_map {
    char operand;
    int type; /* CUtensorMapDataType */
    int swizzle_bytes;
    bool by_address; /* it describes matrices at any address: core/map_by_address.h */
};

struct gr_device_launch {
    int stanza;
    int64_t grid[3], block[3], cluster[3], smem_bytes;
};

/* The values of all expressions of a kernel file for one problem. If the kernel has `choose` lines,
 * `picked` is the index of the chosen combination, and `cost_ns` is the value of its `least` line,
 * the expected time of the product in ns. */
struct gr_device_plan {
    int64_t picked, cost_ns;
    int64_t args[GR_DEVICE_ARGS];
    int64_t work_bytes[GR_DEVICE_WORKS];
    int64_t boxes[GR_DEVICE_MAPS][2]; /* rows and columns of each tensor map's box */
    int64_t tile[3], blocks; /* the file's parameters BM, BN, BK, and BLOCKS; 0 where the file has
                                no such parameter */
    double expected_us;      /* by which the kernel was chosen (device_dispatch.h) */
    bool lengthy;            /* it takes so long that launching it early gains nothing */
    int launch_count;
    struct gr_device_launch launches[GR_DEVICE_STANZAS];
};

/* A file of kernels/gpu/ or kernels/library/, with the element types and the parameter values that
 * a line of kernels.list gives. */
struct gr_device_kernel {
    const char *name; /* "12_best f32 BM=128 BN=256": the file, the types, every parameter */
    const char *file; /* "12_best" */
    enum gradus_type a_type, b_type, c_type, sum_type;
    const char *arch; /* the `arch` line: ">= sm_80", "sm_90a" */
    int work_count;
    bool work_zero[GR_DEVICE_WORKS]; /* the buffer must be set to zero before each product */
    int map_count;
    const struct gr_device_map *maps;
    int stanza_count;
    const struct gr_device_stanza *stanzas;
    bool chooses;  /* it has a `least` line, whose value is the expected time of a product in ns */
    bool batches;  /* it can compute a batch in one launch: it has an `arg` line named `batch` */
    bool arrays;   /* it can read arrays of pointers: it has an `arg` line named `arrays` */
    bool fuses;    /* it can apply a bias and ReLU to its sums: it has an `arg` line named `bias` */
    bool finishes; /* it applies the epilogue to the result of an earlier launch and does not
                      multiply */
    /* Evaluates all expressions for a problem. Returns false if a `require` line refuses the
     * problem. `picked` is the member `picked` of an earlier plan of the same problem, or -1 to
     * choose again. Before the call, plan->launch_count must be 0 and plan->lengthy false. */
    bool (*plan)(const struct gr_device_given *given, int64_t picked, struct gr_device_plan *plan);
    const char *texts[4]; /* the source for the compiler, for the transposes nn, nt, tn and tt;
                             null: not supported */
};

extern const struct gr_device_kernel gr_device_kernels[];
extern const int gr_device_kernel_count;

/* The headers that these sources include. */
struct gr_device_header {
    const char *name, *text;
};
extern const struct gr_device_header gr_device_headers[];
extern const int gr_device_header_count;

/* Machine code that was compiled during the build, for one kernel (its index in gr_device_kernels),
 * one combination of transposes (0 to 3) and one architecture, and the symbols of its functions,
 * one for each stanza. */
struct gr_device_cubin {
    const char *arch; /* "sm_80" */
    int kernel, trans;
    const char *const *symbols;
    const char *image;
    size_t length;
};
/* One table for each architecture, which ends with an entry of zeros. The list of tables ends with
 * null. */
extern const struct gr_device_cubin *const gr_device_cubins[];

/* The functions that expressions can call. cdiv divides and rounds towards plus infinity. */
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

/* Returns the index of the combination of choices with the least cost (the first one, if several
 * have the same), or `picked` if that is not negative. Sets `args` and *cost to those of the
 * combination. */
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
