/* constructor_guards.c: sets the guards of thread-local variables in assembly. Shared variables are
 * thread-local; where their class has a constructor, even one that does nothing as that of __half,
 * the compiler keeps a guard byte for the variable that says whether it was constructed, and
 * checks it at every declaration. SPDX-License-Identifier: MIT */
#include "sim/constructor_guards.h"

#include <string.h>

struct stretch {
    const char *text;
    size_t length;
};

static bool has(struct stretch line, const char *part)
{
    return memmem(line.text, line.length, part, strlen(part)) != NULL;
}

static struct stretch line_at(const char *text)
{
    return (struct stretch){text, strcspn(text, "\n")};
}

static void put(struct stretch line, struct gr_str *out)
{
    gr_str_add_bytes(out, line.text, line.length);
    gr_str_add(out, "\n");
}

/* Is the line the label of a guard? "_ZGVZ4gemmE1s:" is that of a variable in a function,
 * "__tls_guard:" that of all others. */
static bool is_guard(struct stretch line)
{
    return line.length > 1 && line.text[line.length - 1] == ':' &&
           (gr_starts_with(line.text, "_ZGV") || gr_starts_with(line.text, "__tls_guard:"));
}

/* Writes the directive of a .tbss section, which holds zeros, as one of a .tdata section, which has
 * contents. */
static void put_section(struct stretch zeros, struct gr_str *out)
{
    struct gr_str line = {0};
    gr_str_add_bytes(&line, zeros.text, zeros.length);
    const char *text = gr_str_text(&line), *name = strstr(text, ".tbss"),
               *kind = strstr(text, "@nobits");
    gr_str_printf(out, "%.*s.tdata", (int)(name - text), text);
    name += strlen(".tbss");
    if (kind)
        gr_str_printf(out, "%.*s@progbits%s\n", (int)(kind - name), name, kind + strlen("@nobits"));
    else
        gr_str_printf(out, "%s\n", name);
    out->failed |= line.failed;
    gr_str_free(&line);
}

void gr_constructor_guards_set(const char *text, struct gr_str *out)
{
    struct stretch section = {"", 0};
    while (*text) {
        struct stretch line = line_at(text);
        text += line.length + (text[line.length] == '\n');
        if (has(line, ".section\t") || gr_starts_with(line.text, "\t.text"))
            section = line;
        if (!is_guard(line) || !has(section, ".tbss")) {
            put(line, out);
            continue;
        }
        struct stretch zeros = line_at(text);
        bool one_byte = gr_starts_with(line.text, "__tls_guard:");
        text += zeros.length + (text[zeros.length] == '\n');
        put_section(section, out);
        gr_str_add(out, one_byte ? "" : "\t.balign 8\n");
        put(line, out);
        gr_str_add(out, one_byte ? "\t.byte 1\n" : "\t.quad 1\n");
        put(section, out);
    }
}
