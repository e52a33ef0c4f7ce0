// Values that senders copy straight into the array of a receiver that waits for them. Mirrors
// internal/system/couple/link: shown is post.read, claim is destination.claim with post.claim, stow is Sender.stow
// (straight.go), and offer, tally and settle are Receiver.offer, missing and settle (post.go). Go alone withdraws posts.

#ifndef GOACP_COUPLE_STRAIGHT_H
#define GOACP_COUPLE_STRAIGHT_H

#include "couple_runs.h"
#include "direct.h"

static inline struct goacp_couple_slot *slot(const struct goacp_couple_flow *f, uint64_t n) {
  return (struct goacp_couple_slot *)(f->slots + n * f->slot_bytes);
}

static inline char *values(const struct goacp_couple_flow *f, struct goacp_couple_slot *s) {
  return f->size <= GOACP_COUPLE_SMALL_BYTES ? (char *)s->small : (char *)(s + 1);
}

static inline struct goacp_couple_division *division(struct goacp_couple_slot *s) {
  return (struct goacp_couple_division *)s->small;
}

// How many flows are missing in the word of a post.
static inline uint64_t missing(uint64_t word) {
  return word & (((uint64_t)1 << GOACP_COUPLE_MISSING_BITS) - 1);
}

// Whether the flow can claim the post of its receiver for a message. Sets the word, and the position of the array.
static inline int shown(const struct goacp_couple_flow *f, uint64_t number, int64_t step, uint64_t *word,
                        uint64_t *data) {
  const struct goacp_couple_post *p = f->post;
  *word = __atomic_load_n(&p->word, __ATOMIC_ACQUIRE);
  *data = __atomic_load_n(&p->data, __ATOMIC_ACQUIRE);
  return missing(*word) > 0 && __atomic_load_n(&p->number, __ATOMIC_ACQUIRE) == number &&
         __atomic_load_n(&p->step, __ATOMIC_ACQUIRE) == step;
}

// The array of the receiver at a position, or NULL.
static inline char *array_at(const struct goacp_direct *t, const struct goacp_couple_flow *f, uint64_t data) {
  return goacp_position_of(data) == data ? goacp_at(t, f->there + data, f->extent) : NULL;
}

// Whether the receiver shows an array that is not mapped here. Each array is reported once.
static inline int unmapped(const struct goacp_direct *t, struct goacp_couple_flow *f, uint64_t number, int64_t step) {
  uint64_t word, data;
  if (f->post == NULL || !shown(f, number, step, &word, &data) || data == f->unmapped ||
      array_at(t, f, data) != NULL)
    return 0;
  f->unmapped = data;
  return 1;
}

