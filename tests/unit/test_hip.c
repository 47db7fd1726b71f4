/* test_hip.c: AMD's driver and compilers: what is missing, each with a line of its own, what a GPU
 * is, what results mean, and what amdgpu reports. SPDX-License-Identifier: MIT */
/* threads: src/base/keep_signals.c */
#include "gpu_child.h"

#include "core/error.h"
#include "base/str.h"
#include "gpu/amdgpu.h"
#include "gpu/context.h"
#include "gpu/jit.h"
#include "gpu/vendor.h"

#include <sys/stat.h>

/* ---- What can be missing ---- */

static void open_driver(struct outcome *outcome)
{
    struct gradus_error error = {0};
    const struct gr_gpu_driver *hip;
    report(outcome, gr_gpu_vendor_hip.open(&hip, &error), &error);
}

static void a_library_that_is_missing_or_another_is_named(void **state)
{
    (void)state;
    const char *none[CHILD_VARIABLES] = {"GRADUS_HIP_DRIVER=/nowhere/libamdhip64.so"};
    const char *other[CHILD_VARIABLES] = {"GRADUS_HIP_DRIVER=" FAKE_HIPRTC_PATH};
    struct outcome outcome = in_child(open_driver, none);
    assert_says(&outcome, GRADUS_UNSUPPORTED, "skip: no AMD driver: GRADUS_HIP_DRIVER: /nowhere");
    outcome = in_child(open_driver, other);
    assert_says(&outcome, GRADUS_UNSUPPORTED, "has no hipInit: it is older than ROCm 5");
}

/* On a machine with an AMD GPU the stand-in's own words are said, on another the system's reason,
 * which comes first. */
static void no_gpu_has_a_reason(void **state)
{
    (void)state;
    const bool may = access("/dev/kfd", R_OK | W_OK) == 0;
    const char *none[CHILD_VARIABLES] = {FAKE_HIP, "GRADUS_FAKE_DEVICES=0"};
    const char *invalid[CHILD_VARIABLES] = {FAKE_HIP, "GRADUS_FAKE_INIT=101"};
    const char *hidden[CHILD_VARIABLES] = {FAKE_HIP, "GRADUS_FAKE_INIT=100",
                                           "HIP_VISIBLE_DEVICES=-1"};
    const char *broken[CHILD_VARIABLES] = {FAKE_HIP, "GRADUS_FAKE_INIT=999"};
    struct outcome outcome = in_child(open_driver, none);
    assert_says(&outcome, GRADUS_UNSUPPORTED, may ? "sees no GPU (hipErrorNoDevice" : "/dev/kfd");
    outcome = in_child(open_driver, invalid);
    assert_says(&outcome, GRADUS_UNSUPPORTED, may ? "(hipErrorInvalidDevice, 101)" : "/dev/kfd");
    outcome = in_child(open_driver, hidden);
    assert_says(&outcome, GRADUS_UNSUPPORTED,
                may ? "HIP_VISIBLE_DEVICES is '-1'; fix it with: unset HIP" : "/dev/kfd");
    outcome = in_child(open_driver, broken);
    assert_says(&outcome, GRADUS_UNSUPPORTED, "cannot start: hipErrorUnknown (999)");
    assert_null(strchr(outcome.text, '\n'));
}

/* ---- The kernel's driver ---- */

static char folder[] = "/tmp/gradus-test-hip-XXXXXX";

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void make_folders(char *path)
{
    for (char *p = path + 1; (p = strchr(p, '/')); p++) {
        *p = 0;
        mkdir(path, 0700);
        *p = '/';
    }
    mkdir(path, 0700);
}

static void assert_admits(const char *node, enum gradus_status status, const char *words)
{
    struct gradus_error error = {0};
    assert_int_equal(gr_amdgpu_admits(node, &error), status);
    assert_non_null(strstr(error.text, words));
    assert_true(status == GRADUS_OK || strstr(error.text, " it with: "));
    gradus_error_clear(&error);
}

static void a_node_that_is_missing_differs_from_one_that_is_closed(void **state)
{
    (void)state;
    char node[64];
    snprintf(node, sizeof node, "%s/kfd", folder);
    assert_admits(node, GRADUS_UNSUPPORTED, "load it with: modprobe amdgpu");
    write_text(node, "");
    assert_admits(node, GRADUS_OK, "");
    chmod(node, 0);
    if (geteuid() != 0) /* root may open everything */
        assert_admits(node, GRADUS_UNSUPPORTED, "may not open");
}

