#!/usr/bin/env bash
# as_written.sh FOLDER [cuda|sim]: runs each public kernel of as_written.list with nothing but --kernel and --size, at the first
# of 256, 512 and 1024 at which it is right; a line for each, and a last line that counts them. SPDX-License-Identifier: MIT
#
#   FETCH=1 tests/gpu/as_written.sh strangers cuda     clones what is not in FOLDER
#
# Environment: GRADUS (build/gradus), LIST. Exit status: 0; 1 where a repository is not there.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${1:?as_written.sh FOLDER [cuda|sim]} device=${2:-sim}
gradus=${GRADUS:-$here/../../build/gradus}
said=$(mktemp "${TMPDIR:-/tmp}/gradus-as-written.XXXXXX") || exit 2
trap 'rm -f "$said"' EXIT
# shellcheck source=/dev/null # it is beside this file
. "$here/fetch_stranger.sh"

right=0 tried=0 status=0
while IFS='|' read -r repository commit file kernel; do
  fetch "$folder" "$repository" "$commit" || {
    status=1
    continue
  }
  tried=$((tried + 1)) verdict=
  for size in 256 512 1024; do
    timeout 100 "$gradus" run "$folder/$repository/$file" --kernel "$kernel" --size "$size" --device "$device" \
      --verify-only --peer none >"$said" 2>&1 </dev/null
    code=$?
    ((code != 0)) || break
    [[ $verdict ]] || verdict=$(grep -m 1 -oE '(wrong|refused|crash|no-compile|time-out|skip): .*' "$said" || head -n 1 "$said")
  done
  if ((code == 0)); then
    verdict="right at $size" right=$((right + 1))
  fi
  echo "$repository $file $kernel: ${verdict:0:160}"
done < <(grep -v '^#' "${LIST:-$here/as_written.list}")
echo "$tried kernels, $right right"
exit $status
