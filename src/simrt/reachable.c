/* reachable.c: copies memory through a pipe. write() fails if the memory cannot be read, while an
 * access of the program itself would fault. SPDX-License-Identifier: MIT */
#include "simrt/reachable.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];
static bool opened;

static void open_pipe(void)
{
    opened = pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0;
}

size_t gr_reachable_copy(const char *from, char *to, size_t most)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), left = page - (uintptr_t)from % page;
    size_t wanted = most < left ? most : left;
    pthread_once(&once, open_pipe);
    if (!opened) { /* no pipe can be opened: an invalid pointer then faults */
        memcpy(to, from, wanted);
        return wanted;
    }
    pthread_mutex_lock(&lock);
    ssize_t written = write(ends[1], from, wanted);
    ssize_t got = written > 0 ? read(ends[0], to, (size_t)written) : 0;
    pthread_mutex_unlock(&lock);
    return got > 0 ? (size_t)got : 0;
}
