/* launchtexts.c: translates grid, block, shared memory and template arguments of a launch.
 * SPDX-License-Identifier: MIT */
#include "launches/launchtexts.h"

#include "base/str.h"
#include "source/defines.h"
#include "launches/hostexpr.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void push(struct gr_launch_texts *texts, struct gr_launch_text text)
{
    struct gr_launch_text *grown =
        realloc(texts->items, ((size_t)texts->count + 1) * sizeof *grown);
    if (!grown) {
        free(text.name);
        free(text.grid);
        free(text.block);
        free(text.smem);
        free(text.origin);
        return;
    }
    texts->items = grown;
    grown[texts->count++] = text;
}

/* ---- Template arguments ---- */

static struct gr_range template_of(const struct gr_scan *scan, const struct gr_function *f)
{
    for (int i = f->head; i < f->name; i++)
        if (gr_token_is(scan, i, "template"))
            return (struct gr_range){i + 2, gr_token_close_angle(scan, i + 1, f->name) - 1};
    return (struct gr_range){0, 0};
}

static int end_of_item(const struct gr_scan *scan, int i, int end)
{
    for (int depth = 0; i < end; i++) {
        if (gr_token_is(scan, i, "(") || gr_token_is(scan, i, "{"))
            i = gr_token_close(scan, i, end) - 1;
        depth += gr_token_is(scan, i, "<");
        depth -= gr_token_is(scan, i, ">");
        if (depth == 0 && gr_token_is(scan, i, ","))
            break;
    }
    return i;
}

/* Does the file define this type itself, as the policy `struct Tile { … }` or `using Tile = …`? */
static bool is_own_type(const struct gr_scan *scan, int word)
{
    static const char *const heads[] = {"struct", "class", "using", NULL};
    for (int i = 1; i < scan->token_count; i++)
        for (int h = 0; heads[h]; h++)
            if (gr_tokens_same(scan, i, word) && gr_token_is(scan, i - 1, heads[h]))
                return true;
    return false;
}

/* The types that the launching function's own template has in place of a word, up to the function
 * that names one: `gemm<Policy><<<…>>>` in `launch<Tile64>(…)`. */
static struct gr_range passed_type(const struct gr_host *host, struct gr_range r)
{
    int at = host->site->kernel;
    for (int depth = 0; depth < GR_MOST_HOST_DEPTH && r.end == r.begin + 1; depth++) {
        char *name = gr_token_text(host->file, r.begin);
        struct gr_range value;
        const bool passed = name && gr_host_passed(host, name, &at, &value);
        free(name);
        if (!passed)
            break;
        r = value;
    }
    return r;
}

/* Does the launch pass a type of 16 bits? A kernel of tensor cores has no other for A and B. */
static bool passes_half(struct gr_host *host)
{
    static const char *const halves[] = {"half", "__half", "__nv_bfloat16", "nv_bfloat16", NULL};
    const struct gr_range all = host->site->template_arguments;
    bool half = false;
    for (int i = all.begin; i < all.end;) {
        const int end = end_of_item(host->file, i, all.end);
        const struct gr_range passed = passed_type(host, (struct gr_range){i, end});
        for (int h = 0; halves[h]; h++)
            half |= gr_token_is(host->file, passed.begin, halves[h]);
        i = end + 1;
    }
    return half;
}

/* Is it a qualified type, as `nvcuda::wmma::row_major` and `cutlass::layout::Pitch<4>`, with none
 * of the parameters of the launching function's template? */
static bool is_qualified_type(const struct gr_host *host, struct gr_range r)
{
    bool qualified = false, passed = false;
    for (int i = r.begin; i < r.end && !passed; i++) {
        char *word = gr_token_text(host->file, i);
        int at = host->site->kernel;
        struct gr_range value;
        qualified |= i > r.begin && gr_token_is(host->file, i, ":");
        passed = host->file->tokens[i].kind == GR_TOKEN_WORD && word &&
                 gr_host_passed(host, word, &at, &value);
        free(word);
    }
    return qualified && !passed && host->file->tokens[r.begin].kind == GR_TOKEN_WORD;
}

