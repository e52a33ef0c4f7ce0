/*
 * GP, global pointer arrays: dense arrays of one to seven dimensions, spread over all ranks, whose
 * elements are pieces of memory of any size. docs/gp.md of GoACP explains them.
 *
 * A place of an array is named by a subscript, which has one int for each dimension, from 0. The
 * rank that holds the place is its owner. The memory that is assigned to a place is its element,
 * and lies on the owner. A section is all places from lo to hi in every dimension, bounds
 * included; if hi is less than lo in one, it is empty. The last dimension is the fastest.
 *
 * Handles are greater than 0, and the same on all ranks for the same array. Sizes are in bytes.
 * The functions have no failure values but those that their comments name: an error ends the run
 * with one line on standard error.
 *
 * The last line of each comment says who calls the function, and whether it blocks. Local functions
 * and those for any process may be called by several threads at once, collective ones by one thread
 * at a time.
 */
#ifndef GP_H
#define GP_H

#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The first call of GP. It calls acp_init if that has not been done; then GP_Terminate calls
 * acp_finalize.
 *
 * Collective. Blocks if it calls acp_init.
 */
void GP_Initialize(void);

/*
 * The last call of GP. It destroys all arrays and frees all memory of GP_Malloc. GP_Initialize may
 * be called again.
 *
 * Collective. Blocks until every rank has called it.
 */
void GP_Terminate(void);

/*
 * Completes what the caller has under way in GP and ACP, and waits until every rank has called it.
 * Afterwards every rank sees what any rank has done before.
 *
 * Collective. Blocks until every rank has called it.
 */
void GP_Sync(void);

/*
 * Returns a new array, which has no dimensions and no places yet.
 *
 * Collective. Blocks until every rank has called it.
 */
int GP_Create_handle(void);

/*
 * Sets the number of dimensions, 1 to 7, and the places of each. It forgets chunk sizes and
 * starts of blocks. Before GP_Allocate. All ranks pass the same.
 *
 * Local. Does not block.
 */
void GP_Set_dimensions(int g_p, int ndim, int *dims);

/*
 * Sets the least extent of a rank's block in each dimension. 0 or less leaves the dimension to the
 * library; the whole dimension or more keeps it in one piece. After GP_Set_dimensions, before
 * GP_Allocate. All ranks pass the same.
 *
 * Local. Does not block.
 */
void GP_Set_chunk(int g_p, int *chunk);

/*
 * Prescribes the blocks: nblock[d] along dimension d, and in mapc the first index of each, for
 * dimension 0, then for dimension 1, and so on. The ranks hold the blocks in C order. There are
 * no more blocks than ranks. It takes the place of chunk sizes. After GP_Set_dimensions, before
 * GP_Allocate. All ranks pass the same.
 *
 * Local. Does not block.
 */
void GP_Set_irreg_distr(int g_p, int *mapc, int *nblock);

/*
 * Gives the array its places, to which no elements are assigned. Returns 1. Returns 0 on all
 * ranks if the heap of a rank has no room: then nothing has changed. The option
 * -startermemsize-dl of the launchers makes heaps larger.
 *
 * Collective. Blocks until every rank has called it.
 */
int GP_Allocate(int g_p);

/*
 * Ends an array. Its elements stay: free them by their addresses afterwards, or detach and free
 * them before. Returns 1.
 *
 * Collective. Blocks until every rank has called it.
 */
int GP_Destroy(int g_p);

/*
 * Stores the bounds of the block of rank proc. If the rank has no places, lo is -1 and hi is -2
 * in every dimension.
 *
 * Local. Does not block.
 */
void GP_Distribution(int g_p, int proc, int *lo, int *hi);

/*
 * Returns the number of dimensions, or -1 while they have not been set.
 *
 * Local. Does not block.
 */
int GP_Get_dimension(int g_p);

/*
 * Returns memory for an element, aligned to 16 bytes, or NULL if the heap of the caller has no
 * room. Its contents are undefined.
 *
 * Local. Does not block.
 */
void *GP_Malloc(size_t size);

