/* Schedulers: threads that are placed on the processes that take part, in turn. They stay where they are. */

#include "internal.h"

#include <stddef.h>

/* A scheduler in global memory. The table has the DMI_thread_t of each thread. */
struct scheduler {
  int64_t magic, next, table;
};

typedef char same_scheduler[sizeof(struct scheduler) <= sizeof(DMI_scheduler_t) ? 1 : -1];

enum { PAGE = 512, PAGES = 1 << 22 }; /* of the table, which takes memory for the pages that are used */

static const int64_t magic = 0x444d492073636864;

/* Reads the scheduler at an address. */
static int is_scheduler(int64_t at, struct scheduler *s) {
  if (!DMI_read(at, sizeof *s, s, DMI_GET, NULL))
    return 0;
  if (s->magic == magic)
    return 1;
  goacp_dmi_refuse("there is no scheduler at the address");
  return 0;
}

/* Reads the thread with a number. */
static int find_thread(int64_t at, int32_t id, DMI_thread_t *t) {
  struct scheduler s;
  if (!is_scheduler(at, &s))
    return 0;
  if (id < 0 || id >= s.next) {
    goacp_dmi_refuse("the scheduler has no such thread");
    return 0;
  }
  return DMI_read(s.table + id * (int64_t)sizeof *t, sizeof *t, t, DMI_GET, NULL);
}

/* The process for a thread: those that take part have their turns. A process that asks to take part does so then. */
static int choose_process(int64_t turn, int32_t *id) {
  enum { MOST = 4096 };
  DMI_node_t *nodes = malloc(MOST * sizeof *nodes);
  int32_t n = 0, found = 0;
  if (nodes == NULL) {
    goacp_dmi_refuse("no memory for the list of processes");
    return 0;
  }
  if (DMI_nodes(nodes, &n, MOST)) {
    for (int32_t i = 0; i < n; i++)
      if (nodes[i].state == DMI_OPEN || nodes[i].state == DMI_OPENED)
        nodes[found++].dmi_id = nodes[i].dmi_id;
    if (found > 0)
      *id = nodes[turn % found].dmi_id;
  }
  free(nodes);
  return found > 0;
}

int32_t DMI_scheduler_init(int64_t dmi_scheduler_addr) {
  struct scheduler s = {magic, 0, 0};
  if (!DMI_mmap(&s.table, PAGE, PAGES, NULL))
    return FALSE;
  if (DMI_write(dmi_scheduler_addr, sizeof s, &s, DMI_PUT, NULL))
    return TRUE;
  (void)DMI_munmap(s.table, NULL);
  return FALSE;
}

int32_t DMI_scheduler_destroy(int64_t dmi_scheduler_addr) {
  struct scheduler s, none = {0, 0, 0};
  return is_scheduler(dmi_scheduler_addr, &s) && DMI_write(dmi_scheduler_addr, sizeof none, &none, DMI_PUT, NULL) &&
         DMI_munmap(s.table, NULL);
}

int32_t DMI_scheduler_create(int64_t dmi_scheduler_addr, int32_t *sthread_id_ptr, int64_t dmi_addr) {
  struct scheduler s;
  DMI_thread_t t;
  int64_t number;
  int32_t process;
  if (sthread_id_ptr == NULL) {
    goacp_dmi_refuse("sthread_id_ptr is NULL");
    return FALSE;
  }
  if (!is_scheduler(dmi_scheduler_addr, &s) ||
      !DMI_fad(dmi_scheduler_addr + (int64_t)offsetof(struct scheduler, next), 1, &number, DMI_PUT, NULL) ||
      !choose_process(number, &process) || !DMI_create(&t, process, dmi_addr, 0, NULL) ||
      !DMI_write(s.table + number * (int64_t)sizeof t, sizeof t, &t, DMI_PUT, NULL))
    return FALSE;
  *sthread_id_ptr = (int32_t)number;
  return TRUE;
}

int32_t DMI_scheduler_detach(int64_t dmi_scheduler_addr, int32_t sthread_id) {
  DMI_thread_t t;
  return find_thread(dmi_scheduler_addr, sthread_id, &t) && DMI_detach(t, NULL);
}

int32_t DMI_scheduler_join(int64_t dmi_scheduler_addr, int32_t sthread_id, int64_t *dmi_addr_ptr) {
  DMI_thread_t t;
  return find_thread(dmi_scheduler_addr, sthread_id, &t) && DMI_join(t, dmi_addr_ptr, NULL);
}
