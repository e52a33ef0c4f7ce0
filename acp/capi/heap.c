// Allocates and frees small blocks where a span of their class is open and stays so, as
// package heap does it. Making spans and giving them away, waiting for the lock, large
// blocks and mistakes are Go's, and so are books that contradict themselves: all processes
// of the host can write there.

#include "heap.h"
#include "direct.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
  SPAN_SHIFT = 16,
  SPAN = 1 << SPAN_SHIFT,
  LARGEST = SPAN / 2, // small block
  CLASSES = 40,
  SMALL = 3, // kind of a span that is cut into blocks
  WORDS = SPAN / 16 / 64,
};

// The books lie behind the heap, the spans behind the books.
struct books {
  uint32_t lock; // 0 free, 1 taken, 2 taken and somebody sleeps
  char reserved[60];
  uint32_t top;
  uint32_t free;
  uint32_t open[CLASSES]; // first span with a free block, counted from 1
  uint64_t blocks;        // in use
  uint64_t bytes;
  uint64_t taken, granted; // spans in use, and how many may be; Go's
};

struct span {
  uint32_t kind;
  uint32_t class;
  uint32_t length;
  uint32_t used; // blocks
  uint32_t next, prev;
  uint32_t hint; // no free block below this word
  uint32_t reserved;
  uint64_t in_use[WORDS];
};

// The class of blocks of n bytes, 0 < n <= LARGEST: steps of 16 up to 128, then four for
// each doubling.
static inline uint32_t class_of(uint32_t n) {
  if (n <= 128)
    return (n + 15) / 16 - 1;
  uint32_t k = 31 - (uint32_t)__builtin_clz(n - 1);
  return 8 + 4 * (k - 7) + ((n - 1) >> (k - 2) & 3);
}

static inline uint32_t class_size(uint32_t c) {
  if (c < 8)
    return (c + 1) * 16;
  return (4 + (c - 8) % 4 + 1) << (5 + (c - 8) / 4);
}

// The books of a rank's heap with their lock held, or NULL. *spans of them are mapped.
static struct books *take(const struct goacp_peer *peer, uint64_t *spans) {
  *spans = __atomic_load_n(&peer->heaplen, __ATOMIC_ACQUIRE) >> SPAN_SHIFT;
  if (__atomic_load_n(&peer->base, __ATOMIC_ACQUIRE) == 0)
    return NULL;
  struct books *b = (struct books *)__atomic_load_n(&peer->books, __ATOMIC_RELAXED);
  uint32_t free = 0;
  return __atomic_compare_exchange_n(&b->lock, &free, 1, 0, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED)
             ? b
             : NULL;
}

static void drop(struct books *b) {
  if (__atomic_exchange_n(&b->lock, 0, __ATOMIC_RELEASE) == 2)
    syscall(SYS_futex, &b->lock, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

// Span n of as many, counted from 1, or NULL if there is none.
static inline struct span *span_at(struct books *b, uint64_t spans, uint64_t n) {
  return n - 1 < spans ? (struct span *)(b + 1) + (n - 1) : NULL;
}

static const struct goacp_peer *peer_of(const struct goacp_direct *t, uint64_t rank) {
  return t != NULL && rank < __atomic_load_n(&t->procs, __ATOMIC_RELAXED) ? &t->peers[rank]
                                                                         : NULL;
}

// Marks a free block of a span with several and returns its number, or -1.
static int mark(struct span *s, uint32_t blocks) {
  for (uint32_t w = s->hint; w < WORDS; w++) {
    if (s->in_use[w] == UINT64_MAX)
      continue;
    uint32_t bit = (uint32_t)__builtin_ctzll(~s->in_use[w]);
    if (w * 64 + bit >= blocks)
      return -1;
    s->in_use[w] |= (uint64_t)1 << bit;
    s->hint = w;
    s->used++;
    return (int)(w * 64 + bit);
  }
  return -1;
}

acp_ga_t goacp_malloc_here(size_t n, int rank) {
  const struct goacp_peer *peer = peer_of(goacp_direct(), (uint64_t)rank);
  struct books *b;
  uint64_t spans;
  if (peer == NULL || n > LARGEST || (b = take(peer, &spans)) == NULL)
    return ACP_GA_NULL;
  uint32_t class = class_of(n == 0 ? 1 : (uint32_t)n), size = class_size(class);
  uint32_t number = b->open[class];
  struct span *s = span_at(b, spans, number);
  acp_ga_t ga = ACP_GA_NULL;
  if (s != NULL && s->kind == SMALL && s->class == class) {
    int i = s->used + 1 < SPAN / size ? mark(s, SPAN / size) : -1;
    if (i >= 0) {
      b->blocks++;
      b->bytes += size;
      ga = ((uint64_t)rank << GOACP_RANK_SHIFT) + goacp_heap_position(peer) +
           ((uint64_t)(number - 1) << SPAN_SHIFT) + (uint64_t)i * size;
    }
  }
  drop(b);
  return ga;
}

// Takes the mark of the block off bytes behind the beginning of a span away. Returns 0 if
// there is none, or if the span has to be moved to another list.
static int unmark(struct books *b, struct span *s, uint32_t off) {
  uint32_t class = s != NULL && s->kind == SMALL ? s->class : CLASSES;
  if (class >= CLASSES)
    return 0;
  uint32_t size = class_size(class), blocks = SPAN / size, i = off / size;
  uint64_t bit = (uint64_t)1 << i % 64;
  int only = s->next == 0 && s->prev == 0;
  if (off % size != 0 || i >= blocks || (s->in_use[i / 64] & bit) == 0 ||
      s->used == 0 || s->used >= blocks || (s->used == 1 && !only))
    return 0;
  s->in_use[i / 64] &= ~bit;
  if (i / 64 < s->hint)
    s->hint = i / 64;
  s->used--;
  b->blocks--;
  b->bytes -= size;
  return 1;
}

int goacp_free_here(acp_ga_t ga) {
  const struct goacp_peer *peer = peer_of(goacp_direct(), ga >> GOACP_RANK_SHIFT);
  if (peer == NULL)
    return 0;
  uint64_t pos = ga & (((uint64_t)1 << GOACP_RANK_SHIFT) - 1);
  uint64_t off = pos - goacp_heap_position(peer), spans;
  struct books *b = take(peer, &spans);
  if (b == NULL)
    return 0;
  int freed = unmark(b, span_at(b, spans, (off >> SPAN_SHIFT) + 1), (uint32_t)off % SPAN);
  drop(b);
  return freed;
}
