// cooperative_groups.h: groups of threads: the block, tiles of a warp, and the active lanes. A tile
// is a mask of lanes; its collective operations use the warp-level functions.
// SPDX-License-Identifier: MIT
#ifndef GR_COOPERATIVE_GROUPS_H
#define GR_COOPERATIVE_GROUPS_H

#define _CG_HAS_CLUSTER_GROUP 0

namespace cooperative_groups
{
GR_INLINE unsigned gr_thread_in_block()
{
    const gr_sim_index at = gr_sim_thread_index(), size = gr_sim_block_size();
    return at.x + size.x * (at.y + size.y * at.z);
}
GR_INLINE unsigned gr_block_threads()
{
    const gr_sim_index size = gr_sim_block_size();
    return size.x * size.y * size.z;
}
GR_INLINE unsigned gr_block_in_grid()
{
    const gr_sim_index at = gr_sim_block_index(), size = gr_sim_grid_size();
    return at.x + size.x * (at.y + size.y * at.z);
}

// Any kind of group: the block, the grid, one thread, or lanes of a warp.
class thread_group
{
  protected:
    enum gr_kind { GR_THREAD, GR_LANES, GR_BLOCK, GR_GRID };
    gr_kind kind_;
    uint64_t mask_; // of GR_LANES
    thread_group(gr_kind kind, uint64_t mask = 0) : kind_(kind), mask_(mask)
    {
    }

  public:
    unsigned long long size() const
    {
        const gr_sim_index grid = gr_sim_grid_size();
        switch (kind_) {
        case GR_THREAD:
            return 1;
        case GR_LANES:
            return (unsigned)__builtin_popcountll(mask_);
        case GR_BLOCK:
            return gr_block_threads();
        default:
            return (unsigned long long)grid.x * grid.y * grid.z * gr_block_threads();
        }
    }
    unsigned long long num_threads() const
    {
        return size();
    }
    unsigned long long thread_rank() const
    {
        switch (kind_) {
        case GR_THREAD:
            return 0;
        case GR_LANES:
            return (unsigned)__builtin_popcountll(mask_ & (((uint64_t)1 << gr_sim_lane()) - 1));
        case GR_BLOCK:
            return gr_thread_in_block();
        default:
            return (unsigned long long)gr_block_in_grid() * gr_block_threads() +
                   gr_thread_in_block();
        }
    }
    bool is_valid() const
    {
        return true;
    }
    void gr_sync(const void *site) const
    {
        if (kind_ == GR_BLOCK)
            gr_sim_barrier(site);
        else if (kind_ == GR_LANES)
            gr_sim_warp_sync(mask_, site);
        else if (kind_ == GR_GRID)
            gr_sim_not_modelled("a barrier of the whole grid", site);
    }
    GR_PLACED void sync() const
    {
        gr_sync(GR_SITE);
    }
    uint64_t gr_mask() const
    {
        return mask_;
    }
    friend thread_group tiled_partition(const thread_group &parent, unsigned size);
};

class thread_block : public thread_group
{
  public:
    typedef int arrival_token;
    thread_block() : thread_group(GR_BLOCK)
    {
    }
    static unsigned thread_rank()
    {
        return gr_thread_in_block();
    }
    static unsigned size()
    {
        return gr_block_threads();
    }
    static unsigned num_threads()
    {
        return gr_block_threads();
    }
    static dim3 group_index()
    {
        return dim3(gr_uint3(gr_sim_block_index()));
    }
    static dim3 thread_index()
    {
        return dim3(gr_uint3(gr_sim_thread_index()));
    }
    static dim3 group_dim()
    {
        return gr_dim3(gr_sim_block_size());
    }
    static dim3 dim_threads()
    {
        return gr_dim3(gr_sim_block_size());
    }
    static arrival_token barrier_arrive()
    {
        return 0;
    }
    GR_PLACED static void barrier_wait(arrival_token)
    {
        gr_sim_barrier(GR_SITE);
    }
    GR_PLACED static void sync()
    {
        gr_sim_barrier(GR_SITE);
    }
};
GR_INLINE thread_block this_thread_block()
{
    return thread_block();
}

class grid_group : public thread_group
{
  public:
    grid_group() : thread_group(GR_GRID)
    {
    }
    static dim3 group_dim()
    {
        return gr_dim3(gr_sim_grid_size());
    }
    static dim3 dim_blocks()
    {
        return gr_dim3(gr_sim_grid_size());
    }
    static dim3 block_index()
    {
        return dim3(gr_uint3(gr_sim_block_index()));
    }
    static unsigned long long block_rank()
    {
        return gr_block_in_grid();
    }
    static unsigned long long num_blocks()
    {
        const gr_sim_index size = gr_sim_grid_size();
        return (unsigned long long)size.x * size.y * size.z;
    }
};
GR_INLINE grid_group this_grid()
{
    return grid_group();
}

// Lanes of one warp, numbered from 0 within the group.
class gr_lanes : public thread_group
{
  protected:
    explicit gr_lanes(uint64_t mask) : thread_group(GR_LANES, mask)
    {
    }
    // The lane of the group's i-th member.
    int gr_lane(int i) const
    {
        uint64_t rest = mask_;
        for (; i > 0 && rest; i--)
            rest &= rest - 1;
        return rest ? __builtin_ctzll(rest) : (int)gr_sim_lane();
    }
    // Converts a mask of lanes of the warp to one of members of the group.
    uint64_t gr_gathered(uint64_t bits) const
    {
        uint64_t gathered = 0, rest = mask_;
        for (int i = 0; rest; i++, rest &= rest - 1)
            gathered |= (bits >> __builtin_ctzll(rest) & 1) << i;
        return gathered;
    }
    int gr_clamped(int i) const
    {
        const int size = (int)num_threads();
        return i >= 0 && i < size ? i : (int)thread_rank();
    }

