/* hiprtc.c: AMD's run-time compiler. SPDX-License-Identifier: MIT */
#include "gpu/rtc.h"

#include "core/error.h"
#include "base/cache.h"
#include "base/file.h"
#include "base/str.h"
#include "gpu/amd_llvm.h"
#include "gpu/rocm_folders.h"
#include "gpu/rtc_library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct gr_rtc_library, member)
static const struct gr_rtc_symbol symbols[] = {
    {"hiprtcVersion", AT(version)},           {"hiprtcCreateProgram", AT(create)},
    {"hiprtcDestroyProgram", AT(destroy)},    {"hiprtcAddNameExpression", AT(add_name)},
    {"hiprtcCompileProgram", AT(compile)},    {"hiprtcGetProgramLogSize", AT(log_size)},
    {"hiprtcGetProgramLog", AT(log)},         {"hiprtcGetLoweredName", AT(lowered_name)},
    {"hiprtcGetCodeSize", AT(image_size)},    {"hiprtcGetCode", AT(image)},
    {"hiprtcGetErrorString", AT(error_text)},
};
#undef AT

static struct gr_rtc_library table;

static bool try_library(const char *file)
{
    struct gr_rtc_library found = {.title = "hipRTC", .arch_option = "--offload-arch="};
    if (!gr_rtc_library_open(file, symbols, sizeof symbols / sizeof *symbols, &found))
        return false;
    table = found;
    return true;
}

static bool try_folders(const char *const *names)
{
    char **folders = gr_rocm_folders();
    bool taken = false;
    for (char **folder = folders; folder && *folder && !taken; folder++)
        for (const char *const *name = names; *name && !taken; name++) {
            char *path = gr_printf("%s/%s", *folder, *name);
            taken = path && try_library(path);
            free(path);
        }
    gr_rocm_folders_free(folders);
    return taken;
}

/* Since ROCm 5.3 it is a library of its own, before it was in the driver's. */
static void search(void)
{
    static const char *const names[] = {"libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5",
                                        "libhiprtc.so", NULL};
    bool taken = getenv("ROCM_PATH") && try_folders(names);
    for (const char *const *name = names; *name && !taken; name++)
        taken = try_library(*name);
    if (!taken && !try_folders(names))
        try_library("libamdhip64.so.5");
}

/* The code object manager, on which hipRTC is built and which it opens when it first compiles. It
 * is in the same folder; elsewhere is another version's. */
static void *open_code_object_manager(const char *hiprtc)
{
    static const char *const names[] = {"libamd_comgr.so.3", "libamd_comgr.so.2", "libamd_comgr.so",
                                        NULL};
    const int folder = (int)(gr_path_base(hiprtc) - hiprtc);
    void *library = NULL;
    for (const char *const *name = names; *name && !library; name++) {
        char *beside = gr_printf("%.*s%s", folder, hiprtc, *name);
        library = beside ? dlopen(beside, RTLD_NOW | RTLD_LOCAL) : NULL;
        free(beside);
    }
    return library;
}

/* What it compiles for, as the code object manager says; where that does not say, the list stays
 * empty. Some hipRTCs crash if they are asked for another target. */
static void read_archs(struct gr_rtc_about *about)
{
    void *library = open_code_object_manager(about->path);
    int (*count_of)(size_t * count) = NULL, (*name_of)(size_t index, const char **name) = NULL;
    if (library) {
        *(void **)&count_of = dlsym(library, "amd_comgr_get_isa_count");
        *(void **)&name_of = dlsym(library, "amd_comgr_get_isa_name");
    }
    size_t count = 0, most = sizeof about->archs / sizeof *about->archs;
    if (!count_of || !name_of || count_of(&count) != 0)
        return;
    for (size_t i = 0; i < count && (size_t)about->arch_count < most; i++) {
        const char *name = NULL;
        const char *arch = name_of(i, &name) == 0 && name ? strstr(name, "gfx") : NULL;
        if (arch && gr_amd_arch_number(arch))
            about->archs[about->arch_count++] = gr_amd_arch_number(arch);
    }
}

static enum gradus_status open_library(const struct gr_rtc_library **rtc,
                                       struct gradus_error *error)
{
    static bool searched;
    const char *requested = getenv("GRADUS_HIPRTC");
    *rtc = &table;
    if (!searched) {
        searched = true;
        if (requested && *requested)
            try_library(requested);
        else
            search();
        if (table.version) {
            struct gr_cache_key key = {0};
            gr_cache_key_add_file(&key, table.about.path);
            table.about.identity = key.low;
            read_archs(&table.about);
        }
    }
    if (table.version)
        return GRADUS_OK;
    if (requested && *requested)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "skip: no AMD compiler: GRADUS_HIPRTC: '%s' is not a hipRTC of ROCm 5 or "
                       "later; fix it with: unset GRADUS_HIPRTC",
                       requested);
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   "skip: no AMD compiler (libhiprtc) here; get it with: amdgpu-install "
                   "--usecase=hip");
}

static enum gradus_status find(struct gr_rtc_about *about, struct gradus_error *error)
{
    const struct gr_rtc_library *rtc;
    enum gradus_status status = open_library(&rtc, error);
    if (status == GRADUS_OK)
        *about = rtc->about;
    return status;
}

static const char *include_dir(void)
{
    return ""; /* hipRTC has HIP's headers inside */
}

static enum gradus_status check_arch(const struct gr_rtc_library *rtc, const char *arch,
                                     struct gradus_error *error)
{
    const struct gr_rtc_about *about = &rtc->about;
    for (int i = 0; i < about->arch_count; i++)
        if (about->archs[i] == gr_amd_arch_number(arch))
            return GRADUS_OK;
    return about->arch_count == 0
               ? GRADUS_OK
               : gr_fail(error, GRADUS_UNSUPPORTED,
                         "skip: hipRTC %d.%d (%s) does not know %s; get a newer ROCm, or a newer "
                         "clang, and say where it is with: export GRADUS_HIP_CLANG=PATH",
                         about->major, about->minor, about->path, arch);
}

static enum gradus_status compile(const struct gr_rtc_source *source, struct gr_rtc_code *code,
                                  struct gradus_error *error)
{
    const struct gr_rtc_library *rtc;
    *code = (struct gr_rtc_code){0};
    enum gradus_status status = open_library(&rtc, error);
    if (status == GRADUS_OK)
        status = check_arch(rtc, source->arch, error);
    return status == GRADUS_OK ? gr_rtc_library_compile(rtc, source, code, error) : status;
}

static enum gradus_status assembly(const struct gr_rtc_source *source, char **text,
                                   struct gradus_error *error)
{
    (void)source;
    *text = NULL;
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   "skip: hipRTC makes no assembly; a clang does: get it with: apt-get install "
                   "clang-19 lld-19");
}

const struct gr_rtc gr_rtc_hiprtc = {.name = "hiprtc",
                                     .find = find,
                                     .include_dir = include_dir,
                                     .compile = compile,
                                     .assembly = assembly};
