#!/usr/bin/env bash
# without_cjson.sh BARE GRADUS: BARE, which was built without cJSON, writes every JSON document and the report, and GRADUS,
# which has it, reads what BARE wrote; what reads JSON says in a line what is missing. SPDX-License-Identifier: MIT
set -u
bare=$(realpath "$1") gradus=$(realpath "$2")
out=$(mktemp -d "${TMPDIR:-/tmp}/gradus-bare.XXXXXX") || exit 2
trap 'rm -rf "$out"' EXIT
ceilings=${XDG_CACHE_HOME:-$HOME/.cache}/gradus/ceilings # of this machine, which take seconds to measure
export HOME=$out XDG_CACHE_HOME=$out/cache
mkdir -p "$XDG_CACHE_HOME/gradus"
[[ ! -d $ceilings ]] || cp -r "$ceilings" "$XDG_CACHE_HOME/gradus/"
cd "$out" || exit 2
failed=0
complain() {
  echo "$*"
  failed=1
}

# Nothing of the library is asked for: not by what is linked, not by a name that a program could bring along.
if ldd "$bare" | grep -i cjson; then complain "$bare needs libcjson"; fi
if nm -u "$bare" 2>/dev/null | grep -i cjson; then complain "$bare asks for cJSON's functions"; fi
"$bare" version | grep -q '^json  *written; not read: cJSON was missing' || complain "version: $("$bare" version | grep '^json')"

cat >mine.c <<'END'
void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb, float beta, float *C, int ldc)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * lda + k] * B[k * ldb + j];
            C[i * ldc + j] = alpha * sum + (beta == 0 ? 0 : beta * C[i * ldc + j]);
        }
}
END
sed 's/j + /j + 1 + /; s/ldb + j\]/ldb + i]/' mine.c >wrong.c
short=(--size 24 --peer none --time-limit 3)

# is_json FILE SCHEMA: it parses, and is the document that it should be.
is_json() {
  grep -q "\"$2\"" "$1" || complain "$1 is no $2: $(head -c 300 "$1")"
  command -v python3 >/dev/null 2>&1 || { echo "skip: $1 is not parsed: no python3"; return; }
  python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$1" || complain "$1 is not JSON"
}

"$bare" run mine.c "${short[@]}" --format json --report report >run.json 2>err || complain "run: status $?: $(cat err)"
is_json run.json gradus-run
is_json report/run.json gradus-run
grep -q 'href="run.json"' report/index.html || complain "the report does not link its JSON"
"$bare" run wrong.c "${short[@]}" --format json >wrong.json 2>err
[[ $? == 1 ]] || complain "a wrong kernel: $(cat err)"
is_json wrong.json gradus-run
"$bare" bench mine.c "${short[@]}" --format json >bench.json 2>err || complain "bench: status $?: $(cat err)"
is_json bench.json gradus-run
"$bare" list --format json >list.json || complain "list: status $?"
is_json list.json 06_packing
"$bare" devices --dispatch 64 --format json >dispatch.json || complain "devices --dispatch: status $?"
is_json dispatch.json gradus-dispatch
"$bare" explain tests.cu --simulate no --format json >explain.json 2>err
[[ $? == 2 && ! -s explain.json ]] || complain "explain of a file that is not there: $(cat explain.json)"
"$bare" explain 6 --size 64 --simulate no --format json --report explained >explain.json 2>err || complain "explain: $(cat err)"
is_json explain.json gradus-explain
is_json explained/explain.json gradus-explain
GRADUS_LIBRARY=$(dirname "$gradus")/libgradus.so "$bare" exec --format json -o exec.json -- /bin/true 2>err || complain "exec: $(cat err)"
is_json exec.json gradus-exec

# What must read says so before it measures anything.
"$bare" bench mine.c "${short[@]}" --baseline run.json >said 2>err
code=$?
wanted="gradus: run.json: found a gradus built without cJSON, which writes JSON and cannot read it: apt-get install libcjson-dev, then build again"
[[ $code == 3 && ! -s said && $(cat err) == "$wanted" ]] || complain "bench --baseline: status $code: $(cat said err)"

# The reader of the other build takes what the writer of this one wrote: whole, and cut short not at all.
if "$gradus" version | grep -q '^json  *written and read'; then
  for file in run.json bench.json report/run.json; do
    "$gradus" bench mine.c "${short[@]}" --baseline "$file" --tolerance 100 >said 2>err
    grep -q '^mine .* \(even\|faster\|unsteady\)' said || complain "$file is not read as a baseline: $(cat said err)"
  done
else
  echo "skip: what is written is not read back: this build is without cJSON itself"
fi
exit $failed
