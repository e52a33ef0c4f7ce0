// Registered memory that lies in the pool of an allocator is mapped memory for peers. This program is
// its own allocator: it has a pool, which goacp_hook_pool describes, and takes blocks of it.
#define _GNU_SOURCE // memfd_create, MADV_REMOVE, F_ADD_SEALS
#include "check.h"
#include "direct.h"
#include "../../hook/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, SIZE = 64 * PAGE, BLOCK = 4096, MANY = 3000 };

static char *pool; // with SIZE bytes of other memory behind it
static int file;
static int asked;

int goacp_hook_pool(struct goacp_hook_pool *p) {
  asked++;
  *p = (struct goacp_hook_pool){file, pool, SIZE, 0};
  return 0;
}

static void make_pool(void) {
  int fd = memfd_create("pool", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  file = fcntl(fd, F_DUPFD_CLOEXEC, 500);
  close(fd);
  CHECK(file >= 0 && ftruncate(file, SIZE) == 0);
  CHECK(fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0);
  pool = mmap(NULL, 2 * SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(pool != MAP_FAILED);
  CHECK(mmap(pool, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == pool);
}

// The message of the owner to its peer.
struct news {
  acp_ga_t block, across, many[2];
  uint64_t pid;
};

static acp_ga_t starter(int rank) { return acp_query_starter_ga(rank); }

static void *mine(void) { return acp_query_address(starter(acp_rank())); }

static void wait_for(acp_handle_t h) {
  CHECK(h != ACP_HANDLE_NULL);
  acp_complete(h);
}

// How much the copy moves at once: the whole block, and a word.
static void put_and_get(const struct news *n) {
  char *own = (char *)mine() + 1024;
  acp_ga_t here = starter(acp_rank()) + 1024;
  for (int i = 0; i < BLOCK; i++)
    own[i] = (char)(i * 7);
  wait_for(acp_copy(n->block, here, BLOCK, ACP_HANDLE_NULL));
  memset(own, 0, BLOCK);
  wait_for(acp_copy(here, n->block, BLOCK, ACP_HANDLE_NULL));
  for (int i = 0; i < BLOCK; i++)
    CHECK(own[i] == (char)(i * 7));
  uint64_t *word = (uint64_t *)own;
  *word = 40;
  wait_for(acp_copy(n->block, here, 8, ACP_HANDLE_NULL));
  wait_for(acp_add8(here + 8, n->block, 2, ACP_HANDLE_NULL));
  wait_for(acp_cas8(here + 16, n->block, 42, 43, ACP_HANDLE_NULL));
  wait_for(acp_swap4(here + 24, n->block + 4, 0, ACP_HANDLE_NULL));
  wait_for(acp_copy(here, n->block, 8, ACP_HANDLE_NULL));
  CHECK(word[0] == 43 && word[1] == 40 && word[2] == 42);
}

// The peer: the owner takes no part while it is stopped.
static void use(void) {
  struct news n;
  wait_for(acp_copy(starter(acp_rank()), starter(1), sizeof n, ACP_HANDLE_NULL));
  memcpy(&n, mine(), sizeof n);
  int mapped = getenv("NOT_MAPPED") == NULL;
  if (mapped)
    CHECK(kill((pid_t)n.pid, SIGSTOP) == 0);
  put_and_get(&n);
  CHECK((goacp_pooled(goacp_direct(), n.block, BLOCK) != NULL) == mapped);
  CHECK(goacp_pooled(goacp_direct(), n.block, BLOCK + 1) == NULL); // the next one is not registered
  CHECK(goacp_pooled(goacp_direct(), n.block - 1, 1) == NULL);
  for (int i = 0; i < 2; i++) // the table has more entries than are mapped at first
    wait_for(acp_add8(starter(0) + 64, n.many[i], 5, ACP_HANDLE_NULL));
  if (mapped)
    CHECK(kill((pid_t)n.pid, SIGCONT) == 0);
  CHECK((goacp_pooled(goacp_direct(), n.many[1], 8) != NULL) == mapped);
  // One end of this region lies in the pool, and the other does not.
  CHECK(goacp_pooled(goacp_direct(), n.across, 2 * PAGE) == NULL);
  char *own = (char *)mine() + 1024;
  memset(own, 9, 2 * PAGE);
  wait_for(acp_copy(n.across, starter(0) + 1024, 2 * PAGE, ACP_HANDLE_NULL));
  wait_for(acp_add8(starter(0) + 1024, n.across + PAGE, 1, ACP_HANDLE_NULL));
  wait_for(acp_add8(starter(0) + 1024, n.across + PAGE - 8, 1, ACP_HANDLE_NULL));
  CHECK(*(uint64_t *)own == 0x0909090909090909);
}

static acp_atkey_t keys[MANY];

// The owner: where its memory is.
static void show(void) {
  struct news *n = mine();
  memset(pool, 0, BLOCK);
  // Regions that touch would be one.
  for (int i = 0; i < MANY; i++) {
    char *at = pool + 2 * PAGE + i * 32;
    keys[i] = acp_register_memory(at, 16, 0);
    n->many[1] = acp_query_ga(keys[i], at);
    if (i == 0)
      n->many[0] = n->many[1];
  }
  n->across = acp_query_ga(acp_register_memory(pool + SIZE - PAGE, 2 * PAGE, 0), pool + SIZE - PAGE);
  n->pid = (uint64_t)getpid();
}

static void check_shown(void) {
  CHECK(*(uint64_t *)pool == 43);
  CHECK(*(uint64_t *)(pool + 2 * PAGE) == 5 && *(uint64_t *)(pool + 2 * PAGE + (MANY - 1) * 32) == 5);
  CHECK(pool[SIZE - PAGE] == 9 && pool[SIZE + PAGE - 1] == 9);
  CHECK(*(uint64_t *)(pool + SIZE) == 0x090909090909090a && *(uint64_t *)(pool + SIZE - 8) == 0x090909090909090a);
}

// Own memory in the pool, without and with a forked child.
static void use_own(acp_ga_t block) {
  acp_ga_t here = starter(acp_rank()) + 4096;
  CHECK(goacp_pooled(goacp_direct(), block, BLOCK) == pool);
  wait_for(acp_add8(here, block, 1, ACP_HANDLE_NULL));
  wait_for(acp_copy(block + 8, block, 8, ACP_HANDLE_NULL));
  CHECK(((uint64_t *)pool)[1] == 44);
  pid_t child = fork();
  if (child == 0)
    _exit(0);
  int status;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

int main(int argc, char **argv) {
  make_pool();
  CHECK(acp_init(&argc, &argv) == 0 && asked == 1);
  close(file); // peers have another descriptor
  for (int turn = 0; turn < 3; turn++) {
    acp_atkey_t key = ACP_ATKEY_NULL;
    if (acp_rank() == 1) {
      key = acp_register_memory(pool, BLOCK, 0);
      ((struct news *)mine())->block = acp_query_ga(key, pool);
      show();
    }
    acp_sync();
    if (acp_rank() == 0)
      use();
    acp_sync();
    if (acp_rank() == 1) {
      acp_ga_t block = ((struct news *)mine())->block;
      check_shown();
      use_own(block);
      CHECK(acp_unregister_memory(key) == 0);
      CHECK(goacp_pooled(goacp_direct(), block, 8) == NULL);
      key = acp_register_memory(pool, BLOCK, 0); // again, at another position
      CHECK(acp_query_ga(key, pool) != block && acp_query_ga(key, pool) != ACP_GA_NULL);
      ((struct news *)mine())->many[0] = block;
      ((struct news *)mine())->block = acp_query_ga(key, pool);
      // What the program frees goes back to the kernel.
      CHECK(madvise(pool, BLOCK, MADV_REMOVE) == 0);
    }
    acp_sync();
    if (acp_rank() == 0) {
      struct news n;
      wait_for(acp_copy(starter(0), starter(1), sizeof n, ACP_HANDLE_NULL));
      memcpy(&n, mine(), sizeof n);
      CHECK(goacp_pooled(goacp_direct(), n.many[0], 8) == NULL);
      wait_for(acp_add8(starter(0), n.block, 1, ACP_HANDLE_NULL));
      CHECK(*(uint64_t *)mine() == 0);
    }
    acp_sync();
    // The second turn is after a reset that exchanges the ranks.
    CHECK(acp_reset(acp_procs() - 1 - acp_rank()) == 0);
    memset(pool, 0, 2 * SIZE);
  }
  CHECK(acp_finalize() == 0);
  return 0;
}
