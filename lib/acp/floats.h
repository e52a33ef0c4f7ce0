// The floating-point environment of a thread of the program: the exceptions that trap, and the
// flags of raised exceptions. A program may enable traps by feenableexcept or -ffpe-trap. The
// library computes with values that may be infinite, signalling NaNs or too large for a smaller
// type. So it disables traps during its arithmetic, and restores the flags of the program when it
// returns. It does not change the rounding direction of the program.
//
// The x87 is not concerned: nothing in the library computes by it.

#ifndef GOACP_FLOATS_H
#define GOACP_FLOATS_H

#include <stdint.h>

#if defined __x86_64__

// Bits of the MXCSR: an exception whose bit is set does not trap.
enum { GOACP_NO_TRAPS = 0x1f80 };

struct goacp_floats {
  uint32_t mxcsr;
};

static inline struct goacp_floats goacp_floats_now(void) {
  struct goacp_floats now;
  __asm__ volatile("stmxcsr %0" : "=m"(now.mxcsr) : : "memory");
  return now;
}

static inline void goacp_set_floats(struct goacp_floats f) {
  __asm__ volatile("ldmxcsr %0" : : "m"(f.mxcsr) : "memory");
}

static inline int goacp_floats_trap(const struct goacp_floats *f) {
  return (f->mxcsr & GOACP_NO_TRAPS) != GOACP_NO_TRAPS;
}

static inline struct goacp_floats goacp_without_traps(struct goacp_floats f) {
  f.mxcsr |= GOACP_NO_TRAPS;
  return f;
}

static inline int goacp_same_floats(const struct goacp_floats *f, const struct goacp_floats *g) {
  return f->mxcsr == g->mxcsr;
}

#elif defined __aarch64__

// Bits of the FPCR: an exception whose bit is set traps, if the processor can do that.
enum { GOACP_TRAPS = 0x9f00 };

struct goacp_floats {
  uint64_t fpcr, fpsr;
};

static inline struct goacp_floats goacp_floats_now(void) {
  struct goacp_floats now;
  __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(now.fpcr), "=r"(now.fpsr) : : "memory");
  return now;
}

static inline void goacp_set_floats(struct goacp_floats f) {
  __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" : : "r"(f.fpcr), "r"(f.fpsr) : "memory");
}

static inline int goacp_floats_trap(const struct goacp_floats *f) { return (f->fpcr & GOACP_TRAPS) != 0; }

static inline struct goacp_floats goacp_without_traps(struct goacp_floats f) {
  f.fpcr &= ~(uint64_t)GOACP_TRAPS;
  return f;
}

static inline int goacp_same_floats(const struct goacp_floats *f, const struct goacp_floats *g) {
  return f->fpcr == g->fpcr && f->fpsr == g->fpsr;
}

#else // the environment does not change

struct goacp_floats {
  char none;
};

static inline struct goacp_floats goacp_floats_now(void) { return (struct goacp_floats){0}; }
static inline void goacp_set_floats(struct goacp_floats f) { (void)f; }
static inline int goacp_floats_trap(const struct goacp_floats *f) { return f->none; }
static inline struct goacp_floats goacp_without_traps(struct goacp_floats f) { return f; }
static inline int goacp_same_floats(const struct goacp_floats *f, const struct goacp_floats *g) { return f->none == g->none; }

#endif

// goacp_hold_floats lets no exception trap in the calling thread, and returns the environment of the program.
static inline struct goacp_floats goacp_hold_floats(void) {
  struct goacp_floats before = goacp_floats_now();
  if (__builtin_expect(goacp_floats_trap(&before), 0))
    goacp_set_floats(goacp_without_traps(before));
  return before;
}

// goacp_restore_floats gives the program its environment back.
static inline void goacp_restore_floats(const struct goacp_floats *before) {
  struct goacp_floats now = goacp_floats_now();
  if (!goacp_same_floats(&now, before))
    goacp_set_floats(*before);
}

// Holds the environment up to the end of the block. The block computes with values in memory that
// other code may access, as far as the compiler can see: it does not move accesses to such memory
// out of the block.
#define GOACP_HOLD_FLOATS                                                      \
  struct goacp_floats floats_ __attribute__((cleanup(goacp_restore_floats))) = goacp_hold_floats()

#endif
