/* code.c: reads a GPU's machine code, whoever made it. SPDX-License-Identifier: MIT */
#include "code/code.h"

#include "code/amd_object.h"
#include "code/cubin.h"
#include "code/elf.h"

#include <stdlib.h>
#include <string.h>

enum { MACHINE_OFFSET = 18 };

enum gradus_status gr_code_read(const void *image, size_t length, struct gr_code *code,
                                struct gradus_error *error)
{
    const unsigned char *bytes = image;
    const bool is_amd =
        length >= MACHINE_OFFSET + 2 && gr_elf_number(bytes + MACHINE_OFFSET, 2) == GR_ELF_AMDGPU;
    return is_amd ? gr_amd_object_read(image, length, code, error)
                  : gr_cubin_read(image, length, code, error);
}

void gr_code_free(struct gr_code *code)
{
    for (int i = 0; i < code->count; i++) {
        free(code->kernels[i].symbol);
        free(code->kernels[i].instructions);
    }
    free(code->kernels);
    *code = (struct gr_code){0};
}

const struct gr_code_kernel *gr_code_find(const struct gr_code *code, const char *symbol)
{
    for (int i = 0; i < code->count; i++)
        if (strcmp(code->kernels[i].symbol, symbol) == 0)
            return &code->kernels[i];
    return NULL;
}
