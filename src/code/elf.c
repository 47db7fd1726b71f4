/* elf.c: reads the header of an ELF file and its table of sections. Every offset is checked, since
 * files may be damaged. SPDX-License-Identifier: MIT */
#include "code/elf.h"

#include "core/error.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_BYTES = 64, SECTION_BYTES = 64 };
/* sh_type of shared memory in a relocatable cubin, which has no bytes in the file. */
enum { CUDA_SHARED = 0x7000000a };

/* What is being read. */
struct file {
    const unsigned char *image;
    size_t length;
    const char *what;
    struct gr_elf *elf;
    struct gradus_error *error;
};

uint64_t gr_elf_number(const unsigned char *bytes, int count)
{
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

static bool inside(const struct file *file, uint64_t offset, uint64_t size)
{
    return offset <= file->length && size <= file->length - offset;
}

static enum gradus_status invalid(const struct file *file, const char *found)
{
    return gr_fail(file->error, GRADUS_INVALID, "%s: %s; compile it again", file->what, found);
}

const char *gr_elf_text(const struct gr_elf_section *table, uint64_t offset)
{
    if (!table->bytes || offset >= table->size ||
        !memchr(table->bytes + offset, 0, (size_t)(table->size - offset)))
        return NULL;
    return (const char *)table->bytes + offset;
}

static enum gradus_status read_section(const struct file *file, const unsigned char *h,
                                       struct gr_elf_section *s)
{
    s->type = (uint32_t)gr_elf_number(h + 4, 4);
    s->flags = gr_elf_number(h + 8, 8);
    s->address = gr_elf_number(h + 16, 8);
    s->size = gr_elf_number(h + 32, 8);
    s->link = (uint32_t)gr_elf_number(h + 40, 4);
    s->info = (uint32_t)gr_elf_number(h + 44, 4);
    uint64_t offset = gr_elf_number(h + 24, 8);
    const bool is_shared = s->type == CUDA_SHARED && file->elf->machine == GR_ELF_CUDA;
    if (s->type == GR_ELF_NOBITS || is_shared)
        return s->size <= INT32_MAX ? GRADUS_OK : invalid(file, "a section of more than 2 GiB");
    if (!inside(file, offset, s->size))
        return invalid(file, "a section ends after the end of the file");
    s->bytes = file->image + offset;
    return GRADUS_OK;
}

static enum gradus_status read_sections(const struct file *file)
{
    const unsigned char *h = file->image;
    struct gr_elf *elf = file->elf;
    uint64_t offset = gr_elf_number(h + 40, 8), count = gr_elf_number(h + 60, 2),
             names = gr_elf_number(h + 62, 2);
    if (gr_elf_number(h + 58, 2) != SECTION_BYTES || names >= count ||
        !inside(file, offset, count * SECTION_BYTES))
        return invalid(file, "no table of sections where the header says");
    elf->sections = calloc(count, sizeof *elf->sections);
    if (!elf->sections)
        return gr_fail_memory(file->error, "a table of sections", count * sizeof *elf->sections);
    elf->count = (int)count;
    for (int i = 0; i < elf->count; i++) {
        enum gradus_status status =
            read_section(file, h + offset + (size_t)i * SECTION_BYTES, &elf->sections[i]);
        if (status != GRADUS_OK)
            return status;
    }
    for (int i = 0; i < elf->count; i++) {
        uint64_t name = gr_elf_number(h + offset + (size_t)i * SECTION_BYTES, 4);
        elf->sections[i].name = gr_elf_text(&elf->sections[names], name);
        if (!elf->sections[i].name)
            return invalid(file, "a section without a name");
    }
    return GRADUS_OK;
}

enum gradus_status gr_elf_read(const void *image, size_t length, const char *what,
                               struct gr_elf *elf, struct gradus_error *error)
{
    const unsigned char *h = image;
    const struct file file = {image, length, what, elf, error};
    *elf = (struct gr_elf){.image = image};
    if (length < HEADER_BYTES || memcmp(h, "\177ELF\2\1", 6) != 0)
        return gr_fail(error, GRADUS_INVALID,
                       "%s: not a 64-bit little-endian ELF file; wanted what a compiler writes for "
                       "a GPU or for this machine",
                       what);
    elf->machine = (int)gr_elf_number(h + 18, 2);
    elf->abi = h[8];
    elf->flags = (uint32_t)gr_elf_number(h + 48, 4);
    enum gradus_status status = read_sections(&file);
    if (status != GRADUS_OK)
        gr_elf_free(elf);
    return status;
}

void gr_elf_free(struct gr_elf *elf)
{
    free(elf->sections);
    *elf = (struct gr_elf){0};
}

const struct gr_elf_section *gr_elf_find(const struct gr_elf *elf, const char *name)
{
    for (int i = 0; i < elf->count; i++)
        if (strcmp(elf->sections[i].name, name) == 0)
            return &elf->sections[i];
    return NULL;
}
