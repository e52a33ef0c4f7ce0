// Makes random transfers of all kinds, shapes and types, blocking and nonblocking, and compares their effects with a
// model of the memory. Arguments: a seed, and the number of rounds.
//
// Each process has a slice of the block of every process, which only it changes. A slice has an area for numbers of
// each type, with which all arithmetic is exact, and an area for bytes.

#include <armci.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AREA = 160 << 10, BYTES = 6, AREAS = 7, SLICE = AREAS * AREA, SEGMENTS = 48, RUNS = 3 };

enum kind { PUT, GET, ACC };

static const int element_size[] = {4, 8, 4, 8, 8, 16, 1}, component_size[] = {4, 8, 4, 8, 4, 8, 1};

static int me, procs;
static char **block;  // of each process
static char **model;  // of the slice of this process in each block
static const char *seed;
static int turn;

static uint64_t state;

static uint32_t rnd(uint32_t n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (uint32_t)((state >> 32) * n >> 32);
}

static void fail(const char *what, int area, int proc) {
  fprintf(stderr, "seed %s, process %d, round %d: %s, area %d of process %d\n", seed, me, turn, what, area, proc);
  exit(1);
}

static void must(int result, const char *what) {
  if (result != 0)
    fail(what, -1, -1);
}

// One transfer, in its own area.
struct transfer {
  enum kind kind;
  int area, proc, unit; // bytes of an element
  char scale[16];
  char *buffer, *mirror;    // AREA bytes of the caller, and of the model
  int is_vector, levels, count[9], local_stride[8], remote_stride[8];
  int local, remote; // offsets in buffer and area
  armci_giov_t run[RUNS];
  void *src[SEGMENTS * RUNS], *dst[SEGMENTS * RUNS];
  int runs;
};

static struct transfer transfers[AREAS];

static char *area_of(const struct transfer *t) { return block[t->proc] + me * SLICE + t->area * AREA; }

// Stores small numbers of a type, with which all arithmetic is exact.
static void numbers(char *to, int n, int type) {
  for (int i = 0; i + component_size[type] <= n; i += component_size[type]) {
    int x = (int)rnd(7) - 3;
    long l = x;
    float f = (float)x;
    double d = x;
    if (type == BYTES)
      to[i] = (char)rnd(256);
    else
      memcpy(to + i, type == ARMCI_ACC_INT ? (void *)&x : type == ARMCI_ACC_LNG ? (void *)&l : component_size[type] == 4 ? (void *)&f : (void *)&d, (size_t)component_size[type]);
  }
}

static double number(const char *at, int type) {
  int x;
  long l;
  float f;
  double d;
  switch (type) {
  case ARMCI_ACC_INT:
    return memcpy(&x, at, 4), x;
  case ARMCI_ACC_LNG:
    return memcpy(&l, at, 8), (double)l;
  case ARMCI_ACC_FLT:
  case ARMCI_ACC_CPL:
    return memcpy(&f, at, 4), f;
  }
  return memcpy(&d, at, 8), d;
}

static void add_number(char *at, int type, double more) {
  double d = number(at, type) + more;
  int x = (int)d;
  long l = (long)d;
  float f = (float)d;
  memcpy(at, type == ARMCI_ACC_INT ? (void *)&x : type == ARMCI_ACC_LNG ? (void *)&l : component_size[type] == 4 ? (void *)&f : (void *)&d, (size_t)component_size[type]);
}

// The effect of a transfer on n bytes of the model.
static void move(const struct transfer *t, long local, long remote, int n) {
  char *l = t->mirror + local, *r = model[t->proc] + t->area * AREA + remote;
  int type = t->area, w = component_size[type];
  if (t->kind == PUT)
    memcpy(r, l, (size_t)n);
  else if (t->kind == GET)
    memcpy(l, r, (size_t)n);
  else
    for (int i = 0; i < n; i += t->unit) {
      double a = number(t->scale, type), x = number(l + i, type);
      if (w == t->unit) {
        add_number(r + i, type, a * x);
        continue;
      }
      double b = number(t->scale + w, type), y = number(l + i + w, type);
      add_number(r + i, type, a * x - b * y);
      add_number(r + i + w, type, a * y + b * x);
    }
}

