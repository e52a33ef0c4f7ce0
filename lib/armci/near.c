// Strided and vector transfers on mapped memory.

// The compiler makes vector instructions of the loops that check segments.
#pragma GCC optimize("O3")

#include "near.h"

#include "count.h"

#include <string.h>

// A transfer in which blocks that are adjacent on both sides are merged.
struct merged {
  int64_t block;
  int levels;
  int64_t count[ARMCI_MAX_STRIDE_LEVEL];
  int64_t local[ARMCI_MAX_STRIDE_LEVEL], remote[ARMCI_MAX_STRIDE_LEVEL];
};

// The greatest offset of a block that C deals with: sums of such offsets do not overflow.
#define FARTHEST ((int64_t)1 << 47)

// Merges a transfer; 0 if it is empty, or if something about it is unusual. Mirrors Strided.Merge of
// package shape.
static int merge(struct merged *m, const struct goacp_armci_strided *s) {
  if (s->levels < 0 || s->levels > ARMCI_MAX_STRIDE_LEVEL || s->count == NULL || s->count[0] <= 0 ||
      s->local == NULL || s->remote == NULL ||
      (s->levels > 0 && (s->local_stride == NULL || s->remote_stride == NULL)))
    return 0;
  m->block = s->count[0];
  m->levels = 0;
  m->count[0] = 1; // a contiguous transfer is a row of one block
  m->local[0] = m->remote[0] = 0;
  for (int i = 0; i < s->levels; i++) {
    int64_t n = s->count[i + 1], local = s->local_stride[i], remote = s->remote_stride[i];
    int top = m->levels - 1;
    if (n <= 0)
      return 0;
    if (n == 1)
      continue;
    int too_large = 0;
    int64_t reach = 0;
    if (top < 0 && local == m->block && remote == m->block) {
      too_large = __builtin_mul_overflow(m->block, n, &m->block);
    } else if (top >= 0 && local == m->local[top] * m->count[top] &&
               remote == m->remote[top] * m->count[top]) {
      too_large = __builtin_mul_overflow(m->count[top], n, &m->count[top]);
    } else {
      m->count[m->levels] = n;
      m->local[m->levels] = local;
      m->remote[m->levels++] = remote;
    }
    top = m->levels - 1;
    if (too_large || m->block > FARTHEST ||
        (top >= 0 && (__builtin_mul_overflow(m->remote[top], m->count[top], &reach) ||
                      reach > FARTHEST || reach < -FARTHEST)))
      return 0;
  }
  return 1;
}

// The offsets of the first byte of the owner's side and of the first byte after it.
static void extent(const struct merged *m, int64_t *low, int64_t *high) {
  *low = 0;
  *high = m->block;
  for (int i = 0; i < m->levels; i++) {
    int64_t reach = m->remote[i] * (m->count[i] - 1);
    *(reach < 0 ? low : high) += reach;
  }
}

// A word at any address, which is loaded and stored by one instruction.
typedef volatile uint64_t word_anywhere __attribute__((may_alias, aligned(1)));

// Copies width bytes if they are due.
#define COPY_IF(due, width)                                                    \
  if (due) {                                                                   \
    memcpy(to, from, width);                                                   \
    to += width;                                                               \
    from += width;                                                             \
    at += width;                                                               \
    n -= width;                                                                \
  }

// Copies n bytes, which do not overlap. owner is their address on the owner's side, where each aligned word is loaded
// or stored as a whole. memcpy does not do that: it copies the ends by overlapping words, and its loads follow the
// alignment of the destination. A process that uses the memory at the same time could see torn words. Mirrors
// MoveWords of package fabric.
static inline void copy_words(char *to, const char *from, size_t n, const char *owner) {
  uintptr_t at = (uintptr_t)owner;
  uintptr_t apart = to == owner ? 0 : (uintptr_t)to - (uintptr_t)from; // any loads will do for a put
  if (((at | n | apart) & 7) == 0) {
    memcpy(to, from, n);
    return;
  }
  COPY_IF((at & 1) != 0 && n >= 1, 1)
  COPY_IF((at & 2) != 0 && n >= 2, 2)
  COPY_IF((at & 4) != 0 && n >= 4, 4)
  if ((apart & 7) == 0) {
    size_t words = n & ~(size_t)7;
    COPY_IF(words != 0, words)
  }
  for (; n >= 8; to += 8, from += 8, n -= 8)
    *(word_anywhere *)to = *(const word_anywhere *)from;
  COPY_IF(n >= 4, 4)
  COPY_IF(n >= 2, 2)
  COPY_IF(n >= 1, 1)
}

