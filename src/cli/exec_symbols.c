/* exec_symbols.c: searches the symbols of a file for gemm. SPDX-License-Identifier: MIT */
#include "cli/exec_symbols.h"

#include "base/str.h"
#include "code/elf.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DYNSYM = 11, CLASS_64 = 2 }; /* values of sh_type and e_ident[4] */
/* Offsets and sizes in an entry of the symbol table. */
enum { NAME = 0, NAME_BYTES = 4, SECTION = 6, SECTION_BYTES = 2 };

struct image {
    void *bytes;
    size_t length;
    struct gr_elf elf;
    bool is_elf, is_read;
};

static void open_image(const char *path, struct image *image)
{
    struct stat facts;
    *image = (struct image){.bytes = MAP_FAILED};
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return;
    if (fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 64) {
        image->length = (size_t)facts.st_size;
        image->bytes = mmap(NULL, image->length, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    close(fd);
    image->is_elf = image->bytes != MAP_FAILED && memcmp(image->bytes, "\177ELF", 4) == 0;
    image->is_read = image->is_elf && ((unsigned char *)image->bytes)[4] == CLASS_64 &&
                     gr_elf_read(image->bytes, image->length, path, &image->elf, NULL) == GRADUS_OK;
}

static void close_image(struct image *image)
{
    if (image->is_read)
        gr_elf_free(&image->elf);
    if (image->bytes != MAP_FAILED)
        munmap(image->bytes, image->length);
}

/* Calls `see` with each name that a symbol table defines, until it returns true. */
static bool each_defined(const struct gr_elf *elf, uint32_t type,
                         bool (*see)(const char *name, void *context), void *context)
{
    for (int i = 0; i < elf->count; i++) {
        const struct gr_elf_section *table = &elf->sections[i];
        if (table->type != type || !table->bytes || table->link >= (uint32_t)elf->count)
            continue;
        for (uint64_t at = 0; at + GR_ELF_SYMBOL_BYTES <= table->size; at += GR_ELF_SYMBOL_BYTES) {
            const unsigned char *symbol = table->bytes + at;
            const char *name =
                gr_elf_text(&elf->sections[table->link], gr_elf_number(symbol + NAME, NAME_BYTES));
            if (name && gr_elf_number(symbol + SECTION, SECTION_BYTES) && see(name, context))
                return true;
        }
    }
    return false;
}

/* Is it a name such as "dgemm_", "cblas_sgemm" or "scipy_cblas_dgemm64_", that is, an optional
 * prefix, the routine, and suffixes for Fortran and 64-bit integers? "dgemm_kernel" is not. */
static bool is_gemm(const char *name)
{
    static const char *const tails[] = {"", "_", "64_", "_64_", "_64", "64"};
    const char *at = strstr(name, "gemm");
    if (!at || at == name || !strchr("sd", at[-1]))
        return false;
    if (at - 1 > name && at[-2] != '_')
        return false;
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++)
        if (strcmp(at + 4, tails[i]) == 0)
            return true;
    return false;
}

static bool same(const char *name, void *wanted)
{
    return strcmp(name, wanted) == 0;
}

struct search {
    struct image ours;
    struct gr_exec_symbols *symbols;
};

static void keep(char kept[64], const char *name)
{
    /* Among several names, those with cblas_ and double precision are the most informative. */
    if (!kept[0] || (strstr(name, "cblas_dgemm") && !strstr(kept, "cblas_dgemm")))
        snprintf(kept, 64, "%.63s", name);
}

static bool sort_in(const char *name, void *context)
{
    struct search *s = context;
    if (!is_gemm(name))
        return false;
    const bool shared =
        s->ours.is_read && each_defined(&s->ours.elf, DYNSYM, same, (void *)(uintptr_t)name);
    keep(shared ? s->symbols->shared : s->symbols->renamed, name);
    return false;
}

static bool keep_inner(const char *name, void *context)
{
    struct gr_exec_symbols *symbols = context;
    if (is_gemm(name))
        keep(symbols->inner, name);
    return false;
}

void gr_exec_symbols_read(const char *path, const char *ours, struct gr_exec_symbols *symbols)
{
    struct image file;
    struct search search = {.symbols = symbols};
    *symbols = (struct gr_exec_symbols){0};
    open_image(path, &file);
    open_image(ours, &search.ours);
    if (file.is_read && search.ours.is_read && file.elf.machine != search.ours.elf.machine) {
        symbols->kind = GR_EXEC_OTHER_BITS;
    } else if (file.is_read) {
        symbols->kind = gr_elf_find(&file.elf, ".interp") ? GR_EXEC_DYNAMIC : GR_EXEC_STATIC;
        each_defined(&file.elf, DYNSYM, sort_in, &search);
        each_defined(&file.elf, GR_ELF_SYMTAB, keep_inner, symbols);
    } else if (file.is_elf) {
        symbols->kind = GR_EXEC_OTHER_BITS;
    }
    close_image(&file);
    close_image(&search.ours);
}
