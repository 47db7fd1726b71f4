/* jit.c: what the compiler made, in the cache: the compiler, the kernels' symbols, one a line, and
 * the image. SPDX-License-Identifier: MIT */
#include "gpu/jit.h"

#include "base/cache.h"
#include "base/str.h"
#include "emit/outside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char folder[] = "jit";

static void add_all(struct gr_cache_key *key, const char *const *texts, int count)
{
    gr_cache_key_add(key, &count, sizeof count);
    for (int i = 0; i < count; i++)
        gr_cache_key_add_text(key, texts[i]);
}

/* Headers of the toolkit are known by the compiler's path and version. */
static struct gr_cache_key key_of(const struct gr_rtc *rtc, const struct gr_rtc_source *s,
                                  const struct gr_rtc_about *about)
{
    struct gr_cache_key key = {0};
    char compiler[64];
    snprintf(compiler, sizeof compiler, "%s %d.%d gradus %s", rtc->name, about->major, about->minor,
             gradus_version());
    gr_cache_key_add_text(&key, compiler);
    gr_cache_key_add_text(&key, about->path);
    gr_cache_key_add(&key, &about->identity, sizeof about->identity);
    gr_cache_key_add_text(&key, s->text);
    gr_cache_key_add_text(&key, s->name);
    gr_cache_key_add_text(&key, s->arch);
    add_all(&key, s->header_names, s->header_count);
    add_all(&key, s->header_texts, s->header_count);
    add_all(&key, s->options, s->option_count);
    add_all(&key, s->names, s->name_count);
    return key;
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

/* Takes an entry apart. False for anything that is not what was written. */
static bool parse(char *text, size_t length, int name_count, struct gr_rtc_code *cubin)
{
    char *at = text, *end = text + length, *compiler = next_line(&at, end);
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

static bool find(const struct gr_cache_key *key, int name_count, struct gr_rtc_code *cubin)
{
    char *text;
    size_t length;
    if (!gr_cache_get(folder, key, &text, &length))
        return false;
    const bool whole = parse(text, length, name_count, cubin);
    free(text);
    if (!whole)
        gr_rtc_code_free(cubin);
    return whole;
}

static void keep(const struct gr_cache_key *key, const struct gr_rtc_code *cubin)
{
    struct gr_str entry = {0};
    gr_str_printf(&entry, "%s\n", cubin->compiler);
    for (int i = 0; i < cubin->name_count; i++)
        gr_str_printf(&entry, "%s\n", cubin->lowered[i]);
    gr_str_add_bytes(&entry, cubin->image, cubin->length);
    if (!entry.failed)
        gr_cache_put(folder, key, entry.text, entry.length);
    gr_str_free(&entry);
}

static bool is_given(const char *name, int length, const void *source)
{
    const struct gr_rtc_source *s = source;
    for (int i = 0; i < s->header_count; i++)
        if (strlen(s->header_names[i]) == (size_t)length &&
            strncmp(s->header_names[i], name, (size_t)length) == 0)
            return true;
    return false;
}

/* A header of the user's own may change without any sign in the key. */
static bool reads_outside(const struct gr_rtc *rtc, const struct gr_rtc_source *s)
{
    const struct gr_outside about = {.text = s->text,
                                     .kernel_folder = "",
                                     .words = s->options,
                                     .word_count = s->option_count,
                                     .ours = rtc->include_dir(),
                                     .is_given = is_given,
                                     .with = s};
    return gr_reads_outside(&about);
}

enum gradus_status gr_jit_compile(const struct gr_rtc *rtc, const struct gr_rtc_source *source,
                                  bool use_cache, struct gr_rtc_code *cubin,
                                  struct gradus_error *error)
{
    struct gr_rtc_about about;
    *cubin = (struct gr_rtc_code){0};
    enum gradus_status status = rtc->find(&about, error);
    if (status != GRADUS_OK)
        return status;
    if (!use_cache || source->name_count > GR_RTC_MAX_NAMES || reads_outside(rtc, source))
        return rtc->compile(source, cubin, error);
    const struct gr_cache_key key = key_of(rtc, source, &about);
    if (find(&key, source->name_count, cubin))
        return GRADUS_OK;
    status = rtc->compile(source, cubin, error);
    if (status == GRADUS_OK)
        keep(&key, cubin);
    return status;
}
