/* watch.c: records the state of the device during measurements. SPDX-License-Identifier: MIT */
#include "measure/session.h"

#include "base/str.h"

static int less(int x, int y)
{
    return x < 0 || (y >= 0 && y < x) ? y : x;
}

static int more(int x, int y)
{
    return y > x ? y : x;
}

void gr_session_watch(struct gr_session *s)
{
    struct gr_device_state now;
    if (!s->backend->state)
        return;
    s->backend->state(s->found, &now);
    s->least.sm_clock_mhz = less(s->least.sm_clock_mhz, now.sm_clock_mhz);
    s->most.sm_clock_mhz = more(s->most.sm_clock_mhz, now.sm_clock_mhz);
    s->most.power_w = more(s->most.power_w, now.power_w);
    s->most.temperature_c = more(s->most.temperature_c, now.temperature_c);
}

char *gr_session_device(const struct gr_session *s)
{
    struct gr_str out = {0};
    if (s->about.memory_bytes == 0)
        return NULL;
    gr_str_add(&out, s->about.name);
    if (s->most.sm_clock_mhz > s->least.sm_clock_mhz)
        gr_str_printf(&out, ", SM %d to %d MHz", s->least.sm_clock_mhz, s->most.sm_clock_mhz);
    else if (s->most.sm_clock_mhz >= 0)
        gr_str_printf(&out, ", SM %d MHz", s->most.sm_clock_mhz);
    if (s->most.power_w >= 0)
        gr_str_printf(&out, ", up to %d W", s->most.power_w);
    if (s->most.temperature_c >= 0)
        gr_str_printf(&out, " and %d C", s->most.temperature_c);
    if (*s->about.driver)
        gr_str_printf(&out, ", %s", s->about.driver);
    return out.text;
}
