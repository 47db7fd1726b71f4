#!/bin/sh
# mpi.sh GRADUS BUILD openmpi|mpich: `gradus gemm --mpi` has the result of `gradus gemm`, for 1 to 12 ranks; where it fails, every
# rank ends, one line says why, and what was at the output stays. SPDX-License-Identifier: MIT
set -u
gradus=$1 build=$2 name=$3
source=$(cd "$(dirname "$0")" && pwd)
run=$(command -v "mpirun.$name" || command -v mpirun)
skip() {
  echo "skip: $1"
  exit 77
}
[ -n "$run" ] || skip "mpirun is missing (apt-get install openmpi-bin libopenmpi-dev)"
[ -e "$build/gradus-mpi-$name.so" ] || skip "the build found no mpicc of $name (apt-get install openmpi-bin libopenmpi-dev)"
command -v python3 >/dev/null || skip "python3 is missing"
"$run" --version 2>/dev/null | grep -qi 'open.\{0,1\}mpi' && found=openmpi || found=mpich
[ "$found" = "$name" ] || skip "$run is not of $name"

work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-mpi.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 HYDRA_TOPO_DEBUG=0
[ "$name" = openmpi ] && run="$run --oversubscribe"
failed=0
complain() {
  echo "$*"
  failed=1
}
ranks() {
  count=$1
  shift
  # shellcheck disable=SC2086 # a program and its option
  timeout 60 $run -n "$count" "$@" </dev/null
}

python3 "$source/matrices.py" A 97 130 '<f4' C 1 B 130 61 '<f4' C 2 C0 97 61 '<f4' C 3 \
  AT 130 97 '<f4' F 4 BT 61 130 '<f8' C 5 row 1 130 '<f4' C 6 big 130 61 '>f4' C 7 none 0 130 '<f4' C 8
try() {
  counts=$1
  shift
  "$gradus" gemm "$@" -o want.npy || complain "gradus gemm $*: status $?"
  for count in $counts; do
    rm -f C.npy
    ranks "$count" "$gradus" gemm "$@" -o C.npy --mpi --threads 1 || complain "$count ranks, $*: status $?"
    cmp want.npy C.npy || complain "$count ranks, $*: another product"
  done
}
try "1 2 4 7 12" A.npy B.npy
try "3 6" AT.npy BT.npy --trans-a --trans-b --c C0.npy --alpha 2 --beta -1
try "5" row.npy big.npy
try "2" none.npy B.npy

# As other launchers than mpirun start Open MPI's programs: by PMIx, without the variables of mpirun.
if [ "$name" = openmpi ]; then
  rm -f C.npy
  ranks 2 env -u OMPI_COMM_WORLD_SIZE "$gradus" gemm A.npy B.npy -o C.npy --mpi --threads 1 || complain "PMIx alone: status $?"
  "$gradus" gemm A.npy B.npy -o want.npy
  cmp want.npy C.npy || complain "PMIx alone: another product"
fi

# The product of more than one step, whose panels travel during the products before: the same bits in each run, and what each
# rank did.
python3 "$source/matrices.py" L 300 700 '<f4' C 9 R 700 260 '<f4' C 10
"$gradus" gemm L.npy R.npy -o want.npy
ranks 4 "$gradus" gemm L.npy R.npy -o C.npy --mpi --threads 1 --timeline json >line.json || complain "--timeline: status $?"
cmp want.npy C.npy || complain "--timeline: another product"
python3 - line.json <<'END' || complain "--timeline: $(cat line.json)"
import json, sys
line = json.load(open(sys.argv[1]))
plan, ranks = line["plan"], line["ranks"]
assert len(ranks) == plan["grid"][0] * plan["grid"][1] * plan["grid"][2] > 1
assert all(r["product_s"] > 0 and r["all_s"] >= r["product_s"] and r["transfer_s"] > 0 for r in ranks)
assert max(r["received_bytes"] for r in ranks) <= plan["moved_bytes"]
assert sum(r["sent_bytes"] for r in ranks) == sum(r["received_bytes"] for r in ranks) > 0
END

# Measured products: each is checked before it is timed.
for count in 1 3; do
  ranks "$count" "$gradus" bench --mpi --size 200,300x70x150 --threads 1 --format json >bench.json || complain "bench: status $?"
  python3 - bench.json "$count" <<'END' || complain "bench: $(cat bench.json)"
import json, sys
run = json.load(open(sys.argv[1]))
assert run["ranks"] == int(sys.argv[2]) and len(run["rows"]) == 2
for row in run["rows"]:
    assert row["right"] and row["samples"] >= 3 and row["time_s"] > 0
    assert abs(row["gflops"] * row["time_s"] * 1e9 / (2 * row["m"] * row["n"] * row["k"]) - 1) < 1e-6
    assert row["measured"]["link_bytes_per_s"] > 0 and row["plan"]["time_s"] > 0
