/* msgpack.h: reads MessagePack (github.com/msgpack/msgpack, spec.md), in which AMD's code objects
 * keep what is known of their kernels. It never reads outside of its bytes, and takes time in
 * proportion to them. SPDX-License-Identifier: MIT */
#ifndef CODE_MSGPACK_H
#define CODE_MSGPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is left to read. */
struct gr_msgpack {
    const unsigned char *at, *end;
};

enum gr_msgpack_kind {
    GR_MSGPACK_NIL,
    GR_MSGPACK_BOOL,
    GR_MSGPACK_INTEGER,
    GR_MSGPACK_FLOAT, /* its value is not read */
    GR_MSGPACK_TEXT,
    GR_MSGPACK_BYTES,
    GR_MSGPACK_ARRAY,
    GR_MSGPACK_MAP
};

struct gr_msgpack_item {
    enum gr_msgpack_kind kind;
    int64_t number;            /* BOOL and INTEGER; unsigned ones beyond INT64_MAX are that */
    const unsigned char *text; /* TEXT and BYTES, inside the bytes; not terminated */
    size_t length;
    uint64_t count; /* ARRAY: items that follow; MAP: pairs of a key and a value */
};

/* Reads one item; of an array or a map only its head, so that its first item is next. False: the
 * bytes are cut short, or not MessagePack. */
bool gr_msgpack_next(struct gr_msgpack *m, struct gr_msgpack_item *item);
/* Skips one value with all that it contains. */
bool gr_msgpack_skip(struct gr_msgpack *m);
bool gr_msgpack_is(const struct gr_msgpack_item *item, const char *text);

#endif
