/* recording.c: records the rows of a run in the history. SPDX-License-Identifier: MIT */
#include "cli/recording.h"

#include "base/cache.h"
#include "base/str.h"
#include "core/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Keeps the first line about the history; only one is printed. */
static void note(struct gr_recording *r, const char *text)
{
    if (!r->note && text && *text)
        r->note = gr_strdup(text);
}

/* Ends the recording after a failure. */
static void give_up(struct gr_recording *r, struct gradus_error *error)
{
    struct gr_str text = {0};
    gr_str_printf(&text, "%s; the rows are not recorded", error->text);
    note(r, gr_str_text(&text));
    gr_str_free(&text);
    gr_history_close(r->history);
    r->history = NULL;
    r->on = false;
    gradus_error_clear(error);
}

/* Returns the name of the GPU, or of the CPU with its instruction set, which GRADUS_ISA may
 * restrict. */
static char *name_machine(const struct gr_environment *e, const char *gpu)
{
    if (gpu)
        return gr_strdup(gpu);
    return gr_printf("%s%s%s", e->cpu ? e->cpu : "unknown", e->isa ? ", " : "",
                     e->isa ? e->isa : "");
}

void gr_recording_begin(struct gr_recording *r, const struct gr_args *args,
                        const struct gr_run *run, const char *gpu,
                        const struct gr_sweep_kernel *kernels, int kernel_count)
{
    *r = (struct gr_recording){.on = gr_history_is_built() && !gr_args_get(args, "no-history"),
                               .function = gr_args_get(args, "kernel"),
                               .kernels = kernels,
                               .kernel_count = kernel_count};
    r->run = (struct gr_history_run){.title = run->title,
                                     .machine = name_machine(&run->environment, gpu),
                                     .environment = run->environment};
}

/* Opens the history that the environment defines. If there is none, the history is disabled. */
static enum gradus_status open_history(struct gr_recording *r, struct gradus_error *error)
{
    char *path = NULL;
    enum gradus_status status = gr_history_place(&path, error);
    if (status == GRADUS_OK && path)
        status = gr_history_open(path, true, &r->history, error);
    if (status == GRADUS_OK && path) {
        note(r, gr_history_notice(r->history));
        status = gr_history_begin_run(r->history, &r->run, error);
    }
    r->on = r->history != NULL;
    free(path);
    return status;
}

/* ---- The file of a kernel. ---- */

static const struct gr_sweep_kernel *find_kernel(const struct gr_recording *r,
                                                 const struct gr_row *row)
{
    for (int i = 0; i < r->kernel_count && !row->is_peer; i++) {
        const struct gr_kernel *kernel = r->kernels[i].kernel;
        if (strcmp(kernel->name, row->kernel) == 0 &&
            (!row->path || !kernel->path || strcmp(kernel->path, row->path) == 0))
            return &r->kernels[i];
    }
    return NULL;
}

/* Returns the hash of the text that is compiled, or of the machine code. */
static char *hash_of(const struct gr_kernel *kernel)
{
    struct gr_cache_key key = {0};
    if (kernel->code.image)
        gr_cache_key_add(&key, kernel->code.image, kernel->code.length);
    else
        gr_cache_key_add_text(&key, kernel->source);
    if (kernel->includer_source)
        gr_cache_key_add_text(&key, kernel->includer_source);
    return gr_printf("%016" PRIx64 "%016" PRIx64, key.high, key.low);
}

static char *file_of(const struct gr_kernel *kernel)
{
    char *whole = kernel->built_in || !kernel->path ? NULL : realpath(kernel->path, NULL);
    return whole || kernel->built_in ? whole : gr_strdup(kernel->path);
}

void gr_recording_entry(const struct gr_recording *r, const struct gr_row *row,
                        struct gr_history_entry *entry)
{
    const struct gr_sweep_kernel *found = find_kernel(r, row);
    *entry = (struct gr_history_entry){.run = r->run.id, .row = *row};
    if (found) {
        entry->file = file_of(found->kernel);
        entry->function = gr_strdup(found->function ? found->function : r->function);
        entry->file_hash = hash_of(found->kernel);
    }
}

void gr_recording_entry_free(struct gr_history_entry *entry)
{
    free(entry->file);
    free(entry->function);
    free(entry->file_hash);
    *entry = (struct gr_history_entry){0};
}

/* ---- Rows. ---- */

/* The run is recorded together with its first row, so that a run without rows is not recorded. */
void gr_recording_add(struct gr_recording *r, const struct gr_row *row)
{
    struct gradus_error error = {0};
    struct gr_history_entry entry;
    enum gradus_status status = GRADUS_OK;
    if (!r->on || !gr_row_has_speed(row))
        return;
    if (!r->history)
        status = open_history(r, &error);
    gr_recording_entry(r, row, &entry);
    if (status == GRADUS_OK && r->on)
        status = gr_history_add(r->history, &entry, &error);
    gr_recording_entry_free(&entry);
    if (status != GRADUS_OK)
        give_up(r, &error);
}

void gr_recording_end(struct gr_recording *r, const struct gr_environment *environment)
{
    struct gradus_error error = {0};
    if (r->history) {
        r->run.environment = *environment;
        if (gr_history_end_run(r->history, &r->run, &error) != GRADUS_OK)
            give_up(r, &error);
    }
    gr_history_close(r->history);
    r->history = NULL;
    r->on = false;
    if (r->note)
        gr_cli_note("%s", r->note);
    free(r->note);
    r->note = NULL;
}

void gr_recording_free(struct gr_recording *r)
{
    gr_history_close(r->history);
    free(r->run.machine);
    free(r->note);
    *r = (struct gr_recording){0};
}
