// Links that are opened at once. Go does everything.

#include "_cgo_export.h"
#include "acp_couple.h"

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

int acp_complete_links(const acp_link_t *links, int count) {
  return GO_WITH(complete_links, ((uintptr_t *)links, count), links, count);
}
