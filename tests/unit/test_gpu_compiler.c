/* test_gpu_compiler.c: where the compiler is found, what it says, and the memory of what it made.
 * SPDX-License-Identifier: MIT */
/* threads: src/base/keep_signals.c */
#include "gpu_child.h"

#include "core/error.h"
#include "base/file.h"
#include "base/str.h"
#include "gpu/jit.h"

#include <dirent.h>

static char folder[] = "/tmp/gradus-test-gpu-XXXXXX";
static char log_variable[128], cache_variable[128], temporary_variable[128];

static const char text[] = "__global__ void gemm(int M, float alpha, const float *A, double *C) { "
                           "C[M] = alpha * A[M]; }\n";

static struct gr_rtc_source usual_source(void)
{
    static const char *const names[] = {"gemm"};
    return (struct gr_rtc_source){
        .text = text, .name = "my.cu", .arch = "sm_90a", .names = names, .name_count = 1};
}

/* ---- Finding it ---- */

static void find_compiler(struct outcome *outcome)
{
    struct gradus_error error = {0};
    struct gr_rtc_about about;
    enum gradus_status status = gr_rtc_nvrtc.find(&about, &error);
    report(outcome, status, &error);
    if (status == GRADUS_OK)
        snprintf(outcome->text, sizeof outcome->text, "%d.%d sm_%d to sm_%d '%.200s' '%.200s'",
                 about.major, about.minor, about.archs[0], about.archs[about.arch_count - 1],
                 about.path, gr_rtc_nvrtc.include_dir());
}

static void a_compiler_that_is_named_is_the_only_one(void **state)
{
    (void)state;
    const char *none[CHILD_VARIABLES] = {"GRADUS_NVRTC=/nowhere/libnvrtc.so"};
    const char *other[CHILD_VARIABLES] = {"GRADUS_NVRTC=" GRADUS_BINARY_DIR
                                          "/tests/gpu/libfake_driver.so"};
    const char *fake[CHILD_VARIABLES] = {FAKE_NVRTC, "GRADUS_FAKE_NVRTC_VERSION=11.8",
                                         "GRADUS_FAKE_NVRTC_ARCHS=35,50,90"};
    struct outcome outcome = in_child(find_compiler, none);
    assert_says(&outcome, GRADUS_UNSUPPORTED, "'/nowhere/libnvrtc.so' is not an NVRTC");
    outcome = in_child(find_compiler, other);
    assert_says(&outcome, GRADUS_UNSUPPORTED, "is not an NVRTC of CUDA 11.2 or later");
    outcome = in_child(find_compiler, fake);
    assert_says(&outcome, GRADUS_OK, "11.8 sm_35 to sm_90 '" FAKE_NVRTC_PATH "' ''");
}

/* A package of a Python environment, with headers in the same (CUDA 13) or in a package of their
 * own (CUDA 12). */
static void make_package(const char *root, const char *package, const char *headers)
{
    char *library = gr_printf("%s/lib/python3.11/site-packages/nvidia/%s/lib", root, package);
    char *include = gr_printf("%s/lib/python3.11/site-packages/nvidia/%s/include", root, headers);
    char *link_path = gr_printf("%s/libnvrtc.so.99", library);
    char *header = gr_printf("%s/cuda_fp16.h", include);
    assert_int_equal(gr_dir_make(library, NULL), GRADUS_OK);
    assert_int_equal(gr_dir_make(include, NULL), GRADUS_OK);
    assert_int_equal(symlink(FAKE_NVRTC_PATH, link_path), 0);
    assert_int_equal(gr_file_write(header, "", 0, NULL), GRADUS_OK);
    free(library);
    free(include);
    free(link_path);
    free(header);
}

static void assert_found_in(const char *name, const char *variable, const char *package,
                            const char *headers)
{
    char *root = gr_printf("%s/%s", folder, name);
    char *setting = gr_printf("%s=%s", variable, root);
    make_package(root, package, headers);
    const char *variables[CHILD_VARIABLES] = {setting, "GRADUS_FAKE_NVRTC_VERSION=99.1"};
    struct outcome outcome = in_child(find_compiler, variables);
    char *library = gr_printf("nvidia/%s/lib/libnvrtc.so.99'", package);
    assert_says(&outcome, GRADUS_OK, "99.1 ");
    assert_says(&outcome, GRADUS_OK, library);
    assert_says(&outcome, GRADUS_OK, headers);
    free(library);
    free(setting);
    free(root);
}

