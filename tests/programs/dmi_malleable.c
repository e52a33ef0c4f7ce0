/*
 * A run with DMI whose processes join and leave, as DMI_main reads lines:
 *
 *     dmimw dmi_malleable PAGES SIZE
 *
 *     phase N T      DMI_rescale with T threads on each of N processes. They add 1 to each page, and the numbers are checked
 *     phase all T    the same with the processes that DMI_nodes reports and that do not ask to leave
 *     create ID      makes a thread on a process, which adds 1 to random pages until it is joined
 *     join           joins these threads, and checks that the pages have as much as they have added
 *     fill ID        a thread on a process writes all pages as their owner
 *     visit ID       a thread on a process makes some of the additions of create, and is joined
 *     await ID S     waits until a process has the state S, 0: until it is not there
 *     nodes          prints the ids and states of the processes
 *     poll, peek     print the process that asks for something
 *     fork ID MIB    starts a process on the host of another one, with a pool of this size, or without MIB that of the run
 *     welcome ID, goodbye ID, kill ID
 *     end            frees the memory and ends
 *
 * Each line is answered by one line, which begins with it and ends with the reason of a function that has failed.
 */
#include "dmi_api.h"

#include <unistd.h>

enum { MOST = 64 };
enum { ADD, FILL, VISIT };

static struct run {
  int64_t pages, size, at, sum, stop; /* sum: the additions of threads of DMI_create */
  int32_t phases, what;
} run;

static int64_t told; /* where the others read it */

static struct run shared(int64_t addr) {
  struct run r;
  catch(DMI_read(addr, sizeof r, &r, DMI_GET, NULL));
  return r;
}

static void add(const struct run *r, int64_t page, int way) {
  static const int8_t modes[] = {DMI_PUT, DMI_EXCLUSIVE};
  int64_t before;
  catch(DMI_fad(r->at + page * r->size, 1, &before, modes[way % 2], NULL));
}

int32_t DMI_scaleunit(int my_rank, int pnum, int64_t addr) {
  struct run r = shared(addr);
  for (int64_t page = my_rank; page < r.pages; page += pnum) {
    int64_t x;
    catch(DMI_read(r.at + page * r.size, sizeof x, &x, page % 3 == 0 ? DMI_UPDATE : DMI_INVALIDATE, NULL));
    if (x < r.phases)
      DMI_CATCH((outn("page %ld has %ld in phase %d", (long)page, (long)x, r.phases), FALSE));
    add(&r, page, (int)page / 2);
  }
  return 0;
}

int64_t DMI_thread(int64_t addr) {
  struct run r = shared(addr);
  int64_t stop = 0, before;
  DMI_thread_t self;
  uint64_t random = 88172645463325252;
  catch(DMI_self(&self));
  random += (uint64_t)self.dmi_id * 1000003;
  if (r.what == FILL) {
    char *bytes = calloc(1, (size_t)r.size);
    for (int64_t page = 0; page < r.pages; page++)
      catch(DMI_write(r.at + page * r.size, r.size, bytes, DMI_EXCLUSIVE, NULL));
    free(bytes);
    return 0;
  }
  for (int n = 0; r.what == VISIT ? n < 100 : !stop; n++) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    add(&r, (int64_t)(random % (uint64_t)r.pages), n);
    catch(DMI_fad(r.sum, 1, &before, DMI_PUT, NULL));
    catch(DMI_read(r.stop, sizeof stop, &stop, n % 2 ? DMI_UPDATE : DMI_GET, NULL));
  }
  return self.dmi_id;
}

static int64_t total(void) {
  int64_t all = 0, x;
  for (int64_t page = 0; page < run.pages; page++) {
    catch(DMI_read(run.at + page * run.size, sizeof x, &x, DMI_GET, NULL));
    all += x;
  }
  return all;
}

static void tell(int what) {
  run.what = what;
  catch(DMI_write(told, sizeof run, &run, DMI_EXCLUSIVE, NULL));
}

static const char *reason(int32_t ok) { return ok ? "ok" : DMI_strerror(); }

static const char *verdict(void) {
  static char text[100];
  int64_t sum, want;
  catch(DMI_read(run.sum, sizeof sum, &sum, DMI_GET, NULL));
  want = run.phases * run.pages + sum;
  if (total() == want)
    return "right";
  snprintf(text, sizeof text, "the sum is %ld, expected %ld", (long)total(), (long)want);
  return text;
}

static const char *phase(const char *nodes, int32_t threads) {
  DMI_node_t all[MOST];
  int32_t n = atoi(nodes), known;
  tell(ADD);
  if (strcmp(nodes, "all") == 0) {
    catch(DMI_nodes(all, &known, MOST));
    for (int32_t i = n = 0; i < known; i++)
      n += all[i].state != DMI_CLOSE;
  }
  if (!DMI_rescale(told, n, threads))
    return DMI_strerror();
  run.phases++;
  return verdict();
}