/* As kernels report it: an older GPU has only an average of the power. */
static void clocks_and_power_are_those_of_sysfs(void **state)
{
    (void)state;
    char path[256], monitor[160];
    struct gr_gpu_state now;
    struct gradus_error error = {0};
    snprintf(monitor, sizeof monitor, "%s/bus/pci/devices/0000:c1:00.0/hwmon/hwmon3", folder);
    assert_int_equal(gr_amdgpu_read(folder, "0000:c1:00.0", &now, &error), GRADUS_UNSUPPORTED);
    assert_non_null(strstr(error.text, "0000:c1:00.0"));
    gradus_error_clear(&error);
    make_folders(monitor);
    static const char *const files[][2] = {{"freq1_input", "1700000000\n"},
                                           {"power1_average", "300000000\n"},
                                           {"temp1_input", "45000\n"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", monitor, files[i][0]);
        write_text(path, files[i][1]);
    }
    assert_int_equal(gr_amdgpu_read(folder, "0000:c1:00.0", &now, &error), GRADUS_OK);
    assert_int_equal(now.sm_clock_mhz, 1700);
    assert_int_equal(now.memory_clock_mhz, -1);
    assert_int_equal(now.power_mw, 300000);
    assert_int_equal(now.temperature_c, 45);
    assert_int_equal(strncmp(now.driver, "Linux ", 6), 0);
    snprintf(path, sizeof path, "%s/power1_input", monitor);
    write_text(path, "90000000\n");
    snprintf(path, sizeof path, "%s/module/amdgpu", folder);
    make_folders(path);
    snprintf(path, sizeof path, "%s/module/amdgpu/version", folder);
    write_text(path, "6.8.5\n");
    assert_int_equal(gr_amdgpu_read(folder, "0000:c1:00.0", &now, &error), GRADUS_OK);
    assert_int_equal(now.power_mw, 90000);
    assert_string_equal(now.driver, "amdgpu 6.8.5");
}

/* ---- Devices ---- */

static int requested_ordinal;

static void read_device(struct outcome *outcome)
{
    struct gradus_error error = {0};
    const struct gr_gpu_driver *hip;
    struct gr_gpu_device d;
    char version[32] = "";
    enum gradus_status status = gr_gpu_vendor_hip.open(&hip, &error);
    if (status == GRADUS_OK)
        status = gr_gpu_device_read(hip, requested_ordinal, &d, &error);
    report(outcome, status, &error);
    if (status != GRADUS_OK)
        return;
    gr_gpu_vendor_hip.version(hip, version);
    snprintf(outcome->text, sizeof outcome->text,
             "%s: %s %s %s cc %d, %d CUs, wave %d, %lld + %lld", version, d.name, d.arch, d.pci,
             d.cc, d.sms, d.warp, (long long)d.smem_per_sm_bytes,
             (long long)d.smem_per_block_bytes);
}

static void assert_device(int ordinal, const char *driver, const char *knob,
                          enum gradus_status status, const char *words)
{
    const char *variables[CHILD_VARIABLES] = {driver, knob};
    requested_ordinal = ordinal;
    struct outcome outcome = in_child(read_device, variables);
    assert_says(&outcome, status, words);
}

/* The architecture's name is at another place in the properties of ROCm 5. */
static void a_device_is_what_hip_says(void **state)
{
    (void)state;
    const char *mi210 = "HIP 6.3: Fake MI210 0 gfx90a 0000:c1:00.0 cc 0, 104 CUs, wave 64, 65536 + "
                        "65536";
    assert_device(0, FAKE_HIP, NULL, GRADUS_OK, mi210);
    assert_device(0, FAKE_HIP5, NULL, GRADUS_OK, mi210);
    assert_device(0, FAKE_HIP, "GRADUS_FAKE_ARCH=gfx1100", GRADUS_OK,
                  "gfx1100 0000:c1:00.0 cc 0, "
                  "104 CUs, wave 32");
    assert_device(1, FAKE_HIP, "GRADUS_FAKE_DEVICES=2", GRADUS_OK, "Fake MI210 1");
    assert_device(2, FAKE_HIP, "GRADUS_FAKE_DEVICES=2", GRADUS_INVALID, "there are 2: 0 to 1");
    assert_device(0, FAKE_HIP, "GRADUS_FAKE_ARCH=", GRADUS_UNSUPPORTED, "names no gfx target");
}

/* ---- Results of calls ---- */

static gr_gpu_result requested_result;

static void check_result(struct outcome *outcome)
{
    struct gradus_error error = {0};
    const struct gr_gpu_driver *hip;
    enum gradus_status status = gr_gpu_vendor_hip.open(&hip, &error);
    if (status == GRADUS_OK)
        status = gr_gpu_check(hip, requested_result, "the kernel", &error);
    report(outcome, status, &error);
}

static void results_become_statuses(void **state)
{
    (void)state;
    static const struct {
        gr_gpu_result result;
        enum gradus_status status;
        const char *words;
    } cases[] = {
        {0, GRADUS_OK, ""},
        {2, GRADUS_NO_MEMORY, "(hipErrorOutOfMemory)"},
        {700, GRADUS_CRASHED, "(hipErrorIllegalAddress)"},
        {719, GRADUS_CRASHED, "(hipErrorLaunchFailure)"},
        {999, GRADUS_CRASHED, "(hipErrorUnknown)"},
        {701, GRADUS_LAUNCH, "(hipErrorLaunchOutOfResources)"},
        {1, GRADUS_LAUNCH, "(hipErrorInvalidValue)"},
        {209, GRADUS_UNSUPPORTED,
         "of HIP 6.3, does not take the compiler's code "
         "(hipErrorNoBinaryForGpu): it is for another gfx target"},
    };
    const char *variables[CHILD_VARIABLES] = {FAKE_HIP};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        requested_result = cases[i].result;
        struct outcome outcome = in_child(check_result, variables);
        assert_says(&outcome, cases[i].status, cases[i].words);
    }
}

