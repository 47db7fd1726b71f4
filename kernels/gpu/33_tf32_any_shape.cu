// 33_tf32_any_shape.cu: tf32 in tiles for the shape, with an operand in registers.
// SPDX-License-Identifier: MIT
//@ title    TF32 by the shape
//@ after    27_any_shape
//@ idea     wgmma reads one operand from registers, which can load it from any layout: no packing
//@ idea     the product whose second operand is along k is computed: C, or C transposed
//@ idea     a cost model chooses the width of tiles, pairs of blocks and shares of K
//@ type     f32
//@ math     tf32
//@ trans    nn, nt, tn, tt
//@ arch     sm_90a
//@ param    GROUP 8 {2,4,8,16}
//@ param    WIDTH 0 {0,64,128,192,256}, SHARE 0 {0,1,2,4,8}, PAIR 0 {0,1,2}, SPLITS 0 {0,1,32}
//@ let      BK = 32, V = 4, NT = 384, PACK_NT = 256, PLACES = 2, STAGING = 8*2048*PLACES
//@ let      STAGES_64 = 8, STAGES_128 = 6, STAGES_192 = 4, STAGES_256 = 4
//@ require  SMEM_MAX >= STAGES_256*(128+256)*128+STAGING+2048 "all stages in shared memory"
//@ arg      steps = cdiv(K,BK)
//@ arg      bias = 0, per_row = 0, activation = 0
//@ arg      whole = aligned(A,16) && aligned(B,16) && lda%V==0 && ldb%V==0
//@ arg      mapped = K>0 && whole, apart = TA*(1-TB)
//@ arg      turned = mapped*((TA+TB==0) || (TA && !TB && 2*M<=N))
//@ arg      stored = K>0 && N%V==0 && ldc%V==0 && aligned(C,16)
//@ choose   wide {64,128,192,256}, share {1,2,4,8}, splits {1,32}, pair {1,2}
//@ arg      high = turned*N+(1-turned)*M, broad = turned*M+(1-turned)*N
//@ arg      size = pair*share, rows = cdiv(high,128*pair)*pair, columns = cdiv(broad,wide)
//@ arg      few = (size<=2)*(SMS-SMS%size)+(size==4)*(SMS*7/8)+(size>=8)*(SMS*6/7)
//@ arg      slots = max(few,1)
//@ arg      parts = rows*columns*share*splits, waves = cdiv(parts,slots)
//@ arg      depth = cdiv(steps,share*splits)
//@ arg      tall = 128-(1-TA)*TB*(128-min(128, cdiv(M,8)*8))
//@ arg      stage = (tall+wide)*128, read = stage-(pair-1)*wide*64
//@ arg      shared = read*min(parts,slots)/8100
//@ arg      multiplying = max(wide*21/10+50, 265)
//@ arg      step = max(max(stage/90, multiplying), shared)
//@ arg      moved = (broad*(1+(rows>1))+high*(1+(columns>1)))*K/1450
//@ arg      once = stored && share*splits==1 && (!TA || !turned)
//@ arg      adding = (size>1)*400+waves*(1-once)*(650+24*wide)+(splits>1)*2800
//@ arg      packing = (1-mapped)*(3200+(M+N)*K/500)+mapped*apart*(2800+broad*K/500)
//@ arg      fits = (size==1 || pair==1 || share==1) && steps>=2*share*splits
//@ arg      allowed = fits || share*splits==1
//@ arg      wanted = (!WIDTH || WIDTH==wide) && (!SHARE || SHARE==share)
//@ arg      asked = wanted && (!PAIR || PAIR==pair) && (!SPLITS || SPLITS==splits)
//@ arg      busy = max(waves*depth*step, moved)+waves*once*15*wide
//@ arg      cost = 1700+busy+adding+packing+(!(allowed && asked))*1000000000
//@ least    cost
//@ arg      ldp = cdiv(N,4)*4, units = rows*columns/pair*splits
//@ arg      blocks = (1-once)*units*size+once*min(units,SMS/pair)*pair
//@ arg      boxes_x = (1-mapped)*rows*2, boxes_y = (1-mapped*(1-apart))*columns*wide/64
//@ arg      box_a = TA*32+(1-TA)*(64+TB*(tall-64)), box_b = 32+32*TB
//@ work     PX = T[boxes_x*64*steps*BK]
//@ work     PY = T[boxes_y*64*steps*BK]
//@ work     P = f32[(splits>1)*splits*M*ldp]
//@ map      map_a = A[box_a,BK] swizzle128 optional, map_b = B[box_b,BK] swizzle128 optional
//@ map      map_c = C[16,32] swizzle128 optional by_address
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
//@ source   NVIDIA CUTLASS, warp-specialised persistent kernels for Hopper: tf32, A in registers
//
// After 27_any_shape: the same division into tiles and shares of K, for floats that are rounded to
// tf32. wgmma requires that an operand of 32 bits in shared memory is contiguous along k, as A is
// in `nn` and both are in `nt`. 25_tf32 transposes the others in memory first, which takes a tenth
// of the time at 4096, and longer than all of a small product. But wgmma can also read its first
// operand from registers, and a thread can load these from a tile in any layout. So an operand may
// be stored in either way if it has the rows X, of which a block has 128, and only the other one,
// which has the rows Y, `wide` of them in a block, must be along k:
//
//           X                     Y                     sums
//     nt    A, shared memory      B                     C
//     tt    A, registers          B                     C
//     nn    B, registers          A                     C transposed (`turned`)
//     tn    A, registers          B, packed             C
//           or B, registers       A, packed             C transposed, if A is much smaller
//
// An operand whose rows are not aligned to 16 bytes has no tensor map; then both are packed, along
// k, as for `nt`.
// Registers: a thread loads the 16 numbers of a step while the tensor cores multiply the previous
// one. A lane with an odd k loads k + 4 first: the lanes of a warp then read different banks.
// Stores: if the sums are all of a tile of C, and the rows of C are aligned to 16 bytes, C is
// written by the copy engine during the next tile's products (copy_out.h); sums of C transposed are
// turned on the way, two warps for 128 bytes of a row. Otherwise a block has one tile only. It
// writes its sums to the shared memory of its stages, as rows of C, where blocks that share K read
// those of one another, and stores them in whole rows, to C or, with `splits`, to P.
// Rounding: by the copy engine, since the maps are of tf32 (`math tf32`), or where it is packed.
// Tile: 128 x 64, 128, 192 or 256 by 32 deep; 2 warpgroups of 64 rows.
// Bounds for 8 of k and a warpgroup at 128 x 256: 128 cycles of the tensor cores, which read 256
// rows of 32 bytes of Y, 64 cycles of shared memory; 16 loads of X by its warps, 16 cycles.
// `tall`: the copy engine takes as long for a row beyond the matrix as for others. With `nt`, few
// rows of A are copied alone; the sums of what is below them in shared memory are not stored.
// `cost` in ns is that of 27_any_shape, whose steps have as many bytes and take as long, with rates
// fitted to 700 times of 58 products on an H200, and `moved`, the time of the bytes that L2 gives.
// Epilogue: the library sets the variables of the line `arg bias`, which are 0 here (epilogue.h).
// Occupancy on sm_90: 384 threads of 168 registers at the start, up to 230400 bytes: 1 block.
//
//     X stored across k, 32 x 32: 8 lanes (x) by 4 (k) load 4 times for 8 of k
//
//           x  0 .. 7   8 .. 15            register 0: k 0 .. 3, x 0 .. 7    1: x 8 .. 15
//     k 0 ..3 |  0   |   1   |             register 2: k 4 .. 7, x 0 .. 7    3: x 8 .. 15
//       4 ..7 |  2   |   3   |
// By maps: is C transposed (by `turned`, where both ways are possible), and are X and Y stored
// along k?
#define TURNED(turned) (TA && !TB ? turned : !TA && !TB)
#define ALWAYS_TURNED (!TA && !TB)
#define ALONG_X (!TA && TB)
#define ALONG_Y (!TA || TB)

