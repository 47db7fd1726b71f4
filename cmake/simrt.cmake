# The simulator's run time: one object file, which is embedded in the binary and linked to each simulated kernel. It is
# always optimized and never built with a sanitizer, because it defines the functions that instrumented kernels call
# (__tsan_*).
file(GLOB simrt CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/simrt/*.c)
add_library(gr_simrt OBJECT ${simrt})
target_include_directories(gr_simrt PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include
  ${PROJECT_BINARY_DIR})
target_compile_definitions(gr_simrt PRIVATE _GNU_SOURCE)
target_compile_options(gr_simrt PRIVATE -O3 -g0 -fPIC -fvisibility=hidden -fno-sanitize=all -fno-lto
  -Wall -Wextra -Wpedantic -Wshadow $<$<BOOL:${GRADUS_WERROR}>:-Werror>)
gradus_registry(simrt simrt/tracer.h "struct gr_observer" gr_observe_ observe_)
set(simrt_object ${PROJECT_BINARY_DIR}/simrt.o)
add_custom_command(OUTPUT ${simrt_object} COMMAND ${CMAKE_LINKER} -r -o ${simrt_object} $<TARGET_OBJECTS:gr_simrt>
  DEPENDS gr_simrt $<TARGET_OBJECTS:gr_simrt> COMMAND_EXPAND_LISTS VERBATIM COMMENT "The simulator's run time")
set(simrt_embedded ${PROJECT_BINARY_DIR}/registry/simrt_object.c)
file(CONFIGURE OUTPUT ${simrt_embedded} CONTENT
"/* Generated: the simulator's run time as bytes. */
__asm__(\".section .rodata\\n\"
        \".balign 16\\n.globl gr_simrt_object\\n.hidden gr_simrt_object\\ngr_simrt_object:\\n\"
        \".incbin \\\"${simrt_object}\\\"\\n\"
        \".globl gr_simrt_object_end\\n.hidden gr_simrt_object_end\\ngr_simrt_object_end:\\n.byte 0\\n\"
        \".previous\\n\");
typedef int gr_simrt_object_of_this_unit;
" @ONLY)
set_source_files_properties(${simrt_embedded} PROPERTIES OBJECT_DEPENDS ${simrt_object})
target_sources(gr_sim PRIVATE ${simrt_embedded})
