// Links with matrices, from arrays and from files.

#include "couple_every.h"

// The fields are on different grids.
static void weights(void) {
  int64_t zero = 0, n = me == 0 ? 3 : 2;
  int64_t rows[] = {1, 0, 1, 0}, columns[] = {2, 0, 2, 1};
  double entries[] = {1, 0.5, 1, 0.25}, x[3] = {8, 4, 1};
  acp_field_t f = acp_create_field_ranges(model, "f", ACP_DOUBLE, 1, x, &zero, &n, 1);
  acp_link_t link = me == 0 ? opened(f, 1, 1)
                            : acp_open_link_weighted_from(f, "left.f", rows, columns, entries, 4, 1, 1, -1);
  CHECK(link != ACP_LINK_NULL && moved(link, 0) == 0);
  CHECK(me == 0 || (x[0] == 5 && x[1] == 2));
  CHECK(acp_close_link(link) == 0);
  rows[3] = 2;
  if (me == 0)
    SAYS(opened(f, 1, 1), ACP_LINK_NULL, ECANCELED, "does not hold point 2");
  else
    SAYS(acp_open_link_weighted_from(f, "left.f", rows, columns, entries, 4, 1, 1, -1), ACP_LINK_NULL, EINVAL,
         "does not hold point 2, which has a row");
  SAYS(acp_open_link_weighted_from(f, "left.f", rows, columns, NULL, 4, 1, 1, -1), ACP_LINK_NULL, EFAULT,
       "weights is NULL");
  SAYS(acp_open_link_weighted_from(f, "left.f", rows, columns, entries, -1, 1, 1, -1), ACP_LINK_NULL, EINVAL,
       "-1 rows");
  CHECK(acp_free_field(f) == 0);
}

// The same matrix at the sender.
static void parts(void) {
  int64_t zero = 0, n = me == 0 ? 3 : 2;
  int64_t rows[] = {1, 0, 1, 0}, columns[] = {2, 0, 2, 1};
  double entries[] = {1, 0.5, 1, 0.25}, x[3] = {8, 4, 1};
  acp_field_t f = acp_create_field_ranges(model, "f", ACP_DOUBLE, 1, x, &zero, &n, 1);
  acp_link_t link = me == 1 ? opened(f, 1, 1)
                            : acp_open_link_weighted_to(f, "right.f", rows, columns, entries, 4, 1, 1, -1);
  CHECK(link != ACP_LINK_NULL && moved(link, 0) == 0);
  CHECK(me == 0 || (x[0] == 5 && x[1] == 2));
  CHECK(acp_close_link(link) == 0);
  columns[3] = 3;
  if (me == 1) {
    SAYS(opened(f, 1, 1), ACP_LINK_NULL, ECANCELED, "does not hold point 3");
  } else {
    SAYS(acp_open_link_weighted_to(f, "right.f", rows, columns, entries, 4, 1, 1, -1), ACP_LINK_NULL, EINVAL,
         "does not hold point 3, which has a column");
    SAYS(acp_publish_link_weighted_to(f, "other.f", rows, columns, entries, 4, 1), ACP_LINK_NULL, EINVAL,
         "does not hold point 3, which has a column");
  }
  CHECK(acp_free_field(f) == 0);
}

// The same matrix in a file, at the rank at. A file that is not there is an error of that rank.
static void files(int at, int begins) {
  const char *file = getenv("WEIGHTS"), *absent = "testdata/absent.nc";
  int64_t zero = 0, n = me == 0 ? 3 : 2;
  double x[3] = {8, 4, 1};
  acp_field_t f = acp_create_field_ranges(model, "f", ACP_DOUBLE, 1, x, &zero, &n, 1);
  acp_link_t link = me != at ? opened(f, 1, 1)
                    : begins && me == 0 ? acp_begin_link_file_to(f, "right.f", file, 1, 1, -1)
                    : begins            ? acp_begin_link_file_from(f, "left.f", file, 1, 1, -1)
                    : me == 0           ? acp_open_link_file_to(f, "right.f", file, 1, 1, -1)
                                        : acp_open_link_file_from(f, "left.f", file, 1, 1, -1);
  CHECK(link != ACP_LINK_NULL && (me != at || !begins || acp_complete_links(&link, 1) == 0));
  CHECK(moved(link, 0) == 0);
  CHECK(me == 0 || (x[0] == 5 && x[1] == 2));
  CHECK(acp_close_link(link) == 0);
  if (me != at)
    SAYS(opened(f, 1, 1), ACP_LINK_NULL, ECANCELED, "open testdata/absent.nc: no such file");
  else
    SAYS(me == 0 ? acp_open_link_file_to(f, "right.f", absent, 1, 1, -1)
                 : acp_open_link_file_from(f, "left.f", absent, 1, 1, -1),
         ACP_LINK_NULL, ENOENT, "open testdata/absent.nc: no such file");
  SAYS(acp_open_link_file_from(f, "left.f", NULL, 1, 1, -1), ACP_LINK_NULL, EFAULT, "file is NULL");
  CHECK(acp_free_field(f) == 0);
}

void check_weights(void) {
  weights();
  parts();
  for (int begins = 0; begins < 2; begins++)
    for (int at = 0; at < 2; at++)
      files(at, begins);
}
