/* drive_rung.c: RUNG [DEVICE]: verifies one rung in every type and transpose it has (on a simulated
 * device, where that takes long, in every type and in every transpose of the first), and in a
 * sample of its parameter combinations, each over the shapes of measure/shapes.c.
 * SPDX-License-Identifier: MIT */
#include "backend/backend.h"
#include "catalog/catalog.h"
#include "measure/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Combinations other than the defaults are compiled, so they are sampled to fit. */
enum { MOST_COMBINATIONS = 4 };

struct drive {
    struct gr_session session;
    struct gr_run run;
    bool simulated;
    int failed, passed, skipped;
};

/* One variant at an uneven size; its shapes are probed from there. */
static void measure(struct drive *d, const struct gr_variant *v)
{
    struct gradus_error error = {0};
    struct gr_measure_params params = {.variant = v, .peer = -1, .command = ""};
    params.problem = gr_problem_dense(97, 83, 101, v->trans_a, v->trans_b, v->types);
    char parameters[160];
    gr_variant_name(v, parameters, sizeof parameters);
    enum gradus_status status = gr_measure_kernel(&d->session, &params, &d->run, &error);
    const struct gr_row *row = d->run.row_count ? &d->run.rows[d->run.row_count - 1] : NULL;
    bool right = status == GRADUS_OK && row && row->verdict == GR_RIGHT;
    bool skip = status == GRADUS_OK && row && row->verdict == GR_SKIP;
    printf("%s %s %s %s: %s%s%s\n", v->kernel->name, gr_dtype_name(v->types.c),
           gr_problem_trans(&params.problem), parameters,
           row && status == GRADUS_OK ? gr_verdict_name(row->verdict) : error.text,
           row && row->reason ? ": " : "", row && row->reason ? row->reason : "");
    d->passed += right;
    d->skipped += skip;
    d->failed += !right && !skip;
    gradus_error_clear(&error);
}

static int count_combinations(struct gr_variant v)
{
    int count = 0;
    gr_variant_first(&v);
    do
        count += gr_variant_admits(&v, NULL, NULL, NULL) == GRADUS_OK;
    while (gr_variant_next(&v));
    return count;
}

/* Evenly spaced among those that `require` admits. On the simulator the types share them out. */
static void drive_combinations(struct drive *d, struct gr_variant v, int type)
{
    const int count = count_combinations(v), types = d->simulated ? v.kernel->type_count : 1;
    const int step = (count + MOST_COMBINATIONS - 1) / MOST_COMBINATIONS;
    int admitted = 0;
    gr_variant_first(&v);
    do {
        if (gr_variant_admits(&v, NULL, NULL, NULL) != GRADUS_OK)
            continue;
        const int index = admitted++;
        if (index % step == 0 && index / step % types == type % types && !gr_variant_is_default(&v))
            measure(d, &v);
    } while (gr_variant_next(&v));
}

/* On the simulator, which takes its time, the transposes in the first type, the others as they are.
 */
static void drive(struct drive *d, const struct gr_kernel *kernel)
{
    for (int t = 0; t < kernel->type_count; t++) {
        const int transposes = t > 0 && d->simulated ? 1 : 4;
        for (int trans = 0; trans < transposes; trans++) {
            struct gr_variant v;
            if (gr_variant_make(kernel, kernel->types[t], trans & 2, trans & 1, &v, NULL) !=
                GRADUS_OK)
                continue;
            gr_backend_suit(d->session.backend, d->session.found, &v);
            measure(d, &v);
            if (trans == 0)
                drive_combinations(d, v, t);
        }
    }
}

int main(int argc, char **argv)
{
    static struct drive d;
    struct gradus_error error = {0};
    struct gr_catalog catalog = {0};
    const struct gr_kernel *kernel = NULL;
    struct gr_options options = gr_options_default();
    options.verify_only = true;
    options.threads = 2;
    options.fill = GR_FILL_UNIFORM;
    if (argc < 2 || argc > 3 ||
        gr_device_ref_parse(argc == 3 ? argv[2] : NULL, &options.device, &error) != GRADUS_OK ||
        gr_catalog_load(NULL, gr_device_is_host(&options.device) ? GR_LANGUAGE_C : GR_LANGUAGE_CUDA,
                        &catalog, &error) != GRADUS_OK ||
        gr_catalog_find(&catalog, argv[1], &kernel, &error) != GRADUS_OK ||
        gr_session_open(&options, &d.session, &error) != GRADUS_OK) {
        printf("cannot start: %s\n", error.text);
        return 1;
    }
    d.simulated = argc == 3;
    drive(&d, kernel);
    const struct gr_row *last = d.run.row_count ? &d.run.rows[d.run.row_count - 1] : NULL;
    bool nothing = d.passed + d.failed == 0 && d.skipped > 0;
    if (nothing)
        printf("skip: %s\n", last && last->reason ? last->reason : "cannot run here");
    else
        printf("%d right, %d not\n", d.passed, d.failed + d.skipped);
    gr_session_close(&d.session);
    gr_run_free(&d.run);
    gr_catalog_free(&catalog);
    return nothing ? 77 : d.failed + d.skipped > 0 || d.passed == 0;
}
