/* verb_exec.c: gradus exec -- PROGRAM: runs a program with libgradus in place of its BLAS, and
 * reports its calls. SPDX-License-Identifier: MIT */
#include "core/error.h"
#include "base/file.h"
#include "base/interpreter.h"
#include "base/process.h"
#include "base/spawn.h"
#include "base/temporary.h"
#include "cli/exec_child.h"
#include "cli/exec_report.h"
#include "cli/preload.h"
#include "base/text.h"
#include "cli/verb.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TOP = 10, TOP_MOST = 1000000, THREADS_MOST = 4096 };
/* The exit statuses that a shell uses. */
enum { EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127 };

static const struct gr_option options[] = {
    {"quiet", 'q', NULL, false, "count nothing and print nothing"},
    {"output", 'o', "FILE", false, "where the report goes (default: standard error)"},
    {"format", 0, "table|json", false, "how the report is printed (default: table)"},
    {"top", 0, "N", false, "shapes in the report, those that took longest (default 10)"},
    {"threads", 0, "N", false, "threads that a product may use, as GRADUS_NUM_THREADS"},
    {"gpu", 0, NULL, false, "take cuBLAS's place, on the GPU, and not the BLAS's"},
    {"pblas", 0, NULL, false, "take the place of ScaLAPACK's pdgemm_ and psgemm_, not the BLAS's"},
    {"math", 0, "default|ieee|accurate|scaled", false,
     "with --gpu: how products of floats are computed (default: default)"},
    {"time", 0, NULL, false, "with --gpu: measure what the GPU takes for each call, by events"},
    {0},
};

struct request {
    bool quiet, json, gpu, pblas, timed;
    const char *math; /* null if not given */
    const char *output;
    int top;
    char threads[16]; /* "" if not given */
};

/* Reads an option; *value is not changed if it is not given. */
static bool read_count(const struct gr_args *args, const char *name, int least, int most,
                       int *value)
{
    const char *text = gr_args_get(args, name);
    if (!text)
        return true;
    char *end;
    errno = 0;
    const long number = *text >= '0' && *text <= '9' ? strtol(text, &end, 10) : -1;
    if (number < least || number > most || *end || errno) {
        gr_cli_refuse("exec: --%s: found '%.80s', wanted a number from %d to %d", name, text, least,
                      most);
        return false;
    }
    *value = (int)number;
    return true;
}

static bool read_request(const struct gr_args *args, struct request *r)
{
    const char *format = gr_args_get(args, "format");
    int threads = 0;
    *r = (struct request){.quiet = gr_args_get(args, "quiet") != NULL,
                          .json = format && strcmp(format, "json") == 0,
                          .gpu = gr_args_get(args, "gpu") != NULL,
                          .pblas = gr_args_get(args, "pblas") != NULL,
                          .math = gr_args_get(args, "math"),
                          .timed = gr_args_get(args, "time") != NULL,
                          .output = gr_args_get(args, "output"),
                          .top = TOP};
    if (!read_count(args, "top", 0, TOP_MOST, &r->top) ||
        !read_count(args, "threads", 1, THREADS_MOST, &threads))
        return false;
    if (r->json && !gr_args_get(args, "top"))
        r->top = -1;
    if (threads)
        snprintf(r->threads, sizeof r->threads, "%d", threads);
    if (r->gpu && r->pblas) {
        gr_cli_refuse("exec: --gpu and --pblas take two places: drop one");
        return false;
    }
    if (r->gpu && r->threads[0]) {
        gr_cli_refuse("exec: --threads is for products on the CPU: drop it, or --gpu");
        return false;
    }
    if (r->math && !r->gpu) {
        gr_cli_refuse("exec: --math is for products on a GPU: add --gpu");
        return false;
    }
    if (r->timed && (!r->gpu || r->quiet)) {
        gr_cli_refuse("exec: --time is for products on a GPU that are counted: add --gpu, and no "
                      "--quiet");
        return false;
    }
    if (r->quiet && (r->output || format)) {
        gr_cli_refuse("exec: --quiet leaves nothing for --output and --format: drop one");
        return false;
    }
    return true;
}

