// probe_ops.cu: kernels in which probe.py replaces an instruction by one that PTX cannot ask for alone.
// SPDX-License-Identifier: MIT
extern "C" __global__ void probe_fchk(const unsigned *in, unsigned *out)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, x;
    float a = __uint_as_float(in[10 * n + t]), b = __uint_as_float(in[11 * n + t]);
    asm volatile("{ .reg .pred p; setp.lt.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(x)
                 : "f"(a), "f"(b));
    out[t] = x;
}

extern "C" __global__ void probe_carry(const unsigned *in, unsigned *out)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    unsigned a = in[t], b = in[n + t], c = in[2 * n + t], x, y;
    asm volatile("add.cc.u32 %0, %2, %3; addc.u32 %1, 0, 0;" : "=r"(x), "=r"(y) : "r"(a), "r"(b));
    out[t] = x;
    out[n + t] = y;
    out[2 * n + t] = c;
}
