/* ledger_calls.c: attaches to the ledger of `gradus exec` when the library is loaded, and adds to
 * it. SPDX-License-Identifier: MIT */
#include "blas/ledger_calls.h"

#include "core/clock.h"
#include "cpu/cpu.h"

#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

_Atomic(struct gr_ledger *) gr_ledger_shared;

/* Whether this process, and this thread of it, has been counted as a caller. */
static atomic_bool process_calls;
static _Thread_local bool thread_calls;

/* A forked child has the same mapping, but its calls belong to another process. */
static void begin_anew(void)
{
    atomic_store(&process_calls, false);
    thread_calls = false;
    struct gr_ledger *ledger = gr_ledger_on();
    if (ledger)
        atomic_fetch_add(&ledger->loaded, 1);
}

/* Null where the file is no ledger: a file that the variable names by mistake is left unchanged. */
static struct gr_ledger *map_ledger(const char *path)
{
    struct stat facts;
    struct gr_ledger *ledger = MAP_FAILED;
    const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size == sizeof *ledger)
        ledger = mmap(NULL, sizeof *ledger, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (ledger == MAP_FAILED)
        return NULL;
    if (memcmp(ledger->magic, GR_LEDGER_MAGIC, sizeof GR_LEDGER_MAGIC) == 0)
        return ledger;
    munmap(ledger, sizeof *ledger);
    return NULL;
}

__attribute__((constructor)) static void attach(void)
{
    const char *path = secure_getenv(GR_LEDGER_VARIABLE);
    struct gr_ledger *ledger = path ? map_ledger(path) : NULL;
    if (!ledger)
        return;
    pthread_atfork(NULL, NULL, begin_anew);
    atomic_store(&gr_ledger_shared, ledger);
    begin_anew();
}

static bool may_be_blas(const char *path)
{
    static const char *const names[] = {"blas", "mkl", "blis", "atlas", "armpl", "lapack"};
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(base, names[i]))
            return true;
    return false;
}

static int note_object(struct dl_phdr_info *object, size_t size, void *ledger)
{
    (void)size;
    if (object->dlpi_name && object->dlpi_name[0] == '/' && may_be_blas(object->dlpi_name))
        gr_ledger_note_object(ledger, object->dlpi_name);
    return 0;
}

/* Runs at the end of a process that never called the library, and records which other BLAS it may
 * have called instead. The mapping stays, because threads may still be at work. */
__attribute__((destructor)) static void report(void)
{
    struct gr_ledger *ledger = gr_ledger_on();
    if (ledger && !atomic_load(&process_calls))
        dl_iterate_phdr(note_object, ledger);
}

static void note_caller(struct gr_ledger *ledger)
{
    thread_calls = true;
    atomic_fetch_add(&ledger->callers, 1);
    if (atomic_exchange(&process_calls, true))
        return;
    atomic_fetch_add(&ledger->calling, 1);
    const unsigned threads = (unsigned)gr_cpu_threads_default();
    unsigned most = atomic_load(&ledger->threads);
    while (most < threads && !atomic_compare_exchange_weak(&ledger->threads, &most, threads))
        ;
}

void gr_ledger_count(struct gr_ledger *ledger, const char *routine, struct gr_ledger_key key,
                     int64_t products, int64_t start_ns)
{
    const int64_t time_ns = gr_now_ns() - start_ns;
    if (!thread_calls)
        note_caller(ledger);
    memset(key.routine, 0, sizeof key.routine);
    strncpy(key.routine, routine, sizeof key.routine - 1);
    gr_ledger_add(ledger, &key, products, time_ns);
}

void gr_ledger_count_problem(struct gr_ledger *ledger, const char *routine,
                             const struct gradus_gemm *g, int64_t start_ns)
{
    const struct gr_ledger_key key = {.trans_a = (uint8_t)g->trans_a,
                                      .trans_b = (uint8_t)g->trans_b,
                                      .row_major = g->layout == GRADUS_ROW_MAJOR,
                                      .m = g->m,
                                      .n = g->n,
                                      .k = g->k};
    gr_ledger_count(ledger, routine, key, g->batch > 1 ? g->batch : 1, start_ns);
}
