/* dist_threads.c: ranks that are threads of this process: a message is copied once, from the buffer
 * of its sender to that of its receiver. SPDX-License-Identifier: MIT
 *
 * For each pair of ranks there is a queue of the messages that one of them has started and the
 * other has not. Who comes second copies, so that nothing is buffered. */
#include "dist/dist_threads.h"

#include "core/error.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One side of a message, from its start on. */
struct parcel {
    struct parcel *next; /* in its queue */
    struct queue *queue;
    void *data;
    size_t bytes, wanted; /* wanted: by the other side, where that is another number */
    int64_t rank, peer;
    bool sends, copying, done;
};

/* What waits for its other side: sends, or receives. */
struct queue {
    struct parcel *first, *last;
};

struct ticket {
    int64_t count;
    struct parcel parcels[];
};

struct team {
    int64_t size;
    struct queue *queues; /* size x size, by sender */
    pthread_mutex_t lock;
    pthread_cond_t *changed; /* of each rank: a message of its was copied */
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

static void abort_team(struct gr_dist_comm *comm, const char *text)
{
    struct team *const team = comm->state;
    pthread_mutex_lock(&team->lock);
    if (!team->aborted)
        snprintf(team->text, sizeof team->text, "%s", text);
    team->aborted = true;
    for (int64_t rank = 0; rank < team->size; rank++)
        pthread_cond_broadcast(&team->changed[rank]);
    pthread_mutex_unlock(&team->lock);
}

/* Both sides of a message are there. The lock is released while it is copied. */
static void copy(struct team *team, struct parcel *mine, struct parcel *other)
{
    struct parcel *const from = mine->sends ? mine : other, *const to = mine->sends ? other : mine;
    mine->wanted = other->bytes, other->wanted = mine->bytes;
    if (from->bytes == to->bytes) {
        mine->copying = other->copying = true;
        pthread_mutex_unlock(&team->lock);
        memcpy(to->data, from->data, from->bytes);
        pthread_mutex_lock(&team->lock);
    }
    mine->done = other->done = true;
    pthread_cond_broadcast(&team->changed[other->rank]);
}

/* With the lock held. */
static void post(struct team *team, struct parcel *parcel, struct queue *queue)
{
    struct parcel *const first = queue->first;
    parcel->queue = queue;
    if (first && first->sends != parcel->sends) {
        queue->first = first->next;
        copy(team, parcel, first);
        return;
    }
    if (first)
        queue->last->next = parcel;
    else
        queue->first = parcel;
    queue->last = parcel;
}

/* A parcel that no other side has come for, of a team that has aborted. */
static void withdraw(struct parcel *parcel)
{
    struct queue *const queue = parcel->queue;
    struct parcel **link = &queue->first, *before = NULL;
    for (; *link && *link != parcel; link = &(*link)->next)
        before = *link;
    if (*link)
        *link = parcel->next;
    if (queue->last == parcel)
        queue->last = before;
}

static enum gradus_status aborted(struct team *team, struct gradus_error *error)
{
    return gr_fail(error, GRADUS_CRASHED, "%s", team->text);
}

static enum gradus_status start(struct gr_dist_comm *comm, const struct gr_dist_message *sends,
                                int64_t send_count, const struct gr_dist_message *receives,
                                int64_t receive_count, void **ticket, struct gradus_error *error)
{
    struct team *const team = comm->state;
    const int64_t count = send_count + receive_count;
    const size_t bytes = sizeof(struct ticket) + (size_t)count * sizeof(struct parcel);
    struct ticket *const made = calloc(1, bytes);
    if (!made)
        return gr_fail_memory(error, "messages", bytes);
    made->count = count;
    pthread_mutex_lock(&team->lock);
    if (team->aborted) {
        const enum gradus_status status = aborted(team, error);
        pthread_mutex_unlock(&team->lock);
        free(made);
        return status;
    }
    for (int64_t i = 0; i < count; i++) { /* the sends first, so that a peer can copy them */
        const bool send = i < send_count;
        const struct gr_dist_message *const m = send ? &sends[i] : &receives[i - send_count];
        struct parcel *const parcel = &made->parcels[i];
        *parcel = (struct parcel){.rank = comm->rank,
                                  .data = m->data,
                                  .bytes = m->bytes,
                                  .wanted = m->bytes,
                                  .peer = m->peer,
                                  .sends = send};
        post(team, parcel,
             &team->queues[send ? comm->rank * team->size + m->peer
                                : m->peer * team->size + comm->rank]);
    }
    *ticket = made;
    pthread_mutex_unlock(&team->lock);
    return GRADUS_OK;
}

/* With the lock held: true when it is complete; false where a rank has aborted before. Even then
 * nothing is being copied any more: the caller may free the data. */
static bool complete(struct team *team, struct ticket *ticket)
{
    bool all = true;
    for (int64_t i = 0; i < ticket->count; i++) {
        struct parcel *const parcel = &ticket->parcels[i];
        while (!parcel->done && (parcel->copying || !team->aborted))
            pthread_cond_wait(&team->changed[parcel->rank], &team->lock);
        if (!parcel->done)
            withdraw(parcel);
        all &= parcel->done;
    }
    return all;
}

static enum gradus_status finish(struct gr_dist_comm *comm, void *ticket,
                                 struct gradus_error *error)
{
    struct team *const team = comm->state;
    struct ticket *const mine = ticket;
    pthread_mutex_lock(&team->lock);
    enum gradus_status status = complete(team, mine) ? GRADUS_OK : aborted(team, error);
    pthread_mutex_unlock(&team->lock);
    for (int64_t i = 0; i < mine->count && status == GRADUS_OK; i++) {
        const struct parcel *const parcel = &mine->parcels[i];
        if (parcel->bytes != parcel->wanted)
            status =
                gr_fail(error, GRADUS_INTERNAL,
                        "threads: a message %s rank %" PRId64 ": found %zu bytes, wanted %zu there",
                        parcel->sends ? "to" : "from", parcel->peer, parcel->bytes, parcel->wanted);
    }
    free(mine);
    return status;
}

static enum gradus_status exchange(struct gr_dist_comm *comm, const struct gr_dist_message *sends,
                                   int64_t send_count, const struct gr_dist_message *receives,
                                   int64_t receive_count, struct gradus_error *error)
{
    void *ticket;
    const enum gradus_status status =
        start(comm, sends, send_count, receives, receive_count, &ticket, error);
    return status == GRADUS_OK ? finish(comm, ticket, error) : status;
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
                        .queues = calloc((size_t)(ranks * ranks), sizeof *team.queues),
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .changed = calloc((size_t)ranks, sizeof *team.changed)};
    struct member *const members = calloc((size_t)ranks, sizeof *members);
    enum gradus_status status = GRADUS_OK;
    if (!team.queues || !team.changed || !members)
        status = gr_fail_memory(error, "ranks", (uint64_t)ranks * sizeof *members);
    for (int64_t i = 0; status == GRADUS_OK && i < ranks; i++) {
        team.changed[i] = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
        members[i].comm = (struct gr_dist_comm){.rank = i,
                                                .size = ranks,
                                                .state = &team,
                                                .exchange = exchange,
                                                .abort = abort_team,
                                                .start = start,
                                                .finish = finish,
                                                .threaded = true};
        members[i].work = work;
        members[i].context = context;
    }
    if (status == GRADUS_OK)
        status = run_team(&team, members, error);
    for (int64_t i = 0; members && i < ranks; i++)
        gradus_error_clear(&members[i].error);
    free(members);
    free(team.queues);
    free(team.changed);
    return status;
}
