// Global pointer arrays from C: strides, both ways to get, requests over many owners, large and absent
// elements, and what is left at the end.
#include "check.h"

#include <gp.h>

enum { ROWS = 13, COLUMNS = 9, LARGE = 300000 };

static int me, procs;

static int g_p;

// Row i, column k has an element unless their sum is a multiple of 4.
static int size_of(int i, int k) {
  if ((i + k) % 4 == 0)
    return 0;
  return i == 5 && k == 5 ? LARGE : 12 + 3 * i + k;
}

static unsigned char value(int i, int k, int at) { return (unsigned char)(i * 31 + k * 7 + at); }

static void fill(unsigned char *mem, int i, int k) {
  for (int at = 0; at < size_of(i, k); at++)
    mem[at] = value(i, k, at);
}

static int same(const unsigned char *mem, int i, int k) {
  for (int at = 0; at < size_of(i, k); at++)
    if (mem[at] != value(i, k, at))
      return 0;
  return 1;
}

static void *place(int i, int k) {
  static int at[2];
  at[0] = i;
  at[1] = k;
  return at;
}

// Assigns the elements of this rank.
static void assign(void) {
  int lo[2], hi[2];
  GP_Distribution(g_p, me, lo, hi);
  for (int i = lo[0]; i <= hi[0]; i++)
    for (int k = lo[1]; k <= hi[1]; k++)
      if (size_of(i, k) > 0) {
        unsigned char *mem = GP_Malloc((size_t)size_of(i, k));
        CHECK(mem != NULL && (uintptr_t)mem % 16 == 0);
        fill(mem, i, k);
        GP_Assign_local_element(g_p, place(i, k), mem, size_of(i, k));
      }
  GP_Sync();
}

// Each place has one owner.
static void distribution(void) {
  int owners[ROWS][COLUMNS] = {{0}}, lo[2], hi[2];
  for (int proc = 0; proc < procs; proc++) {
    GP_Distribution(g_p, proc, lo, hi);
    for (int i = lo[0]; i <= hi[0]; i++)
      for (int k = lo[1]; k <= hi[1]; k++)
        owners[i][k]++;
  }
  for (int i = 0; i < ROWS; i++)
    for (int k = 0; k < COLUMNS; k++)
      CHECK(owners[i][k] == 1);
}

static void *pointers[ROWS + 3][COLUMNS + 4];
static int sizes[ROWS + 3][COLUMNS + 2];

// Gets a section with strides that are larger than the section.
static void get_packed(int lo[2], int hi[2]) {
  int ld = COLUMNS + 4, ld_size = COLUMNS + 2, want, size;
  GP_Get_size(g_p, lo, hi, &want);
  unsigned char *buf = malloc((size_t)want + 1), *next = buf;
  buf[want] = 0xee;
  GP_Get(g_p, lo, hi, buf, &pointers[0][0], &ld, &sizes[0][0], &ld_size, &size, 0);
  CHECK(size == want && buf[want] == 0xee);
  for (int i = lo[0]; i <= hi[0]; i++)
    for (int k = lo[1]; k <= hi[1]; k++) {
      CHECK(pointers[i - lo[0]][k - lo[1]] == next && sizes[i - lo[0]][k - lo[1]] == size_of(i, k));
      CHECK(same(next, i, k));
      next += size_of(i, k);
    }
  CHECK(next == buf + want);
  free(buf);
}

// Gets the section again to memory that it has chosen, apart from every third element.
static void get_placed(int lo[2], int hi[2]) {
  int ld = COLUMNS + 4, ld_size = COLUMNS + 2, size, want = 0;
  for (int i = lo[0]; i <= hi[0]; i++)
    for (int k = lo[1]; k <= hi[1]; k++) {
      int n = (i + k) % 3 == 0 ? 0 : size_of(i, k);
      pointers[i - lo[0]][k - lo[1]] = n == 0 ? NULL : calloc((size_t)n, 1);
      sizes[i - lo[0]][k - lo[1]] = n;
      want += n;
    }
  GP_Get(g_p, lo, hi, NULL, &pointers[0][0], &ld, &sizes[0][0], &ld_size, &size, 1);
  CHECK(size == want);
  for (int i = lo[0]; i <= hi[0]; i++)
    for (int k = lo[1]; k <= hi[1]; k++) {
      void *mem = pointers[i - lo[0]][k - lo[1]];
      CHECK(mem == NULL || same(mem, i, k));
      free(mem);
    }
}

