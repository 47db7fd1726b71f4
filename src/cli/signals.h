/* signals.h: handles signals, so that nothing incomplete is left behind.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <stdint.h>

/* Installs handlers. From here on SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE and others kill the
 * registered children and remove the pending files (base/cleanup.h) before the program dies of the
 * same signal. A signal that the parent had ignored (nohup) stays ignored. */
void gr_signals_install(void);

/* From here on the first SIGINT, SIGTERM or SIGHUP only requests the end of the run (base/stop.h),
 * so that finished results are written. The second one ends the program as described above. */
void gr_signals_defer(void);

/* Requests the end of the run after this time, as a signal does. */
void gr_signals_stop_after(int64_t ns);

/* Dies of the signal that requested the end of the run, after everything is written, so that a
 * shell script that runs Gradus in a loop ends, too. Returns if there was no signal, or the time
 * limit was the reason. */
void gr_signals_die(void);

#endif
