// Loads, stores and fences of words that threads or processes share without a lock. The names have the order of the
// access. docs/memory.md has a row for every word, with the functions that store and load it.
//
// These words are accessed by the builtins of the compiler instead, since no other file has to agree on their order:
// static variables of one file, data of the program (acp_add4, ARMCI_Rmw), and the words of lib/hook/capi, which
// includes nothing of lib/acp.
//
// The functions are macros because a word may be an integer of any size or a pointer. Each evaluates its arguments
// once.

#ifndef GOACP_ATOMICS_H
#define GOACP_ATOMICS_H

// goacp_load_relaxed is right if only the value counts: a hint, a sum, a word that is read under its lock or that an
// earlier access orders already, or a word between the two loads of a sequence lock.
#define goacp_load_relaxed(word) __atomic_load_n(word, __ATOMIC_RELAXED)

// goacp_load_acquire is right if the caller then reads memory that was written before the word was stored with
// release.
#define goacp_load_acquire(word) __atomic_load_n(word, __ATOMIC_ACQUIRE)

// goacp_load_seq_cst is right if the caller has stored another word and must not miss a store of this one: the second
// step of two flags. The store needs seq_cst, too.
#define goacp_load_seq_cst(word) __atomic_load_n(word, __ATOMIC_SEQ_CST)

// goacp_store_relaxed is right if no reader infers from the word that other memory has been written, or if a later
// store with release or a fence orders it.
#define goacp_store_relaxed(word, value) __atomic_store_n(word, value, __ATOMIC_RELAXED)

// goacp_store_release is right if the word publishes what this thread has written or read before: a pointer, the
// number of a record, a lock that is given back.
#define goacp_store_release(word, value) __atomic_store_n(word, value, __ATOMIC_RELEASE)

// goacp_store_seq_cst is right if the caller then loads another word, whose writer does the reverse: the first step of
// two flags. It is also a release.
#define goacp_store_seq_cst(word, value) __atomic_store_n(word, value, __ATOMIC_SEQ_CST)

// goacp_fetch_add_relaxed and goacp_add_fetch_relaxed are right for sums and for numbers that only have to differ. The
// first returns the old value, the second the new one.
#define goacp_fetch_add_relaxed(word, n) __atomic_fetch_add(word, n, __ATOMIC_RELAXED)
#define goacp_add_fetch_relaxed(word, n) __atomic_add_fetch(word, n, __ATOMIC_RELAXED)

// goacp_fetch_add_release and goacp_fetch_sub_release are right for a count that publishes what this thread has
// written before. They return the old value.
#define goacp_fetch_add_release(word, n) __atomic_fetch_add(word, n, __ATOMIC_RELEASE)
#define goacp_fetch_sub_release(word, n) __atomic_fetch_sub(word, n, __ATOMIC_RELEASE)

// goacp_fetch_add_seq_cst and goacp_fetch_sub_seq_cst are right for a count that is the first step of two flags, and
// for one whose readers use what all that have changed it wrote before. They return the old value.
#define goacp_fetch_add_seq_cst(word, n) __atomic_fetch_add(word, n, __ATOMIC_SEQ_CST)
#define goacp_fetch_sub_seq_cst(word, n) __atomic_fetch_sub(word, n, __ATOMIC_SEQ_CST)

// goacp_add_fetch_seq_cst is goacp_fetch_add_seq_cst, but returns the new value.
#define goacp_add_fetch_seq_cst(word, n) __atomic_add_fetch(word, n, __ATOMIC_SEQ_CST)

// goacp_exchange_acquire is right to take a lock. Returns the old value.
#define goacp_exchange_acquire(word, value) __atomic_exchange_n(word, value, __ATOMIC_ACQUIRE)

// goacp_exchange_release is right to give a lock back and to find whether a thread sleeps at it. Returns the old value.
#define goacp_exchange_release(word, value) __atomic_exchange_n(word, value, __ATOMIC_RELEASE)

// goacp_exchange_acq_rel is right if the exchange passes an object on: it publishes the new one, and the caller reads
// the old one. Returns the old value.
#define goacp_exchange_acq_rel(word, value) __atomic_exchange_n(word, value, __ATOMIC_ACQ_REL)

// goacp_exchange_seq_cst is right if the exchange is a step of two flags as well, such as one that publishes an object
// and finds that the other side sleeps. Returns the old value.
#define goacp_exchange_seq_cst(word, value) __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST)

// The compare-and-swaps store value if the word equals *expected. Otherwise they store the word in *expected, by a
// relaxed load. They return whether they have swapped, and do not fail for other reasons.
//
// goacp_compare_exchange_relaxed is right if only the winner counts, and nothing is published.
#define goacp_compare_exchange_relaxed(word, expected, value)                                                          \
  __atomic_compare_exchange_n(word, expected, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)

// goacp_compare_exchange_acquire is right to take a lock or an unused object.
#define goacp_compare_exchange_acquire(word, expected, value)                                                          \
  __atomic_compare_exchange_n(word, expected, value, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)

// goacp_compare_exchange_release is right to publish an object, or to give a lock back that another rank may have
// taken away.
#define goacp_compare_exchange_release(word, expected, value)                                                          \
  __atomic_compare_exchange_n(word, expected, value, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED)

// goacp_compare_exchange_seq_cst is right if the swap is a step of two flags as well.
#define goacp_compare_exchange_seq_cst(word, expected, value)                                                          \
  __atomic_compare_exchange_n(word, expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)

// goacp_fence_acquire is right between the relaxed loads of a sequence lock and the second load of its count.
static inline void goacp_fence_acquire(void) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }

// goacp_fence_seq_cst is right between the store and the load of two flags if one of both is not seq_cst itself.
static inline void goacp_fence_seq_cst(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

// The hint to the processor that this thread spins.
static inline void goacp_pause(void) {
#if defined __x86_64__
  __builtin_ia32_pause();
#elif defined __aarch64__
  __asm__ volatile("yield");
#endif
}

#endif
