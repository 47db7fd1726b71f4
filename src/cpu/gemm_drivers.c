/* gemm_drivers.c: finds the driver for a combination of types, and lists the combinations that the
 * drivers declare. SPDX-License-Identifier: MIT */
#include "cpu/gemm.h"

#include <stdio.h>
#include <string.h>

static bool has(unsigned types, enum gradus_type type)
{
    return gr_gemm_type_bytes(type) && types >> type & 1;
}

const struct gr_driver *gr_driver_for(const struct gradus_gemm *g)
{
    const struct gr_driver *const *d = gr_driver_all;
    while (*d && !(has((*d)->a_types, g->a_type) && has((*d)->b_types, g->b_type) &&
                   has((*d)->c_types, g->c_type) && has((*d)->sum_types, g->sum_type)))
        d++;
    return *d;
}

static void add_types(char text[GR_DRIVER_LIST], unsigned types, const char *before)
{
    for (unsigned type = 0; types >> type; type++)
        if (types >> type & 1) {
            const size_t used = strlen(text);
            snprintf(text + used, GR_DRIVER_LIST - used, "%s%s", before,
                     gr_gemm_type_name((enum gradus_type)type));
            before = "|";
        }
}

static unsigned lowest_bit(unsigned types)
{
    return types & -types;
}

/* The position of a driver in the text. Drivers are sorted by the first type of A that they accept,
 * in the order of enum gradus_type, and then by their order in the table. */
static int place_of(const struct gr_driver *driver)
{
    int place = 0;
    bool met = false;
    for (const struct gr_driver *const *d = gr_driver_all; *d; d++) {
        const unsigned theirs = lowest_bit((*d)->a_types), ours = lowest_bit(driver->a_types);
        met = met || *d == driver;
        place += theirs < ours || (theirs == ours && !met);
    }
    return place;
}

void gr_driver_list(char text[GR_DRIVER_LIST])
{
    int count = 0;
    *text = 0;
    while (gr_driver_all[count])
        count++;
    for (int place = 0; place < count; place++) {
        int i = 0;
        while (place_of(gr_driver_all[i]) != place)
            i++;
        const struct gr_driver *d = gr_driver_all[i];
        add_types(text, d->a_types, place == 0 ? "" : place < count - 1 ? ", " : " or ");
        add_types(text, d->b_types, " ");
        add_types(text, d->c_types, " ");
        add_types(text, d->sum_types, " ");
    }
}