#include "any_shape.h"
#include "pack_tile.h"

// Multiplies 8 of k: 64 rows of X by the tile's width, with X in shared memory, ..
__device__ EXPANDED void multiply_8(int wide, float *sum, unsigned long long x,
                                    unsigned long long y, bool adds)
{
    if (wide == 256)
        wgmma_64x256x8(sum, x, y, adds);
    else if (wide == 192)
        wgmma_64x192x8(sum, x, y, adds);
    else if (wide == 128)
        wgmma_64x128x8(sum, x, y, adds);
    else
        wgmma_64x64x8(sum, x, y, adds);
}

// .. or in registers.
__device__ EXPANDED void multiply_8_of(int wide, float *sum, const unsigned *x,
                                       unsigned long long y, bool adds)
{
    if (wide == 256)
        wgmma_registers_x256x8(sum, x, y, adds);
    else if (wide == 192)
        wgmma_registers_x192x8(sum, x, y, adds);
    else if (wide == 128)
        wgmma_registers_x128x8(sum, x, y, adds);
    else
        wgmma_registers_x64x8(sum, x, y, adds);
}

// The numbers of 16 rows of X and a step of k that a lane has for wgmma, from a tile stored across
// k: rows of 128 bytes are steps of k, with 32 of x. `from` is where this lane's first k of the
// step is, and `piece` which piece of 16 bytes it would be without the swizzle.
__device__ EXPANDED void load_registers(unsigned *x, const char *from, int k, int piece)
{
#pragma unroll
    for (int i = 0; i < BK / 8; i++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const int first = k % 2 * 4, second = 4 - first; // k, k + 4; or k + 4 and then k
            const int low = ((piece + 2 * h) ^ (k + first)) * 16 + first * 128;
            const int high = ((piece + 2 * h) ^ (k + second)) * 16 + second * 128;
            const unsigned one = *(const unsigned *)(from + i * 1024 + low);
            const unsigned two = *(const unsigned *)(from + i * 1024 + high);
            x[i * 4 + h] = first ? two : one;
            x[i * 4 + h + 2] = first ? one : two;
        }
}

