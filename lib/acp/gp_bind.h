/* The functions of libacp and libmacp that libgp calls. The functions that begin with goacp_gp_ are
   in Go, except the first three. goacp_gp_enter is called before each Go function. It ends forked
   children, and stores the function that this thread has called and its return address. */

#ifndef GOACP_GP_BIND_H
#define GOACP_GP_BIND_H

#include <stddef.h>

void goacp_gp_enter(const char *function, const void *site);

/* goacp_gp_table returns the table of arrays, or NULL. goacp_gp_publish sets it. */
const struct goacp_gp *goacp_gp_table(void);
void goacp_gp_publish(const void *table);

int goacp_gp_initialize(int owns);
int goacp_gp_terminate(void);
void goacp_gp_sync(void);

int goacp_gp_create_handle(void);
void goacp_gp_set_dimensions(int g_p, int ndim, int *dims);
void goacp_gp_set_chunk(int g_p, int *chunk);
void goacp_gp_set_irreg_distr(int g_p, int *mapc, int *nblock);
int goacp_gp_allocate(int g_p);
void goacp_gp_destroy(int g_p);
void goacp_gp_distribution(int g_p, int proc, int *lo, int *hi);
int goacp_gp_get_dimension(int g_p);

void *goacp_gp_malloc(size_t size);
void goacp_gp_free(void *ptr);
void goacp_gp_assign_local_element(int g_p, int *subscript, void *ptr, int size);
void *goacp_gp_free_local_element(int g_p, int *subscript);
void goacp_gp_access_element(int g_p, int *subscript, void *ptr, int *size);
void goacp_gp_release_element(int g_p, int *subscript);
void goacp_gp_release_update_element(int g_p, int *subscript);

void goacp_gp_get_size(int g_p, int *lo, int *hi, int *size);
void goacp_gp_get(int g_p, int *lo, int *hi, void *buf, void **buf_ptr, int *ld, int *buf_size,
                  int *ld_size, int *size, int setbuf);
void goacp_gp_put(int g_p, int *lo, int *hi, void **buf_ptr, int *ld, int *buf_size, int *ld_size,
                  int *size, int checksize);
void goacp_gp_gather_size(int g_p, int nv, int *subscript, int *size);
void goacp_gp_gather(int g_p, int nv, int *subscript, void *buf, void **buf_ptr, int *buf_size,
                     int *size, int setbuf);
void goacp_gp_scatter(int g_p, int nv, int *subscript, void **buf_ptr, int *buf_size, int *size,
                      int checksize);

void goacp_gp_memzero(int g_p);
char *goacp_gp_debug(int g_p);

#endif
