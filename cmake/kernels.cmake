# Rungs, micro-kernels and embedded files.
