/* dist.h: products C = alpha * op(A) * op(B) + beta * C of matrices that are distributed over many
 * ranks.
 * SPDX-License-Identifier: MIT
 *
 * Ranks are the processes of an MPI program, the threads of one process, or whatever the caller's
 * own functions connect. This library is linked with no MPI. The plug-ins gradus-mpi-openmpi.so and
 * gradus-mpi-mpich.so, which a build makes if it finds their mpicc, know the communicators of Open
 * MPI and of MPICH. The plug-in for the MPI of the calling process is loaded from the folder of
 * this library or from its subfolder gradus/; the environment variable GRADUS_MPI names another
 * file.
 *
 * A function that is called collective must be called by all ranks of the communicator, in the same
 * order. A failure on one rank (wrong arguments, too little memory, a product that differs from
 * that of the other ranks) makes the call fail on all ranks, with the same status and text, which
 * names the rank. Nothing is printed. There is one exception: if MPI fails on one rank during a
 * product, the plug-in prints a line and ends all processes by MPI_Abort, because the other ranks
 * would wait for messages that this rank will never send. */
#ifndef GRADUS_DIST_H
#define GRADUS_DIST_H

#include <gradus/gradus.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One rank's end of a communicator. Only one thread at a time may use it. */
struct gradus_comm;

/* Collective over the MPI communicator at `mpi_comm` (an `MPI_Comm *`). Creates a communicator on a
 * duplicate of it, so that the caller's messages cannot be confused with the library's. MPI must
 * have been started, at any level of thread support. From MPI_THREAD_SERIALIZED on, a thread of
 * this library also calls MPI while a product runs; otherwise only the calling thread does. The
 * caller frees *comm with gradus_comm_free. Errors: INVALID (a null communicator, an
 * intercommunicator, MPI does not run), UNSUPPORTED (no MPI in the process, no plug-in for it), IO
 * (MPI failed), NO_MEMORY; *comm is null then. Errors that occur before the duplication are each
 * rank's own. */
GRADUS_API enum gradus_status
gradus_comm_create_mpi(const void *mpi_comm, struct gradus_comm **comm, struct gradus_error *error);
/* The same for a Fortran handle of a communicator, which is an integer in every MPI: what Fortran
 * programs have, and what MPI_Comm_c2f and mpi4py's comm.py2f() return. */
GRADUS_API enum gradus_status gradus_comm_create_fortran(int mpi_comm, struct gradus_comm **comm,
                                                         struct gradus_error *error);
/* Collective. Frees a communicator; must be called before MPI_Finalize. Null is allowed. */
GRADUS_API void gradus_comm_free(struct gradus_comm *comm);
GRADUS_API int64_t gradus_comm_rank(const struct gradus_comm *comm);
GRADUS_API int64_t gradus_comm_size(const struct gradus_comm *comm);

/* Without MPI: starts `ranks` threads of this process, 1 to 1024, each of which calls `work` with
 * its end of a communicator, which is freed afterwards. Returns when all have returned: OK if all
 * returned OK, otherwise the status and the text of the first rank that failed for a reason of its
 * own. If a rank returns a failure, products in which others wait for it fail with CRASHED. Errors
 * of the function itself: INVALID, NO_MEMORY. */
GRADUS_API enum gradus_status gradus_comm_run_threads(
    int64_t ranks,
    enum gradus_status (*work)(struct gradus_comm *comm, void *context, struct gradus_error *error),
    void *context, struct gradus_error *error);

/* ---- Messages that the caller's functions send, without MPI ---- */

/* A message from or to one other rank. The data of a message that is sent are not written. */
struct gradus_message {
    int64_t peer;
    void *data;
    size_t bytes;
};

/* What a rank needs of any other library that sends messages, such as gloo of torch.distributed.
 * The functions return GRADUS_OK, or a failure with its text in *error. They must not end the
 * thread that calls them. The functions of one communicator are not called concurrently. */
struct gradus_comm_functions {
    int64_t rank, size;
    void *context; /* the first argument of the functions */
    /* Sends and receives all these messages concurrently, and returns when they are complete. For
     * each message, the peer has one with the same number of bytes. The messages from one rank to
     * another match in the order in which each of the two lists them. No message has 0 bytes or
     * goes to the rank itself. If another rank has ended or has called `abort`, the function must
     * fail within bounded time. */
    enum gradus_status (*exchange)(void *context, const struct gradus_message *sends,
                                   int64_t send_count, const struct gradus_message *receives,
                                   int64_t receive_count, struct gradus_error *error);
    /* Called when this rank, or its `exchange`, has failed during a product, for the reason that
     * the text gives. The calls of `exchange` in which other ranks wait for this one must then
     * fail, and so must all later ones; after that, the communicator can only be freed. */
    void (*abort)(void *context, const char *text);
    /* Called by gradus_comm_free; null is allowed. */
    void (*release)(void *context);
    int64_t reserved[4]; /* must be 0, else INVALID: for future members */
};

