/* scan.h: a light scanner for C and CUDA: tokens, and the functions of a file. It knows comments,
 * strings, raw strings, preprocessor lines and braces, and nothing of types; that is enough to find
 * a kernel's signature and to cut host code. SPDX-License-Identifier: MIT */
#ifndef SOURCE_SCAN_H
#define SOURCE_SCAN_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stddef.h>

enum gr_token_kind {
    GR_TOKEN_WORD, /* an identifier or keyword */
    GR_TOKEN_NUMBER,
    GR_TOKEN_STRING,      /* a string or character literal, prefix and quotes included */
    GR_TOKEN_PUNCTUATION, /* one character */
    GR_TOKEN_DIRECTIVE    /* a whole preprocessor line, continuations included */
};

struct gr_token {
    enum gr_token_kind kind;
    size_t begin, end; /* offsets into the text */
    int line, column;  /* 1-based */
};

/* A function that has a body. Ranges of tokens are [first, last). */
struct gr_function {
    int name; /* the token of its name */
    int head; /* the first token of its declaration, `template` and `extern "C"` included */
    int parameters_begin, parameters_end; /* the tokens between the parentheses */
    int body_begin, body_end;             /* from `{` to the one after `}` */
    bool is_global, is_device, is_host;   /* CUDA's __global__, __device__, __host__ */
    bool is_static, is_void, is_template;
};

/* Tokens [begin, end). */
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

/* Scans `text`, which must outlive the scan. INVALID, with the place, for what ends in the middle:
 * an open comment, string, raw string or brace. */
enum gradus_status gr_scan_text(const char *path, const char *text, struct gr_scan *scan,
                                struct gradus_error *error);
void gr_scan_free(struct gr_scan *scan);

/* Does token i read exactly so? False when i is out of range. */
bool gr_token_is(const struct gr_scan *scan, int i, const char *text);
/* Do both tokens read the same? */
bool gr_tokens_same(const struct gr_scan *scan, int i, int j);
/* The token's text, malloc'ed. */
char *gr_token_text(const struct gr_scan *scan, int i);
/* The index after the bracket that closes the one at token `open`; `end` when there is none before
 * it. */
int gr_token_close(const struct gr_scan *scan, int open, int end);
/* The same of the `<` at token `open`: what stands in brackets of another kind is passed over. */
int gr_token_close_angle(const struct gr_scan *scan, int open, int end);
/* The tokens as they are written, blanks folded, malloc'ed. */
char *gr_tokens_text(const struct gr_scan *scan, struct gr_range range);

/* The function whose body token i is in; null at file scope. */
const struct gr_function *gr_function_at(const struct gr_scan *scan, int i);
/* Its name as other namespaces have it, "outer::inner::name", malloc'ed; a namespace without a name
 * adds nothing. */
char *gr_function_name(const struct gr_scan *scan, const struct gr_function *function);

#endif
