/* flags.c: sorts compiler options by the compilers that understand them, in the spelling of nvcc
 * and of g++. SPDX-License-Identifier: MIT */
#include "emit/flags.h"

#include "base/process.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 96 };

enum {
    HEAD = 1,     /* also matches the beginning of a longer word: -fmad in -fmad=false */
    SHORT = 2,    /* with a single dash only */
    ARGUMENT = 4, /* if this word is only the name, its argument is the next word */
    NVRTC = 8,
    HOST = 16,
    TRACED = 32,
    AMD = 64
};

/* The first rule that matches decides. */
static const struct rule {
    const char *name;
    unsigned is;
} rules[] = {
    /* Understood by both, possibly in different spellings. */
    {"D", HEAD | SHORT | ARGUMENT | NVRTC | AMD | HOST | TRACED},
    {"U", HEAD | SHORT | ARGUMENT | NVRTC | AMD | HOST | TRACED},
    {"I", HEAD | SHORT | ARGUMENT | NVRTC | AMD | HOST | TRACED},
    {"isystem", ARGUMENT | NVRTC | AMD | HOST | TRACED},
    {"iquote", ARGUMENT | NVRTC | AMD | HOST | TRACED},
    {"include", ARGUMENT | NVRTC | AMD | HOST | TRACED},
    {"std=", HEAD | NVRTC | AMD | HOST | TRACED},
    {"w", NVRTC | AMD | HOST | TRACED},
    /* Those of nvcc that NVRTC does not have; --gpu and --arch choose the architecture. */
    {"offload-arch", HEAD | ARGUMENT},
    {"amdgpu-target", HEAD | ARGUMENT},
    {"gencode", HEAD | ARGUMENT},
    {"generate-code", HEAD | ARGUMENT},
    {"gpu-architecture", HEAD | ARGUMENT},
    {"gpu-code", HEAD | ARGUMENT},
    {"arch", HEAD | ARGUMENT},
    {"code", HEAD | ARGUMENT},
    {"expt-", HEAD},
    {"extended-lambda", 0},
    {"Xcompiler", HEAD | ARGUMENT},
    {"compiler-options", HEAD | ARGUMENT},
    {"Xlinker", HEAD | ARGUMENT},
    {"linker-options", HEAD | ARGUMENT},
    {"Xcudafe", HEAD | ARGUMENT},
    {"Xnvlink", HEAD | ARGUMENT},
    {"threads", HEAD | ARGUMENT},
    {"t", ARGUMENT},
    {"cudart", HEAD | ARGUMENT},
    {"ccbin", HEAD | ARGUMENT},
    {"compiler-bindir", HEAD | ARGUMENT},
    {"forward-unknown-", HEAD},
    {"resource-usage", 0},
    {"res-usage", 0},
    {"keep", HEAD},
    {"allow-unsupported-compiler", 0},
    {"dc", 0},
    /* Those of NVRTC. */
    {"use_fast_math", NVRTC},
    {"ftz", HEAD | NVRTC},
    {"fmad", HEAD | NVRTC},
    {"prec-div", HEAD | NVRTC},
    {"prec-sqrt", HEAD | NVRTC},
    {"maxrregcount", HEAD | ARGUMENT | NVRTC},
    {"minimal", NVRTC},
    {"modify-stack-limit", HEAD | NVRTC},
    {"lineinfo", NVRTC},
    {"generate-line-info", NVRTC},
    {"G", NVRTC},
    {"device-", HEAD | NVRTC},
    {"default-device", NVRTC},
    {"rdc", HEAD | NVRTC},
    {"relocatable-device-code", HEAD | NVRTC},
    {"dlto", NVRTC},
    {"dopt", HEAD | ARGUMENT | NVRTC},
    {"extra-device-vectorization", NVRTC},
    {"Xptxas", HEAD | ARGUMENT | NVRTC},
    {"ptxas-options", HEAD | ARGUMENT | NVRTC},
    {"restrict", NVRTC},
    {"diag-", HEAD | NVRTC},
    {"disable-warnings", NVRTC},
    /* Those of g++. */
    {"O", HEAD | SHORT | AMD | HOST},
    {"g", HEAD | SHORT | HOST},
    {"fopenmp", HEAD | SHORT | HOST | TRACED},
    {"f", HEAD | SHORT | AMD | HOST | TRACED},
    {"mwavefrontsize64", AMD}, /* and the other choices of AMD's back end */
    {"mno-wavefrontsize64", AMD},
    {"mcumode", AMD},
    {"mno-cumode", AMD},
    {"mllvm", ARGUMENT | AMD},
    {"munsafe-fp-atomics", AMD},
    {"m", HEAD | SHORT | HOST | TRACED},
    {"W", HEAD | SHORT | AMD | HOST | TRACED},
    {"param", HEAD | ARGUMENT | HOST | TRACED},
    {"pthread", HOST | TRACED},
    {"pipe", HOST | TRACED},
    {"pedantic", HEAD | HOST | TRACED},
    {"permissive", HOST | TRACED},
    {"x", SHORT | ARGUMENT},
    {"l", HEAD | SHORT},
    {"L", HEAD | SHORT | ARGUMENT},
};

