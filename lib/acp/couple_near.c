// Sends and receives by links whose partners all share memory with this process. Mirrors internal/system/couple/link:
// send and receive are Sender.Send and Receiver.Receive (sender.go, receiver.go), free and arrived are stream.taken and
// stream.arrived, publish is stream.fill and stream.giveBack (slot.go), and notify is wait.EventCount.Notify. Go parks when the partners
// take their time, and reports what is wrong.
//
// docs/performance.md measures it as "coupling, one host: 8 B there and back".

#include "couple_near.h"
#include "atomics.h"

#include "couple_zerocopy.h"
#include "futex.h"
#include "spin.h"
#include "traffic.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

struct goacp_lookup goacp_links;

// The slot of the next message.
static inline uint64_t next_slot(const struct goacp_couple_end *e) {
  return e->levels == 1 ? 0 : e->steps->messages % e->levels;
}

// Whether the slots of all flows have a number, from *first on, which is set to the flow that does not.
static inline int ready(struct goacp_couple_end *e, uint64_t n, uint64_t number, uint64_t *first) {
  if (__builtin_expect(e->progress->epoch != 0, 0))
    tally(e, n, number);
  for (; *first < e->used; ++*first)
    if (goacp_load_acquire(&slot(&e->flows[*first], n)->number) != number)
      return 0;
  return 1;
}

// Waits for a while until the slots of all flows have a number. Returns whether they do.
static inline int await(const struct goacp_direct *t, struct goacp_couple_end *e, uint64_t n,
                        uint64_t number) {
  uint64_t first = 0;
  if (ready(e, n, number, &first))
    return 1;
  GOACP_SPIN_UNTIL(goacp_may_spin(&t->load), ready(e, n, number, &first));
  return first == e->used;
}

GOACP_RARE void notify(struct goacp_event_count *e) {
  goacp_fetch_add_seq_cst(&e->events, 1);
  goacp_futex_wake_all(&e->events);
}

// Stores the number of a slot, and notifies the partner.
static inline void publish(const struct goacp_couple_flow *f, struct goacp_couple_slot *s,
                           uint64_t number) {
  goacp_store_release(&s->number, number);
  // Either this side sees that the partner is about to park, or the partner sees the number.
  goacp_fence_seq_cst();
  if (__builtin_expect(goacp_load_relaxed(&f->events->parked) != 0, 0))
    notify(f->events);
}

// Sets *message to the number of the message of a step. Returns 0 if the step has none.
static inline int due(const struct goacp_couple_end *e, int64_t step, int64_t *message) {
  *message = step;
  if (e->every == 1)
    return 1;
  *message = step / e->every;
  return step % e->every == 0;
}

// The end of a link that C can use, or NULL.
static inline struct goacp_couple_end *find_end(const struct goacp_direct *t, uintptr_t number) {
  struct goacp_couple_end *e = t == NULL ? NULL : goacp_look_up(&goacp_links, number);
  return e == NULL || goacp_load_relaxed(e->over) != 0 ? NULL : e;
}

int goacp_send_near(uintptr_t link, int64_t step) {
  const struct goacp_direct *t = goacp_direct();
  struct goacp_couple_end *e = find_end(t, link);
  int64_t message;
  if (e == NULL || !e->sends || step < 0)
    return 0;
  if (!due(e, step, &message))
    return 1;
  struct goacp_link_steps *p = e->steps;
  uint64_t n = next_slot(e);
  if ((p->messages > 0 && message <= p->last) || !await(t, e, n, 0))
    return 0;
  for (uint64_t i = 0; i < e->used; i++)
    if (goacp_load_acquire(e->flows[i].word) >> 63) // the receiver has closed the link
      return 0;
  for (uint64_t i = 0; i < e->used; i++)
    if (unmapped(t, &e->flows[i], p->messages + 1, message)) // Go maps it
      return 0;
  p->messages++;
  p->last = message;
  for (uint64_t i = 0; i < e->used; i++)
    if (e->flows[i].ready != NULL)
      reserve(t, &e->flows[i], p->messages, message);
  struct goacp_traffic *of = goacp_traffic(t);
  for (uint64_t i = 0; i < e->used; i++) {
    struct goacp_couple_flow *f = &e->flows[i];
    struct goacp_couple_slot *s = slot(f, n);
    s->step = message;
    if (f->ready != NULL)
      pack(t, f, s, *e->data, (int64_t)e->size, p->messages);
    else
      copy(f, *e->data, values(f, s), e->size, f->size, 1);
    if (__builtin_expect(of != NULL, 0)) {
      goacp_count(of, (uint32_t)f->member, GOACP_TRAFFIC_MESSAGE, GOACP_TRAFFIC_SHM, f->size);
      goacp_count_sent(f->sent, f->size);
    }
    publish(f, s, p->messages);
  }
  return 1;
}

int goacp_receive_near(uintptr_t link, int64_t step) {
  const struct goacp_direct *t = goacp_direct();
  struct goacp_couple_end *e = find_end(t, link);
  int64_t message;
  if (e == NULL || e->sends || step < 0)
    return 0;
  if (!due(e, step, &message))
    return 1;
  uint64_t n = next_slot(e), number = e->steps->messages + 1, first = 0;
  if (e->ready != NULL && !ready(e, n, number, &first))
    show(t, e, n, number, message);
  if (!await(t, e, n, number))
    return 0;
  for (uint64_t i = 0; i < e->used; i++)
    if (slot(&e->flows[i], n)->step != message)
      return 0;
  uint64_t epoch = conclude(e);
  e->steps->messages++;
  e->steps->last = message;
  for (uint64_t i = 0; i < e->used; i++) {
    const struct goacp_couple_flow *f = &e->flows[i];
    struct goacp_couple_slot *s = slot(f, n);
    uint64_t bytes = packed(f, s, epoch);
    e->progress->zero_copied += f->size - bytes;
    copy(f, *e->data, values(f, s), e->size, bytes, 0);
    publish(f, s, 0);
  }
  return 1;
}
