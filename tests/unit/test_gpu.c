/* test_gpu.c: the driver and what is missing, each with a line of its own. SPDX-License-Identifier:
 * MIT */
#include "gpu_child.h"

#include "core/error.h"
#include "gpu/context.h"
#include "gpu/driver.h"
#include "gpu/vendor.h"

/* ---- What can be missing ---- */

static void open_driver(struct outcome *outcome)
{
    struct gradus_error error = {0};
    const struct gr_gpu_driver *cuda;
    report(outcome, gr_gpu_vendor_cuda.open(&cuda, &error), &error);
}

struct absence {
    const char *variables[CHILD_VARIABLES];
    const char *words;
};

static const struct absence absences[] = {
    {{"GRADUS_CUDA_DRIVER=/nowhere/libcuda.so.1"}, "no NVIDIA driver: GRADUS_CUDA_DRIVER"},
    {{"GRADUS_CUDA_DRIVER=" FAKE_NVRTC_PATH},
     "it is older than CUDA 11; get it with: apt-get install"},
    {{FAKE_DRIVER, "GRADUS_FAKE_INIT=34"},
     "stub, not a driver; fix it with: unset LD_LIBRARY_PATH"},
    {{FAKE_DRIVER, "GRADUS_FAKE_INIT=100"}, "sees no GPU; look for it with: nvidia-smi"},
    {{FAKE_DRIVER, "GRADUS_FAKE_INIT=100", "CUDA_VISIBLE_DEVICES="},
     "is ''; fix it with: unset CUDA_VISIBLE_DEVICES"},
    {{FAKE_DRIVER, "GRADUS_FAKE_INIT=803"}, "(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH): one of the two"},
    {{FAKE_DRIVER, "GRADUS_FAKE_INIT=804"}, "(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE)"},
    {{FAKE_DRIVER, "GRADUS_FAKE_INIT=999"}, "cannot start: unknown error (999)"},
};

static void what_is_missing_has_a_line_of_its_own(void **state)
{
    (void)state;
    enum { COUNT = sizeof absences / sizeof *absences };
    struct outcome outcomes[COUNT];
    for (int i = 0; i < COUNT; i++) {
        outcomes[i] = in_child(open_driver, absences[i].variables);
        assert_says(&outcomes[i], GRADUS_UNSUPPORTED, absences[i].words);
        assert_int_equal(strncmp(outcomes[i].text, "skip: ", 6), 0);
        assert_null(strchr(outcomes[i].text, '\n'));
        assert_non_null(strstr(outcomes[i].text, " it with: "));
        for (int j = 0; j < i; j++)
            assert_string_not_equal(outcomes[i].text, outcomes[j].text);
    }
}

static void no_devices_is_no_device(void **state)
{
    (void)state;
    const char *variables[CHILD_VARIABLES] = {FAKE_DRIVER, "GRADUS_FAKE_DEVICES=0"};
    struct outcome outcome = in_child(open_driver, variables);
    assert_says(&outcome, GRADUS_UNSUPPORTED, "sees no GPU");
}

static void a_whole_driver_opens(void **state)
{
    (void)state;
    const char *variables[CHILD_VARIABLES] = {FAKE_DRIVER};
    struct outcome outcome = in_child(open_driver, variables);
    assert_says(&outcome, GRADUS_OK, "");
}

/* ---- Devices ---- */

static int requested_ordinal;

static void read_device(struct outcome *outcome)
{
    struct gradus_error error = {0};
    const struct gr_gpu_driver *cuda;
    struct gr_gpu_device d;
    enum gradus_status status = gr_gpu_vendor_cuda.open(&cuda, &error);
    if (status == GRADUS_OK)
        status = gr_gpu_device_read(cuda, requested_ordinal, &d, &error);
    report(outcome, status, &error);
    if (status == GRADUS_OK)
        snprintf(outcome->text, sizeof outcome->text,
                 "%s %s %s cc %d, %d SMs, %lld + %lld bytes of shared memory, %lld of L2", d.name,
                 d.arch, d.pci, d.cc, d.sms, (long long)d.smem_per_sm_bytes,
                 (long long)d.smem_per_block_bytes, (long long)d.l2_bytes);
}

static void assert_device(int ordinal, const char *knob, enum gradus_status status,
                          const char *words)
{
    const char *variables[CHILD_VARIABLES] = {FAKE_DRIVER, knob};
    requested_ordinal = ordinal;
    struct outcome outcome = in_child(read_device, variables);
    assert_says(&outcome, status, words);
}

static void a_device_is_what_the_driver_says(void **state)
{
    (void)state;
    assert_device(0, NULL, GRADUS_OK,
                  "Fake H200 0 sm_90a 0000:1b:00.0 cc 90, 132 SMs, 233472 + 232448 bytes of shared "
                  "memory, 62914560 of L2");
    assert_device(0, "GRADUS_FAKE_CC=75", GRADUS_OK, " sm_75 ");
    assert_device(0, "GRADUS_FAKE_CC=89", GRADUS_OK, " sm_89 ");
    assert_device(0, "GRADUS_FAKE_CC=120", GRADUS_OK, " sm_120a ");
    assert_device(1, "GRADUS_FAKE_DEVICES=2", GRADUS_OK, "Fake H200 1 sm_90a 0000:1c:00.0");
}

static void an_ordinal_beyond_the_last_is_refused(void **state)
{
    (void)state;
    assert_device(1, NULL, GRADUS_INVALID, "GPU 1: there is 1: 0");
    assert_device(2, "GRADUS_FAKE_DEVICES=2", GRADUS_INVALID, "GPU 2: there are 2: 0 to 1");
    assert_device(-1, NULL, GRADUS_INVALID, "GPU -1: there is 1: 0");
}

