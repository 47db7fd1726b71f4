/* deep_stack.c: runs a function on a thread with a stack of its own. SPDX-License-Identifier: MIT
 */
#include "base/deep_stack.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/resource.h>

struct task {
    void (*work)(void *);
    void *with;
};

static void *do_task(void *task)
{
    const struct task *t = task;
    t->work(t->with);
    return NULL;
}

static bool stack_is_small(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < GR_DEEP_STACK_BYTES;
}

bool gr_run_on_deep_stack(void (*work)(void *), void *with)
{
    struct task task = {work, with};
    if (!stack_is_small()) {
        work(with);
        return true;
    }
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    const bool begun = pthread_attr_setstacksize(&attributes, GR_DEEP_STACK_BYTES) == 0 &&
                       pthread_create(&thread, &attributes, do_task, &task) == 0;
    pthread_attr_destroy(&attributes);
    return begun && pthread_join(thread, NULL) == 0;
}
