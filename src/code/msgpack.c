/* msgpack.c: reads MessagePack. SPDX-License-Identifier: MIT */
#include "code/msgpack.h"

#include <string.h>

/* The first byte of an item. Below 0x80 and from 0xe0 on it is a number itself. */
enum {
    FIX_MAP = 0x80,
    FIX_ARRAY = 0x90,
    FIX_TEXT = 0xa0,
    NIL = 0xc0,
    FALSE_ = 0xc2,
    TRUE_ = 0xc3,
    BYTES_8 = 0xc4,
    EXTENSION_8 = 0xc7,
    FLOAT_32 = 0xca,
    FLOAT_64 = 0xcb,
    UNSIGNED_8 = 0xcc,
    SIGNED_8 = 0xd0,
    FIX_EXTENSION = 0xd4,
    TEXT_8 = 0xd9,
    ARRAY_16 = 0xdc,
    MAP_16 = 0xde,
    FIX_NEGATIVE = 0xe0
};

/* Big-endian. */
static bool take_number(struct gr_msgpack *m, int bytes, uint64_t *value)
{
    *value = 0;
    if (m->end - m->at < bytes)
        return false;
    for (int i = 0; i < bytes; i++)
        *value = *value << 8 | *m->at++;
    return true;
}

static bool take_bytes(struct gr_msgpack *m, uint64_t length, struct gr_msgpack_item *item)
{
    if (length > (uint64_t)(m->end - m->at))
        return false;
    item->text = m->at;
    item->length = (size_t)length;
    m->at += length;
    return true;
}

/* Text, bytes or an extension, whose length is in the next 1, 2 or 4 bytes. */
static bool take_sized(struct gr_msgpack *m, int power, int more, enum gr_msgpack_kind kind,
                       struct gr_msgpack_item *item)
{
    uint64_t length;
    item->kind = kind;
    return take_number(m, 1 << power, &length) && take_bytes(m, length + (uint64_t)more, item);
}

static bool take_counted(struct gr_msgpack *m, int bytes, enum gr_msgpack_kind kind,
                         struct gr_msgpack_item *item)
{
    item->kind = kind;
    return take_number(m, bytes, &item->count);
}

static bool take_integer(struct gr_msgpack *m, int power, bool is_signed,
                         struct gr_msgpack_item *item)
{
    uint64_t value;
    const int unused = 64 - 8 * (1 << power);
    item->kind = GR_MSGPACK_INTEGER;
    if (!take_number(m, 1 << power, &value))
        return false;
    if (is_signed)
        item->number = (int64_t)(value << unused) >> unused;
    else
        item->number = value > INT64_MAX ? INT64_MAX : (int64_t)value;
    return true;
}

/* Items whose first byte has their size in it. */
static bool take_short(struct gr_msgpack *m, int head, struct gr_msgpack_item *item)
{
    if (head < FIX_MAP || head >= FIX_NEGATIVE) {
        item->kind = GR_MSGPACK_INTEGER;
        item->number = head < FIX_MAP ? head : head - 256;
        return true;
    }
    if (head >= FIX_TEXT) {
        item->kind = GR_MSGPACK_TEXT;
        return take_bytes(m, (uint64_t)(head - FIX_TEXT), item);
    }
    item->kind = head >= FIX_ARRAY ? GR_MSGPACK_ARRAY : GR_MSGPACK_MAP;
    item->count = (uint64_t)(head & 0xf);
    return true;
}

static bool take_long(struct gr_msgpack *m, int head, struct gr_msgpack_item *item)
{
    if (head >= MAP_16)
        return take_counted(m, head == MAP_16 ? 2 : 4, GR_MSGPACK_MAP, item);
    if (head >= ARRAY_16)
        return take_counted(m, head == ARRAY_16 ? 2 : 4, GR_MSGPACK_ARRAY, item);
    if (head >= TEXT_8)
        return take_sized(m, head - TEXT_8, 0, GR_MSGPACK_TEXT, item);
    if (head >= FIX_EXTENSION) {
        item->kind = GR_MSGPACK_BYTES;
        return take_bytes(m, 1 + (UINT64_C(1) << (head - FIX_EXTENSION)), item);
    }
    if (head >= UNSIGNED_8)
        return take_integer(m, (head - UNSIGNED_8) % 4, head >= SIGNED_8, item);
    if (head >= FLOAT_32) {
        item->kind = GR_MSGPACK_FLOAT;
        return take_bytes(m, head == FLOAT_32 ? 4 : 8, item);
    }
    if (head >= EXTENSION_8)
        return take_sized(m, head - EXTENSION_8, 1, GR_MSGPACK_BYTES, item);
    if (head >= BYTES_8)
        return take_sized(m, head - BYTES_8, 0, GR_MSGPACK_BYTES, item);
    item->kind = head == NIL ? GR_MSGPACK_NIL : GR_MSGPACK_BOOL;
    item->number = head == TRUE_;
    return head == NIL || head == FALSE_ || head == TRUE_;
}

bool gr_msgpack_next(struct gr_msgpack *m, struct gr_msgpack_item *item)
{
    *item = (struct gr_msgpack_item){0};
    if (m->at >= m->end)
        return false;
    const int head = *m->at++;
    return head < NIL || head >= FIX_NEGATIVE ? take_short(m, head, item)
                                              : take_long(m, head, item);
}

/* Every item takes a byte at least, so a count that is larger than the bytes ends soon. */
bool gr_msgpack_skip(struct gr_msgpack *m)
{
    for (uint64_t left = 1; left > 0; left--) {
        struct gr_msgpack_item item;
        if (!gr_msgpack_next(m, &item) || item.count > (uint64_t)(m->end - m->at))
            return false;
        left += item.kind == GR_MSGPACK_MAP ? 2 * item.count : item.count;
    }
    return true;
}

bool gr_msgpack_is(const struct gr_msgpack_item *item, const char *text)
{
    return item->kind == GR_MSGPACK_TEXT && item->length == strlen(text) &&
           memcmp(item->text, text, item->length) == 0;
}
