#!/bin/sh
# unoptimized.sh COMPILER…: runs the compiler without optimization, whatever its arguments ask for: the micro-kernels, which
# no build type compiles without it, take most of a build's time. SPDX-License-Identifier: MIT
exec "$@" -O0 -g0
