/* backend.h: the interface of the devices that run kernels. A backend builds a variant in the
 * parent process (`prepare`) and runs it in the worker (`load`, `begin`, `enqueue`, `end`), so
 * that a kernel that crashes ends the worker only. Each backend is one file: be_<name>.c defines
 * `const struct gr_backend gr_backend_<name>`, and the build finds it by its name.
 * SPDX-License-Identifier: MIT */
#ifndef BACKEND_BACKEND_H
#define BACKEND_BACKEND_H

#include "catalog/variant.h"
#include "records/launch.h"
#include "records/plan.h"
#include "model/launch_limits.h"

struct gr_device_ref; /* backend/device_ref.h */
struct gr_gpu_vendor;

/* What runs a kernel where there is no GPU (docs/simulator.md). */
enum gr_engine {
    GR_ENGINE_BOTH,   /* each where it is the better one, or the one that can */
    GR_ENGINE_SOURCE, /* its source, compiled for this machine */
    GR_ENGINE_CODE    /* its machine code, as the GPU's compiler made it */
};

/* How the user wants kernels built. */
struct gr_build {
    enum gr_engine engine; /* of a simulated GPU */
    const char *compiler;  /* --cc; null: $CC, then cc, gcc, clang */
    /* --flags; null: those of the file's `//@ flags` line, else "-O3 -march=native". */
    const char *flags;
    const char *const *defines; /* --define, null-terminated; may be null */
    bool no_cache;              /* --no-cache: compile again even if there is a cached result */
    bool reorder_ffma;          /* --reorder-ffma: of NVIDIA's machine code (sass/reschedule.h) */
};

/* A built kernel. The parent makes it, and the worker loads it. */
struct gr_artifact {
    char backend[16];
    char path[512];     /* a shared object or a GPU's code; "" for a kernel in the binary */
    int pending;        /* in the table of files to remove of base/file.h; -1: none */
    char symbol[192];   /* of the function to call */
    bool executes;      /* of a simulated GPU: it is machine code, which is executed */
    char isa[16];       /* the ISA it was compiled for; "" for a user's file */
    char flags[256];    /* the compiler and its options, shown in the row */
    char notes[256];    /* a note for the user about the build ("host code cut: main"), or "" */
    enum gr_dtype type; /* selects the micro-kernel that is passed to a `ukr` parameter */
    struct gr_launch_code code[GR_MAX_STANZAS]; /* the resources that a GPU's kernels need */
};

/* The figures of a device that sessions need. */
struct gr_device_about {
    char name[96];        /* "NVIDIA H200"; "" for the CPU */
    int64_t cache_bytes;  /* of the last-level cache; 0: unknown */
    int64_t memory_bytes; /* of the device's own memory; 0: it uses the host's */
    char driver[64];      /* "driver 580.159 (CUDA 13.0)", or "" */
};

/* The functions for a device's own memory, called in the worker. `opened` is the result of
 * `open`; addresses are device addresses. */
struct gr_backend_memory {
    /* NO_MEMORY if the device does not have that much free memory. */
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

/* The clock, power and temperature of a device at one moment. */
struct gr_device_state {
    int sm_clock_mhz, power_w, temperature_c; /* -1: unknown */
};

/* A backend has no state of its own: the parent keeps the result of `find` and the worker that
 * of `open`, so that several devices can be in use at the same time. */
struct gr_backend {
    const char *name;                   /* "cpu" */
    const char *takes;                  /* what may follow it and a colon: "N"; null: nothing */
    const struct gr_gpu_vendor *vendor; /* of a GPU's; null: of none */
    bool simulates; /* it computes what a GPU would, and its times say nothing of that GPU */

    /* Parses the text after the colon of --device (null: no colon) into ref->index or
     * ref->model. INVALID: it does not name a device. If the function is null, no such text is
     * parsed. */
    enum gradus_status (*parse)(const char *text, struct gr_device_ref *ref,
                                struct gradus_error *error);

    /* Called in the parent. */

