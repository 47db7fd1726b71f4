/* amdonly.c: recognizes HIP source that only AMD's GPUs run. The compiler is asked first, so that
 * what a condition leaves out does not count. SPDX-License-Identifier: MIT */
#include "gpu/amdonly.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>

#define SIMULATE "try --device sim:mi210"
#define ON_AMD "only an AMD GPU runs it, --arch gfx90a explains it"

/* How NVRTC's messages name them; the name is after the head. */
static const struct sign {
    const char *head, *name, *what, *remedy;
} signs[] = {
    {"identifier \"", "__builtin_amdgcn_wmma", "an instruction of AMD's GPUs",
     "try --device sim:rx7900xtx"},
    {"identifier \"", "__builtin_amdgcn_", "an instruction of AMD's GPUs", SIMULATE},
    {"identifier \"", "__ockl_", "a function of AMD's device libraries", SIMULATE},
    {"identifier \"", "__ocml_", "a function of AMD's device libraries", SIMULATE},
    {"namespace name \"", "rocwmma", "a library for AMD's GPUs", ON_AMD},
    {"identifier \"", "rocwmma", "a library for AMD's GPUs", ON_AMD},
    {"cannot open source file \"", "rocwmma/", "a library for AMD's GPUs", ON_AMD},
    {"cannot open source file \"", "ck/", "a library for AMD's GPUs", ON_AMD},
    {"cannot open source file \"", "ck_tile/", "a library for AMD's GPUs", ON_AMD},
    /* Registers of inline assembly: vector, scalar, accumulation. */
    {"unknown asm constraint letter '", "v", "machine code of AMD's GPUs", ON_AMD},
    {"unknown asm constraint letter '", "s", "machine code of AMD's GPUs", ON_AMD},
    {"unknown asm constraint letter '", "a", "machine code of AMD's GPUs", ON_AMD},
};

static const struct sign *sign_in(const char *line, size_t length, char name[64])
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const struct sign *s = &signs[i];
        const char *found = memmem(line, length, s->head, strlen(s->head));
        const char *at = found ? found + strlen(s->head) : NULL;
        if (!at || !gr_starts_with(at, s->name))
            continue;
        snprintf(name, 64, "%.*s", (int)strcspn(at, "\"'\n"), at);
        if (strstr(s->head, "asm"))
            snprintf(name, 64, "inline assembly");
        return s;
    }
    return NULL;
}

/* "x.hip(57)" at the beginning of the message becomes "x.hip:57". */
static void read_place(const char *line, size_t length, char *place, size_t size)
{
    const char *close = memmem(line, length, "): ", 3), *open = close;
    while (open && open > line && *open != '(')
        open--;
    if (close)
        snprintf(place, size, "%.*s:%.*s", (int)(open - line), line, (int)(close - open - 1),
                 open + 1);
}

enum gradus_status gr_amd_only_refuse(struct gradus_error *error)
{
    for (const char *line = error->log; line && *line;) {
        const size_t length = strcspn(line, "\n");
        char name[64], place[300] = "the kernel";
        const struct sign *s = sign_in(line, length, name);
        if (s) {
            read_place(line, length, place, sizeof place);
            snprintf(error->text, sizeof error->text,
                     "%s: %s is %s, which NVIDIA's do not have: %s", place, name, s->what,
                     s->remedy);
            return error->status = GRADUS_UNSUPPORTED;
        }
        line += length + (line[length] == '\n');
    }
    return error->status;
}
