// Channels. While nothing is queued between two processes of one host, C does the work: the sender
// puts a record into the ring and, if its message is long, spins for a while until the receiver has
// taken it. The receiver takes the record out, or polls for it for a while. Go does everything else. It works on the
// same endpoints and holds their locks.
//
// Mirrors internal/memory/ring: take is Endpoint.TryTake and Usable, fits, put, ready, payload and
// front are Fits, Put, Valid, Payload and Peek (endpoint.go), get ends as Remove and Ring.Reached
// (ring.go) do, was_sent is Ends (request.go). The functions around them mirror internal/structure/channel: emit is
// Channel.Send and emit (channel.go, sender.go), get is receive (receiver.go) and copy_long fetchDirect (fetch.go),
// await and await_taken spin as Request.spin and spinTime (wait.go) do.
//
// docs/performance.md measures it as "one host: channel, half round trip of 8 B" and "stream of 1 MiB".

#define _GNU_SOURCE // process_vm_readv

#include "_cgo_export.h"
#include "acp.h"
#include "atomics.h"
#include "direct.h"
#include "spin.h"
#include "traffic.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/uio.h>

static struct goacp_channels *channels(void) {
  const struct goacp_direct *t = goacp_direct();
  return t == NULL ? NULL : goacp_load_acquire(&t->channels);
}

// Takes the lock of the endpoint with this handle if it is free and the endpoint has
// exactly these properties, GOACP_FAR aside. Otherwise returns NULL.
static inline struct goacp_endpoint *take(struct goacp_channels *t, uint64_t handle,
                                          uint32_t properties) {
  if (t == NULL)
    return NULL;
  struct goacp_endpoint *e = &t->slots[handle & (GOACP_MAX_ENDPOINTS - 1)];
  uint32_t free = 0;
  if (!goacp_compare_exchange_acquire(&e->lock, &free, 1))
    return NULL;
  uint64_t want = handle >> GOACP_SLOT_BITS << GOACP_FLAG_BITS | properties;
  if ((goacp_load_relaxed(&e->flags) & ~(uint32_t)GOACP_FAR) == want)
    return e;
  goacp_store_release(&e->lock, 0);
  return NULL;
}

static inline void drop(struct goacp_endpoint *e) {
  goacp_store_release(&e->lock, 0);
}

static inline char *data(const struct goacp_endpoint *e) { return (char *)(e->ring + 1); }

// The offset n bytes after the end of this side.
static inline uint32_t behind(const struct goacp_endpoint *e, uint32_t n) {
  uint32_t at = e->at + n;
  return at >= e->size ? at - e->size : at;
}

static inline uint32_t span(uint64_t size) { return 8 + (((uint32_t)size + 7) & ~7u); }

// Whether a record of n bytes can be put in, and the word that ends the records.
static inline int fits(struct goacp_endpoint *e, uint32_t n) {
  if (e->size - (e->pos - e->seen) >= n + 8)
    return 1;
  e->seen = goacp_load_acquire(&e->ring->head);
  return e->size - (e->pos - e->seen) >= n + 8;
}

// Puts a record with n bytes of payload into the ring, where it fits, and returns when this side
// has to wake the receiver.
static inline uint32_t put(struct goacp_endpoint *e, uint64_t record, const void *payload,
                           size_t bytes) {
  char *d = data(e);
  uint32_t at = behind(e, 8), n = span(bytes);
  size_t first = e->size - at;
  if (bytes <= first) {
    memcpy(d + at, payload, bytes);
  } else {
    memcpy(d + at, payload, first);
    memcpy(d, (const char *)payload + first, bytes - first);
  }
  uint32_t next = behind(e, n);
  goacp_store_relaxed((uint64_t *)(d + next), 0);
  goacp_store_release((uint64_t *)(d + e->at), record);
  // Either this side sees what the receiver has written to want, or the receiver sees the record,
  // because it polls once more after that. A fence is faster here than a sequentially consistent store: that store
  // would wait for the stores before it, and the receiver would take the cache line in between.
  goacp_fence_seq_cst();
  e->at = next;
  e->pos += n;
  return goacp_load_relaxed(&e->ring->want);
}

static inline uint64_t record(uint64_t size, int kind) {
  return size << GOACP_KIND_BITS | (uint64_t)kind;
}

