/* verb_devices.c: gradus devices: shows what this machine has, what is missing and how to install
 * it, and how fast the machine is. SPDX-License-Identifier: MIT */
#include "base/str.h"
#include "cli/devices.h"
#include "cli/devices_cache.h"
#include "cli/devices_dispatch.h"
#include "cli/devices_gpu_dispatch.h"
#include "cli/public_types.h"
#include "cli/style.h"
#include "base/text.h"
#include "cli/verb.h"
#include "io/json_out.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const keys[] = {
#define KEY(enumerator, key, heading) key,
    GR_DEVICES_SECTIONS(KEY)
#undef KEY
};
static const char *const headings[] = {
#define HEADING(enumerator, key, heading) heading,
    GR_DEVICES_SECTIONS(HEADING)
#undef HEADING
};

enum { NAME_COLUMNS = 18, USUAL_COLUMNS = 80 };

/* A path below the current folder is shown relative to it, which is shorter and can be pasted as
 * well. */
static const char *shown_path(const char *path)
{
    char folder[4096];
    if (!getcwd(folder, sizeof folder))
        return path;
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

static void add_heading(struct gr_str *out, const char *heading, const struct gr_style *style)
{
    gr_str_printf(out, "%s%s%s%s\n", out->length ? "\n" : "", style->colour ? "\033[1m" : "",
                  heading, style->colour ? "\033[0m" : "");
}

static void add_part(struct gr_str *out, const struct gr_device_part *part, int columns)
{
    const char *text = part->text ? part->text : "";
    gr_str_printf(out, "  %-*s", NAME_COLUMNS - 2, part->name);
    gr_text_wrap(out, text, strlen(text), NAME_COLUMNS, columns);
    if (part->path && *part->path)
        gr_str_printf(out, "%*s%s\n", NAME_COLUMNS, "", shown_path(part->path));
    if (part->remedy)
        gr_str_printf(out, "%*sget it: %s\n", NAME_COLUMNS, "", part->remedy);
}

/* Appends the meaning of a ceiling's name: "fma.f32.2" is "multiply-adds of f32 on 2 threads". */
static void add_ceiling(struct gr_str *out, const struct gr_ceiling *ceiling, int threads)
{
    gr_str_printf(out, "  %-*s%8.*f %-8s ", NAME_COLUMNS - 2, ceiling->name,
                  ceiling->value < 100 ? 1 : 0, ceiling->value, ceiling->unit);
    char type[8];
    int fma_threads;
    if (sscanf(ceiling->name, "fma.%7[^.].%d", type, &fma_threads) == 2)
        gr_str_printf(out, "multiply-adds, %s, %d thread%s", type, fma_threads,
                      fma_threads == 1 ? "" : "s");
    else
        gr_str_printf(out, "%s, %d thread%s",
                      gr_starts_with(ceiling->name, "copy") ? "reading and writing" : "reading",
                      threads, threads == 1 ? "" : "s");
    gr_str_add(out, ceiling->unsteady ? ", unsteady\n" : "\n");
}

static void render_table(const struct gr_devices *devices, struct gr_str *out)
{
    struct gr_style style = gr_cli_style(STDOUT_FILENO);
    int columns = style.columns ? style.columns : USUAL_COLUMNS;
    for (int section = 0; section < GR_DEVICES_SECTION_COUNT; section++) {
        add_heading(out, headings[section], &style);
        for (int i = 0; i < devices->count; i++)
            if ((int)devices->parts[i].section == section)
                add_part(out, &devices->parts[i], columns);
    }
    add_heading(out, "Ceilings: measured on this machine (--measure does it again)", &style);
    bool unsteady = false;
    for (int i = 0; i < devices->ceiling_count; i++) {
        add_ceiling(out, &devices->ceilings[i], devices->threads);
        unsteady |= devices->ceilings[i].unsteady;
    }
    if (unsteady)
        gr_str_add(out,
                   "  unsteady: other processes used the cores, so the machine may reach more\n");
}

/* Writes a JSON array of words, or null if there are none. */
static void put_words(struct gr_json *w, const char *name, const char *words)
{
    gr_json_put_text(w, name, words && *words ? words : NULL);
}

static void put_section(struct gr_json *w, const struct gr_devices *devices, int section)
{
    gr_json_open_array(w, keys[section], GR_JSON_LINES);
    for (int i = 0; i < devices->count; i++) {
        const struct gr_device_part *part = &devices->parts[i];
        if ((int)part->section != section)
            continue;
        gr_json_open_object(w, NULL, GR_JSON_ONE_LINE);
        gr_json_put_text(w, "name", part->name);
        gr_json_put_bool(w, "found", part->found);
        put_words(w, "text", part->text);
        put_words(w, "path", part->path);
        put_words(w, "remedy", part->remedy);
        gr_json_close(w);
    }
    gr_json_close(w);
}

static void put_ceiling(struct gr_json *w, const struct gr_ceiling *ceiling)
{
    gr_json_open_object(w, NULL, GR_JSON_ONE_LINE);
    gr_json_put_text(w, "name", ceiling->name);
    gr_json_put_real(w, "value", ceiling->value);
    gr_json_put_text(w, "unit", ceiling->unit);
    gr_json_put_bool(w, "unsteady", ceiling->unsteady);
    gr_json_close(w);
}

static void render_json(const struct gr_devices *devices, struct gr_str *out)
{
    struct gr_json writer = {.out = out}, *w = &writer;
    gr_json_open_object(w, NULL, GR_JSON_LINES);
    gr_json_put_text(w, "schema", "gradus-devices");
    gr_json_put_whole(w, "schema_version", 1);
    for (int section = 0; section < GR_DEVICES_SECTION_COUNT; section++)
        put_section(w, devices, section);
    gr_json_put_whole(w, "ceiling_threads", devices->threads);
    gr_json_open_array(w, "ceilings", GR_JSON_LINES);
    for (int i = 0; i < devices->ceiling_count; i++)
        put_ceiling(w, &devices->ceilings[i]);
    gr_json_close(w);
    gr_json_close(w);
    gr_str_add(out, "\n");
}

/* Refuses options that modify another option which is not given, and options that --cache
 * excludes. */
static bool refuse_strays(const struct gr_args *args)
{
    static const struct {
        const char *name, *of, *shown;
    } strays[] = {{"dtype", "dispatch", "--dispatch MxNxK"},
                  {"trans", "dispatch", "--dispatch MxNxK"},
                  {"threads", "dispatch", "--dispatch MxNxK"},
                  {"device", "dispatch", "--dispatch MxNxK"},
                  {"gpu", "dispatch", "--dispatch MxNxK"},
                  {"math", "dispatch", "--dispatch MxNxK"},
                  {"clear", "cache", "--cache"}};
    for (size_t i = 0; i < sizeof strays / sizeof *strays; i++)
        if (gr_args_get(args, strays[i].name) && !gr_args_get(args, strays[i].of)) {
            gr_cli_refuse("--%s belongs to %s, which is not there", strays[i].name,
                          strays[i].shown);
            return true;
        }
    if (gr_args_get(args, "cache") &&
        (gr_args_get(args, "dispatch") || gr_args_get(args, "measure"))) {
        gr_cli_refuse("--cache and --%s exclude each other",
                      gr_args_get(args, "dispatch") ? "dispatch" : "measure");
        return true;
    }
    return false;
}

static enum gr_exit run(const struct gr_args *args)
{
    if (refuse_strays(args))
        return GR_EXIT_USAGE;
    if (gr_args_get(args, "dispatch"))
        return gr_devices_names_gpu(args) ? gr_devices_gpu_dispatch(args)
                                          : gr_devices_dispatch(args);
    if (gr_args_get(args, "cache"))
        return gr_devices_cache(args);
    const char *format = gr_args_get(args, "format");
    bool measure = gr_args_get(args, "measure") != NULL;
    struct gr_devices devices;
    struct gradus_error error = {0};
    if (isatty(STDERR_FILENO))
        fputs("looking around…\r", stderr);
    enum gradus_status status = gr_devices_find(measure, &devices, &error);
    if (isatty(STDERR_FILENO))
        fputs("\033[K", stderr);
    struct gr_str out = {0};
    enum gr_exit exit_status = GR_EXIT_RIGHT;
    if (status != GRADUS_OK)
        exit_status = gr_cli_fail(&error);
    else if (format && strcmp(format, "json") == 0)
        render_json(&devices, &out);
    else
        render_table(&devices, &out);
    fputs(gr_str_text(&out), stdout);
    gr_str_free(&out);
    gr_devices_free(&devices);
    gradus_error_clear(&error);
    return exit_status;
}

static const struct gr_option options[] = {
    {.name = "measure",
     .help = "measure the ceilings again, instead of taking them from the cache"},
    {.name = "dispatch",
     .metavar = "MxNxK",
     .help = "say which micro-kernel and path a product would take, and why"},
    {.name = "device", .metavar = "cpu|cuda[:N]", .help = "of --dispatch: where (default: cpu)"},
    {.name = "gpu",
     .metavar = "NAME",
     .help = "of --dispatch: a GPU that need not be here: h200, a100 …"},
    {.name = "math",
     .metavar = "default|ieee|accurate|scaled|tf32",
     .help = "of --dispatch on a GPU: how floats are multiplied (default: default)"},
    {.name = "dtype",
     .metavar = GR_PUBLIC_TYPES,
     .help = "of its inputs, then of C (default: f32)"},
    {.name = "trans",
     .metavar = "nn|nt|tn|tt",
     .help = "which of A and B are stored transposed (default: nn)"},
    {.name = "threads", .metavar = "N", .help = "threads (default: as a call without a number)"},
    {.name = "cache",
     .help = "say which folder keeps compiled kernels, how many, how large, and the limit"},
    {.name = "clear", .help = "remove them (with --cache)"},
    {.name = "format", .metavar = "table|json", .help = "how to print (default: table)"},
    {0},
};

const struct gr_verb gr_verb_devices = {
    .name = "devices",
    .summary = "show what this machine has, what is missing, and how fast it is",
    .details =
        "Looks for the CPU's features, the libraries that kernels are timed against, compilers and "
        "GPU parts, and shows the command that installs each missing one. Ceilings are the "
        "measured limits of the machine: the rate of independent multiply-adds, and the bandwidths "
        "of each cache level and of memory. They are measured once (two seconds) and kept in the "
        "user's cache.\n\n"
        "Peers are looked for in the folders of GRADUS_PEERS, then in the virtual or conda "
        "environment that is active (pip install mkl onednn scipy-openblas32), then in "
        "build/peers, then where the loader looks. GRADUS_ISA chooses another instruction set, and "
        "GRADUS_CPU_MASK disables features (GRADUS_CPU_MASK=avx512f,fma).\n\n"
        "GRADUS_CUDA_DRIVER and GRADUS_NVRTC name the files of NVIDIA's driver (libcuda.so.1) and "
        "of the CUDA compiler (libnvrtc.so) to use; otherwise the newest compiler is used of those "
        "in CUDA_HOME, CUDA_PATH, /usr/local/cuda* and in the nvidia packages of Python "
        "environments. GRADUS_HIP_DRIVER and GRADUS_HIPRTC name those of AMD (libamdhip64.so, "
        "libhiprtc.so), which are looked for where the loader looks, in ROCM_PATH and in "
        "/opt/rocm*; GRADUS_HIP_CLANG names a clang that compiles for AMD's GPUs instead of "
        "hipRTC.\n\n"
        "--dispatch shows what the library would do with one row-major GEMM, at the level in use "
        "and at each step below and above; with --device cuda or --gpu NAME, which GPU kernel it "
        "would choose, with which launches and how much memory, and the expected time of each of "
        "its kernels.\n\n"
        "--cache lists the compiled kernels that are kept in the user's cache, so that they need "
        "not be compiled again: 1 GB at most, or as GRADUS_CACHE_LIMIT says (200M; 0: none); the "
        "least recently used ones are removed first.\n\n"
        "  gradus devices\n"
        "  gradus devices --format json\n"
        "  gradus devices --dispatch 1000x1000x64 --trans nt\n"
        "  GRADUS_CPU_MASK=avx512f gradus devices --dispatch 512\n"
        "  gradus devices --dispatch 4096 --gpu h200\n"
        "  gradus devices --cache --clear\n"
        "  GRADUS_ISA=avx2 gradus devices --measure",
    .options = options,
    .group = GR_GROUP_MEASURE,
    .judges_nothing = true,
    .run = run,
};
