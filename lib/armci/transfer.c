// Contiguous, strided and vector transfers, blocking and not.

#include "aggregate.h"

_Static_assert(sizeof(armci_giov_t) == sizeof(struct goacp_armci_giov) &&
                   offsetof(armci_giov_t, dst_ptr_array) == offsetof(struct goacp_armci_giov, dst) &&
                   offsetof(armci_giov_t, bytes) == offsetof(struct goacp_armci_giov, bytes) &&
                   offsetof(armci_giov_t, ptr_array_len) == offsetof(struct goacp_armci_giov, length),
               "descriptors of Go and C differ");
_Static_assert(sizeof(armci_hdl_t) == sizeof(struct goacp_armci_handle), "handles of Go and C differ");

#define BLOCKING(what) {.kind = GOACP_ARMCI_##what, .blocking = 1}
#define STARTED(what, h) {.kind = GOACP_ARMCI_##what, .handle = (struct goacp_armci_handle *)(h)}

// The action of an accumulate.
static struct goacp_armci_action accumulate(struct goacp_armci_action a, int type, void *scale) {
  a.type = type;
  a.scale = scale;
  return a;
}

// A side of a contiguous transfer of n bytes, and of a strided transfer.
#define CONTIGUOUS(caller, owner, n, of)                                       \
  {.local = (caller), .remote = (owner), .count = &(n), .levels = 0, .proc = (of)}
#define STRIDED(caller, caller_stride, owner, owner_stride)                    \
  {.local = (caller), .local_stride = (caller_stride), .remote = (owner),      \
   .remote_stride = (owner_stride), .count = count, .levels = stride_levels, .proc = proc}

// The action with the handle of Go.
static struct goacp_armci_action for_go(struct goacp_armci_action a) {
  a.handle = goacp_armci_inner(a.handle);
  return a;
}

// A transfer that C neither makes nor holds back, as long as it has no call.
GOACP_RARE int far_strided(call_t call, const struct goacp_armci_action *a,
                           const struct goacp_armci_strided *s) {
  if (!goacp_armci_is_aggregate(a))
    return goacp_armci_strided(call, a, s);
  if (goacp_armci_hold(call, a, s))
    return 0;
  const struct goacp_armci_action b = for_go(*a);
  return goacp_armci_strided(call, &b, s);
}

GOACP_RARE int far_vector(call_t call, const struct goacp_armci_action *a,
                          const struct goacp_armci_giov *descriptors, int n, int proc) {
  if (!goacp_armci_is_aggregate(a))
    return goacp_armci_vector(call, a, descriptors, n, proc);
  const struct goacp_armci_action b = for_go(*a);
  return goacp_armci_vector(call, &b, descriptors, n, proc);
}

// They make the usual transfers on mapped memory in C, and call Go for all others. The first arguments are followed
// by the arguments of the function, for the line about a call that fails.
#define TRANSFER(a, s, ...)                                                    \
  (goacp_armci_near_strided(a, s) ||                                           \
           (goacp_armci_is_aggregate(a) && goacp_armci_hold(NULL, a, s))         \
       ? 0                                                                     \
       : far_strided(CALLED(__VA_ARGS__), a, s))
#define VECTOR(a, descriptors, n, proc, ...)                                   \
  (goacp_armci_near_vector(a, (const struct goacp_armci_giov *)(descriptors), n, proc) \
       ? 0                                                                     \
       : far_vector(CALLED(__VA_ARGS__), a, (const struct goacp_armci_giov *)(descriptors), n, proc))

int PARMCI_Put(void *src, void *dst, int bytes, int proc) {
  const struct goacp_armci_action a = BLOCKING(PUT);
  const struct goacp_armci_strided s = CONTIGUOUS(src, dst, bytes, proc);
  return TRANSFER(&a, &s, src, dst, bytes, proc);
}

int PARMCI_Get(void *src, void *dst, int bytes, int proc) {
  const struct goacp_armci_action a = BLOCKING(GET);
  const struct goacp_armci_strided s = CONTIGUOUS(dst, src, bytes, proc);
  return TRANSFER(&a, &s, src, dst, bytes, proc);
}

int PARMCI_Acc(int datatype, void *scale, void *src, void *dst, int bytes, int proc) {
  const struct goacp_armci_action a =
      accumulate((struct goacp_armci_action)BLOCKING(ACCUMULATE), datatype, scale);
  const struct goacp_armci_strided s = CONTIGUOUS(src, dst, bytes, proc);
  return TRANSFER(&a, &s, datatype, scale, src, dst, bytes, proc);
}

int PARMCI_PutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                int count[], int stride_levels, int proc) {
  const struct goacp_armci_action a = BLOCKING(PUT);
  const struct goacp_armci_strided s = STRIDED(src_ptr, src_stride_ar, dst_ptr, dst_stride_ar);
  return TRANSFER(&a, &s, src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc);
}

