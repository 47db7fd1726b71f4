/* session.c: manages the worker, the peers and the shared memory of a run.
 * SPDX-License-Identifier: MIT */
#include "measure/session.h"

#include "core/clock.h"
#include "core/error.h"
#include "base/stop.h"
#include "base/str.h"
#include "cpu/cpu.h"
#include "plan/launch_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For starting a worker, loading and mapping, which run no kernel. */
const int64_t gr_housekeeping_limit_ns = 60LL * 1000000000;

/* Loading runs the constructors in the kernel's file, which get the kernel's time limit; this is
 * added for the loader. */
static const int64_t loader_ns = 1000000000;

struct gr_options gr_options_default(void)
{
    return (struct gr_options){.device = gr_device_ref_cpu(),
                               .fill = GR_FILL_UNIFORM,
                               .seed = 1,
                               .time_limit_ns = 12LL * 1000000000,
                               .budget_ns = 600000000};
}

struct gr_row_tracing gr_session_tracing(const struct gr_session *session)
{
    const struct gr_options *o = &session->options;
    return (struct gr_row_tracing){.device = &o->device,
                                   .present = session->about.name,
                                   .build = &o->build,
                                   .follower = o->follower,
                                   .strict = o->strict,
                                   .count = session->counting,
                                   .edges = !o->no_shapes && !o->inputs.a};
}

void gr_session_report(const struct gr_session *session, const char *format, ...)
{
    const struct gr_follower *follower = session->options.follower;
    if (!follower || !follower->stage)
        return;
    struct gr_str text = {0};
    va_list args;
    va_start(args, format);
    gr_str_vprintf(&text, format, args);
    va_end(args);
    follower->stage(follower->context, gr_str_text(&text));
    gr_str_free(&text);
}

static bool is_of_device(const struct gr_session *s, const struct gr_peer_kind *kind)
{
    return strcmp(kind->device ? kind->device : "cpu", s->backend->name) == 0;
}

static enum gradus_status no_such_peer(const struct gr_session *s, const char *name,
                                       struct gradus_error *error)
{
    struct gr_str known = {0};
    for (int i = 0; i < gr_peer_count(); i++)
        if (is_of_device(s, gr_peer_at(i)))
            gr_str_printf(&known, "%s, ", gr_peer_at(i)->name);
    gr_fail(error, GRADUS_INVALID, "no peer '%s', wanted one of %sor none", name,
            gr_str_text(&known));
    gr_str_free(&known);
    return GRADUS_INVALID;
}

static bool is_chosen(const struct gr_session *s, const struct gr_peer_kind *kind)
{
    for (int i = 0; i < s->peer_count; i++)
        if (s->peers[i].kind == kind)
            return true;
    return false;
}

/* Lists the peers that the user named. */
static enum gradus_status named_peers(struct gr_session *s, struct gradus_error *error)
{
    const struct gr_options *o = &s->options;
    for (int i = 0; i < o->peer_count; i++) {
        const struct gr_peer_kind *kind = gr_peer_find(o->peers[i]);
        if (!kind)
            return no_such_peer(s, o->peers[i], error);
        if (!is_of_device(s, kind))
            return gr_fail(error, GRADUS_INVALID, "--peer %s: it runs on %s, not on %s", kind->name,
                           kind->device ? kind->device : "cpu", s->backend->name);
        if (is_chosen(s, kind)) /* named twice */
            continue;
        s->peers[s->peer_count++] = (struct gr_session_peer){.kind = kind, .index = -1};
    }
    return GRADUS_OK;
}

/* Chooses the peers: those that the user named, or else all of the device that support the types
 * with at least the required precision. */
static enum gradus_status choose_peers(struct gr_session *s, struct gradus_error *error)
{
    if (s->options.peers)
        return named_peers(s, error);
    for (int i = 0; i < gr_peer_count(); i++) {
        const struct gr_peer_kind *kind = gr_peer_at(i);
        if (is_of_device(s, kind) && !kind->math && !kind->only_named)
            s->peers[s->peer_count++] = (struct gr_session_peer){.kind = kind, .index = -1};
    }
    return GRADUS_OK;
}

