/* measuring.h: the common parts of the verbs that verify and time: their options, the session, and
 * the output of rows. SPDX-License-Identifier: MIT */
#ifndef CLI_MEASURING_H
#define CLI_MEASURING_H

#include "cli/device_arg.h"
#include "cli/metavar.h"
#include "cli/following.h"
#include "cli/verb.h"
#include "io/npy.h"
#include "measure/sweep.h"

/* The options of every such verb, for its table. */
#define GR_MEASURING_OPTIONS                                                                       \
    {"device", 0, GR_METAVAR_DEVICE, false, "where to run (default: cpu)"}, GR_OPTION_ENGINE,      \
        GR_OPTION_REORDER_FFMA,                                                                    \
        {"size", 0, "SIZE", true, "1024, MxNxK, a list or FIRST:LAST:xFACTOR"},                    \
        {"dtype", 0, GR_TYPES_WORDS, false,                                                        \
         "of the inputs, then of C (default: the kernel's first)"},                                \
        {"trans", 0, "nn|nt|tn|tt", false, "which of A and B are stored transposed"},              \
        {"threads", 0, "N,...", false, "threads of kernels and peers (default: all allowed)"},     \
        {"peer", 0, "PEER", true, "compare with this library; `none` for no peer"},                \
        {"param", 0, "NAME=VALUE", true, "set a kernel's parameter"},                              \
        {"tuned", 0, "FILE", false, "parameters that gradus tune -o has written there"},           \
        {"fill", 0, "uniform|normal|integer|wide|positive|ones", false, "what A and B hold"},      \
        {"seed", 0, "N", false, "of the random numbers (default: 1)"},                             \
        {"warm", 0, NULL, false, "operands stay in the caches (default up to 512)"},               \
        {"cold", 0, NULL, false, "operands rotate through twice the last cache"},                  \
        {"strict", 0, NULL, false, "reading C when beta is 0 makes a kernel wrong"},               \
        {"verify-only", 0, NULL, false, "do not time"},                                            \
        {"shapes", 0, "yes|no", false, "verify at edge shapes too (default: yes)"},                \
        {"time-limit", 0, "SECONDS", false, "for a kernel at a size (default: 12)"},               \
        {"stop-after", 0, "TIME", false, "end the whole run then, as 90s, 10m or 2h30m"},          \
        {"resume", 0, "FILE.json", false, "go on with the run that wrote this"},                   \
        {"no-history", 0, NULL, false, "do not record the rows (see gradus history)"},             \
        {"format", 0, GR_METAVAR_FORMAT, false, "what to print (default: table)"},                 \
    {                                                                                              \
        "report", 0, "DIR", false, "write an HTML report with pictures, JSON and CSV"              \
    }

/* A paragraph for the details of every such verb. */
#define GR_MEASURING_ENDING                                                                        \
    "Rows are printed as soon as they are measured; JSON and a preset's summary at the end. "      \
    "A run that Ctrl-C, SIGTERM, SIGHUP or --stop-after ends early shows the finished rows, "      \
    "in every format and in the report, and says that it is partial (status 130, 143, 129 "        \
    "and 130). The same command with --resume and its JSON or report continues it: those "         \
    "rows are kept and the others are measured, unless the machine, the build or the options "     \
    "differ. A second Ctrl-C ends the run at once.\n\n"

/* Problems with the same types and transposes, for one number of threads. */
struct gr_part {
    int threads;
    struct gr_types types;
    bool trans_a, trans_b, trans_given;
    const struct gr_size *sizes; /* not owned */
    int size_count;
    int first; /* the index of its first row in the plan */
};

enum { GR_MAX_THREAD_COUNTS = 16 };

/* The run of a verb, from its arguments to its exit status. */
struct gr_measuring {
    struct gr_options options;
    int threads[GR_MAX_THREAD_COUNTS]; /* from --threads, in the given order */
    int thread_count;
    /* The parts to measure; null: `sizes` with `types` and each of `threads`. */
    struct gr_part *parts;
    int part_count;
    bool explains; /* nothing is measured: the device need not be here */
    bool field;    /* each kernel is timed against all peers in turns, and has one line; a summary
                      follows */
    bool by_work;  /* the summary is by the amount of work of the products: see struct gr_sum */
    struct gr_types types;
    bool types_given, trans_a, trans_b, trans_given;
    struct gr_size *sizes;
    int size_count;
    const char **params, **peers, **defines;
    int param_count;
    char *kernel_options;   /* also repeated in the command of a kernel's row */
    char *diagnose_options; /* repeated in the command that diagnoses a wrong row */
    struct gr_sweep_kernel *kernels;
    int kernel_count;
    struct gr_tuned_table tuned; /* from --tuned; path null: none */
    int64_t stop_after_ns;       /* from --stop-after; 0: never */
    struct gr_run plan;          /* one row for each row that is to be measured */
    struct gr_following following;
    struct gr_recording recording;
    struct gr_kernel_chapters chapters; /* of --report */
    enum gradus_status failed;          /* the error that ended a run early, if it has rows (see
                                           run->stopped); otherwise OK */
    const struct gr_args *args;
};

/* Reads the common options. After a failure the caller shows the error, and must still free *m. */
enum gradus_status gr_measuring_read(const struct gr_args *args, const char *default_sizes,
                                     struct gr_measuring *m, struct gradus_error *error);
void gr_measuring_free(struct gr_measuring *m);

/* Reads the number of an option, within bounds. INVALID names the option. */
enum gradus_status gr_measuring_number(const char *option, const char *text, double least,
                                       double most, double *value, struct gradus_error *error);
enum gradus_status gr_measuring_integer(const char *option, const char *text, int64_t least,
                                        int64_t most, int64_t *value, struct gradus_error *error);

/* Adds a kernel. `command` is its name on a command line, such as "ladder --kernels 03_x". */
enum gradus_status gr_measuring_add(struct gr_measuring *m, const struct gr_kernel *kernel,
                                    const char *command, struct gradus_error *error);

/* Measures: fills `run` (environment and rows), and prints rows as they are measured if --format
 * can print row by row. A run that was ended by a signal or --stop-after is OK, and run->stopped
 * reports it. The storage of its rows must outlive `m`. */
enum gradus_status gr_measuring_run(struct gr_measuring *m, const char *title, struct gr_run *run,
                                    struct gradus_error *error);

/* Prints what has not been printed yet in --format, writes --report, and returns the exit status
 * that follows from the verdicts, or that of a run that was ended early. */
enum gr_exit gr_measuring_show(struct gr_measuring *m, const struct gr_run *run);

/* Is it a size such as "N=1024,M=512", for a kernel that is not a GEMM? */
bool gr_is_named_size(const char *text);

#endif
