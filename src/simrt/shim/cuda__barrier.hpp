// cuda/barrier: a barrier object in shared memory, which counts arrivals. Accesses to the object
// itself are not recorded. SPDX-License-Identifier: MIT
#ifndef GR_CUDA_BARRIER_H
#define GR_CUDA_BARRIER_H

#include "gr_group_copy.h"
#include <utility>
#include <cooperative_groups.h>
#include <cuda/aligned_size.h>

namespace cuda
{
struct gr_no_completion {
    void operator()() const
    {
    }
};

template <thread_scope gr_scope, class gr_completion = gr_no_completion> class barrier
{
    // No constructor runs in shared memory.
    int expected_, pending_;
    unsigned phase_;

    struct waiting {
        const barrier *object;
        unsigned phase;
    };
    GR_QUIET static int has_passed(void *state)
    {
        const waiting *w = (const waiting *)state;
        return *(const volatile unsigned *)&w->object->phase_ != w->phase;
    }
    GR_QUIET void complete()
    {
        if (pending_ > 0)
            return;
        gr_completion()();
        pending_ = expected_;
        *(volatile unsigned *)&phase_ = phase_ + 1;
        gr_sim_saw_phase();
    }
    GR_QUIET unsigned gr_arrive(int count)
    {
        const unsigned phase = phase_;
        pending_ -= count;
        complete();
        return phase;
    }
    GR_QUIET void gr_wait(unsigned phase, const void *site) const
    {
        waiting w = {this, phase};
        gr_sim_wait_until(has_passed, &w, site);
    }

  public:
    typedef unsigned arrival_token;

    barrier() = default;
    GR_QUIET explicit barrier(ptrdiff_t expected, gr_completion = gr_completion())
        : expected_((int)expected), pending_((int)expected), phase_(0)
    {
    }
    barrier(const barrier &) = delete;
    barrier &operator=(const barrier &) = delete;

    friend GR_QUIET void init(barrier *object, ptrdiff_t expected)
    {
        object->expected_ = object->pending_ = (int)expected;
        object->phase_ = 0;
    }
    friend GR_QUIET void init(barrier *object, ptrdiff_t expected, gr_completion)
    {
        init(object, expected);
    }

    GR_QUIET arrival_token arrive(ptrdiff_t count = 1)
    {
        return gr_arrive((int)count);
    }
    GR_PLACED void wait(arrival_token token) const
    {
        gr_wait(token, GR_SITE);
    }
    GR_PLACED void arrive_and_wait()
    {
        const void *site = GR_SITE;
        gr_wait(gr_arrive(1), site);
    }
    GR_QUIET void arrive_and_drop()
    {
        expected_--;
        gr_arrive(1);
    }
    // A thread may call this in a loop, so each call must let other threads run: it waits for the
    // phase.
    GR_PLACED bool try_wait(arrival_token token) const
    {
        gr_wait(token, GR_SITE);
        return true;
    }
    template <class gr_time> GR_PLACED bool try_wait_for(arrival_token token, gr_time) const
    {
        gr_wait(token, GR_SITE);
        return true;
    }
    GR_PLACED bool test_wait(arrival_token token) const
    {
        int requested = 0;
        gr_sim_wait_until(gr_second_time, &requested, GR_SITE);
        return phase_ != token;
    }
    // The phase of that parity is complete when the current phase has the other parity.
    GR_PLACED void wait_parity(bool parity) const
    {
        if ((phase_ & 1) == (unsigned)parity)
            gr_wait(phase_, GR_SITE);
    }
    GR_PLACED bool try_wait_parity(bool parity) const
    {
        if ((phase_ & 1) == (unsigned)parity)
            gr_wait(phase_, GR_SITE);
        return true;
    }
    static constexpr ptrdiff_t max()
    {
        return (1 << 20) - 1;
    }
};

template <class gr_group, class gr_to, class gr_from, class gr_size, thread_scope gr_scope,
          class gr_completion>
GR_PLACED static void memcpy_async(const gr_group &group, gr_to *to, const gr_from *from,
                                   gr_size bytes, barrier<gr_scope, gr_completion> &)
{
    gr_group_copy(group, (void *)to, (const void *)from, (size_t)bytes, GR_SITE);
}
template <class gr_to, class gr_from, class gr_size, thread_scope gr_scope, class gr_completion>
GR_PLACED static void memcpy_async(gr_to *to, const gr_from *from, gr_size bytes,
                                   barrier<gr_scope, gr_completion> &)
{
    gr_group_copy(cooperative_groups::this_thread(), (void *)to, (const void *)from, (size_t)bytes,
                  GR_SITE);
}
} // namespace cuda

#endif
