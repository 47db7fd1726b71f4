/* flatten.c: JSON in, a line for each value out, as flatten.awk writes it and in a thirtieth of its
 * time: most of what the tests of a rung's machine code did was to wait for it. test_flatten.sh
 * compares the two. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *text, *at;
static char path[4096];
static size_t path_length;

static void fail(const char *what)
{
    fprintf(stderr, "flatten: found '%.20s', wanted %s\n", at, what);
    exit(1);
}

static void skip_blanks(void)
{
    at += strspn(at, " \t\r\n");
}

static void take(char wanted, const char *what)
{
    if (*at != wanted)
        fail(what);
    at++;
}

/* The length of the string that begins here, without its quotes; it ends on its own line. */
static size_t string_length(void)
{
    const char *p = at;
    if (*p++ != '"')
        fail("a string");
    while (*p && *p != '"' && *p != '\n')
        p += 1 + (*p == '\\' && p[1] && p[1] != '\n');
    if (*p != '"')
        fail("a string");
    return (size_t)(p - at) - 1;
}

static void print(const char *value, size_t length)
{
    printf("%.*s\t", (int)path_length, path);
    fwrite(value, 1, length, stdout);
    putchar('\n');
}

static void add_to_path(const char *name, size_t length)
{
    if (path_length + length + 2 > sizeof path)
        fail("a shorter path");
    if (path_length)
        path[path_length++] = '.';
    memcpy(path + path_length, name, length);
    path_length += length;
}

static void value(void);

static void member(int index, int named)
{
    const size_t before = path_length;
    char number[16];
    if (named) {
        const size_t length = string_length();
        add_to_path(at + 1, length);
        at += length + 2;
        skip_blanks();
        take(':', "a colon");
    } else {
        add_to_path(number, (size_t)snprintf(number, sizeof number, "%d", index));
    }
    value();
    skip_blanks();
    path_length = before;
}

static void members(char close, int named)
{
    const char what[2] = {close, 0};
    at++;
    skip_blanks();
    for (int i = 0; *at != close; i++) {
        member(i, named);
        if (*at != ',')
            break;
        at++;
        skip_blanks();
        if (*at == close)
            fail("a value after the comma");
    }
    take(close, what);
}

static void value(void)
{
    skip_blanks();
    if (*at == '{' || *at == '[') {
        members(*at == '{' ? '}' : ']', *at == '{');
    } else if (*at == '"') {
        const size_t length = string_length();
        print(at + 1, length);
        at += length + 2;
    } else {
        const size_t length = strspn(at, "-+.0123456789abcdefghijklmnopqrstuvwxyz"
                                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        if (!length)
            fail("a value");
        print(at, length);
        at += length;
    }
}

static char *read_all(FILE *from)
{
    size_t length = 0, room = 1 << 16, got;
    char *all = malloc(room);
    while (all && (got = fread(all + length, 1, room - length - 1, from)) > 0) {
        length += got;
        if (room - length < 2)
            all = realloc(all, room *= 2);
    }
    if (all)
        all[length] = 0;
    return all;
}

int main(int argc, char **argv)
{
    FILE *from = argc == 2 ? fopen(argv[1], "r") : stdin;
    text = at = from ? read_all(from) : NULL;
    if (!text) {
        fprintf(stderr, "flatten: cannot read %s\n", argc == 2 ? argv[1] : "what is piped in");
        return 1;
    }
    value();
    skip_blanks();
    if (*at)
        fail("the end");
    free(text);
    return 0;
}