/* Whatever else this machine has is older than 99.1. */
static void the_newest_compiler_of_any_environment_is_taken(void **state)
{
    (void)state;
    assert_found_in("venv", "VIRTUAL_ENV", "cu13", "cu13");
    assert_found_in("conda", "CONDA_PREFIX", "cuda_nvrtc", "cuda_runtime");
}

/* ---- What it says ---- */

static const char *requested_arch, *requested_text;

static void compile_as_asked(struct outcome *outcome)
{
    struct gradus_error error = {0};
    struct gr_rtc_code cubin;
    struct gr_rtc_source source = usual_source();
    source.arch = requested_arch ? requested_arch : source.arch;
    source.text = requested_text ? requested_text : source.text;
    enum gradus_status status = gr_rtc_nvrtc.compile(&source, &cubin, &error);
    char *log = gr_strdup(error.log ? error.log : "");
    report(outcome, status, &error);
    if (status == GRADUS_OK)
        snprintf(outcome->text, sizeof outcome->text, "%s %s %.*s", cubin.compiler,
                 cubin.lowered[0], (int)cubin.length, (const char *)cubin.image);
    size_t used = strlen(outcome->text);
    snprintf(outcome->text + used, sizeof outcome->text - used, "|%.200s", log);
    free(log);
    gr_rtc_code_free(&cubin);
}

static void assert_compiles(const char *arch, const char *source_text, enum gradus_status status,
                            const char *words)
{
    const char *variables[CHILD_VARIABLES] = {FAKE_NVRTC, "GRADUS_FAKE_NVRTC_VERSION=11.8",
                                              "GRADUS_FAKE_NVRTC_ARCHS=50,75,90"};
    requested_arch = arch;
    requested_text = source_text;
    struct outcome outcome = in_child(compile_as_asked, variables);
    assert_says(&outcome, status, words);
    requested_arch = requested_text = NULL;
}

static void an_unknown_architecture_says_what_is_known(void **state)
{
    (void)state;
    assert_compiles("sm_100a", NULL, GRADUS_UNSUPPORTED,
                    "NVRTC 11.8 does not know sm_100a: it compiles for sm_50 to sm_90; get a newer "
                    "one with: python3 -m pip install -U nvidia-cuda-nvrtc");
    assert_compiles("sm_35", NULL, GRADUS_UNSUPPORTED, "older GPUs need the NVRTC of an older");
}

static void a_kernel_that_does_not_compile_has_the_log(void **state)
{
    (void)state;
    assert_compiles(NULL, "int a;\nBROKEN\n", GRADUS_COMPILE,
                    "my.cu: NVRTC 11.8 does not compile it for sm_90a");
    assert_compiles(NULL, "int a;\nBROKEN\n", GRADUS_COMPILE, "|my.cu(2): error: BROKEN");
    assert_compiles(NULL, "int a;\n", GRADUS_COMPILE, "|my.cu: error: no kernel gemm");
}

static void what_compiles_has_symbols(void **state)
{
    (void)state;
    assert_compiles(NULL, NULL, GRADUS_OK, "NVRTC 11.8 fake_gemm gradus-fake-image");
    assert_compiles(NULL, NULL, GRADUS_OK, "fake_gemm 4 4 8 8\n");
}

/* ---- The cache ---- */

/* How often the compiler ran. */
static int compilations(void)
{
    char *lines = NULL;
    size_t length = 0;
    int count = 0;
    if (gr_file_read(strchr(log_variable, '=') + 1, &lines, &length, NULL) == GRADUS_OK)
        for (size_t i = 0; i < length; i++)
            count += lines[i] == '\n';
    free(lines);
    return count;
}

