// Copies and atomics. If both addresses are mapped and nothing is in flight, C makes the access: a
// call into Go would cost more than the access itself. Go does everything else, and reports the
// errors.
//
// Mirrors acp/access.go: acp_copy is Process.Copy with copyElsewhere, the atomics are
// Process.atomic with atomicElsewhere, and the atomic instructions are those of
// internal/fabric/apply.go. Addresses are found by direct.h. mail.c reaches other ranks of the host.
//
// docs/performance.md measures it as "one host: put 8 B", likewise get, add8, cas8 and third-party copy, "own
// registered memory: put 8 B", and the rows of windows.

#include "_cgo_export.h"
#include "acp.h"
#include "atomics.h"
#include "direct.h"
#include "mail.h"
#include "readers.h"
#include "submission.h"
#include "traffic.h"

// Counts a copy if this process counts. Not inlined, so that it costs other processes only one branch.
static __attribute__((noinline)) acp_handle_t count_copy(struct goacp_direct *t, uint64_t dst,
                                                         uint64_t src, int path, uint64_t n) {
  goacp_count_copy(t, goacp_traffic(t), dst, src, path, n);
  return goacp_next(t);
}

// Counts an atomic, likewise.
static __attribute__((noinline)) acp_handle_t count_atomic(struct goacp_direct *t, uint64_t src,
                                                           int path, uint64_t width) {
  goacp_count_rank(goacp_traffic(t), goacp_rank_of(src), GOACP_TRAFFIC_ATOMIC, path, width);
  return goacp_next(t);
}

// Ends a copy that C has made: counts it if this process counts, and returns its handle.
static inline acp_handle_t copied(struct goacp_direct *t, uint64_t dst, uint64_t src, int path,
                                  uint64_t n) {
  if (__builtin_expect(goacp_traffic(t) != NULL, 0))
    return count_copy(t, dst, src, path, n);
  return goacp_next(t);
}

// Ends an atomic, likewise.
static inline acp_handle_t atomic_done(struct goacp_direct *t, uint64_t src, int path,
                                       uint64_t width) {
  if (__builtin_expect(goacp_traffic(t) != NULL, 0))
    return count_atomic(t, src, path, width);
  return goacp_next(t);
}

// The address of the n bytes at ga, or NULL if C cannot find them. If ga is registered
// memory of this process, the caller has begun a visit.
static inline void *find(const struct goacp_direct *t, uint64_t ga, uint64_t n) {
  void *p = goacp_at(t, ga, n);
  return p != NULL ? p : goacp_own(t, ga, n);
}

// The regions in pools that a thread used last, as destination and as source of GMAs. Most programs use a region many
// times, and a search costs almost half as much as a copy.
struct last {
  struct goacp_in_pool in;
  uint32_t published; // of goacp_process at that time; if it has changed, so have the mappings
};

static _Thread_local struct last last_dst, last_src
    __attribute__((tls_model("initial-exec")));

// Searches the table of the owner, and stores the region.
static __attribute__((noinline)) void *search_pool(const struct goacp_direct *t, uint64_t ga,
                                                   uint64_t n, struct last *l) {
  l->published = goacp_load_relaxed(&goacp_process.published);
  void *p = goacp_find_pooled(t, ga, n, &l->in);
  if (p == NULL)
    l->in.size = 0;
  return p;
}

// goacp_pooled that tries the last region of the thread first. It is still that if the owner has not
// changed its table.
static inline void *pooled(const struct goacp_direct *t, uint64_t ga, uint64_t n, struct last *l) {
  uint64_t offset = ga - l->in.first;
  if (offset < l->in.size && n <= l->in.size - offset &&
      l->published == goacp_load_relaxed(&goacp_process.published) &&
      goacp_load_relaxed(&t->procs) != 0 && goacp_load_acquire(&l->in.regions->seq) == l->in.seen)
    return l->in.here + offset;
  return search_pool(t, ga, n, l);
}

