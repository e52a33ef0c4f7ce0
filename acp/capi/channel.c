// Channels. What two processes on one host do with short messages while nothing is
// queued is done here: the sender puts a record into the ring, the receiver takes it out
// or waits for it for a while. So is the copying of long messages by a receiver, because
// a system call in Go costs processor time as long as it takes: the scheduler of
// goroutines looks after it. Everything else is Go's: it works on the same endpoints and
// holds their locks meanwhile.

#define _GNU_SOURCE // process_vm_readv

#include "channel.h"
#include "_cgo_export.h"
#include "acp.h"
#include "look.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

static struct goacp_channels *channels(void) {
  const struct goacp_direct *t = goacp_direct();
  return t == NULL ? NULL : __atomic_load_n(&t->channels, __ATOMIC_ACQUIRE);
}

// Takes the lock of the endpoint with this name if it is free and the endpoint has
// exactly these properties, GOACP_FAR aside. Otherwise returns NULL.
static inline struct goacp_endpoint *take(struct goacp_channels *t, uint64_t name,
                                          uint32_t properties) {
  if (t == NULL)
    return NULL;
  struct goacp_endpoint *e = &t->at[name & ((1u << GOACP_SLOT_BITS) - 1)];
  uint32_t free = 0;
  if (!__atomic_compare_exchange_n(&e->lock, &free, 1, 0, __ATOMIC_ACQUIRE,
                                   __ATOMIC_RELAXED))
    return NULL;
  uint64_t want = name >> GOACP_SLOT_BITS << GOACP_FLAG_BITS | properties;
  if ((__atomic_load_n(&e->flags, __ATOMIC_RELAXED) & ~(uint32_t)GOACP_FAR) == want)
    return e;
  __atomic_store_n(&e->lock, 0, __ATOMIC_RELEASE);
  return NULL;
}

static inline void drop(struct goacp_endpoint *e) {
  __atomic_store_n(&e->lock, 0, __ATOMIC_RELEASE);
}

static inline char *data(const struct goacp_endpoint *e) { return (char *)(e->ring + 1); }

// The place n bytes behind the end of this side.
static inline uint32_t behind(const struct goacp_endpoint *e, uint32_t n) {
  uint32_t at = e->at + n;
  return at >= e->size ? at - e->size : at;
}

static inline uint32_t span(uint64_t size) { return 8 + (((uint32_t)size + 7) & ~7u); }

// Whether a record of n bytes can be put in, and the word that ends the records.
static inline int fits(struct goacp_endpoint *e, uint32_t n) {
  if (e->size - (e->pos - e->seen) >= n + 8)
    return 1;
  e->seen = __atomic_load_n(&e->ring->head, __ATOMIC_ACQUIRE);
  return e->size - (e->pos - e->seen) >= n + 8;
}

// Puts a message into the ring, where it fits, and returns when the receiver wants to be
// called.
static inline uint32_t put(struct goacp_endpoint *e, const void *buf, size_t size) {
  char *d = data(e);
  uint32_t at = behind(e, 8), n = span(size);
  size_t first = e->size - at;
  if (size <= first) {
    memcpy(d + at, buf, size);
  } else {
    memcpy(d + at, buf, first);
    memcpy(d, (const char *)buf + first, size - first);
  }
  uint32_t next = behind(e, n);
  __atomic_store_n((uint64_t *)(d + next), 0, __ATOMIC_RELAXED);
  __atomic_store_n((uint64_t *)(d + e->at),
                   (uint64_t)size << GOACP_KIND_BITS | GOACP_EAGER, __ATOMIC_RELEASE);
  // Either this side sees the wish of the receiver or the receiver, looking once more
  // after it has stated its wish, sees the record. A fence, since a store that waits for
  // those before it would lose the cache line to the receiver in between.
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  e->at = next;
  e->pos += n;
  return __atomic_load_n(&e->ring->want, __ATOMIC_RELAXED);
}

