/* measure.h: makes a row from a kernel and a problem: build, choose a size, verify, time.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_MEASURE_H
#define MEASURE_MEASURE_H

#include "measure/session.h"

/* As gr_measure_params.peer: time against all peers of the session that support the type, in the
 * same rounds. The fastest is the row's peer. */
enum { GR_ALL_PEERS = -2 };

/* What a row is about. */
struct gr_measure_params {
    const struct gr_variant *variant;
    struct gr_problem problem; /* the requested problem; dense */
    int peer;                  /* index into session->peers; -1: no peer; GR_ALL_PEERS */
    const char *command;       /* reproduces the row */
    const char *diagnose;      /* diagnoses a wrong row; null: no command does */
};

/* Builds, verifies and times one kernel at one problem and appends its row to `run`. Failures of
 * the kernel are in the row; an error is one of Gradus itself (or INTERRUPTED). */
enum gradus_status gr_measure_kernel(struct gr_session *session,
                                     const struct gr_measure_params *params, struct gr_run *run,
                                     struct gradus_error *error);

/* Opens the peers, makes the inputs, and returns the fastest peer in a short measurement (-1:
 * none, or nothing is to be timed). */
enum gradus_status gr_compare_peers(struct gr_session *session, const struct gr_problem *problem,
                                    int *best, struct gradus_error *error);

/* Verifies and times session->peers[peer], which gr_compare_peers or gr_session_open_peers has
 * opened, against the fastest peer, and appends its row to `run`. A missing peer gets a row that
 * says why. */
enum gradus_status gr_measure_peer(struct gr_session *session, const struct gr_problem *problem,
                                   int peer, int best, const char *command, struct gr_run *run,
                                   struct gradus_error *error);

#endif
