/* amd_llvm.c: looks for a clang with the AMDGPU back end, and for LLVM's tools beside it.
 * SPDX-License-Identifier: MIT */
#include "gpu/amd_llvm.h"

#include "base/cache.h"
#include "base/file.h"
#include "base/process.h"
#include "base/str.h"
#include "core/error.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OLDEST_CLANG = 14, NEWEST_CLANG = 40 };

static const char amd_target[] = "--target=amdgcn-amd-amdhsa";
static const int64_t limit_ns = 20000000000LL;

static struct gr_amd_llvm found;

/* What a program prints; null if it cannot be run or fails. */
static char *ask(const char *program, const char *question, const char *target)
{
    const char *const argv[] = {program, question, target, target ? "-nogpulib" : NULL, NULL};
    struct gr_str said = {0};
    struct gradus_error ignored = {0};
    int code = 1;
    const bool ran = gr_process_run(argv, NULL, limit_ns, &said, &code, &ignored) == GRADUS_OK;
    gradus_error_clear(&ignored);
    char *text = ran && code == 0 ? gr_strdup(gr_str_text(&said)) : NULL;
    gr_str_free(&said);
    return text;
}

int gr_amd_arch_number(const char *arch)
{
    if (!gr_starts_with(arch, "gfx"))
        return 0;
    char *end;
    const long number = strtol(arch + 3, &end, 16);
    return (*end == 0 || *end == ':') && number > 0 && number <= 0xffff ? (int)number : 0;
}

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Takes the names from a list of processors, one a line. Generic targets (gfx9-generic) have no
 * number. */
static void take_archs(const char *text, struct gr_amd_llvm *llvm)
{
    const int most = (int)(sizeof llvm->archs / sizeof *llvm->archs);
    for (const char *p = text; (p = strstr(p, "gfx")) && llvm->arch_count < most;) {
        const size_t length = strcspn(p, " \t\r\n");
        char *name = gr_strndup(p, length);
        const int number = name ? gr_amd_arch_number(name) : 0;
        if (number > 0)
            llvm->archs[llvm->arch_count++] = number;
        free(name);
        p += length;
    }
    qsort(llvm->archs, (size_t)llvm->arch_count, sizeof *llvm->archs, by_number);
}

static void identify(struct gr_amd_llvm *llvm)
{
    char real[PATH_MAX];
    struct gr_cache_key key = {0};
    const char *path = realpath(llvm->clang, real) ? real : llvm->clang;
    snprintf(llvm->folder, sizeof llvm->folder, "%.*s", (int)(gr_path_base(path) - path), path);
    gr_cache_key_add_file(&key, path);
    llvm->identity = key.low;
}

/* False: there is no such program, or it has no AMDGPU back end. `name` is a path, or found on
 * PATH. */
static bool try_clang(const char *name)
{
    char *path = strchr(name, '/') ? gr_strdup(name) : gr_program_find(name);
    char *version = path ? ask(path, "--version", NULL) : NULL;
    char *archs = version ? ask(path, "--print-supported-cpus", amd_target) : NULL;
    struct gr_amd_llvm llvm = {0};
    const char *number = version ? strstr(version, "clang version ") : NULL;
    if (number)
        sscanf(number, "clang version %d.%d", &llvm.major, &llvm.minor);
    if (archs && number)
        take_archs(archs, &llvm);
    const bool usable =
        llvm.arch_count > 0 && snprintf(llvm.clang, sizeof llvm.clang, "%s", path) < 512;
    if (usable) {
        identify(&llvm);
        found = llvm;
    }
    free(path);
    free(version);
    free(archs);
    return usable;
}

/* Tries the paths that match, the highest version first. */
static bool try_pattern(const char *pattern)
{
    glob_t matches = {0};
    bool taken = false;
    if (pattern && glob(pattern, 0, NULL, &matches) == 0)
        for (size_t i = matches.gl_pathc; i > 0 && !taken; i--)
            taken = try_clang(matches.gl_pathv[i - 1]);
    globfree(&matches);
    return taken;
}

