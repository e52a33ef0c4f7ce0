/* ARMCI: put, get and accumulate of contiguous, strided and vector shape on memory of other
 * processes, with mutexes and atomics. docs/armci.md is the manual.
 *
 * A process is named by its number in the world of ARMCI_Init, proc. A byte of shared memory is
 * named by proc and by its address in that process. All sizes, strides and count[0] are bytes.
 * Functions that return int return 0, or a negative number if the program has set
 * ARMCI_ERRORS=return; otherwise a mistake ends the run with a line that names it. */

#ifndef ARMCI_H
#define ARMCI_H

#include <stddef.h>
#include <stdlib.h>

#include <armci_mpi.h>

#include "armci_group.h"
#include "armci_msg.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ARMCI_GOACP 1 /* tells this library from others */
#define ARMCI_MAX_STRIDE_LEVEL 8

typedef long armci_size_t; /* bytes */

/* Segments of equal size: those of a vector transfer, or a part of them. */
typedef struct {
  void **src_ptr_array; /* addresses of the source segments */
  void **dst_ptr_array; /* addresses of the destination segments */
  int bytes;            /* bytes of each segment */
  int ptr_array_len;    /* number of segments */
} armci_giov_t;
#define src_ptr_ar src_ptr_array
#define dst_ptr_ar dst_ptr_array
#define ptr_ar_len ptr_array_len

/* A handle of operations that do not block. One that was never initialised counts as idle. */
typedef struct armci_hdl_s {
  unsigned int armci_private_[2];
} armci_hdl_t;
#define armci_req_t armci_hdl_t

/* The element types of accumulate. */
enum ARMCI_Acc_e {
  ARMCI_ACC_INT,
  ARMCI_ACC_LNG,
  ARMCI_ACC_FLT,
  ARMCI_ACC_DBL,
  ARMCI_ACC_CPL,
  ARMCI_ACC_DCP,
  ARMCI_ACC_DCPL = ARMCI_ACC_DCP
};

enum ARMCI_Rmw_e { ARMCI_FETCH_AND_ADD, ARMCI_FETCH_AND_ADD_LONG, ARMCI_SWAP, ARMCI_SWAP_LONG };

/* Domains: processes that load and store each other's shared memory at its own addresses. */
enum armci_domain_e { ARMCI_DOMAIN_SMP };
typedef int armci_domain_t;

/* Shared memory that one process has allocated alone. */
typedef struct armci_meminfo_ds {
  char *armci_addr; /* for operations of others */
  char *addr;       /* for loads and stores of the creator */
  size_t size;      /* bytes */
  int cpid;         /* proc of the creator */
  long idlist[128]; /* private */
} armci_meminfo_t;

/* Parameters of strided transfers: block (i1, i2, ...) of count[0] bytes begins i1*stride[0] +
 * i2*stride[1] + ... bytes behind the pointer of its side, for 0 <= ij < count[j]. */
#define ARMCI_STRIDED_                                                         \
  void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],      \
      int count[], int stride_levels, int proc

/* ARMCI_BOTH_ declares a function by its name, and by the one for profilers: a program may define
 * ARMCI_Put itself and call PARMCI_Put. */
#define ARMCI_BOTH_(result, name, parameters)                                  \
  result ARMCI_##name parameters;                                              \
  result PARMCI_##name parameters

/* Beginning and end. Collective, apart from Initialized, Cleanup and Error. Each ARMCI_Init* after
 * the first only counts, and ARMCI_Finalize counts down. ARMCI_Error ends the run. */
ARMCI_BOTH_(int, Init, (void));
ARMCI_BOTH_(int, Init_args, (int *argc, char ***argv));
ARMCI_BOTH_(int, Init_thread, (int armci_requested));
#ifdef ARMCI_MPI
/* The same for the processes of a communicator of MPI, with its ranks. Collective over comm: other
 * processes take no part. Init_mpi_comm returns 1 if it has succeeded, and otherwise 0. The first
 * ARMCI_Init or ARMCI_Init_args after them does nothing. */
ARMCI_BOTH_(int, Init_thread_comm, (int armci_requested, MPI_Comm comm));
ARMCI_BOTH_(int, Init_mpi_comm, (MPI_Comm comm));
#endif
ARMCI_BOTH_(int, Initialized, (void));
ARMCI_BOTH_(int, Finalize, (void));
ARMCI_BOTH_(void, Cleanup, (void));
ARMCI_BOTH_(void, Error, (const char *msg, int code));

/* Shared memory. Malloc and Free are collective: element i of ptr_arr becomes the address on process
 * i, NULL where bytes was 0, and each process passes its own element to Free. Memory is zero. */
