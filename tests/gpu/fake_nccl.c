/* fake_nccl.c: stands in for libnccl.so.2 (GRADUS_NCCL=its path) with the fake driver: ranks are
 * threads of one process, and what one sends another gets at once. As NCCL does, ncclCommInitRank
 * waits for all ranks, and a group waits for what it receives; here it is given up after 20 s, as
 * ncclSystemError. A message of other bytes than were asked for is ncclInvalidUsage. The variable
 * GRADUS_FAKE_NCCL_FAIL=WHAT:N lets the call N of WHAT (id, init, send, receive, group) fail, from
 * 0 on. SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))

enum { SUCCESS, CUDA_ERROR, SYSTEM_ERROR, INTERNAL, INVALID_ARGUMENT, INVALID_USAGE };
enum { RANKS = 16, TEAMS = 4096, OPERATIONS = 256, SECONDS = 20 };

struct id {
    char bytes[128];
};

/* As in fake_driver.h: the order of work on streams. */
struct clock {
    unsigned at[64];
};
static void (*order_touch)(const void *stream, unsigned long long begin, size_t bytes, int writes);
static void (*order_record)(const void *stream, struct clock *event);
static void (*order_wait)(const void *stream, const struct clock *event);

struct parcel {
    struct parcel *next;
    struct clock sent; /* what had ended when it was sent */
    size_t bytes;
    char data[];
};

struct team {
    int ranks, joined, live;
    bool aborted;
    struct parcel *first[RANKS][RANKS];
};

struct comm {
    struct team *team;
    int rank;
};

struct operation {
    struct comm *comm;
    bool sends;
    int peer;
    const void *from;
    void *to;
    size_t bytes;
    const void *stream;
};

EXPORT int ncclGetVersion(int *version);
EXPORT int ncclGetUniqueId(struct id *id);
EXPORT int ncclCommInitRank(struct comm **comm, int ranks, struct id id, int rank);
EXPORT int ncclCommDestroy(struct comm *comm);
EXPORT int ncclCommAbort(struct comm *comm);
EXPORT int ncclGroupStart(void);
EXPORT int ncclGroupEnd(void);
EXPORT int ncclSend(const void *from, size_t count, int type, int peer, struct comm *comm,
                    void *stream);
