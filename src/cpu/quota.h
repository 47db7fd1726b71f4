/* quota.h: the function of threads.c that a test calls with files of its own.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_QUOTA_H
#define CPU_QUOTA_H

/* The number of cores that control groups allow, rounded up; 0: no limit. `membership` is a file
 * like /proc/self/cgroup, `root` the mount point of the control groups (/sys/fs/cgroup; version 1
 * is below root/cpu). The smallest quota of all groups from the process's own up to the root
 * counts. */
int gr_cpu_quota(const char *membership, const char *root);

#endif
