/* translate.h: what the meaning of an instruction is made with: its operands become sources and
 * slots, and every modifier must be taken, so that none is overlooked. SPDX-License-Identifier: MIT
 */
#ifndef MACHINE_TRANSLATE_H
#define MACHINE_TRANSLATE_H

#include "code/decode.h"
#include "machine/step.h"

#include <stddef.h>

struct gr_pool; /* the vectors of constants and immediates of a launch */
struct gr_lane_functions;

struct gr_translation {
    const struct gr_decoded *decoded;
    int cc;
    const struct gr_lane_functions *lanes; /* of the instruction set in use (lane_functions.h) */
    struct gr_pool *pool;
    uint16_t taken;                              /* bit i: modifier i */
    uint8_t suffixes_taken[GR_DECODED_OPERANDS]; /* bit j: suffix j of operand i */
    bool refused;
    char why[96]; /* "IMAD.FOO: the modifier FOO has no meaning here" */
};

/* Makes the step of an instruction. It sets all but `guard`, `guard_flip` and `uniform`, which are
 * set already. False: refused, and `why` says what has no meaning. */
typedef bool gr_meaning_fn(struct gr_translation *t, struct gr_step *step);

/* The instructions that a file meaning_<name>.c knows; the build finds the file by its name. A null
 * mnemonic ends the list. */
struct gr_meaning {
    const char *mnemonic;
    gr_meaning_fn *make;
};
struct gr_meanings {
    const struct gr_meaning *list;
};
extern const struct gr_meanings *const gr_meanings_all[]; /* gr_meanings_<name>; null ends it */

/* Whether the instruction has that modifier; if so, it is taken. */
bool gr_take(struct gr_translation *t, const char *modifier);
/* The index in `names`, which a null ends, of the modifier that the instruction has, taken;
 * `otherwise` if it has none. */
int gr_take_one(struct gr_translation *t, const char *const *names, int otherwise);
/* The same of the suffixes of operand i. */
bool gr_take_suffix(struct gr_translation *t, int i, const char *suffix);
int gr_take_one_suffix(struct gr_translation *t, int i, const char *const *names, int otherwise);

/* Operand i as a source of `words` words (1 or 2). An integer immediate of 64 bits is extended with
 * its sign; a floating-point immediate of 64 bits has the upper word alone, as in the machine.
 * `reused` needs no taking. Refuses what is no register, uniform register, immediate or constant at
 * a known address. */
struct gr_source gr_source_make(struct gr_translation *t, int i, int words);
/* Operand i as a destination: its slot, which for RZ is the sink. */
uint16_t gr_destination(struct gr_translation *t, int i);
/* Operand i as a predicate that is written, and as input number n of the step, with its inversion.
 */
uint8_t gr_predicate_out(struct gr_translation *t, int i);
void gr_predicate_in(struct gr_translation *t, int i, struct gr_step *step, int n);
/* Operand i as an immediate. */
int64_t gr_immediate(struct gr_translation *t, int i);
/* Is operand i of that kind? */
bool gr_operand_is(const struct gr_translation *t, int i, enum gr_operand_kind kind);
/* Refuses, once: the first reason stays. Returns false. */
bool gr_refuse(struct gr_translation *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Keeps a copy of `form` for the step. False: refused, since there is no memory. */
bool gr_keep_form(struct gr_translation *t, struct gr_step *step, const void *form, size_t bytes);

/* The vectors of a constant of two words, the same for equal ones. Null: no memory. */
const gr_lanes *gr_pool_words(struct gr_pool *pool, uint32_t low, uint32_t high);

#endif
