/* find_launch.c: tries the launches that a project suggests. SPDX-License-Identifier: MIT */
#include "measure/find_launch.h"

#include "core/error.h"
#include "base/file.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "catalog/chosen.h"
#include "catalog/roles.h"
#include "catalog/signature.h"
#include "source/project.h"
#include "launches/assignments.h"
#include "launches/size_macros.h"
#include "launches/suggest.h"
#include "measure/launch_trials.h"

#include <stdlib.h>
#include <string.h>

static char *reported(const struct gr_suggestion *suggestion, const struct gr_extent *at,
                      bool strays, int tried)
{
    char size[64];
    struct gr_str out = {0};
    const bool unknown = suggestion->guessed || suggestion->invented;
    if (!at && unknown)
        gr_str_add(&out, "launch unknown: give --grid and --block; ");
    gr_str_add(&out, *suggestion->origin ? suggestion->origin : "arguments found by trial");
    if (!at && unknown) {
        gr_str_printf(&out, ", none of %d guesses gave a right result, and what follows is of %s",
                      tried, suggestion->shown);
    } else if (at) {
        gr_size_name(at->m, at->n, at->k, size, sizeof size);
        gr_str_printf(&out, ": %s (right at %s%s%s)", suggestion->shown, size,
                      strays ? ", but for what it writes outside of C" : "",
                      suggestion->zero ? "; it adds to C, which is zeroed before" : "");
        if (suggestion->half_sums)
            gr_str_add(&out, "; its sums are kept in f16, and it is verified as such a kernel: //@ "
                             "type " GR_HALF_SUMS);
    } else {
        gr_str_printf(&out, ": %s (not confirmed: none of %d ways to launch it was right)",
                      suggestion->shown, tried);
    }
    return out.text;
}

/* Does it pass zeros for an array that the kernel reads beside A and B? */
static bool passes_zeros(const struct gr_suggestion *suggestion)
{
    return strstr(suggestion->lines, "work " GR_ZEROS) != NULL;
}

/* The most likely suggestion that can be parsed at all; the verdict of that one is reported. Zeros
 * for an array of scales or codes would make the kernel wrong, not right, and are no launch of its
 * file's: if nothing else is left, it is no plain GEMM. */
static struct gr_kernel *likeliest(struct gr_trials *s, const struct gr_suggestions *list,
                                   const struct gr_suggestion **which, struct gradus_error *error)
{
    for (int i = 0; i < list->count; i++) {
        struct gr_kernel *k;
        gradus_error_clear(error);
        if (!passes_zeros(&list->items[i]) && (k = gr_trials_kernel(s, &list->items[i], error))) {
            *which = &list->items[i];
            return k;
        }
    }
    return NULL;
}

/* Without a GPU or without its compiler, the trials run on the simulator: `explain` needs
 * neither, and `run` reports that it has no compiler later. */
static enum gradus_status search_launch(const struct gr_launch_search *wanted,
                                        struct gr_suggestions *list, struct gr_kernel **kernel,
                                        bool *is_confirmed, bool *is_narrow,
                                        struct gradus_error *error)
{
    struct gr_trials s = {.wanted = wanted};
    struct gr_options options = *wanted->options;
    const char *const none[] = {NULL};
    options.verify_only = true;
    options.peers = none;
    options.peer_count = 0;
    options.inputs = (struct gr_inputs){0};
    const struct gr_suggestion *which = NULL;
    struct gr_extent at;
    struct gr_kernel *k = NULL;
    enum gradus_status status = gr_session_open(&options, &s.session, error);
    *is_narrow = false;
    if (status == GRADUS_UNSUPPORTED && wanted->runs_there)
        return status;
    if (status == GRADUS_OK)
        k = gr_trials_find(&s, list, &which, &at);
    if (status == GRADUS_OK && gr_trials_lack_compiler(&s)) {
        gr_trials_close(&s);
        status = GRADUS_UNSUPPORTED;
    }
    if (status == GRADUS_UNSUPPORTED) {
        gradus_error_clear(error);
        status = gr_device_ref_parse("sim", &options.device, error);
        if (status == GRADUS_OK)
            status = gr_session_open(&options, &s.session, error);
        k = status == GRADUS_OK ? gr_trials_find(&s, list, &which, &at) : NULL;
    }
    if (status != GRADUS_OK)
        return status;
    bool confirmed = k != NULL;
    if (!k)
        k = likeliest(&s, list, &which, error);
    *is_narrow = confirmed && !gr_trials_grows(&s, k, which);
    if (k)
        k->launch_origin = reported(which, confirmed ? &at : NULL, s.took_stray, s.tried);
    if (k)
        k->launch_guessed = !confirmed && (which->guessed || which->invented);
    *is_confirmed = confirmed;
    gr_trials_close(&s);
    *kernel = k;
    return k ? GRADUS_OK : GRADUS_INVALID;
}

