/* machine.h: the names of this machine's CPU and system. SPDX-License-Identifier: MIT */
#ifndef PROBE_MACHINE_H
#define PROBE_MACHINE_H

/* "Intel(R) Xeon(R) Processor @ 2.50GHz"; on aarch64 "ARM part 0xd40". malloc'ed; null: out of
 * memory. */
char *gr_machine_cpu(void);
/* "Debian GNU/Linux 12 (bookworm), Linux 6.1.0". */
char *gr_machine_system(void);
/* "L1d 32 KB, L2 1 MB, L3 36 MB". */
char *gr_machine_caches(void);

#endif