// Makes strides with which blocks do not overlap: the levels nest in any order, with and without
// gaps, in either direction. Returns where the first block is, or -1 if there is no room.
static int strides(struct transfer *t, int *stride) {
  int order[8];
  long extent = t->count[0], low = 0;
  for (int i = 0; i < t->levels; i++) {
    int k = rnd(2) ? i : (int)rnd((uint32_t)i + 1);
    order[i] = order[k];
    order[k] = i;
  }
  for (int k = 0; k < t->levels; k++) {
    int i = order[k];
    long step = extent + (rnd(2) ? t->unit * (long)rnd(4) : 0);
    extent += step * (t->count[i + 1] - 1);
    if (extent > AREA)
      return -1;
    stride[i] = (int)step;
    if (rnd(4) == 0) {
      stride[i] = (int)-step;
      low += step * (t->count[i + 1] - 1);
    }
  }
  if (extent > AREA)
    return -1;
  return (int)(rnd((uint32_t)((AREA - extent) / t->unit + 1)) * (uint32_t)t->unit + (uint32_t)low);
}

static void strided(struct transfer *t) {
  do {
    t->levels = (int)rnd(9);
    t->count[0] = t->unit * (int)(1 + rnd(rnd(4) ? 40 : (uint32_t)(120000 / t->unit)));
    for (int i = 0; i < t->levels; i++)
      t->count[i + 1] = (int)(1 + rnd(4));
    t->local = strides(t, t->local_stride);
    t->remote = strides(t, t->remote_stride);
  } while (t->local < 0 || t->remote < 0);
  if (t->kind == ACC && t->levels > 0 && rnd(4) == 0)
    t->remote_stride[0] = 0; // all contributions count; what it spares is in the area, too
  int index[8] = {0}, level;
  long local = t->local, remote = t->remote;
  do {
    move(t, local, remote, t->count[0]);
    for (level = 0; level < t->levels; level++) {
      local += t->local_stride[level];
      remote += t->remote_stride[level];
      if (++index[level] < t->count[level + 1])
        break;
      local -= (long)index[level] * t->local_stride[level];
      remote -= (long)index[level] * t->remote_stride[level];
      index[level] = 0;
    }
  } while (level < t->levels);
}

static void vector(struct transfer *t) {
  int at = 0, from = 0, made = 0;
  t->runs = (int)rnd(RUNS + 1);
  for (int r = 0; r < t->runs; r++) {
    armci_giov_t *g = &t->run[r];
    g->bytes = t->unit * (int)rnd(rnd(8) ? 30 : (uint32_t)(20000 / t->unit));
    g->src_ptr_array = t->src + made;
    g->dst_ptr_array = t->dst + made;
    g->ptr_array_len = 0;
    for (int n = (int)rnd(SEGMENTS); n > 0; n--) {
      at += t->unit * (int)rnd(10);
      from += t->unit * (int)rnd(20);
      if (at + g->bytes > AREA || from + g->bytes > AREA)
        break;
      char *l = t->buffer + from, *m = area_of(t) + at;
      t->src[made] = t->kind == GET ? m : l;
      t->dst[made] = t->kind == GET ? l : m;
      move(t, from, at, g->bytes);
      made++;
      g->ptr_array_len++;
      at += g->bytes;
      from += g->bytes;
    }
  }
}

