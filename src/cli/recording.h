/* recording.h: adds the rows of a measuring run to the history as they are measured, so that no row
 * is lost if the run is killed. SPDX-License-Identifier: MIT */
#ifndef CLI_RECORDING_H
#define CLI_RECORDING_H

#include "cli/verb.h"
#include "history/history.h"
#include "measure/sweep.h"

struct gr_recording {
    bool on;
    struct gr_history *history; /* opened for the first row that is recorded */
    struct gr_history_run run;  /* its title and environment point to those of the run */
    const struct gr_sweep_kernel *kernels;
    int kernel_count;
    const char *function; /* of --kernel; null: not given */
    char *note;           /* a message that is printed when the run has ended; null: none */
};

/* Begins to record the rows of `run`, which must outlive the recording, unless --no-history is
 * given or this is a build without SQLite. `gpu` is the name of the GPU; null: the host's CPU. */
void gr_recording_begin(struct gr_recording *recording, const struct gr_args *args,
                        const struct gr_run *run, const char *gpu,
                        const struct gr_sweep_kernel *kernels, int kernel_count);
/* Adds a row that has just been measured, if it is right and was timed. A failure only ends the
 * recording, and leaves a note of one line. */
void gr_recording_add(struct gr_recording *recording, const struct gr_row *row);
/* Adds the parts of the environment that are known only now, closes the history, and prints the
 * note. */
void gr_recording_end(struct gr_recording *recording, const struct gr_environment *environment);
void gr_recording_free(struct gr_recording *recording);

/* Makes the entry of a row, with its run and the file of its kernel. The entry does not own the
 * row, and gr_recording_entry_free does not free it. */
void gr_recording_entry(const struct gr_recording *recording, const struct gr_row *row,
                        struct gr_history_entry *entry);
void gr_recording_entry_free(struct gr_history_entry *entry);

#endif