// Copies a word as a whole, wherever it is, with the parameters of copy_words.
#define copy_word(to, from, size, owner) memcpy(to, from, size)

// Copies the n blocks of the first level. Each size has a loop of its own: without a call for each
// block, the compiler moves words.
#define ROWS_OF(copy, size)                                                    \
  for (int64_t i = 0; i < n; i++, to += to_stride, from += from_stride)        \
  copy(to, from, size, put ? to : from)

static void copy_row(int kind, char *to, int64_t to_stride, const char *from, int64_t from_stride,
                     int64_t block, int64_t n) {
  int put = kind == GOACP_ARMCI_PUT;
  switch (block) {
  case 4:
    ROWS_OF(copy_word, 4);
    return;
  case 8:
    ROWS_OF(copy_word, 8);
    return;
  case 16:
    ROWS_OF(copy_word, 16);
    return;
  case 24:
    ROWS_OF(copy_words, 24);
    return;
  case 32:
    ROWS_OF(copy_words, 32);
    return;
  case 64:
    ROWS_OF(copy_words, 64);
    return;
  }
  ROWS_OF(copy_words, (size_t)block);
}

// Goes to the first block of the next row; 0 after the last.
static int next_row(const struct merged *m, int64_t *index, int64_t *local, int64_t *remote) {
  for (int i = 1; i < m->levels; i++) {
    *local += m->local[i];
    *remote += m->remote[i];
    if (++index[i] < m->count[i])
      return 1;
    *local -= index[i] * m->local[i];
    *remote -= index[i] * m->remote[i];
    index[i] = 0;
  }
  return 0;
}

static void copy_all(const struct merged *m, int kind, char *local, char *remote) {
  int64_t index[ARMCI_MAX_STRIDE_LEVEL] = {0}, l = 0, r = 0;
  do {
    if (kind == GOACP_ARMCI_PUT)
      copy_row(kind, remote + r, m->remote[0], local + l, m->local[0], m->block, m->count[0]);
    else
      copy_row(kind, local + l, m->local[0], remote + r, m->remote[0], m->block, m->count[0]);
  } while (next_row(m, index, &l, &r));
}

// Whether the bytes of a contiguous transfer overlap, other than with themselves.
static int overlap(const struct merged *m, const char *local, const char *remote) {
  uintptr_t l = (uintptr_t)local, r = (uintptr_t)remote, n = (uintptr_t)m->block;
  return m->levels == 0 && l != r && (l - r < n || r - l < n);
}

// Executes an accumulate of blocks of whole elements, whose remote address has a position; 0 in unusual cases.
static int add_all(const struct merged *m, const struct goacp_armci_action *action,
                   const struct goacp_armci *t, int proc, const char *local, char *remote,
                   uint64_t position) {
  struct adder a;
  int64_t bits = (int64_t)position;
  for (int i = 0; i < m->levels; i++)
    bits |= m->remote[i];
  if (bits % goacp_armci_component_size(action->type) != 0 || overlap(m, local, remote) ||
      !goacp_armci_adder(&a, t, proc, action->type, action->scale))
    return 0;
  int64_t index[ARMCI_MAX_STRIDE_LEVEL] = {0}, l = 0, r = 0;
  GOACP_HOLD_FLOATS;
  do {
    for (int64_t i = 0; i < m->count[0]; i++)
      goacp_armci_add(&a, remote + r + i * m->remote[0], position + (uint64_t)(r + i * m->remote[0]),
                      local + l + i * m->local[0], (size_t)m->block);
  } while (next_row(m, index, &l, &r));
  goacp_armci_adder_end(&a);
  return 1;
}

