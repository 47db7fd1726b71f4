/* fuzz_code.c: any bytes as a cubin: refused in one line, or kernels whose instructions, and what
 * of them touches memory, lie within them. SPDX-License-Identifier: MIT */
#include "code/cubin.h"
#include "code/widths.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct gr_code code;
    struct gradus_error error = {0};
    if (gr_code_read(bytes, count, &code, &error) != GRADUS_OK) {
        if (error.status != GRADUS_INVALID || !*error.text || strchr(error.text, '\n'))
            abort();
        gradus_error_clear(&error);
        return 0;
    }
    for (int i = 0; i < code.count; i++) {
        const struct gr_code_kernel *k = &code.kernels[i];
        struct gr_mix whole, loop;
        if (k->text < bytes || k->text > bytes + count ||
            k->text_bytes > (size_t)(bytes + count - k->text) || k->smem_bytes < 0 ||
            k->stack_bytes < 0 || gr_code_find(&code, k->symbol) == NULL)
            abort();
        if (gr_code_mix(&code, k, &whole, &loop, &error) == GRADUS_OK && loop.total > whole.total)
            abort();
        gradus_error_clear(&error);
        const struct gr_line_table none = {0};
        struct gr_width_list list;
        if (gr_widths_read(&code, k, &none, &list, &error) == GRADUS_OK &&
            (list.site_count > list.access_count || (size_t)list.access_count > k->text_bytes))
            abort();
        gr_widths_free(&list);
        gradus_error_clear(&error);
    }
    gr_code_free(&code);
    return 0;
}
