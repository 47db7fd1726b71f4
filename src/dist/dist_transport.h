/* dist_transport.h: what a product over many ranks needs of the engine that carries its messages.
 * SPDX-License-Identifier: MIT */
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
    void *data; /* not written where it is sent */
    size_t bytes;
};

/* One rank's end of an engine: threads of one process (dist_threads.h), MPI. */
struct gr_dist_comm {
    int64_t rank, size;
    void *state; /* the engine's own */
    /* Sends and receives all of these at once, and returns when they are complete. For each message
     * there is one of the same bytes at the peer, in a call that it makes at the same place of its
     * run; of two ranks the messages of one way match in the order in which each names them; none
     * has 0 bytes, and none goes to the rank itself. Errors: of the engine, and CRASHED where a
     * rank has aborted. */
    enum gradus_status (*exchange)(struct gr_dist_comm *comm, const struct gr_dist_message *sends,
                                   int64_t send_count, const struct gr_dist_message *receives,
                                   int64_t receive_count, struct gradus_error *error);
    /* Ends what all ranks are doing with these: their calls fail with CRASHED and this text. It may
     * end the process, as MPI_Abort does. */
    void (*abort)(struct gr_dist_comm *comm, const char *text);
    /* Both null: an engine that only exchanges. `start` begins what `exchange` does and returns a
     * ticket, with which `finish` waits until it is complete; the data must stay until then. Each
     * ticket is finished once, also where a rank has aborted. Of two ranks, the messages of all
     * exchanges match in the order in which these were started. An engine may carry messages only
     * while one of its functions is being called. */
    enum gradus_status (*start)(struct gr_dist_comm *comm, const struct gr_dist_message *sends,
                                int64_t send_count, const struct gr_dist_message *receives,
                                int64_t receive_count, void **ticket, struct gradus_error *error);
    enum gradus_status (*finish)(struct gr_dist_comm *comm, void *ticket,
                                 struct gradus_error *error);
    bool threaded; /* any thread of this rank may call these functions, at any time */
    /* Null, or true as long as this rank multiplies beside the messages: whoever waits for them
     * then leaves the product its processor, and otherwise looks for them without a pause. */
    const atomic_bool *multiplying;
};

/* Collective: every rank says how its part went, and what it was asked for in a line of at most
 * GR_DIST_ASKED - 1 bytes (null: not compared). Returns OK if all went well and all were asked for
 * the same; otherwise, on all ranks, the status and the text of the first rank that failed, with
 * its number, or INVALID with two of the lines. If `status` is not OK, *error holds its text. */
enum { GR_DIST_ASKED = 1000 };
enum gradus_status gr_dist_agree(struct gr_dist_comm *comm, enum gradus_status status,
                                 const char *asked, struct gradus_error *error);

/* Collective: what rank 0 has in `data` comes to all. */
enum gradus_status gr_dist_broadcast(struct gr_dist_comm *comm, void *data, size_t bytes,
                                     struct gradus_error *error);

/* Collective: `bytes` bytes of each rank come to rank 0, one after another into `all`, which the
 * other ranks do not need. */
enum gradus_status gr_dist_collect(struct gr_dist_comm *comm, const void *data, size_t bytes,
                                   void *all, struct gradus_error *error);

/* Collective: `bytes` bytes at `data` become, on all ranks, those of all ranks together: `add` adds
 * what another rank has to one's own, in an order that only the number of ranks determines. */
enum gradus_status gr_dist_combine(struct gr_dist_comm *comm, void *data, size_t bytes,
                                   void (*add)(void *sum, const void *x, size_t bytes),
                                   struct gradus_error *error);

#endif
