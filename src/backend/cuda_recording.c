/* cuda_recording.c: graphs between events. A driver without graphs runs everything as it is
 * enqueued, and short kernels are then timed with their launches. SPDX-License-Identifier: MIT */
#include "backend/cuda_recording.h"

#include "core/error.h"

static CUevent start, stop;

static bool has_graphs(const struct gr_cuda *cuda)
{
    return cuda->capture_begin && cuda->capture_end && cuda->graph_instantiate &&
           cuda->graph_launch && cuda->graph_destroy && cuda->graph_exec_destroy;
}

static CUresult make_events(const struct gr_cuda *cuda)
{
    CUresult result = GR_CUDA_SUCCESS;
    if (!start)
        result = cuda->event_create(&start, 0);
    if (result == GR_CUDA_SUCCESS && !stop)
        result = cuda->event_create(&stop, 0);
    return result;
}

enum gradus_status gr_cuda_recording_begin(const struct gr_cuda_context *context,
                                           struct gradus_error *error)
{
    const struct gr_cuda *cuda = context->cuda;
    CUresult result = make_events(cuda);
    if (result == GR_CUDA_SUCCESS)
        result = has_graphs(cuda) ? cuda->capture_begin(context->stream, GR_CUDA_CAPTURE_RELAXED)
                                  : cuda->event_record(start, context->stream);
    return gr_cuda_check(cuda, result, "before a launch", error);
}

/* The recorded graph, played once between the events. */
static CUresult play(const struct gr_cuda_context *context)
{
    const struct gr_cuda *cuda = context->cuda;
    CUgraph graph = NULL;
    CUgraphExec executable = NULL;
    CUresult result = cuda->capture_end(context->stream, &graph);
    if (result == GR_CUDA_SUCCESS)
        result = cuda->graph_instantiate(&executable, graph, 0);
    if (result == GR_CUDA_SUCCESS)
        result = cuda->event_record(start, context->stream);
    if (result == GR_CUDA_SUCCESS)
        result = cuda->graph_launch(executable, context->stream);
    if (result == GR_CUDA_SUCCESS)
        result = cuda->event_record(stop, context->stream);
    if (result == GR_CUDA_SUCCESS)
        result = cuda->stream_synchronize(context->stream);
    if (executable)
        cuda->graph_exec_destroy(executable);
    if (graph)
        cuda->graph_destroy(graph);
    return result;
}

enum gradus_status gr_cuda_recording_end(const struct gr_cuda_context *context, int64_t *ns,
                                         struct gradus_error *error)
{
    const struct gr_cuda *cuda = context->cuda;
    CUresult result;
    if (has_graphs(cuda)) {
        result = play(context);
    } else {
        result = cuda->event_record(stop, context->stream);
        if (result == GR_CUDA_SUCCESS)
            result = cuda->stream_synchronize(context->stream);
    }
    float ms = 0;
    if (result == GR_CUDA_SUCCESS)
        result = cuda->event_elapsed_ms(&ms, start, stop);
    *ns = (int64_t)((double)ms * 1e6);
    return gr_cuda_check(cuda, result, "the kernel", error);
}
