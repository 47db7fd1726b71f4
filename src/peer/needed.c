/* needed.c: reads the dependencies of an ELF file. SPDX-License-Identifier: MIT */
#include "peer/space.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
    const char *bytes;
    uint64_t size;
};

/* The part [offset, offset + count) of the file, or null if it is not inside. */
static const void *part(const struct image *image, uint64_t offset, uint64_t count)
{
    return offset <= image->size && count <= image->size - offset ? image->bytes + offset : NULL;
}

/* The file offset of a memory address, from the loadable segments. */
static bool file_offset(const Elf64_Phdr *segments, int count, uint64_t address, uint64_t *offset)
{
    for (int i = 0; i < count; i++)
        if (segments[i].p_type == PT_LOAD && address >= segments[i].p_vaddr &&
            address - segments[i].p_vaddr < segments[i].p_filesz) {
            *offset = segments[i].p_offset + (address - segments[i].p_vaddr);
            return true;
        }
    return false;
}

static void visit_dynamic(const struct image *image, const Elf64_Phdr *segments, int count,
                          const Elf64_Phdr *dynamic, void (*visit)(void *context, const char *name),
                          void *context)
{
    const Elf64_Dyn *entries = part(image, dynamic->p_offset, dynamic->p_filesz);
    uint64_t entry_count = entries ? dynamic->p_filesz / sizeof *entries : 0;
    uint64_t strings = 0, strings_size = 0;
    for (uint64_t i = 0; i < entry_count && entries[i].d_tag != DT_NULL; i++) {
        if (entries[i].d_tag == DT_STRTAB &&
            !file_offset(segments, count, entries[i].d_un.d_ptr, &strings))
            return;
        if (entries[i].d_tag == DT_STRSZ)
            strings_size = entries[i].d_un.d_val;
    }
    const char *table = part(image, strings, strings_size);
    if (!table || strings_size == 0 || table[strings_size - 1] != 0)
        return;
    for (uint64_t i = 0; i < entry_count && entries[i].d_tag != DT_NULL; i++)
        if (entries[i].d_tag == DT_NEEDED && entries[i].d_un.d_val < strings_size)
            visit(context, table + entries[i].d_un.d_val);
}

static void visit_image(const struct image *image, void (*visit)(void *context, const char *name),
                        void *context)
{
    const Elf64_Ehdr *header = part(image, 0, sizeof *header);
    const int order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != order ||
        header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phoff % sizeof(uint64_t) != 0)
        return;
    int count = header->e_phnum;
    const Elf64_Phdr *segments = part(image, header->e_phoff, (uint64_t)count * sizeof *segments);
    for (int i = 0; segments && i < count; i++)
        if (segments[i].p_type == PT_DYNAMIC && segments[i].p_offset % sizeof(uint64_t) == 0)
            visit_dynamic(image, segments, count, &segments[i], visit, context);
}

void gr_elf_needed(const char *path, void (*visit)(void *context, const char *name), void *context)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd == -1)
        return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map != MAP_FAILED) {
            visit_image(&(struct image){map, (uint64_t)st.st_size}, visit, context);
            munmap(map, (size_t)st.st_size);
        }
    }
    close(fd);
}
