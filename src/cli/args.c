/* args.c: parses the command line. SPDX-License-Identifier: MIT */
#include "cli/args.h"

#include "cli/metavar.h"
#include "backend/device_ref.h"
#include "core/error.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 64, SUGGESTION = 96 };

static int option_index(const struct gr_verb *verb, const char *name, size_t length)
{
    for (int i = 0; verb->options && verb->options[i].name; i++)
        if (strlen(verb->options[i].name) == length &&
            memcmp(verb->options[i].name, name, length) == 0)
            return i;
    return -1;
}

static int letter_index(const struct gr_verb *verb, char letter)
{
    for (int i = 0; verb->options && verb->options[i].name; i++)
        if (verb->options[i].letter == letter)
            return i;
    return -1;
}

static void suggest(const char *word, const char *const *names, size_t count, const char *prefix,
                    char *text, size_t size)
{
    const char *nearest = gr_nearest(word, names, count);
    text[0] = 0;
    if (nearest)
        snprintf(text, size, "; did you mean '%s%s'?", prefix, nearest);
}

void gr_verb_suggest(const char *word, char *text, int size)
{
    const char *names[MOST_NAMES];
    size_t count = 0;
    for (int i = 0; gr_verb_all[i] && count < MOST_NAMES; i++)
        if (!gr_verb_all[i]->hidden)
            names[count++] = gr_verb_all[i]->name;
    suggest(word, names, count, "", text, (size_t)size);
}

const struct gr_verb *gr_verb_find(const char *name)
{
    for (int i = 0; gr_verb_all[i]; i++)
        if (strcmp(gr_verb_all[i]->name, name) == 0)
            return gr_verb_all[i];
    return NULL;
}

static enum gradus_status fail_unknown(const struct gr_verb *verb, const char *name, int length,
                                       struct gradus_error *error)
{
    const char *names[MOST_NAMES];
    size_t count = 0;
    for (int i = 0; verb->options && verb->options[i].name && count < MOST_NAMES; i++)
        names[count++] = verb->options[i].name;
    char *word = gr_strndup(name, (size_t)length);
    char hint[SUGGESTION] = "";
    if (word)
        suggest(word, names, count, "--", hint, sizeof hint);
    free(word);
    return gr_fail(error, GRADUS_INVALID, "%s: unknown option '--%.*s'%s (see gradus %s --help)",
                   verb->name, length, name, hint, verb->name);
}

bool gr_metavar_is_choice(const char *metavar)
{
    const char *p = metavar;
    bool several = strchr(p, '|') != NULL;
    for (p += strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789-_|"); several && *p;
         p += strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789-_|")) {
        if (!gr_starts_with(p, "[:"))
            return false;
        p += strcspn(p, "]");
        p += *p == ']';
    }
    return several;
}

/* A choice such as "cuda[:N]" may be followed by a colon and a suffix. */
static bool is_choice(char *name, const char *value)
{
    char *more = strchr(name, '[');
    size_t length = more ? (size_t)(more - name) : strlen(name);
    name[length] = 0;
    return strcmp(name, value) == 0 ||
           (more && strncmp(name, value, length) == 0 && value[length] == ':' && value[length + 1]);
}

/* A device that Gradus knows, but that this version cannot use, is reported as such, not as a
 * misspelt word. */
static bool is_yet_to_come(const struct gr_option *option, const char *value,
                           struct gradus_error *error)
{
    struct gr_device_ref ref;
    return strcmp(option->name, "device") == 0 &&
           gr_device_ref_parse(value, &ref, error) == GRADUS_UNSUPPORTED;
}

/* A metavar such as "table|json|md" is the list of all permitted values. */
static enum gradus_status check_choice(const struct gr_verb *verb, const struct gr_option *option,
                                       const char *value, struct gradus_error *error)
{
    if (!gr_metavar_is_choice(gr_metavar(option)))
        return GRADUS_OK;
    char *choices = gr_strdup(gr_metavar(option)), *rest = choices;
    if (!choices)
        return gr_fail_memory(error, "an option", strlen(gr_metavar(option)));
    const char *names[MOST_NAMES];
    size_t count = 0;
    bool found = false;
    for (char *name; (name = strsep(&rest, "|")) && count < MOST_NAMES;) {
        found |= is_choice(name, value);
        names[count++] = name;
    }
    char hint[SUGGESTION];
    suggest(value, names, count, "", hint, sizeof hint);
    free(choices);
    if (found)
        return GRADUS_OK;
    if (is_yet_to_come(option, value, error))
        return GRADUS_UNSUPPORTED;
    return gr_fail(error, GRADUS_INVALID, "%s: --%s: found '%.80s', wanted %s%s", verb->name,
                   option->name, value, gr_metavar(option), hint);
}

static enum gradus_status give(struct gr_args *args, int option, const char *value,
                               struct gradus_error *error)
{
    args->given[args->given_count].option = option;
    args->given[args->given_count].value = value;
    args->given_count++;
    const struct gr_option *o = &args->verb->options[option];
    return o->metavar ? check_choice(args->verb, o, value, error) : GRADUS_OK;
}

static enum gradus_status fail_no_value(const struct gr_verb *verb, const struct gr_option *option,
                                        struct gradus_error *error)
{
    return gr_fail(error, GRADUS_INVALID, "%s: --%s needs a value: --%s %s", verb->name,
                   option->name, option->name, gr_metavar(option));
}

/* Parses a word that starts with `--`. `next` is the word after it, or null; *used_next: `next` was
 * its value. */
