/* devices.h: what this machine has that Gradus can use, as `gradus devices` shows it.
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

/* One thing that was looked for. Texts are owned; texts that are not known are null. */
struct gr_device_part {
    enum gr_devices_section section;
    const char *name; /* for example "openblas" */
    bool found;
    char *text;   /* for example "0.3.21, core SkylakeX", or the reason why it is missing */
    char *path;   /* the path of the file */
    char *remedy; /* the command that installs it */
};

struct gr_devices {
    struct gr_device_part *parts;
    int count;
    struct gr_ceiling *ceilings;
    int ceiling_count;
    int threads; /* for the ceilings of several threads */
};

/* Looks for everything, and opens each peer. Ceilings come from the cache, unless `measure` is
 * set. */
enum gradus_status gr_devices_find(bool measure, struct gr_devices *devices,
                                   struct gradus_error *error);
void gr_devices_free(struct gr_devices *devices);

/* For the files that look for things: appends a part with a printf-formatted text and returns it.
 * If memory runs out, returns null, and the part is missing. */
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
