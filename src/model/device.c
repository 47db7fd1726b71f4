/* device.c: reads device files and checks that every figure is there. SPDX-License-Identifier: MIT
 */
#include "model/device.h"

#include "core/error.h"
#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A key and where its value goes; size 0: an integer, else room for a text. */
struct key {
    const char *name;
    size_t offset, size;
};

#define INTEGER(field) #field, offsetof(struct gr_device, field), 0
#define TEXT(field) #field, offsetof(struct gr_device, field), sizeof((struct gr_device *)0)->field

static const struct key keys[] = {
    {TEXT(name)},
    {TEXT(arch)},
    {INTEGER(cc)},
    {INTEGER(sms)},
    {INTEGER(clock_mhz)},
    {INTEGER(warp)},
    {INTEGER(threads_per_sm)},
    {INTEGER(threads_per_block)},
    {INTEGER(blocks_per_sm)},
    {INTEGER(registers_per_sm)},
    {INTEGER(registers_per_block)},
    {INTEGER(registers_per_thread)},
    {INTEGER(register_unit)},
    {INTEGER(schedulers_per_sm)},
    {INTEGER(smem_per_sm_bytes)},
    {INTEGER(smem_per_block_bytes)},
    {INTEGER(smem_reserved_bytes)},
    {INTEGER(smem_unit_bytes)},
    {INTEGER(smem_banks)},
    {INTEGER(fp32_lanes_per_sm)},
    {INTEGER(fp64_lanes_per_sm)},
    {INTEGER(l2_bytes)},
    {INTEGER(memory_mb)},
    {INTEGER(memory_gbps)},
    /* From here on a file may leave them out. */
    {INTEGER(sgprs_per_scheduler)},
    {INTEGER(sgpr_unit)},
    {INTEGER(sgprs_reserved)},
};

enum { KEYS = sizeof keys / sizeof *keys, OPTIONAL_KEYS = 3 };

struct reader {
    const char *path;
    int line;
    struct gr_device *device;
    int lines[KEYS]; /* where each key was given; 0: not yet */
    struct gradus_error *error;
};

/* [start, end) without blanks at its ends. */
static void trim(const char **start, const char **end)
{
    while (*start < *end && isspace((unsigned char)**start))
        ++*start;
    while (*end > *start && isspace((unsigned char)(*end)[-1]))
        --*end;
}

static int find_key(const struct reader *r, const char *word)
{
    const char *names[KEYS];
    for (int i = 0; i < KEYS; i++) {
        names[i] = keys[i].name;
        if (strcmp(word, keys[i].name) == 0)
            return i;
    }
    const char *near = gr_nearest(word, names, KEYS);
    gr_fail(r->error, GRADUS_INVALID, "%s:%d: no key '%s' in a device file%s%s%s", r->path, r->line,
            word, near ? "; did you mean '" : "; see model/device.h", near ? near : "",
            near ? "'?" : "");
    return -1;
}

static enum gradus_status store(struct reader *r, const struct key *key, const char *value)
{
    char *field = (char *)r->device + key->offset;
    if (key->size > 0) {
        if (strlen(value) >= key->size)
            return gr_fail(r->error, GRADUS_INVALID, "%s:%d: %s is longer than %zu characters",
                           r->path, r->line, key->name, key->size - 1);
        strcpy(field, value);
        return GRADUS_OK;
    }
    char *end;
    errno = 0;
    long long number = strtoll(value, &end, 10);
    /* The limit keeps products of two figures from overflowing. */
    if (end == value || *end || errno || number < 0 || number > INT32_MAX)
        return gr_fail(r->error, GRADUS_INVALID,
                       "%s:%d: found %s '%s', wanted a whole number from 0 to 2147483647", r->path,
                       r->line, key->name, value);
    *(int64_t *)(void *)field = number;
    return GRADUS_OK;
}

