/* compile_host.c: compiles a kernel's source to assembly, patches that, links it, and keeps the
 * result in the cache. SPDX-License-Identifier: MIT
 */
#include "sim/compile_host.h"

#include "base/cache.h"
#include "base/cpuinfo.h"
#include "core/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/temporary.h"
#include "base/toolchain.h"
#include "emit/flags.h"
#include "sim/assembly.h"
#include "sim/constructor_guards.h"
#include "sim/unroll.h"
#include "sim/refusal.h"
#include "sim/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The room for dynamic shared memory, which is more than a block may have on any known GPU. */
static const int dynamic_bytes = 256 * 1024;

enum { WORDS = 96 };

struct compiler {
    char name[256], version[32];
    bool clang;
    struct gr_cache_key identity; /* of what --version prints and of the program's file */
};

/* ---- Which compiler. ---- */

/* Identifies the compiler by its file too, since an upgrade may keep the version. */
static void identify(const char *name, const char *said, struct compiler *found)
{
    char *path = strchr(name, '/') ? gr_strdup(name) : gr_program_find(name);
    struct stat about;
    gr_cache_key_add_text(&found->identity, said);
    if (path && stat(path, &about) == 0) {
        const int64_t facts[] = {about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec};
        gr_cache_key_add(&found->identity, facts, sizeof facts);
    }
    free(path);
}

/* NOT_FOUND: there is no such program, or --version fails, so that another compiler should be
 * tried.
 */
static enum gradus_status ask_version(const char *name, struct compiler *found,
                                      struct gradus_error *error)
{
    const char *const argv[] = {name, "--version", NULL};
    struct gr_str said = {0};
    int code = 1;
    enum gradus_status status = gr_process_run(argv, NULL, 20000000000LL, &said, &code, error);
    if (status == GRADUS_OK && code != 0)
        status = gr_fail(error, GRADUS_NOT_FOUND, "%s: --version ends with status %d", name, code);
    if (status == GRADUS_OK) {
        const char *text = gr_str_text(&said), *digit = text;
        found->clang = strstr(text, "clang") != NULL;
        /* The version is the first word of the first line that begins with a digit, such as 12.2.0.
         */
        while (*digit && *digit != '\n' &&
               !(strchr(" ", *digit) && digit[1] >= '0' && digit[1] <= '9'))
            digit++;
        digit += *digit == ' ';
        snprintf(found->name, sizeof found->name, "%s", name);
        snprintf(found->version, sizeof found->version, "%.*s", (int)strspn(digit, "0123456789."),
                 digit);
        identify(name, text, found);
    }
    gr_str_free(&said);
    return status;
}

static enum gradus_status choose_compiler(const char *wanted, struct compiler *found,
                                          struct gradus_error *error)
{
    const char *usual[] = {getenv("CXX"), "g++", "clang++", "c++"};
    *found = (struct compiler){0};
    if (wanted) {
        enum gradus_status status = ask_version(wanted, found, error);
        return status == GRADUS_NOT_FOUND
                   ? gr_fail(error, GRADUS_UNSUPPORTED, "compiler '%s' cannot be run", wanted)
                   : status;
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (!usual[i] || !*usual[i])
            continue;
        enum gradus_status status = ask_version(usual[i], found, error);
        if (status != GRADUS_NOT_FOUND)
            return status;
    }
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   "no C++ compiler to simulate a GPU's kernel with: apt-get install g++");
}

enum gradus_status gr_sim_compiler(char name[96], struct gradus_error *error)
{
    struct compiler found;
    enum gradus_status status = choose_compiler(NULL, &found, error);
    if (status == GRADUS_OK)
        snprintf(name, 96, "%.60s %s", gr_path_base(found.name), found.version);
    return status;
}

/* ---- Its command line. ---- */

static void add_all(const char **argv, int *argc, const char *const *words)
{
    for (int i = 0; words[i] && *argc < WORDS; i++)
        argv[(*argc)++] = words[i];
}

/* ---- One build. ---- */

struct job {
    const struct gr_sim_build_order *order;
    struct gr_sim_unit unit;
    struct compiler compiler;
    char *flags; /* the user's or the file's flags that this compiler knows */
    char source[512], assembly[512], object[512], output[512];
    int slots[4];
    bool unroll, recursive; /* recursive: a __forceinline__ function calls itself */
};

/* A compiler's command line, and the memory of its parts. It names the job's files, as "" while
 * they do not exist yet. */
