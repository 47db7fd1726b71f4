/* elf.h: finds the sections of a 64-bit little-endian ELF file in memory: a cubin, an AMD code
 * object, or a file that the host's compiler made. SPDX-License-Identifier: MIT */
#ifndef CODE_ELF_H
#define CODE_ELF_H

#include <gradus/gradus.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GR_ELF_SYMTAB = 2,
    GR_ELF_RELA = 4,
    GR_ELF_NOTE = 7,
    GR_ELF_NOBITS = 8,
    GR_ELF_REL = 9,
    GR_ELF_DYNSYM = 11
};                                                         /* sh_type */
enum { GR_ELF_EXECUTABLE = 4, GR_ELF_COMPRESSED = 0x800 }; /* sh_flags */
enum { GR_ELF_SYMBOL_BYTES = 24, GR_ELF_CUDA = 190, GR_ELF_AMDGPU = 224 /* e_machine */ };

struct gr_elf_section {
    const char *name;
    uint32_t type, link, info;
    uint64_t flags, address, size;
    const unsigned char *bytes; /* inside the image; null for what has none in the file */
};

struct gr_elf {
    const unsigned char *image;
    int machine, abi;
    uint32_t flags;
    struct gr_elf_section *sections;
    int count;
};

/* The image must outlive `elf`. INVALID: truncated, or not such a file; the message begins with
 * `what` ("cubin") and ends with what to do. */
enum gradus_status gr_elf_read(const void *image, size_t length, const char *what,
                               struct gr_elf *elf, struct gradus_error *error);
void gr_elf_free(struct gr_elf *elf);

/* The first section of that name, or null. */
const struct gr_elf_section *gr_elf_find(const struct gr_elf *elf, const char *name);
/* The string at `offset` of a string table, or null if it is not terminated. */
const char *gr_elf_text(const struct gr_elf_section *table, uint64_t offset);
/* A little-endian number of `count` bytes, at most 8. */
uint64_t gr_elf_number(const unsigned char *bytes, int count);

#endif
