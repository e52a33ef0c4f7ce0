// Operations in time of links. Go does everything.

#include "_cgo_export.h"
#include "acp_couple.h"

int acp_reduce_link(acp_link_t link, int reduction) {
  return GO_WITH(reduce_link, ((uintptr_t)link, reduction), link, reduction);
}

int acp_lag_link(acp_link_t link, int steps) {
  return GO_WITH(lag_link, ((uintptr_t)link, steps), link, steps);
}

int acp_initialize_link(acp_link_t link, int64_t step, const char *file) {
  return GO_WITH(initialize_link, ((uintptr_t)link, step, (char *)file), link, step, file);
}

int acp_interpolate_link(acp_link_t link) { return GO_WITH(interpolate_link, ((uintptr_t)link), link); }

int acp_scale_link(acp_link_t link, double factor, double offset) {
  return GO_WITH(scale_link, ((uintptr_t)link, factor, offset), link, factor, offset);
}

int acp_conserve_field(acp_field_t field, int method, const double *areas, int64_t count) {
  return GO_WITH(conserve_field, ((uintptr_t)field, method, (double *)areas, count), field, method,
                 areas, count);
}

int acp_save_link(acp_link_t link, const char *file) {
  return GO_WITH(save_link, ((uintptr_t)link, (char *)file), link, file);
}

int acp_load_link(acp_link_t link, const char *file, int64_t *step) {
  return GO_WITH(load_link, ((uintptr_t)link, (char *)file, step), link, file, step);
}

int acp_save_links(acp_links_t links, const char *folder) {
  return GO_WITH(save_links, ((uintptr_t)links, (char *)folder), links, folder);
}

int acp_load_links(acp_links_t links, const char *folder, int64_t *step) {
  return GO_WITH(load_links, ((uintptr_t)links, (char *)folder, step), links, folder, step);
}
