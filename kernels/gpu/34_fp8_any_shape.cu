// 34_fp8_any_shape.cu: 8-bit floating-point numbers in tiles for the shape.
// SPDX-License-Identifier: MIT
//@ title    FP8 by the shape
//@ after    26_fp8
//@ idea     a cost model chooses the width of tiles, pairs of blocks and shares of K
//@ type     A=e4m3 B=e4m3 C=f32 ACC=f22, A=e5m2 B=e5m2 C=f32 ACC=f22
//@ type     A=e4m3 B=e4m3 C=bf16 ACC=f22, A=e5m2 B=e5m2 C=bf16 ACC=f22
//@ trans    nn, nt, tn, tt
//@ arch     sm_90a
//@ param    GROUP 8 {2,4,8,16}
//@ param    FAST 0 {0,1}
//@ param    WIDTH 0 {0,64,128,192,256}, SHARE 0 {0,1,2,4,8}, PAIR 0 {0,1,2}, SPLITS 0 {0,1,32}
//@ let      BK = 128, V = 16, NT = 384, PACK_NT = 256, PLACES = 2, STAGING = 8*2048*PLACES
//@ let      STAGES_64 = 8, STAGES_128 = 6, STAGES_192 = 4, STAGES_256 = 4
//@ require  SMEM_MAX >= STAGES_256*(128+256)*128+STAGING+2048 "all stages in shared memory"
//@ arg      steps = cdiv(K,BK)
//@ arg      bias = 0, per_row = 0, activation = 0, scale_a = 0, scale_b = 0
//@ arg      whole = aligned(A,16) && lda%V==0 && (!TB || (aligned(B,16) && ldb%V==0))
//@ arg      mapped = K>0 && !TA && whole
//@ arg      chunk = 128/C_BYTES, tall = min(128, cdiv(M,8)*8)
//@ arg      stored = K>0 && N*C_BYTES%16==0 && ldc*C_BYTES%16==0 && aligned(C,16)
//@ choose   wide {64,128,192,256}, share {1,2,4,8}, splits {1,32}, pair {1,2}
//@ arg      size = pair*share, rows = cdiv(M,128*pair)*pair, columns = cdiv(N,wide)
//@ arg      few = (size<=2)*(SMS-SMS%size)+(size==4)*(SMS*7/8)+(size>=8)*(SMS*6/7)
//@ arg      slots = max(few,1)
//@ arg      parts = rows*columns*share*splits, waves = cdiv(parts,slots)
//@ arg      depth = cdiv(steps,share*splits)
//@ arg      stage = (tall+wide)*128, read = stage-(pair-1)*wide*64
//@ arg      shared = read*min(parts,slots)/8100
//@ arg      multiplying = max(wide*21/10+80, 300)
//@ arg      step = max(max(stage/90, multiplying), shared)
//@ arg      moved = (N*(1+(rows>1))+M*(1+(columns>1)))*K/5800
//@ arg      once = stored && share*splits==1
//@ arg      adding = (size>1)*400+waves*(1-once)*(650+24*wide)+(splits>1)*2800
//@ arg      packing = (1-mapped)*(3200+(M+N)*K/1500)+mapped*(1-TB)*(2800+N*K/1500)
//@ arg      fits = (size==1 || pair==1 || share==1) && steps>=2*share*splits
//@ arg      allowed = fits || share*splits==1
//@ arg      wanted = (!WIDTH || WIDTH==wide) && (!SHARE || SHARE==share)
//@ arg      asked = wanted && (!PAIR || PAIR==pair) && (!SPLITS || SPLITS==splits)
//@ arg      busy = max(waves*depth*step, moved)+waves*once*4*C_BYTES*wide
//@ arg      cost = 1700+busy+adding+packing+(!(allowed && asked))*1000000000
//@ least    cost
//@ arg      ldp = cdiv(N,4)*4, units = rows*columns/pair*splits
//@ arg      blocks = (1-once)*units*size+once*min(units,SMS/pair)*pair
//@ arg      boxes_x = (1-mapped)*rows*2, boxes_y = (1-mapped*TB)*columns*wide/64
//@ work     PX = T[boxes_x*64*steps*BK]
//@ work     PY = T[boxes_y*64*steps*BK]
//@ work     P = f32[(splits>1)*splits*M*ldp]
//@ map      map_a = A[tall,BK] swizzle128 optional, map_b = B[64,BK] swizzle128 optional
//@ map      map_c = C[16,chunk] swizzle128 optional by_address
//@ kernel   pack
//@ when     boxes_x+boxes_y>0 && K>0
//@ grid     steps, boxes_x+boxes_y
//@ block    PACK_NT
//@ kernel   mapped<256>
//@ when     mapped && wide==256
//@ grid     blocks
//@ cluster  size
//@ block    NT
//@ smem     STAGES_256*(128+256)*128+1024+STAGING
//@ kernel   mapped<192>
//@ when     mapped && wide==192
//@ grid     blocks
//@ cluster  size
//@ block    NT
//@ smem     STAGES_192*(128+192)*128+1024+STAGING
//@ kernel   mapped<128>
//@ when     mapped && wide==128
//@ grid     blocks
//@ cluster  size
//@ block    NT
//@ smem     STAGES_128*(128+128)*128+1024+STAGING
//@ kernel   mapped<64>
//@ when     mapped && wide==64
//@ grid     blocks
//@ cluster  size
//@ block    NT
//@ smem     STAGES_64*(128+64)*128+1024+STAGING
//@ kernel   packed<256>
//@ when     !mapped && wide==256
//@ grid     blocks
//@ cluster  size
//@ block    NT
//@ smem     STAGES_256*(128+256)*128+1024+STAGING
//@ kernel   packed<192>
//@ when     !mapped && wide==192
//@ grid     blocks
//@ cluster  size
//@ block    NT
//@ smem     STAGES_192*(128+192)*128+1024+STAGING
//@ kernel   packed<128>
//@ when     !mapped && wide==128
//@ grid     blocks
//@ cluster  size
//@ block    NT
//@ smem     STAGES_128*(128+128)*128+1024+STAGING
//@ kernel   packed<64>
//@ when     !mapped && wide==64
//@ grid     blocks
//@ cluster  size
//@ block    NT
//@ smem     STAGES_64*(128+64)*128+1024+STAGING
//@ kernel   add_splits
//@ when     splits > 1
//@ grid     min(cdiv(M*ldp,1024), 8*SMS)
//@ block    256
//@ expect   spills == 0, regs <= 168 @sm_90
//@ source   DeepSeek-AI, DeepGEMM: fine-grained promotion of FP8 sums; docs/tensor-cores.md
//
// After 26_fp8: the same sums of 128 of k, which float registers add, in tiles of 128 x 64, 128,
// 192 or 256, as 33_tf32_any_shape divides a product (any_shape.h). 26_fp8 has only tiles of
// 128 x 256, which leave most multiprocessors without work where C is small.
// A is read by its tensor map if it is stored along k, and so is B; otherwise B is packed, or both
// are.
// Parts: 26_fp8 waits for the products that it adds, and the tensor cores wait for the additions.
// Here a tile is computed in parts of 64, 96 or 128 columns, and the products of a part are started
// before the part in front of it is added. Two parts and the sums of the tile fit into registers.
// Descriptors: each wgmma needs two in uniform registers. They are computed once for a part, from
// values that the compiler knows to be the same in a warp (__shfl_sync), because otherwise the
// instructions between two wgmma, some with a latency of 12 cycles and more (R2UR), take so long
// that the tensor cores wait.
// FAST=1 leaves the sums of all of k in the tensor cores, with 13 bits of the fraction, as cuBLASLt
// does with FAST_ACCUM.
// `tall`: the copy engine takes as long for a row beyond the matrix as for others, so that few rows
// of A are copied alone. The sums of what is below them in shared memory are not stored.
// `cost` in ns is that of 33_tf32_any_shape: steps have as many bytes, and the tensor cores take as
// long for them, since they multiply four times as many numbers in the same time.
// Tried on an H200, at 4096 and 8192, before there were parts: rows of X in registers, which the
// two halves of a tile of 256 columns then read once instead of twice (1.04 times as long), and
// turns of the warpgroups, so that one adds while the other multiplies (1.02).
// Tile: 128 x 64, 128, 192 or 256 by 128 deep; 2 warpgroups of 64 rows. A thread has `wide`/2 sums
// of its own, and up to 128 of two parts.
// Intensity at 4096: 2*128*256 / (128+256) = 170.7 FLOP/byte from L2.
// Occupancy on sm_90: 384 threads of 168 registers at the start, up to 230400 bytes: 1 block.
//
//     step        0                             1
//     tensor      | part 0 | part 1 | part 2 | part 3 | part 0 |     each from 0, 128 of k
//     registers            | part 0 | part 1 | part 2 | part 3 |     sum += part
#include <cuda_fp8.h> // T is one of its types