static int32_t state(int32_t id) {
  DMI_node_t all[MOST];
  int32_t n;
  catch(DMI_nodes(all, &n, MOST));
  for (int32_t i = 0; i < n; i++)
    if (all[i].dmi_id == id)
      return all[i].state;
  return 0;
}

static const char *nodes(void) {
  static char text[20 * MOST];
  DMI_node_t all[MOST];
  int32_t n, used = 0;
  catch(DMI_nodes(all, &n, MOST));
  for (int32_t i = 0; i < n; i++)
    used += snprintf(text + used, sizeof text - (size_t)used, "%s%d:%d", i == 0 ? "" : " ", all[i].dmi_id, all[i].state);
  return text;
}

static const char *of(int32_t ok, const DMI_node_t *node) {
  static char text[40];
  if (!ok)
    return DMI_strerror();
  snprintf(text, sizeof text, "%d:%d", node->dmi_id, node->state);
  return text;
}

static DMI_thread_t threads[MOST];
static int made;

static const char *join(void) {
  int64_t stop = 1, id;
  catch(DMI_write(run.stop, sizeof stop, &stop, DMI_PUT, NULL));
  for (; made > 0; made--) {
    catch(DMI_join(threads[made - 1], &id, NULL));
    if (id != threads[made - 1].dmi_id)
      return "a thread has another id";
  }
  stop = 0;
  catch(DMI_write(run.stop, sizeof stop, &stop, DMI_PUT, NULL));
  return verdict();
}

static const char *create(int32_t id, int what) {
  int64_t result;
  tell(what);
  if (!DMI_create(&threads[made], id, told, 0, NULL))
    return DMI_strerror();
  if (what == ADD)
    made++; /* it is joined later */
  else
    catch(DMI_join(threads[made], &result, NULL));
  return "ok";
}

/* Prints the process and, if the size of its pool was given, that size in MiB. */
static const char *start(int32_t near, int32_t pool) {
  static char text[64];
  char option[32];
  DMI_node_t node;
  snprintf(option, sizeof option, "-pool %dm", pool);
  if (!DMI_fork(pool > 0 ? option : NULL, near, &node))
    return DMI_strerror();
  snprintf(text, sizeof text, pool > 0 ? "%d:%d:%d" : "%d:%d", node.dmi_id, node.state, (int)(node.memory >> 20));
  return text;
}

static const char *answer(const char *word, const char *first, int32_t second) {
  DMI_node_t node;
  int8_t flag;
  int32_t id = atoi(first);
  if (strcmp(word, "phase") == 0)
    return phase(first, second);
  if (strcmp(word, "create") == 0)
    return create(id, ADD);
  if (strcmp(word, "fill") == 0)
    return create(id, FILL);
  if (strcmp(word, "visit") == 0)
    return create(id, VISIT);
  if (strcmp(word, "join") == 0)
    return join();
  if (strcmp(word, "nodes") == 0)
    return nodes();
  if (strcmp(word, "poll") == 0)
    return of(DMI_poll(&node), &node);
  if (strcmp(word, "peek") == 0)
    return DMI_peek(&node, &flag) && !flag ? "none" : of(flag, &node);
  if (strcmp(word, "fork") == 0)
    return start(id, second);
  if (strcmp(word, "welcome") == 0)
    return reason(DMI_welcome(id));
  if (strcmp(word, "goodbye") == 0)
    return reason(DMI_goodbye(id));
  if (strcmp(word, "kill") == 0)
    return reason(DMI_kill(id));
  if (strcmp(word, "await") == 0) {
    while (state(id) != second)
      usleep(1000);
    return "ok";
  }
  return "no such line";
}

void DMI_main(int argc, char **argv) {
  char line[80], word[80], first[80];
  int second;
  run.pages = argc > 1 ? atol(argv[1]) : 100;
  run.size = argc > 2 ? atol(argv[2]) : 512;
  catch(DMI_mmap(&run.at, run.size, run.pages, NULL));
  catch(DMI_mmap(&run.sum, sizeof(int64_t), 1, NULL));
  catch(DMI_mmap(&run.stop, sizeof(int64_t), 1, NULL));
  catch(DMI_mmap(&told, sizeof run, 1, NULL));
  outn("begun: %s", verdict());
  for (;;) {
    word[0] = first[0] = 0;
    second = 0;
    if (fgets(line, sizeof line, stdin) == NULL)
      break;
    line[strcspn(line, "\n")] = 0;
    if (sscanf(line, "%s %s %d", word, first, &second) < 1 || strcmp(word, "end") == 0)
      break;
    outn("%s: %s", line, answer(word, first, second));
  }
  catch(DMI_munmap(told, NULL));
  catch(DMI_munmap(run.stop, NULL));
  catch(DMI_munmap(run.sum, NULL));
  catch(DMI_munmap(run.at, NULL));
}
