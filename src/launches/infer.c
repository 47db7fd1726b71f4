/* infer.c: proposes front matter for a file without it. SPDX-License-Identifier: MIT */
#include "launches/infer.h"

#include "core/error.h"
#include "base/file.h"
#include "catalog/catalog.h"
#include "source/defines.h"
#include "launches/launchsite.h"
#include "catalog/chosen.h"
#include "catalog/parameters.h"
#include "catalog/plain_parameters.h"
#include "catalog/roles.h"
#include "catalog/templates.h"
#include "launches/suggest.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CANDIDATES = 64 };

/* What is known about the file so far. */
struct inference {
    const char *path, *wanted; /* the function that was asked for; null: none was */
    struct gr_scan scan;
    enum gr_language language;
    int candidates[MAX_CANDIDATES], candidate_count;
    const struct gr_function *kernel;
    struct gr_signature signature;
    struct gr_launch_site site;
    bool has_site;
    struct gr_str *out;
};

static bool is_launched(const struct gr_scan *scan, int function, struct gr_launch_site *site)
{
    char *name = gr_token_text(scan, scan->functions[function].name);
    int from = 0;
    bool found = name && gr_launch_site_next(scan, name, &from, site);
    free(name);
    return found;
}

/* The candidate that was asked for by its name, "k" or "k<64>"; -1: there is none. */
static int wanted_candidate(const struct inference *f)
{
    const size_t length = strcspn(f->wanted, "< ");
    for (int i = 0; i < f->candidate_count; i++) {
        const struct gr_token *t = &f->scan.tokens[f->scan.functions[f->candidates[i]].name];
        if (t->end - t->begin == length && strncmp(f->scan.text + t->begin, f->wanted, length) == 0)
            return f->candidates[i];
    }
    return -1;
}

/* Chooses the kernel that was asked for, that the file itself launches, or else its first one. */
static enum gradus_status choose(struct inference *f, struct gradus_error *error)
{
    f->candidate_count =
        gr_kernel_candidates(f->path, &f->scan, f->language, f->candidates, MAX_CANDIDATES);
    if (f->candidate_count == 0)
        return gr_kernel_none(f->path, &f->scan, f->language, error);
    int likely[MAX_CANDIDATES], likely_count = f->candidate_count;
    memcpy(likely, f->candidates, sizeof likely);
    if (f->language == GR_LANGUAGE_CUDA && likely_count > 1) {
        const int some = gr_kernel_likely(f->path, &f->scan, f->language, likely, likely_count);
        likely_count = some > 0 ? some : likely_count;
    }
    int chosen = f->wanted ? wanted_candidate(f) : likely[0];
    if (chosen < 0)
        return gr_fail(error, GRADUS_INVALID,
                       "%s: has no kernel '%s', wanted one of its functions that take A, B and C",
                       f->path, f->wanted);
    if (f->wanted)
        f->has_site = is_launched(&f->scan, chosen, &f->site);
    for (int i = 0; i < likely_count && !f->has_site && !f->wanted; i++) {
        f->has_site = is_launched(&f->scan, likely[i], &f->site);
        if (f->has_site)
            chosen = likely[i];
    }
    f->kernel = &f->scan.functions[chosen];
    return gr_signature_parse(f->path, &f->scan, f->kernel, &f->signature, error);
}

static void write_types(const struct inference *f)
{
    enum gr_dtype type[3];
    bool known[3] = {false};
    for (int i = 0; i < f->signature.count; i++) {
        const struct gr_parameter *p = &f->signature.parameters[i];
        int operand = (int)gr_role_of_name(p->name) - (int)GR_ROLE_A;
        if (operand >= 0 && operand < 3 && p->pointer)
            known[operand] = gr_parameter_dtype(&f->scan, p, &type[operand]);
    }
    if (!known[0] || !known[1] || !known[2])
        return;
    char text[80];
    struct gr_types types = {type[0], type[1], type[2], type[2]};
    if (type[2] == GR_F16 || type[2] == GR_BF16)
        types.acc = GR_F32;
    gr_types_name(types, text, sizeof text);
    gr_str_printf(f->out, "//@ type     %s\n", text);
}