// Each rank puts to the rows that are its own number modulo the ranks, and all ranks check them.
static void put_rows(void) {
  int ld = COLUMNS + 4, ld_size = COLUMNS + 2, size;
  for (int i = me; i < ROWS; i += procs) {
    int lo[2] = {i, 0}, hi[2] = {i, COLUMNS - 1}, want = 0;
    for (int k = 0; k < COLUMNS; k++) {
      pointers[0][k] = malloc((size_t)size_of(i, k) + 1);
      fill(pointers[0][k], i, k);
      sizes[0][k] = size_of(i, k);
      want += sizes[0][k];
    }
    GP_Put(g_p, lo, hi, &pointers[0][0], &ld, &sizes[0][0], &ld_size, &size, 1);
    CHECK(size == want);
    for (int k = 0; k < COLUMNS; k++)
      free(pointers[0][k]);
  }
  GP_Sync();
}

static char buffer[16];

enum { LISTED = 40 };

static void lists(void) {
  int at[LISTED][2], size, got[LISTED], want = 0;
  void *ptr[LISTED];
  for (int i = 0; i < LISTED; i++) {
    at[i][0] = i * 7 % ROWS;
    at[i][1] = i * 5 % COLUMNS;
    want += size_of(at[i][0], at[i][1]);
  }
  GP_Gather_size(g_p, LISTED, &at[0][0], &size);
  CHECK(size == want);
  unsigned char *buf = malloc((size_t)want + 1), *next = buf;
  GP_Gather(g_p, LISTED, &at[0][0], buf, ptr, got, &size, 0);
  CHECK(size == want);
  for (int i = 0; i < LISTED; i++) {
    CHECK(ptr[i] == next && got[i] == size_of(at[i][0], at[i][1]) && same(next, at[i][0], at[i][1]));
    next += got[i];
  }
  memset(buf, 0, (size_t)want);
  GP_Gather(g_p, LISTED, &at[0][0], NULL, ptr, got, &size, 1);
  CHECK(size == want);
  for (int i = 0; i < LISTED; i++)
    CHECK(same(ptr[i], at[i][0], at[i][1]));
  GP_Sync();
  if (me == procs - 1) {
    GP_Scatter(g_p, LISTED, &at[0][0], ptr, got, &size, 1);
    CHECK(size == want);
  }
  GP_Sync();
  free(buf);
  size = -1;
  GP_Gather_size(g_p, 0, NULL, &size);
  CHECK(size == 0);
  size = -1;
  GP_Gather(g_p, 0, NULL, NULL, NULL, NULL, &size, 0);
  CHECK(size == 0);
}

// An empty section moves nothing, whatever its bounds are, and reads no pointer.
static void nothing(void) {
  int lo[2] = {-5, 3}, hi[2] = {100, 2}, size = -1;
  GP_Get(g_p, lo, hi, NULL, NULL, NULL, NULL, NULL, &size, 0);
  CHECK(size == 0);
  size = -1;
  GP_Put(g_p, lo, hi, NULL, NULL, NULL, NULL, &size, 1);
  CHECK(size == 0);
}

// One block may be the element of two places; it is free when neither has it any more.
static void twice(void) {
  int lo[2], hi[2];
  GP_Distribution(g_p, me, lo, hi);
  if (hi[0] <= lo[0])
    return;
  int a[2] = {lo[0], lo[1]}, b[2] = {lo[0] + 1, lo[1]}, size;
  unsigned char *mem = GP_Malloc(100), *seen;
  void *before[2] = {GP_Free_local_element(g_p, a), GP_Free_local_element(g_p, b)};
  GP_Assign_local_element(g_p, a, mem, 100);
  GP_Assign_local_element(g_p, b, mem, 40);
  GP_Access_element(g_p, b, &seen, &size);
  CHECK(seen == mem && size == 40);
  CHECK(GP_Free_local_element(g_p, a) == mem);
  CHECK(GP_Free_local_element(g_p, b) == mem);
  GP_Free(mem);
  GP_Access_element(g_p, b, &seen, &size);
  CHECK(seen == NULL && size == 0);
  for (int i = 0; i < 2; i++)
    GP_Free(before[i]);
}

