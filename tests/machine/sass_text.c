/* sass_text.c: reads the text of nvdisasm. SPDX-License-Identifier: MIT */
#include "machine/sass_text.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char **words;
static size_t word_count;

static const char *intern(const char *text, size_t length)
{
    for (size_t i = 0; i < word_count; i++)
        if (!strncmp(words[i], text, length) && !words[i][length])
            return words[i];
    if (word_count % 64 == 0)
        words = realloc(words, (word_count + 64) * sizeof *words);
    char *word = malloc(length + 1);
    memcpy(word, text, length);
    word[length] = 0;
    words[word_count++] = word;
    return word;
}

void sass_text_forget(void)
{
    for (size_t i = 0; i < word_count; i++)
        free(words[i]);
    free(words);
    words = 0;
    word_count = 0;
}

struct reader {
    const char *at;
    sass_label_fn *label;
    void *context;
    struct gr_decoded *out;
    char *why;
};

static bool refuse(struct reader *r, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(r->why, 96, format, list);
    va_end(list);
    return false;
}

static void spaces(struct reader *r)
{
    while (*r->at == ' ' || *r->at == '\t')
        r->at++;
}

static bool accept(struct reader *r, const char *text)
{
    size_t length = strlen(text);
    if (strncmp(r->at, text, length))
        return false;
    r->at += length;
    return true;
}

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] == '$' ||
           at[length] == '@')
        length++;
    return length;
}

/* R4, RZ, UR4, URZ. */
static bool register_name(struct reader *r, bool *uniform, uint8_t *number)
{
    const char *at = r->at;
    *uniform = *at == 'U';
    at += *uniform;
    if (*at++ != 'R')
        return false;
    if (*at == 'Z') {
        *number = GR_REGISTER_ZERO;
        at++;
    } else if (isdigit((unsigned char)*at)) {
        char *end;
        *number = (uint8_t)strtoul(at, &end, 10);
        at = end;
    } else {
        return false;
    }
    if (isalnum((unsigned char)*at) || *at == '_')
        return false;
    r->at = at;
    return true;
}

static bool hexadecimal(struct reader *r, int64_t *value)
{
    const char *at = r->at;
    bool minus = *at == '-';
    at += minus || *at == '+';
    if (at[0] != '0' || at[1] != 'x')
        return false;
    char *end;
    uint64_t number = strtoull(at + 2, &end, 16);
    *value = (int64_t)(minus ? -number : number);
    r->at = end;
    return true;
}

static bool has_modifier(const struct gr_decoded *d, const char *name)
{
    for (int i = 0; i < GR_DECODED_MODIFIERS && d->modifier[i]; i++)
        if (!strcmp(d->modifier[i], name))
            return true;
    return false;
}

/* A double that is representable in half precision. */
static uint32_t half_bits(double x)
{
    uint32_t sign = signbit(x) ? 0x8000 : 0;
    x = fabs(x);
    if (isnan(x))
        return sign | 0x7fff;
    if (isinf(x))
        return sign | 0x7c00;
    if (x < 0x1p-14)
        return sign | (uint32_t)lrint(x * 0x1p24);
    int exponent;
    double fraction = frexp(x, &exponent); /* in [0.5, 1) */
    return sign | (((uint32_t)(exponent + 14) << 10) + (uint32_t)lrint(fraction * 2048) - 1024);
}

