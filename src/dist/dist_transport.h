/* dist_transport.h: the interface to the transport that sends the messages of a product over many
 * ranks. SPDX-License-Identifier: MIT */
#ifndef DIST_DIST_TRANSPORT_H
#define DIST_DIST_TRANSPORT_H

#include <gradus/gradus.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message from or to one other rank. */
struct gr_dist_message {
    int64_t peer;
    void *data; /* not written if it is sent */
    size_t bytes;
};

/* One rank's end of a transport: threads of one process (dist_threads.h), MPI, or the caller's
 * functions. */
struct gr_dist_comm {
    int64_t rank, size;
    void *state; /* the transport's own */
    /* Sends and receives all these messages concurrently, and returns when they are complete. For
     * each message, the peer has one with the same number of bytes, in its corresponding call. The
     * messages from one rank to another match in the order in which each of the two lists them. No
     * message has 0 bytes or goes to the rank itself. Errors: those of the transport, and CRASHED
     * if a rank has aborted. */
    enum gradus_status (*exchange)(struct gr_dist_comm *comm, const struct gr_dist_message *sends,
                                   int64_t send_count, const struct gr_dist_message *receives,
                                   int64_t receive_count, struct gradus_error *error);
    /* Ends what all ranks are doing with these functions: their calls fail with CRASHED and this
     * text. It may end the process, as MPI_Abort does. */
    void (*abort)(struct gr_dist_comm *comm, const char *text);
    /* Both null: the transport only has `exchange`. `start` begins what `exchange` does and returns
     * a ticket, with which `finish` waits until it is complete; the data must stay valid until
     * then. Each ticket is finished once, even if a rank has aborted. The messages between two
     * ranks match in the order in which their exchanges were started. A transport may make progress
     * only during a call of one of its functions. */
    enum gradus_status (*start)(struct gr_dist_comm *comm, const struct gr_dist_message *sends,
                                int64_t send_count, const struct gr_dist_message *receives,
                                int64_t receive_count, void **ticket, struct gradus_error *error);
    enum gradus_status (*finish)(struct gr_dist_comm *comm, void *ticket,
                                 struct gradus_error *error);
    bool threaded; /* any thread of this rank may call these functions, at any time */
    /* If not null, true while this rank multiplies at the same time. A thread that waits for
     * messages then leaves the processor to the product; otherwise it polls without a pause. */
    const atomic_bool *multiplying;
};

/* Collective. Every rank states the status of its part, and what it was asked for in a line of at
 * most GR_DIST_ASKED - 1 bytes (null: not compared). Returns OK if all are OK and were asked for
 * the same. Otherwise it returns, on all ranks, the status and the text of the first rank that
 * failed, with its number, or INVALID with the parts of two lines that differ. If `status` is not
 * OK, *error holds its text. */
enum { GR_DIST_ASKED = 1000 };
enum gradus_status gr_dist_agree(struct gr_dist_comm *comm, enum gradus_status status,
                                 const char *asked, struct gradus_error *error);

/* Collective. Copies `data` of rank 0 to all ranks. */
enum gradus_status gr_dist_broadcast(struct gr_dist_comm *comm, void *data, size_t bytes,
                                     struct gradus_error *error);

/* Collective. Collects `bytes` bytes of each rank on rank 0, one after another in `all`, which the
 * other ranks do not need. */
enum gradus_status gr_dist_collect(struct gr_dist_comm *comm, const void *data, size_t bytes,
                                   void *all, struct gradus_error *error);

/* Collective. Combines `bytes` bytes at `data` of all ranks, and stores the result on all of them.
 * `add` adds what another rank has to one's own, in an order that only the number of ranks
 * determines. */
enum gradus_status gr_dist_combine(struct gr_dist_comm *comm, void *data, size_t bytes,
                                   void (*add)(void *sum, const void *x, size_t bytes),
                                   struct gradus_error *error);

#endif