/* Creates one rank's end of a communicator over these functions, of which a copy is kept. Not
 * collective. With it, communication does not overlap with computation, as it does with MPI.
 * Errors: INVALID, NO_MEMORY. */
GRADUS_API enum gradus_status
gradus_comm_create_functions(const struct gradus_comm_functions *functions,
                             struct gradus_comm **comm, struct gradus_error *error);

/* Which elements of a matrix each rank has. A grid consists of the ranks 0 to grid_rows * grid_cols
 * - 1 of the communicator; further ranks have no elements. */
enum gradus_distribution {
    GRADUS_REPLICATED, /* every rank has all elements */
    GRADUS_BLOCKED, /* one block for each rank: r rows (columns) are divided into g parts, the first
                       r % g of which have r / g + 1 and the others r / g. The distribution is 1D if
                       one side of the grid is 1 */
    GRADUS_CYCLIC   /* block-cyclic, as in ScaLAPACK */
};

/* A matrix, as the calling rank sees it. Members that do not apply to its distribution are not
 * read. */
struct gradus_dist_matrix {
    enum gradus_distribution distribution;
    /* Blocked and cyclic. Rank i is in row i / grid_cols and column i % grid_cols of the grid; with
     * grid_col_major, in row i % grid_rows and column i / grid_rows. The ranks of a BLACS context
     * are row-major in the communicator that blacs_get returns for it. */
    int64_t grid_rows, grid_cols;
    int grid_col_major;
    /* Cyclic: ScaLAPACK's descriptor of the whole array, with 9 entries: DTYPE (1), CTXT (not
     * read), M, N, MB, NB, RSRC, CSRC, LLD; or with 11 entries and DTYPE 2, as PBLAS takes them,
     * where IMB and INB, the sizes of the first block, precede MB. If RSRC (CSRC) is -1, each row
     * (column) of the grid has everything along that axis. All entries except LLD are the same on
     * all ranks. */
    const int *desc;
    int64_t row,
        col; /* cyclic: indices, from 0, of its first element in the array: IA - 1, JA - 1 */
    enum gradus_layout layout; /* replicated and blocked: layout of the local array; cyclic arrays
                                  are column-major */
    void *local; /* this rank's elements; for a cyclic matrix, its part of the whole array. They are
                    not written for A and B. May be null if the rank has no elements */
    int64_t ld;  /* replicated and blocked: leading dimension of the local array, in elements;
                    cyclic: not read, as the descriptor has LLD */
    int64_t reserved[4]; /* must be 0, else INVALID: for future members, whose 0 means the present
                            behaviour */
};

/* One product. op(A) is m x k, op(B) is k x n, C is m x n. a, b and c describe the matrices as they
 * are stored: with trans_a, a has k x m elements. All members except `local`, `ld`, LLD and
 * `threads` must be the same on all ranks. Start with gradus_gemm_dist_init. With beta 0, C is
 * written and never read. With alpha 0 or k 0, A and B are not read. C must have no element in
 * common with A or B, which is not checked. Zero sizes are allowed. */
struct gradus_gemm_dist {
    enum gradus_type type; /* type of A, B, C and the sums: GRADUS_F32 or GRADUS_F64 */
    int trans_a, trans_b;  /* 0: as stored, 1: transposed */
    int64_t m, n, k;
    double alpha, beta; /* rounded to `type` */
    struct gradus_dist_matrix a, b, c;
    /* Bytes that each rank may use for its part of the product, in addition to the caller's
     * matrices and to what redistribution needs, which is up to twice a rank's share of a matrix. A
     * product that does not fit is computed in steps. 0: no limit. */
    int64_t memory_bytes;
    int threads;         /* threads of each rank's local product, as in struct gradus_gemm */
    int64_t reserved[6]; /* must be 0, else INVALID: for future members */
};

/* Sets the type, alpha to 1, and all other members to 0: replicated, row-major, not transposed,
 * beta 0. */
GRADUS_API void gradus_gemm_dist_init(struct gradus_gemm_dist *gemm, enum gradus_type type);

