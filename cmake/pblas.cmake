# libgradus-pblas: pdgemm_ and psgemm_ with ScaLAPACK's arguments, which a program takes by link order or by `gradus exec
# --pblas`. It contains what it needs of libgradus. It is linked with neither ScaLAPACK nor MPI, but uses the BLACS of the
# program, whose names stay undefined, and the plug-in of the program's MPI (cmake/mpi.cmake).
file(GLOB pblas_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/pblas/*.c)
add_library(gradus_pblas SHARED ${pblas_sources})
set_target_properties(gradus_pblas PROPERTIES OUTPUT_NAME gradus-pblas VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR} LINKER_LANGUAGE C LINK_DEPENDS ${PROJECT_SOURCE_DIR}/src/pblas/exports.map)
target_link_libraries(gradus_pblas PRIVATE gradus_static gradus_options)
target_link_options(gradus_pblas PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/src/pblas/exports.map)
if(NOT GRADUS_SANITIZE AND NOT GRADUS_FUZZ) # the run time of a sanitizer or fuzzer is in the program
  target_link_options(gradus_pblas PRIVATE LINKER:-z,defs)
endif()
install(TARGETS gradus_pblas LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
add_dependencies(product gradus_pblas)
