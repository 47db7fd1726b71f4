/* cublas_timing.c: a ring buffer of pairs of events, in the order in which calls began. Nothing
 * waits for them: calls that have ended are counted when a later call begins, and when the process
 * ends. SPDX-License-Identifier: MIT */
#include "cublas/cublas_timing.h"

#include "blas/ledger_calls.h"
#include "cublas/cublas_memory.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

enum { SLOTS = 4096 };
enum state { OPEN, RECORDED, DROPPED };

static struct {
    enum state state;
    gr_device_context context; /* the context in which its events were created */
    void *events[2];
    struct gr_ledger_key key;
    int64_t products;
} slots[SLOTS];
static unsigned first, next; /* oldest and next entry; the slot is the remainder */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct gr_device_driver *driver; /* null: calls are not timed */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void start(void)
{
    const struct gr_device_driver *found;
    const char *text = getenv("GRADUS_GPU_TIME");
    if (gr_ledger_on() && text && *text == '1' &&
        gr_device_driver_open(&found, NULL) == GRADUS_OK && found->event_create &&
        found->event_record && found->event_query && found->event_elapsed)
        driver = found;
}

bool gr_cublas_is_timed(void)
{
    pthread_once(&once, start);
    return driver != NULL;
}

/* Counts the oldest calls that have ended. The lock must be held. The relaxed capture mode allows
 * the queries while some stream is being captured. */
static void harvest(void)
{
    int mode = GR_DEVICE_CAPTURE_RELAXED;
    driver->capture_mode(&mode);
    for (; first != next; first++) {
        const unsigned i = first % SLOTS;
        float ms = 0;
        if (slots[i].state == OPEN ||
            (slots[i].state == RECORDED && driver->event_query(slots[i].events[1]) != 0))
            break;
        if (slots[i].state == RECORDED &&
            driver->event_elapsed(&ms, slots[i].events[0], slots[i].events[1]) == 0)
            gr_ledger_add_gpu(gr_ledger_on(), &slots[i].key, slots[i].products,
                              llround((double)ms * 1e6));
    }
    driver->capture_mode(&mode);
}

/* Creates a slot's events in the current context, unless they exist. */
static bool prepare(unsigned i)
{
    gr_device_context context = NULL;
    if (driver->context_current(&context) != 0 || !context)
        return false;
    if (slots[i].context == context)
        return true;
    slots[i].context = NULL; /* events of another context are left to it */
    if (driver->event_create(&slots[i].events[0], 0) != 0 ||
        driver->event_create(&slots[i].events[1], 0) != 0)
        return false;
    slots[i].context = context;
    return true;
}

int gr_cublas_timing_begin(void *stream)
{
    int number = -1;
    if (!gr_cublas_is_timed() || gr_cublas_is_capturing(driver, stream))
        return -1;
    pthread_mutex_lock(&lock);
    harvest();
    const unsigned i = next % SLOTS;
    if (next - first < SLOTS && prepare(i) &&
        driver->event_record(slots[i].events[0], stream) == 0) {
        slots[i].state = OPEN;
        number = (int)i;
        next++;
    }
    pthread_mutex_unlock(&lock);
    return number;
}

void gr_cublas_timing_end(int number, void *stream, const struct gr_ledger_key *key,
                          int64_t products)
{
    if (number < 0)
        return;
    pthread_mutex_lock(&lock);
    slots[number].state = DROPPED;
    if (key && driver->event_record(slots[number].events[1], stream) == 0) {
        slots[number].key = *key;
        slots[number].products = products;
        slots[number].state = RECORDED;
    }
    pthread_mutex_unlock(&lock);
}

/* The driver may have been shut down by then. Its functions then return errors, and the last calls
 * are not timed. */
__attribute__((destructor)) static void end(void)
{
    if (driver && pthread_mutex_trylock(&lock) == 0) {
        harvest();
        pthread_mutex_unlock(&lock);
    }
}
