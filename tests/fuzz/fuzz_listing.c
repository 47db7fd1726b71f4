/* fuzz_listing.c: any text as a disassembly of two kernels: instructions in order, inside of them,
 * and counts that agree. SPDX-License-Identifier: MIT */
#include "code/amd_listing.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void check(const struct gr_code *code, const struct gr_code_kernel *k)
{
    struct gr_mix whole, loop;
    int64_t last = -1;
    for (int64_t i = 0; i < k->instruction_count; i++) {
        const struct gr_instruction *at = &k->instructions[i];
        if (at->offset <= last || at->offset >= (int64_t)k->text_bytes || at->op < 0 ||
            at->op >= GR_OP_CLASS_COUNT || at->width < -1 || at->width >= GR_OP_WIDTHS ||
            at->access.bytes < 0 || at->access.bytes > 64)
            abort();
        last = at->offset;
    }
    if (k->instructions && (gr_code_mix(code, k, &whole, &loop, NULL) != GRADUS_OK ||
                            loop.total > whole.total || whole.total > k->instruction_count))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static const unsigned char text[0x200];
    struct gr_code_kernel kernels[2] = {
        {.symbol = "a", .address = 0x1000, .text = text, .text_bytes = sizeof text},
        {.symbol = "b", .address = 0x1800, .text = text, .text_bytes = 0x80, .stack_bytes = 8}};
    struct gr_code code = {.is_amd = true, .arch = "gfx90a", .kernels = kernels, .count = 2};
    char *listing = gr_strndup((const char *)bytes, count);
    if (listing && gr_amd_listing_take(listing, &code, NULL) == GRADUS_OK)
        for (int i = 0; i < 2; i++)
            check(&code, &kernels[i]);
    free(listing);
    free(kernels[0].instructions);
    free(kernels[1].instructions);
    return 0;
}
