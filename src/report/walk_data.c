/* walk_data.c: the warps' requests that the simulator has recorded, as JSON for walk_model.js, and
 * the script.
 * SPDX-License-Identifier: MIT
 *
 * Lists of numbers are strings with blanks between the numbers: "12 4096 13". Shapes and walks are
 * numbered as in the trace. */
#include "report/explain_page.h"

#include "catalog/catalog.h"
#include "io/json_out.h"
#include "report/html.h"

#include <inttypes.h>
#include <stdio.h>

/* Blocks after the first one are left out if the page would become larger than this. */
enum { MOST_BYTES = 600 << 10 };

/* Has the simulator recorded requests? Only then does the page have a script. */
static bool has_walks(const struct gr_explain_page *page)
{
    for (int i = 0; i < page->launch_count; i++)
        if (page->launches[i].trace && page->launches[i].trace->walks.trail_count > 0)
            return true;
    return false;
}

static void put_numbers(struct gr_json *w, const char *name, struct gr_str *text)
{
    gr_json_put_text(w, name, gr_str_text(text));
    w->out->failed |= text->failed;
    gr_str_free(text);
}

static void add_number(struct gr_str *text, int64_t number)
{
    gr_str_printf(text, text->length ? " %" PRId64 : "%" PRId64, number);
}

static void put_extent(struct gr_json *w, const char *name, const unsigned extent[3])
{
    gr_json_open_array(w, name, GR_JSON_ONE_LINE);
    for (int i = 0; i < 3; i++)
        gr_json_put_whole(w, NULL, extent[i]);
    gr_json_close(w);
}

/* ---- Arrays and accesses. ---- */

/* Which of m, n and k are the rows of an operand as it is stored, and which its columns. */
static const char *axes_of(const struct gr_problem *p, char operand)
{
    if (operand == 'C')
        return "mn";
    if (operand == 'A')
        return p->trans_a ? "km" : "mk";
    return p->trans_b ? "nk" : "kn";
}

static void put_array(struct gr_json *w, const struct gr_explain_page *page,
                      const struct gr_trace_array *a)
{
    const struct gr_problem *p = page->problem;
    const struct gr_workload_array *other =
        a->space == GR_SPACE_GLOBAL ? gr_workload_array_named(page->workload, a->name) : NULL;
    gr_json_open_object(w, NULL, GR_JSON_ONE_LINE);
    gr_json_put_text(w, "name", a->name);
    gr_json_put_text(w, "space", gr_space_name(a->space));
    gr_json_put_whole(w, "element", a->element_bytes);
    gr_json_put_whole(w, "bytes", a->bytes);
    if (a->operand) {
        const char operand[2] = {a->operand, 0};
        gr_json_put_text(w, "operand", operand);
        gr_json_put_text(w, "axes", axes_of(p, a->operand));
        gr_json_put_whole(w, "rows", gr_problem_rows(p, a->operand));
        gr_json_put_whole(w, "columns", gr_problem_cols(p, a->operand));
        gr_json_put_whole(w, "ld", gr_problem_ld(p, a->operand));
    } else if (other && other->ld > 0) {
        gr_json_put_text(w, "axes", "rc"); /* rows and columns have no other names */
        gr_json_put_whole(w, "columns", other->columns);
        gr_json_put_whole(w, "ld", other->ld);
    }
    gr_json_close(w);
}

/* For AMD's GPUs: the bytes of a sector, the number of banks, and the phase of each group of four
 * of the 32 lanes. */
static void put_rules(struct gr_json *w, const struct gr_trace_site *s)
{
    const bool loads = s->access == GR_ACCESS_LOAD;
    const struct gr_bank_rule *rule = gr_bank_rule_of(&s->rules, s->bytes, loads);
    struct gr_str phases = {0};
    gr_json_put_whole(w, "sector", s->rules.sector_bytes);
    gr_json_put_whole(w, "banks", rule->banks);
    for (int i = 0; i < GR_QUADS; i++)
        add_number(&phases, rule->phase[i]);
    put_numbers(w, "phases", &phases);
}

static void put_site(struct gr_json *w, const struct gr_trace_site *s)
{
    const struct gr_site_cost cost = gr_site_cost_of(s);
    gr_json_open_object(w, NULL, GR_JSON_ONE_LINE);
    gr_json_put_whole(w, "line", *s->file ? 0 : s->line);
    gr_json_put_whole(w, "column", s->column);
    gr_json_put_text(w, "access", gr_access_name(s->access));
    gr_json_put_text(w, "space", gr_space_name(s->space));
    gr_json_put_whole(w, "array", s->array);
    gr_json_put_whole(w, "bytes", s->bytes);
    gr_json_put_whole(w, "requests", s->requests);
    gr_json_put_real(w, "each", cost.each);
    gr_json_put_real(w, "best", cost.best);
    if (s->rules.sector_bytes > 0)
        put_rules(w, s);
    gr_json_close(w);
}

