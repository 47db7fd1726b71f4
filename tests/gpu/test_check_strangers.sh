#!/usr/bin/env bash
# test_check_strangers.sh GRADUS: check_strangers.sh on a list of its own, the simulator's side. SPDX-License-Identifier: MIT
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
gradus=$(realpath "$1")
out=$(mktemp -d "${TMPDIR:-/tmp}/gradus-test-strangers.XXXXXX") || exit 2
trap 'rm -rf "$out"' EXIT
cd "$out" || exit 2
if ! "$gradus" explain 1 --size 32 >said 2>&1; then
  echo "skip: $(head -n 1 said)"
  exit 77
fi
mkdir -p "here/somebody/theirs/src of it"
cat >"here/somebody/theirs/src of it/two.cu" <<'CU'
template <int B> __global__ void one(int M, int N, int K, const float *A, const float *B_, float *C)
{
    const int y = blockIdx.y * B + threadIdx.y, x = blockIdx.x * B + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[y * K + k] * B_[k * N + x];
    C[y * N + x] = sum;
}
__global__ void other(float *C) {}
CU
cat >list <<'END'
# repository | commit | file | kernel | sizes | options
somebody/theirs|0123456789ab|src of it/two.cu|one<16>|32 64|--args M,N,K,A,B,C --grid cdiv(N,16),cdiv(M,16) --block 16,16
somebody/absent|0123456789ab|two.cu|one<16>|32|--block 16,16
END
export GRADUS=$gradus LIST=$out/list NCU=no TABLE=$out/table.csv
"$here/check_strangers.sh" here >said 2>&1
code=$?
failed=0
((code == 1)) || failed=1
grep -q "^somebody/absent: not in here: git clone https://github.com/somebody/absent 'here/somebody/absent' &&" said || failed=1
# 4 and 16 blocks of 8 warps; for each k a warp asks for A and B once.
[[ $(awk -F, -v OFS=, 'NR > 1 { print $1, $2, $3, $4, $8, $9 }' table.csv) == "somebody/theirs two.cu one,32,one,4,2048,32
somebody/theirs two.cu one,64,one,16,16384,128" ]] || failed=1
if ((failed)); then
  echo "FAIL: status $code"
  cat said table.csv
fi
exit $failed
