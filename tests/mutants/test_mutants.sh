#!/usr/bin/env bash
# test_mutants.sh ROOT: tests/mutants/mutants.sh says of each planted bug what is so, and its exit status fits; tried on a
# project of its own with an entry of each kind. SPDX-License-Identifier: MIT
set -u
root=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-mutants.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && mkdir -p tree/tests/mutants || exit 2
failed=0
cat >tree/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(planted LANGUAGES C)
enable_testing()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
add_executable(count count.c)
add_executable(other other.c)
foreach(name three.four none)
  add_test(NAME ${name} COMMAND count ${name})
endforeach()
add_test(NAME dark COMMAND sh -c "echo 'skip: no moon'; exit 77")
add_test(NAME broken COMMAND sh -c "exit 1")
set_tests_properties(dark PROPERTIES SKIP_RETURN_CODE 77)
CMAKE
echo 'int main(void) { return 0; }' >tree/other.c
cat >tree/count.c <<'C'
#include <string.h>
static int add(int a, int b)
{
    int sum = a; /* of "both" & more \n */
    for (int i = 0; i < b; i++)
        sum++;
    return sum;
}
int main(int count, char **words)
{
    return count == 2 && !strcmp(words[1], "three.four") ? add(3, 4) != 7 : add(0, 0) != 0;
}
C
cp tree/count.c count.c
cat >tree/tests/mutants/good.list <<'LIST'
# A list's own head is no entry's comment.

# One too many.
@ count.c
- int sum = a; /* of "both" & more \n */
+ int sum = a + 1; /* & "\n" */
! three.four none

# An endless loop.
@ count.c
- for (int i = 0; i < b; i++)
+ for (int i = 0; i < b || b; i += 0)
! three.four

# Two places, one of them of two lines.
@ count.c
- for (int i = 0; i < b; i++)
-         sum++;
+
- return sum;
+ return sum + b - 1;
@ other.c
- return 0;
+ return 1;
! three.four
LIST
cat >tree/tests/mutants/bad.list <<'LIST'
# Nobody adds anything but 0 there.
@ count.c
- sum++;
+ sum += 2;
! none
@ count.c
- sum--;
+ sum++;
! none
@ count.c
- sum
+ add
! none
@ count.c
- return sum;
+ return som;
! none
@ count.c
- sum++;
+ sum += 2;
! dark
@ count.c
- sum++;
+ sum += 2;
! broken
@ count.c
- sum++;
+ sum += 2;
! nowhere
@ count.c
- sum++;
+ sum += 2;
! three.four none
LIST
run() { "$root/tests/mutants/mutants.sh" --tree "$work/tree" --scratch "$work/scratch" --patience 2 "$@" >out 2>&1 </dev/null; }
ends() { # STATUS LAST-LINE
  local code=$?
  [[ $code == "$1" && $(tail -n 1 out | sed 's/; [0-9]* s$//') == "$2" ]] && return
  printf 'wanted status %s and "%s", found %s and:\n' "$1" "$2" "$code"
  cat out
  failed=1
}
says() { grep -q -- "$1" out || { echo "does not say '$1':" && cat out && failed=1; }; }

run good
ends 0 "3 noticed, 0 survived, 0 in error, 0 skipped"
says '^noticed   good:4  count.c: three.four none, built in'
says '^noticed   good:10  count.c: three.four (no end within 2 s)'
for file in tree/count.c scratch/tree/count.c; do
  cmp "$file" count.c || failed=1
done
run bad
ends 1 "0 noticed, 2 survived, 5 in error, 1 skipped"
says '^SURVIVED  bad:2  none passed, though count.c is wrong: Nobody adds anything but 0 there.'
says '^error     bad:6  out of date: count.c: the text is no longer there: sum--;'
says '^error     bad:10  out of date: count.c: the text is there 3 times: sum'
says "^error     bad:14  does not build: .*som"
says '^skipped   bad:18  dark is skipped here: no moon'
says '^error     bad:22  broken fails before anything is planted'
says '^error     bad:26  there is no test nowhere'
says '^SURVIVED  bad:30  none passed'
# What a run that was ended left behind is no part of the next one.
sed 's/return sum;/return 9;/' count.c >scratch/tree/count.c
run good:6
ends 0 "1 noticed, 0 survived, 0 in error, 0 skipped"

# A draw is the same by the same seed, whatever stands around the entries, and another by another.
rm tree/tests/mutants/bad.list
for i in 1 2 3 4 5 6 7 8 9; do
  printf '@ count.c\n- return sum;\n+ return sum + %s;\n! three.four\n\n' $i
done >tree/tests/mutants/more.list
drawn() { # SEED: sets $drawn to the entries that are drawn.
  run --seed "$1" 3
  ends 0 "3 noticed, 0 survived, 0 in error, 0 skipped"
  says "^mutants: 3 of 12, seed $1; the same again: make mutants MUTANTS=\"3\" MUTANTS_SEED=$1\$"
  drawn=$(sed -n 's/^noticed   \([^ ]*\) .*/\1/p' out | sort | paste -sd ' ')
}
drawn 1 && first=$drawn
drawn 1 && again=$drawn
drawn 2
[[ $first == "$again" && $first != "$drawn" && $(wc -w <<<"$first") == 3 ]] || {
  echo "drawn: '$first', '$again', by another seed '$drawn'"
  failed=1
}

# Lists by themselves.
run --check scratch/tree/build
ends 0 "12 entries, 0 in error"
for line in 'what is this' '+ without' '! none' $'@ count.c\n- sum++;\n! none' $'@ count.c\n# amid\n- sum++;\n+ sum;\n! none' \
  $'- sum++;\n+ sum;\n! none' $'@ gone.c\n- a\n+ b\n! none' $'@ count.c\n- sum++;\n+ sum++;\n! none' $'@ count.c\n- sum++;\n+ sum'; do
  printf '%s\n' "$line" >tree/tests/mutants/more.list
  run --check scratch/tree/build
  (($? == 1)) || { echo "this list is taken:" && cat tree/tests/mutants/more.list out && failed=1; }
done
for words in nowhere 0 good:99 --what --seed; do
  run $words
  (($? == 2)) || { echo "this is taken: $words" && cat out && failed=1; }
done
exit $failed
