// A program with a main of its own: all functions of dmi_api.h that need a run of DMI fail, and say why.
#include <dmi_api.h>

static int wrong;

static void fails(const char *call, int result) {
  if (result == FALSE && strstr(DMI_strerror(), "main of its own") != NULL)
    return;
  printf("%s returns %d: %s\n", call, result, DMI_strerror());
  wrong = 1;
}

#define FAILS(call) fails(#call, call)

void DMI_main(int argc, char **argv) { (void)argc, (void)argv; }

int main(void) {
  int64_t at = 0, list[1] = {0};
  int32_t n = 0;
  int8_t flag = 0;
  char b[8] = {0};
  DMI_thread_t t = {0, 0};
  DMI_node_t node;
  DMI_local_group_t group;
  DMI_local_barrier_t barrier;
  DMI_local_rwset_t set;
  DMI_local_status_t status;
  FAILS(DMI_rescale(1, 1, 1));
  FAILS(DMI_mmap(&at, 1, 1, NULL));
  FAILS(DMI_mmap(&at, 1, 1, &status));
  FAILS(DMI_munmap(1, NULL));
  FAILS(DMI_malloc(&at, 1, 1));
  FAILS(DMI_realloc(1, &at, 1, 1));
  FAILS(DMI_free(1));
  FAILS(DMI_read(1, 8, b, DMI_GET, NULL));
  FAILS(DMI_read(1, 8, b, DMI_GET, &status));
  FAILS(DMI_write(1, 8, b, DMI_PUT, NULL));
  FAILS(DMI_watch(1, 8, b, b, NULL));
  FAILS(DMI_save(1, 1));
  FAILS(DMI_unsave(1, 1));
  FAILS(DMI_atomic(1, 8, b, 8, b, 8, 0, DMI_PUT, NULL));
  FAILS(DMI_cas(1, 8, b, b, &flag, DMI_PUT, NULL));
  FAILS(DMI_fas(1, 8, b, b, DMI_PUT, NULL));
  FAILS(DMI_fad(1, 1, &at, DMI_PUT, NULL));
  FAILS(DMI_group_init(&group, list, list, list, 1));
  FAILS(DMI_check(&status, &n));
  FAILS(DMI_barrier_init(1));
  FAILS(DMI_barrier_destroy(1));
  FAILS(DMI_local_barrier_init(&barrier, 1));
  FAILS(DMI_mutex_init(1));
  FAILS(DMI_mutex_destroy(1));
  FAILS(DMI_mutex_lock(1));
  FAILS(DMI_mutex_unlock(1));
  FAILS(DMI_mutex_trylock(1, &n));
  FAILS(DMI_cond_init(1));
  FAILS(DMI_cond_destroy(1));
  FAILS(DMI_cond_wait(1, 1));
  FAILS(DMI_cond_signal(1));
  FAILS(DMI_cond_broadcast(1));
  FAILS(DMI_spin_init(1));
  FAILS(DMI_spin_destroy(1));
  FAILS(DMI_spin_lock(1));
  FAILS(DMI_spin_unlock(1));
  FAILS(DMI_spin_trylock(1, &n));
  FAILS(DMI_rwset_init(1, 1, 8, 1));
  FAILS(DMI_rwset_destroy(1));
  FAILS(DMI_rwset_decompose(1, 0, list, 1));
  FAILS(DMI_local_rwset_init(&set, 1, 0, list, 1));
  FAILS(DMI_rank(&n));
  FAILS(DMI_nodes(&node, &n, 1));
  FAILS(DMI_create(&t, 0, 1, 0, NULL));
  FAILS(DMI_join(t, &at, NULL));
  FAILS(DMI_detach(t, NULL));
  FAILS(DMI_wake(t, b, 8, NULL));
  FAILS(DMI_suspend(b));
  FAILS(DMI_self(&t));
  FAILS(DMI_welcome(0));
  FAILS(DMI_goodbye(0));
  FAILS(DMI_poll(&node));
  FAILS(DMI_peek(&node, &flag));
  FAILS(DMI_fork(NULL, 0, &node));
  FAILS(DMI_kill(0));
  FAILS(DMI_scheduler_init(1));
  FAILS(DMI_scheduler_destroy(1));
  FAILS(DMI_scheduler_create(1, &n, 1));
  FAILS(DMI_scheduler_detach(1, 0));
  FAILS(DMI_scheduler_join(1, 0, &at));
  FAILS(DMI_idpool_init(1, 1));
  FAILS(DMI_idpool_destroy(1));
  FAILS(DMI_idpool_get(1, &n));
  FAILS(DMI_idpool_put(1, 0));
  n = 9;
  DMI_wait(&status, &n);
  fails("DMI_wait", n);
  puts("main");
  return wrong;
}
