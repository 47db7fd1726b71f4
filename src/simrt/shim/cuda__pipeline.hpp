// cuda/pipeline: a queue of stages that producers fill with copies and consumers release.
// SPDX-License-Identifier: MIT
#ifndef GR_CUDA_PIPELINE_H
#define GR_CUDA_PIPELINE_H

#include <cuda/barrier>

namespace cuda
{
enum class pipeline_role { producer, consumer };

// In shared memory: for each stage, how many producers have committed it and how many consumers
// have released it.
template <thread_scope gr_scope, unsigned char gr_stages> struct pipeline_shared_state {
    barrier<gr_scope> gr_filled[gr_stages], gr_emptied[gr_stages];
    pipeline_shared_state() = default;
};

// A thread's own state: the stage that it fills and the stage that it consumes. A pipeline without
// a shared state belongs to one thread, which never waits, since copies complete
// immediately.
template <thread_scope gr_scope> class pipeline
{
    barrier<gr_scope> *filled_ = nullptr, *emptied_ = nullptr;
    unsigned stages_ = 1, head_ = 0, tail_ = 0;

  public:
    pipeline() = default;
    template <unsigned char gr_stages>
    explicit pipeline(pipeline_shared_state<gr_scope, gr_stages> *state)
        : filled_(state->gr_filled), emptied_(state->gr_emptied), stages_(gr_stages)
    {
    }
    // A stage is free at first, and later when the consumers of its previous contents have released
    // it.
    GR_PLACED void producer_acquire()
    {
        if (emptied_ && head_ >= stages_)
            emptied_[head_ % stages_].wait_parity((head_ / stages_ - 1) & 1);
    }
    GR_PLACED void producer_commit()
    {
        if (filled_)
            (void)filled_[head_ % stages_].arrive();
        head_++;
    }
    GR_PLACED void consumer_wait()
    {
        if (filled_)
            filled_[tail_ % stages_].wait_parity(tail_ / stages_ & 1);
    }
    template <class gr_time> bool consumer_wait_for(gr_time)
    {
        consumer_wait();
        return true;
    }
    GR_PLACED void consumer_release()
    {
        if (emptied_)
            (void)emptied_[tail_ % stages_].arrive();
        tail_++;
    }
    // All committed stages except the last `prior`.
    GR_PLACED void gr_wait_prior(unsigned prior)
    {
        for (unsigned stage = tail_; filled_ && stage + prior < head_; stage++)
            filled_[stage % stages_].wait_parity(stage / stages_ & 1);
    }
    bool quit()
    {
        return true;
    }
};

GR_INLINE pipeline<thread_scope_thread> make_pipeline()
{
    return pipeline<thread_scope_thread>();
}
template <class gr_group, thread_scope gr_scope, unsigned char gr_stages>
GR_PLACED static pipeline<gr_scope>
gr_make_pipeline(const gr_group &group, pipeline_shared_state<gr_scope, gr_stages> *state,
                 size_t producers, size_t consumers, const void *site)
{
    for (int i = 0; group.thread_rank() == 0 && i < gr_stages; i++) {
        init(&state->gr_filled[i], (ptrdiff_t)producers);
        init(&state->gr_emptied[i], (ptrdiff_t)consumers);
    }
    group.gr_sync(site);
    return pipeline<gr_scope>(state);
}
template <class gr_group, thread_scope gr_scope, unsigned char gr_stages>
GR_PLACED static pipeline<gr_scope> make_pipeline(const gr_group &group,
                                                  pipeline_shared_state<gr_scope, gr_stages> *state)
{
    return gr_make_pipeline(group, state, (size_t)group.size(), (size_t)group.size(), GR_SITE);
}
template <class gr_group, thread_scope gr_scope, unsigned char gr_stages>
GR_PLACED static pipeline<gr_scope> make_pipeline(const gr_group &group,
                                                  pipeline_shared_state<gr_scope, gr_stages> *state,
                                                  size_t producers)
{
    return gr_make_pipeline(group, state, producers, (size_t)group.size() - producers, GR_SITE);
}
// Each thread passes its role, producer or consumer, and the threads of each role are counted.
template <class gr_group, thread_scope gr_scope, unsigned char gr_stages>
GR_PLACED static pipeline<gr_scope> make_pipeline(const gr_group &group,
                                                  pipeline_shared_state<gr_scope, gr_stages> *state,
                                                  pipeline_role role)
{
    const void *site = GR_SITE;
    const size_t producers =
        (size_t)gr_sim_barrier_vote(role == pipeline_role::producer, 'c', site);
    return gr_make_pipeline(group, state, producers, (size_t)group.size() - producers, site);
}

template <unsigned char gr_prior, thread_scope gr_scope>
GR_INLINE void pipeline_consumer_wait_prior(pipeline<gr_scope> &pipe)
{
    pipe.gr_wait_prior(gr_prior);
}
template <thread_scope gr_scope>
GR_INLINE void pipeline_producer_commit(pipeline<gr_scope> &pipe, barrier<gr_scope> &)
{
    pipe.producer_commit();
}

template <class gr_group, class gr_to, class gr_from, class gr_size, thread_scope gr_scope>
GR_PLACED static void memcpy_async(const gr_group &group, gr_to *to, const gr_from *from,
                                   gr_size bytes, pipeline<gr_scope> &)
{
    gr_group_copy(group, (void *)to, (const void *)from, (size_t)bytes, GR_SITE);
}
template <class gr_to, class gr_from, class gr_size, thread_scope gr_scope>
GR_PLACED static void memcpy_async(gr_to *to, const gr_from *from, gr_size bytes,
                                   pipeline<gr_scope> &)
{
    gr_group_copy(cooperative_groups::this_thread(), (void *)to, (const void *)from, (size_t)bytes,
                  GR_SITE);
}
} // namespace cuda

#endif
