/* fuzz_demangle.c: any text as the symbol of a kernel: it has a name, and types only if it tells
 * them. SPDX-License-Identifier: MIT */
#include "code/demangle.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    char *symbol = malloc(count + 1);
    struct gr_demangled d;
    if (!symbol)
        return 0;
    memcpy(symbol, bytes, count);
    symbol[count] = 0;
    if (gr_demangle(symbol, &d) && (!d.name || (!d.typed && d.count > 0)))
        abort();
    gr_demangled_free(&d);
    free(symbol);
    return 0;
}
