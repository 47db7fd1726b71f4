/* engine_driver.c: a stand-in for libcuda.so.1 whose GPU is the engine that executes machine code:
 * so that launch_line.c, and any program that uses these calls of CUDA's driver API, runs on this
 * processor. SPDX-License-Identifier: MIT
 *
 * ENGINE_COUNTS names a file to which a line is added for each launch: what its warps executed and
 * requested. */
#include "machine/cluster_blocks.h"
#include "machine/tensor_map.h"

#include "core/clock.h"
#include "core/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CALL __attribute__((visibility("default")))

enum { SUCCESS = 0, NO_MEMORY = 2, INVALID = 1, NOT_FOUND = 500, LAUNCH_FAILED = 719 };

/* The context has its modules, and they their functions, to the end of the process. */
struct module {
    struct module *next;
    struct function *functions;
    const unsigned char *image;
    size_t length;
    unsigned char *globals;
};

struct function {
    struct function *next;
    struct module *module;
    char *symbol;
};

static struct gr_machine_memory memory;
static struct module *modules;

CALL int cuInit(unsigned flags);
int cuInit(unsigned flags)
{
    (void)flags;
    return SUCCESS;
}

CALL int cuDeviceGet(int *device, int number);
int cuDeviceGet(int *device, int number)
{
    *device = number;
    return SUCCESS;
}

CALL int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRetain(void **context, int device)
{
    (void)device;
    *context = &memory;
    return SUCCESS;
}

CALL int cuCtxSetCurrent(void *context);
int cuCtxSetCurrent(void *context)
{
    (void)context;
    return SUCCESS;
}

CALL int cuCtxSynchronize(void);
int cuCtxSynchronize(void)
{
    return SUCCESS;
}

/* The length of an ELF file: the end of its section headers, of its program headers, or of its last
 * section. */
static size_t length_of(const unsigned char *elf)
{
    size_t table = (size_t)gr_elf_number(elf + 40, 8), each = (size_t)gr_elf_number(elf + 58, 2);
    size_t count = (size_t)gr_elf_number(elf + 60, 2), end = table + each * count;
    size_t segments = (size_t)(gr_elf_number(elf + 32, 8) +
                               gr_elf_number(elf + 54, 2) * gr_elf_number(elf + 56, 2));
    end = segments > end ? segments : end;
    for (size_t i = 0; i < count; i++) {
        const unsigned char *s = elf + table + each * i;
        size_t to = (size_t)(gr_elf_number(s + 24, 8) + gr_elf_number(s + 32, 8));
        if (gr_elf_number(s + 4, 4) != GR_ELF_NOBITS && to > end)
            end = to;
    }
    return end;
}

CALL int cuModuleLoadData(void **module, const void *image);
int cuModuleLoadData(void **module, const void *image)
{
    struct module *m = calloc(1, sizeof *m);
    m->length = length_of(image);
    unsigned char *copy = malloc(m->length);
    memcpy(copy, image, m->length);
    m->image = copy;
    size_t bytes = (size_t)gr_program_globals(m->image, m->length) + 16;
    m->globals = calloc(1, bytes);
    gr_memory_add(&memory, (uintptr_t)m->globals, bytes);
    m->next = modules;
    modules = m;
    *module = m;
    return SUCCESS;
}

CALL int cuModuleGetFunction(void **function, void *module, const char *name);
int cuModuleGetFunction(void **function, void *module, const char *name)
{
    struct function *f = calloc(1, sizeof *f);
    f->module = module;
    f->symbol = strdup(name);
    f->next = f->module->functions;
    f->module->functions = f;
    *function = f;
    return SUCCESS;
}

CALL int cuFuncSetAttribute(void *function, int attribute, int value);
int cuFuncSetAttribute(void *function, int attribute, int value)
{
    (void)function;
    (void)attribute;
    (void)value;
    return SUCCESS;
}

CALL int cuMemAlloc_v2(uint64_t *address, size_t bytes);
int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
    void *at = aligned_alloc(512, (bytes + 511) / 512 * 512);
    *address = (uintptr_t)at;
    return at && gr_memory_add(&memory, *address, bytes) ? SUCCESS : NO_MEMORY;
}

CALL int cuMemFree_v2(uint64_t address);
int cuMemFree_v2(uint64_t address)
{
    gr_memory_remove(&memory, address);
    free((void *)(uintptr_t)address);
    return SUCCESS;
}

CALL int cuMemsetD8_v2(uint64_t address, unsigned char value, size_t count);
int cuMemsetD8_v2(uint64_t address, unsigned char value, size_t count)
{
    memset((void *)(uintptr_t)address, value, count);
    return SUCCESS;
}

CALL int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes);
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
    memcpy((void *)(uintptr_t)to, from, bytes);
    return SUCCESS;
}

CALL int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return SUCCESS;
}