/* Collective. Plans the product for the ranks of the communicator (docs/distributed.md),
 * redistributes A and B to the plan's layout, multiplies, and redistributes the result to that of
 * C; or, where that is slower by the model, leaves C where it is and redistributes only A and B.
 * The bits of C depend only on the problem, the layouts, the number of ranks, memory_bytes and the
 * instruction set. Errors, the same on all ranks: INVALID (the text names the first bad member; C
 * is unchanged), UNSUPPORTED (the type; or memory_bytes is too small, and the text says how much
 * would suffice), NO_MEMORY, IO and CRASHED (the transport). C is undefined after errors other than
 * INVALID. */
GRADUS_API enum gradus_status gradus_gemm_dist_run(const struct gradus_gemm_dist *gemm,
                                                   struct gradus_comm *comm,
                                                   struct gradus_error *error);

/* Collective, together with calls of gradus_gemm_dist_run by other ranks, in place of which it is
 * called: this rank cannot take part in the next product, for the reason that the text (one line)
 * gives. The calls of all ranks then fail with this status and text, and C is unchanged. Returns
 * the status, or that of a lower rank that failed, too. A status of GRADUS_OK is treated as
 * INVALID. */
GRADUS_API enum gradus_status gradus_gemm_dist_refuse(struct gradus_comm *comm,
                                                      enum gradus_status status, const char *text,
                                                      struct gradus_error *error);

/* ---- Several GPUs of one process, without MPI ---- */

/* NVIDIA GPUs of this machine, the connections between them, and a thread for each except the
 * first. Products that several threads start are computed one after another. Memory on the GPUs is
 * kept for later products. A child of fork can only close GPUs that its parent has opened. */
struct gradus_gpus;

/* Opens `count` GPUs, given by their numbers in the driver, each once; count 0: all GPUs. Panels
 * are sent by the driver's copies between GPUs if all of these can access each other's memory.
 * Otherwise they are sent by NCCL, if libnccl.so.2 is found (or the file that the environment
 * variable GRADUS_NCCL names), and without NCCL by copies through the host.
 * GRADUS_GPUS_LINK=nccl|copies overrides this choice. The caller closes *gpus with
 * gradus_gpus_close. Errors: INVALID (a GPU is named twice), UNSUPPORTED (no driver, no such GPU,
 * no NCCL though it was asked for), NO_MEMORY, IO (NCCL fails), LAUNCH; *gpus is null then. */
GRADUS_API enum gradus_status gradus_gpus_open(const int *numbers, int count,
                                               struct gradus_gpus **gpus,
                                               struct gradus_error *error);
GRADUS_API void gradus_gpus_close(struct gradus_gpus *gpus); /* null is allowed */
GRADUS_API int gradus_gpus_count(const struct gradus_gpus *gpus);
/* "NCCL 2.28.9", "copies", or "none" for one GPU. */
GRADUS_API const char *gradus_gpus_link(const struct gradus_gpus *gpus);

/* Computes a product of matrices in host memory, which may exceed the memory of the GPUs. Each GPU
 * computes a block of C; it loads a share of the operands and receives the rest from the other
 * GPUs. `device` and `threads` are not read. The product must be of floating-point type (f32, f64,
 * bf16, f16), without batch, epilogue, packed operands, context, workspace and stream, and `math`
 * must not be GRADUS_MATH_TF32. The bits of C depend on the problem and on the number, the model
 * and the free memory of the GPUs. C is complete on return. Errors: INVALID, UNSUPPORTED,
 * NO_MEMORY, IO, LAUNCH, CRASHED; C is undefined after errors other than INVALID. */
GRADUS_API enum gradus_status gradus_gpus_gemm(const struct gradus_gemm *gemm,
                                               struct gradus_gpus *gpus,
                                               struct gradus_error *error);

/* A matrix that is distributed over the memory of the GPUs. The i-th GPU has the block (i /
 * grid_cols, i % grid_cols), with sizes as in GRADUS_BLOCKED, at blocks[i]; its leading dimension,
 * in elements, is lds[i]. */
struct gradus_gpus_matrix {
    int64_t grid_rows, grid_cols;
    void *const *blocks;
    const int64_t *lds;
};

/* The same for matrices that are on the GPUs already; the members a, lda and so on of `gemm` are
 * not read. The grid of C must have all GPUs, those of A and B at most as many. Each GPU computes
 * its block of C while panels of A and B are sent. The call waits for no stream: work that writes
 * the operands must have ended before. */
GRADUS_API enum gradus_status
gradus_gpus_gemm_blocks(const struct gradus_gemm *gemm, const struct gradus_gpus_matrix *a,
                        const struct gradus_gpus_matrix *b, const struct gradus_gpus_matrix *c,
                        struct gradus_gpus *gpus, struct gradus_error *error);

#ifdef __cplusplus
}
#endif
#endif
