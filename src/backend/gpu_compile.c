/* gpu_compile.c: from a variant to the compiler. SPDX-License-Identifier: MIT */
#include "backend/gpu_compile.h"

#include "core/error.h"
#include "base/str.h"
#include "emit/clangtypes.h"
#include "catalog/arch.h"
#include "emit/translation.h"
#include "gpu/amdonly.h"
#include "gpu/jit.h"
#include "gpu/vendor.h"
#include "sass/reschedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes "gfx90a or gfx942" for "gfx90a, gfx942". */
static void write_alternatives(const char *line, struct gr_str *out)
{
    gr_str_add(out, "");
    for (const char *p = line; *p;) {
        size_t length = strcspn(p, ",");
        const char *next = p[length] ? p + length + 1 + strspn(p + length + 1, " ") : p + length;
        if (p > line)
            gr_str_add(out, *next ? ", " : " or ");
        gr_str_add_bytes(out, p, length);
        p = next;
    }
}

enum gradus_status gr_gpu_admits(const struct gr_kernel *kernel, const struct gr_gpu_target *target,
                                 struct gradus_error *error)
{
    static const char least[] = ">= ";
    if (!kernel->arch || gr_arch_fits(kernel->arch, target->arch, target->cc))
        return GRADUS_OK;
    struct gr_str wanted = {0};
    bool at_least = gr_starts_with(kernel->arch, least);
    write_alternatives(kernel->arch + (at_least ? strlen(least) : 0), &wanted);
    enum gradus_status status =
        gr_fail(error, GRADUS_UNSUPPORTED, "needs %s%s, %s is %s", at_least ? "at least " : "",
                gr_str_text(&wanted), target->name, target->arch);
    gr_str_free(&wanted);
    return status;
}

/* The options of the translation, line tables, and where the toolkit's headers are: since CUDA 13,
 * libcu++, which others of them include, has a folder of its own. All code has line tables: with
 * them the compiler makes other code now and then, and what is run should be what is explained. */
static const char **all_options(const struct gr_translation *t, enum gr_translation_target target,
                                const struct gr_rtc *rtc, char *includes[2], int *count)
{
    const char *folder = rtc->include_dir();
    const char **options = calloc((size_t)t->option_count + 3, sizeof *options);
    *count = t->option_count;
    if (!options)
        return NULL;
    for (int i = 0; i < t->option_count; i++)
        options[i] = t->options[i];
    options[(*count)++] = target == GR_TRANSLATION_AMD ? "-gline-tables-only" : "-lineinfo";
    includes[0] = *folder ? gr_printf("-I%s", folder) : NULL;
    includes[1] = *folder ? gr_printf("-I%s/cccl", folder) : NULL;
    for (int i = 0; i < 2; i++)
        if (includes[i])
            options[(*count)++] = includes[i];
    return options;
}

/* The input of the compiler, and the owners of its parts. */
struct unit {
    const struct gr_rtc *rtc;
    struct gr_translation translation;
    const char **options;
    char *includes[2];
    struct gr_rtc_source source;
};

