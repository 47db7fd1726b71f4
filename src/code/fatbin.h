/* fatbin.h: the containers in which NVIDIA's compilers put the machine code of several
 * architectures: a file of its own (nvcc -fatbin), or a section of a program, a library or an
 * object file. SPDX-License-Identifier: MIT */
#ifndef CODE_FATBIN_H
#define CODE_FATBIN_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gr_fatbin_packing { GR_FATBIN_PLAIN, GR_FATBIN_LZ4, GR_FATBIN_ZSTD };

struct gr_fatbin_entry {
    bool is_ptx; /* else it is a cubin */
    int cc;      /* 90 */
    enum gr_fatbin_packing packing;
    const unsigned char *bytes; /* inside the image */
    size_t length;              /* as they are stored */
    size_t whole;               /* expanded */
};

struct gr_fatbin {
    struct gr_fatbin_entry *entries;
    int count;
};

/* Does it begin as a container does? */
bool gr_is_fatbin(const void *image, size_t length);

/* Lists the entries of a container or of several behind one another, or of those in an ELF file of
 * the host. The image must outlive the list. `path` is for messages. INVALID: it has none, or they
 * are damaged. The caller frees the list, also after a failure. */
enum gradus_status gr_fatbin_read(const void *image, size_t length, const char *path,
                                  struct gr_fatbin *list, struct gradus_error *error);
void gr_fatbin_free(struct gr_fatbin *list);

/* A copy of what an entry contains (malloc'ed), entry->whole bytes. INVALID: it is damaged.
 * UNSUPPORTED: it is compressed by Zstandard, whose library is not there. */
enum gradus_status gr_fatbin_expand(const struct gr_fatbin_entry *entry, const char *path,
                                    void **image, struct gradus_error *error);

#endif
