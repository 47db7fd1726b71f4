// cuda/cmath: divisions that round up, and multiples. SPDX-License-Identifier: MIT
#ifndef GR_CUDA_CMATH
#define GR_CUDA_CMATH

#include <type_traits>

namespace cuda
{
template <class T, class U> constexpr std::common_type_t<T, U> ceil_div(T a, U b)
{
    return a / b + (a % b != 0);
}
template <class T, class U> constexpr std::common_type_t<T, U> round_up(T a, U b)
{
    return ceil_div(a, b) * b;
}
template <class T, class U> constexpr std::common_type_t<T, U> round_down(T a, U b)
{
    return a / b * b;
}
} // namespace cuda

#endif