// Whether the record of a long message has been taken out. request and carried are counts of bytes that this sender
// and earlier senders have put in.
static inline int taken(const struct goacp_ring *ring, uint64_t carried, uint64_t request) {
  uint64_t head = carried + goacp_load_acquire(&ring->head);
  return ((head / 8 - request) >> (GOACP_END_BITS - 1) & 1) == 0;
}

// How often a sender polls before it wakes a receiver that is about to park. Polling takes less time than waking the
// receiver, and a receiver that has just posted a receive may begin to poll meanwhile.
enum { GOACP_POLLS_BEFORE_WAKE = 32 };

// Whether the receiver does not need help with a long message.
static int is_polled(const struct goacp_endpoint *e, uint64_t request) {
  const struct goacp_ring *ring = e->ring;
  for (int i = 0; i < GOACP_POLLS_BEFORE_WAKE; i++) {
    if (goacp_load_relaxed(&ring->polling) != 0 ||
        taken(ring, e->request, request))
      return 1;
    goacp_pause();
  }
  return 0;
}

// Whether a process can have that much memory there. If not, Go reports the error.
static inline int is_memory(const void *buf, size_t size) {
  return (buf != NULL || size == 0) && size <= GOACP_MAX_MESSAGE;
}

// Counts a message that was put into the ring, if this process counts.
static inline void count_message(const struct goacp_endpoint *e, size_t size) {
  const struct goacp_direct *t = goacp_direct();
  struct goacp_traffic *of = t == NULL ? NULL : goacp_traffic(t);
  if (__builtin_expect(of != NULL, 0))
    goacp_count(of, e->peer, GOACP_TRAFFIC_MESSAGE, GOACP_TRAFFIC_SHM, size);
}

// Puts a message, or its address, into the ring and returns the handle of the request, or 0 if Go has to do it. *wake
// becomes 1 if this side has to wake the receiver.
static inline uint64_t emit(struct goacp_endpoint *e, uint64_t handle, const void *buf,
                            size_t size, int *wake) {
  if (!is_memory(buf, size))
    return 0;
  if (size <= e->eager) {
    if (!fits(e, span(size)))
      return 0;
    *wake = put(e, record(size, GOACP_EAGER), buf, size) == GOACP_WANT_ALL;
    count_message(e, size);
    return GOACP_FINISHED;
  }
  if (goacp_load_relaxed(&e->ring->direct) == 0 || !fits(e, span(8)))
    return 0;
  e->capacity = size;
  uint32_t want = put(e, record(size, GOACP_DIRECT), &buf, 8);
  count_message(e, size);
  uint64_t slot = handle & (GOACP_MAX_ENDPOINTS - 1);
  uint64_t request = GOACP_SENT_BY_C | slot << GOACP_END_BITS |
                     ((e->request + e->pos) / 8 & (((uint64_t)1 << GOACP_END_BITS) - 1));
  *wake = want == GOACP_WANT_ALL || (want == GOACP_WANT_HELP && !is_polled(e, request));
  return request;
}

GOACP_RARE acp_request_t send_by_go(acp_ch_t ch, void *buf, size_t size) {
  return (acp_request_t)GO_FOR("acp_nbsend_ch", nbsend_ch, ((uintptr_t)ch, buf, size), ch,
                               buf, size);
}

GOACP_RARE void wake_other_end(uint64_t ch) { GO_WITH(wake_ch, (ch), ch); }

acp_request_t acp_nbsend_ch(acp_ch_t ch, void *buf, size_t size) {
  uint64_t handle = (uintptr_t)ch;
  struct goacp_endpoint *e = take(channels(), handle, GOACP_SENDER | GOACP_FAST_PATH);
  if (e != NULL) {
    int wake = 0;
    uint64_t request = emit(e, handle, buf, size, &wake);
    drop(e);
    if (wake)
      wake_other_end(handle);
    if (request != 0)
      return (acp_request_t)request;
  }
  return BY_GO(send_by_go(ch, buf, size));
}

// The word in front of the first record of the ring, 0 if there is no record.
static inline uint64_t *front(const struct goacp_endpoint *e) { return (uint64_t *)(data(e) + e->at); }

static inline int kind(uint64_t record) {
  return (int)(record & ((1u << GOACP_KIND_BITS) - 1));
}

