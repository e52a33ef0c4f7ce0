// The version of the library.

#include "acp.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const char *acp_version(void) {
  return TEXT(ACP_VERSION_MAJOR) "." TEXT(ACP_VERSION_MINOR) "." TEXT(ACP_VERSION_PATCH);
}
