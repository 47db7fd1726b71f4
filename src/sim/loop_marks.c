/* loop_marks.c: finds the loops of assembly by their jumps back. SPDX-License-Identifier: MIT */
#include "sim/loop_marks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum kind { LABEL, CALL, JUMP, BRANCH };

/* A line that is a label, a call or a jump. */
struct event {
    size_t at;
    enum kind kind;
    const char *name; /* the label's own name, or that of the jump's target */
    size_t length;
    int target;     /* of a jump: the event of its label; -1: none */
    int calls;      /* before this event */
    int jumps_back; /* of a label: the last event that jumps back to it; 0: none */
};

struct events {
    struct event *items;
    int count, room;
};

static bool add(struct events *e, struct event event)
{
    if (e->count == e->room) {
        int room = e->room ? e->room * 2 : 256;
        struct event *items = realloc(e->items, (size_t)room * sizeof *items);
        if (!items)
            return false;
        e->items = items;
        e->room = room;
    }
    e->items[e->count++] = event;
    return true;
}

static bool is_word(const char *p, const char *word)
{
    size_t length = strlen(word);
    return strncmp(p, word, length) == 0 && (p[length] == '\t' || p[length] == ' ');
}

/* False: the line is none of these. */
static bool classify(const char *line, size_t length, struct event *e)
{
    if (line[0] == '.' && length > 2 && line[1] == 'L' && line[length - 1] == ':') {
        e->kind = LABEL;
        e->name = line;
        e->length = length - 1;
        return true;
    }
    const char *p = line + strspn(line, " \t");
    if (p == line || (*p != 'j' && *p != 'c'))
        return false;
    if (is_word(p, "call")) {
        e->kind = CALL;
        return true;
    }
    if (*p != 'j')
        return false;
    e->kind = is_word(p, "jmp") ? JUMP : BRANCH;
    p += strcspn(p, " \t");
    p += strspn(p, " \t");
    e->name = p;
    e->length = strcspn(p, " \t\n");
    return e->length > 2 && p[0] == '.' && p[1] == 'L';
}

static bool list_events(const char *text, struct events *events)
{
    int calls = 0;
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        struct event e = {.at = (size_t)(line - text), .target = -1, .calls = calls};
        if (length > 0 && classify(line, length, &e)) {
            calls += e.kind == CALL;
            if (!add(events, e))
                return false;
        }
        line += length + (line[length] == '\n');
    }
    return true;
}

/* ---- The targets of jumps. ---- */

static int compare_names(const struct event *a, const struct event *b)
{
    size_t shorter = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->name, b->name, shorter);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

static int by_name(const void *a, const void *b)
{
    return compare_names(*(const struct event *const *)a, *(const struct event *const *)b);
}

static bool resolve(struct events *events)
{
    struct event **labels = malloc(((size_t)events->count + 1) * sizeof *labels);
    size_t count = 0;
    if (!labels)
        return false;
    for (int i = 0; i < events->count; i++)
        if (events->items[i].kind == LABEL)
            labels[count++] = &events->items[i];
    qsort(labels, count, sizeof(struct event *), by_name);
    for (int i = 0; i < events->count; i++) {
        struct event *e = &events->items[i];
        if (e->kind != JUMP && e->kind != BRANCH)
            continue;
        struct event **label = bsearch(&e, labels, count, sizeof(struct event *), by_name);
        e->target = label ? (int)(*label - events->items) : -1;
        if (label && e->target < i)
            (*label)->jumps_back = i;
    }
    free(labels);
    return true;
}

/* ---- The loops that need a mark. ---- */

/* Does a loop with accesses begin at label `from` and end before `to`? */
static bool begins_loop(const struct event *items, int from, int to)
{
    for (int i = from + 1; i < to; i++)
        if (items[i].target == from && items[i].calls > items[from].calls)
            return true;
    return false;
}

/* May lanes differ in their accesses between the loop's header and its last jump back? The compiler
 * may place an inner loop before the header of the outer one, which then jumps back to it. */
static bool may_differ(const struct event *items, int header)
{
    int jump = items[header].jumps_back;
    for (int i = header + 1; i < jump; i++) {
        const struct event *e = &items[i];
        int to = e->target;
        if (to < 0)
            continue;
        if (to < header && items[to].kind == LABEL && begins_loop(items, to, header))
            return true;
        bool skips = e->kind == BRANCH && to > i && to <= jump && items[to].calls > e->calls;
        bool goes_on = e->kind == BRANCH && to == header && items[jump].calls > e->calls;
        bool loops = to > header && to < i && e->calls > items[to].calls;
        if (skips || goes_on || loops)
            return true;
    }
    return false;
}

