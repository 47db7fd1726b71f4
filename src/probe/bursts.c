/* bursts.c: measures the FMA rate and the bandwidths with the loops of the ISA level in use.
 * SPDX-License-Identifier: MIT */
#include "probe/probe.h"

#include "cpu/cpu.h"
#include "probe/burst.h"
#include "probe/crew.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const struct gr_burst *burst_in_use(void)
{
    const char *isa = gr_cpu_isa();
    int i = 0;
    while (strcmp(gr_bursts[i]->isa, isa) != 0 && gr_bursts[i + 1])
        i++;
    return gr_bursts[i];
}

struct fma {
    double (*loop)(int64_t rounds);
    double flop_per_round;
};

enum {
    ROUNDS_PER_STEP = 200
}; /* about 10 microseconds: short compared with a burst, long compared with reading the clock */

static double fma_step(void *context, int thread)
{
    const struct fma *fma = context;
    (void)thread;
    volatile double sink = fma->loop(ROUNDS_PER_STEP);
    (void)sink;
    return ROUNDS_PER_STEP * fma->flop_per_round;
}

double gr_probe_fma(enum gr_dtype type, int threads, int64_t ns, bool *disturbed)
{
    const struct gr_burst *burst = burst_in_use();
    struct fma fma = {0};
    if (type == GR_F32)
        fma = (struct fma){burst->fma_f32, (double)burst->flop_per_round_f32};
    else if (type == GR_F64)
        fma = (struct fma){burst->fma_f64, (double)burst->flop_per_round_f64};
    if (!fma.loop || threads < 1)
        return 0;
    return gr_crew_rate(&(struct gr_crew_work){fma_step, &fma}, threads, ns, disturbed);
}

struct stream {
    const struct gr_burst *burst;
    char *memory;      /* the threads' shares, one after another */
    int64_t share;     /* bytes for one thread: read, or half read and half written */
    int64_t *position; /* the position of each thread in its share, a cache line apart */
    bool copy;
};

enum { LINE_INT64S = 8, STEP_BYTES = 1 << 20 };

static double stream_step(void *context, int thread)
{
    struct stream *s = context;
    char *memory = s->memory + thread * s->share;
    int64_t *position = &s->position[thread * LINE_INT64S];
    int64_t length = s->copy ? s->share / 2 : s->share;
    int64_t done = 0;
    while (done < STEP_BYTES) {
        int64_t piece = length - *position < STEP_BYTES ? length - *position : STEP_BYTES;
        if (s->copy) {
            s->burst->copy(memory + length + *position, memory + *position, piece);
        } else {
            volatile double sink = s->burst->read(memory + *position, piece);
            (void)sink;
        }
        *position = *position + piece < length ? *position + piece : 0;
        done += s->copy ? 2 * piece : piece;
    }
    return (double)done;
}

double gr_probe_bandwidth(bool copy, int64_t bytes, int threads, int64_t ns, bool *disturbed)
{
    if (threads < 1)
        return 0;
    const int64_t unit = 2 * GR_BURST_BLOCK; /* both halves of a copy are whole blocks */
    struct stream s = {.burst = burst_in_use(), .copy = copy};
    s.share = bytes / threads / unit * unit;
    if (s.share == 0)
        s.share = unit;
    size_t size = (size_t)(s.share * threads);
    s.position = calloc((size_t)threads * LINE_INT64S, sizeof *s.position);
    s.memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    double rate = 0;
    if (s.position && s.memory != MAP_FAILED) {
        madvise(s.memory, size, MADV_HUGEPAGE);
        memset(s.memory, 0,
               size); /* otherwise all untouched pages would be the same page of zeros */
        rate = gr_crew_rate(&(struct gr_crew_work){stream_step, &s}, threads, ns, disturbed);
    }
    if (s.memory != MAP_FAILED)
        munmap(s.memory, size);
    free(s.position);
    return rate;
}
