/*
 * A mutex: all threads add to a counter, each ROUNDS times, by a read and a write that the mutex keeps together.
 *
 *     dmimw -n 2 ./mutex_dmi 2 4 200
 *
 * NODES THREADS ROUNDS. The counter is checked at the end.
 */
#include "dmi_api.h"

struct shared {
  int64_t rounds, mutex, counter;
};

void DMI_main(int argc, char **argv) {
  struct shared s;
  int64_t at, counter, expected;
  if (argc != 4) {
    outn("usage: %s NODES THREADS ROUNDS", argv[0]);
    error();
  }
  int32_t nodes = atoi(argv[1]), threads = atoi(argv[2]);
  s.rounds = atoi(argv[3]);
  catch(DMI_mmap(&at, sizeof s, 1, NULL));
  catch(DMI_mmap(&s.mutex, sizeof(DMI_mutex_t), 1, NULL));
  catch(DMI_mmap(&s.counter, sizeof counter, 1, NULL));
  catch(DMI_mutex_init(s.mutex));
  catch(DMI_write(at, sizeof s, &s, DMI_EXCLUSIVE, NULL));
  catch(DMI_rescale(at, nodes, threads));
  catch(DMI_read(s.counter, sizeof counter, &counter, DMI_GET, NULL));
  expected = s.rounds * nodes * threads;
  outn("%d threads, %ld rounds: the counter is %ld", nodes * threads, (long)s.rounds, (long)counter);
  if (counter != expected) {
    outn("expected %ld", (long)expected);
    error();
  }
  catch(DMI_mutex_destroy(s.mutex));
  catch(DMI_munmap(s.counter, NULL));
  catch(DMI_munmap(s.mutex, NULL));
  catch(DMI_munmap(at, NULL));
}

int32_t DMI_scaleunit(int my_rank, int pnum, int64_t at) {
  struct shared s;
  int64_t counter;
  (void)my_rank, (void)pnum;
  catch(DMI_read(at, sizeof s, &s, DMI_GET, NULL));
  for (int64_t round = 0; round < s.rounds; round++) {
    catch(DMI_mutex_lock(s.mutex));
    catch(DMI_read(s.counter, sizeof counter, &counter, DMI_INVALIDATE, NULL));
    counter++;
    catch(DMI_write(s.counter, sizeof counter, &counter, DMI_EXCLUSIVE, NULL));
    catch(DMI_mutex_unlock(s.mutex));
  }
  return 0;
}
