/* tracing.c: writes a job to a file, runs the traced program, and reads its result.
 * SPDX-License-Identifier: MIT */
#include "sim/tracing.h"

#include "core/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/spawn.h"
#include "base/temporary.h"
#include "code/decode.h"
#include "code/elf.h"
#include "code/lines.h"
#include "code/sass.h"
#include "code/widths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The paths of one run. */
struct files {
    char job[512], result[512];
    int slots[2];
};

static struct gr_sim_line line_of(const struct gr_line_row *row)
{
    bool known = !row->end && row->file >= 0 && row->line > 0;
    return (struct gr_sim_line){.address = row->address,
                                .line = known ? (uint32_t)row->line : 0,
                                .column = (uint16_t)row->column,
                                .file = known ? (uint16_t)row->file : 0};
}

/* ---- The job. ---- */

/* The two compilers write the same path in different ways, so only its last component is compared.
 */
static int same_file(const struct gr_line_table *lines, const char *path)
{
    for (int i = 0; i < lines->file_count; i++)
        if (strcmp(gr_path_base(lines->files[i]), gr_path_base(path)) == 0)
            return i;
    return -1;
}

/* Adds the widths that the machine code has for one launch's lines, with the file numbers of the
 * program.
 */
static enum gradus_status add_widths(const struct gr_sim_machine *machine,
                                     const struct gr_line_table *machine_lines,
                                     const struct gr_line_table *lines, int number,
                                     struct gr_sim_job *job, struct gr_str *rows,
                                     struct gradus_error *error)
{
    struct gr_width_list list = {0};
    struct gr_sim_job_launch *launch = &job->launches[number];
    enum gradus_status status =
        gr_widths_read(machine->code, machine->kernels[number], machine_lines, &list, error);
    if (status != GRADUS_OK)
        return status;
    launch->widths_known = list.site_count > 0;
    launch->width_first = job->width_count;
    for (int i = 0; i < list.site_count; i++) {
        const struct gr_width_site *s = &list.sites[i];
        int file = s->file < 0 ? -1 : same_file(lines, machine_lines->files[s->file]);
        if (file < 0 || s->line == 0)
            continue;
        struct gr_sim_width row = {.line = (uint32_t)s->line,
                                   .file = (uint16_t)file,
                                   .access = (uint8_t)s->access,
                                   .space = (uint8_t)s->space,
                                   .bytes = (uint8_t)s->bytes};
        gr_str_add_bytes(rows, (const char *)&row, sizeof row);
        launch->width_count++;
        job->width_count++;
    }
    gr_widths_free(&list);
    return GRADUS_OK;
}

/* Adds the widths of all launches. Without line tables in the cubin they are guessed
 * (simrt/merge.c). */
static enum gradus_status add_all_widths(const struct gr_sim_machine *machine,
                                         const struct gr_line_table *lines, struct gr_sim_job *job,
                                         struct gr_str *rows, struct gradus_error *error)
{
    struct gr_line_table machine_lines = {0};
    if (!machine)
        return GRADUS_OK;
    enum gradus_status status =
        gr_line_table_read(machine->image, machine->length, &machine_lines, error);
    for (int i = 0; i < job->launch_count && status == GRADUS_OK; i++)
        if (machine->kernels[i] && machine_lines.count > 0)
            status = add_widths(machine, &machine_lines, lines, i, job, rows, error);
    gr_line_table_free(&machine_lines);
    return status;
}

/* Adds the cubin and the names of the launches' kernels, for the engine that executes them. */
static void add_image(const struct gr_sim_machine *machine, struct gr_sim_job *job,
                      struct gr_str *tail)
{
    job->image_bytes = (int64_t)machine->length;
    gr_str_add_bytes(tail, machine->image, machine->length);
    for (int i = 0; i < job->launch_count; i++) {
        const char *symbol = machine->kernels[i]->symbol;
        job->launches[i].symbol = (int)job->name_bytes;
        gr_str_add_bytes(tail, symbol, strlen(symbol) + 1);
        job->name_bytes += (int64_t)strlen(symbol) + 1;
    }
}

