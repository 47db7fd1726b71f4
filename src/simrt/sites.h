/* sites.h: finds the site of an access. SPDX-License-Identifier: MIT */
#ifndef SIMRT_SITES_H
#define SIMRT_SITES_H

#include "simrt/tracer.h"

enum { GR_SITES_RECENT = 1024 };

/* What was found for a code last: its next access to the same array has the same site. */
struct gr_site_recent {
    uint32_t code; /* 0: nothing */
    int site, access, bytes;
    uint64_t lo, extent; /* of the array's addresses */
};

/* A tracer's own table, so that no lock is needed to find a site again. */
struct gr_site_table {
    struct gr_site_recent recent[GR_SITES_RECENT]; /* by a hash of the code */
    struct gr_site_chains *chains;                 /* all of them: sites.c */
};

/* The slow path of gr_site_find. */
int gr_site_look_up(struct gr_tracer *tracer, const struct gr_record *record, int bytes);

/* 16 bits, of which the lowest differ also for codes that are a power of two apart. */
static inline uint32_t gr_site_hash(uint32_t code)
{
    return code * 2654435761u >> 16;
}

/* The site of an access at the record's code to its address. */
static inline int gr_site_find(struct gr_tracer *t, const struct gr_record *r, int bytes)
{
    const struct gr_site_recent *s = &t->sites->recent[gr_site_hash(r->code) % GR_SITES_RECENT];
    bool same = s->code == r->code && s->access == r->access && s->bytes == bytes &&
                r->address - s->lo < s->extent;
    return same ? s->site : gr_site_look_up(t, r, bytes);
}

#endif
