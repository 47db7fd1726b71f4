/* cubin.c: the ELF of a cubin: its kernels, their sections and what the attributes of .nv.info say of them.
 * The layout is not published; it was read off the output of CUDA 12.0 to 13.4 for sm_75 to sm_120.
 * SPDX-License-Identifier: MIT */
#include "code/cubin.h"

#include "base/error.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEADER_BYTES = 64,
    SECTION_BYTES = 64,
    SYMBOL_BYTES = 24,
    EM_CUDA = 190,
    ABI_WIDE_ARCH =
        8, /* from this EI_ABIVERSION on, the architecture is in bits 8..15 of e_flags */
    SHT_SYMTAB = 2,
    SHT_NOBITS = 8,
    STT_FUNC = 2,
    STO_ENTRY = 0x10, /* st_other of a __global__ function */
    SYSTEM_SMEM_BYTES = 1024
};

/* How an attribute's value is stored, and the attributes that are read. */
enum { FORMAT_NONE = 1, FORMAT_BYTE = 2, FORMAT_HALF = 3, FORMAT_SIZED = 4 };
enum {
    ATTRIBUTE_MAX_THREADS = 0x05,
    ATTRIBUTE_FRAME_SIZE = 0x11,
    ATTRIBUTE_MIN_STACK_SIZE = 0x12,
    ATTRIBUTE_PARAMETER_BYTES = 0x19,
    ATTRIBUTE_REGISTERS = 0x2f,
    ATTRIBUTE_BARRIERS = 0x4c
};

struct section {
    const char *name;
    uint32_t type, link, info;
    uint64_t flags, size;
    const unsigned char *bytes; /* null for NOBITS */
};

/* The file and what was found in it so far. */
struct elf {
    const unsigned char *image;
    size_t length;
    struct section *sections;
    int section_count;
    uint32_t *symbol_of; /* a kernel's index in the symbol table */
    struct gr_code *code;
    struct gradus_error *error;
};

