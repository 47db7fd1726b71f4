/* shells.c: what all completion scripts share. SPDX-License-Identifier: MIT */
#include "cli/shells.h"

#include "cli/args.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* "A.npy": a name with an extension, unlike "EXPR,...". */
static bool has_extension(const char *metavar)
{
    const char *dot = strchr(metavar, '.');
    return dot && islower((unsigned char)dot[1]);
}

enum gr_value_kind gr_value_kind(const char *metavar)
{
    if (gr_metavar_is_choice(metavar))
        return GR_VALUE_CHOICE;
    if (gr_starts_with(metavar, "DIR"))
        return GR_VALUE_DIR;
    if (gr_starts_with(metavar, "FILE") || has_extension(metavar))
        return GR_VALUE_FILE;
    if (gr_starts_with(metavar, "RUNG"))
        return GR_VALUE_RUNG;
    if (strcmp(metavar, "VERB") == 0)
        return GR_VALUE_VERB;
    if (strcmp(metavar, "PROGRAM") == 0)
        return GR_VALUE_PROGRAM;
    return GR_VALUE_OTHER;
}

void gr_shell_choices(struct gr_str *out, const char *metavar)
{
    for (const char *p = metavar; *p; p++) {
        p += *p == '[' ? strcspn(p, "|") : 0; /* what may follow */
        if (!*p)
            return;
        gr_str_add_bytes(out, *p == '|' ? " " : p, 1);
    }
}

void gr_shell_verbs(struct gr_str *out)
{
    const char *blank = "";
    for (int i = 0; gr_verb_all[i]; i++) {
        if (gr_verb_all[i]->hidden)
            continue;
        gr_str_printf(out, "%s%s", blank, gr_verb_all[i]->name);
        blank = " ";
    }
}

void gr_shell_inside_quotes(struct gr_str *out, const char *text, const char *special)
{
    for (const char *p = text; *p; p++) {
        if (*p == '\'') {
            gr_str_add(out, "'\\''");
            continue;
        }
        if (strchr(special, *p))
            gr_str_add(out, "\\");
        gr_str_add_bytes(out, p, 1);
    }
}

void gr_shell_operand(const struct gr_verb *verb, char *text, size_t size)
{
    const char *operands = verb->operands ? verb->operands : "";
    operands += strspn(operands, "[ ");
    snprintf(text, size, "%.*s", (int)strcspn(operands, "] "), operands);
}
