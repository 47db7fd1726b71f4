/* fake_launch.c: the fake driver's streams, events, graphs and launches, each launch written down.
 * SPDX-License-Identifier: MIT */
#include "fake_driver.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SMEM_MOST = 232448, THREADS_MOST = 1024, LINE = 4096 };

/* What a launch may request without asking first. */
static int smem_usual(void)
{
    return (int)fake_number("GRADUS_FAKE_SMEM", 48 * 1024);
}

/* The lines of what was captured. */
struct graph {
    char *text;
    size_t length;
};

struct gr_gpu_stream_s {
    bool capturing;
    struct graph recorded;
};

struct gr_gpu_event_s {
    double ms;
    struct fake_clock clock;
};

static struct gr_gpu_stream_s usual_stream;

static struct gr_gpu_stream_s *stream_of(gr_gpu_stream stream)
{
    return (uintptr_t)stream > 2 ? stream : &usual_stream; /* 1 and 2: CUDA's names of it */
}

/* One write a text, so that the lines of two processes do not mix. */
static void write_log(const char *text, size_t length)
{
    const char *path = getenv("GRADUS_FAKE_LOG");
    int file = path && *path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0644) : -1;
    if (file < 0)
        return;
    if (write(file, text, length) < 0)
        perror(path);
    close(file);
}

static gr_gpu_result append(struct graph *graph, const char *line, size_t length)
{
    char *text = realloc(graph->text, graph->length + length);
    if (!text)
        return GR_CUDA_OUT_OF_MEMORY;
    memcpy(text + graph->length, line, length);
    graph->text = text;
    graph->length += length;
    return GR_GPU_SUCCESS;
}

static gr_gpu_result record(struct gr_gpu_stream_s *stream, const char *line, size_t length)
{
    if (stream->capturing)
        return append(&stream->recorded, line, length);
    write_log(line, length);
    return GR_GPU_SUCCESS;
}

/* ---- Launches ---- */

enum { PROGRAMMATIC_SERIALIZATION = 6 }; /* of CUlaunchAttributeID */

static atomic_bool launched;
static fake_hook *hook;
static _Thread_local const struct gr_gpu_launch_config *hooked;

void fake_on_launch(fake_hook *called)
{
    hook = called;
}

unsigned fake_launch_rows(void)
{
    return hooked->grid[1];
}

const void *fake_launch_stream(void)
{
    return hooked->stream;
}

/* As a profiler that writes its tables then: it takes a while, and who kills the process meanwhile
 * loses them. */
__attribute__((destructor)) static void note_end(void)
{
    const struct timespec while_it_writes = {.tv_nsec = 300000000};
    const char *path = getenv("GRADUS_FAKE_END");
    if (!launched || !path)
        return;
    nanosleep(&while_it_writes, NULL);
    FILE *file = fopen(path, "we");
    if (file)
        fclose(file);
}

static bool fits(const struct gr_gpu_launch_config *c, const struct fake_kernel *kernel)
{
    unsigned threads = c->block[0] * c->block[1] * c->block[2];
    int smem_most =
        kernel->dynamic_bytes_allowed > 0 ? kernel->dynamic_bytes_allowed : smem_usual();
    return c->grid[0] > 0 && c->grid[0] <= 0x7FFFFFFF && c->grid[1] > 0 && c->grid[1] <= 65535 &&
           c->grid[2] > 0 && c->grid[2] <= 65535 && c->block[2] <= 64 && threads > 0 &&
           threads <= THREADS_MOST && c->shared_bytes <= (unsigned)smem_most;
}

