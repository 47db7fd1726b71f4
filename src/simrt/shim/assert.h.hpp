// assert.h: a failed assertion in a kernel ends the launch with a message that has its line. As the
// C standard requires, it may be included again with another setting of NDEBUG.
// SPDX-License-Identifier: MIT
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