int PARMCI_GetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                int count[], int stride_levels, int proc) {
  const struct goacp_armci_action a = BLOCKING(GET);
  const struct goacp_armci_strided s = STRIDED(dst_ptr, dst_stride_ar, src_ptr, src_stride_ar);
  return TRANSFER(&a, &s, src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc);
}

int PARMCI_AccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr,
                int dst_stride_ar[], int count[], int stride_levels, int proc) {
  const struct goacp_armci_action a =
      accumulate((struct goacp_armci_action)BLOCKING(ACCUMULATE), datatype, scale);
  const struct goacp_armci_strided s = STRIDED(src_ptr, src_stride_ar, dst_ptr, dst_stride_ar);
  return TRANSFER(&a, &s, datatype, scale, src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc);
}

int PARMCI_PutV(armci_giov_t *dsrc_arr, int arr_len, int proc) {
  const struct goacp_armci_action a = BLOCKING(PUT);
  return VECTOR(&a, dsrc_arr, arr_len, proc, dsrc_arr, arr_len, proc);
}

int PARMCI_GetV(armci_giov_t *dsrc_arr, int arr_len, int proc) {
  const struct goacp_armci_action a = BLOCKING(GET);
  return VECTOR(&a, dsrc_arr, arr_len, proc, dsrc_arr, arr_len, proc);
}

int PARMCI_AccV(int datatype, void *scale, armci_giov_t *dsrc_arr, int arr_len, int proc) {
  const struct goacp_armci_action a =
      accumulate((struct goacp_armci_action)BLOCKING(ACCUMULATE), datatype, scale);
  return VECTOR(&a, dsrc_arr, arr_len, proc, datatype, scale, dsrc_arr, arr_len, proc);
}

int PARMCI_NbPut(void *src, void *dst, int bytes, int proc, armci_hdl_t *handle) {
  const struct goacp_armci_action a = STARTED(PUT, handle);
  const struct goacp_armci_strided s = CONTIGUOUS(src, dst, bytes, proc);
  return TRANSFER(&a, &s, src, dst, bytes, proc, handle);
}

int PARMCI_NbGet(void *src, void *dst, int bytes, int proc, armci_hdl_t *handle) {
  const struct goacp_armci_action a = STARTED(GET, handle);
  const struct goacp_armci_strided s = CONTIGUOUS(dst, src, bytes, proc);
  return TRANSFER(&a, &s, src, dst, bytes, proc, handle);
}

int PARMCI_NbAcc(int datatype, void *scale, void *src, void *dst, int bytes, int proc,
                 armci_hdl_t *handle) {
  const struct goacp_armci_action a =
      accumulate((struct goacp_armci_action)STARTED(ACCUMULATE, handle), datatype, scale);
  const struct goacp_armci_strided s = CONTIGUOUS(src, dst, bytes, proc);
  return TRANSFER(&a, &s, datatype, scale, src, dst, bytes, proc, handle);
}

int PARMCI_NbPutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                  int count[], int stride_levels, int proc, armci_hdl_t *handle) {
  const struct goacp_armci_action a = STARTED(PUT, handle);
  const struct goacp_armci_strided s = STRIDED(src_ptr, src_stride_ar, dst_ptr, dst_stride_ar);
  return TRANSFER(&a, &s, src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc, handle);
}

int PARMCI_NbGetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                  int count[], int stride_levels, int proc, armci_hdl_t *handle) {
  const struct goacp_armci_action a = STARTED(GET, handle);
  const struct goacp_armci_strided s = STRIDED(dst_ptr, dst_stride_ar, src_ptr, src_stride_ar);
  return TRANSFER(&a, &s, src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc, handle);
}

int PARMCI_NbAccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr,
                  int dst_stride_ar[], int count[], int stride_levels, int proc,
                  armci_hdl_t *handle) {
  const struct goacp_armci_action a =
      accumulate((struct goacp_armci_action)STARTED(ACCUMULATE, handle), datatype, scale);
  const struct goacp_armci_strided s = STRIDED(src_ptr, src_stride_ar, dst_ptr, dst_stride_ar);
  return TRANSFER(&a, &s, datatype, scale, src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc, handle);
}

int PARMCI_NbPutV(armci_giov_t *dsrc_arr, int arr_len, int proc, armci_hdl_t *handle) {
  const struct goacp_armci_action a = STARTED(PUT, handle);
  return VECTOR(&a, dsrc_arr, arr_len, proc, dsrc_arr, arr_len, proc, handle);
}

