// gr_warp.h: barriers, votes, shuffles and reductions of the threads of a block or of a warp. Masks
// have 64 bits here, of which CUDA's are the lower 32. SPDX-License-Identifier: MIT
#ifndef GR_WARP_H
#define GR_WARP_H

// The masks that votes return have 64 bits in HIP, also if a wave has 32 lanes.
#if GRADUS_GFX || GRADUS_WARP_SIZE == 64
typedef unsigned long long gr_lane_mask;
#else
typedef unsigned gr_lane_mask;
#endif
static const uint64_t gr_all_lanes = GRADUS_WARP_SIZE == 64 ? ~(uint64_t)0 : 0xffffffffu;

GR_PLACED static void __syncthreads()
{
    gr_sim_barrier(GR_SITE);
}
GR_PLACED static int __syncthreads_count(int predicate)
{
    return gr_sim_barrier_vote(predicate, 'c', GR_SITE);
}
GR_PLACED static int __syncthreads_and(int predicate)
{
    return gr_sim_barrier_vote(predicate, '&', GR_SITE);
}
GR_PLACED static int __syncthreads_or(int predicate)
{
    return gr_sim_barrier_vote(predicate, '|', GR_SITE);
}
GR_PLACED static void __barrier_sync(unsigned)
{
    gr_sim_barrier(GR_SITE);
}
GR_PLACED static void __syncwarp(unsigned long long mask = ~0ull)
{
    gr_sim_warp_sync(mask & gr_all_lanes, GR_SITE);
}

// Votes. A mask of -1 names all lanes.
GR_PLACED static gr_lane_mask __ballot_sync(unsigned long long mask, int predicate)
{
    return (gr_lane_mask)gr_sim_ballot(mask & gr_all_lanes, predicate, GR_SITE);
}
GR_PLACED static int __any_sync(unsigned long long mask, int predicate)
{
    return gr_sim_ballot(mask & gr_all_lanes, predicate, GR_SITE) != 0;
}
GR_PLACED static int __all_sync(unsigned long long mask, int predicate)
{
    return gr_sim_ballot(mask & gr_all_lanes, !predicate, GR_SITE) == 0;
}
static inline gr_lane_mask __activemask()
{
    return (gr_lane_mask)gr_sim_active_mask();
}
GR_PLACED static unsigned long long __ballot(int predicate)
{
    return gr_sim_ballot(gr_sim_active_mask(), predicate, GR_SITE);
}
GR_PLACED static int __any(int predicate)
{
    return gr_sim_ballot(gr_sim_active_mask(), predicate, GR_SITE) != 0;
}
GR_PLACED static int __all(int predicate)
{
    return gr_sim_ballot(gr_sim_active_mask(), !predicate, GR_SITE) == 0;
}

// The value of lane `lane`. A value of more than 8 bytes is exchanged in pieces. It is in
// registers, so no access is recorded.
template <class gr_value>
GR_QUIET static gr_value gr_exchange(uint64_t mask, gr_value value, int lane, const void *site)
{
    const size_t pieces = (sizeof(gr_value) + 7) / 8;
    uint64_t words[pieces] = {};
    gr_value result = value;
    __builtin_memcpy(words, &value, sizeof value);
    for (size_t i = 0; i < pieces; i++)
        words[i] = gr_sim_exchange(mask & gr_all_lanes, words[i], lane, site);
    __builtin_memcpy(&result, words, sizeof result);
    return result;
}

// The lane that each kind of shuffle reads, within segments of `width` lanes, a power of two.
GR_INLINE int gr_lane_at(int lane, int width)
{
    const int self = (int)gr_sim_lane();
    return (self & ~(width - 1)) | (lane & (width - 1));
}
GR_INLINE int gr_lane_up(unsigned delta, int width)
{
    const int self = (int)gr_sim_lane();
    return (unsigned)(self & (width - 1)) < delta ? self : self - (int)delta;
}
GR_INLINE int gr_lane_down(unsigned delta, int width)
{
    const int self = (int)gr_sim_lane();
    return (unsigned)(self & (width - 1)) + (uint64_t)delta >= (unsigned)width ? self
                                                                               : self + (int)delta;
}
// A lane may read from an earlier segment, but not from a later one.
GR_INLINE int gr_lane_xor(int bits, int width)
{
    const int self = (int)gr_sim_lane(), other = self ^ bits;
    return other > (self | (width - 1)) ? self : other;
}

