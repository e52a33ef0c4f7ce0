// How long models wait, and what links move. Go does everything.

#include "_cgo_export.h"
#include "acp_couple.h"

int acp_query_model_times(acp_model_t model, double *computed, double *waited) {
  return GO_WITH(query_model_times, ((uintptr_t)model, computed, waited), model, computed, waited);
}

int acp_query_link_times(acp_link_t link, int64_t *count, double *waited) {
  return GO_WITH(query_link_times, ((uintptr_t)link, count, waited), link, count, waited);
}

int acp_record_link(acp_link_t link, const char *file, int every) {
  return GO_WITH(record_link, ((uintptr_t)link, (char *)file, every), link, file, every);
}