/* Writes a param for `#ifndef BM` / `#define BM 64`, which is meant to be set from outside. */
static void write_params(const struct inference *f)
{
    struct gr_str list = {0};
    for (int i = 0; i < f->scan.token_count; i++) {
        const char *p = f->scan.text + f->scan.tokens[i].begin + 1;
        if (f->scan.tokens[i].kind != GR_TOKEN_DIRECTIVE)
            continue;
        p += strspn(p, " \t");
        if (!gr_starts_with(p, "define"))
            continue;
        p += strlen("define");
        p += strspn(p, " \t");
        size_t length = 0, digits;
        while (isalnum((unsigned char)p[length]) || p[length] == '_')
            length++;
        char *name = gr_strndup(p, length);
        const char *body = name ? gr_define_body(&f->scan, i, name, &digits) : NULL;
        if (body && digits && digits < 10 && strspn(body, "0123456789") == digits &&
            gr_define_guarded(&f->scan, i, name))
            gr_str_printf(&list, "%s%s %.*s {%.*s}", list.length ? ", " : "", name, (int)digits,
                          body, (int)digits, body);
        free(name);
    }
    if (list.length)
        gr_str_printf(f->out, "//@ param    %s\n", list.text);
    gr_str_free(&list);
}

/* The arguments of an explicit instantiation, `template __global__ void k<16>(…);`, malloc'ed;
 * null: there is none. */
static char *instantiated(const struct inference *f)
{
    for (int i = 1; i + 1 < f->scan.token_count; i++) {
        int begin = i;
        if (!gr_tokens_same(&f->scan, i, f->kernel->name) || !gr_token_is(&f->scan, i + 1, "<"))
            continue;
        while (begin > 0 && f->scan.tokens[begin - 1].kind == GR_TOKEN_WORD &&
               !gr_token_is(&f->scan, begin, "template"))
            begin--;
        const int past = gr_token_close_angle(&f->scan, i + 1, f->scan.token_count);
        if (gr_token_is(&f->scan, begin, "template") && gr_token_is(&f->scan, past, "("))
            return gr_tokens_text(&f->scan, (struct gr_range){i + 1, past});
    }
    return NULL;
}

/* The arguments of a template are those of the launch whose grid is written. */
static void write_name(const struct inference *f)
{
    char *arguments = !f->kernel->is_template ? NULL
                      : f->has_site           ? gr_launch_arguments(&f->scan, &f->site)
                                              : instantiated(f);
    if (f->candidate_count > 1 || arguments)
        gr_str_printf(f->out, "//@ kernel   %s%s\n", f->signature.name, arguments ? arguments : "");
    free(arguments);
    if (f->candidate_count < 2)
        return;
    gr_str_add(f->out, "// the file's other kernels:");
    for (int i = 0; i < f->candidate_count; i++) {
        const struct gr_function *other = &f->scan.functions[f->candidates[i]];
        char *name = gr_token_text(&f->scan, other->name);
        if (other != f->kernel && name)
            gr_str_printf(f->out, " %s", name);
        free(name);
    }
    gr_str_add(f->out, "\n");
}

static void write_launch_line(const struct inference *f, struct gr_site_reader *t,
                              const char *keyword, struct gr_range range, struct gr_str *lines)
{
    struct gr_str text = {0};
    int where;
    if (range.end <= range.begin)
        return;
    if (gr_translate(t, range, &text, &where)) {
        if (strcmp(keyword, "smem") != 0 || strcmp(gr_str_text(&text), "0") != 0)
            gr_str_printf(lines, "//@ %-8s %s\n", keyword, gr_str_text(&text));
    } else {
        const struct gr_token *token = &f->scan.tokens[where];
        gr_str_printf(lines,
                      "// %s: '%.*s' on line %d cannot be read here; write `//@ %s` by hand\n",
                      keyword, (int)(token->end - token->begin), f->scan.text + token->begin,
                      token->line, keyword);
    }
    gr_str_free(&text);
}

/* Writes the lines of the launch that another file of the project has. False: there is none. */
static bool write_launch_elsewhere(const struct inference *f)
{
    static const char *const keywords[] = {"kernel", "grid", "block", "smem", "args", NULL};
    struct gr_suggestions list = {0};
    struct gradus_error ignored = {0};
    char *extra = gr_printf("kernel %s\n", f->signature.name);
    const bool found = extra && gr_suggest(f->path, extra, &list, &ignored) == GRADUS_OK &&
                       list.count > 0 && !list.items[0].guessed && *list.items[0].origin;
    if (found)
        gr_str_printf(f->out, "// %s, " GR_INFERRED_ELSEWHERE "\n", list.items[0].origin);
    for (const char *p = found ? list.items[0].lines : NULL; p && *p; p += *p == '\n') {
        const size_t length = strcspn(p, "\n");
        for (int k = 0; keywords[k]; k++) {
            const size_t word = strlen(keywords[k]);
            const bool is_named = strcmp(keywords[k], "kernel") != 0 || memchr(p, '<', length);
            if (length > word && strncmp(p, keywords[k], word) == 0 && p[word] == ' ' && is_named)
                gr_str_printf(f->out, "//@ %-8s %.*s\n", keywords[k], (int)(length - word - 1),
                              p + word + 1);
        }
        p += length;
    }
    free(extra);
    gradus_error_clear(&ignored);
    gr_suggestions_free(&list);
    return found;
}

