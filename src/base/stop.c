/* stop.c: requests to end early. SPDX-License-Identifier: MIT */
#include "base/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static atomic_int requested;
static atomic_int event = -1; /* never read after a write, so that it stays readable */

void gr_stop_request(int signal)
{
    int nobody = 0, kept = errno;
    atomic_compare_exchange_strong(&requested, &nobody, signal);
    uint64_t one = 1;
    int fd = atomic_load(&event);
    if (fd >= 0 && write(fd, &one, sizeof one) < 0) {
        /* full, and therefore already readable */
    }
    errno = kept;
}

int gr_stop_requested(void)
{
    return atomic_load(&requested);
}

int gr_stop_fd(void)
{
    return atomic_load(&event);
}

bool gr_stop_listen(void)
{
    if (atomic_load(&event) < 0)
        atomic_store(&event, eventfd(gr_stop_requested() ? 1 : 0, EFD_CLOEXEC | EFD_NONBLOCK));
    return atomic_load(&event) >= 0;
}