// Copies between memory of this process, if one of to and from is not NULL, and memory in a window. Returns 0 if Go
// has to copy.
static __attribute__((noinline)) int by_window(const struct goacp_direct *t,
                                               uint64_t dst, void *to,
                                               uint64_t src, const void *from,
                                               uint64_t n) {
  struct goacp_windows *w = goacp_load_relaxed(&t->windows);
  uint64_t far = from != NULL ? dst : src;
  if (w == NULL || (to == NULL) == (from == NULL) ||
      goacp_rank_of(far) >= goacp_load_relaxed(&t->procs))
    return 0;
  return from != NULL ? w->copy(w, far, (void *)from, n, 0)
                      : w->copy(w, far, to, n, 1);
}

// Copies between mapped memory, if one of to and from is not NULL, and memory of another rank that is not mapped.
// Sets *path. Returns 0 if Go has to copy.
static int by_peer(const struct goacp_direct *t, uint64_t dst, void *to, uint64_t src,
                   const void *from, uint64_t n, int *path) {
  *path = GOACP_TRAFFIC_SHM;
  if (to == NULL && from != NULL && goacp_mail_copy(t, dst, (void *)from, n, 0))
    return 1;
  if (from == NULL && to != NULL && goacp_mail_copy(t, src, to, n, 1))
    return 1;
  *path = GOACP_TRAFFIC_RMA;
  return by_window(t, dst, to, src, from, n);
}

// Copies if at least one of the two addresses is NULL: its memory is not in the table. Sets *path. Returns 0 if Go
// has to copy. Not inlined, so that copies of starter memory are not slower.
static __attribute__((noinline)) int copy_elsewhere(const struct goacp_direct *t,
                                                    uint64_t dst, void *to,
                                                    uint64_t src, const void *from,
                                                    uint64_t n, int *path) {
  if (to == NULL)
    to = pooled(t, dst, n, &last_dst);
  if (from == NULL)
    from = pooled(t, src, n, &last_src);
  *path = GOACP_TRAFFIC_SHM;
  if (to != NULL && from != NULL) {
    goacp_move(to, from, n);
    return 1;
  }
  int own_to = to == NULL && goacp_registered(t, dst);
  int own_from = from == NULL && goacp_registered(t, src);
  if (!own_to && !own_from)
    return by_peer(t, dst, to, src, from, n, path);
  struct goacp_visit v = goacp_begin_visit(t);
  if (own_to)
    to = goacp_own(t, dst, n);
  if (own_from)
    from = goacp_own(t, src, n);
  int done = 1;
  if (to != NULL && from != NULL)
    goacp_move(to, from, n);
  else
    done = by_peer(t, dst, to, src, from, n, path);
  goacp_end_visit(v);
  return done;
}

GOACP_RARE acp_handle_t copy_by_go(acp_ga_t dst, acp_ga_t src, size_t size,
                                   acp_handle_t order) {
  return GO_FOR("acp_copy", copy, (dst, src, size, order), dst, src, size, order);
}

acp_handle_t acp_copy(acp_ga_t dst, acp_ga_t src, size_t size,
                      acp_handle_t order) {
  struct goacp_direct *t = goacp_direct();
  if (goacp_idle(t)) {
    void *to = goacp_at(t, dst, size);
    const void *from = goacp_at(t, src, size);
    if (__builtin_expect(to != NULL && from != NULL, 1)) {
      goacp_move(to, from, size);
      return copied(t, dst, src, GOACP_TRAFFIC_SHM, size);
    }
    int path;
    if (copy_elsewhere(t, dst, to, src, from, size, &path))
      return copied(t, dst, src, path, size);
  } else if (goacp_submissions_open(t) && order == ACP_HANDLE_NULL) {
    acp_handle_t submitted = goacp_submit_copy(t, dst, src, size);
    if (submitted != ACP_HANDLE_NULL)
      return submitted;
  }
  return BY_GO(copy_by_go(dst, src, size, order));
}

// Whether MPI executes all atomics, in its windows.
static inline int far_atomics(const struct goacp_direct *t) {
  const struct goacp_windows *w = goacp_load_relaxed(&t->windows);
  return __builtin_expect(w != NULL, 0) && w->atomic != NULL;
}

// Where an atomic is done.
struct spot {
  void *to, *at; // of the result and of the integer
  int visiting;  // one of them can be registered memory
  struct goacp_visit visit;
};

// Begins a visit to dst and src, if one can be registered memory.
static inline void enter(const struct goacp_direct *t, acp_ga_t dst, acp_ga_t src,
                         struct spot *s) {
  s->visiting = goacp_registered(t, dst) || goacp_registered(t, src);
  if (s->visiting)
    s->visit = goacp_begin_visit(t);
}

