/* print.c: printf and vprintf of a simulated kernel, in place of the C library's.
 * SPDX-License-Identifier: MIT
 *
 * Output beyond one megabyte is dropped, as on a GPU, whose print buffer has that size by default:
 * a kernel that prints in every thread must not fill a disk. A call formats its text on the
 * thread's own stack and only then passes it to the C library: an abandoned thread would never
 * release the library's lock. Strings are copied by a system call, which fails if a pointer is
 * invalid. */
#include "simrt/reachable.h"
#include "simrt/sm.h"
#include "simrt/tracer.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 4096, DIRECTIVE = 64 };

static atomic_long left = 1 << 20;

/* What one call prints. */
struct text {
    char bytes[LINE];
    size_t length;
    const void *site; /* of the call */
};

static void add(struct text *t, const char *bytes, size_t length)
{
    size_t room = sizeof t->bytes - t->length, taken = length < room ? length : room;
    memcpy(t->bytes + t->length, bytes, taken);
    t->length += taken;
}

/* The kernel passed an invalid pointer. A traced launch reports it; in a fast one the access is
 * made, and ends the process as any such access does.
 */
static _Noreturn void refuse(const struct text *t, const char *string)
{
    struct gr_sm *sm = gr_sm;
    if (!sm || !sm->current)
        abort();
    if (sm->tracer) {
        struct gr_record record = {.address = (uintptr_t)string,
                                   .code = gr_code_of(t->site),
                                   .bytes = 1,
                                   .access = GR_ACCESS_LOAD};
        sm->tracer->abandoned = true;
        gr_wild_keep(sm->tracer, &record, sm->current->linear, false);
        gr_sm_kill();
    }
    *(const volatile char *)string;
    gr_sm_kill();
}

/* Appends at most `most` bytes of the string; -1: all of it. */
static void add_string(struct text *t, const char *string, const char *directive, int most)
{
    char copy[LINE], padded[LINE];
    size_t wanted = most >= 0 && most < LINE ? (size_t)most : LINE - 1, length = 0;
    while (length < wanted) {
        size_t got = gr_reachable_copy(string + length, copy + length, wanted - length);
        if (got == 0)
            refuse(t, string + length);
        const char *end = memchr(copy + length, 0, got);
        length = end ? (size_t)(end - copy) : length + got;
        if (end)
            break;
    }
    copy[length] = 0;
    int made = snprintf(padded, sizeof padded, directive, copy);
    add(t, padded, made < 0 ? 0 : (size_t)made < sizeof padded ? (size_t)made : sizeof padded - 1);
}

/* A conversion specification such as "%-8.3lf", with each `*` replaced by its number. */
struct directive {
    char text[DIRECTIVE];
    size_t length;
    int precision; /* -1: none */
    int longs; /* l, ll, z, j, t. L is not counted: CUDA has no long double, so a double is meant */
    char letter;
};

static void keep(struct directive *d, char c)
{
    if (d->length + 1 < sizeof d->text)
        d->text[d->length++] = c;
    d->text[d->length] = 0;
}

static void keep_number(struct directive *d, int number)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%d", number);
    for (const char *p = digits; *p; p++)
        keep(d, *p);
}

/* Reads a conversion specification after its percent sign, and returns what follows it. */
static const char *read_directive(const char *p, va_list *arguments, struct directive *d)
{
    *d = (struct directive){.precision = -1};
    keep(d, '%');
    while (*p && strchr("-+ #0123456789.*", *p)) {
        bool dot = *p == '.';
        if (dot)
            d->precision = p[1] == '*' ? -1 : atoi(p + 1);
        if (*p != '*') {
            keep(d, *p++);
            continue;
        }
        int number = va_arg(*arguments, int);
        if (p[-1] == '.')
            d->precision = number;
        keep_number(d, number);
        p++;
    }
    for (; *p && strchr("hlLqjzt", *p); p++) {
        d->longs += *p == 'l' || (*p != 'h' && *p != 'L');
        if (*p != 'L')
            keep(d, *p == 'q' ? 'j' : *p);
    }
    d->letter = *p;
    keep(d, *p);
    return *p ? p + 1 : p;
}

static void add_directive(struct text *t, const struct directive *d, va_list *arguments)
{
    char made[512];
    int length = 0;
    switch (d->letter) {
    case 's':
        add_string(t, va_arg(*arguments, const char *), d->text, d->precision);
        return;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        length = snprintf(made, sizeof made, d->text, va_arg(*arguments, double));
        break;
    case 'p':
        length = snprintf(made, sizeof made, d->text, va_arg(*arguments, void *));
        break;
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
    case 'c':
        length = d->longs ? snprintf(made, sizeof made, d->text, va_arg(*arguments, long long))
                          : snprintf(made, sizeof made, d->text, va_arg(*arguments, int));
        break;
    case '%':
        add(t, "%", 1);
        return;
    default: /* as in CUDA: an unknown conversion is printed unchanged, and %n writes nothing */
        add(t, d->text, d->length);
        return;
    }
    add(t, made, length < 0 ? 0 : (size_t)length < sizeof made ? (size_t)length : sizeof made - 1);
}

/* Not static: the C library's header declares vprintf as an inline function, which may not call a
 * static one. */
int gr_sim_print(const char *format, va_list *arguments, const void *site);
int gr_sim_print(const char *format, va_list *arguments, const void *site)
{
    struct text t = {.site = site};
    char copy[LINE];
    size_t got = 0;
    if (atomic_load(&left) <= 0)
        return -1;
    while (got < LINE - 1) {
        size_t more = gr_reachable_copy(format + got, copy + got, LINE - 1 - got);
        if (more == 0)
            refuse(&t, format + got);
        got += more;
        if (memchr(copy + got - more, 0, more))
            break;
    }
    copy[got] = 0;
    for (const char *p = copy; *p;) {
        size_t plain = strcspn(p, "%");
        add(&t, p, plain);
        p += plain;
        if (!*p)
            break;
        struct directive d;
        p = read_directive(p + 1, arguments, &d);
        add_directive(&t, &d, arguments);
    }
    fwrite(t.bytes, 1, t.length, stdout);
    if (t.length > 0 && atomic_fetch_sub(&left, (long)t.length) <= (long)t.length)
        fputs("\ngradus: the kernel has printed 1 MB; the rest is left out\n", stdout);
    return (int)t.length;
}

/* They have the declarations of the C library. */
int printf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = gr_sim_print(format, &arguments, __builtin_return_address(0));
    va_end(arguments);
    return length;
}

int vprintf(const char *format, va_list arguments)
{
    va_list copy;
    va_copy(copy, arguments);
    int length = gr_sim_print(format, &copy, __builtin_return_address(0));
    va_end(copy);
    return length;
}
