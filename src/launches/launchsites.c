/* launchsites.c: finds where a project launches a kernel. SPDX-License-Identifier: MIT */
#include "launches/launchsites.h"

#include "base/file.h"
#include "catalog/plain_launches.h"
#include "emit/headers.h"

#include <stdlib.h>
#include <string.h>

static int count_items(const struct gr_scan *scan, struct gr_range r)
{
    int count = 0;
    for (int i = r.begin; i < r.end; i = gr_item_end(scan, i, r.end) + 1)
        count++;
    return count;
}

/* The file and line of token i, from the last #line before it. */
static void origin_of(const struct gr_site_file *file, int i, struct gr_site *site)
{
    int line = file->scan.tokens[i].line;
    site->line = line;
    free(site->path);
    site->path = gr_strdup(file->path);
    for (int d = i - 1; d >= 0; d--) {
        const struct gr_token *t = &file->scan.tokens[d];
        if (t->kind != GR_TOKEN_DIRECTIVE || !gr_starts_with(file->text + t->begin, "#line "))
            continue;
        char *end;
        long first = strtol(file->text + t->begin + strlen("#line "), &end, 10);
        const char *quote = strchr(end, '"');
        if (!quote)
            return;
        free(site->path);
        site->path = gr_strndup(quote + 1, strcspn(quote + 1, "\"\n"));
        site->line = (int)first + line - t->line - 1;
        return;
    }
}

static bool is_known(const struct gr_sites *sites, const struct gr_site *site)
{
    for (int i = 0; i < sites->count; i++)
        if (site->path && sites->items[i].path && sites->items[i].line == site->line &&
            strcmp(sites->items[i].path, site->path) == 0)
            return true;
    return false;
}

static struct gr_site_file *read_file(struct gr_project *project, const struct gr_kernel *k,
                                      const char *path, const char *text, struct gr_sites *sites)
{
    struct gr_site_file *file = calloc(1, sizeof *file);
    struct gr_str joined = {0};
    gr_headers_join_file(project, k, path, text, &joined);
    if (file && joined.text && gr_scan_text(path, joined.text, &file->scan, NULL) == GRADUS_OK) {
        file->path = gr_strdup(path);
        file->text = joined.text;
        file->next = sites->files;
        sites->files = file;
        return file;
    }
    gr_str_free(&joined);
    free(file);
    return NULL;
}

/* Has the text `<<<`, or `<< <` as some editors write it? */
static bool has_chevrons(const char *text)
{
    for (const char *p = strstr(text, "<<"); p; p = strstr(p + 1, "<<"))
        if (p[2 + strspn(p + 2, " ")] == '<')
            return true;
    return false;
}

static bool may_launch(const char *text, const char *name)
{
    return strstr(text, name) && (has_chevrons(text) || strstr(text, "LaunchKernel") ||
                                  strstr(text, "LaunchCooperativeKernel"));
}

static void look(struct gr_project *project, const struct gr_kernel *k, const char *path,
                 const char *text, const struct gr_signature *s, struct gr_sites *sites)
{
    if (!may_launch(text, s->name))
        return;
    /* The kernel's own text has plain parameters already. */
    char *plain = text == k->source ? NULL : gr_plain_launches(path, text, k, s->name);
    const struct gr_site_file *file = read_file(project, k, path, plain ? plain : text, sites);
    free(plain);
    struct gr_launch_site launch;
    for (int from = 0; file && sites->count < GR_MOST_SITES &&
                       gr_launch_site_next(&file->scan, s->name, &from, &launch);) {
        struct gr_site *site = &sites->items[sites->count];
        if (count_items(&file->scan, launch.arguments) != s->count)
            continue;
        *site = (struct gr_site){.file = file, .launch = launch};
        origin_of(file, launch.kernel, site);
        if (is_known(sites, site))
            free(site->path);
        else
            sites->count++;
    }
}

/* A file that defines a kernel of this name launches its own one. */
static bool has_own(const char *path, const char *text, const char *name)
{
    struct gr_scan scan;
    bool own = false;
    if (!strstr(text, "__global__") || gr_scan_text(path, text, &scan, NULL) != GRADUS_OK)
        return false;
    for (int i = 0; i < scan.function_count && !own; i++)
        own = scan.functions[i].is_global && gr_token_is(&scan, scan.functions[i].name, name);
    gr_scan_free(&scan);
    return own;
}

/* Files that include the kernel's file by name come before others. */
static void look_around(struct gr_project *project, const struct gr_kernel *k,
                        const struct gr_signature *s, bool including, struct gr_sites *sites)
{
    const char *path = k->path;
    char *real = realpath(path, NULL);
    for (int i = 0; real && i < gr_project_list(project) && sites->count < GR_MOST_SITES; i++) {
        char *text = NULL;
        size_t length;
        struct gradus_error ignored = {0};
        if (strcmp(project->paths[i], real) != 0 &&
            gr_file_read(project->paths[i], &text, &length, &ignored) == GRADUS_OK &&
            may_launch(text, s->name) && (strstr(text, gr_path_base(path)) != NULL) == including &&
            !has_own(project->paths[i], text, s->name))
            look(project, k, project->paths[i], text, s, sites);
        gradus_error_clear(&ignored);
        free(text);
    }
    free(real);
}

void gr_sites_find(const struct gr_kernel *kernel, const struct gr_signature *signature,
                   struct gr_project *project, struct gr_sites *sites)
{
    look(project, kernel, kernel->path, kernel->source, signature, sites);
    if (sites->count == 0 && kernel->includer)
        look(project, kernel, kernel->includer, kernel->includer_source, signature, sites);
    if (sites->count == 0)
        look_around(project, kernel, signature, true, sites);
    if (sites->count == 0)
        look_around(project, kernel, signature, false, sites);
}

void gr_sites_free(struct gr_sites *sites)
{
    for (int i = 0; i < sites->count; i++)
        free(sites->items[i].path);
    while (sites->files) {
        struct gr_site_file *next = sites->files->next;
        gr_scan_free(&sites->files->scan);
        free(sites->files->path);
        free(sites->files->text);
        free(sites->files);
        sites->files = next;
    }
    *sites = (struct gr_sites){0};
}
