/* compile_host.c: source to assembly, assembly patched, then linked. SPDX-License-Identifier: MIT */
#include "sim/compile_host.h"

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/rng.h"
#include "catalog/flags.h"
#include "catalog/shims.h"
#include "sim/assembly.h"
#include "sim/guards.h"
#include "sim/loops.h"
#include "sim/refusal.h"
#include "sim/runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const int64_t compile_limit_ns = 300LL * 1000000000;
/* The most dynamic shared memory that a block may have on any GPU we know, and some. */
static const int dynamic_bytes = 256 * 1024;

enum { WORDS = 96 };

struct compiler {
    char name[256], version[32];
    bool clang;
};

/* ---- Which compiler. ---- */

static bool ask_version(const char *name, struct compiler *found)
{
    const char *const argv[] = {name, "--version", NULL};
    struct gr_str said = {0};
    int code = 1;
    struct gradus_error ignored = {0};
    bool runs =
        gr_process_run(argv, 20000000000LL, &said, &code, &ignored) == GRADUS_OK && code == 0;
    gradus_error_clear(&ignored);
    if (runs) {
        const char *text = gr_str_text(&said), *digit = text;
        found->clang = strstr(text, "clang") != NULL;
        /* The first word of the first line that looks like 12.2.0. */
        while (*digit && *digit != '\n' &&
               !(strchr(" ", *digit) && digit[1] >= '0' && digit[1] <= '9'))
            digit++;
        digit += *digit == ' ';
        snprintf(found->name, sizeof found->name, "%s", name);
        snprintf(found->version, sizeof found->version, "%.*s", (int)strspn(digit, "0123456789."),
                 digit);
    }
    gr_str_free(&said);
    return runs;
}

