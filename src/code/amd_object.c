/* amd_object.c: the ELF file of an AMD code object: the metadata in its note, and the kernels'
 * descriptors and instructions, which its symbols name. SPDX-License-Identifier: MIT */
#include "code/amd_object.h"

#include "base/str.h"
#include "code/elf.h"
#include "code/msgpack.h"
#include "core/error.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NOTE_METADATA = 32, /* NT_AMDGPU_METADATA */
    NOTE_HEAD_BYTES = 12,
    DESCRIPTOR_BYTES = 64,
    RSRC1_OFFSET = 48, /* compute_pgm_rsrc1 in a descriptor */
    RSRC1_WGP_MODE = 29,
    FIRST_WITH_WGP = 10, /* gfx10 */
    MOST_KERNELS = 4096
};

struct reader {
    struct gr_elf elf;
    struct gr_code *code;
    struct gradus_error *error;
};

static enum gradus_status invalid(const struct reader *reader, const char *what)
{
    return gr_fail(reader->error, GRADUS_INVALID, "code object: %s; compile it again", what);
}

/* ---- The metadata. ---- */

static int64_t bounded(const struct gr_msgpack_item *item, int64_t most)
{
    if (item->kind != GR_MSGPACK_INTEGER && item->kind != GR_MSGPACK_BOOL)
        return 0;
    return item->number < 0 ? 0 : item->number > most ? most : item->number;
}

/* The symbol is the descriptor's, "NAME.kd"; the function's is NAME. */
static void take_symbol(const struct gr_msgpack_item *item, struct gr_code_kernel *k)
{
    static const char ending[] = ".kd";
    const size_t tail = sizeof ending - 1;
    if (k->symbol || item->kind != GR_MSGPACK_TEXT || item->length <= tail ||
        memcmp(item->text + item->length - tail, ending, tail) != 0 ||
        memchr(item->text, 0, item->length))
        return;
    k->symbol = gr_strndup((const char *)item->text, item->length - tail);
}

static void take_fact(const struct gr_msgpack_item *key, const struct gr_msgpack_item *item,
                      struct gr_code_kernel *k)
{
    const struct {
        const char *name;
        int *number;
    } counts[] = {{".vgpr_count", &k->registers},
                  {".agpr_count", &k->amd.agprs},
                  {".sgpr_count", &k->amd.sgprs},
                  {".vgpr_spill_count", &k->amd.vgpr_spills},
                  {".sgpr_spill_count", &k->amd.sgpr_spills},
                  {".wavefront_size", &k->amd.wave}};
    const struct {
        const char *name;
        int64_t *number;
    } sizes[] = {{".group_segment_fixed_size", &k->smem_bytes},
                 {".private_segment_fixed_size", &k->stack_bytes},
                 {".kernarg_segment_size", &k->parameter_bytes},
                 {".max_flat_workgroup_size", &k->max_threads}};
    if (gr_msgpack_is(key, ".symbol"))
        take_symbol(item, k);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (gr_msgpack_is(key, counts[i].name))
            *counts[i].number = (int)bounded(item, INT_MAX);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (gr_msgpack_is(key, sizes[i].name))
            *sizes[i].number = bounded(item, INT32_MAX);
}

/* A value that is an array or a map of its own, as the arguments are, is skipped. */
static bool take_value(struct gr_msgpack *m, const struct gr_msgpack_item *key,
                       struct gr_code_kernel *k)
{
    struct gr_msgpack value = *m;
    struct gr_msgpack_item item;
    if (!gr_msgpack_next(&value, &item))
        return false;
    take_fact(key, &item, k);
    return gr_msgpack_skip(m);
}

static enum gradus_status read_kernel(struct reader *reader, struct gr_msgpack *m)
{
    struct gr_msgpack_item map, key;
    struct gr_code_kernel *k = &reader->code->kernels[reader->code->count];
    if (!gr_msgpack_next(m, &map) || map.kind != GR_MSGPACK_MAP)
        return invalid(reader, "a kernel's metadata are damaged");
    *k = (struct gr_code_kernel){0};
    reader->code->count++;
    for (uint64_t i = 0; i < map.count; i++)
        if (!gr_msgpack_next(m, &key) || !take_value(m, &key, k))
            return invalid(reader, "a kernel's metadata are damaged");
    return k->symbol ? GRADUS_OK : invalid(reader, "a kernel without a name");
}

