# Installation: program, shared and static library, headers, .pc, CMake package, man page, completions, licence; and
# `cpack` for a Debian package or a tarball.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The static library has the same objects as the shared one.
add_library(gradus_static STATIC)
set_target_properties(gradus_static PROPERTIES OUTPUT_NAME gradus LINKER_LANGUAGE C
  ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
gradus_link(gradus_static ${GRADUS_LIBRARY_FOLDERS})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gradus)
set(generated ${PROJECT_BINARY_DIR}/package)
# The .pc file derives its prefix from its own location, so that it stays correct with `cmake --install --prefix` and
# after the tree is moved.
file(RELATIVE_PATH PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
# The program finds the library in the same way (for `gradus exec`).
file(RELATIVE_PATH BIN_TO_LIB ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/cli/preload.c ${PROJECT_SOURCE_DIR}/src/cli/ranks.c PROPERTIES COMPILE_DEFINITIONS
  "GRADUS_BIN_TO_LIB=\"${BIN_TO_LIB}\"")
configure_file(packaging/gradus.pc.in ${generated}/gradus.pc @ONLY)
configure_package_config_file(packaging/gradusConfig.cmake.in ${generated}/gradusConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${generated}/gradusConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS gradus RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS gradus_shared gradus_static
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The files that scikit-build-core puts into a Python package (python/).
if(SKBUILD)
  install(PROGRAMS $<TARGET_FILE:gradus_shared> DESTINATION gradus RENAME libgradus.so.${PROJECT_VERSION_MAJOR}
    COMPONENT python)
  install(TARGETS gradus_python DESTINATION gradus COMPONENT python)
endif()
install(DIRECTORY include/gradus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${generated}/gradus.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${generated}/gradusConfig.cmake ${generated}/gradusConfigVersion.cmake DESTINATION ${package_dir})

# The documentation, in the folders of the source tree, with everything that it links to, which a test checks. Headers
# are installed elsewhere.
set(doc_dir ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md DESTINATION ${doc_dir})
install(DIRECTORY docs/ DESTINATION ${doc_dir}/docs FILES_MATCHING PATTERN "*.md" PATTERN "*.csv" PATTERN library.md EXCLUDE)
install(DIRECTORY examples DESTINATION ${doc_dir})
install(FILES kernels/cpu/ukr.h DESTINATION ${doc_dir}/kernels/cpu)
install(FILES python/README.md DESTINATION ${doc_dir}/python)
install(FILES tests/gpu/strangers.list tests/gpu/as_written.list tests/gpu/unseen.list tests/gpu/hip.list DESTINATION ${doc_dir}/tests/gpu)
file(RELATIVE_PATH DOCS_TO_INCLUDE ${CMAKE_INSTALL_FULL_DOCDIR}/docs ${CMAKE_INSTALL_FULL_INCLUDEDIR})
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/library.md)
file(READ docs/library.md library_page)
string(REPLACE "](../include/" "](${DOCS_TO_INCLUDE}/" library_page "${library_page}")
file(WRITE ${generated}/library.md "${library_page}")
install(FILES ${generated}/library.md DESTINATION ${doc_dir}/docs)

# Generated from the headers whenever they change, so it is not in the source tree.
find_program(AWK awk)
if(AWK)
  set(headers ${PROJECT_SOURCE_DIR}/include/gradus/gradus.h ${PROJECT_SOURCE_DIR}/include/gradus/cblas.h
    ${PROJECT_SOURCE_DIR}/include/gradus/dist.h)
  set(header_man ${PROJECT_SOURCE_DIR}/scripts/header_man.awk)
  add_custom_command(OUTPUT ${generated}/gradus.3 DEPENDS ${headers} ${header_man} VERBATIM
    COMMAND ${AWK} -f ${header_man} -v version=${PROJECT_VERSION} ${headers} > ${generated}/gradus.3)
  add_custom_target(library_manual DEPENDS ${generated}/gradus.3)
  add_dependencies(gradus_shared library_manual) # so that every installation has it
  install(FILES ${generated}/gradus.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)
endif()

# These files are in the source tree; `gradus man` and `gradus completion` generate them, and a test compares both.
install(FILES docs/gradus.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES completions/gradus.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME gradus)
install(FILES completions/_gradus DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES completions/gradus.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# Builds everything that is installed, without the tests, for `make ladder` and `make install`.
add_custom_target(product DEPENDS gradus gradus_shared gradus_static)
if(TARGET gradus_python)
  add_dependencies(product gradus_python)
endif()

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME gradus)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "GEMM library, and a workbench that verifies, times and explains GEMM kernels")
set(CPACK_PACKAGE_CONTACT "the Gradus authors")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON) # the dependency of packages that link to the library
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS gcc) # `gradus run` compiles the user's kernels
include(CPack)