// Ends it.
static inline void leave(const struct spot *s) {
  if (__builtin_expect(s->visiting, 0))
    goacp_end_visit(s->visit);
}

// Looks in pools for the addresses that are NULL in s. Returns 0 if one is not there.
static __attribute__((noinline)) int reach_pooled(const struct goacp_direct *t, acp_ga_t dst,
                                                  acp_ga_t src, uint64_t width, struct spot *s) {
  if (s->to == NULL)
    s->to = pooled(t, dst, width, &last_dst);
  if (s->at == NULL)
    s->at = pooled(t, src, width, &last_src);
  return s->to != NULL && s->at != NULL;
}

// Looks for the addresses that are NULL in s, in memory that is neither in the table nor in a pool. If C cannot find
// one, it ends the visit and returns 0.
static __attribute__((noinline)) int reach_elsewhere(const struct goacp_direct *t,
                                                     acp_ga_t dst, acp_ga_t src,
                                                     uint64_t width,
                                                     struct spot *s) {
  enter(t, dst, src, s);
  if (s->to == NULL)
    s->to = goacp_own(t, dst, width);
  if (s->at == NULL)
    s->at = goacp_own(t, src, width);
  if (s->to != NULL && s->at != NULL)
    return 1;
  leave(s);
  return 0;
}

// Whether C can execute an atomic. If so, s has the addresses, and the caller calls leave afterwards.
static inline int reach(const struct goacp_direct *t, acp_ga_t dst,
                        acp_ga_t src, uint64_t width, struct spot *s) {
  if (!goacp_idle(t) || (dst | src) % width != 0 || far_atomics(t) ||
      goacp_rank_of(dst) != goacp_load_relaxed(&t->rank))
    return 0;
  s->to = goacp_at(t, dst, width);
  s->at = goacp_at(t, src, width);
  s->visiting = 0;
  if (__builtin_expect(s->to != NULL && s->at != NULL, 1))
    return 1;
  return reach_pooled(t, dst, src, width, s) || reach_elsewhere(t, dst, src, width, s);
}

// Does an atomic on memory that is not mapped, by a window or by the mailbox of its rank, and sets *path. Returns
// 0 if Go is to do it.
static __attribute__((noinline)) int
atomic_by_peer(const struct goacp_direct *t, int op, int width, uint64_t dst,
               uint64_t src, uint64_t operand, uint64_t compare, int *path) {
  if (!goacp_idle(t) || (dst | src) % (uint64_t)width != 0 ||
      goacp_rank_of(dst) != goacp_load_relaxed(&t->rank) ||
      goacp_rank_of(src) >= goacp_load_relaxed(&t->procs))
    return 0;
  struct goacp_windows *w = goacp_load_relaxed(&t->windows);
  int by_window = w != NULL && w->atomic != NULL;
  *path = by_window ? GOACP_TRAFFIC_RMA : GOACP_TRAFFIC_SHM;
  struct spot s;
  enter(t, dst, dst, &s);
  s.to = find(t, dst, (uint64_t)width);
  uint64_t old;
  int done = s.to != NULL && (by_window ? w->atomic(w, op, width, src, operand, compare, &old)
                                        : goacp_mail_atomic(t, op, width, src, operand, compare, &old));
  if (done && width == 4)
    goacp_store_release((uint32_t *)s.to, (uint32_t)old);
  else if (done)
    goacp_store_release((uint64_t *)s.to, old);
  leave(&s);
  return done;
}

// Queues an atomic for Go, or returns ACP_HANDLE_NULL.
static inline acp_handle_t submit_atomic(struct goacp_direct *t, int op, int width, acp_ga_t dst,
                                        acp_ga_t src, uint64_t operand, uint64_t compare,
                                        acp_handle_t order) {
  return goacp_submissions_open(t) && order == ACP_HANDLE_NULL
             ? goacp_submit_atomic(t, op, width, dst, src, operand, compare)
             : ACP_HANDLE_NULL;
}

