/* dist_threads.c: ranks that are threads of this process. A message is copied once, from the
 * sender's buffer to the receiver's. SPDX-License-Identifier: MIT
 *
 * For each pair of ranks there is a queue of the messages that one of them has started and the
 * other has not. The side that comes second copies the message, so that nothing is buffered.
 *
 * Rank 0 is the calling thread, so that a team of one rank has no thread of its own. The others
 * wait for the next round of work. If each rank has a core, they poll for a short time before they
 * sleep, and so do threads that wait for a message or for the end of a round. */
#include "dist/dist_threads.h"

#include "core/clock.h"
#include "core/error.h"
#include "cpu/cpu.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As long as the threads of a product on the CPU poll for the next loop (team.c), since waking a
 * thread takes tens of microseconds. */
enum { LOOKING_NS = 200000, PAUSES = 64 };

/* One side of a message, from when it is started. */
struct parcel {
    struct parcel *next; /* the next one in its queue */
    struct queue *queue;
    void *data;
    size_t bytes, wanted; /* wanted: the number of bytes that the other side has stated */
    int64_t rank, peer;
    bool sends, copying;
    atomic_bool done;
};

/* Sends, or receives, that wait for their other side. */
struct queue {
    struct parcel *first, *last;
};

struct ticket {
    int64_t count;
    struct parcel parcels[];
};

struct member {
    struct gr_dist_comm comm;
    struct gr_dist_team *team;
    enum gradus_status status;
    struct gradus_error error;
    pthread_t thread; /* for all ranks except 0 */
};

struct gr_dist_team {
    int64_t size;
    struct queue *queues;    /* size x size, indexed by sender and receiver */
    pthread_mutex_t lock;    /* protects the messages */
    pthread_cond_t *changed; /* for each rank: one of its messages was copied */
    bool aborted;
    char text[sizeof((struct gradus_error *)0)->text];
    struct member *members;
    int64_t started; /* ranks that can work, including rank 0 */
    int64_t looking_ns;
    pid_t process; /* the process that has the threads */
    /* The current round of work. */
    enum gradus_status (*work)(struct gr_dist_comm *, void *, struct gradus_error *);
    void *context;
    atomic_uint round;
    atomic_llong busy; /* threads, except rank 0, that have not ended the round */
    atomic_bool closes;
    pthread_mutex_t gate; /* protects going to sleep and being woken */
    pthread_cond_t begins, ends;
};

/* ---- Waiting ---- */

