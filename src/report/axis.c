/* axis.c: scales, ticks and the positions of labels. SPDX-License-Identifier: MIT */
#include "report/axis.h"

#include <math.h>
#include <stdio.h>

double gr_axis_at(const struct gr_axis *axis, double value)
{
    double part = axis->log ? log(value / axis->lo) / log(axis->hi / axis->lo)
                            : (value - axis->lo) / (axis->hi - axis->lo);
    return axis->from + part * (axis->to - axis->from);
}

static int linear_ticks(const struct gr_axis *axis, int most, double ticks[GR_TICKS])
{
    double raw = (axis->hi - axis->lo) / most, power = pow(10, floor(log10(raw)));
    double step = raw <= power ? 1 : raw <= 2 * power ? 2 : raw <= 5 * power ? 5 : 10;
    step *= power;
    int count = 0;
    double first = ceil(axis->lo / step - 1e-9), last = floor(axis->hi / step + 1e-9);
    for (double i = first; count < most && i <= last; i++)
        ticks[count++] = i == 0 ? 0 : i * step; /* so that it is 0 and not -0 */
    return count;
}

/* The mantissas of the ticks within a decade, from the densest choice to the sparsest. */
static int log_ticks(const struct gr_axis *axis, const double *mantissas, int mantissa_count,
                     int every, double ticks[GR_TICKS])
{
    int count = 0;
    int first = (int)floor(log10(axis->lo)), last = (int)ceil(log10(axis->hi));
    for (int decade = first; decade <= last; decade++) {
        for (int i = 0; i < mantissa_count; i++) {
            double tick = mantissas[i] * pow(10, decade);
            bool inside = tick >= axis->lo * (1 - 1e-9) && tick <= axis->hi * (1 + 1e-9);
            if (inside && decade % every == 0 && count < GR_TICKS)
                ticks[count++] = tick;
        }
    }
    return count;
}

int gr_axis_ticks(const struct gr_axis *axis, int most, double ticks[GR_TICKS])
{
    static const double mantissas[] = {1, 2, 5};
    most = most < 2 ? 2 : most > GR_TICKS ? GR_TICKS : most;
    if (!axis->log)
        return linear_ticks(axis, most, ticks);
    int count = log_ticks(axis, mantissas, 3, 1, ticks);
    for (int every = 1; count > most && every < 100; every++)
        count = log_ticks(axis, mantissas, 1, every, ticks);
    return count < most ? count : most;
}

void gr_tick_word(double tick, char word[32])
{
    if (tick >= 1e6 || (tick > 0 && tick < 1e-4))
        snprintf(word, 32, "%.3g", tick);
    else
        snprintf(word, 32, "%.10g", tick);
}

void gr_spread(double *places, int count, double gap, double lo, double hi)
{
    double floor_place = lo, ceiling_place = hi;
    for (int i = 0; i < count; i++) {
        places[i] = places[i] < floor_place ? floor_place : places[i];
        floor_place = places[i] + gap;
    }
    for (int i = count; i-- > 0;) {
        places[i] = places[i] > ceiling_place ? ceiling_place : places[i];
        ceiling_place = places[i] - gap;
    }
}
