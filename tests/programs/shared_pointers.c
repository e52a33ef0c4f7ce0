/*
 * A global pointer array that programs in C and in Go make together: shared_pointers/main.go does the
 * same. Each rank assigns rank + 1 bytes, and reads the bytes of all ranks.
 */
#include "program.h"

#include <gp.h>

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int rank = acp_rank(), procs = acp_procs(), first = 0, last = procs - 1, size;
    void **where = calloc((size_t)procs, sizeof *where);
    int *sizes = calloc((size_t)procs, sizeof *sizes);
    unsigned char *all = calloc((size_t)procs, (size_t)procs + 1);

    GP_Initialize();
    int array = GP_Create_handle();
    GP_Set_dimensions(array, 1, &procs);
    CHECK(GP_Allocate(array) == 1, "no room");
    unsigned char *mine = GP_Malloc((size_t)rank + 1);
    memset(mine, rank, (size_t)rank + 1);
    GP_Assign_local_element(array, &rank, mine, rank + 1);
    GP_Sync();
    GP_Get(array, &first, &last, all, where, NULL, sizes, NULL, &size, 0);
    for (int r = 0; r < procs; r++) {
        unsigned char *element = where[r];
        CHECK(sizes[r] == r + 1 && element[0] == r && element[r] == r, "rank %d has %d bytes of %d", r, sizes[r], element[0]);
    }
    GP_Memzero(array);
    CHECK(mine[0] == 0 && mine[rank] == 0, "the element is not zero");
    GP_Destroy(array);
    GP_Terminate();
    printf("rank %d in C: %d bytes\n", rank, size);
    end();
    return EXIT_SUCCESS;
}