/* Compiles, and says how often the compiler ran for it; -1 for anything but the right image. */
static int runs_for(const struct gr_rtc_source *source, bool use_cache)
{
    struct gradus_error error = {0};
    struct gr_rtc_code cubin;
    int before = compilations();
    bool right = gr_jit_compile(&gr_rtc_nvrtc, source, use_cache, &cubin, &error) == GRADUS_OK &&
                 cubin.name_count == source->name_count && cubin.length > 20 &&
                 strcmp(cubin.image, "gradus-fake-image\nfake_gemm 4 4 8 8\n") == 0 &&
                 strcmp(cubin.lowered[0], "fake_gemm") == 0 &&
                 gr_starts_with(cubin.compiler, "NVRTC ");
    if (!right)
        printf("found: %s\n", error.text);
    gr_rtc_code_free(&cubin);
    gradus_error_clear(&error);
    return right ? compilations() - before : -1;
}

/* Says what is wrong and where, once. */
static void expect(struct outcome *outcome, int found, int wanted, const char *what)
{
    if (found == wanted || outcome->status != GRADUS_OK)
        return;
    outcome->status = GRADUS_INTERNAL;
    snprintf(outcome->text, sizeof outcome->text, "%s: the compiler ran %d times, wanted %d", what,
             found, wanted);
}

static void vary_the_key(struct outcome *outcome)
{
    static const char *const option[] = {"-DX=1"}, *const header[] = {"prelude.h"};
    static const char *const first[] = {"#define A 1\n"}, *const second[] = {"#define A 2\n"};
    struct gr_rtc_source s = usual_source();
    expect(outcome, runs_for(&s, true), 1, "the first time");
    expect(outcome, runs_for(&s, true), 0, "again");
    expect(outcome, runs_for(&s, false), 1, "without the cache");
    expect(outcome, runs_for(&s, true), 0, "after that");
    s.arch = "sm_80";
    expect(outcome, runs_for(&s, true), 1, "another architecture");
    s.options = option;
    s.option_count = 1;
    expect(outcome, runs_for(&s, true), 1, "another option");
    s.header_names = header;
    s.header_texts = first;
    s.header_count = 1;
    expect(outcome, runs_for(&s, true), 1, "a header");
    expect(outcome, runs_for(&s, true), 0, "the same header");
    s.header_texts = second;
    expect(outcome, runs_for(&s, true), 1, "another header of that name");
    char *longer = gr_printf("%s\n", text);
    s.text = longer;
    expect(outcome, runs_for(&s, true), 1, "another text");
    s.name = "other.cu";
    expect(outcome, runs_for(&s, true), 1, "another name, which messages show");
    free(longer);
    longer = gr_printf("#include \"mine.h\"\n%s", text);
    s.text = longer;
    expect(outcome, runs_for(&s, true), 1, "a file of the user's");
    expect(outcome, runs_for(&s, true), 1, "the same, which may have changed");
    free(longer);
}

static struct outcome in_cache(deed act, const char *version)
{
    const char *variables[CHILD_VARIABLES] = {FAKE_NVRTC, log_variable, cache_variable,
                                              temporary_variable, version};
    return in_child(act, variables);
}

