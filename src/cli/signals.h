/* signals.h: what a signal leaves behind: nothing. SPDX-License-Identifier: MIT */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

/* From here on SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGPIPE kill the registered children and remove
 * the pending files (base/cleanup.h) before the program dies of that same signal. A signal that the
 * parent had ignored (nohup) stays ignored. */
void gr_signals_install(void);

#endif
