#!/usr/bin/env bash
# setup.sh: says what this machine lacks for building and, where it may, installs it (Debian, Ubuntu).
# SPDX-License-Identifier: MIT
#
#   setup.sh build     what builds Gradus
#   setup.sh check     the same, and ccache; what else `make check` can use is skipped there with its reason
#   setup.sh fuzz      the same, and clang with its fuzzing runtime
#   setup.sh ci        everything that any test can use
#
# For `ci` it also fetches NVIDIA's run-time compiler (NVRTC, from PyPI, 250 MB) into build-cuda/, where scripts/check.sh
# finds it, so that the tests of machine code run on a machine without a GPU.
#
# It installs as root or by `sudo -n`. Otherwise, and with NO_INSTALL=1, it prints the line to run and goes on with
# what is there; it fails only where nothing can be built without it (a C compiler, CMake, make).
set -euo pipefail
set=${1:-build}
export DEBIAN_FRONTEND=noninteractive
log=build/setup.log

say() { printf 'setup: %s\n' "$*"; }
has_command() { command -v "$1" >/dev/null 2>&1; }
known() { apt-cache show "$@" >/dev/null 2>&1; }
has_header() { echo "#include <$1>" | cc -E -x c - >/dev/null 2>&1; }
has_file() { compgen -G "$1" >/dev/null; }
has_fuzzer() { [[ $(find /usr/lib -name 'libclang_rt.fuzzer*' -print -quit 2>/dev/null) ]]; }

missing=()
need() { # need PACKAGE TEST ARGUMENT…: notes the package when the test fails
  local package=$1
  shift
  "$@" || missing+=("$package")
}

find_missing() {
  missing=()
  need gcc has_command cc
  need g++ has_command g++
  need libc6-dev has_header stdio.h
  need make has_command make
  need cmake has_command cmake
  need libcjson-dev has_header cjson/cJSON.h
  need libsqlite3-dev has_header sqlite3.h
  need libcmocka-dev has_cmocka
  case $set in
  check) need ccache has_command ccache ;; # many tests build the sources again
  fuzz)
    need clang has_command clang
    need "$(fuzzer_package)" has_fuzzer
    ;;
  ci)
    need ccache has_command ccache
    need clang has_command clang
    need "$(fuzzer_package)" has_fuzzer
    need clang-format has_command clang-format
    # For AMD's GPUs: 60 MB to fetch. Without them the targets that the system's own clang knows are tested.
    if known clang-19 lld-19 llvm-19; then
      need clang-19 has_command clang-19
      need lld-19 has_file '/usr/lib/llvm-19/bin/ld.lld'
      need llvm-19 has_command llvm-objdump-19
    else
      need lld has_command ld.lld
      need llvm has_command llvm-objdump
    fi
    need shellcheck has_command shellcheck
    need file has_command file
    need dpkg-dev has_command dpkg-shlibdeps
    need pkg-config has_command pkg-config
    need qemu-user-static has_command qemu-aarch64-static
    need gcc-aarch64-linux-gnu has_command aarch64-linux-gnu-gcc
    need libc6-dev-arm64-cross test -e /usr/aarch64-linux-gnu/include/stdio.h
    # Ubuntu has Chromium as a snap only, which a container cannot run.
    if ! grep -q '^ID=ubuntu' /etc/os-release; then need chromium has_chromium; fi
    need gnuplot-nox has_command gnuplot
    need openmpi-bin has_command mpirun
    need libopenmpi-dev has_command mpicc
    need mandoc has_command mandoc
    need xz-utils has_command xz
    need zsh has_command zsh
    need fish has_command fish
    need patch has_command patch
    need python3-numpy has_module numpy
    need python3-scipy has_module scipy
    need python3-pytest has_module pytest
    need python3-venv has_module ensurepip
    need python3-dev has_file '/usr/include/python3*/Python.h'
    need python3-setuptools has_module setuptools
    need python3-wheel has_module wheel
    need libblas-test has_file '/usr/lib/*/blas/xscblat3'
    need libblas64-test has_file '/usr/lib/*/blas64/xscblat3'
    need libblas64-3 has_file '/usr/lib/*/blas64/libblas64.so.3'
    need libblas3 has_file '/usr/lib/*/blas/libblas.so.3' # where another BLAS is the system's, it stays that
    ;;
  esac
}

