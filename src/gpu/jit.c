/* jit.c: the cache of what NVRTC made. An entry is a line that names the format and the key, the length and a
 * checksum of the rest, the kernels' symbols, one a line, and the image. SPDX-License-Identifier: MIT */
#include "gpu/jit.h"

#include "base/error.h"
#include "base/file.h"
#include "base/rng.h"
#include "base/str.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char format_name[] = "gradus-cubin-1";

struct key {
    uint64_t low, high; /* two hashes with different seeds */
};

static void mix(struct key *key, const char *text)
{
    size_t length = text ? strlen(text) + 1 : 0; /* with its end, so that "a" "b" is not "ab" */
    key->low = gr_hash(text, length, key->low);
    key->high = gr_hash(text, length, key->high);
}

static void mix_all(struct key *key, const char *const *texts, int count)
{
    char number[16];
    snprintf(number, sizeof number, "%d", count);
    mix(key, number);
    for (int i = 0; i < count; i++)
        mix(key, texts[i]);
}

/* Headers of the toolkit are known by the compiler's path and version. */
static struct key key_of(const struct gr_nvrtc_source *s, const struct gr_nvrtc_about *about)
{
    struct key key = {1, 2};
    char compiler[64];
    snprintf(compiler, sizeof compiler, "%s nvrtc %d.%d gradus %s", format_name, about->major,
             about->minor, gradus_version());
    mix(&key, compiler);
    mix(&key, about->path);
    mix(&key, s->text);
    mix(&key, s->name);
    mix(&key, s->arch);
    mix_all(&key, s->header_names, s->header_count);
    mix_all(&key, s->header_texts, s->header_count);
    mix_all(&key, s->options, s->option_count);
    mix_all(&key, s->names, s->name_count);
    return key;
}

/* Where the entry would be; null where there is no cache folder. */
static char *entry_path(const struct key *key)
{
    char *folder = NULL;
    struct gradus_error ignored = {0};
    if (gr_cache_dir("jit", &folder, &ignored) != GRADUS_OK) {
        gradus_error_clear(&ignored);
        return NULL;
    }
    char *path = gr_printf("%s/%016" PRIx64 "%016" PRIx64, folder, key->high, key->low);
    free(folder);
    return path;
}

/* The next line of the text up to `end`, ended by a NUL; null when there is none. */
static char *next_line(char **text, const char *end)
{
    char *line = *text, *stop = memchr(line, '\n', (size_t)(end - line));
    if (!stop)
        return NULL;
    *stop = 0;
    *text = stop + 1;
    return line;
}

/* Takes an entry apart. False for anything that is not exactly what was written. */
static bool parse_entry(char *text, size_t length, const struct key *key, int name_count,
                        struct gr_cubin *cubin)
{
    char *at = text, head[160], *end = text + length;
    char *line = next_line(&at, end);
    if (!line)
        return false;
    size_t rest = (size_t)(end - at);
    snprintf(head, sizeof head, "%s %016" PRIx64 "%016" PRIx64 " %zu %016" PRIx64, format_name,
             key->high, key->low, rest, gr_hash(at, rest, 3));
    if (strcmp(head, line) != 0)
        return false;
    char *compiler = next_line(&at, end);
    if (!compiler)
        return false;
    snprintf(cubin->compiler, sizeof cubin->compiler, "%s", compiler);
    for (int i = 0; i < name_count; i++) {
        char *symbol = next_line(&at, end);
        if (!symbol)
            return false;
        cubin->lowered[i] = gr_strdup(symbol);
        cubin->name_count = i + 1;
    }
    cubin->length = (size_t)(end - at);
    cubin->image = malloc(cubin->length + 1);
    if (cubin->image)
        memcpy(cubin->image, at, cubin->length);
    return cubin->image && cubin->length > 0;
}

static bool read_entry(const char *path, const struct key *key, int name_count,
                       struct gr_cubin *cubin)
{
    char *text = NULL;
    size_t length = 0;
    struct gradus_error ignored = {0};
    bool whole = gr_file_read(path, &text, &length, &ignored) == GRADUS_OK &&
                 parse_entry(text, length, key, name_count, cubin);
    gradus_error_clear(&ignored);
    free(text);
    if (!whole)
        gr_cubin_free(cubin);
    return whole;
}

static void write_entry(const char *path, const struct key *key, const struct gr_cubin *cubin)
{
    struct gr_str rest = {0}, entry = {0};
    struct gradus_error ignored = {0};
    gr_str_printf(&rest, "%s\n", cubin->compiler);
    for (int i = 0; i < cubin->name_count; i++)
        gr_str_printf(&rest, "%s\n", cubin->lowered[i]);
    gr_str_add_bytes(&rest, cubin->image, cubin->length);
    gr_str_printf(&entry, "%s %016" PRIx64 "%016" PRIx64 " %zu %016" PRIx64 "\n", format_name,
                  key->high, key->low, rest.length, gr_hash(gr_str_text(&rest), rest.length, 3));
    gr_str_add_bytes(&entry, gr_str_text(&rest), rest.length);
    if (!rest.failed && !entry.failed)
        gr_file_write(path, entry.text, entry.length, &ignored); /* else it is compiled again */
    gradus_error_clear(&ignored);
    gr_str_free(&rest);
    gr_str_free(&entry);
}

/* A header of the user's own may change without any sign in the key. */
static bool includes_files(const struct gr_nvrtc_source *s)
{
    for (const char *p = strstr(s->text, "#include"); p; p = strstr(p + 1, "#include")) {
        const char *quote = p + strlen("#include");
        quote += strspn(quote, " \t");
        if (*quote != '"')
            continue;
        size_t length = strcspn(quote + 1, "\"\n");
        bool given = false;
        for (int i = 0; i < s->header_count; i++)
            given |= strlen(s->header_names[i]) == length &&
                     strncmp(s->header_names[i], quote + 1, length) == 0;
        if (!given)
            return true;
    }
    return false;
}

enum gradus_status gr_jit_compile(const struct gr_nvrtc_source *source, bool use_cache,
                                  struct gr_cubin *cubin, struct gradus_error *error)
{
    struct gr_nvrtc_about about;
    *cubin = (struct gr_cubin){0};
    enum gradus_status status = gr_nvrtc_find(&about, error);
    if (status != GRADUS_OK)
        return status;
    if (!use_cache || source->name_count > GR_NVRTC_MAX_NAMES || includes_files(source))
        return gr_nvrtc_compile(source, cubin, error);
    struct key key = key_of(source, &about);
    char *path = entry_path(&key);
    if (path && read_entry(path, &key, source->name_count, cubin)) {
        free(path);
        return GRADUS_OK;
    }
    status = gr_nvrtc_compile(source, cubin, error);
    if (status == GRADUS_OK && path)
        write_entry(path, &key, cubin);
    free(path);
    return status;
}
