# The probe's bursts: one source (src/probe/burst_body.h), compiled for each level with the flags of its instruction
# set only. It is compiled with -O2 because the loops are unrolled by hand, and without sanitizers because their checks
# would dominate the measurement.
set(declarations "")
set(entries "")
foreach(level ${GRADUS_LEVELS})
  gradus_isa_line(vectors ${PROJECT_SOURCE_DIR}/src/cpu/isa_${level}.c vectors)
  string(REGEX REPLACE "^([0-9]+) x ([0-9]+)$" "#define BURST_REGISTERS \\1\n#define BURST_BYTES \\2" vectors "${vectors}")
  set(burst ${PROJECT_BINARY_DIR}/registry/burst_${level}.c)
  file(CONFIGURE OUTPUT ${burst} CONTENT
"/* Generated from src/cpu/isa_${level}.c. */
#define BURST_ISA ${level}
@vectors@
#include \"probe/burst_body.h\"
" @ONLY)
  set_source_files_properties(${burst} PROPERTIES COMPILE_OPTIONS
    "-O2;-fno-sanitize=all;-ffp-contract=fast;${GRADUS_ISA_FLAGS_${level}}")
  target_sources(gr_probe PRIVATE ${burst})
  string(APPEND declarations "extern const struct gr_burst gr_burst_${level};\n")
  string(PREPEND entries "    &gr_burst_${level},\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/registry/gr_bursts.c CONTENT
"/* Generated from src/cpu/isa_*.c. */
#include \"probe/burst.h\"

@declarations@
const struct gr_burst *const gr_bursts[] = {
@entries@    0,
};
" @ONLY)
target_sources(gr_probe PRIVATE ${PROJECT_BINARY_DIR}/registry/gr_bursts.c)
