// activation.h: the operations on an element of C after the product: bias and activation.
// SPDX-License-Identifier: MIT
//
// The functions are those of the library on the CPU (enum gradus_activation). A NaN stays a NaN,
// ReLU of -0 is -0 or 0, and GELU is either the form with erf or its approximation with tanh; at
// minus infinity it is -0 or 0. `activation` has the same value in all threads, so that no warp
// diverges.
//
//     x = alpha*sum + beta*c     the product, in the type of the sums
//     x = x + bias               NO_BIAS if there is none: x + -0 is x, even if x is -0
//     c = activate(x)            rounded to the type of C once
#ifndef ACTIVATION_H
#define ACTIVATION_H

#define NO_BIAS (-0.0f)

enum { LINEAR, RELU, GELU, GELU_TANH };

// x * Phi(x). Below -15 the result is too small for a float, and Phi(-inf) * -inf would be a NaN.
__device__ static inline float gelu(float x)
{
    return x < -15 ? -0.0f : x * normcdff(x);
}

__device__ static inline double gelu(double x)
{
    return x < -40 ? -0.0 : 0.5 * x * erfc(x * -0.70710678118654752440);
}

// x/2 * (1 + tanh(y/2)) = x / (1 + e^-y). The latter has no difference of nearly equal numbers.
__device__ static inline float gelu_tanh(float x)
{
    const float y = 1.5957691216f * x * (1 + 0.044715f * x * x);
    return x < -15 ? -0.0f : x / (1 + expf(-y));
}

__device__ static inline double gelu_tanh(double x)
{
    const double y = 1.5957691216057307 * x * (1 + 0.044715 * x * x);
    return x < -40 ? -0.0 : x / (1 + exp(-y));
}

template <class Number> __device__ static inline Number activate(Number x, int activation)
{
    if (activation == RELU)
        return x < 0 ? 0 : x;
    if (activation == GELU_TANH)
        return gelu_tanh(x);
    return activation == GELU ? gelu(x) : x;
}

#endif
