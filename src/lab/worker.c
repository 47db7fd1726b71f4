/* worker.c: the child process that holds the kernel and the peers, and runs them when told. It is
 * the only place where a kernel's code is called. SPDX-License-Identifier: MIT */
#include "lab/protocol.h"

#include "base/clock.h"
#include "base/error.h"
#include "lab/fault.h"
#include "lab/pair.h"
#include "lab/quiet.h"
#include "lab/placement.h"
#include "peer/peer.h"
#include "probe/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <signal.h>
#include <unistd.h>

enum { MAX_PEERS = 8 };

struct worker {
    int threads;
    struct gr_arena arena;
    struct gr_rotation rotation;
    struct gr_mailbox *mailbox;
    struct gr_artifact artifact;
    const struct gr_backend *backend;
    void *kernel;
    struct gr_peer *peers[MAX_PEERS];
    int peer_count;
    struct gr_scratch scratch;
};

static unsigned char *at(const struct worker *w, struct gr_place place)
{
    if (place.segment >= GR_ROTATION_A)
        return w->rotation.operand[place.segment - GR_ROTATION_A].base + place.offset;
    return w->arena.segment[place.segment] + place.offset;
}

static enum gradus_status load_kernel(struct worker *w, const struct gr_artifact *artifact,
                                      struct gradus_error *error)
{
    if (w->kernel)
        w->backend->unload(w->kernel);
    w->kernel = NULL;
    w->artifact = *artifact;
    w->backend = gr_backend_find(artifact->backend);
    if (!w->backend)
        return gr_fail(error, GRADUS_INTERNAL, "no backend '%s'", artifact->backend);
    return w->backend->load(&w->artifact, w->threads, &w->kernel, error);
}

static enum gradus_status open_peer(struct worker *w, const char *name, struct gr_reply *reply,
                                    struct gradus_error *error)
{
    const struct gr_peer_kind *kind = gr_peer_find(name);
    if (!kind || w->peer_count == MAX_PEERS)
        return gr_fail(error, GRADUS_UNSUPPORTED, "no peer '%s'", name);
    enum gradus_status status = gr_peer_open(kind, w->threads, &w->peers[w->peer_count], error);
    if (status != GRADUS_OK)
        return status;
    reply->peer = *gr_peer_about(w->peers[w->peer_count]);
    reply->index = w->peer_count++;
    return GRADUS_OK;
}

/* Buffers of the `work` lines, kept from one product to the next; page-aligned, as a user's malloc
 * of that size would be. */
static enum gradus_status make_scratch(struct gr_scratch *scratch, const struct gr_work_item *item,
                                       struct gradus_error *error)
{
    for (int i = 0; i < item->work_count; i++) {
        if (i >= scratch->count || scratch->bytes[i] < item->work_bytes[i]) {
            if (i < scratch->count)
                free(scratch->buffer[i]);
            scratch->buffer[i] = NULL;
            if (posix_memalign(&scratch->buffer[i], 1 << 21, (size_t)item->work_bytes[i] + 1) != 0)
                return gr_fail_memory(error, "a `work` buffer", (uint64_t)item->work_bytes[i]);
            madvise(scratch->buffer[i], (size_t)item->work_bytes[i], MADV_HUGEPAGE);
            scratch->bytes[i] = item->work_bytes[i];
            scratch->count = i + 1 > scratch->count ? i + 1 : scratch->count;
        }
        scratch->zero[i] = item->work_zero[i];
    }
    return GRADUS_OK;
}

/* `times` products of one entrant on the operands of `item`. */
static enum gradus_status run_entrant(struct worker *w, int entrant,
                                      const struct gr_work_item *item, int times, int64_t *ns,
                                      struct gradus_error *error)
{
    const struct gr_problem *p = &item->problem;
    const void *a = at(w, item->a), *b = at(w, item->b);
    void *c = at(w, item->c);
    if (entrant == GR_ENTRANT_KERNEL) {
        struct gr_launch launch = {.m = p->m,
                                   .n = p->n,
                                   .k = p->k,
                                   .lda = p->lda,
                                   .ldb = p->ldb,
                                   .ldc = p->ldc,
                                   .alpha = p->alpha,
                                   .beta = p->beta,
                                   .a = a,
                                   .b = b,
                                   .c = c,
                                   .args = item->args};
        return w->backend->run(w->kernel, &launch, &w->scratch, times, ns, error);
    }
    int64_t start_ns = gr_now_ns();
    enum gradus_status status = GRADUS_OK;
    for (int t = 0; t < times && status == GRADUS_OK; t++)
        status = gr_peer_run(w->peers[entrant], p, a, b, c, error);
    *ns = gr_now_ns() - start_ns;
    return status;
}

static void snapshot(struct worker *w, const struct gr_work_item *item)
{
    uint64_t bytes = gr_operand_bytes(&item->problem, 'C');
    if (item->take_snapshot && bytes)
        memcpy(at(w, item->snapshot), at(w, item->c), bytes);
}

static enum gradus_status run_once(struct worker *w, const struct gr_request *request,
                                   struct gr_reply *reply, struct gradus_error *error)
{
    const struct gr_work_item *item = &request->run.item;
    enum gradus_status status = make_scratch(&w->scratch, item, error);
    if (status == GRADUS_OK)
        status = run_entrant(w, request->run.entrant, item, 1, &reply->ns, error);
    if (status == GRADUS_OK)
        snapshot(w, item);
    return status;
}

