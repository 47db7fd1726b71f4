# Micro-kernels: kernels/cpu/ukr_<type>_<MRxNR>_<isa>.c, each compiled with the flags of its own ISA only. A new file is
# found by its name, and becomes an entry of the table `gr_ukr_all`.
target_include_directories(gradus_options INTERFACE ${PROJECT_SOURCE_DIR}/kernels/cpu)

# The address of a row is a base plus a multiple of the stride, which x86 adds as part of the load. Strength reduction
# would turn the additions into separate instructions, each of which takes the place of a multiply-add.
set(GRADUS_UKR_FLAGS_STRIDED "")
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND GRADUS_CPU STREQUAL "x86_64")
  set(GRADUS_UKR_FLAGS_STRIDED -fno-tree-slsr)
endif()

# If sanitizer checks are inlined in this straight-line code, compiling takes minutes; with calls to the checks it takes
# seconds, with -Og fewer than with -O1. Fuzz targets compute no GEMM, so there it is built without checks.
set(GRADUS_UKR_FLAGS_SANITIZED "")
if(GRADUS_FUZZ)
  set(GRADUS_UKR_FLAGS_SANITIZED -O1 -g0 -fno-sanitize=all)
elseif(GRADUS_SANITIZE MATCHES "address")
  set(GRADUS_UKR_FLAGS_SANITIZED -Og -g0 -fno-sanitize=undefined)
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    list(APPEND GRADUS_UKR_FLAGS_SANITIZED --param=asan-instrumentation-with-call-threshold=0)
  endif()
elseif(GRADUS_SANITIZE)
  set(GRADUS_UKR_FLAGS_SANITIZED -Og -g0)
endif()

# From Skylake to Cascade Lake, a loop whose branch crosses a 32-byte boundary is decoded anew in each iteration, which
# makes a micro-kernel a tenth slower (Intel, Mitigations for Jump Conditional Code Erratum, 2019).
set(GRADUS_UKR_FLAGS_BRANCHES "")
if(GRADUS_CPU STREQUAL "x86_64")
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

# gradus_ukr_table(cpu isa…): the C table gr_ukr_all, in build/registry/<cpu>.
function(gradus_ukr_table cpu)
  set(declarations "")
  set(entries "")
  foreach(isa ${ARGN})
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/cpu/ukr_*_${isa}.c)
    string(APPEND declarations "extern const struct gr_isa gr_isa_${isa};\n")
    foreach(source ${sources})
      get_filename_component(name ${source} NAME_WE)
      string(APPEND declarations "extern const struct ukr ${name};\n")
      string(APPEND entries "    {&${name}, &gr_isa_${isa}},\n")
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/registry/${cpu}/gr_ukr_all.c CONTENT
"/* Generated from the file names of kernels/cpu/ukr_*.c. */
#include \"cpu/ukr_table.h\"

@declarations@
const struct gr_ukr_entry gr_ukr_all[] = {
@entries@    {0, 0},
};
" @ONLY)
endfunction()

gradus_ukr_table(${GRADUS_CPU} ${GRADUS_ISAS})
target_sources(gr_cpu PRIVATE ${PROJECT_BINARY_DIR}/registry/${GRADUS_CPU}/gr_ukr_all.c)
if(NOT GRADUS_CPU STREQUAL "aarch64")
  gradus_isas(isas aarch64)
  gradus_ukr_table(aarch64 ${isas}) # for tests/ukr/neon.sh
endif()

foreach(isa ${GRADUS_ISAS})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/cpu/ukr_*_${isa}.c)
  # Without optimization the tile would be kept in memory, so -O3 is used in every build type.
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS
    "-O3;${GRADUS_ISA_FLAGS_${isa}};${GRADUS_ISA_TUNE_${isa}};${GRADUS_UKR_FLAGS_BRANCHES};${GRADUS_UKR_FLAGS_STRIDED};${GRADUS_UKR_FLAGS_SANITIZED}")
  target_sources(gr_cpu PRIVATE ${sources})
  # Loops over vector registers are unrolled as far as the loops over a tile.
  gradus_isa_sources(unrolled pack_short ${isa})
  gradus_isa_sources(transposes transpose ${isa})
  if(NOT isa STREQUAL "portable")
    set_property(SOURCE ${unrolled} ${transposes} APPEND PROPERTY COMPILE_OPTIONS ${GRADUS_UKR_FLAGS_SANITIZED})
  endif()
endforeach()

# gradus.h guarantees how much of a caller's stack is used, and tests/unit/test_api_stack.c adds it up; this warning
# makes sure that no single function uses most of it.
set(GRADUS_FRAME_BYTES 5632)
if(NOT GRADUS_SANITIZE AND NOT GRADUS_FUZZ AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  foreach(folder cpu blas)
    if(TARGET gr_${folder})
      target_compile_options(gr_${folder} PRIVATE -Wframe-larger-than=${GRADUS_FRAME_BYTES})
    endif()
  endforeach()
endif()

# What the caller of a small product has just stored, member by member, must not be loaded as a vector: such a load waits
# until the stores have reached the cache.
set_source_files_properties(
  ${PROJECT_SOURCE_DIR}/src/cpu/gemm_plain.c ${PROJECT_SOURCE_DIR}/src/blas/cblas.c ${PROJECT_SOURCE_DIR}/src/blas/fortran.c
  PROPERTIES COMPILE_OPTIONS -fno-tree-slp-vectorize)