// Whether a record is a message that can be taken here. The other process may have written anything. Go reports
// errors.
static inline int ready(const struct goacp_endpoint *e, uint64_t record) {
  uint64_t size = record >> GOACP_KIND_BITS;
  return (kind(record) == GOACP_EAGER && size <= e->eager) ||
         (kind(record) == GOACP_DIRECT && size <= GOACP_MAX_MESSAGE);
}

// Copies the first n bytes of the payload of the first record to buf.
static inline void payload(const struct goacp_endpoint *e, void *buf, size_t n) {
  const char *d = data(e);
  uint32_t at = behind(e, 8);
  size_t first = e->size - at;
  if (n <= first) {
    memcpy(buf, d + at, n);
  } else {
    memcpy(buf, d + at, first);
    memcpy((char *)buf + first, d, n - first);
  }
}

// Copies the first n bytes of the message of the first record to buf. Returns 0 if that fails. Go could do it as
// well, but during a system call of Go the scheduler of goroutines uses the processor.
static int copy_long(const struct goacp_channels *t, const struct goacp_endpoint *e, char *buf,
                     size_t n) {
  const struct goacp_source *source = &t->sources[e->peer];
  pid_t pid = (pid_t)goacp_load_relaxed(&source->pid);
  if (pid == 0)
    return 0;
  char *from;
  payload(e, &from, sizeof from);
  for (size_t done = 0; done < n;) {
    struct iovec here = {buf + done, n - done}, there = {from + done, n - done};
    ssize_t got = process_vm_readv(pid, &here, 1, &there, 1, 0);
    if (got > 0)
      done += (size_t)got;
    else if (got == 0 || errno != EINTR)
      return 0;
  }
  // Another process may have the same id by now. Its memory does not hold the message.
  struct pollfd ended = {.fd = goacp_load_relaxed(&source->fd), .events = POLLIN};
  return poll(&ended, 1, 0) == 0;
}

// Takes the first record, rec, which is ready, out of the ring, and copies its message to buf, as far as it fits.
// *stored is the number of bytes copied, and *wake becomes 1 if this side has to wake the sender. Returns 0 if Go has
// to do it: Go then reports the error.
static inline int get(const struct goacp_channels *t, struct goacp_endpoint *e, uint64_t rec,
                      void *buf, size_t capacity, size_t *stored, int *wake) {
  uint64_t size = rec >> GOACP_KIND_BITS;
  uint32_t whole = span(size);
  *stored = size < capacity ? size : capacity;
  if (kind(rec) == GOACP_EAGER) {
    payload(e, buf, *stored);
  } else {
    whole = span(8);
    goacp_store_relaxed(&e->ring->polling, 1); // no help is needed
    int done = copy_long(t, e, buf, *stored);
    goacp_store_relaxed(&e->ring->polling, 0);
    if (!done)
      return 0;
  }
  e->at = behind(e, whole);
  e->pos += whole;
  goacp_store_seq_cst(&e->ring->head, e->pos);
  uint64_t goal = goacp_load_seq_cst(&e->ring->goal);
  *wake = goal != GOACP_NO_GOAL && e->pos >= goal &&
          goacp_compare_exchange_seq_cst(&e->ring->goal, &goal, GOACP_NO_GOAL);
  return 1;
}

// Posts a receive for which there is no message yet and returns its handle, or 0 if Go has
// to do it.
static inline uint64_t post(struct goacp_channels *t, struct goacp_endpoint *e, void *buf,
                            size_t capacity) {
  if (e->request != 0 || goacp_load_relaxed(&t->running) == 0)
    return 0;
  // In this order: this side sees a record that arrived before it wrote want, and the sender of any later record sees
  // the new want. want stays set, so that the sender keeps it in its cache. If the sender wakes this side without
  // need, Go resets want.
  if (goacp_load_relaxed(&e->ring->want) != GOACP_WANT_HELP)
    goacp_store_seq_cst(&e->ring->want, GOACP_WANT_HELP);
  if (goacp_load_seq_cst(front(e)) != 0)
    return 0;
  if (++e->count == 0)
    e->count = 1;
  e->buf = buf;
  e->capacity = capacity;
  e->request = (uint64_t)(e - t->slots) << GOACP_OWNER_SHIFT | e->count;
  return e->request;
}

