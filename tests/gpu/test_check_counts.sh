#!/usr/bin/env bash
# test_check_counts.sh GRADUS: check_counts.sh with a stand-in for ncu, which prints a table as ncu does: of equal counts, of
# counts that differ, of a launch that was not seen, of copies that are counted as loads. SPDX-License-Identifier: MIT
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
gradus=$(realpath "$1")
out=$(mktemp -d "${TMPDIR:-/tmp}/gradus-test-counts.XXXXXX") || exit 2
trap 'rm -rf "$out"' EXIT
cd "$out" || exit 2
mkdir bin
cat >bin/ncu <<'SH'
#!/usr/bin/env bash
# Prints what rows.txt has for the kernel and the sizes that it is called with: "kernel size launch grid value…".
printf '%s\n' "$@" >>words.txt
while (($# > 0)); do
  case $1 in
  --kernels | run) kernel=$2 ;;
  --size) sizes=${2//,/ } ;;
  --metrics) metrics=${2//,/ } ;;
  esac
  shift
done
echo "==PROF== Connected to process 7 (gradus)"
echo '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"'
id=0
for size in $sizes; do
  while read -r of at launch grid values; do
    [[ $of == "$kernel" && $at == "$size" ]] || continue
    set -- $values
    for metric in $metrics; do
      echo "\"$id\",\"7\",\"gradus\",\"host\",\"$launch\",\"1\",\"7\",\"(64, 1, 1)\",\"(${grid//x/, })\",\"0\",\"9.0\",\"Command line profiler metrics\",\"$metric\",\"\",\"$1\""
      shift
    done
    id=$((id + 1))
  done <rows.txt
done
SH
chmod +x bin/ncu
PATH=$out/bin:$PATH

# As metrics are asked for: requests to load, to store, sectors of both, conflicts, registers, requests of shared loads and LDSM,
# wavefronts of both, shared stores and their wavefronts, executed instructions. A row begins with a smaller product, whose grid may
# be that of another size; of two launches with one grid the last counts.
cat >rows.txt <<'ROWS'
01_naive 512 naive 8x8x1 9 9 9 9 9 32 5 0 5 0 0 0 90
01_naive 512 naive 16x16x1 8,388,608 8,192 138,412,032 262,144 3 32 5 0 5 0 0 0 90
01_naive 256 naive 8x8x1 1 3 2 4 5 32 5 0 5 0 0 0 90
01_naive 256 naive 8x8x1 1,048,576 2,048 17,301,504 65,536 0 32 5 0 5 0 0 0 90
11_async 512 async_copies 4x4x1 40,960 2,048 262,144 32,768 0 228 4 2 1 4 0 0 97
11_async 256 async_copies 2x2x1 5,120 512 32,768 8,192 0 200 5 0 5 0 0 0 90
my.cu 512 gemm 16x16x1 1 1 1 1 n/a 40 7 0 7 0 0 0 90
my.cu 300x500x260 gemm 16x16x1 7 7 7 7 9 40 7 0 8 0 0 0 91
ROWS
cat >simulated.csv <<'CSV'
kernel,size,launch,blocks,arch,coverage,widths,ld_requests,st_requests,ld_sectors,st_sectors,ld_conflicts,registers,copy_requests,copy_sectors,shared_requests,wavefronts,executed,mbarriers,ncu_ld_requests,ncu_st_requests,ncu_ld_sectors,ncu_st_sectors,ncu_ld_conflicts,ncu_registers,ncu_shared_requests,ncu_wavefronts,ncu_executed
01_naive,256,naive,64,sm_90a,classes,cubin,1048576,2048,17301504,65536,0,32,0,0,5,5,90,0,,,,,,,,,
01_naive,512,naive,256,sm_90a,classes,cubin,8388608,8192,138412032,262144,0,32,0,0,5,5,90,0,,,,,,,,,
11_async,256,async_copies,4,sm_90a,whole,cubin,0,512,0,8192,0,228,5120,32768,5,5,90,0,,,,,,,,,
11_async,512,async_copies,16,sm_90a,whole,cubin,0,2048,0,32768,0,228,40960,262144,5,5,90,6,,,,,,,,,
my,256,gemm,64,sm_90a,whole,cubin,1,1,1,1,0,40,0,0,7,7,90,0,,,,,,,,,
my,512,gemm,256,sm_90a,whole,cubin,1,1,1,1,0,40,0,0,7,7,90,0,,,,,,,,,
my,300x500x260,gemm,256,sm_90a,sampled,cubin,7,7,7,8,7,40,0,0,7,7,90,0,,,,,,,,,
CSV
export GRADUS=$gradus SIMULATED=$out/simulated.csv TABLE=$out/table.csv
"$here/check_counts.sh" 01_naive 11_async my.cu -- --param BM=64 >said 2>&1
code=$?
cat >wanted <<'END'
01_naive 256 naive: equal
01_naive 512 naive: equal (its wavefronts too; L1 counted 3 conflicts beside)
11_async 256 async_copies: DIFFERS: registers 228, ncu 200
11_async 512 async_copies: equal (ncu counts asynchronous copies among the loads) (and 7 instructions of waits for mbarriers that were repeated)
my 256 gemm: not counted: ncu saw no launch of gemm with 64 blocks
my 512 gemm: DIFFERS: 1 metrics not counted
my 300x500x260 gemm: DIFFERS: sectors stored 8, ncu 7; conflicts of shared loads 7, ncu 9; wavefronts of them 7, ncu 8; executed instructions 90, ncu 91 (sampled: the simulator's counts are not exact)
check-counts: 3 launches equal, 3 differ, 1 not counted
END
cat >table.wanted <<'CSV'
01_naive,256,naive,64,sm_90a,classes,cubin,1048576,2048,17301504,65536,0,32,0,0,5,5,90,0,1048576,2048,17301504,65536,0,32,5,5,90
01_naive,512,naive,256,sm_90a,classes,cubin,8388608,8192,138412032,262144,0,32,0,0,5,5,90,0,8388608,8192,138412032,262144,3,32,5,5,90
11_async,256,async_copies,4,sm_90a,whole,cubin,0,512,0,8192,0,228,5120,32768,5,5,90,0,5120,512,32768,8192,0,200,5,5,90
11_async,512,async_copies,16,sm_90a,whole,cubin,0,2048,0,32768,0,228,40960,262144,5,5,90,6,40960,2048,262144,32768,0,228,6,5,97
my,256,gemm,64,sm_90a,whole,cubin,1,1,1,1,0,40,0,0,7,7,90,0,,,,,,,,,
my,512,gemm,256,sm_90a,whole,cubin,1,1,1,1,0,40,0,0,7,7,90,0,1,1,1,1,,40,7,7,90
my,300x500x260,gemm,256,sm_90a,sampled,cubin,7,7,7,8,7,40,0,0,7,7,90,0,7,7,7,7,9,40,7,8,91
CSV
failed=0
fail() {
  echo "FAIL $1"
  failed=1
}
diff -u wanted said || fail "what is said"
tail -n +2 table.csv | diff -u table.wanted - || fail "the table"
((code == 1)) || fail "exit status $code, wanted 1"
# Launches that cannot be told apart are counted in runs of their own: 512,256 and 512,300x500x260 would be wrong.
grep -A1 -e '^--size' words.txt | grep -v -e '^--' | tr '\n' ' ' >sizes
[[ $(cat sizes) == '512,256 512,256 512,256 300x500x260 ' ]] || fail "the runs: $(cat sizes)"
grep -q -x -e '--shapes' words.txt && grep -q -x 'BM=64' words.txt || fail "the words for gradus"

# All equal: 0. Nothing counted: 3, with ncu's own words.
"$here/check_counts.sh" 01_naive >said 2>&1
code=$?
((code == 0)) || fail "exit status $code, wanted 0"
printf '#!/bin/sh\necho "==ERROR== ERR_NVGPUCTRPERM - no permission"\n' >bin/ncu
"$here/check_counts.sh" 01_naive >said 2>&1
code=$?
((code == 3)) && grep -q '^01_naive at 512,256: .*ERR_NVGPUCTRPERM' said || fail "no permission: status $code: $(cat said)"
exit $failed
