/* Lets exceptions of real numbers trap, and then loads a program that is a shared library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fenv.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *program;

    feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW);
    program = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (program == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    return ((int (*)(int, char **))dlsym(program, "main"))(argc - 1, argv + 1);
}
