/* simrt.h: the interface between gradus and a kernel that was built for the simulator: the jobs and
 * their results. sim/ links a kernel's translation unit with the run time into a shared object,
 * which computes results only (the fast mode), or into a program, which also records every access
 * (the traced mode).
 *
 * The unit defines gr_sim_stanzas[], with one entry for each `kernel` stanza.
 * SPDX-License-Identifier: MIT */
#ifndef SIMRT_SIMRT_H
#define SIMRT_SIMRT_H

#include "records/trace.h"

#include <stdint.h>

enum { GR_SIM_PARAMETERS = 32, GR_SIM_ARRAYS = 20, GR_SIM_LAUNCHES = 16, GR_SIM_MAPS = 8 };

struct gr_program; /* machine/machine_program.h */

/* Calls the kernel. `parameters` has a pointer to the value of each parameter. */
typedef void gr_sim_stanza_fn(void *const *parameters);

/* ---- Fast mode: results only. ---- */

struct gr_sim_launch {
    int stanza;
    unsigned grid[3], block[3], cluster[3]; /* cluster: of blocks; 0: none */
    int warp;
    int64_t smem_bytes; /* dynamic */
    void *const *parameters;
    int threads;                      /* of the host */
    const struct gr_program *program; /* of the engine that executes machine code; else null */
};

enum gr_sim_status {
    GR_SIM_DONE,
    GR_SIM_FAILED,       /* an assertion, a trap, or a deadlock; `text` says which */
    GR_SIM_NOT_MODELLED, /* `text` says what */
    GR_SIM_REFUSED,      /* a GPU refuses the launch; `text` says why */
    GR_SIM_NO_MEMORY,
    GR_SIM_ENDLESS /* traced mode only: `still` of the result says where, and there are no parts */
};

struct gr_sim_outcome {
    enum gr_sim_status status;
    char text[256];
    uint64_t code; /* of the instruction of machine code at which it failed; 0: none is known */
};

/* The function "gr_sim_run" of the shared object. A kernel that faults kills the process. */
typedef void gr_sim_run_fn(const struct gr_sim_launch *launch, struct gr_sim_outcome *outcome);

/* ---- Traced mode: the command is PROGRAM JOB RESULT, of which the last two are files. ---- */

/* The code of an instruction of machine code, in lines and sites: the ELF section of its function
 * from this bit on, and its offset there. */
enum { GR_SIM_SECTION_BITS = 22, GR_SIM_INSTRUCTION_BYTES = 16 };

/* The source line of code. Rows ascend by address, and each is valid up to the next. */
struct gr_sim_line {
    uint64_t address; /* in the program, which is linked at a fixed address */
    uint32_t line;    /* 0: none */
    uint16_t column, file;
};

/* The width of an access of a line in the machine code. */
struct gr_sim_width {
    uint32_t line;
    uint16_t file; /* the file's number in the lines */
    uint8_t access, space, bytes;
};

struct gr_sim_job_array {
    char name[GR_TRACE_NAME];
    int64_t bytes;
    int element_bytes;
    int64_t columns,
        ld;        /* of a matrix: elements of a row, and from one row to the next; ld 0: none */
    bool written;  /* its contents are defined before the first launch */
    bool zero;     /* zeroed before the first launch, and therefore defined */
    bool is_input; /* only read, as far as the caller knows */
    bool
        is_result; /* what the kernel computes: stores of several lanes to one element must agree */
};

/* A tensor map of an array that is a matrix. */
struct gr_sim_job_map {
    int array;
    int type;                  /* as CUtensorMapDataType numbers it */
    int64_t rows, columns, ld; /* elements */
    unsigned box[2];           /* rows, columns */
    int swizzle_bytes;
    bool optional;   /* not used if the array is not at a multiple of 16 bytes */
    bool by_address; /* it describes matrices at any address: core/map_by_address.h */
};

struct gr_sim_job_launch {
    int stanza;
    bool whole;        /* run every block, however long it takes */
    bool widths_known; /* from machine code: the rows from width_first on list the lines with wide
                          accesses. Otherwise adjacent accesses to shared memory are merged into
                          wide ones */
    int width_first, width_count;
    unsigned grid[3], block[3], cluster[3];
    int64_t smem_bytes;
    int parameter_count;
    struct {
        int array;        /* the array whose address is passed; -1: `value` is passed */
        int map;          /* 1 and up: the job's map that is passed, counted from 1; 0: none */
        bool map_address; /* its address is */
        _Alignas(16) unsigned char value[16];
    } parameters[GR_SIM_PARAMETERS];
    /* Of the engine that executes machine code: the position of the kernel's name in the names. */
    int symbol;
};

/* The file JOB: this structure, then `line_count` rows of lines, then `width_count` rows of widths,
 * then `image_bytes` bytes of a cubin and `name_bytes` bytes of names, each with its zero. */
struct gr_sim_job {
    bool checked; /* the program checks integers for overflow (simrt/overflow.h) and does not record
                     accesses */
    bool last_only;               /* of the blocks at the grid's corners, run the last one only */
    struct gr_access_rules rules; /* of the device */
    int warp, granule; /* granule: bytes of the smallest scalar in shared memory: 1, 2 or 4 */
    int threads;       /* of the host */
    int64_t
        limit_ns; /* processor time for tracing, beyond one block of each class in all launches */
    int64_t patience_ns; /* processor time of each host thread without progress, after which the
                            kernel is taken to be endless */
    uint64_t seed;
    bool lockstep; /* lanes of a warp run in the machine code's order: what they do to shared memory
                      between two of its meetings is no race */
    bool races;    /* races through global memory are searched for; `threads` is 1 */
    int kept;      /* the number of arrays, from the first on, whose final contents are requested */
    int own_file;  /* the number of the kernel's own file in the lines; -1: none */
    int array_count, launch_count, line_count, width_count;
    int64_t image_bytes, name_bytes;
    struct gr_sim_job_array arrays[GR_SIM_ARRAYS];
    struct gr_sim_job_map maps[GR_SIM_MAPS]; /* for machine code alone */
    struct gr_sim_job_launch launches[GR_SIM_LAUNCHES];
};

/* Where a thread of an endless kernel was. */
struct gr_sim_still {
    int64_t waited_ns;    /* processor time since the last progress */
    bool passes_barriers; /* it passes barriers, but no block ends */
    bool touches;         /* it still reaches elements that were not accessed before */
    bool idle;            /* all threads wait and use no processor time */
    int line, file;       /* line 0: not known */
    int block[3], thread[3];
};

/* The file RESULT: this structure, then for each launch its arrays, sites and faults, and the
 * shapes, runs, walks and trails of its kept requests, and its instructions; `parts` has their
 * numbers. Then the contents of the requested arrays. In sites and faults, `file` is the number of
 * a file as text ("3"), which sim/tracing.c replaces by the file's name. */
struct gr_sim_result {
    struct gr_sim_outcome outcome; /* of the last launch that ran */
    struct gr_sim_still still;     /* only of GR_SIM_ENDLESS */
    bool cut; /* of a program that checks integers: the time limit was reached before the end */
    int launch_count; /* that ran */
    int kept; /* arrays whose contents follow at the end of the file: the job's, or 0 if a block did
                 not run to its end */
    struct gr_sim_result_part {
        struct gr_trace trace; /* its pointers are not valid */
    } parts[GR_SIM_LAUNCHES];
};

#endif