EXPORT int ncclRecv(void *to, size_t count, int type, int peer, struct comm *comm, void *stream);
EXPORT const char *ncclGetErrorString(int result);
/* Communicators that were made, and not destroyed or aborted. */
EXPORT int fake_nccl_live(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct team *teams[TEAMS];
static int team_count, live;
static bool broken; /* a call was let fail: what others wait for does not come */
static _Thread_local struct operation operations[OPERATIONS];
static _Thread_local int operation_count;

static bool fails(const char *what)
{
    static int calls;
    const char *text = getenv("GRADUS_FAKE_NCCL_FAIL");
    char name[16];
    int at = 0;
    if (!text || sscanf(text, "%15[a-z]:%d", name, &at) != 2 || strcmp(name, what) != 0)
        return false;
    pthread_mutex_lock(&lock);
    const bool now = calls++ == at;
    broken |= now;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return now;
}

int ncclGetVersion(int *version)
{
    *version = 22809;
    return SUCCESS;
}

int ncclGetUniqueId(struct id *id)
{
    *(void **)(void *)&order_touch = dlsym(RTLD_DEFAULT, "fake_order_touch");
    *(void **)(void *)&order_record = dlsym(RTLD_DEFAULT, "fake_order_record");
    *(void **)(void *)&order_wait = dlsym(RTLD_DEFAULT, "fake_order_wait");
    if (fails("id"))
        return SYSTEM_ERROR;
    memset(id, 0, sizeof *id);
    pthread_mutex_lock(&lock);
    broken = false;
    teams[team_count] = calloc(1, sizeof(struct team));
    snprintf(id->bytes, sizeof id->bytes, "team %d", team_count++);
    pthread_mutex_unlock(&lock);
    return SUCCESS;
}

/* With the lock held: until something changes; false: it takes too long. */
static bool wait_for_change(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += SECONDS;
    return pthread_cond_timedwait(&changed, &lock, &until) == 0;
}

int ncclCommInitRank(struct comm **comm, int ranks, struct id id, int rank)
{
    int number = -1;
    bool in_time = true;
    *comm = NULL;
    if (fails("init"))
        return SYSTEM_ERROR;
    if (sscanf(id.bytes, "team %d", &number) != 1 || ranks > RANKS || rank < 0 || rank >= ranks)
        return INVALID_ARGUMENT;
    struct comm *const made = calloc(1, sizeof *made);
    pthread_mutex_lock(&lock);
    struct team *const team = teams[number];
    made->team = team, made->rank = rank;
    team->ranks = ranks;
    team->joined++, team->live++, live++;
    pthread_cond_broadcast(&changed);
    while (team->joined < ranks && in_time)
        in_time = wait_for_change();
    pthread_mutex_unlock(&lock);
    *comm = made;
    return in_time ? SUCCESS : SYSTEM_ERROR;
}

static int leave(struct comm *comm, bool aborts)
{
    pthread_mutex_lock(&lock);
    struct team *const team = comm->team;
    team->aborted |= aborts;
    live--;
    for (int i = 0; i < RANKS && team->live == 1; i++)
        for (int j = 0; j < RANKS; j++)
            for (struct parcel *p = team->first[i][j], *next; p; p = next) {
                next = p->next;
                free(p);
            }
    if (--team->live == 0)
        for (int i = 0; i < team_count; i++)
            if (teams[i] == team) {
                free(team);
                teams[i] = NULL;
            }
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    free(comm);
    return SUCCESS;
}

int ncclCommDestroy(struct comm *comm)
{
    return leave(comm, false);
}

int ncclCommAbort(struct comm *comm)
{
    return leave(comm, true);
}

int fake_nccl_live(void)
{
    return live;
}

/* ---- Groups ---- */

int ncclGroupStart(void)
{
    operation_count = 0;
    return fails("group") ? INTERNAL : SUCCESS;
}

static int add(struct operation operation)
{
    if (operation_count == OPERATIONS || operation.peer < 0 ||
        operation.peer >= operation.comm->team->ranks || operation.bytes == 0)
        return INVALID_ARGUMENT;
    operations[operation_count++] = operation;
    return SUCCESS;
}

int ncclSend(const void *from, size_t count, int type, int peer, struct comm *comm, void *stream)
{
    return type != 0 || fails("send")
               ? INVALID_ARGUMENT
               : add((struct operation){comm, true, peer, from, NULL, count, stream});
}

int ncclRecv(void *to, size_t count, int type, int peer, struct comm *comm, void *stream)
{
    return type != 0 || fails("receive")
               ? INVALID_ARGUMENT
               : add((struct operation){comm, false, peer, NULL, to, count, stream});
}

static int post(const struct operation *o)
{
    struct team *const team = o->comm->team;
    struct parcel *const p = malloc(sizeof *p + o->bytes);
    if (!p)
        return SYSTEM_ERROR;
    p->next = NULL, p->bytes = o->bytes;
    memset(&p->sent, 0, sizeof p->sent);
    if (order_touch) {
        order_touch(o->stream, (uintptr_t)o->from, o->bytes, 0);
        order_record(o->stream, &p->sent);
    }
    memcpy(p->data, o->from, o->bytes);
    struct parcel **link = &team->first[o->comm->rank][o->peer];
    while (*link)
        link = &(*link)->next;
    *link = p;
    return SUCCESS;
}

static int collect(const struct operation *o)
{
    struct team *const team = o->comm->team;
    struct parcel **const queue = &team->first[o->peer][o->comm->rank];
    while (!*queue && !team->aborted && !broken)
        if (!wait_for_change())
            return SYSTEM_ERROR;
    struct parcel *const p = *queue;
    if (!p)
        return SYSTEM_ERROR;
    const int result = p->bytes == o->bytes ? SUCCESS : INVALID_USAGE;
    if (result == SUCCESS && order_touch) {
        order_wait(o->stream, &p->sent);
        order_touch(o->stream, (uintptr_t)o->to, o->bytes, 1);
    }
    if (result == SUCCESS)
        memcpy(o->to, p->data, o->bytes);
    *queue = p->next;
    free(p);
    return result;
}

int ncclGroupEnd(void)
{
    int result = SUCCESS;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < operation_count && result == SUCCESS; i++)
        if (operations[i].sends)
            result = post(&operations[i]);
    pthread_cond_broadcast(&changed);
    for (int i = 0; i < operation_count && result == SUCCESS; i++)
        if (!operations[i].sends)
            result = collect(&operations[i]);
    operation_count = 0;
    pthread_mutex_unlock(&lock);
    return result;
}

const char *ncclGetErrorString(int result)
{
    static const char *const names[] = {"no error",       "unhandled cuda error", "system error",
                                        "internal error", "invalid argument",     "invalid usage"};
    return result >= 0 && result < 6 ? names[result] : "unknown error";
}
