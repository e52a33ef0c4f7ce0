/* ARMCI: put, get and accumulate of contiguous, strided and vector shape on memory of other
 * processes, with mutexes and atomics. docs/armci.md is the manual.
 *
 * proc is the number of a process in the world of ARMCI_Init. A byte of shared memory is identified
 * by proc and by its address in that process. All sizes, strides and count[0] are in bytes.
 * Functions that return int return 0. A wrong call ends the run with a line that describes it; with
 * ARMCI_ERRORS=return in the environment it returns a negative number. */

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

#define ARMCI_GOACP 1 /* defined by this implementation of ARMCI only */
#define ARMCI_MAX_STRIDE_LEVEL 8

typedef long armci_size_t; /* bytes */

/* Segments of equal size: all segments of a vector transfer, or some of them. */
typedef struct {
  void **src_ptr_array; /* addresses of the source segments */
  void **dst_ptr_array; /* addresses of the destination segments */
  int bytes;            /* bytes of each segment */
  int ptr_array_len;    /* number of segments */
} armci_giov_t;
#define src_ptr_ar src_ptr_array
#define dst_ptr_ar dst_ptr_array
#define ptr_ar_len ptr_array_len

/* A handle of nonblocking operations. A handle that was never initialised counts as idle. */
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
  char *armci_addr; /* for operations of other processes */
  char *addr;       /* for loads and stores of the creator */
  size_t size;      /* bytes */
  int cpid;         /* proc of the creator */
  long idlist[128]; /* private */
} armci_meminfo_t;

/* Parameters of strided transfers: block (i1, i2, ...) of count[0] bytes begins i1*stride[0] +
 * i2*stride[1] + ... bytes after the pointer of its side, for 0 <= ij < count[j]. */
#define ARMCI_STRIDED_                                                         \
  void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],      \
      int count[], int stride_levels, int proc

/* ARMCI_BOTH_ declares a function by its name and by its name for profilers: a program may define
 * ARMCI_Put itself and call PARMCI_Put. */
#define ARMCI_BOTH_(result, name, parameters)                                  \
  result ARMCI_##name parameters;                                              \
  result PARMCI_##name parameters

/* Beginning and end. Collective, except Initialized, Cleanup and Error. Each further ARMCI_Init*
 * only increments a counter, which ARMCI_Finalize decrements. ARMCI_Error ends the run. */
ARMCI_BOTH_(int, Init, (void));
ARMCI_BOTH_(int, Init_args, (int *argc, char ***argv));
ARMCI_BOTH_(int, Init_thread, (int armci_requested));
#ifdef ARMCI_MPI
/* Initialize ARMCI for the processes of a communicator of MPI, with its ranks. Collective over
 * comm: other processes take no part. Init_mpi_comm returns 1 on success, and otherwise 0. The
 * first ARMCI_Init or ARMCI_Init_args after them does nothing. */
ARMCI_BOTH_(int, Init_thread_comm, (int armci_requested, MPI_Comm comm));
ARMCI_BOTH_(int, Init_mpi_comm, (MPI_Comm comm));
#endif
ARMCI_BOTH_(int, Initialized, (void));
ARMCI_BOTH_(int, Finalize, (void));
ARMCI_BOTH_(void, Cleanup, (void));
ARMCI_BOTH_(void, Error, (const char *msg, int code));

/* Shared memory. Malloc and Free are collective. Malloc sets element i of ptr_arr to the address on
 * process i, or to NULL if that process passed 0 bytes. Each process passes its own element to
 * Free. The memory is zero. */
ARMCI_BOTH_(int, Malloc, (void *ptr_arr[], armci_size_t bytes));
ARMCI_BOTH_(int, Free, (void *ptr));
ARMCI_BOTH_(int, Malloc_memdev, (void *ptr_arr[], armci_size_t bytes, const char *device));
ARMCI_BOTH_(int, Free_memdev, (void *ptr));
/* Malloc and Free over a group: the index of ptr_arr is the rank in the group. All processes of the
 * run may use the memory. */
ARMCI_BOTH_(int, Malloc_group, (void *ptr_arr[], armci_size_t bytes, ARMCI_Group *group));
ARMCI_BOTH_(int, Free_group, (void *ptr, ARMCI_Group *group));
ARMCI_BOTH_(int, Malloc_group_memdev,
            (void *ptr_arr[], armci_size_t bytes, ARMCI_Group *group, const char *device));
/* Private memory of this process. */
ARMCI_BOTH_(void *, Malloc_local, (armci_size_t bytes));
ARMCI_BOTH_(int, Free_local, (void *ptr));
/* Shared memory that this process allocates without the others; memflg is 0. Memat returns the
 * address of a byte of it. Memctl frees it when its creator calls it. Memdt does nothing. */