GOACP_RARE acp_request_t receive_by_go(acp_ch_t ch, void *buf, size_t size) {
  return (acp_request_t)GO_FOR("acp_nbrecv_ch", nbrecv_ch, ((uintptr_t)ch, buf, size), ch,
                               buf, size);
}

acp_request_t acp_nbrecv_ch(acp_ch_t ch, void *buf, size_t size) {
  struct goacp_channels *t = channels();
  struct goacp_endpoint *e = take(t, (uintptr_t)ch, GOACP_FAST_PATH);
  if (e != NULL) {
    int wake = 0;
    uint64_t request = 0;
    size_t stored;
    uint64_t rec = goacp_load_acquire(front(e));
    if (!is_memory(buf, size))
      request = 0;
    else if (e->request != 0 || !ready(e, rec))
      request = post(t, e, buf, size);
    else if (get(t, e, rec, buf, size, &stored, &wake))
      request = GOACP_FINISHED | stored;
    drop(e);
    if (wake)
      wake_other_end((uintptr_t)ch);
    if (request != 0)
      return (acp_request_t)request;
  }
  return BY_GO(receive_by_go(ch, buf, size));
}

// A thread that polls for the message of a posted receive.
struct poll_state {
  const struct goacp_channels *t;
  struct goacp_endpoint *e;
  uint64_t request;
  size_t result; // of the request, if found
  int polls, found, wake;
};

// The number of polls after which the thread sets the flag for the sender. If a message arrives earlier, it need not.
enum { GOACP_SILENT_POLLS = 32 };

// Sets the flag that the waiting thread polls, so that the sender need not wake it. The flag ends with the request,
// or when Go takes the request over: Go then polls once more.
static void tell_sender(struct goacp_endpoint *e, uint64_t request) {
  uint32_t free = 0;
  if (!goacp_compare_exchange_acquire(&e->lock, &free, 1))
    return;
  if (e->request == request)
    goacp_store_relaxed(&e->ring->polling, 1);
  drop(e);
}

// Takes the message if it has come. Returns whether polling is over.
static inline int poll_once(struct poll_state *s) {
  struct goacp_endpoint *e = s->e;
  if (goacp_load_relaxed(&e->request) != s->request)
    return 1; // Go has taken it over
  if (++s->polls == GOACP_SILENT_POLLS)
    tell_sender(e, s->request);
  struct goacp_ring *ring = goacp_load_relaxed(&e->ring);
  uint32_t at = goacp_load_relaxed(&e->at);
  if (ring == NULL ||
      goacp_load_acquire((uint64_t *)((char *)(ring + 1) + at)) == 0)
    return 0;
  uint32_t free = 0;
  if (!goacp_compare_exchange_acquire(&e->lock, &free, 1))
    return 0;
  uint64_t rec = e->request == s->request ? goacp_load_acquire(front(e)) : 0;
  if (rec != 0 && ready(e, rec) && get(s->t, e, rec, e->buf, e->capacity, &s->result, &s->wake)) {
    e->request = 0;
    if (s->polls >= GOACP_SILENT_POLLS)
      goacp_store_relaxed(&e->ring->polling, 0);
    s->found = 1;
  }
  drop(e);
  return 1;
}

// GOACP_AWAIT_LONGER without yielding, which may take milliseconds, if threads limit the time of their calls.
#define AWAIT(load, longer, condition)                                         \
  do {                                                                         \
    uint64_t allowed_ = goacp_may_spin(load);                                  \
    if (!goacp_limited())                                                      \
      GOACP_AWAIT_LONGER(load, longer, condition);                             \
    else if (allowed_ != 0)                                                    \
      GOACP_SPIN_UNTIL(allowed_ + (longer), condition);                        \
  } while (0)

// Waits for a receive that C has posted and Go has not taken over. Returns whether it is
// finished. Then *result is its result.
static int await(struct goacp_channels *t, uint64_t request, size_t *result) {
  uint64_t slot = request >> GOACP_OWNER_SHIFT;
  if (t == NULL || request == 0 || slot >= GOACP_MAX_ENDPOINTS)
    return 0;
  struct poll_state s = {.t = t, .e = &t->slots[slot], .request = request};
  if (goacp_load_relaxed(&s.e->request) != request ||
      (goacp_load_relaxed(&s.e->flags) & (GOACP_FAR | GOACP_SENDER)) != 0)
    return 0;
  AWAIT(t->load, 0, poll_once(&s));
  if (!s.found)
    return 0;
  if (s.wake)
    wake_other_end((uint64_t)(s.e->flags >> GOACP_FLAG_BITS) << GOACP_SLOT_BITS | slot);
  *result = s.result;
  return 1;
}

