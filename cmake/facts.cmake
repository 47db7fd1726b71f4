# The compiler and options of this build, which `gradus --version` shows: definitions for src/base/build.c only.
string(TOUPPER "${CMAKE_BUILD_TYPE}" facts_type)
string(STRIP "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${facts_type}}" facts_flags)
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/base/build.c PROPERTIES COMPILE_DEFINITIONS
  "GRADUS_BUILD_TYPE=\"${CMAKE_BUILD_TYPE}\";GRADUS_BUILD_FLAGS=\"${facts_flags}\";GRADUS_BUILD_TARGET=\"${CMAKE_SYSTEM_PROCESSOR} ${CMAKE_SYSTEM_NAME}\";GRADUS_BUILD_SANITIZER=\"${GRADUS_SANITIZE}\"")