// Whether blocks of this number of bytes consist of whole elements of a valid type.
static int has_elements(const struct goacp_armci_action *action, int bytes) {
  return action->type >= 0 && action->type <= ARMCI_ACC_DCP && action->scale != NULL &&
         bytes % goacp_armci_element_size(action->type) == 0;
}

int goacp_armci_near_strided(const struct goacp_armci_action *action,
                             const struct goacp_armci_strided *s) {
  const struct goacp_armci *t = goacp_armci_table();
  struct merged m;
  int64_t low, high;
  if (!merge(&m, s))
    return 0;
  extent(&m, &low, &high);
  char *first = near_at(t, s->proc, (uintptr_t)s->remote + (uintptr_t)low, (uint64_t)(high - low));
  if (first == NULL)
    return 0;
  char *remote = first - low;
  if (action->kind == GOACP_ARMCI_ACCUMULATE)
    return has_elements(action, s->count[0]) &&
           add_all(&m, action, t, s->proc, s->local, remote,
                   (uintptr_t)s->remote - t->entries[s->proc].base) &&
           count_strided(t, action->kind, s);
  if (!overlap(&m, s->local, remote))
    copy_all(&m, action->kind, s->local, remote);
  else if (action->kind == GOACP_ARMCI_PUT)
    memmove(remote, s->local, (size_t)m.block);
  else
    memmove(s->local, remote, (size_t)m.block);
  return count_strided(t, action->kind, s);
}

// The caller's side and the owner's side of the segments of a descriptor.
static void **locals(const struct goacp_armci_giov *g, int kind) {
  return kind == GOACP_ARMCI_GET ? g->dst : g->src;
}

static void **remotes(const struct goacp_armci_giov *g, int kind) {
  return kind == GOACP_ARMCI_GET ? g->src : g->dst;
}

// Examines n segments. Lanes do not wait for each other, as sums over all segments would.
WIDE static struct seen look_at(void **local, void **remote, int n) {
  enum { LANES = 16 };
  int64_t least[LANES], greatest[LANES] = {0};
  uint64_t bits[LANES] = {0}, missing[LANES] = {0};
  for (int k = 0; k < LANES; k++)
    least[k] = INT64_MAX;
#define LOOK(i, k)                                                             \
  int64_t at = (int64_t)(uintptr_t)remote[i];                                  \
  least[k] = at < least[k] ? at : least[k];                                    \
  greatest[k] = at > greatest[k] ? at : greatest[k];                           \
  bits[k] |= (uint64_t)at;                                                     \
  missing[k] |= (uintptr_t)local[i] - 1;
  int i = 0;
  for (; i + LANES <= n; i += LANES)
    for (int k = 0; k < LANES; k++) {
      LOOK(i + k, k)
    }
  for (; i < n; i++) {
    LOOK(i, 0)
  }
#undef LOOK
  struct seen all = {INT64_MAX, 0, 0, 0};
  for (int k = 0; k < LANES; k++) {
    if ((uint64_t)least[k] < all.least)
      all.least = (uint64_t)least[k];
    if ((uint64_t)greatest[k] > all.greatest)
      all.greatest = (uint64_t)greatest[k];
    all.bits |= bits[k];
    all.missing |= missing[k];
  }
  return all;
}

// Whether all segments of a descriptor are mapped, and nothing about them is unusual.
static int is_near(const struct window *w, const struct goacp_armci_action *action,
                   const struct goacp_armci_giov *g, struct seen *seen) {
  if (g->bytes <= 0 || g->length <= 0 || g->src == NULL || g->dst == NULL)
    return 0;
  int accumulates = action->kind == GOACP_ARMCI_ACCUMULATE;
  uint64_t odd = accumulates ? (uint64_t)goacp_armci_component_size(action->type) - 1 : 0;
  uint64_t bytes = (uint64_t)g->bytes;
  if ((accumulates && g->bytes % goacp_armci_element_size(action->type) != 0) || bytes > w->size)
    return 0;
  *seen = look_at(locals(g, action->kind), remotes(g, action->kind), g->length);
  return (seen->bits & odd) == 0 && (seen->bits | seen->missing) >> 63 == 0 && seen->least >= w->low &&
         seen->greatest - w->low <= w->size - bytes;
}