static void forget_device(struct gr_session *s)
{
    if (s->backend)
        s->backend->forget(s->found);
    s->found = NULL;
}

/* Finds the device. If there is no GPU, the error lists the available devices. */
static enum gradus_status find_device(struct gr_session *s, struct gradus_error *error)
{
    enum gradus_status status = s->backend->find(&s->options.device, &s->found, &s->about, error);
    if (status != GRADUS_UNSUPPORTED || !error || gr_device_is_host(&s->options.device) ||
        gr_device_is_simulated(&s->options.device))
        return status;
    char *why = gr_strdup(error->text);
    gr_fail(error, status, "%s; without a GPU: --device sim", why ? why : "no GPU");
    free(why);
    return status;
}

enum gradus_status gr_session_open(const struct gr_options *options, struct gr_session *s,
                                   struct gradus_error *error)
{
    *s = (struct gr_session){.options = *options, .arena.fd = -1};
    s->child.socket = s->child.mailbox_fd = -1;
    s->least = s->most = (struct gr_device_state){-1, -1, -1};
    s->backend = options->device.backend;
    s->counting = s->backend->simulates && !options->verify_only;
    s->options.verify_only |= s->backend->simulates;
    s->threads = options->threads > 0 ? options->threads : gr_cpu_threads_default();
    s->callers = options->callers > 1 ? options->callers : 1;
    enum gradus_status status = find_device(s, error);
    s->llc_bytes = s->about.cache_bytes ? s->about.cache_bytes : 32 << 20;
    if (status == GRADUS_OK)
        status = choose_peers(s, error);
    if (status == GRADUS_OK)
        status = gr_arena_create(&s->arena, error);
    if (status != GRADUS_OK)
        forget_device(s);
    return status;
}

static void free_pairs(struct gr_session *s)
{
    for (int i = 0; i < GR_PAIRS; i++)
        gr_pair_free(&s->pairs[i]);
    s->have_pairs = false;
}

uint64_t gr_session_margin(const struct gr_session *s)
{
    return s->backend->memory ? GR_ZONE_BYTES : 0;
}

int gr_session_threads(const struct gr_session *s)
{
    return s->backend->memory ? 0 : s->threads;
}

/* Nothing is loaded: the worker is gone. */
static void forget_loaded(struct gr_session *s)
{
    for (int i = 0; i < GR_MAX_KERNELS; i++) {
        free(s->loaded[i]);
        s->loaded[i] = NULL;
    }
}

void gr_session_close(struct gr_session *s)
{
    gr_child_stop(&s->child);
    forget_loaded(s);
    gr_arena_close(&s->arena);
    free_pairs(s);
    forget_device(s);
}

