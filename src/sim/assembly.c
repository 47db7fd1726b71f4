/* assembly.c: patches a kernel's assembly line by line. Shared variables are thread-local variables
 * there, in the sections .tbss and .tdata. SPDX-License-Identifier: MIT */
#include "sim/assembly.h"

#include "sim/loop_marks.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A multiple of any alignment that a variable may have. */
static const int gap_bytes = 4096;
/* The alignment of each shared array. A host's compiler aligns an array of floats as a float; a
 * GPU's compiler aligns it further, and kernels rely on that where they read it 16 bytes at a time.
 */
static const int shared_alignment = 1024;

static const char symbol_letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$";

struct name {
    const char *text;
    size_t length;
};

struct names {
    struct name items[64];
    int count;
};

static bool holds(const struct names *names, struct name n)
{
    for (int i = 0; i < names->count; i++)
        if (names->items[i].length == n.length &&
            memcmp(names->items[i].text, n.text, n.length) == 0)
            return true;
    return false;
}

static void add(struct names *names, struct name n)
{
    if (!holds(names, n) && names->count < (int)(sizeof names->items / sizeof *names->items))
        names->items[names->count++] = n;
}

/* The symbol that ends at `end`. A dollar sign before it marks an immediate operand: "movq
 * $smem@tpoff, %rax". */
static struct name symbol_before(const char *line, const char *end)
{
    const char *start = end;
    while (start > line && strchr(symbol_letters, start[-1]))
        start--;
    start += *start == '$';
    return (struct name){start, (size_t)(end - start)};
}

/* Adds the thread-local variables that the line refers to. x86-64 writes "smem@tpoff", aarch64
 * ":tlsdesc:smem". */
static void find_references(const char *line, size_t length, struct names *names)
{
    static const char *const after[] = {"@tpoff", "@ntpoff",  "@gottpoff", "@tlsgd",
                                        "@tlsld", "@tlsdesc", "@dtpoff"};
    static const char *const before[] = {
        ":tlsdesc:",    ":tlsdesc_lo12:",  ":gottprel:",  ":gottprel_lo12:",
        ":tprel_hi12:", ":tprel_lo12_nc:", ":tprel_lo12:"};
    for (const char *p = memchr(line, '@', length); p;
         p = memchr(p + 1, '@', length - (size_t)(p + 1 - line)))
        for (size_t i = 0; i < sizeof after / sizeof *after; i++)
            if (strncasecmp(p, after[i], strlen(after[i])) == 0)
                add(names, symbol_before(line, p));
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        const char *p = memmem(line, length, before[i], strlen(before[i]));
        if (!p)
            continue;
        p += strlen(before[i]);
        add(names, (struct name){p, strspn(p, symbol_letters)});
    }
}

