/* expr.c: parses and evaluates the expressions of the front matter in one pass, by precedence
 * climbing. SPDX-License-Identifier: MIT */
#include "catalog/expr.h"

#include "core/error.h"
#include "base/str.h"
#include "source/place.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64, MAX_NAME = 128 };

/* A value: an integer, or a real number if any operand is real. */
struct number {
    bool real;
    int64_t i;
    double r;
};

struct parser {
    const char *path;
    const struct gr_text *expression;
    const struct gr_scope *scope; /* null: check the syntax only */
    gr_expr_name_fn *name;
    void *name_context;
    struct gradus_error *error;
    const char *p;
    bool real;   /* compute in double */
    int skipped; /* above 0 inside an operand of && or || that is not evaluated */
    int depth;
    enum gradus_status status;
};

enum op { OR, AND, EQ, NE, LE, GE, LT, GT, ADD, SUB, MUL, DIV, MOD };

static const struct binary_op {
    const char *text;
    int level; /* a larger level binds more tightly */
    enum op op;
} operators[] = {
    {"||", 1, OR}, {"&&", 2, AND}, {"==", 3, EQ}, {"!=", 3, NE}, {"<=", 4, LE},
    {">=", 4, GE}, {"<", 4, LT},   {">", 4, GT},  {"+", 5, ADD}, {"-", 5, SUB},
    {"*", 6, MUL}, {"/", 6, DIV},  {"%", 6, MOD},
};

static struct number integer(int64_t i)
{
    return (struct number){false, i, (double)i};
}

static struct number real(double r)
{
    return (struct number){true, 0, r};
}

static struct number binary(struct parser *s, int level);

static int column_of(const struct parser *s, const char *p)
{
    return s->expression->place.column + (int)(p - s->expression->text);
}

static struct gr_place place_of(const struct parser *s, const char *p)
{
    struct gr_place place = s->expression->place;
    place.column = column_of(s, p);
    return place;
}

/* Only the first error is reported. */
#define FAIL(s, at, ...)                                                                           \
    ((s)->status                                                                                   \
         ? (s)->status                                                                             \
         : ((s)->status = gr_fail_at((s)->error, (s)->path, place_of(s, at), __VA_ARGS__)))

static bool evaluating(const struct parser *s)
{
    return s->scope && !s->skipped && !s->status;
}

static void skip_blanks(struct parser *s)
{
    while (*s->p == ' ' || *s->p == '\t')
        s->p++;
}

/* The text at p for messages ("found …"). */
static const char *found(const char *p, char text[16])
{
    if (!*p)
        return "the end of the expression";
    unsigned char c = (unsigned char)*p;
    if (isprint(c))
        snprintf(text, 16, "'%c'", c);
    else
        snprintf(text, 16, "byte 0x%02x", c);
    return text;
}

static bool accept(struct parser *s, char c)
{
    skip_blanks(s);
    if (*s->p != c)
        return false;
    s->p++;
    return true;
}

static void expect(struct parser *s, char c)
{
    char text[16];
    if (!s->status && !accept(s, c))
        FAIL(s, s->p, "found %s, wanted '%c'", found(s->p, text), c);
}

static bool truth(struct number x)
{
    return x.real ? x.r != 0 : x.i != 0;
}

static struct number apply_real(struct parser *s, const char *at, enum op op, double x, double y)
{
    switch (op) {
    case EQ:
        return integer(x == y);
    case NE:
        return integer(x != y);
    case LE:
        return integer(x <= y);
    case GE:
        return integer(x >= y);
    case LT:
        return integer(x < y);
    case GT:
        return integer(x > y);
    case ADD:
        return real(x + y);
    case SUB:
        return real(x - y);
    case MUL:
        return real(x * y);
    default:
        if (y == 0)
            FAIL(s, at, "division by zero");
        return real(op == DIV ? x / y : fmod(x, y));
    }
}

static struct number apply_integer(struct parser *s, const char *at, enum op op, int64_t x,
                                   int64_t y)
{
    int64_t z = 0;
    bool overflow = false;
    switch (op) {
    case EQ:
        return integer(x == y);
    case NE:
        return integer(x != y);
    case LE:
        return integer(x <= y);
    case GE:
        return integer(x >= y);
    case LT:
        return integer(x < y);
    case GT:
        return integer(x > y);
    case ADD:
        overflow = __builtin_add_overflow(x, y, &z);
        break;
    case SUB:
        overflow = __builtin_sub_overflow(x, y, &z);
        break;
    case MUL:
        overflow = __builtin_mul_overflow(x, y, &z);
        break;
    default:
        if (y == 0) {
            FAIL(s, at, "division by zero");
            return integer(0);
        }
        if (y == -1) /* INT64_MIN / -1 does not fit, and traps */
            overflow = __builtin_sub_overflow(0, op == DIV ? x : 0, &z);
        else
            z = op == DIV ? x / y : x % y;
    }
    if (overflow)
        FAIL(s, at, "the result does not fit 64 bits");
    return integer(z);
}

