/*
 * Hello from a plain ACP program, without MPI.
 *
 *     acpcc hello_world_acp.c -o hello_world_acp
 *     acprun -np 4 ./hello_world_acp
 */
#include "hello.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    if (acp_init(&argc, &argv) != 0) {
        fprintf(stderr, "acp_init failed\n");
        return EXIT_FAILURE;
    }
    int status = hello_exchange("without MPI");
    if (acp_finalize() != 0)
        status = EXIT_FAILURE;
    return status;
}
