// gr_group_copy.h: a collective copy by the threads of a group from global to shared memory.
// SPDX-License-Identifier: MIT
#ifndef GR_GROUP_COPY_H
#define GR_GROUP_COPY_H

// The members copy, one after another, the widest pieces that the addresses and the size allow, and
// single bytes if not even 4 are aligned. Between other memory spaces it is a plain copy.
template <class gr_group>
GR_QUIET static void gr_group_copy(const gr_group &group, void *to, const void *from, size_t bytes,
                                   const void *site)
{
    const size_t all = (size_t)to | (size_t)from | bytes;
    const size_t piece = all % 16 == 0 ? 16 : all % 8 == 0 ? 8 : all % 4 == 0 ? 4 : 1;
    const bool asynchronous = piece >= 4 && gr_sim_is_shared(to) && !gr_sim_is_shared(from);
    const size_t stride = piece * (size_t)group.size();
    for (size_t at = piece * (size_t)group.thread_rank(); at < bytes; at += stride) {
        char *const target = (char *)to + at;
        const char *const source = (const char *)from + at;
        if (asynchronous) {
            gr_sim_copy_async(target, source, (int)piece, (int)piece, site);
            continue;
        }
#ifdef GR_TRACED
        gr_sim_saw_load(source, (int)piece, site);
        gr_sim_saw_store(target, (int)piece, site);
#endif
        for (size_t i = 0; i < piece; i++)
            target[i] = source[i];
    }
}

#endif