  public:
    unsigned size() const
    {
        return (unsigned)__builtin_popcountll(mask_);
    }
    unsigned num_threads() const
    {
        return size();
    }
    unsigned thread_rank() const
    {
        return (unsigned)__builtin_popcountll(mask_ & (((uint64_t)1 << gr_sim_lane()) - 1));
    }
    GR_PLACED void sync() const
    {
        gr_sim_warp_sync(mask_, GR_SITE);
    }
    template <class gr_value> GR_PLACED gr_value shfl(gr_value value, int rank) const
    {
        return gr_exchange(mask_, value, gr_lane(rank % (int)size()), GR_SITE);
    }
    template <class gr_value> GR_PLACED gr_value shfl_down(gr_value value, unsigned delta) const
    {
        return gr_exchange(mask_, value, gr_lane(gr_clamped((int)(thread_rank() + delta))),
                           GR_SITE);
    }
    template <class gr_value> GR_PLACED gr_value shfl_up(gr_value value, unsigned delta) const
    {
        return gr_exchange(mask_, value, gr_lane(gr_clamped((int)(thread_rank() - delta))),
                           GR_SITE);
    }
    template <class gr_value> GR_PLACED gr_value shfl_xor(gr_value value, unsigned bits) const
    {
        return gr_exchange(mask_, value, gr_lane(gr_clamped((int)(thread_rank() ^ bits))), GR_SITE);
    }
    GR_PLACED int any(int predicate) const
    {
        return (gr_sim_ballot(mask_, predicate, GR_SITE) & mask_) != 0;
    }
    // As NVIDIA's header has it, which compares the ballot with the mask: false as soon as a lane
    // of the group has exited, unlike __all_sync().
    GR_PLACED int all(int predicate) const
    {
        return (gr_sim_ballot(mask_, predicate, GR_SITE) & mask_) == mask_;
    }
    GR_PLACED unsigned ballot(int predicate) const
    {
        return (unsigned)gr_gathered(gr_sim_ballot(mask_, predicate, GR_SITE));
    }
    template <class gr_value> GR_PLACED unsigned match_any(gr_value value) const
    {
        return (unsigned)gr_gathered(gr_match(mask_, value, GR_SITE));
    }
    template <class gr_value> GR_PLACED unsigned match_all(gr_value value, int &all) const
    {
        // Like __match_all_sync(): of the lanes that have not exited.
        const void *site = GR_SITE;
        const uint64_t present = gr_sim_ballot(mask_, 1, site), same = gr_match(mask_, value, site);
        all = same == present;
        return all ? (unsigned)gr_gathered(same) : 0;
    }
};

// The lanes of the calling thread's tile of `size`, a power of two.
GR_INLINE uint64_t gr_tile_mask(unsigned size)
{
    const uint64_t ones = size >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << size) - 1;
    return ones << (gr_sim_lane() & ~(size - 1));
}

