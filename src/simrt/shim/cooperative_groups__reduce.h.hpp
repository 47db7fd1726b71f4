// cooperative_groups/reduce.h: reductions and prefix sums over a group. SPDX-License-Identifier:
// MIT
#ifndef GR_COOPERATIVE_GROUPS_REDUCE_H
#define GR_COOPERATIVE_GROUPS_REDUCE_H

#include <cooperative_groups.h>

namespace cooperative_groups
{
#define GR_OPERATION(name, expression)                                                             \
    template <class gr_value = void> struct name {                                                 \
        GR_INLINE_MEMBER gr_value operator()(gr_value one, gr_value other) const                   \
        {                                                                                          \
            return expression;                                                                     \
        }                                                                                          \
    };
GR_OPERATION(plus, (gr_value)(one + other))
GR_OPERATION(less, other < one ? other : one)
GR_OPERATION(greater, one < other ? other : one)
GR_OPERATION(bit_and, (gr_value)(one &other))
GR_OPERATION(bit_or, (gr_value)(one | other))
GR_OPERATION(bit_xor, (gr_value)(one ^ other))
#undef GR_OPERATION

// A tree reduction that halves the distance in each step, in the order of the shuffles that CUDA
// uses for a tile.
template <class gr_group, class gr_value, class gr_operation>
GR_PLACED static gr_value reduce(const gr_group &group, gr_value value, gr_operation operation)
{
    const void *site = GR_SITE;
    const uint64_t mask = group.gr_mask();
    const uint64_t present = gr_sim_ballot(mask, 1, site) & mask;
    const unsigned size = (unsigned)group.size();
    if (present == mask && (size & (size - 1)) == 0 &&
        mask >> __builtin_ctzll(mask) == (size >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << size) - 1)) {
        for (unsigned bits = size / 2; bits > 0; bits /= 2)
            value = operation(value, gr_exchange(mask, value, (int)(gr_sim_lane() ^ bits), site));
        return value;
    }
    gr_value sum = value;
    bool first = true;
    for (uint64_t rest = present; rest; rest &= rest - 1) {
        const gr_value other = gr_exchange(present, value, __builtin_ctzll(rest), site);
        sum = first ? other : operation(sum, other);
        first = false;
    }
    return sum;
}
template <class gr_group, class gr_value, class gr_operation>
GR_PLACED static gr_value inclusive_scan(const gr_group &group, gr_value value,
                                         gr_operation operation)
{
    const void *site = GR_SITE;
    const uint64_t present = gr_sim_ballot(group.gr_mask(), 1, site) & group.gr_mask();
    gr_value sum = value;
    bool first = true;
    for (uint64_t rest = present; rest; rest &= rest - 1) {
        const int lane = __builtin_ctzll(rest);
        const gr_value other = gr_exchange(present, value, lane, site);
        if (lane <= (int)gr_sim_lane())
            sum = first ? other : operation(sum, other);
        first = false;
    }
    return sum;
}
template <class gr_group, class gr_value>
GR_INLINE gr_value inclusive_scan(const gr_group &group, gr_value value)
{
    return inclusive_scan(group, value, plus<gr_value>());
}
template <class gr_group, class gr_value, class gr_operation>
GR_PLACED static gr_value exclusive_scan(const gr_group &group, gr_value value,
                                         gr_operation operation)
{
    const void *site = GR_SITE;
    const uint64_t present = gr_sim_ballot(group.gr_mask(), 1, site) & group.gr_mask();
    gr_value sum = gr_value();
    bool first = true;
    for (uint64_t rest = present; rest; rest &= rest - 1) {
        const int lane = __builtin_ctzll(rest);
        const gr_value other = gr_exchange(present, value, lane, site);
        if (lane < (int)gr_sim_lane())
            sum = first ? other : operation(sum, other);
        first = false;
    }
    return sum;
}
template <class gr_group, class gr_value>
GR_INLINE gr_value exclusive_scan(const gr_group &group, gr_value value)
{
    return exclusive_scan(group, value, plus<gr_value>());
}
} // namespace cooperative_groups

#endif
