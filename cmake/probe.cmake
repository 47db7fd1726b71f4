# The probe's bursts: one C text (src/probe/burst_body.h), each level with the flags of its own ISA only. O2 and no
# more: the loops are unrolled by hand, and a sanitizer's checks inside them would be what is measured.
set(burst_flags -O2 -fno-sanitize=all -ffp-contract=fast)
set_source_files_properties(src/probe/burst_portable.c src/probe/burst_neon.c PROPERTIES COMPILE_OPTIONS "${burst_flags}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  set_source_files_properties(src/probe/burst_avx2.c PROPERTIES COMPILE_OPTIONS "${burst_flags};-mavx2;-mfma")
  set_source_files_properties(src/probe/burst_avx512.c PROPERTIES COMPILE_OPTIONS "${burst_flags};-mavx512f;-mavx512vl;-mprefer-vector-width=512")
endif()
