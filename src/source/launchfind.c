/* launchfind.c: finds launches of a kernel, and the values of their variables.
 * SPDX-License-Identifier: MIT */
#include "source/launchfind.h"

#include <stdlib.h>

static bool three(const struct gr_scan *scan, int i, const char *bracket)
{
    return gr_token_is(scan, i, bracket) && gr_token_is(scan, i + 1, bracket) &&
           gr_token_is(scan, i + 2, bracket);
}

int gr_item_end(const struct gr_scan *scan, int begin, int end)
{
    int i = begin;
    while (i < end && !gr_token_is(scan, i, ",")) {
        bool open = gr_token_is(scan, i, "(") || gr_token_is(scan, i, "{");
        i = open ? gr_token_close(scan, i, end) : i + 1;
    }
    return i;
}

/* The name token of NAME or NAME<…> that ends before token `end`, or -1. */
static int name_before(const struct gr_scan *scan, int end, struct gr_range *arguments)
{
    int i = end - 1, depth = 0;
    *arguments = (struct gr_range){0, 0};
    if (gr_token_is(scan, i, ">")) {
        for (; i >= 0; i--) {
            depth += gr_token_is(scan, i, ">");
            if (gr_token_is(scan, i, "<") && --depth == 0)
                break;
        }
        *arguments = (struct gr_range){i + 1, end - 1};
        i--;
    }
    return i >= 0 && scan->tokens[i].kind == GR_TOKEN_WORD ? i : -1;
}

static void read_items(const struct gr_scan *scan, int at, int end, struct gr_range *const *slots,
                       int count)
{
    for (int i = 0; i < count && at < end; i++) {
        int item = gr_item_end(scan, at, end);
        if (slots[i])
            *slots[i] = (struct gr_range){at, item};
        at = item + 1;
    }
}

/* Parses k<64><<<grid, block, smem>>>(arguments), with the `<<<` at token `open`. */
static bool read_site(const struct gr_scan *scan, int open, struct gr_launch_site *site)
{
    struct gr_range arguments;
    int name = name_before(scan, open, &arguments);
    *site = (struct gr_launch_site){.kernel = name, .template_arguments = arguments};
    int close = open;
    while (close < scan->token_count && !three(scan, close, ">"))
        close++;
    if (site->kernel < 0 || close >= scan->token_count || !gr_token_is(scan, close + 3, "("))
        return false;
    struct gr_range *const slots[] = {&site->grid, &site->block, &site->smem};
    read_items(scan, open + 3, close, slots, 3);
    site->arguments.begin = close + 4;
    site->arguments.end = gr_token_close(scan, close + 3, scan->token_count) - 1;
    return true;
}

/* Parses hipLaunchKernelGGL(k<64>, grid, block, smem, stream, arguments), with that word at
 * token `i`. */
static bool read_hip_site(const struct gr_scan *scan, int i, struct gr_launch_site *site)
{
    static const char wrapper[] = "HIP_KERNEL_NAME";
    if (!gr_token_is(scan, i, "hipLaunchKernelGGL") || !gr_token_is(scan, i + 1, "("))
        return false;
    int end = gr_token_close(scan, i + 1, scan->token_count) - 1, begin = i + 2, past;
    if (gr_token_is(scan, begin, wrapper))
        begin += 2;
    struct gr_range arguments = {0, 0};
    past = begin + 1;
    if (gr_token_is(scan, past, "<")) {
        past = gr_token_close_angle(scan, past, end);
        arguments = (struct gr_range){begin + 2, past - 1};
    }
    past += begin > i + 2;
    *site = (struct gr_launch_site){.kernel = begin, .template_arguments = arguments};
    struct gr_range stream = {0, 0};
    struct gr_range *const slots[] = {&site->grid, &site->block, &site->smem, &stream};
    read_items(scan, past + 1, end, slots, 4);
    site->arguments = (struct gr_range){stream.end + 1 < end ? stream.end + 1 : end, end};
    return gr_token_is(scan, past, ",");
}

