//go:build !mpi

// Short accesses of DMI to pages whose bytes lie on this host. The call into Go took longer than the access. Go makes
// all other accesses, and finds the page the first time. Each thread keeps the pages that it has used last.
//
// Mirrors near.read and near.change of internal/system/dmi/node/record.go, and the operations of change.go there.
//
// docs/performance.md measures it as "one host: read 8 B of another process", "write 8 B" and "fetch and add".

#include "_cgo_export.h"
#include "bind.h"
#include "dmi_bind.h"
#include "dmi_near.h"

#include <string.h>

// Bytes of the longest access. They are copied to or from the memory of the program without a lock: that memory may
// not be there, or take long to come. A program whose accesses are no longer keeps the monitor of the runtime of Go asleep: see dmi_barrier.c.
enum { LONGEST = 16384 };

// The lowest address of memory. Go returns an error for a lower one.
enum { LOWEST = 4096 };

// Whether an access to some bytes may be made here if the lock of the page can be taken.
static inline int fits(const struct goacp_dmi_found *f, int64_t addr, int64_t size, const void *memory) {
  return (uintptr_t)memory >= LOWEST && size <= LONGEST && goacp_dmi_has(f, addr, size);
}

static int is_change(int8_t mode) { return mode == GOACP_DMI_PUT || mode == GOACP_DMI_EXCLUSIVE; }

static int read_here(const struct goacp_dmi_found *f, int64_t addr, int64_t size, void *in) {
  unsigned char bytes[LONGEST];
  if (!goacp_rwmutex_try_read(&f->record->lock))
    return 0;
  const int may = goacp_dmi_usable(f, GOACP_DMI_FLAG_SHUT);
  if (may)
    memcpy(bytes, goacp_dmi_at(f, addr), (size_t)size);
  goacp_rwmutex_end_read(&f->record->lock);
  if (may)
    memcpy(in, bytes, (size_t)size);
  return may;
}

int goacp_dmi_near_read(int64_t addr, int64_t size, void *in, int8_t mode, void *status) {
  struct goacp_dmi_found *f = goacp_dmi_place(status, addr);
  if (fits(f, addr, size, in) && mode >= GOACP_DMI_GET && mode <= GOACP_DMI_UPDATE && read_here(f, addr, size, in))
    return 1;
  return GO_ENTERED(dmi_read, addr, size, in, mode, status, f);
}

static int write_here(const struct goacp_dmi_found *f, int64_t addr, int64_t size, const void *out) {
  unsigned char bytes[LONGEST];
  memcpy(bytes, out, (size_t)size);
  if (!goacp_dmi_begin_change(f))
    return 0;
  memcpy(goacp_dmi_at(f, addr), bytes, (size_t)size);
  goacp_dmi_end_change(f);
  return 1;
}

int goacp_dmi_near_write(int64_t addr, int64_t size, void *out, int8_t mode, void *status) {
  struct goacp_dmi_found *f = goacp_dmi_place(status, addr);
  if (fits(f, addr, size, out) && is_change(mode) && write_here(f, addr, size, out))
    return 1;
  return GO_ENTERED(dmi_write, addr, size, out, mode, status, f);
}

int goacp_dmi_near_fad(int64_t addr, int64_t add, int64_t *fetched, int8_t mode, void *status) {
  struct goacp_dmi_found *f = goacp_dmi_place(status, addr);
  if (fits(f, addr, sizeof add, fetched) && is_change(mode) && goacp_dmi_begin_change(f)) {
    int64_t before, after;
    memcpy(&before, goacp_dmi_at(f, addr), sizeof before);
    after = (int64_t)((uint64_t)before + (uint64_t)add);
    memcpy(goacp_dmi_at(f, addr), &after, sizeof after);
    goacp_dmi_end_change(f);
    *fetched = before;
    return 1;
  }
  return GO_ENTERED(dmi_fad, addr, add, fetched, mode, status, f);
}