/* Without a launch, __launch_bounds__(256) still gives the block size. */
static void write_bounds(const struct inference *f)
{
    struct gr_site_reader t = {.file = &f->scan, .scan = &f->scan, .signature = &f->signature};
    struct gr_str text = {0};
    int where;
    for (int i = f->kernel->head; i < f->kernel->body_begin; i++) {
        if (!gr_token_is(&f->scan, i, "__launch_bounds__"))
            continue;
        int end = i + 2;
        while (!gr_token_is(&f->scan, end, ",") && !gr_token_is(&f->scan, end, ")"))
            end++;
        if (gr_translate(&t, (struct gr_range){i + 2, end}, &text, &where)) {
            if (t.lets.length)
                gr_str_printf(f->out, "//@ let      %s\n", t.lets.text);
            gr_str_printf(f->out, "//@ block    %s\n", text.text);
        }
        break;
    }
    gr_str_add(f->out, "// the file has no <<<grid, block>>>: write `//@ grid`");
    gr_str_add(f->out, text.length ? "\n" : " and `//@ block`\n");
    gr_str_free(&text);
    gr_site_reader_free(&t);
}

static void write_launch(const struct inference *f)
{
    struct gr_site_reader t = {
        .file = &f->scan, .scan = &f->scan, .site = &f->site, .signature = &f->signature};
    struct gr_str lines = {0};
    if (!f->has_site) {
        if (!write_launch_elsewhere(f))
            write_bounds(f);
        return;
    }
    write_launch_line(f, &t, "grid", f->site.grid, &lines);
    write_launch_line(f, &t, "block", f->site.block, &lines);
    write_launch_line(f, &t, "smem", f->site.smem, &lines);
    if (t.lets.length)
        gr_str_printf(f->out, "//@ let      %s\n", t.lets.text);
    if (t.ceil_of_integers)
        gr_str_add(f->out,
                   "// ceil() of an integer division rounds down: the launch misses the edge; "
                   "cdiv(x, y) rounds up\n");
    gr_str_add(f->out, gr_str_text(&lines));
    gr_str_free(&lines);
    gr_site_reader_free(&t);
}

/* If the file still cannot be read as a kernel, adds a comment with the reader's error message. */
static void write_rest(const struct inference *f, const char *text)
{
    struct gr_kernel *kernel;
    struct gradus_error error = {0};
    /* A line that may be needed for the message, so that it names the place in the written file. */
    char *whole = gr_printf("%s%s%s", gr_str_text(f->out), "// still to do\n", text);
    if (whole && gr_kernel_parse(f->path, whole, NULL, &kernel, &error) == GRADUS_OK) {
        if (kernel->only_size)
            gr_str_add(f->out, "//@ require  M==N && N==K\n");
        gr_kernel_free(kernel);
    } else
        gr_str_printf(f->out, "// still to do: %s\n", error.text);
    gradus_error_clear(&error);
    free(whole);
}

static bool has_front_matter(const char *text)
{
    for (const char *p = text; p; p = strchr(p, '\n')) {
        p += strspn(p, " \t\r\n");
        if (gr_starts_with(p, "//@"))
            return true;
        if (!*p)
            break;
    }
    return false;
}

enum gradus_status gr_kernel_infer(const char *path, const char *text, struct gr_str *out,
                                   struct gradus_error *error)
{
    return gr_kernel_infer_named(path, text, NULL, out, error);
}

enum gradus_status gr_kernel_infer_named(const char *path, const char *text, const char *name,
                                         struct gr_str *out, struct gradus_error *error)
{
    if (has_front_matter(text))
        return gr_fail(error, GRADUS_INVALID, "%s: the file has front matter (`//@`) already",
                       path);
    struct inference f = {.path = path, .wanted = name, .out = out};
    f.language = gr_is_c_path(path) ? GR_LANGUAGE_C : GR_LANGUAGE_CUDA;
    char *plain =
        f.language == GR_LANGUAGE_CUDA ? gr_plain_parameters(path, NULL, text, NULL) : NULL;
    enum gradus_status status = gr_scan_text(path, plain ? plain : text, &f.scan, error);
    if (status != GRADUS_OK) {
        free(plain);
        return status;
    }
    status = choose(&f, error);
    if (status == GRADUS_OK) {
        gr_str_printf(out, "//@ title    %s\n", f.signature.name);
        write_types(&f);
        write_params(&f);
        write_name(&f);
        if (f.language == GR_LANGUAGE_CUDA)
            write_launch(&f);
        write_rest(&f, text);
        if (out->failed)
            status = gr_fail_memory(error, path, strlen(text));
    }
    gr_signature_free(&f.signature);
    gr_scan_free(&f.scan);
    free(plain);
    return status;
}
