// Every function of acp_couple.h, by two ranks, of which each is a model: fields, links and wrong arguments here,
// the rest in the other files couple_every_*.c. It compiles as C and as C++.

#include "couple_every.h"
#include <math.h>

int me;
acp_model_t model;

acp_link_t opened(acp_field_t f, int levels, int every) {
  return me == 0 ? acp_open_link_to(f, "right.f", levels, every, -1)
                 : acp_open_link_from(f, "left.f", levels, every, -1);
}

int moved(acp_link_t link, int64_t step) {
  return me == 0 ? acp_send_link(link, step) : acp_receive_link(link, step);
}

const char *file_of(const char *name) {
  static char text[2][1000];
  static int last;
  last = 1 - last;
  snprintf(text[last], sizeof text[last], "%s/%s", getenv("STATE_FOLDER"), name);
  return text[last];
}

// Rank 0 has a block of one row. Rank 1 has the same points as ranges, in another order.
static void ranges(void) {
  int sizes[] = {2, 4}, firsts[] = {1, 0}, extents[] = {1, 4}, halos[] = {1, 0};
  int64_t begins[] = {6, 4}, counts[] = {2, 2};
  double block[12] = {0}, part[4] = {0};
  acp_field_t f =
      me == 0 ? acp_create_field_block(model, "f", ACP_DOUBLE, 1, block, 2, sizes, firsts, extents, halos, 0)
              : acp_create_field_ranges(model, "f", ACP_DOUBLE, 1, part, begins, counts, 2);
  CHECK(f != ACP_FIELD_NULL);
  acp_link_t link = opened(f, 1, 0);
  CHECK(link != ACP_LINK_NULL);
  for (int step = 0; step < 5; step++) {
    for (int i = 0; i < 4; i++)
      block[4 + i] = 10 * step + i;
    CHECK(moved(link, step) == 0);
    CHECK(me == 0 || (part[0] == 10 * step + 2 && part[1] == 10 * step + 3 && part[2] == 10 * step &&
                      part[3] == 10 * step + 1));
  }
  CHECK(acp_free_field(f) == 0 && acp_close_link(link) == 0);
}

// A grid in the order of Fortran, whose halo is filled, from a list; in every second step on the left and
// every third on the right; with other memory from the second message on.
static void lists(void) {
  int sizes[] = {4, 1}, firsts[] = {1, 0}, extents[] = {2, 1}, halos[] = {1, 0};
  int64_t points[] = {3, 1, 2, 0};
  int32_t all[2][8], block[2][8];
  memset(block, 0, sizeof block);
  for (int i = 0; i < 8; i++)
    all[0][i] = i, all[1][i] = i + 100;
  acp_field_t f =
      me == 0 ? acp_create_field_list(model, "f", ACP_INT32, 2, all[0], points, 4)
              : acp_create_field_block(model, "f", ACP_INT32, 2, block[0], 2, sizes, firsts, extents, halos,
                                       ACP_ORDER_FORTRAN | ACP_FILL_HALO);
  CHECK(f != ACP_FIELD_NULL);
  acp_link_t link = opened(f, me == 0 ? 3 : 0, me == 0 ? 2 : 3);
  CHECK(link != ACP_LINK_NULL);
  CHECK(moved(link, 0) == 0 && moved(link, 1) == 0);
  CHECK(acp_use_field(f, me == 0 ? all[1] : block[1]) == 0);
  CHECK(moved(link, me == 0 ? 2 : 3) == 0);
  const int32_t want[] = {6, 7, 2, 3, 4, 5, 0, 1};
  for (int i = 0; i < 8 && me == 1; i++)
    CHECK(block[0][i] == want[i] && block[1][i] == want[i] + 100);
  SAYS(acp_use_field(f, NULL), -1, EFAULT, "f: bad global address: data is NULL");
  CHECK(acp_close_link(link) == 0 && acp_free_field(f) == 0);
}

