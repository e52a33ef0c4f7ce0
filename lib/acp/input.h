// Bytes that go into an operation on a structure, where they are. Mirrors Input.Bring and Input.Release
// of internal/access/global.

#ifndef GOACP_INPUT_H
#define GOACP_INPUT_H

#include "acp.h"
#include "readers.h"

struct goacp_input {
  const void *data, *more;
  int visiting; // one of them can be registered memory
  struct goacp_visit visit;
};

// The n bytes at ga, or NULL if this process does not reach them by loads. If they can be registered
// memory, the caller has begun a visit.
static inline const void *goacp_view(const struct goacp_direct *d, uint64_t ga, uint64_t n) {
  const void *p = goacp_at(d, ga, n);
  if (p == NULL && n != 0 && (p = goacp_pooled(d, ga, n)) == NULL)
    p = goacp_own(d, ga, n);
  return p;
}

// Ends the use of the bytes.
static inline void goacp_release(const struct goacp_input *in) {
  if (__builtin_expect(in->visiting, 0))
    goacp_end_visit(in->visit);
}

// Finds the bytes of data and of more; more may have no bytes. Returns 0 if they are not mapped in
// this process. Otherwise they stay valid until goacp_release.
static inline int goacp_bring(const struct goacp_direct *d, acp_element_t data, acp_element_t more,
                              struct goacp_input *in) {
  in->visiting = goacp_registered(d, data.ga) || goacp_registered(d, more.ga);
  if (__builtin_expect(in->visiting, 0))
    in->visit = goacp_begin_visit(d);
  in->data = goacp_view(d, data.ga, data.size);
  in->more = goacp_view(d, more.ga, more.size);
  if (__builtin_expect(in->data != NULL && (in->more != NULL || more.size == 0), 1))
    return 1;
  goacp_release(in);
  return 0;
}

#endif