/* The word without its dashes. */
static const char *bare(const char *word)
{
    return word + strspn(word, "-");
}

static const struct rule *rule_of(const char *word)
{
    const char *name = bare(word);
    for (size_t i = 0; *word == '-' && i < sizeof rules / sizeof *rules; i++) {
        const struct rule *r = &rules[i];
        bool fits = r->is & HEAD ? gr_starts_with(name, r->name) : strcmp(name, r->name) == 0;
        if (fits && !(r->is & SHORT && name != word + 1))
            return r;
    }
    return NULL;
}

/* Quotes words that contain blanks. */
static void put(struct gr_str *out, const char *head, const char *tail)
{
    bool blank = strpbrk(head, " \t") || strpbrk(tail, " \t");
    const char *quote = !blank ? "" : strchr(head, '"') || strchr(tail, '"') ? "'" : "\"";
    gr_str_printf(out, "%s%s%s%s%s", out->length ? " " : "", quote, head, tail, quote);
}

/* NVRTC has a single kind of include folder, no options in two words, and no GNU dialects. */
static void put_for_nvrtc(const char *word, const char *argument, struct gr_str *out)
{
    const char *name = bare(word);
    if (argument && (strcmp(name, "isystem") == 0 || strcmp(name, "iquote") == 0))
        put(out, "-I", argument);
    else if (argument && strcmp(name, "include") == 0)
        put(out, "--pre-include=", argument);
    else if (gr_starts_with(name, "std=gnu"))
        put(out, "--std=c", name + strlen("std=gnu"));
    else if (argument && strlen(name) > 1) {
        char *whole = gr_printf("%s=", word);
        out->failed |= !whole;
        put(out, whole ? whole : "", argument);
        free(whole);
    } else
        put(out, word, argument ? argument : "");
}

static void sort(const char **words, int count, enum gr_flags_reader reader, struct gr_str *out)
{
    static const unsigned readers[] = {[GR_FLAGS_NVRTC] = NVRTC,
                                       [GR_FLAGS_AMD] = AMD,
                                       [GR_FLAGS_HOST] = HOST,
                                       [GR_FLAGS_TRACED] = TRACED};
    for (int i = 0; i < count; i++) {
        const char *word = words[i], *argument = NULL;
        const struct rule *r = rule_of(word);
        if (r && r->is & ARGUMENT && strcmp(bare(word), r->name) == 0 && i + 1 < count)
            argument = words[++i];
        if (r && !(r->is & readers[reader]))
            continue;
        if (reader == GR_FLAGS_NVRTC) {
            put_for_nvrtc(word, argument, out);
        } else {
            put(out, word, "");
            if (argument)
                put(out, argument, "");
        }
    }
}

char *gr_flags_for(const struct gr_kernel *kernel, const char *flags, enum gr_flags_reader reader)
{
    const char *words[MOST];
    char *storage = NULL;
    int count = 0;
    struct gr_str given = {0}, out = {0};
    gr_str_add(&given, flags ? flags : "");
    for (int i = 0; !flags && i < kernel->flags.count; i++)
        gr_str_printf(&given, " %s", kernel->flags.items[i].text);
    /* if there are too many words, the next split reports it */
    if (gr_words_split(gr_str_text(&given), words, &count, MOST, &storage))
        sort(words, count, reader, &out);
    else
        gr_str_add(&out, gr_str_text(&given));
    char *text = out.failed || given.failed ? NULL : gr_strdup(gr_str_text(&out));
    free(storage);
    gr_str_free(&given);
    gr_str_free(&out);
    return text;
}