/* ---- Shapes and walks. ---- */

/* Writes lanes with a constant stride: the first lane, the number of lanes, the offset of the
 * first, and the stride. */
static void put_lanes(struct gr_json *w, const struct gr_trace_shape *s)
{
    struct gr_str text = {0};
    for (int first = 0, next; first < GR_TRACE_LANES; first = next) {
        next = first + 1;
        if (!(s->lanes >> first & 1))
            continue;
        int64_t stride = 0;
        for (; next < GR_TRACE_LANES && s->lanes >> next & 1; next++) {
            int64_t step = s->offset[next] - s->offset[next - 1];
            if (next == first + 1)
                stride = step;
            else if (step != stride)
                break;
        }
        add_number(&text, first);
        add_number(&text, next - first);
        add_number(&text, s->offset[first]);
        add_number(&text, stride);
    }
    put_numbers(w, "lanes", &text);
}

static void put_shape(struct gr_json *w, const struct gr_trace_shape *s)
{
    struct gr_str sectors = {0};
    for (int i = 0; i < GR_SECTOR_MOST; i++)
        if (s->sectors[i]) {
            add_number(&sectors, i);
            add_number(&sectors, s->sectors[i]);
        }
    gr_json_open_object(w, NULL, GR_JSON_ONE_LINE);
    put_lanes(w, s);
    if (sectors.length) {
        put_numbers(w, "sectors", &sectors);
        gr_json_put_whole(w, "best", s->sectors_ideal);
    } else {
        gr_json_put_whole(w, "wavefronts", s->wavefronts);
        gr_json_put_whole(w, "best", s->wavefronts_ideal);
    }
    gr_json_close(w);
}

static void put_walk(struct gr_json *w, const struct gr_trace_walks *walks,
                     const struct gr_trace_walk *walk)
{
    struct gr_str runs = {0};
    for (int i = 0; i < walk->run_count; i++) {
        const struct gr_trace_run *r = &walks->runs[walk->first_run + i];
        add_number(&runs, r->count);
        add_number(&runs, r->shape);
        add_number(&runs, r->start);
        add_number(&runs, r->stride);
    }
    gr_json_open_object(w, NULL, GR_JSON_ONE_LINE);
    put_numbers(w, "runs", &runs);
    gr_json_put_whole(w, "shift", walk->shift);
    gr_json_put_whole(w, "kept", walk->kept);
    gr_json_put_whole(w, "total", walk->total);
    gr_json_close(w);
}

/* ---- Blocks. ---- */

/* Adds trails of one access and block, from `first` on. Neighbouring warps with the same walk,
 * whose bases have a constant stride, are written together: the first warp, the number of warps,
 * the walk, the base of the first, and the stride. Returns the index of the trail after the last
 * one. */
static int add_trails(const struct gr_trace_walks *w, int first, struct gr_str *text)
{
    const struct gr_trace_trail *t = w->trails;
    int end = first;
    while (end < w->trail_count && t[end].site == t[first].site && t[end].block == t[first].block)
        end++;
    for (int i = first, next; i < end; i = next) {
        int64_t distance = 0;
        for (next = i + 1; next < end; next++) {
            int64_t step = t[next].base - t[next - 1].base;
            if (t[next].walk != t[i].walk || t[next].warp != t[next - 1].warp + 1 ||
                (next > i + 1 && step != distance))
                break;
            distance = step;
        }
        add_number(text, t[i].warp);
        add_number(text, next - i);
        add_number(text, t[i].walk);
        add_number(text, t[i].base);
        add_number(text, distance);
    }
    return end;
}

static void put_block(struct gr_json *w, const struct gr_trace *trace, int block)
{
    const struct gr_trace_walks *walks = &trace->walks;
    gr_json_open_object(w, NULL, GR_JSON_ONE_LINE);
    put_extent(w, "at", walks->blocks[block]);
    gr_json_open_object(w, "trails", GR_JSON_ONE_LINE);
    for (int i = 0; i < walks->trail_count;) {
        struct gr_str text = {0};
        char site[16];
        if (walks->trails[i].block != block) {
            i++;
            continue;
        }
        snprintf(site, sizeof site, "%d", walks->trails[i].site);
        i = add_trails(walks, i, &text);
        put_numbers(w, site, &text);
    }
    gr_json_close(w);
    gr_json_close(w);
}