/* A grid is a whole number of clusters. Notes a launch that need not wait for earlier ones. */
static bool takes_attributes(const struct gr_gpu_launch_config *c, unsigned cluster[3])
{
    memset(cluster, 0, 3 * sizeof *cluster);
    for (unsigned i = 0; i < c->attribute_count; i++)
        if (c->attributes[i].id == PROGRAMMATIC_SERIALIZATION)
            fake_count("early");
        else if (c->attributes[i].id == GR_GPU_LAUNCH_CLUSTER_DIMENSION) {
            cluster[0] = c->attributes[i].value.cluster.x;
            cluster[1] = c->attributes[i].value.cluster.y;
            cluster[2] = c->attributes[i].value.cluster.z;
        }
    for (int i = 0; i < 3 && cluster[0]; i++)
        if (cluster[i] == 0 || c->grid[i] % cluster[i] != 0)
            return false;
    return true;
}

static int add_arguments(char *line, int at, const struct fake_kernel *kernel, void **parameters)
{
    for (int i = 0; i < kernel->parameter_count; i++) {
        const unsigned char *bytes = parameters[i];
        at += snprintf(line + at, (size_t)(LINE - at), " ");
        for (size_t j = 0; j < kernel->parameter_bytes[i] && at < LINE - 4; j++)
            at += snprintf(line + at, (size_t)(LINE - at), "%02x", bytes[j]);
    }
    return at;
}

/* Adds template arguments to a name, as the stand-in for the compiler does: _128_true_. Those that
 * are no numbers are left out. */
static void add_template_arguments(const char *mangled, char *name, size_t size)
{
    size_t at = strlen(name);
    if (*mangled != 'I' || mangled[1] != 'L')
        return;
    for (mangled++; *mangled == 'L'; mangled++) {
        const bool is_bool = mangled[1] == 'b';
        const int digits = (int)strcspn(mangled + 2, "E");
        if (is_bool)
            at +=
                (size_t)snprintf(name + at, size - at, "_%s", mangled[2] == '1' ? "true" : "false");
        else
            at += (size_t)snprintf(name + at, size - at, "_%.*s", digits, mangled + 2);
        mangled += 2 + digits;
    }
    snprintf(name + at, size - at, "_");
}

/* The name that a kernel has in its source: a compiled one's symbol is _Z, the name's length, the
 * name, its template arguments and the types of the parameters. */
static void name_in_source(const struct fake_kernel *kernel, char name[2 * sizeof kernel->symbol])
{
    char *start = NULL;
    const bool mangled = strncmp(kernel->symbol, "_Z", 2) == 0;
    const long length = mangled ? strtol(kernel->symbol + 2, &start, 10) : 0;
    if (length > 0) {
        snprintf(name, sizeof kernel->symbol, "%.*s", (int)length, start);
        add_template_arguments(start + length, name, 2 * sizeof kernel->symbol);
    } else
        snprintf(name, sizeof kernel->symbol, "%s", kernel->symbol);
}

gr_gpu_result cuLaunchKernelEx(const struct gr_gpu_launch_config *c, gr_gpu_function function,
                               void **parameters, void **extra)
{
    (void)extra;
    const struct fake_kernel *kernel = (const struct fake_kernel *)(const void *)function;
    unsigned cluster[3];
    char line[LINE], name[2 * sizeof kernel->symbol];
    gr_gpu_result result = fake_outcome("launch");
    if (result != GR_GPU_SUCCESS)
        return result;
    if (!fits(c, kernel) || !takes_attributes(c, cluster))
        return FAKE_INVALID_VALUE;
    name_in_source(kernel, name);
    int at =
        snprintf(line, sizeof line, "%s grid %u,%u,%u block %u,%u,%u smem %u cluster %u,%u,%u args",
                 name, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2],
                 c->shared_bytes, cluster[0], cluster[1], cluster[2]);
    at = add_arguments(line, at, kernel, parameters);
    line[at++] = '\n';
    launched = true;
    fake_note_launch(c->stream);
    fake_order_launch(c->stream);
    hooked = c;
    if (hook)
        hook(name, parameters);
    return record(stream_of(c->stream), line, (size_t)at);
}

