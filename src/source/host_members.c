/* host_members.c: removes member functions that only the host can call. SPDX-License-Identifier:
 * MIT
 */
#include "source/host_members.h"

#include "base/str.h"
#include "source/class_items.h"
#include "source/defines.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_any(const struct gr_scan *scan, int i, const char *const *words)
{
    for (; *words; words++)
        if (gr_token_is(scan, i, *words))
            return true;
    return false;
}

/* Is it a launch, a name of the host's libraries, or a macro that checks their results? */
static bool is_of_host(const struct gr_scan *scan, int i)
{
    static const char *const words[] = {"new",  "delete", "malloc", "calloc", "free", "throw",
                                        "cout", "cerr",   "exit",   "abort",  "std",  NULL};
    static const char *const libraries[] = {"cuda", "hip", "cublas", "cuMem", NULL};
    if (gr_token_is(scan, i, "<") && gr_token_is(scan, i + 1, "<") && gr_token_is(scan, i + 2, "<"))
        return true;
    if (scan->tokens[i].kind != GR_TOKEN_WORD)
        return false;
    char *word = gr_token_text(scan, i);
    bool is = is_any(scan, i, words) || (word && strcasestr(word, "check"));
    for (int l = 0; word && libraries[l]; l++)
        is |= gr_starts_with(word, libraries[l]);
    free(word);
    return is;
}

/* May device code call the function whose head is [begin, end)? A macro may stand for __device__.
 */
static bool is_for_device(const struct gr_scan *scan, int begin, int end)
{
    static const char *const words[] = {"__device__", "constexpr", "__global__", NULL};
    bool is = false;
    for (int i = begin; i < end; i++) {
        char *word = scan->tokens[i].kind == GR_TOKEN_WORD ? gr_token_text(scan, i) : NULL;
        is |= is_any(scan, i, words) || (word && gr_define_find(scan, word) >= 0);
        free(word);
    }
    return is;
}

/* Replaces what is behind the parameters by `;`. */
static void cut_body(const struct gr_scan *scan, int begin, int end, char *text)
{
    for (size_t at = scan->tokens[begin].begin; at < scan->tokens[end - 1].end; at++)
        if (text[at] != '\n')
            text[at] = ' ';
    text[scan->tokens[begin].begin] = ';';
}

static void cut_in_body(const struct gr_scan *scan, int begin, int end, char *text)
{
    for (int i = begin; i < end;) {
        const struct gr_class_item item = gr_class_item_at(scan, i, end);
        if (item.is_function && item.body < item.end) {
            const int after = gr_token_close(scan, item.parameters, end);
            bool host = false, directive = false;
            for (int t = after; t < item.end; t++) {
                host |= is_of_host(scan, t);
                directive |= scan->tokens[t].kind == GR_TOKEN_DIRECTIVE;
            }
            if (host && !directive && !is_for_device(scan, i, item.parameters))
                cut_body(scan, after, item.end, text);
        }
        i = item.end + gr_token_is(scan, item.end, ";");
        i += item.end == i && item.end < end && !item.is_function; /* a `}` too much */
    }
}

void gr_host_members_cut(const struct gr_scan *scan, int begin, int end, char *text)
{
    for (int i = begin; i + 1 < end; i++) {
        int open = i + 1;
        if (!gr_token_is(scan, i, "struct") && !gr_token_is(scan, i, "class"))
            continue;
        while (open < end && !gr_token_is(scan, open, "{") && !gr_token_is(scan, open, ";") &&
               !gr_token_is(scan, open, "(") && !gr_token_is(scan, open, ">"))
            open++;
        if (gr_token_is(scan, open, "{") && open < end)
            cut_in_body(scan, open + 1, gr_token_close(scan, open, end) - 1, text);
    }
}
