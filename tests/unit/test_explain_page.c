/* test_explain_page.c: what explain tells of a simulated launch, by traces made up for it.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "report/explained.h"
#include "explain/analysis.h"
#include "explain/format_faults.h"
#include "explain/source_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct gr_analysis *const gr_analysis_all[];

static const char source[] =
    "//@ type f32\n//@ grid 8\n//@ block 128\n"
    "__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)\n"
    "{\n"
    "    __shared__ float As[128];\n"
    "    As[threadIdx.x] = A[threadIdx.x * K];\n"
    "    __syncthreads();\n"
    "    C[threadIdx.x] = As[threadIdx.x * 2 % 128] * B[threadIdx.x] + 0 * (1 + 1 + 1 + 1 + 1 + "
    "1);\n"
    "}\n";

/* A kernel and a trace of it; A is read by columns, As with two lanes on each bank. */
struct scene {
    struct gr_kernel *kernel;
    struct gr_variant variant;
    struct gr_problem problem;
    struct gr_device_values device_values;
    struct gr_device device;
    struct gr_trace_array arrays[4];
    struct gr_trace_site sites[6];
    struct gr_trace_fault faults[16];
    struct gr_trace trace;
    struct gr_analysis_input input;
};

enum { A, B, C, AS };

static void add_site(struct scene *s, int line, enum gr_access access, enum gr_space space,
                     int array, int64_t count, int64_t ideal)
{
    bool global = space == GR_SPACE_GLOBAL;
    s->sites[s->trace.site_count++] =
        (struct gr_trace_site){.line = line,
                               .column = 5,
                               .access = access,
                               .space = space,
                               .array = array,
                               .bytes = 4,
                               .source_bytes = 4,
                               .requests = 32,
                               .lanes = 1024,
                               .sectors = global ? count : 0,
                               .sectors_ideal = global ? ideal : 0,
                               .wavefronts = global ? 0 : count,
                               .wavefronts_ideal = global ? 0 : ideal};
}

static void set_arrays(struct scene *s)
{
    static const char *const names[] = {"A", "B", "C", "As"};
    for (int i = 0; i < 4; i++) {
        struct gr_trace_array *a = &s->arrays[i];
        snprintf(a->name, sizeof a->name, "%s", names[i]);
        a->space = i == AS ? GR_SPACE_SHARED : GR_SPACE_GLOBAL;
        a->element_bytes = 4;
        a->bytes = 4096;
        a->distinct_bytes = i == AS ? 0 : 1024;
        a->block_distinct_bytes = i == AS ? 0 : 8192;
        a->old_reached = i == C;
    }
}

static void set(struct scene *s)
{
    struct gradus_error error = {0};
    char *text = NULL;
    *s = (struct scene){.device_values = {.sms = 132, .cc = 90, .smem_max = 232448, .occ = 1}};
    assert_int_equal(gr_kernel_parse("gemm.cu", source, NULL, &s->kernel, &error), GRADUS_OK);
    s->problem = gr_problem_dense(64, 64, 64, false, false, gr_types_of(GR_F32));
    assert_int_equal(
        gr_variant_make(s->kernel, s->problem.types, false, false, &s->variant, &error), GRADUS_OK);
    assert_int_equal(gr_file_read(GRADUS_SOURCE_DIR "/devices/h200.txt", &text, NULL, &error),
                     GRADUS_OK);
    assert_int_equal(gr_device_read("h200", text, &s->device, &error), GRADUS_OK);
    free(text);
    set_arrays(s);
    s->trace = (struct gr_trace){.grid = {8, 1, 1},
                                 .block = {128, 1, 1},
                                 .warp = 32,
                                 .blocks = 8,
                                 .blocks_traced = 8,
                                 .widths = GR_WIDTHS_CUBIN,
                                 .arrays = s->arrays,
                                 .array_count = 4,
                                 .sites = s->sites,
                                 .faults = s->faults};
    add_site(s, 7, GR_ACCESS_LOAD, GR_SPACE_GLOBAL, A, 1024, 128);
    add_site(s, 7, GR_ACCESS_STORE, GR_SPACE_SHARED, AS, 32, 32);
    add_site(s, 9, GR_ACCESS_LOAD, GR_SPACE_SHARED, AS, 64, 32);
    add_site(s, 9, GR_ACCESS_LOAD, GR_SPACE_GLOBAL, B, 128, 128);
    add_site(s, 9, GR_ACCESS_STORE, GR_SPACE_GLOBAL, C, 128, 128);
    s->input = (struct gr_analysis_input){.variant = &s->variant,
                                          .problem = &s->problem,
                                          .device_values = &s->device_values,
                                          .device = &s->device,
                                          .stanza = &s->kernel->stanzas[0],
                                          .flops = gr_problem_flops(&s->problem),
                                          .bytes = gr_problem_least_bytes(&s->problem),
                                          .trace = &s->trace};
}

