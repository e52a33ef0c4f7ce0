// The processes of a world and of groups call barriers and reductions of random arrays. In each call some of them use
// the functions in C and some the functions in Go, which share a collective area. All results have the bits of a
// serial reduction in the order of the ranks.
//
//     reductions SEED ROUNDS

#include <armci.h>
#include <armci_msg.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The functions that the library calls in Go.
int goacp_armci_reduce(const void *call, int scope, void *x, int n, const char *op, int type, uint64_t group);
int goacp_armci_group_barrier(const void *call, uint64_t group);

enum { LONGEST = 3000, MOST_PROCS = 8 };

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition))                                                          \
      ARMCI_Error(__FILE__ ": " #condition, __LINE__);                         \
  } while (0)

// A sequence of random numbers. One sequence is the same in all processes.
struct random {
  uint64_t state;
};

static uint64_t next(struct random *r) {
  r->state = r->state * 6364136223846793005u + 1442695040888963407u;
  return r->state >> 11 ^ r->state << 40;
}

static int below(struct random *r, int n) { return (int)(next(r) >> 8 & 0xffffff) % n; }

static int me, procs;

// Processes that call functions together.
struct team {
  ARMCI_Group group;
  int size, rank, member[MOST_PROCS]; // member: the processes by rank
  int number;                         // each team has another number
};

// The number of a group in Go.
static uint64_t number_of(const struct team *t) { return (uint64_t)(uintptr_t)t->group.abs_to_grp; }

static void make(struct team *t) { ARMCI_Group_create(t->size, t->member, &t->group); }

// All processes; all of them from the last to the first; the even or the odd ones.
enum { WORLD, REVERSED, HALF, TEAMS };

static struct team teams[TEAMS];

static void make_teams(void) {
  for (int p = 0; p < procs; p++) {
    teams[WORLD].member[p] = p;
    teams[REVERSED].member[p] = procs - 1 - p;
    if (p % 2 == me % 2)
      teams[HALF].member[teams[HALF].size++] = p;
  }
  teams[WORLD].size = teams[REVERSED].size = procs;
  teams[WORLD].rank = me, teams[REVERSED].rank = procs - 1 - me, teams[HALF].rank = me / 2;
  teams[HALF].number = 1 + me % 2;
  ARMCI_Group_get_world(&teams[WORLD].group);
  make(&teams[REVERSED]);
  make(&teams[HALF]);
}

static const char *const operators[] = {
    "+", "*", "max", "min", "absmax", "absmin", "abs", "&&", "land", "||", "lor", "&", "band", "|", "bor", "or", "maximum", "+ ",
};

// An array of any type.
union array {
  int i[LONGEST];
  long l[LONGEST];
  float f[LONGEST];
  double d[LONGEST];
};

static size_t size_of(int type) { return type == ARMCI_INT || type == ARMCI_FLOAT ? 4 : 8; }

// Fills an array with the values of a process: numbers of all sizes, and special values.
static void fill(union array *x, int n, int type, uint64_t seed) {
  static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, 1e300, 5e-324};
  struct random r = {seed};
  for (int i = 0; i < n; i++) {
    uint64_t bits = next(&r);
    double real = ldexp((double)(int64_t)bits, -below(&r, 80));
    if (below(&r, 20) == 0)
      real = special[below(&r, 6)];
    switch (type) {
    case ARMCI_INT:
      x->i[i] = (int)(bits & (below(&r, 2) ? UINT64_MAX : 0));
      break;
    case ARMCI_FLOAT:
      x->f[i] = (float)real;
      break;
    case ARMCI_DOUBLE:
      x->d[i] = real;
      break;
    default:
      x->l[i] = (long)(bits & (below(&r, 2) ? UINT64_MAX : 0));
    }
  }
}

// Combines two arrays into the first, independently of the library. Only sums and products depend on the order.
#define SERIAL(member, type, wide, bitwise)                                    \
  for (int i = 0; i < n; i++) {                                                \
    type a = x->member[i], b = y->member[i];                                   \
    if (op[0] == '+')                                                          \
      a = (type)((wide)a + (wide)b);                                           \
    else if (op[0] == '*')                                                     \
      a = (type)((wide)a * (wide)b);                                           \
    else if (strcmp(op, "absmin") == 0 || op[1] == 'i')                        \
      a = b < a ? b : a;                                                       \
    else if (op[0] == 'm' || strncmp(op, "abs", 3) == 0)                       \
      a = b > a ? b : a;                                                       \
    else                                                                       \
      bitwise;                                                                 \
    x->member[i] = a;                                                          \
  }                                                                            \
  break
#define BITWISE                                                                \
  a = op[0] == 'l' || op[1] == op[0]                                           \
          ? (op[1] == 'a' || op[1] == '&' ? a && b : a || b)                   \
          : (op[0] == '&' || op[1] == 'a' ? a & b : a | b)

static void join(union array *x, const union array *y, int n, int type, const char *op) {
  switch (type) {
  case ARMCI_INT:
    SERIAL(i, int, uint32_t, BITWISE);
  case ARMCI_FLOAT:
    SERIAL(f, float, float, abort());
  case ARMCI_DOUBLE:
    SERIAL(d, double, double, abort());
  default:
    SERIAL(l, long, uint64_t, BITWISE);
  }
}

