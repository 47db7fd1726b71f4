/* protocol.h: the messages between the parent and the worker: one request and one reply, both of
 * fixed size, over a socket pair. Both ends are the same binary. Operands are in the arena,
 * samples in the mailbox. SPDX-License-Identifier: MIT */
#ifndef MEASURE_PROTOCOL_H
#define MEASURE_PROTOCOL_H

#include "backend/backend.h"
#include "backend/device_ref.h"
#include "records/row.h"
#include "measure/arena.h"
#include "measure/rotation.h"
#include "measure/touch.h"
#include "peer/peer.h"

enum gr_op {
    GR_OP_OPEN, /* open the device `device` */
    GR_OP_MAP,  /* map the arena according to `map` */
    GR_OP_LOAD, /* load `load` as a kernel, replacing the previous one of that number */
    GR_OP_BIND, /* keep `bind` as the work item of a kernel in bursts of several kernels */
    GR_OP_PEER, /* open a peer; reply.peer has its version, reply.index its number */
    GR_OP_FILL, /* copy operands from the arena to some sets of the rotation */
    GR_OP_RUN,  /* one GEMM of one candidate, then copy C to the snapshot */
    GR_OP_TIME  /* a burst of interleaved samples */
};

/* Segments of the arena: the operands of a trial, and a copy of C made right after the kernel
 * returned. */
enum { GR_SEG_A, GR_SEG_B, GR_SEG_C, GR_SEG_SNAPSHOT, GR_SEG_COUNT };

/* As segments of a place, these are the operands of the worker's rotation, each aligned to a
 * huge page. */
enum { GR_ROTATION_A = GR_SEG_COUNT, GR_ROTATION_B, GR_ROTATION_C };

/* The location of an operand: an offset in bytes from the start of a segment. */
struct gr_arena_place {
    int segment;
    uint64_t offset;
};

/* A candidate is a loaded kernel, or an opened peer by its number. Most requests are about kernel
 * 0, GR_CANDIDATE_KERNEL; kernel i is GR_CANDIDATE_KERNEL - i. */
enum { GR_CANDIDATE_KERNEL = -1, GR_MAX_KERNELS = 256 };

/* Of one kernel and its peers, or of several kernels in turns. */
enum { GR_MAX_CANDIDATES = GR_MAX_KERNELS + GR_MAX_PEERS };
enum { GR_MAX_SAMPLES = 512 };

struct gr_work_item {
    struct gr_problem problem;
    struct gr_arena_place a, b, c;
    int64_t args[GR_MAX_ARGS];
    int work_count;
    int64_t work_bytes[GR_MAX_WORKS];
    bool work_zero[GR_MAX_WORKS];
    struct gr_plan plan; /* if the backend needs one */
    bool take_snapshot;
    /* C, including padding, is copied there as soon as the last GEMM has returned. */
    struct gr_arena_place snapshot;
};

/* What a kernel wrote beside a `work` buffer, if it did, and how far from its start or end. */
struct gr_work_written {
    bool before, past;
    int64_t before_bytes, past_bytes;
};

struct gr_request {
    enum gr_op op;
    union {
        char device[sizeof((struct gr_device_ref *)0)->text];
        struct gr_arena_plan map;
        struct {
            int kernel; /* 0 or more */
            struct gr_artifact artifact;
        } load;
        struct {
            int kernel;
            struct gr_work_item item; /* its arguments, buffers and plan count */
        } bind;
        char peer[32];
        struct {
            struct gr_rotation_plan plan;
            struct gr_arena_place operands[3];
            uint64_t bytes[3];
            int first, step; /* the sets first, first + step, … */
        } fill;
        struct {
            int candidate;
            bool guard_work; /* on the host its `work` buffers are guarded: see work_guard.h */
            bool muted;      /* what the kernel prints is dropped */
            struct gr_work_item item;
        } run;
        struct {
            int candidates[GR_MAX_CANDIDATES]; /* the C of the last one is copied to the snapshot */
            int candidate_count;
            /* Its operands are those of the rotation's set 0. Kernels with a work item of their
             * own (GR_OP_BIND) take the rest from that one. */
            struct gr_work_item item;
            struct gr_rotation_plan plan;
            int first_set;
            int samples;                    /* for each candidate, interleaved A B A B */
            int times[GR_MAX_CANDIDATES];   /* GEMMs per sample */
            bool warmed[GR_MAX_CANDIDATES]; /* an untimed GEMM precedes each sample */
            bool successive;                /* each GEMM of a sample uses the next operand set */
            bool fma; /* measure short bursts of FMAs before, between and after the samples */
            /* Check elements of the last candidate's C after each sample, and watch the last C
             * for a while. */
            bool watch;
            bool vary; /* samples of several GEMMs have a random number of additional ones */
            struct gr_touch_plan touch;
            char math[16]; /* the precision with which the kernel is verified */
        } time;
    };
};

struct gr_reply {
    enum gradus_status status;
    char text[512];
    int64_t ns;
    int index;
    int last_set;     /* of the snapshot */
    uint32_t ordinal; /* the number of touches of that set up to then */
    /* Of the burst; fewer than requested if a C was wrong, which is then the snapshot. */
    int samples;
    int last;          /* the candidate, by its place in the burst, whose C the snapshot is */
    bool late;         /* C differed from the snapshot a moment later */
    double fma_gflops; /* of the fastest FMA burst; 0: none */
    int disturbed;     /* disturbed rounds of a burst (records/steady.h); -1: unknown */
    struct gr_work_written work[GR_MAX_WORKS]; /* of a GEMM whose buffers were guarded */
    struct gr_peer_result peer;
};

/* Shared memory besides the arena. */
struct gr_mailbox {
    int running; /* the candidate that a burst samples, by its place in it */
    double sample_ns[GR_MAX_CANDIDATES][GR_MAX_SAMPLES]; /* per GEMM */
    /* Filled by the worker's handler of SIGSEGV and SIGBUS. */
    struct {
        int signal;
        bool in_arena, wrote, read;
        int segment;
        bool in_work; /* beside the guarded `work` buffer number `work`, offset from its start */
        int work;
        int64_t work_bytes;
        int64_t offset;
        bool on_stack; /* near the stack pointer: the stack overflowed */
        bool null;     /* the address is in the first page */
    } fault;
};

/* The worker's file descriptors. */
enum { GR_FD_SOCKET = 3, GR_FD_ARENA = 4, GR_FD_MAILBOX = 5 };

/* The worker's main loop: products on `threads` threads, and in timed samples as many of them at
 * the same time as there are callers. Returns its exit status. */
int gr_worker_main(int threads, int callers);

#endif
