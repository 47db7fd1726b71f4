/* fatbin.c: the layout is not published; it was derived from the output of nvcc 12.0 to 13.0. A
 * container has a header of 16 bytes: a magic number, the version, the header's size, the bytes
 * that follow. Entries follow one another, each with a header of its own.
 * SPDX-License-Identifier: MIT */
#include "code/fatbin.h"

#include "code/elf.h"
#include "code/lz4.h"
#include "core/error.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC UINT32_C(0xba55ed50)
enum { CONTAINER_BYTES = 16, ENTRY_BYTES = 64 };
enum { KIND_PTX = 1, KIND_CUBIN = 2 };
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };
/* No code is compressed to a smaller part than this; a larger size is damaged. */
enum { MOST_EXPANDED = 4096 };

struct reader {
    const char *path;
    struct gr_fatbin *list;
    struct gradus_error *error;
};

static enum gradus_status damaged(const struct reader *r, const char *what)
{
    return gr_fail(r->error, GRADUS_INVALID, "%s: fatbin: %s; compile it again", r->path, what);
}

bool gr_is_fatbin(const void *image, size_t length)
{
    return length >= CONTAINER_BYTES && gr_elf_number(image, 4) == MAGIC;
}

static enum gradus_status add(const struct reader *r, const struct gr_fatbin_entry *entry)
{
    struct gr_fatbin *list = r->list;
    if ((list->count & (list->count - 1)) == 0) {
        const size_t room = list->count ? 2 * (size_t)list->count : 1;
        struct gr_fatbin_entry *grown = realloc(list->entries, room * sizeof *grown);
        if (!grown)
            return gr_fail_memory(r->error, "a fatbin", room * sizeof *grown);
        list->entries = grown;
    }
    list->entries[list->count++] = *entry;
    return GRADUS_OK;
}

/* The entry at `h`, in a container that ends after `left` bytes. *taken: the bytes that it has. */
static enum gradus_status read_entry(const struct reader *r, const unsigned char *h, size_t left,
                                     size_t *taken)
{
    if (left < ENTRY_BYTES)
        return damaged(r, "an entry ends after its container");
    const uint64_t kind = gr_elf_number(h, 2), header = gr_elf_number(h + 4, 4),
                   size = gr_elf_number(h + 8, 8), packed = gr_elf_number(h + 16, 4),
                   flags = gr_elf_number(h + 40, 8), whole = gr_elf_number(h + 56, 8);
    const bool is_packed = (flags & (FLAG_LZ4 | FLAG_ZSTD)) != 0;
    if (header < ENTRY_BYTES || header > left || size > left - header ||
        (is_packed && (packed > size || whole / MOST_EXPANDED > packed)))
        return damaged(r, "an entry ends after its container");
    *taken = (size_t)(header + size);
    if (kind != KIND_PTX && kind != KIND_CUBIN)
        return GRADUS_OK; /* what link-time optimization needs, and the like */
    const struct gr_fatbin_entry entry = {.is_ptx = kind == KIND_PTX,
                                          .cc = (int)gr_elf_number(h + 28, 4),
                                          .packing = flags & FLAG_LZ4    ? GR_FATBIN_LZ4
                                                     : flags & FLAG_ZSTD ? GR_FATBIN_ZSTD
                                                                         : GR_FATBIN_PLAIN,
                                          .bytes = h + header,
                                          .length = (size_t)(is_packed ? packed : size),
                                          .whole = (size_t)(is_packed ? whole : size)};
    return add(r, &entry);
}

/* Between containers of a section there may be zeros, which align them. */
static enum gradus_status read_containers(const struct reader *r, const unsigned char *at,
                                          size_t left)
{
    enum gradus_status status = GRADUS_OK;
    while (left > 0 && status == GRADUS_OK) {
        if (*at == 0) {
            at++;
            left--;
            continue;
        }
        if (!gr_is_fatbin(at, left))
            return damaged(r, "no container where one was expected");
        const uint64_t header = gr_elf_number(at + 6, 2), size = gr_elf_number(at + 8, 8);
        if (header < CONTAINER_BYTES || header > left || size > left - header)
            return damaged(r, "a container ends after the file");
        size_t inside = (size_t)size, taken = 0;
        for (const unsigned char *h = at + header; inside > 0 && status == GRADUS_OK;
             h += taken, inside -= taken)
            status = read_entry(r, h, inside, &taken);
        at += header + size;
        left -= (size_t)(header + size);
    }
    return status;
}