// Makes a random transfer on an area, carries it out on the model, and starts it.
static void start(struct transfer *t, int area, int blocking, armci_hdl_t *h) {
  t->area = area;
  t->unit = element_size[area];
  t->kind = (enum kind)rnd(area == BYTES ? 2 : 3);
  t->proc = (int)rnd((uint32_t)procs);
  t->is_vector = rnd(3) == 0;
  numbers(t->buffer, AREA + 16, area);
  memcpy(t->mirror, t->buffer, AREA + 16);
  numbers(t->scale, 16, area);
  if (area == BYTES)
    numbers(t->scale, 16, ARMCI_ACC_INT);
  (t->is_vector ? vector : strided)(t);
  char *l = t->buffer + t->local, *r = area_of(t) + t->remote;
  int *ls = t->local_stride, *rs = t->remote_stride, *n = t->count, levels = t->levels, p = t->proc;
  if (t->is_vector)
    must(t->kind == PUT ? blocking ? ARMCI_PutV(t->run, t->runs, p) : ARMCI_NbPutV(t->run, t->runs, p, h)
         : t->kind == GET ? blocking ? ARMCI_GetV(t->run, t->runs, p) : ARMCI_NbGetV(t->run, t->runs, p, h)
         : blocking ? ARMCI_AccV(area, t->scale, t->run, t->runs, p) : ARMCI_NbAccV(area, t->scale, t->run, t->runs, p, h), "vector");
  else if (levels == 0 && rnd(2))
    must(t->kind == PUT ? blocking ? ARMCI_Put(l, r, n[0], p) : ARMCI_NbPut(l, r, n[0], p, h)
         : t->kind == GET ? blocking ? ARMCI_Get(r, l, n[0], p) : ARMCI_NbGet(r, l, n[0], p, h)
         : blocking ? ARMCI_Acc(area, t->scale, l, r, n[0], p) : ARMCI_NbAcc(area, t->scale, l, r, n[0], p, h), "contiguous");
  else
    must(t->kind == PUT ? blocking ? ARMCI_PutS(l, ls, r, rs, n, levels, p) : ARMCI_NbPutS(l, ls, r, rs, n, levels, p, h)
         : t->kind == GET ? blocking ? ARMCI_GetS(r, rs, l, ls, n, levels, p) : ARMCI_NbGetS(r, rs, l, ls, n, levels, p, h)
         : blocking ? ARMCI_AccS(area, t->scale, l, ls, r, rs, n, levels, p) : ARMCI_NbAccS(area, t->scale, l, ls, r, rs, n, levels, p, h), "strided");
  // The library has read these.
  memset(t->scale, 0xee, sizeof t->scale);
  memset(t->count, 0xee, sizeof t->count);
  memset(t->local_stride, 0xee, sizeof t->local_stride);
  memset(t->remote_stride, 0xee, sizeof t->remote_stride);
  memset(t->src, 0xee, sizeof t->src);
  memset(t->dst, 0xee, sizeof t->dst);
}

// The transfer is locally complete.
static void finish(struct transfer *t) {
  if (memcmp(t->buffer, t->mirror, AREA + 16) != 0)
    fail(t->kind == GET ? "a get returned other bytes" : "the source has changed", t->area, t->proc);
}

// Starts several transfers and waits for them in one of several ways.
static void several(void) {
  armci_hdl_t own[AREAS], one;
  int n = (int)(2 + rnd(AREAS - 1)), way = (int)rnd(6);
  memset(&one, (int)rnd(256), sizeof one);
  memset(own, (int)rnd(256), sizeof own);
  if (way == 1)
    ARMCI_SET_AGGREGATE_HANDLE(&one);
  for (int i = 0; i < n; i++)
    start(&transfers[i], i, 0, way <= 1 ? &one : way == 2 || way == 5 ? &own[i] : NULL);
  if (way == 0)
    must(ARMCI_Wait(&one), "wait");
  if (way == 1)
    while (ARMCI_Test(&one) == 1)
      continue;
  if (way == 2)
    for (int i = n - 1; i >= 0; i--)
      must(ARMCI_Wait(&own[i]), "wait");
  if (way == 3)
    must(ARMCI_WaitAll(), "wait for all");
  if (way == 4)
    for (int p = 0; p < procs; p++)
      must(ARMCI_WaitProc(p), "wait for a process");
  if (way == 5) {
    for (int i = 0; i < n; i++)
      ARMCI_INIT_HANDLE(&own[i]);
    must(ARMCI_WaitAll(), "wait for forgotten handles");
  }
  for (int i = 0; i < n; i++)
    finish(&transfers[i]);
}

