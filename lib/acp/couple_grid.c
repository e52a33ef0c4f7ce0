// Grids and weights that are made from them. Go does everything.

#include "_cgo_export.h"
#include "acp_couple.h"

acp_grid_t acp_create_grid(const double *xs, const double *ys, int dims, const int *sizes, int flags) {
  return (acp_grid_t)GO_WITH(create_grid, ((double *)xs, (double *)ys, dims, (int *)sizes, flags), xs,
                             ys, dims, sizes, flags);
}

int64_t acp_count_grid(acp_grid_t grid) { return GO_WITH(count_grid, ((uintptr_t)grid), grid); }

int acp_set_grid_corners(acp_grid_t grid, const double *xs, const double *ys, int count) {
  return GO_WITH(set_grid_corners, ((uintptr_t)grid, (double *)xs, (double *)ys, count), grid, xs, ys, count);
}

int acp_mask_grid(acp_grid_t grid, const int *masks, int64_t count) {
  return GO_WITH(mask_grid, ((uintptr_t)grid, (int *)masks, count), grid, masks, count);
}

int acp_free_grid(acp_grid_t grid) { return GO_WITH(free_grid, ((uintptr_t)grid), grid); }

acp_weights_t acp_make_weights(acp_grid_t from, acp_grid_t to, int method, int choice,
                               const int64_t *points, int64_t count) {
  return (acp_weights_t)GO_WITH(
      make_weights, ((uintptr_t)from, (uintptr_t)to, method, choice, (int64_t *)points, count), from, to,
      method, choice, points, count);
}

int64_t acp_count_weights(acp_weights_t weights) {
  return GO_WITH(count_weights, ((uintptr_t)weights), weights);
}

int acp_query_weights(acp_weights_t weights, int64_t *rows, int64_t *columns, double *values) {
  return GO_WITH(query_weights, ((uintptr_t)weights, rows, columns, values), weights, rows, columns,
                 values);
}

int acp_free_weights(acp_weights_t weights) {
  return GO_WITH(free_weights, ((uintptr_t)weights), weights);
}
