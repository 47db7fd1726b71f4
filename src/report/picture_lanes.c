/* picture_lanes.c: which bytes each lane of a warp accesses, and the sectors that contain them. The
 * lanes are drawn above, the memory below. Where the addresses jump, the axis is interrupted.
 * SPDX-License-Identifier: MIT */
#include "report/figure.h"

#include "report/svg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MARGIN = 8,
    LANES_TOP = 34,
    LANE_HEIGHT = 18,
    MEMORY_HEIGHT = 30,
    MOST_SECTORS = 2 * GR_TRACE_LANES,
    LINE = 128, /* bytes of a cache line */
    LEAST_SECTOR = 32,
    /* If sectors would be narrower than this, only the accessed sectors are drawn. */
    LEAST_SLOT = 12,
};

enum { NOWHERE = -1 }; /* a lane that is not active */

struct map {
    const struct gr_trace_site *site;
    const char *array; /* "": bytes are counted from the lowest cache line */
    int64_t at[GR_TRACE_LANES];
    int lanes, active;
    int64_t sector; /* the size of a sector in bytes */
    /* The accessed sectors in ascending order: byte offset / sector. */
    int64_t sectors[MOST_SECTORS];
    int sector_count, ideal;
    int64_t distinct_bytes;
    int64_t stride; /* the distance from each active lane to the next; INT64_MIN: it varies */
};