// Masks on both sides, with weights at one side or at none. The value of the point that rank 0 masks is a
// NaN.
static void masks(int at) {
  int64_t rows[] = {0, 0, 1, 2, 3, 3}, columns[] = {0, 1, 0, 2, 3, 2}, zero = 0, four = 4;
  double entries[] = {7, 0.5, 1, 2, 0, 3}, x[4] = {NAN, 10, 20, INFINITY};
  int left[] = {0, 1, 1, 1}, right[] = {1, 1, 0, 1};
  if (me == 1)
    for (int i = 0; i < 4; i++)
      x[i] = -1 - i;
  acp_field_t f = acp_create_field_ranges(model, "f", ACP_DOUBLE, 1, x, &zero, &four, 1);
  SAYS(acp_mask_field(f, left, 3), -1, EINVAL, "f: sizes do not fit: count is 3, for 4 points");
  SAYS(acp_mask_field(f, NULL, 4), -1, EFAULT, "masks is NULL");
  CHECK(acp_mask_field(f, me == 0 ? left : right, 4) == 0);
  acp_link_t link = me != at ? opened(f, 1, 1)
                    : me == 0
                        ? acp_open_link_weighted_to(f, "right.f", rows, columns, entries, 6, 1, 1, -1)
                        : acp_open_link_weighted_from(f, "left.f", rows, columns, entries, 6, 1, 1, -1);
  CHECK(link != ACP_LINK_NULL);
  SAYS(acp_mask_field(f, left, 4), -1, EINVAL, "is masked after a link of it has been opened");
  CHECK(moved(link, 0) == 0);
  if (me == 1 && at == 2)
    CHECK(x[0] == -1 && x[1] == 10 && x[2] == -3 && x[3] == INFINITY);
  else if (me == 1)
    CHECK(x[0] == 5 && x[1] == 0 && x[2] == -3 && x[3] == 60);
  CHECK(acp_close_link(link) == 0 && acp_free_field(f) == 0);
  SAYS(acp_mask_field(f, left, 4), -1, EBADF, "field 0x");
}

// Grids of different shapes cannot be coupled unless one side has the option that points with the same
// numbers belong together.
static void grids(void) {
  int tall[] = {4, 2}, wide[] = {2, 4}, firsts[] = {0, 0};
  int *sizes = me == 0 ? tall : wide;
  double x[8];
  for (int flags = 0; flags <= ACP_SAME_NUMBERS; flags += ACP_SAME_NUMBERS) {
    for (int i = 0; i < 8; i++)
      x[i] = me == 0 ? i : -1;
    acp_field_t f = acp_create_field_block(model, "f", ACP_DOUBLE, 1, x, 2, sizes, firsts, sizes, NULL, me == 1 ? flags : 0);
    CHECK(f != ACP_FIELD_NULL);
    if (flags == 0) {
      SAYS(opened(f, 1, 1), ACP_LINK_NULL, EINVAL, "left.f has a grid of 4 x 2 points, and right.f one of 2 x 4 points");
    } else {
      acp_link_t link = opened(f, 1, 1);
      CHECK(link != ACP_LINK_NULL && moved(link, 0) == 0 && x[7] == 7 && acp_close_link(link) == 0);
    }
    CHECK(acp_free_field(f) == 0);
  }
}