    /* Finds the device. UNSUPPORTED if it does not exist, with the reason and the remedy. Free
     * *found with `forget`. */
    enum gradus_status (*find)(const struct gr_device_ref *ref, void **found,
                               struct gr_device_about *about, struct gradus_error *error);
    /* `found` may be null. */
    void (*forget)(void *found);
    /* The state of the device now. Right after a burst, it is the state in which the burst ran.
     * Null: unknown. */
    void (*state)(const void *found, struct gr_device_state *state);
    /* Builds the variant. COMPILE: error->log has the compiler's messages. UNSUPPORTED: it
     * cannot run here, and the row is skipped. */
    enum gradus_status (*prepare)(const void *found, const struct gr_variant *variant,
                                  const struct gr_build *build, struct gr_artifact *artifact,
                                  struct gradus_error *error);
    /* Removes what `prepare` made. Does nothing for a zeroed artifact. */
    void (*discard)(struct gr_artifact *artifact);
    /* Sets the device's values for the kernel's expressions. */
    void (*device_values)(const void *found, const struct gr_artifact *artifact, int threads,
                          struct gr_device_values *device_values);
    /* Plans the launches of one GEMM. Null for a backend that needs no plan. LAUNCH: the device
     * would refuse one. */
    enum gradus_status (*plan)(const struct gr_variant *variant, const struct gr_problem *problem,
                               const struct gr_device_values *device_values, struct gr_plan *plan,
                               struct gradus_error *error);
    /* The device's limits, against which launches are checked together with the resources that
     * the artifact's code needs; an unknown limit is 0. Null if there is no plan. */
    const struct gr_device *(*limits)(const void *found);

    /* Called in the worker. */

    /* Opens the device for this process. */
    enum gradus_status (*open)(const struct gr_device_ref *ref, void **opened,
                               struct gradus_error *error);
    /* Frees *opened, after everything that was loaded or reserved with it. It may be null. */
    void (*close)(void *opened);
    const struct gr_backend_memory *memory; /* null: kernels work on host memory */
    /* Loads a built kernel. *loaded refers to `opened`, which must outlive it. */
    enum gradus_status (*load)(void *opened, const struct gr_artifact *artifact, int threads,
                               void **loaded, struct gradus_error *error);
    void (*unload)(void *loaded);
    /* Runs the `once` stanzas, which run before the measurement and are not timed. Null: there
     * are none. */
    enum gradus_status (*before)(void *loaded, const struct gr_launch *launch,
                                 const struct gr_plan *plan, const struct gr_scratch *scratch,
                                 struct gradus_error *error);
    /* Everything between `begin` and `end` is timed as a whole, whether `enqueue` or a library
     * on the same device submits it. `end` waits until it is finished and stores its duration in
     * nanoseconds. CRASHED: a kernel faulted, and this process can no longer use the device. */
    enum gradus_status (*begin)(void *opened, struct gradus_error *error);
    /* Submits one GEMM. The backend sets launch->ukr, launch->team and launch->work. */
    enum gradus_status (*enqueue)(void *loaded, struct gr_launch *launch,
                                  const struct gr_plan *plan, const struct gr_scratch *scratch,
                                  struct gradus_error *error);
    enum gradus_status (*end)(void *opened, int64_t *ns, struct gradus_error *error);
    /* The GFLOP/s of a burst of independent FMAs of about `ns` nanoseconds; 0 if it cannot be
     * measured for the type. Null: use the CPU's burst. */
    double (*burst)(void *opened, enum gr_dtype type, int64_t ns);
};

/* All backends, terminated by null. */
extern const struct gr_backend *const gr_backend_all[];
/* The backend of that name, or null. */
const struct gr_backend *gr_backend_find(const char *name);

/* The type whose burst is the ceiling of a product of these types: that of the sums, and on a GPU
 * that of 16-bit inputs, which tensor cores multiply. */
enum gr_dtype gr_backend_burst_type(const struct gr_backend *backend, struct gr_types types);
/* Makes it a variant for this device (gr_variant_suit). `found` is of this backend. */
void gr_backend_suit(const struct gr_backend *backend, const void *found,
                     struct gr_variant *variant);

#endif
