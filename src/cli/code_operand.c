/* code_operand.c: reads machine code, and makes a kernel of it with the options that describe it.
 * SPDX-License-Identifier: MIT */
#include "cli/code_operand.h"

#include "base/file.h"
#include "code/code.h"
#include "code/decode.h"
#include "code/elf.h"
#include "code/fatbin.h"
#include "core/error.h"
#include "launches/coded.h"
#include "launches/coded_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HEAD_BYTES = 64, MACHINE_OFFSET = 18 };

bool gr_is_code_operand(const char *operand)
{
    unsigned char head[HEAD_BYTES];
    struct stat about;
    FILE *stream = NULL;
    if (gr_ends_with(operand, ".cubin") || gr_ends_with(operand, ".fatbin"))
        return true;
    if (stat(operand, &about) == 0 && S_ISREG(about.st_mode))
        stream = fopen(operand, "rb");
    const size_t length = stream ? fread(head, 1, sizeof head, stream) : 0;
    if (stream)
        fclose(stream);
    return gr_is_fatbin(head, length) || (length >= 4 && memcmp(head, "\177ELF", 4) == 0);
}

/* ---- The architecture. ---- */

/* Returns the compute capability. "sm_90a" is sm_90 with its architecture-specific features; a
 * cubin does not tell them apart. 0: not the name of an architecture. */
static int cc_of(const char *arch)
{
    char *end = NULL;
    const long cc = gr_starts_with(arch, "sm_") ? strtol(arch + 3, &end, 10) : 0;
    return cc > 0 && cc < 1000 && (!*end || (strchr("af", *end) && !end[1])) ? (int)cc : 0;
}

/* Of two architectures, one that can be executed here is better; otherwise, the newer one is. */
static bool is_better(int cc, int than)
{
    const bool knows = gr_decode_knows(cc), other = gr_decode_knows(than);
    return knows != other ? knows : cc > than;
}

/* ---- Reading. ---- */

static enum gradus_status add_image(struct gr_code_operand *code, const struct gr_code_image *image,
                                    struct gradus_error *error)
{
    const size_t bytes = (size_t)(code->count + 1) * sizeof *code->images;
    struct gr_code_image *grown = realloc(code->images, bytes);
    if (!grown)
        return gr_fail_memory(error, "cubins", bytes);
    code->images = grown;
    code->images[code->count++] = *image;
    return GRADUS_OK;
}

/* Lists the architectures of a fatbin, each once, and also those of PTX, as "PTX for sm_90". */
static void list_archs(const struct gr_fatbin *list, struct gr_str *out)
{
    for (int i = 0; i < list->count; i++) {
        const struct gr_fatbin_entry *e = &list->entries[i];
        bool listed = false;
        for (int j = 0; j < i; j++)
            listed |= list->entries[j].cc == e->cc && list->entries[j].is_ptx == e->is_ptx;
        if (!listed)
            gr_str_printf(out, "%s%ssm_%d", out->length ? ", " : "", e->is_ptx ? "PTX for " : "",
                          e->cc);
    }
}

static enum gradus_status refuse_archs(const char *path, const struct gr_fatbin *list,
                                       const char *arch, struct gradus_error *error)
{
    struct gr_str archs = {0};
    list_archs(list, &archs);
    enum gradus_status status =
        gr_fail(error, GRADUS_INVALID, "%s: found %s, wanted machine code%s%s; compile it %s", path,
                archs.length ? gr_str_text(&archs) : "no code at all", arch ? " for " : "",
                arch ? arch : "", arch ? "for that too" : "to a cubin: nvcc -cubin -arch sm_90");
    gr_str_free(&archs);
    return status;
}