static enum gradus_status write_job(const struct gr_sim_job *job,
                                    const struct gr_sim_machine *machine, bool executes,
                                    const struct gr_line_table *lines, int own, const char *path,
                                    struct gradus_error *error)
{
    struct gr_str out = {0}, widths = {0};
    enum gradus_status status = GRADUS_OK;
    struct gr_sim_job *whole = malloc(sizeof *whole); /* 18 KiB, which is much of a small stack */
    if (!whole)
        return gr_fail_memory(error, "a simulation", sizeof *whole);
    *whole = *job;
    whole->line_count = (int)lines->count;
    whole->own_file = own;
    if (executes)
        add_image(machine, whole, &widths);
    else
        status = add_all_widths(machine, lines, whole, &widths, error);
    whole->lockstep = executes;
    gr_str_add_bytes(&out, (const char *)whole, sizeof *whole);
    free(whole);
    for (int64_t i = 0; i < lines->count; i++) {
        struct gr_sim_line line = line_of(&lines->rows[i]);
        gr_str_add_bytes(&out, (const char *)&line, sizeof line);
    }
    gr_str_add_bytes(&out, gr_str_text(&widths), widths.length);
    if (status == GRADUS_OK)
        status = out.failed || widths.failed ? gr_fail_memory(error, "a simulation", sizeof *job)
                                             : gr_temporary_fill(path, out.text, out.length, error);
    gr_str_free(&out);
    gr_str_free(&widths);
    return status;
}

/* ---- The result. ---- */

struct cursor {
    const char *at;
    size_t left;
};

/* A copy of the next `count` items. Null: the file is too short, or memory is out. An empty list is
 * not null.
 */
static void *take(struct cursor *c, size_t size, int count)
{
    size_t bytes = count < 0 ? c->left + 1 : size * (size_t)count;
    void *copy = bytes <= c->left ? malloc(bytes + 1) : NULL;
    if (copy) {
        memcpy(copy, c->at, bytes);
        c->at += bytes;
        c->left -= bytes;
    }
    return copy;
}

/* A site, and its number in the trails. */
struct numbered {
    struct gr_trace_site site;
    int number;
};

static int by_place(const void *a, const void *b)
{
    const struct gr_trace_site *x = &((const struct numbered *)a)->site;
    const struct gr_trace_site *y = &((const struct numbered *)b)->site;
    if (x->line != y->line)
        return (x->line > y->line) - (x->line < y->line);
    if (x->column != y->column)
        return (x->column > y->column) - (x->column < y->column);
    return (x->code > y->code) - (x->code < y->code);
}

/* Replaces a file's number by its name, which is empty for the kernel's own file. */
static void name_file(const struct gr_line_table *lines, int own, char name[128])
{
    int file = *name ? atoi(name) : own;
    snprintf(name, 128, "%s",
             file == own || file < 0 || file >= lines->file_count
                 ? ""
                 : gr_path_base(lines->files[file]));
}

static int by_site(const void *a, const void *b)
{
    const struct gr_trace_trail *x = a, *y = b;
    if (x->site != y->site)
        return x->site - y->site;
    return x->block != y->block ? x->block - y->block : x->warp - y->warp;
}

/* Sorts sites by their place in the source, and renumbers the trails accordingly. */
static bool order_sites(struct gr_trace *trace)
{
    struct gr_trace_walks *w = &trace->walks;
    size_t count = (size_t)trace->site_count;
    struct numbered *sites = calloc(count + 1, sizeof *sites);
    int *place = calloc(count + 1, sizeof *place);
    bool whole = sites && place;
    for (size_t i = 0; i < count && whole; i++)
        sites[i] = (struct numbered){trace->sites[i], (int)i};
    if (whole)
        qsort(sites, count, sizeof *sites, by_place);
    for (size_t i = 0; i < count && whole; i++) {
        trace->sites[i] = sites[i].site;
        place[sites[i].number] = (int)i;
    }
    for (int i = 0; i < w->trail_count && whole; i++)
        w->trails[i].site = place[w->trails[i].site];
    if (whole) {
        qsort(w->trails, (size_t)w->trail_count, sizeof *w->trails, by_site);
        gr_trace_order_walks(w);
    }
    free(sites);
    free(place);
    return whole;
}

static bool read_walks(struct cursor *c, struct gr_trace_walks *w)
{
    w->shapes = take(c, sizeof *w->shapes, w->shape_count);
    w->runs = take(c, sizeof *w->runs, w->run_count);
    w->walks = take(c, sizeof *w->walks, w->walk_count);
    w->trails = take(c, sizeof *w->trails, w->trail_count);
    return w->shapes && w->runs && w->walks && w->trails;
}

