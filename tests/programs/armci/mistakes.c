// Makes the wrong calls that the arguments name, on every process. If the run does not end, it prints the numbers
// that the functions return.

#include <acp.h>
#include <armci.h>
#include <armci_iterator.h>
#include <armcix.h>

#include <stdio.h>
#include <string.h>

static void *block[64], *others[64];
static int me;

static double x = 1, y, many[16];
static int even[] = {16}, two[] = {8, 2}, negative[] = {8, -2}, twice[] = {0, 0};
static void *here[] = {&x}, *there[1], *nowhere[] = {NULL};
static char *none = NULL;
static stride_info_t iterator;

// The caller's neighbour, and its memory.
static int other(void) { return 1 - me; }
static double *far(void) { return block[other()]; }

static int vector(int kind, void **src, void **dst, int bytes, int length) {
  armci_giov_t g = {src, dst, bytes, length};
  there[0] = far();
  return kind == 'p' ? ARMCI_PutV(&g, 1, other()) : ARMCI_GetV(&g, 1, other());
}

// Returns result if nothing has been put, and 99 otherwise.
static int unless_put(int result) {
  double d = 0;
  ARMCI_Get(far(), &d, sizeof d, other());
  return d == 0 ? result : 99;
}

static int freed(void) {
  ARMCI_Group world, group;
  ARMCI_Group_get_world(&world);
  ARMCIX_Group_dup(&world, &group);
  ARMCI_Group_free(&group);
  return ARMCI_Malloc_group(others, 8, &group);
}

static int wrong_mode(int mode, void *ptr) {
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  return ARMCIX_Mode_set(mode, ptr, &world);
}

static int no_group(void) {
  ARMCI_Group group = {0};
  return ARMCIX_Group_dup(&group, &group);
}

static int create(int n, int *list) {
  ARMCI_Group group;
  ARMCI_Group_create(n, list, &group);
  return 0;
}

static int lock_twice(void) {
  ARMCI_Create_mutexes(1);
  ARMCI_Lock(0, me);
  ARMCI_Lock(0, me);
  return 0;
}

static int receive(int n, int from) {
  armci_msg_snd(1, &x, sizeof x, me);
  armci_msg_rcv(1, &y, n, NULL, from);
  return 0;
}

static int receive_any(void) {
  armci_msg_snd(1, &x, sizeof x, me);
  return armci_msg_rcvany(1, &y, 7, NULL);
}

static int get_memory(size_t bytes, int flags) {
  armci_meminfo_t info;
  ARMCI_Memget(bytes, &info, flags);
  return 0;
}