static bool starts(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

/* Does the line switch to another section? *of_tls: is that a section of thread-local variables? */
static bool chooses_section(const char *line, bool *of_tls)
{
    static const char *const others[] = {"\t.text", "\t.data", "\t.bss", "\t.previous"};
    if (starts(line, "\t.section")) {
        *of_tls = starts(line, "\t.section\t.tbss") || starts(line, "\t.section\t.tdata") ||
                  starts(line, "\t.section .tbss") || starts(line, "\t.section .tdata");
        return true;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (starts(line, others[i])) {
            *of_tls = false;
            return true;
        }
    return false;
}

#if defined(__x86_64__)
/* Puts a comparison before the call of a hook, which skips the call for an address on the thread's
 * own stack: the hook would only discard it. The registers that are used here need not be preserved
 * at a call. */
static bool skips_own_stack(const char *line, size_t length, int number, struct gr_str *out)
{
    const int stack_bytes = 256 * 1024;
    const char *word = line + strspn(line, " \t");
    bool hook = starts(word, "call\t__tsan_read") || starts(word, "call\t__tsan_write");
    if (!hook)
        return false;
    gr_str_printf(out,
                  "\tmovq\t%%rdi, %%rax\n\tsubq\t%%rsp, %%rax\n\tcmpq\t$%d, %%rax\n"
                  "\tjb\t.Lgr_own_%d\n%.*s\n.Lgr_own_%d:\n",
                  stack_bytes, number, (int)length, line, number);
    return true;
}
#else
static bool skips_own_stack(const char *line, size_t length, int number, struct gr_str *out)
{
    (void)line;
    (void)length;
    (void)number;
    (void)out;
    return false;
}
#endif

/* Redirects a call of memcpy, memmove or memset to the run time, which records the accesses.
 * Appends the line with the other name. */
static bool renames_copy(const char *line, size_t length, struct gr_str *out)
{
    static const char *const calls[] = {"call\t", "bl\t"};
    static const char *const names[] = {"memcpy", "memmove", "memset"};
    const char *word = line + strspn(line, " \t"), *end = line + length;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (size_t j = 0; j < sizeof names / sizeof *names && starts(word, calls[i]); j++) {
            const char *name = word + strlen(calls[i]), *after = name + strlen(names[j]);
            if (!starts(name, names[j]) || after > end ||
                (after < end && memchr(symbol_letters, *after, strlen(symbol_letters))))
                continue;
            gr_str_printf(out, "%.*sgr_trace_%.*s\n", (int)(name - line), line, (int)(end - name),
                          name);
            return true;
        }
    return false;
}

/* The marks of loop iterations (loop_marks.h), of which `next` is the next to write. */
struct marks {
    struct gr_loop_marks turns;
    int next; /* of the headers of the loops */
};

static void name_jump(const struct marks *m, size_t at, struct gr_str *out)
{
    for (int i = 0; i < m->next; i++)
        if (m->turns.items[i].jump == at)
            gr_str_printf(out, ".Lgr_loop_%d:\n", i);
}

static void mark_header(struct marks *m, size_t at, struct gr_str *out)
{
    if (m->next == m->turns.count || m->turns.items[m->next].header != at)
        return;
    gr_str_printf(out,
                  "\tpushq\t$.Lgr_loop_%d\n\tcall\tgr_sim_loop_mark\n\tleaq\t8(%%rsp), %%rsp\n",
                  m->next++);
}

static void define_dynamic(const struct names *names, int bytes, struct gr_str *out)
{
    gr_str_printf(out,
                  "\t.section\t.tbss.gr_sim_dynamic,\"awT\",%%nobits\n\t.balign 1024\n\t.zero %d\n"
                  "\t.balign 1024\n\t.hidden gr_sim_dynamic\n\t.globl gr_sim_dynamic\n"
                  "\t.type gr_sim_dynamic,%%tls_object\n\t.size gr_sim_dynamic,%d\n"
                  "gr_sim_dynamic:\n",
                  gap_bytes, bytes);
    for (int i = 0; i < names->count; i++) {
        int length = (int)names->items[i].length;
        const char *text = names->items[i].text;
        gr_str_printf(out,
                      "\t.globl %.*s\n\t.hidden %.*s\n\t.type %.*s,%%tls_object\n"
                      "\t.size %.*s,%d\n%.*s:\n",
                      length, text, length, text, length, text, length, text, bytes, length, text);
    }
    gr_str_printf(out, "\t.zero %d\n", bytes);
}

void gr_assembly_patch(const char *text, bool traced, int dynamic_bytes, struct gr_str *out)
{
    struct names wanted = {0}, defined = {0}, dynamic = {0};
    struct marks marks = {0};
    bool of_tls = false;
    int hooks = 0;
    if (traced)
        gr_loop_marks_find(text, &marks.turns);
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n"), at = (size_t)(line - text);
        name_jump(&marks, at, out);
        find_references(line, length, &wanted);
        chooses_section(line, &of_tls);
        bool label = length > 1 && line[length - 1] == ':' && line[0] != '.' && line[0] != '\t';
        if (label && of_tls) {
            add(&defined, (struct name){line, length - 1});
            if (traced)
                gr_str_printf(out, "\t.zero %d\n", gap_bytes);
            gr_str_printf(out, "\t.balign %d\n", shared_alignment);
        }
        if (!traced ||
            !(renames_copy(line, length, out) || skips_own_stack(line, length, hooks++, out))) {
            gr_str_add_bytes(out, line, length);
            gr_str_add(out, "\n");
        }
        mark_header(&marks, at, out);
        line += length + (line[length] == '\n');
    }
    if (marks.next > 0)
        gr_str_add(out, gr_loop_mark_routine);
    gr_loop_marks_free(&marks.turns);
    for (int i = 0; i < wanted.count; i++)
        if (!holds(&defined, wanted.items[i]))
            add(&dynamic, wanted.items[i]);
    if (dynamic.count)
        define_dynamic(&dynamic, dynamic_bytes, out);
    if (traced)
        gr_str_printf(out, "\t.section\t.tbss.gr_sim_end,\"awT\",%%nobits\n\t.zero %d\n",
                      gap_bytes);
}
