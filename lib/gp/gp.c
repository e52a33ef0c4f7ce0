/* GP in C. The Go functions are in libacp, or in libmacp for programs with MPI. */

#include "gp.h"

#include "acp.h"
#include "near.h"

#include <stdio.h>

/* CALL is the value of a Go function. Forked children end before the call. */
#define CALL(name, ...)                                                                    \
  (goacp_gp_enter(__func__, __builtin_extract_return_addr(__builtin_return_address(0))), \
   goacp_gp_##name(__VA_ARGS__))

void GP_Initialize(void) {
  if (CALL(initialize, 0) == 0)
    return;
  if (acp_init(NULL, NULL) != 0)
    exit(EXIT_FAILURE); /* acp_init has printed the reason */
  CALL(initialize, 1);
}

void GP_Terminate(void) {
  if (CALL(terminate) != 0)
    acp_finalize();
}

void GP_Sync(void) { CALL(sync); }

int GP_Create_handle(void) { return CALL(create_handle); }

void GP_Set_dimensions(int g_p, int ndim, int *dims) { CALL(set_dimensions, g_p, ndim, dims); }

void GP_Set_chunk(int g_p, int *chunk) { CALL(set_chunk, g_p, chunk); }

void GP_Set_irreg_distr(int g_p, int *mapc, int *nblock) { CALL(set_irreg_distr, g_p, mapc, nblock); }

int GP_Allocate(int g_p) { return CALL(allocate, g_p); }

int GP_Destroy(int g_p) {
  CALL(destroy, g_p);
  return 1;
}

void GP_Distribution(int g_p, int proc, int *lo, int *hi) { CALL(distribution, g_p, proc, lo, hi); }

int GP_Get_dimension(int g_p) { return CALL(get_dimension, g_p); }

void *GP_Malloc(size_t size) { return CALL(malloc, size); }

void GP_Free(void *ptr) { CALL(free, ptr); }

void GP_Assign_local_element(int g_p, int *subscript, void *ptr, int size) {
  CALL(assign_local_element, g_p, subscript, ptr, size);
}

void *GP_Free_local_element(int g_p, int *subscript) { return CALL(free_local_element, g_p, subscript); }

void GP_Access_element(int g_p, int *subscript, void *ptr, int *size) {
  CALL(access_element, g_p, subscript, ptr, size);
}

void GP_Release_element(int g_p, int *subscript) { CALL(release_element, g_p, subscript); }

void GP_Release_update_element(int g_p, int *subscript) { CALL(release_update_element, g_p, subscript); }

void GP_Get_size(int g_p, int *lo, int *hi, int *size) { CALL(get_size, g_p, lo, hi, size); }

/* Sets *size to the result of a function for mapped elements. Returns whether the function has handled the call. */
static int is_done(int bytes, int *size) {
  if (bytes < 0)
    return 0;
  *size = bytes;
  return 1;
}

void GP_Get(int g_p, int *lo, int *hi, void *buf, void **buf_ptr, int *ld, void *buf_size, int *ld_size, int *size,
            int setbuf) {
  const struct places p = {.number = g_p, .lo = lo, .hi = hi, .pointers = buf_ptr, .ld = ld, .sizes = buf_size, .ld_size = ld_size};
  if (size == NULL || lo == NULL || !is_done(setbuf ? near_get_into(&p) : near_get(&p, buf), size))
    CALL(get, g_p, lo, hi, buf, buf_ptr, ld, buf_size, ld_size, size, setbuf);
}

void GP_Put(int g_p, int *lo, int *hi, void **buf_ptr, int *ld, void *buf_size, int *ld_size, int *size,
            int checksize) {
  const struct places p = {.number = g_p, .lo = lo, .hi = hi, .pointers = buf_ptr, .ld = ld, .sizes = buf_size, .ld_size = ld_size};
  if (size == NULL || lo == NULL || !is_done(near_put(&p, checksize), size))
    CALL(put, g_p, lo, hi, buf_ptr, ld, buf_size, ld_size, size, checksize);
}

void GP_Gather_size(int g_p, int nv, int *subscript, int *size) { CALL(gather_size, g_p, nv, subscript, size); }

void GP_Gather(int g_p, int nv, int *subscript, void *buf, void **buf_ptr, int *buf_size, int *size, int setbuf) {
  const struct places p = {.number = g_p, .subscripts = subscript, .n = nv, .pointers = buf_ptr, .sizes = buf_size};
  if (size == NULL || !is_done(setbuf ? near_get_into(&p) : near_get(&p, buf), size))
    CALL(gather, g_p, nv, subscript, buf, buf_ptr, buf_size, size, setbuf);
}

void GP_Scatter(int g_p, int nv, int *subscript, void **buf_ptr, int *buf_size, int *size, int checksize) {
  const struct places p = {.number = g_p, .subscripts = subscript, .n = nv, .pointers = buf_ptr, .sizes = buf_size};
  if (size == NULL || !is_done(near_put(&p, checksize), size))
    CALL(scatter, g_p, nv, subscript, buf_ptr, buf_size, size, checksize);
}

void GP_Memzero(int g_p) { CALL(memzero, g_p); }

void GP_Debug(int g_p) {
  char *text = CALL(debug, g_p);
  if (text == NULL)
    return;
  fputs(text, stdout);
  fflush(stdout);
  free(text);
}
