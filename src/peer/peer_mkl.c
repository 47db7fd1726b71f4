/* peer_mkl.c: Intel's MKL, if it is installed (a PyPI or conda wheel, oneAPI).
 * SPDX-License-Identifier: MIT */
#include "peer/library.h"

#include "core/error.h"
#include "base/file.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SET_THREADS = GR_CBLAS_ENTRIES, SET_LAYER };
enum { LP64 = 0 };

static const char *const files[] = {"libmkl_rt.so.3",
                                    "libmkl_rt.so.2",
                                    "libmkl_rt.so.1",
                                    "libmkl_rt.so",
                                    "/opt/intel/oneapi/mkl/latest/lib/libmkl_rt.so",
                                    0};

/* libmkl_rt loads the other parts of MKL at the first call, and ends the process if one is
 * missing; so they are searched before. `suffix` is what follows "libmkl_rt" in the file's name. */
static bool has_part(const char *path, const char *part)
{
    const char *base = gr_path_base(path), *suffix = strchr(base, '.');
    char *file = gr_printf("%.*s%s%s", (int)(base - path), path, part, suffix ? suffix : "");
    bool there = file && gr_file_exists(file);
    free(file);
    return there;
}

/* Loads a library from MKL's folder, or from the loader's path. */
static bool also(struct gr_peer *peer, const char *name)
{
    const char *path = gr_peer_path(peer);
    char *same_folder = gr_printf("%.*s%s", (int)(gr_path_base(path) - path), path, name);
    struct gradus_error ignored = {0};
    void *library;
    bool there = same_folder && gr_file_exists(same_folder);
    bool loaded = gr_space_load(&peer->library->space, there ? same_folder : name, NULL, &library,
                                &ignored) == GRADUS_OK;
    gradus_error_clear(&ignored);
    free(same_folder);
    return loaded;
}

enum layer { NO_LAYER = -1, INTEL = 0, SEQUENTIAL = 1, GNU = 3 }; /* values from mkl_service.h */

/* Selects Intel's OpenMP if it can be loaded, else GNU's, else the sequential layer. */
static enum layer threading(struct gr_peer *peer)
{
    const char *path = gr_peer_path(peer);
    if (has_part(path, "libmkl_intel_thread") && also(peer, "libiomp5.so"))
        return INTEL;
    if (has_part(path, "libmkl_gnu_thread") && also(peer, "libgomp.so.1"))
        return GNU;
    return has_part(path, "libmkl_sequential") ? SEQUENTIAL : NO_LAYER;
}

static void tell_version(struct gr_peer *peer, struct gr_peer_result *result)
{
    struct version { /* MKLVersion in mkl_types.h */
        int major, minor, update;
        char *product_status, *build, *processor, *platform;
    } version = {0};
    typedef void version_fn(struct version * version);
    version_fn *ask = (version_fn *)gr_peer_symbol(peer, "mkl_get_version");
    if (!ask)
        return;
    ask(&version);
    snprintf(result->version, sizeof result->version, "%d.%d.%d", version.major, version.minor,
             version.update);
    const char *processor = version.processor ? version.processor : "";
    bool avx512 = strstr(processor, "Extensions 512") || strstr(processor, "AVX-512");
    bool avx2 = strstr(processor, "Extensions 2") || strstr(processor, "AVX2");
    snprintf(result->core, sizeof result->core, "%s",
             avx512 ? "AVX-512"
             : avx2 ? "AVX2"
                    : processor);
}

/* Sets MKL_ENABLE_… of mkl_service.h. This must be the first call, since MKL chooses at its
 * first call. */
static enum gradus_status hold(struct gr_peer *peer, struct gradus_error *error)
{
    enum { SSE4_2 = 0, AVX2 = 2 };
    typedef int enable_fn(int instructions);
    const char *isa_limit = gr_peer_isa_limit();
    enable_fn *enable = (enable_fn *)gr_peer_symbol(peer, "MKL_Enable_Instructions");
    if (!isa_limit || (enable && enable(strcmp(isa_limit, "avx2") == 0 ? AVX2 : SSE4_2)))
        return GRADUS_OK;
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   "mkl: it cannot be restricted to %s as GRADUS_ISA says", isa_limit);
}

/* Configures MKL by its functions. It is in the program's namespace, so environment variables
 * would affect everything else. */
static enum gradus_status attach(struct gr_peer *peer, int threads, struct gr_peer_result *result,
                                 struct gradus_error *error)
{
    const char *path = gr_peer_path(peer);
    enum layer layer = threading(peer);
    if (layer == NO_LAYER || !has_part(path, "libmkl_core") || !has_part(path, "libmkl_intel_lp64"))
        return gr_fail(
            error, GRADUS_UNSUPPORTED,
            "mkl: %s is alone; libmkl_core, libmkl_intel_lp64 and a threading layer belong "
            "beside it: %s",
            path, peer->library->kind->remedy);
    enum gradus_status status = hold(peer, error);
    if (status == GRADUS_OK)
        status = gr_cblas_bind(peer, "cblas_gemm_bf16bf16f32", error);
    if (status == GRADUS_OK)
        status = gr_peer_bind(peer, SET_THREADS, "MKL_Set_Num_Threads", error);
    if (status == GRADUS_OK)
        status = gr_peer_bind(peer, SET_LAYER, "MKL_Set_Threading_Layer", error);
    if (status != GRADUS_OK)
        return status;
    typedef int set_fn(int value);
    set_fn *interface = (set_fn *)gr_peer_symbol(peer, "MKL_Set_Interface_Layer");
    if (interface)
        interface(LP64);
    ((set_fn *)peer->library->entries[SET_LAYER])(layer);
    tell_version(peer, result);
    result->threads = layer == SEQUENTIAL ? 1 : threads;
    return GRADUS_OK;
}

static void set_threads(struct gr_peer *peer, int threads)
{
    typedef void set_fn(int threads);
    ((set_fn *)peer->library->entries[SET_THREADS])(threads);
}

const struct gr_peer_kind gr_peer_mkl = {
    .name = "mkl",
    .title = "Intel MKL",
    .files = files,
    .remedy = GR_PIP_INSTALL("mkl"),
    .types = GR_BIT_F32 | GR_BIT_F64 | GR_BIT_BF16,
    .in_program = true,
    .attach = attach,
    .set_threads = set_threads,
    .run = gr_cblas_run,
};
