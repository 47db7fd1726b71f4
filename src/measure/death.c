/* death.c: describes how a worker died. SPDX-License-Identifier: MIT */
#include "measure/trial.h"

#include "base/str.h"
#include "check/sum_in_f16.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gr_outcome_adds_in_f16(const struct gr_outcome *outcome)
{
    for (int i = 0; i < outcome->findings.count; i++)
        if (gr_starts_with(outcome->findings.items[i].text, GR_SUM_IN_F16))
            return true;
    return false;
}

void gr_outcome_free(struct gr_outcome *outcome)
{
    gr_findings_free(&outcome->findings);
    *outcome = (struct gr_outcome){0};
}

/* What the fault was of: an operand of a trial, which ends (to within an element) at the end of its
 * segment or begins at its start, or a guarded `work` buffer. */
struct struck {
    const char *name;
    int64_t past; /* bytes from its end to the address */
};

static bool find_struck(const struct gr_session *s, const struct gr_kernel *kernel,
                        const struct gr_mailbox *m, struct struck *struck)
{
    static const char *const names[] = {"A", "B", "C", "the copy of C"};
    if (m->fault.in_arena && m->fault.segment < GR_SEG_COUNT) {
        *struck = (struct struck){names[m->fault.segment],
                                  m->fault.offset - (int64_t)s->arena.size[m->fault.segment]};
        return true;
    }
    if (!m->fault.in_work || !kernel || m->fault.work >= kernel->work_count)
        return false;
    *struck = (struct struck){kernel->works[m->fault.work].name.text,
                              m->fault.offset - m->fault.work_bytes};
    return true;
}

/* "wrote 4 bytes past the end of C", or "" if the fault was near neither. */
static void describe_fault(const struct gr_session *s, const struct gr_kernel *kernel, char *text,
                           size_t size, enum gr_finding_kind *kind)
{
    const struct gr_mailbox *m = s->child.mailbox;
    struct struck x;
    *text = 0;
    *kind = GR_FIND_DIED;
    if (!m || !m->fault.signal || !find_struck(s, kernel, m, &x))
        return;
    const char *did = m->fault.wrote ? "wrote" : m->fault.read ? "read" : "touched";
    if (m->fault.offset < 0)
        snprintf(text, size, "%s %" PRId64 " bytes before the start of %s", did, -m->fault.offset,
                 x.name);
    else if (x.past < 0)
        snprintf(text, size, "%s %s where its memory was taken away or made read-only", did,
                 x.name);
    else if (x.past == 0)
        snprintf(text, size, "%s past the end of %s", did, x.name);
    else
        snprintf(text, size, "%s %" PRId64 " bytes past the end of %s", did, x.past, x.name);
    if (m->fault.offset >= 0 && x.past < 0)
        return;
    if (m->fault.in_work) {
        const size_t used = strlen(text);
        snprintf(text + used, size - used, ", of which the `work` line asks for %" PRId64 " bytes",
                 m->fault.work_bytes);
    }
    *kind = m->fault.wrote ? GR_FIND_WROTE_OUTSIDE : GR_FIND_READ_OUTSIDE;
}

static const char *signal_hint(int signal)
{
    if (signal == SIGILL)
        return ": an instruction that this CPU does not have, or a trap for undefined behaviour";
    if (signal == SIGABRT)
        return ": abort() or a failed assertion";
    if (signal == SIGKILL)
        return ": out of memory, or killed from outside";
    return "";
}

static const char *segv_hint(const struct gr_mailbox *m)
{
    if (m && m->fault.on_stack)
        return "where the stack ends: it is full (ulimit -s)";
    return m && m->fault.null ? "through a null pointer" : "at an address that is in no operand";
}

/* Compiled for speed, the kernel has no line numbers; when it is traced it has. */
static const char *where_hint(const struct gr_session *s)
{
    return s->backend->simulates ? "; `gradus explain` on this file names the line" : "";
}

void gr_outcome_of_death(const struct gr_session *s, const struct gr_kernel *kernel,
                         const struct gr_problem *problem, enum gradus_status status,
                         struct gr_outcome *outcome)
{
    char size[64], where[160];
    enum gr_finding_kind kind = GR_FIND_DIED;
    gr_size_name(problem->m, problem->n, problem->k, size, sizeof size);
    if (status == GRADUS_TIMED_OUT || s->child.death == GR_DEATH_TIMEOUT) {
        outcome->verdict = GR_TIMEOUT;
        snprintf(outcome->reason, sizeof outcome->reason,
                 "%s: not done within the time limit of %.3g s (--time-limit)%s", size,
                 (double)s->options.time_limit_ns * 1e-9, where_hint(s));
    } else if (s->child.death == GR_DEATH_FAULT) {
        outcome->verdict = GR_CRASH;
        snprintf(outcome->reason, sizeof outcome->reason, "%s: %.160s", size, s->child.death_text);
    } else if (s->child.death == GR_DEATH_SIGNAL) {
        outcome->verdict = GR_CRASH;
        describe_fault(s, kernel, where, sizeof where, &kind);
        snprintf(outcome->reason, sizeof outcome->reason, "%s: SIG%s%s%s", size,
                 sigabbrev_np(s->child.death_code), *where ? ": " : "",
                 *where ? where : signal_hint(s->child.death_code));
        if (!*where && s->child.death_code == SIGSEGV)
            snprintf(outcome->reason, sizeof outcome->reason, "%s: SIGSEGV %s", size,
                     segv_hint(s->child.mailbox));
    } else {
        outcome->verdict = GR_EXIT;
        snprintf(outcome->reason, sizeof outcome->reason,
                 "%s: the kernel ended its process with status %d", size, s->child.death_code);
    }
    gr_findings_add(&outcome->findings, kind, 0, "%s", outcome->reason);
}