static enum gradus_status read_kernels(struct reader *reader, struct gr_msgpack *m)
{
    struct gr_msgpack_item list;
    if (!gr_msgpack_next(m, &list) || list.kind != GR_MSGPACK_ARRAY || list.count > MOST_KERNELS ||
        list.count > (uint64_t)(m->end - m->at) || reader->code->kernels)
        return invalid(reader, "its list of kernels is damaged");
    const size_t bytes = ((size_t)list.count + 1) * sizeof *reader->code->kernels;
    reader->code->kernels = calloc(1, bytes);
    if (!reader->code->kernels)
        return gr_fail_memory(reader->error, "a code object's kernels", bytes);
    enum gradus_status status = GRADUS_OK;
    for (uint64_t i = 0; i < list.count && status == GRADUS_OK; i++)
        status = read_kernel(reader, m);
    return status;
}

/* "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-" is gfx90a. */
static void take_target(const struct gr_msgpack_item *item, struct gr_code *code)
{
    static const char dashes[] = "--";
    const char *text = (const char *)item->text, *at = NULL;
    if (item->kind == GR_MSGPACK_TEXT)
        at = memmem(text, item->length, dashes, strlen(dashes));
    if (!at)
        return;
    at += strlen(dashes);
    size_t length = 0;
    while (at + length < text + item->length && isalnum((unsigned char)at[length]))
        length++;
    snprintf(code->arch, sizeof code->arch, "%.*s", (int)(length < 31 ? length : 31), at);
}

static enum gradus_status read_metadata(struct reader *reader, struct gr_msgpack m)
{
    struct gr_msgpack_item map, key, item;
    if (!gr_msgpack_next(&m, &map) || map.kind != GR_MSGPACK_MAP)
        return invalid(reader, "its metadata are damaged");
    for (uint64_t i = 0; i < map.count; i++) {
        enum gradus_status status = GRADUS_OK;
        bool whole = gr_msgpack_next(&m, &key);
        if (whole && gr_msgpack_is(&key, "amdhsa.kernels")) {
            status = read_kernels(reader, &m);
        } else if (whole) {
            struct gr_msgpack value = m;
            if (gr_msgpack_is(&key, "amdhsa.target") && gr_msgpack_next(&value, &item))
                take_target(&item, reader->code);
            whole = gr_msgpack_skip(&m);
        }
        if (!whole)
            return invalid(reader, "its metadata are damaged");
        if (status != GRADUS_OK)
            return status;
    }
    return GRADUS_OK;
}

/* Finds the metadata among the notes of a section. */
static bool find_note(const struct gr_elf_section *s, struct gr_msgpack *m)
{
    const unsigned char *at = s->bytes, *end = s->bytes + s->size;
    while (end - at >= NOTE_HEAD_BYTES) {
        const uint64_t name = gr_elf_number(at, 4), size = gr_elf_number(at + 4, 4);
        const uint64_t type = gr_elf_number(at + 8, 4), padded = (name + 3) / 4 * 4;
        at += NOTE_HEAD_BYTES;
        if (padded > (uint64_t)(end - at) || size > (uint64_t)(end - at) - padded)
            return false;
        const unsigned char *content = at + padded;
        if (type == NOTE_METADATA && name >= 6 && memcmp(at, "AMDGPU", 6) == 0) {
            *m = (struct gr_msgpack){content, content + size};
            return true;
        }
        const uint64_t room = (uint64_t)(end - content), step = (size + 3) / 4 * 4;
        at = content + (step < room ? step : room);
    }
    return false;
}

static enum gradus_status read_notes(struct reader *reader)
{
    struct gr_msgpack m;
    for (int i = 0; i < reader->elf.count; i++) {
        const struct gr_elf_section *s = &reader->elf.sections[i];
        if (s->type == GR_ELF_NOTE && s->bytes && find_note(s, &m))
            return read_metadata(reader, m);
    }
    return invalid(reader, "no metadata of version 3 or later");
}

