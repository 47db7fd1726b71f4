/* dist_redistribute.c: packs what each other rank gets, exchanges it, and unpacks what was
 * received. SPDX-License-Identifier: MIT */
#include "dist/dist_redistribute.h"

#include "core/error.h"

#include <stdlib.h>
#include <string.h>

/* One direction: a message for each peer that has one, all in one buffer. */
struct way {
    struct gr_dist_moves *moves;      /* indexed by rank */
    struct gr_dist_message *messages; /* `count` messages */
    int64_t count;
    char *buffer;
};

struct shuffle {
    const struct gr_dist_matrix *from, *to;
    size_t element;
    int64_t rank, size;
    struct way out, in;
};

/* The side of the squares in which a matrix is transposed, whose rows and columns stay in the L1
 * cache. */
enum { SQUARE = 16 };

struct strides {
    size_t row, col;
};

static struct strides strides_of(const struct gr_dist_matrix *x, size_t element)
{
    const size_t ld = element * (size_t)x->ld;
    return x->layout.col_major ? (struct strides){element, ld} : (struct strides){ld, element};
}

/* The first element of a rectangle of an array, and the array's strides. */
struct place {
    char *data;
    struct strides strides;
};

/* Copies runs of elements that are contiguous in both arrays. */
static void copy_runs(char *to, size_t to_stride, const char *from, size_t from_stride,
                      int64_t runs, size_t bytes)
{
    for (int64_t i = 0; i < runs; i++)
        memcpy(to + to_stride * (size_t)i, from + from_stride * (size_t)i, bytes);
}

/* Copies single elements. Their size is a constant, so that each is one load and one store. */
static void copy_elements(struct place to, struct place from, int64_t rows, int64_t cols,
                          size_t element)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            char *const t = to.data + to.strides.row * (size_t)i + to.strides.col * (size_t)j;
            const char *const f =
                from.data + from.strides.row * (size_t)i + from.strides.col * (size_t)j;
            if (element == sizeof(float))
                memcpy(t, f, sizeof(float));
            else
                memcpy(t, f, sizeof(double));
        }
}

static struct place moved(struct place x, int64_t row, int64_t col)
{
    x.data += x.strides.row * (size_t)row + x.strides.col * (size_t)col;
    return x;
}

/* Copies whole columns or rows if both have the same order, otherwise squares of elements. */
static void copy_rect(struct place to, struct place from, int64_t rows, int64_t cols,
                      size_t element)
{
    if (to.strides.row == element && from.strides.row == element)
        copy_runs(to.data, to.strides.col, from.data, from.strides.col, cols,
                  element * (size_t)rows);
    else if (to.strides.col == element && from.strides.col == element)
        copy_runs(to.data, to.strides.row, from.data, from.strides.row, rows,
                  element * (size_t)cols);
    else
        for (int64_t i = 0; i < rows; i += SQUARE)
            for (int64_t j = 0; j < cols; j += SQUARE)
                copy_elements(moved(to, i, j), moved(from, i, j),
                              rows - i < SQUARE ? rows - i : SQUARE,
                              cols - j < SQUARE ? cols - j : SQUARE, element);
}

/* Copies between the local array and a buffer of dense rectangles, one after another, in the order
 * of `from`. So data are sent in contiguous runs, and transposed, if necessary, by the receiver. */
static void pack(const struct shuffle *s, const struct gr_dist_moves *moves, char *buffer,
                 bool unpack)
{
    const struct gr_dist_matrix *const x = unpack ? s->to : s->from;
    const struct place local = {x->local, strides_of(x, s->element)};
    for (int64_t i = 0; i < moves->count; i++) {
        const struct gr_dist_move m = moves->items[i];
        const int64_t rows = m.rect.row_end - m.rect.row, cols = m.rect.col_end - m.rect.col;
        const struct place array =
            unpack ? moved(local, m.to_row, m.to_col) : moved(local, m.from_row, m.from_col);
        const struct strides dense = s->from->layout.col_major
                                         ? (struct strides){s->element, s->element * (size_t)rows}
                                         : (struct strides){s->element * (size_t)cols, s->element};
        const struct place packed = {buffer, dense};
        copy_rect(unpack ? array : packed, unpack ? packed : array, rows, cols, s->element);
        buffer += s->element * (size_t)(rows * cols);
    }
}

/* Copies what stays on this rank from array to array. */
static void keep(const struct shuffle *s)
{
    const struct place from = {s->from->local, strides_of(s->from, s->element)};
    const struct place to = {s->to->local, strides_of(s->to, s->element)};
    const struct gr_dist_moves *const moves = &s->out.moves[s->rank];
    for (int64_t i = 0; i < moves->count; i++) {
        const struct gr_dist_move m = moves->items[i];
        copy_rect(moved(to, m.to_row, m.to_col), moved(from, m.from_row, m.from_col),
                  m.rect.row_end - m.rect.row, m.rect.col_end - m.rect.col, s->element);
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

static void free_all(struct shuffle *shuffles, int count)
{
    for (int i = 0; i < count; i++) {
        free_way(&shuffles[i].out, shuffles[i].size);
        free_way(&shuffles[i].in, shuffles[i].size);
        shuffles[i].out = shuffles[i].in = (struct way){0};
    }
}

enum gradus_status gr_dist_redistribute_all(struct gr_dist_comm *comm,
                                            const struct gr_dist_change *changes, int count,
                                            int64_t element_bytes, enum gradus_status status,
                                            const char *asked, struct gradus_error *error)
{
    struct shuffle shuffles[GR_DIST_CHANGES] = {{0}};
    for (int i = 0; i < count; i++) {
        struct shuffle *const s = &shuffles[i];
        *s = (struct shuffle){.from = &changes[i].from,
                              .to = &changes[i].to,
                              .element = (size_t)element_bytes,
                              .rank = comm->rank,
                              .size = comm->size};
        if (status == GRADUS_OK)
            status = prepare_way(s, &s->out, true, error);
        if (status == GRADUS_OK)
            status = prepare_way(s, &s->in, false, error);
    }
    if (status != GRADUS_OK) /* there may be no memory left, and telling the others takes some */
        free_all(shuffles, count);
    status = gr_dist_agree(comm, status, asked, error);
    for (int i = 0; i < count && status == GRADUS_OK; i++)
        status = send_all(comm, &shuffles[i], error);
    free_all(shuffles, count);
    return status;
}

enum gradus_status gr_dist_redistribute(struct gr_dist_comm *comm,
                                        const struct gr_dist_matrix *from,
                                        const struct gr_dist_matrix *to, int64_t element_bytes,
                                        struct gradus_error *error)
{
    const struct gr_dist_change change = {*from, *to};
    return gr_dist_redistribute_all(comm, &change, 1, element_bytes, GRADUS_OK, NULL, error);
}
