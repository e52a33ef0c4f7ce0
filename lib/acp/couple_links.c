// Watched links, and links that the description of the run lists. Go does everything.

#include "_cgo_export.h"
#include "acp_couple.h"

acp_link_t acp_publish_link_to(acp_field_t field, const char *to, int every) {
  return (acp_link_t)GO_WITH(publish_link, ((uintptr_t)field, (char *)to, every), field, to, every);
}

acp_link_t acp_watch_link_from(acp_field_t field, const char *from, double seconds) {
  return (acp_link_t)GO_WITH(watch_link, ((uintptr_t)field, (char *)from, seconds), field, from,
                             seconds);
}

int acp_next_link(acp_link_t link, int64_t *step, double seconds) {
  return GO_WITH(next_link, ((uintptr_t)link, step, seconds), link, step, seconds);
}

acp_links_t acp_open_links(acp_model_t model, double seconds) {
  return (acp_links_t)GO_WITH(open_links, ((uintptr_t)model, seconds), model, seconds);
}

int acp_send_links(acp_links_t links, int64_t step) {
  return GO_WITH(send_links, ((uintptr_t)links, step), links, step);
}

int acp_receive_links(acp_links_t links, int64_t step) {
  return GO_WITH(receive_links, ((uintptr_t)links, step), links, step);
}

acp_link_t acp_query_watched_link(acp_links_t links, const char *field) {
  return (acp_link_t)GO_WITH(query_watched_link, ((uintptr_t)links, (char *)field), links, field);
}

int acp_close_links(acp_links_t links) { return GO_WITH(close_links, ((uintptr_t)links), links); }
