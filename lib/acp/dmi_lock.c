//go:build !mpi

// Mutexes and spin locks of DMI whose bytes lie on this host: C locks one that is free, and unlocks one for which no thread
// waits. A call into Go takes longer than either. Go does everything else, and finds the page the first time.
//
// Mirrors lockMutex, unlockMutex, tryLock and unlockSpin of internal/system/dmi/object.
//
// docs/performance.md measures it as "lock and unlock of a free mutex".

#include "_cgo_export.h"
#include "bind.h"
#include "dmi_bind.h"
#include "dmi_near.h"

#include <string.h>

static uint32_t word(const unsigned char *lock, int at) {
  uint32_t w;
  memcpy(&w, lock + at, sizeof w);
  return w;
}

static void set_word(unsigned char *lock, int at, uint32_t w) { memcpy(lock + at, &w, sizeof w); }

// Begins to use the lock of a kind at an address, for a thread. Returns NULL if it is not there, or if Go has to use it.
static unsigned char *begin(const struct goacp_dmi_found *f, int64_t addr, uint32_t kind, int self) {
  if (self < 0 || !goacp_dmi_has(f, addr, GOACP_DMI_LOCK_BYTES) || !goacp_dmi_begin_change(f))
    return NULL;
  unsigned char *lock = goacp_dmi_at(f, addr);
  if (word(lock, 0) == GOACP_DMI_MARK_BASE + kind)
    return lock;
  goacp_dmi_end_change(f);
  return NULL;
}

// Locks a lock that is free. Returns whether it has.
static int lock_here(const struct goacp_dmi_found *f, int64_t addr, uint32_t kind, int self) {
  unsigned char *lock = begin(f, addr, kind, self);
  if (lock == NULL)
    return 0;
  const int free = lock[GOACP_DMI_LOCKED_AT] == 0;
  if (free) {
    lock[GOACP_DMI_LOCKED_AT] = 1;
    set_word(lock, GOACP_DMI_OWNER_AT, (uint32_t)f->member);
    set_word(lock, GOACP_DMI_OWNER_AT + 4, (uint32_t)self);
  }
  goacp_dmi_end_change(f);
  return free;
}

// Unlocks a lock of the thread for which no thread waits. Returns whether it has.
static int unlock_here(const struct goacp_dmi_found *f, int64_t addr, uint32_t kind, int self) {
  unsigned char *lock = begin(f, addr, kind, self);
  if (lock == NULL)
    return 0;
  const int may = lock[GOACP_DMI_LOCKED_AT] != 0 && word(lock, GOACP_DMI_OWNER_AT) == (uint32_t)f->member &&
                  word(lock, GOACP_DMI_OWNER_AT + 4) == (uint32_t)self && word(lock, GOACP_DMI_QUEUED_AT) == 0;
  if (may)
    lock[GOACP_DMI_LOCKED_AT] = 0;
  goacp_dmi_end_change(f);
  return may;
}

// The rest in Go, which may wait for another thread.
#define WAIT_BY_GO(act, self, addr, f) (goacp_dmi_begin_wait(), GO_ENTERED(dmi_lock, act, self, addr, f))

int goacp_dmi_near_mutex_lock(int self, int64_t addr) {
  struct goacp_dmi_found *f = goacp_dmi_place(NULL, addr);
  return lock_here(f, addr, GOACP_DMI_MUTEX_KIND, self) || WAIT_BY_GO(GOACP_DMI_MUTEX_LOCK, self, addr, f);
}

int goacp_dmi_near_mutex_unlock(int self, int64_t addr) {
  struct goacp_dmi_found *f = goacp_dmi_place(NULL, addr);
  return unlock_here(f, addr, GOACP_DMI_MUTEX_KIND, self) || WAIT_BY_GO(GOACP_DMI_MUTEX_UNLOCK, self, addr, f);
}

int goacp_dmi_near_spin_lock(int self, int64_t addr) {
  struct goacp_dmi_found *f = goacp_dmi_place(NULL, addr);
  return lock_here(f, addr, GOACP_DMI_SPIN_KIND, self) || WAIT_BY_GO(GOACP_DMI_SPIN_LOCK, self, addr, f);
}

int goacp_dmi_near_spin_unlock(int self, int64_t addr) {
  struct goacp_dmi_found *f = goacp_dmi_place(NULL, addr);
  return unlock_here(f, addr, GOACP_DMI_SPIN_KIND, self) || GO_ENTERED(dmi_lock, GOACP_DMI_SPIN_UNLOCK, self, addr, f);
}

// Tries to lock a lock that may be free. Go reports whether it is not.
static int try_lock(int spins, uint32_t kind, int self, int64_t addr, int32_t *flag) {
  struct goacp_dmi_found *f = goacp_dmi_place(NULL, addr);
  if (flag == NULL || !lock_here(f, addr, kind, self))
    return GO_ENTERED(dmi_trylock, spins, self, addr, flag, f);
  *flag = 1;
  return 1;
}

int goacp_dmi_near_mutex_trylock(int self, int64_t addr, int32_t *flag) {
  return try_lock(0, GOACP_DMI_MUTEX_KIND, self, addr, flag);
}

int goacp_dmi_near_spin_trylock(int self, int64_t addr, int32_t *flag) {
  return try_lock(1, GOACP_DMI_SPIN_KIND, self, addr, flag);
}
