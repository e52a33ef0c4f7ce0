// How a thread of this process uses registered memory of this process without a call into Go: as a
// reader of read-copy-update. The thread that unregisters memory takes it out of the table first.
// Then it waits until every thread is done that may have seen it there.
//
// A thread marks itself by plain stores in a record of its own. To see these stores in time, the
// waiting side makes all threads pass a memory barrier (membarrier(2)). If the kernel does not
// offer that, the threads count themselves by atomic instructions in the header of the table, as
// peers do, and as Go always does (Space.Enter and Leave of internal/memory/segment).

#ifndef GOACP_READERS_H
#define GOACP_READERS_H

#include "atomics.h"
#include "direct.h"

// The record of a thread.
struct goacp_reader {
  uint32_t visits; // odd while the thread uses registered memory
  uint32_t taken;  // by a thread that has not ended
  struct goacp_reader *next;
};

// The record of the calling thread; NULL if it has none.
extern _Thread_local struct goacp_reader *goacp_reader
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

// goacp_new_reader gives the calling thread a record. Returns NULL if that fails.
struct goacp_reader *goacp_new_reader(void)
    __attribute__((visibility("hidden"), cold));

// goacp_await_readers waits until every thread is done that may use memory which was in the
// table of registered memory before.
void goacp_await_readers(void) __attribute__((visibility("hidden")));

// A use of registered memory by the calling thread.
struct goacp_visit {
  struct goacp_reader *reader;   // NULL if it is counted in the table
  struct goacp_regions *regions; // NULL if it is not
  uint32_t epoch;
};

// Begins a use of registered memory of this process, before the thread looks the address up.
static inline struct goacp_visit goacp_begin_visit(const struct goacp_direct *t) {
  struct goacp_visit v = {goacp_reader, NULL, 0};
  if (__builtin_expect(v.reader == NULL, 0))
    v.reader = goacp_new_reader();
  if (__builtin_expect(v.reader == NULL, 0)) {
    v.regions = goacp_load_acquire(&t->regions);
    v.epoch = goacp_count_in(v.regions);
    return v;
  }
  goacp_store_relaxed(&v.reader->visits, v.reader->visits + 1);
  __atomic_signal_fence(__ATOMIC_SEQ_CST); // goacp_await_readers provides the rest of the order
  return v;
}

// Ends it, after the last use of the address.
static inline void goacp_end_visit(struct goacp_visit v) {
  if (__builtin_expect(v.regions != NULL, 0))
    goacp_count_out(v.regions, v.epoch);
  else
    goacp_store_release(&v.reader->visits, v.reader->visits + 1);
}

#endif