CALL int cuGetErrorName(int error, const char **name);
int cuGetErrorName(int error, const char **name)
{
    *name = error == LAUNCH_FAILED ? "CUDA_ERROR_LAUNCH_FAILED" : "CUDA_ERROR";
    return SUCCESS;
}

/* The numbers of CUtensorMapSwizzle are 0 for none, then 32, 64 and 128 bytes. */
CALL int cuTensorMapEncodeTiled(void *to, int type, uint32_t rank, void *address,
                                const uint64_t *sizes, const uint64_t *strides, const uint32_t *box,
                                const uint32_t *steps, int interleave, int swizzle, int promotion,
                                int fill);
int cuTensorMapEncodeTiled(void *to, int type, uint32_t rank, void *address, const uint64_t *sizes,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *steps,
                           int interleave, int swizzle, int promotion, int fill)
{
    static const uint32_t spans[] = {0, 32, 64, 128};
    const char *why = "its numbers have no meaning here";
    struct gr_tensor_map map = {.address = (uintptr_t)address,
                                .type = (enum gr_tensor_map_type)type,
                                .rank = (int)rank,
                                .fill_nan = fill != 0};
    bool good = rank >= 1 && rank <= GR_TENSOR_RANK && interleave == 0 && swizzle >= 0 &&
                swizzle < 4 && type >= 0 && type < GR_TENSOR_MAP_TYPES;
    (void)promotion;
    for (uint32_t i = 0; i < rank && good; i++) {
        map.size[i] = sizes[i];
        map.stride[i] = i == 0 ? (uint64_t)gr_tensor_map_element(map.type) : strides[i - 1];
        map.box[i] = box[i];
        map.step[i] = steps[i];
    }
    if (good)
        map.span = spans[swizzle];
    if (good && gr_tensor_map_write(&map, to, &why))
        return SUCCESS;
    fprintf(stderr, "engine: a tensor map is refused: %s\n", why);
    return INVALID;
}

/* ---- What is counted. ---- */

struct counts {
    uint64_t requests[3][5], sectors[5], wavefronts[5]; /* by space and access */
    bool sectors_wanted;
};

/* The passes over the banks of shared memory that a request takes. */
static int wavefronts_of(const struct gr_machine_access *a)
{
    int64_t offset[GR_WARP_LANES];
    int total = 0;
    for (int i = 0; i < GR_WARP_LANES; i++)
        offset[i] = a->active >> i & 1 ? (int64_t)a->address[i] : -1;
    for (int first = 0, next; first < GR_WARP_LANES; first = next) {
        uint64_t words[32][32];
        int count[32] = {0}, most = 0;
        next = first + gr_lanes_at_once(offset, GR_WARP_LANES, first, a->bytes,
                                        a->access == GR_ACCESS_LOAD);
        for (int i = first; i < next; i++)
            for (int k = 0; offset[i] >= 0 && k < (a->bytes + 3) / 4; k++) {
                uint64_t word = (uint64_t)offset[i] / 4 + (uint64_t)k;
                int bank = (int)(word % 32), j = 0;
                while (j < count[bank] && words[bank][j] != word)
                    j++;
                if (j == count[bank] && j < 32)
                    words[bank][count[bank]++] = word;
                most = count[bank] > most ? count[bank] : most;
            }
        total += most;
    }
    return total;
}

static bool is_matrix(const struct gr_machine_access *a)
{
    return strcmp(a->warp->block->program->decoded[a->step].mnemonic, "LDSM") == 0;
}

/* Of a copy past L1: the distinct pairs of a sector of shared memory and the line of 128 bytes that
 * its bytes come from, as simrt/observe_coalescing.c explains. */
static int sectors_past_l1(const struct gr_machine_access *a, const uint64_t *to, uint32_t arrive)
{
    uint64_t seen[GR_WARP_LANES], lines[GR_WARP_LANES];
    int count = 0;
    for (int i = 0; i < GR_WARP_LANES; i++) {
        bool again = !(a->active >> i & 1);
        for (int k = i + 1; k < GR_WARP_LANES && !again; k++)
            again = (arrive >> k & 1) && to[k] == to[i];
        for (int k = 0; k < count && !again; k++)
            again = seen[k] == to[i] / 32 && lines[k] == a->address[i] / 128;
        if (again)
            continue;
        seen[count] = to[i] / 32;
        lines[count++] = a->address[i] / 128;
    }
    return count;
}

/* The distinct sectors of 32 bytes. */
static int sectors_of(const struct gr_machine_access *a)
{
    uint64_t seen[128];
    int count = 0;
    for (int i = 0; i < GR_WARP_LANES; i++)
        for (uint64_t s = a->address[i] / 32;
             a->active >> i & 1 && s <= (a->address[i] + (uint64_t)a->bytes - 1) / 32; s++) {
            int k = 0;
            while (k < count && seen[k] != s)
                k++;
            if (k == count && count < 128)
                seen[count++] = s;
        }
    return count;
}

