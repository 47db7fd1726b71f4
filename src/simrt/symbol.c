/* symbol.c: names of variables in symbols. SPDX-License-Identifier: MIT */
#include "simrt/symbol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The plain name in a mangled symbol: "_ZZ4gemmPKfS0_PfE2As" and "_ZN4deep2AsE" are As. It is the
 * last name, preceded by its length; a `_0` follows for the second variable of that name in a
 * function. A function's variable comes after the E that ends the function's name, since the 32 of
 * a template argument, "Li32E", is not a length. A symbol that is not mangled, "smem", is its own
 * name. */
void gr_symbol_plain(const char *symbol, char name[GR_TRACE_NAME])
{
    bool mangled = symbol[0] == '_' && symbol[1] == 'Z', local = mangled && symbol[2] == 'Z';
    for (const char *p = symbol; mangled && *p; p++) {
        char *text;
        long n = *p >= '1' && *p <= '9' ? strtol(p, &text, 10) : 0;
        if (n <= 0 || strlen(text) < (size_t)n || (*text >= '0' && *text <= '9') ||
            (local && p[-1] != 'E'))
            continue;
        const char *rest = text + n;
        if (rest[strspn(rest, "E_0123456789")] == 0) {
            snprintf(name, GR_TRACE_NAME, "%.*s", (int)n, text);
            return;
        }
    }
    snprintf(name, GR_TRACE_NAME, "%s", symbol);
}
