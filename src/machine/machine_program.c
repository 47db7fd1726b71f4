/* machine_program.c: translates a kernel into steps. SPDX-License-Identifier: MIT */
#include "machine/machine_program.h"

#include "core/error.h"
#include "machine/device_heap.h"
#include "machine/lane_functions.h"
#include "machine/module.h"
#include "machine/pool.h"
#include "machine/translate.h"

#include <stdlib.h>
#include <string.h>

bool gr_program_constant(const struct gr_program *p, int bank, int64_t offset, int bytes,
                         uint64_t *value)
{
    if (bank < 0 || bank >= GR_CONSTANT_BANKS || !p->bank[bank] || offset < 0 ||
        offset + bytes > p->bank_bytes[bank])
        return false;
    *value = gr_elf_number(p->bank[bank] + offset, bytes);
    return true;
}

static bool pool_constant(void *context, int bank, int64_t offset, uint32_t *word)
{
    uint64_t value;
    if (!gr_program_constant(context, bank, offset, 4, &value))
        return false;
    *word = (uint32_t)value;
    return true;
}

static const struct gr_meaning *find_meaning(const char *mnemonic)
{
    for (int i = 0; gr_meanings_all[i]; i++)
        for (const struct gr_meaning *m = gr_meanings_all[i]->list; m->mnemonic; m++)
            if (*m->mnemonic == *mnemonic && strcmp(m->mnemonic, mnemonic) == 0)
                return m;
    return NULL;
}

/* Refuses the instruction if its meaning has not taken one of the modifiers or suffixes. */
static bool all_taken(struct gr_translation *t)
{
    const struct gr_decoded *d = t->decoded;
    for (int i = 0; i < GR_DECODED_MODIFIERS && d->modifier[i]; i++)
        if (!(t->taken >> i & 1))
            return gr_refuse(t, "the modifier .%s has no meaning here", d->modifier[i]);
    for (int i = 0; i < d->operand_count; i++)
        for (int j = 0; j < GR_DECODED_SUFFIXES && d->operand[i].suffix[j]; j++)
            if (!(t->suffixes_taken[i] >> j & 1))
                return gr_refuse(t, "the suffix .%s has no meaning here", d->operand[i].suffix[j]);
    return true;
}

static void set_guard(const struct gr_decoded *d, struct gr_step *step)
{
    bool uniform = d->guard.kind == GR_OPERAND_UNIFORM_PREDICATE;
    bool always = d->guard.kind == GR_OPERAND_NONE || d->guard.number == GR_PREDICATE_TRUE;
    step->guard = always ? GR_PREDICATE_ALWAYS
                         : (uint8_t)((uniform ? GR_PREDICATE_UNIFORM : 0) + d->guard.number);
    step->guard_flip = d->guard.kind != GR_OPERAND_NONE && d->guard.inverted;
    /* Instructions of the uniform datapath begin with a U; VOTEU is the only exception. */
    step->uniform = d->mnemonic[0] == 'U' || strcmp(d->mnemonic, "VOTEU") == 0;
}

static enum gradus_status refuse(struct gr_program *p, int index, const char *why,
                                 struct gradus_error *error)
{
    char text[160];
    p->refused = index;
    gr_decoded_text(&p->decoded[index], text, sizeof text);
    return gr_fail(error, GRADUS_UNSUPPORTED, "not modelled: %s at 0x%x of %s: %s", text,
                   index * GR_STEP_BYTES, p->symbol, why);
}

static enum gradus_status make_step(struct gr_program *p, int index, struct gradus_error *error)
{
    struct gr_translation t = {
        .decoded = &p->decoded[index], .cc = p->cc, .lanes = gr_lanes_in_use(), .pool = p->pool};
    const struct gr_meaning *meaning = find_meaning(t.decoded->mnemonic);
    struct gr_step *step = &p->steps[index];
    if (!meaning)
        return refuse(p, index, "the instruction has no meaning here", error);
    set_guard(t.decoded, step);
    bool made = meaning->make(&t, step) && !t.refused && all_taken(&t);
    return made ? GRADUS_OK : refuse(p, index, t.why, error);
}

static enum gradus_status decode_all(struct gr_program *p, struct gradus_error *error)
{
    const unsigned char *text = p->elf.sections[p->section].bytes;
    for (int i = 0; i < p->count; i++) {
        const uint64_t at = (uint64_t)i * GR_STEP_BYTES;
        uint64_t low = gr_elf_number(text + at, 8), high = gr_elf_number(text + at + 8, 8);
        if (!gr_decode(p->cc, low, high, at, &p->decoded[i])) {
            p->refused = i;
            return gr_fail(error, GRADUS_UNSUPPORTED,
                           "not modelled: the instruction %016llx %016llx at 0x%llx of %s is not "
                           "known for sm_%d",
                           (unsigned long long)high, (unsigned long long)low,
                           (unsigned long long)at, p->symbol, p->cc);
        }
    }
    return GRADUS_OK;
}

static bool adds_floats(const struct gr_decoded *d)
{
    bool atomic = strncmp(d->mnemonic, "ATOM", 4) == 0 || strncmp(d->mnemonic, "RED", 3) == 0,
         add = false;
    for (int i = 0; i < GR_DECODED_MODIFIERS && d->modifier[i] && atomic; i++)
        add |= d->modifier[i][0] == 'F' || d->modifier[i][0] == 'B';
    return add;
}

