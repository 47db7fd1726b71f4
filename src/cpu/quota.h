/* quota.h: the part of threads.c that a test drives with files of its own. SPDX-License-Identifier:
 * MIT */
#ifndef CPU_QUOTA_H
#define CPU_QUOTA_H

/* The cores that control groups grant: `membership` is a file like /proc/self/cgroup, `root` where
 * the control groups are mounted (/sys/fs/cgroup; version 1 below root/cpu). The tightest quota
 * from the process's own group up to the root counts, rounded up. 0: no limit. */
int gr_cpu_quota(const char *membership, const char *root);

#endif