END
done
ranks 2 "$gradus" bench --mpi --size 100 --dtype f64 --threads 1 --overlap no --format csv >bench.csv
[ "$(awk -F, '{ print NF }' bench.csv | uniq -c | awk '{ print $1, $2 }')" = "2 36" ] || complain "bench: $(cat bench.csv)"

# In place of an input.
cp C0.npy C.npy
chmod 640 C.npy
"$gradus" gemm A.npy B.npy -o want.npy --c C0.npy
ranks 4 "$gradus" gemm A.npy B.npy -o C.npy --c C.npy --mpi --threads 1
cmp want.npy C.npy || complain "C in place: another product"
[ "$(stat -c %a C.npy)" = 640 ] || complain "C in place: another mode"

# Failures: the words that the line must have, then the arguments.
refuse() {
  words=$1
  shift
  echo old >C.npy
  ranks 3 "$@" --mpi --threads 1 2>err && complain "$*: status 0"
  [ "$(cat C.npy)" = old ] || complain "$*: the output was touched"
  [ "$(grep -c '^gradus: ' err)" = 1 ] || { complain "$*: not one line:" && cat err; }
  grep -q "^gradus: .*$words" err || { complain "$*: wanted '$words':" && cat err; }
}
refuse "no such file\|No such file" "$gradus" gemm A.npy missing.npy -o C.npy
refuse "inner sizes: found 130 and 97" "$gradus" gemm A.npy C0.npy -o C.npy
refuse "could not be created" "$gradus" gemm A.npy B.npy -o nowhere/C.npy
refuse "no regular file" "$gradus" gemm A.npy B.npy -o /dev/full
refuse_bench() {
  words=$1
  shift
  ranks 3 "$gradus" bench --mpi "$@" >out 2>err && complain "bench $*: status 0"
  [ "$(grep -c '^gradus: ' err)" = 1 ] || { complain "bench $*: not one line:" && cat err; }
  grep -q "^gradus: .*$words" err || { complain "bench $*: wanted '$words':" && cat err; }
}
refuse_bench "mpi excludes --peer" --peer none
refuse_bench "wanted f32 or f64" --dtype bf16
refuse_bench "a size of 0" --size 0x5x5
cat >one.sh <<'END'
#!/bin/sh
# The second rank has another problem than the others.
[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}" = 1 ] && set -- "$@" --trans-b --alpha 3
exec "$@"
END
chmod +x one.sh
refuse "rank 1: A.npy and B.npy: inner sizes" ./one.sh "$gradus" gemm A.npy B.npy -o C.npy

# A rank that is killed amid a product: all end, and no file is left.
head -c 128 A.npy | sed 's/(97, 130), }      /(4000, 4000), }   /' >Z.npy
[ "$(wc -c <Z.npy)" = 128 ] || complain "the header of Z.npy"
head -c 64000000 /dev/zero >>Z.npy
cat >dies.sh <<'END'
#!/bin/sh
[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}" = 1 ] || exec "$@"
"$@" &
tries=0 # it has begun when rank 0 has made the file
until ls C.npy.tmp.* >/dev/null 2>&1 || [ $tries = 500 ]; do sleep 0.02; tries=$((tries + 1)); done
kill -KILL $!
exit 9
END
chmod +x dies.sh
echo old >C.npy
ranks 3 ./dies.sh "$gradus" gemm Z.npy Z.npy -o C.npy --mpi --threads 1 >/dev/null 2>err
status=$?
[ $status != 0 ] && [ $status != 124 ] || complain "a killed rank: status $status"
[ "$(cat C.npy)" = old ] || complain "a killed rank: the output was touched"
left=$(find . -name '*.tmp.*')
# MPICH's mpirun ends the other ranks by SIGKILL, so that none can remove the file under its temporary name.
[ "$name" = mpich ] || [ -z "$left" ] || complain "left behind: $left"

# What a killed rank 0 left is removed by the next product with that output, and what another process writes is not.
echo left >C.npy.tmp.123456
echo other >D.npy.tmp.123456
echo named >C.npy.tmp.mine
echo used >C.npy.tmp.654321
exec 9<C.npy.tmp.654321
flock -x 9
ranks 2 "$gradus" gemm A.npy B.npy -o C.npy --mpi --threads 1 >/dev/null 2>err || complain "with a file that was left: $(cat err)"
exec 9<&-
left=$(find . -name '*.tmp.*' | LC_ALL=C sort | tr '\n' ' ')
[ "$left" = "./C.npy.tmp.654321 ./C.npy.tmp.mine ./D.npy.tmp.123456 " ] || complain "of files that were left: $left"
exit $failed
