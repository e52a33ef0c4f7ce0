// Links that are opened at once. Go does everything.

#include "_cgo_export.h"
#include "acp_couple.h"

#define MATRIX (int64_t *)rows, (int64_t *)columns, (double *)weights, entries

acp_link_t acp_begin_link_to(acp_field_t field, const char *to, int levels, int every,
                             double seconds) {
  return (acp_link_t)GO_WITH(begin_link, ((uintptr_t)field, (char *)to, 1, levels, every, seconds),
                             field, to, levels, every, seconds);
}

acp_link_t acp_begin_link_from(acp_field_t field, const char *from, int levels, int every,
                               double seconds) {
  return (acp_link_t)GO_WITH(begin_link, ((uintptr_t)field, (char *)from, 0, levels, every, seconds),
                             field, from, levels, every, seconds);
}

acp_link_t acp_begin_link_weighted_to(acp_field_t field, const char *to, const int64_t *rows,
                                      const int64_t *columns, const double *weights,
                                      int64_t entries, int levels, int every, double seconds) {
  return (acp_link_t)GO_WITH(begin_weighted_link,
                             ((uintptr_t)field, (char *)to, MATRIX, 1, levels, every, seconds), field,
                             to, rows, columns, weights, entries, levels, every, seconds);
}

acp_link_t acp_begin_link_weighted_from(acp_field_t field, const char *from, const int64_t *rows,
                                        const int64_t *columns, const double *weights,
                                        int64_t entries, int levels, int every, double seconds) {
  return (acp_link_t)GO_WITH(begin_weighted_link,
                             ((uintptr_t)field, (char *)from, MATRIX, 0, levels, every, seconds),
                             field, from, rows, columns, weights, entries, levels, every, seconds);
}

int acp_complete_links(const acp_link_t *links, int count) {
  return GO_WITH(complete_links, ((uintptr_t *)links, count), links, count);
}