enum gradus_status gr_session_pairs(struct gr_session *s, const struct gr_problem *problem,
                                    const char *math, struct gradus_error *error)
{
    const struct gr_problem *have = &s->pairs[0].problem;
    if (s->have_pairs && have->m == problem->m && have->n == problem->n && have->k == problem->k &&
        have->trans_a == problem->trans_a && have->trans_b == problem->trans_b &&
        gr_types_equal(have->types, problem->types) && strcmp(s->pairs_math, math ? math : "") == 0)
        return GRADUS_OK;
    free_pairs(s);
    snprintf(s->pairs_math, sizeof s->pairs_math, "%s", math ? math : "");
    /* Checked first, because a process that uses memory which was promised but is not available
     * is killed. */
    double needed = GR_PAIRS * gr_problem_bytes(problem), available = (double)gr_memory_available();
    if (needed > 0.9 * available) {
        char size[64];
        gr_size_name(problem->m, problem->n, problem->k, size, sizeof size);
        return gr_fail(error, GRADUS_NO_MEMORY,
                       "%s: verifying needs %.1f GB for operands and %.1f GB are free; choose a "
                       "smaller size",
                       size, 1e-9 * needed, 1e-9 * available);
    }
    gr_session_report(s, "reference");
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < GR_PAIRS && status == GRADUS_OK; i++) {
        /* The first pair decides the verdict. The others check repetitions, for which Freivalds'
         * check is sufficient. */
        int64_t full_limit = i == 0 ? 0 : 512 * 512 * 512;
        const struct gr_inputs *inputs = s->options.inputs.a && i == 0 ? &s->options.inputs : NULL;
        status = gr_pair_make(problem, s->options.fill, s->options.seed + (uint64_t)i, math, inputs,
                              full_limit, s->threads, &s->pairs[i], error);
        if (status == GRADUS_OK && gr_stop_requested())
            status = gr_fail(error, GRADUS_INTERRUPTED, "interrupted");
    }
    if (status != GRADUS_OK)
        free_pairs(s);
    s->have_pairs = status == GRADUS_OK;
    return status;
}

enum gradus_status gr_session_ask(struct gr_session *s, const struct gr_request *request,
                                  struct gr_reply *reply, int64_t limit_ns,
                                  struct gradus_error *error)
{
    enum gradus_status status = gr_child_ask(&s->child, request, reply, limit_ns, error);
    if (!s->child.pid)
        forget_loaded(s);
    return status;
}

static enum gradus_status map_in_worker(struct gr_session *s, struct gradus_error *error)
{
    struct gr_request request = {.op = GR_OP_MAP, .map = s->arena.plan};
    struct gr_reply reply;
    return gr_session_ask(s, &request, &reply, gr_housekeeping_limit_ns, error);
}

static enum gradus_status open_device(struct gr_session *s, struct gradus_error *error)
{
    struct gr_request request = {.op = GR_OP_OPEN};
    struct gr_reply reply;
    snprintf(request.device, sizeof request.device, "%s", s->options.device.text);
    return gr_session_ask(s, &request, &reply, gr_housekeeping_limit_ns, error);
}

static enum gradus_status start_worker(struct gr_session *s, struct gradus_error *error)
{
    gr_child_stop(&s->child);
    forget_loaded(s);
    for (int i = 0; i < s->peer_count; i++)
        s->peers[i].index = -1;
    enum gradus_status status = gr_child_start(&s->child, &s->arena, s->threads, s->callers, error);
    if (status == GRADUS_OK)
        status = open_device(s, error);
    if (status == GRADUS_OK && s->arena.base)
        status = map_in_worker(s, error);
    return status;
}

enum gradus_status gr_session_arena(struct gr_session *s, const struct gr_arena_plan *plan,
                                    struct gradus_error *error)
{
    bool fits = s->arena.base && plan->count <= s->arena.plan.count;
    for (int i = 0; fits && i < plan->count; i++)
        fits = plan->bytes[i] <= s->arena.plan.bytes[i];
    if (fits)
        return GRADUS_OK;
    /* Segments never shrink, unless memory is short, so that trials and timing do not replace each
     * other's segments. */
    struct gr_arena_plan grown = *plan;
    for (int i = 0; i < s->arena.plan.count; i++) {
        if (i >= plan->count || s->arena.plan.bytes[i] > plan->bytes[i])
            grown.bytes[i] = s->arena.plan.bytes[i];
        grown.count = i >= grown.count ? i + 1 : grown.count;
    }
    enum gradus_status status = gr_arena_map(&s->arena, &grown, true, error);
    if (status == GRADUS_NO_MEMORY)
        status = gr_arena_map(&s->arena, plan, true, error);
    if (status == GRADUS_OK && s->child.pid)
        status = map_in_worker(s, error);
    /* A worker whose kernel has lowered the process's limits may be unable to map what this
     * process could; a new worker can. */
    if (status == GRADUS_NO_MEMORY && s->arena.base)
        status = start_worker(s, error);
    return status;
}

