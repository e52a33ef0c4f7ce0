// Links with weights. Go does everything.

#include "_cgo_export.h"
#include "acp_couple.h"

#define MATRIX (int64_t *)rows, (int64_t *)columns, (double *)weights, entries

acp_link_t acp_open_link_weighted_to(acp_field_t field, const char *to, const int64_t *rows,
                                     const int64_t *columns, const double *weights, int64_t entries,
                                     int levels, int every, double seconds) {
  return (acp_link_t)GO_WITH(open_weighted_link,
                             ((uintptr_t)field, (char *)to, MATRIX, 1, levels, every, seconds), field,
                             to, rows, columns, weights, entries, levels, every, seconds);
}

acp_link_t acp_open_link_weighted_from(acp_field_t field, const char *from, const int64_t *rows,
                                       const int64_t *columns, const double *weights,
                                       int64_t entries, int levels, int every, double seconds) {
  return (acp_link_t)GO_WITH(open_weighted_link,
                             ((uintptr_t)field, (char *)from, MATRIX, 0, levels, every, seconds),
                             field, from, rows, columns, weights, entries, levels, every, seconds);
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

acp_link_t acp_publish_link_weighted_to(acp_field_t field, const char *to, const int64_t *rows,
                                        const int64_t *columns, const double *weights,
                                        int64_t entries, int every) {
  return (acp_link_t)GO_WITH(publish_weighted_link, ((uintptr_t)field, (char *)to, MATRIX, every),
                             field, to, rows, columns, weights, entries, every);
}

acp_link_t acp_watch_link_weighted_from(acp_field_t field, const char *from, const int64_t *rows,
                                        const int64_t *columns, const double *weights,
                                        int64_t entries, double seconds) {
  return (acp_link_t)GO_WITH(watch_weighted_link, ((uintptr_t)field, (char *)from, MATRIX, seconds),
                             field, from, rows, columns, weights, entries, seconds);
}
