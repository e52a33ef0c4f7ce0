/*
 * A run with DMI whose threads wait for ever:
 *
 *     dmimw -n 2 dmi_stuck WAIT
 *
 * Two threads on each of two processes have the ranks 0 to 3. Those that WAIT does not mention are suspended:
 *
 *     mutex     they lock a mutex one after the other, and keep it except rank 0. Each prints when it owns the mutex
 *     cond      rank 0 waits for a condition variable
 *     barrier   all but rank 3 come to a barrier of 4 threads
 *     spin      rank 3 has a spin lock, and the others lock it
 *     watch     rank 0 watches 8 bytes
 *     page      process 1 owns a page and stops, and rank 0 reads it
 *     group     process 1 owns pages and stops, and rank 0 reads them by one group
 *     home      process 1 stops, and ranks 0 and 1 read two pages that no process has used
 *     copies    process 1 has a copy of a page of process 0 and stops, and rank 0 writes it
 *     phase     nothing else
 *     processes DMI_main asks for three processes
 *     poll      DMI_main waits for a request of a third process
 *     join      DMI_main joins a thread of process 1
 *     goodbye   DMI_main lets process 1 go, which has stopped
 */
#include "dmi_api.h"

#include <signal.h>
#include <unistd.h>

enum { PAGE = 4096, MUTEX = 0, COND = 64, SPIN = 128, BARRIER = 192, PAGES = 4 };

static struct shared {
  int64_t objects, pages, other;
  char scene[16];
} all;

static int is(const char *name) { return strcmp(all.scene, name) == 0; }

static void stop(void) {
  usleep(100000); /* the other process accesses the page meanwhile */
  kill(getpid(), SIGSTOP);
}

static void lock(void) {
  DMI_thread_t self;
  int64_t owners;
  catch(DMI_self(&self));
  catch(DMI_mutex_lock(all.objects + MUTEX));
  outn("the owner is thread %d of rank %d", self.thread_id, self.dmi_id);
  catch(DMI_fad(all.other, 1, &owners, DMI_PUT, NULL));
  if (owners == 0) {
    usleep(300000); /* the others queue */
    catch(DMI_mutex_unlock(all.objects + MUTEX));
  }
}

static void spin(int rank) {
  while (rank != 3) { /* which is to be the first */
    int64_t locked;
    catch(DMI_read(all.other, sizeof locked, &locked, DMI_GET, NULL));
    if (locked)
      break;
    usleep(1000);
  }
  catch(DMI_spin_lock(all.objects + SPIN));
  int64_t locked = 1;
  catch(DMI_write(all.other, sizeof locked, &locked, DMI_PUT, NULL));
}

static void sync_all(void) {
  DMI_local_barrier_t b;
  catch(DMI_local_barrier_init(&b, all.objects + BARRIER));
  catch(DMI_local_barrier_sync(&b, 4));
}

/* What the threads of process 1 do with pages, before they stop it. */
static void stop_with(int rank) {
  int64_t x = 0;
  if (rank != 2)
    return;
  if (is("page") || is("group"))
    catch(DMI_write(all.pages + 2 * PAGE, sizeof x, &x, DMI_EXCLUSIVE, NULL));
  if (is("group"))
    catch(DMI_write(all.pages + 3 * PAGE, sizeof x, &x, DMI_EXCLUSIVE, NULL));
  if (is("copies"))
    catch(DMI_read(all.pages, sizeof x, &x, DMI_UPDATE, NULL));
  stop();
}

static void read_group(void) {
  int64_t addrs[] = {all.pages + 2 * PAGE, all.pages + 3 * PAGE}, offsets[] = {0, 8}, sizes[] = {8, 8}, bytes[2];
  DMI_local_group_t group;
  catch(DMI_group_init(&group, addrs, offsets, sizes, 2));
  catch(DMI_group_read(&group, bytes, DMI_GET, NULL));
  catch(DMI_group_destroy(&group));
}

static void access_pages(int rank) {
  int64_t x = rank;
  if (rank >= 2)
    stop_with(rank);
  else if (is("home")) {
    usleep(500000); /* process 1 has stopped */
    catch(DMI_read(all.pages + rank * PAGE, sizeof x, &x, DMI_INVALIDATE, NULL));
  } else
    while (rank == 0) {
      if (is("page"))
        catch(DMI_read(all.pages + 2 * PAGE, sizeof x, &x, DMI_GET, NULL));
      else if (is("group"))
        read_group();
      else
        catch(DMI_write(all.pages, sizeof x, &x, DMI_EXCLUSIVE, NULL));
      usleep(1000);
    }
}

int32_t DMI_scaleunit(int my_rank, int pnum, int64_t at) {
  int64_t zero = 0, now;
  struct shared mine;
  (void)pnum;
  catch(DMI_read(at, sizeof mine, &mine, DMI_GET, NULL));
  all = mine;
  if (is("mutex"))
    lock();
  if (is("cond") && my_rank == 0) {
    catch(DMI_mutex_lock(all.objects + MUTEX));
    catch(DMI_cond_wait(all.objects + COND, all.objects + MUTEX));
  }
  if (is("barrier") && my_rank != 3)
    sync_all();
  if (is("spin"))
    spin(my_rank);
  if (is("watch") && my_rank == 0)
    catch(DMI_watch(all.other, sizeof zero, &zero, &now, NULL));
  if (is("page") || is("group") || is("home") || is("copies"))
    access_pages(my_rank);
  catch(DMI_suspend(NULL));
  return 0;
}

int64_t DMI_thread(int64_t stops) {
  if (stops)
    stop();
  catch(DMI_suspend(NULL));
  return 0;
}

static void poll(void) {
  DMI_node_t node;
  for (;;)
    catch(DMI_poll(&node));
}

void DMI_main(int argc, char **argv) {
  int64_t at;
  DMI_thread_t thread;
  snprintf(all.scene, sizeof all.scene, "%s", argc > 1 ? argv[1] : "phase");
  catch(DMI_mmap(&all.objects, PAGE, 1, NULL));
  catch(DMI_mmap(&all.pages, PAGE, PAGES, NULL));
  catch(DMI_mmap(&all.other, sizeof(int64_t), 1, NULL));
  catch(DMI_mmap(&at, sizeof all, 1, NULL));
  catch(DMI_mutex_init(all.objects + MUTEX));
  catch(DMI_cond_init(all.objects + COND));
  catch(DMI_spin_init(all.objects + SPIN));
  catch(DMI_barrier_init(all.objects + BARRIER));
  catch(DMI_write(at, sizeof all, &all, DMI_PUT, NULL));
  outn("objects at 0x%lx, pages at 0x%lx, bytes at 0x%lx", (unsigned long)all.objects, (unsigned long)all.pages,
       (unsigned long)all.other);
  if (is("poll"))
    poll();
  if (is("join") || is("goodbye"))
    catch(DMI_create(&thread, 1, is("goodbye"), 0, NULL));
  if (is("join"))
    catch(DMI_join(thread, NULL, NULL));
  while (is("goodbye") && !DMI_goodbye(1)) /* refused until process 1 has stopped: its thread runs */
    usleep(1000);
  catch(DMI_rescale(at, is("processes") ? 3 : 2, 2));
}
