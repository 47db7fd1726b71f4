/* probe_async.cu: what a Hopper GPU does with tensor maps, with the 64 bits of an mbarrier, and
 * with ldmatrix, stmatrix and movmatrix. Writes FOLDER/async.bin: TMA_CASES times the case, the
 * map's 128 bytes, the tensor's address and shared memory after a load or the tensor after a store;
 * and FOLDER/others.bin: what is seen after each step of the barrier, the matrix cases' registers
 * and memory, the answers to questions about a barrier's word. SPDX-License-Identifier: MIT */
#include "async_cases.h"

#include <cuda.h>
#include <cstdlib>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <string>
#include <vector>

#define TRY(call)                                                                                  \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != cudaSuccess) {                                                                   \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_));            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

__device__ static uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

__global__ void tma_load(const __grid_constant__ CUtensorMap map,
                         const __grid_constant__ tma_case c, uint32_t *out)
{
    __shared__ __align__(1024) uint32_t box[TMA_SHARED / 4];
    __shared__ __align__(8) uint64_t barrier;
    for (int i = threadIdx.x; i < TMA_SHARED / 4; i += 32) {
        box[i] = 0xeeeeeeee;
    }
    uint32_t b = shared_address(&barrier), to = shared_address(box) + c.offset;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b));
        asm volatile("fence.proxy.async;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b),
                     "r"(c.bytes));
        const void *m = &map;
#define LOAD(dims, list, ...)                                                                      \
    asm volatile("cp.async.bulk.tensor." dims                                                      \
                 ".shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, " list           \
                 "], [%2];" ::"r"(to),                                                             \
                 "l"(m), "r"(b), __VA_ARGS__                                                       \
                 : "memory")
        switch (c.rank) {
        case 1:
            LOAD("1d", "{%3}", "r"(c.at[0]));
            break;
        case 2:
            LOAD("2d", "{%3,%4}", "r"(c.at[0]), "r"(c.at[1]));
            break;
        case 3:
            LOAD("3d", "{%3,%4,%5}", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]));
            break;
        case 4:
            LOAD("4d", "{%3,%4,%5,%6}", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]));
            break;
        case 5:
            LOAD("5d", "{%3,%4,%5,%6,%7}", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]),
                 "r"(c.at[4]));
            break;
        }
    }
    /* A wrong count of bytes must not hang the GPU. */
    for (int i = 0, done = 0; i < 1000000 && !done; i++) {
        asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; "
                     "selp.s32 %0, 1, 0, p;}"
                     : "=r"(done)
                     : "r"(b)
                     : "memory");
        if (i == 999999) {
            out[TMA_SHARED / 4] = 1;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < TMA_SHARED / 4; i += 32) {
        out[i] = box[i];
    }
}

__global__ void tma_store(const __grid_constant__ CUtensorMap map,
                          const __grid_constant__ tma_case c, const uint32_t *words)
{
    __shared__ __align__(1024) uint32_t box[TMA_SHARED / 4];
    for (int i = threadIdx.x; i < TMA_SHARED / 4; i += 32) {
        box[i] = words[i];
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    uint32_t from = shared_address(box) + c.offset;
    const void *m = &map;
    if (threadIdx.x == 0 && c.store == 2) {
        asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%1, "
                     "{%2,%3}], [%0];"
                     "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::"r"(from),
                     "l"(m), "r"(c.at[0]), "r"(c.at[1])
                     : "memory");
    } else if (threadIdx.x == 0) {
#define STORE(dims, list, ...)                                                                     \
    asm volatile("cp.async.bulk.tensor." dims ".global.shared::cta.bulk_group [%1, " list          \
                 "], [%0];" ::"r"(from),                                                           \
                 "l"(m), __VA_ARGS__                                                               \
                 : "memory")
        switch (c.rank) {
        case 1:
            STORE("1d", "{%2}", "r"(c.at[0]));
            break;
        case 2:
            STORE("2d", "{%2,%3}", "r"(c.at[0]), "r"(c.at[1]));
            break;
        case 3:
            STORE("3d", "{%2,%3,%4}", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]));
            break;
        case 4:
            STORE("4d", "{%2,%3,%4,%5}", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]));
            break;
        case 5:
            STORE("5d", "{%2,%3,%4,%5,%6}", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]),
                  "r"(c.at[4]));
            break;
        }
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

