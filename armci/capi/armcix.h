/* Extensions of ARMCI. */

#ifndef ARMCIX_H
#define ARMCIX_H

#include "armci.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ACP_GA_NULL
typedef uint64_t acp_ga_t;
#define ACP_GA_NULL 0LLU
#endif

/* Nothing has to be done for progress; may carry out what is due. */
void ARMCIX_Progress(void);

/* The global address of a byte of shared memory, or ACP_GA_NULL; and the rank of ACP of a process, or
 * -1. With them a program of the same run that knows nothing of ARMCI reaches global arrays. */
acp_ga_t ARMCIX_Acp_ga(void *addr, int proc);
int ARMCIX_Acp_rank(int proc);

#ifdef __cplusplus
}
#endif

#endif