static uint32_t float_bits(double x)
{
    float f = (float)x;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

static bool float_immediate(struct reader *r, struct gr_operand *o)
{
    static const struct {
        const char *text;
        uint32_t full, half;
    } names[] = {{"+INF", 0x7f800000, 0x7c00},  {"-INF", 0xff800000, 0xfc00},
                 {"+QNAN", 0x7fffffff, 0x7fff}, {"-QNAN", 0xffffffff, 0xffff},
                 {"+SNAN", 0x7fbfffff, 0x7dff}, {"-SNAN", 0xffbfffff, 0xfdff}};
    const struct gr_decoded *d = r->out;
    bool is_double = d->mnemonic[0] == 'D' || has_modifier(d, "F64");
    bool is_half = d->mnemonic[0] == 'H' && !has_modifier(d, "F32");
    bool is_bfloat = is_half && (has_modifier(d, "BF16_V2") || has_modifier(d, "BF16"));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (accept(r, names[i].text)) {
            uint32_t full = names[i].full;
            if (is_double)
                full = (full & 0x80000000) |
                       (full << 1 == 0xff000000 ? 0x7ff00000
                                                : (full & 0x400000 ? 0x7fffffff : 0x7ff7ffff));
            o->kind = GR_OPERAND_IMMEDIATE;
            o->is_float = true;
            o->value = is_bfloat ? full >> 16 : is_half ? names[i].half : full;
            return true;
        }
    const char *digits = r->at + (*r->at == '-' || *r->at == '+');
    if (!isdigit((unsigned char)*digits) && *digits != '.')
        return false;
    char *end;
    double value = strtod(r->at, &end);
    if (end == r->at)
        return false;
    r->at = end;
    o->kind = GR_OPERAND_IMMEDIATE;
    o->is_float = true;
    if (is_double) {
        uint64_t bits;
        memcpy(&bits, &value, 8);
        o->value = (int64_t)(bits >> 32);
    } else if (is_bfloat) {
        o->value = float_bits(value) >> 16;
    } else {
        o->value = is_half ? half_bits(value) : float_bits(value);
    }
    return true;
}

/* What is between brackets: registers and an offset, joined by plus signs. */
static bool bracket(struct reader *r, struct gr_operand *o)
{
    o->base = o->uniform = GR_REGISTER_ZERO;
    for (;;) {
        bool uniform;
        uint8_t number;
        int64_t value;
        if (register_name(r, &uniform, &number)) {
            *(uniform ? &o->has_uniform : &o->has_base) = true;
            *(uniform ? &o->uniform : &o->base) = number;
            if (accept(r, ".")) {
                size_t length = word_length(r->at);
                if (!uniform)
                    o->base_suffix = intern(r->at, length);
                r->at += length;
            }
        } else if (hexadecimal(r, &value)) {
            o->value = value;
        } else {
            return refuse(r, "in brackets: %.20s", r->at);
        }
        if (accept(r, "]"))
            return true;
        if (!accept(r, "+"))
            return refuse(r, "in brackets: %.20s", r->at);
    }
}

static bool constant(struct reader *r, struct gr_operand *o)
{
    o->kind = GR_OPERAND_CONSTANT;
    bool uniform = false, is_register;
    uint8_t number = GR_REGISTER_ZERO;
    int64_t bank = 0;
    is_register = register_name(r, &uniform, &number);
    if (!is_register && !hexadecimal(r, &bank))
        return refuse(r, "bank of a constant: %.20s", r->at);
    if (!accept(r, "][") || !bracket(r, o))
        return refuse(r, "a constant: %.20s", r->at);
    o->bank = (uint8_t)bank;
    if (is_register) {
        o->has_uniform = true;
        o->uniform = number;
    }
    return true;
}

static bool address(struct reader *r, struct gr_operand *o, bool descriptor)
{
    o->kind = GR_OPERAND_ADDRESS;
    o->descriptor = GR_REGISTER_ZERO;
    if (!descriptor)
        return bracket(r, o);
    bool uniform;
    o->base = o->uniform = GR_REGISTER_ZERO;
    if (!register_name(r, &uniform, &o->descriptor) || !uniform || !accept(r, "]"))
        return refuse(r, "a descriptor: %.20s", r->at);
    o->has_descriptor = true;
    return !accept(r, "[") || bracket(r, o);
}

static bool list(struct reader *r, struct gr_operand *o)
{
    o->kind = GR_OPERAND_LIST;
    while (!accept(r, "}")) {
        char *end;
        unsigned long number = strtoul(r->at, &end, 10);
        if (end == r->at || number > 63)
            return refuse(r, "a list: %.20s", r->at);
        o->value |= (int64_t)1 << number;
        r->at = end;
        accept(r, ",");
    }
    return true;
}

/* `(label): the operand is the address. */
static bool target(struct reader *r, struct gr_operand *o)
{
    const char *end = strchr(r->at, ')');
    uint64_t at = 0;
    if (!end || !r->label || !r->label(r->context, r->at, (size_t)(end - r->at), &at))
        return refuse(r, "an unknown label: %.40s", r->at);
    o->kind = GR_OPERAND_TARGET;
    o->value = (int64_t)at;
    r->at = end + 1;
    return true;
}

static bool named(struct reader *r, struct gr_operand *o)
{
    size_t length = word_length(r->at);
    const char *at = r->at;
    if (!length)
        return refuse(r, "an operand: %.20s", at);
    if (!strncmp(at, "SR", 2) &&
        (length == 2 || at[2] == '_' || at[2] == 'Z' || isdigit((unsigned char)at[2]))) {
        while (at[length] == '.') /* SR_TID.X */
            length += 1 + word_length(at + length + 1);
        o->kind = GR_OPERAND_SPECIAL;
    } else if (length > 1 && strspn(at + 1, "0123456789") == length - 1 && *at == 'B') {
        o->kind = GR_OPERAND_BARRIER;
        o->number = (uint8_t)atoi(at + 1);
    } else if ((!strncmp(at, "SB", 2) || !strncmp(at, "gsb", 3)) &&
               isdigit((unsigned char)at[length - 1])) {
        o->kind = GR_OPERAND_SCOREBOARD;
        o->number = (uint8_t)atoi(at + (*at == 'g' ? 3 : 2));
    } else {
        o->kind = GR_OPERAND_NAMED;
    }
    o->name = intern(at, length);
    r->at += length;
    return true;
}

static bool predicate_name(struct reader *r, struct gr_operand *o)
{
    const char *at = r->at;
    bool uniform = *at == 'U';
    at += uniform;
    if (at[0] != 'P' || !(at[1] == 'T' || (at[1] >= '0' && at[1] <= '6')) || word_length(at) != 2)
        return false;
    o->kind = uniform ? GR_OPERAND_UNIFORM_PREDICATE : GR_OPERAND_PREDICATE;
    o->number = at[1] == 'T' ? GR_PREDICATE_TRUE : (uint8_t)(at[1] - '0');
    r->at = at + 2;
    return true;
}

static bool suffixes(struct reader *r, struct gr_operand *o)
{
    int count = 0;
    while (count < GR_DECODED_SUFFIXES && o->suffix[count])
        count++;
    while (accept(r, ".")) {
        size_t length = word_length(r->at);
        if (length == 5 && !strncmp(r->at, "reuse", 5))
            o->reused = true;
        else if (count == GR_DECODED_SUFFIXES)
            return refuse(r, "many suffixes: %.20s", r->at);
        else
            o->suffix[count++] = intern(r->at, length);
        r->at += length;
    }
    return true;
}

static bool plain_operand(struct reader *r, struct gr_operand *o)
{
    bool uniform;
    if (register_name(r, &uniform, &o->number)) {
        o->kind = uniform ? GR_OPERAND_UNIFORM : GR_OPERAND_REGISTER;
        return true;
    }
    if (predicate_name(r, o))
        return true;
    if (accept(r, "`("))
        return target(r, o);
    if (accept(r, "c["))
        return constant(r, o);
    if (accept(r, "cx[")) {
        o->extended = true;
        return constant(r, o);
    }
    if (accept(r, "desc["))
        return address(r, o, true);
    if (accept(r, "gdesc[")) {
        o->extended = true;
        return address(r, o, true);
    }
    if (accept(r, "["))
        return address(r, o, false);
    if (accept(r, "{"))
        return list(r, o);
    return named(r, o);
}

static bool operand(struct reader *r, struct gr_operand *o)
{
    if (hexadecimal(r, &o->value)) {
        o->kind = GR_OPERAND_IMMEDIATE;
        return true;
    }
    if (float_immediate(r, o))
        return true;
    o->negated = accept(r, "-");
    if (accept(r, "~") || accept(r, "!"))
        o->inverted = true;
    o->absolute = accept(r, "|");
    if (!plain_operand(r, o) || !suffixes(r, o))
        return false;
    if (o->absolute && !accept(r, "|"))
        return refuse(r, "the end of |: %.20s", r->at);
    return suffixes(r, o);
}

static bool mnemonic(struct reader *r)
{
    struct gr_decoded *out = r->out;
    size_t length = word_length(r->at);
    if (!length)
        return refuse(r, "a mnemonic: %.20s", r->at);
    out->mnemonic = intern(r->at, length);
    r->at += length;
    for (int i = 0; accept(r, "."); i++) {
        length = word_length(r->at);
        if (i == GR_DECODED_MODIFIERS || !length)
            return refuse(r, "a modifier: %.20s", r->at);
        out->modifier[i] = intern(r->at, length);
        r->at += length;
    }
    return true;
}

bool sass_text_read(const char *text, uint64_t at, sass_label_fn *label, void *context,
                    struct gr_decoded *out, char why[96])
{
    struct reader r = {text, label, context, out, why};
    *out = (struct gr_decoded){.address = at};
    out->guard = (struct gr_operand){.kind = GR_OPERAND_PREDICATE, .number = GR_PREDICATE_TRUE};
    why[0] = 0;
    spaces(&r);
    if (accept(&r, "@")) {
        out->guard.inverted = accept(&r, "!");
        if (!predicate_name(&r, &out->guard))
            return refuse(&r, "a guard: %.20s", r.at);
        spaces(&r);
    }
    if (!mnemonic(&r))
        return false;
    for (;;) {
        spaces(&r);
        if (accept(&r, "(*")) { /* BRANCH_TARGETS: a comment */
            const char *end = strstr(r.at, "*)");
            r.at = end ? end + 2 : r.at + strlen(r.at);
            continue;
        }
        if (!*r.at || *r.at == ';' || *r.at == '\n' || *r.at == '&' || *r.at == '?')
            return true; /* what follows & and ? is about scheduling */
        if (out->operand_count)
            accept(&r, ",");
        spaces(&r);
        if (out->operand_count == GR_DECODED_OPERANDS)
            return refuse(&r, "many operands");
        if (!operand(&r, &out->operand[out->operand_count]))
            return false;
        out->operand_count++;
    }
}

/* ---- listings ------------------------------------------------------------------------------ */

struct label {
    const char *name;
    size_t length;
    size_t function; /* that it is in */
    uint64_t address;
};
struct labels {
    struct label *list;
    size_t count, function;
};

static bool find_label(void *context, const char *name, size_t length, uint64_t *at)
{
    struct labels *labels = context;
    for (size_t i = 0; i < labels->count; i++) {
        struct label *l = &labels->list[i];
        if (l->function == labels->function && l->length == length &&
            !strncmp(l->name, name, length)) {
            *at = l->address;
            return true;
        }
    }
    return false;
}

/* The address before an instruction, "/" "*0010*" "/" with spaces before it. */
static const char *instruction_at(const char *line, uint64_t *at)
{
    line += strspn(line, " \t");
    if (strncmp(line, "/*", 2) || !isxdigit((unsigned char)line[2]))
        return 0;
    char *end;
    *at = strtoull(line + 2, &end, 16);
    if (strncmp(end, "*/", 2))
        return 0;
    end += 2;
    end += strspn(end, " \t");
    return *end == '.' || *end == '/' || *end == '\n' || !*end ? 0 : end; /* .byte: data */
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

static bool is_section(const char *line, const char **name, size_t *length)
{
    line += strspn(line, " \t");
    if (strncmp(line, ".section", 8) || (line[8] != ' ' && line[8] != '\t'))
        return false; /* .sectioninfo is another word */
    line += 8 + strspn(line + 8, " \t\"");
    *name = line;
    *length = strcspn(line, ",\" \t\n");
    return true;
}

/* First pass: sections and labels. A label is at the address of the next instruction. */
static void find_labels(const char *text, struct labels *labels, struct sass_listing *listing)
{
    bool in_code = false;
    size_t pending = 0;
    for (const char *line = text; *line; line = next_line(line)) {
        const char *name;
        size_t length;
        uint64_t at;
        if (is_section(line, &name, &length)) {
            in_code = length > 6 && !strncmp(name, ".text.", 6);
            if (!in_code)
                continue;
            listing->functions =
                realloc(listing->functions, (listing->count + 1) * sizeof *listing->functions);
            struct sass_function *f = &listing->functions[listing->count++];
            *f = (struct sass_function){.name = malloc(length - 5)};
            snprintf(f->name, length - 5, "%.*s", (int)(length - 6), name + 6);
            pending = labels->count;
        } else if (in_code && instruction_at(line, &at)) {
            listing->functions[listing->count - 1].count++;
            while (pending < labels->count)
                labels->list[pending++].address = at;
        } else if (in_code && *line != ' ' && *line != '\t' && *line != '/') {
            length = strcspn(line, ":\n");
            if (line[length] != ':')
                continue;
            labels->list = realloc(labels->list, (labels->count + 1) * sizeof *labels->list);
            labels->list[labels->count++] = (struct label){line, length, listing->count - 1, 0};
        }
    }
}

bool sass_listing_read(const char *text, struct sass_listing *listing, char why[256])
{
    struct labels labels = {0};
    *listing = (struct sass_listing){0};
    find_labels(text, &labels, listing);
    for (size_t i = 0; i < listing->count; i++)
        listing->functions[i].code =
            calloc(listing->functions[i].count + 1, sizeof(struct gr_decoded));
    bool in_code = false, good = true;
    size_t function = 0, index = 0;
    for (const char *line = text; good && *line; line = next_line(line)) {
        const char *name;
        size_t length;
        uint64_t at;
        if (is_section(line, &name, &length)) {
            in_code = length > 6 && !strncmp(name, ".text.", 6);
            labels.function = function;
            function += in_code;
            index = 0;
            continue;
        }
        const char *instruction = in_code ? instruction_at(line, &at) : 0;
        if (!instruction)
            continue;
        char reason[96];
        if (!sass_text_read(instruction, at, find_label, &labels,
                            &listing->functions[function - 1].code[index++], reason)) {
            snprintf(why, 256, "%s: %.100s", reason, instruction);
            why[strcspn(why, "\n")] = 0;
            good = false;
        }
    }
    free(labels.list);
    return good;
}

void sass_listing_free(struct sass_listing *listing)
{
    for (size_t i = 0; i < listing->count; i++) {
        free(listing->functions[i].name);
        free(listing->functions[i].code);
    }
    free(listing->functions);
    *listing = (struct sass_listing){0};
}
