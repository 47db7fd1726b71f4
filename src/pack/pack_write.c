/* pack_write.c: writes the tables of the library's GPU kernels, and their machine code.
 * SPDX-License-Identifier: MIT */
#include "pack/pack_kernels.h"

#include "core/error.h"
#include "base/file.h"
#include "catalog/arch.h"
#include "emit/translation.h"
#include "gpu/jit.h"
#include "sass/reschedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gr_pack_literal(const char *text, size_t length, struct gr_str *out)
{
    enum { LINE = 96 };
    static const char digits[] = "01234567";
    gr_str_add(out, "    \"");
    for (size_t i = 0, column = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (column >= LINE || (i && text[i - 1] == '\n')) {
            gr_str_add(out, "\"\n    \"");
            column = 0;
        }
        if (c == '\n') {
            gr_str_add(out, "\\n");
            column += 2;
        } else if (c < ' ' || c > '~' || c == '"' || c == '\\' || c == '?') {
            const char octal[] = {'\\', digits[c >> 6], digits[c >> 3 & 7], digits[c & 7]};
            gr_str_add_bytes(out, octal, sizeof octal);
            column += 4;
        } else {
            gr_str_add_bytes(out, text + i, 1);
            column++;
        }
    }
    gr_str_add(out, "\"");
}

static const char *type_name(enum gr_dtype type)
{
    return type == GR_F64    ? "GRADUS_F64"
           : type == GR_BF16 ? "GRADUS_BF16"
           : type == GR_F16  ? "GRADUS_F16"
           : type == GR_E4M3 ? "GRADUS_E4M3"
           : type == GR_E5M2 ? "GRADUS_E5M2"
                             : "GRADUS_F32"; /* also the sums of 22 bits of 8-bit types */
}

static enum gradus_status translate(const struct gr_pack_entry *entry, int trans,
                                    struct gr_translation *t, struct gradus_error *error)
{
    struct gr_variant variant;
    *t = (struct gr_translation){0};
    enum gradus_status status = gr_pack_variant(entry, trans, &variant, error);
    return status == GRADUS_OK ? gr_translation_make(&variant, NULL, NULL, t, error) : status;
}

/* ---- The tables. ---- */

/* The headers that a text includes, directly or indirectly. */
struct headers {
    const struct gr_translation *from;
    bool *wanted;
};

static void note_headers(struct headers *h, const char *text)
{
    static const char include[] = "#include ";
    for (const char *p = text; (p = strstr(p, include)); p++) {
        const char *name = p + strlen(include) + 1;
        const size_t length = strcspn(name, "\">\n");
        for (int i = 0; i < h->from->header_count; i++)
            if (!h->wanted[i] && strlen(h->from->header_names[i]) == length &&
                strncmp(h->from->header_names[i], name, length) == 0) {
                h->wanted[i] = true;
                note_headers(h, h->from->header_texts[i]);
            }
    }
}

static void add_headers(const struct headers *h, struct gr_str *out)
{
    int count = 0;
    gr_str_add(out, "\nconst struct gr_device_header gr_device_headers[] = {\n");
    for (int i = 0; i < h->from->header_count; i++) {
        if (!h->wanted[i])
            continue;
        gr_str_printf(out, "    {\"%s\",\n", h->from->header_names[i]);
        gr_pack_literal(h->from->header_texts[i], strlen(h->from->header_texts[i]), out);
        gr_str_add(out, "},\n");
        count++;
    }
    gr_str_printf(out, "    {0, 0},\n};\nconst int gr_device_header_count = %d;\n", count);
}

void gr_pack_name(const struct gr_pack_entry *entry, struct gr_str *out)
{
    gr_str_printf(out, "%s %s", entry->kernel->name, gr_types_word(entry->types));
    for (int i = 0; i < entry->assignment_count; i++)
        gr_str_printf(out, " %s", entry->assignments[i]);
}

