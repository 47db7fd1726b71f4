#!/bin/sh
# passed_on.sh GRADUS CALLER: words, environment, standard streams, exit status and signals of a program under gradus exec
# are its own. SPDX-License-Identifier: MIT
set -u
gradus=$1 caller=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-exec.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
unset LD_PRELOAD GRADUS_LIBRARY GRADUS_LEDGER
failed=0
# same WHAT FOUND WANTED
same() {
  [ "$2" = "$3" ] || { echo "$1: found '$2', wanted '$3'"; failed=1; }
}
status_of() {
  "$@" >"$work/out" 2>"$work/err"
  status=$?
}

for code in 0 1 77 255; do
  status_of "$gradus" exec sh -c "exit $code"
  same "exit $code" $status $code
done
for signal in 6 9 11 15; do
  status_of "$gradus" exec sh -c "kill -$signal \$\$"
  same "ended by signal $signal" $status $((128 + signal))
done
status_of "$gradus" exec no-such-program
same "no such program" "$status $(cat "$work/err")" \
  "127 gradus: exec: no-such-program: cannot be run: No such file or directory"
status_of "$gradus" exec /dev/null
same "no program" "$status" 126

# Words behind the program are its own, options too.
same words "$("$gradus" exec -q printf '%s|' --quiet -- --help -o '' 'a b')" '--quiet|--|--help|-o||a b|'
same "words behind --" "$("$gradus" exec -q -- printf '%s|' --top x)" '--top|x|'
same streams "$(echo in | "$gradus" exec -q sh -c 'read word; echo $word; echo err >&2' 2>&1 | tr '\n' ' ')" 'in err '
same LD_PRELOAD "$(LD_PRELOAD=/usr/lib/absent.so "$gradus" exec -q sh -c 'echo "${LD_PRELOAD##*libgradus}"' 2>/dev/null)" \
  ".so.$("$gradus" --version | sed -n '1s/gradus //p'):/usr/lib/absent.so"
same threads "$(GRADUS_NUM_THREADS=7 "$gradus" exec -q --threads 5 sh -c 'echo $GRADUS_NUM_THREADS')" 5

# Sent to gradus alone: the program gets it, once, and may live on; the report comes all the same.
for signal in TERM INT HUP QUIT USR1; do
  # shellcheck disable=SC2016 # the program's own variables
  status_of "$gradus" exec sh -c 'count=0; trap "count=\$((count + 1))" '$signal'; kill -'$signal' $PPID
    for i in 1 2 3 4 5 6 7 8 9; do sleep 0.1; [ $i -lt 4 ] || [ $count = 0 ] || break; done; exit $((40 + count))'
  same "SIG$signal" $status 41
  same "the report after SIG$signal" "$(grep -c 'calls intercepted' "$work/err")" 1
done
# Not caught, it ends the program, and gradus as it did.
status_of "$gradus" exec sh -c 'kill -TERM $PPID; exec sleep 5'
same "SIGTERM" $status 143
same "one report" "$(grep -c "^gradus: " "$work/err")" 1

# A terminal's ^C comes to both; the program gets it once.
if /usr/bin/python3 -c 'import pty' 2>/dev/null; then
  # shellcheck disable=SC2016 # the program's own variables
  status_of /usr/bin/python3 "$(dirname "$0")/terminal.py" "$gradus" exec -q sh -c 'count=0; trap "count=\$((count + 1))" INT
    echo ready; for i in 1 2 3 4 5 6 7 8 9; do sleep 0.1; [ $i -lt 4 ] || [ $count = 0 ] || break; done; exit $((40 + count))'
  same "^C" $status 41
else
  echo "skip: a terminal's ^C: there is no /usr/bin/python3 with pty (apt-get install python3)"
fi

# Sent to the whole group, as by a terminal's process group: whoever ignores it goes on.
status_of "$gradus" exec sh -c 'trap "" TERM; kill -TERM $$; exit 3'
same "an ignored signal" $status 3

# Ignored before, ignored in the program.
same nohup "$(trap '' HUP; "$gradus" exec -q sh -c 'kill -HUP $$; echo on')" on

# Where the report cannot be written, the program's status stands; 0 becomes 2.
status_of "$gradus" exec -o "$work/no/such/folder" "$caller" d
same "no place for the report" $status 2
status_of "$gradus" exec -o "$work/no/such/folder" sh -c 'exit 5'
same "no place for the report, and a failure" $status 5
status_of sh -c "'$gradus' exec sh -c 'exit 6' 2>&-"
same "standard error closed" $status 6

# Bad usage runs nothing.
for bad in '--top -1' '--top x' '--threads 0' '--quiet --output f' '--format csv' '--tpo 3'; do
  # shellcheck disable=SC2086 # words
  status_of "$gradus" exec $bad touch "$work/touched"
  same "$bad" "$status $(grep -c . "$work/err")" "2 1"
done
[ ! -e "$work/touched" ] || { echo "a program was run in spite of bad options"; failed=1; }

# The library: by the variable; where there is none, a line and nothing run.
status_of env GRADUS_LIBRARY="$work/none.so" "$gradus" exec touch "$work/touched"
same "no library" "$status $(cat "$work/err")" "2 gradus: exec: GRADUS_LIBRARY: no file '$work/none.so'"
mkdir "$work/a b"
cp "$(dirname "$gradus")/libgradus.so" "$work/a b/libgradus.so"
status_of env GRADUS_LIBRARY="$work/a b/libgradus.so" "$gradus" exec touch "$work/touched"
same "a path with a blank" "$status $(grep -c 'blanks or colons' "$work/err")" "2 1"
mkdir -p "$work/tree/bin" "$work/tree/lib"
cp "$gradus" "$work/tree/bin"
status_of "$work/tree/bin/gradus" exec touch "$work/touched"
same "a program alone" $status 2
[ ! -e "$work/touched" ] || { echo "a program was run without the library"; failed=1; }
cp "$(dirname "$gradus")"/libgradus.so.? "$work/tree/lib/"
status_of "$work/tree/bin/gradus" exec "$caller" d
same "as installed" "$status $(sed -n '1s/:.*in them.*//p' "$work/err")" "0 gradus"
exit $failed