template <unsigned gr_size, class gr_parent = void> class thread_block_tile : public gr_lanes
{
    static_assert((gr_size & (gr_size - 1)) == 0 && gr_size <= GRADUS_WARP_SIZE,
                  "a tile is a power of two of lanes, and no more than a warp");

  public:
    thread_block_tile() : gr_lanes(gr_tile_mask(gr_size))
    {
    }
    template <class gr_other>
    thread_block_tile(const thread_block_tile<gr_size, gr_other> &)
        : gr_lanes(gr_tile_mask(gr_size))
    {
    }
    static constexpr unsigned size()
    {
        return gr_size;
    }
    static constexpr unsigned num_threads()
    {
        return gr_size;
    }
    static unsigned thread_rank()
    {
        return gr_sim_lane() & (gr_size - 1);
    }
    static unsigned meta_group_rank()
    {
        return gr_thread_in_block() / gr_size;
    }
    static unsigned meta_group_size()
    {
        return (gr_block_threads() + gr_size - 1) / gr_size;
    }
    template <class gr_value> GR_PLACED gr_value shfl(gr_value value, int rank) const
    {
        return gr_exchange(mask_, value, gr_lane_at(rank, gr_size), GR_SITE);
    }
    template <class gr_value> GR_PLACED gr_value shfl_down(gr_value value, unsigned delta) const
    {
        return gr_exchange(mask_, value, gr_lane_down(delta, gr_size), GR_SITE);
    }
    template <class gr_value> GR_PLACED gr_value shfl_up(gr_value value, unsigned delta) const
    {
        return gr_exchange(mask_, value, gr_lane_up(delta, gr_size), GR_SITE);
    }
    template <class gr_value> GR_PLACED gr_value shfl_xor(gr_value value, unsigned bits) const
    {
        return gr_exchange(mask_, value, gr_lane_xor((int)bits, gr_size), GR_SITE);
    }
};

class coalesced_group : public gr_lanes
{
  public:
    explicit coalesced_group(uint64_t mask) : gr_lanes(mask)
    {
    }
    unsigned meta_group_rank() const
    {
        return 0;
    }
    unsigned meta_group_size() const
    {
        return 1;
    }
};
GR_INLINE coalesced_group coalesced_threads()
{
    return coalesced_group(gr_sim_active_mask());
}

class gr_one_thread : public thread_group
{
  public:
    gr_one_thread() : thread_group(GR_THREAD)
    {
    }
};
GR_INLINE gr_one_thread this_thread()
{
    return gr_one_thread();
}

template <unsigned gr_size, class gr_parent>
GR_INLINE thread_block_tile<gr_size, gr_parent> tiled_partition(const gr_parent &)
{
    return thread_block_tile<gr_size, gr_parent>();
}
inline thread_group tiled_partition(const thread_group &, unsigned size)
{
    return thread_group(thread_group::GR_LANES, gr_tile_mask(size));
}
// The members of the group that passed the same value.
template <class gr_group>
GR_PLACED static coalesced_group binary_partition(const gr_group &group, bool predicate)
{
    const uint64_t yes = gr_sim_ballot(group.gr_mask(), predicate, GR_SITE) & group.gr_mask();
    return coalesced_group(predicate ? yes : group.gr_mask() & ~yes);
}
template <class gr_group, class gr_value>
GR_PLACED static coalesced_group labeled_partition(const gr_group &group, gr_value label)
{
    return coalesced_group(gr_match(group.gr_mask(), label, GR_SITE));
}

template <class gr_group> GR_PLACED static void sync(const gr_group &group)
{
    group.gr_sync(GR_SITE);
}
template <class gr_group> GR_INLINE auto thread_rank(const gr_group &group)
{
    return group.thread_rank();
}
template <class gr_group> GR_INLINE auto group_size(const gr_group &group)
{
    return group.size();
}
template <class gr_group, class gr_function>
GR_INLINE void invoke_one(const gr_group &group, gr_function function)
{
    if (group.thread_rank() == 0)
        function();
}
} // namespace cooperative_groups

#endif