/* Sets the texts of instructions and their classes. */
static void name_instructions(const struct gr_code *code, const struct gr_code_kernel *kernel,
                              struct gr_trace *trace)
{
    for (int i = 0; i < trace->instruction_count; i++) {
        struct gr_trace_instruction *at = &trace->instructions[i];
        const uint64_t offset = (uint64_t)at->offset - kernel->address;
        struct gr_decoded decoded;
        if (offset + GR_SIM_INSTRUCTION_BYTES > kernel->text_bytes)
            continue;
        const uint64_t low = gr_elf_number(kernel->text + offset, 8),
                       high = gr_elf_number(kernel->text + offset + 8, 8);
        if (gr_decode(code->cc, low, high, (uint64_t)at->offset, &decoded))
            gr_decoded_text(&decoded, at->text, sizeof at->text);
        at->op = gr_sass_decode(code->cc, low, high).op;
    }
}

/* The row of an instruction's code, as sites have it; null if there is none. */
static const struct gr_line_row *row_of(const struct gr_line_table *lines, uint64_t code)
{
    const struct gr_line_row *row =
        gr_line_table_find(lines, (int)(code >> GR_SIM_SECTION_BITS), code - 1);
    return row && !row->end && row->file >= 0 && row->line > 0 ? row : NULL;
}

/* Sets the lines of instructions. */
static void place_instructions(const struct gr_line_table *lines, int own, struct gr_trace *trace)
{
    for (int i = 0; i < trace->instruction_count; i++) {
        struct gr_trace_instruction *at = &trace->instructions[i];
        const struct gr_line_row *row = row_of(lines, at->code);
        if (!row)
            continue;
        at->line = row->line;
        snprintf(at->file, sizeof at->file, "%d", row->file);
        name_file(lines, own, at->file);
    }
}

static bool read_part(struct cursor *c, const struct gr_trace *from,
                      const struct gr_line_table *lines, int own, struct gr_trace *trace)
{
    *trace = *from;
    trace->arrays = take(c, sizeof *trace->arrays, from->array_count);
    trace->sites = take(c, sizeof *trace->sites, from->site_count);
    trace->faults = take(c, sizeof *trace->faults, from->fault_count);
    bool whole = read_walks(c, &trace->walks);
    trace->instructions = take(c, sizeof *trace->instructions, from->instruction_count);
    if (!whole || !trace->instructions || !trace->arrays || !trace->sites || !trace->faults ||
        !order_sites(trace)) {
        gr_trace_free(trace);
        return false;
    }
    place_instructions(lines, own, trace);
    for (int i = 0; i < trace->site_count; i++)
        name_file(lines, own, trace->sites[i].file);
    for (int i = 0; i < trace->fault_count; i++) {
        name_file(lines, own, trace->faults[i].file);
        name_file(lines, own, trace->faults[i].other_file);
    }
    return true;
}

/* ": still in line 17 (block (0,0,0), thread (3,0,0))". */
static void name_place(const struct gr_sim_still *still, const struct gr_line_table *lines, int own,
                       char where[320])
{
    const int *b = still->block, *t = still->thread;
    char file[128] = "", line[160] = "";
    snprintf(file, sizeof file, "%d", still->file);
    name_file(lines, own, file);
    if (still->line > 0)
        snprintf(line, sizeof line, ": still in %s%s%d", *file ? file : "line ", *file ? ":" : "",
                 still->line);
    snprintf(where, 320, "%s (block (%d,%d,%d), thread (%d,%d,%d))", line, b[0], b[1], b[2], t[0],
             t[1], t[2]);
}

/* A loop that still reaches elements for the first time is only long; any other is taken to be
 * endless. */
static enum gradus_status report_endless(const struct gr_sim_still *still,
                                         const struct gr_line_table *lines, int own,
                                         struct gradus_error *error)
{
    const double waited_s = (double)still->waited_ns * 1e-9;
    char where[320];
    name_place(still, lines, own, where);
    if (still->idle)
        return gr_fail(error, GRADUS_TIMED_OUT,
                       "the kernel does not end: its threads wait for a condition that never "
                       "holds%s",
                       where);
    if (still->touches)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "it was not followed to its end: in %.3g s of processor time no block has "
                       "ended, and it still reaches elements that it has not accessed before%s; "
                       "choose a smaller size",
                       waited_s, where);
    return gr_fail(error, GRADUS_TIMED_OUT,
                   "the kernel does not end: in the last %.3g s of processor time no block has "
                   "ended%s%s",
                   waited_s, still->passes_barriers ? "" : " and no barrier was passed", where);
}

