/* no_threads.c: takes the place of pthread_create in test programs that declare no threads. The
 * thread sanitizer's build has only the tests that declare them, so a test whose program starts
 * threads without saying so would never run there. SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* A library that the program is linked with may ask for it. */
__attribute__((visibility("default"))) int __wrap_pthread_create(pthread_t *thread,
                                                                 const pthread_attr_t *attributes,
                                                                 void *(*start)(void *),
                                                                 void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument)
{
    (void)thread, (void)attributes, (void)start, (void)argument;
    fprintf(stderr, "this program starts a thread: name the file that does, as in "
                    "gradus_test_program(... THREADS src/cpu/team.c)\n");
    abort();
}
