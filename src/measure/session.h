/* session.h: a session is one run of the workbench: its options, the worker, the peers, and the
 * memory that they share. Rows are verified and timed with it, one after another.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_SESSION_H
#define MEASURE_SESSION_H

#include "backend/backend.h"
#include "backend/device_ref.h"
#include "measure/child.h"
#include "records/follow.h"
#include "check/pair.h"
#include "explain/row_counts.h"
#include "peer/peer.h"

enum gr_cache_mode { GR_CACHE_BY_SIZE, GR_CACHE_WARM, GR_CACHE_COLD };

struct gr_options {
    struct gr_device_ref device;
    int threads; /* 0: as many as the process may use */
    int callers; /* the number of callers that compute each product at the same time; 0: one */
    enum gr_fill fill;
    uint64_t seed;
    bool strict;      /* a kernel that reads C with beta 0 is wrong */
    bool verify_only; /* measure no times */
    bool no_shapes;   /* verify at the requested size only */
    /* Count the memory traffic on a GPU of timed rows with at least this many FLOP; 0: of none. */
    double traffic_flops;
    enum gr_cache_mode cache;
    /* For one kernel at one size: a slower one is timed at a smaller size, one that does not
     * end is stopped. */
    int64_t time_limit_ns;
    int64_t budget_ns;        /* for the samples of a row, if one GEMM is short */
    const char *const *peers; /* names; null: all that are found */
    int peer_count;
    struct gr_build build;
    struct gr_inputs inputs;            /* null members: filled with random values */
    const struct gr_follower *follower; /* may be null */
};

struct gr_options gr_options_default(void);

/* The time limit of requests that do not run a kernel: starting, loading, mapping, filling. */
extern const int64_t gr_housekeeping_limit_ns;

enum { GR_PAIRS = 3 };

struct gr_session_peer {
    const struct gr_peer_kind *kind;
    int index; /* in the current worker; -1: not opened yet */
    bool missing;
    struct gr_peer_result about; /* known once it was opened */
    char why[256];               /* if missing: the reason and the remedy */
};

struct gr_session {
    struct gr_options options;
    const struct gr_backend *backend;
    void *found; /* the backend's description of the device */
    struct gr_device_about about;
    int threads, callers;               /* each is at least 1 */
    bool counting;                      /* rows that cannot be timed get counts */
    int64_t llc_bytes;                  /* of the device's last-level cache */
    struct gr_device_state least, most; /* of the device right after bursts; -1: unknown */
    struct gr_arena arena;
    struct gr_child child;
    char *loaded[GR_MAX_KERNELS]; /* names the code in the current worker; null: none */
    struct gr_session_peer peers[GR_MAX_PEERS];
    int peer_count;
    struct gr_pair pairs[GR_PAIRS]; /* for the current problem */
    bool have_pairs;
    const char *field_math; /* the precision of the peers that kernels are timed against; null: that
                               of the types */
    char pairs_math[16];    /* the precision of their references; "": that of the types */
    double fma_gflops[GR_DTYPE_COUNT]; /* of the fastest FMA burst for each type in this session */
};

/* A candidate: what is run in a trial or a burst. */
struct gr_candidate {
    const struct gr_variant *variant; /* null: a peer */
    const struct gr_artifact *artifact;
    int peer; /* index into session->peers */
    int slot; /* the number of the kernel in the worker; 0 unless several are loaded */
};

/* UNSUPPORTED if the device cannot run anything here. If it fails, the session has no device and
 * need not be closed. */
enum gradus_status gr_session_open(const struct gr_options *options, struct gr_session *session,
                                   struct gradus_error *error);
void gr_session_close(struct gr_session *session);

/* The size of the canary on each side of an operand in a device's own memory, which does not
 * have guard pages. */
uint64_t gr_session_margin(const struct gr_session *session);

/* The number of threads shown in a row; 0 on a device, whose speed does not depend on the host's
 * threads. */
int gr_session_threads(const struct gr_session *session);

/* Makes three pairs of inputs of that shape and types. They are kept until another shape is
 * requested. */
enum gradus_status gr_session_pairs(struct gr_session *session, const struct gr_problem *problem,
                                    const char *math, struct gradus_error *error);

/* Makes the arena's segments at least this large, in both processes. */
enum gradus_status gr_session_arena(struct gr_session *session, const struct gr_arena_plan *plan,
                                    struct gradus_error *error);

/* Makes sure that a worker is alive, has mapped the arena, and has loaded the candidate's kernel
 * or opened its peer. *candidate_id identifies the candidate in requests. UNSUPPORTED: the peer is
 * missing. */
enum gradus_status gr_session_ready(struct gr_session *session,
                                    const struct gr_candidate *candidate, int *candidate_id,
                                    struct gradus_error *error);

/* Sends a request to the worker. After CRASHED or TIMED_OUT the next gr_session_ready starts a
 * new one. */
enum gradus_status gr_session_ask(struct gr_session *session, const struct gr_request *request,
                                  struct gr_reply *reply, int64_t limit_ns,
                                  struct gradus_error *error);

/* Opens every peer once to set `about` or `why`, and marks those that are missing or do not
 * support the type. */
enum gradus_status gr_session_open_peers(struct gr_session *session, struct gr_types types,
                                         struct gradus_error *error);

/* Fills `item` with the values for the kernel's expressions and those of its `arg` and `work`
 * lines. UNSUPPORTED if its `require` excludes the problem, LAUNCH if the device refuses a
 * launch. */
enum gradus_status gr_session_bind(const struct gr_session *session,
                                   const struct gr_candidate *candidate, struct gr_work_item *item,
                                   struct gradus_error *error);

/* Raises the environment's ceilings to the fastest FMA bursts of this session, since a ceiling
 * may have been measured on a busy machine. Adds the ceilings of a device, which are only
 * measured together with its kernels. */
void gr_session_raise_ceilings(const struct gr_session *session,
                               struct gr_environment *environment);

/* Reads the state of the device right after a burst. */
void gr_session_watch(struct gr_session *session);
/* "NVIDIA H200, SM 1755 to 1980 MHz, up to 700 W and 60 C, driver 580.159, CUDA 13.0"; malloc'ed,
 * null for the CPU. */
char *gr_session_device(const struct gr_session *session);

/* How this session's rows are traced by the simulator. */
struct gr_row_tracing gr_session_tracing(const struct gr_session *session);

/* Reports the current step to the follower. */
void gr_session_report(const struct gr_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
