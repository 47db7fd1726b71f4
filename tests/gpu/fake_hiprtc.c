/* fake_hiprtc.c: AMD's run-time compiler for tests: hipRTC's functions, by those of the fake NVRTC,
 * whose variables it obeys, too. GRADUS_HIPRTC=libfake_hiprtc.so. SPDX-License-Identifier: MIT */
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))
struct program;

/* Each function of hipRTC calls the one of the fake NVRTC that has its parameters. */
#define FORWARD(hip, fake, parameters, arguments)                                                  \
    int fake parameters;                                                                           \
    EXPORT int hip parameters;                                                                     \
    int hip parameters                                                                             \
    {                                                                                              \
        return fake arguments;                                                                     \
    }

FORWARD(hiprtcVersion, nvrtcVersion, (int *major, int *minor), (major, minor))
FORWARD(hiprtcCreateProgram, nvrtcCreateProgram,
        (struct program * *program, const char *text, const char *name, int header_count,
         const char *const *headers, const char *const *header_names),
        (program, text, name, header_count, headers, header_names))
FORWARD(hiprtcDestroyProgram, nvrtcDestroyProgram, (struct program * *program), (program))
FORWARD(hiprtcAddNameExpression, nvrtcAddNameExpression,
        (struct program * program, const char *expression), (program, expression))
FORWARD(hiprtcCompileProgram, nvrtcCompileProgram,
        (struct program * program, int option_count, const char *const *options),
        (program, option_count, options))
FORWARD(hiprtcGetProgramLogSize, nvrtcGetProgramLogSize, (struct program * program, size_t *bytes),
        (program, bytes))
FORWARD(hiprtcGetProgramLog, nvrtcGetProgramLog, (struct program * program, char *text),
        (program, text))
FORWARD(hiprtcGetLoweredName, nvrtcGetLoweredName,
        (struct program * program, const char *expression, const char **symbol),
        (program, expression, symbol))
FORWARD(hiprtcGetCodeSize, nvrtcGetCUBINSize, (struct program * program, size_t *bytes),
        (program, bytes))
FORWARD(hiprtcGetCode, nvrtcGetCUBIN, (struct program * program, char *image), (program, image))

EXPORT const char *hiprtcGetErrorString(int result);
const char *hiprtcGetErrorString(int result)
{
    return result == 0 ? "HIPRTC_SUCCESS" : "HIPRTC_ERROR_COMPILATION";
}