static enum gradus_status choose_compiler(const char *wanted, struct compiler *found,
                                          struct gradus_error *error)
{
    const char *usual[] = {getenv("CXX"), "g++", "clang++", "c++"};
    *found = (struct compiler){0};
    if (wanted && ask_version(wanted, found))
        return GRADUS_OK;
    if (wanted)
        return gr_fail(error, GRADUS_UNSUPPORTED, "compiler '%s' cannot be run", wanted);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (usual[i] && *usual[i] && ask_version(usual[i], found))
            return GRADUS_OK;
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

/* ---- Its words. ---- */

static void add_all(const char **argv, int *argc, const char *const *words)
{
    for (int i = 0; words[i] && *argc < WORDS; i++)
        argv[(*argc)++] = words[i];
}

/* A GPU's compiler inlines every function; then what a function is handed by address stays in registers. */
#define INLINE_ALL                                                                                 \
    "-finline-functions", "--param", "max-inline-insns-single=100000", "--param",                  \
        "max-inline-insns-auto=100000", "--param", "large-function-insns=1000000", "--param",      \
        "large-function-growth=100000", "--param", "inline-unit-growth=100000", "--param",         \
        "large-stack-frame=1000000", "--param", "large-stack-frame-growth=100000"

/* A GPU's compiler lets any type's pointer reach any object: kernels move a float array's elements as int4. */
#define ANY_ALIAS "-fno-strict-aliasing"

/* What keeps an access of the source one access of the program, at its own line: a call in the place of a return would
 * be seen at the line of the function's caller. */
static const char *const traced_gcc[] = {"-O2",
                                         ANY_ALIAS,
                                         "-gdwarf-4",
                                         "-fno-var-tracking",
                                         "-fsanitize=thread",
                                         "--param",
                                         "tsan-instrument-func-entry-exit=0",
                                         "-fno-tree-sra",
                                         "-fno-ipa-sra",
                                         "-fno-ipa-reference-addressable", /* arrays never read */
                                         "-fno-tree-vectorize",
                                         "-fno-tree-slp-vectorize",
                                         "-fno-tree-loop-distribute-patterns",
                                         "-fno-extern-tls-init",
                                         "-fno-semantic-interposition",
                                         "-fno-crossjumping",
                                         "-fno-tree-tail-merge",
                                         "-fno-reorder-blocks",
                                         "-fno-reorder-blocks-and-partition",
                                         "-fno-optimize-sibling-calls",
                                         INLINE_ALL,
                                         NULL};
static const char *const traced_clang[] = {"-O1",
                                           ANY_ALIAS,
                                           "-fno-optimize-sibling-calls",
                                           "-gdwarf-4",
                                           "-fsanitize=thread",
                                           "-mllvm",
                                           "-disable-loop-idiom-all",
                                           "-mllvm",
                                           "-tsan-instrument-func-entry-exit=0",
                                           "-mllvm",
                                           "-tsan-instrument-read-before-write=1",
                                           NULL};
static const char *const fast_gcc[] = {"-O3",
                                       "-march=native",
                                       ANY_ALIAS,
                                       "-fno-math-errno",
                                       "-fno-trapping-math",
                                       "-fno-extern-tls-init",
                                       "-fno-semantic-interposition",
                                       INLINE_ALL,
                                       NULL};
static const char *const fast_clang[] = {
    "-O3", "-march=native", ANY_ALIAS, "-fno-math-errno", "-ffp-contract=fast", NULL};

static const char *const *flags_of(const struct compiler *c, enum gr_sim_kind kind)
{
    if (kind == GR_SIM_FAST)
        return c->clang ? fast_clang : fast_gcc;
    return c->clang ? traced_clang : traced_gcc;
}

/* A GPU's compiler unrolls loops of a known length; then it sees what they read twice, and what they read for nothing. g++
 * does so to loops that are told, before accesses are marked. Loops of a length that is not known it would unroll in part,
 * long after: that is left out. */
static const char *const unrolled[] = {"-D" GR_SIM_LOOP "=_Pragma(\"GCC unroll 8\") for",
                                       "-fdisable-rtl-loop2_unroll", "-fno-thread-jumps",
                                       "-fno-split-paths", NULL};
static const char *const as_written[] = {"-D" GR_SIM_LOOP "=for", NULL};

/* ---- One build. ---- */

struct job {
    const struct gr_sim_wish *wish;
    struct gr_sim_unit unit;
    struct compiler compiler;
    char *flags; /* of the user's or the file's, those that this compiler knows */
    char source[512], assembly[512], object[512], output[512];
    int slots[4];
    bool unroll;
};

static enum gradus_status run(const char *const *argv, const char *path, const char *what,
                              struct gradus_error *error)
{
    struct gr_str said = {0};
    int code = 1;
    enum gradus_status status = gr_process_run(argv, compile_limit_ns, &said, &code, error);
    if (status == GRADUS_OK && code != 0) {
        status = gr_fail(error, GRADUS_COMPILE, "%s: %s does not %s it (exit %d)", path, argv[0],
                         what, code);
        if (error)
            error->log = gr_strdup(gr_str_text(&said));
    }
    gr_str_free(&said);
    return status;
}

static enum gradus_status compile(struct job *j, struct gradus_error *error)
{
    const struct gr_sim_wish *w = j->wish;
    const char *argv[WORDS + 1];
    char *storage = NULL;
    int argc = 0;
    char *ours = gr_printf("-I%s", j->unit.headers);
    char *theirs = gr_printf("-iquote%s", *j->unit.beside ? j->unit.beside : ".");
    char *also = gr_printf("-I%s", *j->unit.beside ? j->unit.beside : ".");
    char *arch = w->target.cc ? gr_printf("-D__CUDA_ARCH__=%d", w->target.cc * 10)
                              : gr_strdup("-D__HIP_DEVICE_COMPILE__=1");
    char *warp = gr_printf("-DGRADUS_WARP_SIZE=%d", w->target.warp);
    argv[argc++] = j->compiler.name;
    add_all(argv, &argc, flags_of(&j->compiler, w->kind));
    add_all(argv, &argc, j->unroll ? unrolled : as_written);
    const char *const rest[] = {"-x",
                                "c++",
                                "-w",
                                "-fPIC",
                                "-fno-builtin-printf",
                                "-DGRADUS_SIM=1",
                                arch,
                                warp,
                                theirs,
                                ours,
                                also,
                                "-include",
                                "gr_cuda.h",
                                "-include",
                                "gr_call.h",
                                "-S",
                                j->source,
                                "-o",
                                j->assembly,
                                NULL};
    argv[argc++] = "-std=gnu++17"; /* unless the user's flags say otherwise */
    bool fits = gr_words_split(j->flags, argv, &argc, WORDS - 24, &storage);
    add_all(argv, &argc, rest);
    argv[argc] = NULL;
    enum gradus_status status =
        !ours || !theirs || !also || !arch || !warp ? gr_fail_memory(error, "words", 0)
        : fits ? run(argv, w->variant->kernel->path, "compile", error)
               : gr_fail(error, GRADUS_INVALID, "flags '%s': too many words", j->flags);
    free(storage);
    free(ours);
    free(theirs);
    free(also);
    free(arch);
    free(warp);
    return status;
}

static enum gradus_status patch(struct job *j, struct gradus_error *error)
{
    char *text = NULL;
    size_t length = 0;
    struct gr_str out = {0}, guarded = {0};
    enum gradus_status status = gr_file_read(j->assembly, &text, &length, error);
    if (status == GRADUS_OK)
        gr_guards_set(text, &guarded);
    if (status == GRADUS_OK)
        gr_assembly_patch(gr_str_text(&guarded), j->wish->kind == GR_SIM_TRACED, dynamic_bytes,
                          &out);
    if (status == GRADUS_OK)
        status = out.failed || guarded.failed
                     ? gr_fail_memory(error, "assembly", length)
                     : gr_file_write(j->assembly, gr_str_text(&out), out.length, error);
    gr_str_free(&out);
    gr_str_free(&guarded);
    free(text);
    return status;
}

static enum gradus_status link_job(struct job *j, struct gradus_error *error)
{
    const char *const object[] = {j->compiler.name, "-shared",        j->assembly, j->object, "-o",
                                  j->output,        "-Wl,-Bsymbolic", "-lpthread", "-lm",     NULL};
    const char *const program[] = {j->compiler.name, "-no-pie",   j->assembly, j->object, "-o",
                                   j->output,        "-lpthread", "-lm",       NULL};
    enum gradus_status status = run(j->wish->kind == GR_SIM_FAST ? object : program,
                                    j->wish->variant->kernel->path, "link", error);
    if (status == GRADUS_OK && chmod(j->output, 0755) != 0)
        status = gr_fail(error, GRADUS_IO, "%s: its mode cannot be set", j->output);
    return status;
}

static enum gradus_status write_source(const struct job *j, struct gradus_error *error)
{
    const struct gr_str *text = &j->unit.text;
    struct gr_str marked = {0};
    if (j->unroll)
        gr_sim_loops_mark(gr_str_text(text), &marked);
    const struct gr_str *source = j->unroll ? &marked : text;
    enum gradus_status status =
        source->failed ? gr_fail_memory(error, "a source", text->length)
                       : gr_file_write(j->source, gr_str_text(source), source->length, error);
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
        status = gr_file_temporary(files[i].ending, files[i].path, 512, &j->slots[i], error);
    if (status == GRADUS_OK)
        status = write_source(j, error);
    size_t length = (size_t)(gr_simrt_object_end - gr_simrt_object);
    if (status == GRADUS_OK)
        status = gr_file_write(j->object, (const char *)gr_simrt_object, length, error);
    return status;
}

/* All but the output. */
static void remove_files(struct job *j, bool output_too)
{
    char *paths[] = {j->source, j->assembly, j->object, j->output};
    for (int i = 0; i < 3 + output_too; i++) {
        if (*paths[i])
            unlink(paths[i]);
        gr_file_forget(j->slots[i]);
    }
}

static enum gradus_status make(struct job *j, struct gradus_error *error)
{
    j->unroll = j->wish->kind == GR_SIM_TRACED && !j->compiler.clang;
    enum gradus_status status = make_files(j, error);
    if (status == GRADUS_OK)
        status = compile(j, error);
    if (status == GRADUS_COMPILE && j->unroll) {
        j->unroll = false;
        gradus_error_clear(error);
        status = compile(j, error);
    }
    if (status == GRADUS_OK)
        status = patch(j, error);
    if (status == GRADUS_OK)
        status = link_job(j, error);
    status = gr_sim_refusal(status, j->wish->variant->kernel->path, j->assembly, error);
    remove_files(j, status != GRADUS_OK);
    return status;
}

/* ---- The cache. ---- */

static void mix(uint64_t key[2], const char *text, size_t length)
{
    for (int i = 0; i < 2; i++)
        key[i] = gr_hash(text, length, key[i]);
}

/* Where the build would be kept; null where there is no cache. The shim's headers are of this version of Gradus. */
static char *entry_path(const struct job *j)
{
    uint64_t key[2] = {5, 6};
    char facts[512], *folder = NULL;
    size_t length = (size_t)(gr_simrt_object_end - gr_simrt_object);
    snprintf(facts, sizeof facts, "%s %s %d %d %d %s", j->compiler.name, j->compiler.version,
             j->wish->kind, j->wish->target.cc, j->wish->target.warp, gradus_version());
    mix(key, facts, strlen(facts) + 1);
    mix(key, j->flags, strlen(j->flags) + 1);
    const char *const *flags = flags_of(&j->compiler, j->wish->kind);
    for (int i = 0; flags[i]; i++)
        mix(key, flags[i], strlen(flags[i]) + 1);
    for (int i = 0; unrolled[i]; i++)
        mix(key, unrolled[i], strlen(unrolled[i]) + 1);
    mix(key, gr_str_text(&j->unit.text), j->unit.text.length);
    mix(key, (const char *)gr_simrt_object, length);
    struct gr_shim shim;
    for (int i = 0; gr_shim_at(i, &shim); i++)
        mix(key, shim.text, strlen(shim.text));
    struct gradus_error ignored = {0};
    if (gr_cache_dir("sim", &folder, &ignored) != GRADUS_OK) {
        gradus_error_clear(&ignored);
        return NULL;
    }
    char *path = gr_printf("%s/%016" PRIx64 "%016" PRIx64 ".%s", folder, key[1], key[0],
                           j->wish->kind == GR_SIM_FAST ? "so" : "traced");
    free(folder);
    return path;
}

/* Moves the output into the cache by a copy that appears whole. */
static bool keep(const struct job *j, const char *entry)
{
    char *bytes = NULL;
    size_t length = 0;
    struct gradus_error ignored = {0};
    bool kept = gr_file_read(j->output, &bytes, &length, &ignored) == GRADUS_OK &&
                gr_file_write(entry, bytes, length, &ignored) == GRADUS_OK &&
                chmod(entry, 0755) == 0;
    gradus_error_clear(&ignored);
    free(bytes);
    return kept;
}

static enum gradus_status make_or_find(struct job *j, struct gr_sim_built *built,
                                       struct gradus_error *error)
{
    bool cached = j->unit.private && !j->wish->no_cache;
    char *entry = j->unit.private ? entry_path(j) : NULL;
    enum gradus_status status = GRADUS_OK;
    if (!cached || !entry || access(entry, X_OK) != 0) {
        status = make(j, error);
        if (status == GRADUS_OK && entry && keep(j, entry)) {
            unlink(j->output);
            gr_file_forget(j->slots[3]);
        } else if (status == GRADUS_OK) {
            snprintf(built->path, sizeof built->path, "%s", j->output);
            built->pending = j->slots[3];
            free(entry);
            return GRADUS_OK;
        }
    }
    if (status == GRADUS_OK) {
        snprintf(built->path, sizeof built->path, "%s", entry);
        built->kept = true;
    }
    free(entry);
    return status;
}

enum gradus_status gr_sim_build(const struct gr_sim_wish *wish, struct gr_sim_built *built,
                                struct gradus_error *error)
{
    struct job *j = calloc(1, sizeof *j);
    *built = (struct gr_sim_built){.pending = -1};
    if (!j)
        return gr_fail_memory(error, "a build", sizeof *j);
    j->wish = wish;
    for (int i = 0; i < 4; i++)
        j->slots[i] = -1;
    enum gradus_status status = gr_sim_unit_make(wish->variant, wish->defines, &j->unit, error);
    if (status == GRADUS_OK)
        status = choose_compiler(wish->compiler, &j->compiler, error);
    j->flags = gr_flags_for(wish->variant->kernel, wish->flags,
                            wish->kind == GR_SIM_FAST ? GR_FLAGS_HOST : GR_FLAGS_TRACED);
    if (status == GRADUS_OK && !j->flags)
        status = gr_fail_memory(error, "flags", 0);
    if (status == GRADUS_OK)
        status = make_or_find(j, built, error);
    if (status == GRADUS_OK) {
        const char *const *flags = flags_of(&j->compiler, wish->kind);
        snprintf(built->compiler, sizeof built->compiler, "%.80s %s %s%s%s",
                 gr_path_base(j->compiler.name), j->compiler.version, flags[0],
                 wish->kind == GR_SIM_FAST ? " " : "", wish->kind == GR_SIM_FAST ? flags[1] : "");
        if (*j->unit.cut)
            snprintf(built->notes, sizeof built->notes, "host functions left out: %.200s",
                     j->unit.cut);
    }
    gr_sim_unit_free(&j->unit);
    free(j->flags);
    free(j);
    return status;
}
