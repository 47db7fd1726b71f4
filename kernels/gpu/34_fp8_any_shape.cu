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
//@ param    WIDTH 0 {0,64,128,256}, SHARE 0 {0,1,2,4,8}, PAIR 0 {0,1,2}, SPLITS 0 {0,1,32}
//@ let      BK = 128, V = 16, NT = 384, PACK_NT = 256, PLACES = 2, STAGING = 8*2048*PLACES
//@ let      STAGES_64 = 8, STAGES_128 = 6, STAGES_192 = 4, STAGES_256 = 4
//@ require  SMEM_MAX >= STAGES_256*(128+256)*128+STAGING+2048 "all stages in shared memory"
//@ arg      steps = cdiv(K,BK)
//@ arg      bias = 0, per_row = 0, activation = 0, scale_a = 0, scale_b = 0
//@ arg      whole = aligned(A,16) && lda%V==0 && (!TB || (aligned(B,16) && ldb%V==0))
//@ arg      mapped = K>0 && !TA && whole
//@ arg      chunk = 128/C_BYTES
//@ arg      stored = K>0 && N*C_BYTES%16==0 && ldc*C_BYTES%16==0 && aligned(C,16)
//@ choose   wide {64,128,256}, share {1,2,4,8}, splits {1,32}, pair {1,2}
//@ arg      size = pair*share, rows = cdiv(M,128*pair)*pair, columns = cdiv(N,wide)
//@ arg      few = (size<=2)*(SMS-SMS%size)+(size==4)*(SMS*7/8)+(size>=8)*(SMS*6/7)
//@ arg      slots = max(few,1)
//@ arg      parts = rows*columns*share*splits, waves = cdiv(parts,slots)
//@ arg      depth = cdiv(steps,share*splits)
//@ arg      stage = (128+wide)*128, read = stage-(pair-1)*wide*64
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
//@ map      map_a = A[128,BK] swizzle128 optional, map_b = B[64,BK] swizzle128 optional
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
// After 26_fp8: the same sums of 128 of k, which float registers add, in tiles of 128 x 64, 128 or
// 256, as 33_tf32_any_shape divides a product (any_shape.h). 26_fp8 has only tiles of 128 x 256,
// which leave most multiprocessors without work where C is small.
// A is read by its tensor map if it is stored along k, and so is B; otherwise B is packed, or both
// are.
// `cost` in ns is that of 33_tf32_any_shape: steps have as many bytes, and the tensor cores take as
// long for them, since they multiply four times as many numbers in the same time.
// Tried on an H200, at 4096 and 8192: rows of X in registers, which the two halves of a tile of 256
// columns then read once instead of twice (1.04 times as long), and turns of the warpgroups, so
// that one adds while the other multiplies (1.02).
// Tile: 128 x 64, 128 or 256 by 128 deep; 2 warpgroups of 64 rows. A thread has `wide`/2 sums of
// its own, and up to 64 of the tensor cores.
// Intensity at 4096: 2*128*256 / (128+256) = 170.7 FLOP/byte from L2.
// Occupancy on sm_90: 384 threads of 168 registers at the start, up to 230400 bytes: 1 block.
//
//     step      0               1               2
//     tensor    | group 0 | group 1 | group 0 | group 1 |     each a product of 128 of k from 0
//     registers           | group 0 | group 1 | group 0 |     sum += part
#include <cuda_fp8.h> // T is one of its types

#define ALWAYS_TURNED 0
#define ALONG_X 1

#include "any_shape.h"
#include "pack_tile.h"

// Multiplies 128 of k from zero: 64 rows of X by `wide` rows of Y, at most 128.
__device__ EXPANDED void multiply_128(int wide, float *part, unsigned tile_x, unsigned tile_y)
{
    const T *const type = 0;
#pragma unroll
    for (int k = 0; k < BK; k += 32) {
        const unsigned long long x = wgmma_descriptor(tile_x + k, 0);
        const unsigned long long y = wgmma_descriptor(tile_y + k, 0);
        if (wide == 64)
            wgmma_64x64x32(type, part, x, y, k > 0);
        else
            wgmma_64x128x32(type, part, x, y, k > 0);
    }
}

__device__ EXPANDED void multiply_unit(const struct product *p, const struct places *at,
                                       struct position *here, float *sum, const struct unit *u,
                                       char *)
{
    const int group = threadIdx.x / 128 - 1, wide = at->wide, half = wide < 128 ? wide : 128;
    float part[64];
#pragma unroll
    for (int i = 0; i < wide / 2; i++)
        sum[i] = 0;
    for (int step = u->begin; step < u->end; step++) {
        const unsigned tile_x = at->base + here->stage * at->bytes + group * (64 * 128);
        const unsigned tile_y = at->base + here->stage * at->bytes + 128 * 128;
        mbarrier_wait(at->full + here->stage * 8, here->parity);
#pragma unroll
        for (int column = 0; column < wide; column += half) {
            wgmma_fence();
            multiply_128(half, part, tile_x, tile_y + column * 128);
            wgmma_commit();
            wgmma_wait(0);
            wgmma_done(part, half / 2);
            if (column + half == wide && step + 1 < u->end)
                leave_stage(p, at->empty + here->stage * 8);
#pragma unroll
            for (int i = 0; i < half / 2; i++)
                sum[column / 2 + i] += part[i];
        }
        advance(at, here);
    }
}

// The kernels for each width: with X by a tensor map; ..
template <int wide>
__global__ void __launch_bounds__(NT, 1)
    mapped(int M, int N, int steps, int rows, int columns, int share, int splits, int once,
           float alpha, float beta, T_C *C, int ldc, float *P, int ldp, const T *PY,
           long long bias, int per_row, int activation, long long scale_a, long long scale_b,
           const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
           const __grid_constant__ CUtensorMap map_c)
{
    float sum[wide / 2];
    struct product p = {&map_a, &map_b, 0, TB ? 0 : PY, M, N, steps, rows, columns, share, splits,
                        alpha, beta, C, P, ldc, ldp};
    p.map_c = once ? &map_c : 0;
    p.turned = false;
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
