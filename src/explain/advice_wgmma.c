/* advice_wgmma.c: wgmma of which each is waited for before the next one starts.
 *
 * wgmma is asynchronous: the tensor cores start the next one when the previous one has ended only
 * if it has been issued by then. The source may do so and the machine code may not, since ptxas
 * puts a wait behind each wgmma of a function in which other instructions access the sums between
 * the first wgmma and the wait. The rule reports a kernel with several wgmma, nearly all of which
 * are followed by a wait for all (WARPGROUP.DEPBAR.LE gsb0, 0) before the next one. Needs compiled
 * code; the line is that of the kernel. Saves: not estimated.
 * SPDX-License-Identifier: MIT */
#include "code/decode.h"
#include "explain/advice.h"
#include "explain/advise.h"

#include <string.h>

enum { LEAST = 3, INSTRUCTION_BYTES = 16 };

struct counts {
    int products, waited_for; /* wgmma, and those that are waited for before the next one */
};

static uint64_t word_at(const unsigned char *from)
{
    uint64_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

static bool is_product(const struct gr_decoded *i)
{
    return strcmp(i->mnemonic, "HGMMA") == 0 || strcmp(i->mnemonic, "QGMMA") == 0 ||
           strcmp(i->mnemonic, "IGMMA") == 0 || strcmp(i->mnemonic, "BGMMA") == 0;
}

static bool waits_for_all(const struct gr_decoded *i)
{
    if (strcmp(i->mnemonic, "WARPGROUP") != 0 || !i->modifier[0] ||
        strcmp(i->modifier[0], "DEPBAR") != 0)
        return false;
    for (int n = 0; n < i->operand_count; n++)
        if (i->operand[n].kind == GR_OPERAND_IMMEDIATE)
            return i->operand[n].value == 0;
    return false;
}

static struct counts count(int cc, const struct gr_code_kernel *kernel)
{
    struct counts c = {0, 0};
    bool started = false;
    for (size_t at = 0; at + INSTRUCTION_BYTES <= kernel->text_bytes; at += INSTRUCTION_BYTES) {
        struct gr_decoded i;
        const unsigned char *const from = kernel->text + at;
        if (!gr_decode(cc, word_at(from), word_at(from + 8), at, &i))
            continue;
        if (is_product(&i)) {
            c.products++;
            started = true;
        } else if (started && waits_for_all(&i)) {
            c.waited_for++;
            started = false;
        }
    }
    return c;
}

static void look(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                 struct gr_findings *findings)
{
    (void)sections;
    if (!s->kernel || s->code->is_amd)
        return;
    const struct counts c = count(s->code->cc, s->kernel);
    if (c.products < LEAST || c.waited_for * 10 < c.products * 9)
        return;
    struct gr_trace_site kernel = {.line = s->stanza->signature.line};
    struct gr_gain gain = {c.waited_for, 0, "wgmma that are waited for one at a time", 0};
    gr_advise(findings, GR_FIND_WGMMA, &kernel, &gain,
              "%d of %d wgmma are waited for before the next one starts, so the tensor cores pause "
              "after each; issue all of a step before wgmma.wait_group. If the source does, ptxas "
              "has added the waits, which nvcc -Xptxas -v tells (C7510 to C7520): nothing else may "
              "read or write the sums between the first wgmma and the wait, and they must fit into "
              "registers",
              c.waited_for, c.products);
}

const struct gr_advice gr_advice_wgmma = {
    .name = "wgmma",
    .kind = GR_FIND_WGMMA,
    .reports = "nearly every wgmma is waited for before the next one starts",
    .needs = "code",
    .look = look,
};