static void add_row(const struct gr_pack_entry *entry, int number, struct gr_str *out)
{
    const struct gr_kernel *k = entry->kernel;
    gr_str_add(out, "    {.name = \"");
    gr_pack_name(entry, out);
    gr_str_printf(out, "\",\n     .file = \"%s\",\n", k->name);
    gr_str_printf(out,
                  "     .a_type = %s,\n     .b_type = %s,\n     .c_type = %s,\n"
                  "     .sum_type = %s,\n     .arch = \"%s\",\n",
                  type_name(entry->types.a), type_name(entry->types.b), type_name(entry->types.c),
                  type_name(entry->types.acc), k->arch ? k->arch : "");
    gr_str_printf(out, "     .work_count = %d,\n     .work_zero = {", k->work_count);
    for (int i = 0; i < k->work_count || i < 1; i++)
        gr_str_printf(out, "%s%d", i ? ", " : "", i < k->work_count && k->works[i].zero);
    gr_str_printf(out, "},\n     .map_count = %d,\n     .maps = ", k->map_count);
    if (k->map_count)
        gr_str_printf(out, "maps_%d", number);
    else
        gr_str_add(out, "0");
    gr_str_printf(out, ",\n     .stanza_count = %d,\n     .stanzas = stanzas_%d,\n",
                  k->stanza_count, number);
    gr_str_printf(
        out,
        "     .chooses = %s,\n     .batches = %s,\n     .arrays = %s,\n     .fuses = %s,\n"
        "     .finishes = %s,\n     .plan = plan_%d,\n     .texts = {",
        k->least.text ? "true" : "false", gr_pack_takes(k, "batch") ? "true" : "false",
        gr_pack_takes(k, "arrays") ? "true" : "false", gr_pack_takes(k, "bias") ? "true" : "false",
        gr_kernel_has_workload(k) ? "true" : "false", number);
    for (int trans = 0; trans < 4; trans++)
        if (k->trans[trans])
            gr_str_printf(out, "%stext_%d_%d", trans ? ", " : "", number, trans);
        else
            gr_str_printf(out, "%s0", trans ? ", " : "");
    gr_str_add(out, "}},\n");
}

static enum gradus_status add_entry(const struct gr_pack_list *list, int number,
                                    struct gr_str *headers, struct gr_str *out,
                                    struct gradus_error *error)
{
    const struct gr_pack_entry *entry = &list->entries[number];
    enum gradus_status status = GRADUS_OK;
    for (int trans = 0; trans < 4 && status == GRADUS_OK; trans++) {
        struct gr_translation t;
        if (!entry->kernel->trans[trans])
            continue;
        status = translate(entry, trans, &t, error);
        if (status == GRADUS_OK) {
            gr_str_printf(out, "\nstatic const char text_%d_%d[] =\n", number, trans);
            gr_pack_literal(t.text, strlen(t.text), out);
            gr_str_add(out, ";\n");
            gr_str_add(headers, t.text);
        }
        gr_translation_free(&t);
    }
    return status == GRADUS_OK ? gr_pack_plan(entry, number, out, error) : status;
}

enum gradus_status gr_pack_tables(const char *output, const struct gr_pack_list *list,
                                  struct gradus_error *error)
{
    struct gr_str out = {0}, texts = {0}, rows = {0};
    struct gr_translation any = {0};
    enum gradus_status status = GRADUS_OK;
    gr_str_add(&out, "/* Generated from kernels/ and src/device/kernels.list. */\n"
                     "#include \"device/kernel_table.h\"\n");
    for (int i = 0; i < list->count && status == GRADUS_OK; i++) {
        status = add_entry(list, i, &texts, &out, error);
        add_row(&list->entries[i], i, &rows);
    }
    gr_str_printf(&out,
                  "\nconst struct gr_device_kernel gr_device_kernels[] = {\n%s    {0},\n};\n"
                  "const int gr_device_kernel_count = %d;\n",
                  gr_str_text(&rows), list->count);
    for (int trans = 0; list->count && trans < 4 && status == GRADUS_OK && !any.text; trans++)
        if (list->entries[0].kernel->trans[trans])
            status = translate(&list->entries[0], trans, &any, error);
    struct headers headers = {&any, calloc((size_t)any.header_count + 1, sizeof(bool))};
    if (status == GRADUS_OK && !headers.wanted)
        status = gr_fail_memory(error, "headers", 0);
    if (status == GRADUS_OK) {
        note_headers(&headers, gr_str_text(&texts));
        add_headers(&headers, &out);
    }
    if (status == GRADUS_OK && (out.failed || texts.failed || rows.failed))
        status = gr_fail_memory(error, output, 0);
    if (status == GRADUS_OK)
        status = gr_file_write(output, out.text, out.length, error);
    free(headers.wanted);
    gr_translation_free(&any);
    gr_str_free(&out);
    gr_str_free(&texts);
    gr_str_free(&rows);
    return status;
}

/* ---- The machine code. ---- */

