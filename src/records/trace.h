/* trace.h: the simulator's result for one launch: every access of the source with its counts and
 * addresses, the arrays, and the faults. simrt/ counts, sim/ reads the result, and the analyses and
 * reports use it.
 *
 * Counts are of warps, as the hardware's counters are. A *request* is one execution of an access by
 * a warp. To global memory it takes *sectors*: the distinct pieces (of 32 bytes; on AMD's GPUs,
 * cache lines) that its lanes access. To shared memory it takes *wavefronts*: passes over the banks
 * of 4 bytes. Wavefronts beyond the fewest that its bytes need are bank *conflicts*.
 * SPDX-License-Identifier: MIT */
#ifndef RECORDS_TRACE_H
#define RECORDS_TRACE_H

#include "records/access_rules.h"
#include "records/finding.h"

#include <stdbool.h>
#include <stdint.h>

enum { GR_TRACE_LANES = 64, GR_TRACE_NAME = 64 };

enum gr_access {
    GR_ACCESS_LOAD,
    GR_ACCESS_STORE,
    GR_ACCESS_ATOMIC,
    /* The global side of an asynchronous copy to shared memory; its shared side is no request. */
    GR_ACCESS_COPY
};
const char *gr_access_name(enum gr_access access); /* "load", "store", "atomic", "copy" */

enum gr_space {
    GR_SPACE_GLOBAL,
    GR_SPACE_SHARED,
    GR_SPACE_OTHER /* __constant__ and __device__ variables */
};
const char *gr_space_name(enum gr_space space); /* "global", "shared", "other" */

/* An array that the kernel accesses: an operand, a `work` buffer, or a shared variable. */
struct gr_trace_array {
    char name[GR_TRACE_NAME]; /* "A", "As"; as the kernel's signature or the variable is named */
    char operand;             /* 'A', 'B' or 'C'; 0: none of them */
    enum gr_space space;
    int element_bytes;
    int64_t bytes;
    bool dynamic; /* dynamic shared memory */
    bool loaded, stored;
    int64_t reach; /* elements up to the last one that the traced blocks access; global only */
    int64_t load_bytes, store_bytes; /* requested by all lanes */
    int64_t distinct_bytes; /* in the distinct sectors that the grid accesses; global only */
    /* In the distinct sectors of each block, summed over the blocks; global only. */
    int64_t block_distinct_bytes;
    /* For C if beta is 0, and for a work buffer that is not zeroed, after this launch and those
     * before it. */
    int64_t unwritten;       /* elements that no thread has written; -1: not known */
    int64_t first_unwritten; /* the first of them */
    /* The NaN that it held before has been used to compute what was written to it. */
    bool old_reached;
};

/* One access of the source. */
struct gr_trace_site {
    uint64_t code;    /* its address in the traced program */
    int line, column; /* in the kernel's file or in `file`; 0: not known */
    char file[128];   /* another file than the kernel's own (a header); "": the kernel's */
    enum gr_access access;
    enum gr_space space;
    int array; /* index into `arrays`; -1: not one array, or none */
    int bytes; /* of one lane's access, as it is counted (after merging) */
    /* As in the source; smaller than `bytes` if neighbours were merged into one access. */
    int source_bytes;
    int64_t requests;
    int64_t lanes;         /* active, in all requests */
    int64_t sectors;       /* global */
    int64_t sectors_ideal; /* if the same bytes were contiguous and aligned */
    /* global: the bytes of the distinct sectors of each block here, summed over the blocks. */
    int64_t block_distinct_bytes;
    int64_t wavefronts; /* shared */
    int64_t wavefronts_ideal;
    /* The request with the highest cost: each lane's byte offset into the array; -1 for an inactive
     * lane. */
    int64_t pattern[GR_TRACE_LANES];
    int pattern_sectors, pattern_wavefronts;
    int pattern_block[3], pattern_thread; /* of lane 0, linear within the block */
    struct gr_access_rules rules;         /* of the device */
};

