/* test_finding_severity.c: every kind of finding has one severity, and every format shows it, for a
 * row and for an explanation. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "report/explain_page.h"
#include "report/explained.h"
#include "report/report.h"
#include "report/synthetic.h"
#include "report/words.h"

#include <stdlib.h>
#include <string.h>

static const enum gr_finding_kind kinds[] = {
#define KIND(enumerator, name, severity, meaning) enumerator,
    GR_FINDING_LIST(KIND)
#undef KIND
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const enum gr_severity severities[] = {
#define SEVERITY(enumerator, name, text) enumerator,
    GR_SEVERITY_LIST(SEVERITY)
#undef SEVERITY
};

/* The text of the finding, which is in one line of each output only. */
static const char reported[] = "what is found here";

/* Of all severities, the finding's line names its own and no other. Takes the output. */
static void assert_shows(struct gr_str *out, enum gr_severity severity)
{
    char *line = strstr(gr_str_text(out), reported);
    if (!line || strstr(line + 1, reported))
        fail_msg("wanted the finding once, found: %s", gr_str_text(out));
    line[strcspn(line, "\n")] = 0;
    while (line > out->text && line[-1] != '\n')
        line--;
    for (size_t i = 0; i < sizeof severities / sizeof *severities; i++) {
        const char *name = gr_severity_name(severities[i]);
        if (!strstr(line, name) != (severities[i] != severity))
            fail_msg("wanted the severity %s, found: %s", gr_severity_name(severity), line);
    }
    gr_str_free(out);
}

/* In a row, what is only worth knowing has no word before it. */
static void assert_row_shows(struct gr_str *out, enum gr_severity severity)
{
    char *line = strstr(gr_str_text(out), reported);
    if (severity != GR_SEVERITY_NOTE) {
        assert_shows(out, severity);
        return;
    }
    assert_non_null(line);
    line[0] = 0;
    const char *before = line - out->text > 40 ? line - 40 : out->text;
    for (size_t i = 0; i < sizeof severities / sizeof *severities; i++)
        if (severities[i] != GR_SEVERITY_NOTE)
            assert_null(strstr(before, gr_severity_name(severities[i])));
    gr_str_free(out);
}

struct scene {
    struct gr_kernel *kernel;
    struct gr_problem problem;
    struct gr_device device;
    struct gr_explained_head head;
};

static void open_scene(struct scene *s)
{
    static const char source[] = "//@ type f32\n//@ grid 1\n//@ block 32\n"
                                 "__global__ void gemm(int M, int N, int K, const float *A, const "
                                 "float *B, float *C)\n{\n}\n";
    struct gradus_error error = {0};
    char *text = NULL;
    *s = (struct scene){0};
    assert_int_equal(gr_kernel_parse("gemm.cu", source, NULL, &s->kernel, &error), GRADUS_OK);
    assert_int_equal(gr_file_read(GRADUS_SOURCE_DIR "/devices/h200.txt", &text, NULL, &error),
                     GRADUS_OK);
    assert_int_equal(gr_device_read("h200", text, &s->device, &error), GRADUS_OK);
    free(text);
    s->problem = gr_problem_dense(64, 64, 64, false, false, gr_types_of(GR_F32));
    s->head = (struct gr_explained_head){.kernel = s->kernel,
                                         .problem = &s->problem,
                                         .device = &s->device,
                                         .arch = "sm_90a",
                                         .why = "",
                                         .params = "",
                                         .command = "gradus explain"};
}

static void check_explanation(const struct scene *s, const struct gr_findings *findings)
{
    static const char *const formats[] = {"table", "md", "json"};
    const struct gr_explained e = {.explanation = {.findings = *findings}}, *one = &e;
    const struct gr_style style = {0};
    struct gr_str out = {0};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        gr_format_find(formats[i])->explain(&s->head, &one, 1, &style, &out);
        assert_shows(&out, findings->items[0].severity);
    }
    const struct gr_explain_page page = {.explanation = &e.explanation};
    gr_page_finding(&page, &findings->items[0], &out);
    assert_shows(&out, findings->items[0].severity);
}

static void check_row(const struct gr_findings *findings)
{
    const enum gr_severity severity = findings->items[0].severity;
    const struct gr_style style = {0};
    struct gr_run run = {0};
    struct gr_str out = {0};
    run.environment.command = gr_strdup("gradus run");
    struct gr_row *row = synthetic_row(&run, "01_naive", "three nested loops", 512, 1.2, 96);
    row->verdict = GR_WRONG;
    gr_findings_copy(&row->findings, &findings->items[0]);
    gr_format_find("table")->render(&run, &style, &out, NULL);
    assert_row_shows(&out, severity);
    gr_format_find("md")->render(&run, &style, &out, NULL);
    assert_row_shows(&out, severity);
    gr_finding_format(&row->findings.items[0], &out); /* as the page of a run shows it */
    assert_row_shows(&out, severity);
    gr_format_find("json")->render(&run, &style, &out, NULL);
    struct gr_str wanted = {0};
    gr_str_printf(&wanted, "\"severity\":\t\"%s\"", gr_severity_name(severity));
    assert_non_null(strstr(gr_str_text(&out), wanted.text));
    gr_str_free(&wanted);
    gr_str_free(&out);
    gr_run_free(&run);
}

static void every_format_shows_the_severity(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    for (int i = 0; i < KINDS; i++)
        for (size_t j = 0; j < sizeof severities / sizeof *severities; j++) {
            struct gr_findings findings = {0};
            if (kinds[i] == GR_FIND_NOTE && severities[j] != GR_SEVERITY_NOTE)
                continue; /* its kind has the name of a severity */
            struct gr_finding *added = gr_findings_add(&findings, kinds[i], 0, "%s", reported);
            assert_non_null(added);
            assert_int_equal(added->severity, gr_finding_severity(kinds[i]));
            added->severity = severities[j];
            check_explanation(&s, &findings);
            check_row(&findings);
            gr_findings_free(&findings);
        }
    gr_kernel_free(s.kernel);
}

/* A kernel that crashes is wrong, wherever it does. */
static void a_crash_is_a_fault(void **state)
{
    (void)state;
    assert_int_equal(gr_finding_severity(GR_FIND_DIED), GR_SEVERITY_FAULT);
    assert_int_equal(gr_finding_severity(GR_FIND_BOUNDS), GR_SEVERITY_FAULT);
    assert_int_equal(gr_finding_severity(GR_FIND_CAPPED), GR_SEVERITY_NOTE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_shows_the_severity),
        cmocka_unit_test(a_crash_is_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
