/* Schedulers: threads that are placed on the processes that take part, in turn. They stay where they are. */

#include "internal.h"

#include <sched.h>
#include <stddef.h>

/* A scheduler in global memory. The table has the DMI_thread_t of each thread; one without a thread has thread_id 0. */
struct scheduler {
  int64_t magic, next, table;
};

/* The scheduler with all bytes of a DMI_scheduler_t, which lie in one page. */
union object {
  struct scheduler s;
  DMI_scheduler_t all;
};

enum {
  PAGE = 512,
  PAGES = 1 << 22, /* of the table, which takes memory for the pages that are used */
  PROCESSES = 4096, /* among which a thread is placed */
};

static const int64_t magic = 0x444d492073636864;
static const int64_t most = (int64_t)PAGE * PAGES / (int64_t)sizeof(DMI_thread_t);

/* The result of an expression for the enclosing function of dmi_api.h. Functions of libacp in the expression are called for that one. */
#define RESULT(expression)                                                                                             \
  (goacp_dmi_enter(__func__, __builtin_extract_return_addr(__builtin_return_address(0)), GOACP_DMI_WAITS)              \
       ? goacp_dmi_leave(expression)                                                                                   \
       : FALSE)

static int refuse(const char *why) {
  goacp_dmi_refuse(why);
  return FALSE;
}

/* Reads the scheduler at an address. */
static int is_scheduler(int64_t at, struct scheduler *s) {
  if (!goacp_dmi_read(at, sizeof *s, s, DMI_GET, NULL, NULL))
    return FALSE;
  return s->magic == magic ? TRUE : refuse("there is no scheduler at the address");
}

static int64_t place(const struct scheduler *s, int64_t number) { return s->table + number * (int64_t)sizeof(DMI_thread_t); }

/* Reads the thread with a number. */
static int find_thread(int64_t at, int32_t id, DMI_thread_t *t) {
  struct scheduler s;
  if (!is_scheduler(at, &s))
    return FALSE;
  if (id < 0 || id >= s.next || id >= most)
    return refuse("the scheduler has no such thread");
  if (!goacp_dmi_read(place(&s, id), sizeof *t, t, DMI_GET, NULL, NULL))
    return FALSE;
  return t->thread_id != 0 ? TRUE : refuse("the scheduler has no such thread");
}

/* Makes a thread on one of n processes: those that take part or ask for it have their turns. One that is about to leave refuses, and the
   next one gets the thread. */
static int create_on(const struct goacp_dmi_node *nodes, int32_t n, int64_t turn, int64_t addr, DMI_thread_t *t) {
  int32_t usable = 0;
  for (int32_t i = 0; i < n; i++)
    usable += nodes[i].state == DMI_OPEN || nodes[i].state == DMI_OPENED;
  if (usable == 0)
    return refuse("all processes ask to leave");
  for (int32_t attempt = 0; attempt < usable; attempt++) {
    int32_t left = (int32_t)((turn + attempt) % usable);
    for (int32_t i = 0; i < n; i++)
      if ((nodes[i].state == DMI_OPEN || nodes[i].state == DMI_OPENED) && left-- == 0 &&
          goacp_dmi_create((int32_t *)(void *)t, nodes[i].id, addr, 0, NULL))
        return TRUE;
  }
  return FALSE;
}

static int create(int64_t at, int32_t *id, int64_t addr) {
  struct scheduler s;
  DMI_thread_t t = {0, 0};
  int64_t number = 0;
  int32_t n = 0;
  if (id == NULL)
    return refuse("sthread_id_ptr is NULL");
  if (!is_scheduler(at, &s) || !goacp_dmi_fad(at + (int64_t)offsetof(struct scheduler, next), 1, &number, DMI_PUT, NULL, NULL))
    return FALSE;
  if (number >= most)
    return refuse("the scheduler has made all threads that it can make");
  struct goacp_dmi_node *nodes = malloc(PROCESSES * sizeof *nodes);
  if (nodes == NULL)
    return refuse("no memory for the list of processes");
  /* The first write takes the memory, so that the second one does not fail when there is a thread. */
  int made = goacp_dmi_write(place(&s, number), sizeof t, &t, DMI_PUT, NULL, NULL) && goacp_dmi_nodes(nodes, &n, PROCESSES) &&
             create_on(nodes, n, number, addr, &t) && goacp_dmi_write(place(&s, number), sizeof t, &t, DMI_PUT, NULL, NULL);
  free(nodes);
  if (made)
    *id = (int32_t)number;
  return made;
}

static int init(int64_t at) {
  union object o, before;
  memset(&o, 0, sizeof o);
  o.s.magic = magic;
  if (!goacp_dmi_mmap(&o.s.table, PAGE, PAGES, NULL))
    return FALSE;
  if (at % 8 != 0)
    refuse("the address of a scheduler is a multiple of 8");
  else if (goacp_dmi_fas(at, sizeof o, &o, &before, DMI_PUT, NULL)) /* fails if the object is not in one page */
    return TRUE;
  (void)goacp_dmi_munmap(o.s.table, NULL);
  return FALSE;
}

/* Of several calls for one scheduler, one ends it. */
static int destroy(int64_t at) {
  struct scheduler s;
  const int64_t none = 0;
  int8_t was = FALSE;
  if (!is_scheduler(at, &s) || !goacp_dmi_cas(at, sizeof magic, (void *)&magic, (void *)&none, &was, DMI_PUT, NULL))
    return FALSE;
  return was ? goacp_dmi_munmap(s.table, NULL) : refuse("there is no scheduler at the address");
}

static int detach(int64_t at, int32_t id) {
  DMI_thread_t t;
  return find_thread(at, id, &t) && goacp_dmi_detach(t.dmi_id, t.thread_id, NULL);
}

static int join(int64_t at, int32_t id, int64_t *result) {
  DMI_thread_t t;
  return find_thread(at, id, &t) && goacp_dmi_join(goacp_dmi_self(), t.dmi_id, t.thread_id, result, NULL);
}

static int yield(void) {
  sched_yield();
  return TRUE;
}

int32_t DMI_scheduler_init(int64_t dmi_scheduler_addr) { return RESULT(init(dmi_scheduler_addr)); }

int32_t DMI_scheduler_destroy(int64_t dmi_scheduler_addr) { return RESULT(destroy(dmi_scheduler_addr)); }

int32_t DMI_scheduler_create(int64_t dmi_scheduler_addr, int32_t *sthread_id_ptr, int64_t dmi_addr) {
  return RESULT(create(dmi_scheduler_addr, sthread_id_ptr, dmi_addr));
}

int32_t DMI_scheduler_detach(int64_t dmi_scheduler_addr, int32_t sthread_id) { return RESULT(detach(dmi_scheduler_addr, sthread_id)); }

int32_t DMI_scheduler_join(int64_t dmi_scheduler_addr, int32_t sthread_id, int64_t *dmi_addr_ptr) {
  return RESULT(join(dmi_scheduler_addr, sthread_id, dmi_addr_ptr));
}

int32_t DMI_yield(void) { return RESULT(yield()); }
