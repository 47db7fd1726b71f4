/* dist_threads.c: ranks that are threads of this process: a message is copied once, from the buffer
 * of its sender to that of its receiver. SPDX-License-Identifier: MIT
 *
 * For each pair of ranks there is one slot. The sender puts the address of its data there and waits
 * until the receiver has taken it away, so that nothing is buffered. */
#include "dist/dist_threads.h"

#include "core/error.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct slot {
    const void *data; /* null: empty */
    size_t bytes;
    bool taking; /* it is being copied: its data must stay */
};

struct team {
    int64_t size;
    struct slot *slots; /* size x size, by sender */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool aborted;
    char text[sizeof((struct gradus_error *)0)->text];
};

struct member {
    struct gr_dist_comm comm;
    enum gradus_status (*work)(struct gr_dist_comm *, void *, struct gradus_error *);
    void *context;
    enum gradus_status status;
    struct gradus_error error;
    pthread_t thread;
};

static struct slot *slot_of(struct team *team, int64_t from, int64_t to)
{
    return &team->slots[from * team->size + to];
}

static void abort_team(struct gr_dist_comm *comm, const char *text)
{
    struct team *const team = comm->state;
    pthread_mutex_lock(&team->lock);
    if (!team->aborted)
        snprintf(team->text, sizeof team->text, "%s", text);
    team->aborted = true;
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->lock);
}

/* With the lock held, until the slot is full (or empty) or a rank has aborted. */
static bool wait_for(struct team *team, const struct slot *slot, bool full)
{
    while (!team->aborted && (slot->data != NULL) != full)
        pthread_cond_wait(&team->changed, &team->lock);
    return !team->aborted;
}

/* Takes one message. The lock is released while it is copied: the sender waits for the slot. */
static enum gradus_status take(struct team *team, struct slot *slot,
                               const struct gr_dist_message *m, struct gradus_error *error)
{
    if (!wait_for(team, slot, true))
        return GRADUS_CRASHED;
    if (slot->bytes != m->bytes)
        return gr_fail(error, GRADUS_INTERNAL,
                       "threads: a message from rank %" PRId64 ": found %zu bytes, wanted %zu",
                       m->peer, slot->bytes, m->bytes);
    const void *const data = slot->data;
    slot->taking = true;
    pthread_mutex_unlock(&team->lock);
    memcpy(m->data, data, m->bytes);
    pthread_mutex_lock(&team->lock);
    *slot = (struct slot){0};
    pthread_cond_broadcast(&team->changed);
    return GRADUS_OK;
}

static enum gradus_status exchange(struct gr_dist_comm *comm, const struct gr_dist_message *sends,
                                   int64_t send_count, const struct gr_dist_message *receives,
                                   int64_t receive_count, struct gradus_error *error)
{
    struct team *const team = comm->state;
    enum gradus_status status = GRADUS_OK;
    pthread_mutex_lock(&team->lock);
    for (int64_t i = 0; i < send_count && status == GRADUS_OK; i++) {
        struct slot *const slot = slot_of(team, comm->rank, sends[i].peer);
        if (!wait_for(team, slot, false))
            status = GRADUS_CRASHED;
        else
            *slot = (struct slot){sends[i].data, sends[i].bytes, false};
    }
    pthread_cond_broadcast(&team->changed);
    for (int64_t i = 0; i < receive_count && status == GRADUS_OK; i++)
        status = take(team, slot_of(team, receives[i].peer, comm->rank), &receives[i], error);
    for (int64_t i = 0; i < send_count; i++) {
        const struct slot *const slot = slot_of(team, comm->rank, sends[i].peer);
        if (status == GRADUS_OK && !wait_for(team, slot, false))
            status = GRADUS_CRASHED;
        while (slot->taking) /* even where a rank has aborted: the caller may free the data */
            pthread_cond_wait(&team->changed, &team->lock);
    }
    if (status == GRADUS_CRASHED)
        gr_fail(error, GRADUS_CRASHED, "%s", team->text);
    pthread_mutex_unlock(&team->lock);
    return status;
}

static void *run_member(void *argument)
{
    struct member *const me = argument;
    me->status = me->work(&me->comm, me->context, &me->error);
    if (me->status != GRADUS_OK)
        abort_team(&me->comm, me->error.text);
    return NULL;
}

/* The first rank's own failure, rather than those that it caused. */
static enum gradus_status outcome(struct member *members, int64_t count, struct gradus_error *error)
{
    const struct member *worst = NULL;
    for (int64_t i = 0; i < count; i++) {
        const struct member *const m = &members[i];
        if (m->status != GRADUS_OK &&
            (!worst || (worst->status == GRADUS_CRASHED && m->status != GRADUS_CRASHED)))
            worst = m;
    }
    return worst ? gr_fail(error, worst->status, "%s", worst->error.text) : GRADUS_OK;
}

static enum gradus_status run_team(struct team *team, struct member *members,
                                   struct gradus_error *error)
{
    int64_t started = 0;
    for (; started < team->size; started++)
        if (pthread_create(&members[started].thread, NULL, run_member, &members[started]))
            break;
    if (started < team->size)
        abort_team(&members[0].comm, "a rank's thread could not be started");
    for (int64_t i = 0; i < started; i++)
        pthread_join(members[i].thread, NULL);
    if (started < team->size)
        return gr_fail(error, GRADUS_NO_MEMORY,
                       "threads: rank %" PRId64 " of %" PRId64
                       " could not be started; use fewer ranks",
                       started, team->size);
    return outcome(members, team->size, error);
}

enum gradus_status gr_dist_threads_run(int64_t ranks,
                                       enum gradus_status (*work)(struct gr_dist_comm *, void *,
                                                                  struct gradus_error *),
                                       void *context, struct gradus_error *error)
{
    if (ranks < 1 || ranks > GR_DIST_THREADS_MAX)
        return gr_fail(error, GRADUS_INVALID, "threads: ranks: found %" PRId64 ", wanted 1 to %d",
                       ranks, GR_DIST_THREADS_MAX);
    struct team team = {.size = ranks,
                        .slots = calloc((size_t)(ranks * ranks), sizeof *team.slots),
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .changed = PTHREAD_COND_INITIALIZER};
    struct member *const members = calloc((size_t)ranks, sizeof *members);
    enum gradus_status status = GRADUS_OK;
    if (!team.slots || !members)
        status = gr_fail_memory(error, "ranks", (uint64_t)ranks * sizeof *members);
    for (int64_t i = 0; status == GRADUS_OK && i < ranks; i++) {
        members[i].comm = (struct gr_dist_comm){i, ranks, &team, exchange, abort_team};
        members[i].work = work;
        members[i].context = context;
    }
    if (status == GRADUS_OK)
        status = run_team(&team, members, error);
    for (int64_t i = 0; members && i < ranks; i++)
        gradus_error_clear(&members[i].error);
    free(members);
    free(team.slots);
    return status;
}
