/* resume.c: checks whether the rows of an earlier run are comparable with this one's.
 * SPDX-License-Identifier: MIT */
#include "cli/resume.h"

#include "core/error.h"
#include "base/str.h"
#include "io/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum gradus_status gr_resume_read(const char *path, struct gr_run *kept, struct gradus_error *error)
{
    struct stat file, out;
    bool known = stat(path, &file) == 0;
    *kept = (struct gr_run){0};
    if (known && fstat(STDOUT_FILENO, &out) == 0 && S_ISREG(out.st_mode) &&
        out.st_dev == file.st_dev && out.st_ino == file.st_ino)
        return gr_fail(
            error, GRADUS_INVALID,
            "--resume %s: standard output goes to this file, and has emptied it: write to "
            "another one",
            path);
    char *inside = known && S_ISDIR(file.st_mode) ? gr_printf("%s/run.json", path) : NULL;
    enum gradus_status status = gr_json_read_run(inside ? inside : path, kept, error);
    free(inside);
    return status;
}

static enum gradus_status differs(const char *path, const char *what, const char *there,
                                  const char *here, struct gradus_error *error)
{
    return gr_fail(
        error, GRADUS_INVALID,
        "--resume %s: another %s, so that its rows do not compare: found '%.160s', here it "
        "is '%.160s'",
        path, what, there && *there ? there : "none", here && *here ? here : "none");
}

static bool same(const char *x, const char *y)
{
    return strcmp(x ? x : "", y ? y : "") == 0;
}

