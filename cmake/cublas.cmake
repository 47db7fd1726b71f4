# libgradus-cublas, which `gradus exec --gpu` puts before a program's cuBLAS. It contains what it needs of libgradus and
# exports the functions of cuBLAS that src/cublas/ defines, and nothing else: no BLAS on the CPU is intercepted by it.
file(GLOB cublas_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cublas/*.c)
add_library(gradus_cublas SHARED ${cublas_sources})
set_target_properties(gradus_cublas PROPERTIES OUTPUT_NAME gradus-cublas VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR} LINKER_LANGUAGE C LINK_DEPENDS ${PROJECT_SOURCE_DIR}/src/cublas/exports.map)
target_link_libraries(gradus_cublas PRIVATE gradus_static gradus_options)
target_link_options(gradus_cublas PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/src/cublas/exports.map)
if(NOT GRADUS_SANITIZE AND NOT GRADUS_FUZZ) # the run time of a sanitizer or fuzzer is in the program
  target_link_options(gradus_cublas PRIVATE LINKER:-z,defs)
endif()
install(TARGETS gradus_cublas LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP)
add_dependencies(product gradus_cublas)
