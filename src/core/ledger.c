/* ledger.c: adds calls to a ledger.
 *
 * Nothing here waits for another process, because a process may be killed between any two
 * instructions and the others must go on. Two processes that add the same new shape at the same
 * time may therefore use a slot each; the reader adds the two up. SPDX-License-Identifier: MIT */
#include "core/ledger.h"

#include <string.h>

enum { EMPTY, TAKEN, READY };
/* The number of slots that are tried before a shape is dropped; the table is nearly full then. */
enum { PROBES = 64 };

bool gr_ledger_ready(const atomic_uint *state)
{
    return atomic_load_explicit((atomic_uint *)state, memory_order_acquire) == READY;
}

static bool take(atomic_uint *state)
{
    unsigned empty = EMPTY;
    return atomic_load_explicit(state, memory_order_relaxed) == EMPTY &&
           atomic_compare_exchange_strong(state, &empty, TAKEN);
}

static void publish(atomic_uint *state)
{
    atomic_store_explicit(state, READY, memory_order_release);
}

/* FNV-1a over words of eight bytes. The upper half, which depends on all input bits, is folded into
 * the lower half. */
static uint64_t hash_of(const struct gr_ledger_key *key)
{
    uint64_t words[sizeof *key / 8], hash = 14695981039346656037u;
    _Static_assert(sizeof words == sizeof *key, "a key is whole words");
    memcpy(words, key, sizeof words);
    for (size_t i = 0; i < sizeof words / 8; i++)
        hash = (hash ^ words[i]) * 1099511628211u;
    return hash ^ hash >> 32;
}

static struct gr_ledger_entry *find(struct gr_ledger_entry *table, unsigned size,
                                    const struct gr_ledger_key *key)
{
    const uint64_t hash = hash_of(key);
    for (unsigned i = 0; i < PROBES && i < size; i++) {
        struct gr_ledger_entry *entry = &table[(hash + i) % size];
        if (take(&entry->state)) {
            entry->key = *key;
            publish(&entry->state);
            return entry;
        }
        if (gr_ledger_ready(&entry->state) && memcmp(&entry->key, key, sizeof *key) == 0)
            return entry;
    }
    return NULL;
}

static void add(struct gr_ledger_entry *entry, uint64_t flop, int64_t time_ns)
{
    if (!entry)
        return;
    atomic_fetch_add_explicit(&entry->calls, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&entry->flop, flop, memory_order_relaxed);
    atomic_fetch_add_explicit(&entry->time_ns, (uint64_t)time_ns, memory_order_relaxed);
}

static uint64_t flop_of(const struct gr_ledger_key *key, int64_t products)
{
    return 2 * (uint64_t)products * (uint64_t)key->m * (uint64_t)key->n * (uint64_t)key->k;
}

/* Of the shape's key. */
static struct gr_ledger_key routine_of(const struct gr_ledger_key *key)
{
    struct gr_ledger_key routine = {0};
    memcpy(routine.routine, key->routine, sizeof routine.routine);
    routine.passed = key->passed;
    return routine;
}

void gr_ledger_add(struct gr_ledger *ledger, const struct gr_ledger_key *key, int64_t products,
                   int64_t time_ns)
{
    const struct gr_ledger_key routine = routine_of(key);
    const uint64_t flop = flop_of(key, products);
    add(find(ledger->routines, GR_LEDGER_ROUTINES, &routine), flop, time_ns);
    add(find(ledger->shapes, GR_LEDGER_SHAPES, key), flop, time_ns);
}

void gr_ledger_add_gpu(struct gr_ledger *ledger, const struct gr_ledger_key *key, int64_t products,
                       int64_t gpu_ns)
{
    const struct gr_ledger_key routine = routine_of(key);
    struct gr_ledger_entry *const entries[] = {find(ledger->routines, GR_LEDGER_ROUTINES, &routine),
                                               find(ledger->shapes, GR_LEDGER_SHAPES, key)};
    for (int i = 0; i < 2; i++) {
        if (!entries[i])
            continue;
        atomic_fetch_add_explicit(&entries[i]->timed, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&entries[i]->gpu_flop, flop_of(key, products),
                                  memory_order_relaxed);
        atomic_fetch_add_explicit(&entries[i]->gpu_ns, (uint64_t)gpu_ns, memory_order_relaxed);
    }
}

static void note(struct gr_ledger_object *objects, int count, const char *text)
{
    for (int i = 0; i < count; i++) {
        struct gr_ledger_object *object = &objects[i];
        if (take(&object->state)) {
            strncpy(object->path, text, sizeof object->path - 1);
            publish(&object->state);
            return;
        }
        if (gr_ledger_ready(&object->state) &&
            strncmp(object->path, text, sizeof object->path - 1) == 0)
            return;
    }
}

void gr_ledger_note_object(struct gr_ledger *ledger, const char *path)
{
    note(ledger->objects, GR_LEDGER_OBJECTS, path);
}

void gr_ledger_note_refusal(struct gr_ledger *ledger, const char *text)
{
    note(ledger->refusals, GR_LEDGER_REFUSALS, text);
}
