/* refusal.c: finds the inline assembly that the compiler rejected. A host's compiler takes PTX for
 * its own processor's assembly: it reports the constraints, or the assembler reports the
 * instructions. SPDX-License-Identifier: MIT */
#include "sim/refusal.h"

#include "core/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct place {
    char file[512];
    int line;
};

static bool line_has(const char *line, const char *part)
{
    return memmem(line, strcspn(line, "\n"), part, strlen(part)) != NULL;
}

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return *line ? line + 1 : line;
}

static bool is_about_assembly(const char *line)
{
    static const char *const words[] = {"output constraint",
                                        "input constraint",
                                        "\342\200\230asm\342\200\231",
                                        "'asm'",
                                        " asm",
                                        "invalid register name",
                                        "invalid instruction mnemonic"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (line_has(line, words[i]))
            return true;
    return false;
}

/* "x.h:17:9: error: …" */
static bool read_place(const char *line, struct place *at)
{
    return sscanf(line, "%511[^:\n]:%d:", at->file, &at->line) == 2;
}

/* The place of the first error or, if a note after it says that a macro was expanded in the
 * kernel's file, the place of that. */
static bool find_in_compiler(const char *log, const char *kernel_path, struct place *at)
{
    bool found = false, launch_origin = false;
    for (const char *line = log; *line; line = next_line(line)) {
        struct place here;
        if (line_has(line, "error: ")) {
            if (!is_about_assembly(line) || !read_place(line, &here))
                return false;
            launch_origin |= found;
            *at = found ? *at : here;
            found = true;
        } else if (found && !launch_origin && line_has(line, "in expansion of macro") &&
                   read_place(line, &here) && strcmp(here.file, kernel_path) == 0) {
            *at = here;
            launch_origin = true;
        }
    }
    return found;
}

/* The compiler gives the assembler the source line of inline assembly. An error at a line of the
 * assembly file itself has another cause. */
static bool find_in_assembler(const char *log, const char *assembly, struct place *at)
{
    for (const char *line = log; *line; line = next_line(line))
        if (line_has(line, ": Error: ") && read_place(line, at))
            return strcmp(at->file, assembly) != 0;
    return false;
}

enum gradus_status gr_sim_refusal(enum gradus_status status, const char *kernel_path,
                                  const char *assembly, struct gradus_error *error)
{
    struct place at = {{0}, 0};
    if (status != GRADUS_COMPILE || !error || !error->log)
        return status;
    if (!find_in_compiler(error->log, kernel_path, &at) &&
        !find_in_assembler(error->log, assembly, &at))
        return status;
    gradus_error_clear(error);
    return gr_fail(error, GRADUS_UNSUPPORTED, "%s:%d: not modelled: inline PTX, line %d", at.file,
                   at.line, at.line);
}