static bool try_rocm(void)
{
    const char *rocm = getenv("ROCM_PATH");
    char *pattern = rocm && *rocm ? gr_printf("%s/llvm/bin/clang", rocm) : NULL;
    const bool taken = try_pattern(pattern) || try_pattern("/opt/rocm*/llvm/bin/clang");
    free(pattern);
    return taken;
}

/* hipcc is in the bin folder of the ROCm whose clang it runs. */
static bool try_hipcc(void)
{
    char *hipcc = gr_program_find("hipcc"), real[PATH_MAX];
    bool taken = false;
    if (hipcc && realpath(hipcc, real)) {
        char *pattern = gr_printf("%.*s../llvm/bin/clang", (int)(gr_path_base(real) - real), real);
        taken = try_pattern(pattern);
        free(pattern);
    }
    free(hipcc);
    return taken;
}

static bool try_numbered(void)
{
    for (int version = NEWEST_CLANG; version >= OLDEST_CLANG; version--) {
        char name[32];
        snprintf(name, sizeof name, "clang-%d", version);
        if (try_clang(name))
            return true;
    }
    return false;
}

enum gradus_status gr_amd_llvm_find(const struct gr_amd_llvm **llvm, struct gradus_error *error)
{
    static bool searched;
    const char *wanted = getenv("GRADUS_HIP_CLANG");
    *llvm = &found;
    if (!searched) {
        searched = true;
        if (wanted && *wanted)
            try_clang(wanted);
        else if (!try_rocm() && !try_hipcc() && !try_numbered())
            try_clang("clang");
    }
    if (found.arch_count > 0)
        return GRADUS_OK;
    if (wanted && *wanted)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "skip: no compiler for AMD's GPUs: GRADUS_HIP_CLANG: '%s' is not a clang "
                       "with the AMDGPU back end; fix it with: unset GRADUS_HIP_CLANG",
                       wanted);
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   "skip: no compiler for AMD's GPUs (hipRTC, or a clang with the AMDGPU back end) "
                   "here; get it with: apt-get install clang-19 lld-19 llvm-19");
}

enum gradus_status gr_amd_llvm_knows(const struct gr_amd_llvm *llvm, const char *arch,
                                     struct gradus_error *error)
{
    const int number = gr_amd_arch_number(arch);
    for (int i = 0; i < llvm->arch_count; i++)
        if (llvm->archs[i] == number)
            return GRADUS_OK;
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   "skip: clang %d.%d does not know %s: the newest target it knows is gfx%x; get a "
                   "newer clang, and say where it is with: export GRADUS_HIP_CLANG=PATH",
                   llvm->major, llvm->minor, arch, (unsigned)llvm->archs[llvm->arch_count - 1]);
}

bool gr_amd_llvm_links(const struct gr_amd_llvm *llvm)
{
    char *path = ask(llvm->clang, "--print-prog-name=ld.lld", amd_target);
    const bool there = path && *path == '/';
    free(path);
    return there;
}

char *gr_amd_objdump_find(void)
{
    const char *wanted = getenv("GRADUS_LLVM_OBJDUMP");
    const struct gr_amd_llvm *llvm;
    struct gradus_error ignored = {0};
    if (wanted && *wanted)
        return gr_file_exists(wanted) ? gr_strdup(wanted) : NULL;
    if (gr_amd_llvm_find(&llvm, &ignored) == GRADUS_OK) {
        char *beside = gr_printf("%sllvm-objdump", llvm->folder);
        if (beside && gr_file_exists(beside))
            return beside;
        free(beside);
    }
    gradus_error_clear(&ignored);
    for (int version = NEWEST_CLANG; version >= OLDEST_CLANG; version--) {
        char name[32];
        snprintf(name, sizeof name, "llvm-objdump-%d", version);
        char *path = gr_program_find(name);
        if (path)
            return path;
    }
    return gr_program_find("llvm-objdump");
}
