/* device.c: reads device files and checks that each figure is present.
 * SPDX-License-Identifier: MIT */
#include "model/device.h"

#include "core/error.h"
#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The files that have a key. */
enum rule {
    NEEDED,
    AMD_ONLY, /* required in files of AMD's GPUs, and an error in others */
    OPTIONAL
};

/* A key, and the member for its value. If size is 0 the value is an integer, otherwise a text. */
struct key {
    const char *name;
    size_t offset, size;
    enum rule rule;
};

#define INTEGER(field) #field, offsetof(struct gr_device, field), 0
#define TEXT(field) #field, offsetof(struct gr_device, field), sizeof((struct gr_device *)0)->field

static const struct key keys[] = {
    {TEXT(name), NEEDED},
    {TEXT(arch), NEEDED},
    {INTEGER(cc), NEEDED},
    {INTEGER(sms), NEEDED},
    {INTEGER(clock_mhz), NEEDED},
    {INTEGER(warp), NEEDED},
    {INTEGER(threads_per_sm), NEEDED},
    {INTEGER(threads_per_block), NEEDED},
    {INTEGER(blocks_per_sm), NEEDED},
    {INTEGER(registers_per_sm), NEEDED},
    {INTEGER(registers_per_block), NEEDED},
    {INTEGER(registers_per_thread), NEEDED},
    {INTEGER(register_unit), NEEDED},
    {INTEGER(schedulers_per_sm), NEEDED},
    {INTEGER(smem_per_sm_bytes), NEEDED},
    {INTEGER(smem_per_block_bytes), NEEDED},
    {INTEGER(smem_reserved_bytes), NEEDED},
    {INTEGER(smem_unit_bytes), NEEDED},
    {INTEGER(smem_banks), NEEDED},
    {INTEGER(fp32_lanes_per_sm), NEEDED},
    {INTEGER(fp64_lanes_per_sm), NEEDED},
    {INTEGER(l2_bytes), NEEDED},
    {INTEGER(memory_mb), NEEDED},
    {INTEGER(memory_gbps), NEEDED},
    {INTEGER(sector_bytes), AMD_ONLY},
    {TEXT(smem_phases), AMD_ONLY},
    {INTEGER(tensor_f16_per_sm), OPTIONAL},
    {INTEGER(tensor_tf32_per_sm), OPTIONAL},
    {INTEGER(tensor_8bit_per_sm), OPTIONAL},
    {INTEGER(tensor_f64_per_sm), OPTIONAL},
    {INTEGER(sgprs_per_scheduler), OPTIONAL},
    {INTEGER(sgpr_unit), OPTIONAL},
    {INTEGER(sgprs_reserved), OPTIONAL},
};

enum { KEYS = sizeof keys / sizeof *keys };

struct reader {
    const char *path;
    int line;
    struct gr_device *device;
    int lines[KEYS]; /* the line of each key; 0: not read yet */
    struct gradus_error *error;
};

/* Removes the blanks at both ends of [start, end). */
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

/* Checks the figures that must not be 0 because of divisions by them. */
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
    for (int i = 0; i < KEYS; i++) {
        const bool wanted = keys[i].rule == NEEDED || (keys[i].rule == AMD_ONLY && d->cc == 0);
        if (wanted && !r->lines[i])
            return gr_fail(
                r->error, GRADUS_INVALID, "%s: %s is missing%s", r->path, keys[i].name,
                keys[i].rule == AMD_ONLY ? ", which the file of an AMD GPU (cc 0) must have" : "");
        if (keys[i].rule == AMD_ONLY && !wanted && r->lines[i])
            return gr_fail(r->error, GRADUS_INVALID,
                           "%s:%d: %s is for AMD's GPUs, and this one has cc %lld", r->path,
                           r->lines[i], keys[i].name, (long long)d->cc);
    }
    for (size_t i = 0; i < sizeof positive / sizeof *positive; i++)
        if (positive[i].value < 1)
            return gr_fail(r->error, GRADUS_INVALID, "%s: found %s 0, wanted 1 or more", r->path,
                           positive[i].name);
    if (d->sgprs_per_scheduler > 0 && d->sgpr_unit < 1)
        return gr_fail(r->error, GRADUS_INVALID,
                       "%s: found sgprs_per_scheduler without sgpr_unit, wanted both", r->path);
    return GRADUS_OK;
}