// The wrong calls: name and function.
#define MISTAKES(M)                                                            \
  M(proc, ARMCI_Put(&x, far(), 8, 1000))                                       \
  M(null, ARMCI_Get(NULL, &x, 8, other()))                                     \
  M(nolocal, ARMCI_Put(none, far(), 8, other()))                               \
  M(outside, ARMCI_Put(&x, (char *)far() + (1L << 45), 8, other()))            \
  M(bytes, ARMCI_Put(&x, far(), -1, other()))                                  \
  M(count, ARMCI_PutS(&x, even, far(), even, negative, 1, other()))            \
  M(levels, ARMCI_PutS(&x, even, far(), even, two, 9, other()))                \
  M(fewer, ARMCI_GetS(far(), even, &x, even, two, -1, other()))                \
  M(strides, ARMCI_PutS(&x, NULL, far(), even, two, 1, other()))               \
  M(counts, ARMCI_PutS(&x, even, far(), even, NULL, 1, other()))               \
  M(scale, ARMCI_Acc(ARMCI_ACC_DBL, NULL, &x, far(), 8, other()))              \
  M(type, ARMCI_Acc(77, &x, &x, far(), 8, other()))                            \
  M(element, ARMCI_Acc(ARMCI_ACC_DBL, &x, many, far(), 12, other()))           \
  M(halves, ARMCI_AccS(ARMCI_ACC_DCP, many, many, twice, block[me], twice, two, 1, me)) \
  M(descriptors, ARMCI_PutV(NULL, 1, other()))                                 \
  M(lessdescriptors, ARMCI_GetV(NULL, -1, other()))                            \
  M(segments, vector('p', here, there, 8, -1))                                 \
  M(segment, vector('g', there, here, -8, 1))                                  \
  M(pointers, vector('p', NULL, there, 8, 1))                                  \
  M(pointer, vector('p', here, nowhere, 8, 1))                                 \
  M(nb, ARMCI_NbPut(&x, far(), -8, other(), NULL))                             \
  M(flag, unless_put(ARMCI_Put_flag(&x, far(), 8, NULL, 1, other())))          \
  M(flagdir, unless_put(ARMCI_PutS_flag_dir(&x, even, far(), even, two, 0, (int *)((char *)far() + 2), 1, other()))) \
  M(flagoutside, unless_put(ARMCI_PutS_flag(&x, even, far(), even, two, 0, (int *)((char *)far() + (1L << 45)), 1, other()))) \
  M(value, ARMCI_GetValueInt(NULL, other()))                                   \
  M(op, ARMCI_Rmw(9, &y, far(), 1, other()))                                   \
  M(misaligned, ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &y, (char *)far() + 2, 1, other())) \
  M(ploc, ARMCI_Rmw(ARMCI_SWAP, NULL, far(), 1, other()))                      \
  M(wait, ARMCI_Wait(NULL))                                                    \
  M(test, ARMCI_Test(NULL))                                                    \
  M(await, ARMCI_WaitProc(-1))                                              \
  M(fence, (ARMCI_Fence(-1), 0))                                               \
  M(notify, armci_notify(2))                                                   \
  M(notified, armci_notify_wait(-1, NULL))                                     \
  M(array, ARMCI_Malloc(NULL, 8))                                              \
  M(malloc, ARMCI_Malloc(others, -8))                                          \
  M(free, ARMCI_Free(&x))                                                      \
  M(local, ARMCI_Malloc_local(-1) == NULL ? 0 : 99)                            \
  M(memget, get_memory(8, 1))                                                  \
  M(memgetzero, get_memory(0, 0))                                              \
  M(memctl, (ARMCI_Memctl(NULL), 0))                                           \
  M(copy, (ARMCI_Copy(&x, &y, -1), 0))                                         \
  M(pack, (armci_write_strided(&x, 9, even, two, (char *)many), 0))            \
  M(unpack, (armci_read_strided(&x, 1, even, negative, (char *)many), 0))      \
  M(copynowhere, (ARMCI_Copy(none, &y, 8), 0))                                 \
  M(packarray, (armci_write_strided(&x, 1, NULL, two, (char *)many), 0))       \
  M(packnowhere, (armci_write_strided(&x, 0, NULL, two, none), 0))             \
  M(unpackarray, (armci_read_strided(&x, 0, NULL, NULL, (char *)many), 0))     \
  M(unpacknowhere, (armci_read_strided(none, 1, even, two, (char *)many), 0))  \
  M(iterator, (armci_stride_info_init(&iterator, &x, 1, NULL, two), 0))        \
  M(mutexes, ARMCI_Destroy_mutexes())                                          \
  M(mutexcount, ARMCI_Create_mutexes(-1))                                      \
  M(again, ARMCI_Create_mutexes(1) || ARMCI_Create_mutexes(1) == -8 ? -8 : 99) \
  M(unlock, (ARMCI_Create_mutexes(1), ARMCI_Unlock(0, me), 0))                 \
  M(lock, lock_twice())                                                        \
  M(mutex, (ARMCI_Create_mutexes(1), ARMCI_Lock(1, me), 0))                    \
  M(set, ARMCIX_Destroy_mutexes_hdl(NULL))                                     \
  M(group, no_group())                                                         \
  M(freed, freed())                                                            \
  M(repeat, create(2, twice))                                                  \
  M(members, create(-1, twice))                                                \
  M(memberless, create(1, NULL))                                               \
  M(mode, wrong_mode(64, NULL))                                                \
  M(modeof, wrong_mode(1, &x))                                                 \
  M(operator, (armci_msg_dgop(&x, 1, "xor"), 0))                               \
  M(bits, (armci_msg_dgop(&x, 1, "|"), 0))                                     \
  M(elements, (armci_msg_dgop(&x, -1, "+"), 0))                                \
  M(scope, (armci_msg_gop_scope(7, &x, 1, "+", ARMCI_DOUBLE), 0))              \
  M(number, (armci_msg_reduce(&x, 1, "+", 9), 0))                              \
  M(selection, (armci_msg_sel(&x, 8, "+", ARMCI_DOUBLE, 1), 0))                \
  M(selected, (armci_msg_sel(&x, 4, "max", ARMCI_DOUBLE, 1), 0))               \
  M(addresses, (armci_exchange_address(others, 3), 0))                         \
  M(root, (armci_msg_brdcst(&x, sizeof x, 2), 0))                              \
  M(length, (armci_msg_brdcst(&x, -1, 0), 0))                                  \
  M(longer, receive(7, me))                                                    \
  M(sender, receive(8, 2))                                                     \
  M(anylonger, receive_any())                                                  \
  M(to, (armci_msg_snd(1, &x, 8, -1), 0))                                      \
  M(error, (ARMCI_Error("enough", 7), 0))

#define DEFINE(name, expression)                                               \
  static int make_##name(void) { return expression; }
MISTAKES(DEFINE)

#define ENTRY(name, expression) {#name, make_##name},
static const struct {
  const char *name;
  int (*make)(void);
} mistakes[] = {MISTAKES(ENTRY)};

// Makes the wrong call with a name. Returns 0 if there is none.
static int make(const char *name) {
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
    if (strcmp(name, mistakes[i].name) == 0)
      return printf("%s %d\n", name, mistakes[i].make());
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "early") == 0) {
    printf("early %d\n", ARMCI_Put(argv, argv, 1, 0));
    return 0;
  }
  if (ARMCI_Init_args(&argc, &argv) != 0 || ARMCI_Malloc(block, 4096) != 0)
    return 2;
  me = armci_msg_me();
  for (int i = 1; i < argc; i++)
    if (!make(argv[i])) {
      fprintf(stderr, "no mistake is called %s\n", argv[i]);
      return 3;
    }
  return ARMCI_Finalize();
}
