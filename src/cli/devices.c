/* devices.c: finds the CPU, the peers and the ceilings of this machine.
 * SPDX-License-Identifier: MIT */
#include "cli/devices.h"

#include "core/error.h"
#include "base/str.h"
#include "cpu/cpu.h"
#include "cpu/features.h"
#include "peer/peer.h"
#include "probe/probe.h"
#include "ukr.h"

#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct gr_device_part *gr_devices_add(struct gr_devices *devices, enum gr_devices_section section,
                                      const char *name, bool found, const char *format, ...)
{
    size_t size = ((size_t)devices->count + 1) * sizeof *devices->parts;
    struct gr_device_part *parts = realloc(devices->parts, size);
    if (!parts)
        return NULL;
    devices->parts = parts;
    struct gr_str text = {0};
    va_list arguments;
    va_start(arguments, format);
    gr_str_vprintf(&text, format, arguments);
    va_end(arguments);
    parts[devices->count] = (struct gr_device_part){section, name, found, text.text, NULL, NULL};
    return &parts[devices->count++];
}

void gr_devices_free(struct gr_devices *devices)
{
    for (int i = 0; i < devices->count; i++) {
        free(devices->parts[i].text);
        free(devices->parts[i].path);
        free(devices->parts[i].remedy);
    }
    free(devices->parts);
    free(devices->ceilings);
    *devices = (struct gr_devices){0};
}

/* Adds a text such as "avx512: the best that runs here", and the other levels. */
static void find_isa(struct gr_devices *devices)
{
    const char *isa = gr_cpu_isa(), *requested = getenv("GRADUS_ISA"), *level;
    struct gr_str others = {0};
    for (int i = 0; (level = gr_cpu_isa_at(i)); i++)
        if (strcmp(level, isa) != 0)
            gr_str_printf(&others, "%s%s%s", others.length ? ", " : "", level,
                          gr_cpu_isa_runs(level) ? "" : " (not here)");
    const char *why = "the best that this CPU runs";
    if (requested && strcmp(requested, isa) == 0)
        why = "as GRADUS_ISA asks";
    else if (requested && *requested)
        why = "GRADUS_ISA names none that runs here";
    gr_devices_add(devices, GR_DEVICES_CPU, "isa", true, "%s: %s; others: %s", isa, why,
                   gr_str_text(&others));
    gr_str_free(&others);
}

static void add_feature_names(struct gr_str *text, const char *before, uint64_t set)
{
    const char *name;
    for (int i = 0; (name = gr_cpu_feature_name(i)); i++)
        if (set >> i & 1) {
            gr_str_printf(text, "%s%s", before, name);
            before = " ";
        }
}

/* Adds a text such as "avx fma avx2; masked by GRADUS_CPU_MASK: avx512f; words of it that name no
 * feature: foo". */
static void find_features(struct gr_devices *devices)
{
    const uint64_t here = gr_cpu_features_here(), masked = gr_cpu_features_masked();
    char unknown[256];
    struct gr_str text = {0};
    gr_cpu_mask_unknown(unknown, sizeof unknown);
    add_feature_names(&text, "", here & ~masked);
    if (!text.length)
        gr_str_add(&text, "none that a micro-kernel needs");
    add_feature_names(&text, "; masked by GRADUS_CPU_MASK: ", here & masked);
    if (*unknown)
        gr_str_printf(&text, "; words of GRADUS_CPU_MASK that name no feature: %s", unknown);
    gr_devices_add(devices, GR_DEVICES_CPU, "features", true, "%s", gr_str_text(&text));
    gr_str_free(&text);
}

static void find_kernel(struct gr_devices *devices, enum gr_dtype type, const char *name)
{
    const struct ukr *ukr = gr_ukr_pick(type, NULL);
    if (ukr)
        gr_devices_add(devices, GR_DEVICES_CPU, name, true, "%s: tile %dx%d, blocks %dx%dx%d",
                       ukr->name, (int)ukr->mr, (int)ukr->nr, (int)ukr->mc, (int)ukr->nc,
                       (int)ukr->kc);
}

