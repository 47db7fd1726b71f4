/* signals.h: what a signal leaves behind: nothing, or what is finished. SPDX-License-Identifier:
 * MIT */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <stdint.h>

/* From here on SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGPIPE kill the registered children and remove
 * the pending files (base/cleanup.h) before the program dies of that same signal. A signal that the
 * parent had ignored (nohup) stays ignored. */
void gr_signals_install(void);

/* From here on the first SIGINT, SIGTERM or SIGHUP only asks the run to end (base/stop.h), so that
 * what is finished is written. The second one ends the program as above. */
void gr_signals_defer(void);

/* Asks the run to end after so much time, as a signal does. */
void gr_signals_stop_after(int64_t ns);

/* Dies of the signal that requested the run to end, after all is written: a shell that runs us
 * in a loop then ends the loop as well. Returns where none has, or where it was the time. */
void gr_signals_die(void);

#endif
