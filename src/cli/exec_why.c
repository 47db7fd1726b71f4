/* exec_why.c: finds out why none of a program's calls were intercepted by `gradus exec`, and what
 * to do. SPDX-License-Identifier: MIT */
#include "cli/exec_report.h"
#include "cli/exec_symbols.h"

#include "base/interpreter.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Takes ownership of `why`, a malloc'ed string. */
static void add(struct gr_exec_run *run, char *why, const char *remedy)
{
    struct gr_exec_reasons *r = &run->reasons;
    if (!why || r->count == (int)(sizeof r->items / sizeof *r->items)) {
        free(why);
        return;
    }
    r->items[r->count].why = why;
    r->items[r->count++].remedy = gr_strdup(remedy);
}

void gr_exec_reasons_free(struct gr_exec_reasons *reasons)
{
    for (int i = 0; i < reasons->count; i++) {
        free(reasons->items[i].why);
        free(reasons->items[i].remedy);
    }
    *reasons = (struct gr_exec_reasons){0};
}

static const char relink[] = "link the program with -lgradus in place of its BLAS's gemm, or "
                             "dynamically with a BLAS library";

/* Has the program more rights than its user? For such programs the loader ignores LD_PRELOAD, or
 * all libraries that are not in system folders. */
static bool has_more_rights(const char *path)
{
    struct stat facts;
    char value[64];
    return stat(path, &facts) == 0 &&
           ((facts.st_mode & (S_ISUID | S_ISGID)) ||
            getxattr(path, "security.capability", value, sizeof value) > 0);
}

/* Returns what the kernel executes for `path`: a script's interpreter, or the file itself.
 * malloc'ed. */
static char *run_for(const char *path)
{
    char *interpreter = gr_script_interpreter(path);
    return interpreter ? interpreter : gr_strdup(path);
}

/* Explains that no process has loaded the library. */
static void explain_unloaded(struct gr_exec_run *run)
{
    char *file = run->program ? run_for(run->program) : NULL;
    struct gr_exec_symbols symbols = {0};
    if (file)
        gr_exec_symbols_read(file, run->library, &symbols);
    if (symbols.kind == GR_EXEC_STATIC)
        add(run, gr_printf("%s is statically linked: no library can be put before its own", file),
            relink);
    else if (symbols.kind == GR_EXEC_OTHER_BITS)
        add(run,
            gr_printf("%s is a program for another machine or width than %s", file, run->library),
            "use a library that was built for the same machine");
    else if (file && has_more_rights(file))
        add(run,
            gr_printf("%s is setuid, setgid or has capabilities: the dynamic loader ignores "
                      "LD_PRELOAD for it",
                      file),
            "run a copy of it without these rights");
    else
        add(run, gr_printf("the dynamic loader did not load %s into the program", run->library),
            "look for its own message above; a program that clears its environment must keep "
            "LD_PRELOAD and GRADUS_LEDGER");
    free(file);
}

static const char renamed_remedy[] =
    "use a build of the program that calls BLAS by its own names, or link it with -lgradus";
static const char wheel_remedy[] =
    "it came in a wheel from PyPI, with a BLAS of its own. Use NumPy's own wheel, or a NumPy that "
    "calls the system's BLAS (Debian, Ubuntu: apt-get install python3-numpy, and run "
    "/usr/bin/python3), or call gradus.matmul of Gradus's Python package";

static void explain_object(struct gr_exec_run *run, const char *path)
{
    struct gr_exec_symbols symbols;
    char *real = realpath(path, NULL);
    const char *shown = real ? real : path;
    gr_exec_symbols_read(shown, run->library, &symbols);
    if (symbols.shared[0])
        add(run,
            gr_printf("%s was loaded, but its %s was not called by that name: the program "
                      "multiplied nothing, called other routines only (A @ A.T is a syrk), or "
                      "looked for it in that library alone (dlsym)",
                      shown, symbols.shared),
            NULL);
    else if (symbols.renamed[0])
        add(run,
            gr_printf("%s has gemm under a name of its own, %s; a preloaded library replaces "
                      "BLAS's names, and SciPy's, only",
                      shown, symbols.renamed),
            strstr(shown, "/site-packages/") ? wheel_remedy : renamed_remedy);
    free(real);
}

static bool explain_inner(struct gr_exec_run *run)
{
    struct gr_exec_symbols symbols = {0};
    if (run->program)
        gr_exec_symbols_read(run->program, run->library, &symbols);
    const char *name = symbols.inner[0] ? symbols.inner : symbols.shared;
    if (!name[0])
        return false;
    add(run, gr_printf("%s has %s inside: it was linked with a static BLAS", run->program, name),
        relink);
    return true;
}

/* Explains a run with --gpu. */
static void explain_gpu(struct gr_exec_run *run)
{
    const struct gr_ledger *ledger = run->ledger;
    for (int i = 0; i < GR_LEDGER_OBJECTS; i++) {
        const char *path = ledger->objects[i].path;
        if (!gr_ledger_ready(&ledger->objects[i].state) || !strstr(path, "libcublas"))
            continue;
        add(run,
            gr_printf("%s was loaded, but none of its products was called by its name: the program "
                      "multiplied nothing on the GPU, or looked for it in that library alone "
                      "(dlsym), as JAX does",
                      path),
            NULL);
        return;
    }
    add(run,
        gr_strdup(WIFSIGNALED(run->status)
                      ? "the program was ended by a signal and could not report what it had loaded"
                      : "no process of it had cuBLAS at its end: it used no GPU, or is linked with "
                        "cuBLAS statically"),
        NULL);
}

/* Explains a run with --pblas. */
static void explain_pblas(struct gr_exec_run *run)
{
    const struct gr_ledger *ledger = run->ledger;
    for (int i = 0; i < GR_LEDGER_OBJECTS; i++)
        if (gr_ledger_ready(&ledger->objects[i].state) &&
            strstr(ledger->objects[i].path, "scalapack")) {
            add(run,
                gr_printf("%s was loaded, but its pdgemm_ and psgemm_ were not called",
                          ledger->objects[i].path),
                NULL);
            return;
        }
    add(run,
        gr_strdup("no process of it had ScaLAPACK's library at its end: it was ended, called none, "
                  "or is linked with it statically"),
        "link the program with -lgradus-pblas before ScaLAPACK");
}

void gr_exec_explain(struct gr_exec_run *run)
{
    struct gr_ledger *ledger = run->ledger;
    if (!ledger->loaded) {
        explain_unloaded(run);
        return;
    }
    if (run->gpu) {
        explain_gpu(run);
        return;
    }
    if (run->pblas) {
        explain_pblas(run);
        return;
    }
    for (int i = 0; i < GR_LEDGER_OBJECTS; i++)
        if (gr_ledger_ready(&ledger->objects[i].state))
            explain_object(run, ledger->objects[i].path);
    if (run->reasons.count || explain_inner(run))
        return;
    if (WIFSIGNALED(run->status))
        add(run,
            gr_printf("the program was ended by signal %d and could not report what it had loaded",
                      WTERMSIG(run->status)),
            NULL);
    else
        add(run, gr_strdup("no process of it had a BLAS library at its end"), NULL);
}