#define ALWAYS_TURNED 0
#define ALONG_X 1

#include "any_shape.h"
#include "pack_tile.h"

// The columns of a part of a tile: the sums of the tile and those of two parts fit into registers.
#define PART_OF(wide) ((wide) == 256 ? 64 : (wide) == 192 ? 96 : (wide))

// Starts the products of a step and of `columns` columns from `column` on.
__device__ EXPANDED void start_products(const struct places *at, const struct position *here,
                                        int columns, int column, float *sum, bool adds)
{
    // Uniform registers hold descriptors; the compiler knows by this that a warp has one.
    const int group = __shfl_sync(~0u, threadIdx.x / 128, 0) - 1;
    const unsigned stage = at->base + here->stage * at->bytes;
    const unsigned long long x = wgmma_descriptor(stage + group * (64 * 128), 0);
    const unsigned long long y = wgmma_descriptor(stage + (128 + column) * 128, 0);
    const T *const type = 0;
    if (column == 0)
        mbarrier_wait(at->full + here->stage * 8, here->parity);
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < BK; k += 32) {
        // k bytes further; a tile of 128 bytes a row does not cross the 256 KB of an address
        if (columns == 64)
            wgmma_64x64x32(type, sum, x + k / 16, y + k / 16, adds || k > 0);
        else if (columns == 96)
            wgmma_64x96x32(type, sum, x + k / 16, y + k / 16, adds || k > 0);
        else if (columns == 128)
            wgmma_64x128x32(type, sum, x + k / 16, y + k / 16, adds || k > 0);
        else if (columns == 192)
            wgmma_64x192x32(type, sum, x + k / 16, y + k / 16, adds || k > 0);
        else
            wgmma_64x256x32(type, sum, x + k / 16, y + k / 16, adds || k > 0);
    }
    wgmma_commit();
}

