/* rocm_folders.h: where ROCm's libraries may be installed. SPDX-License-Identifier: MIT */
#ifndef GPU_ROCM_FOLDERS_H
#define GPU_ROCM_FOLDERS_H

/* The library folders of $ROCM_PATH (alone, if it is set) or of /opt/rocm*, the last by name, which
 * is the newest, first. They and the null-terminated list are malloc'ed. */
char **gr_rocm_folders(void);
void gr_rocm_folders_free(char **folders);

#endif