// Claims the post of the receiver if it is for a message. Returns whether the sender may copy straight.
static inline int claim(const struct goacp_direct *t, struct goacp_couple_flow *f, uint64_t number, int64_t step) {
  uint64_t word, data;
  for (;;) {
    int is = shown(f, number, step, &word, &data);
    uint64_t identity = word >> GOACP_COUPLE_MISSING_BITS;
    if (identity != 0 && identity == f->claimed && number == f->claimed_for)
      return missing(word) == 0;
    char *array = is ? array_at(t, f, data) : NULL;
    if (array == NULL)
      return 0;
    if (__atomic_compare_exchange_n(&f->post->word, &word, word - 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
      f->claimed = identity;
      f->claimed_for = number;
      f->array = array;
    }
  }
}

// Packs the values of a message into a slot, until it may copy the rest straight.
static inline void stow(const struct goacp_direct *t, struct goacp_couple_flow *f, struct goacp_couple_slot *s,
                        const char *data, int64_t size, uint64_t number) {
  struct runs from = {.at = f->runs, .end = f->runs + f->run_bytes};
  struct runs to = {.at = f->to_runs, .end = f->to_runs + f->to_bytes};
  struct goacp_couple_division *d = division(s);
  char *packed = values(f, s);
  int64_t left = (int64_t)f->size / size, piece = GOACP_COUPLE_PIECE_SIZE / size;
  while (left > 0) {
    int straight = claim(t, f, number, s->step);
    int64_t n = straight || piece > left ? left : piece > 0 ? piece : 1;
    left -= n;
    while (n > 0) {
      int64_t count = peek(&from), other = peek(&to);
      if (count > other)
        count = other;
      if (count > n)
        count = n;
      n -= count;
      struct run here = take(&from, count), there = take(&to, count);
      const char *src = data + here.start * size;
      if (straight) {
        copy_points(f->array + there.start * size, there.stride * size, src, here.stride * size, count, (size_t)size);
        continue;
      }
      copy_points(packed, size, src, here.stride * size, count, (size_t)size);
      packed += count * size;
    }
  }
  d->packed = (uint64_t)(packed - values(f, s));
  d->claim = f->claimed;
}

// Whether a slot has the message with a number.
static inline int arrived(const struct goacp_couple_flow *f, uint64_t n, uint64_t number) {
  return __atomic_load_n(&slot(f, n)->number, __ATOMIC_ACQUIRE) == number;
}

// Posts the array of the field for the message with a number, in slot n of all flows, unless no sender can copy straight.
static inline void offer(const struct goacp_direct *t, struct goacp_couple_end *e, uint64_t n, uint64_t number,
                         int64_t step) {
  uint64_t rank = __atomic_load_n(&t->rank, __ATOMIC_RELAXED), missing = 0, straight = 0;
  const char *base = __atomic_load_n(&t->peers[rank].base, __ATOMIC_RELAXED);
  uint64_t data = (uint64_t)((const char *)*e->data - base);
  if (goacp_position_of(data) != data ||
      goacp_at(t, rank << GOACP_POSITION_BITS | data, e->extent) == NULL)
    return;
  struct goacp_couple_progress *p = e->progress;
  for (uint64_t i = 0; i < e->used; i++) {
    struct goacp_couple_flow *f = &e->flows[i];
    int is = arrived(f, n, number);
    f->counted = is ? p->posts + 1 : 0;
    if (is ? slot(f, n)->step != step : __atomic_load_n(f->word, __ATOMIC_ACQUIRE) >> 63)
      return; // Go says what is wrong
    missing += !is;
    straight |= !is && f->straight;
  }
  if (!straight)
    return;
  p->posted = ++p->posts;
  __atomic_store_n(&e->post->number, number, __ATOMIC_RELEASE);
  __atomic_store_n(&e->post->step, step, __ATOMIC_RELEASE);
  __atomic_store_n(&e->post->data, data, __ATOMIC_RELEASE);
  __atomic_store_n(&e->post->word, p->posted << GOACP_COUPLE_MISSING_BITS | missing, __ATOMIC_SEQ_CST);
}

// Takes flows off the count of the post whose messages have come without a claim.
static inline void tally(struct goacp_couple_end *e, uint64_t n, uint64_t number) {
  uint64_t posted = e->progress->posted;
  if (missing(__atomic_load_n(&e->post->word, __ATOMIC_ACQUIRE)) == 0)
    return;
  for (uint64_t i = 0; i < e->used; i++) {
    struct goacp_couple_flow *f = &e->flows[i];
    if (f->counted == posted || !arrived(f, n, number) || slot(f, n)->step != e->post->step)
      continue;
    f->counted = posted;
    if (!f->straight || division(slot(f, n))->claim != posted)
      __atomic_fetch_sub(&e->post->word, 1, __ATOMIC_SEQ_CST);
  }
}

// Ends the post when all messages are there. Returns which post the senders have claimed if they may have copied straight,
// otherwise 0.
static inline uint64_t settle(struct goacp_couple_end *e) {
  struct goacp_couple_progress *p = e->progress;
  uint64_t posted = p->posted;
  if (posted == 0)
    return 0;
  // Whether flows are missing changes no more.
  if (missing(__atomic_load_n(&e->post->word, __ATOMIC_ACQUIRE)) > 0)
    posted = 0;
  p->posted = 0;
  __atomic_store_n(&e->post->word, 0, __ATOMIC_RELEASE);
  return posted;
}

// How many bytes of the values are in a slot.
static inline uint64_t packed(const struct goacp_couple_flow *f, struct goacp_couple_slot *s, uint64_t claimed) {
  const struct goacp_couple_division *d = division(s);
  return claimed != 0 && f->straight && d->claim == claimed && d->packed < f->size ? d->packed : f->size;
}

#endif
