// Functions on memory of this process: access, copies, packing, and stride iterators.

#include "armci_iterator.h"
#include "armcix.h"
#include "atomics.h"
#include "internal.h"

#include <string.h>

void PARMCI_Access_begin(void *ptr) {
  (void)ptr;
  goacp_fence_seq_cst();
}

void PARMCI_Access_end(void *ptr) {
  (void)ptr;
  goacp_fence_seq_cst();
}

void PARMCI_Copy(void *src, void *dst, int n) {
  if (n < 0)
    goacp_armci_wrong(CALLED_OR_END(src, dst, n), ARMCI_ERROR_COUNT, n);
  if (n > 0 && (src == NULL || dst == NULL))
    goacp_armci_wrong(CALLED_OR_END(src, dst, n), ARMCI_ERROR_ADDRESS, 0);
  if (n > 0)
    memmove(dst, src, (size_t)n);
}

// The agent executes operations, so there is nothing to do.
void ARMCIX_Progress(void) {}

// The blocks of a strided side, first index fastest.
struct walk {
  int levels;
  const int *stride, *count; // count[0] is the bytes of a block
  int index[ARMCI_MAX_STRIDE_LEVEL];
  ptrdiff_t offset;
};

// Goes to the next block, or returns 0 after the last.
static int advance(struct walk *w) {
  for (int i = 0; i < w->levels; i++) {
    w->offset += w->stride[i];
    if (++w->index[i] < w->count[i + 1])
      return 1;
    w->offset -= (ptrdiff_t)w->index[i] * w->stride[i];
    w->index[i] = 0;
  }
  return 0;
}

// Returns the number of the error if no side is like this, with the value that is wrong, or 0.
static int mistake(int levels, const int *stride, const int *count, int *value) {
  *value = levels;
  if (levels < 0 || levels > ARMCI_MAX_STRIDE_LEVEL)
    return ARMCI_ERROR_LEVELS;
  if (count == NULL || (levels > 0 && stride == NULL))
    return ARMCI_ERROR_ARRAY;
  for (int i = 0; i <= levels; i++)
    if ((*value = count[i]) < 0)
      return ARMCI_ERROR_COUNT;
  return 0;
}

// Ends the run if no side is like the one that the function, whose parameters follow, has got.
#define CHECK_SIDE(levels, stride, count, ...)                                 \
  do {                                                                         \
    int value, error = mistake(levels, stride, count, &value);                 \
    if (error != 0)                                                            \
      goacp_armci_wrong(CALLED_OR_END(__VA_ARGS__), error, value);             \
  } while (0)

static int is_empty(int levels, const int *count) {
  for (int i = 0; i <= levels; i++)
    if (count[i] == 0)
      return 1;
  return 0;
}

void armci_write_strided(void *ptr, int stride_levels, int stride_arr[], int count[], char *buf) {
  struct walk w = {stride_levels, stride_arr, count, {0}, 0};
  CHECK_SIDE(stride_levels, stride_arr, count, ptr, stride_levels, stride_arr, count, buf);
  if (is_empty(stride_levels, count))
    return;
  if (ptr == NULL || buf == NULL)
    goacp_armci_wrong(CALLED_OR_END(ptr, stride_levels, stride_arr, count, buf), ARMCI_ERROR_ADDRESS, 0);
  do {
    memcpy(buf, (char *)ptr + w.offset, (size_t)count[0]);
    buf += count[0];
  } while (advance(&w));
}

void armci_read_strided(void *ptr, int stride_levels, int stride_arr[], int count[], char *buf) {
  struct walk w = {stride_levels, stride_arr, count, {0}, 0};
  CHECK_SIDE(stride_levels, stride_arr, count, ptr, stride_levels, stride_arr, count, buf);
  if (is_empty(stride_levels, count))
    return;
  if (ptr == NULL || buf == NULL)
    goacp_armci_wrong(CALLED_OR_END(ptr, stride_levels, stride_arr, count, buf), ARMCI_ERROR_ADDRESS, 0);
  do {
    memcpy((char *)ptr + w.offset, buf, (size_t)count[0]);
    buf += count[0];
  } while (advance(&w));
}

void armci_stride_info_init(stride_info_t *s, void *base_ptr, int stride_levels,
                            const int *stride_arr, const int *seg_count) {
  CHECK_SIDE(stride_levels, stride_arr, seg_count, s, base_ptr, stride_levels, stride_arr, seg_count);
  memset(s, 0, sizeof *s);
  s->base_ptr = base_ptr;
  s->stride_levels = stride_levels;
  s->size = 1;
  s->seg_count[0] = seg_count[0];
  for (int i = 0; i < stride_levels; i++) {
    s->stride_arr[i] = stride_arr[i];
    s->seg_count[i + 1] = seg_count[i + 1];
    s->size *= seg_count[i + 1];
  }
}

void armci_stride_info_destroy(stride_info_t *s) { (void)s; }

int armci_stride_info_size(stride_info_t *s) { return s->size; }

int armci_stride_info_count(stride_info_t *s) { return s->size; }

int armci_stride_info_pos(stride_info_t *s) { return s->pos; }

void armci_stride_info_next(stride_info_t *s) {
  s->pos++;
  for (int i = 0; i < s->stride_levels; i++) {
    if (++s->itr[i] < s->seg_count[i + 1])
      return;
    s->itr[i] = 0;
  }
}

static ptrdiff_t offset_of(const stride_info_t *s) {
  ptrdiff_t offset = 0;
  for (int i = 0; i < s->stride_levels; i++)
    offset += (ptrdiff_t)s->itr[i] * s->stride_arr[i];
  return offset;
}

void *armci_stride_info_seg_ptr(stride_info_t *s) { return s->base_ptr + offset_of(s); }

int armci_stride_info_seg_size(stride_info_t *s) { return s->seg_count[0]; }

int armci_stride_info_seg_off(stride_info_t *s) { return (int)offset_of(s); }

int armci_stride_info_has_more(stride_info_t *s) { return s->pos < s->size; }

ARMCI_ALIAS(void, Access_begin, (void *ptr));
ARMCI_ALIAS(void, Access_end, (void *ptr));
ARMCI_ALIAS(void, Copy, (void *src, void *dst, int n));