static struct number apply(struct parser *s, const char *at, enum op op, struct number x,
                           struct number y)
{
    if (op == AND || op == OR)
        return integer(op == AND ? truth(x) && truth(y) : truth(x) || truth(y));
    if (!evaluating(s))
        return integer(0);
    if (s->real || x.real || y.real)
        return apply_real(s, at, op, x.r, y.r);
    return apply_integer(s, at, op, x.i, y.i);
}

static struct number literal(struct parser *s)
{
    const char *start = s->p;
    char *end, *real_end;
    errno = 0;
    long long i = strtoll(start, &end, 0);
    bool fits = errno == 0;
    bool hexadecimal = start[0] == '0' && (start[1] == 'x' || start[1] == 'X');
    double r = strtod(start, &real_end);
    bool is_real = !hexadecimal && real_end > end;
    s->p = is_real ? real_end : end;
    if (isalnum((unsigned char)*s->p) || *s->p == '_' || *s->p == '.')
        FAIL(s, s->p, "'%c' after a number", *s->p);
    else if (!is_real && start[0] == '0' && isdigit((unsigned char)start[1]))
        FAIL(s, start, "a number with a leading zero reads as octal in C; write it without");
    else if (!is_real && !fits)
        FAIL(s, start, "the number does not fit 64 bits");
    return is_real ? real(r) : integer(i);
}

/* min(a,b), max(a,b), cdiv(a,b), clamp(x,lo,hi); cdiv rounds towards plus infinity. */
static struct number call(struct parser *s, const char *start, const char *name, int arity)
{
    struct number v[3] = {integer(0), integer(0), integer(0)};
    for (int i = 0; i < arity; i++) {
        if (i)
            expect(s, ',');
        v[i] = binary(s, 1);
    }
    expect(s, ')');
    if (!evaluating(s))
        return integer(0);
    bool less = truth(apply(s, start, LT, v[0], v[1]));
    if (strcmp(name, "min") == 0)
        return less ? v[0] : v[1];
    if (strcmp(name, "max") == 0)
        return less ? v[1] : v[0];
    if (strcmp(name, "clamp") == 0) {
        struct number low = less ? v[1] : v[0];
        return truth(apply(s, start, LT, v[2], low)) ? v[2] : low;
    }
    struct number quotient = apply(s, start, DIV, v[0], v[1]);
    if (s->status || quotient.real)
        return quotient.real ? real(ceil(quotient.r)) : quotient;
    int64_t rest = apply_integer(s, start, MOD, v[0].i, v[1].i).i;
    return integer(quotient.i + (rest != 0 && (rest > 0) == (v[1].i > 0)));
}

/* Reads a name: an identifier, with dots and an operand in brackets for metrics. */
static bool read_name(struct parser *s, char name[MAX_NAME])
{
    const char *start = s->p;
    while (isalnum((unsigned char)*s->p) || *s->p == '_' || *s->p == '.')
        s->p++;
    if (*s->p == '[') {
        const char *close = s->p + 1;
        while (isalnum((unsigned char)*close) || *close == '_')
            close++;
        char text[16];
        if (*close != ']' || close == s->p + 1) {
            FAIL(s, close, "found %s, wanted an operand and ']'", found(close, text));
            return false;
        }
        s->p = close + 1;
    }
    size_t length = (size_t)(s->p - start);
    if (length >= MAX_NAME) {
        FAIL(s, start, "a name of %zu characters, wanted at most %d", length, MAX_NAME - 1);
        return false;
    }
    memcpy(name, start, length);
    name[length] = 0;
    return true;
}

/* aligned(A, 16): is A's address a multiple of 16? */
static struct number aligned(struct parser *s)
{
    char name[MAX_NAME], text[16];
    skip_blanks(s);
    const char *start = s->p;
    if (!isalpha((unsigned char)*s->p)) {
        FAIL(s, s->p, "found %s, wanted the operand A, B or C", found(s->p, text));
        return integer(0);
    }
    if (!read_name(s, name))
        return integer(0);
    if (strlen(name) != 1 || !strchr("ABC", *name))
        FAIL(s, start, "found '%s', wanted the operand A, B or C", name);
    expect(s, ',');
    const char *at = s->p;
    struct number bytes = binary(s, 1);
    expect(s, ')');
    if (!evaluating(s))
        return integer(0);
    int64_t n = !bytes.real ? bytes.i : fabs(bytes.r) < 0x1p62 ? (int64_t)bytes.r : 0;
    if (n <= 0)
        FAIL(s, at, "alignment to %" PRId64 " bytes, wanted 1 or more", n);
    uint64_t address;
    if (s->status || !s->scope->address || !s->scope->address(s->scope->context, name, &address))
        return integer(1);
    return integer(address % (uint64_t)n == 0);
}