static uint64_t number(const unsigned char *bytes, int count)
{
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

static bool inside(const struct elf *elf, uint64_t offset, uint64_t size)
{
    return offset <= elf->length && size <= elf->length - offset;
}

static enum gradus_status invalid(const struct elf *elf, const char *what)
{
    return gr_fail(elf->error, GRADUS_INVALID, "cubin: %s; compile it again", what);
}

/* The text at `offset` of a string table, or null where it has no end. */
static const char *text_at(const struct section *table, uint64_t offset)
{
    if (!table->bytes || offset >= table->size ||
        !memchr(table->bytes + offset, 0, (size_t)(table->size - offset)))
        return NULL;
    return (const char *)table->bytes + offset;
}

static enum gradus_status read_header(struct elf *elf)
{
    const unsigned char *h = elf->image;
    if (elf->length < HEADER_BYTES || memcmp(h, "\177ELF\2\1", 6) != 0)
        return gr_fail(elf->error, GRADUS_INVALID,
                       "cubin: not a 64-bit little-endian ELF file; wanted what "
                       "`nvcc -cubin -arch=sm_90` writes");
    if (number(h + 18, 2) != EM_CUDA)
        return gr_fail(elf->error, GRADUS_INVALID,
                       "cubin: an ELF file for machine %d, wanted %d (NVIDIA CUDA)",
                       (int)number(h + 18, 2), EM_CUDA);
    uint64_t flags = number(h + 48, 4);
    elf->code->cc = (int)(h[8] >= ABI_WIDE_ARCH ? flags >> 8 & 0xff : flags & 0xff);
    return GRADUS_OK;
}

static enum gradus_status read_section(struct elf *elf, const unsigned char *h, struct section *s)
{
    s->type = (uint32_t)number(h + 4, 4);
    s->flags = number(h + 8, 8);
    s->size = number(h + 32, 8);
    s->link = (uint32_t)number(h + 40, 4);
    s->info = (uint32_t)number(h + 44, 4);
    uint64_t offset = number(h + 24, 8);
    if (s->type == SHT_NOBITS)
        return s->size <= INT32_MAX ? GRADUS_OK : invalid(elf, "a section of more than 2 GiB");
    if (!inside(elf, offset, s->size))
        return invalid(elf, "a section ends after the end of the file");
    s->bytes = elf->image + offset;
    return GRADUS_OK;
}

static enum gradus_status read_sections(struct elf *elf)
{
    const unsigned char *h = elf->image;
    uint64_t offset = number(h + 40, 8), count = number(h + 60, 2), names = number(h + 62, 2);
    if (number(h + 58, 2) != SECTION_BYTES || names >= count ||
        !inside(elf, offset, count * SECTION_BYTES))
        return invalid(elf, "no table of sections where the header says");
    elf->sections = calloc(count, sizeof *elf->sections);
    if (!elf->sections)
        return gr_fail_memory(elf->error, "a cubin's sections", count * sizeof *elf->sections);
    elf->section_count = (int)count;
    for (int i = 0; i < elf->section_count; i++) {
        enum gradus_status status =
            read_section(elf, h + offset + (size_t)i * SECTION_BYTES, &elf->sections[i]);
        if (status != GRADUS_OK)
            return status;
    }
    for (int i = 0; i < elf->section_count; i++) {
        struct section *s = &elf->sections[i];
        uint64_t name = number(h + offset + (size_t)i * SECTION_BYTES, 4);
        s->name = text_at(&elf->sections[names], name);
        if (!s->name)
            return invalid(elf, "a section without a name");
    }
    return GRADUS_OK;
}

/* One __global__ function of the symbol table; others are passed over. */
static enum gradus_status read_symbol(struct elf *elf, const struct section *names,
                                      const unsigned char *entry, uint32_t index)
{
    uint64_t section = number(entry + 6, 2);
    if ((entry[4] & 0xf) != STT_FUNC || !(entry[5] & STO_ENTRY) || section == 0)
        return GRADUS_OK;
    const char *symbol = text_at(names, number(entry, 4));
    if (!symbol || !*symbol || section >= (uint64_t)elf->section_count ||
        !elf->sections[section].bytes || !gr_starts_with(elf->sections[section].name, ".text."))
        return invalid(elf, "a kernel without a name or without instructions");
    if (elf->code->count >= elf->section_count)
        return invalid(elf, "more kernels than sections");
    const struct section *text = &elf->sections[section];
    struct gr_code_kernel *k = &elf->code->kernels[elf->code->count];
    *k = (struct gr_code_kernel){.symbol = gr_strdup(symbol),
                                 .text = text->bytes,
                                 .text_bytes = (size_t)text->size,
                                 .registers = (int)(text->info >> 24),
                                 .barriers = (int)(text->flags >> 20 & 0x7f)};
    if (!k->symbol)
        return gr_fail_memory(elf->error, "a kernel's name", strlen(symbol) + 1);
    elf->symbol_of[elf->code->count++] = index;
    return GRADUS_OK;
}

static enum gradus_status read_symbols(struct elf *elf)
{
    const struct section *table = NULL;
    for (int i = 0; i < elf->section_count && !table; i++)
        if (elf->sections[i].type == SHT_SYMTAB)
            table = &elf->sections[i];
    if (!table || table->link >= (uint32_t)elf->section_count)
        return invalid(elf, "no symbols");
    size_t room = (size_t)elf->section_count;
    elf->code->kernels = calloc(room, sizeof *elf->code->kernels);
    elf->symbol_of = calloc(room, sizeof *elf->symbol_of);
    if (!elf->code->kernels || !elf->symbol_of)
        return gr_fail_memory(elf->error, "a cubin's kernels", room * sizeof *elf->code->kernels);
    enum gradus_status status = GRADUS_OK;
    for (uint64_t i = 0; i < table->size / SYMBOL_BYTES && status == GRADUS_OK; i++)
        status = read_symbol(elf, &elf->sections[table->link], table->bytes + i * SYMBOL_BYTES,
                             (uint32_t)i);
    return status;
}

static struct gr_code_kernel *kernel_of_symbol(struct elf *elf, uint64_t index)
{
    for (int i = 0; i < elf->code->count; i++)
        if (elf->symbol_of[i] == index)
            return &elf->code->kernels[i];
    return NULL;
}

/* Of .nv.info, whose values are pairs: a symbol, and what is said of it. */
static void take_pair(struct elf *elf, int attribute, const unsigned char *value, size_t size)
{
    if (size < 8)
        return;
    struct gr_code_kernel *k = kernel_of_symbol(elf, number(value, 4));
    int64_t said = (int64_t)number(value + 4, 4);
    if (!k)
        return;
    if (attribute == ATTRIBUTE_REGISTERS)
        k->registers = (int)(said & 0xffff);
    else if ((attribute == ATTRIBUTE_FRAME_SIZE || attribute == ATTRIBUTE_MIN_STACK_SIZE) &&
             said > k->stack_bytes)
        k->stack_bytes = said; /* the second has the called functions' frames in it */
}

/* Of .nv.info.KERNEL. `small` is the value of the formats that carry it in their head. */
static void take_own(struct gr_code_kernel *k, int attribute, int small, const unsigned char *value,
                     size_t size)
{
    if (attribute == ATTRIBUTE_PARAMETER_BYTES)
        k->parameter_bytes = small;
    else if (attribute == ATTRIBUTE_BARRIERS)
        k->barriers = small & 0xff;
    else if (attribute == ATTRIBUTE_MAX_THREADS && size >= 12)
        k->max_threads = (int64_t)(number(value, 2) * number(value + 4, 2) * number(value + 8, 2));
}

/* `kernel` is null for .nv.info, which speaks of all of them. */
static enum gradus_status read_attributes(struct elf *elf, const struct section *s,
                                          struct gr_code_kernel *kernel)
{
    const unsigned char *at = s->bytes, *end = s->bytes + (s->bytes ? s->size : 0);
    while (end - at >= 4) {
        int format = at[0], attribute = at[1], small = (int)number(at + 2, 2);
        at += 4;
        size_t size = format == FORMAT_SIZED ? (size_t)small : 0;
        if (format < FORMAT_NONE || format > FORMAT_SIZED || size > (size_t)(end - at))
            return gr_fail(elf->error, GRADUS_INVALID,
                           "cubin: section %s is damaged at byte %d; compile it again", s->name,
                           (int)(at - 4 - s->bytes));
        if (kernel)
            take_own(kernel, attribute, small, at, size);
        else
            take_pair(elf, attribute, at, size);
        at += size;
    }
    return GRADUS_OK;
}

/* The kernel that a section named `prefix` and a symbol belongs to. */
static struct gr_code_kernel *owner(struct elf *elf, const struct section *s, const char *prefix)
{
    if (!gr_starts_with(s->name, prefix))
        return NULL;
    return (struct gr_code_kernel *)gr_code_find(elf->code, s->name + strlen(prefix));
}

/* From sm_90 on the section begins with the system's own kilobyte, often even where a kernel has no array. It is left
 * out: a device's smem_reserved_bytes counts it. */
static int64_t own_smem(const struct elf *elf, const struct section *s)
{
    int64_t size = (int64_t)s->size;
    return elf->code->cc >= 90 && size >= SYSTEM_SMEM_BYTES ? size - SYSTEM_SMEM_BYTES : size;
}

static enum gradus_status read_resources(struct elf *elf)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < elf->section_count && status == GRADUS_OK; i++) {
        const struct section *s = &elf->sections[i];
        struct gr_code_kernel *k;
        if (strcmp(s->name, ".nv.info") == 0)
            status = read_attributes(elf, s, NULL);
        else if ((k = owner(elf, s, ".nv.info.")))
            status = read_attributes(elf, s, k);
        else if ((k = owner(elf, s, ".nv.shared.")))
            k->smem_bytes = own_smem(elf, s);
        else if ((k = owner(elf, s, ".nv.constant0.")))
            k->constant_bytes = (int64_t)s->size;
    }
    return status;
}

enum gradus_status gr_code_read(const void *image, size_t length, struct gr_code *code,
                                struct gradus_error *error)
{
    *code = (struct gr_code){0};
    struct elf elf = {.image = image, .length = length, .code = code, .error = error};
    enum gradus_status status = read_header(&elf);
    if (status == GRADUS_OK)
        status = read_sections(&elf);
    if (status == GRADUS_OK)
        status = read_symbols(&elf);
    if (status == GRADUS_OK)
        status = read_resources(&elf);
    free(elf.sections);
    free(elf.symbol_of);
    if (status != GRADUS_OK)
        gr_code_free(code);
    return status;
}

void gr_code_free(struct gr_code *code)
{
    for (int i = 0; i < code->count; i++)
        free(code->kernels[i].symbol);
    free(code->kernels);
    *code = (struct gr_code){0};
}

const struct gr_code_kernel *gr_code_find(const struct gr_code *code, const char *symbol)
{
    for (int i = 0; i < code->count; i++)
        if (strcmp(code->kernels[i].symbol, symbol) == 0)
            return &code->kernels[i];
    return NULL;
}