/* All that the analyses tell. */
static struct gr_explanation reported(const struct scene *s)
{
    struct gr_explanation e = {0};
    for (int i = 0; gr_analysis_all[i]; i++)
        if (gr_analysis_all[i]->applies(&s->input)) {
            struct gr_section *section = gr_explanation_add(&e, gr_analysis_all[i]->title, "");
            assert_non_null(section);
            gr_analysis_all[i]->explain(&s->input, section);
        }
    assert_false(gr_explanation_failed(&e));
    return e;
}

static void is(const struct gr_explanation *e, const char *key, double wanted)
{
    const struct gr_fact *fact = gr_explanation_find(e, key);
    if (!fact)
        fail_msg("%s is not told", key);
    else if (fact->word || fact->value != wanted)
        fail_msg("%s is %g, wanted %g", key, fact->value, wanted);
}

static void counts_have_their_names(void **state)
{
    struct scene s;
    (void)state;
    set(&s);
    struct gr_explanation e = reported(&s);
    is(&e, "global.loads.requests", 64);
    is(&e, "global.loads.sectors", 1152);
    is(&e, "global.loads.sectors_per_request", 18);
    is(&e, "global.loads.sectors_per_request[A]", 32);
    is(&e, "global.loads.sectors_per_request[B]", 4);
    is(&e, "global.stores.sectors_per_request[C]", 4);
    is(&e, "shared.loads.wavefronts", 64);
    is(&e, "shared.loads.conflicts", 32);
    is(&e, "shared.loads.conflicts[As]", 32);
    is(&e, "shared.stores.conflicts", 0);
    is(&e, "blocks.total", 8);
    is(&e, "traffic.asked_bytes", 3 * 4096);
    is(&e, "traffic.l1_bytes", 32 * 1280);
    is(&e, "traffic.block_bytes", 3 * 8192);
    is(&e, "traffic.grid_bytes", 3 * 1024);
    is(&e, "traffic.shared_bytes", 2 * 4096);
    is(&e, "intensity.l1", 2. * 64 * 64 * 64 / (32 * 1280));
    assert_null(gr_explanation_find(&e, "global.copies.requests"));
    assert_string_equal(gr_explanation_find(&e, "coverage")->word, "whole");
    gr_explanation_free(&e);
    gr_kernel_free(s.kernel);
}

static void nothing_touched_is_0_and_not_unknown(void **state)
{
    struct scene s;
    (void)state;
    set(&s);
    s.trace.site_count = 0;
    struct gr_explanation e = reported(&s);
    is(&e, "global.loads.requests", 0);
    is(&e, "shared.loads.conflicts", 0);
    assert_null(gr_explanation_find(&e, "global.loads.sectors_per_request"));
    gr_explanation_free(&e);
    gr_kernel_free(s.kernel);
}

static void the_worst_line_is_first(void **state)
{
    struct scene s;
    int count;
    (void)state;
    set(&s);
    add_site(&s, 7, GR_ACCESS_LOAD, GR_SPACE_GLOBAL, A, 1024, 128); /* an unrolled copy */
    struct gr_source_line *lines = gr_source_lines_of(&s.trace, 5, &count);
    assert_int_equal(count, 5);
    assert_int_equal(lines[0].first->line, 7);
    for (int i = 0; i < count; i++) {
        bool a = lines[i].first->array == A,
             as = lines[i].first->line == 9 && lines[i].first->array == AS;
        assert_int_equal(lines[i].rank, a ? 1 : as ? 2 : 0);
        assert_int_equal(lines[i].requests, a ? 64 : 32);
    }
    free(lines);
    gr_kernel_free(s.kernel);
}

static void see(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
}

/* The page of the scene in a format; `verdict` is what it says of itself. */
static char *page(struct scene *s, bool json)
{
    struct gr_explained x = {.explanation = reported(s), .trace_count = 1};
    const struct gr_explained_head head = {.kernel = s->kernel,
                                           .problem = &s->problem,
                                           .device = &s->device,
                                           .arch = "sm_90a",
                                           .why = "a test",
                                           .params = "",
                                           .command = "gradus explain"};
    const struct gr_style style = {.columns = 80};
    struct gr_str out = {0};
    x.traces[0] = s->trace;
    gr_faults_format(&s->input, &x.explanation.findings);
    if (json)
        gr_explanation_json(&head, &x, &out);
    else
        gr_format_find("table")->explain(&head, (const struct gr_explained *const[]){&x}, 1, &style,
                                         &out);
    gr_explanation_free(&x.explanation);
    return out.text;
}

