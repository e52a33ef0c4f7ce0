// Transfers on memory of other processes that is mapped here, without a call into Go. The functions
// mirror internal/system/armci/transfer: near_at is Engine.issueStrided up to the choice between near and
// far, near_strided is nearStrided, near_vector is nearVector. They handle the usual cases and
// leave all other cases to Go, errors included.

#ifndef ARMCI_NEAR_H
#define ARMCI_NEAR_H

#include "atomics.h"
#include "internal.h"

#include "direct.h"
#include "floats.h"

// A function that has wide vector instructions where the processor has them.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

// Whether all stores of this process to another process are visible there.
static inline int near_is_idle(const struct goacp_armci_proc *p) {
  uint64_t confirmed = goacp_load_acquire(&p->confirmed); // never greater
  return confirmed == goacp_load_relaxed(&p->sent);
}

// Where n bytes of shared memory lie here, of which addr is the address in the process, or NULL if Go
// has to find them. Memory of this process may be any.
static inline char *near_at(const struct goacp_armci *t, int proc, uintptr_t addr, uint64_t n) {
  if (t == NULL || proc < 0 || (uint64_t)proc >= t->procs ||
      goacp_load_relaxed(&t->direct->procs) == 0)
    return NULL;
  if ((uint64_t)proc == t->self)
    return (char *)addr;
  const struct goacp_armci_proc *p = &t->entries[proc];
  uint64_t position = addr - p->base;
  if (!near_is_idle(p) || position >> GOACP_POSITION_BITS != 0)
    return NULL;
  return goacp_at(t->direct, p->rank << GOACP_POSITION_BITS | position, n);
}

// The shared memory of a process that is mapped here: size bytes from an address of the process on.
struct window {
  uintptr_t low;
  uint64_t size;
  char *here; // where they lie in this process
};

// Finds the heap of a process, as far as it is mapped; 0 if Go has to make the transfer. For this
// process the memory is all addresses except NULL.
static inline int near_window(const struct goacp_armci *t, int proc, struct window *w) {
  if (t == NULL || proc < 0 || (uint64_t)proc >= t->procs ||
      goacp_load_relaxed(&t->direct->procs) == 0)
    return 0;
  if ((uint64_t)proc == t->self) {
    *w = (struct window){1, INT64_MAX, (char *)1};
    return 1;
  }
  const struct goacp_armci_proc *p = &t->entries[proc];
  const struct goacp_peer *peer = &t->direct->peers[p->rank];
  uint64_t mapped = goacp_load_acquire(&peer->heap_len); // before base, as goacp_at
  char *base = goacp_load_acquire(&peer->base);
  if (base == NULL || !near_is_idle(p))
    return 0;
  uint64_t heap = goacp_heap_position(peer);
  *w = (struct window){p->base + heap, mapped, base + heap};
  return 1;
}

// Where an address of the process in a window lies here.
static inline char *near_in(const struct window *w, uintptr_t addr) { return w->here + (addr - w->low); }

// These carry a transfer out and return 1, or do nothing and return 0.
HIDDEN int goacp_armci_near_strided(const struct goacp_armci_action *action,
                                    const struct goacp_armci_strided *transfer);
HIDDEN int goacp_armci_near_vector(const struct goacp_armci_action *action,
                                   const struct goacp_armci_giov *descriptors, int n, int proc);

// Accumulates to memory of one process, under its page locks. Short parts in several pages need the
// same locks repeatedly, so it keeps several locks. It never waits for a lock while it holds one.
struct adder {
  struct goacp_armci_page_lock *locks; // mapped here
  uint64_t held[4];                    // a bit for each lock that is held
  size_t bytes;                        // accumulated since no lock was held
  int type;
  const void *scale;
};

_Static_assert(GOACP_ARMCI_LOCK_COUNT == 4 * 64, "an adder has a bit for each lock");

// The bytes of an element, and of the unit that changes at once.
HIDDEN int goacp_armci_element_size(int type);
HIDDEN int goacp_armci_component_size(int type);

// Makes an adder for a process whose memory is mapped; 0 if its locks are not.
HIDDEN int goacp_armci_adder(struct adder *a, const struct goacp_armci *t, int proc, int type,
                             const void *scale);
// Accumulates n bytes at src to dst, which has a position in the memory of the process.
HIDDEN void goacp_armci_add(struct adder *a, char *dst, uint64_t position, const char *src, size_t n);
// The properties of the addresses of segments that C checks.
struct seen {
  uint64_t least, greatest; // of their addresses in the owner
  uint64_t bits;            // that a segment has
  uint64_t missing;         // the highest bit: a segment is at NULL in this process
};

// The number of segments of one real number or integer each that are accumulated under the same
// locks.
HIDDEN int goacp_armci_most_segments(int type);
// Accumulates at most this number of segments from src to dst, which are addresses in the process
// with the window. base is the address of position 0.
HIDDEN void goacp_armci_add_each(struct adder *a, const struct window *w, uint64_t base, void **dst,
                                 void **src, int n, const struct seen *seen);
// Gives back the locks that are held.
HIDDEN void goacp_armci_adder_end(struct adder *a);

#endif