/* The type that the word refers to; a number's type that the launching function's own template has
 * becomes T, or stays what it is beside one of 16 bits. */
static bool write_type(struct gr_host *host, struct gr_range r, struct gr_str *out)
{
    static const char *const known[] = {
        "float", "double", "half", "__half", "__nv_bfloat16", "nv_bfloat16", "int", "int8_t", NULL};
    char *text = gr_tokens_text(host->file, r);
    bool plain = false;
    for (int i = 0; text && known[i]; i++)
        plain |= strcmp(known[i], text) == 0;
    const struct gr_range passed = passed_type(host, r);
    const bool is_word = passed.end == passed.begin + 1,
               own = is_own_type(host->file, passed.begin) ||
                     (is_word && passed.begin != r.begin && !host->generic_types &&
                      passes_half(host));
    char *whole = own ? gr_tokens_text(host->file, passed) : NULL;
    const bool qualified = !own && is_qualified_type(host, r);
    if (plain || qualified)
        gr_str_add(out, text ? text : "");
    else if (own)
        gr_str_add(out, whole ? whole : "T");
    else if (r.end == r.begin + 1 && text)
        gr_str_add(out,
                   is_word && gr_token_is(host->file, passed.begin, "double") ? "double" : "T");
    const bool text_known = text != NULL;
    free(whole);
    free(text);
    return own || r.end == r.begin + 1 || plain || (qualified && text_known);
}

/* Is parameter `place` of the kernel's template a type? */
static bool is_type(const struct gr_scan *scan, struct gr_range header, int place)
{
    int i = header.begin;
    for (; place > 0 && i < header.end; place--)
        i = end_of_item(scan, i, header.end) + 1;
    return gr_token_is(scan, i, "typename") || gr_token_is(scan, i, "class");
}

static bool write_arguments(struct gr_host *host, const struct gr_scan *scan,
                            struct gr_range header, struct gr_str *out)
{
    struct gr_range r = host->site->template_arguments;
    int place = 0;
    for (int i = r.begin; i < r.end; place++) {
        int end = end_of_item(host->file, i, r.end);
        int64_t number = 0;
        gr_str_add(out, place ? "," : "");
        if (is_type(scan, header, place)) {
            if (!write_type(host, (struct gr_range){i, end}, out))
                return false;
        } else if (gr_token_is(host->file, i, "true") || gr_token_is(host->file, i, "false")) {
            gr_str_add(out, gr_token_is(host->file, i, "true") ? "true" : "false");
        } else if (gr_host_number(host, (struct gr_range){i, end}, host->site->kernel, &number)) {
            gr_str_printf(out, "%" PRId64, number);
        } else {
            return false;
        }
        i = end + 1;
    }
    return true;
}

/* Writes "gemm<64,8>"; null if it is not a template, or if the compiler deduces all arguments. */
static bool write_name(struct gr_host *host, const struct gr_scan *scan,
                       const struct gr_function *f, char **name)
{
    struct gr_str out = {0};
    *name = NULL;
    if (!f->is_template ||
        host->site->template_arguments.begin >= host->site->template_arguments.end)
        return true;
    char *whole = gr_function_name(scan, f);
    gr_str_printf(&out, "%s<", whole ? whole : "");
    free(whole);
    bool ok = write_arguments(host, scan, template_of(scan, f), &out);
    gr_str_add(&out, ">");
    if (ok)
        *name = out.text;
    else
        gr_str_free(&out);
    return ok;
}

/* ---- One launch ---- */

/* Translates all parts. False if one cannot be translated; `host->missing` has the name if its
 * cause is an unknown name. */
