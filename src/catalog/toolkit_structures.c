/* toolkit_structures.c: defines structures of CUDA's own headers for a file that is read without
 * these. SPDX-License-Identifier: MIT */
#include "catalog/toolkit_structures.h"

#include <string.h>

/* Is `type *)` or `type*)` at p, as at the end of a cast? */
static bool is_cast(const char *p, size_t length)
{
    p += length + strspn(p + length, " \t");
    return *p == '*' && p[1 + strspn(p + 1, " \t")] == ')';
}

/* The number's type of the first cast to a pointer to it. */
static const char *cast_type(const char *text)
{
    static const char *const types[] = {"float", "double", "half", "__half", "int", NULL};
    const char *found = "float", *first = NULL;
    for (int t = 0; types[t]; t++)
        for (const char *p = text; (p = strstr(p, types[t])); p += strlen(types[t])) {
            const bool begins = p > text && strchr("( \t", p[-1]);
            if (!begins || !is_cast(p, strlen(types[t])))
                continue;
            if (!first || p < first) {
                first = p;
                found = types[t];
            }
            break;
        }
    return found;
}

/* The pitch has a name that says that it is in bytes: the added kernel's parameter gets it. */
void gr_toolkit_structures(const char *text, struct gr_str *out)
{
    if (strstr(text, "cudaPitchedPtr"))
        gr_str_printf(out, "struct cudaPitchedPtr { %s *ptr; size_t bytes_pitch; };\n",
                      cast_type(text));
}