ARMCI_BOTH_(void, Memget, (size_t bytes, armci_meminfo_t *meminfo, int memflg));
ARMCI_BOTH_(void *, Memat, (armci_meminfo_t * meminfo, long offset));
ARMCI_BOTH_(void, Memdt, (armci_meminfo_t * meminfo, long offset));
ARMCI_BOTH_(void, Memctl, (armci_meminfo_t * meminfo));
/* Sets the maximum number of bytes of shared memory of this process; 0 is no limit. */
ARMCI_BOTH_(void, Set_shm_limit, (unsigned long shmemlimit));
/* Returns whether another process, or another process of a group, is in the domain of the
 * caller. */
ARMCI_BOTH_(int, Uses_shm, (void));
ARMCI_BOTH_(int, Uses_shm_grp, (ARMCI_Group * group));

/* Blocking transfers. They return when the program may use the memory of the caller again. Acc adds
 * scale times src to dst, element by element; scale points to one element. */
ARMCI_BOTH_(int, Put, (void *src, void *dst, int bytes, int proc));
ARMCI_BOTH_(int, Get, (void *src, void *dst, int bytes, int proc));
ARMCI_BOTH_(int, Acc, (int datatype, void *scale, void *src, void *dst, int bytes, int proc));
ARMCI_BOTH_(int, PutS, (ARMCI_STRIDED_));
ARMCI_BOTH_(int, GetS, (ARMCI_STRIDED_));
ARMCI_BOTH_(int, AccS, (int datatype, void *scale, ARMCI_STRIDED_));
ARMCI_BOTH_(int, PutV, (armci_giov_t * dsrc_arr, int arr_len, int proc));
ARMCI_BOTH_(int, GetV, (armci_giov_t * dsrc_arr, int arr_len, int proc));
ARMCI_BOTH_(int, AccV, (int datatype, void *scale, armci_giov_t *dsrc_arr, int arr_len, int proc));

/* Transfers of one value. A wrong call of a get ends the run. */
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

/* Put, and then store value in the int at flag on proc, after all earlier blocking stores of the
 * caller to proc. */
ARMCI_BOTH_(int, Put_flag, (void *src, void *dst, int bytes, int *flag, int value, int proc));
ARMCI_BOTH_(int, PutS_flag,
            (void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
             int stride_levels, int *flag, int value, int proc));
ARMCI_BOTH_(int, PutS_flag_dir,
            (void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
             int stride_levels, int *flag, int value, int proc));
/* armci_notify sends proc a notification after all earlier blocking stores of the caller to it. The
 * n-th call of armci_notify_wait for a process returns after its n-th notification. */
int armci_notify(int proc);
int parmci_notify(int proc);
int armci_notify_wait(int proc, int *pval);
int parmci_notify_wait(int proc, int *pval);

/* Nonblocking transfers. The program must not use the memory of the caller until Wait returns, Test
 * returns 0, or, if handle is NULL, WaitProc or WaitAll returns. A handle collects any number of
 * operations. Test returns 1 while an operation is in progress. */
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
/* Operations of an aggregate handle may be executed together. */
ARMCI_BOTH_(void, SET_AGGREGATE_HANDLE, (armci_hdl_t * handle));
ARMCI_BOTH_(void, UNSET_AGGREGATE_HANDLE, (armci_hdl_t * handle));

/* Wait until all stores of this process to proc, to all processes, or to the members of a group
 * (NULL: all processes) are visible there. Barrier is collective: it does the same as AllFence, and
 * then waits for all processes. */
ARMCI_BOTH_(void, Fence, (int proc));
ARMCI_BOTH_(void, AllFence, (void));
ARMCI_BOTH_(void, GroupFence, (ARMCI_Group * group));
ARMCI_BOTH_(void, Barrier, (void));

/* Atomics. They store the old value at prem in *ploc. Fetch-and-add adds value at prem; swap stores
 * the old value of *ploc at prem. */
ARMCI_BOTH_(int, Rmw, (int op, void *ploc, void *prem, int value, int proc));

/* Mutexes. Create_mutexes and Destroy_mutexes are collective. Each process passes the number of
 * mutexes that it holds. Lock waits; processes get a mutex in the order of their requests. Unlock
 * first makes all stores of the caller visible. */
ARMCI_BOTH_(int, Create_mutexes, (int count));
ARMCI_BOTH_(int, Destroy_mutexes, (void));
ARMCI_BOTH_(void, Lock, (int mutex, int proc));
ARMCI_BOTH_(void, Unlock, (int mutex, int proc));

/* Locality. A negative id stands for the caller's domain. The result is -1 if there is no such
 * domain or process. */
int armci_domain_nprocs(armci_domain_t domain, int id);
int armci_domain_count(armci_domain_t domain);
int armci_domain_id(armci_domain_t domain, int glob_proc_id);
int armci_domain_glob_proc_id(armci_domain_t domain, int id, int loc_proc_id);
int armci_domain_my_id(armci_domain_t domain);
int armci_domain_same_id(armci_domain_t domain, int proc);
ARMCI_BOTH_(int, Same_node, (int proc));
int armci_sameclusnode(int proc);

/* Mark direct access of the caller to its own shared memory. Programs may leave these calls out. */
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
