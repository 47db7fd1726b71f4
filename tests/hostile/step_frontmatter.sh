#!/usr/bin/env bash
# step_frontmatter.sh: front matter that nobody would write: understood, or refused in one line. SPDX-License-Identifier: MIT
# share: 2
# shellcheck source=tests/hostile/watch.sh
. "$HOSTILE_HERE/watch.sh"

keywords=(title after idea type trans layout isa flags param let require arg work smem cluster grid block kernel map math
  zero expect source args nonsense)
long=$(printf 'x%.0s' {1..20000})
deep=$(printf '(%.0s' {1..5000})
words=('' 0 -1 1 99999999999999999999 9223372036854775807 -9223372036854775808 1/0 'N%0' 'cdiv(N,0)' 'cdiv(' '((((' "$deep"
  "$deep"'1' "$long" 'N N' 'BM 16 {}' 'BM 16 {8' 'BM 7 {8,16}' 'BM 9223372036854775807 {9223372036854775807}' 'M=1' 'NT = NT+1'
  'A=f99' 'f32, f32, f32' 'nn, xx' '%s%n%n' $'\377\376' $'\303' '"' '"unclosed' "'" '\' '//@' '/* ' '*/' '#define X' '$(reboot)'
  'N*N*N*N*N*N*N*N' 'min(' 'min()' 'clamp(1,2)' 'aligned(Z,16)' 'aligned(A,0)' 'P = f32[-1]' 'P = f32[M*N*K*1000000000]'
  'P = f32[' 'mine<1,2,3>' '>= sm_999' 'a.b.c[D] == 1' '!!!!!!1' '1e999' '0x' 0x1p3 '1,1,1,1,1' '4294967296,1,1' '-DX=;' '-o/tmp/x')
ends_of=('' $'\r' $'\t' ' ' ' \')
count=$(of 400 14)
fresh
write_kernels
cp mine.c whole.c && cp mine.cu whole.cu
for ((i = 0; i < count; i++)); do
  time_left || break
  draw 2 && file=mine.$( ((drawn)) && echo cu || echo c)
  what="" lines=""
  draw 3
  for ((line = 0; line <= drawn; line++)); do
    draw ${#keywords[@]} && keyword=${keywords[drawn]}
    draw ${#words[@]} && word=${words[drawn]}
    draw ${#ends_of[@]} && lines+="//@ $keyword $word${ends_of[drawn]}"$'\n'
    what+="//@ $keyword ${word:0:40}; "
  done
  draw 2 # before the file's own lines, or in their place
  { printf '%s' "$lines" && { ((drawn)) && cat "whole.${file#*.}" || grep -v '^//@' "whole.${file#*.}"; }; } >"$file"
  draw 3
  case $file$drawn in
  mine.c0) command=(run mine.c --size 17 --verify-only --peer none --shapes no --time-limit 2) ;;
  mine.cu0) command=(explain mine.cu 33 --shapes no) ;;
  *1) command=(show "$file") ;;
  *) command=(init "$file") ;;
  esac
  keeps_temporary=
  watched "0 1 2 3" 60 "$gradus" "${command[@]}"
  one_line "gradus ${command[*]}: $what"
  [[ -e $file ]] || fail "the file is gone: $what"
done
ends
