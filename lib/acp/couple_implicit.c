// Implicit coupling: steps that are repeated until two models agree. Go does everything.

#include "_cgo_export.h"
#include "acp_couple.h"

acp_implicit_t acp_create_implicit(acp_model_t model, const char *other, int leads) {
  return (acp_implicit_t)GO_WITH(create_implicit, ((uintptr_t)model, (char *)other, leads), model, other, leads);
}

int acp_add_implicit(acp_implicit_t implicit, const char *name, void *data, int64_t count) {
  return GO_WITH(add_implicit, ((uintptr_t)implicit, (char *)name, data, NULL, count), implicit, name, data,
                 count);
}

int acp_measure_implicit(acp_implicit_t implicit, const char *name, int measure, double limit) {
  return GO_WITH(measure_implicit, ((uintptr_t)implicit, (char *)name, measure, limit), implicit, name,
                 measure, limit);
}

int acp_accelerate_implicit(acp_implicit_t implicit, int method, double relaxation, int reuse,
                            int columns) {
  return GO_WITH(accelerate_implicit, ((uintptr_t)implicit, method, relaxation, reuse, columns), implicit,
                 method, relaxation, reuse, columns);
}

int acp_limit_implicit(acp_implicit_t implicit, int most) {
  return GO_WITH(limit_implicit, ((uintptr_t)implicit, most), implicit, most);
}

int acp_keep_implicit(acp_implicit_t implicit, void *data, int64_t bytes) {
  return GO_WITH(keep_implicit, ((uintptr_t)implicit, data, NULL, bytes), implicit, data, bytes);
}

int acp_begin_implicit(acp_implicit_t implicit, int64_t *round) {
  return GO_WITH(begin_implicit, ((uintptr_t)implicit, round), implicit, round);
}

int acp_iterate_implicit(acp_implicit_t implicit, int64_t *round) {
  return GO_WITH(iterate_implicit, ((uintptr_t)implicit, round), implicit, round);
}

int acp_query_implicit(acp_implicit_t implicit, int *count, int *converged) {
  return GO_WITH(query_implicit, ((uintptr_t)implicit, count, converged), implicit, count, converged);
}

int acp_free_implicit(acp_implicit_t implicit) {
  return GO_WITH(free_implicit, ((uintptr_t)implicit), implicit);
}