// Levels, time limits, and the end of the other side.
static void waits(void) {
  int64_t zero = 0, one = 1;
  float x = 0;
  acp_field_t f = acp_create_field_ranges(model, "f", ACP_FLOAT, 1, &x, &zero, &one, 1);
  acp_link_t link = opened(f, 2, 1);
  CHECK(link != ACP_LINK_NULL);
  if (me == 0) {
    CHECK(acp_isready_link(link) == 0 && acp_wait_link(link, 0) == 0);
    CHECK(acp_send_link(link, 0) == 0 && acp_send_link(link, 1) == 0);
    CHECK(acp_isready_link(link) == 1 && acp_wait_link(link, 0.01) == 1);
    SAYS(acp_send_link(link, 1), -1, ERANGE, "link left.f>right.f: steps differ: step 1 is sent after step 1");
    SAYS(acp_receive_link(link, 2), -1, EINVAL, "sends by the link");
    CHECK(acp_sync() == 0);
    CHECK(acp_wait_link(link, -1) == 0);
  } else {
    CHECK(acp_sync() == 0);
    CHECK(acp_wait_link(link, -1) == 0 && acp_isready_link(link) == 0);
    SAYS(acp_receive_link(link, 1), -1, ERANGE, "message 0 has come");
    SAYS(acp_send_link(link, 0), -1, EINVAL, "receives by the link");
    CHECK(acp_receive_link(link, 0) == 0);
  }
  CHECK(acp_sync() == 0);
  if (me == 1) {
    CHECK(acp_receive_link(link, 1) == 0);
    CHECK(acp_isready_link(link) == 1 && acp_wait_link(link, 0.01) == 1);
  }
  CHECK(acp_sync() == 0);
  CHECK(me == 1 || acp_close_link(link) == 0);
  if (me == 1) {
    SAYS(acp_receive_link(link, 2), -1, EPIPE, "the other side has ended");
    CHECK(acp_close_link(link) == 0);
  }
  SAYS(acp_isready_link(link), -1, EBADF, "link 0x");
  SAYS(acp_wait_link(link, 1), -1, EBADF, "link 0x");
  SAYS(acp_close_link(link), -1, EBADF, "link 0x");
  SAYS(acp_send_link(ACP_LINK_NULL, 0), -1, EBADF, "link 0x0");
  CHECK(acp_free_field(f) == 0);
}

// The properties of the other side that both get when they open a link.
static void disagreements(void) {
  int64_t zero = 0, n = 2;
  int32_t x[4];
  acp_field_t f = acp_create_field_ranges(model, "f", me == 0 ? ACP_INT32 : ACP_UINT32, 1, x, &zero, &n, 1);
  SAYS(opened(f, 1, 1), ACP_LINK_NULL, EINVAL, "int32");
  CHECK(acp_free_field(f) == 0);
  n = me == 0 ? 2 : 3;
  f = acp_create_field_ranges(model, "f", ACP_INT32, 1, x, &zero, &n, 1);
  SAYS(opened(f, 1, 1), ACP_LINK_NULL, ENOENT, "no rank holds point 2 of left.f");
  SAYS(acp_open_link_to(f, me == 0 ? "up.f" : "down.f", 1, 1, 0.01), ACP_LINK_NULL, ETIMEDOUT, "after 0.01 s");
  SAYS(acp_open_link_from(f, "left", -1, 1, 1), ACP_LINK_NULL, EINVAL, "-1 levels");
  SAYS(acp_open_link_from(f, NULL, 1, 1, 1), ACP_LINK_NULL, EFAULT, "from is NULL");
  CHECK(acp_free_field(f) == 0);
  SAYS(acp_open_link_to(f, "right.f", 1, 1, 1), ACP_LINK_NULL, EBADF, "field 0x");
}