/* The kernel at token i, as an argument of a call: `k`, `k<64>`, `&k`, `(const void *)k<64>`.
 * Returns the token after it. */
static int read_kernel(const struct gr_scan *scan, int i, int end, struct gr_launch_site *site)
{
    if (gr_token_is(scan, i, "("))
        i = gr_token_close(scan, i, end);
    i += gr_token_is(scan, i, "&");
    while (gr_token_is(scan, i + 1, ":") && gr_token_is(scan, i + 2, ":"))
        i += 3;
    *site = (struct gr_launch_site){.kernel = i};
    if (!gr_token_is(scan, i + 1, "<"))
        return i + 1;
    const int past = gr_token_close_angle(scan, i + 1, end);
    site->template_arguments = (struct gr_range){i + 2, past - 1};
    return past;
}

/* The items of the array that the tokens name or are: `void *args[] = {&A, &n};`. */
static struct gr_range array_items(const struct gr_scan *scan, struct gr_range of)
{
    for (int i = of.begin; i < of.end; i++)
        if (gr_token_is(scan, i, "{"))
            return (struct gr_range){i + 1, gr_token_close(scan, i, of.end) - 1};
    for (int i = of.begin - 1; i > 0; i--)
        if (gr_tokens_same(scan, i, of.begin) && gr_token_is(scan, i + 1, "[")) {
            const int open = gr_token_close(scan, i + 1, of.begin) + 1;
            if (gr_token_is(scan, open - 1, "=") && gr_token_is(scan, open, "{"))
                return (struct gr_range){open + 1, gr_token_close(scan, open, of.begin) - 1};
        }
    return (struct gr_range){of.end, of.end};
}

/* Parses cudaLaunchKernel(k, grid, block, args, smem, stream), with that word at token `i`. */
static bool read_call_site(const struct gr_scan *scan, int i, struct gr_launch_site *site)
{
    static const char *const words[] = {"cudaLaunchKernel", "cudaLaunchCooperativeKernel",
                                        "hipLaunchKernel", NULL};
    bool is = false;
    for (int w = 0; words[w]; w++)
        is |= gr_token_is(scan, i, words[w]);
    if (!is || !gr_token_is(scan, i + 1, "("))
        return false;
    const int end = gr_token_close(scan, i + 1, scan->token_count) - 1;
    const int past = read_kernel(scan, i + 2, end, site);
    struct gr_range passed = {end, end};
    struct gr_range *const slots[] = {&site->grid, &site->block, &passed, &site->smem};
    read_items(scan, past + 1, end, slots, 4);
    site->arguments = array_items(scan, passed);
    return gr_token_is(scan, past, ",");
}

/* The value of the last `config.MEMBER = …;` before token `at`. */
static struct gr_range assigned_member(const struct gr_scan *scan, int config, const char *member,
                                       int at)
{
    for (int i = at - 1; i > 0; i--) {
        if (!gr_tokens_same(scan, i, config) || !gr_token_is(scan, i + 1, ".") ||
            !gr_token_is(scan, i + 2, member) || !gr_token_is(scan, i + 3, "="))
            continue;
        int end = i + 4;
        while (end < at && !gr_token_is(scan, end, ";"))
            end++;
        return (struct gr_range){i + 4, end};
    }
    return (struct gr_range){0, 0};
}

/* Parses cudaLaunchKernelEx(&config, k, arguments), with that word at token `i`. */
static bool read_config_site(const struct gr_scan *scan, int i, struct gr_launch_site *site)
{
    if (!gr_token_is(scan, i, "cudaLaunchKernelEx") || !gr_token_is(scan, i + 1, "("))
        return false;
    const int end = gr_token_close(scan, i + 1, scan->token_count) - 1;
    const int config = i + 2 + gr_token_is(scan, i + 2, "&"), comma = gr_item_end(scan, i + 2, end);
    const int past = read_kernel(scan, comma + 1, end, site);
    site->grid = assigned_member(scan, config, "gridDim", i);
    site->block = assigned_member(scan, config, "blockDim", i);
    site->smem = assigned_member(scan, config, "dynamicSmemBytes", i);
    site->arguments = (struct gr_range){past < end ? past + 1 : end, end};
    return comma < end && site->grid.end > site->grid.begin;
}

