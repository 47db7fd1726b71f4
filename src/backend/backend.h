/* backend.h: where kernels run. A backend builds a variant in the parent process (`prepare`) and
 * runs it in the worker (`load`, `begin`, `enqueue`, `end`). One file a backend: be_<name>.c
 * defines `const struct gr_backend gr_backend_<name>` and the build finds it by name.
 * SPDX-License-Identifier: MIT */
#ifndef BACKEND_BACKEND_H
#define BACKEND_BACKEND_H

#include "backend/device_ref.h"
#include "catalog/variant.h"
#include "records/launch.h"
#include "records/plan.h"
#include "model/launch_limits.h"

struct gr_gpu_vendor;

/* How the user wants kernels built. */
struct gr_build {
    const char *compiler; /* --cc; null: $CC, then cc, gcc, clang */
    const char *flags;    /* --flags; null: the file's `//@ flags`, else "-O3 -march=native" */
    const char *const *defines; /* --define, null-terminated; may be null */
    bool no_cache;              /* --no-cache: what was compiled before is not taken */
    /* Line tables beside a GPU's code (code/lines.h); its instructions stay the same. */
    bool lines;
};

/* A built kernel, as it is handed from the parent to the worker. */
struct gr_artifact {
    char backend[16];
    char path[512];   /* a shared object, or a GPU's code; "" for a kernel inside the binary */
    int pending;      /* the file's slot in base/file.h's table of files to remove; -1: none */
    char symbol[192]; /* its entry */
    char isa[16];     /* what it was built for; "" for a user's file */
    char flags[256];  /* the compiler and its flags, for the row */
    char notes[256];  /* what the user should know of the build ("host code cut: main"); "" for none
                       */
    enum gr_dtype type; /* decides the micro-kernel handed to a `ukr` parameter */
    struct gr_launch_code code[GR_MAX_STANZAS]; /* what a GPU's kernels ask of a launch */
};

/* What a session must know of the device. */
struct gr_device_about {
    char name[96];        /* "NVIDIA H200"; "" for the CPU */
    int64_t cache_bytes;  /* last level; 0: unknown */
    int64_t memory_bytes; /* of its own; 0: it works on the host's */
    char driver[64];      /* "driver 580.159 (CUDA 13.0)"; "" without one */
};

/* Memory of a device's own, as the worker uses it. `opened` is what `open` gave; addresses are the
 * device's. */
struct gr_backend_memory {
    /* NO_MEMORY when the device has not that much to give. */
    enum gradus_status (*reserve)(void *opened, uint64_t bytes, void **address,
                                  struct gradus_error *error);
    void (*release)(void *opened, void *address);
    enum gradus_status (*upload)(void *opened, void *to, const void *from, uint64_t bytes,
                                 struct gradus_error *error);
    enum gradus_status (*download)(void *opened, void *to, const void *from, uint64_t bytes,
                                   struct gradus_error *error);
    enum gradus_status (*fill)(void *opened, void *to, unsigned char byte, uint64_t bytes,
                               struct gradus_error *error);
};

/* How a device is at a moment. */
struct gr_device_state {
    int sm_clock_mhz, power_w, temperature_c; /* -1: unknown */
};

/* A backend has no state of its own: the parent keeps what `find` gave of a device, the worker what
 * `open` gave, and several devices can be in use at a time. */
struct gr_backend {
    const char *name;                   /* "cpu" */
    const char *takes;                  /* what may follow it and a colon: "N"; null: nothing */
    const struct gr_gpu_vendor *vendor; /* of a GPU's; null: of none */
    bool simulates; /* it computes what a GPU would, and its times say nothing of that GPU */

    /* Reads what follows the colon of --device (null: there is no colon) into ref->index or
     * ref->model. INVALID: it names no device. Null: everything is taken. */
    enum gradus_status (*parse)(const char *text, struct gr_device_ref *ref,
                                struct gradus_error *error);

    /* In the parent. */

    /* Is there such a device? UNSUPPORTED with the reason and the remedy. *found is freed with
     * `forget`. */
    enum gradus_status (*find)(const struct gr_device_ref *ref, void **found,
                               struct gr_device_about *about, struct gradus_error *error);
    /* Harmless on null. */
    void (*forget)(void *found);
    /* At this moment; while a burst's last product has just been done, that is how it ran. Null:
     * unknown. */
    void (*state)(const void *found, struct gr_device_state *state);
    /* Builds. COMPILE: error->log has the compiler's words. UNSUPPORTED: cannot run here (the row
     * is skipped). */
    enum gradus_status (*prepare)(const void *found, const struct gr_variant *variant,
                                  const struct gr_build *build, struct gr_artifact *artifact,
                                  struct gradus_error *error);
    /* Removes what prepare made. Harmless on a zeroed artifact. */
    void (*discard)(struct gr_artifact *artifact);
    /* What the device gives to the kernel's expressions. */
    void (*givens)(const void *found, const struct gr_artifact *artifact, int threads,
                   struct gr_givens *givens);
    /* The launches of one product. Null for a backend that needs no plan. LAUNCH: the device
     * refuses one. */
    enum gradus_status (*plan)(const struct gr_variant *variant, const struct gr_problem *problem,
                               const struct gr_givens *givens, struct gr_plan *plan,
                               struct gradus_error *error);
    /* Its limits, which launches are held to with what the artifact's code asks for; what is not
     * known is 0. Null where there is no plan. */
    const struct gr_device *(*limits)(const void *found);

    /* In the worker. */

    /* Takes the device for this process. */
    enum gradus_status (*open)(const struct gr_device_ref *ref, void **opened,
                               struct gradus_error *error);
    /* Frees *opened, after everything that was loaded or reserved on it. Harmless on null. */
    void (*close)(void *opened);
    const struct gr_backend_memory *memory; /* null: kernels work on the host's */
    /* *loaded refers to `opened`, which outlives it. */
    enum gradus_status (*load)(void *opened, const struct gr_artifact *artifact, int threads,
                               void **loaded, struct gradus_error *error);
    void (*unload)(void *loaded);
    /* What runs before the products and is not timed (`once` stanzas). Null: nothing. */
    enum gradus_status (*before)(void *loaded, const struct gr_launch *launch,
                                 const struct gr_plan *plan, const struct gr_scratch *scratch,
                                 struct gradus_error *error);
    /* Timed together: everything between `begin` and `end`, whether enqueued here or by a peer on
     * the same device. `end` waits for it and stores the nanoseconds of all of it. CRASHED: a
     * kernel faulted, and this process is of no more use. */
    enum gradus_status (*begin)(void *opened, struct gradus_error *error);
    /* One product. launch->ukr, launch->team and launch->work are the backend's to set. */
    enum gradus_status (*enqueue)(void *loaded, struct gr_launch *launch,
                                  const struct gr_plan *plan, const struct gr_scratch *scratch,
                                  struct gradus_error *error);
    enum gradus_status (*end)(void *opened, int64_t *ns, struct gradus_error *error);
    /* GFLOP/s of a burst of independent FMAs of about `ns` nanoseconds; 0 for types without one.
     * Null: the CPU's own. */
    double (*burst)(void *opened, enum gr_dtype type, int64_t ns);
};

/* All of them; null-terminated. */
extern const struct gr_backend *const gr_backend_all[];
/* Null when there is none of that name. */
const struct gr_backend *gr_backend_find(const char *name);

#endif