struct words {
    const char *argv[WORDS + 1];
    int count, theirs,
        their_count; /* the user's or the file's flags: their first index and their number */
    char *own[7], *storage;
};

static void free_words(struct words *w)
{
    for (size_t i = 0; i < sizeof w->own / sizeof *w->own; i++)
        free(w->own[i]);
    free(w->storage);
}

static enum gradus_status make_words(const struct job *j, struct words *w,
                                     struct gradus_error *error)
{
    const struct gr_sim_target *target = &j->order->target;
    const char *kernel_folder = *j->unit.kernel_folder ? j->unit.kernel_folder : ".";
    const bool is_amd = gr_starts_with(target->arch, "gfx");
    *w = (struct words){
        .own = {gr_printf("-I%s", j->unit.headers), gr_printf("-iquote%s", kernel_folder),
                gr_printf("-I%s", kernel_folder),
                target->cc ? gr_printf("-D__CUDA_ARCH__=%d", target->cc * 10)
                           : gr_strdup("-D__HIP_DEVICE_COMPILE__=1"),
                gr_printf("-DGRADUS_WARP_SIZE=%d", target->warp),
                is_amd ? gr_printf("-DGRADUS_GFX=0x%s", target->arch + 3)
                       : gr_strdup("-UGRADUS_GFX"),
                is_amd ? gr_printf("-D__%s__=1", target->arch) : gr_strdup("-U__gfx__")}};
    w->argv[w->count++] = j->compiler.name;
    add_all(w->argv, &w->count, gr_sim_flags(j->compiler.clang, j->order->kind));
    if (j->order->kind == GR_SIM_TRACED && atoi(j->compiler.version) >= 11)
        add_all(w->argv, &w->count, gr_sim_volatile_flags(j->compiler.clang));
    add_all(w->argv, &w->count, gr_sim_loop_flags(j->unroll));
    if (j->recursive)
        w->argv[w->count++] = "-DGRADUS_RECURSIVE=1";
    const char *const rest[] = {
        "-x",
        "c++",
        "-w",
        "-fPIC",
        "-fno-builtin-printf",
        "-U_FORTIFY_SOURCE", /* it would call printf and memcpy by other names */
        "-DGRADUS_SIM=1",
        w->own[3],
        w->own[4],
        w->own[5],
        w->own[6],
        w->own[1],
        w->own[0],
        w->own[2],
        "-include",
        "gr_cuda.h",
        "-include",
        "gr_call.h",
        "-S",
        j->source,
        "-o",
        j->assembly,
        NULL};
    w->argv[w->count++] = "-std=gnu++17"; /* the user's flags may override it */
    w->theirs = w->count;
    bool fits = gr_words_split(j->flags, w->argv, &w->count, WORDS - 24, &w->storage);
    w->their_count = w->count - w->theirs;
    add_all(w->argv, &w->count, rest);
    for (size_t i = 0; i < sizeof w->own / sizeof *w->own; i++)
        if (!w->own[i])
            return gr_fail_memory(error, "words", 0);
    return fits ? GRADUS_OK
                : gr_fail(error, GRADUS_INVALID, "flags '%s': too many words", j->flags);
}

static enum gradus_status compile(const struct job *j, struct gradus_error *error)
{
    struct words w;
    enum gradus_status status = make_words(j, &w, error);
    const struct gr_toolchain_step step = {.argv = w.argv,
                                           .source = j->order->variant->kernel->path,
                                           .what = "compile",
                                           .output = j->assembly};
    if (status == GRADUS_OK)
        status = gr_toolchain_run(&step, error);
    free_words(&w);
    return status;
}

static enum gradus_status patch(struct job *j, struct gradus_error *error)
{
    char *text = NULL;
    size_t length = 0;
    struct gr_str out = {0}, guarded = {0};
    enum gradus_status status = gr_file_read(j->assembly, &text, &length, error);
    if (status == GRADUS_OK)
        gr_constructor_guards_set(text, &guarded);
    if (status == GRADUS_OK)
        gr_assembly_patch(gr_str_text(&guarded), j->order->kind == GR_SIM_TRACED, dynamic_bytes,
                          &out);
    if (status == GRADUS_OK)
        status = out.failed || guarded.failed
                     ? gr_fail_memory(error, "assembly", length)
                     : gr_temporary_fill(j->assembly, gr_str_text(&out), out.length, error);
    gr_str_free(&out);
    gr_str_free(&guarded);
    free(text);
    return status;
}

