/* fuzz_frontmatter.c: any text as a kernel file: read, inferred from, cut, and a call stub written,
 * without a fault of memory; every refusal has its line. SPDX-License-Identifier: MIT */
#include "base/str.h"
#include "catalog/catalog.h"
#include "launches/guess.h"
#include "launches/infer.h"
#include "source/cut.h"
#include "emit/stub.h"
#include "catalog/variant.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct gr_kernel *k)
{
    struct gr_variant v;
    struct gr_str out = {0};
    struct gradus_error error = {0};
    struct gr_problem p = gr_problem_dense(100, 200, 300, false, false, k->types[0]);
    struct gr_device_values g = {.sms = 132, .smem_max = 232448, .mr = 6, .nr = 16, .threads = 2};
    int64_t args[GR_MAX_ARGS], bytes[GR_MAX_WORKS];
    int trans = 0;
    while (trans < 3 && !k->trans[trans])
        trans++;
    if (gr_variant_make(k, k->types[0], trans & 2, trans & 1, &v, &error) != GRADUS_OK)
        abort(); /* the kernel's own types and transposes */
    gr_variant_admits(&v, NULL, NULL, &error);
    gr_variant_admits(&v, &p, &g, &error);
    gr_variant_args(&v, &p, &g, args, bytes, &error);
    struct gr_guess guess;
    for (int i = 0; i < k->stanza_count; i++) {
        gr_launch_guess(k, &k->stanzas[i], &guess);
        gr_guess_free(&guess);
    }
    gr_stub_write(&v, "gr_entry", "kernel.c", &out, &error);
    gradus_error_clear(&error);
    gr_str_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = gr_strndup((const char *)data, size);
    if (!text)
        return 0;
    for (int language = 0; language < 2; language++) {
        const char *path = language ? "kernel.cu" : "kernel.c";
        struct gr_kernel *k;
        struct gradus_error error = {0};
        struct gr_str inferred = {0}, cut = {0}, names = {0};
        if (gr_kernel_parse(path, text, NULL, &k, &error) == GRADUS_OK)
            use(k);
        else if (!*error.text || strchr(error.text, '\n'))
            abort();
        gr_kernel_free(k);
        gr_kernel_infer(path, text, &inferred, &error);
        if (gr_source_cut(path, text, language ? GR_LANGUAGE_CUDA : GR_LANGUAGE_C, NULL, &cut,
                          &names, &error) == GRADUS_OK &&
            cut.length != strlen(text))
            abort(); /* blanks, so that every line and column stays */
        gradus_error_clear(&error);
        gr_str_free(&inferred);
        gr_str_free(&cut);
        gr_str_free(&names);
    }
    free(text);
    return 0;
}