/* ---- The lanes that the banks serve at the same time. ---- */

/* "load128:32:01231032" */
static bool read_phases(const char *word, struct gr_access_rules *rules)
{
    char phases[GR_QUADS + 2] = "";
    int bits = 0, banks = 0, end = 0;
    bool loads = !gr_starts_with(word, "store"), stores = !gr_starts_with(word, "load");
    const char *number = word + (!stores ? strlen("load") : !loads ? strlen("store") : 0);
    struct gr_bank_rule rule = {0};
    if (sscanf(number, "%d:%d:%9[0-7]%n", &bits, &banks, phases, &end) != 3 || number[end] ||
        strlen(phases) != GR_QUADS || bits < 32 || bits > 128 || bits % 32 != 0 ||
        (banks != 32 && banks != GR_BANKS_MOST))
        return false;
    rule.banks = (int8_t)banks;
    for (int i = 0; i < GR_QUADS; i++)
        rule.phase[i] = (int8_t)(phases[i] - '0');
    if (loads)
        rules->loads[bits / 32 - 1] = rule;
    if (stores)
        rules->stores[bits / 32 - 1] = rule;
    rules->banks = banks > rules->banks ? (int16_t)banks : rules->banks;
    return true;
}

static enum gradus_status make_rules(const char *path, struct gr_device *d,
                                     struct gradus_error *error)
{
    char text[sizeof d->smem_phases], *rest = NULL;
    if (d->cc > 0)
        return GRADUS_OK;
    if (d->sector_bytes != 64 && d->sector_bytes != GR_SECTOR_MOST)
        return gr_fail(error, GRADUS_INVALID, "%s: found sector_bytes %lld, wanted 64 or 128", path,
                       (long long)d->sector_bytes);
    d->rules.sector_bytes = (int16_t)d->sector_bytes;
    strcpy(text, d->smem_phases);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (!read_phases(word, &d->rules))
            return gr_fail(error, GRADUS_INVALID,
                           "%s: found '%s' in smem_phases, wanted [load|store]BITS:BANKS:PHASES "
                           "with 8 digits, as in load128:32:01231032",
                           path, word);
    for (int i = 0; i < GR_RULE_WIDTHS; i++)
        if (d->rules.loads[i].banks == 0 || d->rules.stores[i].banks == 0)
            return gr_fail(error, GRADUS_INVALID,
                           "%s: smem_phases has no %s of %d bits; wanted 32, 64, 96 and 128 of "
                           "both",
                           path, d->rules.loads[i].banks == 0 ? "load" : "store", 32 * (i + 1));
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
    status = status == GRADUS_OK ? check(&r) : status;
    return status == GRADUS_OK ? make_rules(path, device, error) : status;
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

/* Since which compute capability they multiply the type. */
enum { BF16_CC = 80, FP8_CC = 89 };

double gr_device_gflops_tensor(const struct gr_device *d, struct gr_types types, bool tf32)
{
    const size_t bytes = gr_dtype_bytes(types.a);
    int64_t rate = 0;
    if (bytes != gr_dtype_bytes(types.b))
        return 0;
    if (types.a == GR_F64 && types.b == GR_F64)
        rate = d->tensor_f64_per_sm;
    else if (types.a == GR_F32 && types.b == GR_F32 && tf32)
        rate = d->tensor_tf32_per_sm;
    else if (types.a == types.b && (types.a == GR_F16 || (types.a == GR_BF16 && d->cc >= BF16_CC)))
        rate = d->tensor_f16_per_sm;
    else if (bytes == 1 && (types.acc == GR_S32 || d->cc >= FP8_CC))
        rate = d->tensor_8bit_per_sm;
    return gflops(d, rate);
}