// Whether the record that ends at the offset of request has been put in.
static int was_sent(const struct goacp_endpoint *e, uint64_t request) {
  uint64_t all = goacp_load_relaxed(&e->request) + goacp_load_relaxed(&e->pos);
  return ((all / 8 - request) & (((uint64_t)1 << GOACP_END_BITS) - 1)) < all / 8;
}

// Waits until a long message that C has sent has been taken. Returns whether it has, and
// could be read.
static int await_taken(struct goacp_channels *t, uint64_t request) {
  if (t == NULL || (request & ~(GOACP_SENT_BY_C - 1)) != GOACP_SENT_BY_C)
    return 0;
  struct goacp_endpoint *e =
      &t->slots[request >> GOACP_END_BITS & (GOACP_MAX_ENDPOINTS - 1)];
  struct goacp_ring *ring = goacp_load_relaxed(&e->ring);
  if (ring == NULL || (goacp_load_relaxed(&e->flags) & GOACP_SENDER) == 0 ||
      !was_sent(e, request))
    return 0;
  uint64_t carried = goacp_load_relaxed(&e->request);
  uint64_t longer = goacp_load_relaxed(&e->capacity) / GOACP_BYTES_PER_SPIN;
  if (longer > GOACP_LONG_SPIN)
    longer = GOACP_LONG_SPIN;
  AWAIT(t->load, longer, taken(ring, carried, request));
  // In this order: the receiver records a message that it could not read before it takes the message out.
  return taken(ring, carried, request) &&
         (goacp_load_relaxed(&ring->lost) | goacp_load_relaxed(&ring->broken)) == 0;
}

// Waits for a request if C can. Returns whether it has succeeded; then *result is the result of the
// request.
static int wait_here(acp_request_t request, size_t *result) {
  uint64_t handle = (uintptr_t)request;
  if (handle - GOACP_FINISHED <= GOACP_MAX_MESSAGE &&
      goacp_load_relaxed(&goacp_process.place) != 0) {
    *result = handle - GOACP_FINISHED;
    return 1;
  }
  if (await_taken(channels(), handle)) {
    *result = 0;
    return 1;
  }
  return await(channels(), handle, result);
}

GOACP_RARE size_t wait_by_go(acp_request_t request) {
  return GO_FOR("acp_wait_ch", wait_ch, ((uintptr_t)request, 1), request);
}

size_t acp_wait_ch(acp_request_t request) {
  size_t result;
  return wait_here(request, &result) ? result : BY_GO(wait_by_go(request));
}

// Whether acp_waitall_ch can begin.
static int can_wait(const acp_request_t *requests, int count) {
  return goacp_load_relaxed(&goacp_process.place) != 0 && count >= 0 &&
         (requests != NULL || count == 0);
}

int acp_waitall_ch(acp_request_t *requests, int count, size_t *sizes) {
  if (!can_wait(requests, count))
    return GO(waitall_ch, requests, count, sizes);
  int status = 0;
  for (int i = 0; i < count; i++) {
    size_t size;
    if (!wait_here(requests[i], &size))
      size = GO_WITH(wait_ch, ((uintptr_t)requests[i], 0), requests, count, sizes);
    if (size == (size_t)-1)
      status = -1;
    if (sizes != NULL)
      sizes[i] = size;
  }
  return status;
}

acp_ch_t acp_create_ch(int sender, int receiver) {
  return (acp_ch_t)GO(create_ch, sender, receiver);
}

acp_request_t acp_nbfree_ch(acp_ch_t ch) {
  return (acp_request_t)GO_WITH(nbfree_ch, ((uintptr_t)ch), ch);
}

int acp_free_ch(acp_ch_t ch) {
  uint64_t request = GO_WITH(nbfree_ch, ((uintptr_t)ch), ch);
  if (request == 0)
    return -1;
  size_t result;
  if (!wait_here((acp_request_t)request, &result))
    result = GO_WITH(wait_ch, (request, 0), ch);
  return result == 0 ? 0 : -1;
}
