/* The functions of libacp that libdmi calls, and what both share. The functions of Go are the last ones. goacp_dmi_enter is called
   before each of them, and goacp_dmi_leave after it. */

#ifndef GOACP_DMI_BIND_H
#define GOACP_DMI_BIND_H

#include <stdint.h>

/* The functions of the program; NULL if it has none. size is that of the structure as the program knows it. */
struct goacp_dmi_program {
  uint64_t size;
  void (*main)(int argc, char **argv);
  int32_t (*unit)(int my_rank, int pnum, int64_t addr); /* the result is not used: it may be int64_t */
  int64_t (*thread)(int64_t addr);
  void (*function)(void *page, int64_t size, void *out, int64_t out_size, void *in, int64_t in_size, int8_t tag);
};

/* DMI_node_t. */
struct goacp_dmi_node {
  int32_t id, core;
  int64_t memory;
  int32_t state;
  char hostname[260];
};

/* The memory of a status whose function has ended, when the program has been told. magic and self say that it is one. */
struct goacp_dmi_status {
  uint64_t magic, self;
  int64_t result, unused;
};

/* The memory of a group, and of other objects that Go knows by numbers. The magic number and the address of the memory say that it is one. */
struct goacp_dmi_number {
  uint64_t magic, self, number;
};
#define GOACP_DMI_NUMBER_MAGIC 0x444d492068616e64

/* The memory of the barrier of a thread. */
struct goacp_dmi_barrier {
  struct goacp_dmi_number number;
  int64_t addr; /* of the barrier */
};

/* What goacp_dmi_object, or goacp_dmi_lock for mutexes and spin locks, does with the object at an address. */
enum goacp_dmi_act {
  GOACP_DMI_BARRIER_INIT,
  GOACP_DMI_BARRIER_DESTROY,
  GOACP_DMI_MUTEX_INIT,
  GOACP_DMI_MUTEX_DESTROY,
  GOACP_DMI_MUTEX_LOCK,
  GOACP_DMI_MUTEX_UNLOCK,
  GOACP_DMI_COND_INIT,
  GOACP_DMI_COND_DESTROY,
  GOACP_DMI_COND_SIGNAL,
  GOACP_DMI_COND_BROADCAST,
  GOACP_DMI_SPIN_INIT,
  GOACP_DMI_SPIN_DESTROY,
  GOACP_DMI_SPIN_LOCK,
  GOACP_DMI_SPIN_UNLOCK,
  GOACP_DMI_RWSET_DESTROY,
  GOACP_DMI_IDPOOL_DESTROY,
};

/* What a thread does in a function. */
enum goacp_dmi_how {
  GOACP_DMI_WORKS = 1, /* the function returns by itself */
  GOACP_DMI_WAITS = 2, /* another thread may have to do something */
};

/* Results of goacp_dmi_begin. */
enum { GOACP_DMI_FAILED = -1, GOACP_DMI_SERVES = 0, GOACP_DMI_MAIN = 1 };

/* goacp_dmi_enter returns 0 if the function fails: then it has stored the reason. It ends forked children, and does not return if the
   run has ended. goacp_dmi_leave returns its argument, unless the run has ended. */
int goacp_dmi_enter(const char *function, const void *site, int how);
int goacp_dmi_leave(int result);

/* The calling thread, which has entered a function that returns by itself, is about to wait for another thread there. goacp_dmi_end_wait
   undoes that, and does not return if the run has ended: before that, the memory of pages may have gone. */
void goacp_dmi_begin_wait(void);
void goacp_dmi_end_wait(void);

/* The number of the calling thread of DMI, or -1. */
int goacp_dmi_self(void);

int goacp_dmi_begin(struct goacp_dmi_program *program);
int goacp_dmi_finish(void);
int goacp_dmi_serve(void);
void goacp_dmi_fail(char *line); /* does not return */
int goacp_dmi_id(void);

int goacp_dmi_rescale(int self, int64_t addr, int32_t node_num, int32_t thread_num);

int goacp_dmi_mmap(int64_t *to, int64_t page_size, int64_t page_num, void *status);
int goacp_dmi_munmap(int64_t addr, void *status);
int goacp_dmi_malloc(int64_t *to, int64_t size, int64_t page_size);
int goacp_dmi_realloc(int64_t old, int64_t *to, int64_t size, int64_t page_size);
int goacp_dmi_free(int64_t addr);
int goacp_dmi_read(int64_t addr, int64_t size, void *in, int8_t mode, void *status, void *found);
int goacp_dmi_write(int64_t addr, int64_t size, void *out, int8_t mode, void *status, void *found);
int goacp_dmi_watch(int64_t addr, int64_t size, void *in, void *out, void *status);
int goacp_dmi_save(int64_t addr, int64_t size);
int goacp_dmi_unsave(int64_t addr, int64_t size);
int goacp_dmi_atomic(int64_t addr, int64_t size, void *out, int64_t out_size, void *in, int64_t in_size, int8_t tag,
                     int8_t mode, void *status);