static void count(void *state, const struct gr_machine_access *a)
{
    static struct gr_machine_access copy; /* of the step that is being executed */
    static uint64_t from[GR_WARP_LANES];
    struct counts *c = state;
    const int space = a->is_local ? 2 : a->space == GR_SPACE_SHARED;
    const bool matrix = space == 1 && is_matrix(a);
    const int kind = matrix ? GR_ACCESS_ARRIVES : (int)a->access; /* ncu counts ldmatrix apart */
    if (!matrix) /* local memory has the words of a lane apart: each is a request */
        c->requests[space][a->access] += space == 2 && a->bytes > 4 ? (uint64_t)a->bytes / 4 : 1;
    if (!c->sectors_wanted)
        return;
    if (space == 1 && a->access != (enum gr_access)GR_ACCESS_ARRIVES)
        c->wavefronts[kind] += (uint64_t)wavefronts_of(a);
    if (space == 0 && a->access != GR_ACCESS_COPY)
        c->sectors[a->access] += (uint64_t)sectors_of(a);
    if (a->access == GR_ACCESS_COPY) {
        copy = *a;
        memcpy(from, a->address, sizeof from);
        copy.address = from;
    }
    if (a->access == (enum gr_access)GR_ACCESS_ARRIVES && copy.step == a->step && copy.address) {
        c->sectors[GR_ACCESS_COPY] +=
            (uint64_t)(copy.past_l1 ? sectors_past_l1(&copy, a->address, a->active)
                                    : sectors_of(&copy));
        copy = (struct gr_machine_access){0};
    }
}

static void write_counts(const struct function *f, const struct gr_cluster *all,
                         const struct counts *c, int64_t ns)
{
    const char *path = getenv("ENGINE_COUNTS");
    FILE *out = path ? fopen(path, "a") : NULL;
    uint64_t executed = 0, lanes = 0;
    for (int k = 0; k < all->count; k++)
        for (int i = 0; i < all->blocks[k].program->count; i++) {
            executed += (uint64_t)all->blocks[k].executed[i].warps;
            lanes += (uint64_t)all->blocks[k].executed[i].lanes;
        }
    if (!out)
        return;
    fprintf(out, "%s,%llu,%llu", f->symbol, (unsigned long long)executed,
            (unsigned long long)lanes);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 5; j++)
            fprintf(out, ",%llu", (unsigned long long)c->requests[i][j]);
    for (int j = 0; j < 5; j++)
        fprintf(out, ",%llu", (unsigned long long)c->sectors[j]);
    for (int j = 0; j < 5; j++)
        fprintf(out, ",%llu", (unsigned long long)c->wavefronts[j]);
    fprintf(out, ",%.2f\n", (double)ns / (double)(executed ? executed : 1));
    fclose(out);
}

static int run(const struct function *f, const struct gr_program *p,
               const struct gr_program_launch *launch)
{
    struct counts counts = {.sectors_wanted = getenv("ENGINE_COUNTS") != NULL};
    const struct gr_machine_watch watch = {.state = &counts, .access = count}, *watches[16];
    struct gr_cluster cluster;
    for (int i = 0; i < 16; i++)
        watches[i] = &watch;
    if (!gr_cluster_open(&cluster, p, launch, &memory, watches)) {
        gr_cluster_close(&cluster);
        return NO_MEMORY;
    }
    const int64_t start_ns = gr_now_ns();
    const struct gr_block *failed = NULL;
    for (unsigned z = 0; z < launch->grid[2]; z++)
        for (unsigned y = 0; y < launch->grid[1]; y++)
            for (unsigned x = 0; x < launch->grid[0] && !failed; x++)
                if (gr_cluster_rank(p, x, y, z) == 0) /* a cluster runs with its first block */
                    failed = gr_cluster_run(&cluster, x, y, z);
    if (failed)
        fprintf(stderr, "engine: %s: %s\n", f->symbol, failed->text);
    write_counts(f, &cluster, &counts, gr_now_ns() - start_ns);
    int result = failed ? LAUNCH_FAILED : SUCCESS;
    gr_cluster_close(&cluster);
    return result;
}

CALL int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned smem, void *stream, void **parameters,
                        void **extra);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned smem, void *stream, void **parameters, void **extra)
{
    const struct function *f = function;
    const struct gr_program_launch launch = {.grid = {gx, gy, gz},
                                             .block = {bx, by, bz},
                                             .dynamic_smem_bytes = smem,
                                             .parameters = (const void *const *)parameters};
    struct gradus_error error = {0};
    struct gr_program program;
    (void)stream;
    (void)extra;
    enum gradus_status status = gr_program_load(f->module->image, f->module->length, f->symbol,
                                                &launch, f->module->globals, &program, &error);
    int result = status == GRADUS_OK ? run(f, &program, &launch) : INVALID;
    if (status != GRADUS_OK)
        fprintf(stderr, "engine: %s\n", error.text);
    gradus_error_clear(&error);
    gr_program_free(&program);
    return result;
}
