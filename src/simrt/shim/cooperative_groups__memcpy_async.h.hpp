// cooperative_groups/memcpy_async.h: collective copies of a group. They complete immediately, so
// that waiting is only a barrier of the group. SPDX-License-Identifier: MIT
#ifndef GR_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define GR_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "gr_group_copy.h"
#include <cooperative_groups.h>
#include <cuda/aligned_size.h>

namespace cooperative_groups
{
template <class gr_group, class gr_to, class gr_from>
GR_PLACED static void memcpy_async(const gr_group &group, gr_to *to, const gr_from *from,
                                   size_t bytes)
{
    gr_group_copy(group, (void *)to, (const void *)from, bytes, GR_SITE);
}
// The sizes are in elements; at most `room` elements are copied.
template <class gr_group, class gr_to, class gr_from>
GR_PLACED static void memcpy_async(const gr_group &group, gr_to *to, size_t room,
                                   const gr_from *from, size_t count)
{
    const size_t some =
        room * sizeof *to < count * sizeof *from ? room * sizeof *to : count * sizeof *from;
    gr_group_copy(group, (void *)to, (const void *)from, some, GR_SITE);
}
template <class gr_group> GR_PLACED static void wait(const gr_group &group)
{
    group.gr_sync(GR_SITE);
}
template <unsigned gr_stages, class gr_group>
GR_PLACED static void wait_prior(const gr_group &group)
{
    group.gr_sync(GR_SITE);
}
} // namespace cooperative_groups

#endif