static enum gradus_status open_peer(struct gr_session *s, struct gr_session_peer *peer,
                                    struct gradus_error *error)
{
    if (peer->missing)
        return gr_fail(error, GRADUS_UNSUPPORTED, "%s", peer->why);
    if (peer->index >= 0)
        return GRADUS_OK;
    struct gr_request request = {.op = GR_OP_PEER};
    struct gr_reply reply;
    snprintf(request.peer, sizeof request.peer, "%s", peer->kind->name);
    struct gradus_error why = {0};
    enum gradus_status status = gr_session_ask(s, &request, &reply, gr_housekeeping_limit_ns, &why);
    if (status == GRADUS_INTERRUPTED) {
        gr_fail(error, status, "%s", why.text);
    } else if (status == GRADUS_OK) {
        peer->index = reply.index;
        peer->about = reply.peer;
    } else {
        peer->missing = true;
        snprintf(peer->why, sizeof peer->why, "%.255s", why.text);
        gr_fail(error, GRADUS_UNSUPPORTED, "%s", why.text);
        status = GRADUS_UNSUPPORTED;
    }
    gradus_error_clear(&why);
    return status;
}

/* Loads the candidate's kernel, unless it is loaded already. */
static enum gradus_status load(struct gr_session *s, const struct gr_candidate *candidate,
                               struct gradus_error *error)
{
    const struct gr_artifact *artifact = candidate->artifact;
    char **loaded = &s->loaded[candidate->slot];
    char *wanted = gr_printf("%s\n%s", artifact->symbol, artifact->path);
    if (wanted && *loaded && strcmp(*loaded, wanted) == 0) {
        free(wanted);
        return GRADUS_OK;
    }
    struct gr_request request = {.op = GR_OP_LOAD, .load = {candidate->slot, *artifact}};
    struct gr_reply reply;
    enum gradus_status status =
        gr_session_ask(s, &request, &reply, s->options.time_limit_ns + loader_ns, error);
    free(*loaded);
    *loaded = status == GRADUS_OK ? wanted : NULL;
    if (status != GRADUS_OK)
        free(wanted);
    return status;
}

enum gradus_status gr_session_ready(struct gr_session *s, const struct gr_candidate *candidate,
                                    int *candidate_id, struct gradus_error *error)
{
    enum gradus_status status = s->child.pid ? GRADUS_OK : start_worker(s, error);
    if (status != GRADUS_OK)
        return status;
    if (!candidate->variant) {
        status = open_peer(s, &s->peers[candidate->peer], error);
        *candidate_id = s->peers[candidate->peer].index;
        return status;
    }
    *candidate_id = GR_CANDIDATE_KERNEL - candidate->slot;
    return load(s, candidate, error);
}

static void lacks(struct gr_session_peer *peer, struct gr_types types)
{
    peer->missing = true;
    snprintf(peer->why, sizeof peer->why, "%s has no %s GEMM", peer->kind->name,
             gr_types_word(types));
}

enum gradus_status gr_session_open_peers(struct gr_session *s, struct gr_types types,
                                         struct gradus_error *error)
{
    for (int i = 0; i < s->peer_count; i++) {
        struct gr_session_peer *peer = &s->peers[i];
        if (!peer->missing && !(peer->kind->types & gr_types_bit(types))) {
            lacks(peer, types);
            continue;
        }
        gr_session_report(s, "opening %s", peer->kind->name);
        struct gr_candidate candidate = {.peer = i};
        int id;
        struct gradus_error why = {0};
        enum gradus_status status = gr_session_ready(s, &candidate, &id, &why);
        if (status != GRADUS_OK && status != GRADUS_UNSUPPORTED) {
            gr_fail(error, status, "%s", why.text);
            gradus_error_clear(&why);
            return status;
        }
        gradus_error_clear(&why);
        if (!peer->missing && !(peer->about.types & gr_types_bit(types)))
            lacks(peer, types);
    }
    return GRADUS_OK;
}

