/* toolchain.c: runs compilers. A compiler driver that cannot start its parts has the same exit
 * status as for an error in the source, so only its messages distinguish the two.
 * SPDX-License-Identifier: MIT */
#include "base/toolchain.h"

#include "core/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/str.h"
#include "base/temporary.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const int64_t limit_ns = 300LL * 1000000000;

/* Messages of GCC, Clang and the binutils that are about the machine, and their causes. */
static const struct {
    const char *words, *cause;
} causes[] = {
    {"No space left on device", "no space is left where it writes (TMPDIR names another folder)"},
    {"Disk quota exceeded", "the quota is used up where it writes (TMPDIR names another folder)"},
    {"File too large", "a file may not grow as large as it needs (ulimit -f)"},
    {"File size limit exceeded", "a file may not grow as large as it needs (ulimit -f)"},
    {"Read-only file system", "it cannot write there (TMPDIR names another folder)"},
    {"Too many open files", "it may open no more files (ulimit -n)"},
    {"Resource temporarily unavailable",
     "the system refuses it another process (ulimit -u, or the container's pids.max)"},
    {"Cannot allocate memory", "there is no memory for it (ulimit -v, or the container's limit)"},
    {"virtual memory exhausted", "there is no memory for it (ulimit -v, or the container's limit)"},
    {"memory exhausted", "there is no memory for it (ulimit -v, or the container's limit)"},
    {"out of memory allocating", "there is no memory for it (ulimit -v, or the container's limit)"},
    {"LLVM ERROR: out of memory",
     "there is no memory for it (ulimit -v, or the container's limit)"},
    {"failed to map segment from shared object",
     "there is no memory for it (ulimit -v, or the container's limit)"},
    {"Killed signal terminated program", "a part of it was killed, perhaps because memory ran out"},
};

/* The cause in a line that is not about the source; those begin with the user's file and a line
 * number. */
static const char *cause_in(const char *log, const char *source)
{
    const size_t length = strlen(source);
    for (const char *line = log; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const size_t rest = strcspn(line, "\n");
        if (strncmp(line, source, length) == 0 && line[length] == ':')
            continue;
        for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
            if (memmem(line, rest, causes[i].words, strlen(causes[i].words)))
                return causes[i].cause;
    }
    return NULL;
}

/* Is it a complete ELF file? It is if it contains all of its section headers, which are written
 * last. */
static bool is_program(int fd, uint64_t size)
{
    Elf64_Ehdr head;
    return pread(fd, &head, sizeof head, 0) == (ssize_t)sizeof head &&
           memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_shoff >= sizeof head &&
           head.e_shoff + (uint64_t)head.e_shnum * head.e_shentsize <= size;
}

static bool has_written(const struct gr_toolchain_step *step)
{
    struct stat about;
    const int fd = open(step->output, O_RDONLY | O_CLOEXEC);
    bool whole = fd >= 0 && fstat(fd, &about) == 0 && about.st_size > 0 &&
                 (!step->program || is_program(fd, (uint64_t)about.st_size));
    if (fd >= 0)
        close(fd);
    return whole;
}

static enum gradus_status judge(const struct gr_toolchain_step *step, int code, const char *said,
                                struct gradus_error *error)
{
    const char *name = step->argv[0];
    const char *cause = code ? cause_in(said, step->source) : NULL;
    enum gradus_status status;
    if (code == 0 && has_written(step))
        return GRADUS_OK;
    if (code == 0)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "%.200s: ends with status 0 and has written no %s: is it a compiler? Name "
                       "another one (CC, CXX, --cc)",
                       name, step->program ? "program" : "assembly");
    if (cause)
        status = gr_fail(error, GRADUS_IO, "%.200s: cannot %s %.200s: %s", name, step->what,
                         step->source, cause);
    else if (code > 128)
        status =
            gr_fail(error, GRADUS_IO, "%.200s: ended by signal %d (SIG%s) when it was to %s %.200s",
                    name, code - 128, sigabbrev_np(code - 128) ? sigabbrev_np(code - 128) : "?",
                    step->what, step->source);
    else
        status = gr_fail(error, GRADUS_COMPILE, "%s: %s does not %s it (exit %d)", step->source,
                         name, step->what, code);
    if (error)
        error->log = gr_strdup(said);
    return status;
}

enum gradus_status gr_toolchain_run(const struct gr_toolchain_step *step,
                                    struct gradus_error *error)
{
    struct gr_str said = {0};
    int code = 1;
    char **environment = gr_temporary_environment();
    enum gradus_status status =
        gr_process_run(step->argv, environment, limit_ns, &said, &code, error);
    if (status == GRADUS_OK)
        status = judge(step, code, gr_str_text(&said), error);
    gr_str_free(&said);
    gr_temporary_environment_free(environment);
    return status;
}
