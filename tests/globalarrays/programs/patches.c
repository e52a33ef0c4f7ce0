/* Random transfers of patches against a model. All processes draw the same numbers and keep a copy of
   the whole array. In each round one process changes a patch, and all read patches. */
#include "program.h"

enum { MAXDIM = 4, ROUNDS = 12 };

/* Element types: values of floating-point types are exact. */
static const struct kind {
  int type, components;
  enum { INT, LONG, FLOAT, DOUBLE } base;
} kinds[] = {
    {C_INT, 1, INT}, {C_LONG, 1, LONG}, {C_FLOAT, 1, FLOAT}, {C_DBL, 1, DOUBLE}, {C_SCPL, 2, FLOAT}, {C_DCPL, 2, DOUBLE},
};

static size_t width(const struct kind *k) {
  static const size_t bytes[] = {sizeof(int), sizeof(long), sizeof(float), sizeof(double)};
  return bytes[k->base];
}

static void store(const struct kind *k, void *at, long i, double v) {
  switch (k->base) {
  case INT: ((int *)at)[i] = (int)v; break;
  case LONG: ((long *)at)[i] = (long)v; break;
  case FLOAT: ((float *)at)[i] = (float)v; break;
  case DOUBLE: ((double *)at)[i] = v; break;
  }
}

static double load(const struct kind *k, const void *at, long i) {
  switch (k->base) {
  case INT: return ((const int *)at)[i];
  case LONG: return (double)((const long *)at)[i];
  case FLOAT: return ((const float *)at)[i];
  default: return ((const double *)at)[i];
  }
}

static int ndim, dims[MAXDIM];

/* Whether strided patches are tried. strided.c shows why not all are. */
static int strides;

/* A patch of the array, each of whose indices advances by skip. */
struct patch {
  int lo[MAXDIM], hi[MAXDIM], skip[MAXDIM], ld[MAXDIM], shape[MAXDIM];
  long count;
};

static struct patch draw(int strided) {
  struct patch p = {.count = 1};
  for (int d = 0; d < ndim; d++) {
    int a = below(dims[d]), b = below(dims[d]);
    p.lo[d] = a < b ? a : b;
    p.hi[d] = a < b ? b : a;
    p.skip[d] = strided ? 1 + below(3) : 1;
    p.shape[d] = (p.hi[d] - p.lo[d]) / p.skip[d] + 1;
    p.count *= p.shape[d];
  }
  for (int d = 1; d < ndim; d++)
    p.ld[d - 1] = p.shape[d];
  return p;
}

/* place returns where element i of a patch is in the model. */
static long place(const struct patch *p, long i) {
  int index[MAXDIM];
  for (int d = ndim - 1; d >= 0; d--) {
    index[d] = p->lo[d] + (int)(i % p->shape[d]) * p->skip[d];
    i /= p->shape[d];
  }
  long at = 0;
  for (int d = 0; d < ndim; d++)
    at = at * dims[d] + index[d];
  return at;
}

/* compare checks a buffer against the model. */
static void compare(const struct kind *k, const struct patch *p, const void *buf, const double *model, const char *what) {
  for (long i = 0; i < p->count; i++)
    for (int c = 0; c < k->components; c++) {
      double got = load(k, buf, i * k->components + c), want = model[place(p, i) * k->components + c];
      check(got == want, "%s: type %d, element %ld: %g, expected %g", what, k->type, i, got, want);
    }
}

/* add accumulates scale times buf to the model. */
static void add(const struct kind *k, const struct patch *p, const void *buf, double *model, const double *scale) {
  for (long i = 0; i < p->count; i++) {
    double *to = &model[place(p, i) * k->components];
    double re = load(k, buf, i * k->components);
    if (k->components == 1) {
      to[0] += scale[0] * re;
    } else {
      double im = load(k, buf, i * 2 + 1);
      to[0] += scale[0] * re - scale[1] * im;
      to[1] += scale[0] * im + scale[1] * re;
    }
  }
}

/* change lets one process change a patch in one of six ways, and changes the model. */
static void change(const struct kind *k, int g, int by, double *model, void *buf) {
  int how = below(strides ? 6 : 4);
  struct patch p = draw(how >= 4);
  double scale[2] = {1 + below(3), k->components == 2 ? below(2) : 0};
  char scaled[16];
  store(k, scaled, 0, scale[0]);
  if (k->components == 2)
    store(k, scaled, 1, scale[1]);
  for (long i = 0; i < p.count * k->components; i++)
    store(k, buf, i, below(10));
  if (by == self) {
    ga_nbhdl_t handle;
    switch (how) {
    case 0: NGA_Put(g, p.lo, p.hi, buf, p.ld); break;
    case 1: NGA_Acc(g, p.lo, p.hi, buf, p.ld, scaled); break;
    case 2: NGA_NbPut(g, p.lo, p.hi, buf, p.ld, &handle); NGA_NbWait(&handle); break;
    case 3: NGA_NbAcc(g, p.lo, p.hi, buf, p.ld, scaled, &handle); NGA_NbWait(&handle); break;
    case 4: NGA_Strided_put(g, p.lo, p.hi, p.skip, buf, p.ld); break;
    case 5: NGA_Strided_acc(g, p.lo, p.hi, p.skip, buf, p.ld, scaled); break;
    }
  }
  if (how % 2 == 1) {
    add(k, &p, buf, model, scale);
  } else {
    for (long i = 0; i < p.count * k->components; i++)
      model[place(&p, i / k->components) * k->components + i % k->components] = load(k, buf, i);
  }
}

/* inspect reads patches in three ways. */
static void inspect(const struct kind *k, int g, const double *model, void *buf) {
  struct patch p = draw(0);
  NGA_Get(g, p.lo, p.hi, buf, p.ld);
  compare(k, &p, buf, model, "NGA_Get");
  p = draw(0);
  ga_nbhdl_t handle;
  NGA_NbGet(g, p.lo, p.hi, buf, p.ld, &handle);
  NGA_NbWait(&handle);
  compare(k, &p, buf, model, "NGA_NbGet");
  if (!strides)
    return;
  p = draw(1);
  NGA_Strided_get(g, p.lo, p.hi, p.skip, buf, p.ld);
  compare(k, &p, buf, model, "NGA_Strided_get");
}

static void play(const struct kind *k, int g) {
  long elements = 1;
  for (int d = 0; d < ndim; d++)
    elements *= dims[d];
  double *model = calloc((size_t)elements * k->components, sizeof *model);
  void *buf = malloc((size_t)elements * k->components * width(k));
  GA_Zero(g);
  for (int round = 0; round < ROUNDS; round++) {
    change(k, g, round % procs, model, buf);
    GA_Sync();
    inspect(k, g, model, buf);
    GA_Sync();
  }
  free(buf);
  free(model);
  GA_Destroy(g);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  static const int extents[MAXDIM] = {23, 17, 9, 6};
  for (ndim = 1; ndim <= MAXDIM; ndim++)
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
      for (int d = 0; d < ndim; d++)
        dims[d] = ndim == 1 ? 1000 : extents[d];
      int g = NGA_Create(kinds[k].type, ndim, dims, "patches", NULL);
      check(g != 0, "no array");
      strides = ndim < 3;
      play(&kinds[k], g);
      int blocks[MAXDIM] = {5, 4, 3, 2};
      g = GA_Create_handle();
      GA_Set_data(g, ndim, dims, kinds[k].type);
      GA_Set_block_cyclic(g, blocks);
      check(GA_Allocate(g), "no array of blocks");
      strides = 0;
      play(&kinds[k], g);
    }
  return end();
}
