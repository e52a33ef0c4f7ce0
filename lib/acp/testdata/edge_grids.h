// Values for the functions of grids and of weights that are made from them. A part of edge_couple.h, whose kinds it uses.

#ifndef EDGE_GRIDS_H
#define EDGE_GRIDS_H

// The grid has GRID_POINTS points, and the weights are those of their nearest points.
static inline void put_grids(void) {
  static const double some[GRID_POINTS * GRID_CORNERS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  static const int sizes[] = {GRID_POINTS, 1}, none[] = {0, 1}, fewer[] = {-1, 1};
  static const int64_t points[] = {3, 1}, twice[] = {1, 1}, far[] = {4, -1};
  static int64_t numbers[GRID_POINTS];
  static double values[GRID_POINTS];
  const struct couplings *c = &couplings;
  PUT(coordinates, RIGHT, "some", some);
  PUT(coordinates, WRONG, "NULL", NULL);
  PUT(grid_dims, RIGHT, "1", 1);
  PUT(grid_dims, RIGHT, "2", 2);
  PUT(grid_dims, WRONG, "0", 0);
  PUT(grid_dims, WRONG, "-1", -1);
  PUT(grid_dims, WRONG, "65", 65);
  PUT(grid_dims, WRONG, "INT_MAX", INT_MAX);
  PUT(grid_sizes, RIGHT, "four points", sizes);
  PUT(grid_sizes, WRONG, "NULL", NULL);
  PUT(grid_sizes, WRONG, "no points", none);
  PUT(grid_sizes, WRONG, "-1", fewer);
  PUT(grid_flags, RIGHT, "0", 0);
  PUT(grid_flags, RIGHT, "all", ACP_ORDER_FORTRAN | ACP_PLANE);
  PUT(grid_flags, WRONG, "that of blocks", ACP_FILL_HALO);
  PUT(grid_flags, WRONG, "-1", -1);
  PUT_HANDLES(made_grid, acp_grid_t, c->grid, c->dead_grid);
  PUT(corners, RIGHT, "3", GRID_CORNERS);
  PUT(corners, WRONG, "2", 2);
  PUT(corners, WRONG, "0", 0);
  PUT(corners, WRONG, "-1", -1);
  PUT(corners, WRONG, "INT_MIN", INT_MIN);
  PUT(grid_count, RIGHT, "4", GRID_POINTS);
  PUT(grid_count, WRONG, "3", 3);
  PUT(grid_count, WRONG, "-1", -1);
  PUT(grid_count, WRONG, "INT64_MAX", INT64_MAX);
  PUT(weights_method, RIGHT, "nearest", ACP_REGRID_NEAREST);
  PUT(weights_method, ODD, "bilinear", ACP_REGRID_BILINEAR);
  PUT(weights_method, ODD, "conservative", ACP_REGRID_CONSERVATIVE);
  PUT(weights_method, WRONG, "-1", -1);
  PUT(weights_method, WRONG, "3", 3);
  PUT(choice, RIGHT, "0", 0);
  PUT(choice, RIGHT, "1", 1);
  PUT(choice, ODD, "INT_MAX", INT_MAX);
  PUT(choice, WRONG, "-1", -1);
  PUT(grid_points, RIGHT, "two", points);
  PUT(grid_points, ALONE, "NULL", NULL);
  PUT(grid_points, ODD, "one twice", twice);
  PUT(grid_points, ODD, "out of range", far);
  PUT(grid_point_count, RIGHT, "2", 2);
  PUT(grid_point_count, ODD, "0", 0);
  PUT(grid_point_count, ODD, "-1", -1);
  PUT(grid_point_count, ODD, "INT64_MIN", INT64_MIN);
  PUT(grid_point_count, ALONE, "INT64_MAX", INT64_MAX);
  PUT_HANDLES(made_weights, acp_weights_t, c->weights, c->dead_weights);
  PUT(grid_numbers, RIGHT, "room", numbers);
  PUT(grid_numbers, WRONG, "NULL", NULL);
  PUT(grid_values, RIGHT, "room", values);
  PUT(grid_values, WRONG, "NULL", NULL);
}

// Makes new grids and weights.
static inline void make_grids(void) {
  static const double x[] = {0, 1, 2, 3}, y[] = {0, 0, 1, 1};
  static const int points = GRID_POINTS;
  struct couplings *c = &couplings;
  c->grid = acp_create_grid(x, y, 1, &points, 0);
  c->dead_grid = acp_create_grid(x, y, 1, &points, 0);
  c->weights = acp_make_weights(c->grid, c->grid, ACP_REGRID_NEAREST, 1, NULL, -1);
  c->dead_weights = acp_make_weights(c->grid, c->grid, ACP_REGRID_NEAREST, 1, NULL, -1);
  CHECK(acp_count_weights(c->weights) == GRID_POINTS);
  CHECK(acp_free_grid(c->dead_grid) == 0 && acp_free_weights(c->dead_weights) == 0);
}

#endif
