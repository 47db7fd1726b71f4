/* cuda_recording.c: captures a graph and launches it between two events. With a driver without
 * graphs, everything runs when it is submitted, and the times of short kernels include launch
 * overhead. SPDX-License-Identifier: MIT */
#include "backend/cuda_recording.h"

#include "core/error.h"

static bool has_graphs(const struct gr_cuda *cuda)
{
    return cuda->capture_begin && cuda->capture_end && cuda->graph_instantiate &&
           cuda->graph_launch && cuda->graph_destroy && cuda->graph_exec_destroy;
}

static CUresult make_events(const struct gr_cuda *cuda, struct gr_cuda_recording *r)
{
    CUresult result = GR_CUDA_SUCCESS;
    if (!r->start)
        result = cuda->event_create(&r->start, 0);
    if (result == GR_CUDA_SUCCESS && !r->stop)
        result = cuda->event_create(&r->stop, 0);
    return result;
}

void gr_cuda_recording_free(const struct gr_cuda_context *context, struct gr_cuda_recording *r)
{
    if (r->start)
        context->cuda->event_destroy(r->start);
    if (r->stop)
        context->cuda->event_destroy(r->stop);
    *r = (struct gr_cuda_recording){0};
}

enum gradus_status gr_cuda_recording_begin(const struct gr_cuda_context *context,
                                           struct gr_cuda_recording *r, struct gradus_error *error)
{
    const struct gr_cuda *cuda = context->cuda;
    CUresult result = make_events(cuda, r);
    if (result == GR_CUDA_SUCCESS)
        result = has_graphs(cuda) ? cuda->capture_begin(context->stream, GR_CUDA_CAPTURE_RELAXED)
                                  : cuda->event_record(r->start, context->stream);
    return gr_cuda_check(cuda, result, "before a launch", error);
}

/* Launches the captured graph once, between the events. */
static CUresult play(const struct gr_cuda_context *context, const struct gr_cuda_recording *r)
{
    const struct gr_cuda *cuda = context->cuda;
    CUgraph graph = NULL;
    CUgraphExec executable = NULL;
    CUresult result = cuda->capture_end(context->stream, &graph);
    if (result == GR_CUDA_SUCCESS)
        result = cuda->graph_instantiate(&executable, graph, 0);
    if (result == GR_CUDA_SUCCESS)
        result = cuda->event_record(r->start, context->stream);
    if (result == GR_CUDA_SUCCESS)
        result = cuda->graph_launch(executable, context->stream);
    if (result == GR_CUDA_SUCCESS)
        result = cuda->event_record(r->stop, context->stream);
    if (result == GR_CUDA_SUCCESS)
        result = cuda->stream_synchronize(context->stream);
    if (executable)
        cuda->graph_exec_destroy(executable);
    if (graph)
        cuda->graph_destroy(graph);
    return result;
}

enum gradus_status gr_cuda_recording_end(const struct gr_cuda_context *context,
                                         struct gr_cuda_recording *r, int64_t *ns,
                                         struct gradus_error *error)
{
    const struct gr_cuda *cuda = context->cuda;
    CUresult result;
    if (has_graphs(cuda)) {
        result = play(context, r);
    } else {
        result = cuda->event_record(r->stop, context->stream);
        if (result == GR_CUDA_SUCCESS)
            result = cuda->stream_synchronize(context->stream);
    }
    float ms = 0;
    if (result == GR_CUDA_SUCCESS)
        result = cuda->event_elapsed_ms(&ms, r->start, r->stop);
    *ns = (int64_t)((double)ms * 1e6);
    return gr_cuda_check(cuda, result, "the kernel", error);
}
