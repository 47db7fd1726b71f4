/* measure.h: from a kernel and a problem to a row: build, fit, verify, time.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_MEASURE_H
#define MEASURE_MEASURE_H

#include "measure/session.h"

/* All peers of the session that have the type, in turns; the row is beside the fastest of them. */
enum { GR_ALL_PEERS = -2 };

/* What a row is about. */
struct gr_subject {
    const struct gr_variant *variant;
    struct gr_problem problem; /* asked for; dense */
    int peer;             /* index into session->peers to stand beside; -1: none; GR_ALL_PEERS */
    const char *command;  /* reproduces the row */
    const char *diagnose; /* looks for the fault of a row that is wrong; null: nothing does */
};

/* Builds, verifies and times one kernel at one problem and appends its row to `run`. Whatever the
 * kernel does is in the row; an error is Gradus's own (or INTERRUPTED). */
enum gradus_status gr_measure_kernel(struct gr_session *session, const struct gr_subject *subject,
                                     struct gr_run *run, struct gradus_error *error);

/* Opens the peers, makes the inputs, and gives the fastest in a quick race (-1: none, or nothing is
 * to be timed). */
enum gradus_status gr_race_peers(struct gr_session *session, const struct gr_problem *problem,
                                 int *best, struct gradus_error *error);

/* Verifies and times session->peers[peer], which gr_race_peers or gr_session_meet_peers has opened,
 * beside the fastest, and appends its row to `run`. One that is missing gets a row that says why.
 */
enum gradus_status gr_measure_peer(struct gr_session *session, const struct gr_problem *problem,
                                   int peer, int best, const char *command, struct gr_run *run,
                                   struct gradus_error *error);

#endif