// Either rank begins the links in an order of its own, with a matrix at both sides of two of them. If one
// cannot be opened, none of them is.
static void begun(void) {
  static const char *partners[2][2] = {{"right.f", "right.g"}, {"left.f", "left.g"}};
  int64_t zero = 0, one = 1;
  double x[2], twice = 2;
  acp_field_t f = acp_create_field_ranges(model, "f", ACP_DOUBLE, 1, &x[me], &zero, &one, 1);
  acp_field_t g = acp_create_field_ranges(model, "g", ACP_DOUBLE, 1, &x[1 - me], &zero, &one, 1);
  acp_link_t links[2]; // f of the left to f of the right, and g of the right to g of the left
  for (int plain = 0; plain < 2; plain++) {
    x[0] = 3 + me, x[1] = 0;
    for (int i = 0; i < 2; i++) {
      int which = i ^ me;
      acp_field_t mine = which == 0 ? f : g;
      const char *partner = partners[me][which];
      if (plain)
        links[which] = which == me ? acp_begin_link_to(mine, partner, 1, 1, -1) : acp_begin_link_from(mine, partner, 1, 1, -1);
      else
        links[which] = which == me ? acp_begin_link_weighted_to(mine, partner, &zero, &zero, &twice, 1, 1, 1, -1)
                                   : acp_begin_link_weighted_from(mine, partner, &zero, &zero, &twice, 1, 1, 1, -1);
      CHECK(links[which] != ACP_LINK_NULL);
    }
    SAYS(acp_send_link(links[me], 0), -1, EINVAL, "not open before acp_complete_links");
    CHECK(acp_complete_links(links, 2) == 0);
    SAYS(acp_complete_links(links, 2), -1, EINVAL, "has not been begun, or has been completed");
    CHECK(acp_send_link(links[me], 0) == 0 && acp_receive_link(links[1 - me], 0) == 0);
    CHECK(x[1] == (plain ? 1 : 4) * (4 - me));
    CHECK(acp_close_link(links[0]) == 0 && acp_close_link(links[1]) == 0);
  }
  links[0] = acp_begin_link_to(f, me == 0 ? "up.f" : "down.f", 1, 1, -1);
  links[1] = acp_begin_link_from(g, me == 0 ? "up.g" : "down.g", 1, 1, 0.01);
  CHECK(links[0] != ACP_LINK_NULL && links[1] != ACP_LINK_NULL);
  acp_link_t same[] = {links[0], links[0]};
  SAYS(acp_complete_links(links, -1), -1, EINVAL, "-1 links");
  SAYS(acp_complete_links(NULL, 1), -1, EFAULT, "links is NULL");
  SAYS(acp_complete_links(same, 2), -1, EINVAL, "is there twice");
  SAYS(acp_complete_links(links, 2), -1, ETIMEDOUT, me == 0 ? "link up.g>left.g" : "link down.g>right.g");
  SAYS(acp_complete_links(links, 2), -1, EBADF, "link 0x");
  links[0] = acp_begin_link_to(f, "up.f", 1, 1, -1);
  CHECK(links[0] != ACP_LINK_NULL && acp_close_link(links[0]) == 0);
  SAYS(acp_close_link(links[0]), -1, EBADF, "link 0x");
  CHECK(acp_free_field(f) == 0 && acp_free_field(g) == 0 && acp_complete_links(NULL, 0) == 0);
}

// No model waits for a further field of a model that has sealed its fields.
static void sealed(void) {
  int64_t zero = 0, one = 1;
  float x;
  acp_model_t m = acp_create_model(me == 0 ? "north" : "south", &me, 1);
  acp_field_t f = acp_create_field_ranges(m, "surface", ACP_FLOAT, 1, &x, &zero, &one, 1);
  acp_field_t other = acp_create_field_ranges(m, "depth", ACP_FLOAT, 1, &x, &zero, &one, 1);
  CHECK(f != ACP_FIELD_NULL && other != ACP_FIELD_NULL && acp_seal_model(m) == 0);
  SAYS(acp_create_field_ranges(m, "late", ACP_FLOAT, 1, &x, &zero, &one, 1), ACP_FIELD_NULL, EINVAL,
       "declared after Seal");
  SAYS(acp_open_link_from(f, me == 0 ? "south.surfaces" : "north.surfaces", 1, 1, -1), ACP_LINK_NULL, ENOENT,
       "it has depth, surface; did you mean surface?");
  CHECK(acp_free_field(f) == 0 && acp_free_field(other) == 0 && acp_free_model(m) == 0);
  CHECK(acp_sync() == 0);
  SAYS(acp_seal_model(m), -1, EBADF, "model 0x");
}