static bool read_once(struct gr_host *host, const struct gr_scan *scan, const struct gr_function *f,
                      struct gr_launch_text *text)
{
    struct gr_str grid = {0}, block = {0}, smem = {0};
    const struct gr_launch_site *site = host->site;
    *host->missing = 0;
    bool ok = gr_host_extents(host, site->grid, site->kernel, &grid) &&
              gr_host_extents(host, site->block, site->kernel, &block);
    bool shared = ok && site->smem.end > site->smem.begin;
    ok = ok && (!shared || gr_host_expression(host, site->smem, site->kernel, &smem));
    ok = ok && write_name(host, scan, f, &text->name);
    if (ok) {
        text->grid = gr_host_plain(gr_str_text(&grid));
        text->block = gr_host_plain(gr_str_text(&block));
        bool none = !shared || strcmp(gr_str_text(&smem), "0") == 0;
        text->smem = none ? NULL : gr_host_plain(gr_str_text(&smem));
    }
    gr_str_free(&grid);
    gr_str_free(&block);
    gr_str_free(&smem);
    return ok;
}

/* The path relative to the current folder. */
static const char *short_path(const char *path)
{
    char here[4096];
    size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    bool below = path && length > 1 && strncmp(path, here, length) == 0 && path[length] == '/';
    return below ? path + length + 1 : path ? path : "?";
}

static char *origin_of(const struct gr_kernel *kernel, const struct gr_site *site,
                       const struct gr_host *host)
{
    struct gr_str out = {0};
    bool same = site->path && strcmp(site->path, kernel->path) == 0;
    if (same)
        gr_str_printf(&out, "launch taken from line %d", site->line);
    else
        gr_str_printf(&out, "launch taken from %s:%d", short_path(site->path), site->line);
    for (int i = 0; i < host->given_count; i++)
        gr_str_printf(&out, "%s%s = %s", i ? ", " : ", with ", host->given[i].name,
                      gr_starts_with(host->given[i].value, GR_HOST_SIZE)
                          ? host->given[i].value + strlen(GR_HOST_SIZE)
                          : host->given[i].value);
    return out.text;
}

/* What the literature calls the sides of a block's and of a thread's tile, with its usual values. A
 * launch that gets them from a table or from a tuner names them all. Null: it is none of these. */
static const char *usual_side(const char *name)
{
    static const char *const sides[][2] = {{"BM", "128"}, {"BN", "128"}, {"BK", "8"},
                                           {"TM", "8"},   {"TN", "8"},   {NULL, NULL}};
    for (int i = 0; sides[i][0]; i++)
        if (strcmp(sides[i][0], name) == 0)
            return sides[i][1];
    return NULL;
}

/* Tries usual values for the unknown names, at most two of them apart from the sides of tiles. */
static void read_with(struct gr_host *host, const struct gr_kernel *kernel,
                      const struct gr_scan *scan, const struct gr_function *f,
                      const struct gr_site *site, int score, struct gr_launch_texts *texts)
{
    static const char *const usual[] = {"16", "32", "8", "128", "64", "256", "4", "1", NULL};
    static const char *const sizes[] = {GR_HOST_SIZE "M", GR_HOST_SIZE "N", GR_HOST_SIZE "K", NULL};
    struct gr_launch_text text = {.score = score, .invented = host->given_count > 0};
    if (read_once(host, scan, f, &text)) {
        text.origin = origin_of(kernel, site, host);
        push(texts, text);
        if (!host->generic_types && text.name && passes_half(host)) {
            host->generic_types = true; /* also with T, which --dtype may say */
            read_with(host, kernel, scan, f, site, score - 1, texts);
            host->generic_types = false;
        }
        return;
    }
    char name[sizeof host->missing];
    memcpy(name, host->missing, sizeof name);
    const char *side = usual_side(name);
    int others = 0;
    for (int i = 0; i < host->given_count; i++)
        others += !usual_side(host->given[i].name);
    if (!*name || host->given_count == GR_MOST_GIVEN || (others == 2 && !side))
        return;
    if (side) {
        host->given[host->given_count].name = name;
        host->given[host->given_count++].value = side;
        read_with(host, kernel, scan, f, site, score - 1, texts);
        host->given_count--;
        return;
    }
    bool sure;
    const char *const *values = gr_hint_size(name, &sure) ? sizes : usual;
    for (int i = 0; values[i]; i++) {
        host->given[host->given_count].name = name;
        host->given[host->given_count++].value = values[i];
        read_with(host, kernel, scan, f, site, score - 1 - i, texts);
        host->given_count--;
    }
}

