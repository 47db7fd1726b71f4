# The front door: a thin layer over CMake's presets. SPDX-License-Identifier: MIT
#
#   make ladder   everything from a bare machine to the report: the rungs of this CPU, verified and timed, and where
#                 there is no GPU, the GPU's rungs simulated
#   make run SRC=kernel.hip   verify, time or simulate a kernel file of your own
#   make bench-cpu  the CPU library beside OpenBLAS, BLIS, oneDNN over sizes, transposes, types and threads, and random products
#   make check    build and pass every test; the last line counts them
#   make check-gpu  what needs a real NVIDIA GPU

SIZES ?= 256 512 1024
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 600
SOAK ?= 100000
SEED ?= $(shell date +%s)
MUTANTS ?= all
SRC ?=
RUN ?=
MAKEFLAGS += --no-print-directory

.PHONY: help setup peers build ladder run bench-cpu bench-simulator check check-rest check-gpu fuzz soak mutants hostile install clean

help:
	@echo 'make ladder    install what is missing, build, climb the CPU ladder, write build/report;'
	@echo '               without a GPU, simulate the GPU ladder'
	@echo "make run SRC=kernel.hip   build, verify and time the kernel of a C, CUDA or HIP file, on the GPU that is here or"
	@echo "               simulated; RUN='--device sim:mi210 --size 255' are options of gradus run"
	@echo 'make check     build, run every test, count them in the last line'
	@echo 'make check-rest  run what the last make check skipped, once more is installed; the last line counts both'
	@echo 'make check-gpu  build, check every GPU rung on this machine'"'"'s NVIDIA GPU, count the checks in the last line'
	@echo 'make bench-cpu  build, time the CPU library beside every library found here, at chosen sizes and'
	@echo '               at random ones, sum up; JSON in build/bench;'
	@echo '               SWEEP=quick for few sizes, ISA=avx2 to hold all to AVX2'
	@echo 'make bench-simulator  build, time the engine that executes GPU machine code: an instruction, an access,'
	@echo '               a whole grid, an explanation of each rung (NVRTC is needed)'
	@echo 'make build     build/gradus and build/libgradus.so only'
	@echo 'make peers     fetch OpenBLAS, BLIS and oneDNN into build/peers (nothing is installed)'
	@echo 'make install   install the program and the library under PREFIX ($(PREFIX); DESTDIR is honoured)'
	@echo 'make fuzz      run each fuzz target for FUZZ_SECONDS ($(FUZZ_SECONDS)) seconds'
	@echo 'make soak      SOAK ($(SOAK)) random products against a plain loop; SEED=… repeats'
	@echo 'make mutants   plant the bugs of tests/mutants/*.list, one at a time: the tests they name must fail;'
	@echo '               MUTANTS=10 a few of them, MUTANTS_SEED=… the same again, MUTANTS=LIST one list'
	@echo 'make hostile   signals, broken files, full disks, small limits: in ten minutes; SEED=… repeats'
	@echo 'make clean     remove the build folders'
	@echo
	@echo 'NO_INSTALL=1 installs no package and prints the line that would. FLAVOURS="release asan" narrows check.'

setup:
	@scripts/setup.sh build

peers:
	@if [ -x scripts/fetch-peers.sh ]; then scripts/fetch-peers.sh build/peers; fi

build: setup
	@scripts/build.sh release product

ladder: setup
	@$(MAKE) peers
	@scripts/build.sh release product
	build/gradus ladder $(SIZES:%=--size %) --report build/report
	@scripts/ladder_gpu.sh build/gradus
	@echo 'The report is in build/report: open build/report/index.html in a browser.'

run: setup
	@[ -n '$(SRC)' ] || { echo 'make run: which kernel? make run SRC=examples/tiled_gemm.hip.cpp'; exit 2; }
	@scripts/build.sh release product
	@scripts/run_kernel.sh build/gradus '$(SRC)' $(RUN)

bench-cpu: setup
	@$(MAKE) peers
	@scripts/build.sh release product bench_small_calls bench_busy_machine
	@scripts/bench_cpu.sh build sweep$(SWEEP:%=-%) $(ISA)

bench-simulator: setup
	@scripts/build.sh release product measure_machine
	@scripts/bench_simulator.sh build

check:
	@scripts/setup.sh check
	-@$(MAKE) peers
	@scripts/check.sh $(FLAVOURS)

check-rest:
	@scripts/check.sh --rest $(FLAVOURS)

check-gpu: build
	@tests/gpu/check_gpu.sh build/gradus

fuzz:
	@scripts/setup.sh fuzz
	@scripts/build.sh fuzz
	@scripts/fuzz.sh build-fuzz $(FUZZ_SECONDS)

soak: setup
	@scripts/build.sh release soak
	build/bin/soak $(SOAK) --seed $(SEED) --jobs $(shell nproc)

mutants: setup
	@tests/mutants/mutants.sh $(if $(MUTANTS_SEED),--seed $(MUTANTS_SEED)) $(MUTANTS)

hostile: setup
	@scripts/build.sh release product
	@tests/hostile/hostile.sh --seed $(SEED) build/gradus

install:
	@scripts/build.sh release product
	cmake --install build --prefix '$(PREFIX)'
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

clean:
	rm -rf build build-asan build-tsan build-fuzz build-mutants build-cuda