// Arguments that are wrong with any other arguments.
static void mistakes(void) {
  int rank = me, both[] = {0, 0}, far = 2;
  int64_t begin = 0, count = 1, minus = -1, twice[] = {4, 4};
  int sizes[] = {4, 4}, firsts[] = {0, 3}, extents[] = {1, 2};
  double x[4];
  SAYS(acp_create_model("a.b", &rank, 1), ACP_MODEL_NULL, EINVAL, "no full stop");
  SAYS(acp_create_model("a", &far, 1), ACP_MODEL_NULL, EINVAL, "has rank 2, of 2 ranks");
  SAYS(acp_create_model("a", both, 2), ACP_MODEL_NULL, EINVAL, me == 0 ? "rank 0 twice" : "rank 1 is not in model a");
  SAYS(acp_create_model("a", &rank, -1), ACP_MODEL_NULL, EINVAL, "-1 ranks");
  SAYS(acp_create_field_list(model, NULL, ACP_DOUBLE, 1, x, &begin, 1), ACP_FIELD_NULL, EFAULT, "name is NULL");
  SAYS(acp_create_field_list(model, "f", 13, 1, x, &begin, 1), ACP_FIELD_NULL, EINVAL, "no type 13");
  SAYS(acp_create_field_list(model, "f", ACP_DOUBLE, 0, x, &begin, 1), ACP_FIELD_NULL, EINVAL, "0 values per point");
  SAYS(acp_create_field_list(model, "f", ACP_DOUBLE, 1, NULL, &begin, 1), ACP_FIELD_NULL, EFAULT, "data is NULL, for 8 bytes");
  SAYS(acp_create_field_list(model, "f", ACP_DOUBLE, 1, x, NULL, 1), ACP_FIELD_NULL, EFAULT, "points is NULL");
  SAYS(acp_create_field_list(model, "f", ACP_DOUBLE, 1, x, &minus, 1), ACP_FIELD_NULL, EINVAL, "point -1");
  SAYS(acp_create_field_list(model, "f", ACP_DOUBLE, 1, x, twice, 2), ACP_FIELD_NULL, EEXIST, "point 4, at positions 0 and 1");
  SAYS(acp_create_field_ranges(model, "f", ACP_DOUBLE, 1, x, &begin, &minus, 1), ACP_FIELD_NULL, EINVAL, "a range of -1 points from 0 on");
  SAYS(acp_create_field_ranges(model, "f", ACP_DOUBLE, 1, x, &begin, &count, -1), ACP_FIELD_NULL, EINVAL, "-1 firsts");
  SAYS(acp_create_field_block(model, "f", ACP_DOUBLE, 1, x, 0, sizes, firsts, extents, NULL, 0), ACP_FIELD_NULL, EINVAL, "0 dimensions");
  SAYS(acp_create_field_block(model, "f", ACP_DOUBLE, 1, x, 2, sizes, firsts, extents, NULL, 0), ACP_FIELD_NULL, EINVAL, "of the block 2 from 3 on");
  SAYS(acp_create_field_block(model, "f", ACP_DOUBLE, 1, x, 2, NULL, firsts, extents, NULL, 0), ACP_FIELD_NULL, EFAULT, "sizes is NULL");
  SAYS(acp_create_field_block(model, "f", ACP_DOUBLE, 1, x, 2, sizes, firsts, extents, NULL, 8), ACP_FIELD_NULL, EINVAL, "flags 0x8");
  acp_model_t other = acp_create_model(NULL, NULL, 0);
  CHECK(other != ACP_MODEL_NULL && acp_free_model(other) == 0);
  SAYS(acp_free_model(other), -1, EBADF, "model 0x");
  SAYS(acp_create_field_list(other, "f", ACP_DOUBLE, 1, x, &begin, 1), ACP_FIELD_NULL, EBADF, "model 0x");
  SAYS(acp_free_field(ACP_FIELD_NULL), -1, EBADF, "field 0x0");
}

int main(int argc, char **argv) {
  CHECK(strcmp(acp_couple_message(), "") == 0);
  SAYS(acp_create_model("left", NULL, 0), ACP_MODEL_NULL, EPERM, "finalized");
  CHECK(acp_init(&argc, &argv) == 0);
  for (int life = 0; life < 2; life++) {
    me = acp_rank();
    model = acp_create_model(me == 0 ? "left" : "right", &me, 1);
    CHECK(model != ACP_MODEL_NULL);
    ranges();
    lists();
    for (int at = 0; at < 3; at++)
      masks(at);
    grids();
    waits();
    disagreements();
    check_weights();
    begun();
    check_times();
  check_inspection();
  check_grids();
  check_implicit();
    check_watches();
    sealed();
    mistakes();
    CHECK(acp_reset(1 - me) == 0);
    SAYS(acp_free_model(model), -1, EBADF, "model 0x");
  }
  CHECK(acp_finalize() == 0);
  return 0;
}
