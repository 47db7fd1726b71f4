#!/bin/sh
# Exports kernels as programs and has nvcc compile each. SPDX-License-Identifier: MIT
# Usage: export.sh GRADUS FOLDER KERNEL.cu…   FOLDER is emptied.
gradus=$1 folder=$2
shift 2
nvcc=$(command -v nvcc || ls /usr/local/cuda*/bin/nvcc 2>/dev/null | tail -n 1)
if [ -z "$nvcc" ]; then
  echo "skip: no nvcc (install the CUDA toolkit) to compile what export writes"
  exit 77
fi
rm -rf "$folder" && mkdir -p "$folder" || exit 1
faults=0
for file in "$@"; do
  name=$(basename "$file" .cu)
  ! grep -q '^//@ arch .*gfx' "$file" || continue # not nvcc's
  # What a file without front matter is run with stands in lines `// with grid …`.
  set --
  while IFS= read -r line; do
    rest=${line#// with }
    [ "$rest" = "$line" ] || set -- "$@" "--${rest%% *}" "${rest#* }"
  done <"$file"
  if grep -q '^// refused: \|^//@ array \|const CUtensorMap \*tm' "$file"; then
    if "$gradus" export "$file" "$@" -o "$folder/$name.cu" 2>/dev/null; then
      echo "FAIL $file: wanted a refusal" && faults=$((faults + 1))
    fi
    continue
  fi
  "$gradus" export "$file" "$@" -o "$folder/$name.cu" &&
    "$nvcc" -gencode arch=compute_90a,code=sm_90a --expt-relaxed-constexpr -diag-suppress 177 -c -o "$folder/$name.o" "$folder/$name.cu" ||
    { echo "FAIL $file" && faults=$((faults + 1)); }
done
[ "$faults" -eq 0 ]
