# Micro-kernels: kernels/cpu/ukr_<type>_<MRxNR>_<isa>.c, each with the flags of its own ISA only.
