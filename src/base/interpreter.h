/* interpreter.h: finds the interpreter of a script or the dynamic loader of a program, to explain
 * why the system could not run a file. SPDX-License-Identifier: MIT */
#ifndef BASE_INTERPRETER_H
#define BASE_INTERPRETER_H

/* The interpreter that the `#!` line of a script names, malloc'ed; null if the file is no
 * script. */
char *gr_script_interpreter(const char *path);

/* Explains why the system could not run the file at `path` with the error `number` (of errno.h):
 * part of a sentence, which names the interpreter or the dynamic loader if that is what is missing.
 * `path` is null if the program was not found. malloc'ed; null if out of memory. */
char *gr_program_refusal(const char *path, int number);

#endif