ARMCI_BOTH_(int, Malloc, (void *ptr_arr[], armci_size_t bytes));
ARMCI_BOTH_(int, Free, (void *ptr));
ARMCI_BOTH_(int, Malloc_memdev, (void *ptr_arr[], armci_size_t bytes, const char *device));
ARMCI_BOTH_(int, Free_memdev, (void *ptr));
/* The same over a group: ptr_arr is indexed by ranks. All processes may use the memory. */
ARMCI_BOTH_(int, Malloc_group, (void *ptr_arr[], armci_size_t bytes, ARMCI_Group *group));
ARMCI_BOTH_(int, Free_group, (void *ptr, ARMCI_Group *group));
ARMCI_BOTH_(int, Malloc_group_memdev,
            (void *ptr_arr[], armci_size_t bytes, ARMCI_Group *group, const char *device));
/* Memory of this process alone, which others do not reach. */
ARMCI_BOTH_(void *, Malloc_local, (armci_size_t bytes));
ARMCI_BOTH_(int, Free_local, (void *ptr));
/* Shared memory that this process allocates alone; memflg is 0. Memat returns the address of a byte
 * of it, Memctl frees it in its creator, and Memdt does nothing. */
ARMCI_BOTH_(void, Memget, (size_t bytes, armci_meminfo_t *meminfo, int memflg));
ARMCI_BOTH_(void *, Memat, (armci_meminfo_t * meminfo, long offset));
ARMCI_BOTH_(void, Memdt, (armci_meminfo_t * meminfo, long offset));
ARMCI_BOTH_(void, Memctl, (armci_meminfo_t * meminfo));
/* The greatest number of bytes of shared memory of this process; 0 is no limit. */
ARMCI_BOTH_(void, Set_shm_limit, (unsigned long shmemlimit));
/* Whether another process, or another one of a group, is in the domain of this one. */
ARMCI_BOTH_(int, Uses_shm, (void));
ARMCI_BOTH_(int, Uses_shm_grp, (ARMCI_Group * group));

/* Transfers. They return when the memory of the caller may be used again. Acc adds scale times src
 * to dst, element by element; scale points to one element. */
ARMCI_BOTH_(int, Put, (void *src, void *dst, int bytes, int proc));
ARMCI_BOTH_(int, Get, (void *src, void *dst, int bytes, int proc));
ARMCI_BOTH_(int, Acc, (int datatype, void *scale, void *src, void *dst, int bytes, int proc));
ARMCI_BOTH_(int, PutS, (ARMCI_STRIDED_));
ARMCI_BOTH_(int, GetS, (ARMCI_STRIDED_));
ARMCI_BOTH_(int, AccS, (int datatype, void *scale, ARMCI_STRIDED_));
ARMCI_BOTH_(int, PutV, (armci_giov_t * dsrc_arr, int arr_len, int proc));
ARMCI_BOTH_(int, GetV, (armci_giov_t * dsrc_arr, int arr_len, int proc));
ARMCI_BOTH_(int, AccV, (int datatype, void *scale, armci_giov_t *dsrc_arr, int arr_len, int proc));

/* Values. A mistake in a get ends the run. */
ARMCI_BOTH_(int, PutValueInt, (int src, void *dst, int proc));
ARMCI_BOTH_(int, PutValueLong, (long src, void *dst, int proc));
ARMCI_BOTH_(int, PutValueFloat, (float src, void *dst, int proc));
ARMCI_BOTH_(int, PutValueDouble, (double src, void *dst, int proc));
ARMCI_BOTH_(int, GetValueInt, (void *src, int proc));
ARMCI_BOTH_(long, GetValueLong, (void *src, int proc));
ARMCI_BOTH_(float, GetValueFloat, (void *src, int proc));
ARMCI_BOTH_(double, GetValueDouble, (void *src, int proc));
ARMCI_BOTH_(int, NbPutValueInt, (int src, void *dst, int proc, armci_hdl_t *handle));
ARMCI_BOTH_(int, NbPutValueLong, (long src, void *dst, int proc, armci_hdl_t *handle));
ARMCI_BOTH_(int, NbPutValueFloat, (float src, void *dst, int proc, armci_hdl_t *handle));
ARMCI_BOTH_(int, NbPutValueDouble, (double src, void *dst, int proc, armci_hdl_t *handle));

/* Put, and then store value in the int at flag on proc, behind all earlier blocking stores of the
 * caller to proc. */
ARMCI_BOTH_(int, Put_flag, (void *src, void *dst, int bytes, int *flag, int value, int proc));
ARMCI_BOTH_(int, PutS_flag,
            (void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
             int stride_levels, int *flag, int value, int proc));
ARMCI_BOTH_(int, PutS_flag_dir,
            (void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
             int stride_levels, int *flag, int value, int proc));
/* Tells proc that earlier blocking stores of the caller are visible there; notify_wait waits for as
 * many notifications as it has been called. */
