/* fake_order.c: finds work on two streams that touches the same memory, once to write it, and that
 * no event orders (GRADUS_FAKE_ORDER=1). What the fake driver does at once would be right by
 * chance. SPDX-License-Identifier: MIT
 *
 * Each stream counts its work, and knows how far each other stream was in what has ended before its
 * own next work: an event carries this from a stream to those that wait for it. A thread that waits
 * for an event carries it to what it queues afterwards, and one that waits for a whole stream to
 * what any thread queues. */
#include "fake_driver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS = 1 << 14 };

struct record {
    gr_gpu_address begin, end;
    int stream;
    unsigned at;
    bool writes;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    const void *handle;
    struct fake_clock clock;
} streams[FAKE_STREAMS];
static unsigned counts[FAKE_STREAMS]; /* of the work of a place, whichever stream has it */
static struct record records[RECORDS];
static int record_count, races;
static struct fake_clock waited; /* for whole streams, by any thread */
static _Thread_local struct fake_clock known;
static _Thread_local const void *launching;

static bool is_on(void)
{
    return fake_number("GRADUS_FAKE_ORDER", 0) != 0;
}

static void join(struct fake_clock *clock, const struct fake_clock *other)
{
    for (int i = 0; i < FAKE_STREAMS; i++)
        if (other->at[i] > clock->at[i])
            clock->at[i] = other->at[i];
}

/* The place of a stream, which gets one the first time; -1: none is left. */
static int place_of(const void *stream)
{
    int free_place = -1;
    for (int i = 0; i < FAKE_STREAMS; i++) {
        if (streams[i].handle == stream)
            return i;
        if (!streams[i].handle && free_place < 0)
            free_place = i;
    }
    if (free_place >= 0) {
        streams[free_place].handle = stream;
        streams[free_place].clock = (struct fake_clock){{0}};
    }
    return free_place;
}

/* What the calling thread queues comes after what it has waited for. */
static int enter(const void *stream)
{
    const int place = stream ? place_of(stream) : -1;
    if (place < 0)
        return -1;
    join(&streams[place].clock, &known);
    join(&streams[place].clock, &waited);
    return place;
}

void fake_order_end(const void *stream)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < FAKE_STREAMS; i++)
        if (streams[i].handle == stream)
            streams[i].handle = NULL;
    pthread_mutex_unlock(&lock);
}

void fake_order_record(const void *stream, struct fake_clock *event)
{
    if (!is_on())
        return;
    pthread_mutex_lock(&lock);
    const int place = enter(stream);
    if (place >= 0)
        *event = streams[place].clock;
    pthread_mutex_unlock(&lock);
}

void fake_order_wait(const void *stream, const struct fake_clock *event)
{
    if (!is_on())
        return;
    pthread_mutex_lock(&lock);
    const int place = enter(stream);
    if (place >= 0)
        join(&streams[place].clock, event);
    pthread_mutex_unlock(&lock);
}

void fake_order_host(const struct fake_clock *event)
{
    if (is_on())
        join(&known, event);
}

void fake_order_host_stream(const void *stream)
{
    if (!is_on())
        return;
    pthread_mutex_lock(&lock);
    const int place = enter(stream);
    if (place >= 0) {
        join(&waited, &streams[place].clock);
    }
    pthread_mutex_unlock(&lock);
}

static void tell(const struct record *r, const struct record *other)
{
    if (races++ < 8)
        fprintf(stderr, "unordered: stream %d %s what stream %d %s: %zu bytes\n", r->stream,
                r->writes ? "writes" : "reads", other->stream, other->writes ? "writes" : "reads",
                (size_t)(r->end - r->begin));
}

static void compare(const struct record *r, const struct fake_clock *clock)
{
    for (int i = 0; i < record_count; i++) {
        const struct record *const other = &records[i];
        if (other->stream != r->stream && other->begin < r->end && r->begin < other->end &&
            (other->writes || r->writes) && other->at > clock->at[other->stream])
            tell(r, other);
    }
}

/* Work of a stream supersedes what the same stream did there before. */
static void keep(const struct record *r)
{
    for (int i = 0; i < record_count; i++) {
        struct record *const other = &records[i];
        if (other->stream == r->stream && other->begin == r->begin && other->end == r->end &&
            other->writes == r->writes) {
            other->at = r->at;
            return;
        }
    }
    if (record_count < RECORDS)
        records[record_count++] = *r;
}

void fake_order_touch(const void *stream, gr_gpu_address begin, size_t bytes, int writes)
{
    if (!is_on() || bytes == 0)
        return;
    pthread_mutex_lock(&lock);
    const int place = enter(stream);
    if (place >= 0) {
        const struct record r = {begin, begin + bytes, place, ++counts[place], writes != 0};
        compare(&r, &streams[place].clock);
        streams[place].clock.at[place] = r.at;
        keep(&r);
    }
    pthread_mutex_unlock(&lock);
}

void fake_order_launch(const void *stream)
{
    launching = stream;
}

void fake_touch(const void *begin, size_t bytes, int writes)
{
    fake_order_touch(launching, (uintptr_t)begin, bytes, writes);
}

void fake_order_forget(gr_gpu_address begin, size_t bytes)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < record_count; i++)
        if (records[i].begin >= begin && records[i].begin < begin + bytes)
            records[i--] = records[--record_count];
    pthread_mutex_unlock(&lock);
}

int fake_races(void)
{
    return races;
}