/* Relocatable device code (nvcc -rdc=true) is in a section of another name. */
static enum gradus_status read_host_file(const struct reader *r, const void *image, size_t length)
{
    static const char *const names[] = {".nv_fatbin", "__nv_relfatbin"};
    struct gr_elf elf;
    bool any = false;
    enum gradus_status status = gr_elf_read(image, length, r->path, &elf, r->error);
    for (int i = 0; status == GRADUS_OK && i < elf.count; i++)
        for (size_t j = 0; j < sizeof names / sizeof *names && status == GRADUS_OK; j++) {
            const struct gr_elf_section *s = &elf.sections[i];
            if (strcmp(s->name, names[j]) != 0 || !s->bytes || s->size == 0)
                continue;
            any = true;
            status = read_containers(r, s->bytes, (size_t)s->size);
        }
    if (status == GRADUS_OK && !any)
        status = gr_fail(r->error, GRADUS_INVALID,
                         "%s: an ELF file for machine %d without a section .nv_fatbin, wanted a "
                         "cubin, a fatbin, or a program that has kernels of CUDA in it",
                         r->path, elf.machine);
    gr_elf_free(&elf);
    return status;
}

enum gradus_status gr_fatbin_read(const void *image, size_t length, const char *path,
                                  struct gr_fatbin *list, struct gradus_error *error)
{
    const struct reader reader = {path, list, error};
    *list = (struct gr_fatbin){0};
    return gr_is_fatbin(image, length) ? read_containers(&reader, image, length)
                                       : read_host_file(&reader, image, length);
}

void gr_fatbin_free(struct gr_fatbin *list)
{
    free(list->entries);
    *list = (struct gr_fatbin){0};
}

/* ---- Compressed entries. ---- */

typedef size_t expand_zstd(void *to, size_t room, const void *from, size_t count);

/* Zstandard's library is used where it is there. It stays loaded. */
static expand_zstd *find_zstd(void)
{
    static const char *const names[] = {"libzstd.so.1", "libzstd.so", "libzstd.1.dylib"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library ? (expand_zstd *)(uintptr_t)dlsym(library, "ZSTD_decompress") : NULL;
}

static enum gradus_status unpack(const struct gr_fatbin_entry *e, const char *path, void *to,
                                 struct gradus_error *error)
{
    bool whole = true;
    if (e->packing == GR_FATBIN_PLAIN) {
        memcpy(to, e->bytes, e->length);
    } else if (e->packing == GR_FATBIN_LZ4) {
        whole = gr_lz4_expand(e->bytes, e->length, to, e->whole);
    } else {
        expand_zstd *expand = find_zstd();
        if (!expand)
            return gr_fail(error, GRADUS_UNSUPPORTED,
                           "%s: the code for sm_%d is compressed by Zstandard, and libzstd.so.1 is "
                           "not there; install it, or extract the cubins: cuobjdump -xelf all %s",
                           path, e->cc, path);
        whole = expand(to, e->whole, e->bytes, e->length) == e->whole;
    }
    return whole ? GRADUS_OK
                 : gr_fail(error, GRADUS_INVALID,
                           "%s: fatbin: the compressed code for sm_%d is damaged; compile it again",
                           path, e->cc);
}

enum gradus_status gr_fatbin_expand(const struct gr_fatbin_entry *entry, const char *path,
                                    void **image, struct gradus_error *error)
{
    *image = malloc(entry->whole ? entry->whole : 1);
    if (!*image)
        return gr_fail_memory(error, path, entry->whole);
    enum gradus_status status = unpack(entry, path, *image, error);
    if (status != GRADUS_OK) {
        free(*image);
        *image = NULL;
    }
    return status;
}