// With the sums of all of k in the tensor cores.
__device__ EXPANDED void multiply_fast(const struct product *p, const struct places *at,
                                       struct position *here, float *sum, const struct unit *u)
{
    for (int step = u->begin; step < u->end; step++) {
        start_products(at, here, at->wide, 0, sum, step > u->begin);
        wgmma_wait(1); // the previous step's products are complete
        if (step > u->begin)
            leave_stage(p, at->empty + here->before * 8);
        advance(at, here);
    }
}

// Adds a part, whose products are complete, to its sums.
__device__ EXPANDED void add_part(int columns, float *sum, float *part)
{
    wgmma_done(part, columns / 2);
#pragma unroll
    for (int i = 0; i < columns / 2; i++)
        sum[i] += part[i];
}

// Starts the products of the next part, and adds the one before to its sums meanwhile. `leaves`:
// the part before is the last one of the previous step.
__device__ EXPANDED void next_part(const struct product *p, const struct places *at,
                                   const struct position *here, int columns, int column,
                                   float *next, float *sum, float *part, bool leaves)
{
    start_products(at, here, columns, column, next, false);
    wgmma_wait(1);
    if (leaves)
        leave_stage(p, at->empty + here->before * 8);
    add_part(columns, sum, part);
}

// All parts of a step but the first, which has been started.
__device__ EXPANDED void rest_of_step(const struct product *p, const struct places *at,
                                      const struct position *here, int columns, int parts,
                                      float *sum, float *even, float *odd)
{
#pragma unroll
    for (int i = 1; i < parts; i++)
        next_part(p, at, here, columns, i * columns, i % 2 ? odd : even,
                  sum + (i - 1) * (columns / 2), i % 2 ? even : odd, false);
}

// With sums of 128 of k in the tensor cores, which float registers add.
__device__ EXPANDED void multiply_promoted(const struct product *p, const struct places *at,
                                           struct position *here, float *sum, const struct unit *u)
{
    const int wide = at->wide, columns = PART_OF(wide), parts = wide / columns;
    float even[64], odd[64]; // columns/2 of them
#pragma unroll
    for (int i = 0; i < wide / 2; i++)
        sum[i] = 0;
    if (u->begin >= u->end)
        return;
    start_products(at, here, columns, 0, even, false);
    int step = u->begin + 1;
    if (parts == 1) {
        advance(at, here);
        for (; step + 1 < u->end; step += 2) {
            next_part(p, at, here, columns, 0, odd, sum, even, true);
            advance(at, here);
            next_part(p, at, here, columns, 0, even, sum, odd, true);
            advance(at, here);
        }
        if (step < u->end) {
            next_part(p, at, here, columns, 0, odd, sum, even, true);
            advance(at, here);
            wgmma_wait(0);
            add_part(columns, sum, odd);
        } else {
            wgmma_wait(0);
            add_part(columns, sum, even);
        }
        return;
    }
    for (; step < u->end; step++) {
        rest_of_step(p, at, here, columns, parts, sum, even, odd);
        advance(at, here);
        next_part(p, at, here, columns, 0, even, sum + (parts - 1) * (columns / 2), odd, true);
    }
    // The condition is always true. Without a branch after the loop whose two sides both wait,
    // ptxas lets the products wait for one another everywhere (its remark C7514; CUDA 13.0).
    if (here->stage >= 0) {
        rest_of_step(p, at, here, columns, parts, sum, even, odd);
        advance(at, here);
        wgmma_wait(0);
        add_part(columns, sum + (parts - 1) * (columns / 2), odd);
    } else {
        wgmma_wait(0);
        add_part(columns, sum, even);
    }
}

