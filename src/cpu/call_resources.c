/* call_resources.c: the threads and the memory of one call. SPDX-License-Identifier: MIT */
#include "cpu/call_resources.h"

#include "core/error.h"
#include "cpu/cpu.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static _Thread_local int set_threads;

int gradus_set_threads(int threads)
{
    const int before = set_threads;
    set_threads = threads > 0 ? threads : 0;
    return before;
}

/* This is defined only if the program is linked with an OpenMP run time; otherwise its address is
 * null. */
extern int omp_in_parallel(void) __attribute__((weak));

/* Inside a parallel region of the caller, the cores are in use already. Threads that other products
 * use are subtracted as well, so that simultaneous callers share the cores. A workspace that the
 * caller provides has been sized for all threads, so nothing is subtracted then. */
static int threads_by_default(const struct gradus_gemm *g)
{
    if (set_threads)
        return set_threads;
    if (omp_in_parallel && omp_in_parallel())
        return 1;
    const int busy = g->workspace ? 0 : gr_workspace_busy_threads();
    return gr_cpu_threads_capped(gr_cpu_threads_default()) - busy;
}

int gr_call_threads(const struct gradus_gemm *g, int worth)
{
    if (worth <= 1 || g->threads == 1)
        return 1;
    if (g->context)
        return g->context->workspace.threads;
    const int wanted = g->threads ? g->threads : threads_by_default(g);
    return wanted <= 1 ? 1 : gr_cpu_threads_capped(wanted < worth ? wanted : worth);
}

static bool enter(struct gradus_context *context)
{
    return !atomic_load_explicit(&context->entered, memory_order_relaxed) &&
           !atomic_exchange_explicit(&context->entered, 1, memory_order_acquire);
}

static void bring(struct gr_workspace *workspace, const struct gradus_gemm *g)
{
    const uintptr_t before = (uintptr_t)g->workspace % GR_LENT_ALIGNMENT;
    const int64_t skip = before ? GR_LENT_ALIGNMENT - (int64_t)before : 0;
    workspace->lent = true;
    workspace->buffer = (char *)g->workspace + skip;
    workspace->buffer_bytes =
        g->workspace_bytes - GR_LENT_ALIGNMENT; /* gradus_gemm_workspace has added the alignment */
}

void gr_call_resources_take(struct gr_call_resources *resources, const struct gradus_gemm *g,
                            int threads)
{
    *resources = (struct gr_call_resources){.fp = gr_fp_hold()};
    if (g->context && enter(g->context)) {
        resources->context = g->context;
        resources->source = &g->context->workspace;
    } else if (!g->workspace || (threads > 1 && !g->context)) {
        resources->source = gr_workspace_take(g->context ? 1 : threads);
    }
    if (resources->source)
        resources->workspace = *resources->source;
    if (threads <= 1)
        resources->workspace.team = NULL;
    if (g->workspace) {
        bring(&resources->workspace, g);
        resources->workspace.threads =
            resources->workspace.threads > 0 ? resources->workspace.threads : 1;
    }
}

/* The product may have replaced the buffer by a larger one, so the buffer is returned to its owner
 * too. */
void gr_call_resources_give(struct gr_call_resources *resources)
{
    if (resources->source && !resources->workspace.lent) {
        resources->source->buffer = resources->workspace.buffer;
        resources->source->buffer_bytes = resources->workspace.buffer_bytes;
    }
    if (resources->context)
        atomic_store_explicit(&resources->context->entered, 0, memory_order_release);
    else if (resources->source)
        gr_workspace_give(resources->source);
    gr_fp_release(resources->fp);
}

enum gradus_status gradus_context_create(int threads, struct gradus_context **context,
                                         struct gradus_error *error)
{
    if (!context)
        return gr_fail(
            error, GRADUS_INVALID,
            "gradus_context_create: context: found a null pointer, wanted a place for it");
    *context = NULL;
    if (threads < 0)
        return gr_fail(error, GRADUS_INVALID,
                       "gradus_context_create: threads: found %d, wanted 0 (as many as allowed) or "
                       "more",
                       threads);
    struct gradus_context *made = calloc(1, sizeof *made);
    threads = gr_cpu_threads_capped(threads ? threads : gr_cpu_threads_default());
    if (made && threads > 1)
        made->workspace.team = gr_team_open(threads);
    if (!made || (threads > 1 && !made->workspace.team)) {
        free(made);
        return gr_fail_memory(error, "a context", sizeof *made);
    }
    made->workspace.threads = made->workspace.team ? made->workspace.team->threads : 1;
    *context = made;
    return GRADUS_OK;
}

void gradus_context_free(struct gradus_context *context)
{
    if (!context)
        return;
    gr_team_close(context->workspace.team);
    free(context->workspace.buffer);
    free(context);
}
