/* product_steps.c: follows arrays from one launch of a host function to the next.
 * SPDX-License-Identifier: MIT */
#include "launches/product_steps.h"

#include "source/launchfind.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LAUNCHES = 128, MOST_ARGUMENTS = 32 };

/* What a kernel does with the array of a parameter. */
enum use { USE_NONE, USE_READ, USE_WRITTEN };

struct launch {
    struct gr_launch_site site;
    const struct gr_function *kernel; /* the function that is launched; null: not in the file */
    const struct gr_function *host;   /* the function that launches it */
};

struct launches {
    const struct gr_scan *scan;
    struct launch items[MOST_LAUNCHES];
    int count;
};

static const struct gr_function *find_kernel(const struct gr_scan *scan, int name)
{
    for (int i = 0; i < scan->function_count; i++)
        if (scan->functions[i].is_global && gr_tokens_same(scan, scan->functions[i].name, name))
            return &scan->functions[i];
    return NULL;
}

static void find_launches(const struct gr_scan *scan, struct launches *all)
{
    struct gr_launch_site site;
    *all = (struct launches){.scan = scan};
    for (int from = 0;
         all->count < MOST_LAUNCHES && gr_launch_site_next(scan, NULL, &from, &site);) {
        const struct launch l = {site, find_kernel(scan, site.kernel),
                                 gr_function_at(scan, site.kernel)};
        if (l.kernel && l.host)
            all->items[all->count++] = l;
    }
}

/* The items of a list between commas; template arguments and brackets are skipped. */
static int list_items(const struct gr_scan *scan, struct gr_range r,
                      struct gr_range items[MOST_ARGUMENTS])
{
    int count = 0;
    for (int i = r.begin; i < r.end && count < MOST_ARGUMENTS;) {
        const int end = gr_item_end(scan, i, r.end);
        items[count++] = (struct gr_range){i, end};
        i = end + 1;
    }
    return count;
}

static bool has_token(const struct gr_scan *scan, struct gr_range r, const char *text)
{
    for (int i = r.begin; i < r.end; i++)
        if (gr_token_is(scan, i, text))
            return true;
    return false;
}

/* The last word of the tokens: the name of a parameter, or of the array in an argument such as
 * `d_A`, `buffers.part`, `(float *)part`; -1: there is none. */
static int last_word(const struct gr_scan *scan, struct gr_range r)
{
    for (int i = r.end - 1; i >= r.begin; i--)
        if (scan->tokens[i].kind == GR_TOKEN_WORD)
            return i;
    return -1;
}

/* Is an element of the array at token i assigned, as by `C[i] = x`, `C[i] += x` or `*C = x`? */
static bool is_assigned(const struct gr_scan *scan, int i)
{
    int after = i + 1;
    while (gr_token_is(scan, after, "["))
        after = gr_token_close(scan, after, scan->token_count);
    if (after == i + 1 && !gr_token_is(scan, i - 1, "*"))
        return false;
    after += gr_token_is(scan, after, "+") || gr_token_is(scan, after, "-") ||
             gr_token_is(scan, after, "*");
    return gr_token_is(scan, after, "=") && !gr_token_is(scan, after + 1, "=");
}

/* What the kernel does with its parameter: by its type, or by the code where that does not pass the
 * pointer on. */
static enum use use_of(const struct gr_scan *scan, const struct gr_function *kernel,
                       struct gr_range parameter)
{
    const int name = last_word(scan, parameter);
    bool assigned = false, passed = false;
    if (name < 0 || !has_token(scan, parameter, "*"))
        return USE_NONE;
    if (has_token(scan, parameter, "const"))
        return USE_READ;
    for (int i = kernel->body_begin; i < kernel->body_end; i++) {
        if (!gr_tokens_same(scan, i, name))
            continue;
        assigned |= is_assigned(scan, i);
        passed |= !gr_token_is(scan, i + 1, "[");
    }
    return assigned || passed ? USE_WRITTEN : USE_READ;
}

/* The first word of a parameter's type that is no qualifier: `float` of `const float *x`. */
static int type_word(const struct gr_scan *scan, struct gr_range parameter)
{
    int i = parameter.begin;
    while (i < parameter.end && (gr_token_is(scan, i, "const") || gr_token_is(scan, i, "volatile")))
        i++;
    return i;
}

/* Does the kernel make an array of another one of the same type, as a transpose does? One that
 * converts leaves the matrix what it was, and one that fills an array reads none. */
static bool rearranges(const struct gr_scan *scan, const struct gr_function *kernel)
{
    struct gr_range items[MOST_ARGUMENTS];
    int arrays = 0, first = -1;
    bool alike = true;
    const int count = list_items(
        scan, (struct gr_range){kernel->parameters_begin, kernel->parameters_end}, items);
    for (int i = 0; i < count; i++) {
        if (!has_token(scan, items[i], "*"))
            continue;
        const int type = type_word(scan, items[i]);
        first = first < 0 ? type : first;
        alike &= gr_tokens_same(scan, first, type);
        arrays++;
    }
    return arrays > 1 && alike;
}