bool gr_launch_site_next(const struct gr_scan *scan, const char *kernel, int *from,
                         struct gr_launch_site *site)
{
    while (*from < scan->token_count) {
        int i = (*from)++;
        bool found = (three(scan, i, "<") && read_site(scan, i, site)) ||
                     read_hip_site(scan, i, site) || read_call_site(scan, i, site) ||
                     read_config_site(scan, i, site);
        if (found && (!kernel || gr_token_is(scan, site->kernel, kernel)))
            return true;
    }
    return false;
}

bool gr_is_declared(const struct gr_scan *scan, int i)
{
    static const char *const others[] = {"struct", "class", "union", "enum", "namespace",
                                         "return", "else",  "case",  "goto", NULL};
    int first = i - 1;
    for (int w = 0; others[w]; w++)
        if (gr_token_is(scan, first, others[w]))
            return false;
    if (scan->tokens[first].kind == GR_TOKEN_WORD)
        return true;
    if (!gr_token_is(scan, first, ","))
        return false;
    while (first > 0 && !gr_token_is(scan, first - 1, ";") && !gr_token_is(scan, first - 1, "{") &&
           !gr_token_is(scan, first - 1, "}"))
        first--;
    return scan->tokens[first].kind == GR_TOKEN_WORD &&
           scan->tokens[first + 1].kind == GR_TOKEN_WORD;
}

/* The initializer after the declared name at token i: `= …`, `(…)` or `{…}`. */
static bool read_value(const struct gr_scan *scan, int i, struct gr_range *value)
{
    int begin = i + 1;
    if (gr_token_is(scan, begin, "(") || gr_token_is(scan, begin, "{")) {
        *value = (struct gr_range){begin + 1, gr_token_close(scan, begin, scan->token_count) - 1};
        return true;
    }
    if (!gr_token_is(scan, begin, "="))
        return false;
    int end = begin + 1;
    while (end < scan->token_count && !gr_token_is(scan, end, ";") &&
           !gr_token_is(scan, end, ",") && !gr_token_is(scan, end, "}")) {
        bool open = gr_token_is(scan, end, "(") || gr_token_is(scan, end, "{");
        end = open ? gr_token_close(scan, end, scan->token_count) : end + 1;
    }
    *value = (struct gr_range){begin + 1, end};
    return end < scan->token_count;
}

/* Is the name a parameter of the function, or of its template? */
static bool is_parameter(const struct gr_scan *scan, const struct gr_function *f, const char *name)
{
    for (int i = f->head; i < f->body_begin; i++)
        if (gr_token_is(scan, i, name))
            return true;
    return false;
}

/* Is the name at token i assigned to by a statement of its own that is executed in any case? That
 * of `if (argc > 2) n = …;` need not be. */
static bool is_assigned(const struct gr_scan *scan, int i)
{
    return gr_token_is(scan, i + 1, "=") && !gr_token_is(scan, i + 2, "=") &&
           (gr_token_is(scan, i - 1, ";") || gr_token_is(scan, i - 1, "{") ||
            gr_token_is(scan, i - 1, "}") || scan->tokens[i - 1].kind == GR_TOKEN_DIRECTIVE);
}

/* Is the name at token i the variable of a loop, as in `for (int k = 0; …) …`, that ends before
 * `at`?
 */