/*
 * Frees memory of GP_Malloc that is no element of an array. NULL does nothing.
 *
 * Local. Does not block.
 */
void GP_Free(void *ptr);

/*
 * Assigns memory of GP_Malloc to a place of the caller, with size bytes: at least 1, and at most
 * what GP_Malloc was called with. An element that the place had is detached, not freed.
 *
 * Local. Does not block.
 */
void GP_Assign_local_element(int g_p, int *subscript, void *ptr, int size);

/*
 * Detaches the element of a place of the caller, and returns its address, or NULL if none was
 * assigned. It does not free the memory.
 *
 * Local. Does not block.
 */
void *GP_Free_local_element(int g_p, int *subscript);

/*
 * Stores the address of the element of a place of the caller in the pointer variable that ptr
 * points to, and its size in *size; NULL and 0 if none is assigned. The program may use the
 * element until it releases it.
 *
 * Local. Does not block.
 */
void GP_Access_element(int g_p, int *subscript, void *ptr, int *size);

/*
 * Ends an access that only read.
 *
 * Local. Does not block.
 */
void GP_Release_element(int g_p, int *subscript);

/*
 * Ends an access that wrote: every get that begins afterwards sees it.
 *
 * Local. Does not block.
 */
void GP_Release_update_element(int g_p, int *subscript);

/*
 * Stores the sum of the sizes of the elements of a section in *size.
 *
 * Any process. Blocks for one round trip, or for none on one host.
 */
void GP_Get_size(int g_p, int *lo, int *hi, int *size);

/*
 * Copies the elements of a section. The entry of buf_ptr for a place is that of a C array whose
 * dimensions from the second on have the extents ld; buf_size, an array of int, has the extents
 * ld_size. For one dimension both may be NULL.
 *
 * If setbuf is 0, the elements go to buf, one behind the other in C order, and buf_ptr and
 * buf_size get the address and the size of each. Otherwise the program says there where the first
 * bytes of each go, and how many; where buf_size is 0 nothing is copied. *size gets the bytes
 * that have been copied.
 *
 * Any process. Blocks for one or two round trips, or for none on one host.
 */
void GP_Get(int g_p, int *lo, int *hi, void *buf, void **buf_ptr, int *ld, void *buf_size, int *ld_size, int *size,
            int setbuf);

/*
 * Copies buf_size bytes from buf_ptr to the beginning of each element of a section. ld and
 * ld_size are as for GP_Get. If checksize is not 0, every buf_size has to be the size of the
 * element. *size gets the bytes that have been copied. When it returns, every get sees them.
 *
 * Any process. Blocks for one or two round trips, or for none on one host.
 */
void GP_Put(int g_p, int *lo, int *hi, void **buf_ptr, int *ld, void *buf_size, int *ld_size, int *size, int checksize);

/*
 * Is GP_Get_size for nv places: subscript has their subscripts, one behind the other.
 *
 * Any process. Blocks for one round trip, or for none on one host.
 */
void GP_Gather_size(int g_p, int nv, int *subscript, int *size);

/*
 * Is GP_Get for nv places, which may repeat. Entry k of buf_ptr and buf_size belongs to place k.
 *
 * Any process. Blocks for one or two round trips, or for none on one host.
 */
void GP_Gather(int g_p, int nv, int *subscript, void *buf, void **buf_ptr, int *buf_size, int *size, int setbuf);

/*
 * Is GP_Put for nv places. If a place repeats, its element gets the bytes of one of the entries.
 *
 * Any process. Blocks for one or two round trips, or for none on one host.
 */
void GP_Scatter(int g_p, int nv, int *subscript, void **buf_ptr, int *buf_size, int *size, int checksize);

/*
 * Sets all bytes of all elements to 0.
 *
 * Collective. Blocks until every rank has called it.
 */
void GP_Memzero(int g_p);

/*
 * Prints the sizes of all elements on rank 0: a table for each index before the last two
 * dimensions, and the total. On other ranks it does nothing.
 *
 * Any process. Blocks for one round trip, or for none on one host.
 */
void GP_Debug(int g_p);

#ifdef __cplusplus
}
#endif

#endif