/* `lines` may be null. "; line 17" or "; tile.h, line 17"; empty if the line is not known. */
static void name_code(uint64_t code, const struct gr_line_table *lines, int own, char where[192])
{
    const struct gr_line_row *row = code && lines ? row_of(lines, code) : NULL;
    char file[128];
    *where = 0;
    if (!row)
        return;
    snprintf(file, sizeof file, "%d", row->file);
    name_file(lines, own, file);
    snprintf(where, 192, "; %s%sline %d", file, *file ? ", " : "", row->line);
}

static enum gradus_status judge(const struct gr_sim_outcome *outcome,
                                const struct gr_line_table *lines, int own,
                                struct gradus_error *error)
{
    char where[192];
    name_code(outcome->code, lines, own, where);
    switch (outcome->status) {
    case GR_SIM_DONE:
        return GRADUS_OK;
    case GR_SIM_NOT_MODELLED:
        return gr_fail(error, GRADUS_UNSUPPORTED, "not modelled: %s%s", outcome->text, where);
    case GR_SIM_REFUSED:
        return gr_fail(error, GRADUS_LAUNCH, "%s", outcome->text);
    case GR_SIM_NO_MEMORY:
        return gr_fail(error, GRADUS_UNSUPPORTED, "the simulator has no memory for it%s%s",
                       *outcome->text ? ": " : "", outcome->text);
    default:
        return gr_fail(error, GRADUS_CRASHED, "%s%s", outcome->text, where);
    }
}

static enum gradus_status read_result(const char *path, const struct gr_sim_machine *machine,
                                      const struct gr_line_table *lines, int own,
                                      struct gr_trace *traces, int *count,
                                      struct gr_sim_contents *contents, struct gradus_error *error)
{
    char *text = NULL;
    size_t length = 0;
    enum gradus_status status = gr_file_read(path, &text, &length, error);
    struct cursor c = {text, length};
    struct gr_sim_result *result = status == GRADUS_OK ? take(&c, sizeof *result, 1) : NULL;
    bool whole = result != NULL;
    for (int i = 0; whole && i < result->launch_count && i < GR_SIM_LAUNCHES; i++) {
        whole = read_part(&c, &result->parts[i].trace, lines, own, &traces[i]);
        *count += whole;
        if (whole && machine && machine->kernels[i])
            name_instructions(machine->code, machine->kernels[i], &traces[i]);
    }
    if (whole && contents && result->kept > 0)
        contents->bytes = take(&c, 1, (int)c.left);
    if (whole && result->outcome.status == GR_SIM_ENDLESS)
        status = report_endless(&result->still, lines, own, error);
    else if (status == GRADUS_OK)
        status = whole ? judge(&result->outcome, lines, own, error)
                       : gr_fail(error, GRADUS_CRASHED, "the simulator's result is incomplete");
    free(result);
    free(text);
    return status;
}

/* ---- The run. ---- */

static enum gradus_status run(const char *path, const struct files *files, int64_t limit_ns,
                              struct gradus_error *error)
{
    char *self = path ? NULL : gr_spawn_self();
    const char *const program[] = {path, files->job, files->result, NULL};
    const char *const machine[] = {self, "machine", files->job, files->result, NULL};
    struct gr_str said = {0};
    int code = 1;
    if (!path && !self)
        return gr_fail(error, GRADUS_UNSUPPORTED, "the program's own file is not known");
    enum gradus_status status =
        gr_process_run(path ? program : machine, NULL, limit_ns, &said, &code, error);
    free(self);
    gr_str_free(&said); /* what the kernel printed, which is dropped */
    if (status == GRADUS_TIMED_OUT)
        return gr_fail(error, status, "the simulation did not end within %.0f s",
                       (double)limit_ns * 1e-9);
    if (status == GRADUS_OK && code > 128)
        return gr_fail(error, GRADUS_CRASHED, "the kernel was killed by signal %d", code - 128);
    if (status == GRADUS_OK && code != 0)
        return gr_fail(error, GRADUS_CRASHED, "the kernel ended its process (exit status %d)",
                       code);
    return status;
}

