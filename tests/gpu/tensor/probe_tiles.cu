/* probe_tiles.cu: runs the tiles of tiles.h on a Hopper GPU's tensor cores, and finds by the values
 * themselves which bytes of shared memory wgmma reads. Writes FOLDER/tiles.bin and FOLDER/maps.bin.
 *   python3 make_kernels.py >kernels.inc && nvcc -arch=sm_90a -O1 -o probe probe_tiles.cu && ./probe
 * FOLDER SPDX-License-Identifier: MIT */
#include "tiles.h"
#include "maps.h"

#include <cstdlib>
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

typedef void mma_kernel(const uint32_t *, const uint32_t *, const uint32_t *, uint32_t *);
typedef void wgmma_kernel(const uint8_t *, int, uint64_t, uint64_t, int, const uint32_t *,
                          const uint32_t *, uint32_t *);

/* Copies `bytes` into dynamic shared memory, whose address, a multiple of 1024, it returns. */
__device__ static uint32_t load_image(const uint8_t *from, int bytes)
{
    extern __shared__ uint8_t memory[];
    uint32_t base = (uint32_t)__cvta_generic_to_shared(memory), aligned = (base + 1023) & ~1023u;
    for (int i = threadIdx.x * 4; i < bytes; i += 512) {
        *(uint32_t *)(memory + (aligned - base) + i) = *(const uint32_t *)(from + i);
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    return aligned;
}

#include "kernels.inc"

/* Device memory that grows. */
template <class T> struct buffer {
    T *at = nullptr;
    size_t room = 0;
    T *of(size_t count)
    {
        if (count > room) {
            cudaFree(at);
            TRY(cudaMalloc(&at, count * sizeof(T)));
            room = count;
        }
        return at;
    }
    T *of(const std::vector<T> &from)
    {
        of(from.size() + 64);
        TRY(cudaMemcpy(at, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
        return at;
    }
};
static buffer<uint32_t> device_a, device_b, device_c, device_d;
static buffer<uint8_t> device_image;

static wgmma_kernel *wgmma_of(const std::string &name, int *count)
{
    for (auto &entry : wgmma_kernels) {
        if (name == entry.name) {
            *count = entry.count;
            return entry.kernel;
        }
    }
    fprintf(stderr, "no kernel %s\n", name.c_str());
    exit(1);
}

enum { BATCH = 512 };

static void run_batch(const tile_kind *kind, int first, int count, std::vector<uint32_t> *results)
{
    static tile t;
    bool group = kind->flags & TILE_WGMMA;
    int threads = group ? 128 : 32, cw = tile_words(kind, 'c') * threads;
    int aw = group ? 4 * threads : tile_words(kind, 'a') * threads;
    int bw = group ? 0 : tile_words(kind, 'b') * threads;
    int image_bytes = group ? (kind->m + kind->n) * 32 : 0;
    std::vector<uint32_t> a((size_t)aw * count), b((size_t)bw * count), c((size_t)cw * count);
    std::vector<uint8_t> images((size_t)image_bytes * count);
    for (int i = 0; i < count; i++) {
        tile_make(kind, first + i, &t);
        tile_pack_c(kind, t.c, c.data() + (size_t)cw * i);
        if (!group || (kind->flags & TILE_A_REGISTERS)) {
            tile_pack_ab(kind, 'a', t.a, a.data() + (size_t)aw * i);
        }
        if (group) {
            tile_image(kind, &t, images.data() + (size_t)image_bytes * i);
        } else {
            tile_pack_ab(kind, 'b', t.b, b.data() + (size_t)bw * i);
        }
    }
    uint32_t *da = device_a.of(a), *dc = device_c.of(c), *dd = device_d.of((size_t)cw * count);
    if (group) {
        int regs;
        wgmma_kernel *kernel = wgmma_of(kind->name, &regs);
        uint64_t common = (uint64_t)8 << 16 | (uint64_t)16 << 32;
        kernel<<<count, 128, image_bytes + 1024>>>(device_image.of(images), image_bytes, common,
                                                   common | (uint64_t)(kind->m * 32 / 16),
                                                   !(kind->flags & TILE_NO_C), da, dc, dd);
    } else {
        mma_kernel *kernel = nullptr;
        for (auto &entry : mma_kernels) {
            kernel = strcmp(entry.name, kind->name) == 0 ? entry.kernel : kernel;
        }
        kernel<<<count, 32>>>(da, device_b.of(b), dc, dd);
    }
    TRY(cudaDeviceSynchronize());
    results->resize((size_t)cw * count);
    TRY(cudaMemcpy(results->data(), dd, results->size() * 4, cudaMemcpyDeviceToHost));
}

static void run_kind(const tile_kind *kind, FILE *out)
{
    int words = tile_words(kind, 'c') * (kind->flags & TILE_WGMMA ? 128 : 32);
    tile_record record = {};
    snprintf(record.name, sizeof record.name, "%s", kind->name);
    record.words = words;
    record.stored = kind->stored;
    record.hashed = kind->hashed;
    record.magic = TILE_MAGIC;
    fwrite(&record, sizeof record, 1, out);
    std::vector<uint64_t> hashes;
    std::vector<uint32_t> results;
    for (int first = 0; first < kind->hashed; first += BATCH) {
        int count = kind->hashed - first < BATCH ? kind->hashed - first : BATCH;
        run_batch(kind, first, count, &results);
        for (int i = 0; i < count; i++) {
            const uint32_t *tile = results.data() + (size_t)words * i;
            hashes.push_back(tile_hash(tile, words));
            if (first + i < kind->stored) {
                fwrite(tile, 4, words, out);
            }
        }
    }
    fwrite(hashes.data(), 8, hashes.size(), out);
    printf("%-20s %d tiles\n", kind->name, kind->hashed);
}

/* An element of the map's type with the value of a byte. */
static void put_value(uint8_t *at, int bytes, int value)
{
    if (bytes == 1) {
        *at = (uint8_t)value;
        return;
    }
    float f = (float)value;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    if (bytes == 2) { /* fp16: exact */
        uint16_t h = value ? (uint16_t)((bits >> 13) - (112 << 10)) : 0;
        memcpy(at, &h, 2);
    } else {
        memcpy(at, &bits, 4);
    }
}

static void run_map(const map_case *c, FILE *out)
{
    const map_kernel *k = &map_kernels[c->kernel];
    int ks = 32 / k->bytes, rows = k->operand == 'a' ? 64 : k->n, regs;
    wgmma_kernel *kernel = wgmma_of(k->name, &regs);
    TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             MAP_MEMORY + 1024));
    std::vector<uint16_t> map((size_t)rows * ks);
    for (int half = 0; half < 2; half++) {
        std::vector<uint8_t> image(MAP_MEMORY);
        for (int i = 0; i < MAP_REGION / k->bytes; i++) {
            put_value(&image[(size_t)i * k->bytes], k->bytes, half ? i >> 8 : i & 255);
        }
        for (int i = 0; i < ks; i++) { /* the identity, K-major, without swizzle */
            int byte = i * k->bytes;
            put_value(&image[MAP_REGION + i / 8 * 256 + byte / 16 * 128 + i % 8 * 16 + byte % 16],
                      k->bytes, 1);
        }
        uint64_t identity = (uint64_t)(MAP_REGION >> 4) | (uint64_t)8 << 16 | (uint64_t)16 << 32;
        uint64_t tested = map_descriptor(c);
        std::vector<uint32_t> zeros((size_t)128 * regs), d(zeros.size());
        uint32_t *dd = device_d.of(d.size());
        bool a = k->operand == 'a';
        kernel<<<1, 128, MAP_MEMORY + 1024>>>(device_image.of(image), MAP_MEMORY,
                                              a ? tested : identity, a ? identity : tested, 0,
                                              device_a.of(zeros), device_c.of(zeros), dd);
        TRY(cudaDeviceSynchronize());
        TRY(cudaMemcpy(d.data(), dd, d.size() * 4, cudaMemcpyDeviceToHost));
        for (int thread = 0; thread < 128; thread++) {
            for (int e = 0; e < regs; e++) {
                int row = thread / 32 * 16 + thread % 32 / 4 + 8 * (e / 2 % 2);
                int column = e / 4 * 8 + 2 * (thread % 4) + e % 2;
                uint32_t bits = d[(size_t)thread * regs + e];
                float f;
                memcpy(&f, &bits, 4);
                int value = k->bytes == 1 ? (int)bits : (int)f;
                int at = a          ? column < ks ? row * ks + column : -1
                         : row < ks ? column * ks + row
                                    : -1;
                if (at >= 0) {
                    map[at] = (uint16_t)(map[at] + (value << (8 * half)));
                }
            }
        }
    }
    fwrite(c, sizeof *c, 1, out);
    fwrite(map.data(), 2, map.size(), out);
}

int main(int argc, char **argv)
{
    std::string folder = argc > 1 ? argv[1] : ".";
    FILE *out = fopen((folder + "/tiles.bin").c_str(), "wb");
    FILE *maps = fopen((folder + "/maps.bin").c_str(), "wb");
    if (!out || !maps) {
        perror("probe_tiles");
        return 2;
    }
    for (int i = 0; i < TILE_KINDS; i++) {
        if (argc < 3 || strstr(tile_kinds[i].name, argv[2])) {
            run_kind(&tile_kinds[i], out);
        }
    }
    fclose(out);
    if (argc > 2) {
        return 0;
    }
    map_case cases[MAP_CASES];
    int count = map_list(cases);
    for (int i = 0; i < count; i++) {
        run_map(&cases[i], maps);
    }
    fclose(maps);
    printf("%d maps\n", count);
    return 0;
}
