# Installation: programs, library, headers, .pc, CMake package, man page, completion.
