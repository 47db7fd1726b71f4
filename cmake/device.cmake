# The GPU kernels of the library: those that src/device/kernels.list names, as tables (in gr_device), and their machine code
# for the architectures of GRADUS_CUBINS (in gr_cubins), if an NVRTC is found during the build. Code for sm_80 runs on 8.6
# and 8.9, too. What is not built in is compiled at run time. What these kernels took where they were measured, devices/tuned/,
# is a table, too (in gr_points).
set(GRADUS_CUBINS "sm_80;sm_90a" CACHE STRING "GPU architectures whose machine code the library holds")
option(GRADUS_REORDER_FFMA "Reorder the FFMAs of that machine code, for sm_90a, where it is proven to compute the same" ON)
set(order $<$<NOT:$<BOOL:${GRADUS_REORDER_FFMA}>>:as-compiled>)
add_executable(gradus-pack ${PROJECT_SOURCE_DIR}/src/pack/pack_main.c ${embedded})
add_dependencies(gradus-pack embedded_texts)
gradus_link(gradus-pack pack sass gpu emit code catalog model source records core base)
file(GLOB pack_inputs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/gpu/*.cu ${PROJECT_SOURCE_DIR}/kernels/gpu/*.h
  ${PROJECT_SOURCE_DIR}/kernels/library/*.cu)
list(APPEND pack_inputs ${PROJECT_SOURCE_DIR}/src/device/kernels.list)
set(out ${PROJECT_BINARY_DIR}/gr_device.dir)
file(MAKE_DIRECTORY ${out})
add_custom_command(OUTPUT ${out}/kernel_table.c DEPENDS gradus-pack ${pack_inputs}
  COMMAND gradus-pack tables ${out}/kernel_table.c src/device/kernels.list
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMENT "Tables of the library's GPU kernels" VERBATIM)
file(GLOB tuned RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/devices/tuned/*.txt)
# gradus_points(TARGET [FILE…]): the object library TARGET with the tables of these files.
function(gradus_points target)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/gr_device.dir/${target}.c DEPENDS gradus-pack ${pack_inputs} ${ARGN}
    COMMAND gradus-pack points ${PROJECT_BINARY_DIR}/gr_device.dir/${target}.c src/device/kernels.list ${ARGN}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMENT "Measured times of the library's GPU kernels (${target})" VERBATIM)
  add_library(${target} OBJECT ${PROJECT_BINARY_DIR}/gr_device.dir/${target}.c)
  target_link_libraries(${target} PUBLIC gradus_options)
endfunction()
gradus_points(gr_points ${tuned})
# A table for each architecture, so that they are compiled beside one another, which takes minutes; and the list of the tables.
set(cubins "")
set(declarations "")
set(entries "")
foreach(arch ${GRADUS_CUBINS})
  add_custom_command(OUTPUT ${out}/cubins_${arch}.c DEPENDS gradus-pack ${pack_inputs}
    COMMAND gradus-pack cubins ${out}/cubins_${arch}.c src/device/kernels.list ${arch} ${order}
    COMMAND_EXPAND_LISTS
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMENT "Machine code of the library's GPU kernels for ${arch}" VERBATIM)
  list(APPEND cubins ${out}/cubins_${arch}.c)
  string(APPEND declarations "extern const struct gr_device_cubin gr_device_cubins_${arch}[];\n")
  string(APPEND entries "    gr_device_cubins_${arch},\n")
endforeach()
file(CONFIGURE OUTPUT ${out}/cubins.c CONTENT
"/* Generated from GRADUS_CUBINS. */
#include \"device/kernel_table.h\"

@declarations@
const struct gr_device_cubin *const gr_device_cubins[] = {
@entries@    0,
};
" @ONLY)
set_source_files_properties(${out}/kernel_table.c ${cubins} PROPERTIES COMPILE_OPTIONS "-Wno-overlength-strings")
if(TARGET gr_device)
  target_sources(gr_device PRIVATE ${out}/kernel_table.c)
endif()
add_library(gr_cubins OBJECT ${out}/cubins.c ${cubins})
target_link_libraries(gr_cubins PUBLIC gradus_options)
list(APPEND GRADUS_FOLDERS cubins points)
