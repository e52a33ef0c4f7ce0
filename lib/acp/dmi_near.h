// Pages of DMI whose bytes lie on this host, and which the calling thread has used: C accesses them under the lock of their
// record. Mirrors near.judge of internal/system/dmi/node/record.go.

#ifndef GOACP_DMI_NEAR_H
#define GOACP_DMI_NEAR_H

#include "dmi_found.h"
#include "rwmutex.h"

#include <stddef.h>
#include <stdint.h>

// The place in which the page of an address is kept, for an access that has no status; NULL for others. It may have another page
// at the moment.
static inline struct goacp_dmi_found *goacp_dmi_place(const void *status, int64_t addr) {
  struct goacp_dmi_found *all = status == NULL ? goacp_dmi_found() : NULL;
  // The multiplication is Fibonacci hashing. The low bits of the addresses of pages are alike.
  return all == NULL ? NULL : &all[(uint64_t)addr / 8 * 0x9e3779b97f4a7c15u >> (64 - GOACP_DMI_FOUND_BITS)];
}

// Whether a place has the page of some bytes.
static inline int goacp_dmi_has(const struct goacp_dmi_found *f, int64_t addr, int64_t size) {
  return f != NULL && size > 0 && addr >= f->begin && addr <= f->end - size;
}

// Whether the page is still that of the record, and may be accessed. The caller holds the lock.
static inline int goacp_dmi_usable(const struct goacp_dmi_found *f, uint32_t keep_out) {
  return f->record->generation == f->generation && (f->record->flags & keep_out) == 0;
}

// The bytes at an address in a page.
static inline unsigned char *goacp_dmi_at(const struct goacp_dmi_found *f, int64_t addr) {
  return (unsigned char *)f->bytes + (addr - f->begin);
}

// Locks a page for a change. Returns whether it has.
static inline int goacp_dmi_begin_change(const struct goacp_dmi_found *f) {
  if (!goacp_rwmutex_try_write(&f->record->lock))
    return 0;
  if (goacp_dmi_usable(f, GOACP_DMI_FLAG_GUARDED | GOACP_DMI_FLAG_SHUT))
    return 1;
  goacp_rwmutex_end_write(&f->record->lock);
  return 0;
}

static inline void goacp_dmi_end_change(const struct goacp_dmi_found *f) { goacp_rwmutex_end_write(&f->record->lock); }

#endif
