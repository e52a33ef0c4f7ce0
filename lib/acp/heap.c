// Allocates and frees small blocks if a span of their class has free blocks before and after. Go makes and frees
// spans, waits for the lock, allocates large blocks and reports errors. Go also handles inconsistent metadata: all
// processes of the host can write there.
//
// Mirrors internal/memory/heap: goacp_try_block is Heap.allocSmall and mark is span.take,
// goacp_try_free and unmark are Heap.Free and freeSmall (heap.go), class_of and class_size are classOf and classSize
// (classes.go).
//
// docs/performance.md measures it as "one host: malloc and free of 64 B".

#include "heap.h"
#include "atomics.h"
#include "direct.h"
#include "futex.h"

// The class of blocks of n bytes, 0 < n <= GOACP_LARGE_SIZE.
static inline uint32_t class_of(uint32_t n) {
  if (n <= GOACP_FINE_SIZE)
    return (n + GOACP_ALIGNMENT - 1) / GOACP_ALIGNMENT - 1;
  uint32_t k = 31 - (uint32_t)__builtin_clz(n - 1);
  return GOACP_FINE_CLASSES + 4 * (k - GOACP_FINE_BITS) + ((n - 1) >> (k - 2) & 3);
}

static inline uint32_t class_size(uint32_t c) {
  if (c < GOACP_FINE_CLASSES)
    return (c + 1) * GOACP_ALIGNMENT;
  c -= GOACP_FINE_CLASSES;
  return (4 + c % 4 + 1) << (GOACP_FINE_BITS - 2 + c / 4);
}

// The metadata of a rank's heap with its lock held, or NULL. *spans becomes the number of mapped spans.
static struct goacp_heap_metadata *take(const struct goacp_peer *peer, uint64_t *spans) {
  *spans = goacp_load_acquire(&peer->heap_len) >> GOACP_SPAN_SHIFT;
  if (goacp_load_acquire(&peer->base) == NULL)
    return NULL;
  struct goacp_heap_metadata *b = goacp_load_relaxed(&peer->metadata);
  return goacp_mutex_try_lock(&b->lock) ? b : NULL;
}

// Span n of spans, counted from 1, or NULL if there is none.
static inline struct goacp_span *span_at(struct goacp_heap_metadata *b, uint64_t spans, uint64_t n) {
  return n - 1 < spans ? (struct goacp_span *)(b + 1) + (n - 1) : NULL;
}

static const struct goacp_peer *peer_of(const struct goacp_direct *t, uint64_t rank) {
  return t != NULL && rank < goacp_load_relaxed(&t->procs) ? &t->peers[rank]
                                                                         : NULL;
}

// Marks a free block of a span with several and returns its number, or -1.
static int mark(struct goacp_span *s, uint32_t blocks) {
  for (uint32_t w = s->hint; w < GOACP_MAP_WORDS; w++) {
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

acp_ga_t goacp_try_block(size_t n, int rank, void **block) {
  const struct goacp_peer *peer = peer_of(goacp_direct(), (uint64_t)rank);
  struct goacp_heap_metadata *b;
  uint64_t spans;
  if (peer == NULL || n > GOACP_LARGE_SIZE || (b = take(peer, &spans)) == NULL)
    return ACP_GA_NULL;
  uint32_t class = class_of(n == 0 ? 1 : (uint32_t)n), size = class_size(class);
  uint32_t number = b->open[class];
  struct goacp_span *s = span_at(b, spans, number);
  acp_ga_t ga = ACP_GA_NULL;
  if (s != NULL && s->kind == GOACP_SPAN_SMALL && s->class == class) {
    int i = s->used + 1 < GOACP_SPAN_SIZE / size ? mark(s, GOACP_SPAN_SIZE / size) : -1;
    if (i >= 0) {
      b->blocks++;
      b->bytes += size;
      uint64_t pos = goacp_heap_position(peer) + ((uint64_t)(number - 1) << GOACP_SPAN_SHIFT) +
                     (uint64_t)i * size;
      *block = goacp_load_acquire(&peer->base) + pos;
      ga = ((uint64_t)rank << GOACP_POSITION_BITS) + pos;
    }
  }
  goacp_mutex_unlock(&b->lock);
  return ga;
}

acp_ga_t goacp_try_malloc(size_t n, int rank) {
  void *block;
  return goacp_try_block(n, rank, &block);
}

// Removes the mark of the block that begins off bytes into a span. Returns 0 if there is none, or
// if the span has to move to another list.
static int unmark(struct goacp_heap_metadata *b, struct goacp_span *s, uint32_t off) {
  uint32_t class = s != NULL && s->kind == GOACP_SPAN_SMALL ? s->class : GOACP_CLASS_COUNT;
  if (class >= GOACP_CLASS_COUNT)
    return 0;
  uint32_t size = class_size(class), blocks = GOACP_SPAN_SIZE / size, i = off / size;
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

int goacp_try_free(acp_ga_t ga) {
  const struct goacp_peer *peer = peer_of(goacp_direct(), goacp_rank_of(ga));
  if (peer == NULL)
    return 0;
  uint64_t off = goacp_position_of(ga) - goacp_heap_position(peer), spans;
  struct goacp_heap_metadata *b = take(peer, &spans);
  if (b == NULL)
    return 0;
  struct goacp_span *s = span_at(b, spans, (off >> GOACP_SPAN_SHIFT) + 1);
  int freed = unmark(b, s, (uint32_t)off % GOACP_SPAN_SIZE);
  goacp_mutex_unlock(&b->lock);
  return freed;
}
