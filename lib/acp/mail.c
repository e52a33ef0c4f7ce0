// Small operations on registered memory of other ranks of this host: C posts a request in the mailbox of the
// owner, if the owner polls, and spins for the answer.
//
// Mirrors Sender.Post of internal/memory/mailbox, and Network.Mailbox of internal/network/router. If the owner does
// not poll and has to be woken, or another slot is needed, C leaves the request to Go. Go posts it, unless its own
// back-off prevents that.
//
// docs/performance.md measures it as "peer's registered memory: put 8 B", and likewise get and add8.

#include "mail.h"
#include "atomics.h"
#include "direct.h"
#include "spin.h"

// Prevents this thread from posting repeatedly without success: backoff of internal/memory/mailbox, for the mailbox
// that the thread has used last.
struct backoff {
  const struct goacp_mailbox *box;
  uint64_t at;    // its polls at the last request that came back or was taken late
  int skip, next; // operations that still take the other path while polls is at; those after the next such request
};

// For requests that were taken back, and for requests that were served late. The latter applies only to copies: for
// atomics the other path takes longer.
static _Thread_local struct backoff returned, late __attribute__((tls_model("initial-exec")));

// Whether the thread is to post nothing yet. Counts an operation.
static inline int stands(struct backoff *b, const struct goacp_mailbox *box, uint64_t polls) {
  return polls == b->at && box == b->box && b->skip > 0 && b->skip-- > 0;
}

// Notes such a request, which was posted when polls had this value.
static void note(struct backoff *b, const struct goacp_mailbox *box, uint64_t polls) {
  int next = polls == b->at && box == b->box ? b->next : GOACP_MAIL_SKIP_FIRST;
  *b = (struct backoff){box, polls, next, 2 * next < GOACP_MAIL_SKIP_LAST ? 2 * next : GOACP_MAIL_SKIP_LAST};
}

// Notes a request that was taken soon.
static inline void note_soon(struct backoff *b, const struct goacp_mailbox *box) {
  if (box == b->box && b->next > GOACP_MAIL_SKIP_FIRST)
    b->next = GOACP_MAIL_SKIP_FIRST;
}

// The mailbox that the owner of registered memory at ga polls, or NULL.
static struct goacp_mailbox *mailbox_of(const struct goacp_direct *t, uint64_t ga) {
  uint64_t rank = goacp_rank_of(ga);
  const struct goacp_windows *w = goacp_load_relaxed(&t->windows);
  if (goacp_position_of(ga) < GOACP_USER_BASE || rank >= goacp_load_relaxed(&t->procs) ||
      rank == goacp_load_relaxed(&t->rank) || (w != NULL && w->atomic != NULL))
    return NULL;
  char *base = goacp_load_acquire(&t->peers[rank].base);
  return base == NULL ? NULL : (struct goacp_mailbox *)(base + GOACP_MAILBOX_OFFSET);
}

static inline uint32_t state_of(const struct goacp_mail_slot *s) {
  return goacp_load_acquire(&s->state);
}

static inline void set_state(struct goacp_mail_slot *s, uint32_t state) {
  goacp_store_release(&s->state, state);
}

static inline int change(struct goacp_mail_slot *s, uint32_t from, uint32_t to) {
  return state_of(s) == from && goacp_compare_exchange_seq_cst(&s->state, &from, to);
}

// Claims the slot of this rank for a request of a kind. Returns NULL if another request uses it, if the owner does
// not poll, and while the back-off lasts.
static struct goacp_mail_slot *claim(const struct goacp_direct *t, struct goacp_mailbox *box, int kind,
                                     uint64_t *polls) {
  *polls = goacp_load_relaxed(&box->polls);
  if ((*polls & GOACP_MAIL_POLLERS) == 0 || stands(&returned, box, *polls) ||
      (kind != GOACP_MAIL_ATOMIC && stands(&late, box, *polls)))
    return NULL;
  struct goacp_mail_slot *s = &box->slots[goacp_load_relaxed(&t->rank) % GOACP_MAIL_SLOTS];
  return change(s, GOACP_MAIL_FREE, GOACP_MAIL_CLAIMED) ? s : NULL;
}

