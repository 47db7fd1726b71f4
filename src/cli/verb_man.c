/* verb_man.c: gradus man: prints the manual page, which is made from the same tables as --help;
 * docs/gradus.1 is its output. SPDX-License-Identifier: MIT */
#include "cli/help.h"
#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 72 }; /* of the roff source; man wraps the text itself */

static const struct {
    const char *name, *meaning;
} variables[] = {
    {"GRADUS_ISA", "the ISA level to use, such as avx2, instead of the best that the CPU has"},
    {"GRADUS_CPU_MASK", "CPU features to ignore, as avx512f,fma: names of "
                        "/proc/cpuinfo, separated by commas; gradus devices shows what is left"},
    {"GRADUS_NUM_THREADS, OMP_NUM_THREADS",
     "how many threads to use, in this order; otherwise as many as the affinity mask and the "
     "cgroup's quota allow"},
    {"GRADUS_LIBRARY", "the libgradus.so that gradus exec preloads, instead of the one next to it"},
    {"GRADUS_PEERS",
     "directories, separated by colons, in which peer libraries are looked for first"},
    {"CC", "the compiler of users' kernels, when there is no --cc"},
    {"XDG_CACHE_HOME", "where compiled kernels and measured ceilings are kept, in gradus/; "
                       "otherwise ~/.cache, or gradus-UID "
                       "under TMPDIR where that cannot be written"},
    {"GRADUS_CACHE_LIMIT",
     "how much of compiled kernels is kept there, in bytes, or with K, M or G: "
     "otherwise 1G; 0 keeps none; gradus devices --cache shows and clears"},
    {"XDG_DATA_HOME", "where the history is kept, in gradus/history.db; otherwise ~/.local/share"},
    {"GRADUS_HISTORY",
     "another file for the history; when it is empty, nothing is recorded (see gradus history)"},
    {"TMPDIR",
     "where temporary files are put; otherwise /tmp. Each process makes a folder of its own "
     "there, gradus-tmp-XXXXXX, and removes those of killed processes"},
    {"COLUMNS", "the width of tables; otherwise the terminal's"},
    {"NO_COLOR", "no colour, when it is not empty"},
};

/* Appends one UTF-8 code point in a form that both groff and mandoc accept. Returns its length in
 * bytes. */
static size_t add_code_point(struct gr_str *out, const char *text)
{
    unsigned char lead = (unsigned char)*text;
    size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    unsigned code = lead & (0xffu >> (bytes + 1));
    for (size_t i = 1; i < bytes && text[i]; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3f);
    gr_str_printf(out, "\\[u%04X]", code);
    return bytes;
}

/* Appends text as roff: escapes backslashes, hyphens of options, and dots at the beginning of a
 * line. */
static void add_text(struct gr_str *out, const char *text, size_t length)
{
    if (length && strchr(".'", *text))
        gr_str_add(out, "\\&");
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)text[i] >= 0x80)
            i += add_code_point(out, text + i) - 1;
        else if (text[i] == '\\')
            gr_str_add(out, "\\e");
        else if (text[i] == '-')
            gr_str_add(out, "\\-");
        else
            gr_str_add_bytes(out, text + i, 1);
    }
}

static void add_word(struct gr_str *out, const char *text)
{
    add_text(out, text, strlen(text));
}

static void add_paragraph(struct gr_str *out, const char *text, size_t length)
{
    struct gr_str folded = {0};
    gr_text_wrap(&folded, text, length, 0, LINE);
    const char *line = gr_str_text(&folded);
    while (*line) {
        const char *end = gr_text_line_end(line);
        add_text(out, line, (size_t)(end - line));
        gr_str_add(out, "\n");
        line = end + (*end == '\n');
    }
    gr_str_free(&folded);
}

