// Named values. Go does everything.

#include "_cgo_export.h"
#include "acp.h"

int64_t acp_put_value(const char *name, const void *value, size_t size) {
  return GO_WITH(put_value, ((char *)name, (void *)value, size), name, value, size); // cgo does not support const
}

int64_t acp_get_value(const char *name, void *buf, size_t size, int64_t *version) {
  return GO_WITH(get_value, ((char *)name, buf, size, version), name, buf, size, version);
}

int64_t acp_wait_value(const char *name, int64_t version, void *buf, size_t size, int64_t *got) {
  return GO_WITH(wait_value, ((char *)name, version, buf, size, got), name, version, buf, size,
                 got);
}
