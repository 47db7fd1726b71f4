/* element_joins.h: the operations of atomics on vectors, and of reducing copies, on each element of
 * memory. SPDX-License-Identifier: MIT */
#ifndef MACHINE_ELEMENT_JOINS_H
#define MACHINE_ELEMENT_JOINS_H

#include <stdbool.h>
#include <stdint.h>

enum gr_element {
    GR_ELEMENT_U32,
    GR_ELEMENT_S32,
    GR_ELEMENT_U64,
    GR_ELEMENT_S64,
    GR_ELEMENT_F16,
    GR_ELEMENT_BF16,
    GR_ELEMENT_F32,
    GR_ELEMENT_F32_FTZ, /* denormals are flushed to zero */
    GR_ELEMENT_F64,
    GR_ELEMENTS
};

enum gr_join_operation {
    GR_JOIN_NONE,
    GR_JOIN_ADD,
    GR_JOIN_MIN,
    GR_JOIN_MAX,
    GR_JOIN_INC,
    GR_JOIN_DEC,
    GR_JOIN_AND,
    GR_JOIN_OR,
    GR_JOIN_XOR
};

struct gr_join {
    enum gr_element element;
    enum gr_join_operation operation;
};

int gr_element_bytes(enum gr_element element);
/* Does PTX have this operation on elements of this type? */
bool gr_join_exists(struct gr_join join);
/* Combines `bytes` bytes of elements at `from` with those at `at`, each element atomically. `old`
 * receives the values from before; it may be null. */
void gr_join_elements(struct gr_join join, unsigned char *at, const unsigned char *from,
                      uint32_t bytes, unsigned char *old);

#endif