int goacp_dmi_cas(int64_t addr, int64_t size, void *compare, void *swap, int8_t *flag, int8_t mode, void *status);
int goacp_dmi_fas(int64_t addr, int64_t size, void *out, void *in, int8_t mode, void *status);
int goacp_dmi_fad(int64_t addr, int64_t add, int64_t *fetched, int8_t mode, void *status, void *found);

int goacp_dmi_group_init(void *group, int64_t *addrs, int64_t *offsets, int64_t *sizes, int32_t n);
int goacp_dmi_group_destroy(void *group);
int goacp_dmi_group_move(void *group, void *base, int8_t mode, void *status, int writes);

int goacp_dmi_check(void *status, int32_t *result);
int goacp_dmi_wait(void *status, int32_t *result);

int goacp_dmi_nodes(struct goacp_dmi_node *to, int32_t *n, int32_t capacity);
int goacp_dmi_create(int32_t *thread, int32_t id, int64_t addr, int64_t stack, void *status);
int goacp_dmi_join(int self, int32_t id, int32_t thread, int64_t *result, void *status);
int goacp_dmi_detach(int32_t id, int32_t thread, void *status);
int goacp_dmi_wake(int32_t id, int32_t thread, void *out, int64_t size, void *status);
int goacp_dmi_suspend(int self, void *in);
int goacp_dmi_self_of(int self, int32_t *thread);
int goacp_dmi_rank(int32_t *id);

int goacp_dmi_welcome(int32_t id);
int goacp_dmi_goodbye(int32_t id);
int goacp_dmi_request(struct goacp_dmi_node *to, int8_t *flag, int waits);
int goacp_dmi_fork(char *option, int32_t id, struct goacp_dmi_node *to);
int goacp_dmi_kill(int32_t id);

int goacp_dmi_object(int act, int64_t addr);
int goacp_dmi_lock(int act, int self, int64_t addr, void *found);
int goacp_dmi_trylock(int spins, int self, int64_t addr, int32_t *flag, void *found);
int goacp_dmi_cond_wait(int self, int64_t cond, int64_t mutex);
int goacp_dmi_local_barrier_init(void *barrier, int64_t addr);
int goacp_dmi_local_barrier_destroy(void *barrier);
int goacp_dmi_local_barrier_sync(void *barrier, int32_t n, void *found);
int goacp_dmi_local_barrier_await(void *barrier, int32_t n, uint32_t round);
int goacp_dmi_local_barrier_allreduce(void *barrier, int32_t n, void *in, void *out, int8_t op, int8_t type);
int goacp_dmi_rwset_init(int64_t addr, int64_t elements, int64_t size, int32_t regions);
int goacp_dmi_rwset_decompose(int64_t addr, int32_t region, int64_t *elements, int32_t n);
int goacp_dmi_local_rwset_init(void *set, int64_t addr, int32_t region, int64_t *elements, int32_t n);
int goacp_dmi_local_rwset_destroy(void *set);
int goacp_dmi_local_rwset_move(void *set, void *buffer, void *status, int writes);
int goacp_dmi_idpool_init(int64_t addr, int32_t n);
int goacp_dmi_idpool_get(int64_t addr, int32_t *id);
int goacp_dmi_idpool_put(int64_t addr, int32_t id);
void goacp_dmi_refuse(const char *why);

/* Functions that access pages of this host without a call into Go. Each calls the function of Go with its name otherwise, which sets
   *found, a struct goacp_dmi_found, if it finds such a page. found may be NULL. */
int goacp_dmi_near_read(int64_t addr, int64_t size, void *in, int8_t mode, void *status);
int goacp_dmi_near_write(int64_t addr, int64_t size, void *out, int8_t mode, void *status);
int goacp_dmi_near_fad(int64_t addr, int64_t add, int64_t *fetched, int8_t mode, void *status);
int goacp_dmi_near_mutex_lock(int self, int64_t addr);
int goacp_dmi_near_mutex_unlock(int self, int64_t addr);
int goacp_dmi_near_mutex_trylock(int self, int64_t addr, int32_t *flag);
int goacp_dmi_near_spin_lock(int self, int64_t addr);
int goacp_dmi_near_spin_unlock(int self, int64_t addr);
int goacp_dmi_near_spin_trylock(int self, int64_t addr, int32_t *flag);
int goacp_dmi_near_barrier_sync(void *barrier, int32_t n);

/* What Go calls. goacp_dmi_set_program keeps the functions of the program. goacp_dmi_start makes a thread, and returns 0 or a
   number of errno. goacp_dmi_call_function calls DMI_function. goacp_dmi_close lets no thread leave or enter functions any
   more, and returns when none works in one; goacp_dmi_be_main makes the calling thread that of DMI_main. */
struct goacp_dmi_thread {
  int number, is_unit, rank, size;
  int64_t addr, stack;
};
void goacp_dmi_set_program(const struct goacp_dmi_program *program);
int goacp_dmi_start(struct goacp_dmi_thread thread);
void goacp_dmi_call_function(void *page, int64_t size, const void *out, int64_t out_size, void *in, int64_t in_size, int8_t tag);
void goacp_dmi_close(void);
void goacp_dmi_be_main(void);

#endif
