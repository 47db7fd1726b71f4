/* library_early.c: the machine code that the library holds: a kernel that is launched before the
 * ones ahead of it have ended waits for them (ACQBULK) before it reads or writes memory.
 * SPDX-License-Identifier: MIT */
#include "code/code.h"
#include "code/sass.h"
#include "device/kernel_table.h"

#include <stdio.h>
#include <string.h>

enum { SKIP = 77, FIRST_CC = 90, OPCODE = 0x1ff, ACQBULK = 0x02e, UTMACCTL = 0x1b9 };

static int checked, failures;

/* A tensor map that is prefetched is a parameter of the launch. */
static bool reaches_memory(uint64_t low, int op)
{
    if ((low & OPCODE) == UTMACCTL)
        return false;
    return op == GR_OP_LDG || op == GR_OP_STG || op == GR_OP_LDGSTS || op == GR_OP_BULK ||
           op == GR_OP_ATOMIC;
}

static void check(const struct gr_code *code, const char *symbol)
{
    const struct gr_code_kernel *kernel = gr_code_find(code, symbol);
    checked++;
    for (size_t at = 0; kernel && at < kernel->text_bytes; at += GR_SASS_BYTES) {
        uint64_t low, high;
        memcpy(&low, kernel->text + at, sizeof low);
        memcpy(&high, kernel->text + at + sizeof low, sizeof high);
        if ((low & OPCODE) == ACQBULK)
            return;
        if (reaches_memory(low, gr_sass_decode(code->cc, low, high).op))
            break;
    }
    printf("FAIL %s for sm_%d: it reaches memory before it waits for earlier kernels\n", symbol,
           code->cc);
    failures++;
}

static void check_image(const struct gr_device_cubin *cubin)
{
    const struct gr_device_kernel *kernel = &gr_device_kernels[cubin->kernel];
    struct gradus_error error = {0};
    struct gr_code code = {0};
    if (gr_code_read(cubin->image, cubin->length, &code, &error) != GRADUS_OK) {
        printf("FAIL %s: %s\n", kernel->name, error.text);
        failures++;
    }
    for (int i = 0; code.cc >= FIRST_CC && i < kernel->stanza_count; i++)
        if (kernel->stanzas[i].begins_early)
            check(&code, cubin->symbols[i]);
    gr_code_free(&code);
}

int main(void)
{
    for (int arch = 0; gr_device_cubins[arch]; arch++)
        for (const struct gr_device_cubin *c = gr_device_cubins[arch]; c->arch; c++)
            check_image(c);
    if (!checked && !failures) {
        printf("skip: the build has made no machine code for sm_90a (GRADUS_CUBINS; NVRTC)\n");
        return SKIP;
    }
    printf("%d functions, %d fail\n", checked, failures);
    return failures > 0;
}
