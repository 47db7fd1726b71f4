# The engine that executes machine code, src/machine: its lanes are compiled once for each level of this CPU's instruction
# sets, with that level's flags, and the instructions' meanings are found by the names of their files.
file(GLOB lanes CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/machine/lanes_*.c)
set(declarations "")
set(entries "")
foreach(file ${lanes})
  get_filename_component(level ${file} NAME_WE)
  string(REGEX REPLACE "^lanes_" "" level ${level})
  if(NOT level IN_LIST GRADUS_LEVELS)
    set_source_files_properties(${file} PROPERTIES HEADER_FILE_ONLY ON)
    continue()
  endif()
  # Not -ffast-math: the bits of a result are those of the hardware.
  set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS
    "-O3;-ffp-contract=off;-fno-trapping-math;-fno-math-errno;${GRADUS_ISA_FLAGS_${level}}")
  string(APPEND declarations "extern const struct gr_lane_functions gr_lanes_${level};\n")
  string(APPEND entries "    {\"${level}\", &gr_lanes_${level}},\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/registry/gr_lanes_levels.c CONTENT
"/* Generated from the file names of src/machine/lanes_*.c. */
#include \"machine/lane_functions.h\"

@declarations@
const struct gr_lanes_level gr_lanes_levels[] = {
@entries@    {0, 0},
};
" @ONLY)
target_sources(gr_machine PRIVATE ${PROJECT_BINARY_DIR}/registry/gr_lanes_levels.c)
target_compile_options(gr_machine PRIVATE -O3 -ffp-contract=off -fno-trapping-math -fno-math-errno)
gradus_registry(machine machine/translate.h "struct gr_meanings" gr_meanings_ meaning_)

# Its traced form, src/engine, is linked with the parts of the simulator's run time that do not concern how a kernel
# was compiled: the tracer, the observers, and what runs the blocks of a grid.
set(of_host_kernels alignment calls fast fiber hooks kernel_signals loop_mark merge overflow print program_main
  shared_variables sm warp)
file(GLOB tracer CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/simrt/*.c)
foreach(part ${of_host_kernels})
  list(REMOVE_ITEM tracer ${PROJECT_SOURCE_DIR}/src/simrt/${part}.c)
endforeach()
target_sources(gr_engine PRIVATE ${tracer} ${PROJECT_BINARY_DIR}/registry/gr_observe_all.c)
target_compile_options(gr_engine PRIVATE -O3)