// A step with X in registers, `now`. While the tensor cores multiply, the numbers of the next step,
// if there is one, are loaded to `later`, which the previous step's products have read.
__device__ EXPANDED void step_of_registers(const struct product *p, const struct places *at,
                                           struct position *here, float *sum, unsigned *now,
                                           unsigned *later, int step, const struct unit *u,
                                           const char *stage_0, int offset, int k, int piece)
{
    const unsigned tile_y = at->base + here->stage * at->bytes + 128 * 128;
    wgmma_fence();
#pragma unroll
    for (int i = 0; i < BK / 8; i++)
        multiply_8_of(at->wide, sum, now + i * 4, wgmma_descriptor(tile_y + i * 32, 0),
                      step > u->begin || i > 0);
    wgmma_commit();
    wgmma_wait(1); // the previous step's products are complete
    if (step > u->begin)
        leave_stage(p, at->empty + here->before * 8);
    advance(at, here);
    if (step + 1 < u->end) {
        mbarrier_wait(at->full + here->stage * 8, here->parity);
        load_registers(later, stage_0 + here->stage * at->bytes + offset, k, piece);
    }
}

// Multiplies the steps of a unit with X in registers.
__device__ EXPANDED void multiply_registers(const struct product *p, const struct places *at,
                                            struct position *here, float *sum, const struct unit *u,
                                            const char *stage_0)
{
    // A box of the tile has 32 of x, and a warp 16 of them.
    const int warp = threadIdx.x / 32 - 4, lane = threadIdx.x % 32, k = lane % 4;
    const int offset = warp / 2 * 4096 + k * 128 + lane / 4 % 4 * 4;
    const int piece = warp % 2 * 4 + lane / 16;
    unsigned even[BK / 2], odd[BK / 2];
    if (u->begin < u->end) {
        mbarrier_wait(at->full + here->stage * 8, here->parity);
        load_registers(even, stage_0 + here->stage * at->bytes + offset, k, piece);
    }
    for (int step = u->begin; step < u->end; step += 2) {
        step_of_registers(p, at, here, sum, even, odd, step, u, stage_0, offset, k, piece);
        if (step + 1 < u->end)
            step_of_registers(p, at, here, sum, odd, even, step + 1, u, stage_0, offset, k, piece);
    }
}

