#!/bin/sh
# ceilings.sh GRADUS: measures this machine's ceilings with nothing beside it, so that they are in the user's cache, and
# steady, when other tests look: measured beside a test they are not, and each test that times would measure them again.
# SPDX-License-Identifier: MIT
set -u
for threads in 1 "$(nproc)"; do
  "$1" bench --size 8 --peer none --threads "$threads" || exit 1
done