static struct number value_of(struct parser *s, const char *start, const char *name)
{
    if (s->name && !s->status && !s->name(s->name_context, name, column_of(s, start)))
        s->status = GRADUS_INVALID;
    if (!evaluating(s))
        return integer(0);
    double r;
    if (!s->scope->value(s->scope->context, name, &r)) {
        const char *near = gr_nearest(name, s->scope->names, s->scope->name_count);
        if (near)
            FAIL(s, start, "unknown name '%s'; did you mean '%s'?", name, near);
        else
            FAIL(s, start, "unknown name '%s'", name);
        return integer(0);
    }
    if (!s->real && r == trunc(r) && fabs(r) < 0x1p63)
        return integer((int64_t)r);
    return real(r);
}

static struct number name_or_call(struct parser *s)
{
    static const struct {
        const char *name;
        int arity;
    } functions[] = {{"cdiv", 2}, {"min", 2}, {"max", 2}, {"clamp", 3}};
    char name[MAX_NAME];
    const char *start = s->p;
    if (!read_name(s, name))
        return integer(0);
    const char *after = s->p;
    if (!accept(s, '(')) {
        s->p = after;
        return value_of(s, start, name);
    }
    if (strcmp(name, "aligned") == 0)
        return aligned(s);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(name, functions[i].name) == 0)
            return call(s, start, name, functions[i].arity);
    FAIL(s, start, "unknown function '%s', wanted cdiv, min, max, clamp or aligned", name);
    return integer(0);
}

static struct number primary(struct parser *s)
{
    char text[16];
    skip_blanks(s);
    if (accept(s, '(')) {
        struct number x = binary(s, 1);
        expect(s, ')');
        return x;
    }
    if (isdigit((unsigned char)*s->p))
        return literal(s);
    if (isalpha((unsigned char)*s->p) || *s->p == '_')
        return name_or_call(s);
    FAIL(s, s->p, "found %s, wanted a number, a name or '('", found(s->p, text));
    return integer(0);
}

static struct number unary(struct parser *s)
{
    skip_blanks(s);
    const char *at = s->p;
    if (++s->depth > MAX_DEPTH) {
        FAIL(s, at, "nested more than %d deep", MAX_DEPTH);
        return integer(0);
    }
    struct number x;
    if (*at == '!' && at[1] != '=') {
        s->p++;
        x = integer(!truth(unary(s)));
    } else if (*at == '-' || *at == '+') {
        s->p++;
        x = unary(s);
        if (*at == '-')
            x = apply(s, at, SUB, integer(0), x);
    } else {
        x = primary(s);
    }
    s->depth--;
    return x;
}

static const struct binary_op *peek(struct parser *s)
{
    skip_blanks(s);
    if (!*s->p || *s->p == ')' || *s->p == ',') /* most operands end with one of these */
        return NULL;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        const char *text = operators[i].text;
        if (s->p[0] == text[0] && (!text[1] || s->p[1] == text[1]))
            return &operators[i];
    }
    return NULL;
}

/* Parses operands that are joined by operators of at least this level. */
static struct number binary(struct parser *s, int level)
{
    struct number left = unary(s);
    const struct binary_op *o;
    while (!s->status && (o = peek(s)) && o->level >= level) {
        const char *at = s->p;
        s->p += strlen(o->text);
        bool skip = (o->op == AND && !truth(left)) || (o->op == OR && truth(left));
        s->skipped += skip;
        struct number right = binary(s, o->level + 1);
        s->skipped -= skip;
        left = apply(s, at, o->op, left, right);
    }
    return left;
}

static struct number whole(struct parser *s)
{
    char text[16];
    s->p = s->expression->text;
    struct number x = binary(s, 1);
    skip_blanks(s);
    if (!s->status && *s->p)
        FAIL(s, s->p, "found %s, wanted an operator or the end", found(s->p, text));
    return x;
}

enum gradus_status gr_expr_integer(const char *path, const struct gr_text *expression,
                                   const struct gr_scope *scope, int64_t *result,
                                   struct gradus_error *error)
{
    struct parser s = {.path = path, .expression = expression, .scope = scope, .error = error};
    struct number x = whole(&s);
    if (!s.status && x.real) {
        if (x.r != trunc(x.r) || !(fabs(x.r) < 0x1p63))
            FAIL(&s, expression->text, "'%s' is %g, wanted an integer", expression->text, x.r);
        else
            x = integer((int64_t)x.r);
    }
    *result = x.i;
    return s.status;
}

enum gradus_status gr_expr_real(const char *path, const struct gr_text *expression,
                                const struct gr_scope *scope, double *result,
                                struct gradus_error *error)
{
    struct parser s = {
        .path = path, .expression = expression, .scope = scope, .error = error, .real = true};
    *result = whole(&s).r;
    return s.status;
}

enum gradus_status gr_expr_check(const char *path, const struct gr_text *expression,
                                 gr_expr_name_fn *name, void *context, struct gradus_error *error)
{
    struct parser s = {.path = path,
                       .expression = expression,
                       .name = name,
                       .name_context = context,
                       .error = error};
    whole(&s);
    return s.status;
}
