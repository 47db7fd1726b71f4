/* recording.h: puts the rows of a measuring run into the history as they are measured, so that a
 * run that is killed loses none. SPDX-License-Identifier: MIT */
#ifndef CLI_RECORDING_H
#define CLI_RECORDING_H

#include "cli/verb.h"
#include "history/history.h"
#include "measure/sweep.h"

struct gr_recording {
    bool on;
    struct gr_history *history; /* opened for the first row that is to be recorded */
    struct gr_history_run run;  /* the texts of title and environment are those of the run */
    const struct gr_sweep_kernel *kernels;
    int kernel_count;
    const char *function; /* of --kernel; null: not given */
    char *note;           /* what is to be said when the run has ended; null: nothing */
};

/* Rows of `run`, which outlives the recording, are recorded, unless --no-history is given or this
 * is built without SQLite. `gpu` is the name of the GPU; null: it is the host's processor. */
void gr_recording_begin(struct gr_recording *recording, const struct gr_args *args,
                        const struct gr_run *run, const char *gpu,
                        const struct gr_sweep_kernel *kernels, int kernel_count);
/* Adds a row that was measured now, if it is right and was timed. A failure ends the recording,
 * makes a note of one line, and nothing else. */
void gr_recording_add(struct gr_recording *recording, const struct gr_row *row);
/* Adds what the environment of the run has gained, closes the history, and prints the note. */
void gr_recording_end(struct gr_recording *recording, const struct gr_environment *environment);
void gr_recording_free(struct gr_recording *recording);

/* The entry of a row: its run, and the file of its kernel. The row in it is not the entry's own, so
 * that gr_recording_entry_free frees the others only. */
void gr_recording_entry(const struct gr_recording *recording, const struct gr_row *row,
                        struct gr_history_entry *entry);
void gr_recording_entry_free(struct gr_history_entry *entry);

#endif