static void link_words(const struct job *j, const char *argv[WORDS + 1])
{
    const char *const object[] = {j->compiler.name, "-shared",        j->assembly, j->object, "-o",
                                  j->output,        "-Wl,-Bsymbolic", "-lpthread", "-lm",     NULL};
    const char *const program[] = {j->compiler.name, "-no-pie",   j->assembly, j->object, "-o",
                                   j->output,        "-lpthread", "-lm",       NULL};
    int count = 0;
    add_all(argv, &count, j->order->kind == GR_SIM_FAST ? object : program);
    argv[count] = NULL;
}

static enum gradus_status link_job(const struct job *j, struct gradus_error *error)
{
    const char *argv[WORDS + 1];
    link_words(j, argv);
    const struct gr_toolchain_step step = {.argv = argv,
                                           .source = j->order->variant->kernel->path,
                                           .what = "link",
                                           .output = j->output,
                                           .program = true};
    return gr_toolchain_run(&step, error);
}

static enum gradus_status write_source(const struct job *j, struct gradus_error *error)
{
    const struct gr_str *text = &j->unit.text;
    struct gr_str marked = {0};
    if (j->unroll)
        gr_sim_unroll_mark(gr_str_text(text), &marked);
    const struct gr_str *source = j->unroll ? &marked : text;
    enum gradus_status status =
        source->failed ? gr_fail_memory(error, "a source", text->length)
                       : gr_temporary_fill(j->source, gr_str_text(source), source->length, error);
    gr_str_free(&marked);
    return status;
}

static enum gradus_status make_files(struct job *j, struct gradus_error *error)
{
    struct {
        char *path;
        const char *ending;
    } files[] = {{j->source, ".cpp"}, {j->assembly, ".s"}, {j->object, ".o"}, {j->output, ".sim"}};
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < 4 && status == GRADUS_OK; i++)
        status = gr_temporary_make(files[i].ending, files[i].path, 512, &j->slots[i], error);
    if (status == GRADUS_OK)
        status = write_source(j, error);
    size_t length = (size_t)(gr_simrt_object_end - gr_simrt_object);
    if (status == GRADUS_OK)
        status = gr_temporary_fill(j->object, (const char *)gr_simrt_object, length, error);
    return status;
}

static void remove_files(const struct job *j, bool output_too)
{
    const char *const paths[] = {j->source, j->assembly, j->object, j->output};
    for (int i = 0; i < 3 + output_too; i++)
        gr_temporary_remove(paths[i], j->slots[i]);
}

/* Compiles again if a function that must be inlined calls itself. */
static enum gradus_status compile_any(struct job *j, struct gradus_error *error)
{
    enum gradus_status status = compile(j, error);
    if (status != GRADUS_COMPILE || !error || !error->log ||
        !strstr(error->log, "recursive inlining"))
        return status;
    j->recursive = true;
    gradus_error_clear(error);
    return compile(j, error);
}

static enum gradus_status make(struct job *j, struct gradus_error *error)
{
    enum gradus_status status = make_files(j, error);
    if (status == GRADUS_OK)
        status = compile_any(j, error);
    if (status == GRADUS_COMPILE && j->unroll) {
        j->unroll = false;
        gradus_error_clear(error);
        status = compile(j, error);
    }
    if (status == GRADUS_OK)
        status = patch(j, error);
    if (status == GRADUS_OK)
        status = link_job(j, error);
    status = gr_sim_refusal(status, j->order->variant->kernel->path, j->assembly, error);
    remove_files(j, status != GRADUS_OK);
    return status;
}

/* ---- The cache. ---- */

static const char folder[] = "sim";

static void add_words(struct gr_cache_key *key, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        gr_cache_key_add_text(key, words[i]);
}

/* Does a flag build for this processor? The result is not valid on another one, though both may
 * share a home directory. */
static bool is_native(const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (strstr(words[i], "=native"))
            return true;
    return false;
}

/* The cache key of everything that the build depends on, among it the command lines without the
 * names of temporary files. *whole is false if the build depends on more than that. */