/* Does the launch use the array that the argument of another one names, in this way? */
static bool uses(const struct gr_scan *scan, const struct launch *l, int array, enum use wanted)
{
    struct gr_range arguments[MOST_ARGUMENTS], parameters[MOST_ARGUMENTS];
    const int given = list_items(scan, l->site.arguments, arguments);
    const int count =
        list_items(scan, (struct gr_range){l->kernel->parameters_begin, l->kernel->parameters_end},
                   parameters);
    for (int i = 0; i < count && i < given; i++) {
        const int word = last_word(scan, arguments[i]);
        if (word >= 0 && gr_tokens_same(scan, word, array) &&
            use_of(scan, l->kernel, parameters[i]) == wanted)
            return true;
    }
    return false;
}

/* Does `later`, of another kernel, read an array that `earlier` wrote in the same function, without
 * writing it itself? */
static bool feeds(const struct gr_scan *scan, const struct launch *earlier,
                  const struct launch *later)
{
    struct gr_range arguments[MOST_ARGUMENTS];
    if (earlier->host != later->host || earlier->kernel == later->kernel)
        return false;
    const int count = list_items(scan, earlier->site.arguments, arguments);
    for (int i = 0; i < count; i++) {
        const int word = last_word(scan, arguments[i]);
        if (word >= 0 && uses(scan, earlier, word, USE_WRITTEN) &&
            uses(scan, later, word, USE_READ) && !uses(scan, later, word, USE_WRITTEN))
            return true;
    }
    return false;
}

/* Is something between the two launches that makes them two products: a branch, or a copy or a time
 * that is taken of the first? */
static bool is_parted(const struct gr_scan *scan, const struct launch *earlier,
                      const struct launch *later)
{
    static const char *const branches[] = {"else", "case", "default", "return", "break", NULL};
    static const char *const calls[] = {"cudaEvent", "cudaMem", "hipEvent", "hipMem", NULL};
    bool parted = false;
    for (int i = earlier->site.arguments.end; i < later->site.kernel && !parted; i++) {
        for (int b = 0; branches[b]; b++)
            parted |= gr_token_is(scan, i, branches[b]);
        for (int c = 0; calls[c]; c++)
            parted |= strncmp(scan->text + scan->tokens[i].begin, calls[c], strlen(calls[c])) == 0;
    }
    return parted;
}

/* Do both launches of a function that is given the array write it, as one for whole tiles and one
 * for the edge? A `main` launches kernels one after another to compare them. */
static bool shares(const struct gr_scan *scan, const struct launch *earlier,
                   const struct launch *later)
{
    struct gr_range arguments[MOST_ARGUMENTS];
    if (earlier->host != later->host || earlier->kernel == later->kernel ||
        gr_token_is(scan, earlier->host->name, "main") || is_parted(scan, earlier, later))
        return false;
    const int count = list_items(scan, earlier->site.arguments, arguments);
    for (int i = 0; i < count; i++) {
        const int word = last_word(scan, arguments[i]);
        const struct gr_range given = {earlier->host->parameters_begin,
                                       earlier->host->parameters_end};
        bool is_given = false;
        for (int t = given.begin; t < given.end && word >= 0; t++)
            is_given |= gr_tokens_same(scan, t, word);
        if (is_given && uses(scan, earlier, word, USE_WRITTEN) &&
            uses(scan, later, word, USE_WRITTEN))
            return true;
    }
    return false;
}

static bool is_named(const struct gr_scan *scan, const struct gr_function *f, const char *name)
{
    char *bare = gr_strndup(name, strcspn(name, "< "));
    char *own = gr_function_name(scan, f);
    const bool is = bare && own && (strcmp(bare, own) == 0 || gr_token_is(scan, f->name, bare));
    free(bare);
    free(own);
    return is;
}

static bool report(const struct gr_scan *scan, const struct launch *other, const char *how,
                   struct gr_str *why)
{
    char *name = gr_token_text(scan, other->site.kernel);
    gr_str_printf(why, "%s, launched in line %d, %s", name ? name : "a kernel",
                  scan->tokens[other->site.kernel].line, how);
    free(name);
    return true;
}

/* Is the kernel of this name one of two launches of a product? */
static bool report_pair(const struct gr_scan *scan, const struct launch *earlier,
                        const struct launch *later, const char *name, struct gr_str *why)
{
    const bool is_earlier = is_named(scan, earlier->kernel, name),
               is_later = is_named(scan, later->kernel, name);
    if (!is_earlier && !is_later)
        return false;
    if (feeds(scan, earlier, later)) {
        if (is_earlier)
            return report(scan, later, "reads what it writes", why);
        return rearranges(scan, earlier->kernel) &&
               report(scan, earlier, "makes an array that it reads", why);
    }
    return shares(scan, earlier, later) && report(scan, is_earlier ? later : earlier,
                                                  "writes the same array in the same call", why);
}

bool gr_step_of_product(const char *path, const char *text, const char *name, struct gr_str *why)
{
    struct gr_scan scan;
    bool found = false;
    if (gr_scan_text(path, text, &scan, NULL) != GRADUS_OK)
        return false;
    struct launches *all = malloc(sizeof *all);
    if (all)
        find_launches(&scan, all);
    for (int i = 0; all && i < all->count && !found; i++)
        for (int j = i + 1; j < all->count && !found; j++)
            found = report_pair(&scan, &all->items[i], &all->items[j], name, why);
    free(all);
    gr_scan_free(&scan);
    return found;
}
