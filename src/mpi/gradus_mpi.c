/* gradus_mpi.c: the plug-in with which Gradus uses an MPI; cmake/mpi.cmake builds one with each
 * mpicc that it finds. It uses nothing of Gradus but types. SPDX-License-Identifier: MIT */
#include "dist/dist_mpi.h"

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Counts of MPI are ints: longer messages are sent in pieces. */
enum { PIECE = 1 << 30, TAG = 22 };

static MPI_Comm world = MPI_COMM_NULL; /* of `open` */
static bool started;
static int kept_key = MPI_KEYVAL_INVALID; /* of the duplicates that `find` keeps */
/* With MPI_THREAD_SERIALIZED any thread may call MPI, one at a time: no call may block. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The communicator of a rank's end. */
static MPI_Comm ranks_of(const struct gr_dist_comm *comm)
{
    return *(const MPI_Comm *)comm->state;
}

static enum gradus_status fail(struct gradus_error *error, const char *call, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    pthread_mutex_lock(&lock);
    MPI_Error_string(code, text, &length);
    pthread_mutex_unlock(&lock);
    if (error) {
        error->status = GRADUS_IO;
        snprintf(error->text, sizeof error->text, "mpi: %s: %.400s", call, text);
    }
    return GRADUS_IO;
}

static int64_t pieces_of(const struct gr_dist_message *messages, int64_t count)
{
    int64_t pieces = 0;
    for (int64_t i = 0; i < count; i++)
        pieces += (int64_t)((messages[i].bytes + PIECE - 1) / PIECE);
    return pieces;
}

struct ticket {
    int count;
    MPI_Request requests[];
};

/* Starts all pieces of the messages; they arrive in the order in which they were sent. */
static int start_pieces(MPI_Comm ranks, const struct gr_dist_message *messages, int64_t count,
                        bool send, struct ticket *ticket)
{
    for (int64_t i = 0; i < count; i++)
        for (size_t at = 0; at < messages[i].bytes; at += PIECE) {
            const size_t left = messages[i].bytes - at;
            const int bytes = (int)(left < PIECE ? left : PIECE), peer = (int)messages[i].peer;
            char *const data = (char *)messages[i].data + at;
            MPI_Request *const request = &ticket->requests[ticket->count];
            const int code = send ? MPI_Isend(data, bytes, MPI_BYTE, peer, TAG, ranks, request)
                                  : MPI_Irecv(data, bytes, MPI_BYTE, peer, TAG, ranks, request);
            if (code != MPI_SUCCESS)
                return code;
            ticket->count++;
        }
    return MPI_SUCCESS;
}

static enum gradus_status start(struct gr_dist_comm *comm, const struct gr_dist_message *sends,
                                int64_t send_count, const struct gr_dist_message *receives,
                                int64_t receive_count, void **ticket, struct gradus_error *error)
{
    const MPI_Comm ranks = ranks_of(comm);
    const int64_t pieces = pieces_of(sends, send_count) + pieces_of(receives, receive_count);
    struct ticket *const made = malloc(sizeof *made + (size_t)pieces * sizeof made->requests[0]);
    if (!made) {
        if (error)
            *error = (struct gradus_error){GRADUS_NO_MEMORY, "mpi: no memory for requests", NULL};
        return GRADUS_NO_MEMORY;
    }
    made->count = 0;
    pthread_mutex_lock(&lock);
    int code = start_pieces(ranks, receives, receive_count, false, made);
    if (code == MPI_SUCCESS)
        code = start_pieces(ranks, sends, send_count, true, made);
    pthread_mutex_unlock(&lock);
    if (code != MPI_SUCCESS) { /* what was started is lost: the caller aborts */
        free(made);
        return fail(error, "a message", code);
    }
    *ticket = made;
    return GRADUS_OK;
}

static int64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Until then this core is known to be shared with other threads that are ready to run. */
static _Atomic int64_t crowded_until_ns;

/* Lets other threads that are ready to run on this core go first. If these compute, each runs for
 * milliseconds, whereas a thread that sleeps is woken before their time slice ends: so for the next
 * second this thread sleeps instead. */
static void yield(int64_t now)
{
    enum { LONG_NS = 500000, CROWDED_NS = 1000000000 };
    sched_yield();
    const int64_t then = now_ns();
    if (then - now > LONG_NS)
        atomic_store(&crowded_until_ns, then + CROWDED_NS);
}