static enum gradus_status fill_rotation(struct worker *w, const struct gr_request *request,
                                        struct gradus_error *error)
{
    const void *operands[3];
    for (int o = 0; o < 3; o++)
        operands[o] = at(w, request->fill.operands[o]);
    enum gradus_status status = gr_rotation_reserve(&w->rotation, &request->fill.plan, error);
    if (status == GRADUS_OK)
        gr_rotation_fill(&w->rotation, &request->fill.plan, request->fill.first, request->fill.step,
                         operands, request->fill.bytes);
    return status;
}

/* Operand set `set` of a rotation. */
static struct gr_work_item rotated(const struct gr_request *request, int set)
{
    struct gr_work_item item = request->time.item;
    item.a.offset += request->time.plan.stride[0] * (uint64_t)set;
    item.b.offset += request->time.plan.stride[1] * (uint64_t)set;
    item.c.offset += request->time.plan.stride[2] * (uint64_t)set;
    return item;
}

/* The ceiling of this very moment: the clock wanders, and so does what a shared machine gives. */
static void measure_fma(const struct worker *w, const struct gr_request *request,
                        struct gr_reply *reply)
{
    const int64_t burst_ns = 2000000;
    if (!request->time.fma)
        return;
    if (w->threads > 1)
        gr_quiet_wait();
    double gflops = gr_probe_fma(request->time.item.problem.types.acc, w->threads, burst_ns);
    if (gflops > reply->fma_gflops)
        reply->fma_gflops = gflops;
}

/* Finite garbage in C, so that no product finds its own result there and leaves it: what a kernel
 * that looks before it computes would be timed at. */
static void spoil(const struct worker *w, const struct gr_work_item *item)
{
    uint64_t bytes = gr_operand_bytes(&item->problem, 'C');
    if (bytes)
        memset(at(w, item->c), 0x3F, bytes);
}

/* A B A B …; entrants take turns on successive operand sets, so that none finds its operands in a
 * cache that another has just filled unless the caller asked for one set. The last sample of all
 * uses the last set. C is spoiled after its use, when it is in the cache anyway. */
static enum gradus_status time_burst(struct worker *w, const struct gr_request *request,
                                     struct gr_reply *reply, struct gradus_error *error)
{
    int entrants = request->time.entrant_count, samples = request->time.samples;
    enum gradus_status status = make_scratch(&w->scratch, &request->time.item, error);
    int set = request->time.first_set;
    for (int s = 0; s < samples && status == GRADUS_OK; s++) {
        if (s == 0 || s == samples / 2)
            measure_fma(w, request, reply);
        for (int e = 0; e < entrants && status == GRADUS_OK; e++) {
            struct gr_work_item item = rotated(request, set);
            int times = request->time.times[e];
            bool last = s == samples - 1 && e == entrants - 1;
            int64_t ns;
            if (s == 0)
                spoil(w, &item);
            if (w->threads > 1)
                gr_quiet_wait();
            status = run_entrant(w, request->time.entrants[e], &item, times, &ns, error);
            w->mailbox->sample_ns[e][s] = (double)ns / times;
            reply->last_set = set;
            set = (set + 1) % request->time.plan.sets;
            if (last && status == GRADUS_OK)
                snapshot(w, &item);
            else if (!last)
                spoil(w, &item);
        }
    }
    measure_fma(w, request, reply);
    return status;
}

static enum gradus_status obey(struct worker *w, const struct gr_request *request,
                               struct gr_reply *reply, struct gradus_error *error)
{
    switch (request->op) {
    case GR_OP_MAP:
        return gr_arena_map(&w->arena, &request->map, false, error);
    case GR_OP_LOAD:
        return load_kernel(w, &request->load, error);
    case GR_OP_PEER:
        return open_peer(w, request->peer, reply, error);
    case GR_OP_FILL:
        return fill_rotation(w, request, error);
    case GR_OP_RUN:
        return run_once(w, request, reply, error);
    case GR_OP_TIME:
        return time_burst(w, request, reply, error);
    }
    return gr_fail(error, GRADUS_INTERNAL, "unknown request %d", (int)request->op);
}

int gr_worker_main(int threads)
{
    static struct worker w;
    static struct gr_request request;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(2, 1); /* what a kernel prints must not mix with results */
    w.threads = threads;
    w.arena.fd = GR_FD_ARENA;
    w.mailbox = mmap(NULL, sizeof *w.mailbox, PROT_READ | PROT_WRITE, MAP_SHARED, GR_FD_MAILBOX, 0);
    if (w.mailbox == MAP_FAILED)
        return 1;
    gr_fault_watch(&w.arena, w.mailbox);
    gr_placement_pin(threads);
    for (;;) {
        struct gr_reply reply = {0};
        struct gradus_error error = {0};
        if (recv(GR_FD_SOCKET, &request, sizeof request, 0) != (ssize_t)sizeof request)
            return 0;
        reply.status = obey(&w, &request, &reply, &error);
        snprintf(reply.text, sizeof reply.text, "%s", error.text);
        gradus_error_clear(&error);
        if (send(GR_FD_SOCKET, &reply, sizeof reply, MSG_NOSIGNAL) != (ssize_t)sizeof reply)
            return 0;
    }
}