static enum gradus_status check_machine(const char *path, const struct gr_environment *there,
                                        const struct gr_environment *here, const char *device_name,
                                        struct gradus_error *error)
{
    const struct {
        const char *what, *there, *here;
    } facts[] = {{"CPU", there->cpu, here->cpu},
                 {"machine (caches)", there->caches, here->caches},
                 {"instruction set", there->isa, here->isa},
                 {"build (version)", there->version, here->version},
                 {"build (compiler)", there->compiler, here->compiler},
                 {"--fill", there->fill, here->fill}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (!same(facts[i].there, facts[i].here))
            return differs(path, facts[i].what, facts[i].there, facts[i].here, error);
    char then[24], now[24];
    snprintf(then, sizeof then, "%d", there->cores);
    snprintf(now, sizeof now, "%d", here->cores);
    if (there->cores != here->cores)
        return differs(path, "number of cores", then, now, error);
    snprintf(then, sizeof then, "%" PRIu64, there->seed);
    snprintf(now, sizeof now, "%" PRIu64, here->seed);
    if (there->seed != here->seed)
        return differs(path, "--seed", then, now, error);
    /* The name of the device is followed by clocks and temperatures, which may differ. */
    if (*device_name && !(there->gpu && gr_starts_with(there->gpu, device_name)))
        return differs(path, "GPU", there->gpu, device_name, error);
    return GRADUS_OK;
}

/* Returns the word after an option in a command, or "". */
static void word_after(const char *command, const char *option, char word[64])
{
    const char *at = command ? strstr(command, option) : NULL;
    word[0] = 0;
    if (!at)
        return;
    at += strlen(option);
    at += *at == ' ' || *at == '=';
    snprintf(word, 64, "%.*s", (int)strcspn(at, " "), at);
}

/* Checks what the command of a row does not contain: how long each row is timed, and against which
 * peers. */
static enum gradus_status check_preset(const char *path, const struct gr_run *kept,
                                       const char *command, struct gradus_error *error)
{
    char there[64], here[64];
    word_after(kept->environment.command, " --preset", there);
    word_after(command, " --preset", here);
    return strcmp(there, here) == 0 ? GRADUS_OK : differs(path, "--preset", there, here, error);
}

/* Finds the first of x's options (such as " --threads 2") that y does not have. */
static void extra_option(const char *x, const char *y, char option[128])
{
    option[0] = 0;
    for (const char *at = strstr(x, " --"); at; at = strstr(at + 1, " --")) {
        const char *next = strstr(at + 1, " --");
        int length = next ? (int)(next - at) : (int)strlen(at);
        char *whole = gr_strndup(at, (size_t)length);
        const char *found = whole ? strstr(y, whole) : NULL;
        while (found && found[length] && found[length] != ' ')
            found = strstr(found + 1, whole);
        free(whole);
        if (found)
            continue;
        snprintf(option, 128, "%.*s", length - 1, at + 1);
        return;
    }
}

static bool same_case(const struct gr_row *x, const struct gr_row *y)
{
    return same(x->kernel, y->kernel) && x->is_peer == y->is_peer &&
           x->requested_m == y->requested_m && x->requested_n == y->requested_n &&
           x->requested_k == y->requested_k;
}

static enum gradus_status refuse_row(const char *path, const struct gr_row *row,
                                     const struct gr_row *like, struct gradus_error *error)
{
    char size[64], there[128] = "", here[128] = "";
    gr_size_name(row->requested_m, row->requested_n, row->requested_k, size, sizeof size);
    if (like && row->command) {
        extra_option(row->command, like->command, there);
        extra_option(like->command, row->command, here);
    }
    if (*there || *here)
        return gr_fail(
            error, GRADUS_INVALID,
            "--resume %s: its %.80s at %s was measured with other options: found '%s', here "
            "it is '%s'",
            path, row->kernel, size, *there ? there : "none", *here ? here : "none");
    return gr_fail(
        error, GRADUS_INVALID,
        "--resume %s: its %.80s at %s (%.200s) is not requested here: give the kernels and sizes "
        "of that run, or more",
        path, row->kernel, size, row->command ? row->command : "no command");
}

/* Checks that each row of the earlier run is also a row of this run. */
static enum gradus_status check_rows(const char *path, const struct gr_run *kept,
                                     const struct gr_run *plan, struct gradus_error *error)
{
    for (int i = 0; i < kept->row_count; i++) {
        const struct gr_row *row = &kept->rows[i], *like = NULL;
        bool planned = false;
        for (int j = 0; j < plan->row_count && !planned; j++) {
            planned = same(row->command, plan->rows[j].command);
            if (!like && same_case(row, &plan->rows[j]))
                like = &plan->rows[j];
        }
        if (!planned)
            return refuse_row(path, row, like, error);
    }
    return GRADUS_OK;
}

static bool has_row(const struct gr_run *kept, const struct gr_kernel *kernel)
{
    for (int i = 0; i < kept->row_count; i++)
        if (same(kept->rows[i].kernel, kernel->name))
            return true;
    return false;
}

/* A kernel's file that was modified after the earlier run had begun may contain another kernel
 * now. */
static enum gradus_status check_files(const struct gr_measuring *m, const char *path,
                                      const struct gr_run *kept, struct gradus_error *error)
{
    struct tm date = {0};
    const char *text = kept->environment.date;
    const char *end = text ? strptime(text, "%Y-%m-%dT%H:%M:%SZ", &date) : NULL;
    for (int i = 0; i < m->kernel_count; i++) {
        const struct gr_kernel *kernel = m->kernels[i].kernel;
        struct stat file;
        if (kernel->built_in || !kernel->path || !has_row(kept, kernel) ||
            stat(kernel->path, &file) != 0)
            continue;
        if (!end || file.st_mtim.tv_sec > timegm(&date))
            return gr_fail(error, GRADUS_INVALID,
                           "--resume %s: %s was changed after that run began (%s): measure it anew",
                           path, kernel->path, text ? text : "no date");
    }
    return GRADUS_OK;
}

enum gradus_status gr_resume_check(const struct gr_measuring *m, const char *path,
                                   const struct gr_run *kept,
                                   const struct gr_environment *environment,
                                   const struct gr_run *plan, const char *device_name,
                                   struct gradus_error *error)
{
    enum gradus_status status =
        check_machine(path, &kept->environment, environment, device_name, error);
    if (status == GRADUS_OK)
        status = check_preset(path, kept, m->args->command, error);
    if (status == GRADUS_OK)
        status = check_rows(path, kept, plan, error);
    return status == GRADUS_OK ? check_files(m, path, kept, error) : status;
}
