// special.cu: every form of approximations, of inputs of each thread. SPDX-License-Identifier: MIT
//@ words 31
//
// See ops.h. Thread t of n writes the word k of its results to out[k n + t].
#include "ops.h"

extern "C" __global__ void ops_special(const unsigned *in, unsigned *out)
{
    OPS_INPUTS
    OP_F("rcp.approx.f32 %0, %8;")
    OP_F("sqrt.approx.f32 %0, %8;")
    OP_F("rsqrt.approx.f32 %0, %8;")
    OP_F("sin.approx.f32 %0, %8;")
    OP_F("cos.approx.f32 %0, %8;")
    OP_F("lg2.approx.f32 %0, %8;")
    OP_F("ex2.approx.f32 %0, %8;")
    OP_F("div.approx.f32 %0, %8, %9;")
    OP_F("div.full.f32 %0, %8, %9;")
    OP_F("rcp.approx.ftz.f32 %0, %8;")
    OP_F("sqrt.approx.ftz.f32 %0, %8;")
    OP_F("rsqrt.approx.ftz.f32 %0, %8;")
    OP_F("sin.approx.ftz.f32 %0, %8;")
    OP_F("cos.approx.ftz.f32 %0, %8;")
    OP_F("lg2.approx.ftz.f32 %0, %8;")
    OP_F("ex2.approx.ftz.f32 %0, %8;")
    OP_F("div.approx.ftz.f32 %0, %8, %9;")
    OP_F("div.full.ftz.f32 %0, %8, %9;")
    OP_F("tanh.approx.f32 %0, %8;")
    OP_H("tanh.approx.f16 %0, %14;")
    OP_R("tanh.approx.f16x2 %0, %1;")
    OP_H("ex2.approx.f16 %0, %14;")
    OP_R("ex2.approx.f16x2 %0, %1;")
    OP_R("tanh.approx.bf16x2 %0, %1;")
    OP_R("ex2.approx.ftz.bf16x2 %0, %1;")
    OP_D("rcp.approx.ftz.f64 %0, %11;")
    OP_D("rsqrt.approx.ftz.f64 %0, %11;")
    OP_D("rsqrt.approx.f64 %0, %11;")
}
