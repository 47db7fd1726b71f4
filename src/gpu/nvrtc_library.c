/* nvrtc_library.c: finds and loads the newest NVRTC. SPDX-License-Identifier: MIT */
#include "gpu/nvrtc_library.h"

#include "core/error.h"
#include "base/file.h"
#include "base/str.h"
#include "gpu/cuda_folders.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct gr_nvrtc table;

/* nvrtcGetCUBIN exists since CUDA 11.1, those for architectures since 11.2. */
#define AT(member) offsetof(struct gr_nvrtc, member)
static const struct gr_rtc_symbol symbols[] = {
    {"nvrtcVersion", AT(rtc.version)},           {"nvrtcGetNumSupportedArchs", AT(arch_count)},
    {"nvrtcGetSupportedArchs", AT(archs)},       {"nvrtcCreateProgram", AT(rtc.create)},
    {"nvrtcDestroyProgram", AT(rtc.destroy)},    {"nvrtcAddNameExpression", AT(rtc.add_name)},
    {"nvrtcCompileProgram", AT(rtc.compile)},    {"nvrtcGetProgramLogSize", AT(rtc.log_size)},
    {"nvrtcGetProgramLog", AT(rtc.log)},         {"nvrtcGetLoweredName", AT(rtc.lowered_name)},
    {"nvrtcGetCUBINSize", AT(rtc.image_size)},   {"nvrtcGetCUBIN", AT(rtc.image)},
    {"nvrtcGetPTXSize", AT(ptx_size)},           {"nvrtcGetPTX", AT(ptx)},
    {"nvrtcGetErrorString", AT(rtc.error_text)},
};
#undef AT

/* Loads a library and reads what it compiles for. */
static bool try_library(const char *path, struct gr_nvrtc *n)
{
    *n = (struct gr_nvrtc){.rtc = {.title = "NVRTC", .arch_option = "--gpu-architecture="}};
    if (!gr_rtc_library_open(path, symbols, sizeof symbols / sizeof *symbols, &n->rtc) ||
        !n->arch_count || !n->archs || !n->ptx_size || !n->ptx)
        return false;
    struct gr_rtc_about *about = &n->rtc.about;
    int count = 0, most = (int)(sizeof about->archs / sizeof *about->archs);
    if (n->arch_count(&count) == 0 && count <= most && n->archs(about->archs) == 0)
        about->arch_count = count;
    return true;
}

static void take_newer(const char *path)
{
    struct gr_nvrtc other;
    if (!try_library(path, &other))
        return;
    int mine = table.rtc.about.major * 100 + table.rtc.about.minor;
    if (other.rtc.about.major * 100 + other.rtc.about.minor > mine)
        table = other;
}

/* Finds libnvrtc.so, .so.13, .so.11.2 in a folder; the helper libnvrtc-builtins beside it has
 * another name. */
static void take_from_folder(const char *folder)
{
    char *pattern = gr_printf("%s/libnvrtc.so*", folder);
    glob_t found = {0};
    if (pattern && glob(pattern, GLOB_NOSORT, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            take_newer(found.gl_pathv[i]);
    globfree(&found);
    free(pattern);
}

static void search(void)
{
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                        "libnvrtc.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        take_newer(names[i]);
    char **folders = gr_cuda_folders();
    for (char **folder = folders; folder && *folder; folder++)
        take_from_folder(*folder);
    gr_cuda_folders_free(folders);
}

/* A toolkit has its headers in ../include or ../../include relative to the library's folder.
 * Python's packages have them in a separate package beside the compiler's or (from CUDA 13 on)
 * in the same one. */
static void find_headers(void)
{
    static const char *const places[] = {"../include", "../../include", "../../../include",
                                         "../../cuda_runtime/include"};
    const char *base = gr_path_base(table.rtc.about.path);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *folder = gr_printf("%.*s%s", (int)(base - table.rtc.about.path), table.rtc.about.path,
                                 places[i]);
        char *header = folder ? gr_printf("%s/cuda_fp16.h", folder) : NULL;
        bool there = header && gr_file_exists(header);
        if (there)
            snprintf(table.include, sizeof table.include, "%s", folder);
        free(header);
        free(folder);
        if (there)
            return;
    }
}

/* NVRTC opens its helper by name only, and so does not find it beside itself, where Python's
 * packages have it. A library that is loaded already is found by its name. It stays loaded. */
static void load_builtins(void)
{
    const char *path = table.rtc.about.path, *base = gr_path_base(path);
    char *pattern = gr_printf("%.*slibnvrtc-builtins.so*", (int)(base - path), path);
    glob_t found = {0};
    if (*path == '/' && pattern && glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            (void)dlopen(found.gl_pathv[i], RTLD_NOW | RTLD_LOCAL);
    globfree(&found);
    free(pattern);
}

enum gradus_status gr_nvrtc_open(const struct gr_nvrtc **nvrtc, struct gradus_error *error)
{
    static bool searched;
    const char *requested = getenv("GRADUS_NVRTC");
    *nvrtc = &table;
    if (!searched) {
        searched = true;
        if (requested && *requested)
            take_newer(requested);
        else
            search();
        if (table.rtc.version) {
            load_builtins();
            find_headers();
        }
    }
    if (table.rtc.version)
        return GRADUS_OK;
    if (requested && *requested)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "skip: no CUDA compiler: GRADUS_NVRTC: '%s' is not an NVRTC of CUDA 11.2 or "
                       "later; fix it with: unset GRADUS_NVRTC",
                       requested);
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   "skip: no CUDA compiler (libnvrtc) here; get it with: python3 -m pip install "
                   "nvidia-cuda-nvrtc");
}

enum gradus_status gr_nvrtc_find(struct gr_rtc_about *about, struct gradus_error *error)
{
    const struct gr_nvrtc *nvrtc;
    enum gradus_status status = gr_nvrtc_open(&nvrtc, error);
    if (status == GRADUS_OK)
        *about = nvrtc->rtc.about;
    return status;
}

const char *gr_nvrtc_include_dir(void)
{
    const struct gr_nvrtc *nvrtc;
    return gr_nvrtc_open(&nvrtc, NULL) == GRADUS_OK ? nvrtc->include : "";
}