static int by_place(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static int unique(int64_t *values, int count)
{
    int kept = 0;
    qsort(values, (size_t)count, sizeof *values, by_place);
    for (int i = 0; i < count; i++)
        if (kept == 0 || values[i] != values[kept - 1])
            values[kept++] = values[i];
    return kept;
}

/* If the array of an address is not known, offsets are relative to the lowest cache line of 128
 * bytes. */
static void place_lanes(struct map *m)
{
    int64_t lowest = INT64_MAX;
    for (int lane = 0; lane < m->lanes; lane++) {
        m->at[lane] = m->site->pattern[lane];
        if (m->at[lane] != NOWHERE && m->at[lane] < lowest)
            lowest = m->at[lane];
    }
    int64_t start = floor_div(lowest, LINE) * LINE;
    for (int lane = 0; lane < m->lanes && !*m->array; lane++)
        if (m->at[lane] != NOWHERE)
            m->at[lane] -= start;
}

/* Offsets may be negative, because faults are drawn as well. */
static void read_pattern(struct map *m)
{
    int64_t starts[GR_TRACE_LANES], previous = 0;
    int count = 0;
    m->stride = INT64_MIN;
    for (int lane = 0; lane < m->lanes; lane++) {
        int64_t at = m->at[lane];
        if (at == NOWHERE)
            continue;
        int64_t last = floor_div(at + m->site->bytes - 1, m->sector);
        for (int64_t s = floor_div(at, m->sector); s <= last && count < MOST_SECTORS; s++)
            m->sectors[count++] = s;
        if (m->active == 1)
            m->stride = at - previous;
        else if (m->active > 1 && at - previous != m->stride)
            m->stride = INT64_MIN;
        previous = at;
        starts[m->active++] = at;
    }
    m->sector_count = unique(m->sectors, count);
    int distinct = unique(starts, m->active);
    for (int i = 0; i < distinct; i++) {
        int64_t room = i + 1 < distinct ? starts[i + 1] - starts[i] : m->site->bytes;
        m->distinct_bytes += room < m->site->bytes ? room : m->site->bytes;
    }
    m->ideal = (int)((m->distinct_bytes + m->sector - 1) / m->sector);
}

/* ---- The text. ---- */

static void say_pattern(const struct map *m, struct gr_str *out)
{
    if (m->active < 2)
        gr_str_printf(out, "One lane takes part.");
    else if (m->stride == 0)
        gr_str_printf(out, "All %d lanes request the same bytes: one access serves all.",
                      m->active);
    else if (m->stride == m->site->bytes)
        gr_str_printf(out, "Each lane requests the bytes that follow those of the lane before%s.",
                      m->sector_count > m->ideal ? ", but the first does not begin a sector" : "");
    else if (m->stride != INT64_MIN)
        gr_str_printf(out, "Each lane is %" PRId64 " bytes after the one before it.", m->stride);
    else
        gr_str_printf(out, "The %d lanes that take part request %" PRId64 " distinct bytes.",
                      m->active, m->distinct_bytes);
}

static void say(const struct gr_figure_site *where, const struct map *m, struct gr_figure *f)
{
    struct gr_str title = {0}, caption = {0}, alt = {0};
    gr_str_add(&title, "Addresses of a warp, ");
    gr_site_format(where, &title);
    gr_str_printf(&alt, "One request of %d lane%s touches %d sector%s of %d bytes", m->active,
                  m->active == 1 ? "" : "s", m->sector_count, m->sector_count == 1 ? "" : "s",
                  (int)m->sector);
    if (m->sector_count > m->ideal)
        gr_str_printf(&alt, "; %d would do", m->ideal);
    gr_str_add(&alt, ". ");
    say_pattern(m, &alt);
    gr_str_printf(&caption, "%s ", gr_str_text(&alt));
    gr_site_format_request(m->site, &caption);
    if (m->site->pattern_sectors > 0 && m->site->pattern_sectors != m->sector_count)
        gr_str_printf(&caption,
                      " %d sectors were counted: the array does not begin a sector, as it is drawn "
                      "here.",
                      m->site->pattern_sectors);
    f->failed |= title.failed || caption.failed || alt.failed;
    f->title = title.text;
    f->caption = caption.text;
    f->alt = alt.text;
}

/* ---- The axis of memory. ---- */

struct strip {
    /* The sectors that are drawn, in ascending order. */
    int64_t slots[LINE / LEAST_SECTOR * MOST_SECTORS];
    double x[LINE / LEAST_SECTOR * MOST_SECTORS];
    int count, breaks;
    double slot, gap;
    int64_t sector; /* the size of a sector in bytes */
};

static bool is_touched(const struct map *m, int64_t sector)
{
    for (int i = 0; i < m->sector_count; i++)
        if (m->sectors[i] == sector)
            return true;
    return false;
}

static int count_breaks(const struct strip *strip)
{
    int breaks = 0;
    for (int i = 1; i < strip->count; i++)
        breaks += strip->slots[i] != strip->slots[i - 1] + 1;
    return breaks;
}

/* Draws whole cache lines of 128 bytes if there is room, otherwise only the accessed sectors. */
static void lay(const struct map *m, double width, struct strip *strip)
{
    const int64_t each = LINE / m->sector;
    double inner = width - 2 * MARGIN;
    *strip = (struct strip){.sector = m->sector};
    for (int i = 0; i < m->sector_count; i++) {
        int64_t line = floor_div(m->sectors[i], each);
        if (strip->count && floor_div(strip->slots[strip->count - 1], each) == line)
            continue;
        for (int64_t s = 0; s < each; s++)
            strip->slots[strip->count++] = each * line + s;
    }
    strip->breaks = count_breaks(strip);
    if ((inner - 8 * strip->breaks) / strip->count < LEAST_SLOT) {
        memcpy(strip->slots, m->sectors, (size_t)m->sector_count * sizeof *m->sectors);
        strip->count = m->sector_count;
        strip->breaks = count_breaks(strip);
    }
    double pitch = inner / strip->count;
    strip->gap = pitch > 40 ? 12 : pitch / 4;
    strip->slot = (inner - strip->gap * strip->breaks) / strip->count;
    double x = MARGIN;
    for (int i = 0; i < strip->count; i++) {
        if (i > 0 && strip->slots[i] != strip->slots[i - 1] + 1)
            x += strip->gap;
        strip->x[i] = x;
        x += strip->slot;
    }
}

/* Returns the position of a byte, whose sector must be among those that are drawn. */
static double place(const struct strip *strip, int64_t byte)
{
    int64_t sector = floor_div(byte, strip->sector);
    for (int i = 0; i < strip->count; i++)
        if (strip->slots[i] == sector)
            return strip->x[i] +
                   strip->slot * (double)(byte - sector * strip->sector) / (double)strip->sector;
    return MARGIN;
}

/* ---- The drawing. ---- */

struct sheet {
    const struct map *map;
    struct gr_str *out;
    double width, pitch, memory_top;
    struct strip strip;
};

static double lane_x(const struct sheet *s, int lane)
{
    return MARGIN + s->pitch * lane;
}

static int hue(int lane)
{
    return lane / 8 % 8;
}

static void draw_lanes(const struct sheet *s)
{
    int every = s->pitch >= 18 ? 1 : 8;
    char style[24], hint[128], word[96], number[16];
    gr_svg_text(s->out, "axis-label", GR_ANCHOR_START, MARGIN, 12, "lanes of the warp");
    for (int lane = 0; lane < s->map->lanes; lane++) {
        int64_t at = s->map->at[lane];
        gr_word_offset(s->map->array, at, word, sizeof word);
        snprintf(style, sizeof style, at == NOWHERE ? "idle" : "lane f%d", hue(lane));
        snprintf(hint, sizeof hint, "lane %d: %s%s", lane, at == NOWHERE ? "takes no part" : word,
                 at == NOWHERE ? "" : " bytes");
        gr_svg_box(s->out, style, lane_x(s, lane) + 1, LANES_TOP, s->pitch - 2, LANE_HEIGHT, hint);
        snprintf(number, sizeof number, "%d", lane);
        if (lane % every == 0)
            gr_svg_text(s->out, "tick", GR_ANCHOR_MIDDLE, lane_x(s, lane) + s->pitch / 2,
                        LANES_TOP - 5, number);
    }
}

/* Draws lines from each lane to the middle of its bytes, with one path for every eight lanes. */
static void draw_links(const struct sheet *s)
{
    for (int first = 0; first < s->map->lanes; first += 8) {
        bool begun = false;
        for (int lane = first; lane < first + 8 && lane < s->map->lanes; lane++) {
            int64_t at = s->map->at[lane];
            if (at == NOWHERE)
                continue;
            if (!begun)
                gr_str_printf(s->out, "<path class=\"link l%d\" d=\"", hue(lane));
            begun = true;
            double x0 = place(&s->strip, at), x1 = place(&s->strip, at + s->map->site->bytes - 1);
            x1 += s->strip.slot / (double)s->strip.sector;
            gr_str_printf(s->out, "M%.1f %dL%.1f %.1f", lane_x(s, lane) + s->pitch / 2,
                          LANES_TOP + LANE_HEIGHT, (x0 + x1) / 2, s->memory_top);
        }
        if (begun)
            gr_str_add(s->out, "\"/>\n");
    }
}

/* Two strokes that mark where the addresses jump. */
static void draw_cut(const struct sheet *s, double x)
{
    double y = s->memory_top + MEMORY_HEIGHT / 2.0;
    if (s->strip.gap >= 5)
        gr_str_printf(s->out, "<path class=\"cut\" d=\"M%.1f %.1fl3 -10M%.1f %.1fl3 -10\"/>\n",
                      x - 4, y + 5, x, y + 5);
}

static void draw_memory(const struct sheet *s)
{
    const struct strip *strip = &s->strip;
    for (int i = 0; i < strip->count; i++) {
        if (i > 0 && strip->slots[i] != strip->slots[i - 1] + 1)
            draw_cut(s, strip->x[i] - strip->gap / 2);
        gr_svg_box(s->out, is_touched(s->map, strip->slots[i]) ? "sector touched" : "sector",
                   strip->x[i], s->memory_top, strip->slot, MEMORY_HEIGHT, NULL);
    }
    /* In reverse order, so that of several lanes the first one is visible. */
    for (int lane = s->map->lanes - 1; lane >= 0; lane--) {
        int64_t at = s->map->at[lane];
        if (at == NOWHERE)
            continue;
        char style[16];
        snprintf(style, sizeof style, "byte f%d", hue(lane));
        double width = strip->slot * s->map->site->bytes / (double)strip->sector;
        double space = width > 4 ? 0.8 : 0;
        gr_svg_box(s->out, style, place(strip, at) + space, s->memory_top + 4, width - 2 * space,
                   MEMORY_HEIGHT - 8, NULL);
    }
}

/* Draws a line below each 128 bytes, and the offsets where the pieces begin, as far as there is
 * room. */
static void draw_scale(const struct sheet *s)
{
    const struct strip *strip = &s->strip;
    const int64_t each = LINE / strip->sector;
    double y = s->memory_top + MEMORY_HEIGHT + 5, free_from = 0;
    char word[96];
    for (int i = 0; i < strip->count; i++) {
        bool jump = i == 0 || strip->slots[i] != strip->slots[i - 1] + 1;
        bool starts = jump || strip->slots[i] % each == 0;
        int last = i;
        while (last + 1 < strip->count && strip->slots[last + 1] == strip->slots[last] + 1 &&
               strip->slots[last + 1] % each != 0)
            last++;
        if (!starts)
            continue;
        double inset = strip->slot > 6 ? 1.5 : 0.5;
        gr_svg_line(s->out, "cut", strip->x[i] + inset, y, strip->x[last] + strip->slot - inset, y);
        gr_word_offset(free_from > 0 ? "" : s->map->array, strip->slots[i] * strip->sector, word,
                       sizeof word);
        double words = gr_svg_text_width(word);
        if (strip->x[i] < free_from || strip->x[i] + words > s->width)
            continue;
        gr_svg_text(s->out, "tick", GR_ANCHOR_START, strip->x[i], y + 16, word);
        free_from = strip->x[i] + words + 10;
    }
}

static void draw(const void *model, const struct gr_figure *f, double width, struct gr_str *out)
{
    const struct map *m = model;
    struct sheet s = {.map = m, .out = out, .width = width};
    s.pitch = (width - 2 * MARGIN) / m->lanes;
    s.memory_top = LANES_TOP + LANE_HEIGHT + (width > 500 ? 110 : 90);
    lay(m, width, &s.strip);
    char verdict[96];
    double foot = s.memory_top + MEMORY_HEIGHT + 46;
    gr_svg_open(out, f->title, f->alt, width, foot + (width > 500 ? 26 : 44));
    draw_lanes(&s);
    draw_links(&s);
    draw_memory(&s);
    draw_scale(&s);
    int length = snprintf(verdict, sizeof verdict, "%d sector%s in this request", m->sector_count,
                          m->sector_count == 1 ? "" : "s");
    if (m->sector_count > m->ideal)
        snprintf(verdict + length, sizeof verdict - (size_t)length, "; %d would do", m->ideal);
    gr_svg_text(out, "strong", GR_ANCHOR_START, MARGIN, foot, verdict);
    struct gr_legend legend = {out, MARGIN, MARGIN, foot + 20, width - MARGIN};
    gr_legend_item(&legend, "f0", "requested");
    gr_legend_item(&legend, "touched", "sector that is fetched");
    gr_legend_item(&legend, "sector", "not fetched");
    gr_svg_close(out);
}

static void add_gnuplot(const struct map *m, struct gr_figure *f)
{
    gr_figure_script(f, "lane, first byte, byte after the last, sector of the first byte", 420);
    gr_str_printf(&f->script, "set xlabel 'sector of %d bytes, from the start of the array'\n",
                  (int)m->sector);
    gr_str_add(&f->script, "set ylabel 'lane'\nset yrange [*:*] reverse\nset grid\nunset key\n"
                           "set offsets graph 0.05, graph 0.05, graph 0.05, graph 0.05\n"
                           "plot data using 4:1 with points pointtype 5 pointsize 0.7\n");
    for (int lane = 0; lane < m->lanes; lane++) {
        int64_t at = m->at[lane];
        if (at != NOWHERE)
            gr_str_printf(&f->data, "%d\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\n", lane, at,
                          at + m->site->bytes, floor_div(at, m->sector));
    }
}

void gr_picture_lanes(const struct gr_figure_site *where, const char *name, struct gr_figure *f)
{
    const struct gr_trace_array *array = gr_trace_array_of(where->trace, where->site);
    struct map m = {.site = where->site,
                    .array = array ? array->name : "",
                    .sector = gr_rules_sector(&where->site->rules)};
    m.lanes = where->trace->warp > 0 && where->trace->warp <= GR_TRACE_LANES ? where->trace->warp
                                                                             : GR_TRACE_LANES;
    place_lanes(&m);
    read_pattern(&m);
    *f = (struct gr_figure){.name = gr_strdup(name)};
    say(where, &m, f);
    if (f->name)
        add_gnuplot(&m, f);
    if (m.sector_count > 0)
        gr_figure_draw(f, draw, &m);
}