static void the_page_fits_80_columns(void **state)
{
    struct scene s;
    (void)state;
    set(&s);
    for (int i = 0; i < s.trace.site_count; i++) { /* as at 16384^3 */
        s.sites[i].requests *= 1LL << 33;
        s.sites[i].lanes *= 1LL << 33;
        s.sites[i].sectors *= 1LL << 33;
        s.sites[i].wavefronts *= 1LL << 33;
    }
    char *text = page(&s, false);
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        if (strcspn(line, "\n") > 80)
            fail_msg("%d columns: %.*s", (int)strcspn(line, "\n"), (int)strcspn(line, "\n"), line);
    see(text, "As[threadIdx.x] = A[threadIdx.x * K]");
    see(text, "None: no fault");
    free(text);
    gr_kernel_free(s.kernel);
}

static void json_has_all_of_it(void **state)
{
    struct scene s;
    (void)state;
    set(&s);
    char *text = page(&s, true);
    see(text, "\"loads\": {\"requests\": 64, \"sectors\": 1152, \"sectors_ideal\": 256, "
              "\"sectors_per_request\": 18, \"bytes\": 8192}");
    see(text, "\"loads\": {\"requests\": 32, \"wavefronts\": 64, \"wavefronts_ideal\": 32, "
              "\"conflicts\": 32, \"wavefronts_per_request\": 2, \"bytes\": 4096}");
    see(text, "\"coverage\": \"whole\"");
    see(text, "\"verdict\": \"clean\"");
    see(text, "\"line\": 9, \"column\": 5, \"file\": \"gemm.cu\", \"array\": \"As\", \"access\": "
              "\"load\", \"space\": \"shared\", \"bytes\": 4");
    see(text, "\"blocks\": {\"total\": 8, \"traced\": 8, ");
    free(text);
    gr_kernel_free(s.kernel);
}

static void sampled_is_never_called_exact(void **state)
{
    struct scene s;
    (void)state;
    set(&s);
    s.trace.coverage = GR_COVERAGE_SAMPLED;
    char *text = page(&s, false);
    see(text, "Sampled, never exact");
    assert_null(strstr(text, "Exact"));
    assert_null(strstr(text, "are exact"));
    free(text);
    gr_kernel_free(s.kernel);
}

static void add_fault(struct scene *s, struct gr_trace_fault fault)
{
    s->faults[s->trace.fault_count++] = fault;
}

static void faults_are_told_in_plain_words(void **state)
{
    struct scene s;
    (void)state;
    set(&s);
    add_fault(&s, (struct gr_trace_fault){.kind = GR_FIND_BOUNDS,
                                          .line = 7,
                                          .array = "A",
                                          .index = 4097,
                                          .elements = 4096,
                                          .row = 64,
                                          .col = 1,
                                          .ld = 64,
                                          .block = {7, 0, 0},
                                          .thread = {65, 0, 0},
                                          .count = 12});
    add_fault(&s, (struct gr_trace_fault){.kind = GR_FIND_RACE,
                                          .line = 9,
                                          .other_line = 7,
                                          .other_writes = true,
                                          .array = "As",
                                          .index = 2,
                                          .elements = 128,
                                          .thread = {1, 0, 0},
                                          .other_thread = {2, 0, 0},
                                          .count = 1});
    add_fault(&s, (struct gr_trace_fault){.kind = GR_FIND_BARRIER, .line = 8, .count = 1});
    add_fault(&s, (struct gr_trace_fault){.kind = GR_FIND_UNINITIALISED,
                                          .line = 9,
                                          .array = "C",
                                          .index = 3,
                                          .elements = 4096,
                                          .count = 1});
    char *text = page(&s, true);
    see(text, "\"verdict\": \"faults\"");
    see(text, "{\"kind\": \"bounds\", \"severity\": \"fault\", \"line\": 7, \"array\": \"A\", "
              "\"text\": \"thread 65 of block 7 reads A[4097] (row 64, column 1), past the end of "
              "A, which has 4096 elements; 12 times in all\"");
    see(text, "thread 1 of block 0 reads As[2], which thread 2 writes in line 7, with no barrier "
              "between");
    see(text, "{\"kind\": \"barrier\", \"severity\": \"warning\", \"line\": 8, ");
    see(text, "has returned before it");
    see(text, "the kernel takes no beta");
    assert_null(strstr(text, "beta is 0"));
    free(text);
    gr_kernel_free(s.kernel);
}

static int times(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
        count++;
    return count;
}

