/* interpreter.h: what runs a file: the `#!` of a script, the dynamic loader of a program.
 * SPDX-License-Identifier: MIT */
#ifndef BASE_INTERPRETER_H
#define BASE_INTERPRETER_H

/* The file that a script's first line names, malloc'ed; null for what is no script. */
char *gr_script_interpreter(const char *path);

/* Why the system would not run the file at `path`, for which it gave the error `number` (of
 * errno.h): half a sentence that names the interpreter or the dynamic loader where that is what is
 * missing. `path` may be null: the program was not found. malloc'ed; null when memory is out. */
char *gr_program_refusal(const char *path, int number);

#endif