__device__ EXPANDED void multiply_unit(const struct product *p, const struct places *at,
                                       struct position *here, float *sum, const struct unit *u,
                                       char *)
{
    if (FAST)
        multiply_fast(p, at, here, sum, u);
    else
        multiply_promoted(p, at, here, sum, u);
}

// The kernels for each width: with X by a tensor map; ..
template <int wide>
__global__ void __launch_bounds__(NT, 1)
    mapped(int M, int N, int steps, int rows, int columns, int tall, int share, int splits,
           int once, float alpha, float beta, T_C *C, int ldc, float *P, int ldp, const T *PY,
           long long bias, int per_row, int activation, long long scale_a, long long scale_b,
           const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
           const __grid_constant__ CUtensorMap map_c)
{
    float sum[wide / 2];
    struct product p = {&map_a, &map_b, 0, TB ? 0 : PY, M, N, steps, rows, columns, share, splits,
                        alpha, beta, C, P, ldc, ldp};
    p.map_c = once ? &map_c : 0;
    p.turned = false;
    p.x_rows = tall;
    p.epilogue = epilogue_of(bias, per_row, activation, M, N);
    p.scale_a = (const float *)scale_a;
    p.scale_b = (const float *)scale_b;
    multiply(&p, wide, sum);
}

// .. and with both packed.
template <int wide>
__global__ void __launch_bounds__(NT, 1)
    packed(int M, int N, int steps, int rows, int columns, int share, int splits, int once,
           float alpha, float beta, T_C *C, int ldc, float *P, int ldp, const T *PX,
           const T *PY, long long bias, int per_row, int activation, long long scale_a,
           long long scale_b, const __grid_constant__ CUtensorMap map_c)
{
    float sum[wide / 2];
    struct product p = {0, 0, PX, PY, M, N, steps, rows, columns, share, splits, alpha, beta, C, P,
                        ldc, ldp};
    p.map_c = once ? &map_c : 0;
    p.turned = false;
    p.x_rows = 128;
    p.epilogue = epilogue_of(bias, per_row, activation, M, N);
    p.scale_a = (const float *)scale_a;
    p.scale_b = (const float *)scale_b;
    multiply(&p, wide, sum);
}

// The boxes of X, which is A, if both are packed, and then those of Y, which is B. A tile of X has
// 2 boxes and one of Y wide/64, side by side for each step.
__global__ void __launch_bounds__(PACK_NT)
    pack(int M, int N, int K, const T *A, int lda, const T *B, int ldb, int steps, int boxes_x,
         int wide, T *PX, T *PY)
{
    wait_for_earlier_grids();
    const bool of_x = (int)blockIdx.y < boxes_x;
    const int n = of_x ? blockIdx.y : blockIdx.y - boxes_x, each = of_x ? 2 : wide / 64;
    const int tile = n / each, step = blockIdx.x, row = n * 64, k = step * BK;
    T *const to =
        (of_x ? PX : PY) + (((size_t)tile * steps + step) * each + n - tile * each) * BOX;
    const bool along = of_x ? !TA : TB;
    const T *const from = of_x ? A : B;
    const int ld = of_x ? lda : ldb;
    pack_bytes<64, PACK_NT>(to, 64, along,
                            from + (along ? (size_t)row * ld + k : (size_t)k * ld + row), ld,
                            (of_x ? M : N) - row, K - k);
}

__global__ void __launch_bounds__(256)
    add_splits(int M, int N, float alpha, float beta, T_C *C, int ldc, const float *P, int ldp,
               int splits, long long bias, int per_row, int activation, long long scale_a,
               long long scale_b)
{
    wait_for_earlier_grids();
    add_parts(M, N, scaled_alpha(alpha, (const float *)scale_a, (const float *)scale_b), beta, C,
              ldc, P, ldp, splits, epilogue_of(bias, per_row, activation, M, N));
}
