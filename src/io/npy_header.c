/* npy_header.c: parses {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
 *
 *
 * The grammar is what numpy.lib.format writes in versions 1 to 3, and no more of Python's: keys
 * in any order, either kind of quotes, blanks anywhere, and the `L` that Python 2 wrote after
 * integers. SPDX-License-Identifier: MIT */
#include "io/npy_header.h"

#include "core/error.h"

#include <stdio.h>
#include <string.h>

struct parser {
    const char *name;
    const char *start, *at, *end;
    struct gradus_error *error;
};

/* Copies a part of the header in a form that is safe in a message. */
static void excerpt(const char *from, const char *to, char *text, size_t size)
{
    size_t length = (size_t)(to - from), room = size - 1;
    bool cut = length > room;
    if (cut)
        length = room - 3;
    for (size_t i = 0; i < length; i++)
        text[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
    strcpy(text + length, cut ? "..." : "");
}

static void skip_blanks(struct parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r'))
        p->at++;
}

static enum gradus_status unexpected(struct parser *p, const char *field, const char *wanted)
{
    char found[24] = "the end of the header";
    if (p->at < p->end) {
        char piece[16];
        excerpt(p->at, p->end - p->at > 12 ? p->at + 12 : p->end, piece, sizeof piece);
        snprintf(found, sizeof found, "\"%s\"", piece);
    }
    return gr_fail(p->error, GRADUS_INVALID,
                   "%s: %s, at byte %lld of the header: found %s, wanted %s", p->name, field,
                   (long long)(p->at - p->start), found, wanted);
}

/* Skips `c` if it is next, after blanks. */
static bool accept(struct parser *p, char c)
{
    skip_blanks(p);
    if (p->at == p->end || *p->at != c)
        return false;
    p->at++;
    return true;
}

/* Parses a quoted string without escapes, as a slice of the header. */
static enum gradus_status parse_string(struct parser *p, const char *field, const char *wanted,
                                       const char **from, const char **to)
{
    skip_blanks(p);
    if (p->at == p->end || (*p->at != '\'' && *p->at != '"'))
        return unexpected(p, field, wanted);
    const char quote = *p->at, *open = p->at++;
    *from = p->at;
    while (p->at < p->end && *p->at != quote && *p->at != '\\' && *p->at != '\n')
        p->at++;
    if (p->at == p->end || *p->at != quote) {
        p->at = open;
        return unexpected(p, field, "a string that ends");
    }
    *to = p->at++;
    return GRADUS_OK;
}

static bool slice_is(const char *from, const char *to, const char *word)
{
    return (size_t)(to - from) == strlen(word) && memcmp(from, word, (size_t)(to - from)) == 0;
}

static enum gradus_status parse_descr(struct parser *p, struct gr_npy_header *header)
{
    const char *from, *to, *wanted = "'<f4', '<f8', '<f2', '>f4' or '>f8'";
    skip_blanks(p);
    if (p->at < p->end && (*p->at == '[' || *p->at == '('))
        return gr_fail(p->error, GRADUS_INVALID,
                       "%s: descr: found a structured type, wanted %s: save one field of it",
                       p->name, wanted);
    enum gradus_status status = parse_string(p, "descr", wanted, &from, &to);
    if (status == GRADUS_OK)
        excerpt(from, to, header->descr, sizeof header->descr);
    return status;
}

static enum gradus_status parse_order(struct parser *p, struct gr_npy_header *header)
{
    skip_blanks(p);
    const char *word = p->at;
    while (p->at < p->end && ((*p->at >= 'A' && *p->at <= 'Z') || (*p->at >= 'a' && *p->at <= 'z')))
        p->at++;
    header->fortran_order = slice_is(word, p->at, "True");
    if (header->fortran_order || slice_is(word, p->at, "False"))
        return GRADUS_OK;
    p->at = word;
    return unexpected(p, "fortran_order", "True or False");
}

static enum gradus_status parse_size(struct parser *p, int64_t *size)
{
    skip_blanks(p);
    const char *digits = p->at;
    *size = 0;
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++) {
        if (__builtin_mul_overflow(*size, 10, size) ||
            __builtin_add_overflow(*size, *p->at - '0', size)) {
            p->at = digits;
            return unexpected(p, "shape", "a size below 2^63");
        }
    }
    if (p->at == digits)
        return unexpected(p, "shape", "a size, 0 or more");
    if (p->at < p->end && *p->at == 'L')
        p->at++;
    return GRADUS_OK;
}