/* What the warps executed at one instruction of the machine code. */
struct gr_executed {
    int64_t warps;   /* executions by a warp, or by those of its lanes that were on the same path */
    int64_t threads; /* the number of these lanes, in all executions */
    int64_t lanes;   /* of these, those for which the guard was true */
    /* Executions of a branch after which the lanes were at different instructions. */
    int64_t divergent;
    /* Its accesses to local memory. The words of the 32 lanes at one offset are interleaved: they
     * are 128 contiguous bytes. */
    int64_t local_requests, local_sectors;
};
enum { GR_EXECUTED = sizeof(struct gr_executed) / sizeof(int64_t) };

/* An instruction of the machine code, with its counts of the whole grid. */
struct gr_trace_instruction {
    uint64_t code;  /* as in the sites; the same for each access of the instruction */
    int64_t offset; /* from the kernel's first instruction, in bytes */
    int line;       /* in the kernel's file or in `file`; 0: not known */
    char file[128]; /* as in the sites */
    char text[128]; /* "@!P0 FFMA R4, R8, R12, R4", as nvdisasm writes it */
    int op;         /* its class: enum gr_code_op of code/instruction.h */
    struct gr_executed executed;
    /* Sums over the sites of the instruction, global and shared. */
    int64_t requests, sectors, sectors_ideal, wavefronts, wavefronts_ideal;
};

/* Asynchronous operations: an instruction begins them, and they end when the program waits for
 * them. */
enum gr_async {
    GR_ASYNC_NONE,
    GR_ASYNC_COPY,    /* cp.async of a thread */
    GR_ASYNC_BULK,    /* operations that complete on an mbarrier: bulk copies, st.async */
    GR_ASYNC_STORE,   /* bulk copies out of shared memory, which complete as a group */
    GR_ASYNC_PRODUCT, /* wgmma */
    GR_ASYNC_PROXY /* not an asynchronous operation, but a write through the generic proxy without a
                      fence for the async proxy */
};

/* A fault of one kind at one place, or pair of places; `count` says how often it occurred. */
struct gr_trace_fault {
    enum gr_finding_kind kind;
    int line, column; /* of the access or barrier; 0: unknown */
    /* RACE: the other access; BARRIER: where the others are; 0: they have exited. */
    int other_line, other_column;
    char file[128], other_file[128];
    bool writes, other_writes;
    /* BARRIER: a GPU hangs, since threads of one warp, or others that must arrive, are
     * elsewhere. */
    bool hangs;
    /* BARRIER: the mask of a call that does not include the calling lane; 0: another cause. */
    uint64_t unnamed;
    /* BARRIER: the mask of a shuffle that reads the value of `other_thread`, which the mask names
     * and which has exited; 0: another cause. */
    uint64_t absent;
    bool same_value; /* RACE: both write, and the same bits each time */
    bool across;     /* RACE: the other thread belongs to `other_block` */
    /* RACE: the other access is an asynchronous operation that was not waited for. */
    enum gr_async in_flight;
    char array[GR_TRACE_NAME];
    int64_t index;    /* element of the array, from 0; may be negative or past the end */
    int64_t elements; /* that the array has */
    /* The position of `index` in an operand with leading dimension ld; ld 0: not a matrix. */
    int64_t row, col, ld;
    int block[3], thread[3], other_thread[3],
        other_block[3]; /* the first occurrence in the first block */
    int64_t count;      /* occurrences in the traced blocks; 0: unknown */
    char operation;     /* OVERFLOW: the operation, '+', '-' or '*', on `left` and `right` */
    int bits;
    int64_t left, right;
};

/* ---- Walks: the single requests of the warps of a few blocks. ---- */

enum { GR_WALKED_BLOCKS = 16 };

/* The pattern of a request's addresses, and what it costs. */
struct gr_trace_shape {
    uint64_t lanes;                 /* a bit for each active lane */
    int64_t offset[GR_TRACE_LANES]; /* bytes from the lowest address; 0 for inactive lanes */
    int bytes;                      /* of one lane's access */
    /* global: by the lowest address modulo the size of a sector; 0: not seen */
    int16_t sectors[GR_SECTOR_MOST];
    int16_t sectors_ideal, wavefronts, wavefronts_ideal;
};

