/* fuzz_npy.c: any bytes as a .npy file: refused in one line, or an array that lies within them.
 * SPDX-License-Identifier: MIT */
#include "io/npy.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct gr_npy array;
    struct gradus_error error = {0};
    if (gr_npy_parse("fuzz.npy", bytes, count, &array, &error) != GRADUS_OK) {
        if (error.status != GRADUS_INVALID || !*error.text || strchr(error.text, '\n'))
            abort();
        gradus_error_clear(&error);
        return 0;
    }
    const uint8_t *first = array.elements;
    uint64_t size = (uint64_t)(array.rows * array.cols) * gr_dtype_bytes(array.type);
    if (array.rows < 0 || array.cols < 0 || array.rank < 0 || array.rank > 2 || first < bytes ||
        first > bytes + count || size > (uint64_t)(bytes + count - first))
        abort();
    volatile uint8_t sum = 0; /* reads every byte, so that a sanitizer judges */
    for (uint64_t i = 0; i < size; i++)
        sum = (uint8_t)(sum + first[i]);
    return 0;
}