static enum gradus_status make_files(struct files *files, struct gradus_error *error)
{
    enum gradus_status status =
        gr_temporary_make(".job", files->job, sizeof files->job, &files->slots[0], error);
    if (status == GRADUS_OK)
        status = gr_temporary_make(".result", files->result, sizeof files->result, &files->slots[1],
                                   error);
    return status;
}

static void remove_files(const struct files *files)
{
    gr_temporary_remove(files->job, files->slots[0]);
    gr_temporary_remove(files->result, files->slots[1]);
}

static enum gradus_status read_lines(const char *path, struct gr_line_table *lines,
                                     struct gradus_error *error)
{
    char *image = NULL;
    size_t length = 0;
    enum gradus_status status = gr_file_read(path, &image, &length, error);
    if (status == GRADUS_OK)
        status = gr_line_table_read(image, length, lines, error);
    free(image);
    return status;
}

/* Gives the rows of all functions addresses of their own, and calls in the kernel's file in place
 * of what was inlined there from other files. */
static void number_sections(struct gr_line_table *lines, int own)
{
    for (int64_t i = 0; i < lines->count; i++) {
        struct gr_line_row *r = &lines->rows[i];
        r->address += (uint64_t)r->section << GR_SIM_SECTION_BITS;
        if (r->file != own && r->call_line > 0 && r->call_file == own) {
            r->file = own;
            r->line = r->call_line;
        }
    }
}

enum gradus_status gr_sim_trace(const char *path, const char *source, const struct gr_sim_job *job,
                                const struct gr_sim_machine *machine, int64_t limit_ns,
                                struct gr_trace traces[GR_SIM_LAUNCHES], int *count,
                                struct gr_sim_contents *contents, struct gradus_error *error)
{
    struct files files = {.slots = {-1, -1}};
    struct gr_line_table lines = {0};
    *count = 0;
    enum gradus_status status =
        path ? read_lines(path, &lines, error)
             : gr_line_table_read(machine->image, machine->length, &lines, error);
    int own = status == GRADUS_OK ? gr_line_table_file(&lines, source) : -1;
    if (!path)
        number_sections(&lines, own);
    if (status == GRADUS_OK)
        status = make_files(&files, error);
    if (status == GRADUS_OK)
        status = write_job(job, machine, !path, &lines, own, files.job, error);
    if (status == GRADUS_OK)
        status = run(path, &files, limit_ns, error);
    if (status == GRADUS_OK)
        status = read_result(files.result, machine, &lines, own, traces, count, contents, error);
    remove_files(&files);
    gr_line_table_free(&lines);
    return status;
}

/* ---- A program that checks integers. ---- */

static enum gradus_status read_checks(const char *path, const char *source,
                                      struct gr_trace_fault **faults, int *count, bool *cut,
                                      struct gradus_error *error)
{
    char *text = NULL;
    size_t length = 0;
    enum gradus_status status = gr_file_read(path, &text, &length, error);
    struct cursor c = {text, length};
    struct gr_sim_result *result = status == GRADUS_OK ? take(&c, sizeof *result, 1) : NULL;
    int found = result ? result->parts[0].trace.fault_count : 0;
    *faults = result ? take(&c, sizeof **faults, found) : NULL;
    *count = *faults ? found : 0;
    for (int i = 0; i < *count; i++) {
        struct gr_trace_fault *f = &(*faults)[i];
        bool own = gr_ends_with(source, f->file);
        memmove(f->file, own ? "" : gr_path_base(f->file),
                own ? 1 : strlen(gr_path_base(f->file)) + 1);
    }
    *cut = result && result->cut;
    if (status == GRADUS_OK)
        status = *faults ? judge(&result->outcome, NULL, -1, error)
                         : gr_fail(error, GRADUS_CRASHED, "the simulator's result is incomplete");
    free(result);
    free(text);
    return status;
}

enum gradus_status gr_sim_check(const char *path, const char *source, const struct gr_sim_job *job,
                                int64_t limit_ns, struct gr_trace_fault **faults, int *count,
                                bool *cut, struct gradus_error *error)
{
    struct files files = {.slots = {-1, -1}};
    *faults = NULL;
    *count = 0;
    enum gradus_status status = make_files(&files, error);
    if (status == GRADUS_OK)
        status = gr_file_write(files.job, (const char *)job, sizeof *job, error);
    if (status == GRADUS_OK)
        status = run(path, &files, limit_ns, error);
    if (status == GRADUS_OK)
        status = read_checks(files.result, source, faults, count, cut, error);
    remove_files(&files);
    return status;
}
