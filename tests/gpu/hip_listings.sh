#!/usr/bin/env bash
# hip_listings.sh FOLDER [PATTERN]: explains and simulates each public HIP kernel of hip.list, unmodified; a line for each and a
# last line that counts them. PATTERN (an extended regular expression) picks lines of the list. SPDX-License-Identifier: MIT
#
#   FETCH=1 TABLE=docs/third-party-hip.csv tests/gpu/hip_listings.sh strangers      clones what is not in FOLDER
#
# Columns: explained with machine code for sm_90a by NVRTC and for gfx90a by a clang or hipRTC; right on the simulated H200 and on a simulated AMD GPU; the reason of the first that is
# not. Sizes are tried in turn: 16 is the only one of kernels for one tile. Environment: GRADUS (build/gradus), LIST, TABLE (a CSV),
# SIZES (256 512 16), AMD (sim:mi210).
# Exit status: 0; 1 where a repository is not there.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${1:?hip_listings.sh FOLDER [PATTERN]} pattern=${2:-.}
gradus=${GRADUS:-$here/../../build/gradus} amd=${AMD:-sim:mi210}
said=$(mktemp "${TMPDIR:-/tmp}/gradus-hip-listings.XXXXXX") || exit 2
trap 'rm -f "$said"' EXIT
# shellcheck source=/dev/null # it is beside this file
. "$here/fetch_stranger.sh"

# The words of a failed row, of a compiler or of an error, on one line without the folders.
reason_in() {
  if grep -q 'skip:' "$said"; then
    sed -n '/skip:/,$p' "$said" | tr -s ' \n' ' ' | sed 's|^.*skip: *||; s| machine  *.*||; s| What follows.*||; s|; the rest is.*||; s| note: .*||'
  else
    grep -m 1 -oE '(wrong|refused|crash|time-out): .*|error: .*' "$said" || head -n 1 "$said"
  fi | sed "s|$folder/[^ :]*/||g; s|^gradus: ||; s|\"|'|g" | cut -c 1-170
}

# run DEVICE: whether the kernel is right there at one of the sizes; the verdict in `verdict`, the first reason in `reason`.
run() {
  local size first=
  for size in ${SIZES:-256 512 16}; do
    if timeout 100 "$gradus" run "$path" --kernel "$kernel" --size "$size" --device "$1" "${words[@]}" --verify-only \
      --peer none >"$said" 2>&1 </dev/null; then
      verdict="right at $size"
      return 0
    fi
    [[ $first ]] || first=$(reason_in)
  done
  case $first in
  wrong:* | crash:* | time-out:*) verdict=${first%%:*} ;;
  *) verdict=refused ;;
  esac
  reason=${reason:-$first}
  return 1
}

# compile ARCH COMPILERS: whether one of them compiles the kernel, in `compiled`; the first reason in `reason`.
compile() {
  timeout 100 "$gradus" explain "$path" --kernel "$kernel" --size 256 --arch "$1" --simulate no "${words[@]}" >"$said" 2>&1 \
    </dev/null
  compiled=no
  if grep -qE "Compiler: ($2)" "$said"; then
    compiled=yes
  else
    reason=${reason:-$(reason_in)}
  fi
}

right=0 right_amd=0 compiles=0 compiles_amd=0 tried=0 status=0 table=
while IFS='|' read -r repository commit file kernel seen options; do
  fetch "$folder" "$repository" "$commit" || {
    status=1
    continue
  }
  path=$folder/$repository/$file reason=
  read -ra words <<<"$options"
  tried=$((tried + 1))
  compile sm_90a NVRTC
  by_nvrtc=$compiled
  [[ $compiled == no ]] || compiles=$((compiles + 1))
  compile gfx90a 'clang|hipRTC'
  [[ $compiled == no ]] || compiles_amd=$((compiles_amd + 1))
  run sim && right=$((right + 1))
  on_sim=$verdict
  run "$amd" && right_amd=$((right_amd + 1))
  echo "$repository $file $kernel: sm_90a $by_nvrtc, gfx90a $compiled, sim $on_sim, $amd $verdict${reason:+ ($reason)}"
  table+="$repository,$file,\"$kernel\",$seen,$by_nvrtc,$compiled,$on_sim,$verdict,\"$reason\""$'\n'
done < <(grep -v '^#' "${LIST:-$here/hip.list}" | grep -E -e "$pattern")
echo "$tried kernels, $compiles compiled for sm_90a, $compiles_amd for gfx90a, $right right on sim, $right_amd right on $amd"
if [[ ${TABLE:-} ]]; then
  printf 'repository,file,kernel,development,sm_90a,gfx90a,sim,%s,reason\n%s' "$amd" "$table" >"$TABLE"
fi
exit $status
