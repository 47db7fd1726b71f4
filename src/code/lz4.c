/* lz4.c: the block format of LZ4: each sequence is literals, and then a copy of what came out
 * before (lz4_Block_format.md of the LZ4 project). SPDX-License-Identifier: MIT */
#include "code/lz4.h"

#include <string.h>

enum { LEAST_COPY = 4, LONG = 15 };

struct input {
    const unsigned char *at, *end;
};

/* A length of 15 goes on in bytes, of which the first that is not 255 is the last. */
static bool read_length(struct input *in, size_t *length)
{
    unsigned char byte = 255;
    while (*length >= LONG && byte == 255) {
        if (in->at == in->end)
            return false;
        byte = *in->at++;
        *length += byte;
    }
    return true;
}

bool gr_lz4_expand(const unsigned char *from, size_t count, unsigned char *to, size_t room)
{
    struct input in = {from, from + count};
    size_t done = 0;
    while (in.at < in.end) {
        const unsigned token = *in.at++;
        size_t literals = token >> 4, copied = token & LONG;
        if (!read_length(&in, &literals) || literals > (size_t)(in.end - in.at) ||
            literals > room - done)
            return false;
        memcpy(to + done, in.at, literals);
        in.at += literals;
        done += literals;
        if (in.at == in.end) /* the last sequence has literals alone */
            break;
        if (in.end - in.at < 2)
            return false;
        const size_t distance = (size_t)in.at[0] | (size_t)in.at[1] << 8;
        in.at += 2;
        if (!read_length(&in, &copied))
            return false;
        copied += LEAST_COPY;
        if (distance == 0 || distance > done || copied > room - done)
            return false;
        for (; copied > 0; copied--, done++) /* it may overlap what it writes */
            to[done] = to[done - distance];
    }
    return done == room;
}
