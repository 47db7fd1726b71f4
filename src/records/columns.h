/* columns.h: all columns of a row, each defined once: its name, its unit, its member of struct
 * gr_row, and when it is known.
 * SPDX-License-Identifier: MIT
 *
 * CSV and JSON are written from this table, and JSON is read by it, so that a new figure only needs
 * an entry here to appear in all of them. */
#ifndef RECORDS_COLUMNS_H
#define RECORDS_COLUMNS_H

#include "records/row.h"

#include <stddef.h>

enum gr_column_kind {
    GR_COLUMN_TEXT,      /* char *, which may be null; owned by the row */
    GR_COLUMN_NAME,      /* char [], "" if there is none */
    GR_COLUMN_BOOL,      /* bool */
    GR_COLUMN_INT,       /* int */
    GR_COLUMN_INT64,     /* int64_t */
    GR_COLUMN_REQUESTED, /* int64_t, a size of the requested problem: gr_row_requested */
    GR_COLUMN_REAL,      /* double */
    GR_COLUMN_ELEMENT,   /* double, an element of C: NaN and infinities are values */
    GR_COLUMN_DERIVED,   /* a text derived from other members: see gr_column_cell */
    GR_COLUMN_LIST /* findings and competitors, which have several values each; every format writes
                      them in its own way */
};

/* How the value may be missing. */
enum {
    GR_COLUMN_REQUIRED = 1, /* a JSON file without it is refused */
    GR_COLUMN_POSITIVE = 2, /* a value of 0 or less means that it is unknown */
    GR_COLUMN_SIGNED = 4,   /* may be negative */
    GR_COLUMN_SHARE = 8,    /* from 0 to 1; negative means that it is unknown */
    GR_COLUMN_COUNTS = 16   /* counts something that exists: at least 1 */
};

struct gr_column {
    const char *csv;  /* its name in CSV; null: not shown there */
    const char *json; /* its name in JSON: "time_ns.median" is a member of the object "time_ns";
                         null: not shown there */
    const char *unit; /* "ns", "GFLOP/s"; "" if it has none */
    enum gr_column_kind kind;
    size_t offset, size; /* in struct gr_row; not set for derived columns and lists */
    bool (*known)(const struct gr_row *row); /* null: always */
    unsigned flags;
};

/* All columns in the order of CSV and JSON; the columns of one JSON object are adjacent. Ends with
 * kind 0 and two null names. */
extern const struct gr_column gr_columns[];

/* A value as a format shows it. */
struct gr_cell {
    enum gr_cell_kind {
        GR_CELL_UNKNOWN,
        GR_CELL_TEXT,
        GR_CELL_BOOL,
        GR_CELL_WHOLE,
        GR_CELL_REAL
    } kind;
    const char *text; /* points into the row, or to `room` */
    bool truth;
    int64_t whole;
    double real;
    char room[80];
};

/* The row's value in this column; UNKNOWN if it has none, and for lists. This function ensures that
 * a row whose check fails shows no speed. `cell` must not be copied, because `text` may point into
 * it. */
void gr_column_cell(const struct gr_column *column, const struct gr_row *row, struct gr_cell *cell);
/* Returns the address of the member in a row that is being read. */
void *gr_column_member(const struct gr_column *column, struct gr_row *row);

#endif