/* As where a barrier is missing: reads before writes, races, and the cause seen last. */
static void add_flood(struct scene *s)
{
    add_fault(s, (struct gr_trace_fault){.kind = GR_FIND_UNUSED, .line = 7, .array = "As"});
    add_fault(s, (struct gr_trace_fault){.kind = GR_FIND_UNINITIALISED, .line = 9, .array = "C"});
    add_fault(s, (struct gr_trace_fault){.kind = GR_FIND_UNINITIALISED, .line = 9, .array = "As"});
    for (int i = 0; i < 9; i++) {
        struct gr_trace_fault race = {.kind = GR_FIND_RACE, .line = 52 - i % 8, .array = "As"};
        race.array[0] = i == 1 ? 'B' : 'A';
        add_fault(s, race);
    }
    add_fault(s, (struct gr_trace_fault){
                     .kind = GR_FIND_BARRIER, .line = 8, .other_line = 9, .hangs = true});
}

static void a_flood_of_faults_is_a_few_lines_and_causes_are_first(void **state)
{
    struct scene s;
    (void)state;
    set(&s);
    add_flood(&s);
    char *table = page(&s, false), *json = page(&s, true);
    assert_int_equal(times(table, "fault   race"), 4); /* 3 of 8 on As, 1 on Bs */
    see(table, "          and 5 more of this kind on As: lines 45, 46, 47, 48, 52\n");
    assert_int_equal(times(json, "\"race\""), 9);
    static const char *const order[] = {
        "fault   barrier", "fault   race",
        "fault   uninitialised, line 9: thread 0 of block 0 reads As", "fault   uninitialised",
        "warning unused"};
    const char *at = table;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        see(at, order[i]);
        at = strstr(at, order[i]) + 1;
    }
    free(table);
    free(json);
    gr_kernel_free(s.kernel);
}

/* Whole warps at two barriers go on, one warp at two does not; the kernel that only warns is no
 * faulty one. */
static void barriers_matter_by_what_a_gpu_does(void **state)
{
    struct scene s;
    (void)state;
    set(&s);
    struct gr_trace_fault apart = {.kind = GR_FIND_BARRIER, .line = 8, .other_line = 9};
    add_fault(&s, apart);
    char *text = page(&s, true);
    see(text, "\"verdict\": \"warnings\"");
    see(text, "GPUs go on, since they count the warps that arrive");
    free(text);
    s.faults[0].hangs = true;
    text = page(&s, true);
    see(text, "\"verdict\": \"faults\"");
    see(text, "a GPU hangs there");
    free(text);
    gr_kernel_free(s.kernel);
}

/* What was seen of some blocks is not called all. */
static void counts_are_of_what_was_traced(void **state)
{
    struct scene s;
    (void)state;
    set(&s);
    add_fault(&s, (struct gr_trace_fault){
                      .kind = GR_FIND_BOUNDS, .line = 7, .array = "A", .index = 9, .count = 12});
    char *text = page(&s, true);
    see(text, "; 12 times in all\"");
    free(text);
    s.trace.coverage = GR_COVERAGE_CLASSES;
    s.trace.blocks = 4096;
    text = page(&s, true);
    see(text, "; 12 times in the 8 blocks that were traced, of 4096\"");
    free(text);
    gr_kernel_free(s.kernel);
}

static struct gr_findings unwritten(struct scene *s)
{
    struct gr_findings found = {0};
    gr_unwritten_format(&s->variant, &s->problem, &s->trace, 1, &found);
    return found;
}

static void a_kernel_that_writes_nothing_is_not_clean(void **state)
{
    struct scene s;
    (void)state;
    set(&s);
    struct gr_findings found = unwritten(&s);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.items[0].severity, GR_SEVERITY_FAULT);
    see(found.items[0].text, "C is never written: no thread stores to it");
    gr_findings_free(&found);
    s.arrays[C].stored = true;
    s.arrays[C].unwritten = 3;
    s.arrays[C].first_unwritten = 65;
    found = unwritten(&s);
    see(found.items[0].text,
        "3 of the 4096 elements of C are never written, C[65] (row 1, column 1)");
    gr_findings_free(&found);
    s.arrays[C].unwritten = -1;
    found = unwritten(&s);
    assert_int_equal(found.count, 0);
    gr_kernel_free(s.kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barriers_matter_by_what_a_gpu_does),
        cmocka_unit_test(counts_are_of_what_was_traced),
        cmocka_unit_test(a_kernel_that_writes_nothing_is_not_clean),
        cmocka_unit_test(counts_have_their_names),
        cmocka_unit_test(nothing_touched_is_0_and_not_unknown),
        cmocka_unit_test(the_worst_line_is_first),
        cmocka_unit_test(the_page_fits_80_columns),
        cmocka_unit_test(json_has_all_of_it),
        cmocka_unit_test(sampled_is_never_called_exact),
        cmocka_unit_test(faults_are_told_in_plain_words),
        cmocka_unit_test(a_flood_of_faults_is_a_few_lines_and_causes_are_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