static void find_cores(struct gr_devices *devices)
{
    cpu_set_t set;
    int allowed = gr_cpu_threads_allowed(), online = (int)sysconf(_SC_NPROCESSORS_ONLN);
    int affine = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : online;
    const char *why = "";
    if (allowed < affine)
        why = " (the cgroup's quota)";
    else if (affine < online)
        why = " (the affinity of this process)";
    gr_devices_add(devices, GR_DEVICES_CPU, "cores", true, "%d allowed of %d%s; threads used: %d",
                   allowed, online, why, gr_cpu_threads_default());
}

void gr_devices_find_cpu(struct gr_devices *devices)
{
    struct gr_run run = {0};
    if (gr_probe_environment(&run.environment, NULL) == GRADUS_OK) {
        const struct gr_environment *e = &run.environment;
        gr_devices_add(devices, GR_DEVICES_CPU, "model", true, "%s", e->cpu);
        gr_devices_add(devices, GR_DEVICES_CPU, "caches", true, "%s", e->caches);
        gr_devices_add(devices, GR_DEVICES_CPU, "system", true, "%s", e->system);
    }
    gr_run_free(&run);
    find_cores(devices);
    find_features(devices);
    find_isa(devices);
    find_kernel(devices, GR_F32, "f32");
    find_kernel(devices, GR_F64, "f64");
}

/* Returns the peer with the same name without "-best", or null. */
static const struct gr_peer_kind *as_installed(const struct gr_peer_kind *kind)
{
    static const char suffix[] = "-best";
    if (!gr_ends_with(kind->name, suffix))
        return NULL;
    char *name = gr_strndup(kind->name, strlen(kind->name) - strlen(suffix));
    const struct gr_peer_kind *found = name ? gr_peer_find(name) : NULL;
    free(name);
    return found;
}

/* Appends ", as openblas" if the library would choose the best core type by itself. */
static void compare_core(const struct gr_peer_kind *kind, const char *core, struct gr_str *text)
{
    const struct gr_peer_kind *plain = as_installed(kind);
    struct gr_peer *peer;
    if (!plain || gr_peer_open(plain, 1, &peer, NULL) != GRADUS_OK)
        return;
    if (strcmp(gr_peer_about(peer)->core, core) == 0)
        gr_str_printf(text, ", the same as %s", plain->name);
    gr_peer_close(peer);
}

static void find_peer(struct gr_devices *devices, const struct gr_peer_kind *kind)
{
    struct gr_peer *peer;
    struct gradus_error error = {0};
    if (gr_peer_open(kind, 1, &peer, &error) != GRADUS_OK) {
        bool absent = strstr(error.text, "is not here") != NULL;
        struct gr_device_part *part = gr_devices_add(devices, GR_DEVICES_PEERS, kind->name, false,
                                                     "%s", absent ? "missing" : error.text);
        if (part)
            part->remedy = gr_strdup(kind->remedy);
        gradus_error_clear(&error);
        return;
    }
    const struct gr_peer_result *about = gr_peer_about(peer);
    struct gr_str more = {0};
    compare_core(kind, about->core, &more);
    struct gr_device_part *part =
        gr_devices_add(devices, GR_DEVICES_PEERS, kind->name, true, "%s%s%s%s", about->version,
                       about->core[0] ? ", core " : "", about->core, gr_str_text(&more));
    if (part)
        part->path = gr_strdup(gr_peer_path(peer));
    gr_str_free(&more);
    gr_peer_close(peer);
}

void gr_devices_find_peers(struct gr_devices *devices)
{
    for (int i = 0; i < gr_peer_count(); i++)
        find_peer(devices, gr_peer_at(i));
}

enum gradus_status gr_devices_find(bool measure, struct gr_devices *devices,
                                   struct gradus_error *error)
{
    *devices = (struct gr_devices){.threads = gr_cpu_threads_allowed()};
    /* Ceilings are measured before the peers are opened, whose threads may spin for a while. */
    enum gradus_status status =
        gr_probe_ceilings(measure ? GR_CEILINGS_MEASURED : GR_CEILINGS_KEPT, devices->threads,
                          &devices->ceilings, &devices->ceiling_count, error);
    if (status != GRADUS_OK)
        return status;
    gr_devices_find_cpu(devices);
    gr_devices_find_peers(devices);
    gr_devices_find_compilers(devices);
    gr_devices_find_gpu(devices);
    return GRADUS_OK;
}
