/* be_cpu.c: runs C kernels on this machine's CPU: built-in ones, and a user's file compiled by
 * the system's compiler. SPDX-License-Identifier: MIT */
#include "backend/backend.h"
#include "backend/compile.h"
#include "backend/device_ref.h"

#include "core/clock.h"
#include "core/error.h"
#include "base/temporary.h"
#include "catalog/builtin.h"
#include "catalog/levels.h"
#include "cpu/cpu.h"
#include "cpu/features.h"
#include "ukr.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The build of a built-in rung for the highest ISA level that is in use, or null. */
static const struct gr_builtin *best_builtin(const struct gr_variant *v)
{
    bool allowed = false; /* levels are sorted from the highest; skip those above the one in use */
    for (int i = 0; gr_cpu_isa_at(i); i++) {
        const char *isa = gr_cpu_isa_at(i);
        allowed |= strcmp(isa, gr_cpu_isa()) == 0;
        if (!allowed || !gr_cpu_isa_runs(isa))
            continue;
        const struct gr_builtin *found =
            gr_builtin_find(v->kernel->name, v->types, v->trans_a, v->trans_b, isa);
        if (found)
            return found;
    }
    return NULL;
}

/* Finds the last-level cache: L3, or L2 if there is no L3. */
static enum gradus_status find(const struct gr_device_ref *ref, void **found,
                               struct gr_device_about *about, struct gradus_error *error)
{
    (void)ref;
    (void)error;
    *found = NULL;
    *about = (struct gr_device_about){0};
    for (int level = 1; level <= 3; level++)
        if (gr_cpu_cache_bytes(level) > about->cache_bytes)
            about->cache_bytes = gr_cpu_cache_bytes(level);
    return GRADUS_OK;
}

/* There is nothing to free. */
static void forget(void *found)
{
    (void)found;
}

/* Does this CPU have what a word of an `isa` line names: a feature, an instruction set, or a
 * feature that only comes with a level? */
static bool has_feature(const char *word)
{
    const char *name;
    for (int i = 0; (name = gr_cpu_feature_name(i)); i++)
        if (strcmp(name, word) == 0)
            return gr_cpu_has((uint64_t)1 << i);
    if (gr_cpu_isa_level(word))
        return gr_cpu_isa_runs(word);
    const char *level = gr_isa_level_of(word);
    return level && gr_cpu_isa_runs(level);
}

/* Its instructions would end the worker by a signal, which says nothing about the kernel. */
static enum gradus_status check_isa(const struct gr_kernel *kernel, struct gradus_error *error)
{
    for (int i = 0; i < kernel->isa.count; i++)
        if (!has_feature(kernel->isa.items[i].text))
            return gr_fail(error, GRADUS_UNSUPPORTED, "needs %s (its `isa` line), which %s",
                           kernel->isa.items[i].text,
                           gr_cpu_features_masked()
                               ? "this CPU does not have, or GRADUS_CPU_MASK masks"
                               : "this CPU does not have");
    return GRADUS_OK;
}

static enum gradus_status prepare(const void *found, const struct gr_variant *variant,
                                  const struct gr_build *build, struct gr_artifact *artifact,
                                  struct gradus_error *error)
{
    (void)found;
    const struct gr_kernel *kernel = variant->kernel;
    *artifact = (struct gr_artifact){.backend = "cpu", .pending = -1, .type = variant->types.acc};
    if (kernel->language != GR_LANGUAGE_C)
        return gr_fail(error, GRADUS_UNSUPPORTED, "%s is not C: choose --device cuda or sim",
                       kernel->path);
    const enum gradus_status status = check_isa(kernel, error);
    if (status != GRADUS_OK)
        return status;
    bool as_built =
        kernel->built_in && gr_variant_is_default(variant) && !build->compiler && !build->flags;
    const struct gr_builtin *builtin = as_built ? best_builtin(variant) : NULL;
    if (!builtin)
        return gr_compile_c(variant, build, artifact, error);
    snprintf(artifact->symbol, sizeof artifact->symbol, "%s", builtin->symbol);
    snprintf(artifact->isa, sizeof artifact->isa, "%s", builtin->isa);
    snprintf(artifact->flags, sizeof artifact->flags, "%s", builtin->flags);
    return GRADUS_OK;
}

static void discard(struct gr_artifact *artifact)
{
    gr_temporary_remove(artifact->path, artifact->pending);
    *artifact = (struct gr_artifact){.pending = -1};
}

static const struct ukr *pick(const struct gr_artifact *artifact)
{
    return gr_ukr_pick(artifact->type, *artifact->isa ? artifact->isa : NULL);
}

