# Micro-kernels: kernels/cpu/ukr_<type>_<MRxNR>_<isa>.c, each with the flags of its own ISA only. A new file is
# built, and entered in the table `ukr_all`, by its name.
target_include_directories(gradus_options INTERFACE ${PROJECT_SOURCE_DIR}/kernels/cpu)

set(GRADUS_UKR_FLAGS_portable "")
set(GRADUS_UKR_FLAGS_avx2 -mavx2 -mfma)
set(GRADUS_UKR_FLAGS_avx512 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mprfchw -mprefer-vector-width=512)
# Extensions of a level (src/cpu/isa.c): its flags and the feature's own.
set(GRADUS_UKR_FLAGS_avxvnni ${GRADUS_UKR_FLAGS_avx2} -mavxvnni)
set(GRADUS_UKR_FLAGS_avx512vnni ${GRADUS_UKR_FLAGS_avx512} -mavx512vnni)
set(GRADUS_UKR_FLAGS_avx512bf16 ${GRADUS_UKR_FLAGS_avx512} -mavx512bf16)
set(GRADUS_UKR_FLAGS_amxint8 ${GRADUS_UKR_FLAGS_avx512} -mamx-tile -mamx-int8)
set(GRADUS_UKR_FLAGS_amxbf16 ${GRADUS_UKR_FLAGS_avx512} -mamx-tile -mamx-bf16)
# Scheduled before registers are given out, loads move so far up that a full tile no longer fits into 32 registers.
set(GRADUS_UKR_FLAGS_neon_gnu -fno-schedule-insns)
set(GRADUS_UKR_FLAGS_neon "")
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  set(GRADUS_UKR_FLAGS_neon ${GRADUS_UKR_FLAGS_neon_gnu})
endif()
set(GRADUS_UKR_FLAGS_dotprod ${GRADUS_UKR_FLAGS_neon} -march=armv8.2-a+dotprod)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(GRADUS_UKR_ISAS amxint8 amxbf16 avx512bf16 avx512vnni avx512 avxvnni avx2 portable)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(GRADUS_UKR_ISAS dotprod neon portable)
else()
  set(GRADUS_UKR_ISAS portable)
endif()

# Addresses of rows are a base and a multiple of the stride, which x86 adds in the load itself. Strength reduction makes
# instructions of the additions, where each takes the place of a multiply-add.
set(GRADUS_UKR_FLAGS_STRIDED "")
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(GRADUS_UKR_FLAGS_STRIDED -fno-tree-slsr)
endif()

# Straight-line code with a check at each access takes a compiler minutes; calls to the checks take it seconds.
# No fuzz target multiplies: there they are built without.
set(GRADUS_UKR_FLAGS_SANITIZED "")
if(GRADUS_FUZZ)
  set(GRADUS_UKR_FLAGS_SANITIZED -O1 -g0 -fno-sanitize=all)
elseif(GRADUS_SANITIZE MATCHES "address")
  set(GRADUS_UKR_FLAGS_SANITIZED -O1 -g0 -fno-sanitize=undefined)
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    list(APPEND GRADUS_UKR_FLAGS_SANITIZED --param=asan-instrumentation-with-call-threshold=0)
  endif()
elseif(GRADUS_SANITIZE)
  set(GRADUS_UKR_FLAGS_SANITIZED -O1 -g0)
endif()

# From Skylake to Cascade Lake, a loop whose branch lies across 32 bytes is decoded anew each time, which costs a tile a
# tenth of its speed (Intel, Mitigations for Jump Conditional Code Erratum, 2019).
include(CheckCCompilerFlag)
set(GRADUS_UKR_FLAGS_BRANCHES "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    set(flag -Wa,-mbranches-within-32B-boundaries)
  else()
    set(flag -mbranches-within-32B-boundaries)
  endif()
  check_c_compiler_flag(${flag} GRADUS_HAS_BRANCHES_WITHIN)
  if(GRADUS_HAS_BRANCHES_WITHIN)
    set(GRADUS_UKR_FLAGS_BRANCHES ${flag})
  endif()
endif()

set(declarations "")
set(entries "")
foreach(isa ${GRADUS_UKR_ISAS})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/cpu/ukr_*_${isa}.c)
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    # Unoptimized, the tile would live in memory; so it is -O3 in every build type.
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS
      "-O3;${GRADUS_UKR_FLAGS_${isa}};${GRADUS_UKR_FLAGS_BRANCHES};${GRADUS_UKR_FLAGS_STRIDED};${GRADUS_UKR_FLAGS_SANITIZED}")
    string(APPEND declarations "extern const struct ukr ${name};\n")
    string(APPEND entries "    &${name},\n")
    target_sources(gr_cpu PRIVATE ${source})
  endforeach()
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/registry/ukr_all.c CONTENT
"/* Generated from the file names of kernels/cpu/ukr_*.c. */
#include \"cpu/ukr_table.h\"

@declarations@
const struct ukr *const gr_ukr_all[] = {
@entries@    0,
};
" @ONLY)
target_sources(gr_cpu PRIVATE ${PROJECT_BINARY_DIR}/registry/ukr_all.c)

# Packing and turning have versions of their own for AVX2 and AVX-512.
if("avx2" IN_LIST GRADUS_UKR_ISAS)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/cpu/pack_avx2.c ${PROJECT_SOURCE_DIR}/src/cpu/pack_bf16_avx2.c
    PROPERTIES COMPILE_OPTIONS "-O3;-mavx2")
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/cpu/pack_short_avx512.c
    ${PROJECT_SOURCE_DIR}/src/cpu/turn_avx512.c PROPERTIES COMPILE_OPTIONS
    "-O3;${GRADUS_UKR_FLAGS_avx512};${GRADUS_UKR_FLAGS_SANITIZED}")
endif()
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/cpu/pack.c ${PROJECT_SOURCE_DIR}/src/cpu/pack_bf16.c
  ${PROJECT_SOURCE_DIR}/src/cpu/pack_short.c PROPERTIES COMPILE_OPTIONS "-O3")

# The epilogue has one for each width of vectors. Contraction would make an element's bits depend on its place.
set(finish_flags -O3 -ffp-contract=off -fno-trapping-math)
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/cpu/gemm_finish.c PROPERTIES COMPILE_OPTIONS "${finish_flags}")
foreach(isa avx2 avx512)
  if(isa IN_LIST GRADUS_UKR_ISAS)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/cpu/finish_${isa}.c PROPERTIES COMPILE_OPTIONS
      "${finish_flags};${GRADUS_UKR_FLAGS_${isa}}")
  endif()
endforeach()

# What gradus.h promises of a caller's stack, and tests/unit/test_api_stack.c adds up: no function takes most of it alone.
set(GRADUS_FRAME_BYTES 5632)
if(NOT GRADUS_SANITIZE AND NOT GRADUS_FUZZ AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  foreach(folder cpu blas)
    if(TARGET gr_${folder})
      target_compile_options(gr_${folder} PRIVATE -Wframe-larger-than=${GRADUS_FRAME_BYTES})
    endif()
  endforeach()
endif()
