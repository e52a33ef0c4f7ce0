/* Measures how processes of DMI come and go: dmi_join_bench TIMES. It prints a line that begins with "pid", and then as many processes ask to
   join, one after the other. The program lets each in, gives it pages, and lets it go. A thread of process 0 reads and writes pages all the
   time. */

#define _GNU_SOURCE /* memfd_create */

#include "dmi_api.h"

#include <sys/mman.h>
#include <unistd.h>

#include "samples.h"

enum { PAGE = 1 << 20, PAGES = 1024, MOVED = 256 };

struct places {
  int64_t pages, stop, longest, turn, moved; /* moved: the pages of the process that has come */
};

/* What a thread of DMI_create does, by the argument: the places themselves are for the thread of process 0. */
struct order {
  struct places places;
  int32_t takes; /* write the pages moved, which no process has changed */
};

/* The longest access and the sum of all since the program has asked for a new turn. */
struct access {
  int64_t longest, sum, count;
};

/* Writes pages that no process has changed. This process owns them then. */
static void take(const struct places *p) {
  char *page = calloc(1, PAGE);
  for (int i = 0; i < MOVED; i++)
    catch(DMI_write(p->moved + (int64_t)i * PAGE, PAGE, page, DMI_EXCLUSIVE, NULL));
  free(page);
}

/* Reads and writes words of all pages in turn, and writes the longest access of a turn down. */
static void work(const struct places *p) {
  int64_t stop = 0, turn = -1, last, word = 0;
  struct access a = {0, 0, 0};
  for (int64_t i = 0; !stop; i++) {
    int64_t at = p->pages + i * 97 % PAGES * PAGE + i % (PAGE / 8) * 8;
    double begin = now();
    if (i % 2 == 0)
      catch(DMI_read(at, sizeof word, &word, DMI_GET, NULL));
    else
      catch(DMI_write(at, sizeof word, &word, DMI_PUT, NULL));
    int64_t took = (int64_t)(now() - begin);
    a.longest = took > a.longest ? took : a.longest;
    a.sum += took;
    a.count++;
    if (i % 16 != 0)
      continue;
    catch(DMI_write(p->longest, sizeof a, &a, DMI_PUT, NULL));
    catch(DMI_read(p->stop, sizeof stop, &stop, DMI_GET, NULL));
    last = turn;
    catch(DMI_read(p->turn, sizeof turn, &turn, DMI_GET, NULL));
    if (turn != last)
      a = (struct access){0, 0, 0};
  }
}

int64_t DMI_thread(int64_t at) {
  struct order o;
  catch(DMI_read(at, sizeof o, &o, DMI_GET, NULL));
  if (o.takes)
    take(&o.places);
  else
    work(&o.places);
  return 0;
}

/* Makes a thread that gets an order. */
static DMI_thread_t command(int32_t process, int64_t at, const struct places *p, int32_t takes) {
  struct order o = {*p, takes};
  DMI_thread_t thread;
  catch(DMI_write(at, sizeof o, &o, DMI_EXCLUSIVE, NULL));
  catch(DMI_create(&thread, process, at, 0, NULL));
  return thread;
}

/* Reports the longest access since the last call, and begins a new turn. */
static void report_longest(const struct places *p, int64_t turn) {
  struct access a;
  usleep(20000); /* the thread writes after some accesses */
  catch(DMI_read(p->longest, sizeof a, &a, DMI_GET, NULL));
  report("c", "dmilongest", (double)a.longest);
  catch(DMI_write(p->turn, sizeof turn, &turn, DMI_PUT, NULL));
}

/* The reference of a process that leaves: copying as many bytes to new memory of the same kind. */
static void copy_pages(char *from) {
  int fd = memfd_create("copy", MFD_CLOEXEC);
  const size_t bytes = (size_t)MOVED * PAGE;
  if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0)
    abort();
  double begin = now();
  char *to = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (to == MAP_FAILED)
    abort();
  memcpy(to, from, bytes);
  report("memcpy", "dmigoodbye", now() - begin);
  munmap(to, bytes);
  close(fd);
}

void DMI_main(int argc, char **argv) {
  struct places p;
  struct access none = {0, 0, 0};
  int64_t at, other, zero = 0, one = 1;
  const int times = argc > 1 ? atoi(argv[1]) : 1;
  p.moved = 0;
  char *from = malloc((size_t)MOVED * PAGE);
  memset(from, 1, (size_t)MOVED * PAGE);
  catch(DMI_mmap(&at, sizeof(struct order), 1, NULL));
  catch(DMI_mmap(&other, sizeof(struct order), 1, NULL));
  catch(DMI_mmap(&p.pages, PAGE, PAGES, NULL));
  catch(DMI_mmap(&p.stop, sizeof zero, 1, NULL));
  catch(DMI_mmap(&p.turn, sizeof zero, 1, NULL));
  catch(DMI_mmap(&p.longest, sizeof none, 1, NULL));
  catch(DMI_write(p.stop, sizeof zero, &zero, DMI_EXCLUSIVE, NULL));
  catch(DMI_write(p.turn, sizeof zero, &zero, DMI_EXCLUSIVE, NULL));
  catch(DMI_write(p.longest, sizeof none, &none, DMI_EXCLUSIVE, NULL));
  for (int i = 0; i < PAGES; i++)
    catch(DMI_write(p.pages + (int64_t)i * PAGE, PAGE, from, DMI_EXCLUSIVE, NULL));
  DMI_thread_t worker = command(0, at, &p, 0);
  printf("pid %d\n", (int)getpid());
  fflush(stdout);
  for (int i = 0; i < times; i++) {
    DMI_node_t node;
    catch(DMI_poll(&node));
    report_longest(&p, 2 * i + 1);
    double begin = now();
    catch(DMI_welcome(node.dmi_id));
    report("c", "dmiwelcome", now() - begin);
    report_longest(&p, 2 * i + 2);
    catch(DMI_mmap(&p.moved, PAGE, MOVED, NULL));
    DMI_thread_t taker = command(node.dmi_id, other, &p, 1);
    catch(DMI_join(taker, NULL, NULL));
    begin = now();
    catch(DMI_goodbye(node.dmi_id));
    report("c", "dmigoodbye", now() - begin);
    catch(DMI_munmap(p.moved, NULL));
    copy_pages(from);
  }
  catch(DMI_write(p.stop, sizeof one, &one, DMI_PUT, NULL));
  catch(DMI_join(worker, NULL, NULL));
  free(from);
}
