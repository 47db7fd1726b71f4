/* pack_points.c: writes the measured times of the library's kernels (devices/tuned/,
 * docs/tuning.md) as the tables that device/device_points.h declares.
 * SPDX-License-Identifier: MIT */
#include "pack/pack_kernels.h"

#include "core/error.h"
#include "base/file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point {
    int place; /* 4 * kernel + transposes */
    int64_t m, n, k;
    double us;
};

struct table {
    const char *path;
    char gpu[96];
    int cc, sms, smem_max, warp;
    struct point *points;
    int count;
};

static enum gradus_status bad_line(const struct table *t, int line, const char *wanted,
                                   struct gradus_error *error)
{
    return gr_fail(error, GRADUS_INVALID, "%s:%d: wanted '%s'", t->path, line, wanted);
}

/* Is the entry the one with this name, such as "12_best f32 BM=64"? */
static bool is_named(const struct gr_pack_entry *entry, const char *name)
{
    struct gr_str own = {0};
    gr_pack_name(entry, &own);
    const bool same = strcmp(gr_str_text(&own), name) == 0;
    gr_str_free(&own);
    return same;
}

static int place_of(const struct gr_pack_list *list, const char *name, const char *trans)
{
    static const char *const all[] = {"nn", "nt", "tn", "tt"};
    for (int t = 0; t < 4; t++)
        for (int i = 0; i < list->count && strcmp(all[t], trans) == 0; i++)
            if (is_named(&list->entries[i], name))
                return 4 * i + t;
    return -1;
}

/* Reads a line such as "12_best f32 | nn 512x512x512 | 20.1 us [20,20.3]". Kernels that are no
 * longer in the library are skipped. */
static enum gradus_status read_point(struct table *t, const char *text, int line,
                                     const struct gr_pack_list *list, struct gradus_error *error)
{
    char name[128], trans[4];
    int end = 0; /* the position after "us" */
    struct point p;
    if (sscanf(text, "%127[^|]| %3s %" SCNd64 "x%" SCNd64 "x%" SCNd64 " | %lf us%n", name, trans,
               &p.m, &p.n, &p.k, &p.us, &end) != 6 ||
        !end || p.m < 1 || p.n < 1 || p.k < 1 || !(p.us > 0) || p.us > 1e12)
        return bad_line(t, line, "time KERNEL TYPES | TRANS MxNxK | MICROSECONDS us [LOW,HIGH]",
                        error);
    for (size_t length = strlen(name); length && name[length - 1] == ' ';)
        name[--length] = 0;
    p.place = place_of(list, name, trans);
    if (p.place < 0) {
        fprintf(stderr, "gradus-pack: %s:%d: %s %s is no kernel of the library\n", t->path, line,
                name, trans);
        return GRADUS_OK;
    }
    struct point *grown = realloc(t->points, (size_t)(t->count + 1) * sizeof *grown);
    if (!grown)
        return gr_fail_memory(error, t->path, sizeof *grown);
    t->points = grown;
    grown[t->count++] = p;
    return GRADUS_OK;
}

static enum gradus_status read_line(struct table *t, const char *text, int line,
                                    const struct gr_pack_list *list, struct gradus_error *error)
{
    const char *rest = text + strcspn(text, " ");
    rest += strspn(rest, " ");
    if (strncmp(text, "format ", 7) == 0 && strcmp(rest, "1") != 0)
        return bad_line(t, line, "format 1", error);
    if (strncmp(text, "device ", 7) == 0)
        snprintf(t->gpu, sizeof t->gpu, "%s", rest);
    if (strncmp(text, "gpu ", 4) == 0 &&
        sscanf(rest,
               "compute capability %d, %d multiprocessors, %d bytes of shared memory, warps of %d",
               &t->cc, &t->sms, &t->smem_max, &t->warp) != 4)
        return bad_line(t, line,
                        "gpu compute capability NUMBER, NUMBER multiprocessors, NUMBER bytes of "
                        "shared memory, warps of NUMBER",
                        error);
    return strncmp(text, "time ", 5) == 0 ? read_point(t, rest, line, list, error) : GRADUS_OK;
}

