// States of ranks, and changes of the members. Go does everything.

#include "_cgo_export.h"
#include "acp.h"

int acp_seats(void) { return GO0(seats); }

int acp_state(int rank) { return GO(state, rank); }

int acp_cohort(int rank) { return GO(cohort, rank); }

int64_t acp_await_change(int64_t seen, double seconds) { return GO(await_change, seen, seconds); }
