#include "runs.h"
#include "books.h"
#include "lock.h"
#include "rules.h"
#include "shelf.h"

pthread_mutex_t runs_lock = PTHREAD_MUTEX_INITIALIZER;
struct run **run_of_unit;
uint8_t *class_of_unit;

// Free runs keep pages for this many units, or for an eighth of those in use if that is more. A program
// that frees and allocates blocks of some MiB in turn does not pay for new pages then.
#define KEPT (((size_t)16 << 20) >> UNIT_SHIFT)

static struct shelf dirty, clean;
static struct run *spare; // records of runs that are no more
static size_t used;       // units
static int locked_memory; // the kernel refuses to take pages back

// record returns a record of a run, NULL if there is no memory.
static struct run *record(size_t start, size_t units, enum state state) {
  struct run *run = spare;
  if (run != NULL)
    spare = run->next;
  else if ((run = books_take(sizeof *run)) == NULL)
    return NULL;
  *run = (struct run){start, units, state, NULL, NULL, NULL};
  return run;
}

static void forget(struct run *run) {
  run->next = spare;
  spare = run;
}

static void mark(struct run *run) {
  run_of_unit[run->start] = run_of_unit[run->start + run->units - 1] = run;
}

static struct shelf *shelf_of(const struct run *run) { return run->state == DIRTY ? &dirty : &clean; }

struct run *runs_next(struct run *run) {
  size_t next = run == NULL ? 0 : run->start + run->units;
  return next < memory.size >> UNIT_SHIFT ? run_of_unit[next] : NULL;
}

static struct run *previous_of(struct run *run) { return run->start == 0 ? NULL : run_of_unit[run->start - 1]; }

// shelve joins a free run with its neighbours and puts it on its shelf.
static void shelve(struct run *run) {
  struct run *before = previous_of(run), *behind = runs_next(run);
  if (before != NULL && before->state == run->state) {
    shelf_remove(shelf_of(before), before);
    run->start = before->start;
    run->units += before->units;
    forget(before);
  }
  if (behind != NULL && behind->state == run->state) {
    shelf_remove(shelf_of(behind), behind);
    run->units += behind->units;
    forget(behind);
  }
  mark(run);
  shelf_put(shelf_of(run), run);
}

// drop_pages gives pages of free runs back until at most so many units have some.
static void drop_pages(size_t units) {
  while (dirty.units > units && !locked_memory) {
    struct run *run = shelf_longest(&dirty);
    if (memory_drop(run->start << UNIT_SHIFT, run->units << UNIT_SHIFT) != 0) {
      locked_memory = 1;
      return;
    }
    shelf_remove(&dirty, run);
    run->state = CLEAN;
    shelve(run);
  }
}

// tables makes the tables for so many units. They come before the memory can be seen.
static int tables(size_t units) {
  if (class_of_unit == NULL)
    class_of_unit = books_table(units);
  if (run_of_unit == NULL)
    run_of_unit = books_table(units * sizeof *run_of_unit);
  return class_of_unit != NULL && run_of_unit != NULL ? 0 : -1;
}

static int begin(void) {
  if (memory.size != 0)
    return 0;
  size_t size = memory_room(), units = size >> UNIT_SHIFT;
  if (size == 0 || tables(units) != 0)
    return -1;
  struct run *all = record(0, units, CLEAN);
  if (all == NULL || memory_make(size) != 0)
    return -1;
  mark(all);
  shelf_put(&clean, all);
  return 0;
}

int runs_begin(void) {
  static int failed; // the system gives no pool
  lock(&runs_lock);
  if (!failed && begin() != 0) {
    failed = 1;
    rules_off();
  }
  int status = failed ? -1 : 0;
  unlock(&runs_lock);
  return status;
}

// cut makes units at the end of a free or new run a free run of their own. Returns 0, or -1 without memory.
static int cut(struct run *run, size_t units, enum state state) {
  if (units == 0)
    return 0;
  struct run *rest = record(run->start + run->units - units, units, state);
  if (rest == NULL)
    return -1;
  run->units -= units;
  mark(run);
  shelve(rest);
  return 0;
}

// skip is the number of units before the first multiple of alignment.
static size_t skip(const struct run *run, size_t alignment) {
  size_t at = ((uintptr_t)memory.base >> UNIT_SHIFT) + run->start;
  return -at & (alignment - 1);
}

// take makes the units of a free run that are wanted a run in use.
static struct run *take(struct run *found, size_t units, size_t alignment) {
  shelf_remove(shelf_of(found), found);
  enum state state = found->state;
  found->state = USED;
  size_t before = skip(found, alignment);
  struct run *run = found;
  if (before != 0) {
    run = record(found->start + before, found->units - before, USED);
    if (run == NULL) {
      found->state = state;
      shelf_put(shelf_of(found), found);
      return NULL;
    }
    found->units = before;
    mark(run);
    found->state = state;
    shelve(found);
  }
  if (cut(run, run->units - units, state) != 0)
    units = run->units; // without memory for another record the run stays as long as it is
  run->slab = NULL;
  mark(run);
  used += run->units;
  return run;
}

// find finds a free run, first one that has pages.
static struct run *find(size_t units) {
  struct run *run = shelf_find(&dirty, units);
  return run != NULL ? run : shelf_find(&clean, units);
}

struct run *runs_take(size_t units, size_t alignment, int *zero) {
  if (units > MOST_MEMORY >> UNIT_SHIFT || alignment > MOST_MEMORY >> UNIT_SHIFT)
    return NULL;
  lock(&runs_lock);
  size_t enough = units + alignment - 1;
  struct run *run = find(enough);
  if (run == NULL) {
    drop_pages(0); // joins free runs with and without pages
    run = find(enough);
  }
  if (run != NULL) {
    if (zero != NULL)
      *zero = run->state == CLEAN;
    run = take(run, units, alignment);
  }
  unlock(&runs_lock);
  return run;
}

// give puts a run that is no longer in use on the shelf.
static void give(struct run *run) {
  used -= run->units;
  run->state = DIRTY;
  shelve(run);
  size_t kept = used / 8 > KEPT ? used / 8 : KEPT;
  if (dirty.units > kept)
    drop_pages(kept / 2);
}

void runs_give(struct run *run) {
  lock(&runs_lock);
  give(run);
  unlock(&runs_lock);
}

// lengthen takes units from the free run behind a run.
static int lengthen(struct run *run, size_t more) {
  struct run *behind = runs_next(run);
  if (behind == NULL || behind->state == USED || behind->units < more)
    return -1;
  shelf_remove(shelf_of(behind), behind);
  run->units += more;
  used += more;
  mark(run);
  behind->start += more;
  behind->units -= more;
  if (behind->units == 0) {
    forget(behind);
  } else {
    mark(behind);
    shelf_put(shelf_of(behind), behind);
  }
  return 0;
}

// shorten frees units at the end of a run.
static int shorten(struct run *run, size_t less) {
  struct run *rest = record(run->start + run->units - less, less, USED);
  if (rest == NULL)
    return -1;
  run->units -= less;
  mark(run);
  give(rest);
  return 0;
}

int runs_resize(struct run *run, size_t units) {
  int status = 0;
  lock(&runs_lock);
  if (units > run->units)
    status = lengthen(run, units - run->units);
  else if (units < run->units)
    status = shorten(run, run->units - units);
  unlock(&runs_lock);
  return status;
}
