/* simrt.h: what a built kernel is asked and what it answers. The builder (sim/) links a kernel's
 * translation unit with the run time into a shared object (fast: results only) or a program
 * (traced: every access observed).
 *
 * The unit defines gr_sim_stanzas[], one entry a `kernel` stanza. SPDX-License-Identifier: MIT */
#ifndef SIMRT_SIMRT_H
#define SIMRT_SIMRT_H

#include "records/trace.h"

#include <stdint.h>

enum { GR_SIM_PARAMETERS = 32, GR_SIM_ARRAYS = 12, GR_SIM_LAUNCHES = 16 };

/* Calls the kernel with the values that the pointers point at, one a parameter. */
typedef void gr_sim_stanza_fn(void *const *parameters);

/* ---- Fast: results only. ---- */

struct gr_sim_launch {
    int stanza;
    unsigned grid[3], block[3];
    int warp;
    int64_t smem_bytes; /* dynamic */
    void *const *parameters;
    int threads; /* of the host */
};

enum gr_sim_status {
    GR_SIM_DONE,
    GR_SIM_FAILED,       /* an assertion, a trap, threads that wait for ever: `text` */
    GR_SIM_NOT_MODELLED, /* `text`: what */
    GR_SIM_REFUSED,      /* a GPU does not take the launch: `text` */
    GR_SIM_NO_MEMORY,
    GR_SIM_ENDLESS /* traced: the answer's `still` says where, and there are no parts */
};

struct gr_sim_outcome {
    enum gr_sim_status status;
    char text[256];
};

/* Of the shared object, under the name "gr_sim_run". A kernel that faults kills the process. */
typedef void gr_sim_run_fn(const struct gr_sim_launch *launch, struct gr_sim_outcome *outcome);

/* ---- Traced: PROGRAM ASK ANSWER, two files. ---- */

/* Where code stands in the source; rows ascend by address, and each holds up to the next. */
struct gr_sim_line {
    uint64_t address; /* in the program, before it is relocated */
    uint32_t line;    /* 0: none */
    uint16_t column, file;
};

/* How wide an access of a line is in the machine code. */
struct gr_sim_width {
    uint32_t line;
    uint16_t file; /* as the lines number files */
    uint8_t access, space, bytes;
};

struct gr_sim_job_array {
    char name[GR_TRACE_NAME];
    int64_t bytes;
    int element_bytes;
    int64_t columns,
        ld;       /* of a matrix: elements of a row, and from one row to the next; ld 0: none */
    bool written; /* its contents are defined when the launches start */
    bool zero;    /* zeroed before each launch, and so defined */
};

struct gr_sim_job_launch {
    int stanza;
    bool whole;        /* run every block, whatever it takes */
    bool widths_known; /* from machine code: rows width_first and on say which lines have wide
                        * accesses; else neighbouring accesses to shared memory are taken for wide
                        * ones */
    int width_first, width_count;
    unsigned grid[3], block[3];
    int64_t smem_bytes;
    int parameter_count;
    struct {
        int array; /* its address is passed; -1: `value` is */
        _Alignas(16) unsigned char value[16];
    } parameters[GR_SIM_PARAMETERS];
};

/* The file ASK: this, then `line_count` rows of lines, then `width_count` of widths. */
struct gr_sim_job {
    bool checked;      /* of a program whose integers are checked (simrt/overflow.h), and not its
                          accesses */
    bool last_only;    /* of those the grid's last block alone */
    int warp, granule; /* granule: bytes of the smallest scalar in shared memory: 1, 2 or 4 */
    int threads;       /* of the host */
    int64_t limit_ns;  /* of work, for tracing beyond the representatives of all launches */
    int64_t
        patience_ns; /* of work by each host thread, with no progress: then the kernel is endless */
    uint64_t seed;
    bool races;   /* through global memory are looked for; `threads` is 1 */
    int own_file; /* of the lines' files, the kernel's own; -1: none */
    int array_count, launch_count, line_count, width_count;
    struct gr_sim_job_array arrays[GR_SIM_ARRAYS];
    struct gr_sim_job_launch launches[GR_SIM_LAUNCHES];
};

/* Where a thread of an endless kernel was. */
struct gr_sim_still {
    int64_t waited_ns;    /* of work, since the last progress */
    bool passes_barriers; /* but no block ends */
    bool touches;         /* but it comes upon elements that nobody has touched before */
    bool idle;            /* it waits, and does no work */
    int line, file;       /* line 0: not known */
    int block[3], thread[3];
};

/* The file ANSWER: this, then for each launch its arrays, sites and faults, and its walks' shapes,
 * runs, walks and trails, as counted in `parts`. Sites and faults have `file` indices as numbers in
 * text ("3"), to be replaced by names. */
struct gr_sim_result {
    struct gr_sim_outcome outcome; /* of the last launch that ran */
    struct gr_sim_still still;     /* of GR_SIM_ENDLESS */
    bool cut;                      /* of a checked program: the time was over before the end */
    int launch_count;              /* that ran */
    struct gr_sim_result_part {
        struct gr_trace trace; /* its pointers mean nothing */
    } parts[GR_SIM_LAUNCHES];
};

#endif
