#!/bin/sh
# found_test.sh PROGRAM LIBRARIES: peers are found in the folders that GRADUS_PEERS names, then in the virtual environment
# that is active, then where libraries were unpacked. SPDX-License-Identifier: MIT
set -u
libraries=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-found.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
unset GRADUS_PEERS GRADUS_ISA GRADUS_CPU_MASK VIRTUAL_ENV CONDA_PREFIX LD_LIBRARY_PATH
failed=0

# plant TARGET FOLDER [NAME]: the library of that target, by the file's name or another one.
plant() {
    mkdir -p "$work/$2" && cp "$libraries/$1"/* "$work/$2/${3:-}" || exit 1
}
# environment TARGET FOLDER: an oneDNN with what it needs beside it, in an environment.
environment() {
    plant "$1" "$2/lib" libdnnl.so.3
    plant peer_found_omp "$2/lib"
    plant peer_found_needed "$2/lib"
}
# expect PATTERN WHAT [NAME=value…] KIND [THREADS…]: what the program prints is one line that matches.
expect() {
    pattern=$1 what=$2
    shift 2
    found=$(cd "$work" && env "$@" 2>&1)
    # shellcheck disable=SC2254 # it is a pattern
    case $found in
    $pattern) ;;
    *)
        printf 'FAILED: %s: found: %s\n' "$what" "$found"
        failed=1
        ;;
    esac
}

# Libraries were unpacked in the folder peers beside that of the program.
mkdir "$work/bin" && cp "$1" "$work/bin/" || exit 1
program=$work/bin/$(basename "$1")
environment peer_found_dnnl4 peers

odd='virtual [a-z]* \ env'
environment peer_found_dnnl1 "$odd"
plant peer_found_openblas "$odd/lib/python3.9/site-packages/scipy_openblas32/lib"
environment peer_found_dnnl2 conda
environment peer_found_dnnl3 named

expect "9.8.7 apart: */scipy_openblas32/lib/libscipy_openblas.so" "the wheel of OpenBLAS, its symbols with a prefix" \
    VIRTUAL_ENV="$work/$odd" "$program" openblas-wheel
expect "3.1.0 apart: $work/virtual *env/lib/libdnnl.so.3" "oneDNN, with what it needs beside it, before unpacked ones" \
    VIRTUAL_ENV="$work/$odd" "$program" onednn
expect "3.2.0 apart: $work/conda/lib/libdnnl.so.3" "a conda environment" \
    CONDA_PREFIX="$work/conda" "$program" onednn
expect "3.2.0 apart: $work/conda/lib/libdnnl.so.3" "a virtual environment that has none, made in a conda's" \
    VIRTUAL_ENV="$work/bin" CONDA_PREFIX="$work/conda" "$program" onednn
expect "3.1.0 apart: $work/virtual*" "a virtual environment before a conda's" \
    VIRTUAL_ENV="$work/$odd" CONDA_PREFIX="$work/conda" "$program" onednn
expect "3.3.0 apart: $work/named/lib/*" "what GRADUS_PEERS names before an environment" \
    GRADUS_PEERS="$work/named" VIRTUAL_ENV="$work/$odd" CONDA_PREFIX="$work/conda" "$program" onednn
expect "3.2.0 apart: $work/conda/lib/*" "an environment before GRADUS_PEERS if that is empty there" \
    GRADUS_PEERS="$work/bin" CONDA_PREFIX="$work/conda" "$program" onednn
expect "3.1.0 apart: virtual*" "an environment by a relative path" VIRTUAL_ENV="$odd" "$program" onednn

# The first folder decides, also if a later one has the name of a newer version.
mv "$work/named/lib/libdnnl.so.3" "$work/named/lib/libdnnl.so.2"
expect "3.3.0 apart: $work/named/lib/libdnnl.so.2" "the first folder before the newest name" \
    GRADUS_PEERS="$work/named:$work/conda" "$program" onednn

# Environments that are not there, or have nothing.
for none in "$work/no such folder" "" "$work/bin" "$program"; do
    expect "openblas-wheel is not here; get it with: *pip install scipy-openblas32" "no environment at '$none'" \
        VIRTUAL_ENV="$none" CONDA_PREFIX="$none" "$program" openblas-wheel
done

# A library that cannot be loaded is named, and none of another place is used instead of it.
mkdir -p "$work/broken/lib"
echo "no library at all" >"$work/broken/lib/libdnnl.so.3"
echo "no library at all" >"$work/broken/lib/libdnnl.so"
for place in VIRTUAL_ENV CONDA_PREFIX GRADUS_PEERS; do
    expect "$work/broken/lib/libdnnl.so.3: *" "a broken library in $place" "$place=$work/broken" "$program" onednn
done
expect "$work/broken/lib/libdnnl.so.3: *" "a broken library in the first of two environments with no other library" \
    GRADUS_PEERS="$work/broken" VIRTUAL_ENV="$work/$odd" "$program" onednn
mv "$work/peers" "$work/no peers" # what is unpacked serves all libraries
rm "$work/$odd/lib/libneeded.so"
expect "$work/virtual*/lib/libdnnl.so.3: libomp_planted.so: * (libneeded.so: *)" "a library that lacks what it needs" VIRTUAL_ENV="$work/$odd" "$program" onednn
plant peer_found_dnnl3 needy libdnnl.so.3
expect "$work/needy/libdnnl.so.3: libomp_planted.so: *directory" "what an environment has serves no library of another place" \
    GRADUS_PEERS="$work/needy" VIRTUAL_ENV="$work/conda" "$program" onednn

wide=lib/pypy3.10/site-packages/scipy_openblas64/lib
plant peer_found_openblas "wide/$wide" libscipy_openblas64_.so
expect "openblas-wheel: $work/wide/$wide/libscipy_openblas64_.so has 64-bit integers; *scipy-openblas32" \
    "the wheel with 64-bit integers" VIRTUAL_ENV="$work/wide" "$program" openblas-wheel

# oneDNN with the threads of TBB is in the program's namespace. An arena is entered if the thread's own has another size.
plant peer_found_dnnl_tbb tbb/lib libdnnl.so.3
plant peer_found_tbb tbb/lib
at="$work/tbb/lib/libdnnl.so.3"
once="3.5.0 in the program: planted_concurrency"
expect "$once 1 planted_entered 0 planted_arenas 0 $at" "one thread of TBB" VIRTUAL_ENV="$work/tbb" "$program" onednn 1
expect "$once 3 planted_entered 1 planted_arenas 1 $at
$once 2 planted_entered 2 planted_arenas 1 $at
$once 1 planted_entered 2 planted_arenas 1 $at" "threads of TBB" VIRTUAL_ENV="$work/tbb" "$program" onednn 3 2 1
plant peer_found_openblas_tbb system
plant peer_found_tbb system
expect "9.8.7 in the program: * $work/system/libscipy_openblas.so" "a library in the loader's path that depends on TBB" \
    LD_LIBRARY_PATH="$work/system" "$program" openblas-wheel
exit $failed
