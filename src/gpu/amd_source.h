/* amd_source.h: the files that a clang compiles a struct gr_rtc_source from: its text, its headers,
 * which are texts, and our prelude. SPDX-License-Identifier: MIT */
#ifndef GPU_AMD_SOURCE_H
#define GPU_AMD_SOURCE_H

#include "gpu/rtc.h"

#include <stdint.h>

struct gr_amd_file {
    char path[512];
    int slot; /* of base/temporary.h */
};

/* Temporary files; removed with gr_amd_source_remove. */
struct gr_amd_source {
    struct gr_amd_file main;
    struct gr_amd_file *headers; /* texts, the prelude's first */
    int header_count;
    struct gr_amd_file overlay; /* where the headers seem to be: clang's -ivfsoverlay */
};

/* The folder in which clang sees the headers, and the prelude in it. */
extern const char gr_amd_headers[], gr_amd_prelude[];

/* Writes the files. After the source's text follows, for each of its names, a variable
 * gradus_name_<i> with the kernel's address, which instantiates templates and has the symbol in the
 * assembly. */
enum gradus_status gr_amd_source_write(const struct gr_rtc_source *source,
                                       struct gr_amd_source *files, struct gradus_error *error);
void gr_amd_source_remove(struct gr_amd_source *files);

/* The symbol of the i-th name in the compiler's assembly; malloc'ed, null: it is not there. */
char *gr_amd_symbol_of(const char *assembly, int i);

/* A hash of the prelude. */
uint64_t gr_amd_prelude_identity(void);

#endif
