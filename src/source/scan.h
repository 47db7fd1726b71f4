/* scan.h: a small scanner for C and CUDA: tokens, and the functions of a file. It understands
 * comments, strings, raw strings, preprocessor lines and braces, but not types; that is enough
 * to find a kernel's signature and to remove host code. SPDX-License-Identifier: MIT */
#ifndef SOURCE_SCAN_H
#define SOURCE_SCAN_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stddef.h>

enum gr_token_kind {
    GR_TOKEN_WORD, /* an identifier or keyword */
    GR_TOKEN_NUMBER,
    GR_TOKEN_STRING,      /* a string or character literal, including prefix and quotes */
    GR_TOKEN_PUNCTUATION, /* one character */
    GR_TOKEN_DIRECTIVE    /* a whole preprocessor line, including continuations */
};

struct gr_token {
    enum gr_token_kind kind;
    size_t begin, end; /* offsets into the text */
    int line, column;  /* 1-based */
};

/* A function that has a body. Ranges of tokens are [first, last). */
struct gr_function {
    int name; /* the token of its name */
    int head; /* the first token of its declaration, including `template` and `extern "C"` */
    int parameters_begin, parameters_end; /* the tokens between the parentheses */
    int body_begin, body_end;             /* from `{` to the one after `}` */
    bool is_global, is_device, is_host;   /* CUDA's __global__, __device__, __host__ */
    bool is_static, is_void;
    bool is_template;       /* with parameters that its callers choose */
    bool is_specialization; /* of a template, with arguments of its own: `template <> f<true>()` */
};

/* The tokens [begin, end). */
struct gr_range {
    int begin, end;
};

struct gr_scan {
    const char *text;
    struct gr_token *tokens;
    int token_count;
    struct gr_function *functions;
    int function_count;
};

/* Scans `text`, which must outlive the scan. INVALID, with the place, if a comment, string, raw
 * string or brace is not closed. */
enum gradus_status gr_scan_text(const char *path, const char *text, struct gr_scan *scan,
                                struct gradus_error *error);
void gr_scan_free(struct gr_scan *scan);

/* Is token i exactly this text? False if i is out of range. */
bool gr_token_is(const struct gr_scan *scan, int i, const char *text);
/* Do both tokens have the same text? */
bool gr_tokens_same(const struct gr_scan *scan, int i, int j);
/* The token's text, malloc'ed. */
char *gr_token_text(const struct gr_scan *scan, int i);
/* The index after the bracket that closes the one at token `open`; `end` if there is none before
 * `end`. */
int gr_token_close(const struct gr_scan *scan, int open, int end);
/* The same for the `<` at token `open`; other kinds of brackets inside it are skipped. */
int gr_token_close_angle(const struct gr_scan *scan, int open, int end);
/* The source text of the tokens with blanks collapsed, malloc'ed. */
char *gr_tokens_text(const struct gr_scan *scan, struct gr_range range);

/* The function whose body contains token i; null at file scope. */
const struct gr_function *gr_function_at(const struct gr_scan *scan, int i);
/* Its qualified name, "outer::inner::name", malloc'ed; an anonymous namespace adds nothing. */
char *gr_function_name(const struct gr_scan *scan, const struct gr_function *function);

#endif