/* ---- Contexts ---- */

/* The stand-in reserves nothing before a device was chosen. */
static void use_memory_of_two(struct outcome *outcome)
{
    struct gradus_error error = {0};
    const struct gr_gpu_context *first = NULL, *second = NULL;
    gr_gpu_address pointer = 0;
    enum gradus_status status = gr_gpu_context_open(&gr_gpu_vendor_hip, 0, &first, &error);
    if (status == GRADUS_OK)
        status = gr_gpu_context_open(&gr_gpu_vendor_hip, 1, &second, &error);
    if (status == GRADUS_OK && (!first->context || first->context == second->context))
        status = gr_fail(&error, GRADUS_INTERNAL, "two GPUs have one context");
    if (status == GRADUS_OK)
        status = gr_gpu_check(second->driver, second->driver->memory_alloc(&pointer, 64), "memory",
                              &error);
    report(outcome, status, &error);
}

static void a_process_works_on_several_gpus(void **state)
{
    (void)state;
    const char *variables[CHILD_VARIABLES] = {FAKE_HIP, "GRADUS_FAKE_DEVICES=2"};
    struct outcome outcome = in_child(use_memory_of_two, variables);
    assert_says(&outcome, GRADUS_OK, "");
}

/* ---- The compiler ---- */

static const char *requested_text;

static void compile(struct outcome *outcome)
{
    static const char *const names[] = {"gemm"};
    const struct gr_rtc_source source = {.text = requested_text,
                                         .name = "my.hip",
                                         .arch = "gfx90a",
                                         .names = names,
                                         .name_count = 1};
    struct gradus_error error = {0};
    struct gr_rtc_code code;
    enum gradus_status status = gr_jit_compile(&gr_rtc_hip, &source, false, &code, &error);
    report(outcome, status, &error);
    if (status == GRADUS_OK)
        snprintf(outcome->text, sizeof outcome->text, "%s %s", code.compiler, code.lowered[0]);
    gr_rtc_code_free(&code);
}

static void a_compiler_that_is_named_is_the_only_one(void **state)
{
    (void)state;
    const char *fake[CHILD_VARIABLES] = {FAKE_HIPRTC, "GRADUS_FAKE_NVRTC_VERSION=6.2"};
    const char *none[CHILD_VARIABLES] = {"GRADUS_HIPRTC=/nowhere/libhiprtc.so"};
    const char *other[CHILD_VARIABLES] = {"GRADUS_HIPRTC=" FAKE_NVRTC_PATH};
    requested_text = "__global__ void gemm(float *C) { C[0] = 1; }\n";
    struct outcome outcome = in_child(compile, fake);
    assert_says(&outcome, GRADUS_OK, "hipRTC 6.2 fake_gemm");
    outcome = in_child(compile, none);
    assert_says(&outcome, GRADUS_UNSUPPORTED, "'/nowhere/libhiprtc.so' is not a hipRTC of ROCm 5");
    outcome = in_child(compile, other);
    assert_says(&outcome, GRADUS_UNSUPPORTED, "is not a hipRTC of ROCm 5");
}

static void an_error_of_the_compiler_is_the_files(void **state)
{
    (void)state;
    const char *fake[CHILD_VARIABLES] = {FAKE_HIPRTC};
    requested_text = "__global__ void gemm(float *C) { BROKEN }\n";
    struct outcome outcome = in_child(compile, fake);
    assert_says(&outcome, GRADUS_COMPILE, "my.hip: hipRTC 13.0 does not compile it for gfx90a");
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static int remove_folder(void **state)
{
    (void)state;
    char *command = gr_printf("rm -rf '%s'", folder);
    const int status = command ? system(command) : 1;
    free(command);
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_library_that_is_missing_or_another_is_named),
        cmocka_unit_test(no_gpu_has_a_reason),
        cmocka_unit_test(a_node_that_is_missing_differs_from_one_that_is_closed),
        cmocka_unit_test(clocks_and_power_are_those_of_sysfs),
        cmocka_unit_test(a_device_is_what_hip_says),
        cmocka_unit_test(results_become_statuses),
        cmocka_unit_test(a_process_works_on_several_gpus),
        cmocka_unit_test(a_compiler_that_is_named_is_the_only_one),
        cmocka_unit_test(an_error_of_the_compiler_is_the_files),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
