/* fuzz_machine.c: kernels with damaged instructions: they are refused, or executed without an
 * access outside of the launch's memory and without a loop that nobody can stop.
 * SPDX-License-Identifier: MIT
 *
 * The first byte says which kernel is taken. Each 4 bytes after it change
 * one instruction: 16 bits say which; if the third byte is below 128 it is the bit that is flipped,
 * else the instruction becomes a copy of the one as many places before it as the fourth says. */
#include "machine/cluster_blocks.h"

#include "core/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum { KERNELS = 5, MOST_BYTES = 65536, ELEMENTS = 4096, MOST_STEPS = 300000, SIZE = 32 };

struct target {
    const char *file, *symbol;
    unsigned char image[MOST_BYTES], damaged[MOST_BYTES];
    size_t length;
};

static struct target targets[KERNELS] = {
    {.file = "machine/launches/01_naive", .symbol = "_Z5naiveiiifPKfiS0_ifPfi"},
    {.file = "machine/launches/05_shared_2d", .symbol = "_Z9shared_2diiifPKfiS0_ifPfi"},
    {.file = "machine/launches/warp_copies", .symbol = "cg16"},
    {.file = "unit/data/cluster_blocks", .symbol = "messages"}, /* in clusters of four */
    {.file = "unit/data/cluster_reduce", .symbol = "to_other"}, /* of two */
};

static void read_image(struct target *t)
{
    char path[512];
    snprintf(path, sizeof path, GRADUS_SOURCE_DIR "/tests/%s.cubin", t->file);
    FILE *f = fopen(path, "rb");
    t->length = f ? fread(t->image, 1, sizeof t->image, f) : 0;
    if (f)
        fclose(f);
    if (t->length == 0)
        abort();
}

/* The instructions of the kernel in the image. */
static unsigned char *instructions(struct target *t, size_t *count)
{
    char name[256];
    struct gr_elf elf;
    struct gradus_error error = {0};
    unsigned char *found = NULL;
    snprintf(name, sizeof name, ".text.%s", t->symbol);
    if (gr_elf_read(t->image, t->length, t->file, &elf, &error) == GRADUS_OK) {
        const struct gr_elf_section *s = gr_elf_find(&elf, name);
        if (s) {
            found = t->damaged + (s->bytes - t->image);
            *count = (size_t)s->size / GR_STEP_BYTES;
        }
    }
    gr_elf_free(&elf);
    gradus_error_clear(&error);
    return found;
}

static void damage(struct target *t, const uint8_t *bytes, size_t count)
{
    size_t all = 0;
    memcpy(t->damaged, t->image, t->length);
    unsigned char *code = instructions(t, &all);
    if (!code)
        abort();
    for (; count >= 4; bytes += 4, count -= 4) {
        const size_t which = (bytes[0] | (size_t)bytes[1] << 8) % all;
        unsigned char *at = code + which * GR_STEP_BYTES;
        if (bytes[2] < 128)
            at[bytes[2] / 8] ^= (unsigned char)(1 << bytes[2] % 8);
        else if (bytes[3] <= which)
            memmove(at, at - bytes[3] * GR_STEP_BYTES, GR_STEP_BYTES);
    }
}

/* The steps that the block's warps have made. Those of straight code are counted where it begins
 * and ends. */
static int64_t steps_of(const struct gr_block *b)
{
    int64_t steps = 0, straight = 0;
    for (int i = 0; i < b->program->count; i++) {
        straight += b->straight[i].warps;
        steps += b->executed[i].warps + straight;
    }
    return steps;
}

/* A kernel that never ends is stopped: with sanitizers, a step may take two microseconds. */
static void stop_endless(void *state, const struct gr_warp *warp)
{
    struct gr_cluster *cluster = state;
    if (steps_of(warp->block) > MOST_STEPS)
        for (int i = 0; i < cluster->count; i++)
            cluster->blocks[i].status = GR_BLOCK_FAILED;
}

/* Runs the first cluster. True: to its end. */
static bool run_cluster(const struct gr_program *program, const struct gr_program_launch *launch,
                        struct gr_machine_memory *memory)
{
    struct gr_cluster cluster;
    const struct gr_machine_watch watch = {.state = &cluster, .turn = stop_endless};
    const struct gr_machine_watch *watches[GR_CLUSTER_BLOCKS];
    for (int i = 0; i < GR_CLUSTER_BLOCKS; i++)
        watches[i] = &watch;
    bool done = gr_cluster_open(&cluster, program, launch, memory, watches) &&
                gr_cluster_run(&cluster, 0, 0, 0) == NULL;
    gr_cluster_close(&cluster);
    return done;
}

static void run(const struct target *t, float *arrays, bool whole)
{
    float one = 1, *a = arrays, *b = arrays + ELEMENTS, *c = arrays + 2 * ELEMENTS;
    int32_t size = SIZE, eight = 8, mask = -1, number = 4, count = 16;
    const void *of_product[] = {&size, &size, &size, &one, &a, &size, &b, &size, &one, &c, &size};
    const void *of_copies[] = {&a,     &c,     &eight, &eight, &eight,
                               &eight, &eight, &eight, &eight, &mask};
    const void *of_messages[] = {&a}, *of_reduce[] = {&a, &c, &number, &count};
    const void *const *const parameters[KERNELS] = {of_product, of_product, of_copies, of_messages,
                                                    of_reduce};
    static const unsigned blocks[KERNELS] = {1, 1, 1, 4, 2};
    const int which = (int)(t - targets);
    const struct gr_program_launch launch = {.grid = {blocks[which], 1, 1},
                                             .block = {32, which < 2 ? 32 : 1, 1},
                                             .dynamic_smem_bytes = which == 2 ? 8192 : 0,
                                             .parameters = parameters[which]};
    struct gr_machine_memory memory = {0};
    struct gr_program program;
    struct gradus_error error = {0};
    if (!gr_memory_add(&memory, (uint64_t)(uintptr_t)arrays, 3 * ELEMENTS * sizeof *arrays))
        abort();
    bool done = gr_program_load(t->damaged, t->length, t->symbol, &launch, NULL, &program,
                                &error) == GRADUS_OK &&
                run_cluster(&program, &launch, &memory);
    if (whole && !done)
        abort(); /* what is not damaged runs to its end */
    gr_program_free(&program);
    gr_memory_free(&memory);
    gradus_error_clear(&error);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    if (count < 1)
        return 0;
    struct target *t = &targets[bytes[0] % KERNELS];
    float *arrays = calloc(3 * ELEMENTS, sizeof *arrays); /* a sanitizer sees an access beside it */
    if (t->length == 0)
        read_image(t);
    if (!arrays)
        return 0;
    damage(t, bytes + 1, count - 1);
    run(t, arrays, count == 1);
    free(arrays);
    return 0;
}
