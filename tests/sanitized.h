/* sanitized.h: what a test leaves out in a sanitizer's build. SPDX-License-Identifier: MIT */
#ifndef TESTS_SANITIZED_H
#define TESTS_SANITIZED_H

#include <stdbool.h>
#include <stdio.h>

#if defined(__SANITIZE_THREAD__)
#define UNDER_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_THREAD_SANITIZER 1
#endif
#endif

#if defined(UNDER_THREAD_SANITIZER) || defined(__SANITIZE_ADDRESS__)
#define UNDER_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_SANITIZER 1
#endif
#endif

/* The thread sanitizer can find nothing in a product by one thread: in its build a test leaves out
 * those that no other product is compared with. */
#ifdef UNDER_THREAD_SANITIZER
enum { ONE_THREAD_TOO = 0 };
#else
enum { ONE_THREAD_TOO = 1 };
#endif

/* A test's own arithmetic on copies that no thread of the library sees: a sanitizer would take most
 * of the test's time to follow it, and can find nothing there. */
#define UNWATCHED __attribute__((no_sanitize("thread", "address", "undefined")))

/* True, and said, where the thread sanitizer watches: it ends a child of fork that starts threads.
 */
static inline bool fork_is_forbidden(void)
{
#ifdef UNDER_THREAD_SANITIZER
    printf("\nskip: threads after fork: the thread sanitizer does not allow them\n");
    fflush(stdout);
    return true;
#else
    return false;
#endif
}

/* The same where other threads allocate at that moment, which the address sanitizer's allocator
 * does not expect either: the child finds its locks held by threads that it does not have. */
static inline bool fork_amid_threads_is_forbidden(void)
{
#if defined(UNDER_SANITIZER) && !defined(UNDER_THREAD_SANITIZER)
    printf("\nskip: fork amid allocating threads: the address sanitizer's allocator hangs then\n");
    fflush(stdout);
    return true;
#else
    return fork_is_forbidden();
#endif
}

#endif
