// Grids, and weights that are made from them.

#include "couple_every.h"

#include <math.h>

enum { MOST = 16 };

// The entries of a matrix.
static int64_t rows[MOST], columns[MOST];
static double values[MOST];

// Checks the entries of weights, which it frees.
static void has(acp_weights_t w, int64_t n, const int64_t *row, const int64_t *column, const double *value) {
  CHECK(w != ACP_WEIGHTS_NULL && acp_count_weights(w) == n && n <= MOST);
  CHECK(acp_query_weights(w, rows, columns, values) == 0);
  for (int64_t i = 0; i < n; i++)
    CHECK(rows[i] == row[i] && columns[i] == column[i] && fabs(values[i] - value[i]) < 1e-12);
  CHECK(acp_free_weights(w) == 0);
}

// Makes n cells of a plane side by side, of the same width.
static acp_grid_t cells(int n, double width) {
  double x[4], y[4], cx[MOST], cy[MOST];
  for (int i = 0; i < n; i++) {
    x[i] = (i + 0.5) * width, y[i] = 0.5;
    const double corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (int k = 0; k < 4; k++)
      cx[4 * i + k] = (i + corner[k][0]) * width, cy[4 * i + k] = corner[k][1];
  }
  acp_grid_t g = acp_create_grid(x, y, 1, &n, ACP_PLANE);
  CHECK(g != ACP_GRID_NULL);
  SAYS(acp_make_weights(g, g, ACP_REGRID_CONSERVATIVE, 0, NULL, -1), ACP_WEIGHTS_NULL, EINVAL, "corners");
  SAYS(acp_set_grid_corners(g, cx, cy, 2), -1, EINVAL, "a cell has at least 3");
  SAYS(acp_set_grid_corners(g, cx, NULL, 4), -1, EFAULT, "ys is NULL");
  CHECK(acp_set_grid_corners(g, cx, cy, 4) == 0);
  return g;
}

// Areas: two cells get the values of two each, also if one of those has none.
static void conservative(acp_grid_t from, acp_grid_t to) {
  const int64_t row[] = {0, 0, 1, 1}, column[] = {0, 1, 2, 3}, second = 1;
  const double halves[] = {0.5, 0.5, 0.5, 0.5}, one = 1;
  const int masks[] = {1, -7, 1, 0};
  has(acp_make_weights(from, to, ACP_REGRID_CONSERVATIVE, 0, NULL, -1), 4, row, column, halves);
  has(acp_make_weights(from, to, ACP_REGRID_CONSERVATIVE, 0, &second, 1), 2, row + 2, column + 2, halves);
  has(acp_make_weights(from, to, ACP_REGRID_CONSERVATIVE, 0, &second, 0), 0, NULL, NULL, NULL);
  has(acp_make_weights(from, to, ACP_REGRID_CONSERVATIVE, 0, NULL, 0), 0, NULL, NULL, NULL); // of a rank without points
  SAYS(acp_make_weights(from, to, ACP_REGRID_CONSERVATIVE, 0, NULL, 1), ACP_WEIGHTS_NULL, EFAULT, "points is NULL");
  SAYS(acp_mask_grid(from, masks, 3), -1, EINVAL, "count is 3, for 4 points");
  SAYS(acp_mask_grid(from, NULL, 4), -1, EFAULT, "masks is NULL");
  CHECK(acp_mask_grid(from, masks, 4) == 0);
  has(acp_make_weights(from, to, ACP_REGRID_CONSERVATIVE, 0, &second, 1), 1, row + 2, column + 2, &one);
  has(acp_make_weights(from, to, ACP_REGRID_CONSERVATIVE, ACP_REGRID_CELL_AREA, NULL, -1), 3, row, column, halves);
}

// Points: a grid of three columns and two rows, in the order of Fortran, and one of single points.
static void points(void) {
  const double x[] = {0, 1, 2, 0, 1, 2}, y[] = {0, 0, 0, 1, 1, 1}, at[] = {1.25, 9}, height[] = {0.5, 0.9};
  const int fortran[] = {3, 2}, two = 2;
  const int64_t row[] = {0, 0, 0, 0, 1}, column[] = {1, 2, 4, 5, 5}, near_row[] = {0, 1}, near_column[] = {1, 5};
  const double value[] = {0.375, 0.125, 0.375, 0.125, 1}, ones[] = {1, 1};
  acp_grid_t from = acp_create_grid(x, y, 2, fortran, ACP_PLANE | ACP_ORDER_FORTRAN);
  acp_grid_t to = acp_create_grid(at, height, 1, &two, ACP_PLANE);
  has(acp_make_weights(from, to, ACP_REGRID_BILINEAR, 0, NULL, -1), 4, row, column, value);
  has(acp_make_weights(from, to, ACP_REGRID_BILINEAR, ACP_REGRID_FILL, NULL, -1), 5, row, column, value);
  has(acp_make_weights(from, to, ACP_REGRID_NEAREST, 0, NULL, -1), 2, near_row, near_column, ones);
  acp_weights_t w = acp_make_weights(from, to, ACP_REGRID_NEAREST, 3, NULL, -1);
  CHECK(acp_count_weights(w) == 6 && acp_free_weights(w) == 0);
  CHECK(acp_free_grid(from) == 0 && acp_free_grid(to) == 0);
}

