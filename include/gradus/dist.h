/* dist.h: products of matrices that are distributed over many ranks, C = alpha * op(A) * op(B) +
 * beta * C. SPDX-License-Identifier: MIT
 *
 * Ranks are the processes of an MPI, threads of one process, or what functions of the caller
 * connect. This library is linked with no MPI: gradus-mpi-openmpi.so and gradus-mpi-mpich.so,
 * plug-ins that a build makes where it finds their mpicc, know the communicators of Open MPI and of
 * MPICH. The one that belongs to the MPI of the calling process is loaded from the folder of this
 * library or from gradus/ in it; the environment variable GRADUS_MPI names another file.
 *
 * A function that is called collective must be called by all ranks of the communicator, in the same
 * order. What fails on one rank fails on all with the same status and text, which names the rank:
 * arguments that are wrong on one, memory that one does not have, ranks that ask for different
 * products. Nothing is printed then. There is one exception: if MPI fails on one rank amid a
 * product, the plug-in prints a line and ends all processes by MPI_Abort, because the others would
 * wait for what that rank will never send. */
#ifndef GRADUS_DIST_H
#define GRADUS_DIST_H

#include <gradus/gradus.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One rank's end of a communicator. It is used by one thread at a time. */
struct gradus_comm;

/* Collective over the MPI communicator at `mpi_comm` (an `MPI_Comm *`): a duplicate of it, so that
 * no message of the caller's can be taken for one of ours. MPI must have been started, at any level
 * of thread support. From MPI_THREAD_SERIALIZED on, a thread of this library calls it, too, while
 * a product runs; otherwise only the calling thread does. Errors: INVALID (a null communicator, one
 * between two groups, MPI does not run), UNSUPPORTED (no MPI in the process, no plug-in for it), IO
 * (MPI failed), NO_MEMORY; *comm is null then. Errors before the duplication are each rank's own.
 */
GRADUS_API enum gradus_status
gradus_comm_create_mpi(const void *mpi_comm, struct gradus_comm **comm, struct gradus_error *error);
/* The same, of a communicator's Fortran handle, which is an integer in every MPI: what Fortran has
 * itself, MPI_Comm_c2f returns, and mpi4py's comm.py2f(). */
GRADUS_API enum gradus_status gradus_comm_create_fortran(int mpi_comm, struct gradus_comm **comm,
                                                         struct gradus_error *error);
/* Collective, before MPI_Finalize. Null is allowed. */
GRADUS_API void gradus_comm_free(struct gradus_comm *comm);
GRADUS_API int64_t gradus_comm_rank(const struct gradus_comm *comm);
GRADUS_API int64_t gradus_comm_size(const struct gradus_comm *comm);

/* Without MPI: `ranks` threads of this process, 1 to 1024, each of which calls `work` with its end
 * of a communicator, which is freed afterwards. Returns when all have returned: OK if all returned
 * OK, otherwise the status of the first rank that did not, with its text. A rank that returns
 * a failure ends the products in which others wait for it. Errors of its own: INVALID, NO_MEMORY.
 */
GRADUS_API enum gradus_status gradus_comm_run_threads(
    int64_t ranks,
    enum gradus_status (*work)(struct gradus_comm *comm, void *context, struct gradus_error *error),
    void *context, struct gradus_error *error);

/* ---- Messages that the caller carries, without MPI ---- */

/* A message from or to one other rank; the data are not written where it is sent. */
struct gradus_message {
    int64_t peer;
    void *data;
    size_t bytes;
};

/* What a rank needs of any other engine that carries messages, as gloo of torch.distributed. The
 * functions return GRADUS_OK, or a failure with its text in *error. They must not end the thread
 * that calls them. Those of one communicator are not called at the same time. */
struct gradus_comm_functions {
    int64_t rank, size;
    void *context; /* of the functions */
    /* Sends and receives all of these at once, and returns when they are complete. For each message
     * there is one of the same bytes at the peer; of two ranks the messages of one way match in the
     * order in which each names them. None has 0 bytes, and none goes to the rank itself. Where
     * another rank has ended or has called `abort` it must fail in bounded time. */
    enum gradus_status (*exchange)(void *context, const struct gradus_message *sends,
                                   int64_t send_count, const struct gradus_message *receives,
                                   int64_t receive_count, struct gradus_error *error);
    /* This rank failed amid a product, or its `exchange` did, for the reason that the text says:
     * the calls of `exchange` in which others wait for it must end, with a failure, and so must all
     * later ones: the communicator can only be freed. */
    void (*abort)(void *context, const char *text);
    /* Called by gradus_comm_free; null is allowed. */
    void (*release)(void *context);
    int64_t reserved[4]; /* 0 */
};

