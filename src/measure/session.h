/* session.h: one run of the workbench: its options, the worker, the peers, and the memory they
 * share. A session is what verifying and timing are done with; one row after another.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_SESSION_H
#define MEASURE_SESSION_H

#include "backend/backend.h"
#include "measure/child.h"
#include "records/follow.h"
#include "check/pair.h"
#include "explain/row_counts.h"
#include "peer/peer.h"

enum gr_cache_mode { GR_CACHE_BY_SIZE, GR_CACHE_WARM, GR_CACHE_COLD };

struct gr_options {
    struct gr_device_ref device;
    int threads; /* 0: all that may be used */
    enum gr_fill fill;
    uint64_t seed;
    bool strict;          /* a kernel that reads C at beta 0 is wrong */
    bool verify_only;     /* no times */
    bool no_shapes;       /* verify at the asked size only */
    double traffic_flops; /* count what timed rows of so many FLOP and more move on a GPU; 0: of
                             none */
    enum gr_cache_mode cache;
    int64_t
        time_limit_ns; /* one kernel at one size: a slower one is capped, a hung one is stopped */
    int64_t budget_ns; /* spent on the samples of a row, when one product is short */
    const char *const *peers; /* names; null: all that are found */
    int peer_count;
    struct gr_build build;
    struct gr_inputs inputs;            /* null members: filled */
    const struct gr_follower *follower; /* may be null */
};

struct gr_options gr_options_default(void);

/* For requests that run nothing of a kernel's: starting, loading, mapping, filling. */
extern const int64_t gr_housekeeping_limit_ns;

enum { GR_PAIRS = 3 };

struct gr_session_peer {
    const struct gr_peer_kind *kind;
    int index; /* in the present worker; -1: not opened yet */
    bool missing;
    struct gr_peer_result about; /* once opened */
    char why[256];               /* missing: the reason and the remedy */
};

struct gr_session {
    struct gr_options options;
    const struct gr_backend *backend;
    void *found; /* what the backend knows of the device */
    struct gr_device_about about;
    int threads;
    bool counting;                      /* what cannot be timed is counted */
    int64_t llc_bytes;                  /* of the device */
    struct gr_device_state least, most; /* of the device right after bursts; -1: not told */
    struct gr_arena arena;
    struct gr_child child;
    struct gr_artifact loaded; /* in the present worker; symbol empty: none */
    struct gr_session_peer peers[GR_MAX_PEERS];
    int peer_count;
    struct gr_pair pairs[GR_PAIRS]; /* of the present problem */
    bool have_pairs;
    char pairs_math[16];               /* what their references are computed as; "": as the types */
    double fma_gflops[GR_DTYPE_COUNT]; /* the fastest burst of FMAs of each type in this session */
};

/* What runs in a trial or a burst. */
struct gr_entrant {
    const struct gr_variant *variant; /* null: a peer */
    const struct gr_artifact *artifact;
    int peer; /* index into session->peers */
};

/* UNSUPPORTED when nothing of the device can run here. A session that did not open has no device:
 * there is nothing to ask it and nothing to close. */
enum gradus_status gr_session_open(const struct gr_options *options, struct gr_session *session,
                                   struct gradus_error *error);
void gr_session_close(struct gr_session *session);

/* Room for a canary on each side of an operand: where kernels work on memory of a device's own,
 * which has no pages that fault beside it. */
uint64_t gr_session_margin(const struct gr_session *session);

/* Threads that a row tells of; 0 on a device, whose speed the host's have no part in. */
int gr_session_threads(const struct gr_session *session);

/* Three pairs of inputs of that shape and types, kept until another shape is asked for. */
enum gradus_status gr_session_pairs(struct gr_session *session, const struct gr_problem *problem,
                                    const char *math, struct gradus_error *error);

/* Sees to it that the arena's segments have at least these sizes, in both processes. */
enum gradus_status gr_session_arena(struct gr_session *session, const struct gr_arena_plan *plan,
                                    struct gradus_error *error);

/* A worker is alive, has the arena mapped, the entrant's kernel loaded or its peer open.
 * *entrant_id is what requests call it. UNSUPPORTED: the peer is missing. */
enum gradus_status gr_session_ready(struct gr_session *session, const struct gr_entrant *entrant,
                                    int *entrant_id, struct gradus_error *error);

/* Asks the worker. After CRASHED or TIMED_OUT the next gr_session_ready starts a new one. */
enum gradus_status gr_session_ask(struct gr_session *session, const struct gr_request *request,
                                  struct gr_reply *reply, int64_t limit_ns,
                                  struct gradus_error *error);

/* Opens every peer once, so that about or why is known, and marks those that are missing or have no
 * such type. */
enum gradus_status gr_session_meet_peers(struct gr_session *session, struct gr_types types,
                                         struct gradus_error *error);

/* What the kernel's expressions may name, and the values of its `arg` and `work` lines, into
 * `item`. UNSUPPORTED when its `require` excludes the problem, LAUNCH when the device refuses a
 * launch of it. */
enum gradus_status gr_session_bind(const struct gr_session *session,
                                   const struct gr_entrant *entrant, struct gr_work_item *item,
                                   struct gradus_error *error);

/* Where this session saw a faster burst of FMAs than the environment's ceiling tells (which may
 * have been measured on a busy machine), the ceiling is raised to it; a device's ceilings, which
 * are measured beside its kernels only, are added. */
void gr_session_raise_ceilings(const struct gr_session *session,
                               struct gr_environment *environment);

/* Looks at the device right after a burst. */
void gr_session_watch(struct gr_session *session);
/* "NVIDIA H200, SM 1755 to 1980 MHz, up to 700 W and 60 C, driver 580.159, CUDA 13.0"; malloc'ed,
 * null for the CPU. */
char *gr_session_device(const struct gr_session *session);

/* How the simulator traces this session's rows. */
struct gr_row_tracing gr_session_tracing(const struct gr_session *session);

/* Tells the follower what is being done. */
void gr_session_say(const struct gr_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
