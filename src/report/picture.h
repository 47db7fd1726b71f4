/* picture.h: a picture as data, before it is drawn: bars, lines or a roofline. svg.h draws it for
 * the page, gnuplot.h for a paper. SPDX-License-Identifier: MIT */
#ifndef REPORT_PICTURE_H
#define REPORT_PICTURE_H

#include "report/group.h"

enum gr_picture_kind {
    GR_PICTURE_BARS,    /* each point is a bar: x is the value, the label its name */
    GR_PICTURE_LINES,   /* each series is a line: y over x */
    GR_PICTURE_ROOFLINE /* roofs are lines, all other series are points with labels */
};

enum gr_role_drawn {
    GR_DRAWN_KERNEL,
    GR_DRAWN_PEER,
    GR_DRAWN_ROOF,  /* a ceiling of the machine */
    GR_DRAWN_REACH, /* roofline: the intensity of a kernel of unknown speed, as a line up to its
                       roof */
    GR_DRAWN_BOUND  /* roofline: the upper bound for a kernel, not a measured speed */
};

struct gr_point {
    double x, y;
    double lo, hi; /* the interval of the value (bars: x, lines: y); both 0: not known */
    char *label;   /* bars: the name of the bar; lines: the tick at its x; owned, may be null */
    char *note;    /* bars: text after the value, or instead of a bar if x is 0; lines: text of the
                      tooltip; owned, may be null */
};

struct gr_series {
    char *name;
    enum gr_role_drawn role;
    struct gr_point *points; /* if the series is a line, ascending in x */
    int count;
    int look; /* the colour, mark and dashes of a peer, the same in all pictures of a run */
};

/* A line across the whole picture at a value of the value axis (bars: x, lines: y). */
struct gr_rule {
    char *label;
    enum gr_role_drawn role;
    double value;
    int look; /* as in struct gr_series */
};

/* A picture owns all its members. `alt` describes it in a sentence or two for readers who do not
 * see it. */
struct gr_picture {
    enum gr_picture_kind kind;
    char *name;   /* the stem of the file names: "ladder" */
    char *output; /* the stem of the file that gnuplot draws; null: the same as `name` */
    char *title, *caption, *alt;
    char *x_label, *y_label;
    char *
        /* The unsteady rows, which are not drawn, such as "06_packing at 512, …"; null: none. */
        left_out;
    bool x_log, y_log;
    double unit; /* bars: the values are counts in this unit; 0: they are rates */
    struct gr_series *series;
    int series_count;
    struct gr_rule *rules;
    int rule_count;
};

struct gr_pictures {
    struct gr_picture *items;
    int count;
    bool failed; /* memory ran out, and the pictures are incomplete */
};

/* Makes the pictures of a run. Each family of comparable rows (gr_rows_alike) has the ladder at the
 * largest size, the rate over the size if there are several sizes, and the roofline if the ceilings
 * are known. The only error is NO_MEMORY. */
enum gradus_status gr_pictures_make(const struct gr_run *run, const struct gr_groups *groups,
                                    struct gr_pictures *pictures, struct gradus_error *error);
void gr_pictures_free(struct gr_pictures *pictures);

/* The groups of one family, in ascending order of size. */
struct gr_family {
    const struct gr_run *run;
    const struct gr_group *const *groups;
    int count;
    const char *suffix; /* "" or for example "-f64-nn-1t": distinguishes the names of pictures of
                           two families */
    const char *words;  /* "" or for example ", f64 nn, 1 thread": the same for the titles */
};

/* Make the pictures; each is in one file. They return false if the family has no data for the
 * picture. */
bool gr_picture_ladder(const struct gr_family *family, struct gr_pictures *pictures);
/* For simulated rows at the largest size: one picture for each count. */
bool gr_picture_counts(const struct gr_family *family, struct gr_pictures *pictures);
bool gr_picture_sizes(const struct gr_family *family, struct gr_pictures *pictures);
bool gr_picture_roofline(const struct gr_family *family, struct gr_pictures *pictures);
/* Makes the roofline of a GPU with its levels of memory, for gr_picture_roofline. Returns false if
 * the traffic is not known for any row. */
bool gr_picture_levels(const struct gr_family *family, struct gr_pictures *pictures);

/* For the files that make pictures: adds an empty picture. Returns null if memory runs out, which
 * is noted in `pictures`. */
struct gr_picture *gr_picture_add(struct gr_pictures *pictures, enum gr_picture_kind kind,
                                  char *name);
/* Returns the series with this name and role, which is created if it does not exist. Returns null
 * if memory runs out. */
struct gr_series *gr_picture_series(struct gr_picture *picture, const char *name,
                                    enum gr_role_drawn role);
/* Adds a point. The series takes ownership of `label` and `note`. */
bool gr_series_add(struct gr_series *series, double x, double y, char *label, char *note);
/* Gives the last point of the series an interval, which contains half of the row's samples. */
void gr_series_interval(struct gr_series *series, const struct gr_row *row);
/* Has any point an interval? */
bool gr_picture_has_intervals(const struct gr_picture *picture);
/* The sentence of the captions that explains the intervals. */
extern const char gr_interval_meaning[];
/* May the row be drawn, that is, has it a speed and is it steady? An unsteady row is noted as left
 * out. */
bool gr_picture_takes(struct gr_picture *picture, const struct gr_row *row);
/* Adds a line across the picture, and takes ownership of `label`. */
bool gr_picture_rule(struct gr_picture *picture, char *label, enum gr_role_drawn role,
                     double value);

#endif