static enum gradus_status make_unit(const struct gr_variant *variant, const struct gr_build *build,
                                    const struct gr_gpu_target *target, struct unit *u,
                                    struct gradus_error *error)
{
    const struct gr_gpu_vendor *vendor = gr_gpu_vendor_of(target->arch);
    const enum gr_translation_target reader =
        vendor == &gr_gpu_vendor_hip ? GR_TRANSLATION_AMD : GR_TRANSLATION_NVRTC;
    enum gradus_status status = gr_gpu_admits(variant->kernel, target, error);
    /* Whose compiler it is says itself that it does not know an architecture. */
    u->rtc = vendor ? vendor->rtc : &gr_rtc_nvrtc;
    if (status == GRADUS_OK)
        status = gr_translation_make_for(reader, variant, build->defines, build->flags,
                                         &u->translation, error);
    if (status == GRADUS_OK && u->rtc == &gr_rtc_nvrtc &&
        !gr_clang_types_rewrite(u->translation.name, &u->translation.text))
        status = gr_fail_memory(error, u->translation.name, 0);
    if (status != GRADUS_OK)
        return status;
    const struct gr_translation *t = &u->translation;
    int count;
    u->options = all_options(t, reader, u->rtc, u->includes, &count);
    if (!u->options)
        return gr_fail_memory(error, "options", 0);
    u->source = (struct gr_rtc_source){.text = t->text,
                                       .name = t->name,
                                       .header_names = (const char *const *)t->header_names,
                                       .header_texts = (const char *const *)t->header_texts,
                                       .header_count = t->header_count,
                                       .options = u->options,
                                       .option_count = count,
                                       .arch = target->arch,
                                       .names = (const char *const *)t->kernels,
                                       .name_count = t->kernel_count};
    return GRADUS_OK;
}

static void free_unit(struct unit *u)
{
    free(u->options);
    free(u->includes[0]);
    free(u->includes[1]);
    gr_translation_free(&u->translation);
}

static void describe(const struct gr_rescheduled *report, char *notes, size_t size)
{
    const struct gr_rescheduled_block sum = gr_rescheduled_sum(report);
    const size_t used = strlen(notes);
    if (sum.ffmas > 0)
        snprintf(notes + used, size - used,
                 "%sFFMAs reordered: of %d in straight code, register banks are expected to delay "
                 "%d cycles, before %d",
                 used ? "; " : "", sum.ffmas, sum.lost_after, sum.lost_before);
    else
        snprintf(notes + used, size - used, "%sno FFMAs reordered: %s", used ? "; " : "",
                 report->count == 0        ? "they are in code for sm_90 only"
                 : *report->kernels[0].why ? report->kernels[0].why
                                           : "too few in straight code");
}

static enum gradus_status reorder(const struct gr_rtc *rtc, struct gr_rtc_code *cubin, char *notes,
                                  size_t notes_size, struct gradus_error *error)
{
    struct gr_rescheduled report = {0};
    enum gradus_status status = GRADUS_OK;
    if (rtc == &gr_rtc_nvrtc)
        status = gr_reschedule(cubin->image, cubin->length, &report, error);
    if (status == GRADUS_OK)
        describe(&report, notes, notes_size);
    gr_rescheduled_free(&report);
    return status;
}

enum gradus_status gr_gpu_compile(const struct gr_variant *variant, const struct gr_build *build,
                                  const struct gr_gpu_target *target, struct gr_rtc_code *cubin,
                                  char *notes, size_t notes_size, struct gradus_error *error)
{
    struct unit unit = {0};
    *notes = 0;
    enum gradus_status status = make_unit(variant, build, target, &unit, error);
    if (status == GRADUS_OK)
        status = gr_jit_compile(unit.rtc, &unit.source, !build->no_cache, cubin, error);
    if (status == GRADUS_COMPILE && error && unit.rtc == &gr_rtc_nvrtc)
        status = gr_amd_only_refuse(error);
    if (status == GRADUS_OK && unit.translation.cut && *unit.translation.cut)
        snprintf(notes, notes_size, "host functions left out: %.200s", unit.translation.cut);
    if (status == GRADUS_OK && build->reorder_ffma)
        status = reorder(unit.rtc, cubin, notes, notes_size, error);
    free_unit(&unit);
    return status;
}

enum gradus_status gr_gpu_compile_assembly(const struct gr_variant *variant,
                                           const struct gr_build *build,
                                           const struct gr_gpu_target *target, char **ptx,
                                           struct gradus_error *error)
{
    struct unit unit = {0};
    enum gradus_status status = make_unit(variant, build, target, &unit, error);
    if (status == GRADUS_OK)
        status = unit.rtc->assembly(&unit.source, ptx, error);
    free_unit(&unit);
    return status;
}