/* Does a step; its result. */
__device__ static uint64_t barrier_do(uint32_t b, barrier_step step)
{
    uint32_t v = step.value, p = 0;
    uint64_t result = 0;
    switch (step.what) {
    case BARRIER_INIT:
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(v) : "memory");
        break;
    case BARRIER_ARRIVE:
        asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;"
                     : "=l"(result)
                     : "r"(b), "r"(v)
                     : "memory");
        break;
    case BARRIER_ARRIVE_EXPECT:
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;"
                     : "=l"(result)
                     : "r"(b), "r"(v)
                     : "memory");
        break;
    case BARRIER_EXPECT:
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(v)
                     : "memory");
        break;
    case BARRIER_COMPLETE:
        asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(v)
                     : "memory");
        break;
    case BARRIER_DROP:
        asm volatile("mbarrier.arrive_drop.shared::cta.b64 %0, [%1], %2;"
                     : "=l"(result)
                     : "r"(b), "r"(v)
                     : "memory");
        break;
    case BARRIER_DROP_EXPECT:
        asm volatile("mbarrier.arrive_drop.expect_tx.shared::cta.b64 %0, [%1], %2;"
                     : "=l"(result)
                     : "r"(b), "r"(v)
                     : "memory");
        break;
    case BARRIER_NO_COMPLETE:
        asm volatile("mbarrier.arrive.noComplete.shared::cta.b64 %0, [%1], %2;"
                     : "=l"(result)
                     : "r"(b), "r"(v)
                     : "memory");
        break;
    case BARRIER_TEST_PARITY:
        asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; "
                     "selp.u32 %0, 1, 0, p;}"
                     : "=r"(p)
                     : "r"(b), "r"(v)
                     : "memory");
        result = p;
        break;
    case BARRIER_TRY_PARITY:
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
                     "selp.u32 %0, 1, 0, p;}"
                     : "=r"(p)
                     : "r"(b), "r"(v)
                     : "memory");
        result = p;
        break;
    case BARRIER_REMOTE_ARRIVE: {
        uint32_t remote;
        asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(remote) : "r"(b));
        asm volatile(
            "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(remote), "r"(v)
            : "memory");
        break;
    }
    }
    return result;
}

__device__ static uint64_t shared_word(uint32_t address)
{
    uint64_t word;
    asm volatile("ld.volatile.shared.b64 %0, [%1];" : "=l"(word) : "r"(address) : "memory");
    return word;
}

/* Two warps: thread 0 does the steps, thread 32 is the other one. */
__global__ void barrier_probe(const barrier_step *steps, bool bulk, uint64_t *out)
{
    __shared__ __align__(16) uint64_t barrier[2];
    uint32_t b = shared_address(barrier);
    if (threadIdx.x == 0) {
        barrier[1] = BARRIER_NEXT;
    }
    for (int i = 0; i < BARRIER_STEPS; i++) {
        uint64_t *seen = out + BARRIER_SEEN * i;
        if (threadIdx.x == 0) {
            seen[BARRIER_RESULT] = barrier_do(b, steps[i]);
            seen[BARRIER_OWN] = shared_word(b);
            asm volatile("fence.proxy.async; membar.cta;" ::: "memory");
            asm volatile("ld.volatile.b64 %0, [%1];"
                         : "=l"(seen[BARRIER_FENCED])
                         : "l"(&barrier[0])
                         : "memory");
            if (bulk) {
                asm volatile(
                    "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;"
                    "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::"l"(seen + 6),
                    "r"(b)
                    : "memory");
            }
        }
        __syncthreads();
        if (threadIdx.x == 32) {
            uint32_t remote;
            seen[BARRIER_OTHER] = shared_word(b);
            asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(remote) : "r"(b));
            asm volatile("ld.volatile.shared::cluster.b64 %0, [%1];"
                         : "=l"(seen[BARRIER_CLUSTER])
                         : "r"(remote)
                         : "memory");
        }
        __syncthreads();
    }
}