static void pause_cpu(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Polls `is_there` for a while; with 0, once. Between polls it yields to threads that are ready to
 * run on the same core, since Linux tends to wake a thread on the core of the thread that wakes
 * it. */
static bool look(int64_t looking_ns, bool (*is_there)(const void *what), const void *what)
{
    if (looking_ns == 0)
        return is_there(what);
    for (const int64_t end = gr_now_ns() + looking_ns; gr_now_ns() < end; sched_yield())
        for (int i = 0; i < PAUSES; i++) {
            if (is_there(what))
                return true;
            pause_cpu();
        }
    return false;
}

/* ---- Messages ---- */

static void abort_team(struct gr_dist_comm *comm, const char *text)
{
    struct gr_dist_team *const team = comm->state;
    pthread_mutex_lock(&team->lock);
    if (!team->aborted)
        snprintf(team->text, sizeof team->text, "%s", text);
    team->aborted = true;
    for (int64_t rank = 0; rank < team->size; rank++)
        pthread_cond_broadcast(&team->changed[rank]);
    pthread_mutex_unlock(&team->lock);
}

/* Copies a message whose sides are both there. The lock is released during the copy. */
static void copy(struct gr_dist_team *team, struct parcel *mine, struct parcel *other)
{
    struct parcel *const from = mine->sends ? mine : other, *const to = mine->sends ? other : mine;
    mine->wanted = other->bytes, other->wanted = mine->bytes;
    if (from->bytes == to->bytes) {
        mine->copying = other->copying = true;
        pthread_mutex_unlock(&team->lock);
        memcpy(to->data, from->data, from->bytes);
        pthread_mutex_lock(&team->lock);
    }
    pthread_cond_t *const changed = &team->changed[other->rank]; /* read before `done`, after which
                                                                    the other side may free it */
    atomic_store_explicit(&mine->done, true, memory_order_release);
    atomic_store_explicit(&other->done, true, memory_order_release);
    pthread_cond_broadcast(changed);
}

/* Adds a parcel to its queue, or copies it if its other side is waiting there. The lock must be
 * held. */
static void post(struct gr_dist_team *team, struct parcel *parcel, struct queue *queue)
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

/* Removes from its queue a parcel of an aborted team that has no other side. */
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

static enum gradus_status aborted(struct gr_dist_team *team, struct gradus_error *error)
{
    return gr_fail(error, GRADUS_CRASHED, "%s", team->text);
}

static enum gradus_status start(struct gr_dist_comm *comm, const struct gr_dist_message *sends,
                                int64_t send_count, const struct gr_dist_message *receives,
                                int64_t receive_count, void **ticket, struct gradus_error *error)
{
    struct gr_dist_team *const team = comm->state;
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

/* Waits until a ticket is complete, and returns false if a rank has aborted before. Even then
 * nothing is being copied any more, so that the caller may free the data. The lock must be held. */
static bool complete(struct gr_dist_team *team, struct ticket *ticket)
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

static bool is_copied(const void *ticket)
{
    const struct ticket *const mine = ticket;
    for (int64_t i = 0; i < mine->count; i++)
        if (!atomic_load_explicit(&mine->parcels[i].done, memory_order_acquire))
            return false;
    return true;
}

static enum gradus_status finish(struct gr_dist_comm *comm, void *ticket,
                                 struct gradus_error *error)
{
    struct gr_dist_team *const team = comm->state;
    struct ticket *const mine = ticket;
    enum gradus_status status = GRADUS_OK;
    if (!look(team->looking_ns, is_copied, mine)) {
        pthread_mutex_lock(&team->lock);
        status = complete(team, mine) ? GRADUS_OK : aborted(team, error);
        pthread_mutex_unlock(&team->lock);
    }
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

/* ---- Rounds ---- */

static void work_as(struct member *me)
{
    me->status = me->team->work(&me->comm, me->team->context, &me->error);
    if (me->status != GRADUS_OK)
        abort_team(&me->comm, me->error.text);
}

struct heard {
    const struct gr_dist_team *team;
    unsigned round;
};

static bool is_next_round(const void *heard)
{
    const struct heard *const h = heard;
    return atomic_load_explicit(&h->team->round, memory_order_acquire) != h->round;
}

static bool is_ended(const void *team)
{
    const struct gr_dist_team *const t = team;
    return atomic_load_explicit(&t->busy, memory_order_acquire) == 0;
}

static void *run_member(void *argument)
{
    struct member *const me = argument;
    struct gr_dist_team *const team = me->team;
    char name[16];
    snprintf(name, sizeof name, "gradus-r%" PRId64, me->comm.rank);
    pthread_setname_np(pthread_self(), name);
    for (struct heard heard = {team, 0};; heard.round++) {
        if (!look(team->looking_ns, is_next_round, &heard)) {
            pthread_mutex_lock(&team->gate);
            while (!is_next_round(&heard))
                pthread_cond_wait(&team->begins, &team->gate);
            pthread_mutex_unlock(&team->gate);
        }
        if (atomic_load(&team->closes))
            return NULL;
        work_as(me);
        if (atomic_fetch_sub_explicit(&team->busy, 1, memory_order_acq_rel) == 1) {
            pthread_mutex_lock(&team->gate);
            pthread_cond_signal(&team->ends);
            pthread_mutex_unlock(&team->gate);
        }
    }
}

static void begin_round(struct gr_dist_team *team)
{
    pthread_mutex_lock(&team->gate);
    atomic_store_explicit(&team->busy, team->started - 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&team->round, 1, memory_order_release);
    pthread_mutex_unlock(&team->gate);
    pthread_cond_broadcast(&team->begins); /* woken threads need not wait for the gate then */
}

/* Waits for the end of the round. A thread that has worked for long polls for as long again, since
 * the others should end soon, too. */
static void await_end(struct gr_dist_team *team, int64_t worked_ns)
{
    const int64_t least = team->looking_ns;
    if (look(least > 0 && worked_ns > least ? worked_ns : least, is_ended, team))
        return;
    pthread_mutex_lock(&team->gate);
    while (!is_ended(team))
        pthread_cond_wait(&team->ends, &team->gate);
    pthread_mutex_unlock(&team->gate);
}

/* The failure of the first rank that failed by itself, rather than because another rank had. */
static enum gradus_status outcome(const struct gr_dist_team *team, struct gradus_error *error)
{
    const struct member *worst = NULL;
    for (int64_t i = 0; i < team->size; i++) {
        const struct member *const m = &team->members[i];
        if (m->status != GRADUS_OK &&
            (!worst || (worst->status == GRADUS_CRASHED && m->status != GRADUS_CRASHED)))
            worst = m;
    }
    return worst ? gr_fail(error, worst->status, "%s", worst->error.text) : GRADUS_OK;
}

bool gr_dist_team_is_here(const struct gr_dist_team *team)
{
    return team->process == getpid();
}

enum gradus_status gr_dist_team_run(struct gr_dist_team *team,
                                    enum gradus_status (*work)(struct gr_dist_comm *, void *,
                                                               struct gradus_error *),
                                    void *context, struct gradus_error *error)
{
    if (!gr_dist_team_is_here(team))
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "threads: found a process that was forked from the one with the ranks' "
                       "threads, wanted that one");
    team->work = work;
    team->context = context;
    team->aborted = false;
    const int64_t begin = gr_now_ns();
    begin_round(team);
    work_as(&team->members[0]);
    await_end(team, gr_now_ns() - begin);
    const enum gradus_status status = outcome(team, error);
    for (int64_t i = 0; i < team->size; i++) {
        gradus_error_clear(&team->members[i].error);
        team->members[i].error = (struct gradus_error){0};
    }
    return status;
}

/* ---- Teams ---- */

static void free_team(struct gr_dist_team *team)
{
    free(team->members);
    free(team->queues);
    free(team->changed);
    free(team);
}

void gr_dist_team_close(struct gr_dist_team *team)
{
    if (!team)
        return;
    if (gr_dist_team_is_here(team)) { /* a child of fork has none of the threads */
        atomic_store(&team->closes, true);
        begin_round(team);
        for (int64_t i = 1; i < team->started; i++)
            pthread_join(team->members[i].thread, NULL);
    }
    free_team(team);
}

/* Starts the threads with all signals blocked, so that the program's own threads handle these. */
static enum gradus_status start_threads(struct gr_dist_team *team, struct gradus_error *error)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    for (team->started = 1; team->started < team->size; team->started++) {
        struct member *const m = &team->members[team->started];
        if (pthread_create(&m->thread, NULL, run_member, m))
            break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (team->started == team->size)
        return GRADUS_OK;
    return gr_fail(error, GRADUS_NO_MEMORY,
                   "threads: rank %" PRId64 " of %" PRId64 " could not be started; use fewer ranks",
                   team->started, team->size);
}

static void describe_member(struct gr_dist_team *team, int64_t rank)
{
    team->changed[rank] = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    team->members[rank] = (struct member){.team = team,
                                          .comm = {.rank = rank,
                                                   .size = team->size,
                                                   .state = team,
                                                   .exchange = exchange,
                                                   .abort = abort_team,
                                                   .start = start,
                                                   .finish = finish,
                                                   .threaded = true}};
}

enum gradus_status gr_dist_team_open(int64_t ranks, bool looks, struct gr_dist_team **team,
                                     struct gradus_error *error)
{
    *team = NULL;
    if (ranks < 1 || ranks > GR_DIST_THREADS_MAX)
        return gr_fail(error, GRADUS_INVALID, "threads: ranks: found %" PRId64 ", wanted 1 to %d",
                       ranks, GR_DIST_THREADS_MAX);
    struct gr_dist_team *const made = calloc(1, sizeof *made);
    if (!made)
        return gr_fail_memory(error, "ranks", sizeof *made);
    *made = (struct gr_dist_team){.size = ranks,
                                  .queues = calloc((size_t)(ranks * ranks), sizeof *made->queues),
                                  .lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP,
                                  .changed = calloc((size_t)ranks, sizeof *made->changed),
                                  .members = calloc((size_t)ranks, sizeof *made->members),
                                  .looking_ns =
                                      looks && ranks <= gr_cpu_threads_allowed() ? LOOKING_NS : 0,
                                  .process = getpid(),
                                  .gate = PTHREAD_MUTEX_INITIALIZER,
                                  .begins = PTHREAD_COND_INITIALIZER,
                                  .ends = PTHREAD_COND_INITIALIZER};
    if (!made->queues || !made->changed || !made->members) {
        free_team(made);
        return gr_fail_memory(error, "ranks", (uint64_t)ranks * sizeof *made->members);
    }
    for (int64_t i = 0; i < ranks; i++)
        describe_member(made, i);
    const enum gradus_status status = start_threads(made, error);
    if (status == GRADUS_OK)
        *team = made;
    else
        gr_dist_team_close(made);
    return status;
}

enum gradus_status gr_dist_threads_run(int64_t ranks,
                                       enum gradus_status (*work)(struct gr_dist_comm *, void *,
                                                                  struct gradus_error *),
                                       void *context, struct gradus_error *error)
{
    struct gr_dist_team *team;
    enum gradus_status status = gr_dist_team_open(ranks, false, &team, error);
    if (status != GRADUS_OK)
        return status;
    status = gr_dist_team_run(team, work, context, error);
    gr_dist_team_close(team);
    return status;
}