/* Requests of one shape, each `stride` bytes after the one before. */
struct gr_trace_run {
    int64_t count, stride;
    int64_t start; /* of the first one's lowest byte, from that of the walk's first request */
    int shape;     /* index into `shapes` */
};

/* The requests of a warp at a site, in their order: the runs one after another, then the same runs
 * `shift` bytes further, and so on, `kept` requests in all. */
struct gr_trace_walk {
    int first_run, run_count;
    int64_t shift, kept;
    /* Requests made; those beyond `kept` do not follow this rule and are not stored. */
    int64_t total;
};

/* The walk of one warp of a block at a site. */
struct gr_trace_trail {
    int site, block, warp, walk; /* block: index into `blocks`; warp: in the block */
    int64_t base;                /* the lowest byte of the first request in the array */
};

struct gr_trace_walks {
    unsigned blocks[GR_WALKED_BLOCKS][3]; /* at the grid's corners and edges, and next to them */
    int block_count;
    struct gr_trace_shape *shapes;
    int shape_count;
    struct gr_trace_run *runs;
    int run_count;
    struct gr_trace_walk *walks;
    int walk_count;
    struct gr_trace_trail *trails; /* by site, block, warp */
    int trail_count;
    bool dropped; /* there was not enough memory for all */
};

enum gr_coverage {
    GR_COVERAGE_WHOLE,  /* every block was traced */
    GR_COVERAGE_CLASSES /* one block of each class, and random others that agreed: also exact */
    ,
    /* Blocks differ within their classes and there was no time for all of them: estimates. */
    GR_COVERAGE_SAMPLED
};
const char *gr_coverage_name(enum gr_coverage coverage); /* "whole", "classes", "sampled" */

/* Where the widths of accesses come from. ptxas merges neighbouring scalar accesses, which a
 * host compiler does not do. */
enum gr_widths {
    GR_WIDTHS_SOURCE, /* as written */
    GR_WIDTHS_MERGED, /* guessed, because NVRTC was not found */
    GR_WIDTHS_CUBIN,  /* from the machine code, by source line */
    GR_WIDTHS_CODE    /* the machine code was executed */
};
const char *gr_widths_name(enum gr_widths widths); /* "source", "merged", "cubin", "code" */

struct gr_trace {
    int stanza;
    unsigned grid[3], block[3];
    int warp;
    enum gr_coverage coverage;
    enum gr_widths widths;
    int64_t blocks, blocks_traced, classes;
    int64_t barriers; /* waits of warps at barriers, summed over the warps */
    int64_t accesses; /* traced accesses of single threads */
    int64_t time_ns;  /* processor time of the tracing, of all threads */
    struct gr_trace_array *arrays;
    int array_count;
    struct gr_trace_site *sites; /* by line, then column */
    int site_count;
    struct gr_trace_fault *faults; /* in the order of their detection */
    int fault_count;
    bool faults_dropped; /* more faults were found than are kept */
    struct gr_trace_walks walks;
    struct gr_trace_instruction *instructions; /* as they are in the kernel */
    int instruction_count; /* 0: the source was executed, not the machine code */
    /* Blocks of one class executed each instruction equally often. If this is false and not every
     * block was traced, the numbers of executions are extrapolated, even if the requests are
     * exact. */
    bool executes_alike;
};

void gr_trace_free(struct gr_trace *trace);
/* The site's array, or null. */
const struct gr_trace_array *gr_trace_array_of(const struct gr_trace *trace,
                                               const struct gr_trace_site *site);

/* Renumbers shapes and walks in the order in which trails use them, so that their numbers do not
 * depend on the order of the host's threads. If memory is out, they stay as they are. */
void gr_trace_order_walks(struct gr_trace_walks *walks);
/* Sums over sites. `array` -1: over all arrays. */
struct gr_trace_sum {
    int64_t requests, lanes, sectors, sectors_ideal, wavefronts, wavefronts_ideal, bytes;
};
struct gr_trace_sum gr_trace_total(const struct gr_trace *trace, enum gr_space space,
                                   enum gr_access access, int array);

#endif