/* A single question about the word of an mbarrier: a block of 64 threads. */
__global__ void barrier_word(int question, uint64_t initial, uint32_t two, uint64_t *out)
{
    __shared__ __align__(16) uint64_t barriers[BARRIER_ANSWERS];
    uint32_t b = shared_address(barriers);
    for (int i = threadIdx.x; i < BARRIER_ANSWERS; i += 64) {
        barriers[i] = 0x1111111111111111;
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    int count = question == BARRIER_MANY ? BARRIER_ANSWERS : 1, n = 0;
    for (int i = 0; i < count && threadIdx.x == 0 && question != BARRIER_STORED; i++) {
        barrier_do(b + 8 * i, {BARRIER_INIT, 9});
    }
    __syncthreads();
    if (threadIdx.x == 32 && question == BARRIER_MANY) {
        for (; n < BARRIER_ANSWERS; n++) {
            out[n] = shared_word(b + 8 * n);
        }
    }
    if (threadIdx.x != 0) {
        return;
    }
    switch (question) {
    case BARRIER_INVALID:
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(b) : "memory");
        out[n++] = shared_word(b);
        asm volatile("fence.proxy.async; membar.cta;" ::: "memory");
        out[n++] = shared_word(b);
        break;
    case BARRIER_LATER:
        for (int i = 0; i < 10; i++) {
            __nanosleep(100000);
            out[n++] = shared_word(b);
        }
        break;
    case BARRIER_STORED:
        barriers[0] = initial;
        asm volatile("fence.proxy.async; membar.cta;" ::: "memory");
        out[n++] = shared_word(b);
        for (int i = 0; i < 4; i++) {
            out[n++] = barrier_do(b, {BARRIER_ARRIVE, 1});
            out[n++] = barrier_do(b, {BARRIER_TEST_PARITY, 0});
            out[n++] = shared_word(b);
        }
        break;
    case BARRIER_OVERWRITTEN:
        for (int i = 0; i < 4; i++) {
            asm volatile("st.volatile.shared.b64 [%0], %1;" ::"r"(b), "l"(initial) : "memory");
            asm volatile("fence.proxy.async; membar.cta;" ::: "memory");
            out[n++] = shared_word(b);
            out[n++] = barrier_do(b, {BARRIER_ARRIVE, 1});
            out[n++] = barrier_do(b, {BARRIER_TEST_PARITY, 0});
            out[n++] = shared_word(b);
        }
        break;
    case BARRIER_LOW: {
        /* Since the arrival may be left out, the register's contents are kept until then. */
        uint64_t one = 0xaaaaaaaabbbbbbbb, many = one, expect = one, drop = one, mask = one;
#define MAY(state, operation, ...)                                                                 \
    asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; @p mbarrier." operation "; }"               \
                 : "+l"(state)                                                                     \
                 : "r"(b), "r"(two), "r"(two)                                                      \
                 : "memory");                                                                      \
    out[n++] = state
        MAY(one, "arrive.shared::cta.b64 %0, [%1]");
        MAY(many, "arrive.shared::cta.b64 %0, [%1], %3");
        MAY(expect, "arrive.expect_tx.shared::cta.b64 %0, [%1], %3");
        barrier_do(b, {BARRIER_COMPLETE, two});
        MAY(drop, "arrive_drop.shared::cta.b64 %0, [%1]");
        MAY(mask, "arrive.noComplete.shared::cta.b64 %0, [%1], %3");
        out[n++] = two;
        break;
    }
    case BARRIER_OVERFLOW:
        for (int i = 0; i < 2; i++) {
            barrier_do(b, {BARRIER_EXPECT, 1048575});
            out[n++] = barrier_do(b, {BARRIER_ARRIVE, 1});
        }
        break;
    }
}

__global__ void matrix_probe(const uint32_t *rows, uint32_t *out)
{
    __shared__ __align__(16) uint16_t memory[2048];
    uint32_t lane = threadIdx.x, at = shared_address(memory) + rows[lane];
    uint32_t *memory_out = out + 8 * 128;
#define FILL(what)                                                                                 \
    for (int i = lane; i < 2048; i += 32) {                                                        \
        memory[i] = (uint16_t)(what);                                                              \
    }                                                                                              \
    __syncwarp()
#define DUMP                                                                                       \
    __syncwarp();                                                                                  \
    for (int i = lane; i < 1024; i += 32) {                                                        \
        memory_out[i] = ((uint32_t *)memory)[i];                                                   \
    }                                                                                              \
    memory_out += 1024
    FILL(i);
    uint32_t r[4] = {0, 0, 0, 0};
#define KEEP(n)                                                                                    \
    for (int i = 0; i < 4; i++) {                                                                  \
        out[(n)*128 + lane * 4 + i] = r[i];                                                        \
        r[i] = 0;                                                                                  \
    }
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(at));
    KEEP(0)
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(at));
    KEEP(1)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at));
    KEEP(2)
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                 : "=r"(r[0])
                 : "r"(at));
    KEEP(3)
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(at));
    KEEP(4)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at));
    KEEP(5)
    uint32_t s[4];
    for (uint32_t i = 0; i < 4; i++) {
        s[i] = 0x10001 * (4 * (lane * 4 + i)) + 0x10000;
    }
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r[0]) : "r"(s[0]));
    KEEP(6)
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r[0]) : "r"(s[3]));
    KEEP(7)
    FILL(0xffff);
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(at), "r"(s[0])
                 : "memory");
    DUMP;
    FILL(0xffff);
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};" ::"r"(at), "r"(s[0]),
                 "r"(s[1])
                 : "memory");
    DUMP;
    FILL(0xffff);
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(at),
                 "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3])
                 : "memory");
    DUMP;
    FILL(0xffff);
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(at), "r"(s[0])
                 : "memory");
    DUMP;
    FILL(0xffff);
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1,%2};" ::"r"(at),
                 "r"(s[0]), "r"(s[1])
                 : "memory");
    DUMP;
    FILL(0xffff);
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(at),
                 "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3])
                 : "memory");
    DUMP;
}