/* One rank's end of a communicator over these functions, of which a copy is kept. Not collective.
 * Panels do not travel during products with it, as they do with MPI. Errors: INVALID, NO_MEMORY. */
GRADUS_API enum gradus_status
gradus_comm_create_functions(const struct gradus_comm_functions *functions,
                             struct gradus_comm **comm, struct gradus_error *error);

/* Which elements of a matrix each rank has. Grids are of ranks 0 to grid_rows * grid_cols - 1 of
 * the communicator; further ranks have no element. */
enum gradus_distribution {
    GRADUS_REPLICATED, /* every rank has all elements */
    GRADUS_BLOCKED,    /* one block a rank: of r rows (columns) over g parts, the first r % g parts
                        * have r / g + 1, the others r / g. 1D where one side of the grid is 1 */
    GRADUS_CYCLIC      /* as ScaLAPACK distributes them */
};

/* A matrix, as the calling rank sees it. Members that a distribution does not name are not read. */
struct gradus_dist_matrix {
    enum gradus_distribution distribution;
    /* Blocked and cyclic. Rank i is in row i / grid_cols and column i % grid_cols of the grid;
     * with grid_col_major in row i % grid_rows and column i / grid_rows. The ranks of a BLACS
     * context are row-major in the communicator that blacs_get returns for it. */
    int64_t grid_rows, grid_cols;
    int grid_col_major;
    /* Cyclic: ScaLAPACK's descriptor of the whole array, 9 entries: DTYPE (1), CTXT (not read), M,
     * N, MB, NB, RSRC, CSRC, LLD; or 11 with DTYPE 2, as PBLAS takes them, which has IMB and INB,
     * the sizes of the first block, before MB. RSRC or CSRC -1: each row (column) of the grid has
     * everything along that axis. The entries but LLD are the same on all ranks. */
    const int *desc;
    int64_t row,
        col; /* cyclic: of the matrix's first element in the array, from 0: IA - 1, JA - 1 */
    enum gradus_layout layout; /* replicated and blocked: of the local array; cyclic ones are
                                * column-major */
    void *local; /* this rank's elements; of a cyclic matrix its part of the whole array. It is not
                  * written where it is A or B, and may be null where the rank has no elements */
    int64_t ld;  /* replicated and blocked: elements between two rows (column-major: columns) of the
                  * local array; cyclic: LLD of the descriptor holds */
    int64_t reserved[4]; /* 0: members to come, of which 0 means what is done without them */
};

/* One product. op(A) is m x k, op(B) is k x n, C is m x n, and a, b, c are the matrices as they are
 * stored: of a, with trans_a, k x m elements. All members but `local`, `ld`, LLD and `threads` are
 * the same on all ranks. Start with gradus_gemm_dist_init. With beta 0, C is written and never
 * read. With alpha 0 or k 0, A and B are not read. C must have no element in common with A or B,
 * which is not checked. Zero sizes are allowed. */
struct gradus_gemm_dist {
    enum gradus_type type; /* of A, B, C and the sums: GRADUS_F32 or GRADUS_F64 */
    int trans_a, trans_b;  /* 0: as stored, 1: transposed */
    int64_t m, n, k;
    double alpha, beta; /* rounded to `type` */
    struct gradus_dist_matrix a, b, c;
    /* Bytes that each rank may take for its part of the product, beside the matrices of the caller
     * and while they are brought into the plan's layout and back; what does not fit is done in
     * steps. 0: no limit. Redistribution itself takes up to a rank's share of a matrix twice more.
     */
    int64_t memory_bytes;
    int threads; /* of each rank's local product, as in struct gradus_gemm */
    int64_t reserved[6];
};

/* Fills in the type, alpha 1, and 0 for all the rest: replicated, row-major, as stored, beta 0. */
GRADUS_API void gradus_gemm_dist_init(struct gradus_gemm_dist *gemm, enum gradus_type type);

