// Hints and fences for memory that other threads use.

#ifndef GOACP_ATOMICS_H
#define GOACP_ATOMICS_H

// The hint to the processor that this thread spins.
static inline void goacp_pause(void) {
#if defined __x86_64__
  __builtin_ia32_pause();
#elif defined __aarch64__
  __asm__ volatile("yield");
#endif
}

#endif