// Defines acp_NAMEWIDTH. The number identifies the atomic in Go.
#define ATOMIC(name, number, builtin, width, type)                             \
  GOACP_RARE acp_handle_t name##width##_by_go(acp_ga_t dst, acp_ga_t src,      \
                                              type value, acp_handle_t order) {\
    return GO_FOR("acp_" #name #width, atomic##width,                          \
                  (number, dst, src, value, order), dst, src, value, order);   \
  }                                                                            \
  acp_handle_t acp_##name##width(acp_ga_t dst, acp_ga_t src, type value,       \
                                 acp_handle_t order) {                         \
    struct goacp_direct *t = goacp_direct();                                   \
    struct spot s;                                                             \
    int path;                                                                  \
    if (!reach(t, dst, src, width, &s)) {                                      \
      if (atomic_by_peer(t, number, width, dst, src, value, 0, &path))         \
        return atomic_done(t, src, path, width);                               \
      acp_handle_t submitted =                                                 \
          submit_atomic(t, number, width, dst, src, value, 0, order);          \
      return submitted != ACP_HANDLE_NULL                                      \
                 ? submitted                                                   \
                 : BY_GO(name##width##_by_go(dst, src, value, order));         \
    }                                                                          \
    type old = builtin((type *)s.at, value, __ATOMIC_SEQ_CST);                 \
    goacp_store_release((type *)s.to, old);                                    \
    leave(&s);                                                                 \
    return atomic_done(t, src, GOACP_TRAFFIC_SHM, width);                      \
  }

// Compare and swap leaves the value found in oldval whether it swaps or not.
#define ATOMIC_CAS(width, type)                                                \
  GOACP_RARE acp_handle_t cas##width##_by_go(acp_ga_t dst, acp_ga_t src,       \
                                             type oldval, type newval,         \
                                             acp_handle_t order) {             \
    return GO_FOR("acp_cas" #width, cas##width,                                \
                  (dst, src, oldval, newval, order), dst, src, oldval, newval, \
                  order);                                                      \
  }                                                                            \
  acp_handle_t acp_cas##width(acp_ga_t dst, acp_ga_t src, type oldval,         \
                              type newval, acp_handle_t order) {               \
    struct goacp_direct *t = goacp_direct();                                   \
    struct spot s;                                                             \
    int path;                                                                  \
    if (!reach(t, dst, src, width, &s)) {                                      \
      if (atomic_by_peer(t, GOACP_OP_CAS, width, dst, src, newval, oldval,     \
                         &path))                                               \
        return atomic_done(t, src, path, width);                               \
      acp_handle_t submitted = submit_atomic(t, GOACP_OP_CAS, width, dst, src, \
                                             newval, oldval, order);           \
      return submitted != ACP_HANDLE_NULL                                      \
                 ? submitted                                                   \
                 : BY_GO(cas##width##_by_go(dst, src, oldval, newval, order)); \
    }                                                                          \
    __atomic_compare_exchange_n((type *)s.at, &oldval, newval, 0,              \
                                __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);           \
    goacp_store_release((type *)s.to, oldval);                                 \
    leave(&s);                                                                 \
    return atomic_done(t, src, GOACP_TRAFFIC_SHM, width);                      \
  }

#define ATOMICS(width, type)                                                   \
  ATOMIC(add, GOACP_OP_ADD, __atomic_fetch_add, width, type)                   \
  ATOMIC(and, GOACP_OP_AND, __atomic_fetch_and, width, type)                   \
  ATOMIC(or, GOACP_OP_OR, __atomic_fetch_or, width, type)                      \
  ATOMIC(xor, GOACP_OP_XOR, __atomic_fetch_xor, width, type)                   \
  ATOMIC(swap, GOACP_OP_SWAP, __atomic_exchange_n, width, type)                \
  ATOMIC_CAS(width, type)

ATOMICS(4, uint32_t)
ATOMICS(8, uint64_t)

GOACP_RARE void complete_by_go(acp_handle_t handle) {
  GO_FOR("acp_complete", complete, (handle), handle);
}

void acp_complete(acp_handle_t handle) {
  if (!goacp_quiet(goacp_direct()))
    BY_GO(complete_by_go(handle));
}

GOACP_RARE int inquire_by_go(acp_handle_t handle) {
  return GO_FOR("acp_inquire", inquire, (handle), handle);
}

int acp_inquire(acp_handle_t handle) {
  return goacp_quiet(goacp_direct()) ? 0 : BY_GO(inquire_by_go(handle));
}
