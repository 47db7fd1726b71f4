# The kinds of findings: findings/<name>.txt, a file each. GR_FINDING_LIST(X) of src/records/finding.h is made of them, in
# registry/finding_list.h.
file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/findings/*.txt)
set(rows "")
foreach(file ${files})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  get_filename_component(name ${file} NAME_WE)
  file(STRINGS ${file} severity REGEX "^severity +(fault|warning|advice|note)$")
  file(STRINGS ${file} means REGEX "^means +[^\"\\]+$")
  if(NOT severity OR NOT means)
    message(FATAL_ERROR "${file}: wanted a line \"severity fault|warning|advice|note\" and a line \"means …\"")
  endif()
  string(REGEX REPLACE "^means +" "" means "${means}")
  string(REPLACE "\\;" ";" means "${means}")
  string(REGEX REPLACE "^severity +" "" severity ${severity})
  string(TOUPPER ${severity} severity)
  string(MAKE_C_IDENTIFIER ${name} enumerator)
  string(TOUPPER ${enumerator} enumerator)
  string(APPEND rows " \\\n    X(GR_FIND_${enumerator}, \"${name}\", ${severity}, \
      \"${means}\")")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/registry/finding_list.h CONTENT
"/* Generated from findings/. */
#define GR_FINDING_LIST(X)@rows@
" @ONLY)
target_include_directories(gradus_options INTERFACE ${PROJECT_BINARY_DIR})
