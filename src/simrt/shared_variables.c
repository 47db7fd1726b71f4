/* shared_variables.c: the shared memory of a kernel that was compiled for the host: the program's
 * thread-local variables. SPDX-License-Identifier: MIT */
#include "simrt/arrays.h"
#include "simrt/symbol.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* This variable's address and its symbol give the start of a thread's shared memory. */
static __thread char gr_shared_origin __attribute__((used));
static uint64_t origin_offset, shared_extent;

uintptr_t gr_shared_base(void)
{
    return (uintptr_t)&gr_shared_origin - origin_offset;
}

uint64_t gr_shared_extent(void)
{
    return shared_extent;
}

static bool is_ours(const char *name)
{
    return strncmp(name, "gr_", 3) == 0 || strncmp(name, "shared_anchor", 13) == 0;
}

/* Is it a guard, the byte that records whether a variable was constructed? Guards are recognised by
 * the prefix of their symbols. */
static bool is_guard(const char *name)
{
    return strncmp(name, "_ZGV", 4) == 0 || strcmp(name, "__tls_guard") == 0;
}

static struct {
    uint64_t lo, hi;
} guards[GR_ARRAYS];
static int guard_count;

bool gr_shared_is_guard(uint64_t address)
{
    for (int i = 0; i < guard_count; i++)
        if (address >= guards[i].lo && address < guards[i].hi)
            return true;
    return false;
}

/* sim/assembly.c defines this symbol for the storage of `extern __shared__` arrays, before the
 * arrays' own. */
static const char dynamic_name[] = "gr_sim_dynamic";

static void add_shared(const Elf64_Sym *symbol, const char *name, uint64_t dynamic_at)
{
    uint64_t lo = symbol->st_value;
    for (int i = 0; i < gr_array_count; i++)
        if (gr_arrays[i].space == GR_SPACE_SHARED && gr_arrays[i].lo == lo)
            return; /* a second name for the same storage */
    struct gr_array *a = &gr_arrays[gr_array_count++];
    *a = (struct gr_array){.space = GR_SPACE_SHARED, .element_bytes = 4};
    a->lo = lo;
    a->hi = lo + symbol->st_size;
    a->dynamic = lo == dynamic_at;
    gr_symbol_plain(name, a->name);
}

static void read_symbols(const char *image, const Elf64_Shdr *table, const char *names)
{
    const Elf64_Sym *symbols = (const void *)(image + table->sh_offset);
    size_t count = table->sh_size / sizeof *symbols;
    uint64_t dynamic_at = ~0ULL;
    for (size_t i = 0; i < count; i++) {
        const char *name = names + symbols[i].st_name;
        if (ELF64_ST_TYPE(symbols[i].st_info) != STT_TLS)
            continue;
        if (strcmp(name, "gr_shared_origin") == 0)
            origin_offset = symbols[i].st_value;
        if (strcmp(name, dynamic_name) == 0)
            dynamic_at = symbols[i].st_value;
    }
    for (size_t i = 0; i < count && gr_array_count < GR_ARRAYS; i++) {
        const char *name = names + symbols[i].st_name;
        if (ELF64_ST_TYPE(symbols[i].st_info) != STT_TLS || !symbols[i].st_size || is_ours(name) ||
            symbols[i].st_shndx == SHN_UNDEF)
            continue;
        if (!is_guard(name)) {
            add_shared(&symbols[i], name, dynamic_at);
        } else if (guard_count < GR_ARRAYS) {
            guards[guard_count].lo = symbols[i].st_value;
            guards[guard_count++].hi = symbols[i].st_value + symbols[i].st_size;
        }
    }
}

const char *gr_shared_open(void)
{
    static const char unreadable[] = "the program's own symbols cannot be read";
    struct stat about;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &about) != 0)
        return unreadable;
    const char *image = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (image == MAP_FAILED)
        return unreadable;
    const Elf64_Ehdr *head = (const void *)image;
    const Elf64_Shdr *sections = (const void *)(image + head->e_shoff);
    const Elf64_Phdr *segments = (const void *)(image + head->e_phoff);
    for (int i = 0; i < head->e_phnum; i++)
        if (segments[i].p_type == PT_TLS)
            shared_extent = segments[i].p_memsz;
    for (int i = 0; i < head->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB)
            read_symbols(image, &sections[i], image + sections[sections[i].sh_link].sh_offset);
    munmap((void *)(uintptr_t)image, (size_t)about.st_size);
    return NULL;
}
