// What libacp offers the package goacp for Python, beside the functions of acp.h. The functions are of GOACP_PRIVATE: they
// may change with each release.

#ifndef GOACP_PYTHON_H
#define GOACP_PYTHON_H

#include "acp_couple.h"

#include <stddef.h>
#include <stdint.h>

// Results of goacp_python_put and goacp_python_get beside handles. No handle has these values.
#define GOACP_PYTHON_COMPLETE UINT64_MAX       // the copy is complete
#define GOACP_PYTHON_PRIVATE (UINT64_MAX - 1)  // nothing was copied: the caller has to register its memory first

// goacp_python_begin begins a run, whose handles start anew: failures of an earlier run of this process are forgotten. It is
// called after acp_init, before the other functions.
void goacp_python_begin(void);

// goacp_python_ga returns the global address of size bytes of this process, or ACP_GA_NULL if they do not lie in the
// heap of this rank. It does not block.
uint64_t goacp_python_ga(const void *memory, size_t size);

// goacp_python_put begins to copy size bytes of this process to dst, as acp_copy. It returns a handle, a result above, or
// ACP_HANDLE_NULL if acp_copy has failed. It does not block.
uint64_t goacp_python_put(uint64_t dst, const void *src, size_t size);

// goacp_python_get begins to copy size bytes from src to memory of this process. Otherwise as goacp_python_put.
uint64_t goacp_python_get(void *dst, uint64_t src, size_t size);

// goacp_python_complete reports whether the transfer of a handle, and those before it, are complete, or waits for it, at most
// for the time of acp_set_timeout. Its result is GOACP_PYTHON_UNDER_WAY, 0, or the number of the failure of one of them, also
// if that has been reported for a newer handle before.
#define GOACP_PYTHON_UNDER_WAY (-1)
int goacp_python_complete(uint64_t handle, int wait);

// goacp_python_send is acp_send_link, but returns the number of the error, or 0. So no call of a signal handler can come
// between the failure and its number.
int goacp_python_send(acp_link_t link, int64_t step);

// goacp_python_receive is acp_receive_link, likewise.
int goacp_python_receive(acp_link_t link, int64_t step);

#endif
