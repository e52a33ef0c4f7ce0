/* Stride iterators: the blocks of a strided shape, one after the other, first index fastest. */

#ifndef ARMCI_ITERATOR_H
#define ARMCI_ITERATOR_H

#include "armci.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  char *base_ptr;
  int stride_levels;
  int stride_arr[ARMCI_MAX_STRIDE_LEVEL];
  int seg_count[ARMCI_MAX_STRIDE_LEVEL + 1];
  int size, pos, itr[ARMCI_MAX_STRIDE_LEVEL];
} stride_info_t;

void armci_stride_info_init(stride_info_t *s, void *base_ptr, int stride_levels,
                            const int *stride_arr, const int *seg_count);
void armci_stride_info_destroy(stride_info_t *s);
int armci_stride_info_size(stride_info_t *s);     /* number of blocks */
int armci_stride_info_count(stride_info_t *s);    /* the same as size */
int armci_stride_info_pos(stride_info_t *s);      /* number of the current block, from 0 */
void armci_stride_info_next(stride_info_t *s);
void *armci_stride_info_seg_ptr(stride_info_t *s); /* address of the current block */
int armci_stride_info_seg_size(stride_info_t *s); /* bytes of a block */
int armci_stride_info_seg_off(stride_info_t *s);  /* address minus base_ptr */
int armci_stride_info_has_more(stride_info_t *s);

#ifdef __cplusplus
}
#endif

#endif