static void add_ceiling(struct gr_environment *environment, const char *name, double gflops)
{
    size_t count = (size_t)environment->ceiling_count;
    struct gr_ceiling *grown = realloc(environment->ceilings, (count + 1) * sizeof *grown);
    if (!grown)
        return;
    environment->ceilings = grown;
    grown[count] = (struct gr_ceiling){.value = gflops, .unit = "GFLOP/s"};
    snprintf(grown[count].name, sizeof grown[count].name, "%s", name);
    environment->ceiling_count++;
}

void gr_session_raise_ceilings(const struct gr_session *s, struct gr_environment *environment)
{
    for (int type = 0; type < GR_DTYPE_COUNT; type++) {
        char name[32];
        bool known = false;
        snprintf(name, sizeof name, "fma.%s.%d", gr_dtype_name((enum gr_dtype)type),
                 gr_session_threads(s) * s->callers);
        for (int i = 0; i < environment->ceiling_count; i++) {
            if (strcmp(environment->ceilings[i].name, name) != 0)
                continue;
            known = true;
            if (environment->ceilings[i].value < s->fma_gflops[type])
                environment->ceilings[i].value = s->fma_gflops[type];
        }
        if (!known && s->fma_gflops[type] > 0)
            add_ceiling(environment, name, s->fma_gflops[type]);
    }
}

/* An address with the alignment that the operand will have in the worker. */
static const void *bound_address(const struct gr_session *s, struct gr_arena_place place)
{
    static unsigned char *const huge_page = (unsigned char *)((uintptr_t)1 << 30);
    return (place.segment >= GR_ROTATION_A ? huge_page : s->arena.segment[place.segment]) +
           place.offset;
}

/* Checks the launches against the known resources of the code. */
static enum gradus_status admit_launches(const struct gr_session *s,
                                         const struct gr_candidate *candidate,
                                         const struct gr_plan *plan, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; s->backend->limits && i < plan->launch_count && status == GRADUS_OK; i++)
        status = gr_launch_admits(s->backend->limits(s->found), candidate->variant->kernel->name,
                                  &plan->launches[i],
                                  &candidate->artifact->code[plan->launches[i].stanza], error);
    return status;
}

enum gradus_status gr_session_bind(const struct gr_session *s, const struct gr_candidate *candidate,
                                   struct gr_work_item *item, struct gradus_error *error)
{
    item->work_count = 0;
    if (!candidate->variant)
        return GRADUS_OK;
    /* For an empty C a device has nothing to launch, and kernels' expressions would divide by M
     * and N. */
    item->plan.launch_count = 0;
    if (s->backend->plan && (item->problem.m == 0 || item->problem.n == 0))
        return GRADUS_OK;
    const struct gr_kernel *kernel = candidate->variant->kernel;
    struct gr_device_values device_values;
    s->backend->device_values(s->found, candidate->artifact, s->threads, &device_values);
    device_values.a = bound_address(s, item->a);
    device_values.b = bound_address(s, item->b);
    device_values.c = bound_address(s, item->c);
    enum gradus_status status =
        gr_variant_admits(candidate->variant, &item->problem, &device_values, error);
    if (status == GRADUS_OK)
        status = gr_variant_args(candidate->variant, &item->problem, &device_values, item->args,
                                 item->work_bytes, error);
    gr_plan_zero_c(kernel, &item->problem, &item->plan);
    if (status == GRADUS_OK && s->backend->plan)
        status = s->backend->plan(candidate->variant, &item->problem, &device_values, &item->plan,
                                  error);
    if (status == GRADUS_OK && s->backend->plan)
        status = admit_launches(s, candidate, &item->plan, error);
    item->work_count = kernel->work_count;
    for (int i = 0; i < kernel->work_count; i++)
        item->work_zero[i] = kernel->works[i].zero;
    return status;
}
