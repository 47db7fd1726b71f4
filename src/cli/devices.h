/* devices.h: what this machine has that Gradus can use: the findings of `gradus devices`.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_DEVICES_H
#define CLI_DEVICES_H

#include "records/row.h"

/* X(enumerator, JSON key, heading) */
#define GR_DEVICES_SECTIONS(X)                                                                     \
    X(GR_DEVICES_CPU, "cpu", "CPU")                                                                \
    X(GR_DEVICES_PEERS, "peers", "Peers: the libraries that kernels are timed against")            \
    X(GR_DEVICES_COMPILERS, "compilers", "Compilers: for your own kernels")                        \
    X(GR_DEVICES_GPU, "gpu", "GPU parts: for --device cuda, hip and sim")

enum gr_devices_section {
#define GR_DEVICES_ENUM(enumerator, key, heading) enumerator,
    GR_DEVICES_SECTIONS(GR_DEVICES_ENUM)
#undef GR_DEVICES_ENUM
        GR_DEVICES_SECTION_COUNT
};

/* One thing that was looked for. Texts are owned; those that say nothing are null. */
struct gr_device_part {
    enum gr_devices_section section;
    const char *name; /* "openblas" */
    bool found;
    char *text;   /* "0.3.21, core SkylakeX", or why it is missing */
    char *path;   /* the file */
    char *remedy; /* the one command that gets it */
};

struct gr_devices {
    struct gr_device_part *parts;
    int count;
    struct gr_ceiling *ceilings;
    int ceiling_count;
    int threads; /* of the ceilings that are not one thread's */
};

/* Looks for everything, opening each peer; ceilings from the cache unless `measure`. */
enum gradus_status gr_devices_find(bool measure, struct gr_devices *devices,
                                   struct gradus_error *error);
void gr_devices_free(struct gr_devices *devices);

/* For the files that look: appends a part and returns it (null: out of memory; what follows is a
 * no-op). The format gives its text. */
struct gr_device_part *gr_devices_add(struct gr_devices *devices, enum gr_devices_section section,
                                      const char *name, bool found, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void gr_devices_find_cpu(struct gr_devices *devices);
void gr_devices_find_peers(struct gr_devices *devices);
void gr_devices_find_compilers(struct gr_devices *devices);
void gr_devices_find_gpu(struct gr_devices *devices);
void gr_devices_find_nvidia(struct gr_devices *devices);
void gr_devices_find_amd(struct gr_devices *devices);

#endif
