/* picture.h: a picture as data, before anybody draws it: bars, lines or a roofline. svg.h draws it
 * for the page, gnuplot.h for a paper. SPDX-License-Identifier: MIT */
#ifndef REPORT_PICTURE_H
#define REPORT_PICTURE_H

#include "report/group.h"

enum gr_picture_kind {
    GR_PICTURE_BARS,    /* one bar a point: x is the value, the label its name */
    GR_PICTURE_LINES,   /* a line a series: y over x */
    GR_PICTURE_ROOFLINE /* roofs are lines, all others points with labels */
};

enum gr_role_drawn {
    GR_DRAWN_KERNEL,
    GR_DRAWN_PEER,
    GR_DRAWN_ROOF,  /* a ceiling of the machine */
    GR_DRAWN_REACH, /* roofline: an intensity of which no speed is known: a line from below up to
                       its roof */
    GR_DRAWN_BOUND  /* roofline: the most that a kernel can reach, not a speed that it had */
};

struct gr_point {
    double x, y;
    double lo, hi; /* an interval of the value (bars: x, lines: y); both 0: none is known */
    char *label;   /* bars: the bar's name; lines: the tick at its x; owned, may be null */
    char *note;    /* bars: words after the value, or instead of a bar where x is 0; lines: words of
                      its hint; owned, may be null */
};

struct gr_series {
    char *name;
    enum gr_role_drawn role;
    struct gr_point *points; /* ascending in x where the series is a line */
    int count;
    int look; /* a peer's colour, mark and dashes: the same in all pictures of a run */
};

/* A line across the whole picture at a value of the value axis (bars: x, lines: y). */
struct gr_rule {
    char *label;
    enum gr_role_drawn role;
    double value;
    int look; /* as of a series */
};

/* All owned. `alt` says in a sentence or two what somebody sees who sees it. */
struct gr_picture {
    enum gr_picture_kind kind;
    char *name;   /* the stem of its files: "ladder" */
    char *output; /* the stem of what gnuplot draws; null: the name */
    char *title, *caption, *alt;
    char *x_label, *y_label;
    char *
        left_out; /* "06_packing at 512, …": unsteady rows, of which nothing is drawn; null: none */
    bool x_log, y_log;
    double unit; /* bars: values are counts in that unit, and are shown as counts; 0: rates */
    struct gr_series *series;
    int series_count;
    struct gr_rule *rules;
    int rule_count;
};

struct gr_pictures {
    struct gr_picture *items;
    int count;
    bool failed; /* memory is out; the pictures are incomplete */
};

/* The pictures of a run: for each family of comparable rows (gr_rows_alike) the ladder at the
 * largest size, the rate over the size where there are several, and the roofline where the ceilings
 * are known. NO_MEMORY only. */
enum gradus_status gr_pictures_make(const struct gr_run *run, const struct gr_groups *groups,
                                    struct gr_pictures *pictures, struct gradus_error *error);
void gr_pictures_free(struct gr_pictures *pictures);

/* The groups of one family, smallest size first. */
struct gr_family {
    const struct gr_run *run;
    const struct gr_group *const *groups;
    int count;
    const char *suffix; /* "" or "-f64-nn-1t": keeps the names of two families' pictures apart */
    const char *words;  /* "" or ", f64 nn, 1 thread": the same for their titles */
};

/* The pictures, one file each: false when the family has nothing to show. */
bool gr_picture_ladder(const struct gr_family *family, struct gr_pictures *pictures);
/* Of simulated rows, at the largest size: what they ask of memory, a picture each. */
bool gr_picture_counts(const struct gr_family *family, struct gr_pictures *pictures);
bool gr_picture_sizes(const struct gr_family *family, struct gr_pictures *pictures);
bool gr_picture_roofline(const struct gr_family *family, struct gr_pictures *pictures);
/* The roofline of a GPU, by level; false where no row's traffic is known. For gr_picture_roofline.
 */
bool gr_picture_levels(const struct gr_family *family, struct gr_pictures *pictures);

/* For those files. A new picture, empty; null: out of memory (noted in `pictures`). */
struct gr_picture *gr_picture_add(struct gr_pictures *pictures, enum gr_picture_kind kind,
                                  char *name);
/* The series of that name and role, made when it is new; null: out of memory. */
struct gr_series *gr_picture_series(struct gr_picture *picture, const char *name,
                                    enum gr_role_drawn role);
/* Takes `label` and `note`. */
bool gr_series_add(struct gr_series *series, double x, double y, char *label, char *note);
/* Gives the last point of the series the interval in which half of the row's samples lie. */
void gr_series_interval(struct gr_series *series, const struct gr_row *row);
/* True where a point has an interval. */
bool gr_picture_has_intervals(const struct gr_picture *picture);
/* What the captions say of the intervals, a sentence. */
extern const char gr_interval_meaning[];
/* True for a row that may be drawn: it has a speed and is steady. An unsteady one is noted as left
 * out. */
bool gr_picture_takes(struct gr_picture *picture, const struct gr_row *row);
/* Takes `label`. */
bool gr_picture_rule(struct gr_picture *picture, char *label, enum gr_role_drawn role,
                     double value);

#endif