/* Appends the details of a verb: paragraphs, and unwrapped lines between .nf and .fi. */
static void add_details(struct gr_str *out, const char *text)
{
    bool kept = false;
    gr_str_add(out, ".PP\n");
    while (*text) {
        const char *end = gr_text_line_end(text);
        bool blank = end == text, keep = *text == ' ' || *text == '\t';
        if (kept && !keep)
            gr_str_add(out, ".fi\n");
        if (!kept && keep)
            gr_str_add(out, ".nf\n");
        kept = keep;
        if (blank) {
            gr_str_add(out, ".PP\n");
        } else if (keep) {
            add_text(out, text, (size_t)(end - text));
            gr_str_add(out, "\n");
        } else {
            add_paragraph(out, text, (size_t)(end - text));
        }
        text = *end ? end + 1 : end;
    }
    if (kept)
        gr_str_add(out, ".fi\n");
}

static void add_tagged(struct gr_str *out, const char *tag, const char *text)
{
    gr_str_add(out, ".TP\n.B ");
    add_word(out, tag);
    gr_str_add(out, "\n");
    add_paragraph(out, text, strlen(text));
}

static void add_verb(struct gr_str *out, const struct gr_verb *verb)
{
    bool operands = verb->operands && verb->operands[0];
    gr_str_printf(out, ".SS %s\n.B gradus %s\n[OPTIONS]%s", verb->name, verb->name,
                  operands ? " " : "");
    add_word(out, operands ? verb->operands : "");
    gr_str_add(out, "\n.PP\n");
    gr_str_printf(out, "%c", toupper((unsigned char)verb->summary[0]));
    add_word(out, verb->summary + 1);
    gr_str_add(out, ".\n");
    if (verb->details)
        add_details(out, verb->details);
    for (int i = 0; verb->options && verb->options[i].name; i++) {
        const struct gr_option *option = &verb->options[i];
        struct gr_str name = {0}, text = {0};
        gr_help_option_name(&name, option);
        gr_str_printf(&text, "%s%s", option->help, option->repeatable ? " (repeatable)" : "");
        add_tagged(out, gr_str_text(&name), gr_str_text(&text));
        gr_str_free(&name);
        gr_str_free(&text);
    }
}

static void add_page(struct gr_str *out)
{
    gr_str_printf(out,
                  ".\\\" Made by `gradus man`. SPDX-License-Identifier: MIT\n"
                  ".TH GRADUS 1 \"\" \"gradus %s\" \"User Commands\"\n"
                  ".SH NAME\n"
                  "gradus \\- verify, time and explain matrix\\-multiplication kernels\n"
                  ".SH SYNOPSIS\n"
                  ".B gradus\n"
                  "VERB [OPTIONS] [OPERANDS]\n"
                  ".SH DESCRIPTION\n",
                  gradus_version());
    gr_help_about(out, LINE);
    gr_str_add(out, ".SH VERBS\n");
    for (int group = 0; group < GR_GROUP_COUNT; group++) {
        const struct gr_verb *verb;
        for (int i = 0; (verb = gr_help_verb_at((enum gr_verb_group)group, i)); i++)
            add_verb(out, verb);
    }
    gr_str_add(out, ".SH EXAMPLES\n");
    const char *command, *meaning;
    for (int i = 0; (command = gr_help_example(i, &meaning)); i++)
        add_tagged(out, command, meaning);
    gr_str_add(out, ".SH EXIT STATUS\n");
    for (int status = 0; gr_help_exit_status(status); status++)
        add_tagged(out, (char[]){(char)('0' + status), 0}, gr_help_exit_status(status));
    gr_str_add(out, ".SH ENVIRONMENT\n");
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        add_tagged(out, variables[i].name, variables[i].meaning);
}

static enum gr_exit run(const struct gr_args *args)
{
    (void)args;
    struct gr_str page = {0};
    add_page(&page);
    fputs(gr_str_text(&page), stdout);
    gr_str_free(&page);
    return GR_EXIT_RIGHT;
}

const struct gr_verb gr_verb_man = {
    .name = "man",
    .summary = "print the manual page, docs/gradus.1",
    .group = GR_GROUP_OTHER,
    .hidden = true,
    .run = run,
};
