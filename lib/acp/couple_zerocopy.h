// Local zero copy: senders copy values into the array of a receiver that is ready. Mirrors internal/system/couple/flow: shown
// is Ready.Shows, reserve is Destination.Reserve, and pack is Destination.Pack. show, tally and conclude mirror Receiver.show,
// missing and conclude of internal/system/couple/link (ready.go). Go alone withdraws.

#ifndef GOACP_COUPLE_ZEROCOPY_H
#define GOACP_COUPLE_ZEROCOPY_H

#include "atomics.h"
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

// The number of missing flows in the word of a receiver.
static inline uint64_t missing(uint64_t word) {
  return word & (((uint64_t)1 << GOACP_COUPLE_MISSING_BITS) - 1);
}

// Whether the receiver is ready for a message, and a flow is missing. Sets the word, and the position of the array.
static inline int shown(const struct goacp_couple_flow *f, uint64_t number, int64_t step, uint64_t *word,
                        uint64_t *data) {
  const struct goacp_couple_ready *p = f->ready;
  *word = goacp_load_acquire(&p->word);
  *data = goacp_load_acquire(&p->data);
  return missing(*word) > 0 && goacp_load_acquire(&p->number) == number &&
         goacp_load_acquire(&p->step) == step;
}

// The array of the receiver at a position, or NULL.
static inline char *array_at(const struct goacp_direct *t, const struct goacp_couple_flow *f, uint64_t data) {
  return goacp_position_of(data) == data ? goacp_at(t, f->there + data, f->extent) : NULL;
}

// Whether the receiver shows an array that is not mapped here. Each array is reported once.
static inline int unmapped(const struct goacp_direct *t, struct goacp_couple_flow *f, uint64_t number, int64_t step) {
  uint64_t word, data;
  if (f->ready == NULL || !shown(f, number, step, &word, &data) || data == f->unmapped ||
      array_at(t, f, data) != NULL)
    return 0;
  f->unmapped = data;
  return 1;
}

// Reserves the part of the flow if the receiver is ready for a message. Returns whether zero copy is committed.
static inline int reserve(const struct goacp_direct *t, struct goacp_couple_flow *f, uint64_t number, int64_t step) {
  uint64_t word, data;
  for (;;) {
    int is = shown(f, number, step, &word, &data);
    uint64_t epoch = word >> GOACP_COUPLE_MISSING_BITS;
    if (epoch != 0 && epoch == f->reserved && number == f->reserved_for)
      return missing(word) == 0;
    char *array = is ? array_at(t, f, data) : NULL;
    if (array == NULL)
      return 0;
    if (goacp_compare_exchange_seq_cst(&f->ready->word, &word, word - 1)) {
      f->reserved = epoch;
      f->reserved_for = number;
      f->array = array;
    }
  }
}

// Packs the values of a message into a slot, until it may copy the rest into the array of the receiver.
static inline void pack(const struct goacp_direct *t, struct goacp_couple_flow *f, struct goacp_couple_slot *s,
                        const char *data, int64_t size, uint64_t number) {
  struct runs from = {.at = f->runs, .end = f->runs + f->run_bytes};
  struct runs to = {.at = f->to_runs, .end = f->to_runs + f->to_bytes};
  struct goacp_couple_division *d = division(s);
  char *packed = values(f, s);
  int64_t left = (int64_t)f->size / size, piece = GOACP_COUPLE_PIECE_SIZE / size;
  while (left > 0) {
    int committed = reserve(t, f, number, s->step);
    int64_t n = committed || piece > left ? left : piece > 0 ? piece : 1;
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
      if (committed) {
        copy_points(f->array + there.start * size, there.stride * size, src, here.stride * size, count, (size_t)size);
        continue;
      }
      copy_points(packed, size, src, here.stride * size, count, (size_t)size);
      packed += count * size;
    }
  }
  d->packed = (uint64_t)(packed - values(f, s));
  d->reserved = f->reserved;
}

// Whether a slot has the message with a number.
static inline int arrived(const struct goacp_couple_flow *f, uint64_t n, uint64_t number) {
  return goacp_load_acquire(&slot(f, n)->number) == number;
}

// Shows the array of the field for the message with a number, in slot n of all flows, unless no sender can use zero copy.
static inline void show(const struct goacp_direct *t, struct goacp_couple_end *e, uint64_t n, uint64_t number,
                        int64_t step) {
  uint64_t rank = goacp_load_relaxed(&t->rank), missing = 0, zero_copy = 0;
  const char *base = goacp_load_relaxed(&t->peers[rank].base);
  uint64_t data = (uint64_t)((const char *)*e->data - base);
  if (goacp_position_of(data) != data ||
      goacp_at(t, rank << GOACP_POSITION_BITS | data, e->extent) == NULL)
    return;
  struct goacp_couple_progress *p = e->progress;
  for (uint64_t i = 0; i < e->used; i++) {
    struct goacp_couple_flow *f = &e->flows[i];
    int is = arrived(f, n, number);
    f->counted = is ? p->epochs + 1 : 0;
    if (is ? slot(f, n)->step != step : goacp_load_acquire(f->word) >> 63)
      return; // Go reports the error
    missing += !is;
    zero_copy |= !is && f->zero_copy;
  }
  if (!zero_copy)
    return;
  p->epoch = ++p->epochs;
  goacp_store_release(&e->ready->number, number);
  goacp_store_release(&e->ready->step, step);
  goacp_store_release(&e->ready->data, data);
  goacp_store_seq_cst(&e->ready->word, p->epoch << GOACP_COUPLE_MISSING_BITS | missing);
}

// Takes flows off the count whose messages have come without a reservation.
static inline void tally(struct goacp_couple_end *e, uint64_t n, uint64_t number) {
  uint64_t epoch = e->progress->epoch;
  if (missing(goacp_load_acquire(&e->ready->word)) == 0)
    return;
  for (uint64_t i = 0; i < e->used; i++) {
    struct goacp_couple_flow *f = &e->flows[i];
    if (f->counted == epoch || !arrived(f, n, number) || slot(f, n)->step != e->ready->step)
      continue;
    f->counted = epoch;
    if (!f->zero_copy || division(slot(f, n))->reserved != epoch)
      goacp_fetch_sub_seq_cst(&e->ready->word, 1);
  }
}

// Withdraws the array, since all messages have arrived. Returns the epoch if the senders have
// committed zero copy, otherwise 0.
static inline uint64_t conclude(struct goacp_couple_end *e) {
  struct goacp_couple_progress *p = e->progress;
  uint64_t epoch = p->epoch;
  if (epoch == 0)
    return 0;
  // The state of the flows is final.
  if (missing(goacp_load_acquire(&e->ready->word)) > 0)
    epoch = 0;
  p->epoch = 0;
  goacp_store_release(&e->ready->word, 0);
  return epoch;
}

// How many bytes of the values are in a slot.
static inline uint64_t packed(const struct goacp_couple_flow *f, struct goacp_couple_slot *s, uint64_t epoch) {
  const struct goacp_couple_division *d = division(s);
  return epoch != 0 && f->zero_copy && d->reserved == epoch && d->packed < f->size ? d->packed : f->size;
}

#endif
