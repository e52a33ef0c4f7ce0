// Fields of every type, with one and with three values per point, from a list to a block. Rank 0 sends, and all other
// ranks receive their part of a grid with rows in random order.

#include "check.h"
#include <acp_couple.h>

enum { ROWS = 6, COLUMNS = 8, POINTS = ROWS * COLUMNS, VALUES = 3, LARGEST = 16 };

static const size_t sizes[] = {0, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 8, 16};

// Returns byte i of the values of a point in a step.
static unsigned char byte_of(int64_t point, size_t i, int step) {
  return (unsigned char)(point * 37 + (int64_t)i * 11 + step * 101);
}

// Fills sent with the values of all points in their order, or checks the part of this rank in got.
static void fill(unsigned char *sent, const int64_t *points, size_t size, int step) {
  for (int p = 0; p < POINTS; p++)
    for (size_t i = 0; i < size; i++)
      sent[p * size + i] = byte_of(points[p], i, step);
}

static void check(const unsigned char *got, int first, int extent, size_t size, int step) {
  for (int row = 0; row < ROWS; row++)
    for (int column = 0; column < extent + 2; column++)
      for (size_t i = 0; i < size; i++) {
        int inside = column > 0 && column <= extent;
        unsigned char want = inside ? byte_of(row * COLUMNS + first + column - 1, i, step) : 0xee;
        CHECK(got[(row * (extent + 2) + column) * size + i] == want);
      }
}

// Exchanges a field of one type.
static void exchange(acp_model_t model, int rank, int others, int type, int values) {
  static unsigned char data[ROWS * (COLUMNS + 2) * VALUES * LARGEST];
  size_t size = sizes[type] * (size_t)values;
  int64_t points[POINTS];
  int grid[] = {ROWS, COLUMNS}, extent = COLUMNS / others, begin = (rank - 1) * extent;
  int firsts[] = {0, begin}, extents[] = {ROWS, extent}, halos[] = {0, 1};

  for (int p = 0; p < POINTS; p++)
    points[p] = (p * 29 + type) % POINTS; // 29 and POINTS have no factor in common
  memset(data, 0xee, sizeof data);
  acp_field_t f = rank == 0 ? acp_create_field_list(model, "f", type, values, data, points, POINTS)
                            : acp_create_field_block(model, "f", type, values, data, 2, grid, firsts, extents, halos, 0);
  CHECK(f != ACP_FIELD_NULL);
  acp_link_t link = rank == 0 ? acp_open_link_to(f, "grid.f", 2, 1, -1) : acp_open_link_from(f, "list.f", 0, 1, -1);
  CHECK(link != ACP_LINK_NULL);
  for (int step = 0; step < 5; step++) {
    if (rank == 0) {
      fill(data, points, size, step);
      CHECK(acp_send_link(link, step) == 0);
    } else {
      CHECK(acp_receive_link(link, step) == 0);
      check(data, begin, extent, size, step);
    }
  }
  CHECK(acp_close_link(link) == 0 && acp_free_field(f) == 0);
}

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0);
  int rank = acp_rank(), others = acp_procs() - 1, zero = 0, ranks[COLUMNS];
  for (int i = 0; i < others; i++)
    ranks[i] = i + 1;
  acp_model_t model = rank == 0 ? acp_create_model("list", &zero, 1) : acp_create_model("grid", ranks, others);
  CHECK(model != ACP_MODEL_NULL);
  for (int type = ACP_INT8; type <= ACP_DOUBLE_COMPLEX; type++)
    for (int values = 1; values <= VALUES; values += VALUES - 1)
      exchange(model, rank, others, type, values);
  CHECK(acp_finalize() == 0);
  return 0;
}
