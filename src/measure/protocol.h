/* protocol.h: what the parent and the worker say to each other. One request, one reply, both of
 * fixed size, over a socket pair; both ends are the same binary. Operands lie in the arena, samples
 * in the mailbox. SPDX-License-Identifier: MIT */
#ifndef MEASURE_PROTOCOL_H
#define MEASURE_PROTOCOL_H

#include "backend/backend.h"
#include "records/row.h"
#include "measure/arena.h"
#include "measure/rotation.h"
#include "measure/touch.h"
#include "peer/peer.h"

enum gr_op {
    GR_OP_OPEN, /* take the device `device` */
    GR_OP_MAP,  /* map the arena by `map` */
    GR_OP_LOAD, /* load `load` as the kernel, in place of the last one */
    GR_OP_PEER, /* open a peer; reply.peer tells its version, reply.index its number */
    GR_OP_FILL, /* copy operands from the arena into some sets of the rotation */
    GR_OP_RUN,  /* one entrant, one product, then C copied to the snapshot */
    GR_OP_TIME  /* a burst of interleaved samples */
};

/* Segments of the arena: operands of a trial, and the copy of C made at the moment of return. */
enum { GR_SEG_A, GR_SEG_B, GR_SEG_C, GR_SEG_SNAPSHOT, GR_SEG_COUNT };

/* In a place, these stand for the operands of the worker's rotation, each aligned to a huge page.
 */
enum { GR_ROTATION_A = GR_SEG_COUNT, GR_ROTATION_B, GR_ROTATION_C };

/* Where an operand lies: bytes from the start of a segment. */
struct gr_arena_place {
    int segment;
    uint64_t offset;
};

/* What runs: the loaded kernel, or an opened peer. */
enum { GR_ENTRANT_KERNEL = -1 };

enum { GR_MAX_ENTRANTS = GR_MAX_PEERS + 1, GR_MAX_SAMPLES = 512 };

struct gr_work_item {
    struct gr_problem problem;
    struct gr_arena_place a, b, c;
    int64_t args[GR_MAX_ARGS];
    int work_count;
    int64_t work_bytes[GR_MAX_WORKS];
    bool work_zero[GR_MAX_WORKS];
    struct gr_plan plan; /* where the backend needs one */
    bool take_snapshot;
    struct gr_arena_place
        snapshot; /* C's span is copied there as soon as the last product has returned */
};

struct gr_request {
    enum gr_op op;
    union {
        char device[sizeof((struct gr_device_ref *)0)->text];
        struct gr_arena_plan map;
        struct gr_artifact load;
        char peer[32];
        struct {
            struct gr_rotation_plan plan;
            struct gr_arena_place operands[3];
            uint64_t bytes[3];
            int first, step; /* sets first, first + step, … */
        } fill;
        struct {
            int entrant;
            struct gr_work_item item;
        } run;
        struct {
            int entrants[GR_MAX_ENTRANTS]; /* the last one's C goes to the snapshot */
            int entrant_count;
            struct gr_work_item item; /* its operands are the rotation's, set 0 */
            struct gr_rotation_plan plan;
            int first_set;
            int samples;                  /* of each entrant, interleaved A B A B */
            int times[GR_MAX_ENTRANTS];   /* products in one sample */
            bool warmed[GR_MAX_ENTRANTS]; /* an untimed product goes before each sample */
            bool successive;              /* each product of a sample on the next operand set */
            bool fma;                     /* short bursts of FMAs before, amid and after */
            bool watch; /* look at the last entrant's C closely: elements of each sample, and the
                           last C for a while */
            bool vary;  /* a sample of several products has more of them at random */
            struct gr_touch_plan touch;
            char math[16]; /* what the kernel is verified as */
        } time;
    };
};

struct gr_reply {
    enum gradus_status status;
    char text[512];
    int64_t ns;
    int index;
    int last_set;      /* of the snapshot */
    uint32_t ordinal;  /* the touches of that set by then */
    int samples;       /* of the burst; fewer than were asked for where a C was wrong: that is the
                          snapshot */
    bool late;         /* C was no longer the snapshot a moment later */
    double fma_gflops; /* the fastest of the bursts; 0: none */
    int disturbed;     /* rounds of a burst that were (records/steady.h); -1: not known */
    struct gr_peer_result peer;
};

/* Shared beside the arena. */
struct gr_mailbox {
    double sample_ns[GR_MAX_ENTRANTS][GR_MAX_SAMPLES]; /* one product each */
    /* Filled by the worker's handler of SIGSEGV and SIGBUS. */
    struct {
        int signal;
        bool in_arena, wrote, read;
        int segment;
        int64_t offset;
        bool on_stack; /* near the stack pointer: no room for more */
        bool null;     /* in the first page */
    } fault;
};

/* File descriptors of the worker. */
enum { GR_FD_SOCKET = 3, GR_FD_ARENA = 4, GR_FD_MAILBOX = 5 };

/* The worker's main loop; returns its exit status. */
int gr_worker_main(int threads);

#endif
