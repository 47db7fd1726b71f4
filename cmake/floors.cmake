# One object library gr_<folder> for each folder of src/ with C files. Dependencies between folders are includes
# (src/floors.txt, checked by a test), so that a program can link just the folders that it needs.
file(GLOB folders RELATIVE ${PROJECT_SOURCE_DIR}/src CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*)
set(GRADUS_FOLDERS "")
list(REMOVE_ITEM folders mpi) # cmake/mpi.cmake: mpicc compiles it
list(REMOVE_ITEM folders simrt cublas pblas) # cmake/simrt.cmake, cublas.cmake, pblas.cmake: they are not linked into gradus
foreach(folder ${folders})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.c)
  list(FILTER sources EXCLUDE REGEX "/([a-z]+_)?main\\.c$")
  if(sources)
    add_library(gr_${folder} OBJECT ${sources})
    target_link_libraries(gr_${folder} PUBLIC gradus_options)
    if(TARGET gradus_needs_${folder})
      target_link_libraries(gr_${folder} PUBLIC gradus_needs_${folder})
    endif()
    list(APPEND GRADUS_FOLDERS ${folder})
  endif()
endforeach()

# gradus_link(target folder…): links the object files of those folders, if they exist.
function(gradus_link target)
  foreach(folder ${ARGN})
    if(TARGET gr_${folder})
      target_link_libraries(${target} PRIVATE gr_${folder})
    endif()
  endforeach()
  target_link_libraries(${target} PRIVATE gradus_options)
endfunction()

# gradus_registry(folder prefix type): writes a generated C file into gr_<folder> with the null-terminated table
# `const TYPE *const PREFIX_all[]` of the objects PREFIX_<name> that the files PREFIX_<name>.c (without "gr_") define.
# With it, a new verb, format, peer, backend, analysis or observer is one new file, which the build finds by its name.
# Further arguments are names whose objects are defined elsewhere.
function(gradus_registry folder header type symbol_prefix file_prefix)
  set(names ${ARGN})
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/${file_prefix}*.c)
  set(declarations "")
  set(entries "")
  foreach(path ${files})
    get_filename_component(name ${path} NAME_WE)
    string(REGEX REPLACE "^${file_prefix}" "" name ${name})
    list(APPEND names ${name})
  endforeach()
  list(SORT names)
  foreach(name ${names})
    string(APPEND declarations "extern const ${type} ${symbol_prefix}${name};\n")
    string(APPEND entries "    &${symbol_prefix}${name},\n")
  endforeach()
  set(out ${PROJECT_BINARY_DIR}/registry/${symbol_prefix}all.c)
  file(CONFIGURE OUTPUT ${out} CONTENT
"/* Generated from the file names of src/${folder}/${file_prefix}*.c. */
#include \"${header}\"

@declarations@
const ${type} *const ${symbol_prefix}all[] = {
@entries@    0,
};
" @ONLY)
  if(TARGET gr_${folder})
    target_sources(gr_${folder} PRIVATE ${out})
  endif()
endfunction()

gradus_registry(cpu cpu/gemm.h "struct gr_driver" gr_driver_ driver_)
gradus_registry(report report/report.h "struct gr_format" gr_format_ format_)
gradus_registry(peer peer/peer.h "struct gr_peer_kind" gr_peer_ peer_)
gradus_registry(gpu gpu/vendor.h "struct gr_gpu_vendor" gr_gpu_vendor_ vendor_)

# The backend of a GPU vendor, src/gpu/vendor_<name>.c, is the same but for the vendor, so that it is generated.
file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/gpu/vendor_*.c)
set(vendors "")
foreach(file ${files})
  string(REGEX REPLACE ".*/vendor_(.*)\\.c$" "\\1" vendor ${file})
  list(APPEND vendors ${vendor})
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/registry/be_${vendor}.c CONTENT
"/* Generated from the file name of src/gpu/vendor_${vendor}.c. */
#include \"backend/gpu_backend.h\"

extern const struct gr_gpu_vendor gr_gpu_vendor_${vendor};
const struct gr_backend gr_backend_${vendor} = GR_GPU_BACKEND(gr_gpu_vendor_${vendor}, \"${vendor}\");
" @ONLY)
  target_sources(gr_backend PRIVATE ${PROJECT_BINARY_DIR}/registry/be_${vendor}.c)
endforeach()
gradus_registry(backend backend/backend.h "struct gr_backend" gr_backend_ be_ ${vendors})
gradus_registry(explain explain/analysis.h "struct gr_analysis" gr_analysis_ analysis_)
gradus_registry(explain explain/advice.h "struct gr_advice" gr_advice_ advice_)
gradus_registry(cli cli/verb.h "struct gr_verb" gr_verb_ verb_)
