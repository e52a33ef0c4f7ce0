// Random gets and puts of sections and lists, which a serial model of the array repeats. All ranks draw the
// same numbers, so each of them has the model. At the end, gets and puts of mapped elements make no call into
// Go.
#include "check.h"

#include <gp.h>

enum { MOST_DIMS = 7, MOST_PLACES = 200, MOST_BYTES = 90, ROOM = MOST_BYTES + 1, ROUNDS = 40, ARRAYS = 6 };

static int me, procs;
static uint64_t state;

// A number from 0 to n - 1, the same on all ranks.
static int draw(int n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int)((state >> 33) % (uint64_t)n);
}

// Calls into Go of this process (see gp_test.go).
static int calls;

void __real_goacp_gp_get(int, int *, int *, void *, void **, int *, int *, int *, int *, int);
void __wrap_goacp_gp_get(int g, int *lo, int *hi, void *buf, void **ptr, int *ld, int *sizes, int *ld_size, int *size, int set) {
  calls++;
  __real_goacp_gp_get(g, lo, hi, buf, ptr, ld, sizes, ld_size, size, set);
}
void __real_goacp_gp_put(int, int *, int *, void **, int *, int *, int *, int *, int);
void __wrap_goacp_gp_put(int g, int *lo, int *hi, void **ptr, int *ld, int *sizes, int *ld_size, int *size, int check) {
  calls++;
  __real_goacp_gp_put(g, lo, hi, ptr, ld, sizes, ld_size, size, check);
}
void __real_goacp_gp_gather(int, int, int *, void *, void **, int *, int *, int);
void __wrap_goacp_gp_gather(int g, int n, int *at, void *buf, void **ptr, int *sizes, int *size, int set) {
  calls++;
  __real_goacp_gp_gather(g, n, at, buf, ptr, sizes, size, set);
}
void __real_goacp_gp_scatter(int, int, int *, void **, int *, int *, int);
void __wrap_goacp_gp_scatter(int g, int n, int *at, void **ptr, int *sizes, int *size, int check) {
  calls++;
  __real_goacp_gp_scatter(g, n, at, ptr, sizes, size, check);
}

static int g_p, dims, extent[MOST_DIMS], places;
static int bytes[MOST_PLACES]; // of the element of each place, in C order
static unsigned char model[MOST_PLACES][MOST_BYTES];

static int index_of(const int *at) {
  int i = 0;
  for (int d = 0; d < dims; d++)
    i = i * extent[d] + at[d];
  return i;
}

static void create(void) {
  int chunk[MOST_DIMS], mapc[MOST_PLACES], nblock[MOST_DIMS], total = 0, left = procs, how = draw(3);
  g_p = GP_Create_handle();
  dims = 1 + draw(MOST_DIMS);
  places = 1;
  for (int d = 0; d < dims; d++) {
    extent[d] = 1 + draw(dims == 1 ? MOST_PLACES : dims == 2 ? 12 : dims == 3 ? 5 : 2);
    places *= extent[d];
    chunk[d] = draw(extent[d] + 2) - 1;
    nblock[d] = 1 + draw(left < extent[d] ? left : extent[d]);
    left /= nblock[d];
    for (int b = 0, first = 0; b < nblock[d]; b++) { // some blocks have no places
      mapc[total++] = first;
      first += draw(extent[d] - first + 1);
    }
  }
  GP_Set_dimensions(g_p, dims, extent);
  if (how == 1)
    GP_Set_chunk(g_p, chunk);
  if (how == 2)
    GP_Set_irreg_distr(g_p, mapc, nblock);
  CHECK(GP_Allocate(g_p) == 1);
}

// Assigns an element to most places, one of many bytes to few of them.
static void assign(void) {
  int lo[MOST_DIMS], hi[MOST_DIMS], at[MOST_DIMS] = {0};
  GP_Distribution(g_p, me, lo, hi);
  for (int i = 0; i < places; i++) {
    int rest = i, mine = 1;
    for (int d = dims - 1; d >= 0; d--) {
      at[d] = rest % extent[d];
      rest /= extent[d];
      mine = mine && at[d] >= lo[d] && at[d] <= hi[d];
    }
    bytes[i] = draw(5) == 0 ? 0 : 1 + draw(MOST_BYTES);
    memset(model[i], 0, MOST_BYTES);
    if (mine && bytes[i] > 0) {
      void *mem = GP_Malloc((size_t)bytes[i] + 16);
      memset(mem, 0, (size_t)bytes[i]);
      GP_Assign_local_element(g_p, at, mem, bytes[i]);
    }
  }
  GP_Sync();
}

// The places of one call, and where the program has their entries.
static int is_list, n, lo[MOST_DIMS], hi[MOST_DIMS], ld[MOST_DIMS], ld_size[MOST_DIMS];
static int subscripts[MOST_PLACES][MOST_DIMS], of[MOST_PLACES], pointer_at[MOST_PLACES], size_at[MOST_PLACES];
static void *pointers[1 << 14];
static int sizes[1 << 14];
static unsigned char buffer[MOST_PLACES * ROOM];

