/* gpu_recording.c: graphs between events. A driver without graphs runs everything as it is
 * enqueued, and short kernels are then timed with their launches. SPDX-License-Identifier: MIT */
#include "backend/gpu_recording.h"

#include "core/error.h"
#include "gpu/vendor.h"

static bool has_graphs(const struct gr_gpu_driver *driver)
{
    return driver->capture_begin && driver->capture_end && driver->graph_instantiate &&
           driver->graph_launch && driver->graph_destroy && driver->graph_exec_destroy;
}

static gr_gpu_result make_events(const struct gr_gpu_driver *driver, struct gr_gpu_recording *r)
{
    gr_gpu_result result = GR_GPU_SUCCESS;
    if (!r->start)
        result = driver->event_create(&r->start, 0);
    if (result == GR_GPU_SUCCESS && !r->stop)
        result = driver->event_create(&r->stop, 0);
    return result;
}

void gr_gpu_recording_free(const struct gr_gpu_context *context, struct gr_gpu_recording *r)
{
    if (r->start)
        context->driver->event_destroy(r->start);
    if (r->stop)
        context->driver->event_destroy(r->stop);
    *r = (struct gr_gpu_recording){0};
}

enum gradus_status gr_gpu_recording_begin(const struct gr_gpu_context *context,
                                          struct gr_gpu_recording *r, struct gradus_error *error)
{
    const struct gr_gpu_driver *driver = context->driver;
    gr_gpu_result result = make_events(driver, r);
    if (result == GR_GPU_SUCCESS)
        result = has_graphs(driver) ? driver->capture_begin(context->stream, GR_GPU_CAPTURE_RELAXED)
                                    : driver->event_record(r->start, context->stream);
    return gr_gpu_check(driver, result, "before a launch", error);
}

/* The recorded graph, played once between the events. */
static gr_gpu_result play(const struct gr_gpu_context *context, const struct gr_gpu_recording *r)
{
    const struct gr_gpu_driver *driver = context->driver;
    gr_gpu_graph graph = NULL;
    gr_gpu_graph_exec executable = NULL;
    gr_gpu_result result = driver->capture_end(context->stream, &graph);
    if (result == GR_GPU_SUCCESS)
        result = driver->graph_instantiate(&executable, graph, 0);
    if (result == GR_GPU_SUCCESS)
        result = driver->event_record(r->start, context->stream);
    if (result == GR_GPU_SUCCESS)
        result = driver->graph_launch(executable, context->stream);
    if (result == GR_GPU_SUCCESS)
        result = driver->event_record(r->stop, context->stream);
    if (result == GR_GPU_SUCCESS)
        result = driver->stream_synchronize(context->stream);
    if (executable)
        driver->graph_exec_destroy(executable);
    if (graph)
        driver->graph_destroy(graph);
    return result;
}

enum gradus_status gr_gpu_recording_end(const struct gr_gpu_context *context,
                                        struct gr_gpu_recording *r, int64_t *ns,
                                        struct gradus_error *error)
{
    const struct gr_gpu_driver *driver = context->driver;
    gr_gpu_result result;
    if (has_graphs(driver)) {
        result = play(context, r);
    } else {
        result = driver->event_record(r->stop, context->stream);
        if (result == GR_GPU_SUCCESS)
            result = driver->stream_synchronize(context->stream);
    }
    float ms = 0;
    if (result == GR_GPU_SUCCESS)
        result = driver->event_elapsed_ms(&ms, r->start, r->stop);
    *ns = (int64_t)((double)ms * 1e6);
    return gr_gpu_check(driver, result, "the kernel", error);
}
