/* keywords.h: the keywords of the front matter. Each is read by one function; the other
 * declarations are shared by these functions. SPDX-License-Identifier: MIT */
#ifndef CATALOG_KEYWORDS_H
#define CATALOG_KEYWORDS_H

#include "catalog/frontmatter.h"

/* X(keyword, flags, what must follow it). ONCE: a second line is an error. STANZA: it belongs to
 * the current stanza. GPU, CPU: it has a meaning only for such a kernel, and in a file of the other
 * kind it is an error (gr_keywords_check). */
#define GR_KEYWORD_LIST(X)                                                                         \
    X(title, GR_KEYWORD_ONCE, "a title")                                                           \
    X(after, GR_KEYWORD_ONCE, "a kernel's name such as 06_tile1d")                                 \
    X(idea, 0, "a sentence")                                                                       \
    X(source, GR_KEYWORD_ONCE, "where the idea comes from")                                        \
    X(type, 0, "types such as f32, f64")                                                           \
    X(math, GR_KEYWORD_ONCE, "a type such as tf32")                                                \
    X(layout, GR_KEYWORD_ONCE, "A, B or C, then row or col")                                       \
    X(trans, GR_KEYWORD_ONCE, "nn, nt, tn or tt")                                                  \
    X(zero, GR_KEYWORD_ONCE, "C")                                                                  \
    X(arch, GR_KEYWORD_ONCE | GR_KEYWORD_GPU, "an architecture such as >= sm_80")                  \
    X(isa, GR_KEYWORD_CPU, "ISA features such as avx512f")                                         \
    X(flags, 0, "compiler flags")                                                                  \
    X(param, 0, "NAME DEFAULT {VALUES}")                                                           \
    X(define, GR_KEYWORD_GPU, "NAME=VALUE")                                                        \
    X(tuned, GR_KEYWORD_GPU, "NAME VALUE @ARCHITECTURE")                                           \
    X(let, 0, "NAME = EXPRESSION")                                                                 \
    X(require, 0, "an expression")                                                                 \
    X(arg, 0, "NAME = EXPRESSION")                                                                 \
    X(choose, 0, "NAME {VALUES}")                                                                  \
    X(least, GR_KEYWORD_ONCE, "an expression")                                                     \
    X(work, 0, "NAME = TYPE[COUNT]")                                                               \
    X(size, GR_KEYWORD_GPU, "NAME = VALUE")                                                        \
    X(array, GR_KEYWORD_GPU, "NAME TYPE[EXTENTS]")                                                 \
    X(flop, GR_KEYWORD_ONCE | GR_KEYWORD_GPU, "an expression")                                     \
    X(bytes, GR_KEYWORD_ONCE | GR_KEYWORD_GPU, "an expression")                                    \
    X(map, GR_KEYWORD_GPU, "NAME = A[ROWS,COLUMNS]")                                               \
    X(expect, GR_KEYWORD_GPU, "an expression")                                                     \
    X(kernel, 0, "a kernel's name")                                                                \
    X(grid, GR_KEYWORD_ONCE | GR_KEYWORD_STANZA | GR_KEYWORD_GPU, "one to three expressions")      \
    X(block, GR_KEYWORD_ONCE | GR_KEYWORD_STANZA | GR_KEYWORD_GPU, "one to three expressions")     \
    X(cluster, GR_KEYWORD_ONCE | GR_KEYWORD_STANZA | GR_KEYWORD_GPU, "one to three expressions")   \
    X(smem, GR_KEYWORD_ONCE | GR_KEYWORD_STANZA | GR_KEYWORD_GPU, "an expression")                 \
    X(when, GR_KEYWORD_ONCE | GR_KEYWORD_STANZA | GR_KEYWORD_GPU, "an expression")                 \
    X(args, GR_KEYWORD_ONCE | GR_KEYWORD_STANZA, "the kernel's arguments in order")

enum { GR_KEYWORD_ONCE = 1, GR_KEYWORD_STANZA = 2, GR_KEYWORD_GPU = 4, GR_KEYWORD_CPU = 8 };

/* Reads the operands of a keyword; at least one character is left in the line. `first` is true
 * for the first line with this keyword in this source: a list from the command line replaces the
 * file's list there. */
typedef enum gradus_status gr_keyword_fn(struct gr_reader *reader, struct gr_cursor *line,
                                         bool first);

#define GR_KEYWORD_DECLARE(name, flags, wanted) gr_keyword_fn gr_read_##name;
GR_KEYWORD_LIST(GR_KEYWORD_DECLARE)
#undef GR_KEYWORD_DECLARE

/* Does each line have a meaning in a file of this language? Called when all lines are read, so that
 * errors within a line are reported first. */
enum gradus_status gr_keywords_check(const struct gr_kernel *kernel, struct gradus_error *error);

/* Frees what the let owns. */
void gr_let_clear(struct gr_let *let);
enum gradus_status gr_reader_no_memory(const struct gr_reader *reader);
/* [ … ]: *inside is a cursor over the text between the brackets. `what` is the expected content. */
enum gradus_status gr_reader_brackets(struct gr_cursor *line, const char *what,
                                      struct gr_cursor *inside);
/* An element type such as f32, or T. */
enum gradus_status gr_reader_element(struct gr_cursor *line, bool *is_t, enum gr_dtype *type);
/* INVALID if a file has lines of a GEMM as well as lines of other workloads. Called when all lines
 * are read. */
enum gradus_status gr_workload_lines_check(const struct gr_kernel *kernel,
                                           struct gradus_error *error);
/* Is each array a parameter of some kernel of the file? Called when the signatures are read. */
enum gradus_status gr_workload_arrays_check(const struct gr_kernel *kernel,
                                            struct gradus_error *error);
void gr_texts_clear(struct gr_texts *texts);
/* Appends the rest of the line to `texts`. */
enum gradus_status gr_reader_push(struct gr_reader *reader, struct gr_cursor *line,
                                  const char *what, struct gr_texts *texts);
/* Replaces `texts` by a comma list of at most `most` expressions. */
enum gradus_status gr_reader_expressions(struct gr_reader *reader, struct gr_cursor *line, int most,
                                         struct gr_texts *texts);

#endif
