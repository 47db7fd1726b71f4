# Instruction sets. Each is a file src/cpu/isa_<name>.c, whose `//@` lines have what the build needs (src/cpu/isa.h).
# They give the lists of this processor's instruction sets (GRADUS_ISAS, best first) and of its levels (GRADUS_LEVELS,
# lowest first), their flags (GRADUS_ISA_FLAGS_<name>, GRADUS_ISA_TUNE_<name>), and the tables of the library and the
# catalog.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(GRADUS_CPU x86_64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(GRADUS_CPU aarch64)
else()
  set(GRADUS_CPU other)
endif()

# gradus_isa_line(OUT file word): the value of the line `//@ word …`, or nothing.
function(gradus_isa_line out file word)
  file(STRINGS ${file} line REGEX "^//@ ${word} ")
  string(REGEX REPLACE "^//@ ${word} +" "" line "${line}")
  string(STRIP "${line}" line)
  set(${out} "${line}" PARENT_SCOPE)
endfunction()

# gradus_isas(OUT cpu): the instruction sets of a processor family, best first.
function(gradus_isas out cpu)
  set(ranked "")
  set(ranks "")
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cpu/isa_*.c)
  foreach(file ${files})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    gradus_isa_line(its_cpu ${file} cpu)
    gradus_isa_line(rank ${file} rank)
    if(NOT its_cpu MATCHES "^(any|x86_64|aarch64)$" OR NOT rank MATCHES "^[0-9]+$")
      message(FATAL_ERROR "${file}: no `//@ cpu` line with any, x86_64 or aarch64, or no `//@ rank` line with a number")
    endif()
    if(its_cpu STREQUAL cpu OR its_cpu STREQUAL "any")
      if(rank IN_LIST ranks)
        message(FATAL_ERROR "${file}: another instruction set of ${cpu} has the rank ${rank}, too")
      endif()
      string(REGEX REPLACE ".*/isa_(.*)\\.c$" "\\1" name ${file})
      list(APPEND ranks ${rank})
      list(APPEND ranked ${rank}:${name})
    endif()
  endforeach()
  list(SORT ranked COMPARE NATURAL ORDER DESCENDING)
  list(TRANSFORM ranked REPLACE "^[0-9]+:" "")
  set(${out} "${ranked}" PARENT_SCOPE)
endfunction()

# gradus_isa_base(KIND NAME isa): how the instruction set is built upon another: over or extends, and the other's name;
# both empty for the lowest. The C record says it.
function(gradus_isa_base kind name isa)
  file(STRINGS ${PROJECT_SOURCE_DIR}/src/cpu/isa_${isa}.c line REGEX "^ +\\.(over|extends) = &gr_isa_")
  string(REGEX REPLACE "^ +\\.(over|extends) = .*" "\\1" its_kind "${line}")
  string(REGEX REPLACE "^.*&gr_isa_([a-z0-9]+).*$" "\\1" its_name "${line}")
  set(${kind} "${its_kind}" PARENT_SCOPE)
  set(${name} "${its_name}" PARENT_SCOPE)
endfunction()

