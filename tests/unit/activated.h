/* activated.h: the activations in float64. SPDX-License-Identifier: MIT */
#ifndef UNIT_ACTIVATED_H
#define UNIT_ACTIVATED_H

#include <gradus/gradus.h>

#include <math.h>

static inline double activated(double x, enum gradus_activation activation)
{
    if (activation == GRADUS_RELU)
        return x < 0 ? 0 : x;
    if (activation == GRADUS_GELU_TANH)
        return x < -40 ? -0.0 : x / (1 + exp(-1.5957691216057307 * (x + 0.044715 * x * x * x)));
    if (activation == GRADUS_GELU)
        return x < -40 ? -0.0 : 0.5 * x * erfc(x * -0.70710678118654752440);
    return x;
}

#endif