// What is allowed although it looks like a mistake.
static void odd(void) {
  int lo[2], hi[2], size = -1, got[2] = {-1, -1}, ld[1] = {1}, here[2], next[2];
  void *ptr[2] = {buffer, buffer}, *seen = buffer;
  void *empty[2] = {GP_Malloc(0), GP_Malloc(0)};
  CHECK(empty[0] != NULL && empty[1] != NULL && empty[0] != empty[1]);
  GP_Free(empty[0]);
  GP_Free(empty[1]);
  GP_Free(NULL);
  GP_Initialize();
  int unused = GP_Create_handle();
  CHECK(GP_Destroy(unused) == 1);

  GP_Distribution(g_p, me, lo, hi);
  if (hi[0] <= lo[0])
    return;
  memcpy(here, lo, sizeof here);
  memcpy(next, lo, sizeof next);
  next[0]++;
  GP_Free(GP_Free_local_element(g_p, here));
  GP_Free(GP_Free_local_element(g_p, next));
  CHECK(GP_Free_local_element(g_p, here) == NULL);
  GP_Release_update_element(g_p, here);
  GP_Release_element(g_p, here);

  // Places without elements.
  GP_Get(g_p, here, next, NULL, ptr, ld, got, ld, &size, 0);
  CHECK(size == 0 && ptr[0] == NULL && ptr[1] == NULL && got[0] == 0 && got[1] == 0);
  ptr[0] = ptr[1] = (void *)1;
  GP_Put(g_p, here, next, ptr, ld, got, ld, &size, 1);
  CHECK(size == 0);
  GP_Get(g_p, here, next, NULL, ptr, ld, got, ld, &size, 1);
  CHECK(size == 0 && ptr[0] == (void *)1);

  // The beginning of an element.
  char *mem = GP_Malloc(8);
  memcpy(mem, "abcdefg", 8);
  GP_Assign_local_element(g_p, next, mem, 8);
  ptr[1] = buffer;
  got[1] = 3;
  memcpy(buffer, "xyz-", 4);
  GP_Put(g_p, here, next, ptr, ld, got, ld, &size, 0);
  CHECK(size == 3 && memcmp(mem, "xyzdefg", 8) == 0);
  got[1] = 5;
  memset(buffer, '-', sizeof buffer);
  GP_Get(g_p, here, next, NULL, ptr, ld, got, ld, &size, 1);
  CHECK(size == 5 && memcmp(buffer, "xyzde-", 6) == 0);

  // An access outlives the element's place.
  GP_Access_element(g_p, next, &seen, &size);
  CHECK(seen == mem && size == 8 && GP_Free_local_element(g_p, next) == mem);
  GP_Release_element(g_p, next);
  CHECK(memcmp(seen, "xyzdefg", 8) == 0);
  GP_Free(mem);
}

// An array that no heap has room for is an array without places.
static void too_large(void) {
  int dims[3] = {1 << 20, 1 << 20, 1 << 20}, small[1] = {3};
  int g = GP_Create_handle();
  GP_Set_dimensions(g, 3, dims);
  CHECK(GP_Allocate(g) == 0);
  dims[2] = 1;
  GP_Set_dimensions(g, 3, dims);
  CHECK(GP_Allocate(g) == 0);
  GP_Set_dimensions(g, 1, small);
  CHECK(GP_Allocate(g) == 1 && GP_Destroy(g) == 1);
  CHECK(GP_Malloc((size_t)1 << 62) == NULL);
}

// acp_reset ends arrays and elements, and new ones lie on the ranks as they are then.
static void reset(void) {
  int dims[1] = {2 * procs}, lo, hi, first = 0, last = 2 * procs - 1, size;
  int old = GP_Create_handle();
  GP_Set_dimensions(old, 1, dims);
  CHECK(GP_Allocate(old) == 1 && GP_Malloc(100) != NULL);
  me = (me + 1) % procs;
  CHECK(acp_reset(me) == 0);
  int g = GP_Create_handle();
  CHECK(g != old && GP_Get_dimension(g) == -1);
  GP_Set_dimensions(g, 1, dims);
  CHECK(GP_Allocate(g) == 1);
  GP_Distribution(g, me, &lo, &hi);
  CHECK(lo == 2 * me && hi == lo + 1);
  GP_Assign_local_element(g, &lo, GP_Malloc(10), 10);
  GP_Sync();
  GP_Get_size(g, &first, &last, &size);
  CHECK(size == 10 * procs);
  GP_Sync();
}

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0);
  me = acp_rank();
  procs = acp_procs();
  for (int round = 0; round < 2; round++) {
    GP_Initialize();
    int dims[2] = {ROWS, COLUMNS};
    g_p = GP_Create_handle();
    GP_Set_dimensions(g_p, 2, dims);
    CHECK(GP_Allocate(g_p) == 1);
    distribution();
    assign();
    int lo[2] = {1, 2}, hi[2] = {ROWS - 2, COLUMNS - 1}, first[2] = {0, 0}, last[2] = {ROWS - 1, COLUMNS - 1};
    get_packed(lo, hi);
    get_packed(first, last);
    get_placed(lo, hi);
    GP_Memzero(g_p);
    put_rows();
    get_packed(first, last);
    lists();
    get_packed(first, last);
    nothing();
    GP_Sync();
    twice();
    odd();
    too_large();
    reset();
    GP_Terminate();
    // Nothing is left in the heap.
    acp_sync();
    acp_ga_t all = acp_malloc((size_t)64 << 20, me);
    CHECK(all != ACP_GA_NULL);
    acp_free(all);
    acp_sync();
  }
  CHECK(acp_finalize() == 0);
  return 0;
}