int PARMCI_NbGetV(armci_giov_t *dsrc_arr, int arr_len, int proc, armci_hdl_t *handle) {
  const struct goacp_armci_action a = STARTED(GET, handle);
  return VECTOR(&a, dsrc_arr, arr_len, proc, dsrc_arr, arr_len, proc, handle);
}

int PARMCI_NbAccV(int datatype, void *scale, armci_giov_t *dsrc_arr, int arr_len, int proc,
                  armci_hdl_t *handle) {
  const struct goacp_armci_action a =
      accumulate((struct goacp_armci_action)STARTED(ACCUMULATE, handle), datatype, scale);
  return VECTOR(&a, dsrc_arr, arr_len, proc, datatype, scale, dsrc_arr, arr_len, proc, handle);
}

// Values are copied before the call returns, since the bytes of a put this short are.
#define VALUES(Name, type)                                                     \
  int PARMCI_PutValue##Name(type src, void *dst, int proc) {                   \
    const struct goacp_armci_action a = BLOCKING(PUT);                         \
    const int n = sizeof src;                                                  \
    const struct goacp_armci_strided s = CONTIGUOUS(&src, dst, n, proc);       \
    return TRANSFER(&a, &s, src, dst, proc);                                   \
  }                                                                            \
  int PARMCI_NbPutValue##Name(type src, void *dst, int proc, armci_hdl_t *handle) { \
    const struct goacp_armci_action a = STARTED(PUT, handle);                  \
    const int n = sizeof src;                                                  \
    const struct goacp_armci_strided s = CONTIGUOUS(&src, dst, n, proc);       \
    return TRANSFER(&a, &s, src, dst, proc, handle);                           \
  }                                                                            \
  type PARMCI_GetValue##Name(void *src, int proc) {                            \
    const struct goacp_armci_action a = BLOCKING(GET);                         \
    type value = 0;                                                            \
    const int n = sizeof value;                                                \
    const struct goacp_armci_strided s = CONTIGUOUS(&value, src, n, proc);     \
    if (!goacp_armci_near_strided(&a, &s))                                     \
      goacp_armci_strided(CALLED_OR_END(src, proc), &a, &s);                   \
    return value;                                                              \
  }                                                                            \
  ARMCI_ALIAS(int, PutValue##Name, (type src, void *dst, int proc));           \
  ARMCI_ALIAS(int, NbPutValue##Name, (type src, void *dst, int proc, armci_hdl_t *handle)); \
  ARMCI_ALIAS(type, GetValue##Name, (void *src, int proc));

VALUES(Int, int)
VALUES(Long, long)
VALUES(Float, float)
VALUES(Double, double)

#define STRIDED_ void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], \
                 int count[], int stride_levels, int proc
ARMCI_ALIAS(int, Put, (void *src, void *dst, int bytes, int proc));
ARMCI_ALIAS(int, Get, (void *src, void *dst, int bytes, int proc));
ARMCI_ALIAS(int, Acc, (int datatype, void *scale, void *src, void *dst, int bytes, int proc));
ARMCI_ALIAS(int, PutS, (STRIDED_));
ARMCI_ALIAS(int, GetS, (STRIDED_));
ARMCI_ALIAS(int, AccS, (int datatype, void *scale, STRIDED_));
ARMCI_ALIAS(int, PutV, (armci_giov_t * dsrc_arr, int arr_len, int proc));
ARMCI_ALIAS(int, GetV, (armci_giov_t * dsrc_arr, int arr_len, int proc));
ARMCI_ALIAS(int, AccV, (int datatype, void *scale, armci_giov_t *dsrc_arr, int arr_len, int proc));
ARMCI_ALIAS(int, NbPut, (void *src, void *dst, int bytes, int proc, armci_hdl_t *handle));
ARMCI_ALIAS(int, NbGet, (void *src, void *dst, int bytes, int proc, armci_hdl_t *handle));
ARMCI_ALIAS(int, NbAcc, (int datatype, void *scale, void *src, void *dst, int bytes, int proc,
                         armci_hdl_t *handle));
ARMCI_ALIAS(int, NbPutS, (STRIDED_, armci_hdl_t *handle));
ARMCI_ALIAS(int, NbGetS, (STRIDED_, armci_hdl_t *handle));
ARMCI_ALIAS(int, NbAccS, (int datatype, void *scale, STRIDED_, armci_hdl_t *handle));
ARMCI_ALIAS(int, NbPutV, (armci_giov_t * dsrc_arr, int arr_len, int proc, armci_hdl_t *handle));
ARMCI_ALIAS(int, NbGetV, (armci_giov_t * dsrc_arr, int arr_len, int proc, armci_hdl_t *handle));
ARMCI_ALIAS(int, NbAccV, (int datatype, void *scale, armci_giov_t *dsrc_arr, int arr_len, int proc,
                          armci_hdl_t *handle));
