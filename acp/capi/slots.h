// Slots of sets, multisets and maps in mapped memory. Mirrors internal/hashed: struct goacp_table is
// table, goacp_find_slot is open (table.go) with Tables.check (tables.go) and Place (place.go),
// goacp_hold and goacp_let_go are table.hold and slot.release (lock.go), goacp_search is table.search
// (chain.go), goacp_key_size is Kind.sizes, and goacp_key_head is Kind.headSize (layout.go).

#ifndef GOACP_SLOTS_H
#define GOACP_SLOTS_H

#include "bind.h"

// A table, at the address that the directory gives.
struct goacp_table {
  int kind;
  struct goacp_heap heap; // of its rank
  struct goacp_slot *slots;
  struct goacp_mark *mark;
  struct goacp_mark want; // what the mark says as long as the table is there
  uint64_t rank;          // whose memory it is
};

// The slot of a key.
struct goacp_key_slot {
  struct goacp_table table;
  uint64_t index, number; // of the table and of the slot
  struct goacp_slot *slot;
};

// An element of a slot. Its key and its value lie behind each other.
struct goacp_found {
  acp_ga_t ga; // ACP_GA_NULL if there is none
  struct goacp_node *node;
  char *value;
  uint64_t room; // bytes of the value
};

// Bytes of an element before its key.
static inline uint64_t goacp_key_head(int kind) {
  return kind == GOACP_SET ? GOACP_SET_ELEMENT_HEAD : GOACP_ELEMENT_HEAD;
}

// goacp_find_slot finds the slot of a key of size bytes. Returns 0 if the table is not there or not
// mapped.
int goacp_find_slot(const struct goacp_direct *d, int kind, const struct goacp_tables *t,
                    const void *key, uint64_t size, struct goacp_key_slot *spot)
    __attribute__((visibility("hidden")));

// goacp_hold takes the lock of the slot. Returns 0 if the lock is taken or the table is gone.
int goacp_hold(struct goacp_key_slot *spot) __attribute__((visibility("hidden")));

static inline void goacp_let_go(struct goacp_key_slot *spot) {
  __atomic_store_n(&spot->slot->lock, 0, __ATOMIC_RELEASE);
}

// goacp_search looks for the key in the slot, whose lock the caller holds. Returns 0 if a link is wrong.
int goacp_search(const struct goacp_key_slot *spot, const void *key, uint64_t size,
                 struct goacp_found *found) __attribute__((visibility("hidden")));

// goacp_count_key counts an operation on a key that has moved n bytes, if this process counts.
void goacp_count_key(const struct goacp_direct *d, const struct goacp_key_slot *spot, uint64_t n)
    __attribute__((visibility("hidden")));

#endif
