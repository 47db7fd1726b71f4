/* cubin.c: the ELF of a cubin: its kernels, their sections and what the attributes of .nv.info say
 * of them. The layout is not published; it was derived from the output of CUDA 12.0 to 13.4 for
 * sm_75 to sm_120. SPDX-License-Identifier: MIT */
#include "code/cubin.h"

#include "core/error.h"
#include "base/str.h"
#include "code/elf.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    ABI_WIDE_ARCH =
        8, /* from this EI_ABIVERSION on, the architecture is in bits 8..15 of e_flags */
    STT_FUNC = 2,
    STO_ENTRY = 0x10, /* st_other of a __global__ function */
    SYSTEM_SMEM_BYTES = 1024
};

/* How an attribute's value is stored, and the attributes that are read. */
enum { FORMAT_NONE = 1, FORMAT_BYTE = 2, FORMAT_HALF = 3, FORMAT_SIZED = 4 };
enum {
    ATTRIBUTE_MAX_THREADS = 0x05,
    ATTRIBUTE_BLOCK = 0x10,
    ATTRIBUTE_FRAME_SIZE = 0x11,
    ATTRIBUTE_MIN_STACK_SIZE = 0x12,
    ATTRIBUTE_PARAMETER = 0x17,
    ATTRIBUTE_PARAMETER_BYTES = 0x19,
    ATTRIBUTE_REGISTERS = 0x2f,
    ATTRIBUTE_BARRIERS = 0x4c
};

/* The file, and what has been found in it so far. */
struct reader {
    struct gr_elf elf;
    uint32_t *symbol_of; /* a kernel's index in the symbol table */
    struct gr_code *code;
    struct gradus_error *error;
};

static enum gradus_status invalid(const struct reader *reader, const char *what)
{
    return gr_fail(reader->error, GRADUS_INVALID, "cubin: %s; compile it again", what);
}

static enum gradus_status read_header(struct reader *reader, const void *image, size_t length)
{
    enum gradus_status status = gr_elf_read(image, length, "cubin", &reader->elf, reader->error);
    if (status != GRADUS_OK)
        return status;
    const struct gr_elf *elf = &reader->elf;
    if (elf->machine != GR_ELF_CUDA)
        return gr_fail(reader->error, GRADUS_INVALID,
                       "cubin: an ELF file for machine %d, wanted %d (NVIDIA CUDA)", elf->machine,
                       GR_ELF_CUDA);
    reader->code->cc =
        (int)(elf->abi >= ABI_WIDE_ARCH ? elf->flags >> 8 & 0xff : elf->flags & 0xff);
    return GRADUS_OK;
}

/* Adds a __global__ function of the symbol table; other symbols are skipped. */
static enum gradus_status read_symbol(struct reader *reader, const struct gr_elf_section *names,
                                      const unsigned char *entry, uint32_t index)
{
    uint64_t section = gr_elf_number(entry + 6, 2);
    if ((entry[4] & 0xf) != STT_FUNC || !(entry[5] & STO_ENTRY) || section == 0)
        return GRADUS_OK;
    const char *symbol = gr_elf_text(names, gr_elf_number(entry, 4));
    if (!symbol || !*symbol || section >= (uint64_t)reader->elf.count ||
        !reader->elf.sections[section].bytes ||
        !gr_starts_with(reader->elf.sections[section].name, ".text."))
        return invalid(reader, "a kernel without a name or without instructions");
    if (reader->code->count >= reader->elf.count)
        return invalid(reader, "more kernels than sections");
    const struct gr_elf_section *text = &reader->elf.sections[section];
    struct gr_code_kernel *k = &reader->code->kernels[reader->code->count];
    *k = (struct gr_code_kernel){.symbol = gr_strdup(symbol),
                                 .section = (int)section,
                                 .text = text->bytes,
                                 .text_bytes = (size_t)text->size,
                                 .registers = (int)(text->info >> 24),
                                 .barriers = (int)(text->flags >> 20 & 0x7f)};
    if (!k->symbol)
        return gr_fail_memory(reader->error, "a kernel's name", strlen(symbol) + 1);
    reader->symbol_of[reader->code->count++] = index;
    return GRADUS_OK;
}

static enum gradus_status read_symbols(struct reader *reader)
{
    const struct gr_elf_section *table = NULL;
    for (int i = 0; i < reader->elf.count && !table; i++)
        if (reader->elf.sections[i].type == GR_ELF_SYMTAB)
            table = &reader->elf.sections[i];
    if (!table || table->link >= (uint32_t)reader->elf.count)
        return invalid(reader, "no symbols");
    size_t room = (size_t)reader->elf.count;
    reader->code->kernels = calloc(room, sizeof *reader->code->kernels);
    reader->symbol_of = calloc(room, sizeof *reader->symbol_of);
    if (!reader->code->kernels || !reader->symbol_of)
        return gr_fail_memory(reader->error, "a cubin's kernels",
                              room * sizeof *reader->code->kernels);
    enum gradus_status status = GRADUS_OK;
    for (uint64_t i = 0; i < table->size / GR_ELF_SYMBOL_BYTES && status == GRADUS_OK; i++)
        status = read_symbol(reader, &reader->elf.sections[table->link],
                             table->bytes + i * GR_ELF_SYMBOL_BYTES, (uint32_t)i);
    return status;
}

static struct gr_code_kernel *kernel_of_symbol(struct reader *reader, uint64_t index)
{
    for (int i = 0; i < reader->code->count; i++)
        if (reader->symbol_of[i] == index)
            return &reader->code->kernels[i];
    return NULL;
}

