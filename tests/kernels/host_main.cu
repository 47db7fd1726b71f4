// host_main.cu: a whole program: globals of host types, checks, allocation, a launch.
// SPDX-License-Identifier: MIT
// with grid cdiv(N,16), cdiv(M,16)
// with block 16, 16
#include <cassert>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <iostream>
#include <random>
#include <string>
#include <vector>

using namespace std;

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t status = (call);                                                               \
        if (status != cudaSuccess) {                                                               \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(status));         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

const int TILE = 16;
std::vector<float> host_a, host_b;
static std::string title = "a { product";
cudaEvent_t started, stopped;
dim3 default_block(16, 16);
static float table[] = {1.0f, 2.0f};
vector<pair<int, int>> sizes = {{64, 64}, {128, 128}};
using Clock = std::chrono::steady_clock;
void reference(const float *a, const float *b, float *c, int m, int n, int k);
static double seconds(Clock::time_point since);

struct Timer {
    cudaEvent_t begin, end;
    std::string name;
    Timer() { cudaEventCreate(&begin); }
    ~Timer() { cudaEventDestroy(begin); }
};

Timer global_timer;

__global__ void product(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    assert(blockDim.x == TILE);
    for (int k = 0; k < K; k += TILE) {
        a[threadIdx.y][threadIdx.x] = row < M && k + threadIdx.x < K ? A[row * K + k + threadIdx.x] : 0;
        b[threadIdx.y][threadIdx.x] = col < N && k + threadIdx.y < K ? B[(k + threadIdx.y) * N + col] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += a[threadIdx.y][i] * b[i][threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}

void reference(const float *a, const float *b, float *c, int m, int n, int k)
{
    for (int i = 0; i < m * n; i++)
        c[i] = a[i % k] * b[i % n];
}

static double seconds(Clock::time_point since)
{
    return chrono::duration<double>(Clock::now() - since).count();
}

int main(int argc, char *argv[])
{
    int M = 64, N = 64, K = 64;
    float *a, *b, *c;
    auto fill = [&](float *p, int n) { for (int i = 0; i < n; i++) p[i] = table[i % 2]; };
    CHECK(cudaMallocManaged(&a, M * K * 4));
    CHECK(cudaMallocManaged(&b, K * N * 4));
    CHECK(cudaMallocManaged(&c, M * N * 4));
    fill(a, M * K);
    fill(b, K * N);
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    product<<<grid, default_block>>>(a, b, c, M, N, K);
    CHECK(cudaDeviceSynchronize());
    cout << title << " " << seconds(Clock::now()) << endl;
    return argc > 1 && argv[1][0] == '{';
}