# gradus_isa_table(isa…): the C table gr_isa_all, in build/registry/<cpu>.
function(gradus_isa_table cpu)
  set(declarations "")
  set(entries "")
  foreach(isa ${ARGN})
    string(APPEND declarations "extern const struct gr_isa gr_isa_${isa};\n")
    string(APPEND entries "    &gr_isa_${isa},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/registry/${cpu}/gr_isa_all.c CONTENT
"/* Generated from the file names of src/cpu/isa_*.c and their `rank` lines. */
#include \"cpu/isa.h\"

@declarations@
const struct gr_isa *const gr_isa_all[] = {
@entries@    0,
};
" @ONLY)
endfunction()

# A list of flags; those of `tune` that the compiler does not support are left out.
include(CheckCCompilerFlag)
function(gradus_isa_flags isa)
  set(file ${PROJECT_SOURCE_DIR}/src/cpu/isa_${isa}.c)
  gradus_isa_line(flags ${file} flags)
  gradus_isa_line(wanted ${file} tune)
  separate_arguments(flags)
  separate_arguments(wanted)
  set(tune "")
  foreach(flag ${wanted})
    string(MAKE_C_IDENTIFIER "GRADUS_HAS${flag}" known)
    check_c_compiler_flag(${flag} ${known})
    if(${known})
      list(APPEND tune ${flag})
    endif()
  endforeach()
  set(GRADUS_ISA_FLAGS_${isa} "${flags}" PARENT_SCOPE)
  set(GRADUS_ISA_TUNE_${isa} "${tune}" PARENT_SCOPE)
endfunction()

gradus_isas(GRADUS_ISAS ${GRADUS_CPU})
gradus_isa_table(${GRADUS_CPU} ${GRADUS_ISAS})
target_sources(gr_cpu PRIVATE ${PROJECT_BINARY_DIR}/registry/${GRADUS_CPU}/gr_isa_all.c)

set(GRADUS_LEVELS "")
foreach(isa ${GRADUS_ISAS})
  gradus_isa_flags(${isa})
  gradus_isa_base(kind base ${isa})
  if(NOT kind STREQUAL "extends")
    list(PREPEND GRADUS_LEVELS ${isa})
  endif()
endforeach()
foreach(isa ${GRADUS_ISAS})
  gradus_isa_base(kind base ${isa})
  if(kind STREQUAL "extends")
    list(PREPEND GRADUS_ISA_FLAGS_${isa} ${GRADUS_ISA_FLAGS_${base}})
    list(PREPEND GRADUS_ISA_TUNE_${isa} ${GRADUS_ISA_TUNE_${base}})
  endif()
endforeach()

# gradus_isa_sources(OUT pattern isa): the files src/cpu/<pattern>_<isa>.c.
function(gradus_isa_sources out pattern isa)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cpu/${pattern}_${isa}.c)
  set(${out} "${files}" PARENT_SCOPE)
endfunction()

# The code of an instruction set is compiled with its flags, and with -O3 in every build type. isa_<name>.c contains the
# epilogue, in which contraction to FMA is disabled: it would make the bits of an element depend on its position.
# With the checks of the address sanitizer, the compiler would need as long for packing as for a micro-kernel.
set(level -O3)
if(GRADUS_SANITIZE MATCHES "address")
  set(level -Og)
endif()
foreach(isa ${GRADUS_ISAS})
  gradus_isa_sources(files * ${isa})
  set_source_files_properties(${files} PROPERTIES COMPILE_OPTIONS "${level};${GRADUS_ISA_FLAGS_${isa}}")
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/cpu/isa_${isa}.c PROPERTIES COMPILE_OPTIONS
    "-O3;-ffp-contract=off;-fno-trapping-math;${GRADUS_ISA_FLAGS_${isa}}")
endforeach()

# Files for other processors are not compiled. AArch64 gets a table nevertheless, because one test runs it in an
# emulator (tests/ukr/neon.sh), and the catalog has the feature names of all processors.
set(words "")
set(levels "")
set(seen "")
foreach(cpu x86_64 aarch64)
  gradus_isas(isas ${cpu})
  if(NOT cpu STREQUAL GRADUS_CPU)
    gradus_isa_table(${cpu} ${isas})
  endif()
  list(REVERSE isas)
  foreach(isa ${isas})
    if(isa IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${isa})
    if(NOT isa IN_LIST GRADUS_ISAS)
      gradus_isa_sources(files * ${isa})
      set_source_files_properties(${files} PROPERTIES HEADER_FILE_ONLY ON)
    endif()
    gradus_isa_base(kind base ${isa})
    if(NOT kind STREQUAL "extends")
      string(APPEND levels "    {\"${isa}\", \"${base}\"},\n")
      set(base ${isa})
    endif()
    gradus_isa_line(line ${PROJECT_SOURCE_DIR}/src/cpu/isa_${isa}.c words)
    string(REGEX MATCHALL "[^, ]+" line "${line}")
    foreach(word ${line})
      string(APPEND words "    {\"${word}\", \"${base}\"},\n")
    endforeach()
  endforeach()
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/registry/gr_levels.c CONTENT
"/* Generated from src/cpu/isa_*.c. */
#include \"catalog/levels.h\"

const struct gr_isa_pair gr_isa_words[] = {
@words@    {0, 0},
};

const struct gr_isa_pair gr_isa_levels[] = {
@levels@    {0, 0},
};
" @ONLY)
target_sources(gr_catalog PRIVATE ${PROJECT_BINARY_DIR}/registry/gr_levels.c)
