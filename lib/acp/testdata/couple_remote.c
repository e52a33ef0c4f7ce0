// A link between two hosts by which large messages go one after the other, from a field with a halo into another one. The
// values of many of them go by remote zero copy.
//
//     couple_remote how [RANK]
//
// RANK is killed in the middle if how is die.
#include "check.h"

#include <acp_couple.h>
#include <pthread.h>
#include <signal.h>

enum { STEPS = 100, ROWS = 64, COLUMNS = 4096, HALO = 8, LEVELS = 2 };

static const int grid[] = {ROWS, COLUMNS}, first[] = {0, 0}, extent[] = {ROWS, COLUMNS};

// The halo of the receiver is larger, so that the rows lie elsewhere. A rank has the whole grid.
static int64_t width(void) { return COLUMNS + 2 * HALO * (1 + acp_rank()); }

static double *at(double *data, int64_t row, int64_t column) {
  return data + row * width() + HALO * (1 + acp_rank()) + column;
}

static double value(int step, int64_t row, int64_t column) { return 1e6 * step + (double)(row * COLUMNS + column); }

static void *die(void *unused) {
  (void)unused;
  usleep(30000);
  raise(SIGKILL);
  return NULL;
}

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0 && argc > 1);
  int rank = acp_rank(), dies = strcmp(argv[1], "die") == 0;
  int halo[] = {0, HALO * (1 + rank)}, values = ROWS * width();
  double *data = acp_query_address(acp_malloc((size_t)values * sizeof *data, rank));
  CHECK(data != NULL);
  for (int64_t i = 0; i < values; i++)
    data[i] = -1;
  acp_model_t model = acp_create_model(rank == 0 ? "out" : "in", &rank, 1);
  acp_field_t field = acp_create_field_block(model, "f", ACP_DOUBLE, 1, data, 2, grid, first, extent, halo, 0);
  CHECK(field != ACP_FIELD_NULL);
  acp_link_t link = rank == 1 ? acp_open_link_from(field, "out.f", LEVELS, 1, -1) : acp_open_link_to(field, "in.f", LEVELS, 1, -1);
  CHECK(link != ACP_LINK_NULL);
  pthread_t thread;
  if (dies && rank == atoi(argv[2]))
    CHECK(pthread_create(&thread, NULL, die, NULL) == 0);
  for (int step = 0; step < STEPS || dies; step++) {
    // The first and the last value of each row change with the step; the program has little to compute.
    for (int64_t row = 0; rank == 0 && row < ROWS; row++)
      *at(data, row, 0) = value(step, row, 0), *at(data, row, COLUMNS - 1) = value(step, row, COLUMNS - 1);
    if (rank == 0 && step == 0)
      for (int64_t row = 0; row < ROWS; row++)
        for (int64_t column = 1; column < COLUMNS - 1; column++)
          *at(data, row, column) = value(0, row, column);
    if ((rank == 0 ? acp_send_link(link, step) : acp_receive_link(link, step)) != 0) {
      CHECK(dies);
      _exit(1);
    }
    for (int64_t row = 0; rank == 1 && row < ROWS; row++) {
      CHECK(*at(data, row, 0) == value(step, row, 0) && *at(data, row, COLUMNS - 1) == value(step, row, COLUMNS - 1));
      int64_t column = 1 + (step * 37 + row) % (COLUMNS - 2);
      CHECK(*at(data, row, column) == value(0, row, column) && *at(data, row, -1) == -1 && *at(data, row, COLUMNS) == -1);
    }
  }
  CHECK(acp_close_link(link) == 0 && acp_finalize() == 0);
  return 0;
}