static inline int is_answered(const struct goacp_mail_slot *s) {
  uint32_t state = state_of(s);
  return state == GOACP_MAIL_DONE || state == GOACP_MAIL_REFUSED;
}

// Waits until the owner has answered. If the owner dies the run is over, and Go ends this process.
static __attribute__((noinline)) void await(const struct goacp_mail_slot *s) {
  struct timespec pause = {0, 10000};
  GOACP_SPIN_UNTIL(GOACP_MAIL_ANSWER_TIME, is_answered(s));
  for (; !is_answered(s); pause.tv_nsec = pause.tv_nsec < 500000 ? 2 * pause.tv_nsec : 1000000)
    nanosleep(&pause, NULL);
}

static inline int is_taken_soon(const struct goacp_mail_slot *s) {
  for (int i = 0; i < GOACP_MAIL_SOON_LOOKS; i++)
    if (state_of(s) != GOACP_MAIL_POSTED)
      return 1;
  return 0;
}

// Posts the request in a claimed slot. Returns whether the owner has carried it out. If so, the caller reads the
// answer and sets the slot free. Otherwise the slot is free.
static int post(struct goacp_mailbox *box, struct goacp_mail_slot *s, uint64_t polls) {
  set_state(s, GOACP_MAIL_POSTED);
  if (is_taken_soon(s)) {
    note_soon(&returned, box);
    note_soon(&late, box);
  } else {
    GOACP_SPIN_UNTIL(GOACP_MAIL_TAKE_LIMIT,
                     state_of(s) != GOACP_MAIL_POSTED ||
                         (goacp_load_relaxed(&box->polls) & GOACP_MAIL_POLLERS) == 0);
    if (change(s, GOACP_MAIL_POSTED, GOACP_MAIL_CLAIMED)) {
      note(&returned, box, polls);
      set_state(s, GOACP_MAIL_FREE);
      return 0;
    }
    note(&late, box, polls);
  }
  if (!is_answered(s))
    await(s);
  if (state_of(s) == GOACP_MAIL_DONE)
    return 1;
  set_state(s, GOACP_MAIL_FREE);
  return 0;
}

int goacp_mail_copy(const struct goacp_direct *t, uint64_t ga, void *here, uint64_t n, int get) {
  struct goacp_mailbox *box = mailbox_of(t, ga);
  uint64_t polls;
  if (box == NULL || n > GOACP_MAIL_MAX_BYTES)
    return 0;
  int kind = get ? GOACP_MAIL_GET : GOACP_MAIL_PUT;
  struct goacp_mail_slot *s = claim(t, box, kind, &polls);
  if (s == NULL)
    return 0;
  s->kind = (uint8_t)kind;
  s->size = (uint8_t)n;
  s->pos = goacp_position_of(ga);
  if (!get)
    goacp_move(s->data, here, n);
  if (!post(box, s, polls))
    return 0;
  if (get)
    goacp_move(here, s->data, n);
  set_state(s, GOACP_MAIL_FREE);
  return 1;
}

int goacp_mail_atomic(const struct goacp_direct *t, int op, int width, uint64_t ga,
                      uint64_t operand, uint64_t compare, uint64_t *old) {
  struct goacp_mailbox *box = mailbox_of(t, ga);
  uint64_t polls;
  struct goacp_mail_slot *s = box == NULL ? NULL : claim(t, box, GOACP_MAIL_ATOMIC, &polls);
  if (s == NULL)
    return 0;
  s->kind = GOACP_MAIL_ATOMIC;
  s->op = (uint8_t)op;
  s->width = (uint8_t)width;
  s->pos = goacp_position_of(ga);
  s->data[0] = operand;
  s->data[1] = compare;
  if (!post(box, s, polls))
    return 0;
  *old = s->data[0];
  set_state(s, GOACP_MAIL_FREE);
  return 1;
}
