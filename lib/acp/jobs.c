// Jobs of the run. Go does everything.

#include "_cgo_export.h"
#include "acp.h"

int acp_jobs(void) { return GO0(jobs); }

int acp_job(int rank) { return GO(job, rank); }

const char *acp_job_name(int job) { return GO(job_name, job); }

int acp_job_find(const char *name) {
  return GO_WITH(job_find, ((char *)name), name); // cgo does not support const
}

int acp_job_procs(int job) { return GO(job_procs, job); }

int acp_job_rank(int job, int i) { return GO(job_rank, job, i); }