static enum gradus_status parse_long(struct gr_args *args, const char *word, const char *next,
                                     bool *used_next, struct gradus_error *error)
{
    const char *name = word + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    int option = option_index(args->verb, name, length);
    if (option < 0)
        return fail_unknown(args->verb, name, (int)length, error);
    const struct gr_option *o = &args->verb->options[option];
    if (!o->metavar && equals)
        return gr_fail(error, GRADUS_INVALID, "%s: --%s takes no value, found '%.80s'",
                       args->verb->name, o->name, equals + 1);
    if (!o->metavar)
        return give(args, option, "", error);
    if (equals)
        return give(args, option, equals + 1, error);
    *used_next = true;
    return next ? give(args, option, next, error) : fail_no_value(args->verb, o, error);
}

/* Parses a word of short options. Flags may be joined, and the last option may be followed by its
 * value: -vo FILE, -vofile. */
static enum gradus_status parse_short(struct gr_args *args, const char *word, const char *next,
                                      bool *used_next, struct gradus_error *error)
{
    for (const char *p = word + 1; *p; p++) {
        int option = letter_index(args->verb, *p);
        if (option < 0)
            return gr_fail(error, GRADUS_INVALID,
                           "%s: unknown option '%.80s' (see gradus %s --help)", args->verb->name,
                           word, args->verb->name);
        const struct gr_option *o = &args->verb->options[option];
        enum gradus_status status;
        if (!o->metavar) {
            status = give(args, option, "", error);
            if (status != GRADUS_OK)
                return status;
            continue;
        }
        if (p[1])
            return give(args, option, p + 1, error);
        *used_next = true;
        return next ? give(args, option, next, error) : fail_no_value(args->verb, o, error);
    }
    return GRADUS_OK;
}

/* Determines how many operands the verb's operand string requires: at least *least, at most *most
 * (-1: any number). */
static void operand_bounds(const char *operands, int *least, int *most)
{
    *least = *most = 0;
    bool any = false, word = false;
    int depth = 0;
    for (const char *p = operands ? operands : ""; *p; p++) {
        if (*p == '[')
            depth++;
        bool blank = *p == ' ' || *p == '[' || *p == ']';
        if (gr_starts_with(p, "…") || gr_starts_with(p, "..."))
            any = true;
        else if (!blank && !word && !any) {
            (*most)++;
            *least += depth == 0;
        }
        word = !blank;
        if (*p == ']')
            depth--;
    }
    if (any)
        *most = -1;
}

static enum gradus_status check_operands(const struct gr_args *args, struct gradus_error *error)
{
    const struct gr_verb *verb = args->verb;
    int least, most;
    operand_bounds(verb->operands, &least, &most);
    if (args->operand_count < least)
        return gr_fail(error, GRADUS_INVALID, "%s: found %d operand%s, wanted: gradus %s %s",
                       verb->name, args->operand_count, args->operand_count == 1 ? "" : "s",
                       verb->name, verb->operands);
    if (most < 0 || args->operand_count <= most)
        return GRADUS_OK;
    if (most == 0)
        return gr_fail(error, GRADUS_INVALID,
                       "%s: takes no operand, found '%.80s' (see gradus %s --help)", verb->name,
                       args->operands[0], verb->name);
    return gr_fail(error, GRADUS_INVALID, "%s: '%.80s' is one word too many, wanted: gradus %s %s",
                   verb->name, args->operands[most], verb->name, verb->operands);
}

enum gradus_status gr_args_parse(const struct gr_verb *verb, int count, char **words,
                                 const char *command, struct gr_args *args,
                                 struct gradus_error *error)
{
    *args = (struct gr_args){.verb = verb, .command = command};
    size_t letters = 1;
    for (int i = 0; i < count; i++)
        /* Short flags may be joined, so there is at most one option for each letter. */
        letters += strlen(words[i]) + 1;
    args->given = calloc(letters, sizeof *args->given);
    args->operands = calloc((size_t)count + 1, sizeof *args->operands);
    if (!args->given || !args->operands)
        return gr_fail_memory(error, "the command line", letters);

    bool only_operands = false;
    for (int i = 0; i < count; i++) {
        char *word = words[i], *next = i + 1 < count ? words[i + 1] : NULL;
        bool used_next = false;
        enum gradus_status status = GRADUS_OK;
        if (only_operands || word[0] != '-' || !word[1]) {
            args->operands[args->operand_count++] = word;
            only_operands |= verb->passes_on;
        } else if (strcmp(word, "--") == 0)
            only_operands = true;
        else if (word[1] == '-')
            status = parse_long(args, word, next, &used_next, error);
        else
            status = parse_short(args, word, next, &used_next, error);
        if (status != GRADUS_OK)
            return status;
        i += used_next;
    }
    return check_operands(args, error);
}

void gr_args_free(struct gr_args *args)
{
    free(args->given);
    free(args->operands);
    *args = (struct gr_args){0};
}

const char *gr_args_get(const struct gr_args *args, const char *name)
{
    int option = option_index(args->verb, name, strlen(name));
    for (int i = args->given_count; i-- > 0;)
        if (args->given[i].option == option)
            return args->given[i].value;
    return NULL;
}

const char *gr_args_get_at(const struct gr_args *args, const char *name, int i)
{
    int option = option_index(args->verb, name, strlen(name));
    for (int j = 0; j < args->given_count; j++)
        if (args->given[j].option == option && i-- == 0)
            return args->given[j].value;
    return NULL;
}

/* Words after the program of a verb that passes them on are not parsed. If an option's value is a
 * separate word, it is taken for the program, because a --help after it is more probably meant for
 * the program. */
bool gr_args_requests_help(const struct gr_verb *verb, int count, char **words)
{
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++) {
        if (verb->passes_on && words[i][0] != '-')
            return false;
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0)
            return true;
    }
    return false;
}