// Copies the segments of a descriptor.
#define SEGMENTS(copy, size)                                                   \
  for (int i = 0; i < n; i++) {                                                \
    char *owner = (char *)remote[i] + shift;                                   \
    if (put)                                                                   \
      copy(owner, local[i], size, owner);                                      \
    else                                                                       \
      copy(local[i], owner, size, owner);                                      \
  }

static void copy_segments(const struct window *w, const struct goacp_armci_giov *g, int kind) {
  void **local = locals(g, kind), **remote = remotes(g, kind);
  int put = kind == GOACP_ARMCI_PUT, n = g->length;
  size_t bytes = (size_t)g->bytes;
  ptrdiff_t shift = (ptrdiff_t)((uintptr_t)w->here - w->low);
  switch (bytes) { // each size has a loop of its own, as in copy_row
  case 4:
    SEGMENTS(copy_word, 4);
    return;
  case 8:
    SEGMENTS(copy_word, 8);
    return;
  case 16:
    SEGMENTS(copy_word, 16);
    return;
  case 32:
    SEGMENTS(copy_words, 32);
    return;
  }
  SEGMENTS(copy_words, bytes);
}

// Accumulates segments of one real number or integer each. seen covers all segments.
static void add_numbers(struct adder *a, const struct window *w, uint64_t base,
                        const struct goacp_armci_giov *g, const struct seen *seen) {
  int most = goacp_armci_most_segments(a->type);
  if (g->length <= most) {
    goacp_armci_add_each(a, w, base, g->dst, g->src, g->length, seen);
    return;
  }
  for (int i = 0; i < g->length; i += most) {
    int n = g->length - i < most ? g->length - i : most;
    struct seen part = look_at(g->src + i, g->dst + i, n);
    goacp_armci_add_each(a, w, base, g->dst + i, g->src + i, n, &part);
  }
}

// Accumulates the segments of descriptors. seen covers the segments of the last descriptor.
static void add_segments(struct adder *a, const struct window *w, uint64_t base,
                         const struct goacp_armci_giov *descriptors, int n, struct seen seen) {
  GOACP_HOLD_FLOATS;
  for (int i = 0; i < n; i++) {
    const struct goacp_armci_giov *g = &descriptors[i];
    if (g->bytes == goacp_armci_component_size(a->type)) { // none is a complex number
      if (n > 1)
        seen = look_at(g->src, g->dst, g->length);
      add_numbers(a, w, base, g, &seen);
      continue;
    }
    for (int k = 0; k < g->length; k++)
      goacp_armci_add(a, near_in(w, (uintptr_t)g->dst[k]), (uintptr_t)g->dst[k] - base, g->src[k],
                      (size_t)g->bytes);
  }
  goacp_armci_adder_end(a);
}

int goacp_armci_near_vector(const struct goacp_armci_action *action,
                            const struct goacp_armci_giov *descriptors, int n, int proc) {
  const struct goacp_armci *t = goacp_armci_table();
  int accumulates = action->kind == GOACP_ARMCI_ACCUMULATE;
  struct window w;
  struct seen seen;
  struct adder a;
  if (n <= 0 || descriptors == NULL || !near_window(t, proc, &w) ||
      (accumulates &&
       (action->type < 0 || action->type > ARMCI_ACC_DCP || action->scale == NULL)))
    return 0;
  for (int i = 0; i < n; i++)
    if (!is_near(&w, action, &descriptors[i], &seen))
      return 0;
  if (accumulates && !goacp_armci_adder(&a, t, proc, action->type, action->scale))
    return 0;
  if (accumulates)
    add_segments(&a, &w, t->entries[proc].base, descriptors, n, seen);
  else
    for (int i = 0; i < n; i++)
      copy_segments(&w, &descriptors[i], action->kind);
  return count_vector(t, action->kind, descriptors, n, proc);
}