void gr_launch_texts_read(const struct gr_kernel *kernel, const struct gr_function *function,
                          const struct gr_scan *scan, const struct gr_site *site,
                          const struct gr_assignment *assignment, struct gr_launch_texts *texts)
{
    struct gr_host host = {.file = &site->file->scan,
                           .site = &site->launch,
                           .roles = assignment->roles,
                           .role_count = GR_MOST_HINTED};
    read_with(&host, kernel, scan, function, site, 0, texts);
}

/* ---- No launch ---- */

/* The value of a constant in the kernel's file; 0: there is none. */
static int64_t constant(const struct gr_scan *scan, const char *name)
{
    const struct gr_launch_site none = {.kernel = 0};
    struct gr_host host = {.file = scan, .site = &none};
    struct gr_range value;
    int64_t number = 0;
    size_t length = 0;
    int define = gr_define_find(scan, name);
    const char *body = define < 0 ? NULL : gr_define_body(scan, define, name, &length);
    if (body && length)
        return strtoll(body, NULL, 0);
    if (gr_constant_find(scan, name, &value) &&
        gr_host_number(&host, value, scan->token_count - 1, &number))
        return number;
    return 0;
}

/* What is guessed of a kernel's launches. */
struct guessing {
    struct gr_launch_texts *texts;
    const char *smem;
    char *origin; /* why guesses are needed */
    bool is_line; /* the kernel reads blockIdx.x alone: the grid has one dimension */
    char
        *name; /* with the template arguments of a launch of which no more is understood; or null */
};

static void push_guess(const struct guessing *g, const char *name, const char *grid,
                       const char *block)
{
    push(g->texts, (struct gr_launch_text){.name = gr_strdup(name ? name : g->name),
                                           .grid = gr_strdup(grid),
                                           .block = gr_strdup(block),
                                           .smem = gr_strdup(g->smem),
                                           .origin = gr_strdup(g->origin),
                                           .guessed = true,
                                           .score = -g->texts->count});
}

/* A block computes bx columns and by rows, or the other way round. */
static void guess_grids(const struct guessing *g, const char *name, int64_t columns, int64_t rows,
                        const char *block)
{
    static const char *const orders[][2] = {{"N", "M"}, {"M", "N"}};
    for (int o = 0; o < (g->is_line ? 1 : 2); o++) {
        char *grid = gr_printf("cdiv(%s, %" PRId64 ")%scdiv(%s, %" PRId64 ")", orders[o][0],
                               o ? rows : columns, g->is_line ? " * " : ", ", orders[o][1],
                               o ? columns : rows);
        push_guess(g, name, grid ? grid : "1", block);
        free(grid);
    }
}

