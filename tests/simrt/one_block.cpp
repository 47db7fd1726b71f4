// one_block.cpp: see one_block.h. Built without instrumentation. Writes the sites of all accesses outside the stacks, one a
// line, to the file that ONE_BLOCK_SITES names. SPDX-License-Identifier: MIT
#include "one_block.h"
#include "../../src/simrt/gr_sim.h"

#include <map>
#include <set>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <ucontext.h>
#include <utility>
#include <vector>

one_block_counts one_block_saw;
char one_block_failure[256];
int one_block_warp = 32;
long one_block_faults;

namespace
{
const size_t stack_bytes = 256 * 1024;
struct thread {
    ucontext_t context;
    char *stack;
    gr_sim_index index;
    int linear;
    bool over;
};
struct meeting {
    uint64_t arrived = 0, left = 0, values[64] = {};
    bool leaving = false;
};
std::vector<thread> threads;
ucontext_t home;
int current;
gr_sim_index block_at, block_size, grid_size;
void (*body)(void);
std::map<std::pair<int, uint64_t>, meeting> meetings;
long barrier_phase, barrier_arrived, barrier_sum, barrier_result;
std::set<const void *> sites;
long long ticks;

void yield()
{
    swapcontext(&threads[current].context, &home);
}
int live_threads()
{
    int live = 0;
    for (const thread &t : threads)
        live += !t.over;
    return live;
}
uint64_t live_lanes()
{
    const int first = threads[current].linear / one_block_warp * one_block_warp;
    uint64_t mask = 0;
    for (int i = 0; i < one_block_warp && first + i < (int)threads.size(); i++)
        if (!threads[first + i].over)
            mask |= (uint64_t)1 << i;
    return mask;
}
void enter()
{
    body();
    threads[current].over = true;
    yield();
}
[[noreturn]] void end_with(const char *text)
{
    snprintf(one_block_failure, sizeof one_block_failure, "%s", text);
    for (thread &t : threads)
        t.over = true;
    for (;;)
        yield();
}
void run_block()
{
    const long warp_rounds = 1000000;
    for (long round = 0; live_threads() > 0; round++) {
        if (round > warp_rounds) {
            snprintf(one_block_failure, sizeof one_block_failure, "deadlock");
            break;
        }
        for (current = 0; current < (int)threads.size(); current++)
            if (!threads[current].over)
                swapcontext(&home, &threads[current].context);
    }
    current = -1;
}
bool on_a_stack(const void *address)
{
    for (const thread &t : threads)
        if ((const char *)address >= t.stack && (const char *)address < t.stack + stack_bytes)
            return true;
    return current < 0;
}
void seen(const void *address, const void *site, long *count)
{
    if (on_a_stack(address))
        return;
    ++*count;
    sites.insert(site);
}
void write_sites()
{
    FILE *f = getenv("ONE_BLOCK_SITES") ? fopen(getenv("ONE_BLOCK_SITES"), "w") : NULL;
    for (const void *site : sites)
        if (f)
            fprintf(f, "%p\n", (const void *)((const char *)site - 1));
    if (f)
        fclose(f);
}
} // namespace

void one_block_run(void (*kernel)(void), unsigned grid_x, unsigned x, unsigned y, unsigned z)
{
    body = kernel;
    block_size = {x, y, z};
    grid_size = {grid_x, 1, 1};
    one_block_saw = one_block_counts();
    one_block_failure[0] = 0;
    for (unsigned b = 0; b < grid_x; b++) {
        block_at = {b, 0, 0};
        meetings.clear();
        barrier_arrived = barrier_sum = 0;
        threads.assign(x * y * z, thread());
        for (size_t i = 0; i < threads.size(); i++) {
            thread &t = threads[i];
            t.linear = (int)i;
            t.index = {(unsigned)i % x, (unsigned)i / x % y, (unsigned)i / x / y};
            t.stack = (char *)malloc(stack_bytes);
            t.over = false;
            getcontext(&t.context);
            t.context.uc_stack.ss_sp = t.stack;
            t.context.uc_stack.ss_size = stack_bytes;
            t.context.uc_link = &home;
            makecontext(&t.context, enter, 0);
        }
        run_block();
        for (thread &t : threads)
            free(t.stack);
        threads.clear();
    }
    write_sites();
}

void one_block_check(int condition, const char *text, const char *file, int line)
{
    if (condition)
        return;
    if (++one_block_faults <= 20)
        printf("%s:%d: not so: %s (thread %d)\n", file, line, text, current);
}

