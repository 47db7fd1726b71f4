#!/usr/bin/env bash
# step_npy.sh: .npy files with bytes changed, cut off, or lying about their size: multiplied, or refused in one line, and the
# output is then left as it was. SPDX-License-Identifier: MIT
# share: 1
# shellcheck source=tests/hostile/watch.sh
. "$HOSTILE_HERE/watch.sh"

data=$source_dir/tests/unit/data
seeds=(le_f4_c le_f4_f be_f8_c vector)
for i in "${!seeds[@]}"; do [[ -f $data/${seeds[i]}.npy ]] || unset "seeds[i]"; done
seeds=("${seeds[@]}")
headers=(
  "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 9223372036854775807), }"
  "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }"
  "{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 4), }"
  "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4000000000000), }"
  "{'descr': '<f4', 'fortran_order': False, 'shape': (4000000000000, 0), }"
  "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2, 2), }"
  "{'descr': '<f4', 'fortran_order': False, 'shape': 4, }"
  "{'descr': '<f4', 'fortran_order': False, 'shape': (4), }"
  "{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }"
  "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 2), }"
  "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), "
  "{'descr': '<f4"
  "{}"
  ""
  "$(printf "{'descr': '<f4', 'fortran_order': False, 'shape': (%050000d, 2), }" 2)"
  "$(printf '{%.0s' {1..60000})"
  "{'descr': '%n%n%s%s', 'fortran_order': False, 'shape': (2, 2), }"
)
# planted VERSION LENGTH HEADER: a file that says its header has LENGTH bytes.
planted() {
  printf '\223NUMPY'
  printf "\\$(printf %o "$1")\\000\\$(printf %o $(($2 % 256)))\\$(printf %o $(($2 / 256 % 256)))"
  (($1 == 1)) || printf "\\$(printf %o $(($2 / 65536 % 256)))\\$(printf %o $(($2 / 16777216 % 256)))"
  printf '%s' "$3"
  head -c 64 /dev/zero
}
multiply() { # WHAT
  echo old >C.npy
  draw 3
  case $drawn in
  0) watched "0 2" 20 "$gradus" gemm bad.npy "$data/le_f4_c.npy" -o C.npy ;;
  1) watched "0 2" 20 "$gradus" gemm "$data/le_f4_c.npy" bad.npy --trans-b -o C.npy ;;
  *) watched "0 2" 20 "$gradus" gemm bad.npy bad.npy --trans-b --beta 1 --c bad.npy -o C.npy ;;
  esac
  one_line "$1"
  ((status == 0)) || [[ $(cat C.npy) == old ]] || fail "refused, and C.npy was touched: $1"
  ((status != 0)) || [[ $(head -c 6 C.npy | tail -c 5) == NUMPY ]] || fail "no .npy file came out: $1"
}

fresh
for header in "${headers[@]}"; do
  for version in 1 2 3; do
    for length in ${#header} $((${#header} + 1)) 65535 4294967295; do
      [[ ! $smoke ]] || { draw 12 && ((drawn)) && continue; }
      ((version > 1 || length < 65536)) || continue
      planted "$version" "$length" "$header" >bad.npy
      multiply "version $version, header of ${#header} that says $length: ${header:0:60}"
    done
  done
done
count=$(of 300 10)
for ((i = 0; i < count; i++)); do
  time_left || break
  draw ${#seeds[@]} && name=${seeds[drawn]}
  cp "$data/$name.npy" bad.npy
  bytes=$(wc -c <bad.npy) what=$name
  draw 4
  for ((change = 0; change <= drawn; change++)); do
    draw $((i % 2 ? 140 : bytes)) && at=$drawn
    draw 256
    printf "\\$(printf %o "$drawn")" | dd of=bad.npy bs=1 seek="$at" conv=notrunc status=none
    what+=", byte $at is $drawn"
  done
  draw 4
  ((drawn)) || { draw $((bytes + 1)) && truncate -s "$drawn" bad.npy && what+=", cut to $drawn"; }
  multiply "$what"
done
ends
