/* fuzz_fatbin.c: any bytes as a fatbin, or as a file of the host that may have one: refused in one
 * line, or entries that lie within them and are expanded to the size that they tell, or not at all.
 * SPDX-License-Identifier: MIT */
#include "code/fatbin.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void check(const struct gradus_error *error)
{
    if (!*error->text || strchr(error->text, '\n'))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct gr_fatbin list;
    struct gradus_error error = {0};
    if (gr_fatbin_read(bytes, count, "fuzzed", &list, &error) != GRADUS_OK)
        check(&error);
    gradus_error_clear(&error);
    for (int i = 0; i < list.count; i++) {
        const struct gr_fatbin_entry *e = &list.entries[i];
        void *image = NULL;
        if (e->bytes < bytes || e->length > (size_t)(bytes + count - e->bytes))
            abort();
        if (gr_fatbin_expand(e, "fuzzed", &image, &error) != GRADUS_OK)
            check(&error);
        else
            memset(image, 0, e->whole);
        free(image);
        gradus_error_clear(&error);
    }
    gr_fatbin_free(&list);
    return 0;
}
