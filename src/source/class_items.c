/* class_items.c: reads the body of a class. SPDX-License-Identifier: MIT */
#include "source/class_items.h"

/* Is the brace at i the value of a member in a constructor's list, `: data{d}`? */
static bool is_initial(const struct gr_scan *scan, int i, bool in_list)
{
    return in_list && (scan->tokens[i - 1].kind == GR_TOKEN_WORD || gr_token_is(scan, i - 1, ">"));
}

struct gr_class_item gr_class_item_at(const struct gr_scan *scan, int i, int end)
{
    struct gr_class_item item = {.end = end, .body = end};
    bool value = false, in_list = false;
    for (; i < end && !gr_token_is(scan, i, ";"); i++) {
        value |= gr_token_is(scan, i, "=");
        in_list |= item.is_function && gr_token_is(scan, i, ":");
        if (gr_token_is(scan, i, "(")) {
            if (!value && !item.is_function) {
                item.is_function = true;
                item.parameters = i;
            }
            i = gr_token_close(scan, i, end) - 1;
        } else if (gr_token_is(scan, i, "{")) {
            const bool initial = is_initial(scan, i, in_list);
            const int open = i;
            i = gr_token_close(scan, i, end) - 1;
            if (item.is_function && !initial) {
                item.body = open;
                item.end = i + 1;
                return item;
            }
        }
    }
    item.end = i;
    item.body = i;
    return item;
}