# Of the distribution's own Python, whose NumPy calls the system's BLAS.
has_module() { /usr/bin/python3 -c "import $1" >/dev/null 2>&1; }
has_cmocka() { printf '%s\n' '#include <stdarg.h>' '#include <stddef.h>' '#include <stdint.h>' \
  '#include <setjmp.h>' '#include <cmocka.h>' | cc -E -x c - >/dev/null 2>&1; }
has_chromium() { has_command chromium || has_command chromium-browser || has_command google-chrome; }
# The package of clang's fuzzing runtime: its own since LLVM 14 in Debian, in clang's own dependencies elsewhere.
fuzzer_package() {
  local major
  major=$(clang -dumpversion 2>/dev/null | sed 's/\..*//')
  [[ $major ]] || major=$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p' | head -n 1)
  if known "libclang-rt-$major-dev"; then echo "libclang-rt-$major-dev"; else echo clang; fi
}

as_root() { if ((EUID == 0)); then "$@"; else sudo -n "$@"; fi; }
may_install() {
  [[ ${NO_INSTALL:-} != 1 ]] && has_command apt-get && { ((EUID == 0)) || { has_command sudo && sudo -n true 2>/dev/null; }; }
}

# Shows every 25th package of apt's long output, so that a slow mirror does not look like a hang.
progress() {
  awk '/^Get:/ { if (++got % 25 == 0) print "setup:   fetched " got; fflush() }
       /^Setting up/ { if (++set % 25 == 0) print "setup:   set up " set; fflush() }'
}
apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -o Dpkg::Use-Pty=0 "$@" </dev/null 2>&1 | tee -a "$log" | progress; }
update() {
  say "apt-get update"
  apt update || say "apt-get update failed (see $log); going on"
}

install_missing() {
  local updated=0
  mkdir -p build
  : >"$log"
  if ! known "${missing[@]}"; then
    update
    updated=1
    find_missing # the name of clang's runtime is read from apt's lists
  fi
  say "apt-get install ${missing[*]}"
  apt install -y --no-install-recommends "${missing[@]}" && return
  if ((!updated)); then # lists older than the mirror name packages that are no longer there
    update
    apt install -y --no-install-recommends "${missing[@]}" && return
  fi
  say "not all at once (see $log); trying one at a time"
  local package
  for package in "${missing[@]}"; do
    apt install -y --no-install-recommends "$package" || say "cannot install $package"
  done
}

# The compiler and its headers in an environment of their own: the system's Python packages stay as they are.
nvrtc_version=13.0
has_nvrtc() { [[ ${GRADUS_NVRTC:-} ]] || has_file '/usr/local/cuda*/lib64/libnvrtc.so.*' || has_file "$fetched_nvrtc"; }
fetched_nvrtc='build-cuda/lib/python3*/site-packages/nvidia/*/lib/libnvrtc.so.*'
fetch_nvrtc() {
  local pip=build-cuda/bin/pip
  say "pip install nvidia-cuda-nvrtc (into build-cuda/)"
  mkdir -p build
  if python3 -m venv build-cuda >>"$log" 2>&1 &&
    $pip install --retries 1 --timeout 60 --no-deps "nvidia-cuda-nvrtc==$nvrtc_version.*" \
      "nvidia-cuda-runtime==$nvrtc_version.*" "nvidia-cuda-crt==$nvrtc_version.*" "nvidia-cuda-cccl==$nvrtc_version.*" \
      >>"$log" 2>&1; then
    return
  fi
  say "cannot fetch NVRTC (see $log); what needs a CUDA compiler is skipped"
  rm -rf build-cuda
}

say "looking for what is missing ($set)"
find_missing
if ((${#missing[@]})); then
  if may_install; then
    install_missing
    find_missing
  elif has_command apt-get; then
    say "missing; to install it: sudo apt-get install -y --no-install-recommends ${missing[*]}"
  else
    say "missing; install what your system calls: ${missing[*]}"
  fi
fi
for tool in cc cmake make; do
  if ! has_command "$tool"; then
    say "cannot build without '$tool': install ${missing[*]} and run this again" >&2
    exit 1
  fi
done
if [[ $set == ci && ${NO_INSTALL:-} != 1 ]] && ! has_nvrtc; then fetch_nvrtc; fi
if ((${#missing[@]})); then say "going on without ${missing[*]}"; else say "nothing is missing"; fi