acp_request_t acp_nbsend_ch(acp_ch_t ch, void *buf, size_t size) {
  struct goacp_endpoint *e =
      take(channels(), (uintptr_t)ch, GOACP_SENDER | GOACP_QUICK);
  if (e != NULL) {
    if (size <= e->eager && fits(e, span(size))) {
      uint32_t want = put(e, buf, size);
      drop(e);
      if (want == GOACP_WANT_ALL)
        goacp_call_ch((uintptr_t)ch);
      return (acp_request_t)GOACP_FINISHED;
    }
    drop(e);
  }
  return (acp_request_t)goacp_nbsend_ch((uintptr_t)ch, buf, size);
}

// The first record of the ring, 0 if there is none.
static inline uint64_t peek(const struct goacp_endpoint *e, int order) {
  return __atomic_load_n((uint64_t *)(data(e) + e->at), order);
}

// Whether the ring holds a message that was put in whole.
static inline int ready(const struct goacp_endpoint *e) {
  return (peek(e, __ATOMIC_ACQUIRE) & ((1u << GOACP_KIND_BITS) - 1)) == GOACP_EAGER;
}

// Takes the first record, which takes n bytes, out of the ring. Returns whether the sender
// waits for that.
static inline int take_out(struct goacp_endpoint *e, uint32_t n) {
  e->at = behind(e, n);
  e->pos += n;
  __atomic_store_n(&e->ring->head, e->pos, __ATOMIC_SEQ_CST);
  uint64_t goal = __atomic_load_n(&e->ring->goal, __ATOMIC_SEQ_CST);
  return goal != GOACP_NO_GOAL && e->pos >= goal &&
         __atomic_compare_exchange_n(&e->ring->goal, &goal, GOACP_NO_GOAL, 0,
                                     __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

// Takes that message out, and as much of it as there is room for to buf, and returns the
// bytes stored. *call tells whether the sender waits for that.
static inline size_t get(struct goacp_endpoint *e, void *buf, size_t room, int *call) {
  char *d = data(e);
  uint64_t size = *(const uint64_t *)(d + e->at) >> GOACP_KIND_BITS;
  size_t n = size < room ? size : room;
  uint32_t at = behind(e, 8);
  size_t first = e->size - at;
  if (n <= first) {
    memcpy(buf, d + at, n);
  } else {
    memcpy(buf, d + at, first);
    memcpy((char *)buf + first, d, n - first);
  }
  *call = take_out(e, span(size));
  return n;
}

// A long message at the beginning of a ring.
struct message {
  uint64_t mark; // pos of the endpoint
  uint64_t pos;  // where the message lies
  uint64_t n;    // bytes of it that there is room for
  uint32_t peer;
};

// Longer messages are Go's, so that nobody holds the lock of an endpoint for long.
enum { GOACP_LONGEST = 4 << 20 };

// Whether the ring begins with a long message that is to be copied here. The caller holds
// the lock.
static int begins_long(const struct goacp_endpoint *e, size_t room, struct message *m) {
  uint64_t record = peek(e, __ATOMIC_ACQUIRE), size = record >> GOACP_KIND_BITS;
  if ((record & ((1u << GOACP_KIND_BITS) - 1)) != GOACP_LARGE)
    return 0;
  m->n = size < room ? size : room;
  if (m->n == 0 || m->n > GOACP_LONGEST)
    return 0;
  m->mark = e->pos;
  m->pos = *(const uint64_t *)(data(e) + behind(e, 8));
  m->peer = e->peer;
  return 1;
}

// Copies n bytes from an address of a process, or of this one if pid is 0. Returns 0 if
// that failed.
static int copy_from(int pid, uint64_t addr, char *to, size_t n) {
  char *from = (char *)(uintptr_t)addr;
  if (pid == 0) {
    memcpy(to, from, n);
    return 1;
  }
  for (size_t done = 0; done < n;) {
    struct iovec here = {to + done, n - done}, there = {from + done, n - done};
    ssize_t got = process_vm_readv(pid, &here, 1, &there, 1, 0);
    if (got > 0)
      done += (size_t)got;
    else if (got == 0 || errno != EINTR)
      return 0;
  }
  return 1;
}

// Copies the long message m, which has been seen at the endpoint with this name, to buf,
// for the request that C has posted there, or for none if request is 0. Returns 0 if that
// is left to Go, which then also finds out what is wrong.
static int copy_long(struct goacp_channels *t, uint64_t name, uint64_t request,
                     const struct message *m, void *buf) {
  uint64_t addr;
  int pid;
  // Not with the lock: other threads of Go may wait for it in a loop.
  if (!goacp_source_ch(m->peer, m->pos, m->n, &addr, &pid))
    return 0;
  struct goacp_endpoint *e = take(t, name, GOACP_QUICK);
  if (e == NULL)
    return 0;
  int call = 0;
  int done = e->pos == m->mark && e->request == request && copy_from(pid, addr, buf, m->n);
  if (done) {
    e->request = 0;
    __atomic_store_n(&e->ring->looking, 0, __ATOMIC_RELAXED);
    call = take_out(e, 16);
  }
  drop(e);
  if (call)
    goacp_call_ch(name);
  return done;
}

// Notes a receive for which there is no message yet and returns its name, or 0 if Go has
// to do it.
static inline uint64_t post(struct goacp_channels *t, struct goacp_endpoint *e, void *buf,
                            size_t room) {
  if (e->request != 0 || __atomic_load_n(&t->running, __ATOMIC_RELAXED) == 0)
    return 0;
  // In this order: a record that comes before the wish is seen now, the sender of any
  // other sees the wish. It stands from then on, so that the sender keeps it in its cache;
  // Go takes it back if it is called in vain.
  if (__atomic_load_n(&e->ring->want, __ATOMIC_RELAXED) != GOACP_WANT_HELP)
    __atomic_store_n(&e->ring->want, GOACP_WANT_HELP, __ATOMIC_SEQ_CST);
  if (peek(e, __ATOMIC_SEQ_CST) != 0)
    return 0;
  if (++e->count == 0)
    e->count = 1;
  e->buf = buf;
  e->room = room;
  e->request = (uint64_t)(e - t->at) << GOACP_OWNER_SHIFT | e->count;
  return e->request;
}

acp_request_t acp_nbrecv_ch(acp_ch_t ch, void *buf, size_t size) {
  struct goacp_channels *t = channels();
  struct goacp_endpoint *e = take(t, (uintptr_t)ch, GOACP_QUICK);
  if (e != NULL) {
    int call = 0, is_long = 0;
    uint64_t request = 0;
    struct message m;
    if (e->request == 0 && ready(e))
      request = GOACP_FINISHED | get(e, buf, size, &call);
    else if (e->request == 0 && begins_long(e, size, &m))
      is_long = 1;
    else
      request = post(t, e, buf, size);
    drop(e);
    if (is_long && copy_long(t, (uintptr_t)ch, 0, &m, buf))
      request = GOACP_FINISHED | m.n;
    if (call)
      goacp_call_ch((uintptr_t)ch);
    if (request != 0)
      return (acp_request_t)request;
  }
  return (acp_request_t)goacp_nbrecv_ch((uintptr_t)ch, buf, size);
}

// Looks whether the message for a posted receive has come and takes it. Returns whether
// the looking is over; then *result is what there is to return, if anything.
struct looking {
  struct goacp_endpoint *e;
  uint64_t request;
  size_t result;
  int looks, found, call;
  int is_long; // message is, and to be copied to buf
  struct message message;
  void *buf;
};

// After how many looks to say so: those who find a message before need not.
enum { GOACP_LOOKS_UNSAID = 32 };

// Says that whoever waits looks, so that he need not be called. That ends with the
// request, or when Go takes it over, which then looks once more.
static void say(struct goacp_endpoint *e, uint64_t request) {
  uint32_t free = 0;
  if (!__atomic_compare_exchange_n(&e->lock, &free, 1, 0, __ATOMIC_ACQUIRE,
                                   __ATOMIC_RELAXED))
    return;
  if (e->request == request)
    __atomic_store_n(&e->ring->looking, 1, __ATOMIC_RELAXED);
  drop(e);
}

static inline int look_once(struct looking *l) {
  struct goacp_endpoint *e = l->e;
  if (__atomic_load_n(&e->request, __ATOMIC_RELAXED) != l->request)
    return 1; // Go has taken it over
  if (++l->looks == GOACP_LOOKS_UNSAID)
    say(e, l->request);
  struct goacp_ring *ring = __atomic_load_n(&e->ring, __ATOMIC_RELAXED);
  uint32_t at = __atomic_load_n(&e->at, __ATOMIC_RELAXED);
  if (ring == NULL ||
      __atomic_load_n((uint64_t *)((char *)(ring + 1) + at), __ATOMIC_ACQUIRE) == 0)
    return 0;
  uint32_t free = 0;
  if (!__atomic_compare_exchange_n(&e->lock, &free, 1, 0, __ATOMIC_ACQUIRE,
                                   __ATOMIC_RELAXED))
    return 0;
  if (e->request == l->request && ready(e)) {
    l->result = get(e, e->buf, e->room, &l->call);
    e->request = 0;
    if (l->looks >= GOACP_LOOKS_UNSAID)
      __atomic_store_n(&e->ring->looking, 0, __ATOMIC_RELAXED);
    l->found = 1;
  } else if (e->request == l->request && begins_long(e, e->room, &l->message)) {
    l->buf = e->buf;
    l->is_long = 1;
  }
  drop(e);
  return 1;
}

// Waits for a receive that C has posted and Go has not taken over. Returns whether it is
// finished.
static int await(struct goacp_channels *t, uint64_t request, size_t *result) {
  uint64_t slot = request >> GOACP_OWNER_SHIFT;
  if (t == NULL || request == 0 || slot >> GOACP_SLOT_BITS != 0)
    return 0;
  struct looking l = {.e = &t->at[slot], .request = request};
  if (__atomic_load_n(&l.e->request, __ATOMIC_RELAXED) != request ||
      (__atomic_load_n(&l.e->flags, __ATOMIC_RELAXED) & GOACP_FAR) != 0)
    return 0;
  GOACP_LOOK(t->spin, look_once(&l));
  uint64_t name = (uint64_t)(l.e->flags >> GOACP_FLAG_BITS) << GOACP_SLOT_BITS | slot;
  if (l.is_long && copy_long(t, name, request, &l.message, l.buf)) {
    *result = l.message.n;
    return 1;
  }
  if (!l.found)
    return 0;
  if (l.call)
    goacp_call_ch(name);
  *result = l.result;
  return 1;
}

size_t acp_wait_ch(acp_request_t request) {
  uint64_t name = (uintptr_t)request;
  size_t result;
  if ((name & GOACP_FINISHED) != 0)
    return name & ~GOACP_FINISHED;
  if (await(channels(), name, &result))
    return result;
  return goacp_wait_ch(name);
}

int acp_waitall_ch(acp_request_t *requests, int count, size_t *sizes) {
  int status = 0;
  for (int i = 0; i < count; i++) {
    size_t size = acp_wait_ch(requests[i]);
    if (size == (size_t)-1)
      status = -1;
    if (sizes != NULL)
      sizes[i] = size;
  }
  return status;
}

acp_ch_t acp_create_ch(int sender, int receiver) {
  return (acp_ch_t)goacp_create_ch(sender, receiver);
}

acp_request_t acp_nbfree_ch(acp_ch_t ch) {
  return (acp_request_t)goacp_nbfree_ch((uintptr_t)ch);
}

int acp_free_ch(acp_ch_t ch) {
  acp_request_t request = acp_nbfree_ch(ch);
  return request != ACP_REQUEST_NULL && acp_wait_ch(request) == 0 ? 0 : -1;
}
