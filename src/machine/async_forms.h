/* async_forms.h: what the instructions for asynchronous copies and mbarriers are told: their
 * modifiers and operands, taken. What they do, and when, is not said here.
 * SPDX-License-Identifier: MIT */
#ifndef MACHINE_ASYNC_FORMS_H
#define MACHINE_ASYNC_FORMS_H

#include "machine/element_joins.h"
#include "machine/machine_mbarrier.h"
#include "machine/translate.h"

enum gr_copy_kind {
    GR_COPY_TENSOR_LOAD,   /* UTMALDG.nD [U], [M]: U shared address, U+1 mbarrier, U+2 … where */
    GR_COPY_TENSOR_STORE,  /* UTMASTG.nD [U], [M]: U shared address, U+1 … where */
    GR_COPY_TENSOR_REDUCE, /* UTMAREDG.nD.op: likewise */
    GR_COPY_TENSOR_PREFETCH, /* UTMAPF.L2.nD [U], [M]: U … where */
    GR_COPY_LOAD,            /* UBLKCP.S.G [U], [M], B: U shared address, U+1 mbarrier; M global */
    GR_COPY_STORE,           /* UBLKCP.G.S [M], [U], B: M global, U shared */
    GR_COPY_SHARED,          /* UBLKCP.S.S [U], [M], B: U, U+1 mbarrier; M shared, of the own block;
                                UBLKRED.S.S.op.type likewise */
    GR_COPY_REDUCE           /* UBLKRED.G.S.op.type [M], [U], B */
};

/* Registers are slots of a warp. */
struct gr_copy {
    enum gr_copy_kind kind;
    enum gr_join_operation operation; /* of those that reduce */
    enum gr_element element;          /* of REDUCE and SHARED; a tensor has it in its map */
    int rank;                         /* of a tensor */
    uint16_t first;                   /* U: the first of the registers above */
    uint16_t second; /* M: a generic address of 64 bits: of the map, or in global memory; of SHARED
                        32 bits */
    bool has_size;   /* bytes / 16 are in the lower half of a register, and in the upper half the */
    uint16_t size;   /* blocks of the cluster as a mask, if `multicast` */
    bool multicast;  /* of a tensor load: the mask is in that half of this register as well */
    uint16_t blocks;
};
bool gr_copy_take(struct gr_translation *t, struct gr_copy *copy);

/* STAS and REDAS: st.async and red.async. */
struct gr_async_store {
    enum gr_join_operation operation; /* NONE: a store */
    enum gr_element element;
    int bytes;      /* of each lane */
    uint16_t at;    /* registers: the address in shared memory, and the mbarrier's */
    int64_t offset; /* of the first of them */
    struct gr_source value;
};
bool gr_store_take(struct gr_translation *t, struct gr_async_store *store);

enum gr_join_operation gr_join_take(struct gr_translation *t);

enum gr_syncs_kind {
    GR_SYNCS_EXCHANGE,   /* SYNCS.EXCH.64 URZ, [U], V: the word of 64 bits is V's; initialises */
    GR_SYNCS_ARRIVE,     /* SYNCS.ARRIVE.TRANS64 d, [a], s */
    GR_SYNCS_PHASE,      /* SYNCS.PHASECHK.TRANS64[.TRYWAIT] p, [a], s */
    GR_SYNCS_INVALIDATE, /* SYNCS.CCTL.IV [a] */
    GR_SYNCS_COPIES      /* ARRIVES.LDGSTSBAR.64.{TRANSCNT|ARVCNT} [a]: when the thread's earlier
                            LDGSTS are done, one byte is complete, or one arrival */
};
struct gr_syncs {
    enum gr_syncs_kind kind;
    enum gr_mbarrier_operation operation; /* of ARRIVE; of COPIES: A0TX (1 byte) or A1T0 */
    bool drop;                            /* OPTOUT */
    bool reduces;                         /* RED: no result, and the block may be another's */
    bool keeps_mask; /* TMASK: d is the mask of the lanes, d+1 the upper word before; no completion
                      */
    bool waits;      /* TRYWAIT: may wait for a while */
    uint16_t d;      /* of ARRIVE: d + 1 is the upper half of the word before; d is not written */
    uint8_t predicate;
    /* The address in shared memory: base + uniform + offset; slots, GR_SLOT_ZERO for none. */
    uint16_t base, uniform;
    int64_t offset;
    struct gr_source value; /* of EXCHANGE two words */
};
bool gr_syncs_take(struct gr_translation *t, struct gr_syncs *syncs);

#endif