static enum gradus_status read_table(struct table *t, const struct gr_pack_list *list,
                                     struct gradus_error *error)
{
    char *text = NULL, *rest, *line;
    size_t length;
    int number = 0;
    enum gradus_status status = gr_file_read(t->path, &text, &length, error);
    rest = text;
    while (status == GRADUS_OK && (line = strsep(&rest, "\n")) != NULL)
        status = read_line(t, line, ++number, list, error);
    if (status == GRADUS_OK && t->count && (!*t->gpu || !t->sms))
        status = gr_fail(error, GRADUS_INVALID, "%s: wanted a line '%s', which it does not have",
                         t->path, *t->gpu ? "gpu" : "device");
    free(text);
    return status;
}

static int by_place(const void *a, const void *b)
{
    const struct point *p = a, *q = b;
    const int64_t order[][2] = {{p->place, q->place}, {p->m, q->m}, {p->n, q->n}, {p->k, q->k}};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (order[i][0] != order[i][1])
            return order[i][0] < order[i][1] ? -1 : 1;
    return 0;
}

static void add_table(const struct table *t, int number, const struct gr_pack_list *list,
                      struct gr_str *out, struct gr_str *rows)
{
    qsort(t->points, (size_t)t->count, sizeof *t->points, by_place);
    gr_str_printf(out, "\n/* %s */\nstatic const int first_%d[] = {", t->path, number);
    for (int place = 0, i = 0; place <= 4 * list->count; place++) {
        while (i < t->count && t->points[i].place < place)
            i++;
        gr_str_printf(out, "%s%d", place ? ", " : "", i);
    }
    gr_str_printf(out,
                  "};\nstatic _Atomic double errors_%d[%d];\n"
                  "static const struct gr_device_point points_%d[] = {\n",
                  number, t->count, number);
    for (int i = 0; i < t->count; i++) {
        const struct point *p = &t->points[i];
        gr_str_printf(
            out, "    {%" PRId64 ", %" PRId64 ", %" PRId64 ", %.6g, %.17g, %.17g, %.17g},\n", p->m,
            p->n, p->k, p->us, log2((double)p->m), log2((double)p->n), log2((double)p->k));
    }
    gr_str_add(out, "};\n");
    gr_str_printf(rows, "    {\"%s\", \"%s\", %d, %d, %d, %d, first_%d, points_%d, errors_%d},\n",
                  t->path, t->gpu, t->cc, t->sms, t->smem_max, t->warp, number, number, number);
}

enum gradus_status gr_pack_points(const char *output, const struct gr_pack_list *list,
                                  char *const *paths, int path_count, struct gradus_error *error)
{
    struct gr_str out = {0}, rows = {0};
    enum gradus_status status = GRADUS_OK;
    int count = 0;
    gr_str_add(&out, "/* Generated from devices/tuned/. */\n"
                     "#include \"device/device_points.h\"\n");
    for (int i = 0; i < path_count && status == GRADUS_OK; i++) {
        struct table t = {.path = paths[i]};
        status = read_table(&t, list, error);
        if (status == GRADUS_OK && t.count)
            add_table(&t, count++, list, &out, &rows);
        free(t.points);
    }
    gr_str_printf(&out,
                  "\nconst struct gr_device_points gr_device_points[] = {\n%s    {0},\n};\n"
                  "const int gr_device_points_count = %d;\n",
                  gr_str_text(&rows), count);
    if (status == GRADUS_OK && (out.failed || rows.failed))
        status = gr_fail_memory(error, output, 0);
    if (status == GRADUS_OK)
        status = gr_file_write(output, out.text, out.length, error);
    gr_str_free(&out);
    gr_str_free(&rows);
    return status;
}