static void absolute(union array *x, int n, int type) {
  for (int i = 0; i < n; i++)
    switch (type) {
    case ARMCI_INT:
      x->i[i] = (int)(x->i[i] < 0 ? 0 - (uint32_t)x->i[i] : (uint32_t)x->i[i]);
      break;
    case ARMCI_FLOAT:
      x->f[i] = fabsf(x->f[i]);
      break;
    case ARMCI_DOUBLE:
      x->d[i] = fabs(x->d[i]);
      break;
    default:
      x->l[i] = (long)(x->l[i] < 0 ? 0 - (uint64_t)x->l[i] : (uint64_t)x->l[i]);
    }
}

// The result: neighbours are combined until one array is left.
static const union array *serial(const struct team *t, int n, int type, const char *op, uint64_t seed) {
  static union array all[MOST_PROCS];
  for (int p = 0; p < t->size; p++) {
    fill(&all[p], n, type, seed + (uint64_t)p);
    if (strncmp(op, "abs", 3) == 0)
      absolute(&all[p], n, type);
  }
  for (int apart = 1; apart < t->size; apart *= 2)
    for (int p = 0; p + apart < t->size; p += 2 * apart)
      join(&all[p], &all[p + apart], n, type, op);
  return &all[0];
}

static int is_real(int type) { return type == ARMCI_FLOAT || type == ARMCI_DOUBLE; }

// Whether the bytes are those of equal numbers. The bits of a NaN that is a sum of different NaNs are undefined.
static int equal(const union array *x, const union array *y, int n, int type) {
  for (int i = 0; i < n; i++) {
    if (type == ARMCI_FLOAT && isnan(x->f[i]) && isnan(y->f[i]))
      continue;
    if (type == ARMCI_DOUBLE && isnan(x->d[i]) && isnan(y->d[i]))
      continue;
    if (memcmp((const char *)x + (size_t)i * size_of(type), (const char *)y + (size_t)i * size_of(type), size_of(type)) != 0)
      return 0;
  }
  return 1;
}

static void reduce_once(struct team *t, struct random *all, struct random *own) {
  static union array x;
  int type = below(all, 5), n = below(all, 3) == 0 ? below(all, LONGEST) : below(all, 20);
  const char *op = operators[below(all, is_real(type) ? 7 : (int)(sizeof operators / sizeof *operators))];
  uint64_t seed = next(all) + 100 * (uint64_t)t->number;
  memset(&x, 0xee, sizeof x);
  fill(&x, n, type, seed + (uint64_t)t->rank);
  if (below(own, 2))
    goacp_armci_reduce(NULL, SCOPE_ALL, &x, n, op, type, number_of(t));
  else
    armci_msg_group_gop_scope(SCOPE_ALL, &x, n, (char *)op, type, &t->group);
  if (!equal(&x, serial(t, n, type, op, seed), n, type))
    fprintf(stderr, "process %d: %s of %d elements of type %d\n", me, op, n, type);
  CHECK(equal(&x, serial(t, n, type, op, seed), n, type));
  CHECK(((unsigned char *)&x)[(size_t)n * size_of(type)] == 0xee);
}

// After a barrier no process of the team has an old word.
static void meet_once(struct team *t, struct random *own, int **words, int round) {
  __atomic_store_n(words[me], round, __ATOMIC_RELAXED);
  switch (below(own, t == &teams[WORLD] ? 4 : 2)) {
  case 0:
    goacp_armci_group_barrier(NULL, number_of(t));
    break;
  case 1:
    armci_msg_group_barrier(&t->group);
    break;
  case 2:
    armci_msg_barrier();
    break;
  default:
    ARMCI_Barrier();
  }
  for (int rank = 0; rank < t->size; rank++) {
    int theirs = 0, p = t->member[rank];
    CHECK(ARMCI_Get(words[p], &theirs, sizeof theirs, p) == 0);
    CHECK(theirs >= round);
  }
}

// Frees a group and makes it again. It has a new number and another collective area.
static void make_again(struct team *t) {
  armci_msg_group_barrier(&t->group);
  ARMCI_Group_free(&t->group);
  make(t);
}

int main(int argc, char **argv) {
  int *words[MOST_PROCS];
  CHECK(ARMCI_Init_args(&argc, &argv) == 0 && argc == 3);
  me = armci_msg_me();
  procs = armci_msg_nproc();
  CHECK(procs <= MOST_PROCS && ARMCI_Malloc((void **)words, sizeof(int)) == 0);
  struct random all = {strtoull(argv[1], NULL, 10)}, own = {all.state ^ (uint64_t)(me + 1) << 32};
  next(&own);
  int rounds = atoi(argv[2]);
  make_teams();
  for (int round = 1; round <= rounds; round++) {
    struct team *t = &teams[below(&all, TEAMS)];
    if (below(&all, 3) == 0)
      meet_once(t, &own, words, round);
    else
      reduce_once(t, &all, &own);
    if (round % 20 == 0)
      make_again(&teams[1 + below(&all, TEAMS - 1)]);
  }
  ARMCI_Barrier();
  ARMCI_Group_free(&teams[REVERSED].group);
  ARMCI_Group_free(&teams[HALF].group);
  CHECK(ARMCI_Free(words[me]) == 0);
  ARMCI_Finalize();
  printf("process %d of %d agrees\n", me, procs);
  return 0;
}
