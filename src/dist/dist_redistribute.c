/* dist_redistribute.c: packs what each other rank gets, exchanges it, and unpacks what came.
 * SPDX-License-Identifier: MIT */
#include "dist/dist_redistribute.h"

#include "core/error.h"

#include <stdlib.h>
#include <string.h>

/* What goes one way: a message for each peer that has one, in one buffer. */
struct way {
    struct gr_dist_moves *moves;      /* by rank */
    struct gr_dist_message *messages; /* count of them */
    int64_t count;
    char *buffer;
};

struct shuffle {
    const struct gr_dist_matrix *from, *to;
    size_t element;
    int64_t rank, size;
    struct way out, in;
};

/* Rows are copied whole where both arrays are row-major, else columns where both are column-major,
 * else element by element. Strides are in bytes, of rows and of columns. */
static void copy_rect(char *to, size_t to_row, size_t to_col, const char *from, size_t from_row,
                      size_t from_col, int64_t rows, int64_t cols, size_t element)
{
    for (int64_t i = 0; i < rows; i++) {
        char *const t = to + to_row * (size_t)i;
        const char *const f = from + from_row * (size_t)i;
        if (to_col == element && from_col == element) {
            memcpy(t, f, element * (size_t)cols);
            continue;
        }
        for (int64_t j = 0; j < cols; j++)
            memcpy(t + to_col * (size_t)j, f + from_col * (size_t)j, element);
    }
}

struct strides {
    size_t row, col;
};

static struct strides strides_of(const struct gr_dist_matrix *x, size_t element)
{
    const size_t ld = element * (size_t)x->ld;
    return x->layout.col_major ? (struct strides){element, ld} : (struct strides){ld, element};
}

/* Between the local array and a buffer of dense row-major rectangles, one after another. */
static void pack(const struct shuffle *s, const struct gr_dist_moves *moves, char *buffer,
                 bool unpack)
{
    const struct gr_dist_matrix *const x = unpack ? s->to : s->from;
    const struct strides local = strides_of(x, s->element);
    for (int64_t i = 0; i < moves->count; i++) {
        const struct gr_dist_move m = moves->items[i];
        const int64_t rows = m.rect.row_end - m.rect.row, cols = m.rect.col_end - m.rect.col;
        const size_t row = (size_t)(unpack ? m.to_row : m.from_row);
        const size_t col = (size_t)(unpack ? m.to_col : m.from_col);
        char *const array = (char *)x->local + row * local.row + col * local.col;
        const size_t line = s->element * (size_t)cols;
        if (unpack)
            copy_rect(array, local.row, local.col, buffer, line, s->element, rows, cols,
                      s->element);
        else
            copy_rect(buffer, line, s->element, array, local.row, local.col, rows, cols,
                      s->element);
        buffer += line * (size_t)rows;
    }
}

/* What stays on this rank goes from array to array. */
static void keep(const struct shuffle *s)
{
    const struct strides from = strides_of(s->from, s->element);
    const struct strides to = strides_of(s->to, s->element);
    const struct gr_dist_moves *const moves = &s->out.moves[s->rank];
    for (int64_t i = 0; i < moves->count; i++) {
        const struct gr_dist_move m = moves->items[i];
        copy_rect((char *)s->to->local + (size_t)m.to_row * to.row + (size_t)m.to_col * to.col,
                  to.row, to.col,
                  (const char *)s->from->local + (size_t)m.from_row * from.row +
                      (size_t)m.from_col * from.col,
                  from.row, from.col, m.rect.row_end - m.rect.row, m.rect.col_end - m.rect.col,
                  s->element);
    }
}

static enum gradus_status prepare_way(struct shuffle *s, struct way *way, bool out,
                                      struct gradus_error *error)
{
    size_t bytes = 0, ranks = (size_t)s->size;
    way->moves = calloc(ranks, sizeof *way->moves);
    way->messages = calloc(ranks, sizeof *way->messages);
    if (!way->moves || !way->messages)
        return gr_fail_memory(error, "a list of messages", ranks * sizeof *way->messages);
    for (int64_t peer = 0; peer < s->size; peer++) {
        enum gradus_status status =
            gr_dist_moves_between(&s->from->layout, out ? s->rank : peer, &s->to->layout,
                                  out ? peer : s->rank, &way->moves[peer], error);
        if (status != GRADUS_OK)
            return status;
        const size_t words = (size_t)way->moves[peer].words;
        if (peer == s->rank || words == 0)
            continue;
        way->messages[way->count++] = (struct gr_dist_message){peer, NULL, words * s->element};
        bytes += words * s->element;
    }
    way->buffer = malloc(bytes + 1);
    if (!way->buffer)
        return gr_fail_memory(error, "what is sent between two layouts", bytes);
    char *next = way->buffer;
    for (int64_t i = 0; i < way->count; i++) {
        way->messages[i].data = next;
        next += way->messages[i].bytes;
    }
    return GRADUS_OK;
}

static void free_way(struct way *way, int64_t ranks)
{
    for (int64_t i = 0; way->moves && i < ranks; i++)
        free(way->moves[i].items);
    free(way->moves);
    free(way->messages);
    free(way->buffer);
}

static enum gradus_status send_all(struct gr_dist_comm *comm, struct shuffle *s,
                                   struct gradus_error *error)
{
    for (int64_t i = 0; i < s->out.count; i++)
        pack(s, &s->out.moves[s->out.messages[i].peer], s->out.messages[i].data, false);
    keep(s);
    enum gradus_status status =
        comm->exchange(comm, s->out.messages, s->out.count, s->in.messages, s->in.count, error);
    for (int64_t i = 0; status == GRADUS_OK && i < s->in.count; i++)
        pack(s, &s->in.moves[s->in.messages[i].peer], s->in.messages[i].data, true);
    return status;
}

enum gradus_status gr_dist_redistribute(struct gr_dist_comm *comm,
                                        const struct gr_dist_matrix *from,
                                        const struct gr_dist_matrix *to, int64_t element_bytes,
                                        struct gradus_error *error)
{
    struct shuffle s = {.from = from,
                        .to = to,
                        .element = (size_t)element_bytes,
                        .rank = comm->rank,
                        .size = comm->size};
    enum gradus_status status = prepare_way(&s, &s.out, true, error);
    if (status == GRADUS_OK)
        status = prepare_way(&s, &s.in, false, error);
    status = gr_dist_agree(comm, status, NULL, error);
    if (status == GRADUS_OK)
        status = send_all(comm, &s, error);
    free_way(&s.out, s.size);
    free_way(&s.in, s.size);
    return status;
}