/* Takes all cubins of the architecture, because each source file of a program has its own. */
static enum gradus_status take_entries(const char *path, const struct gr_fatbin *list,
                                       const char *arch, struct gr_code_operand *code,
                                       struct gradus_error *error)
{
    int cc = 0;
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < list->count; i++) {
        const struct gr_fatbin_entry *e = &list->entries[i];
        if (!e->is_ptx && (!arch || e->cc == cc_of(arch)) && (cc == 0 || is_better(e->cc, cc)))
            cc = e->cc;
    }
    if (cc == 0)
        return refuse_archs(path, list, arch, error);
    snprintf(code->arch, sizeof code->arch, "sm_%d", cc);
    for (int i = 0; i < list->count && status == GRADUS_OK; i++) {
        const struct gr_fatbin_entry *e = &list->entries[i];
        struct gr_code_image image = {.length = e->whole};
        if (e->is_ptx || e->cc != cc)
            continue;
        status = gr_fatbin_expand(e, path, &image.expanded, error);
        image.bytes = image.expanded;
        if (status == GRADUS_OK)
            status = add_image(code, &image, error);
        if (status != GRADUS_OK)
            free(image.expanded);
    }
    return status;
}

/* Takes a cubin that is the whole file. */
static enum gradus_status take_cubin(const char *path, size_t length, const char *arch,
                                     struct gr_code_operand *code, struct gradus_error *error)
{
    struct gr_code read = {0};
    struct gradus_error why = {0};
    const struct gr_code_image image = {.bytes = code->file, .length = length};
    enum gradus_status status = gr_code_read(code->file, length, &read, &why);
    if (status != GRADUS_OK)
        status = gr_fail(error, status, "%s: %s", path, why.text);
    else if (read.is_amd)
        status = gr_fail(error, GRADUS_INVALID,
                         "%s: found a code object of AMD's, for %s, wanted a cubin of NVIDIA's; "
                         "explain the source instead: FILE.hip --arch %s",
                         path, read.arch, read.arch);
    else if (arch && cc_of(arch) != read.cc)
        status = gr_fail(error, GRADUS_INVALID, "%s: found machine code for sm_%d, wanted %s", path,
                         read.cc, arch);
    else
        status = add_image(code, &image, error);
    snprintf(code->arch, sizeof code->arch, "sm_%d", read.cc);
    gr_code_free(&read);
    gradus_error_clear(&why);
    return status;
}

/* Is it an ELF file for a CPU, which may contain GPU code? */
static bool is_host_file(const void *file, size_t length)
{
    const unsigned char *bytes = file;
    if (length < HEAD_BYTES || memcmp(bytes, "\177ELF", 4) != 0)
        return false;
    const uint64_t machine = gr_elf_number(bytes + MACHINE_OFFSET, 2);
    return machine != GR_ELF_CUDA && machine != GR_ELF_AMDGPU;
}

enum gradus_status gr_code_operand_read(const char *path, const char *arch,
                                        struct gr_code_operand *code, struct gradus_error *error)
{
    size_t length;
    struct gr_fatbin list = {0};
    *code = (struct gr_code_operand){0};
    enum gradus_status status = gr_file_read(path, &code->file, &length, error);
    if (status != GRADUS_OK)
        return status;
    if (!gr_is_fatbin(code->file, length) && !is_host_file(code->file, length))
        return take_cubin(path, length, arch, code, error);
    status = gr_fatbin_read(code->file, length, path, &list, error);
    if (status == GRADUS_OK)
        status = take_entries(path, &list, arch, code, error);
    gr_fatbin_free(&list);
    return status;
}

void gr_code_operand_free(struct gr_code_operand *code)
{
    for (int i = 0; i < code->count; i++)
        free(code->images[i].expanded);
    free(code->images);
    free(code->file);
    *code = (struct gr_code_operand){0};
}

/* ---- The kernel. ---- */

/* Refuses options that belong to a compiler, to a source or to a run. */
static enum gradus_status refuse_options(const struct gr_args *args, const char *path,
                                         struct gradus_error *error)
{
    static const char *const of_source[] = {"define", "flags", "param", "ptx"};
    const char *engine = gr_args_get(args, "engine");
    for (size_t i = 0; i < sizeof of_source / sizeof *of_source; i++)
        if (gr_args_get(args, of_source[i]))
            return gr_fail(error, GRADUS_INVALID,
                           "explain: --%s is for a source, and %s is machine code; leave it out",
                           of_source[i], path);
    if (engine && strcmp(engine, "source") == 0)
        return gr_fail(error, GRADUS_INVALID,
                       "explain: --engine source: %s is machine code; leave it out", path);
    if (gr_args_get(args, "counters"))
        return gr_fail(error, GRADUS_INVALID,
                       "explain: --counters runs a source, and %s is machine code; run the program "
                       "that has it under ncu",
                       path);
    return GRADUS_OK;
}