// The same with X in shared memory.
__device__ EXPANDED void multiply_shared(const struct product *p, const struct places *at,
                                         struct position *here, float *sum, const struct unit *u)
{
    const int group = threadIdx.x / 128 - 1;
    for (int step = u->begin; step < u->end; step++) {
        const unsigned tile_x = at->base + here->stage * at->bytes + group * (64 * 128);
        const unsigned tile_y = at->base + here->stage * at->bytes + 128 * 128;
        mbarrier_wait(at->full + here->stage * 8, here->parity);
        wgmma_fence();
#pragma unroll
        for (int i = 0; i < BK / 8; i++)
            multiply_8(at->wide, sum, wgmma_descriptor(tile_x + i * 32, 0),
                       wgmma_descriptor(tile_y + i * 32, 0), step > u->begin || i > 0);
        wgmma_commit();
        wgmma_wait(1); // the previous step's products are complete
        if (step > u->begin)
            leave_stage(p, at->empty + here->before * 8);
        advance(at, here);
    }
}

__device__ EXPANDED void multiply_unit(const struct product *p, const struct places *at,
                                       struct position *here, float *sum, const struct unit *u,
                                       char *stage_0)
{
    if (ALONG_X || p->PX)
        multiply_shared(p, at, here, sum, u);
    else
        multiply_registers(p, at, here, sum, u, stage_0);
}

// The kernels for each width: with X, and Y unless it is stored across k, by tensor maps; ..
template <int wide>
__global__ void __launch_bounds__(NT, 1)
    mapped(int M, int N, int steps, int rows, int columns, int tall, int share, int splits,
           int turned, int once, float alpha, float beta, T_C *C, int ldc, float *P, int ldp,
           const T *PY, long long bias, int per_row, int activation,
           const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
           const __grid_constant__ CUtensorMap map_c)
{
    float sum[wide / 2];
    const bool is_turned = TURNED(turned);
    struct product p = {is_turned ? &map_b : &map_a, is_turned ? &map_a : &map_b, 0,
                        ALONG_Y ? 0 : PY, M, N, steps, rows, columns, share, splits, alpha, beta,
                        C, P, ldc, ldp};
    p.map_c = once ? &map_c : 0;
    p.turned = is_turned;
    p.x_rows = tall;
    p.epilogue = epilogue_of(bias, per_row, activation, M, N);
    multiply(&p, wide, sum);
}

// .. and with both packed.
template <int wide>
__global__ void __launch_bounds__(NT, 1)
    packed(int M, int N, int steps, int rows, int columns, int share, int splits, int once,
           float alpha, float beta, T_C *C, int ldc, float *P, int ldp, const T *PX,
           const T *PY, long long bias, int per_row, int activation,
           const __grid_constant__ CUtensorMap map_c)
{
    float sum[wide / 2];
    struct product p = {0, 0, PX, PY, M, N, steps, rows, columns, share, splits, alpha, beta, C, P,
                        ldc, ldp};
    p.map_c = once ? &map_c : 0;
    p.turned = false;
    p.x_rows = 128;
    p.epilogue = epilogue_of(bias, per_row, activation, M, N);
    multiply(&p, wide, sum);
}

// The boxes of X, which is A, if both are packed, and then those of Y, which is B, or A if C is
// transposed. A tile of X has 2 boxes and one of Y wide/64, side by side for each step.
__global__ void __launch_bounds__(PACK_NT)
    pack(int M, int N, int K, const T *A, int lda, const T *B, int ldb, int steps, int boxes_x,
         int wide, int turned, T *PX, T *PY)
{
    wait_for_earlier_grids();
    const bool of_x = (int)blockIdx.y < boxes_x, of_a = of_x || turned;
    const int n = of_x ? blockIdx.y : blockIdx.y - boxes_x, each = of_x ? 2 : wide / 64;
    const int tile = n / each, step = blockIdx.x, row = n * 64, k = step * BK;
    T *const to =
        (of_x ? PX : PY) + (((size_t)tile * steps + step) * each + n - tile * each) * BOX;
    const bool along = of_a ? !TA : TB;
    const T *const from = of_a ? A : B;
    const int ld = of_a ? lda : ldb;
    pack_tf32<64, PACK_NT>(to, 64, along,
                           from + (along ? (size_t)row * ld + k : (size_t)k * ld + row), ld,
                           (of_a ? M : N) - row, K - k);
}

__global__ void __launch_bounds__(256)
    add_splits(int M, int N, float alpha, float beta, T_C *C, int ldc, const float *P, int ldp,
               int splits, long long bias, int per_row, int activation)
{
    wait_for_earlier_grids();
    add_parts(M, N, alpha, beta, C, ldc, P, ldp, splits,
              epilogue_of(bias, per_row, activation, M, N));
}
