/* access_rules.h: how a GPU serves the accesses of a warp: the size of the pieces in which global
 * memory is moved, and which lanes the banks of shared memory serve at once. The rules of AMD's
 * GPUs are data in their device files (model/device.h); NVIDIA's GPUs all have the same rules.
 * SPDX-License-Identifier: MIT */
#ifndef RECORDS_ACCESS_RULES_H
#define RECORDS_ACCESS_RULES_H

#include <stdbool.h>
#include <stdint.h>

enum { GR_SECTOR_MOST = 128, GR_BANKS_MOST = 64, GR_RULE_WIDTHS = 4, GR_QUADS = 8 };

/* The banks that serve accesses of one width, and the order of the lanes: quad i of each 32 lanes
 * (lanes 4 i to 4 i + 3) is served in the phase `phase[i]`. The next 32 lanes have phases of their
 * own. */
struct gr_bank_rule {
    int8_t banks; /* of 4 bytes; 0: not known */
    int8_t phase[GR_QUADS];
};

struct gr_access_rules {
    int16_t sector_bytes; /* a request moves whole pieces of this size; 0: those of NVIDIA's GPUs */
    int16_t banks;        /* the largest number that any access uses */
    /* For accesses of up to 4, 8, 12 and 16 bytes. Not used for NVIDIA's GPUs, which serve groups
     * of neighbouring lanes, whose size depends on whether lanes share addresses. */
    struct gr_bank_rule loads[GR_RULE_WIDTHS], stores[GR_RULE_WIDTHS];
};

static inline int gr_rules_sector(const struct gr_access_rules *rules)
{
    return rules->sector_bytes ? rules->sector_bytes : 32;
}

/* The largest number of banks, for the pictures' width. */
static inline int gr_rules_banks(const struct gr_access_rules *rules)
{
    return rules->sector_bytes ? rules->banks : 32;
}

static inline const struct gr_bank_rule *gr_bank_rule_of(const struct gr_access_rules *rules,
                                                         int bytes, bool loads)
{
    int width = bytes <= 4 ? 0 : bytes <= 8 ? 1 : bytes <= 12 ? 2 : 3;
    return loads ? &rules->loads[width] : &rules->stores[width];
}

/* The number of banks that serve such an access. */
static inline int gr_banks_of(const struct gr_access_rules *rules, int bytes, bool loads)
{
    return rules->sector_bytes ? gr_bank_rule_of(rules, bytes, loads)->banks : 32;
}

/* The number of lanes from `first` on that the banks of an NVIDIA GPU serve at once: 32 with
 * accesses of up to 4 bytes, 16 with 8, 8 with 16. For wide loads it is twice that if each active
 * lane shares its address with the next lane, or with the one after that. `offset`: of each of the
 * warp's `lanes`; negative: inactive. This was found by measuring on an H200. */
static inline int gr_lanes_at_once(const int64_t *offset, int lanes, int first, int bytes,
                                   bool loads)
{
    int group = bytes <= 4 ? 32 : 32 * 4 / bytes;
    if (bytes <= 4 || !loads || first % (2 * group) != 0 || first + 2 * group > lanes)
        return group;
    for (int apart = 1; apart <= 2; apart++) {
        bool shared = true;
        for (int i = first; i < first + 2 * group && shared; i++) {
            int64_t other = offset[i ^ apart];
            shared = offset[i] < 0 || other < 0 || other == offset[i];
        }
        if (shared)
            return 2 * group;
    }
    return group;
}

/* Sets phase[i] to the phase in which lane i of the warp's `lanes` is served, counted from 0, and
 * returns the number of phases, at most `lanes`. `offset`: of each lane; negative: inactive. */
static inline int gr_phases_of(const struct gr_access_rules *rules, const int64_t *offset,
                               int lanes, int bytes, bool loads, int8_t *phase)
{
    int count = 0;
    if (!rules->sector_bytes) {
        for (int first = 0, next; first < lanes; first = next, count++) {
            next = first + gr_lanes_at_once(offset, lanes, first, bytes, loads);
            for (int i = first; i < next && i < lanes; i++)
                phase[i] = (int8_t)count;
        }
        return count;
    }
    const struct gr_bank_rule *rule = gr_bank_rule_of(rules, bytes, loads);
    int each = 0;
    for (int i = 0; i < GR_QUADS; i++)
        each = rule->phase[i] >= each ? rule->phase[i] + 1 : each;
    for (int i = 0; i < lanes; i++)
        phase[i] = (int8_t)(i / 32 * each + rule->phase[i % 32 / 4]);
    return (lanes + 31) / 32 * each;
}

#endif
