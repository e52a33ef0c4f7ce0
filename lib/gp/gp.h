/*
 * GP, global pointer arrays: dense arrays of one to seven dimensions, spread over all ranks, whose
 * elements are pieces of memory of any size. docs/gp.md of GoACP explains them.
 *
 * A subscript identifies a place of an array: one int for each dimension, from 0. The rank that
 * holds the place is its owner. The memory that is assigned to a place is its element, and lies on
 * the owner. A section consists of all places from lo to hi in every dimension, bounds included. If
 * hi is less than lo in a dimension, the section is empty. The last dimension varies fastest.
 *
 * Handles are greater than 0, and the same on all ranks for the same array. Sizes are in bytes.
 * If the comment of a function names no failure value, an error ends the run with one line on
 * standard error.
 *
 * The last line of each comment gives the ranks that call the function, and whether it blocks.
 * Several threads at once may call local functions and functions for any process. Only one thread
 * at a time may call collective functions.
 */
#ifndef GP_H
#define GP_H

#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The first call of GP. If acp_init has not been called, GP_Initialize calls it, and GP_Terminate
 * calls acp_finalize.
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
 * Completes all operations of the caller in GP and ACP, and waits until every rank has called it.
 * Afterwards every rank sees all earlier changes of all ranks.
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
 * Sets the number of dimensions, 1 to 7, and the number of places in each. It resets chunk sizes
 * and starts of blocks. Call it before GP_Allocate. All ranks pass the same arguments.
 *
 * Local. Does not block.
 */
void GP_Set_dimensions(int g_p, int ndim, int *dims);

/*
 * Sets the minimum extent of a rank's block in each dimension. With 0 or less the library chooses
 * it; with the whole dimension or more the dimension is not divided. Call it after
 * GP_Set_dimensions and before GP_Allocate. All ranks pass the same arguments.
 *
 * Local. Does not block.
 */
void GP_Set_chunk(int g_p, int *chunk);

/*
 * Sets the blocks: nblock[d] is the number of blocks along dimension d. mapc has the first index of
 * each block, for dimension 0, then for dimension 1, and so on. The ranks hold the blocks in C
 * order. There are no more blocks than ranks. The call replaces chunk sizes. Call it after
 * GP_Set_dimensions and before GP_Allocate. All ranks pass the same arguments.
 *
 * Local. Does not block.
 */
void GP_Set_irreg_distr(int g_p, int *mapc, int *nblock);

/*
 * Creates the places of the array, without elements. Returns 1. If the heap of a rank has no room,
 * it returns 0 on all ranks and changes nothing. The option -startermemsize-dl of the launchers
 * sets the size of heaps.
 *
 * Collective. Blocks until every rank has called it.
 */
int GP_Allocate(int g_p);

/*
 * Destroys an array. The memory of its elements stays allocated: free it by address afterwards, or
 * detach and free the elements first. Returns 1.
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
 * room. The contents are undefined.
 *
 * Local. Does not block.
 */
void *GP_Malloc(size_t size);

/*
 * Frees memory of GP_Malloc that is not an element of an array. NULL does nothing.
 *
 * Local. Does not block.
 */
void GP_Free(void *ptr);

/*
 * Assigns size bytes of memory of GP_Malloc to a place of the caller. size is at least 1, and at
 * most the size passed to GP_Malloc. The previous element of the place is detached, not freed.
 *
 * Local. Does not block.
 */
void GP_Assign_local_element(int g_p, int *subscript, void *ptr, int size);

/*
 * Detaches the element of a place of the caller. Returns its address, or NULL if the place has no
 * element. It does not free the memory.
 *
 * Local. Does not block.
 */
void *GP_Free_local_element(int g_p, int *subscript);

/*
 * Stores the address of the element of a place of the caller in the pointer variable that ptr
 * points to, and its size in *size; NULL and 0 if the place has no element. The program may use the
 * element until it releases it.
 *
 * Local. Does not block.
 */
void GP_Access_element(int g_p, int *subscript, void *ptr, int *size);

/*
 * Ends an access that has only read the element.
 *
 * Local. Does not block.
 */
void GP_Release_element(int g_p, int *subscript);

/*
 * Ends an access that has written the element. Every get that begins afterwards returns the new
 * bytes.
 *
 * Local. Does not block.
 */
void GP_Release_update_element(int g_p, int *subscript);

/*
 * Stores the sum of the sizes of the elements of a section in *size.
 *
 * Any process. Blocks for one round trip, or none on one host.
 */
void GP_Get_size(int g_p, int *lo, int *hi, int *size);

/*
 * Copies the elements of a section. buf_ptr and buf_size, an array of int, have one entry for each
 * place, as C arrays. ld has the extents of buf_ptr from the second dimension on, and ld_size those
 * of buf_size. For one dimension both may be NULL.
 *
 * If setbuf is 0, the elements go to buf, one after the other in C order, and the call stores the
 * address and the size of each in buf_ptr and buf_size. Otherwise the program passes them: buf_size
 * bytes of the element, from its beginning, go to buf_ptr; for a buf_size of 0 nothing is copied.
 * *size becomes the number of bytes copied.
 *
 * Any process. Blocks for one or two round trips, or none on one host.
 */
void GP_Get(int g_p, int *lo, int *hi, void *buf, void **buf_ptr, int *ld, void *buf_size, int *ld_size, int *size,
            int setbuf);

/*
 * Copies buf_size bytes from buf_ptr to the beginning of each element of a section. ld and ld_size
 * are as for GP_Get. If checksize is not 0, every buf_size has to be the size of the element. *size
 * becomes the number of bytes copied. When the call returns, every get returns the new bytes.
 *
 * Any process. Blocks for one or two round trips, or none on one host.
 */
void GP_Put(int g_p, int *lo, int *hi, void **buf_ptr, int *ld, void *buf_size, int *ld_size, int *size, int checksize);

/*
 * Same as GP_Get_size for nv places: subscript has their subscripts, one after the other.
 *
 * Any process. Blocks for one round trip, or none on one host.
 */
void GP_Gather_size(int g_p, int nv, int *subscript, int *size);

/*
 * Same as GP_Get for nv places, which may repeat. Entry k of buf_ptr and buf_size belongs to place
 * k.
 *
 * Any process. Blocks for one or two round trips, or none on one host.
 */
void GP_Gather(int g_p, int nv, int *subscript, void *buf, void **buf_ptr, int *buf_size, int *size, int setbuf);

/*
 * Same as GP_Put for nv places. If a place repeats, its element gets the bytes of one of the
 * entries.
 *
 * Any process. Blocks for one or two round trips, or none on one host.
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
 * Any process. Blocks for one round trip, or none on one host.
 */
void GP_Debug(int g_p);

#ifdef __cplusplus
}
#endif

#endif