/* Finds the cubin that contains the kernel. The kernels of all cubins are searched together. */
static enum gradus_status find_image(const struct gr_code_operand *code,
                                     struct gr_coded_order *order, char **symbol,
                                     struct gradus_error *error)
{
    struct gr_code *codes = calloc((size_t)code->count, sizeof *codes), all = {0};
    int *image_of = NULL, count = 0;
    const struct gr_code_kernel *kernel = NULL;
    enum gradus_status status = codes ? GRADUS_OK : gr_fail_memory(error, order->path, 0);
    for (int i = 0; i < code->count && status == GRADUS_OK; i++) {
        struct gradus_error why = {0};
        status = gr_code_read(code->images[i].bytes, code->images[i].length, &codes[i], &why);
        if (status != GRADUS_OK)
            gr_fail(error, status, "%s: %s", order->path, why.text);
        gradus_error_clear(&why);
        count += codes[i].count;
    }
    all.kernels = calloc((size_t)count + 1, sizeof *all.kernels);
    image_of = calloc((size_t)count + 1, sizeof *image_of);
    if (status == GRADUS_OK && (!all.kernels || !image_of))
        status = gr_fail_memory(error, order->path, (size_t)count * sizeof *all.kernels);
    for (int i = 0; i < code->count && status == GRADUS_OK; i++)
        for (int j = 0; j < codes[i].count; j++) {
            image_of[all.count] = i;
            all.kernels[all.count++] = codes[i].kernels[j];
        }
    if (status == GRADUS_OK)
        status = gr_coded_choose(&all, order->path, order->kernel, &kernel, error);
    if (status == GRADUS_OK) {
        const struct gr_code_image *image = &code->images[image_of[kernel - all.kernels]];
        order->image = image->bytes;
        order->length = image->length;
        order->kernel = *symbol = gr_strdup(kernel->symbol);
    }
    for (int i = 0; codes && i < code->count; i++)
        gr_code_free(&codes[i]);
    free(codes);
    free(all.kernels);
    free(image_of);
    return status == GRADUS_OK && !*symbol ? gr_fail_memory(error, order->path, 0) : status;
}

enum gradus_status gr_code_operand_add(const struct gr_code_operand *code, const char *path,
                                       const struct gr_measuring *m, struct gr_rungs *rungs,
                                       struct gradus_error *error)
{
    const struct gr_args *args = m->args;
    struct gr_str extra = {0};
    enum gradus_status status = refuse_options(args, path, error);
    struct gr_kernel **grown =
        realloc(rungs->files, (size_t)(rungs->file_count + 1) * sizeof *rungs->files);
    if (!grown)
        return gr_fail_memory(error, "kernels", sizeof *rungs->files);
    rungs->files = grown;
    gr_rungs_launch_lines(args, &extra);
    gr_rungs_named_sizes(args, args->operand_count > 1 ? args->operands[1] : NULL, &extra);
    if (gr_args_get(args, "trans"))
        gr_str_printf(&extra, "trans %s\n", gr_args_get(args, "trans"));
    struct gr_coded_order order = {.path = path,
                                   .kernel = gr_args_get(args, "kernel"),
                                   .args = gr_args_get(args, "args"),
                                   .extra = gr_str_text(&extra),
                                   .types = m->types,
                                   .types_given = m->types_given};
    char *symbol = NULL;
    if (status == GRADUS_OK)
        status = find_image(code, &order, &symbol, error);
    if (status == GRADUS_OK)
        status = gr_coded_kernel(&order, &grown[rungs->file_count], error);
    if (status == GRADUS_OK)
        rungs->file_count++;
    gr_str_free(&extra);
    free(symbol);
    return status;
}
