// Never ends: process 0 computes, and all other processes wait for it in the call that the argument names, or make
// such calls without end, so that a test can kill process 0. Each process prints "rank R pid P" when it is ready.

#include <armci.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 1 << 20 };

static void *block[64];
static char buffer[BYTES];
static int stride[] = {2048}, count[] = {1024, 256};
static double one = 1;

// Calls that wait.
static void lock(void) { ARMCI_Lock(0, 0); }
static void barrier(void) { ARMCI_Barrier(); }
static void receive(void) { armci_msg_rcv(1, buffer, BYTES, NULL, 0); }
static void receive_any(void) { armci_msg_rcvany(1, buffer, BYTES, NULL); }
static void notified(void) { armci_notify_wait(0, NULL); }
static void reduce(void) { armci_msg_dgop(&one, 1, "+"); }
static void broadcast(void) { armci_msg_brdcst(buffer, BYTES, 0); }
static void allocate(void) { ARMCI_Malloc(block, 8); }
static void release(void) { ARMCI_Free(block[armci_msg_me()]); }
static void end(void) { ARMCI_Finalize(); }

static void send(void) { armci_msg_snd(1, buffer, BYTES, 0); } // waits for the receiver

static void group(void) {
  int both[] = {0, armci_msg_me()};
  ARMCI_Group made;
  ARMCI_Group_create(2, both, &made);
}

// Calls without end.
static void put(void) {
  for (;;)
    ARMCI_Put(buffer, block[0], BYTES, 0);
}

static void get(void) {
  for (;;)
    ARMCI_Get(block[0], buffer, BYTES, 0);
}

static void accumulate(void) {
  for (;;)
    ARMCI_Acc(ARMCI_ACC_DBL, &one, buffer, block[0], BYTES, 0);
}

static void strided(void) {
  for (;;) {
    ARMCI_PutS(buffer, stride, block[0], stride, count, 1, 0);
    ARMCI_GetS(block[0], stride, buffer, stride, count, 1, 0);
    ARMCI_AccS(ARMCI_ACC_DBL, &one, buffer, stride, block[0], stride, count, 1, 0);
  }
}

static void wait_for_handles(void) {
  for (;;) {
    armci_hdl_t h;
    ARMCI_INIT_HANDLE(&h);
    for (int i = 0; i < 8; i++)
      ARMCI_NbGetS(block[0], stride, buffer, stride, count, 1, 0, &h);
    ARMCI_Wait(&h);
  }
}

static void modify(void) {
  long was;
  for (;;)
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &was, block[0], 1, 0);
}

static void fence(void) {
  for (;;) {
    ARMCI_Put(buffer, block[0], 8, 0);
    ARMCI_Fence(0);
  }
}

static const struct {
  const char *name;
  void (*wait)(void);
} ways[] = {
    {"lock", lock},           {"barrier", barrier},   {"receive", receive},
    {"any", receive_any},     {"notified", notified}, {"reduce", reduce},
    {"broadcast", broadcast}, {"allocate", allocate}, {"release", release},
    {"end", end},             {"send", send},         {"group", group},
    {"put", put},             {"get", get},           {"accumulate", accumulate},
    {"strided", strided},     {"modify", modify},     {"fence", fence},
    {"handles", wait_for_handles},
};

int main(int argc, char **argv) {
  void (*wait)(void) = NULL;
  for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof *ways; i++)
    if (strcmp(argv[1], ways[i].name) == 0)
      wait = ways[i].wait;
  if (wait == NULL || ARMCI_Init() != 0 || ARMCI_Malloc(block, BYTES) != 0 || ARMCI_Create_mutexes(1) != 0)
    return 2;
  int me = armci_msg_me();
  if (me == 0)
    ARMCI_Lock(0, 0);
  ARMCI_Barrier();
  printf("rank %d pid %d\n", me, (int)getpid());
  fflush(stdout);
  for (volatile long x = 0; me == 0; x++)
    continue;
  wait();
  fprintf(stderr, "process %d: nothing to wait for any more\n", me);
  return EXIT_FAILURE;
}
