/* undefined_type.c: finds types that nothing defines. SPDX-License-Identifier: MIT */
#include "catalog/undefined_type.h"

#include "base/str.h"
#include "catalog/header_texts.h"
#include "catalog/parameters.h"
#include "source/defines.h"
#include "source/scan.h"

#include <string.h>

/* May a header of the toolkit or of the system define it? */
static bool may_be_of_toolkit(const char *word)
{
    static const char *const heads[] = {"cu", "CU", "hip", "nv", "__", "std", "wmma", NULL};
    bool may = gr_ends_with(word, "_t") || strcspn(word, "0123456789<>:. ") != strlen(word);
    for (int i = 0; heads[i]; i++)
        may |= gr_starts_with(word, heads[i]);
    return may;
}

/* Is token i the name in a definition or declaration of a type, or of a template's parameter? */
static bool is_defined_at(const struct gr_scan *scan, int i)
{
    static const char *const words[] = {"struct",   "class", "union", "enum",
                                        "typename", "using", NULL};
    bool is = gr_token_is(scan, i + 1, ";");
    for (int w = 0; words[w]; w++)
        is |= gr_token_is(scan, i - 1, words[w]);
    return is;
}

char *gr_undefined_type(const struct gr_kernel *k, const char *type)
{
    struct gr_str text = {0};
    struct gr_scan scan;
    char bare[64];
    bool defined = false;
    gr_header_texts(k->path, k->source, &text);
    gr_str_add(&text, k->source);
    if (text.failed || gr_scan_text(k->path, text.text, &scan, NULL) != GRADUS_OK) {
        gr_str_free(&text);
        return NULL;
    }
    gr_type_resolved(&scan, type, bare);
    for (int i = 1; i + 1 < scan.token_count; i++)
        defined |= gr_token_is(&scan, i, bare) && is_defined_at(&scan, i);
    defined |= !*bare || gr_define_find(&scan, bare) >= 0 || may_be_of_toolkit(bare);
    gr_scan_free(&scan);
    gr_str_free(&text);
    return defined ? NULL : gr_strdup(bare);
}