static void device_values(const void *found, const struct gr_artifact *artifact, int threads,
                          struct gr_device_values *out)
{
    (void)found;
    const struct ukr *ukr = pick(artifact);
    *out = (struct gr_device_values){.sms = threads, .threads = threads, .occ = 1};
    out->smem_max = gr_cpu_cache_bytes(1);
    if (ukr) {
        out->mr = ukr->mr;
        out->nr = ukr->nr;
    }
}

/* The start time of the current measurement, and the threads of all kernels, which run one at a
 * time. */
struct opened {
    int64_t begun_ns;
    struct gr_team *team;
    int threads; /* of the team */
};

static enum gradus_status open_device(const struct gr_device_ref *ref, void **opened,
                                      struct gradus_error *error)
{
    (void)ref;
    *opened = calloc(1, sizeof(struct opened));
    return *opened ? GRADUS_OK : gr_fail_memory(error, "a device", sizeof(struct opened));
}

static void close_device(void *opened)
{
    struct opened *o = opened;
    if (o && o->team)
        gr_team_close(o->team);
    free(o);
}

static struct gr_team *team_of(struct opened *o, int threads)
{
    if (!o->team || o->threads != threads) {
        if (o->team)
            gr_team_close(o->team);
        o->team = gr_team_open(threads);
        o->threads = threads;
    }
    return o->team;
}

struct loaded {
    gr_entry_fn *entry;
    const struct ukr *ukr;
    struct gr_team *team;
};

static enum gradus_status load(void *opened, const struct gr_artifact *artifact, int threads,
                               void **out, struct gradus_error *error)
{
    struct loaded *l = calloc(1, sizeof *l);
    if (!l)
        return gr_fail_memory(error, "a kernel", sizeof *l);
    *out = l;
    if (*artifact->path) {
        /* It is never unloaded, because a thread that the kernel left behind may still execute
         * its code. */
        void *object = dlopen(artifact->path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (!object)
            return gr_fail(error, GRADUS_LAUNCH, "the kernel cannot be loaded: %s", dlerror());
        *(void **)&l->entry = dlsym(object, artifact->symbol);
    } else {
        const struct gr_builtin *builtin = gr_builtin_find_symbol(artifact->symbol);
        l->entry = builtin ? builtin->function : NULL;
    }
    if (!l->entry)
        return gr_fail(error, GRADUS_LAUNCH, "the kernel's entry %s is missing", artifact->symbol);
    l->ukr = pick(artifact);
    l->team = team_of(opened, threads);
    return l->team ? GRADUS_OK : gr_fail_memory(error, "a team of threads", 0);
}

static enum gradus_status begin(void *opened, struct gradus_error *error)
{
    (void)error;
    ((struct opened *)opened)->begun_ns = gr_now_ns();
    return GRADUS_OK;
}

/* Row by row, since what is between rows is not the kernel's to change. */
static void zero_c(const struct gr_launch *launch, const struct gr_plan *plan)
{
    unsigned char *c = launch->c;
    const int64_t row = plan->zero_c_row_bytes;
    const int64_t pitch = launch->m > 1 ? (plan->zero_c_bytes - row) / (launch->m - 1) : row;
    if (pitch == row)
        memset(c, 0, (size_t)plan->zero_c_bytes);
    else
        for (int64_t i = 0; i < launch->m; i++)
            memset(c + i * pitch, 0, (size_t)row);
}

static enum gradus_status enqueue(void *loaded, struct gr_launch *launch,
                                  const struct gr_plan *plan, const struct gr_scratch *scratch,
                                  struct gradus_error *error)
{
    struct loaded *l = loaded;
    (void)error;
    launch->ukr = l->ukr;
    launch->team = l->team;
    launch->work = scratch->buffer;
    for (int i = 0; i < scratch->count; i++)
        if (scratch->zero[i])
            memset(scratch->buffer[i], 0, (size_t)scratch->bytes[i]);
    if (plan->zero_c_bytes > 0)
        zero_c(launch, plan);
    l->entry(launch);
    return GRADUS_OK;
}

static enum gradus_status end(void *opened, int64_t *ns, struct gradus_error *error)
{
    (void)error;
    *ns = gr_now_ns() - ((const struct opened *)opened)->begun_ns;
    return GRADUS_OK;
}

static void unload(void *loaded)
{
    free(loaded);
}

const struct gr_backend gr_backend_cpu = {
    .name = "cpu",
    .find = find,
    .forget = forget,
    .prepare = prepare,
    .discard = discard,
    .device_values = device_values,
    .open = open_device,
    .close = close_device,
    .load = load,
    .unload = unload,
    .begin = begin,
    .enqueue = enqueue,
    .end = end,
};