gr_gpu_result cuLaunchKernel(gr_gpu_function function, unsigned grid_x, unsigned grid_y,
                             unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                             unsigned shared_bytes, gr_gpu_stream stream, void **parameters,
                             void **extra)
{
    const struct gr_gpu_launch_config config = {.grid = {grid_x, grid_y, grid_z},
                                                .block = {block_x, block_y, block_z},
                                                .shared_bytes = shared_bytes,
                                                .stream = stream};
    return cuLaunchKernelEx(&config, function, parameters, extra);
}

/* ---- What a function is ---- */

gr_gpu_result cuFuncGetAttribute(int *value, int attribute, gr_gpu_function function)
{
    const struct fake_kernel *kernel = (const struct fake_kernel *)(const void *)function;
    *value = 0;
    if (attribute == GR_GPU_FUNCTION_MAX_THREADS_PER_BLOCK)
        *value = THREADS_MOST;
    else if (attribute == GR_GPU_FUNCTION_REGISTERS)
        *value = 32;
    else if (attribute == GR_GPU_FUNCTION_MAX_DYNAMIC_SHARED_BYTES)
        *value = kernel->dynamic_bytes_allowed ? kernel->dynamic_bytes_allowed : smem_usual();
    return GR_GPU_SUCCESS;
}

gr_gpu_result cuFuncSetAttribute(gr_gpu_function function, int attribute, int value)
{
    struct fake_kernel *kernel = (struct fake_kernel *)(void *)function;
    if (attribute != GR_GPU_FUNCTION_MAX_DYNAMIC_SHARED_BYTES)
        return attribute == GR_GPU_FUNCTION_NON_PORTABLE_CLUSTER ? GR_GPU_SUCCESS
                                                                 : FAKE_INVALID_VALUE;
    if (value < 0 || value > SMEM_MOST)
        return FAKE_INVALID_VALUE;
    gr_gpu_result result = fake_outcome("smem");
    if (result == GR_GPU_SUCCESS)
        kernel->dynamic_bytes_allowed = value;
    return result;
}

gr_gpu_result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, gr_gpu_function function,
                                                          int threads, size_t dynamic_shared_bytes)
{
    (void)function;
    int by_threads = 2048 / threads, by_smem = (int)(233472 / (dynamic_shared_bytes + 1024));
    *blocks = by_threads < by_smem ? by_threads : by_smem;
    return GR_GPU_SUCCESS;
}

/* ---- Streams and events ---- */

gr_gpu_result cuStreamCreate(gr_gpu_stream *stream, unsigned flags)
{
    (void)flags;
    const gr_gpu_result result = fake_outcome("stream");
    if (result != GR_GPU_SUCCESS)
        return result;
    fake_count("streams");
    *stream = calloc(1, sizeof **stream);
    return *stream ? GR_GPU_SUCCESS : GR_CUDA_OUT_OF_MEMORY;
}

gr_gpu_result cuStreamDestroy_v2(gr_gpu_stream stream)
{
    fake_count("unstream");
    fake_order_end(stream);
    free(stream->recorded.text);
    free(stream);
    return GR_GPU_SUCCESS;
}

gr_gpu_result cuStreamSynchronize(gr_gpu_stream stream)
{
    fake_order_host_stream(stream);
    return fake_outcome("sync");
}

gr_gpu_result cuStreamWaitEvent(gr_gpu_stream stream, gr_gpu_event event, unsigned flags)
{
    (void)flags;
    fake_order_wait(stream, &event->clock);
    return fake_outcome("wait");
}

gr_gpu_result cuEventCreate(gr_gpu_event *event, unsigned flags)
{
    (void)flags;
    fake_count("made");
    *event = calloc(1, sizeof **event);
    return *event ? GR_GPU_SUCCESS : GR_CUDA_OUT_OF_MEMORY;
}

gr_gpu_result cuEventDestroy_v2(gr_gpu_event event)
{
    fake_count("unmade");
    free(event);
    return GR_GPU_SUCCESS;
}

