// Passes what no function of dmi_api.h can work with: sizes and ranges that overflow, and memory that the process does not have. argv[1]
// says what.
#define _GNU_SOURCE // MAP_ANONYMOUS
#include <dmi_api.h>

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#define CHECK(what)                                                     \
  do {                                                                  \
    if (!(what))                                                        \
      dmi_failed(__FILE__, __LINE__, __func__, #what);                  \
  } while (0)

// Checks that a call fails with words in its reason.
#define FAILS(call, words)                                              \
  do {                                                                  \
    CHECK(!(call));                                                     \
    if (strstr(DMI_strerror(), words) == NULL)                          \
      dmi_failed(__FILE__, __LINE__, __func__, DMI_strerror());         \
  } while (0)

enum { LONG = 100000, PAGE = 4096 }; // LONG: more than a message has room for

enum { SLEEPS = -1 }; // the address of a thread that sleeps

enum { ADD = -7 }; // the tag of the operation that adds a number

// Memory of the thread that has ended, and memory of the process where another thread has unmapped some of that thread.
static void *mapped, *moved, *replaced;

// Unmaps memory of the thread that waits for this one, and uses its place.
static void *replace(void *page) {
  CHECK(DMI_thread_munmap(page, PAGE));
  replaced = mmap(page, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(replaced == page);
  return NULL;
}

// The thread makes its process the owner of a page; with address 1 it returns the id of its process, with 2 it takes memory, and with
// SLEEPS it does not end.
int64_t DMI_thread(int64_t at) {
  static char bytes[LONG];
  int32_t id;
  if (at == SLEEPS) {
    (void)DMI_suspend(NULL);
    return 0;
  }
  if (at > 2) {
    CHECK(DMI_write(at, LONG, bytes, DMI_EXCLUSIVE, NULL));
    return 0;
  }
  CHECK(DMI_rank(&id) && DMI_yield());
  if (at == 2) {
    void *b = DMI_thread_malloc(100);
    void *m = DMI_thread_mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mapped = DMI_thread_mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(b != NULL && m != MAP_FAILED && mapped != MAP_FAILED);
    CHECK((b = DMI_thread_realloc(b, LONG)) != NULL && DMI_thread_malloc(-1) == NULL && DMI_thread_realloc(b, INT64_MAX) == NULL);
    CHECK(DMI_thread_munmap((char *)m + PAGE, PAGE) && !DMI_thread_munmap((char *)m + 1, PAGE));
    moved = DMI_thread_mremap((char *)m + 2 * PAGE, 2 * PAGE, 16 * PAGE, MREMAP_MAYMOVE);
    CHECK(moved != MAP_FAILED && DMI_thread_mremap(b, 7, SIZE_MAX, 0) == MAP_FAILED);
    CHECK(DMI_thread_mprotect(moved, PAGE, PROT_READ) && !DMI_thread_mprotect((char *)moved + 1, PAGE, PROT_READ));
    errno = 0;
    CHECK(DMI_thread_mremap(moved, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED) == MAP_FAILED && errno == EINVAL);
    pthread_t other;
    CHECK(pthread_create(&other, NULL, replace, DMI_thread_mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) == 0);
    CHECK(pthread_join(other, NULL) == 0);
    DMI_thread_free(DMI_thread_malloc(0));
    DMI_thread_free(NULL);
  }
  return id;
}

static int is_there(void *page) {
  unsigned char in;
  return mincore(page, PAGE, &in) == 0;
}

// Threads of a scheduler have their turns on the processes. What is no scheduler, or no thread of it, is refused.
static void schedule(int64_t at) {
  enum { THREADS = 6 };
  int32_t ids[THREADS], on[2] = {0, 0}, id = 7;
  int64_t small, result = -1;
  CHECK(DMI_mmap(&small, (int64_t)sizeof(DMI_scheduler_t) - 8, 2, NULL));
  FAILS(DMI_scheduler_init(small), "one page");
  FAILS(DMI_scheduler_init(0), "no space has the address");
  FAILS(DMI_scheduler_create(at, &id, 1), "there is no scheduler");
  FAILS(DMI_scheduler_join(at, 0, NULL), "there is no scheduler");
  FAILS(DMI_scheduler_destroy(at), "there is no scheduler");
  CHECK(DMI_scheduler_init(at));
  FAILS(DMI_scheduler_create(at, NULL, 1), "sthread_id_ptr is NULL");
  FAILS(DMI_scheduler_join(at, 0, NULL), "no such thread");
  for (int i = 0; i < THREADS; i++) {
    CHECK(DMI_scheduler_create(at, &ids[i], i < THREADS - 1 ? 1 : SLEEPS) && ids[i] >= 0);
    for (int j = 0; j < i; j++)
      CHECK(ids[i] != ids[j]);
  }
  for (int i = 0; i < THREADS - 1; i++) {
    CHECK(DMI_scheduler_join(at, ids[i], &result) && (result == 0 || result == 1));
    on[result]++;
    FAILS(DMI_scheduler_join(at, ids[i], NULL), "no such thread");
  }
  CHECK(on[0] >= 2 && on[1] >= 2);
  CHECK(DMI_scheduler_detach(at, ids[THREADS - 1]));
  FAILS(DMI_scheduler_join(at, ids[THREADS - 1], NULL), "thread");
  FAILS(DMI_scheduler_join(at, -1, NULL), "no such thread");
  FAILS(DMI_scheduler_detach(at, INT32_MAX), "no such thread");
  CHECK(DMI_scheduler_create(at, &id, 2) && DMI_scheduler_join(at, id, NULL));
  if (mapped == NULL) // it was on the other process
    CHECK(DMI_scheduler_create(at, &id, 2) && DMI_scheduler_join(at, id, NULL));
  CHECK(mapped != NULL);
  while (is_there(mapped) || is_there(moved)) // it ends a moment after it can be joined
    sched_yield();
  CHECK(is_there(replaced));
  CHECK(DMI_scheduler_destroy(at));
  FAILS(DMI_scheduler_destroy(at), "there is no scheduler");
  FAILS(DMI_scheduler_create(at, &id, 1), "there is no scheduler");
}

void DMI_function(void *page_ptr, int64_t size, void *out_ptr, int64_t out_size, void *in_ptr, int64_t in_size, int8_t tag) {
  int64_t at, old;
  int32_t id, *answers = (int32_t *)in_ptr;
  DMI_node_t node;
  (void)size;
  memcpy(&at, out_ptr, sizeof at);
  if (tag == ADD) { // and writes to all memory that it has
    memcpy(&old, page_ptr, sizeof old);
    memset(out_ptr, 9, (size_t)out_size);
    memcpy(in_ptr, &old, sizeof old);
    old += at;
    memcpy(page_ptr, &old, sizeof old);
    return;
  }
  if (in_size == 8 * (int64_t)sizeof *answers) {
    answers[0] = DMI_read(at, 8, &old, DMI_GET, NULL);
    answers[1] = DMI_fad(at, 1, &old, DMI_PUT, NULL);
    answers[2] = DMI_mmap(&old, 1, 1, NULL);
    answers[3] = DMI_rank(&id);
    answers[4] = DMI_yield();
    answers[5] = DMI_scheduler_init(at);
    answers[6] = DMI_poll(&node);
    answers[7] = 100 + (strstr(DMI_strerror(), "DMI_function calls it") != NULL);
  }
}

// An operation of the program cannot call DMI.
static void inside(int64_t at) {
  int32_t answers[8];
  const int8_t modes[] = {DMI_PUT, DMI_EXCLUSIVE};
  for (int m = 0; m < 2; m++) {
    memset(answers, 1, sizeof answers);
    CHECK(DMI_atomic(at, 8, &at, sizeof at, answers, sizeof answers, 0, modes[m], NULL));
    for (int i = 0; i < 7; i++)
      CHECK(answers[i] == FALSE);
    CHECK(answers[7] == 101);
  }
}

// An operation of the program gets copies, and does not run if the arguments are wrong. One buffer serves both directions.
static void copies(int64_t at, int64_t size, int8_t mode) {
  const int64_t zero = 0;
  int64_t *out = NULL, *in = NULL;
  CHECK(posix_memalign((void **)&out, 64, (size_t)size) == 0 && posix_memalign((void **)&in, 64, (size_t)size) == 0);
  CHECK(DMI_write(at + 8, 8, (void *)(intptr_t)&zero, mode, NULL));
  out[0] = 5;
  CHECK(DMI_atomic(at + 8, 8, out, size, in, size, ADD, mode, NULL) && in[0] == 0 && out[0] == 5);
  CHECK(DMI_atomic(at + 8, 8, out, size, out, size, ADD, mode, NULL) && out[0] == 5);
  CHECK(DMI_read(at + 8, 8, in, DMI_GET, NULL) && in[0] == 10);
  out[0] = 6;
  FAILS(DMI_atomic(at + LONG, 8, in, size, out, size, ADD, mode, NULL), "beyond its space");
  CHECK(out[0] == 6);
  FAILS(DMI_atomic(1, 8, in, size, out, size, ADD, mode, NULL), "no space has the address");
  CHECK(out[0] == 6);
  CHECK(DMI_fas(at + 8, 8, out, out, mode, NULL) && out[0] == 10);
  CHECK(DMI_read(at + 8, 8, in, DMI_GET, NULL) && in[0] == 6);
  CHECK(DMI_fas(at + 8, size, in, in, mode, NULL) && in[0] == 6);
  memcpy((char *)out, "abcdefghi", 9); // 8 bytes go out, and 8 bytes come in behind the first one
  CHECK(DMI_write(at + 8, 8, (void *)(intptr_t)"12345678", mode, NULL));
  CHECK(DMI_fas(at + 8, 8, out, (char *)out + 1, mode, NULL) && memcmp(out, "a12345678", 9) == 0);
  CHECK(DMI_read(at + 8, 8, in, DMI_GET, NULL) && memcmp(in, "abcdefgh", 8) == 0);
  free(out);
  free(in);
}

// Accesses of no bytes do nothing if the address is valid.
static void nothing(int64_t at, int8_t mode) {
  char b[1] = {3};
  int8_t flag = 7;
  int64_t past;
  CHECK(DMI_cas(at, 0, NULL, NULL, &flag, mode, NULL) && flag == TRUE);
  CHECK(DMI_fas(at + LONG, 0, b, b, mode, NULL) && b[0] == 3);
  CHECK(DMI_mmap(&past, 8, 2, NULL) && DMI_munmap(past, NULL));
  FAILS(DMI_cas(past, 0, b, b, &flag, mode, NULL), "no space has the address");
  FAILS(DMI_fas(past, 0, b, b, mode, NULL), "no space has the address");
  FAILS(DMI_fas(at, 0, b, b, DMI_GET, NULL), "wrong mode");
}

static void overlaps(int64_t at) {
  static const int64_t lengths[] = {16, 4096, 40000};
  for (int8_t mode = DMI_PUT; mode <= DMI_EXCLUSIVE; mode++) {
    nothing(at, mode);
    for (int i = 0; i < 3; i++)
      copies(at, lengths[i], mode);
  }
}

static void sizes(int64_t at) {
  int64_t a = 7, offsets[2] = {0, 0}, lengths[2] = {8, INT64_MAX}, addrs[2];
  char b[8];
  int32_t n = 0;
  DMI_thread_t t = {0, 0};
  DMI_group_t g;
  FAILS(DMI_mmap(&a, INT64_MAX, 1, NULL), "bad size");
  FAILS(DMI_mmap(&a, INT64_MAX, INT64_MAX, NULL), "bad size");
  FAILS(DMI_mmap(&a, 2, INT64_MAX / 2 + 2, NULL), "bad size");
  FAILS(DMI_mmap(&a, INT64_MIN, INT64_MIN, NULL), "bad size");
  FAILS(DMI_malloc(&a, INT64_MAX, 1), "bad size");
  FAILS(DMI_malloc(&a, INT64_MIN, 1), "bad size");
  FAILS(DMI_malloc(&a, 8, INT64_MIN), "bad size");
  FAILS(DMI_realloc(0, &a, INT64_MAX, 1), "bad size");
  CHECK(a == 7);
  FAILS(DMI_read(at, INT64_MAX, b, DMI_GET, NULL), "beyond its space");
  FAILS(DMI_write(at, INT64_MAX, b, DMI_PUT, NULL), "beyond its space");
  FAILS(DMI_read(at + 1, INT64_MAX, b, DMI_GET, NULL), "beyond its space");
  FAILS(DMI_read(INT64_MAX, 1, b, DMI_GET, NULL), "no space has the address");
  FAILS(DMI_read(INT64_MAX, INT64_MAX, b, DMI_GET, NULL), "no space has the address");
  FAILS(DMI_read(-1, 1, b, DMI_GET, NULL), "no space has the address");
  FAILS(DMI_read(INT64_MIN, 1, b, DMI_GET, NULL), "no space has the address");
  FAILS(DMI_read(at, INT64_MIN, b, DMI_GET, NULL), "negative size");
  FAILS(DMI_watch(at, INT64_MAX, b, b, NULL), "beyond its space");
  FAILS(DMI_save(at, INT64_MAX), "beyond its space");
  FAILS(DMI_unsave(at, INT64_MIN), "bad size");
  FAILS(DMI_fas(at, INT64_MAX, b, b, DMI_PUT, NULL), "beyond its space");
  FAILS(DMI_cas(at, INT64_MAX, b, b, (int8_t *)&n, DMI_PUT, NULL), "beyond its space");
  FAILS(DMI_fad(INT64_MAX - 3, 1, &a, DMI_PUT, NULL), "no space has the address");
  FAILS(DMI_atomic(at, INT64_MAX, b, 8, b, 8, 0, DMI_PUT, NULL), "beyond its space");
  FAILS(DMI_atomic(at, INT64_MAX, b, 8, b, INT64_MAX, 0, DMI_PUT, NULL), "beyond its space");
  FAILS(DMI_read(at, 8, MAP_FAILED, DMI_GET, NULL), "in_ptr");
  FAILS(DMI_write(at, 8, MAP_FAILED, DMI_PUT, NULL), "out_ptr");
  FAILS(DMI_wake(t, MAP_FAILED, 8, NULL), "out_ptr");
  FAILS(DMI_wake(t, b, INT64_MIN, NULL), "negative size");
  addrs[0] = addrs[1] = at;
  CHECK(DMI_group_init(&g, addrs, offsets, lengths, 2));
  FAILS(DMI_group_read(&g, b, DMI_GET, NULL), "beyond its space");
  CHECK(DMI_group_destroy(&g));
  lengths[1] = 8;
  offsets[1] = -1 - (int64_t)(intptr_t)b;
  CHECK(DMI_group_init(&g, addrs, offsets, lengths, 2));
  FAILS(DMI_group_read(&g, b, DMI_GET, NULL), "range 1");
  FAILS(DMI_group_write(&g, b, DMI_PUT, NULL), "range 1");
  CHECK(DMI_group_destroy(&g));
  FAILS(DMI_group_init(&g, addrs, offsets, lengths, INT32_MIN), "negative size");
  FAILS(DMI_rwset_init(at, INT64_MAX, INT64_MAX, 1), "");
  FAILS(DMI_rwset_init(at, INT64_MAX / 8, 8, INT32_MAX), "");
  FAILS(DMI_idpool_init(at, INT32_MIN), "");
  FAILS(DMI_create(&t, INT32_MAX, 0, 0, NULL), "");
  FAILS(DMI_create(&t, 0, 0, INT64_MIN, NULL), "stack");
  FAILS(DMI_create(&t, INT32_MIN, 0, 0, NULL), "");
  FAILS(DMI_rescale(at, INT32_MAX, INT32_MAX), "");
  FAILS(DMI_nodes(NULL, &n, INT32_MIN), "");
  FAILS(DMI_mutex_init(INT64_MAX - 7), "no space has the address");
  FAILS(DMI_mutex_init(at + 4), "the address is not a multiple of 8");
  FAILS(DMI_scheduler_init(at + 4), "a multiple of 8");
  FAILS(DMI_mutex_lock(at + LONG - 8), "");
  FAILS(DMI_thread_munmap(b + 1, SIZE_MAX), "nvalid argument");
  FAILS(DMI_thread_mprotect((void *)PAGE, PAGE, PROT_READ), "memory");
  CHECK(errno == ENOMEM);
}

// Accesses with memory that the process does not have: the program ends with a line that names the function.
static void without(const char *what, int64_t at, char *none) {
  char b[8] = {0};
  int8_t flag;
  int64_t offset = 0, size = LONG;
  DMI_local_status_t status;
  DMI_group_t g;
  int32_t ok = FALSE;
  int started = strstr(what, "status") != NULL;
  DMI_local_status_t *s = started ? &status : NULL;
  int64_t n = strstr(what, "long") != NULL ? LONG : 8;
  if (strncmp(what, "read", 4) == 0)
    ok = DMI_read(at, n, none, DMI_GET, s);
  else if (strncmp(what, "fetch", 5) == 0)
    ok = DMI_read(at, n, none, DMI_UPDATE, s);
  else if (strncmp(what, "write", 5) == 0)
    ok = DMI_write(at, n, none, DMI_PUT, s);
  else if (strncmp(what, "take", 4) == 0)
    ok = DMI_write(at, n, none, DMI_EXCLUSIVE, s);
  else if (strncmp(what, "fas", 3) == 0)
    ok = DMI_fas(at, n, b, none, DMI_PUT, s);
  else if (strncmp(what, "fad", 3) == 0)
    ok = DMI_fad(at, 1, (int64_t *)(void *)none, DMI_PUT, s);
  else if (strncmp(what, "cas", 3) == 0)
    ok = DMI_cas(at, n, none, b, &flag, DMI_PUT, s);
  else if (strncmp(what, "atomic", 6) == 0)
    ok = DMI_atomic(at, 8, none, n, NULL, 0, 0, DMI_PUT, s);
  else if (strncmp(what, "mmap", 4) == 0)
    ok = DMI_mmap((int64_t *)(void *)none, 8, 1, s);
  else if (strncmp(what, "handle of a group", 17) == 0)
    ok = DMI_group_read((DMI_group_t *)(void *)none, b, DMI_GET, s);
  else if (strncmp(what, "handle of a set", 15) == 0)
    ok = DMI_local_rwset_read((DMI_local_rwset_t *)(void *)none, b, s);
  else if (strncmp(what, "group", 5) == 0) {
    CHECK(DMI_group_init(&g, &at, &offset, &size, 1));
    ok = DMI_group_read(&g, none, DMI_GET, s);
  } else
    CHECK(0);
  if (started && ok)
    DMI_wait(&status, &ok);
  outn("%s returns %d: %s", what, ok, ok ? "" : DMI_strerror());
}

void DMI_main(int argc, char **argv) {
  int64_t at;
  DMI_thread_t t;
  const char *what = argc > 1 ? argv[1] : "sizes";
  char *none = (char *)mmap(NULL, LONG, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(none != MAP_FAILED);
  CHECK(DMI_mmap(&at, LONG, 1, NULL));
  CHECK(DMI_create(&t, 1, at, 0, NULL) && DMI_join(t, NULL, NULL));
  if (strcmp(what, "sizes") == 0)
    sizes(at);
  else if (strcmp(what, "inside") == 0)
    inside(at);
  else if (strcmp(what, "overlaps") == 0)
    overlaps(at);
  else if (strcmp(what, "schedule") == 0)
    schedule(at);
  else
    without(what, at, none);
  outn("%s is done", what);
}