extern "C" {
gr_sim_index gr_sim_thread_index(void)
{
    return threads[current].index;
}
gr_sim_index gr_sim_block_index(void)
{
    return block_at;
}
gr_sim_index gr_sim_block_size(void)
{
    return block_size;
}
gr_sim_index gr_sim_grid_size(void)
{
    return grid_size;
}
unsigned gr_sim_lane(void)
{
    return (unsigned)(threads[current].linear % one_block_warp);
}
int gr_sim_barrier_vote(int predicate, char how, const void *)
{
    const long phase = barrier_phase;
    barrier_sum += predicate != 0;
    barrier_arrived++;
    while (phase == barrier_phase) {
        if (barrier_arrived >= live_threads()) {
            barrier_result = how == 'c'   ? barrier_sum
                             : how == '&' ? barrier_sum == barrier_arrived
                                          : barrier_sum != 0;
            barrier_arrived = barrier_sum = 0;
            barrier_phase++;
        } else {
            yield();
        }
    }
    return (int)barrier_result;
}
void gr_sim_barrier(const void *site)
{
    gr_sim_barrier_vote(0, 'c', site);
}
void gr_sim_fence(int, const void *)
{
}
static meeting *meet(uint64_t mask, uint64_t value, uint64_t copy[64])
{
    const uint64_t self = (uint64_t)1 << gr_sim_lane();
    meeting *m = &meetings[{threads[current].linear / one_block_warp, mask}];
    while (m->leaving)
        yield();
    m->values[gr_sim_lane()] = value;
    m->arrived |= self;
    while (!m->leaving && (m->arrived & mask) != (live_lanes() & mask))
        yield();
    m->leaving = true;
    memcpy(copy, m->values, sizeof m->values);
    copy[64] = m->arrived;
    m->left |= self;
    if (m->left == m->arrived)
        *m = meeting();
    return m;
}
uint64_t gr_sim_exchange(uint64_t mask, uint64_t value, int lane, const void *)
{
    uint64_t copy[65];
    meet(mask, value, copy);
    return copy[64] >> lane & 1 ? copy[lane] : value;
}
uint64_t gr_sim_ballot(uint64_t mask, int predicate, const void *)
{
    uint64_t copy[65], bits = 0;
    meet(mask, predicate != 0, copy);
    for (int i = 0; i < 64; i++)
        bits |= (copy[64] >> i & copy[i] & 1) << i;
    return bits;
}
void gr_sim_warp_sync(uint64_t mask, const void *)
{
    uint64_t copy[65];
    meet(mask, 0, copy);
}
void gr_sim_together(void *own, gr_sim_work *work, const void *site)
{
    static const char *wrong;
    uint64_t copy[65];
    void *all[64];
    meet(~(uint64_t)0, (uint64_t)own, copy);
    const bool whole = copy[64] == ~(uint64_t)0 >> (64 - one_block_warp);
    for (int i = 0; i < one_block_warp; i++)
        all[i] = (void *)copy[i];
    if (gr_sim_lane() == 0 && whole)
        wrong = work(all);
    gr_sim_warp_sync(~(uint64_t)0, site);
    if (!whole || wrong)
        end_with(whole ? wrong : "not all lanes");
}
uint64_t gr_sim_active_mask(void)
{
    return live_lanes();
}
void gr_sim_wait_until(int (*ready)(void *state), void *state, const void *)
{
    while (!ready(state))
        yield();
}
#define CAS(bits)                                                                                  \
    uint##bits##_t gr_sim_cas##bits(void *address, uint##bits##_t expected,                        \
                                    uint##bits##_t desired)                                        \
    {                                                                                              \
        return __sync_val_compare_and_swap((uint##bits##_t *)address, expected, desired);          \
    }
CAS(16)
CAS(32)
CAS(64)
void gr_sim_saw_load(const void *address, int bytes, const void *site)
{
    if (!on_a_stack(address))
        one_block_saw.load_bytes += bytes;
    seen(address, site, &one_block_saw.loads);
}
void gr_sim_saw_store(void *address, int bytes, const void *site)
{
    if (!on_a_stack(address))
        one_block_saw.store_bytes += bytes;
    seen(address, site, &one_block_saw.stores);
}
void gr_sim_saw_atomic(void *address, int bytes, const void *site)
{
    one_block_saw.atomic_bytes += bytes;
    seen(address, site, &one_block_saw.atomics);
}
void gr_sim_copy_async(void *shared, const void *global, int bytes, int valid, const void *site)
{
    memset(shared, 0, (size_t)bytes);
    memcpy(shared, global, (size_t)valid);
    one_block_saw.copy_bytes += bytes;
    seen(shared, site, &one_block_saw.copies);
}
/* Shared memory is what is near a thread-local variable. */
static thread_local char near;
unsigned gr_sim_shared_offset(const void *shared)
{
    return (unsigned)((const char *)shared - &near + 0x100000);
}
void *gr_sim_shared_pointer(unsigned offset)
{
    return &near + offset - 0x100000;
}
int gr_sim_is_shared(const void *address)
{
    return gr_sim_shared_offset(address) < 0x200000 &&
           (size_t)address - (size_t)&near + 0x100000 < 0x200000;
}
long long gr_sim_clock(void)
{
    return ++ticks;
}
void gr_sim_fail(const char *text, const void *)
{
    end_with(text);
}
void gr_sim_not_modelled(const char *what, const void *)
{
    end_with((std::string("not modelled: ") + what).c_str());
}
void gr_sim_saw_phase(void)
{
    one_block_saw.phases++;
}

#define PLAIN(bytes, log)                                                                          \
    void __tsan_read##bytes(void *p)                                                               \
    {                                                                                              \
        seen(p, __builtin_return_address(0), &one_block_saw.reads[log]);                           \
    }                                                                                              \
    void __tsan_write##bytes(void *p)                                                              \
    {                                                                                              \
        seen(p, __builtin_return_address(0), &one_block_saw.writes[log]);                          \
    }                                                                                              \
    void __tsan_unaligned_read##bytes(void *p)                                                     \
    {                                                                                              \
        seen(p, __builtin_return_address(0), &one_block_saw.reads[log]);                           \
    }                                                                                              \
    void __tsan_unaligned_write##bytes(void *p)                                                    \
    {                                                                                              \
        seen(p, __builtin_return_address(0), &one_block_saw.writes[log]);                          \
    }
PLAIN(1, 0)
PLAIN(2, 1)
PLAIN(4, 2)
PLAIN(8, 3)
PLAIN(16, 4)
void __tsan_read_range(void *p, size_t)
{
    seen(p, __builtin_return_address(0), &one_block_saw.ranges);
}
void __tsan_write_range(void *p, size_t)
{
    seen(p, __builtin_return_address(0), &one_block_saw.ranges);
}
void __tsan_init(void)
{
}
void __tsan_func_entry(void *)
{
}
void __tsan_func_exit(void)
{
}
void __tsan_vptr_update(void **, void *)
{
}
}