int armci_notify(int proc);
int parmci_notify(int proc);
int armci_notify_wait(int proc, int *pval);
int parmci_notify_wait(int proc, int *pval);

/* Transfers that do not block. The memory of the caller belongs to the library until Wait, until
 * Test returns 0, or, if handle is NULL, until WaitProc or WaitAll. A handle collects any number of
 * operations. Test returns 1 while some are in progress. */
ARMCI_BOTH_(int, NbPut, (void *src, void *dst, int bytes, int proc, armci_hdl_t *handle));
ARMCI_BOTH_(int, NbGet, (void *src, void *dst, int bytes, int proc, armci_hdl_t *handle));
ARMCI_BOTH_(int, NbAcc,
            (int datatype, void *scale, void *src, void *dst, int bytes, int proc,
             armci_hdl_t *handle));
ARMCI_BOTH_(int, NbPutS, (ARMCI_STRIDED_, armci_hdl_t *handle));
ARMCI_BOTH_(int, NbGetS, (ARMCI_STRIDED_, armci_hdl_t *handle));
ARMCI_BOTH_(int, NbAccS, (int datatype, void *scale, ARMCI_STRIDED_, armci_hdl_t *handle));
ARMCI_BOTH_(int, NbPutV, (armci_giov_t * dsrc_arr, int arr_len, int proc, armci_hdl_t *handle));
ARMCI_BOTH_(int, NbGetV, (armci_giov_t * dsrc_arr, int arr_len, int proc, armci_hdl_t *handle));
ARMCI_BOTH_(int, NbAccV,
            (int datatype, void *scale, armci_giov_t *dsrc_arr, int arr_len, int proc,
             armci_hdl_t *handle));
ARMCI_BOTH_(int, Wait, (armci_hdl_t * handle));
ARMCI_BOTH_(int, Test, (armci_hdl_t * handle));
ARMCI_BOTH_(int, WaitProc, (int proc));
ARMCI_BOTH_(int, WaitAll, (void));
ARMCI_BOTH_(void, INIT_HANDLE, (armci_hdl_t * handle));
/* Operations of an aggregate handle may be carried out together. */
ARMCI_BOTH_(void, SET_AGGREGATE_HANDLE, (armci_hdl_t * handle));
ARMCI_BOTH_(void, UNSET_AGGREGATE_HANDLE, (armci_hdl_t * handle));

/* Wait until all stores of this process to proc, to all, or to the members of a group (NULL: all), are
 * visible there. Barrier, which is
 * collective, does that and then waits for all processes. */
ARMCI_BOTH_(void, Fence, (int proc));
ARMCI_BOTH_(void, AllFence, (void));
ARMCI_BOTH_(void, GroupFence, (ARMCI_Group * group));
ARMCI_BOTH_(void, Barrier, (void));

/* Atomics: *ploc gets what was at prem, to which value is added, or which takes what was at ploc. */
ARMCI_BOTH_(int, Rmw, (int op, void *ploc, void *prem, int value, int proc));

/* Mutexes: process p holds as many as it has passed to Create_mutexes, which is collective as
 * Destroy_mutexes is. Lock waits, first come, first served. Unlock makes all stores of the caller
 * visible first. */
ARMCI_BOTH_(int, Create_mutexes, (int count));
ARMCI_BOTH_(int, Destroy_mutexes, (void));
ARMCI_BOTH_(void, Lock, (int mutex, int proc));
ARMCI_BOTH_(void, Unlock, (int mutex, int proc));

/* Locality. A negative id stands for the caller's domain. -1: there is no such domain or process. */
int armci_domain_nprocs(armci_domain_t domain, int id);
int armci_domain_count(armci_domain_t domain);
int armci_domain_id(armci_domain_t domain, int glob_proc_id);
int armci_domain_glob_proc_id(armci_domain_t domain, int id, int loc_proc_id);
int armci_domain_my_id(armci_domain_t domain);
int armci_domain_same_id(armci_domain_t domain, int proc);
ARMCI_BOTH_(int, Same_node, (int proc));
int armci_sameclusnode(int proc);

/* Plain access of the caller to its own shared memory. Programs need not announce it. */
ARMCI_BOTH_(void, Access_begin, (void *ptr));
ARMCI_BOTH_(void, Access_end, (void *ptr));
/* Copies n bytes inside the process. */
ARMCI_BOTH_(void, Copy, (void *src, void *dst, int n));
/* Packs the blocks at ptr into buf, and unpacks them. */
void armci_write_strided(void *ptr, int stride_levels, int stride_arr[], int count[], char *buf);
void armci_read_strided(void *ptr, int stride_levels, int stride_arr[], int count[], char *buf);

#ifdef __cplusplus
}
#endif

#endif
