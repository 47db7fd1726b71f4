/* dist_functions.c: a transport over the caller's own functions. SPDX-License-Identifier: MIT */
#include "core/error.h"
#include "dist/dist_comm.h"

#include <inttypes.h>
#include <stdlib.h>

static struct gradus_message *copy(struct gradus_message *to, const struct gr_dist_message *from,
                                   int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = (struct gradus_message){from[i].peer, from[i].data, from[i].bytes};
    return to;
}

/* Calls the caller's function, unless there is nothing to send or receive. If it fails, the other
 * ranks are aborted, since they may wait for what this rank will not send any more. */
static enum gradus_status exchange(struct gr_dist_comm *comm, const struct gr_dist_message *sends,
                                   int64_t send_count, const struct gr_dist_message *receives,
                                   int64_t receive_count, struct gradus_error *error)
{
    const struct gradus_comm_functions *const f = comm->state;
    const int64_t count = send_count + receive_count;
    struct gradus_error own = {0};
    if (count == 0)
        return GRADUS_OK;
    struct gradus_message *const all = calloc((size_t)count, sizeof *all);
    if (!all)
        return gr_fail_memory(error, "messages", (uint64_t)count * sizeof *all);
    const enum gradus_status status =
        f->exchange(f->context, copy(all, sends, send_count), send_count,
                    copy(all + send_count, receives, receive_count), receive_count, &own);
    free(all);
    own.text[sizeof own.text - 1] = 0;
    if (status == GRADUS_OK)
        return GRADUS_OK;
    if (!own.text[0])
        gr_fail(&own, status, "comm: the caller's exchange failed");
    f->abort(f->context, own.text);
    return gr_fail(error, status, "%s", own.text);
}

static void abort_all(struct gr_dist_comm *comm, const char *text)
{
    const struct gradus_comm_functions *const f = comm->state;
    f->abort(f->context, text);
}

static enum gradus_status check(const struct gradus_comm_functions *f, struct gradus_error *error)
{
    if (!f->exchange || !f->abort)
        return gr_fail(error, GRADUS_INVALID, "comm: %s: found a null pointer, wanted a function",
                       f->exchange ? "abort" : "exchange");
    if (f->size < 1 || f->rank < 0 || f->rank >= f->size)
        return gr_fail(error, GRADUS_INVALID,
                       "comm: found rank %" PRId64 " of %" PRId64
                       ", wanted one from 0 on, and less than the size",
                       f->rank, f->size);
    for (size_t i = 0; i < sizeof f->reserved / sizeof *f->reserved; i++)
        if (f->reserved[i] != 0)
            return gr_fail(error, GRADUS_INVALID, "comm: reserved: found %" PRId64 ", wanted 0",
                           f->reserved[i]);
    return GRADUS_OK;
}

enum gradus_status gradus_comm_create_functions(const struct gradus_comm_functions *functions,
                                                struct gradus_comm **comm,
                                                struct gradus_error *error)
{
    if (!comm)
        return gr_fail(error, GRADUS_INVALID, "comm: found a null pointer for the result");
    *comm = NULL;
    if (!functions)
        return gr_fail(error, GRADUS_INVALID, "comm: found a null pointer, wanted functions");
    const enum gradus_status status = check(functions, error);
    if (status != GRADUS_OK)
        return status;
    struct gradus_comm *const made = calloc(1, sizeof *made);
    if (!made)
        return gr_fail_memory(error, "a communicator", sizeof *made);
    made->functions = *functions;
    made->end = (struct gr_dist_comm){.rank = functions->rank,
                                      .size = functions->size,
                                      .state = &made->functions,
                                      .exchange = exchange,
                                      .abort = abort_all};
    *comm = made;
    return GRADUS_OK;
}