/* Collective. Plans the product for the ranks of the communicator (docs/distributed.md), brings A
 * and B where the plan has them, multiplies, and brings the result to where C is; or, where that
 * takes longer by the model, brings A and B to where C is. The bits of C depend on the problem, the
 * layouts, the number of ranks, memory_bytes and the instruction set alone. Errors,
 * the same on all ranks: INVALID (the first bad member is named; C is as it was), UNSUPPORTED (the
 * type; memory_bytes is too little, and the text says how much would do), NO_MEMORY, IO and CRASHED
 * (the transport); C is undefined then.
 */
GRADUS_API enum gradus_status gradus_gemm_dist_run(const struct gradus_gemm_dist *gemm,
                                                   struct gradus_comm *comm,
                                                   struct gradus_error *error);

/* Collective, together with calls of gradus_gemm_dist_run by other ranks, in place of one: this
 * rank cannot take part in the product that is due, for the reason that the text (one line) says.
 * The calls of all ranks fail with this status and that text, and C is as it was. Returns the
 * status, or that of a rank before it that failed too; GRADUS_OK counts as INVALID. */
GRADUS_API enum gradus_status gradus_gemm_dist_refuse(struct gradus_comm *comm,
                                                      enum gradus_status status, const char *text,
                                                      struct gradus_error *error);

/* ---- Several GPUs of one process, without MPI ---- */

/* NVIDIA GPUs of this machine, the ways between them, and a thread for each but the first. Products
 * of several threads are computed one after another. Memory on the GPUs stays for later products.
 * A process that is forked from the one that opened them can only close them. */
struct gradus_gpus;

/* Takes `count` GPUs, by their numbers as the driver counts them, each once; count 0: all. Panels
 * travel by the driver's copies between GPUs, if all of these reach each other's memory; otherwise
 * by NCCL, where libnccl.so.2 is found (or the file that the variable GRADUS_NCCL names), and
 * without it by copies through the host; GRADUS_GPUS_LINK=nccl|copies decides. Errors: INVALID (a
 * GPU twice), UNSUPPORTED (no driver, no such GPU, no NCCL though it was asked for), NO_MEMORY, IO
 * (NCCL fails), LAUNCH; *gpus is null then. */
GRADUS_API enum gradus_status gradus_gpus_open(const int *numbers, int count,
                                               struct gradus_gpus **gpus,
                                               struct gradus_error *error);
GRADUS_API void gradus_gpus_close(struct gradus_gpus *gpus); /* null is allowed */
GRADUS_API int gradus_gpus_count(const struct gradus_gpus *gpus);
/* "NCCL 2.28.9", "copies", or "none" of one GPU. */
GRADUS_API const char *gradus_gpus_link(const struct gradus_gpus *gpus);

/* A product of matrices in host memory, which may exceed the memory of the GPUs: each GPU computes
 * a block of C, and loads a share of the operands, the rest of which it gets from the others.
 * `device` and `threads` are not read. One product of floats (f32, f64, bf16, f16) without an
 * epilogue, packed operands, context, workspace and stream. The bits of C depend on the problem,
 * the GPUs' number and model, and their free memory. C is complete when this returns. Errors:
 * INVALID, UNSUPPORTED, NO_MEMORY, IO, LAUNCH, CRASHED; C is undefined then, unless it is INVALID.
 */
GRADUS_API enum gradus_status gradus_gpus_gemm(const struct gradus_gemm *gemm,
                                               struct gradus_gpus *gpus,
                                               struct gradus_error *error);

/* A matrix in the GPUs' memory: the i-th of them has the block (i / grid_cols, i % grid_cols), of
 * sizes as of GRADUS_BLOCKED, at blocks[i]; elements between two of its rows (column-major:
 * columns) are lds[i]. */
struct gradus_gpus_matrix {
    int64_t grid_rows, grid_cols;
    void *const *blocks;
    const int64_t *lds;
};

/* The same of matrices that are there already: of `gemm`, the members a, lda and so on are not
 * read. The grid of C has all GPUs, those of A and B at most as many. Each GPU computes its block
 * of C; panels of A and B travel meanwhile. It waits for no stream: what writes the operands must
 * have ended. */
GRADUS_API enum gradus_status
gradus_gpus_gemm_blocks(const struct gradus_gemm *gemm, const struct gradus_gpus_matrix *a,
                        const struct gradus_gpus_matrix *b, const struct gradus_gpus_matrix *c,
                        struct gradus_gpus *gpus, struct gradus_error *error);

#ifdef __cplusplus
}
#endif
#endif
