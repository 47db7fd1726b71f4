// tiled_gemm.hip.cpp: C = alpha * A * B + beta * C in HIP, one tile of C for each block, with tiles
// of A and B in LDS. It is the kernel that docs/amd.md explains. SPDX-License-Identifier: MIT
//
//@ type     f32, f64
//@ param    TILE 16 {8,16,32}
//@ grid     cdiv(N,TILE), cdiv(M,TILE)
//@ block    TILE, TILE
//
//   gradus run examples/tiled_gemm.hip.cpp --device sim:mi210 --param TILE=32
//   gradus explain examples/tiled_gemm.hip.cpp 256
//   hipcc -O3 -DT=float -DTILE=16 examples/tiled_gemm.hip.cpp -o tiled_gemm && ./tiled_gemm    # an
//   AMD GPU, without Gradus
//
//            B   K x N                  A block computes the tile C[row][column] of TILE x TILE
//            elements. Its threads
//               +--+--+--+              move a tile of A to the right and a tile of B down, TILE
//               steps of k at a |  |b |  |              time: each thread copies one element of
//               either into LDS, and after a barrier
//               +--+--+--+              each element in LDS is read TILE times. So global memory is
//               read TILE
//   A  M x K    |  |b |  |              times less than by a thread that reads its row and column
//   itself.
//   +--+--+     +--+--+--+
//   |a |a |     |  |C |  |   C  M x N   M, N and K need not be multiples of TILE, and each has a
//   check of its own: an
//   +--+--+     +--+--+--+              index of a flat array that is in range may still be in the
//   wrong row.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

__global__ void tiled_gemm(int M, int N, int K, T alpha, const T *A, const T *B, T beta, T *C)
{
    __shared__ T tile_a[TILE][TILE];
    __shared__ T tile_b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    T sum = 0;
    for (int from = 0; from < K; from += TILE) {
        // Beyond an edge there are zeros, so that the product needs no check.
        tile_a[y][x] = row < M && from + x < K ? A[row * K + from + x] : T(0);
        tile_b[y][x] = from + y < K && column < N ? B[(from + y) * N + column] : T(0);
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads(); // before the tiles are overwritten
    }
    // With beta = 0, C is not read: it may hold NaN.
    if (row < M && column < N)
        C[row * N + column] = alpha * sum + (beta == T(0) ? T(0) : beta * C[row * N + column]);
}

#define CHECK(call)                                                                                \
    do {                                                                                           \
        hipError_t failed = (call);                                                                \
        if (failed != hipSuccess) {                                                                \
            std::printf("%s: %s\n", #call, hipGetErrorString(failed));                             \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

int main()
{
    const int M = 1000, N = 900, K = 800;
    std::vector<T> a(M * K, 1), b(K * N, 2), c(M * N, 3);
    T *A, *B, *C;
    CHECK(hipMalloc(&A, a.size() * sizeof(T)));
    CHECK(hipMalloc(&B, b.size() * sizeof(T)));
    CHECK(hipMalloc(&C, c.size() * sizeof(T)));
    CHECK(hipMemcpy(A, a.data(), a.size() * sizeof(T), hipMemcpyHostToDevice));
    CHECK(hipMemcpy(B, b.data(), b.size() * sizeof(T), hipMemcpyHostToDevice));
    CHECK(hipMemcpy(C, c.data(), c.size() * sizeof(T), hipMemcpyHostToDevice));
    const dim3 block(TILE, TILE), grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    hipLaunchKernelGGL(tiled_gemm, grid, block, 0, 0, M, N, K, T(0.5), A, B, T(2), C);
    CHECK(hipGetLastError());
    CHECK(hipMemcpy(c.data(), C, c.size() * sizeof(T), hipMemcpyDeviceToHost));
    std::printf("C[0][0] is %g, wanted %d\n", (double)c[0], K + 6);
    return c[0] == K + 6 ? 0 : 1;
}