/* ---- The symbols. ---- */

/* The bytes of a symbol in its section, or null. */
static const unsigned char *bytes_of(const struct gr_elf *elf, const unsigned char *symbol,
                                     uint64_t *address, uint64_t *size)
{
    const uint64_t index = gr_elf_number(symbol + 6, 2);
    *address = gr_elf_number(symbol + 8, 8);
    *size = gr_elf_number(symbol + 16, 8);
    if (index == 0 || index >= (uint64_t)elf->count)
        return NULL;
    const struct gr_elf_section *s = &elf->sections[index];
    if (!s->bytes || *address < s->address || *address - s->address > s->size ||
        *size > s->size - (*address - s->address))
        return NULL;
    return s->bytes + (*address - s->address);
}

/* In the mode of a workgroup processor both of its compute units run a workgroup. */
static void read_descriptor(const struct reader *reader, const unsigned char *bytes,
                            struct gr_code_kernel *k)
{
    const char *arch = reader->code->arch;
    const size_t length = strlen(arch);
    /* "gfx1030" is 10.3.0: the last two characters are the minor version and the stepping. */
    const int major = length > 5 && gr_starts_with(arch, "gfx") ? atoi(arch + 3) / 100 : 0;
    if (major >= FIRST_WITH_WGP)
        k->amd.wgp = gr_elf_number(bytes + RSRC1_OFFSET, 4) >> RSRC1_WGP_MODE & 1;
}

static void read_symbol(const struct reader *reader, const char *name, const unsigned char *symbol)
{
    uint64_t address, size;
    const unsigned char *bytes = bytes_of(&reader->elf, symbol, &address, &size);
    for (int i = 0; bytes && i < reader->code->count; i++) {
        struct gr_code_kernel *k = &reader->code->kernels[i];
        const size_t length = strlen(k->symbol);
        if (strncmp(name, k->symbol, length) != 0)
            continue;
        if (name[length] == 0) {
            k->text = bytes;
            k->text_bytes = (size_t)size;
            k->address = address;
        } else if (strcmp(name + length, ".kd") == 0 && size >= DESCRIPTOR_BYTES) {
            read_descriptor(reader, bytes, k);
        }
    }
}

static enum gradus_status read_symbols(struct reader *reader)
{
    const struct gr_elf_section *table = NULL;
    for (int i = 0; i < reader->elf.count && !table; i++)
        if (reader->elf.sections[i].type == GR_ELF_DYNSYM ||
            reader->elf.sections[i].type == GR_ELF_SYMTAB)
            table = &reader->elf.sections[i];
    if (!table || !table->bytes || table->link >= (uint32_t)reader->elf.count)
        return invalid(reader, "no symbols");
    for (uint64_t i = 0; i < table->size / GR_ELF_SYMBOL_BYTES; i++) {
        const unsigned char *symbol = table->bytes + i * GR_ELF_SYMBOL_BYTES;
        const char *name =
            gr_elf_text(&reader->elf.sections[table->link], gr_elf_number(symbol, 4));
        if (name)
            read_symbol(reader, name, symbol);
    }
    for (int i = 0; i < reader->code->count; i++)
        if (!reader->code->kernels[i].text)
            return invalid(reader, "a kernel without instructions");
    return GRADUS_OK;
}

enum gradus_status gr_amd_object_read(const void *image, size_t length, struct gr_code *code,
                                      struct gradus_error *error)
{
    *code = (struct gr_code){.is_amd = true};
    struct reader reader = {.code = code, .error = error};
    enum gradus_status status = gr_elf_read(image, length, "code object", &reader.elf, error);
    if (status == GRADUS_OK)
        status = read_notes(&reader);
    if (status == GRADUS_OK)
        status = read_symbols(&reader);
    gr_elf_free(&reader.elf);
    if (status != GRADUS_OK)
        gr_code_free(code);
    return status;
}