// A link takes the weights.
static void coupled(acp_weights_t w) {
  const int64_t zero = 0, n = me == 0 ? 4 : 2;
  double x[] = {1, 3, 5, 9};
  CHECK(acp_query_weights(w, rows, columns, values) == 0);
  acp_field_t f = acp_create_field_ranges(model, "f", ACP_DOUBLE, 1, x, &zero, &n, 1);
  acp_link_t link = me == 0 ? opened(f, 1, 1)
                            : acp_open_link_weighted_from(f, "left.f", rows, columns, values, acp_count_weights(w), 1, 1, -1);
  CHECK(link != ACP_LINK_NULL && moved(link, 0) == 0);
  CHECK(me == 0 || (x[0] == 2 && x[1] == 7));
  CHECK(acp_close_link(link) == 0 && acp_free_field(f) == 0);
}

// What is no grid, no weights, or no argument.
static void refused(acp_grid_t g, acp_weights_t w) {
  const double x = 0, nan = NAN;
  const int one = 1, none = 0;
  const int64_t far = 7, twice[] = {0, 0};
  SAYS(acp_create_grid(NULL, &x, 1, &one, 0), ACP_GRID_NULL, EFAULT, "xs is NULL");
  SAYS(acp_create_grid(&x, &x, 0, &one, 0), ACP_GRID_NULL, EINVAL, "0 dimensions, expected 1 to");
  SAYS(acp_create_grid(&x, &x, 1, NULL, 0), ACP_GRID_NULL, EFAULT, "sizes is NULL");
  SAYS(acp_create_grid(&x, &x, 1, &none, 0), ACP_GRID_NULL, EINVAL, "sizes are [0]");
  SAYS(acp_create_grid(&x, &x, 1, &one, ACP_FILL_HALO), ACP_GRID_NULL, EINVAL, "flags 0x2");
  SAYS(acp_make_weights(g, ACP_GRID_NULL, 0, 0, NULL, -1), ACP_WEIGHTS_NULL, EBADF, "to: grid 0x0");
  SAYS(acp_make_weights(g, g, 3, 0, NULL, -1), ACP_WEIGHTS_NULL, EINVAL, "there is no method 3");
  SAYS(acp_make_weights(g, g, ACP_REGRID_BILINEAR, 2, NULL, -1), ACP_WEIGHTS_NULL, EINVAL, "choice is 2 for the method bilinear; expected 0 or 1");
  SAYS(acp_make_weights(g, g, ACP_REGRID_NEAREST, -1, NULL, -1), ACP_WEIGHTS_NULL, EINVAL, "-1 neighbours");
  SAYS(acp_make_weights(g, g, ACP_REGRID_NEAREST, 1, &far, 1), ACP_WEIGHTS_NULL, EINVAL, "7");
  SAYS(acp_make_weights(g, g, ACP_REGRID_NEAREST, 1, twice, 2), ACP_WEIGHTS_NULL, EINVAL, "0");
  acp_grid_t bad = acp_create_grid(&nan, &x, 1, &one, ACP_PLANE);
  SAYS(acp_make_weights(g, bad, ACP_REGRID_NEAREST, 1, NULL, -1), ACP_WEIGHTS_NULL, EINVAL, "to: bad grid: the coordinates of point 0 are NaN");
  CHECK(acp_free_grid(bad) == 0);
  SAYS(acp_query_weights(w, NULL, columns, values), -1, EFAULT, "rows is NULL");
  SAYS(acp_query_weights(w, rows, NULL, values), -1, EFAULT, "columns is NULL");
  SAYS(acp_query_weights(w, rows, columns, NULL), -1, EFAULT, "values is NULL");
}

void check_grids(void) {
  acp_grid_t from = cells(4, 1), to = cells(2, 2);
  acp_weights_t w = acp_make_weights(from, to, ACP_REGRID_CONSERVATIVE, 0, NULL, -1);
  refused(from, w);
  conservative(from, to);
  points();
  coupled(w);
  const double ones[] = {1, 1, 1};
  CHECK(acp_count_grid(from) == 4 && acp_count_grid(to) == 2);
  CHECK(acp_free_grid(from) == 0 && acp_free_grid(to) == 0 && acp_free_weights(w) == 0);
  SAYS(acp_free_grid(from), -1, EBADF, "grid 0x");
  SAYS(acp_set_grid_corners(from, ones, ones, 3), -1, EBADF, "grid 0x");
  SAYS(acp_mask_grid(from, NULL, -1), -1, EBADF, "grid 0x");
  SAYS(acp_count_weights(w), -1, EBADF, "weights 0x");
  SAYS(acp_query_weights(w, NULL, NULL, NULL), -1, EBADF, "weights 0x");
  SAYS(acp_free_weights(w), -1, EBADF, "weights 0x");
}