/* "KEY VALUE | SOURCE", blanks trimmed, not empty. */
static enum gradus_status read_fact(struct reader *r, const char *start, const char *end)
{
    const char *bar = memchr(start, '|', (size_t)(end - start));
    const char *source = bar ? bar + 1 : end, *source_end = end;
    trim(&source, &source_end);
    if (!bar || source == source_end)
        return gr_fail(r->error, GRADUS_INVALID,
                       "%s:%d: a fact without a source; wanted KEY VALUE | SOURCE", r->path,
                       r->line);
    trim(&start, &bar);
    const char *blank = start;
    while (blank < bar && !isspace((unsigned char)*blank))
        blank++;
    const char *value = blank, *value_end = bar;
    trim(&value, &value_end);
    if (value == value_end)
        return gr_fail(r->error, GRADUS_INVALID, "%s:%d: '%.*s' has no value", r->path, r->line,
                       (int)(blank - start), start);
    char *word = gr_strndup(start, (size_t)(blank - start));
    char *text = gr_strndup(value, (size_t)(value_end - value));
    enum gradus_status status = GRADUS_OK;
    int i = -1;
    if (!word || !text)
        status = gr_fail_memory(r->error, "a device file's line", (uint64_t)(end - start));
    else if ((i = find_key(r, word)) < 0)
        status = GRADUS_INVALID;
    else if (r->lines[i])
        status = gr_fail(r->error, GRADUS_INVALID, "%s:%d: %s is already given in line %d", r->path,
                         r->line, word, r->lines[i]);
    else
        status = store(r, &keys[i], text);
    if (i >= 0)
        r->lines[i] = r->line;
    free(word);
    free(text);
    return status;
}

/* Figures that must not be 0, since something is divided by them. */
static enum gradus_status check(const struct reader *r)
{
    const struct gr_device *d = r->device;
    const struct {
        const char *name;
        int64_t value;
    } positive[] = {{"sms", d->sms},
                    {"clock_mhz", d->clock_mhz},
                    {"warp", d->warp},
                    {"register_unit", d->register_unit},
                    {"schedulers_per_sm", d->schedulers_per_sm},
                    {"smem_unit_bytes", d->smem_unit_bytes},
                    {"smem_banks", d->smem_banks},
                    {"memory_gbps", d->memory_gbps}};
    for (int i = 0; i < KEYS - OPTIONAL_KEYS; i++)
        if (!r->lines[i])
            return gr_fail(r->error, GRADUS_INVALID, "%s: %s is missing", r->path, keys[i].name);
    for (size_t i = 0; i < sizeof positive / sizeof *positive; i++)
        if (positive[i].value < 1)
            return gr_fail(r->error, GRADUS_INVALID, "%s: found %s 0, wanted 1 or more", r->path,
                           positive[i].name);
    if (d->sgprs_per_scheduler > 0 && d->sgpr_unit < 1)
        return gr_fail(r->error, GRADUS_INVALID,
                       "%s: found sgprs_per_scheduler without sgpr_unit, wanted both", r->path);
    return GRADUS_OK;
}

enum gradus_status gr_device_read(const char *path, const char *text, struct gr_device *device,
                                  struct gradus_error *error)
{
    struct reader r = {.path = path, .device = device, .error = error};
    *device = (struct gr_device){0};
    enum gradus_status status = GRADUS_OK;
    for (const char *line = text; *line && status == GRADUS_OK;) {
        size_t length = strcspn(line, "\n");
        const char *start = line, *end = line + length;
        r.line++;
        trim(&start, &end);
        if (start < end && *start != '#')
            status = read_fact(&r, start, end);
        line += length + (line[length] == '\n');
    }
    return status == GRADUS_OK ? check(&r) : status;
}

bool gr_device_is_amd(const struct gr_device *device)
{
    return gr_starts_with(device->arch, "gfx");
}

static double gflops(const struct gr_device *d, int64_t lanes)
{
    return 2e-3 * (double)d->sms * (double)lanes * (double)d->clock_mhz;
}

double gr_device_gflops_f32(const struct gr_device *device)
{
    return gflops(device, device->fp32_lanes_per_sm);
}

double gr_device_gflops_f64(const struct gr_device *device)
{
    return gflops(device, device->fp64_lanes_per_sm);
}