static void remove_all(const char *path)
{
    char *command = gr_printf("rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
    free(command);
}

static void start_anew(void)
{
    remove_all(strchr(cache_variable, '=') + 1);
}

static void the_cache_knows_what_makes_a_difference(void **state)
{
    (void)state;
    start_anew();
    struct outcome outcome = in_cache(vary_the_key, NULL);
    assert_says(&outcome, GRADUS_OK, "");
}

static void compile_once(struct outcome *outcome)
{
    struct gr_rtc_source s = usual_source();
    expect(outcome, runs_for(&s, true), 1, "the first time");
}

static void take_from_cache(struct outcome *outcome)
{
    struct gr_rtc_source s = usual_source();
    expect(outcome, runs_for(&s, true), 0, "from the cache of another process");
}

static void another_compiler_compiles_again(void **state)
{
    (void)state;
    start_anew();
    struct outcome outcome = in_cache(compile_once, NULL);
    assert_says(&outcome, GRADUS_OK, "");
    outcome = in_cache(take_from_cache, NULL);
    assert_says(&outcome, GRADUS_OK, "");
    outcome = in_cache(compile_once, "GRADUS_FAKE_NVRTC_VERSION=13.1");
    assert_says(&outcome, GRADUS_OK, "");
}

/* The only entry's file; malloc'ed. */
static char *entry_path(void)
{
    char *jit = gr_printf("%s/gradus/jit", strchr(cache_variable, '=') + 1), *path = NULL;
    DIR *entries = opendir(jit);
    for (struct dirent *e; entries && (e = readdir(entries));)
        if (e->d_name[0] != '.' && !path)
            path = gr_printf("%s/%s", jit, e->d_name);
    if (entries)
        closedir(entries);
    free(jit);
    return path;
}

static void spoil_the_entry(struct outcome *outcome)
{
    struct gr_rtc_source s = usual_source();
    char *entry = NULL, *path = NULL;
    size_t length = 0;
    expect(outcome, runs_for(&s, true), 1, "the first time");
    path = entry_path();
    if (!path || gr_file_read(path, &entry, &length, NULL) != GRADUS_OK)
        expect(outcome, 0, -1, "no entry");
    for (size_t i = 0; i < length && outcome->status == GRADUS_OK; i++) {
        char *spoilt = gr_strndup(entry, length), what[64];
        memcpy(spoilt, entry, length);
        spoilt[i] ^= 1;
        gr_file_write(path, spoilt, length, NULL);
        snprintf(what, sizeof what, "a changed byte at %zu of %zu", i, length);
        expect(outcome, runs_for(&s, true), 1, what);
        gr_file_write(path, entry, i, NULL);
        snprintf(what, sizeof what, "cut at %zu of %zu", i, length);
        expect(outcome, runs_for(&s, true), 1, what);
        expect(outcome, runs_for(&s, true), 0, "mended");
        free(spoilt);
    }
    char *longer = gr_printf("%.*s\n", (int)strlen(entry ? entry : ""), entry ? entry : "");
    gr_file_write(path, longer, strlen(longer), NULL);
    expect(outcome, runs_for(&s, true), 1, "a byte more");
    free(longer);
    free(entry);
    free(path);
}

static void a_spoilt_entry_is_made_again(void **state)
{
    (void)state;
    start_anew();
    struct outcome outcome = in_cache(spoil_the_entry, NULL);
    assert_says(&outcome, GRADUS_OK, "");
}

/* Each round the entry is taken away, so that both compile, read and write at once. */
static void compile_with_others(struct outcome *outcome)
{
    enum { OTHERS = 3, ROUNDS = 40 };
    pid_t others[OTHERS];
    struct gr_rtc_source s = usual_source();
    for (int i = 0; i < OTHERS; i++)
        if ((others[i] = fork()) == 0) {
            bool right = true;
            for (int round = 0; round < ROUNDS; round++) {
                char *path = entry_path();
                if (path && round % 2 == 0)
                    unlink(path);
                free(path);
                right &= runs_for(&s, true) >= 0;
            }
            _exit(right ? 0 : 1);
        }
    for (int i = 0; i < OTHERS; i++) {
        int status = 1;
        waitpid(others[i], &status, 0);
        expect(outcome, status, 0, "a process among others");
    }
    runs_for(&s, true);
    expect(outcome, runs_for(&s, true), 0, "after all of them");
}

static void processes_share_the_cache(void **state)
{
    (void)state;
    start_anew();
    struct outcome outcome = in_cache(compile_with_others, NULL);
    assert_says(&outcome, GRADUS_OK, "");
}

static void compile_twice_for_nothing(struct outcome *outcome)
{
    struct gr_rtc_source s = usual_source();
    expect(outcome, runs_for(&s, true), 1, "the first time");
    expect(outcome, runs_for(&s, true), 1, "with no place to keep it");
}

static void no_cache_is_no_error(void **state)
{
    (void)state;
    const char *variables[CHILD_VARIABLES] = {
        FAKE_NVRTC, log_variable, "XDG_CACHE_HOME=/proc/no-such-folder", "GRADUS_CACHE_LIMIT=0"};
    struct outcome outcome = in_child(compile_twice_for_nothing, variables);
    assert_says(&outcome, GRADUS_OK, "");
}

/* ---- The real one, where there is one ---- */

static void compile_for_real(struct outcome *outcome)
{
    static const char *const names[] = {"scale<3>", "plain"};
    static const char real[] =
        "template <int X> __global__ void scale(float *p) { p[threadIdx.x] *= X; }\n"
        "extern \"C\" __global__ void plain(float *p) { p[threadIdx.x] += VALUE; }\n";
    static const char *const archs[] = {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90a"};
    static const char *const options[] = {"-DVALUE=1.0f"};
    struct gradus_error error = {0};
    struct gr_rtc_source s = {.text = real,
                              .name = "real.cu",
                              .arch = "sm_75",
                              .options = options,
                              .option_count = 1,
                              .names = names,
                              .name_count = 2};
    enum gradus_status status = GRADUS_OK;
    for (size_t i = 0; i < sizeof archs / sizeof *archs && status == GRADUS_OK; i++) {
        struct gr_rtc_code cubin = {0};
        s.arch = archs[i];
        status = gr_rtc_nvrtc.compile(&s, &cubin, &error);
        if (status == GRADUS_OK &&
            (memcmp(cubin.image, "\177ELF", 4) != 0 || strcmp(cubin.lowered[1], "plain") != 0 ||
             strncmp(cubin.lowered[0], "_Z5scaleILi3EEvPf", 17) != 0))
            status = gr_fail(&error, GRADUS_INTERNAL, "%s: not what was asked", archs[i]);
        gr_rtc_code_free(&cubin);
    }
    char *ptx = NULL;
    if (status == GRADUS_OK)
        status = gr_rtc_nvrtc.assembly(&s, &ptx, &error);
    if (status == GRADUS_OK && !strstr(ptx, ".target sm_90a"))
        status = gr_fail(&error, GRADUS_INTERNAL, "PTX of another target");
    free(ptx);
    s.option_count = 0;
    struct gr_rtc_code none;
    if (status == GRADUS_OK && gr_rtc_nvrtc.compile(&s, &none, &error) != GRADUS_COMPILE)
        status = gr_fail(&error, GRADUS_INTERNAL, "an undefined name compiles");
    else if (status == GRADUS_OK && (!error.log || !strstr(error.log, "real.cu(2): error:")))
        status = gr_fail(&error, GRADUS_INTERNAL, "the log names no line");
    report(outcome, status, &error);
}

static void a_real_compiler_makes_cubins(void **state)
{
    (void)state;
    const char *variables[CHILD_VARIABLES] = {0};
    struct outcome outcome = in_child(find_compiler, variables);
    if (outcome.status == GRADUS_UNSUPPORTED) {
        printf("%s\n", outcome.text);
        skip();
    }
    outcome = in_child(compile_for_real, variables);
    assert_says(&outcome, GRADUS_OK, "");
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return 1;
    snprintf(log_variable, sizeof log_variable, "GRADUS_FAKE_NVRTC_LOG=%s/log", folder);
    snprintf(cache_variable, sizeof cache_variable, "XDG_CACHE_HOME=%s/cache", folder);
    snprintf(temporary_variable, sizeof temporary_variable, "TMPDIR=%s", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    remove_all(folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_compiler_that_is_named_is_the_only_one),
        cmocka_unit_test(the_newest_compiler_of_any_environment_is_taken),
        cmocka_unit_test(an_unknown_architecture_says_what_is_known),
        cmocka_unit_test(a_kernel_that_does_not_compile_has_the_log),
        cmocka_unit_test(what_compiles_has_symbols),
        cmocka_unit_test(the_cache_knows_what_makes_a_difference),
        cmocka_unit_test(another_compiler_compiles_again),
        cmocka_unit_test(a_spoilt_entry_is_made_again),
        cmocka_unit_test(processes_share_the_cache),
        cmocka_unit_test(no_cache_is_no_error),
        cmocka_unit_test(a_real_compiler_makes_cubins),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
