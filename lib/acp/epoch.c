// Epochs: ranks that join and leave. Go does everything.

#include "_cgo_export.h"
#include "acp.h"

int acp_epoch(void) { return GO0(epoch); }

int acp_epoch_ranks(int *ranks, int room) { return GO(epoch_ranks, ranks, room); }

int acp_adopt(int stay) { return GO(adopt, stay); }

int acp_asked(int rank) { return GO(asked, rank); }

int acp_ask_leave(int rank) { return GO(ask_leave, rank); }

int acp_ask_join(int count) { return GO(ask_join, count); }
