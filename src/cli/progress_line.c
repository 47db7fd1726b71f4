/* progress_line.c: shows the progress of a command. SPDX-License-Identifier: MIT */
#include "cli/progress_line.h"

#include "core/clock.h"
#include "base/utf8.h"
#include "cli/duration.h"
#include "cli/style.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The minimal time between two lines if they are kept, so that they do not fill a log. */
static const int64_t plain_every_ns = 30LL * 1000000000;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t ticker;
    bool begun, ended, hidden;
    bool live; /* a terminal on which the line can be erased */
    char head[160], stage[96];
    int64_t start_ns, said_ns, left_ns, printed_ns;
} p = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

static atomic_bool drawn;

void gr_progress_line(const char *head, const char *stage, int64_t left_ns, int64_t passed_ns,
                      int columns, struct gr_str *out)
{
    char time[GR_DURATION], tail[GR_DURATION + 16];
    gr_duration_format(left_ns >= 0 ? left_ns : passed_ns, time);
    snprintf(tail, sizeof tail, "%s%s", time, left_ns >= 0 ? " left" : " so far");
    bool staged = *stage && *head;
    head = *head ? head : stage;
    const char *dot = " · ";
    int need = gr_utf8_width(head) + (int)strlen(tail) + 3 * (*head != 0) +
               (staged ? gr_utf8_width(stage) + 3 : 0);
    if (columns && need > columns && staged) {
        need -= gr_utf8_width(stage) + 3;
        staged = false;
    }
    const char *end = head + strlen(head);
    for (; columns && need > columns && end > head; need--)
        for (end--; end > head && ((unsigned char)*end & 0xc0) == 0x80; end--)
            ;
    gr_str_add_bytes(out, head, (size_t)(end - head));
    gr_str_add(out, staged ? dot : "");
    gr_str_add(out, staged ? stage : "");
    gr_str_add(out, *head ? dot : "");
    gr_str_add(out, tail);
}

/* Makes the text for the current state. The caller holds the lock. */
static void compose(int columns, struct gr_str *out)
{
    int64_t now_ns = gr_now_ns(), left_ns = -1;
    if (p.left_ns >= 0) {
        left_ns = p.left_ns - (now_ns - p.said_ns);
        left_ns = left_ns > 0 ? left_ns : 0;
    }
    gr_progress_line(p.head, p.stage, left_ns, now_ns - p.start_ns, columns, out);
}

static void erase(void)
{
    if (!atomic_exchange(&drawn, false))
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
}

static void draw(void)
{
    struct gr_str line = {0};
    int columns = gr_cli_style(STDERR_FILENO).columns;
    if (p.hidden || (!*p.head && !*p.stage))
        return;
    compose(columns > 1 ? columns - 1 : 79, &line);
    atomic_store(&drawn, true);
    fprintf(stderr, "\r\033[K%s", gr_str_text(&line));
    fflush(stderr);
    gr_str_free(&line);
}

static void print_plain(void)
{
    struct gr_str line = {0};
    if (p.hidden || gr_now_ns() - p.printed_ns < plain_every_ns)
        return;
    p.printed_ns = gr_now_ns();
    compose(0, &line);
    fprintf(stderr, "%s\n", gr_str_text(&line));
    gr_str_free(&line);
}

static void *tick(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&p.lock);
    while (!p.ended) {
        struct timespec at;
        clock_gettime(CLOCK_REALTIME, &at);
        at.tv_sec++;
        pthread_cond_timedwait(&p.wake, &p.lock, &at);
        if (!p.ended && p.live)
            draw();
        else if (!p.ended)
            print_plain();
    }
    pthread_mutex_unlock(&p.lock);
    return NULL;
}

void gr_progress_begin(void)
{
    const char *term = getenv("TERM");
    sigset_t all, before;
    if (p.begun)
        return;
    p.live = isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0);
    p.start_ns = p.printed_ns = gr_now_ns();
    p.left_ns = -1;
    p.ended = p.hidden = false;
    *p.head = *p.stage = 0;
    /* Blocks signals in this thread, because the measuring thread handles them. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    p.begun = pthread_create(&p.ticker, NULL, tick, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void gr_progress_end(void)
{
    if (!p.begun)
        return;
    pthread_mutex_lock(&p.lock);
    p.ended = true;
    erase();
    pthread_cond_signal(&p.wake);
    pthread_mutex_unlock(&p.lock);
    pthread_join(p.ticker, NULL);
    p.begun = false;
}

void gr_progress_format(const char *head, const char *stage, int64_t left_ns)
{
    if (!p.begun)
        return;
    pthread_mutex_lock(&p.lock);
    snprintf(p.head, sizeof p.head, "%s", head);
    snprintf(p.stage, sizeof p.stage, "%s", stage);
    p.said_ns = gr_now_ns();
    p.left_ns = left_ns;
    if (p.live)
        draw();
    pthread_mutex_unlock(&p.lock);
}

void gr_progress_hide(void)
{
    pthread_mutex_lock(&p.lock);
    p.hidden = true;
    erase();
    pthread_mutex_unlock(&p.lock);
}

void gr_progress_show(void)
{
    pthread_mutex_lock(&p.lock);
    p.hidden = false;
    pthread_mutex_unlock(&p.lock);
}

void gr_progress_wipe(void)
{
    static const char gone[] = "\r\033[K";
    if (atomic_exchange(&drawn, false) && write(STDERR_FILENO, gone, sizeof gone - 1) < 0) {
        /* A failure does no harm, because nobody can see the line then. */
    }
}