/* ---- Results of calls ---- */

static gr_gpu_result requested_result;

static void check_result(struct outcome *outcome)
{
    struct gradus_error error = {0};
    const struct gr_gpu_driver *cuda;
    enum gradus_status status = gr_gpu_vendor_cuda.open(&cuda, &error);
    if (status == GRADUS_OK)
        status = gr_gpu_check(cuda, requested_result, "the kernel", &error);
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
        {2, GRADUS_NO_MEMORY, "the kernel: "},
        {700, GRADUS_CRASHED, "(CUDA_ERROR_ILLEGAL_ADDRESS)"},
        {702, GRADUS_CRASHED, "(CUDA_ERROR_LAUNCH_TIMEOUT)"},
        {719, GRADUS_CRASHED, "(CUDA_ERROR_LAUNCH_FAILED)"},
        {701, GRADUS_LAUNCH, "(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)"},
        {1, GRADUS_LAUNCH, "(CUDA_ERROR_INVALID_VALUE)"},
        {12345, GRADUS_LAUNCH, "(?)"},
        {209, GRADUS_UNSUPPORTED, "of CUDA 12.8, does not take the compiler's code"},
        {222, GRADUS_UNSUPPORTED, "(CUDA_ERROR_UNSUPPORTED_PTX_VERSION): update the driver"},
    };
    const char *variables[CHILD_VARIABLES] = {FAKE_DRIVER, "GRADUS_FAKE_VERSION=12080"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        requested_result = cases[i].result;
        struct outcome outcome = in_child(check_result, variables);
        assert_says(&outcome, cases[i].status, cases[i].words);
    }
}

/* ---- Memory ---- */

/* Bytes go to the device and come back; what is not there cannot be had. */
static void use_memory(struct outcome *outcome)
{
    struct gradus_error error = {0};
    const struct gr_gpu_context *context;
    gr_gpu_address pointer = 0, second = 0;
    char back[16] = "";
    enum gradus_status status = gr_gpu_context_open(&gr_gpu_vendor_cuda, 0, &context, &error);
    const struct gr_gpu_driver *cuda = context->driver;
    if (status == GRADUS_OK)
        status = gr_gpu_check(cuda, cuda->memory_alloc(&pointer, 600), "600 bytes", &error);
    if (status == GRADUS_OK)
        status = gr_gpu_check(cuda, cuda->to_device(pointer, "matrix", 7, context->stream), "up",
                              &error);
    if (status == GRADUS_OK)
        status =
            gr_gpu_check(cuda, cuda->to_host(back, pointer, 7, context->stream), "down", &error);
    if (status == GRADUS_OK && strcmp(back, "matrix") != 0)
        status = GRADUS_INTERNAL;
    if (status == GRADUS_OK)
        status = gr_gpu_check(cuda, cuda->memory_alloc(&second, 600), "600 more", &error);
    report(outcome, status, &error);
}

static void memory_is_limited(void **state)
{
    (void)state;
    const char *enough[CHILD_VARIABLES] = {FAKE_DRIVER, "GRADUS_FAKE_MEMORY=1200"};
    const char *less[CHILD_VARIABLES] = {FAKE_DRIVER, "GRADUS_FAKE_MEMORY=1199"};
    const char *failing[CHILD_VARIABLES] = {FAKE_DRIVER, "GRADUS_FAKE_FAIL=copy:700:1"};
    struct outcome outcome = in_child(use_memory, enough);
    assert_says(&outcome, GRADUS_OK, "");
    outcome = in_child(use_memory, less);
    assert_says(&outcome, GRADUS_NO_MEMORY, "600 more: ");
    outcome = in_child(use_memory, failing);
    assert_says(&outcome, GRADUS_CRASHED, "down: ");
}

/* ---- Contexts ---- */

static void open_two_contexts(struct outcome *outcome)
{
    struct gradus_error error = {0};
    const struct gr_gpu_context *first = NULL, *again = NULL;
    enum gradus_status status = gr_gpu_context_open(&gr_gpu_vendor_cuda, 0, &first, &error);
    if (status == GRADUS_OK)
        status = gr_gpu_context_open(&gr_gpu_vendor_cuda, 0, &again, &error);
    if (status == GRADUS_OK && first != again)
        status = gr_fail(&error, GRADUS_INTERNAL, "GPU 0 has two contexts");
    if (status == GRADUS_OK)
        status = gr_gpu_context_open(&gr_gpu_vendor_cuda, 1, &again, &error);
    if (status == GRADUS_OK && (first == again || gr_gpu_context() != again))
        status = gr_fail(&error, GRADUS_INTERNAL, "GPU 1 is not in use");
    gr_gpu_context_use(first);
    if (status == GRADUS_OK && gr_gpu_context() != first)
        status = gr_fail(&error, GRADUS_INTERNAL, "GPU 0 is not in use again");
    report(outcome, status, &error);
}

static void a_process_works_on_several_gpus(void **state)
{
    (void)state;
    const char *variables[CHILD_VARIABLES] = {FAKE_DRIVER, "GRADUS_FAKE_DEVICES=2"};
    struct outcome outcome = in_child(open_two_contexts, variables);
    assert_says(&outcome, GRADUS_OK, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_missing_has_a_line_of_its_own),
        cmocka_unit_test(no_devices_is_no_device),
        cmocka_unit_test(a_whole_driver_opens),
        cmocka_unit_test(a_device_is_what_the_driver_says),
        cmocka_unit_test(an_ordinal_beyond_the_last_is_refused),
        cmocka_unit_test(results_become_statuses),
        cmocka_unit_test(memory_is_limited),
        cmocka_unit_test(a_process_works_on_several_gpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
