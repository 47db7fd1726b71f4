/* gpu_backend.h: what the backends of all GPUs have in common: everything but the vendor.
 * SPDX-License-Identifier: MIT */
#ifndef BACKEND_GPU_BACKEND_H
#define BACKEND_GPU_BACKEND_H

#include "backend/backend.h"
#include "backend/device_ref.h"
#include "gpu/vendor.h"
#include "plan/launch_plan.h"

#include <stdlib.h>

/* The members of struct gr_backend, as backend.h documents them. */
enum gradus_status gr_gpu_parse(const char *text, struct gr_device_ref *ref,
                                struct gradus_error *error);
enum gradus_status gr_gpu_find(const struct gr_device_ref *ref, void **out,
                               struct gr_device_about *about, struct gradus_error *error);
void gr_gpu_state_now(const void *device, struct gr_device_state *state);
enum gradus_status gr_gpu_prepare(const void *device, const struct gr_variant *variant,
                                  const struct gr_build *build, struct gr_artifact *artifact,
                                  struct gradus_error *error);
void gr_gpu_discard(struct gr_artifact *artifact);
void gr_gpu_device_values(const void *found, const struct gr_artifact *artifact, int threads,
                          struct gr_device_values *out);
const struct gr_device *gr_gpu_limits(const void *found);
enum gradus_status gr_gpu_open(const struct gr_device_ref *ref, void **out,
                               struct gradus_error *error);
void gr_gpu_close(void *device);
enum gradus_status gr_gpu_load(void *opened, const struct gr_artifact *artifact, int threads,
                               void **out, struct gradus_error *error);
void gr_gpu_unload(void *kernel);
enum gradus_status gr_gpu_before(void *kernel, const struct gr_launch *launch,
                                 const struct gr_plan *plan, const struct gr_scratch *scratch,
                                 struct gradus_error *error);
enum gradus_status gr_gpu_begin(void *opened, struct gradus_error *error);
enum gradus_status gr_gpu_enqueue(void *kernel, struct gr_launch *launch,
                                  const struct gr_plan *plan, const struct gr_scratch *scratch,
                                  struct gradus_error *error);
enum gradus_status gr_gpu_end(void *opened, int64_t *ns, struct gradus_error *error);
double gr_gpu_measure_burst(void *opened, enum gr_dtype type, int64_t ns);
extern const struct gr_backend_memory gr_gpu_memory;

/* The whole backend of a vendor. */
#define GR_GPU_BACKEND(gpu_vendor, backend_name)                                                   \
    {                                                                                              \
        .name = backend_name, .takes = "N", .vendor = &(gpu_vendor), .parse = gr_gpu_parse,        \
        .find = gr_gpu_find, .forget = free, .state = gr_gpu_state_now, .prepare = gr_gpu_prepare, \
        .discard = gr_gpu_discard, .device_values = gr_gpu_device_values,                          \
        .plan = gr_plan_launches, .limits = gr_gpu_limits, .open = gr_gpu_open,                    \
        .close = gr_gpu_close, .memory = &gr_gpu_memory, .load = gr_gpu_load,                      \
        .unload = gr_gpu_unload, .before = gr_gpu_before, .begin = gr_gpu_begin,                   \
        .enqueue = gr_gpu_enqueue, .end = gr_gpu_end, .burst = gr_gpu_measure_burst                \
    }

#endif
