/* program_main.c: main() of the program that a traced kernel is linked into. The result of a
 * program that checks integers is the list of overflows. SPDX-License-Identifier: MIT */
#include "simrt/engine.h"
#include "simrt/overflow.h"

#include "simrt/tracer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static struct gr_sim_result *result;
static const char *result_path;
static struct gr_trace_fault overflows[GR_SIM_FAULTS];
static int overflow_count;

/* Called in a signal handler, too. */
static bool write_overflows(void)
{
    int out = open(result_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t bytes = (size_t)overflow_count * sizeof *overflows;
    result->launch_count = 1;
    result->parts[0].trace.fault_count = overflow_count;
    return out >= 0 && write(out, result, sizeof *result) == (ssize_t)sizeof *result &&
           write(out, overflows, bytes) == (ssize_t)bytes && close(out) == 0;
}

static void stop_checked(int signal)
{
    (void)signal;
    result->cut = true;
    _exit(write_overflows() ? 0 : 2);
}

/* The limit is processor time, so that a busy machine does not change a result. */
static void limit_work(int64_t limit_ns)
{
    const struct itimerval timer = {
        .it_value = {.tv_sec = limit_ns / 1000000000, .tv_usec = limit_ns / 1000 % 1000000 + 1}};
    struct sigaction action = {.sa_handler = stop_checked, .sa_flags = SA_ONSTACK};
    sigfillset(&action.sa_mask);
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &timer, NULL);
}

static bool check_all(const struct gr_sim_job *job, struct gr_sim_result *to, const char *path)
{
    struct gr_bound_launch bound;
    result = to;
    result_path = path;
    limit_work(job->limit_ns);
    for (int i = 0; i < job->launch_count && result->outcome.status == GR_SIM_DONE; i++) {
        gr_launch_bind(job, &job->launches[i], &bound);
        gr_arrays_launch(job, &job->launches[i]);
        if (!gr_overflow_run(&bound.launch, job->last_only, overflows, &overflow_count,
                             GR_SIM_FAULTS, &result->outcome))
            result->outcome.status = GR_SIM_NO_MEMORY;
    }
    return write_overflows();
}

/* The kernel is a part of this program: there is nothing to prepare. */
bool gr_engine_prepare(const struct gr_sim_job *job, int number, struct gr_sim_launch *launch,
                       struct gr_sim_outcome *outcome)
{
    (void)job;
    (void)number;
    (void)launch;
    (void)outcome;
    return true;
}

void gr_engine_forget(struct gr_sim_launch *launch)
{
    (void)launch;
}

int main(int argc, char **argv)
{
    return gr_traced_main(argc, argv, check_all);
}
