// The sides of the patterns in C. A side walks over n cells while another thread walks over them.

#ifndef GOACP_LITMUS_H
#define GOACP_LITMUS_H

#include <stddef.h>
#include <stdint.h>

// Words of two threads in cache lines of their own, and what they have seen.
struct litmus_cell {
  uint64_t word[2][8];
  uint64_t seen[2];
  uint64_t unused[6];
};

// How one thread stores its word and then loads that of the other thread.
enum {
  LITMUS_FENCE,    // channel.c, couple_near.c, readers.c: a fence between a release store and a load
  LITMUS_SEQ_CST,  // sync.c, area.c: both are sequentially consistent
  LITMUS_EXCHANGE, // calls.c: an exchange in place of the store
  LITMUS_COMPARE,  // slots.c: a compare-and-swap in place of the store
  LITMUS_COUNT,    // goacp_count_in of direct.h: an addition, and an acquire load behind the look at the epoch
  LITMUS_STORES,   // the number of these
  LITMUS_MARK = LITMUS_STORES, // goacp_begin_visit of readers.h: nothing that the processor sees
  LITMUS_MEMBARRIER,           // goacp_await_readers: the kernel makes the other thread pass a barrier
};

// Nonzero if the sides lack what keeps their order.
extern const int litmus_without_fences;

// Stores 1 to the word of a side, and notes what is in the word of the other side.
void litmus_store_load(int how, struct litmus_cell *cells, size_t n, int side);

// Returns 0 if the kernel offers no barrier for LITMUS_MEMBARRIER.
int litmus_prepare_membarrier(void);

// Stores data to word 0 and then a flag to word 1, by goacp_move.
void litmus_send(struct litmus_cell *cells, size_t n);

// The same with an exchange in between, as PARMCI_Lock publishes the holder of a mutex.
void litmus_send_holder(struct litmus_cell *cells, size_t n);

// Loads the flag by goacp_move and then the data. Both are noted.
void litmus_receive(struct litmus_cell *cells, size_t n);

struct goacp_regions;

// Returns the bytes of a table with one region.
size_t litmus_table_size(void);

// Begins a table whose only region has this position.
void litmus_begin_table(struct goacp_regions *r, uint64_t position);

// The words of a table that change: its sequence number, and position, size and address of the region.
uint32_t *litmus_sequence(struct goacp_regions *r);
uint64_t *litmus_region(struct goacp_regions *r);

// Changes size and address of the region n times, both to the same number.
void litmus_change(struct goacp_regions *r, uint64_t n);

// Looks the region up n times by goacp_region_at. Returns how often size and address differ. *found is how often there
// is a region.
uint64_t litmus_look(const struct goacp_regions *r, uint64_t position, uint64_t n, uint64_t *found);

// Increments *count n times under a lock, as submission.c locks.
void litmus_increment(uint32_t *lock, uint64_t *count, uint64_t n);

#endif