/* The mark changes the processor's flags: does no instruction after the label use them? */
static bool flags_are_free(const char *line)
{
    for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *p = line + strspn(line, " \t");
        if (p == line || *p == '.' || *p == '#' || *p == '\n' || strncmp(p, "mov", 3) == 0 ||
            strncmp(p, "lea", 3) == 0)
            continue;
        bool uses = (*p == 'j' && !is_word(p, "jmp")) || strncmp(p, "set", 3) == 0 ||
                    strncmp(p, "cmov", 4) == 0 || strncmp(p, "adc", 3) == 0 ||
                    strncmp(p, "sbb", 3) == 0;
        return !uses;
    }
    return true;
}

/* Adds a record with the code that is on the stack. It preserves all registers, since the compiler
 * does not expect a call there. The offsets are those of simrt/sm.h, and simrt/loop_mark.c checks
 * them. */
const char gr_loop_mark_routine[] = "\t.text\n"
                                    ".type gr_sim_loop_mark,@function\n"
                                    "gr_sim_loop_mark:\n"
                                    "    pushq %rcx\n"
                                    "    pushq %rdx\n"
                                    "    movq %fs:gr_hot@tpoff+16, %rcx\n"
                                    "    testq %rcx, %rcx\n"
                                    "    jz 1f\n"
                                    "    movq 24(%rsp), %rdx\n"
                                    "    movq $0, (%rcx)\n"
                                    "    movl %edx, 8(%rcx)\n"
                                    "    movw $0x500, 12(%rcx)\n"
                                    "    addq $16, %rcx\n"
                                    "    movq %rcx, %fs:gr_hot@tpoff+16\n"
                                    "    cmpq %fs:gr_hot@tpoff+24, %rcx\n"
                                    "    je 2f\n"
                                    "1:  popq %rdx\n"
                                    "    popq %rcx\n"
                                    "    ret\n"
                                    "2:  pushq %rax\n"
                                    "    pushq %rsi\n"
                                    "    pushq %rdi\n"
                                    "    pushq %r8\n"
                                    "    pushq %r9\n"
                                    "    pushq %r10\n"
                                    "    pushq %r11\n"
                                    "    pushq %rbp\n"
                                    "    movq %rsp, %rbp\n"
                                    "    subq $256, %rsp\n"
                                    "    andq $-16, %rsp\n"
                                    "    .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
                                    "    movaps %xmm\\n, 16*\\n(%rsp)\n"
                                    "    .endr\n"
                                    "    call gr_trace_full\n"
                                    "    .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
                                    "    movaps 16*\\n(%rsp), %xmm\\n\n"
                                    "    .endr\n"
                                    "    movq %rbp, %rsp\n"
                                    "    popq %rbp\n"
                                    "    popq %r11\n"
                                    "    popq %r10\n"
                                    "    popq %r9\n"
                                    "    popq %r8\n"
                                    "    popq %rdi\n"
                                    "    popq %rsi\n"
                                    "    popq %rax\n"
                                    "    jmp 1b\n"
                                    ".size gr_sim_loop_mark, .-gr_sim_loop_mark\n";

void gr_loop_marks_find(const char *text, struct gr_loop_marks *turns)
{
    struct events events = {0};
    *turns = (struct gr_loop_marks){0};
#if defined(__x86_64__)
    const bool marked = true;
#else
    const bool marked = false;
#endif
    if (marked && list_events(text, &events) && resolve(&events))
        turns->items = calloc((size_t)events.count + 1, sizeof *turns->items);
    for (int i = 0; turns->items && i < events.count; i++) {
        const struct event *e = &events.items[i];
        if (e->kind == LABEL && e->jumps_back && may_differ(events.items, i) &&
            flags_are_free(text + e->at))
            turns->items[turns->count++] =
                (struct gr_loop_mark){e->at, events.items[e->jumps_back].at};
    }
    free(events.items);
}

void gr_loop_marks_free(struct gr_loop_marks *turns)
{
    free(turns->items);
    *turns = (struct gr_loop_marks){0};
}
