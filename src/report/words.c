/* words.c: numbers and rows as text. SPDX-License-Identifier: MIT */
#include "report/words.h"

#include "base/utf8.h"
#include "records/steady.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void gr_word_time(double time_ns, char word[GR_WORD])
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    int unit = 0;
    word[0] = 0;
    if (!(time_ns > 0) || !isfinite(time_ns))
        return;
    /* A value from 999.5 on would be rounded to four digits; it becomes 1.00 of the next unit. */
    while (unit < 3 && time_ns >= 999.5) {
        time_ns /= 1000;
        unit++;
    }
    int decimals = time_ns < 9.995 ? 2 : time_ns < 99.95 ? 1 : 0;
    snprintf(word, GR_WORD, "%.*f %s", decimals, time_ns, units[unit]);
}

void gr_word_rate(double rate, char word[GR_WORD])
{
    word[0] = 0;
    if (rate > 0 && isfinite(rate))
        snprintf(word, GR_WORD, "%.*f", rate < 9.995 ? 2 : rate < 999.95 ? 1 : 0, rate);
}

void gr_word_percent(double fraction, char word[GR_WORD])
{
    word[0] = 0;
    if (fraction > 0 && isfinite(fraction))
        snprintf(word, GR_WORD, "%.1f%%", 100 * fraction);
}

void gr_word_ratio(const struct gr_ratio *ratio, bool interval, char word[GR_WORD])
{
    word[0] = 0;
    if (ratio->n == 0 || !isfinite(ratio->median))
        return;
    int decimals = ratio->median < 0.1 ? 3 : ratio->median < 99.5 ? 2 : 0;
    int length = snprintf(word, GR_WORD, "%.*fx", decimals, ratio->median);
    if (interval && length > 0 && length < GR_WORD)
        snprintf(word + length, (size_t)(GR_WORD - length), " [%.*f,%.*f]", decimals, ratio->lo,
                 decimals, ratio->hi);
}

void gr_word_threads(int threads, int callers, char word[GR_WORD])
{
    char those[24] = "all threads";
    if (threads > 0)
        snprintf(those, sizeof those, "%d thread%s", threads, threads == 1 ? "" : "s");
    if (callers > 1)
        snprintf(word, GR_WORD, "%d callers, %s%s", callers, those, threads > 0 ? " each" : "");
    else
        snprintf(word, GR_WORD, "%s", those);
}

void gr_word_peak(const struct gr_row *row, char word[GR_WORD])
{
    gr_word_percent(gr_row_is_unsteady(row) ? 0 : row->peak_fraction, word);
}

void gr_word_amount(int64_t n, char word[GR_WORD])
{
    if (n < 1000000)
        snprintf(word, GR_WORD, "%" PRId64, n);
    else if (n < 1000000000)
        snprintf(word, GR_WORD, "%.1fM", (double)n * 1e-6);
    else
        snprintf(word, GR_WORD, "%.1fG", (double)n * 1e-9);
}

const char *gr_row_name(const struct gr_row *row)
{
    return row->kernel ? row->kernel : "kernel";
}

void gr_row_format_verdict(const struct gr_row *row, struct gr_str *out)
{
    gr_str_printf(out, "%s: ", gr_verdict_name(row->verdict));
    gr_str_add_line(out, row->reason && *row->reason ? row->reason : gr_verdict_text(row->verdict));
}

void gr_finding_format(const struct gr_finding *finding, struct gr_str *out)
{
    if (finding->severity != GR_SEVERITY_NOTE)
        gr_str_printf(out, "%s ", gr_severity_name(finding->severity));
    gr_str_add(out, gr_finding_name(finding->kind));
    if (finding->line > 0)
        gr_str_printf(out, " (line %d)", finding->line);
    gr_str_add(out, ": ");
    gr_str_add_line(out, finding->text ? finding->text : "");
}

void gr_peer_format(const struct gr_peer_result *peer, struct gr_str *out)
{
    gr_str_add_line(out, peer->name);
    if (peer->version[0]) {
        gr_str_add(out, " ");
        gr_str_add_line(out, peer->version);
    }
    if (peer->core[0]) {
        gr_str_add(out, " (");
        gr_str_add_line(out, peer->core);
        gr_str_add(out, ")");
    }
    if (peer->threads > 0)
        gr_str_printf(out, ", %d thread%s", peer->threads, peer->threads == 1 ? "" : "s");
}

/* "fma.f32.2" is the FMA rate of f32 on two threads; "read.l1" and "copy.dram" are bandwidths of a
 * level. */
static void say_ceiling(const struct gr_ceiling *ceiling, struct gr_str *out)
{
    char type[16], level[16], rate[GR_WORD];
    int threads = 0;
    gr_word_rate(ceiling->value, rate);
    if (sscanf(ceiling->name, "fma.%15[^.].%d", type, &threads) == 2) {
        gr_str_printf(out, "FMA %s %s %s", type, rate, ceiling->unit);
        if (threads > 0) /* otherwise the row is of a device */
            gr_str_printf(out, " on %d thread%s", threads, threads == 1 ? "" : "s");
        return;
    }
    for (int i = 0; i < 2; i++) {
        static const char *const kinds[] = {"read", "copy"};
        size_t skip = strlen(kinds[i]);
        if (strncmp(ceiling->name, kinds[i], skip) != 0 || ceiling->name[skip] != '.')
            continue;
        snprintf(level, sizeof level, "%s", ceiling->name + skip + 1);
        for (char *p = level; *p; p++)
            *p = *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p;
        gr_str_printf(out, "%s ", kinds[i]);
        gr_str_add_line(out, level);
        gr_str_printf(out, " %s %s", rate, ceiling->unit);
        return;
    }
    gr_str_add_line(out, ceiling->name);
    gr_str_printf(out, " %s %s", rate, ceiling->unit);
}

void gr_ceiling_format(const struct gr_ceiling *ceiling, struct gr_str *out)
{
    say_ceiling(ceiling, out);
    gr_str_add(out, ceiling->unsteady ? ", unsteady" : "");
}

static void new_line(struct gr_str *out, int indent)
{
    gr_str_printf(out, "\n%*s", indent, "");
}

static int step(const char *p)
{
    int length = gr_utf8_length(p);
    return length ? length : 1;
}

void gr_wrap(struct gr_str *out, const char *text, int columns, int at, int indent)
{
    bool limited = columns > indent, fresh = true; /* fresh: the line has no word yet */
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        const char *end = text + strcspn(text, " ");
        int width = 0;
        for (const char *p = text; p < end; p += step(p))
            width++;
        if (!fresh && limited && at + 1 + width > columns) {
            new_line(out, indent);
            at = indent;
        } else if (!fresh) {
            gr_str_add(out, " ");
            at++;
        }
        fresh = false;
        /* A word that is longer than a line is split at the end of the line. */
        for (; text < end; text += step(text), at++) {
            if (limited && at >= columns) {
                new_line(out, indent);
                at = indent;
            }
            gr_str_add_bytes(out, text, (size_t)step(text));
        }
    }
}

void gr_run_format_partial(const struct gr_run *run, bool labelled, struct gr_str *out)
{
    if (!run->stopped)
        return;
    gr_str_printf(out, "%s%d of %d row%s; ended by ", labelled ? "" : "partial: ", run->row_count,
                  run->planned, run->planned == 1 ? "" : "s");
    gr_str_add_line(out, run->stopped);
    gr_str_add(out, " before the rest was measured");
}