// Changes one number by functions for numbers.
static void value(void) {
  int p = (int)rnd((uint32_t)procs), at = 16 * (int)rnd(AREA / 16 - 1), x = (int)rnd(100) - 50;
  char *r = block[p] + me * SLICE + at, *m = model[p] + at;
  long l = x, was8;
  float f = (float)x;
  double d = x;
  int was4;
  armci_hdl_t h;
  memset(&h, 0x5a, sizeof h);
  switch (rnd(9)) {
  case 0:
    memcpy(m, &x, 4);
    must(ARMCI_PutValueInt(x, r, p), "value");
    break;
  case 1:
    memcpy(m + AREA, &l, 8);
    must(ARMCI_NbPutValueLong(l, r + AREA, p, &h) || ARMCI_Wait(&h), "value");
    break;
  case 2:
    memcpy(m + 2 * AREA, &f, 4);
    must(ARMCI_NbPutValueFloat(f, r + 2 * AREA, p, NULL) || ARMCI_WaitProc(p), "value");
    break;
  case 3:
    memcpy(m + 3 * AREA, &d, 8);
    must(ARMCI_PutValueDouble(d, r + 3 * AREA, p), "value");
    break;
  case 4:
    memcpy(&was8, m + AREA, 8);
    if (ARMCI_GetValueInt(r, p) != (int)number(m, ARMCI_ACC_INT) || ARMCI_GetValueLong(r + AREA, p) != was8 ||
        ARMCI_GetValueFloat(r + 2 * AREA, p) != (float)number(m + 2 * AREA, ARMCI_ACC_FLT) ||
        ARMCI_GetValueDouble(r + 3 * AREA, p) != number(m + 3 * AREA, ARMCI_ACC_DBL))
      fail("a value differs", 0, p);
    break;
  case 5:
    must(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &was4, r, x, p), "rmw");
    if (was4 != (int)number(m, ARMCI_ACC_INT))
      fail("fetch and add returned another number", 0, p);
    add_number(m, ARMCI_ACC_INT, x);
    break;
  case 6:
    must(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &was8, r + AREA, x, p), "rmw");
    if (was8 != (long)number(m + AREA, ARMCI_ACC_LNG))
      fail("fetch and add returned another number", 1, p);
    add_number(m + AREA, ARMCI_ACC_LNG, x);
    break;
  case 7:
    was4 = x;
    must(ARMCI_Rmw(ARMCI_SWAP, &was4, r, 77, p), "rmw");
    if (was4 != (int)number(m, ARMCI_ACC_INT))
      fail("swap returned another number", 0, p);
    memcpy(m, &x, 4);
    break;
  case 8:
    memcpy(m + 6 * AREA, &d, 8);
    memcpy(m, &x, 4);
    must(ARMCI_Put_flag(&d, r + 6 * AREA, 8, (int *)(void *)r, x, p), "flag");
    if (ARMCI_GetValueInt(r, p) != x)
      fail("a flag differs", 0, p);
    break;
  }
}

static uint64_t checksum(const char *at) {
  uint64_t sum = 14695981039346656037u;
  for (int i = 0; i < SLICE; i++)
    sum = (sum ^ (unsigned char)at[i]) * 1099511628211u;
  return sum;
}

// Compares all slices with the models: by gets, and by loads of their owners.
static void compare(void) {
  char *got = malloc(SLICE);
  for (int p = 0; p < procs; p++) {
    must(ARMCI_Get(block[p] + me * SLICE, got, SLICE, p), "get");
    for (int a = 0; a < AREAS; a++)
      if (memcmp(got + a * AREA, model[p] + a * AREA, AREA) != 0)
        fail("the memory differs from the model", a, p);
  }
  ARMCI_Barrier();
  for (int p = 0; p < procs; p++) {
    uint64_t sum = checksum(model[p]);
    armci_msg_snd(1, &sum, sizeof sum, p);
  }
  for (int p = 0; p < procs; p++) {
    uint64_t sum;
    armci_msg_rcv(1, &sum, sizeof sum, NULL, p);
    if (sum != checksum(block[me] + p * SLICE))
      fail("the owner sees other bytes", -1, p);
  }
  free(got);
}

int main(int argc, char **argv) {
  if (argc < 3 || ARMCI_Init() != 0)
    return 2;
  me = armci_msg_me();
  procs = armci_msg_nproc();
  seed = argv[1];
  state = strtoull(seed, NULL, 10) * 2654435761u + (uint64_t)me * 40503u + 88172645463325252u;
  block = calloc((size_t)procs, sizeof *block);
  model = calloc((size_t)procs, sizeof *model);
  must(ARMCI_Malloc((void **)block, (armci_size_t)procs * SLICE), "allocation");
  for (int p = 0; p < procs; p++)
    model[p] = calloc(1, SLICE);
  for (int a = 0; a < AREAS; a++) {
    transfers[a].buffer = (char *)malloc(AREA + 32) + rnd(16);
    transfers[a].mirror = malloc(AREA + 32);
  }
  int rounds = atoi(argv[2]);
  for (turn = 0; turn < rounds; turn++)
    switch (rnd(4)) {
    case 0:
      several();
      break;
    case 1:
      value();
      break;
    default:
      start(&transfers[0], (int)rnd(AREAS), 1, NULL);
      finish(&transfers[0]);
    }
  compare();
  printf("%d agrees\n", me);
  armci_msg_finalize(); // and MPI
  return 0;
}
