/* worker.c: the child process that holds the kernel and the peers, and runs them on request. It
 * is the only process that calls a kernel's code. SPDX-License-Identifier: MIT */
#include "measure/worker.h"

#include "core/clock.h"
#include "core/error.h"
#include "measure/fault.h"
#include "check/pair.h"
#include "measure/placement.h"
#include "peer/peer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static enum gradus_status open_device(struct gr_worker *w, const char *device,
                                      struct gradus_error *error)
{
    struct gr_device_ref ref;
    enum gradus_status status = gr_device_ref_parse(device, &ref, error);
    if (status != GRADUS_OK)
        return status;
    w->backend = ref.backend;
    w->mirror.memory = w->backend->memory;
    status = w->backend->open(&ref, &w->device, error);
    w->mirror.device = w->device;
    return status;
}

static enum gradus_status load_kernel(struct gr_worker *w, int number,
                                      const struct gr_artifact *artifact,
                                      struct gradus_error *error)
{
    struct gr_worker_kernel *kernel = &w->kernels[number];
    if (kernel->loaded)
        w->backend->unload(kernel->loaded);
    kernel->loaded = NULL;
    kernel->bound = false;
    kernel->artifact = *artifact;
    return w->backend->load(w->device, &kernel->artifact, w->threads, &kernel->loaded, error);
}

static enum gradus_status bind_kernel(struct gr_worker *w, int number,
                                      const struct gr_work_item *item, struct gradus_error *error)
{
    if (!w->kernels[number].loaded)
        return gr_fail(error, GRADUS_INTERNAL, "kernel %d is not loaded", number);
    w->kernels[number].item = *item;
    w->kernels[number].bound = true;
    return GRADUS_OK;
}

static enum gradus_status open_peer(struct gr_worker *w, const char *name, struct gr_reply *reply,
                                    struct gradus_error *error)
{
    const struct gr_peer_kind *kind = gr_peer_find(name);
    if (!kind || w->peer_count == GR_MAX_PEERS)
        return gr_fail(error, GRADUS_UNSUPPORTED, "no peer '%s'", name);
    enum gradus_status status = gr_peer_open(kind, w->threads, &w->peers[w->peer_count], error);
    if (status != GRADUS_OK)
        return status;
    reply->peer = *gr_peer_about(w->peers[w->peer_count]);
    reply->index = w->peer_count++;
    return GRADUS_OK;
}

/* Allocates the buffers of the `work` lines, which are kept from one GEMM to the next. */
static enum gradus_status make_scratch(struct gr_worker *w, const struct gr_work_item *item,
                                       struct gradus_error *error)
{
    struct gr_scratch *scratch = &w->scratch;
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < item->work_count && status == GRADUS_OK; i++) {
        int64_t bytes = item->work_bytes[i] ? item->work_bytes[i] : 1;
        if (scratch->bytes[i] < bytes) {
            scratch->bytes[i] = 0;
            status = gr_mirror_scratch(&w->mirror, (uint64_t)bytes, &scratch->buffer[i], error);
            if (status == GRADUS_OK)
                scratch->bytes[i] = bytes;
        }
    }
    return status;
}

struct gr_launch gr_worker_launch(const struct gr_worker *w, const struct gr_work_item *item)
{
    const struct gr_problem *p = &item->problem;
    return (struct gr_launch){.m = p->m,
                              .n = p->n,
                              .k = p->k,
                              .lda = p->lda,
                              .ldb = p->ldb,
                              .ldc = p->ldc,
                              .alpha = p->alpha,
                              .beta = p->beta,
                              .a = gr_mirror_at(&w->mirror, item->a),
                              .b = gr_mirror_at(&w->mirror, item->b),
                              .c = gr_mirror_at(&w->mirror, item->c),
                              .args = item->args};
}

/* The item's share of the buffers, so that no more is zeroed than it requested. */
struct gr_scratch gr_worker_scratch(const struct gr_worker *w, const struct gr_work_item *item)
{
    struct gr_scratch scratch = w->scratch;
    scratch.count = item->work_count;
    for (int i = 0; i < item->work_count; i++) {
        scratch.bytes[i] = item->work_bytes[i];
        scratch.zero[i] = item->work_zero[i];
    }
    return scratch;
}

/* The kernel of a candidate, or null for a peer. */
static const struct gr_worker_kernel *kernel_of(const struct gr_worker *w, int candidate)
{
    return candidate <= GR_CANDIDATE_KERNEL ? &w->kernels[GR_CANDIDATE_KERNEL - candidate] : NULL;
}

bool gr_worker_takes_turns(const struct gr_worker *w, int candidate)
{
    const struct gr_worker_kernel *kernel = kernel_of(w, candidate);
    return kernel && kernel->bound;
}

const struct gr_work_item *gr_worker_item(const struct gr_worker *w,
                                          const struct gr_request *request, int e)
{
    const struct gr_worker_kernel *kernel = kernel_of(w, request->time.candidates[e]);
    return kernel && kernel->bound ? &kernel->item : &request->time.item;
}

/* Submits one GEMM of one candidate. Everything that can be computed in advance is, because this
 * function is timed together with the GEMM, which may take less time than copying an item. */
enum gradus_status gr_worker_enqueue(struct gr_worker *w, int candidate,
                                     const struct gr_work_item *item, struct gr_launch *launch,
                                     const struct gr_scratch *scratch, struct gradus_error *error)
{
    const struct gr_worker_kernel *kernel = kernel_of(w, candidate);
    if (!kernel)
        return gr_peer_run(w->peers[candidate], &item->problem, launch->a, launch->b, launch->c,
                           error);
    return w->backend->enqueue(kernel->loaded, launch, &item->plan, scratch, error);
}

