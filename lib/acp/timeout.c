// The time limit of each thread for the calls that acp_set_timeout names. Go applies it (timeout.go).

#include "_cgo_export.h"
#include "acp.h"
#include "bind.h"

static __thread int64_t limit // in nanoseconds; 0 if there is none
    __attribute__((tls_model("initial-exec")));

int64_t goacp_time_limit(void) { return limit; }

void goacp_limit_time(int64_t nanoseconds) {
  limit = nanoseconds;
  if (nanoseconds != 0)
    goacp_store_relaxed(&goacp_process.limited, 1);
}

int acp_set_timeout(double seconds) { return GO(set_timeout, seconds); }
