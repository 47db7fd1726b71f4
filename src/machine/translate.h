/* translate.h: the translation of an instruction to a step. Its operands become sources and slots.
 * Every modifier must be taken explicitly, so that none is overlooked.
 * SPDX-License-Identifier: MIT */
#ifndef MACHINE_TRANSLATE_H
#define MACHINE_TRANSLATE_H

#include "code/decode.h"
#include "machine/step.h"

#include <stddef.h>

struct gr_pool; /* the vectors of the constants and immediates of a launch */
struct gr_lane_functions;

struct gr_translation {
    const struct gr_decoded *decoded;
    int cc;
    const struct gr_lane_functions *lanes; /* for the instruction set in use (lane_functions.h) */
    struct gr_pool *pool;
    uint16_t taken;                              /* bit i: modifier i has been taken */
    uint8_t suffixes_taken[GR_DECODED_OPERANDS]; /* bit j: suffix j of operand i has been taken */
    bool refused;
    char why[96]; /* for example "IMAD.FOO: the modifier FOO has no meaning here" */
};

/* Makes the step of an instruction. It sets all members except `guard`, `guard_flip` and `uniform`,
 * which are set before. Returns false if the instruction is refused; `why` is then the reason. */
typedef bool gr_meaning_fn(struct gr_translation *t, struct gr_step *step);

/* The instructions that a file meaning_<name>.c implements. The build finds the file by its name. A
 * null mnemonic ends the list. */
struct gr_meaning {
    const char *mnemonic;
    gr_meaning_fn *make;
};
struct gr_meanings {
    const struct gr_meaning *list;
};
/* gr_meanings_<name> of all files; null ends the list. */
extern const struct gr_meanings *const gr_meanings_all[];

/* Takes a modifier. Returns whether the instruction has it. */
bool gr_take(struct gr_translation *t, const char *modifier);
/* Takes the first modifier that the instruction has of `names`, a list that ends with null. Returns
 * its index in the list, or `otherwise` if there is none. */
int gr_take_one(struct gr_translation *t, const char *const *names, int otherwise);
/* The same for the suffixes of operand i. */
bool gr_take_suffix(struct gr_translation *t, int i, const char *suffix);
int gr_take_one_suffix(struct gr_translation *t, int i, const char *const *names, int otherwise);

/* Returns operand i as a source of `words` words (1 or 2). An integer immediate of 64 bits is
 * sign-extended; a floating-point immediate of 64 bits has only its upper word, as on the GPU. The
 * suffix `reused` need not be taken. Refuses what is not a register, uniform register, immediate,
 * or constant at a known address. */
struct gr_source gr_source_make(struct gr_translation *t, int i, int words);
/* Returns the slot of operand i as a destination; for RZ, this is the sink. */
uint16_t gr_destination(struct gr_translation *t, int i);
/* Returns the slot of operand i as a predicate that is written; and makes operand i input predicate
 * n of the step, with its inversion. */
uint8_t gr_predicate_out(struct gr_translation *t, int i);
void gr_predicate_in(struct gr_translation *t, int i, struct gr_step *step, int n);
/* Returns the value of operand i, an immediate. */
int64_t gr_immediate(struct gr_translation *t, int i);
/* Is operand i of this kind? */
bool gr_operand_is(const struct gr_translation *t, int i, enum gr_operand_kind kind);
/* Refuses the instruction; only the first reason is kept. Returns false. */
bool gr_refuse(struct gr_translation *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Keeps a copy of `form` for the step. If memory runs out, refuses the instruction and returns
 * false. */
bool gr_keep_form(struct gr_translation *t, struct gr_step *step, const void *form, size_t bytes);

/* Returns the vectors of a constant of two words; equal constants share them. Null: memory ran
 * out. */
const gr_lanes *gr_pool_words(struct gr_pool *pool, uint32_t low, uint32_t high);

#endif
