/* module_shared.c: finds the addresses of a kernel's variables in shared memory.
 * SPDX-License-Identifier: MIT
 *
 * A cubin has no symbols for them. If it has line tables, it also contains its PTX, which declares
 * them. ptxas places the variables of a kernel in the order of their declaration, each at the next
 * multiple of its alignment. If the resulting size differs from the size in the cubin, no addresses
 * are given. */
#include "machine/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lines of PTX. Each ends with a zero byte. */
struct lines {
    const char *at, *end;
};

static const char *next_line(struct lines *l)
{
    const char *line = l->at;
    if (line >= l->end)
        return NULL;
    size_t length = strnlen(line, (size_t)(l->end - line));
    l->at = line + length + 1;
    return line + length < l->end ? line : NULL;
}

/* Is it `.shared .align 4 .b8 NAME[8192];`, perhaps after `.extern` or `.visible`? */
static bool is_declaration(const char *line)
{
    return line[0] == '.' && strncmp(line, ".reg", 4) != 0 && strstr(line, ".shared ") != NULL &&
           strchr(line, ';') != NULL;
}

static int64_t align_up(int64_t at, int64_t alignment)
{
    return (at + alignment - 1) / alignment * alignment;
}

/* The size in bytes of the type before the name: 8 for `.u64`. */
static int64_t width_of(const char *line, const char *name)
{
    const char *type = name;
    while (type > line && *type != '.')
        type--;
    return name - type > 2 && strchr("busf", type[1]) ? strtoll(type + 2, NULL, 10) / 8 : 0;
}

/* Adds the variable that the line declares. `end` is the end of those before it. */
static void add(struct gr_program *p, const char *line, int64_t *end)
{
    const char *align = strstr(line, ".align "), *last = strchr(line, ';');
    const char *bracket = memchr(line, '[', (size_t)(last - line));
    const char *name_end = bracket ? bracket : last, *name = name_end;
    const int64_t alignment = align ? strtoll(align + strlen(".align "), NULL, 10) : 4;
    while (name > line && name[-1] != ' ' && name[-1] != '\t')
        name--;
    int64_t bytes = bracket ? strtoll(bracket + 1, NULL, 10) : 0;
    const bool dynamic = bracket && bracket[1] == ']';
    const bool bytewise = strstr(line, ".b8 ") != NULL;
    if (!bytewise && !dynamic) { /* a scalar, or an array of a wider type */
        const int64_t width = width_of(line, name);
        bytes = bracket ? bytes * width : width;
    }
    if (p->shared_count == GR_PROGRAM_SHARED || alignment <= 0 || bytes < 0)
        return;
    struct gr_program_shared *s = &p->shared[p->shared_count++];
    *s = (struct gr_program_shared){.dynamic = dynamic};
    snprintf(s->symbol, sizeof s->symbol, "%.*s", (int)(name_end - name), name);
    s->lo = align_up(*end, alignment);
    s->hi = s->lo + bytes;
    *end = dynamic ? *end : s->hi;
}

/* Does the line begin the definition of this kernel, or of another function? */
static bool opens(const char *line, const char *symbol)
{
    const char *entry = strstr(line, ".entry ");
    const size_t length = strlen(symbol);
    return entry && strncmp(entry + strlen(".entry "), symbol, length) == 0 &&
           strchr("( \t", entry[strlen(".entry ") + length]) != NULL;
}

/* Adds the variables of the module or, if `of_kernel`, those of the kernel; the dynamic ones if
 * `dynamic`, else the others. */
static void add_all(struct gr_program *p, const struct gr_elf_section *ptx, bool of_kernel,
                    bool dynamic, int64_t *end)
{
    struct lines l = {(const char *)ptx->bytes, (const char *)ptx->bytes + ptx->size};
    bool in_function = false, in_kernel = false;
    for (const char *line; (line = next_line(&l));) {
        if (line[0] != '.' && line[0] != '}') /* an instruction, a label, a comment */
            continue;
        if (strstr(line, ".entry ") || strstr(line, ".func ")) {
            in_function = true;
            in_kernel = opens(line, p->symbol);
        }
        if (line[0] == '}')
            in_function = in_kernel = false;
        const bool here = of_kernel ? in_kernel : !in_function;
        if (here && is_declaration(line) && (strstr(line, "[]") != NULL) == dynamic)
            add(p, line, end);
    }
}

void gr_module_shared(struct gr_program *p)
{
    const struct gr_elf_section *ptx = gr_elf_find(&p->elf, ".nv_debug_ptx_txt");
    const int64_t reserved = p->cc >= 90 ? 1024 : 0;
    int64_t end = reserved;
    if (!ptx || !ptx->bytes)
        return;
    add_all(p, ptx, false, false, &end);
    add_all(p, ptx, true, false, &end);
    if (align_up(end, 16) != align_up(p->shared_bytes, 16)) {
        end = p->shared_bytes;
        p->shared_count = 0; /* the layout differs from what is expected */
        return;
    }
    end = p->shared_bytes;
    add_all(p, ptx, false, true, &end);
    add_all(p, ptx, true, true, &end);
}