gr_gpu_result cuEventRecord(gr_gpu_event event, gr_gpu_stream stream)
{
    fake_order_record(stream, &event->clock);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    event->ms = (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
    return fake_outcome("event");
}

gr_gpu_result cuEventSynchronize(gr_gpu_event event)
{
    fake_order_host(&event->clock);
    return fake_outcome("sync");
}

gr_gpu_result cuEventElapsedTime(float *ms, gr_gpu_event start, gr_gpu_event stop)
{
    *ms = (float)(stop->ms - start->ms);
    return GR_GPU_SUCCESS;
}

bool fake_is_capturing(gr_gpu_stream stream)
{
    return stream_of(stream)->capturing;
}

/* ---- Graphs: the lines that a capture recorded, written at each launch ---- */

gr_gpu_result cuStreamBeginCapture_v2(gr_gpu_stream stream, int mode)
{
    (void)mode;
    struct gr_gpu_stream_s *s = stream_of(stream);
    if (s->capturing)
        return FAKE_INVALID_VALUE;
    s->capturing = true;
    return fake_outcome("graph");
}

gr_gpu_result cuStreamEndCapture(gr_gpu_stream stream, gr_gpu_graph *graph)
{
    struct gr_gpu_stream_s *s = stream_of(stream);
    struct graph *made = malloc(sizeof *made);
    *graph = (gr_gpu_graph)(void *)made;
    if (!made || !s->capturing)
        return FAKE_INVALID_VALUE;
    *made = s->recorded;
    s->recorded = (struct graph){0};
    s->capturing = false;
    return GR_GPU_SUCCESS;
}

gr_gpu_result cuGraphInstantiateWithFlags(gr_gpu_graph_exec *executable, gr_gpu_graph graph,
                                          unsigned long long flags)
{
    (void)flags;
    const struct graph *from = (const struct graph *)(const void *)graph;
    struct graph *made = calloc(1, sizeof *made);
    *executable = (gr_gpu_graph_exec)(void *)made;
    if (!made)
        return GR_CUDA_OUT_OF_MEMORY;
    return from->length ? append(made, from->text, from->length) : GR_GPU_SUCCESS;
}

gr_gpu_result cuGraphLaunch(gr_gpu_graph_exec executable, gr_gpu_stream stream)
{
    (void)stream;
    const struct graph *graph = (const struct graph *)(const void *)executable;
    write_log(graph->text, graph->length);
    return fake_outcome("graph");
}

static gr_gpu_result destroy(void *graph)
{
    if (graph)
        free(((struct graph *)graph)->text);
    free(graph);
    return GR_GPU_SUCCESS;
}

gr_gpu_result cuGraphDestroy(gr_gpu_graph graph)
{
    return destroy(graph);
}

gr_gpu_result cuGraphExecDestroy(gr_gpu_graph_exec executable)
{
    return destroy(executable);
}

/* ---- Tensor maps ---- */

/* The map's bytes: type, rank, swizzle, the address, then two words for each dimension: its length
 * and its box. */
gr_gpu_result cuTensorMapEncodeTiled(struct gr_cuda_tensor_map *map, int type, unsigned rank,
                                     void *address, const uint64_t *dimensions,
                                     const uint64_t *strides, const unsigned *box,
                                     const unsigned *element_strides, int interleave, int swizzle,
                                     int promotion, int fill)
{
    (void)element_strides, (void)interleave, (void)promotion, (void)fill;
    if (rank < 1 || rank > 5 || ((uintptr_t)address & 15) != 0)
        return FAKE_INVALID_VALUE;
    for (unsigned i = 0; i < rank; i++)
        if (box[i] < 1 || box[i] > 256 || (i + 1 < rank && strides[i] % 16 != 0))
            return FAKE_INVALID_VALUE;
    *map = (struct gr_cuda_tensor_map){
        .opaque = {(uint64_t)type, rank, (uint64_t)swizzle, (uintptr_t)address}};
    for (unsigned i = 0; i < rank; i++) {
        map->opaque[4 + 2 * i] = dimensions[i];
        map->opaque[5 + 2 * i] = box[i];
    }
    if (rank > 1)
        map->opaque[15] = strides[0];
    return GR_GPU_SUCCESS;
}