static enum gradus_status compile(const struct gr_pack_entry *entry, int trans, const char *arch,
                                  struct gr_rtc_code *code, struct gradus_error *error)
{
    struct gr_translation t;
    const char *options[16];
    int count = 0;
    *code = (struct gr_rtc_code){0};
    enum gradus_status status = translate(entry, trans, &t, error);
    for (int i = 0; status == GRADUS_OK && i < t.option_count && count < 8; i++)
        options[count++] = t.options[i];
    const char *folder = gr_rtc_nvrtc.include_dir();
    char *includes[] = {*folder ? gr_printf("-I%s", folder) : NULL,
                        *folder ? gr_printf("-I%s/cccl", folder) : NULL};
    for (int i = 0; i < 2; i++)
        if (includes[i])
            options[count++] = includes[i];
    const struct gr_rtc_source source = {.text = t.text,
                                         .name = t.name,
                                         .header_names = (const char *const *)t.header_names,
                                         .header_texts = (const char *const *)t.header_texts,
                                         .header_count = t.header_count,
                                         .options = options,
                                         .option_count = count,
                                         .arch = arch,
                                         .names = (const char *const *)t.kernels,
                                         .name_count = t.kernel_count};
    if (status == GRADUS_OK)
        status = gr_jit_compile(&gr_rtc_nvrtc, &source, true, code, error);
    for (int i = 0; i < 2; i++)
        free(includes[i]);
    gr_translation_free(&t);
    return status;
}

/* Reorders the FFMAs for the register banks, wherever the result is proven to compute the same. */
static enum gradus_status reorder(struct gr_rtc_code *code, struct gradus_error *error)
{
    struct gr_rescheduled report = {0};
    enum gradus_status status = gr_reschedule(code->image, code->length, &report, error);
    gr_rescheduled_free(&report);
    return status;
}

struct cubins {
    struct gr_str texts, rows;
    int count;
    size_t bytes;
};

static void add_cubin(struct cubins *c, int number, int trans, const char *arch,
                      const struct gr_rtc_code *code)
{
    gr_str_printf(&c->texts, "\nstatic const char *const symbols_%d[] = {", c->count);
    for (int i = 0; i < code->name_count; i++)
        gr_str_printf(&c->texts, "%s\"%s\"", i ? ", " : "", code->lowered[i]);
    gr_str_printf(&c->texts, "};\nstatic const _Alignas(16) char image_%d[] =\n", c->count);
    gr_pack_literal(code->image, code->length, &c->texts);
    gr_str_add(&c->texts, ";\n");
    gr_str_printf(&c->rows, "    {\"%s\", %d, %d, symbols_%d, image_%d, %zu},\n", arch, number,
                  trans, c->count, c->count, code->length);
    c->count++;
    c->bytes += code->length;
}

/* Adds the machine code of all entries for an architecture, or nothing if there is no compiler for
 * it. */
static enum gradus_status add_arch(const struct gr_pack_list *list, const char *arch, bool reorders,
                                   struct cubins *c, struct gradus_error *error)
{
    const int cc = atoi(arch + strcspn(arch, "0123456789"));
    for (int i = 0; i < list->count; i++) {
        const struct gr_kernel *k = list->entries[i].kernel;
        for (int trans = 0; trans < 4; trans++) {
            struct gr_rtc_code code;
            if (!k->trans[trans] || list->entries[i].later ||
                (k->arch && !gr_arch_fits(k->arch, arch, cc)))
                continue;
            enum gradus_status status = compile(&list->entries[i], trans, arch, &code, error);
            if (status == GRADUS_UNSUPPORTED) {
                fprintf(stderr, "gradus-pack: no machine code for %s: %s\n", arch, error->text);
                gradus_error_clear(error);
                return GRADUS_OK;
            }
            if (status == GRADUS_OK && reorders)
                status = reorder(&code, error);
            if (status == GRADUS_OK)
                add_cubin(c, i, trans, arch, &code);
            gr_rtc_code_free(&code);
            if (status != GRADUS_OK)
                return status;
        }
    }
    return GRADUS_OK;
}

enum gradus_status gr_pack_cubins(const char *output, const struct gr_pack_list *list,
                                  const char *arch, bool reorders, struct gradus_error *error)
{
    struct cubins c = {0};
    struct gr_str out = {0};
    enum gradus_status status = add_arch(list, arch, reorders, &c, error);
    gr_str_printf(&out,
                  "/* Generated from kernels/ and src/device/kernels.list. */\n"
                  "#include \"device/kernel_table.h\"\n%s\n"
                  "extern const struct gr_device_cubin gr_device_cubins_%s[];\n"
                  "const struct gr_device_cubin gr_device_cubins_%s[] = {\n%s    {0},\n};\n",
                  gr_str_text(&c.texts), arch, arch, gr_str_text(&c.rows));
    if (status == GRADUS_OK && (out.failed || c.texts.failed || c.rows.failed))
        status = gr_fail_memory(error, output, c.bytes);
    if (status == GRADUS_OK)
        status = gr_file_write(output, out.text, out.length, error);
    if (status == GRADUS_OK)
        fprintf(stderr, "gradus-pack: %s: %d cubins of %zu KB together\n", arch, c.count,
                c.bytes / 1024);
    gr_str_free(&out);
    gr_str_free(&c.texts);
    gr_str_free(&c.rows);
    return status;
}