static enum gradus_status make_key(const struct job *j, struct gr_cache_key *key, bool *whole,
                                   struct gradus_error *error)
{
    struct words w;
    const char *linked[WORDS + 1];
    enum gradus_status status = make_words(j, &w, error);
    *key = (struct gr_cache_key){0};
    if (status == GRADUS_OK) {
        const uint64_t processor = is_native(w.argv) ? gr_cpuinfo_hash() : 0;
        link_words(j, linked);
        *whole = gr_sim_unit_is_whole(&j->unit, j->order->variant->kernel, w.argv + w.theirs,
                                      w.their_count);
        gr_cache_key_add_text(key, gradus_version());
        gr_cache_key_add(key, &j->compiler.identity, sizeof j->compiler.identity);
        gr_cache_key_add(key, &j->unit.key, sizeof j->unit.key);
        gr_cache_key_add(key, &processor, sizeof processor);
        add_words(key, w.argv);
        add_words(key, linked);
        gr_cache_key_add(key, gr_simrt_object, (size_t)(gr_simrt_object_end - gr_simrt_object));
    }
    free_words(&w);
    return status;
}

/* Copies the cache's entry to a temporary file, since an entry may be removed at any time. False:
 * there is none, or it cannot be copied. */
static bool find(struct job *j, const struct gr_cache_key *key)
{
    char *bytes;
    size_t length;
    struct gradus_error ignored = {0};
    if (!gr_cache_get(folder, key, &bytes, &length))
        return false;
    bool copied = gr_temporary_make(".sim", j->output, sizeof j->output, &j->slots[3], &ignored) ==
                      GRADUS_OK &&
                  gr_temporary_fill(j->output, bytes, length, &ignored) == GRADUS_OK;
    gradus_error_clear(&ignored);
    free(bytes);
    if (!copied) {
        gr_temporary_remove(j->output, j->slots[3]);
        *j->output = 0;
    }
    return copied;
}

static void keep(const struct job *j, const struct gr_cache_key *key)
{
    char *bytes = NULL;
    size_t length = 0;
    struct gradus_error ignored = {0};
    if (gr_file_read(j->output, &bytes, &length, &ignored) == GRADUS_OK)
        gr_cache_put(folder, key, bytes, length);
    gradus_error_clear(&ignored);
    free(bytes);
}

static enum gradus_status find_or_make(struct job *j, struct gradus_error *error)
{
    struct gr_cache_key key;
    bool whole = false;
    j->unroll = j->order->kind == GR_SIM_TRACED && !j->compiler.clang;
    enum gradus_status status = make_key(j, &key, &whole, error);
    if (status != GRADUS_OK || (whole && !j->order->no_cache && find(j, &key)))
        return status;
    status = make(j, error);
    if (status == GRADUS_OK && whole)
        keep(j, &key);
    return status;
}

enum gradus_status gr_sim_build(const struct gr_sim_build_order *order, struct gr_sim_built *built,
                                struct gradus_error *error)
{
    struct job *j = calloc(1, sizeof *j);
    *built = (struct gr_sim_built){.pending = -1};
    if (!j)
        return gr_fail_memory(error, "a build", sizeof *j);
    j->order = order;
    for (int i = 0; i < 4; i++)
        j->slots[i] = -1;
    enum gradus_status status =
        gr_sim_unit_make(order->variant, order->defines, order->target.arch, &j->unit, error);
    if (status == GRADUS_OK)
        status = choose_compiler(order->compiler, &j->compiler, error);
    j->flags = gr_flags_for(order->variant->kernel, order->flags,
                            order->kind == GR_SIM_FAST ? GR_FLAGS_HOST : GR_FLAGS_TRACED);
    if (status == GRADUS_OK && !j->flags)
        status = gr_fail_memory(error, "flags", 0);
    if (status == GRADUS_OK)
        status = find_or_make(j, error);
    if (status == GRADUS_OK) {
        snprintf(built->path, sizeof built->path, "%s", j->output);
        built->pending = j->slots[3];
        const char *const *flags = gr_sim_flags(j->compiler.clang, order->kind);
        snprintf(built->compiler, sizeof built->compiler, "%.80s %s %s%s%s",
                 gr_path_base(j->compiler.name), j->compiler.version, flags[0],
                 order->kind == GR_SIM_FAST ? " " : "", order->kind == GR_SIM_FAST ? flags[1] : "");
        if (*j->unit.cut)
            snprintf(built->notes, sizeof built->notes, "host functions left out: %.200s",
                     j->unit.cut);
    }
    gr_sim_unit_free(&j->unit);
    free(j->flags);
    free(j);
    return status;
}