static bool is_launchable(const struct gr_kernel *k)
{
    bool is = true;
    for (int i = 0; i < k->stanza_count; i++)
        is &= k->stanzas[i].grid.count && k->stanzas[i].block.count;
    return is || k->language != GR_LANGUAGE_CUDA;
}

/* The row has the name of the file that was given. */
static void take_found(const char *path, struct gr_kernel *found, struct gr_kernel **kernel)
{
    const char *base = gr_path_base(path), *dot = strchr(base, '.');
    char *name = gr_strndup(base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
    if (name) {
        free(found->name);
        found->name = name;
    }
    gr_kernel_free(*kernel);
    *kernel = found;
}

/* A header that needs definitions from the files that include it is read as a part of one of
 * them. *kernel is null if it cannot be read by itself. */
static void search_where_included(const struct gr_launch_search *wanted, struct gr_kernel **kernel)
{
    enum { MOST_INCLUDERS = 3 };
    struct gr_project project = gr_project_of(wanted->path);
    const struct gr_kernel *k = *kernel;
    char *real = realpath(wanted->path, NULL);
    char *quoted = gr_printf("%s\"", gr_path_base(wanted->path));
    struct gr_str extra = {0};
    if (k && (!k->stanzas[0].kernel.text || !strstr(wanted->extra, "kernel ")))
        gr_str_printf(&extra, "kernel %s\n", k->stanzas[0].signature.name);
    gr_str_add(&extra, wanted->extra);
    bool confirmed = false, narrow = false;
    for (int i = 0, tried = 0;
         real && quoted && i < gr_project_list(&project) && tried < MOST_INCLUDERS; i++) {
        struct gradus_error ignored = {0};
        struct gr_suggestions list = {0};
        struct gr_kernel *found = NULL;
        char *text = NULL;
        size_t length;
        struct gr_launch_search other = *wanted;
        other.path = project.paths[i];
        other.extra = gr_str_text(&extra);
        bool includes = strcmp(real, project.paths[i]) != 0 &&
                        gr_file_read(project.paths[i], &text, &length, &ignored) == GRADUS_OK &&
                        strstr(text, quoted) != NULL;
        tried += includes;
        if (includes && gr_suggest(other.path, other.extra, &list, &ignored) == GRADUS_OK)
            search_launch(&other, &list, &found, &confirmed, &narrow, &ignored);
        if (confirmed) {
            take_found(wanted->path, found, kernel);
        } else {
            gr_kernel_free(found);
        }
        gr_suggestions_free(&list);
        gradus_error_clear(&ignored);
        free(text);
        if (confirmed)
            break;
    }
    gr_str_free(&extra);
    gr_project_free(&project);
    free(quoted);
    free(real);
}

/* Is it a file that others usually do not include? */
static bool is_whole_file(const char *path)
{
    return gr_ends_with(path, ".cu") || gr_ends_with(path, ".hip") || gr_ends_with(path, ".cpp");
}

/* The arguments that the kernel gets now, as an `args` line. */
static void write_args(const struct gr_kernel *k, struct gr_str *out)
{
    const struct gr_signature *s = &k->stanzas[0].signature;
    gr_str_add(out, "args ");
    for (int i = 0; i < s->count; i++) {
        const struct gr_parameter *p = &s->parameters[i];
        const enum gr_role role = k->mirrored ? gr_role_mirrored(p->role) : p->role;
        const char *name = p->name; /* of a `work` or `arg` line */
        for (int r = 0; r < GR_ROLE_NAMES; r++)
            if (gr_role_names[r].role == role)
                name = gr_role_names[r].name;
        gr_str_printf(out, "%s%s", i ? ", " : "", name);
    }
    gr_str_add(out, "\n");
}

/* Does the file have lines of front matter? Without a `trans` line among them it supports nn
 * only. */
static bool says_trans(const struct gr_launch_search *wanted)
{
    struct gr_kernel *k = NULL;
    struct gradus_error ignored = {0};
    bool says = gr_kernel_open(wanted->path, wanted->extra, &k, &ignored) == GRADUS_OK &&
                (k->trans_declared || k->has_front_matter);
    gr_kernel_free(k);
    gradus_error_clear(&ignored);
    return says;
}

/* For a C kernel that cannot be read because its parameters have other names: what is found by
 * trial counts only if it is right. Otherwise the reader's message says what is missing. */
static enum gradus_status find_call(const struct gr_launch_search *wanted,
                                    enum gradus_status status, struct gr_kernel **kernel,
                                    struct gradus_error *error)
{
    struct gr_suggestions list = {0};
    struct gradus_error ignored = {0};
    struct gr_kernel *found = NULL;
    bool confirmed = false, narrow = false;
    if (status != GRADUS_INVALID)
        return status;
    if (gr_suggest(wanted->path, wanted->extra, &list, &ignored) == GRADUS_OK && list.count)
        search_launch(wanted, &list, &found, &confirmed, &narrow, &ignored);
    gr_suggestions_free(&list);
    gradus_error_clear(&ignored);
    if (!confirmed) {
        gr_kernel_free(found);
        return status;
    }
    gradus_error_clear(error);
    *kernel = found;
    return GRADUS_OK;
}

/* The lines of a suggestion after those that it was made with. */
static char *own_lines(const struct gr_suggestion *suggestion, const char *extra)
{
    const bool kept = gr_starts_with(suggestion->lines, extra);
    return gr_strdup(suggestion->lines + (kept ? strlen(extra) : 0));
}

char *gr_call_advise(const struct gr_kernel *k, const struct gr_options *options,
                     struct gr_types types, char **lines)
{
    struct gr_str extra = {0};
    struct gr_suggestions list = {0};
    struct gradus_error ignored = {0};
    struct gr_kernel *found = NULL;
    bool confirmed = false, narrow = false;
    char *advice = NULL;
    if (lines)
        *lines = NULL;
    if (k->language != GR_LANGUAGE_C || k->built_in || k->stanza_count != 1)
        return NULL;
    gr_str_add(&extra, k->extra ? k->extra : "");
    if (k->stanzas[0].args.count == 0)
        write_args(k, &extra);
    const struct gr_launch_search wanted = {.path = k->path,
                                            .extra = gr_str_text(&extra),
                                            .options = options,
                                            .types = types,
                                            .types_given = true,
                                            .brief = true};
    if (gr_suggest(k->path, wanted.extra, &list, &ignored) == GRADUS_OK && list.count)
        search_launch(&wanted, &list, &found, &confirmed, &narrow, &ignored);
    for (int i = 0; confirmed && i < list.count; i++)
        if (!advice && strcmp(found->extra, list.items[i].lines) == 0 && list.items[i].shown &&
            *list.items[i].shown) {
            advice = gr_strdup(list.items[i].shown);
            if (lines)
                *lines = own_lines(&list.items[i], gr_str_text(&extra));
        }
    gr_kernel_free(found);
    gr_suggestions_free(&list);
    gradus_error_clear(&ignored);
    gr_str_free(&extra);
    return advice;
}

/* Was a launch of the project found and understood? */
static bool has_launch(const struct gr_suggestions *list)
{
    for (int i = 0; i < list->count; i++)
        if (!list->items[i].guessed)
            return true;
    return false;
}

/* Tries usual launches for a kernel that is right with none of its project's. */
static bool search_usual(const struct gr_launch_search *wanted, struct gr_kernel **kernel)
{
    struct gr_launch_search brief = *wanted;
    struct gr_suggestions list = {0};
    struct gr_kernel *found = NULL;
    struct gradus_error ignored = {0};
    bool confirmed = false, narrow = false;
    brief.brief = true;
    if (gr_suggest_usual(wanted->path, wanted->extra, &list, &ignored) == GRADUS_OK && list.count)
        search_launch(&brief, &list, &found, &confirmed, &narrow, &ignored);
    if (confirmed) {
        gr_kernel_free(*kernel);
        *kernel = found;
    } else {
        gr_kernel_free(found);
    }
    gr_suggestions_free(&list);
    gradus_error_clear(&ignored);
    return confirmed;
}

/* The launch that is right has the same grid for all sizes, which computes a part of a larger C. If
 * a usual one computes all of it, the kernel is measured with that. */
static void search_wider(const struct gr_launch_search *wanted, struct gr_kernel **kernel)
{
    char *own = gr_strdup((*kernel)->launch_origin ? (*kernel)->launch_origin : "");
    const bool found = search_usual(wanted, kernel);
    const char *shown = found ? strstr((*kernel)->launch_origin, "--grid ") : NULL;
    const char *colon = own ? strstr(own, ": ") : NULL;
    const size_t length = colon ? (size_t)(colon - own) : 0;
    char *origin = NULL;
    if (own && shown)
        origin = gr_printf("%.*s has one grid for all sizes, which computes a part of a larger C; "
                           "in its place: %s",
                           (int)length, own, shown);
    else if (own)
        origin = gr_printf("%s; its grid is the same for all sizes, and computes a part of a "
                           "larger C: give --grid",
                           own);
    if (origin) {
        free((*kernel)->launch_origin);
        (*kernel)->launch_origin = origin;
    }
    free(own);
}

/* Tries a kernel that is right with no smaller sizes than those of its file with these. */
static bool search_whole(const struct gr_launch_search *wanted, const char *extra,
                         struct gr_size_macros *sizes, struct gr_kernel **kernel)
{
    struct gr_launch_search whole = *wanted;
    struct gr_size_macros own;
    struct gr_suggestions list = {0};
    struct gr_kernel *found = NULL;
    struct gradus_error ignored = {0};
    bool confirmed = false, narrow = false;
    gr_size_macros_find(wanted->path, extra, wanted->options->build.defines, false, &own);
    char *lines = gr_printf("%s%s", extra, gr_str_text(&own.lines));
    whole.extra = lines;
    if (lines && gr_suggest(wanted->path, lines, &list, &ignored) == GRADUS_OK && list.count)
        search_launch(&whole, &list, &found, &confirmed, &narrow, &ignored);
    if (confirmed) {
        const struct gr_size_macros reduced = *sizes;
        *sizes = own;
        own = reduced;
        gr_kernel_free(*kernel);
        *kernel = found;
    } else {
        gr_kernel_free(found);
    }
    gr_suggestions_free(&list);
    gr_size_macros_free(&own);
    gradus_error_clear(&ignored);
    free(lines);
    return confirmed;
}

/* With other numbers in place of the file's sizes, its own launch may be none of the kernel's: that
 * nothing is right with it is no verdict. */
static void doubt_sizes(struct gr_kernel *k, const struct gr_size_macros *sizes)
{
    char *origin = !sizes->is_reduced ? NULL
                   : k->launch_origin
                       ? gr_printf("its sizes are not known: give --size, --grid, --block and "
                                   "--define; %s",
                                   k->launch_origin)
                       : NULL;
    if (!origin)
        return;
    free(k->launch_origin);
    k->launch_origin = origin;
    k->launch_guessed = true;
}

/* Adds what is to be known about the sizes in the kernel's file to the way it was launched. */
static void note_sizes(struct gr_kernel *k, const struct gr_size_macros *sizes)
{
    if (!sizes->note.length)
        return;
    char *both = k->launch_origin ? gr_printf("%s; %s", k->launch_origin, gr_str_text(&sizes->note))
                                  : gr_strdup(gr_str_text(&sizes->note));
    free(k->launch_origin);
    k->launch_origin = both;
}

/* A kernel that takes scales, codes or the like beside A, B and C is not blamed for a wrong product
 * of three of its arrays: the reader's message says what it takes. */
static enum gradus_status refuse_other_arrays(const struct gr_launch_search *wanted,
                                              enum gradus_status status, struct gr_kernel **kernel,
                                              struct gradus_error *error)
{
    struct gradus_error why = {0};
    struct gr_kernel *read = NULL;
    const enum gradus_status reading = gr_kernel_read(wanted->path, wanted->extra, &read, &why);
    gr_kernel_free(read);
    const bool refused = reading == GRADUS_INVALID && strstr(why.text, GR_NO_PLAIN_GEMM);
    if (!refused && (status != GRADUS_INVALID || !error || *error->text)) {
        gradus_error_clear(&why);
        return status;
    }
    if (status == GRADUS_OK)
        gr_kernel_free(*kernel);
    *kernel = NULL;
    gradus_error_clear(error);
    if (error)
        *error = why;
    else
        gradus_error_clear(&why);
    return reading == GRADUS_OK ? GRADUS_INVALID : reading;
}

enum gradus_status gr_launch_find(const struct gr_launch_search *wanted, struct gr_kernel **kernel,
                                  struct gradus_error *error)
{
    struct gr_suggestions list = {0};
    struct gradus_error why = {0};
    struct gr_launch_search requested = *wanted;
    struct gr_str extra = {0};
    struct gr_size_macros sizes;
    gr_str_add(&extra, wanted->extra ? wanted->extra : "");
    if (wanted->trans && !says_trans(wanted))
        gr_str_printf(&extra, "trans %s\n", wanted->trans);
    gr_size_macros_find(wanted->path, gr_str_text(&extra), wanted->options->build.defines,
                        wanted->may_reduce && gr_device_is_simulated(&wanted->options->device),
                        &sizes);
    char *given = gr_strdup(gr_str_text(&extra));
    gr_str_add(&extra, gr_str_text(&sizes.lines));
    requested.extra = gr_str_text(&extra);
    enum gradus_status status = gr_kernel_read(requested.path, requested.extra, kernel, error);
    bool done = status == GRADUS_OK && is_launchable(*kernel);
    if (!done && gr_is_c_path(requested.path)) {
        done = true;
        status = find_call(&requested, status, kernel, error);
    }
    if (!done && gr_suggest(requested.path, requested.extra, &list, &why) == GRADUS_OK &&
        list.count) {
        gr_kernel_free(*kernel);
        *kernel = NULL; /* a search that fails leaves it */
        gradus_error_clear(error);
        bool confirmed = false, narrow = false;
        status = search_launch(&requested, &list, kernel, &confirmed, &narrow, error);
        if (status == GRADUS_OK && narrow)
            search_wider(&requested, kernel);
        if (status == GRADUS_OK && !confirmed && has_launch(&list))
            confirmed = search_usual(&requested, kernel);
        if (status == GRADUS_OK && !confirmed && sizes.is_reduced && given)
            confirmed = search_whole(&requested, given, &sizes, kernel);
        if (status == GRADUS_OK && !confirmed && !(wanted->brief && is_whole_file(wanted->path)))
            search_where_included(&requested, kernel);
        if (!confirmed)
            status = refuse_other_arrays(&requested, status, kernel, error);
        if (!confirmed && status == GRADUS_OK)
            doubt_sizes(*kernel, &sizes);
    }
    const bool declared = status != GRADUS_OK && error && strstr(error->text, GR_ONLY_DECLARED);
    if (!done && status != GRADUS_OK && why.status == GRADUS_INVALID && !declared) {
        *kernel = NULL;
        search_where_included(&requested, kernel);
        if (*kernel) {
            gradus_error_clear(error);
            status = GRADUS_OK;
        }
    }
    if (!done && status != GRADUS_OK && why.status == GRADUS_INVALID &&
        strstr(why.text, " by value "))
        gr_fail(error, status = GRADUS_INVALID, "%s",
                why.text); /* a problem that no `args` line can fix */
    if (status == GRADUS_OK)
        note_sizes(*kernel, &sizes);
    gr_size_macros_free(&sizes);
    free(given);
    gr_str_free(&extra);
    gradus_error_clear(&why);
    if (!done)
        gr_suggestions_free(&list);
    if (status == GRADUS_OK && (status = gr_after_check(*kernel, error)) != GRADUS_OK) {
        gr_kernel_free(*kernel);
        *kernel = NULL;
    }
    return status;
}