/* Tile sizes, from the names that kernels often use for them. */
static void guess_tiles(const struct gr_scan *scan, const struct guessing *g)
{
    static const char *const names[][4] = {
        {"BM", "BN", "TM", "TN"},
        {"BLOCK_SIZE_M", "BLOCK_SIZE_N", "THREAD_SIZE_Y", "THREAD_SIZE_X"},
        {"BLOCK_SIZE_M", "BLOCK_SIZE_N", "THREAD_SIZE_M", "THREAD_SIZE_N"},
        {"BLOCK_M", "BLOCK_N", "THREAD_M", "THREAD_N"},
        {"TILE_M", "TILE_N", "THREAD_M", "THREAD_N"},
        {"TILE_M", "TILE_N", "TM", "TN"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int64_t rows = constant(scan, names[i][0]), columns = constant(scan, names[i][1]);
        int64_t each_row = constant(scan, names[i][2]), each_column = constant(scan, names[i][3]);
        if (rows <= 0 || columns <= 0 || each_row <= 0 || each_column <= 0 || rows < each_row ||
            columns < each_column)
            continue;
        int64_t x = columns / each_column, y = rows / each_row;
        char *flat = gr_printf("%" PRId64, x * y),
             *square = gr_printf("%" PRId64 ", %" PRId64, x, y);
        guess_grids(g, NULL, columns, rows, square ? square : "");
        guess_grids(g, NULL, columns, rows, flat ? flat : "");
        free(flat);
        free(square);
    }
}

/* The block is known: a thread makes one element. */
static void guess_with_block(const struct guessing *g, const char *block)
{
    const char *comma = strchr(block, ',');
    const int first = (int)strcspn(block, ",");
    char *grid = comma
                     ? gr_printf("cdiv(N, %.*s)%scdiv(M,%.*s)", first, block,
                                 g->is_line ? " * " : ", ", (int)strcspn(comma + 1, ","), comma + 1)
                     : gr_printf("cdiv(M*N, %s)", block);
    push_guess(g, NULL, grid ? grid : "1", block);
    free(grid);
}

/* Sides of square tiles: those of the file's constants, then usual ones. Returns how many. */
static int usual_sides(const struct gr_scan *scan, int64_t sides[8])
{
    static const char *const tiles[] = {
        "BLOCK_SIZE", "TILE_SIZE", "TILE_WIDTH", "TILE",     "TILE_DIM",    "BLOCKSIZE", "BLOCK",
        "BLOCK_DIM",  "BS",        "TS",         "TILESIZE", "BLOCK_WIDTH", NULL};
    int count = 0;
    for (int i = 0; tiles[i] && count < 4; i++) {
        int64_t side = constant(scan, tiles[i]);
        if (side >= 2 && side <= 32)
            sides[count++] = side;
    }
    sides[count++] = 16;
    sides[count++] = 32;
    sides[count++] = 8;
    return count;
}

/* A thread or a warp for each element; a warp for a tile of the tensor cores; 256 threads for a
 * larger tile. */
static void guess_others(const struct guessing *g)
{
    static const char *const lines[][2] = {
        {"cdiv(M*N, 256)", "256"}, {"cdiv(M*N, 8)", "256"}, {"M*N", "32"}};
    static const struct {
        int columns, rows;
        const char *block;
    } tiles[] = {{8, 16, "32"}, {16, 16, "32"}, {128, 128, "256"}, {64, 64, "256"}};
    for (size_t i = 0; g->is_line && i < sizeof lines / sizeof *lines; i++)
        push_guess(g, NULL, lines[i][0], lines[i][1]);
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        guess_grids(g, NULL, tiles[i].columns, tiles[i].rows, tiles[i].block);
}

/* Does the file read blockIdx.x and no other component of blockIdx? */
static bool reads_one_index(const struct gr_scan *scan)
{
    bool x = false;
    for (int i = 0; i < scan->token_count; i++) {
        if (!gr_token_is(scan, i, "blockIdx"))
            continue;
        if (!gr_token_is(scan, i + 1, ".") || !gr_token_is(scan, i + 2, "x"))
            return false;
        x = true;
    }
    return x;
}

/* Why the launch must be guessed: there is none, or a part of it is not understood. The block, if
 * that is understood. */
static char *look_at_site(const struct gr_site *site, struct gr_str *block)
{
    if (!site)
        return gr_strdup("no launch was found");
    const struct gr_launch_site *launch = &site->launch;
    struct gr_host host = {.file = &site->file->scan, .site = launch};
    struct gr_str grid = {0};
    const bool has_grid = gr_host_extents(&host, launch->grid, launch->kernel, &grid);
    const bool has_block = gr_host_extents(&host, launch->block, launch->kernel, block);
    char *plain = has_block ? gr_host_plain(gr_str_text(block)) : NULL;
    gr_str_free(block);
    if (plain)
        gr_str_add(block, plain);
    free(plain);
    char *part = gr_tokens_text(&site->file->scan, !has_grid    ? launch->grid
                                                   : !has_block ? launch->block
                                                                : launch->smem);
    char *origin =
        has_grid && has_block ? gr_printf("with the launch in line %d nothing is right", site->line)
        : part && *part
            ? gr_printf("the launch in line %d was not understood: `%s`", site->line, part)
            : gr_printf("the launch in line %d was not understood", site->line);
    free(part);
    gr_str_free(&grid);
    return origin;
}

/* The kernel's name with the template arguments of the launch, malloc'ed; null: it has none, or
 * they are not understood. *number: the only one, if it is a small number, such as the rows and
 * columns that one thread computes; else 1. */
static char *name_at_site(const struct gr_function *f, const struct gr_scan *scan,
                          const struct gr_site *site, int64_t *number)
{
    enum { MOST_EACH = 8 };
    char *name = NULL;
    *number = 1;
    if (!site || !f->is_template)
        return NULL;
    struct gr_host host = {.file = &site->file->scan, .site = &site->launch};
    if (!write_name(&host, scan, f, &name) || !name)
        return NULL;
    const char *open = strchr(name, '<');
    char *end = NULL;
    const long each = open ? strtol(open + 1, &end, 10) : 0;
    if (each > 1 && each <= MOST_EACH && *end == '>')
        *number = each;
    return name;
}

void gr_launch_texts_guess(const struct gr_function *f, const struct gr_scan *scan,
                           const struct gr_site *site, struct gr_launch_texts *texts)
{
    int64_t sides[8] = {0};
    const int count = usual_sides(scan, sides);
    struct gr_str known = {0};
    struct guessing g = {.texts = texts, .origin = look_at_site(site, &known)};
    int64_t each = 1;
    g.is_line = reads_one_index(scan);
    g.name = name_at_site(f, scan, site, &each);
    for (int i = f->body_begin; i < f->body_end; i++)
        if (gr_token_is(scan, i, "extern"))
            g.smem = "32768";
    struct gr_range header = template_of(scan, f);
    bool one = !g.name && f->is_template &&
               end_of_item(scan, header.begin, header.end) == header.end &&
               !is_type(scan, header, 0);
    if (known.length)
        guess_with_block(&g, gr_str_text(&known));
    guess_tiles(scan, &g);
    for (int i = 0; i < count; i++) {
        char *whole = gr_function_name(scan, f);
        char *name = one ? gr_printf("%s<%" PRId64 ">", whole ? whole : "", sides[i]) : NULL;
        char *square = gr_printf("%" PRId64 ", %" PRId64, sides[i], sides[i]);
        char *flat = gr_printf("%" PRId64, sides[i] * sides[i]);
        if (each > 1)
            guess_grids(&g, name, each * sides[i], each * sides[i], square ? square : "");
        guess_grids(&g, name, sides[i], sides[i], square ? square : "");
        guess_grids(&g, name, sides[i], sides[i], flat ? flat : "");
        free(whole);
        free(name);
        free(square);
        free(flat);
    }
    guess_others(&g);
    free(g.name);
    free(g.origin);
    gr_str_free(&known);
}

void gr_launch_texts_free(struct gr_launch_texts *texts)
{
    for (int i = 0; i < texts->count; i++) {
        free(texts->items[i].name);
        free(texts->items[i].grid);
        free(texts->items[i].block);
        free(texts->items[i].smem);
        free(texts->items[i].origin);
    }
    free(texts->items);
    *texts = (struct gr_launch_texts){0};
}
