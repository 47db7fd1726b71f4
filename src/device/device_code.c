/* device_code.c: finds machine code in the library, in the user's cache, or by NVRTC. A file of the
 * cache contains the compiler's result for one source and one architecture, after a line with its
 * checksum. It can be used on a machine without a compiler. SPDX-License-Identifier: MIT */
#include "device/device_code.h"

#include "core/error.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH = 1024 };
static const char mark[] = "gradus-device-code";

static uint64_t hash(uint64_t state, const char *bytes, size_t length)
{
    const uint64_t prime = UINT64_C(0x100000001b3);
    for (size_t i = 0; i < length; i++)
        state = (state ^ (unsigned char)bytes[i]) * prime;
    return (state ^ length) * prime;
}

static uint64_t hash_text(uint64_t state, const char *text)
{
    return hash(state, text, strlen(text));
}

/* Sets `path` to "<folder>/<hash of everything that the code depends on>". Two 64-bit hashes with
 * different initial values take the place of one 128-bit hash. Returns false if there is no folder,
 * or if GRADUS_CACHE_LIMIT=0 turns the cache off. */
static bool path_of(const char *text, const char *arch, char path[PATH])
{
    const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    const char *limit = getenv("GRADUS_CACHE_LIMIT");
    uint64_t key[] = {UINT64_C(0xcbf29ce484222325), UINT64_C(0x6c62272e07bb0142)};
    for (int i = 0; i < 2; i++) {
        key[i] = hash_text(hash_text(hash_text(key[i], gradus_version()), text), arch);
        for (int h = 0; h < gr_device_header_count; h++)
            key[i] = hash_text(key[i], gr_device_headers[h].text);
    }
    const bool given = cache && *cache == '/';
    if ((limit && strcmp(limit, "0") == 0) || (!given && !(home && *home == '/')))
        return false;
    const int length = snprintf(path, PATH, "%s%s/gradus/device/%016" PRIx64 "%016" PRIx64,
                                given ? cache : home, given ? "" : "/.cache", key[0], key[1]);
    return length > 0 && length < PATH;
}

/* Creates the folders of a path that do not exist yet. */
static void make_folders(const char *path)
{
    char folder[PATH];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *p = folder + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            (void)mkdir(folder, 0700);
            *p = '/';
        }
}

static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rbe");
    struct stat about;
    char *text = NULL;
    *length = 0;
    if (file && fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0 &&
        about.st_uid == geteuid() && (text = malloc((size_t)about.st_size + 1)))
        *length = fread(text, 1, (size_t)about.st_size, file);
    if (text)
        text[*length] = 0;
    if (file)
        fclose(file);
    return text;
}

/* Points *code at the contents of `bytes`: first the symbols, one on each line, then the image. */
static bool take(const struct gr_device_kernel *kernel, char *bytes, size_t length,
                 struct gr_device_code *code)
{
    char *at = bytes, *const end = bytes + length;
    for (int i = 0; i < kernel->stanza_count; i++) {
        char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop)
            return false;
        *stop = 0;
        code->symbols[i] = at;
        at = stop + 1;
    }
    code->image = at;
    return at < end;
}

static void find_cached(const struct gr_device_gpu *gpu, const struct gr_device_kernel *kernel,
                        int trans, struct gr_device_code *code)
{
    char path[PATH], head[64];
    size_t length;
    if (!path_of(kernel->texts[trans], gpu->arch, path))
        return;
    char *bytes = read_file(path, &length);
    char *stop = bytes ? memchr(bytes, '\n', length) : NULL;
    if (stop) {
        const size_t rest = length - (size_t)(stop + 1 - bytes);
        const int wanted =
            snprintf(head, sizeof head, "%s %016" PRIx64 "\n", mark, hash(0, stop + 1, rest));
        if ((size_t)wanted == (size_t)(stop + 1 - bytes) &&
            memcmp(head, bytes, (size_t)wanted) == 0 && take(kernel, stop + 1, rest, code)) {
            code->owned = bytes;
            return;
        }
    }
    code->image = NULL;
    free(bytes);
}

/* Writes code to the cache. Errors are ignored: the code is then compiled again the next time. */
static void keep(const struct gr_device_gpu *gpu, const struct gr_device_kernel *kernel, int trans,
                 const char *bytes, size_t length)
{
    char path[PATH], temporary[PATH + 8];
    if (!path_of(kernel->texts[trans], gpu->arch, path))
        return;
    make_folders(path);
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    const int descriptor = mkostemp(temporary, O_CLOEXEC);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (!file) {
        if (descriptor >= 0)
            close(descriptor);
        return;
    }
    bool whole = fprintf(file, "%s %016" PRIx64 "\n", mark, hash(0, bytes, length)) > 0;
    whole = fwrite(bytes, 1, length, file) == length && whole;
    whole = fclose(file) == 0 && whole;
    if (!whole || rename(temporary, path) != 0)
        (void)unlink(temporary);
}

static void find_built_in(const struct gr_device_gpu *gpu, int kernel, int trans,
                          struct gr_device_code *code)
{
    const struct gr_device_cubin *best = NULL;
    for (int i = 0; gr_device_cubins[i]; i++)
        for (const struct gr_device_cubin *c = gr_device_cubins[i]; c->arch; c++) {
            if (c->kernel != kernel || c->trans != trans || !gr_device_arch_runs(c->arch, gpu->cc))
                continue;
            if (!best || strcmp(c->arch, gpu->arch) == 0 || strcmp(c->arch, best->arch) > 0)
                best = c;
        }
    if (!best)
        return;
    code->image = best->image;
    for (int i = 0; i < gr_device_kernels[kernel].stanza_count; i++)
        code->symbols[i] = best->symbols[i];
}

enum gradus_status gr_device_code_find(const struct gr_device_gpu *gpu, int kernel, int trans,
                                       enum gr_device_place place, struct gr_device_code *code,
                                       struct gradus_error *error)
{
    const struct gr_device_kernel *k = &gr_device_kernels[kernel];
    char *bytes;
    size_t head, length;
    *code = (struct gr_device_code){0};
    if (place == GR_DEVICE_BUILT_IN) {
        find_built_in(gpu, kernel, trans, code);
        return GRADUS_OK;
    }
    if (place == GR_DEVICE_CACHED) {
        find_cached(gpu, k, trans, code);
        return GRADUS_OK;
    }
    const enum gradus_status status =
        gr_device_nvrtc(k, trans, gpu->arch, &bytes, &head, &length, error);
    if (status != GRADUS_OK)
        return status;
    keep(gpu, k, trans, bytes, length);
    code->owned = bytes;
    if (!take(k, bytes, length, code)) {
        gr_device_code_free(code);
        return gr_fail(error, GRADUS_INTERNAL, "gradus_gemm_run: %s: NVRTC made no code", k->file);
    }
    return GRADUS_OK;
}

void gr_device_code_free(struct gr_device_code *code)
{
    free(code->owned);
    *code = (struct gr_device_code){0};
}