static bool is_one_of(const struct gr_decoded *d, const char *const *names)
{
    while (*names && strcmp(d->mnemonic, *names) != 0)
        names++;
    return *names != NULL;
}

static void note_asynchronous(struct gr_program *p, const struct gr_decoded *d)
{
    static const char *const proxy[] = {"HGMMA",    "QGMMA",  "IGMMA",   "BGMMA", "UTMASTG",
                                        "UTMAREDG", "UBLKCP", "UBLKRED", NULL};
    static const char *const others[] = {"LDGSTS", "UTMALDG", "STAS", "REDAS", NULL};
    p->has_async_proxy |= is_one_of(d, proxy);
    p->is_asynchronous |= p->has_async_proxy || is_one_of(d, others);
}

/* Is the step executed whatever the predicates are, by one of the lanes' functions? These read and
 * write only registers and predicates. */
static bool only_computes(const struct gr_program *p, const struct gr_step *step)
{
    bool computes = false;
    for (int i = 0; i < GR_LANE_COUNT; i++)
        computes |= step->run == p->lanes->run[i];
    return computes && step->guard == GR_PREDICATE_ALWAYS && !step->guard_flip;
}

static void find_straight(struct gr_program *p)
{
    int straight = 0, ffmas = 0;
    for (int i = p->count - 1; i >= 0; i--) {
        struct gr_step *step = &p->steps[i];
        straight = only_computes(p, step) ? straight + (straight < UINT8_MAX) : 0;
        const bool is_ffma = straight > 0 && step->run == p->lanes->run[GR_LANE_FFMA];
        ffmas = is_ffma ? ffmas + (ffmas < UINT8_MAX) : 0;
        step->straight = (uint8_t)straight;
        step->ffmas = (uint8_t)ffmas;
    }
}

/* Uses the text of the kernel from an earlier launch. Returns false if there is none. */
static bool recall(struct gr_program *p, const struct gr_program_text *text)
{
    if (!text || !text->decoded || text->count != p->count)
        return false;
    memcpy(p->decoded, text->decoded, (size_t)text->count * sizeof *p->decoded);
    memcpy(p->shared, text->shared, sizeof p->shared);
    p->shared_count = text->shared_count;
    return true;
}

/* Keeps the text for later launches, unless memory runs out. */
static void keep(const struct gr_program *p, struct gr_program_text *text)
{
    if (!text)
        return;
    gr_program_text_free(text);
    text->decoded = malloc(((size_t)p->count + 1) * sizeof *text->decoded);
    if (!text->decoded)
        return;
    memcpy(text->decoded, p->decoded, (size_t)p->count * sizeof *text->decoded);
    memcpy(text->shared, p->shared, sizeof text->shared);
    text->count = p->count;
    text->shared_count = p->shared_count;
}

void gr_program_text_free(struct gr_program_text *text)
{
    free(text->decoded);
    text->decoded = NULL;
}

enum gradus_status gr_program_load(const void *image, size_t length, const char *symbol,
                                   const struct gr_program_launch *launch, unsigned char *globals,
                                   struct gr_program *p, struct gradus_error *error)
{
    *p = (struct gr_program){.globals = globals, .refused = -1, .lanes = gr_lanes_in_use()};
    enum gradus_status status = gr_elf_read(image, length, "cubin", &p->elf, error);
    if (status == GRADUS_OK)
        status = gr_module_kernel(p, symbol, error);
    if (status != GRADUS_OK)
        return status;
    p->decoded = calloc((size_t)p->count + 1, sizeof *p->decoded);
    p->steps = calloc((size_t)p->count + 1, sizeof *p->steps);
    p->global_bytes = gr_program_globals(image, length);
    if (!globals) /* one byte more than needed, so that the size is never 0 */
        p->globals = calloc(1, (size_t)p->global_bytes + 16);
    p->owns_globals = !globals;
    p->pool = gr_pool_create();
    if (!p->decoded || !p->steps || !p->pool || !p->globals)
        return gr_fail_memory(error, "a kernel's instructions",
                              (size_t)p->count * sizeof *p->steps);
    const bool known = recall(p, launch->text);
    if (!known)
        gr_module_shared(p);
    p->pool->constant = pool_constant;
    p->pool->context = p;
    status = gr_module_memory(p, launch, error);
    if (status == GRADUS_OK && !known)
        status = decode_all(p, error);
    if (status == GRADUS_OK && !known)
        keep(p, launch->text);
    while (status == GRADUS_OK && p->count > 0 &&
           strcmp(p->decoded[p->count - 1].mnemonic, "NOP") == 0)
        p->count--; /* instructions of padding after the last one */
    for (int i = 0; i < p->count && status == GRADUS_OK; i++) {
        p->orders_matter |= adds_floats(&p->decoded[i]);
        note_asynchronous(p, &p->decoded[i]);
        status = make_step(p, i, error);
    }
    if (status == GRADUS_OK)
        find_straight(p);
    return status;
}

void gr_program_free(struct gr_program *p)
{
    for (int i = 0; i < GR_CONSTANT_BANKS; i++)
        free(p->bank[i]);
    for (int i = 0; p->steps && i < p->count; i++)
        free(p->steps[i].form);
    free(p->decoded);
    free(p->steps);
    free(p->variables);
    gr_heap_free(p->heap);
    if (p->owns_globals)
        free(p->globals);
    if (p->pool)
        gr_pool_free(p->pool);
    gr_elf_free(&p->elf);
    *p = (struct gr_program){0};
}