static void choose_section(void) {
  n = 1;
  for (int d = 0; d < dims; d++) {
    lo[d] = draw(extent[d]);
    hi[d] = lo[d] + draw(extent[d] - lo[d]);
    n *= hi[d] - lo[d] + 1;
    if (d > 0) {
      ld[d - 1] = hi[d] - lo[d] + 1 + draw(2);
      ld_size[d - 1] = hi[d] - lo[d] + 1 + draw(2);
    }
  }
  for (int i = 0; i < n; i++) {
    int at[MOST_DIMS], rest = i, pointer_step = 1, size_step = 1;
    pointer_at[i] = size_at[i] = 0;
    for (int d = dims - 1; d >= 0; d--) {
      int along = rest % (hi[d] - lo[d] + 1);
      rest /= hi[d] - lo[d] + 1;
      at[d] = lo[d] + along;
      pointer_at[i] += along * pointer_step;
      size_at[i] += along * size_step;
      if (d > 0) {
        pointer_step *= ld[d - 1];
        size_step *= ld_size[d - 1];
      }
    }
    of[i] = index_of(at);
  }
}

static void choose_list(void) {
  n = 1 + draw(MOST_PLACES - 1);
  for (int i = 0; i < n; i++) {
    int *at = &subscripts[0][0] + i * dims;
    for (int d = 0; d < dims; d++)
      at[d] = draw(extent[d]);
    of[i] = index_of(at);
    pointer_at[i] = size_at[i] = i;
  }
}

static void choose(void) {
  is_list = draw(2);
  if (is_list)
    choose_list();
  else
    choose_section();
}

static int get(void *buf, int set) {
  int size = -1;
  if (is_list)
    GP_Gather(g_p, n, &subscripts[0][0], buf, pointers, sizes, &size, set);
  else
    GP_Get(g_p, lo, hi, buf, pointers, ld, sizes, ld_size, &size, set);
  return size;
}

static void get_packed(void) {
  unsigned char *next = buffer;
  memset(buffer, 0xee, sizeof buffer);
  int size = get(buffer, 0);
  for (int i = 0; i < n; i++) {
    CHECK(pointers[pointer_at[i]] == next && sizes[size_at[i]] == bytes[of[i]]);
    CHECK(memcmp(next, model[of[i]], (size_t)bytes[of[i]]) == 0);
    next += bytes[of[i]];
  }
  CHECK(size == next - buffer && *next == 0xee);
}

// Gives each entry memory for the first bytes of its element, and returns the sum.
static int prepare(int all) {
  int total = 0;
  for (int i = 0; i < n; i++) {
    int want = all ? bytes[of[i]] : draw(bytes[of[i]] + 1);
    pointers[pointer_at[i]] = want == 0 ? NULL : buffer + i * ROOM;
    sizes[size_at[i]] = want;
    total += want;
  }
  return total;
}

static void get_into(void) {
  memset(buffer, 0xee, sizeof buffer);
  int want = prepare(0);
  CHECK(get(NULL, 1) == want);
  for (int i = 0; i < n; i++) {
    unsigned char *mem = buffer + i * ROOM;
    CHECK(memcmp(mem, model[of[i]], (size_t)sizes[size_at[i]]) == 0 && mem[sizes[size_at[i]]] == 0xee);
  }
}

// One rank puts. Entries of the same place have the same bytes.
static void put(int writer) {
  int all = draw(2), want = prepare(all), size = -1, tint = draw(256);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < sizes[size_at[i]]; k++)
      model[of[i]][k] = buffer[i * ROOM + k] = (unsigned char)(tint + of[i] * 5 + k);
  if (me == writer) {
    if (is_list)
      GP_Scatter(g_p, n, &subscripts[0][0], pointers, sizes, &size, all);
    else
      GP_Put(g_p, lo, hi, pointers, ld, sizes, ld_size, &size, all);
    CHECK(size == want);
  }
  GP_Sync();
}

// Gets and puts all places again. By then all memory is mapped that this process can map.
static void count_calls(int shared) {
  is_list = 0;
  for (int d = 0; d < dims; d++) {
    lo[d] = 0;
    hi[d] = extent[d] - 1;
    if (d > 0)
      ld[d - 1] = ld_size[d - 1] = extent[d];
  }
  for (n = 0; n < places; n++)
    of[n] = pointer_at[n] = size_at[n] = n;
  get_packed();
  calls = 0;
  get_packed();
  get_into();
  GP_Sync();
  put(0);
  if (shared)
    CHECK(calls == 0);
  GP_Sync();
}

int main(int argc, char **argv) {
  CHECK(argc == 3 && acp_init(&argc, &argv) == 0);
  state = strtoull(argv[1], NULL, 10);
  me = acp_rank();
  procs = acp_procs();
  GP_Initialize();
  for (int array = 0; array < ARRAYS; array++) {
    create();
    assign();
    for (int round = 0; round < ROUNDS; round++) {
      choose();
      put(round % procs);
      choose();
      get_packed();
      choose();
      get_into();
      GP_Sync();
    }
    count_calls(strcmp(argv[2], "shm") == 0);
    CHECK(GP_Destroy(g_p) == 1);
  }
  GP_Terminate();
  CHECK(acp_finalize() == 0);
  return 0;
}
