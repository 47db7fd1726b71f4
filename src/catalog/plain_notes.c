/* plain_notes.c: notes on kernels that were rewritten to have plain parameters.
 * SPDX-License-Identifier: MIT */
#include "catalog/plain_notes.h"

#include "catalog/cursor.h"
#include "base/str.h"

#include <stdlib.h>

void gr_plain_notes_free(struct gr_plain_notes *notes)
{
    for (int i = 0; i < notes->held_count; i++) {
        free(notes->held[i].kernel);
        free(notes->held[i].parameter);
        free(notes->held[i].variable);
    }
    for (int i = 0; i < notes->call_count; i++) {
        free(notes->calls[i].kernel);
        free(notes->calls[i].passed);
    }
    free(notes->held);
    free(notes->calls);
    *notes = (struct gr_plain_notes){0};
}

void gr_plain_notes_take(struct gr_plain_notes *notes, struct gr_kernel *k)
{
    struct gr_plain_notes former = {k->held, k->held_count, k->calls, k->call_count};
    gr_plain_notes_free(&former);
    k->held = notes->held;
    k->held_count = notes->held_count;
    k->calls = notes->calls;
    k->call_count = notes->call_count;
    *notes = (struct gr_plain_notes){0};
}

/* Records how the kernel is called, for launches in other files. */
void gr_plain_notes_call(struct gr_plain_notes *notes, const char *name,
                         const struct gr_str *passed, int own_count)
{
    struct gr_gathered_call *slot = NULL;
    if (notes)
        GR_PUSH(slot, notes->calls, notes->call_count);
    if (slot)
        *slot = (struct gr_gathered_call){.kernel = gr_strdup(name),
                                          .count = own_count,
                                          .passed = gr_strdup(gr_str_text(passed))};
}
