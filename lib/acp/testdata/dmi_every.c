// Calls every function of dmi_api.h and checks a result of each. It is C99 and C++17 at the same time.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // MAP_ANONYMOUS, MREMAP_MAYMOVE
#endif
#include <dmi_api.h>

#include <sched.h>
#include <sys/mman.h>

#define CHECK(what)                                                     \
  do {                                                                  \
    if (!(what))                                                        \
      dmi_failed(__FILE__, __LINE__, __func__, #what);                  \
  } while (0)

// Checks that a call fails with words in its reason.
#define FAILS(call, words) CHECK((call) == FALSE && strstr(DMI_strerror(), words) != NULL)

#ifdef __cplusplus
extern "C" {
#endif
void DMI_main(int argc, char **argv);
int32_t DMI_scaleunit(int my_rank, int pnum, int64_t addr);
int64_t DMI_thread(int64_t addr);
void DMI_function(void *page_ptr, int64_t size, void *out_ptr, int64_t out_size, void *in_ptr, int64_t in_size, int8_t tag);
#ifdef __cplusplus
}
#endif

enum { PAGE = 48, PAGES = 5 };

static void spaces(void) {
  int64_t at = 0, other = 0, bytes = 0;
  char b[8];
  CHECK(DMI_mmap(&at, PAGE, PAGES, NULL) && at > 0);
  CHECK(DMI_read(at + PAGE * PAGES - 8, 8, b, DMI_GET, NULL) && b[0] == 0 && b[7] == 0);
  FAILS(DMI_mmap(NULL, PAGE, PAGES, NULL), "NULL");
  CHECK(!DMI_mmap(&other, 0, 1, NULL) && !DMI_mmap(&other, 1, -1, NULL) && other == 0);
  CHECK(DMI_malloc(&other, 10, 4) && other > 0 && other != at);
  memcpy(b, "abcdefg", 8);
  CHECK(DMI_write(other, 8, b, DMI_EXCLUSIVE, NULL));
  CHECK(DMI_realloc(other, &bytes, 100, 7) && bytes > 0);
  memset(b, 0, sizeof b);
  CHECK(DMI_read(bytes, 8, b, DMI_INVALIDATE, NULL) && strcmp(b, "abcdefg") == 0);
  CHECK(!DMI_read(other, 8, b, DMI_GET, NULL));
  CHECK(DMI_free(bytes) && DMI_free(0) && !DMI_free(at) && !DMI_munmap(at + PAGE, NULL));
  CHECK(DMI_munmap(at, NULL) && !DMI_munmap(at, NULL));
}

static void transfers(int64_t at) {
  char out[PAGE * 2], in[PAGE * 2], old[4] = {0, 0, 0, 0};
  for (int i = 0; i < PAGE * 2; i++)
    out[i] = (char)i;
  CHECK(DMI_write(at + PAGE / 2, sizeof out, out, DMI_PUT, NULL));
  CHECK(DMI_read(at + PAGE / 2, sizeof in, in, DMI_UPDATE, NULL) && memcmp(out, in, sizeof in) == 0);
  FAILS(DMI_read(at, -1, in, DMI_GET, NULL), "negative size");
  FAILS(DMI_read(at, 8, NULL, DMI_GET, NULL), "in_ptr is NULL");
  CHECK(DMI_read(at, 0, NULL, DMI_GET, NULL) && DMI_write(at, 0, NULL, DMI_PUT, NULL));
  CHECK(!DMI_read(at, 8, in, DMI_PUT, NULL) && !DMI_write(at, 8, out, DMI_GET, NULL) && !DMI_read(at, 8, in, 77, NULL));
  CHECK(!DMI_read(at, PAGE * PAGES + 1, in, DMI_GET, NULL) && !DMI_read(0, 1, in, DMI_GET, NULL));
  CHECK(DMI_watch(at + PAGE / 2, 4, old, in, NULL) && memcmp(in, out, 4) == 0);
  CHECK(DMI_save(at, PAGE) && DMI_unsave(at, PAGE));
}

void DMI_function(void *page_ptr, int64_t size, void *out_ptr, int64_t out_size, void *in_ptr, int64_t in_size, int8_t tag) {
  int32_t id;
  uint64_t sum = (uint64_t)tag;
  for (int64_t i = 0; i < out_size; i++)
    sum += ((unsigned char *)out_ptr)[i];
  if ((uintptr_t)out_ptr % 16 != 0 || (uintptr_t)in_ptr % 16 != 0 || DMI_rank(&id))
    sum = 0;
  if (in_size == (int64_t)sizeof sum)
    memcpy(in_ptr, &sum, sizeof sum);
  memset(page_ptr, (int)sum, (size_t)size);
}

static void atomics(int64_t at) {
  char out[3] = {1, 2, 3}, b[4];
  uint64_t sum = 0;
  int64_t old = -1;
  int8_t flag = -1;
  CHECK(DMI_atomic(at, 4, out, 3, &sum, sizeof sum, 10, DMI_PUT, NULL) && sum == 16);
  CHECK(DMI_read(at, 4, b, DMI_GET, NULL) && b[0] == 16 && b[3] == 16);
  CHECK(DMI_cas(at, 4, b, out, &flag, DMI_EXCLUSIVE, NULL) && flag == TRUE);
  CHECK(DMI_cas(at, 4, b, out, &flag, DMI_PUT, NULL) && flag == FALSE);
  FAILS(DMI_cas(at, 4, b, out, NULL, DMI_PUT, NULL), "cas_flag_ptr is NULL");
  CHECK(DMI_fas(at, 3, b, out, DMI_PUT, NULL) && out[0] == 1 && out[2] == 3);
  CHECK(DMI_fad(at + 16, 5, &old, DMI_PUT, NULL) && DMI_fad(at + 16, -2, &old, DMI_EXCLUSIVE, NULL) && old != -1);
  CHECK(!DMI_fad(at + PAGE - 4, 5, &old, DMI_PUT, NULL));
}

static void groups(int64_t at) {
  int64_t addrs[3], offsets[3] = {0, -8, 8}, sizes[3] = {8, 8, 0}, values[2] = {11, 22};
  DMI_group_t group;
  addrs[0] = at;
  addrs[1] = at + PAGE * 3;
  addrs[2] = at + 1;
  CHECK(DMI_group_init(&group, addrs, offsets, sizes, 3));
  CHECK(DMI_group_write(&group, &values[1], DMI_PUT, NULL));
  values[0] = values[1] = 0;
  CHECK(DMI_group_read(&group, &values[1], DMI_GET, NULL) && values[0] == 11 && values[1] == 22);
  CHECK(DMI_group_destroy(&group));
  FAILS(DMI_group_read(&group, values, DMI_GET, NULL), "no such group");
  sizes[1] = -1;
  FAILS(DMI_group_init(&group, addrs, offsets, sizes, 3), "sizes[1] is -1");
  CHECK(DMI_group_init(&group, NULL, NULL, NULL, 0) && DMI_group_read(&group, NULL, DMI_GET, NULL) && DMI_group_destroy(&group));
}

// Nothing is started if the arguments are wrong.
static void wrong_starts(int64_t at, DMI_local_status_t *status) {
  enum { HERE = 0, NOWHERE = 1 << 20 };
  int64_t got, value = 0;
  int8_t flag, bytes[PAGE + 1] = {0};
  DMI_thread_t self, nobody = {NOWHERE, 1};
  DMI_group_t group;
  int64_t addrs[2] = {at, at + PAGE * PAGES}, offsets[2] = {0, 0}, sizes[2] = {1, 1};
  FAILS(DMI_mmap(&got, 0, 1, status), "0 bytes");
  FAILS(DMI_mmap(NULL, 1, 1, status), "NULL");
  FAILS(DMI_munmap(at + 1, status), "byte 1 of its space");
  FAILS(DMI_read(at, 1, bytes, DMI_PUT, status), "wrong mode");
  FAILS(DMI_read(at + 1, PAGE * PAGES, bytes, DMI_GET, status), "beyond its space");
  FAILS(DMI_read(-1, 1, bytes, DMI_GET, status), "no space");
  FAILS(DMI_write(at, 1, bytes, DMI_UPDATE, status), "wrong mode");
  FAILS(DMI_watch(at + PAGE * PAGES - 1, 2, bytes, bytes, status), "beyond its space");
  FAILS(DMI_atomic(at + PAGE - 1, 2, NULL, 0, NULL, 0, 1, DMI_PUT, status), "one page");
  FAILS(DMI_cas(at, PAGE + 1, bytes, bytes, &flag, DMI_PUT, status), "one page");
  FAILS(DMI_fas(at, 1, bytes, bytes, DMI_GET, status), "wrong mode");
  FAILS(DMI_fad(at + PAGE - 1, 1, &value, DMI_PUT, status), "one page");
  CHECK(DMI_group_init(&group, addrs, offsets, sizes, 2));
  FAILS(DMI_group_read(&group, bytes, DMI_GET, status), "beyond its space");
  FAILS(DMI_group_write(&group, bytes, DMI_GET, status), "wrong mode");
  CHECK(DMI_group_destroy(&group));
  FAILS(DMI_create(&nobody, HERE, 0, -1, status), "a stack of -1 bytes");
  FAILS(DMI_create(&nobody, NOWHERE, 0, 0, status), "no such process");
  nobody.dmi_id = NOWHERE;
  FAILS(DMI_detach(nobody, status), "no such process");
  FAILS(DMI_wake(nobody, NULL, 0, status), "no such process");
  CHECK(DMI_self(&self));
  FAILS(DMI_join(self, NULL, status), "cannot join itself");
}

static void statuses(int64_t at) {
  enum { MANY = 20 };
  DMI_local_status_t statuses[MANY];
  int64_t values[MANY];
  int32_t result;
  memset(statuses, 0x5a, sizeof statuses); // any contents
  for (int i = 0; i < MANY; i++)
    CHECK(DMI_read(at, 8, &values[i], DMI_GET, &statuses[i]));
  for (int i = 0; i < MANY; i++) {
    result = -1;
    if (i % 2 == 0)
      while (!DMI_check(&statuses[i], &result))
        DMI_yield();
    else
      DMI_wait(&statuses[i], &result);
    CHECK(result == TRUE && values[i] == values[0]);
    result = -1;
    CHECK(DMI_check(&statuses[i], &result) && result == TRUE);
    DMI_wait(&statuses[i], NULL);
  }
  DMI_thread_t nobody = {0, 12345};
  CHECK(DMI_detach(nobody, &statuses[0]));
  DMI_wait(&statuses[0], &result);
  CHECK(result == FALSE && strstr(DMI_strerror(), "no such thread") != NULL);
  memset(statuses, 0, sizeof statuses);
  FAILS(DMI_check(&statuses[0], &result) && result, "no function has been started");
  FAILS(DMI_read(at, -1, values, DMI_GET, &statuses[0]), "negative size");
  wrong_starts(at, &statuses[0]);
  FAILS(DMI_check(&statuses[0], &result) && result, "no function has been started");
}

int32_t DMI_scaleunit(int my_rank, int pnum, int64_t addr) {
  int64_t old;
  CHECK(my_rank >= 0 && my_rank < pnum);
  CHECK(DMI_fad(addr, my_rank + 1, &old, DMI_PUT, NULL));
  FAILS(DMI_rescale(addr, 1, 1), "DMI_scaleunit calls DMI_rescale");
  return my_rank;
}

int64_t DMI_thread(int64_t addr) {
  char text[6] = "";
  DMI_thread_t self;
  CHECK(DMI_self(&self));
  if (addr == 0) {
    CHECK(DMI_suspend(text) && strcmp(text, "hello") == 0);
    return self.dmi_id;
  }
  if (addr == 6) { // where the thread may run
    cpu_set_t set;
    CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
    return CPU_COUNT(&set);
  }
  if (addr > 1000) // a place for the handle
    CHECK(DMI_write(addr, sizeof self, &self, DMI_PUT, NULL));
  return addr + self.dmi_id;
}

// Returns when a detached thread has ended.
static void await_end(DMI_thread_t t) {
  while (DMI_wake(t, NULL, 0, NULL))
    DMI_yield();
  CHECK(strstr(DMI_strerror(), "no such thread") != NULL);
}

static void threads(int32_t procs, int64_t at) {
  DMI_thread_t t, sleeper, self;
  DMI_local_status_t status;
  int64_t sum = 0, result = 0;
  int32_t done = FALSE, id;
  char hello[] = "hello";
  CHECK(DMI_rank(&id) && id == 0 && DMI_self(&self) && self.dmi_id == 0);
  CHECK(DMI_write(at, 8, &sum, DMI_PUT, NULL) && DMI_rescale(at, procs, 3) && DMI_read(at, 8, &sum, DMI_GET, NULL));
  CHECK(sum == 3 * procs * (3 * procs + 1) / 2);
  FAILS(DMI_rescale(at, procs + 1, 1), "start so many by dmimw");
  CHECK(DMI_create(&t, procs - 1, 100, 1, NULL) && t.dmi_id == procs - 1);
  CHECK(DMI_join(t, &result, NULL) && result == 100 + procs - 1);
  FAILS(DMI_join(t, NULL, NULL), "no such thread");
  FAILS(DMI_join(self, NULL, NULL), "cannot join itself");
  CHECK(DMI_create(&t, 0, 5, 1 << 20, &status));
  DMI_wait(&status, &done);
  CHECK(done && DMI_detach(t, NULL));
  await_end(t);
  FAILS(DMI_create(&t, procs, 0, 0, NULL), "no such process");
  CHECK(DMI_create(&sleeper, procs - 1, 0, 0, NULL));
  CHECK(DMI_join(sleeper, &result, &status));
  while (!DMI_check(&status, &done))
    CHECK(DMI_wake(sleeper, hello, sizeof hello, NULL) || strstr(DMI_strerror(), "no such thread") != NULL);
  CHECK(done && result == procs - 1);
}

static void processes(int32_t procs) {
  DMI_node_t nodes[20];
  int32_t n = 0;
  int8_t flag = -1;
  CHECK(DMI_nodes(nodes, &n, 20) && n == procs);
  for (int32_t i = 0; i < n; i++)
    CHECK(nodes[i].dmi_id == i && nodes[i].core > 0 && nodes[i].memory > 0 && nodes[i].hostname[0] != 0 &&
          nodes[i].state == (i == 0 ? DMI_OPENED : DMI_OPEN));
  if (procs == 1) {
    CHECK(DMI_peek(nodes, &flag) && flag == FALSE);
    return;
  }
  CHECK(DMI_poll(nodes) && nodes[0].dmi_id == 1 && nodes[0].state == DMI_OPEN);
  CHECK(DMI_peek(nodes, &flag) && flag == (procs > 2) && (procs == 2 || nodes[0].dmi_id == 2));
  CHECK(DMI_welcome(1) && DMI_nodes(nodes, &n, 2) && n == 2 && nodes[1].state == DMI_OPENED);
  FAILS(DMI_welcome(1), "takes part");
  FAILS(DMI_goodbye(1), "fixed");
  FAILS(DMI_kill(1), "fixed");
  FAILS(DMI_fork(NULL, 1, nodes), "fixed");
  char several[] = "-n 2", without[] = "-pool", wrong[] = "-pool 64q";
  FAILS(DMI_fork(several, 1, nodes), "option \"-n\" is none of a single process; expected -pool SIZE");
  FAILS(DMI_fork(without, 1, nodes), "option -pool has no size");
  FAILS(DMI_fork(wrong, 1, nodes), "\"64q\" is no size");
}

static void own_memory(void) {
  enum { SIZE = 3 << 16 };
  char *m = (char *)DMI_thread_mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(m != MAP_FAILED);
  m[SIZE - 1] = 1;
  CHECK(DMI_thread_munmap(m + (1 << 16), 1 << 16) && DMI_thread_mprotect(m, 1 << 16, PROT_READ));
  char *moved = (char *)DMI_thread_mremap(m + (2 << 16), 1 << 16, 1 << 17, MREMAP_MAYMOVE);
  CHECK(moved != MAP_FAILED && moved[(1 << 16) - 1] == 1 && DMI_thread_munmap(moved, 1 << 17));
  char *b = (char *)DMI_thread_malloc(10);
  CHECK(b != NULL && (uintptr_t)b % 16 == 0);
  strcpy(b, "123456789");
  b = (char *)DMI_thread_realloc(b, 100000);
  CHECK(b != NULL && strcmp(b, "123456789") == 0);
  DMI_thread_free(b);
  DMI_thread_free(NULL);
  CHECK(DMI_thread_malloc(-1) == NULL && DMI_thread_malloc(50) != NULL); // the last ends with the thread
}

static void barriers(int64_t at) {
  DMI_local_barrier_t end;
  int32_t one = 7, all = 0;
  CHECK(DMI_barrier_init(at) && DMI_local_barrier_init(&end, at) && DMI_local_barrier_sync(&end, 1));
  CHECK(DMI_local_barrier_allreduce(&end, 1, &one, &all, DMI_OP_SUM, DMI_TYPE_INT) && all == 7);
  CHECK(DMI_local_barrier_destroy(&end) && DMI_barrier_destroy(at));
}

static void locks(int64_t mutex, int64_t cond, int64_t spin) {
  int32_t has = -1;
  CHECK(DMI_mutex_init(mutex) && DMI_mutex_lock(mutex) && DMI_mutex_trylock(mutex, &has) && has == FALSE);
  CHECK(DMI_cond_init(cond) && DMI_cond_signal(cond) && DMI_cond_broadcast(cond) && !DMI_cond_wait(cond, spin));
  CHECK(DMI_mutex_unlock(mutex) && DMI_mutex_destroy(mutex) && DMI_cond_destroy(cond));
  CHECK(DMI_spin_init(spin) && DMI_spin_lock(spin) && DMI_spin_trylock(spin, &has) && has == FALSE);
  CHECK(DMI_spin_unlock(spin) && DMI_spin_destroy(spin));
}

static void numbers(int64_t at) {
  int32_t id = -1;
  CHECK(DMI_idpool_init(at, 1) && DMI_idpool_get(at, &id) && id == 0 && !DMI_idpool_get(at, &id));
  CHECK(DMI_idpool_put(at, 0) && !DMI_idpool_put(at, 0) && DMI_idpool_destroy(at));
}

static void sets(int64_t at) {
  DMI_local_rwset_t end;
  int64_t elements[2] = {1, 0}, values[2] = {5, 6};
  CHECK(DMI_rwset_init(at, 2, 8, 1) && DMI_rwset_decompose(at, 0, elements, 2) && DMI_local_rwset_init(&end, at, 0, elements, 2));
  CHECK(DMI_local_rwset_write(&end, values, NULL) && DMI_local_rwset_read(&end, values, NULL) && values[0] == 5);
  CHECK(DMI_local_rwset_destroy(&end) && DMI_rwset_destroy(at));
}

static void schedulers(int64_t at) {
  int32_t id;
  int64_t result;
  CHECK(DMI_scheduler_init(at) && DMI_scheduler_create(at, &id, 5) && DMI_scheduler_join(at, id, &result));
  CHECK(result >= 5);
  FAILS(DMI_scheduler_join(at, id, NULL), "no such thread");
  FAILS(DMI_scheduler_join(at, id + 1, NULL), "no such thread");
  CHECK(DMI_scheduler_create(at, &id, at + 128) && DMI_scheduler_detach(at, id) && DMI_scheduler_destroy(at));
  DMI_thread_t t = {0, 0};
  while (t.thread_id == 0)
    CHECK(DMI_read(at + 128, sizeof t, &t, DMI_GET, NULL));
  await_end(t);
  FAILS(DMI_scheduler_create(at, &id, 5), "no scheduler");
}

// Objects, one after the other in one page.
static void objects(void) {
  int64_t at;
  CHECK(DMI_mmap(&at, 1024, 1, NULL));
  FAILS(DMI_mutex_lock(at), "mutex");
  barriers(at);
  locks(at, at + 128, at + 192);
  numbers(at + 256);
  sets(at + 384);
  schedulers(at + 512);
  CHECK(DMI_munmap(at, NULL));
}

static void helpers(void) {
  DMI_thread_t t;
  int64_t processors = 0;
  // A bound thread makes threads that are not.
  CHECK(PROCNUM >= 1 && bind_to_cpu(PROCNUM));
  CHECK(DMI_create(&t, 0, 6, 0, NULL) && DMI_join(t, &processors, NULL) && processors == PROCNUM);
  mrand_init(5489);
  double x = mrand_01();
  CHECK(x > 0.8147236863931 && x < 0.8147236863932); // the first number of MT19937
  outn("%d helpers", 3);
}

void DMI_main(int argc, char **argv) {
  int64_t at;
  int32_t procs = argc > 1 ? atoi(argv[1]) : 1;
  CHECK(DMI_strerror()[0] == 0);
  processes(procs);
  spaces();
  CHECK(DMI_mmap(&at, PAGE, PAGES, NULL));
  transfers(at);
  atomics(at);
  groups(at);
  statuses(at);
  threads(procs, at);
  objects();
  own_memory();
  helpers();
  CHECK(DMI_munmap(at, NULL));
}