typedef CUresult encode_fn(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                           const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                           const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                           CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static int encode(encode_fn *fn, const tma_case *c, void *tensor, CUtensorMap *map)
{
    cuuint64_t sizes[5], strides[5];
    for (int d = 0; d < c->rank; d++) {
        sizes[d] = c->size[d];
        strides[d] = d + 1 < c->rank ? c->stride[d + 1] : 0;
    }
    return fn(map, (CUtensorMapDataType)c->type, c->rank, tensor, sizes, strides, c->box, c->step,
              CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)c->swizzle,
              CU_TENSOR_MAP_L2_PROMOTION_NONE,
              c->nan_fill ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
                          : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/* How far the children of main came: an instruction that the GPU refuses ends a process's context.
 */
struct progress {
    int next, failed, refused, unfinished;
};

static void write_case(const tma_case *c, const CUtensorMap *map, uint64_t start,
                       const std::vector<uint32_t> &result, FILE *out)
{
    fwrite(c, sizeof *c, 1, out);
    fwrite(map, sizeof *map, 1, out);
    fwrite(&start, 8, 1, out);
    fwrite(result.data(), 4, result.size(), out);
    fflush(out);
}

/* Cases from progress->next on. Returns whether all ran. */
static bool run_maps(FILE *out, progress *p)
{
    TRY(cudaFree(0));
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    TRY(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault,
                                         &found));
    std::vector<uint32_t> tensor(TMA_TENSOR / 4), box(TMA_SHARED / 4);
    uint32_t *device_tensor, *device_box, *device_out;
    TRY(cudaMalloc(&device_tensor, TMA_TENSOR));
    TRY(cudaMalloc(&device_box, TMA_SHARED));
    TRY(cudaMalloc(&device_out, 64 * 1024));
    for (; p->next < TMA_CASES; p->next++) {
        tma_case c = tma_make(p->next);
        CUtensorMap map = {};
        c.refused = encode((encode_fn *)entry, &c, device_tensor, &map);
        p->refused += c.refused != 0;
        for (size_t j = 0; j < tensor.size(); j++) {
            tensor[j] = c.store ? 0xeeeeeeee : tma_word((int)j, c.content);
        }
        for (size_t j = 0; j < box.size(); j++) {
            box[j] = tma_word((int)j, c.content);
        }
        TRY(cudaMemcpy(device_tensor, tensor.data(), TMA_TENSOR, cudaMemcpyHostToDevice));
        TRY(cudaMemcpy(device_box, box.data(), TMA_SHARED, cudaMemcpyHostToDevice));
        std::vector<uint32_t> result(tma_result_words(&c));
        TRY(cudaMemset(device_out, 0, 64 * 1024));
        cudaError_t error = cudaSuccess;
        if (c.refused == 0) {
            if (c.store) {
                tma_store<<<1, 32>>>(map, c, device_box);
            } else {
                tma_load<<<1, 32>>>(map, c, device_out);
            }
            error = cudaDeviceSynchronize();
        }
        if (error != cudaSuccess) {
            printf("case %d: %s\n", p->next, cudaGetErrorString(error));
            c.refused = TMA_FAILED + (int)error;
            write_case(&c, &map, (uint64_t)device_tensor, result, out);
            p->next++;
            return false;
        }
        if (c.refused == 0) {
            TRY(cudaMemcpy(result.data(), c.store ? device_tensor : device_out, result.size() * 4,
                           cudaMemcpyDeviceToHost));
            TRY(cudaMemcpy(&c.unfinished, device_out + TMA_SHARED / 4, 4, cudaMemcpyDeviceToHost));
            p->unfinished += c.unfinished;
        }
        write_case(&c, &map, (uint64_t)device_tensor, result, out);
    }
    return true;
}

static void run_barrier(FILE *out, bool bulk)
{
    barrier_step *device_steps;
    uint64_t *device_out;
    std::vector<uint64_t> words(BARRIER_STEPS * BARRIER_SEEN);
    TRY(cudaMalloc(&device_out, words.size() * 8));
    TRY(cudaMemset(device_out, 0, words.size() * 8));
    TRY(cudaMalloc(&device_steps, sizeof barrier_steps));
    TRY(cudaMemcpy(device_steps, barrier_steps, sizeof barrier_steps, cudaMemcpyHostToDevice));
    barrier_probe<<<1, 64>>>(device_steps, bulk, device_out);
    TRY(cudaDeviceSynchronize());
    TRY(cudaMemcpy(words.data(), device_out, words.size() * 8, cudaMemcpyDeviceToHost));
    fwrite(words.data(), 8, words.size(), out);
    printf("%d steps of a barrier%s\n", (int)BARRIER_STEPS, bulk ? ", with bulk copies" : "");
}

static void run_question(FILE *out, int question)
{
    uint64_t *device_out;
    std::vector<uint64_t> answers(BARRIER_ANSWERS);
    TRY(cudaMalloc(&device_out, answers.size() * 8));
    TRY(cudaMemset(device_out, 0, answers.size() * 8));
    barrier_word<<<1, 64>>>(question, barrier_stored, 2, device_out);
    TRY(cudaDeviceSynchronize());
    TRY(cudaMemcpy(answers.data(), device_out, answers.size() * 8, cudaMemcpyDeviceToHost));
    fwrite(answers.data(), 8, answers.size(), out);
    printf("question %d of a barrier:", question);
    for (int i = 0; i < 20; i++) {
        printf(" %llx", (unsigned long long)answers[i]);
    }
    printf("\n");
}

static void run_matrices(FILE *out)
{
    uint32_t *device_rows, *device_out;
    TRY(cudaMalloc(&device_rows, 128));
    TRY(cudaMalloc(&device_out, 64 * 1024));
    std::vector<uint32_t> words(MATRIX_WORDS);
    for (int repeat = 0; repeat < MATRIX_REPEATS; repeat++) {
        uint32_t rows[32];
        for (int lane = 0; lane < 32; lane++) {
            rows[lane] = matrix_row(repeat, lane);
        }
        TRY(cudaMemcpy(device_rows, rows, sizeof rows, cudaMemcpyHostToDevice));
        matrix_probe<<<1, 32>>>(device_rows, device_out);
        TRY(cudaDeviceSynchronize());
        TRY(cudaMemcpy(words.data(), device_out, words.size() * 4, cudaMemcpyDeviceToHost));
        fwrite(words.data(), 4, words.size(), out);
    }
    printf("%d repeats of matrices\n", (int)MATRIX_REPEATS);
}

/* Runs what in a child of its own; whether it was done. */
template <class F> static bool in_child(F what)
{
    fflush(nullptr);
    pid_t child = fork();
    if (child == 0) {
        bool done = what();
        fflush(nullptr);
        _exit(done ? 0 : 3);
    }
    int status;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* A part of others.bin; zeros if it fails. */
template <class F> static void try_part(FILE *out, const char *name, size_t bytes, F what)
{
    if (!in_child([&] {
            what();
            return true;
        })) {
        printf("%s failed\n", name);
        fwrite(std::vector<char>(bytes).data(), 1, bytes, out);
        fflush(out);
    }
}

int main(int argc, char **argv)
{
    std::string folder = argc > 1 ? argv[1] : ".";
    FILE *out = fopen((folder + "/others.bin").c_str(), "wb");
    FILE *maps = fopen((folder + "/async.bin").c_str(), "wb");
    progress *p = (progress *)mmap(nullptr, sizeof *p, PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!out || !maps || p == MAP_FAILED) {
        perror("probe_async");
        return 2;
    }
    for (int bulk = 0; bulk < 2; bulk++) {
        try_part(out, "barrier", BARRIER_STEPS * BARRIER_SEEN * 8, [&] { run_barrier(out, bulk); });
    }
    try_part(out, "matrices", MATRIX_REPEATS * MATRIX_WORDS * 4, [&] { run_matrices(out); });
    for (int question = 0; question < BARRIER_QUESTIONS; question++) {
        try_part(out, "question", BARRIER_ANSWERS * 8, [&] { run_question(out, question); });
    }
    for (p->failed = 0; p->next < TMA_CASES && p->failed < 60;) {
        int before = p->next;
        if (!in_child([&] { return run_maps(maps, p); })) {
            p->failed++;
            if (p->next == before) {
                printf("case %d: no result\n", before);
                break;
            }
        }
    }
    printf(
        "%d of %d cases of tensor maps; %d refused by the driver, %d by the GPU, %d unfinished\n",
        p->next, TMA_CASES, p->refused, p->failed, p->unfinished);
    return 0;
}
