# libgradus is built from an explicit list of folders, which are not part of the workbench; gradus from all folders.
set(GRADUS_LIBRARY_FOLDERS core cpu device cubins points blas dist multi)
add_library(gradus_shared SHARED)
set_target_properties(gradus_shared PROPERTIES OUTPUT_NAME gradus VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR} LINKER_LANGUAGE C)
gradus_link(gradus_shared ${GRADUS_LIBRARY_FOLDERS})
if(NOT GRADUS_SANITIZE AND NOT GRADUS_FUZZ) # the run time of a sanitizer or fuzzer is in the program
  target_link_options(gradus_shared PRIVATE LINKER:-z,defs)
endif()

# gcc clears a struct of 200 bytes with `rep stos`, which takes as long as a 4x4x4 GEMM; memset is three times as fast.
include(CheckCCompilerFlag)
check_c_compiler_flag(-mmemset-strategy=libcall:-1:noalign GRADUS_HAS_MEMSET_STRATEGY)
if(GRADUS_HAS_MEMSET_STRATEGY)
  foreach(folder cpu blas)
    target_compile_options(gr_${folder} PRIVATE -mmemset-strategy=libcall:-1:noalign)
  endforeach()
endif()
if(EXISTS ${PROJECT_SOURCE_DIR}/src/cli/main.c)
  add_executable(gradus src/cli/main.c)
  set_target_properties(gradus PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  set(workbench ${GRADUS_FOLDERS})
  list(REMOVE_ITEM workbench embed pack)
  gradus_link(gradus ${workbench})
  # A user's kernel is loaded into the worker and may call the public API but no other function of Gradus.
  target_link_options(gradus PRIVATE "LINKER:--export-dynamic-symbol=gradus_*")
endif()
