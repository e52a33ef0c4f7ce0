// Process 0 or both use memory that is not there, in the way that the argument names. If the run does
// not end, the program prints the numbers that the functions return.

#include <armci.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { BYTES = 1 << 20, PAGE = 4096 };

static void *block[64];
static char *none, here[BYTES]; // none: memory that is not there
static int me, stride[] = {2048}, count[] = {64, 256};
static double one = 1;

static int other(void) { return 1 - me; }
static void *far(void) { return block[other()]; }

static int vector(int kind, int bytes) {
  void *good[] = {kind == 'g' ? far() : here, kind == 'g' ? (char *)far() + 64 : here + 64};
  void *bad[] = {none + 8, none + 128}, *there[] = {far(), (char *)far() + 64};
  armci_giov_t put = {bad, there, bytes, 2}, get = {good, bad, bytes, 2};
  switch (kind) {
  case 'p':
    return ARMCI_PutV(&put, 1, other());
  case 'a':
    return ARMCI_AccV(ARMCI_ACC_DBL, &one, &put, 1, other());
  }
  return ARMCI_GetV(&get, 1, other());
}

// A descriptor of more segments than its arrays have. There is no memory after the arrays.
static int long_vector(void) {
  char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void **pair = (void **)(pages + PAGE) - 2;
  pair[0] = pair[1] = far();
  mprotect(pages + PAGE, PAGE, PROT_NONE);
  armci_giov_t v = {pair, pair, 8, INT_MAX};
  return ARMCI_PutV(&v, 1, other());
}

static int waited(int result, armci_hdl_t *h) {
  int ended = ARMCI_Wait(h);
  return result != 0 ? result : ended;
}

static int nbget(int bytes) {
  armci_hdl_t h;
  ARMCI_INIT_HANDLE(&h);
  return waited(ARMCI_NbGet(far(), none, bytes, other(), &h), &h);
}

static int nbput(int bytes) {
  armci_hdl_t h;
  ARMCI_INIT_HANDLE(&h);
  return waited(ARMCI_NbPut(none, far(), bytes, other(), &h), &h);
}

static int implicit(void) {
  int result = ARMCI_NbGetS(far(), stride, none, stride, count, 1, other(), NULL);
  int ended = ARMCI_WaitAll();
  return result != 0 ? result : ended;
}

static int send(void *from, void *to, int bytes) {
  if (me == 0)
    armci_msg_snd(1, from, bytes, 1);
  else
    armci_msg_rcv(1, to, bytes, NULL, 0);
  return 0;
}

#define WAYS(W)                                                                \
  W(put1, ARMCI_Put(none, far(), 1, other()))                                  \
  W(put8, ARMCI_Put(none, far(), 8, other()))                                  \
  W(put, ARMCI_Put(none, far(), PAGE, other()))                                \
  W(putlong, ARMCI_Put(none, far(), BYTES, other()))                           \
  W(get1, ARMCI_Get(far(), none, 1, other()))                                  \
  W(get8, ARMCI_Get(far(), none, 8, other()))                                  \
  W(get, ARMCI_Get(far(), none, PAGE, other()))                                \
  W(getlong, ARMCI_Get(far(), none, BYTES, other()))                           \
  W(low, ARMCI_Get(far(), (char *)NULL + 24, 8, other()))                      \
  W(lowput, ARMCI_Put((char *)NULL + 24, far(), 8, other()))                   \
  W(puts, ARMCI_PutS(none, stride, far(), stride, count, 1, other()))          \
  W(gets, ARMCI_GetS(far(), stride, none, stride, count, 1, other()))          \
  W(acc, ARMCI_Acc(ARMCI_ACC_DBL, &one, none, far(), 8, other()))              \
  W(accs, ARMCI_AccS(ARMCI_ACC_DBL, &one, none, stride, far(), stride, count, 1, other())) \
  W(putv, vector('p', 8))                                                      \
  W(getv, vector('g', 8))                                                      \
  W(accv, vector('a', 8))                                                      \
  W(longv, long_vector())                                                      \
  W(nbget, nbget(8))                                                           \
  W(nbgetlong, nbget(BYTES))                                                   \
  W(nbput, nbput(8))                                                           \
  W(nbputlong, nbput(BYTES))                                                   \
  W(implicit, implicit())                                                      \
  W(send, send(none, here, 100))                                               \
  W(sendlong, send(none, here, BYTES))                                         \
  W(receive, send(here, none, 100))                                            \
  W(receivelong, send(here, none, BYTES))

#define DEFINE(name, expression)                                               \
  static int go_##name(void) { return expression; }
WAYS(DEFINE)

#define ENTRY(name, expression) {#name, go_##name},
static const struct {
  const char *name;
  int (*go)(void);
} ways[] = {WAYS(ENTRY)};

int main(int argc, char **argv) {
  if (ARMCI_Init_args(&argc, &argv) != 0 || ARMCI_Malloc(block, BYTES) != 0)
    return 2;
  me = armci_msg_me();
  none = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 1; i < argc; i++)
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
      if (strcmp(argv[i], ways[w].name) == 0)
        printf("%s %d\n", argv[i], ways[w].go());
  ARMCI_Barrier();
  return ARMCI_Finalize();
}