/* The ledger is in memory only, so that nothing is left behind however the processes end. The
 * program's processes open it through our file descriptor, which requires /proc; without /proc it
 * is a temporary file. */
static int open_ledger(char *path, size_t size, int *slot)
{
    struct gradus_error ignored = {0};
    int fd = memfd_create("gradus-ledger", MFD_CLOEXEC);
    snprintf(path, size, "/proc/%ld/fd/%d", (long)getpid(), fd);
    *slot = -1;
    if (fd >= 0 && gr_file_exists(path))
        return fd;
    if (fd >= 0)
        close(fd);
    fd = gr_temporary_make(".ledger", path, size, slot, &ignored) == GRADUS_OK
             ? open(path, O_RDWR | O_CLOEXEC)
             : -1;
    gradus_error_clear(&ignored);
    return fd;
}

static struct gr_ledger *make_ledger(char *path, size_t size, int *slot)
{
    struct gr_ledger *ledger = MAP_FAILED;
    const int fd = open_ledger(path, size, slot);
    if (fd >= 0 && ftruncate(fd, sizeof *ledger) == 0)
        ledger = mmap(NULL, sizeof *ledger, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (ledger == MAP_FAILED) {
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    memcpy(ledger->magic, GR_LEDGER_MAGIC, sizeof GR_LEDGER_MAGIC);
    return ledger;
}

static bool write_report(const struct gr_exec_run *run, const struct request *r)
{
    struct gr_str text = {0};
    struct gradus_error error = {0};
    bool written = r->json    ? gr_exec_report_json(run, r->top, &text)
                   : run->gpu ? gr_exec_report_gpu(run, r->top, &text)
                              : gr_exec_report(run, r->top, &text);
    if (!written)
        gr_fail_memory(&error, "the report", sizeof *run->ledger);
    else if (!r->output)
        fputs(gr_str_text(&text), stderr);
    else
        written = gr_file_write(r->output, gr_str_text(&text), text.length, &error) == GRADUS_OK;
    if (!written)
        gr_cli_fail(&error);
    gradus_error_clear(&error);
    gr_str_free(&text);
    return written;
}

/* Ends this process in the same way as the program ended. */
static int end_as(int status, bool reported)
{
    if (WIFSIGNALED(status)) {
        gr_file_remove_pending();
        gr_exec_die_of(WTERMSIG(status));
        return 128 + WTERMSIG(status);
    }
    const int code = WEXITSTATUS(status);
    return code == 0 && !reported ? GR_EXIT_USAGE : code;
}

static int run_program(const struct gr_args *args, const struct request *r, struct gr_exec_run *run,
                       const char *ledger_path)
{
    const struct gr_preload preload = {.library = run->library,
                                       .ledger = run->ledger ? ledger_path : NULL,
                                       .threads = r->threads[0] ? r->threads : NULL,
                                       .math = r->math,
                                       .timed = r->timed};
    char **environment = gr_preload_environment(&preload);
    const int failed = environment
                           ? gr_exec_child(args->operands, environment, &run->status, &run->wall_ns)
                           : ENOMEM;
    gr_preload_environment_free(environment);
    if (failed) {
        const char *refusal = gr_spawn_refusal(failed);
        char *why = refusal ? gr_strdup(refusal) : gr_program_refusal(run->program, failed);
        gr_cli_refuse("exec: %.200s: cannot be run: %.400s", args->operands[0],
                      why ? why : strerror(failed));
        free(why);
        return failed == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
    }
    bool reported = true;
    if (run->ledger) {
        if (gr_exec_calls(run->ledger) == 0)
            gr_exec_explain(run);
        reported = write_report(run, r);
        gr_exec_reasons_free(&run->reasons);
    }
    return end_as(run->status, reported);
}

static enum gr_exit run(const struct gr_args *args)
{
    struct request request;
    struct gradus_error error = {0};
    char *library = NULL, ledger_path[512] = "";
    int ledger_slot = -1;
    if (!read_request(args, &request))
        return GR_EXIT_USAGE;
    const enum gr_preload_for whose = request.gpu     ? GR_PRELOAD_CUBLAS
                                      : request.pblas ? GR_PRELOAD_PBLAS
                                                      : GR_PRELOAD_BLAS;
    if (gr_preload_find(whose, &library, &error) != GRADUS_OK)
        return gr_cli_fail(&error);
    const char *name = args->operands[0];
    char *found = strchr(name, '/') ? gr_strdup(name) : gr_program_find(name);
    struct gr_str command = {0};
    gr_text_quote(&command, args->operand_count, args->operands);
    struct gr_exec_run program = {.command = gr_str_text(&command),
                                  .program = found,
                                  .library = library,
                                  .gpu = request.gpu,
                                  .pblas = request.pblas,
                                  .timed = request.timed};
    if (!request.quiet) {
        program.ledger = make_ledger(ledger_path, sizeof ledger_path, &ledger_slot);
        if (!program.ledger)
            gr_cli_note("exec: no shared memory for counting (%s): continuing without it",
                        strerror(errno));
    }
    const int status = run_program(args, &request, &program, ledger_path);
    if (program.ledger)
        munmap(program.ledger, sizeof *program.ledger);
    if (ledger_slot >= 0)
        gr_temporary_remove(ledger_path, ledger_slot);
    gr_str_free(&command);
    free(found);
    free(library);
    return (enum gr_exit)status;
}

const struct gr_verb gr_verb_exec = {
    .name = "exec",
    .operands = "PROGRAM [ARG…]",
    .summary = "run a program with libgradus instead of its BLAS's gemm",
    .details =
        "Starts the program with libgradus.so preloaded: its calls of sgemm and dgemm, by CBLAS's "
        "and Fortran's names, are computed by libgradus, in the processes that it starts too. At "
        "its end, what was intercepted is reported on standard error: calls by routine and by "
        "shape, the time in them and GFLOP/s. If there were none, it says why, and what to do.\n\n"
        "With --gpu, libgradus-cublas.so is preloaded instead: matrix products that the program "
        "requests of cuBLAS or cuBLASLt are computed by gradus on the same GPU and stream, where "
        "it has a kernel that is not less accurate and is expected to be faster. All others are "
        "passed on to cuBLAS, and the report says why. With --time, it has the GPU's time for each "
        "call.\n\n"
        "With --pblas, libgradus-pblas.so is preloaded instead: the calls of ScaLAPACK's pdgemm_ "
        "and psgemm_ are computed by gradus, over the same processes. Each process counts its "
        "calls and its time in them. docs/distributed.md says more.\n\n"
        "Options of gradus come before the program. The exit status is the program's; a signal "
        "that ends it ends gradus too; 127: no such program, or its interpreter is missing; 126: "
        "it cannot be run. Signals sent to gradus are passed on; when gradus is killed, so is the "
        "program.\n\n"
        "Time is summed over the threads that call. A process that outlives the program is not "
        "waited for. docs/drop-in.md says which operations of NumPy and others call gemm. The "
        "library is GRADUS_LIBRARY, or found beside gradus or in its lib folder.\n\n"
        "  gradus exec /usr/bin/python3 script.py\n"
        "  gradus exec --format json -o calls.json ./solver input.dat\n"
        "  gradus exec --quiet --threads 4 ./solver input.dat\n"
        "  gradus exec --gpu python3 train.py\n"
        "  gradus exec --pblas mpirun -n 4 ./solver\n",
    .options = options,
    .group = GR_GROUP_MATRICES,
    .passes_on = true,
    .run = run,
};