static bool is_of_past_loop(const struct gr_scan *scan, int i, int at)
{
    int open = i - 1;
    while (open > 0 && scan->tokens[open].kind == GR_TOKEN_WORD)
        open--;
    if (!gr_token_is(scan, open, "(") || !gr_token_is(scan, open - 1, "for"))
        return false;
    int end = gr_token_close(scan, open, scan->token_count);
    if (gr_token_is(scan, end, "{"))
        return at >= gr_token_close(scan, end, scan->token_count);
    while (end < at && !gr_token_is(scan, end, ";"))
        end = gr_token_is(scan, end, "(") || gr_token_is(scan, end, "{")
                  ? gr_token_close(scan, end, scan->token_count)
                  : end + 1;
    return end < at;
}

/* Searches upwards from `at` to `first`, for what was assigned last or the initial value. A block
 * that is closed before `at` is not visible from there, nor is the inside of a function from
 * outside. */
static bool find_above(const struct gr_scan *scan, const char *name, int at, int first,
                       struct gr_range *value)
{
    int depth = 0;
    for (int i = at - 1; i > first; i--) {
        if (gr_token_is(scan, i, "}"))
            depth++;
        else if (gr_token_is(scan, i, "{") && depth)
            depth--;
        else if (depth == 0 && gr_token_is(scan, i, name) &&
                 (gr_is_declared(scan, i) || is_assigned(scan, i)) && read_value(scan, i, value) &&
                 value->begin < at && !is_of_past_loop(scan, i, at))
            return true;
    }
    return false;
}

/* The last assignment in a block that is closed before `at`, as of a grid that an if and its else
 * set. */
static bool find_in_blocks(const struct gr_scan *scan, const char *name, int at, int first,
                           struct gr_range *value)
{
    for (int i = at - 1; i > first; i--)
        if (gr_token_is(scan, i, name) && is_assigned(scan, i) && read_value(scan, i, value) &&
            value->begin < at)
            return true;
    return false;
}

bool gr_value_of(const struct gr_scan *scan, const char *name, int at, struct gr_range *value)
{
    const struct gr_function *f = gr_function_at(scan, at);
    bool found = f && (find_above(scan, name, at, f->body_begin, value) ||
                       find_in_blocks(scan, name, at, f->body_begin, value));
    if (!found && !(f && is_parameter(scan, f, name)))
        found = find_above(scan, name, f ? f->head : at, 0, value);
    return found;
}

bool gr_value_find(const struct gr_scan *scan, int word, int at, struct gr_range *value)
{
    char *name = gr_token_text(scan, word);
    bool found = name && gr_value_of(scan, name, at, value);
    free(name);
    return found;
}

bool gr_constant_find(const struct gr_scan *scan, const char *name, struct gr_range *value)
{
    for (int i = 1; i + 1 < scan->token_count; i++) {
        bool of_enum = gr_token_is(scan, i - 1, "{") || gr_token_is(scan, i - 1, ",");
        if (gr_token_is(scan, i, name) && gr_token_is(scan, i + 1, "=") &&
            !gr_token_is(scan, i + 2, "=") && (of_enum || gr_is_declared(scan, i)) &&
            !is_of_past_loop(scan, i, scan->token_count) && read_value(scan, i, value))
            return true;
    }
    return false;
}

bool gr_value_is_changed(const struct gr_scan *scan, int word, struct gr_range since)
{
    static const char *const operators[] = {"+", "-", "*", "/", "%", "<", ">", "&", "|", NULL};
    char *name = gr_token_text(scan, word);
    bool changed = false;
    for (int i = since.begin; name && i < since.end && !changed; i++) {
        if (!gr_token_is(scan, i, name))
            continue;
        int at = i + 1;
        at += gr_token_is(scan, at, ".") ? 2 : 0; /* an assignment to a member: grid.x = … */
        for (int o = 0; operators[o]; o++)
            if (gr_token_is(scan, at, operators[o]) && gr_token_is(scan, at + 1, "="))
                changed = gr_token_is(scan, at + 2, "=") ? changed : true;
        changed |= gr_token_is(scan, at, "=") && !gr_token_is(scan, at + 1, "=");
    }
    free(name);
    return changed;
}
