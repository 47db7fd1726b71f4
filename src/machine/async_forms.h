/* async_forms.h: the modifiers and operands of the instructions for asynchronous copies and
 * mbarriers. How they are executed is defined in meaning_copy.c and meaning_mbarrier.c.
 * SPDX-License-Identifier: MIT */
#ifndef MACHINE_ASYNC_FORMS_H
#define MACHINE_ASYNC_FORMS_H

#include "machine/element_joins.h"
#include "machine/machine_mbarrier.h"
#include "machine/translate.h"

enum gr_copy_kind {
    GR_COPY_TENSOR_LOAD,     /* UTMALDG.nD [U], [M]: U: shared address, U+1: mbarrier, U+2 …:
                                coordinates */
    GR_COPY_TENSOR_STORE,    /* UTMASTG.nD [U], [M]: U: shared address, U+1 …: coordinates */
    GR_COPY_TENSOR_REDUCE,   /* UTMAREDG.nD.op: the same operands */
    GR_COPY_TENSOR_PREFETCH, /* UTMAPF.L2.nD [U], [M]: U …: coordinates */
    GR_COPY_LOAD,   /* UBLKCP.S.G [U], [M], B: U: shared address, U+1: mbarrier; M: global */
    GR_COPY_STORE,  /* UBLKCP.G.S [M], [U], B: M: global, U: shared */
    GR_COPY_SHARED, /* UBLKCP.S.S [U], [M], B: U, U+1: mbarrier; M: shared, of this block;
                       UBLKRED.S.S.op.type has the same operands */
    GR_COPY_REDUCE  /* UBLKRED.G.S.op.type [M], [U], B */
};

/* Registers are given as slots of a warp. */
struct gr_copy {
    enum gr_copy_kind kind;
    enum gr_join_operation operation; /* for the kinds that reduce */
    enum gr_element element; /* for REDUCE and SHARED; for a tensor, the map has the type */
    int rank;                /* for a tensor */
    uint16_t first;          /* U: the first of the registers above */
    uint16_t second; /* M: for a map or global memory, a generic address of 64 bits; for SHARED, 32
                        bits */
    bool has_size;   /* the lower half of the register `size` is the number of bytes / 16; the */
    uint16_t size;   /* upper half is a mask of the blocks of the cluster, if `multicast` */
    bool multicast;  /* for a tensor load, the register also has the mask in its upper half */
    uint16_t blocks;
};
bool gr_copy_take(struct gr_translation *t, struct gr_copy *copy);

/* STAS and REDAS: st.async and red.async. */
struct gr_async_store {
    enum gr_join_operation operation; /* NONE for a store */
    enum gr_element element;
    int bytes;      /* per lane */
    uint16_t at;    /* registers of the address in shared memory and of the mbarrier */
    int64_t offset; /* added to the first of them */
    struct gr_source value;
};
bool gr_store_take(struct gr_translation *t, struct gr_async_store *store);

enum gr_join_operation gr_join_take(struct gr_translation *t);

enum gr_syncs_kind {
    /* SYNCS.EXCH.64 URZ, [U], V: initialises the mbarrier with the 64 bits of V. */
    GR_SYNCS_EXCHANGE,
    GR_SYNCS_ARRIVE,     /* SYNCS.ARRIVE.TRANS64 d, [a], s */
    GR_SYNCS_PHASE,      /* SYNCS.PHASECHK.TRANS64[.TRYWAIT] p, [a], s */
    GR_SYNCS_INVALIDATE, /* SYNCS.CCTL.IV [a] */
    GR_SYNCS_COPIES /* ARRIVES.LDGSTSBAR.64.{TRANSCNT|ARVCNT} [a]: one byte completes, or there is
                       one arrival, as soon as the earlier LDGSTS of the thread are done */
};
struct gr_syncs {
    enum gr_syncs_kind kind;
    enum gr_mbarrier_operation operation; /* for ARRIVE; for COPIES A0TX (1 byte) or A1T0 */
    bool drop;                            /* OPTOUT */
    bool reduces;                         /* RED: no result; the mbarrier may be in another block */
    bool keeps_mask; /* TMASK: d is the mask of the lanes, d+1 the upper half of the old word; no
                        completion */
    bool waits;      /* TRYWAIT: the instruction may wait for a limited time */
    uint16_t d;      /* for ARRIVE, d + 1 is the upper half of the old word, and d is not written */
    uint8_t predicate;
    /* The address in shared memory is base + uniform + offset. Both registers are slots;
     * GR_SLOT_ZERO stands for none. */
    uint16_t base, uniform;
    int64_t offset;
    struct gr_source value; /* two words for EXCHANGE */
};
bool gr_syncs_take(struct gr_translation *t, struct gr_syncs *syncs);

#endif