/* Prepares the buffers, and runs the untimed launches that precede the GEMMs. */
enum gradus_status gr_worker_prepare(struct gr_worker *w, int candidate,
                                     const struct gr_work_item *item, struct gradus_error *error)
{
    const struct gr_worker_kernel *kernel = kernel_of(w, candidate);
    enum gradus_status status = make_scratch(w, item, error);
    if (status != GRADUS_OK || !kernel || !kernel->loaded || !w->backend->before)
        return status;
    struct gr_launch launch = gr_worker_launch(w, item);
    struct gr_scratch scratch = gr_worker_scratch(w, item);
    return w->backend->before(kernel->loaded, &launch, &item->plan, &scratch, error);
}

/* The simulator and GPUs have guards of their own. */
static bool guards_work(const struct gr_worker *w, const struct gr_request *request)
{
    return request->run.guard_work && !w->mirror.memory && !w->backend->simulates &&
           request->run.item.work_count > 0;
}

static enum gradus_status run_once(struct gr_worker *w, const struct gr_request *request,
                                   struct gr_reply *reply, struct gradus_error *error)
{
    const struct gr_work_item *item = &request->run.item;
    enum gradus_status status = gr_mirror_send(&w->mirror, item, error);
    const bool guarded = guards_work(w, request);
    struct gr_scratch scratch = {0};
    if (status == GRADUS_OK && guarded)
        status = gr_work_guard_make(&w->work_guard, item, &scratch, error);
    else if (status == GRADUS_OK)
        status = gr_worker_prepare(w, request->run.candidate, item, error);
    struct gr_launch launch = gr_worker_launch(w, item);
    if (!guarded)
        scratch = gr_worker_scratch(w, item);
    if (status == GRADUS_OK)
        status = w->backend->begin(w->device, error);
    if (status == GRADUS_OK)
        status = gr_worker_enqueue(w, request->run.candidate, item, &launch, &scratch, error);
    if (status == GRADUS_OK)
        status = w->backend->end(w->device, &reply->ns, error);
    if (status == GRADUS_OK && guarded)
        gr_work_guard_check(&w->work_guard, reply->work);
    if (status == GRADUS_OK)
        status = gr_mirror_fetch(&w->mirror, item, error);
    if (status == GRADUS_OK)
        status = gr_mirror_snapshot(&w->mirror, item, error);
    return status;
}

/* A kernel's launch is tried in many ways, and only the run that counts prints. */
static enum gradus_status run_muted(struct gr_worker *w, const struct gr_request *request,
                                    struct gr_reply *reply, struct gradus_error *error)
{
    const int dropped = request->run.muted ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    if (dropped >= 0)
        dup2(dropped, 1);
    const enum gradus_status status = run_once(w, request, reply, error);
    if (dropped >= 0) {
        fflush(stdout);
        dup2(2, 1);
        close(dropped);
    }
    return status;
}

static enum gradus_status handle_request(struct gr_worker *w, const struct gr_request *request,
                                         struct gr_reply *reply, struct gradus_error *error)
{
    switch (request->op) {
    case GR_OP_OPEN:
        return open_device(w, request->device, error);
    case GR_OP_MAP:
        return gr_arena_map(&w->mirror.arena, &request->map, false, error);
    case GR_OP_LOAD:
        return load_kernel(w, request->load.kernel, &request->load.artifact, error);
    case GR_OP_BIND:
        return bind_kernel(w, request->bind.kernel, &request->bind.item, error);
    case GR_OP_PEER:
        return open_peer(w, request->peer, reply, error);
    case GR_OP_FILL:
        return gr_mirror_fill(&w->mirror, request, error);
    case GR_OP_RUN:
        return run_muted(w, request, reply, error);
    case GR_OP_TIME:
        return gr_worker_time(w, request, reply, error);
    }
    return gr_fail(error, GRADUS_INTERNAL, "unknown request %d", (int)request->op);
}

int gr_worker_main(int threads, int callers)
{
    static struct gr_worker w;
    static struct gr_request request;
    dup2(2, 1); /* what a kernel prints must not be mixed with results */
    w.threads = threads;
    w.callers = callers;
    w.mirror.arena.fd = GR_FD_ARENA;
    w.mailbox = mmap(NULL, sizeof *w.mailbox, PROT_READ | PROT_WRITE, MAP_SHARED, GR_FD_MAILBOX, 0);
    if (w.mailbox == MAP_FAILED)
        return 1;
    gr_fault_watch(&w.mirror.arena, &w.work_guard, w.mailbox);
    gr_placement_pin(threads * callers);
    for (;;) {
        struct gr_reply reply = {0};
        struct gradus_error error = {0};
        if (recv(GR_FD_SOCKET, &request, sizeof request, 0) != (ssize_t)sizeof request)
            return 0;
        reply.status = handle_request(&w, &request, &reply, &error);
        fflush(stdout); /* the worker may be killed, and what kernels printed be lost */
        snprintf(reply.text, sizeof reply.text, "%s", error.text);
        gradus_error_clear(&error);
        if (send(GR_FD_SOCKET, &reply, sizeof reply, MSG_NOSIGNAL) != (ssize_t)sizeof reply)
            return 0;
    }
}
