/* shells.c: the common parts of all completion scripts. SPDX-License-Identifier: MIT */
#include "cli/shells.h"

#include "cli/args.h"
#include "cli/gpu_choice.h"
#include "peer/peer.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Is it a name with an extension, such as "A.npy", but not "EXPR,..."? */
static bool has_extension(const char *metavar)
{
    const char *dot = strchr(metavar, '.');
    return dot && islower((unsigned char)dot[1]);
}

enum gr_value_kind gr_value_kind(const char *metavar)
{
    static const char *const lists[] = {"GPU", "PEER", "VERB"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (strcmp(metavar, lists[i]) == 0)
            return GR_VALUE_WORDS;
    if (gr_metavar_is_choice(metavar) || gr_starts_with(metavar, "sm_"))
        return GR_VALUE_WORDS;
    if (strcmp(metavar, "KERNEL") == 0 || gr_starts_with(metavar, "RUNG|FILE"))
        return GR_VALUE_KERNEL;
    if (gr_starts_with(metavar, "DIR"))
        return GR_VALUE_DIR;
    if (gr_starts_with(metavar, "FILE") || has_extension(metavar))
        return GR_VALUE_FILE;
    if (gr_starts_with(metavar, "RUNG"))
        return GR_VALUE_RUNG;
    if (strcmp(metavar, "PROGRAM") == 0 || strcmp(metavar, "COMPILER") == 0)
        return GR_VALUE_PROGRAM;
    return GR_VALUE_OTHER;
}

/* Appends each GPU, or each architecture once, with `before` in front of it. */
static void add_gpus(struct gr_str *out, bool architectures, const char *before)
{
    struct gr_gpu_name names[GR_GPU_NAMES];
    int count = gr_gpu_names(names);
    for (int i = 0; i < count; i++) {
        bool met = false;
        for (int j = 0; j < i; j++)
            met |= architectures && strcmp(names[j].arch, names[i].arch) == 0;
        if (!met)
            gr_str_printf(out, "%s%s%s", out->length ? " " : "", before,
                          architectures ? names[i].arch : names[i].name);
    }
}

/* Appends the words of a metavar such as "cpu|cuda[:N]|sim[:GPU]". */
static void add_choices(struct gr_str *out, const char *metavar, const char *colon)
{
    const char *blank = "";
    for (const char *p = metavar; *p; p += strcspn(p, "|"), p += *p == '|') {
        int length = (int)strcspn(p, "[|");
        gr_str_printf(out, "%s%.*s", blank, length, p);
        blank = " ";
        if (gr_starts_with(p + length, "[:GPU]")) {
            char before[64];
            snprintf(before, sizeof before, "%.*s%s:", length, p, colon);
            add_gpus(out, false, before);
        }
    }
}

static void add_peers(struct gr_str *out)
{
    gr_str_add(out, "none");
    for (int i = 0; i < gr_peer_count(); i++)
        gr_str_printf(out, " %s", gr_peer_at(i)->name);
}

void gr_shell_words(struct gr_str *out, const char *metavar, const char *colon)
{
    struct gr_str words = {0};
    if (gr_metavar_is_choice(metavar))
        add_choices(&words, metavar, colon);
    else if (strcmp(metavar, "GPU") == 0 || gr_starts_with(metavar, "sm_"))
        add_gpus(&words, *metavar == 's', "");
    else if (strcmp(metavar, "PEER") == 0)
        add_peers(&words);
    else if (strcmp(metavar, "VERB") == 0)
        gr_shell_verbs(&words);
    gr_str_add(out, gr_str_text(&words));
    out->failed |= words.failed;
    gr_str_free(&words);
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