/* An attribute of .nv.info, whose values are pairs: a symbol, and its number. */
static void take_pair(struct reader *reader, int attribute, const unsigned char *value, size_t size)
{
    if (size < 8)
        return;
    struct gr_code_kernel *k = kernel_of_symbol(reader, gr_elf_number(value, 4));
    int64_t said = (int64_t)gr_elf_number(value + 4, 4);
    if (!k)
        return;
    if (attribute == ATTRIBUTE_REGISTERS)
        k->registers = (int)(said & 0xffff);
    else if ((attribute == ATTRIBUTE_FRAME_SIZE || attribute == ATTRIBUTE_MIN_STACK_SIZE) &&
             said > k->stack_bytes)
        k->stack_bytes = said; /* the second includes the frames of called functions */
}

/* They come in any order, the last one first. */
static void take_parameter(struct gr_code_kernel *k, const unsigned char *value)
{
    const int ordinal = (int)gr_elf_number(value + 4, 2);
    const int count = ordinal < GR_CODE_PARAMETERS ? ordinal + 1 : GR_CODE_PARAMETERS + 1;
    if (count > k->parameter_count)
        k->parameter_count = count;
    if (ordinal < GR_CODE_PARAMETERS)
        k->parameters[ordinal] =
            (struct gr_code_parameter){.offset = (int)gr_elf_number(value + 6, 2),
                                       .bytes = (int)(gr_elf_number(value + 8, 4) >> 18)};
}

/* Of .nv.info.KERNEL. `small` is the value of the formats that carry it in their head. */
static void take_own(struct gr_code_kernel *k, int attribute, int small, const unsigned char *value,
                     size_t size)
{
    if (attribute == ATTRIBUTE_PARAMETER_BYTES)
        k->parameter_bytes = small;
    else if (attribute == ATTRIBUTE_BARRIERS)
        k->barriers = small & 0xff;
    else if (attribute == ATTRIBUTE_PARAMETER && size >= 12)
        take_parameter(k, value);
    else if (attribute == ATTRIBUTE_BLOCK && size >= 12)
        for (int i = 0; i < 3; i++)
            k->block[i] = (int64_t)gr_elf_number(value + 4 * i, 4);
    else if (attribute == ATTRIBUTE_MAX_THREADS && size >= 12)
        k->max_threads = (int64_t)(gr_elf_number(value, 2) * gr_elf_number(value + 4, 2) *
                                   gr_elf_number(value + 8, 2));
}

/* `kernel` is null for .nv.info, which is about all kernels. */
static enum gradus_status read_attributes(struct reader *reader, const struct gr_elf_section *s,
                                          struct gr_code_kernel *kernel)
{
    const unsigned char *at = s->bytes, *end = s->bytes ? s->bytes + s->size : NULL;
    while (end - at >= 4) {
        int format = at[0], attribute = at[1], small = (int)gr_elf_number(at + 2, 2);
        at += 4;
        size_t size = format == FORMAT_SIZED ? (size_t)small : 0;
        if (format < FORMAT_NONE || format > FORMAT_SIZED || size > (size_t)(end - at))
            return gr_fail(reader->error, GRADUS_INVALID,
                           "cubin: section %s is damaged at byte %d; compile it again", s->name,
                           (int)(at - 4 - s->bytes));
        if (kernel)
            take_own(kernel, attribute, small, at, size);
        else
            take_pair(reader, attribute, at, size);
        at += size;
    }
    return GRADUS_OK;
}

/* The kernel that a section named `prefix` and a symbol belongs to. */
static struct gr_code_kernel *owner(struct reader *reader, const struct gr_elf_section *s,
                                    const char *prefix)
{
    if (!gr_starts_with(s->name, prefix))
        return NULL;
    return (struct gr_code_kernel *)gr_code_find(reader->code, s->name + strlen(prefix));
}

/* From sm_90 on the section begins with the kilobyte that the system reserves, often even if a
 * kernel has no array. It is not counted here, since a device's smem_reserved_bytes has it. */
static int64_t own_smem(const struct reader *reader, const struct gr_elf_section *s)
{
    int64_t size = (int64_t)s->size;
    return reader->code->cc >= 90 && size >= SYSTEM_SMEM_BYTES ? size - SYSTEM_SMEM_BYTES : size;
}

static enum gradus_status read_resources(struct reader *reader)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < reader->elf.count && status == GRADUS_OK; i++) {
        const struct gr_elf_section *s = &reader->elf.sections[i];
        struct gr_code_kernel *k;
        if (strcmp(s->name, ".nv.info") == 0)
            status = read_attributes(reader, s, NULL);
        else if ((k = owner(reader, s, ".nv.info.")))
            status = read_attributes(reader, s, k);
        else if ((k = owner(reader, s, ".nv.shared.")))
            k->smem_bytes = own_smem(reader, s);
        else if ((k = owner(reader, s, ".nv.constant0.")))
            k->constant_bytes = (int64_t)s->size;
    }
    return status;
}

enum gradus_status gr_cubin_read(const void *image, size_t length, struct gr_code *code,
                                 struct gradus_error *error)
{
    *code = (struct gr_code){0};
    struct reader reader = {.code = code, .error = error};
    enum gradus_status status = read_header(&reader, image, length);
    if (status == GRADUS_OK)
        status = read_symbols(&reader);
    if (status == GRADUS_OK)
        status = read_resources(&reader);
    gr_elf_free(&reader.elf);
    free(reader.symbol_of);
    if (status != GRADUS_OK)
        gr_code_free(code);
    return status;
}
