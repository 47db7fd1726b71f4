/* cuda_folders.h: the folders, besides the dynamic loader's own, in which NVIDIA's libraries may
 * be installed. Toolkits and Python packages install them where the loader does not search.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_CUDA_FOLDERS_H
#define GPU_CUDA_FOLDERS_H

/* The existing ones of: $CUDA_HOME and $CUDA_PATH, /usr/local/cuda*, /opt/cuda, /usr/lib/cuda
 * (lib64, lib, targets/<machine>/lib), and the nvidia packages of Python environments
 * ($VIRTUAL_ENV, $CONDA_PREFIX, ~/.local, /usr/local and /usr:
 * lib/python3*<packages>/nvidia/<package>/lib). Null-terminated; the list and its members are
 * malloc'ed; null if memory is out. */
char **gr_cuda_folders(void);
void gr_cuda_folders_free(char **folders);

#endif
