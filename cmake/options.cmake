# Compiler options for all code: target gradus_options.
add_library(gradus_options INTERFACE)
target_compile_definitions(gradus_options INTERFACE _GNU_SOURCE)
target_compile_options(gradus_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow)
if(GRADUS_WERROR)
  target_compile_options(gradus_options INTERFACE -Werror)
endif()
if(GRADUS_SANITIZE)
  # -O1 and line tables compile in two thirds of the time of -O2 and -g.
  target_compile_options(gradus_options INTERFACE
    -O1 -g1 -fsanitize=${GRADUS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(gradus_options INTERFACE -fsanitize=${GRADUS_SANITIZE})
endif()
if(GRADUS_FUZZ)
  target_compile_options(gradus_options INTERFACE
    -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
  target_link_options(gradus_options INTERFACE -fsanitize=address,undefined)
endif()
# src/peer/peer.h has room for as many.
file(GLOB peers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/peer/peer_*.c)
list(LENGTH peers peer_kinds)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/registry/peer_count.h CONTENT
"/* Generated from the file names of src/peer/. */
#define GRADUS_PEER_KINDS @peer_kinds@
" @ONLY)
target_include_directories(gradus_options INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(gradus_options INTERFACE Threads::Threads ${CMAKE_DL_LIBS} m)

# Packages that only one folder needs: gradus_needs_<folder> is linked to every program with that folder, so that
# libgradus, which has none of these folders, does not depend on the packages.
option(GRADUS_CJSON "Read JSON (bench --baseline) by cJSON, where it is found; JSON is written without it" ON)
if(GRADUS_CJSON)
  find_path(CJSON_INCLUDE cjson/cJSON.h)
  find_library(CJSON_LIBRARY cjson)
endif()
if(GRADUS_CJSON AND CJSON_INCLUDE AND CJSON_LIBRARY)
  add_library(gradus_needs_io INTERFACE)
  target_include_directories(gradus_needs_io SYSTEM INTERFACE ${CJSON_INCLUDE})
  target_compile_definitions(gradus_needs_io INTERFACE GRADUS_HAVE_CJSON)
  target_link_libraries(gradus_needs_io INTERFACE ${CJSON_LIBRARY})
else()
  message(STATUS "without cJSON: JSON is written and not read (apt-get install libcjson-dev)")
endif()

option(GRADUS_SQLITE "Keep a history of what was measured by SQLite, where it is found" ON)
if(GRADUS_SQLITE)
  find_path(SQLITE_INCLUDE sqlite3.h)
  find_library(SQLITE_LIBRARY sqlite3)
endif()
if(GRADUS_SQLITE AND SQLITE_INCLUDE AND SQLITE_LIBRARY)
  add_library(gradus_needs_history INTERFACE)
  target_include_directories(gradus_needs_history SYSTEM INTERFACE ${SQLITE_INCLUDE})
  target_compile_definitions(gradus_needs_history INTERFACE GRADUS_HAVE_SQLITE)
  target_link_libraries(gradus_needs_history INTERFACE ${SQLITE_LIBRARY})
else()
  message(STATUS "without SQLite: no history is kept (apt-get install libsqlite3-dev)")
endif()
