// Prints the facts of abi.h. Compiled with HEADERS it prints those of the headers of libpmix.

#ifdef HEADERS
#include <pmix.h>
#define PROC pmix_proc_t
#define VALUE pmix_value_t
#define INFO pmix_info_t
#define PDATA pmix_pdata_t
#else
#include "../abi.h"
#define PROC struct pmix_proc
#define VALUE struct pmix_value
#define INFO struct pmix_info
#define PDATA struct pmix_pdata
#endif

#include <stddef.h>
#include <stdio.h>

#define NUMBER(x) printf("line %d: %lld\n", __LINE__, (long long)(x))

int main(void) {
  NUMBER(sizeof(PROC));
  NUMBER(offsetof(PROC, rank));
  NUMBER(sizeof(VALUE));
  NUMBER(offsetof(VALUE, data.string));
  NUMBER(offsetof(VALUE, data.uint32));
  NUMBER(offsetof(VALUE, data.flag));
  NUMBER(sizeof(INFO));
  NUMBER(offsetof(INFO, flags));
  NUMBER(offsetof(INFO, value));
  NUMBER(sizeof(PDATA));
  NUMBER(offsetof(PDATA, key));
  NUMBER(offsetof(PDATA, value));
  NUMBER(PMIX_SUCCESS);
  NUMBER(PMIX_ERR_NOT_SUPPORTED);
  NUMBER(PMIX_ERR_LOST_CONNECTION);
  NUMBER(PMIX_EVENT_ACTION_COMPLETE);
  NUMBER(PMIX_BOOL);
  NUMBER(PMIX_STRING);
  NUMBER(PMIX_INT);
  NUMBER(PMIX_UINT32);
  NUMBER(PMIX_PROC_RANK);
  NUMBER(PMIX_GLOBAL);
  NUMBER(PMIX_RANK_WILDCARD);
  puts(PMIX_JOB_SIZE " " PMIX_COLLECT_DATA " " PMIX_IMMEDIATE " " PMIX_WAIT " " PMIX_SERVER_NSPACE " " PMIX_SERVER_RANK);
  return 0;
}