/* Waits between two polls of the messages. A concurrent local product gets this core. Without one,
 * sleeping gains nothing and takes longer than a short message, unless the message is late by more
 * than that, or other threads compute on this core. */
static void pause_since(const struct gr_dist_comm *comm, int64_t looks, int64_t begin_ns)
{
    enum { EAGER = 200, PAUSE_NS = 20000, PATIENT_NS = 2000000 };
    const struct timespec time = {0, PAUSE_NS};
    if (looks < EAGER)
        return;
    const bool multiplying = comm->multiplying && atomic_load(comm->multiplying);
    const int64_t now = now_ns();
    if (multiplying || now - begin_ns > PATIENT_NS || now < atomic_load(&crowded_until_ns))
        nanosleep(&time, NULL);
    else
        yield(now);
}

static enum gradus_status finish(struct gr_dist_comm *comm, void *ticket,
                                 struct gradus_error *error)
{
    struct ticket *const mine = ticket;
    const int64_t begin_ns = now_ns();
    int done = 0, code = MPI_SUCCESS;
    for (int64_t looks = 0; !done && code == MPI_SUCCESS; looks++) {
        pause_since(comm, looks, begin_ns);
        pthread_mutex_lock(&lock);
        code = MPI_Testall(mine->count, mine->requests, &done, MPI_STATUSES_IGNORE);
        pthread_mutex_unlock(&lock);
    }
    free(mine);
    return code == MPI_SUCCESS ? GRADUS_OK : fail(error, "a message", code);
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

/* The line has a moment to reach the launcher, which ends the processes as soon as one aborts:
 * MPICH's then loses what it has not yet read of their standard error. */
static void abort_all(struct gr_dist_comm *comm, const char *text)
{
    fprintf(stderr, "gradus: rank %d: %s\n", (int)comm->rank, text);
    nanosleep(&(const struct timespec){.tv_nsec = 200000000}, NULL);
    pthread_mutex_lock(&lock);
    MPI_Abort(ranks_of(comm), 2);
    pthread_mutex_unlock(&lock);
}

/* A rank's end over a duplicate of `from`, which goes to *ranks. */
static enum gradus_status duplicate(MPI_Comm from, MPI_Comm *ranks, struct gr_dist_comm *comm,
                                    struct gradus_error *error)
{
    int rank, size, level;
    const int code = MPI_Comm_dup(from, ranks);
    if (code != MPI_SUCCESS)
        return fail(error, "MPI_Comm_dup", code);
    MPI_Comm_set_errhandler(*ranks, MPI_ERRORS_RETURN);
    MPI_Comm_rank(*ranks, &rank);
    MPI_Comm_size(*ranks, &size);
    MPI_Query_thread(&level);
    *comm = (struct gr_dist_comm){.rank = rank,
                                  .size = size,
                                  .state = ranks,
                                  .exchange = exchange,
                                  .abort = abort_all,
                                  .start = start,
                                  .finish = finish,
                                  .threaded = level >= MPI_THREAD_SERIALIZED};
    return GRADUS_OK;
}

static enum gradus_status refuse(struct gradus_error *error, enum gradus_status status,
                                 const char *text)
{
    if (error) {
        error->status = status;
        snprintf(error->text, sizeof error->text, "mpi: %s", text);
    }
    return status;
}

static enum gradus_status open_mpi(struct gr_dist_comm *comm, struct gradus_error *error)
{
    int running = 0, level;
    MPI_Initialized(&running);
    if (!running) { /* a thread of its own carries the messages during a local product */
        const int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
        if (code != MPI_SUCCESS)
            return fail(error, "MPI_Init_thread", code);
        started = true;
    }
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_FUNNELED) {
        if (error) {
            error->status = GRADUS_UNSUPPORTED;
            snprintf(error->text, sizeof error->text,
                     "mpi: thread level: found %d, wanted MPI_THREAD_FUNNELED (%d) or more", level,
                     MPI_THREAD_FUNNELED);
        }
        return GRADUS_UNSUPPORTED;
    }
    return duplicate(MPI_COMM_WORLD, &world, comm, error);
}

