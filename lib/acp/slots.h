// Slots of sets, multisets and maps in mapped memory. Mirrors internal/structure/hashed: struct goacp_table is
// table, goacp_place is Tables.check (tables.go) with SlotOf (slotof.go), goacp_open_table is open
// (table.go), goacp_hold and goacp_let_go are table.hold and slot.release (lock.go), goacp_search is
// table.search (chain.go), goacp_key_size is Kind.sizes, and goacp_key_head is Kind.headSize (layout.go).

#ifndef GOACP_SLOTS_H
#define GOACP_SLOTS_H

#include "atomics.h"
#include "bind.h"

// A table, at the address that the directory gives.
struct goacp_table {
  int kind;
  struct goacp_heap heap; // of its rank
  struct goacp_slot *slots;
  struct goacp_mark *mark;
  struct goacp_mark want; // the mark while the table exists
  uint64_t rank;          // whose memory it is
};

// Where a key belongs: the numbers of the table and of the slot.
struct goacp_key_place {
  uint32_t table, slot;
};

// The slot of a key.
struct goacp_key_slot {
  const struct goacp_table *table;
  struct goacp_key_place at;
  struct goacp_slot *slot;
};

// An element of a slot. Its value follows its key.
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

// goacp_place returns the place of a key of size bytes, or GOACP_NO_TABLE if the key is empty or t
// is not a valid structure.
#define GOACP_NO_TABLE UINT32_MAX
struct goacp_key_place goacp_place(const struct goacp_tables *t, const void *key, uint64_t size)
    __attribute__((visibility("hidden")));

// goacp_open_table finds table i of t. Returns 0 if it is not there or not mapped.
int goacp_open_table(const struct goacp_direct *d, int kind, const struct goacp_tables *t, uint32_t i,
                     struct goacp_table *found) __attribute__((visibility("hidden")));

// The slot at a place of its table.
static inline struct goacp_key_slot goacp_slot_at(const struct goacp_table *table, struct goacp_key_place at) {
  return (struct goacp_key_slot){table, at, &table->slots[at.slot]};
}

// goacp_hold takes the lock of a slot of t. Returns 0 if the lock is taken or the table is gone.
int goacp_hold(const struct goacp_table *t, struct goacp_slot *s) __attribute__((visibility("hidden")));

static inline void goacp_let_go(const struct goacp_key_slot *spot) {
  goacp_store_release(&spot->slot->lock, 0);
}

// goacp_search searches for the key in a slot of t, whose lock the caller holds. Returns 0 if a
// link is wrong.
int goacp_search(const struct goacp_table *t, const struct goacp_slot *s, const void *key, uint64_t size,
                 struct goacp_found *found) __attribute__((visibility("hidden")));

#endif