#define GR_SHUFFLE(name, choose, operand)                                                          \
    template <class gr_value>                                                                      \
    GR_PLACED static gr_value name##_sync(unsigned long long mask, gr_value value, operand by,     \
                                          int width = GRADUS_WARP_SIZE)                            \
    {                                                                                              \
        return gr_exchange(mask, value, choose(by, width), GR_SITE);                               \
    }                                                                                              \
    template <class gr_value>                                                                      \
    GR_PLACED static gr_value name(gr_value value, operand by, int width = GRADUS_WARP_SIZE)       \
    {                                                                                              \
        return gr_exchange(gr_sim_active_mask(), value, choose(by, width), GR_SITE);               \
    }
GR_SHUFFLE(__shfl, gr_lane_at, int)
GR_SHUFFLE(__shfl_up, gr_lane_up, unsigned)
GR_SHUFFLE(__shfl_down, gr_lane_down, unsigned)
GR_SHUFFLE(__shfl_xor, gr_lane_xor, int)
#undef GR_SHUFFLE

// The lanes of `mask` that passed the same bits as the calling lane.
template <class gr_value>
GR_QUIET static uint64_t gr_match(uint64_t mask, gr_value value, const void *site)
{
    const uint64_t present = gr_sim_ballot(mask & gr_all_lanes, 1, site);
    uint64_t own = 0, same = 0;
    __builtin_memcpy(&own, &value, sizeof value);
    for (int lane = 0; lane < GRADUS_WARP_SIZE; lane++)
        if (present >> lane & 1 && gr_sim_exchange(present, own, lane, site) == own)
            same |= (uint64_t)1 << lane;
    return same;
}
template <class gr_value>
GR_PLACED static gr_lane_mask __match_any_sync(unsigned long long mask, gr_value value)
{
    static_assert(sizeof value <= 8, "matches values of 4 or 8 bytes");
    return (gr_lane_mask)gr_match(mask, value, GR_SITE);
}
template <class gr_value>
GR_PLACED static gr_lane_mask __match_all_sync(unsigned long long mask, gr_value value, int *all)
{
    const void *site = GR_SITE;
    const uint64_t present = gr_sim_ballot(mask & gr_all_lanes, 1, site);
    *all = gr_match(mask, value, site) == present;
    return *all ? (gr_lane_mask)present : 0;
}

// The reduction of all lanes' values, beginning with lane 0.
#define GR_REDUCE(name, type, combined)                                                            \
    GR_PLACED static type name(unsigned long long mask, type value)                                \
    {                                                                                              \
        const void *site = GR_SITE;                                                                \
        const uint64_t present = gr_sim_ballot(mask & gr_all_lanes, 1, site);                      \
        bool first = true;                                                                         \
        type sum = value;                                                                          \
        for (int lane = 0; lane < GRADUS_WARP_SIZE; lane++)                                        \
            if (present >> lane & 1) {                                                             \
                const type other = gr_exchange(present, value, lane, site);                        \
                sum = first ? other : (type)(combined);                                            \
                first = false;                                                                     \
            }                                                                                      \
        return sum;                                                                                \
    }
GR_REDUCE(__reduce_add_sync, unsigned, sum + other)
GR_REDUCE(__reduce_add_sync, int, (unsigned)sum + (unsigned)other)
GR_REDUCE(__reduce_min_sync, unsigned, other < sum ? other : sum)
GR_REDUCE(__reduce_min_sync, int, other < sum ? other : sum)
GR_REDUCE(__reduce_max_sync, unsigned, other > sum ? other : sum)
GR_REDUCE(__reduce_max_sync, int, other > sum ? other : sum)
GR_REDUCE(__reduce_and_sync, unsigned, sum &other)
GR_REDUCE(__reduce_or_sync, unsigned, sum | other)
GR_REDUCE(__reduce_xor_sync, unsigned, sum ^ other)
#undef GR_REDUCE

// Lets other threads run once. The run time calls this outside of any thread, so it is not
// instrumented.
GR_QUIET static int gr_second_time(void *state)
{
    return (*(int *)state)++;
}
GR_PLACED static void __nanosleep(unsigned)
{
    int requested = 0;
    gr_sim_wait_until(gr_second_time, &requested, GR_SITE);
}

#endif