/* Parses a tuple: (), (3,) or (3, 4). */
static enum gradus_status parse_shape(struct parser *p, struct gr_npy_header *header)
{
    skip_blanks(p);
    const char *open = p->at;
    if (!accept(p, '('))
        return unexpected(p, "shape", "a tuple such as (3, 4)");
    bool comma = false;
    header->rank = 0;
    while (!accept(p, ')')) {
        int64_t size;
        if (header->rank > 0 && !comma)
            return unexpected(p, "shape", "',' or ')'");
        enum gradus_status status = parse_size(p, &size);
        if (status != GRADUS_OK)
            return status;
        if (header->rank < 2)
            header->shape[header->rank] = size;
        header->rank++;
        comma = accept(p, ',');
    }
    excerpt(open, p->at, header->shape_text, sizeof header->shape_text);
    if (header->rank == 1 && !comma)
        return gr_fail(p->error, GRADUS_INVALID, "%s: shape: found %s, wanted a tuple such as (3,)",
                       p->name, header->shape_text);
    return GRADUS_OK;
}

static const char *const fields[] = {"descr", "fortran_order", "shape"};
enum { FIELDS = 3 };

/* Parses one `key: value`; `seen` has a bit for each field. */
static enum gradus_status parse_item(struct parser *p, struct gr_npy_header *header, unsigned *seen)
{
    const char *from, *to;
    enum gradus_status status = parse_string(p, "header", "a quoted key", &from, &to);
    if (status != GRADUS_OK)
        return status;
    char key[24];
    excerpt(from, to, key, sizeof key);
    unsigned field = 0;
    while (field < FIELDS && !slice_is(from, to, fields[field]))
        field++;
    if (field == FIELDS)
        return gr_fail(p->error, GRADUS_INVALID,
                       "%s: header: found the key '%s', wanted descr, fortran_order and shape",
                       p->name, key);
    if (*seen >> field & 1)
        return gr_fail(p->error, GRADUS_INVALID, "%s: %s: found twice, wanted once", p->name, key);
    *seen |= 1u << field;
    if (!accept(p, ':'))
        return unexpected(p, key, "':'");
    return field == 0   ? parse_descr(p, header)
           : field == 1 ? parse_order(p, header)
                        : parse_shape(p, header);
}

enum gradus_status gr_npy_header_parse(const char *name, const char *text, uint64_t count,
                                       struct gr_npy_header *header, struct gradus_error *error)
{
    struct parser p = {name, text, text, text + count, error};
    *header = (struct gr_npy_header){0};
    unsigned seen = 0;
    bool comma = true;
    if (!accept(&p, '{'))
        return unexpected(&p, "header", "'{'");
    while (!accept(&p, '}')) {
        if (!comma)
            return unexpected(&p, "header", "',' or '}'");
        enum gradus_status status = parse_item(&p, header, &seen);
        if (status != GRADUS_OK)
            return status;
        comma = accept(&p, ',');
    }
    skip_blanks(&p);
    if (p.at != p.end)
        return unexpected(&p, "header", "nothing after '}'");
    for (int i = 0; i < FIELDS; i++)
        if (!(seen >> i & 1))
            return gr_fail(error, GRADUS_INVALID,
                           "%s: %s: found nothing, wanted this key in the header", name, fields[i]);
    return GRADUS_OK;
}
