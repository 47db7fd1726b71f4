#!/usr/bin/env bash
# fuzz.sh BUILD SECONDS [TARGET…]: runs the fuzz targets of a fuzz build, each for that long; the inputs they find are
# kept under BUILD/corpus and start the next run. SPDX-License-Identifier: MIT
set -euo pipefail
build=$(cd "$1" && pwd)
seconds=$2
shift 2
cd "$(dirname "$0")/.."
(($#)) || for program in "$build"/bin/fuzz_*; do set -- "$@" "${program##*/}"; done
failed=0
for target in "$@"; do
  seeds=tests/fuzz/corpus/${target#fuzz_}
  corpus=$build/corpus/$target
  mkdir -p "$corpus"
  [[ -d $seeds ]] || seeds=
  echo "fuzz: $target for $seconds s"
  "$build/bin/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1 \
    -artifact_prefix="$build/$target-" "$corpus" ${seeds:+"$seeds"} || failed=1
done
exit $failed