static void close_mpi(void)
{
    MPI_Comm_free(&world);
    if (started)
        MPI_Finalize();
    started = false;
}

/* ---- Communicators of the program ---- */

static enum gradus_status check_running(struct gradus_error *error)
{
    int running = 0, ended = 0;
    MPI_Initialized(&running);
    MPI_Finalized(&ended);
    if (!running)
        return refuse(error, GRADUS_INVALID, "found no MPI running, wanted MPI_Init before");
    if (ended)
        return refuse(error, GRADUS_INVALID, "found MPI ended, wanted this before MPI_Finalize");
    return GRADUS_OK;
}

static enum gradus_status check_group(MPI_Comm from, struct gradus_error *error)
{
    int between = 0;
    if (from == MPI_COMM_NULL)
        return refuse(error, GRADUS_INVALID, "found a null communicator, wanted one of this rank");
    MPI_Comm_test_inter(from, &between);
    if (between)
        return refuse(error, GRADUS_INVALID,
                      "found a communicator between two groups, wanted one of one group");
    return GRADUS_OK;
}

static enum gradus_status create(const void *mpi_comm, int handle, struct gr_dist_comm *comm,
                                 struct gradus_error *error)
{
    enum gradus_status status = check_running(error);
    if (status != GRADUS_OK)
        return status;
    const MPI_Comm from = mpi_comm ? *(const MPI_Comm *)mpi_comm : MPI_Comm_f2c(handle);
    MPI_Comm *ranks;
    status = check_group(from, error);
    if (status != GRADUS_OK)
        return status;
    ranks = malloc(sizeof *ranks);
    if (!ranks)
        return refuse(error, GRADUS_NO_MEMORY, "no memory for a communicator");
    status = duplicate(from, ranks, comm, error);
    if (status != GRADUS_OK)
        free(ranks);
    return status;
}

static void free_end(struct gr_dist_comm *comm)
{
    int ended = 0;
    MPI_Finalized(&ended);
    if (!ended)
        MPI_Comm_free(comm->state);
    free(comm->state);
}

/* MPI calls it when the communicator that the duplicate is kept with is freed. */
static int free_kept(MPI_Comm from, int key, void *value, void *extra)
{
    struct gr_dist_comm *const kept = value;
    (void)from;
    (void)key;
    (void)extra;
    free_end(kept);
    free(kept);
    return MPI_SUCCESS;
}

/* Makes what a later call will find; the communicator has none yet. */
static enum gradus_status keep(MPI_Comm from, int handle, struct gr_dist_comm *comm,
                               struct gradus_error *error)
{
    struct gr_dist_comm *const kept = malloc(sizeof *kept);
    enum gradus_status status = GRADUS_OK;
    if (!kept)
        return refuse(error, GRADUS_NO_MEMORY, "no memory for a communicator");
    status = create(NULL, handle, kept, error);
    if (status == GRADUS_OK) {
        const int code = MPI_Comm_set_attr(from, kept_key, kept);
        if (code == MPI_SUCCESS) {
            *comm = *kept;
            return GRADUS_OK;
        }
        free_end(kept);
        status = fail(error, "MPI_Comm_set_attr", code);
    }
    free(kept);
    return status;
}

static enum gradus_status find(int handle, struct gr_dist_comm *comm, struct gradus_error *error)
{
    enum gradus_status status = check_running(error);
    if (status != GRADUS_OK)
        return status;
    const MPI_Comm from = MPI_Comm_f2c(handle);
    struct gr_dist_comm *kept = NULL;
    int found = 0;
    status = check_group(from, error);
    if (status != GRADUS_OK)
        return status;
    if (kept_key == MPI_KEYVAL_INVALID) {
        const int code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_kept, &kept_key, NULL);
        if (code != MPI_SUCCESS)
            return fail(error, "MPI_Comm_create_keyval", code);
    }
    MPI_Comm_get_attr(from, kept_key, &kept, &found);
    if (!found)
        return keep(from, handle, comm, error);
    *comm = *kept;
    return GRADUS_OK;
}

extern const struct gr_dist_mpi_plugin gradus_mpi_plugin;
__attribute__((visibility("default"))) const struct gr_dist_mpi_plugin gradus_mpi_plugin = {
    GR_DIST_MPI_INTERFACE, open_mpi, close_mpi, create, free_end, find};
