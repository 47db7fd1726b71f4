/* dist_agree.c: makes all ranks return the same failure, and combines what the ranks have.
 * SPDX-License-Identifier: MIT
 *
 * The ranks form a binary tree: rank r collects the reports of its children 2r + 1 and 2r + 2, and
 * passes on the worst of them and its own; rank 0 sends the result back. */
#include "dist/dist_transport.h"

#include "core/error.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct report {
    int64_t rank; /* the rank that failed */
    int32_t status;
    char text[sizeof((struct gradus_error *)0)->text];
    char asked[GR_DIST_ASKED];
};

/* Fills in the messages to or from the children; their data are `stride` bytes apart. Returns their
 * number. */
static int64_t children(const struct gr_dist_comm *comm, struct gr_dist_message messages[2],
                        void *data, size_t bytes, size_t stride)
{
    int64_t count = 0;
    for (int64_t child = 2 * comm->rank + 1; child <= 2 * comm->rank + 2; child++)
        if (child < comm->size) {
            messages[count] =
                (struct gr_dist_message){child, (char *)data + stride * (size_t)count, bytes};
            count++;
        }
    return count;
}

enum gradus_status gr_dist_broadcast(struct gr_dist_comm *comm, void *data, size_t bytes,
                                     struct gradus_error *error)
{
    struct gr_dist_message parent = {(comm->rank - 1) / 2, data, bytes}, below[2];
    enum gradus_status status = GRADUS_OK;
    if (comm->rank > 0)
        status = comm->exchange(comm, NULL, 0, &parent, 1, error);
    const int64_t count = children(comm, below, data, bytes, 0);
    if (status == GRADUS_OK)
        status = comm->exchange(comm, below, count, NULL, 0, error);
    return status;
}

/* The length of the text up to a comma. */
static int part_length(const char *text)
{
    enum { MOST = 190 };
    const size_t length = strcspn(text, ",");
    return length < MOST ? (int)length : MOST;
}

/* Merges a child's report into one's own. Of two failures, that of the lower rank is kept. */
static void merge(struct report *mine, const struct report *child, int64_t rank, int64_t child_rank)
{
    const bool worse = child->status && (!mine->status || child->rank < mine->rank);
    if (worse) {
        *mine = *child;
        return;
    }
    if (mine->status || child->status || strcmp(mine->asked, child->asked) == 0)
        return;
    size_t same = 0; /* show the first part between commas that differs */
    while (mine->asked[same] == child->asked[same])
        same++;
    while (same > 0 && mine->asked[same - 1] != ',')
        same--;
    const int mine_bytes = part_length(mine->asked + same);
    const int child_bytes = part_length(child->asked + same);
    mine->status = GRADUS_INVALID;
    mine->rank = child_rank;
    snprintf(mine->text, sizeof mine->text,
             "ranks ask for different products: rank %" PRId64 " for '%.*s', rank %" PRId64
             " for '%.*s'",
             rank, mine_bytes, mine->asked + same, child_rank, child_bytes, child->asked + same);
}

enum gradus_status gr_dist_agree(struct gr_dist_comm *comm, enum gradus_status status,
                                 const char *asked, struct gradus_error *error)
{
    struct gradus_error failed = {0};
    struct report mine = {.rank = comm->rank, .status = (int32_t)status}, from[2];
    snprintf(mine.asked, sizeof mine.asked, "%s", asked ? asked : "");
    if (status != GRADUS_OK)
        snprintf(mine.text, sizeof mine.text, "rank %" PRId64 ": %.480s", comm->rank,
                 error && error->text[0] ? error->text : gradus_status_text(status));
    struct gr_dist_message messages[2];
    const int64_t count = children(comm, messages, from, sizeof *from, sizeof *from);
    enum gradus_status sent = comm->exchange(comm, NULL, 0, messages, count, &failed);
    for (int64_t i = 0; sent == GRADUS_OK && i < count; i++)
        merge(&mine, &from[i], comm->rank, messages[i].peer);
    struct gr_dist_message parent = {(comm->rank - 1) / 2, &mine, sizeof mine};
    if (sent == GRADUS_OK && comm->rank > 0)
        sent = comm->exchange(comm, &parent, 1, NULL, 0, &failed);
    if (sent == GRADUS_OK)
        sent = gr_dist_broadcast(comm, &mine, sizeof mine, &failed);
    if (sent != GRADUS_OK)
        return gr_fail(error, sent, "%s", failed.text);
    if (mine.status != GRADUS_OK)
        return gr_fail(error, (enum gradus_status)mine.status, "%s", mine.text);
    return GRADUS_OK;
}

enum gradus_status gr_dist_collect(struct gr_dist_comm *comm, const void *data, size_t bytes,
                                   void *all, struct gradus_error *error)
{
    struct gr_dist_message mine = {0, (void *)(uintptr_t)data, bytes};
    if (bytes == 0)
        return GRADUS_OK;
    if (comm->rank > 0)
        return comm->exchange(comm, &mine, 1, NULL, 0, error);
    memcpy(all, data, bytes);
    enum gradus_status status = GRADUS_OK;
    for (int64_t rank = 1; rank < comm->size && status == GRADUS_OK; rank++) {
        const struct gr_dist_message from = {rank, (char *)all + bytes * (size_t)rank, bytes};
        status = comm->exchange(comm, NULL, 0, &from, 1, error);
    }
    return status;
}

/* Sums are passed up the tree: rank r adds those of its children 2r + 1 and 2r + 2. */
enum gradus_status gr_dist_combine(struct gr_dist_comm *comm, void *data, size_t bytes,
                                   void (*add)(void *sum, const void *x, size_t bytes),
                                   struct gradus_error *error)
{
    char *const received = malloc(bytes + 1);
    enum gradus_status status = received ? GRADUS_OK : gr_fail_memory(error, "a sum", bytes);
    status = gr_dist_agree(comm, status, NULL, error);
    for (int64_t child = 2 * comm->rank + 1;
         child <= 2 * comm->rank + 2 && child < comm->size && status == GRADUS_OK && bytes > 0;
         child++) {
        const struct gr_dist_message from = {child, received, bytes};
        status = comm->exchange(comm, NULL, 0, &from, 1, error);
        if (status == GRADUS_OK)
            add(data, received, bytes);
    }
    free(received);
    const struct gr_dist_message parent = {(comm->rank - 1) / 2, data, bytes};
    if (status == GRADUS_OK && comm->rank > 0 && bytes > 0)
        status = comm->exchange(comm, &parent, 1, NULL, 0, error);
    return status == GRADUS_OK && bytes > 0 ? gr_dist_broadcast(comm, data, bytes, error) : status;
}
