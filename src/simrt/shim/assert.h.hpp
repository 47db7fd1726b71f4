// assert.h: an assertion of a kernel that fails ends the launch, with its line. It may be included again, with NDEBUG
// or without, as the standard says. SPDX-License-Identifier: MIT
#undef assert
#ifdef NDEBUG
#define assert(...) ((void)0)
#else
#define assert(...) ((__VA_ARGS__) ? (void)0 : gr_fail("assertion failed: " #__VA_ARGS__))
#endif
#ifndef static_assert
#ifndef __cplusplus
#define static_assert _Static_assert
#endif
#endif
