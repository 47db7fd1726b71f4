# The kernels and texts that the build puts into the binary: the rungs, each compiled for its types, transposes and ISA
# levels, and the texts that `show`, `run` and a user's compiler need. All are found by their file names; the front
# matter of a rung determines its builds. Target gr_kernels.
add_executable(gradus-embed ${PROJECT_SOURCE_DIR}/src/embed/embed_main.c)
set(embed_folders embed emit catalog source records core base)
gradus_link(gradus-embed ${embed_folders})

# gradus_front_matter(OUT file keyword): the values of one keyword's lines, joined by commas.
function(gradus_front_matter out file keyword)
  file(STRINGS ${file} lines REGEX "^[ \t]*//@[ \t]*${keyword}[ \t]")
  set(values "")
  foreach(line ${lines})
    string(REGEX REPLACE "^[ \t]*//@[ \t]*${keyword}[ \t]+" "" line "${line}")
    string(STRIP "${line}" line)
    list(APPEND values "${line}")
  endforeach()
  string(REPLACE ";" "," values "${values}")
  set(${out} "${values}" PARENT_SCOPE)
endfunction()

# gradus_rung_names(OUT file): "f32.nn" and the like, the names that src/embed/builds.c gives its builds.
function(gradus_rung_names out file)
  gradus_front_matter(types ${file} type)
  gradus_front_matter(trans ${file} trans)
  if(types STREQUAL "")
    message(FATAL_ERROR "${file}: no `//@ type` line; a rung says its types")
  endif()
  if(trans STREQUAL "")
    set(trans nn)
  endif()
  string(REGEX REPLACE "(^|,)[ \t]*A=" "\\1" types "${types}")
  string(REGEX REPLACE "[ \t]+[A-Z]+=" "_" types "${types}") # A=bf16 B=bf16 C=f32 ACC=f32: bf16_bf16_f32_f32
  string(REGEX REPLACE "[ \t]*,[ \t]*" ";" types "${types}")
  string(REGEX REPLACE "[ \t]*,[ \t]*" ";" trans "${trans}")
  set(names "")
  foreach(type ${types})
    foreach(t ${trans})
      list(APPEND names ${type}.${t})
    endforeach()
  endforeach()
  set(${out} "${names}" PARENT_SCOPE)
endfunction()

# gradus_rungs(target folder): target with the builds of all rungs folder/NN_*.c and their table. A generated table is
# in the target, too, so a program links one such target.
function(gradus_rungs target folder)
  file(GLOB rungs RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${folder}/[0-9]*_*.c)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${target}.dir)
  set(stubs "")
  set(levels "")
  set(rung_files ${rungs})
  list(TRANSFORM rung_files PREPEND ${PROJECT_SOURCE_DIR}/)
  foreach(level ${GRADUS_LEVELS})
    string(REPLACE ";" " " flags "${GRADUS_ISA_FLAGS_${level}}")
    list(APPEND levels "${level}=${flags}")
  endforeach()
  foreach(rung ${rungs})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${rung})
    get_filename_component(name ${rung} NAME_WE)
    gradus_rung_names(builds ${PROJECT_SOURCE_DIR}/${rung})
    gradus_front_matter(flags ${PROJECT_SOURCE_DIR}/${rung} flags)
    string(REGEX REPLACE "[ \t,]+" ";" flags "${flags}")
    set(outputs "")
    foreach(build ${builds})
      foreach(level ${GRADUS_LEVELS})
        set(stub ${out}/${name}.${build}.${level}.c)
        set_source_files_properties(${stub} PROPERTIES COMPILE_OPTIONS
          "-O3;${GRADUS_ISA_FLAGS_${level}};${flags}")
        list(APPEND outputs ${stub})
      endforeach()
    endforeach()
    add_custom_command(OUTPUT ${outputs} DEPENDS gradus-embed ${PROJECT_SOURCE_DIR}/${rung}
      COMMAND gradus-embed stubs ${out} ${rung} ${GRADUS_LEVELS}
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMENT "Stubs of ${name}" VERBATIM)
    list(APPEND stubs ${outputs})
  endforeach()
  add_custom_command(OUTPUT ${out}/builtin_table.c DEPENDS gradus-embed ${rung_files}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${out}
    COMMAND gradus-embed table ${out}/builtin_table.c ${levels} -- ${rungs}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMENT "The table of rungs" VERBATIM)
  add_library(${target} OBJECT ${stubs} ${out}/builtin_table.c)
  target_link_libraries(${target} PUBLIC gradus_options)
  # A rung may have unused parameters, and may pass vectors wider than those of the baseline ISA between its functions.
  target_compile_options(${target} PRIVATE -Wno-unused -Wno-unused-parameter -Wno-pedantic -Wno-psabi
    -Wno-shadow -Wno-unknown-pragmas)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
endfunction()

gradus_rungs(gr_kernels ${PROJECT_SOURCE_DIR}/kernels/cpu)

file(GLOB texts RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
  kernels/cpu/*.c kernels/cpu/*.h kernels/gpu/*.cu kernels/gpu/*.hip kernels/gpu/*.h kernels/library/*.cu
  src/records/launch.h src/simrt/gr_sim.h src/simrt/shim/*.hpp src/emit/rtc/*.hpp src/gpu/*.hpp src/report/*.js src/report/*.css include/gradus/*.h
  devices/*.txt)
set(embedded ${PROJECT_BINARY_DIR}/gr_kernels.dir/embedded.c)
set(text_files ${texts})
list(TRANSFORM text_files PREPEND ${PROJECT_SOURCE_DIR}/)
add_custom_command(OUTPUT ${embedded} DEPENDS gradus-embed ${text_files}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/gr_kernels.dir
  COMMAND gradus-embed texts ${embedded} ${texts}
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMENT "Embedded texts" VERBATIM)
set_source_files_properties(${embedded} PROPERTIES COMPILE_OPTIONS "-Wno-overlength-strings")
target_sources(gr_kernels PRIVATE ${embedded})
add_custom_target(embedded_texts DEPENDS ${embedded}) # of which gradus-pack has them, too
add_dependencies(gr_kernels embedded_texts)
# The policy of a page allows only the script with this hash: these files, one after the other (src/report/walk_data.c).
set(script)
foreach(part walk_model walk_pictures walk walk_code)
  set(part ${PROJECT_SOURCE_DIR}/src/report/${part}.js)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${part})
  file(READ ${part} text)
  string(APPEND script "${text}")
endforeach()
string(SHA256 script_hash "${script}")
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/report/walk_data.c PROPERTIES
  COMPILE_DEFINITIONS GR_WALK_SHA256="${script_hash}")
list(APPEND GRADUS_FOLDERS kernels)