static void put_launch(struct gr_json *w, const struct gr_explain_page *page,
                       const struct gr_page_launch *launch)
{
    const struct gr_trace *t = launch->trace;
    bool dropped = t->walks.dropped;
    gr_json_open_object(w, NULL, GR_JSON_LINES);
    gr_json_put_text(w, "kernel", launch->kernel);
    put_extent(w, "grid", launch->grid);
    put_extent(w, "block", launch->block);
    gr_json_put_whole(w, "warp", t->warp);
    gr_json_open_array(w, "arrays", GR_JSON_LINES);
    for (int i = 0; i < t->array_count; i++)
        put_array(w, page, &t->arrays[i]);
    gr_json_close(w);
    gr_json_open_array(w, "sites", GR_JSON_LINES);
    for (int i = 0; i < t->site_count; i++)
        put_site(w, &t->sites[i]);
    gr_json_close(w);
    gr_json_open_array(w, "shapes", GR_JSON_LINES);
    for (int i = 0; i < t->walks.shape_count; i++)
        put_shape(w, &t->walks.shapes[i]);
    gr_json_close(w);
    gr_json_open_array(w, "walks", GR_JSON_LINES);
    for (int i = 0; i < t->walks.walk_count; i++)
        put_walk(w, &t->walks, &t->walks.walks[i]);
    gr_json_close(w);
    gr_json_open_array(w, "blocks", GR_JSON_LINES);
    const size_t start = w->out->length;
    for (int i = 0; i < t->walks.block_count; i++) {
        if (i == 0 || w->out->length - start < MOST_BYTES / (size_t)page->launch_count)
            put_block(w, t, i);
        else
            dropped = true;
    }
    gr_json_close(w);
    gr_json_put_bool(w, "dropped", dropped);
    gr_json_close(w);
}

static const char *text_of(const char *path)
{
    const struct gr_embedded *file = gr_embedded_find(path);
    return file ? file->text : "";
}

/* Appends the hash of the script, which the build has computed, in Base64. */
static void add_hash(struct gr_str *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static const char hex[] = GR_WALK_SHA256;
    unsigned bits = 0;
    int held = 0;
    for (const char *p = hex; *p; p++) {
        bits = bits << 4 | (unsigned)(*p <= '9' ? *p - '0' : *p - 'a' + 10);
        held += 4;
        for (; held >= 6; held -= 6)
            gr_str_add_bytes(out, &digits[bits >> (held - 6) & 63], 1);
    }
    /* The 256 bits are 42 digits of 6 bits, and 4 bits. */
    gr_str_add_bytes(out, &digits[bits << 2 & 63], 1);
    gr_str_add(out, "=");
}

void gr_page_open(const struct gr_explain_page *page, struct gr_str *out)
{
    struct gr_str hash = {0}, rules = {0};
    const bool walks = has_walks(page);
    if (walks) {
        gr_str_add(&hash, "sha256-");
        add_hash(&hash);
        gr_str_add(&rules, text_of("src/report/walk.css"));
    }
    if (gr_page_has_code(page))
        gr_str_add(&rules, text_of("src/report/code.css"));
    gr_html_open_scripted(page->name, walks ? gr_str_text(&hash) : NULL,
                          rules.length ? gr_str_text(&rules) : NULL, out);
    out->failed |= rules.failed;
    gr_str_free(&hash);
    gr_str_free(&rules);
}

/* The parts of the one script on the page. The build computes their common hash
 * (cmake/kernels.cmake). */
static const char *const scripts[] = {"src/report/walk_model.js", "src/report/walk_pictures.js",
                                      "src/report/walk.js", "src/report/walk_code.js"};

void gr_page_walk(const struct gr_explain_page *page, struct gr_str *out)
{
    struct gr_json w = {.out = out, .for_html = true};
    if (!has_walks(page))
        return;
    gr_str_add(out, "<script type=\"application/json\" id=\"walk-data\">\n");
    gr_json_open_object(&w, NULL, GR_JSON_LINES);
    gr_json_put_whole(&w, "m", page->problem->m);
    gr_json_put_whole(&w, "n", page->problem->n);
    gr_json_put_whole(&w, "k", page->problem->k);
    gr_json_put_bool(&w, "amd", page->amd_kept != NULL);
    gr_json_open_array(&w, "launches", GR_JSON_LINES);
    for (int i = 0; i < page->launch_count; i++)
        if (page->launches[i].trace)
            put_launch(&w, page, &page->launches[i]);
    gr_json_close(&w);
    gr_json_close(&w);
    gr_str_add(out, "\n</script>\n<script>");
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        gr_str_add(out, text_of(scripts[i]));
    gr_str_add(out, "</script>\n");
}
