// Links with the weights of a file. Go does everything.

#include "_cgo_export.h"
#include "acp_couple.h"

acp_link_t acp_open_link_file_from(acp_field_t field, const char *from, const char *file,
                                   int levels, int every, double seconds) {
  return (acp_link_t)GO_WITH(
      open_file_link, ((uintptr_t)field, (char *)from, (char *)file, 0, levels, every, seconds), field,
      from, file, levels, every, seconds);
}

acp_link_t acp_open_link_file_to(acp_field_t field, const char *to, const char *file, int levels,
                                 int every, double seconds) {
  return (acp_link_t)GO_WITH(open_file_link,
                             ((uintptr_t)field, (char *)to, (char *)file, 1, levels, every, seconds),
                             field, to, file, levels, every, seconds);
}

acp_link_t acp_begin_link_file_to(acp_field_t field, const char *to, const char *file, int levels,
                                  int every, double seconds) {
  return (acp_link_t)GO_WITH(begin_file_link,
                             ((uintptr_t)field, (char *)to, (char *)file, 1, levels, every, seconds),
                             field, to, file, levels, every, seconds);
}

acp_link_t acp_begin_link_file_from(acp_field_t field, const char *from, const char *file,
                                    int levels, int every, double seconds) {
  return (acp_link_t)GO_WITH(
      begin_file_link, ((uintptr_t)field, (char *)from, (char *)file, 0, levels, every, seconds), field,
      from, file, levels, every, seconds);
}

acp_link_t acp_publish_link_file_to(acp_field_t field, const char *to, const char *file, int every) {
  return (acp_link_t)GO_WITH(publish_file_link, ((uintptr_t)field, (char *)to, (char *)file, every),
                             field, to, file, every);
}

acp_link_t acp_watch_link_file_from(acp_field_t field, const char *from, const char *file,
                                    double seconds) {
  return (acp_link_t)GO_WITH(watch_file_link, ((uintptr_t)field, (char *)from, (char *)file, seconds),
                             field, from, file, seconds);
}
