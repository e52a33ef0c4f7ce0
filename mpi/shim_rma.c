//go:build mpi

#include "shim.h"

#include <limits.h>

// In the order of datatype.go.
static const MPI_Datatype types[] = {
    MPI_BYTE,    MPI_INT8_T,   MPI_INT16_T, MPI_INT32_T,
    MPI_INT64_T, MPI_UINT8_T,  MPI_UINT16_T, MPI_UINT32_T,
    MPI_UINT64_T, MPI_FLOAT,   MPI_DOUBLE,
};

static const MPI_Op ops[] = {
    MPI_SUM, MPI_PROD, MPI_MIN,     MPI_MAX,   MPI_BAND,
    MPI_BOR, MPI_BXOR, MPI_REPLACE, MPI_NO_OP,
};

// Whether MPI carries out the operation on the type correctly. MPICH 4.0 compares unsigned integers as signed
// ones.
static int correct(int type, int op) {
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
  int is_unsigned = types[type] == MPI_UINT8_T || types[type] == MPI_UINT16_T ||
                    types[type] == MPI_UINT32_T || types[type] == MPI_UINT64_T;
  return !(is_unsigned && (ops[op] == MPI_MIN || ops[op] == MPI_MAX));
#else
  (void)type, (void)op;
  return 1;
#endif
}

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
static int long_integer(MPI_Datatype t) {
  return t == MPI_INT32_T || t == MPI_INT64_T || t == MPI_UINT32_T ||
         t == MPI_UINT64_T;
}
#endif

// Fetches and replaces one element. Open MPI 4 over UCX treats floating-point numbers as
// integers. For elements of less than 4 bytes it does nothing and reports success. Its
// general function works.
static int fetch_and_op(const void *src, void *old, int type, int op,
                        int target, MPI_Aint disp, MPI_Win win) {
  if (!correct(type, op))
    return MPI_ERR_OP;
  MPI_Datatype t = types[type];
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
  if (!long_integer(t))
    return MPI_Get_accumulate(src, 1, t, old, 1, t, target, disp, 1, t, ops[op],
                              win);
#endif
  return MPI_Fetch_and_op(src, old, t, target, disp, ops[op], win);
}

// Whether requests of accesses to win complete. In Open MPI 4 over UCX those of dynamic
// windows fail or crash.
static int requests_work(MPI_Win win) {
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
  int *flavor, found;
  return MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &found) ==
             MPI_SUCCESS &&
         found && *flavor != MPI_WIN_FLAVOR_DYNAMIC;
#else
  (void)win;
  return 1;
#endif
}

int goacp_mpi_many(long n, MPI_Datatype type, MPI_Datatype *many) {
  enum { chunk = 1 << 30 };
  MPI_Datatype block, blocks;
  MPI_Aint lower, extent;
  int rc = MPI_Type_get_extent(type, &lower, &extent);
  if (rc == MPI_SUCCESS)
    rc = MPI_Type_contiguous(chunk, type, &block);
  if (rc != MPI_SUCCESS)
    return rc;
  rc = MPI_Type_contiguous(n / chunk, block, &blocks);
  if (rc == MPI_SUCCESS) {
    int counts[] = {1, n % chunk};
    MPI_Aint at[] = {0, n / chunk * (MPI_Aint)chunk * extent};
    MPI_Datatype of[] = {blocks, type};
    rc = MPI_Type_create_struct(2, counts, at, of, many);
    if (rc == MPI_SUCCESS)
      rc = MPI_Type_commit(many);
    MPI_Type_free(&blocks);
  }
  MPI_Type_free(&block);
  return rc;
}

// Runs CALL with count and type for n elements of a type.
#define COUNTED(n, element, call)                                              \
  do {                                                                         \
    MPI_Datatype type_ = (element);                                            \
    int count_ = (n);                                                          \
    if (__builtin_expect((n) <= INT_MAX, 1))                                   \
      return call;                                                             \
    count_ = 1;                                                                \
    int rc_ = goacp_mpi_many((n), (element), &type_);                          \
    if (rc_ != MPI_SUCCESS)                                                    \
      return rc_;                                                              \
    rc_ = call;                                                                \
    MPI_Type_free(&type_);                                                     \
    return rc_;                                                                \
  } while (0)

int goacp_mpi_put(const void *src, long n, int target, MPI_Aint disp,
                  MPI_Win win) {
  COUNTED(n, MPI_BYTE,
          MPI_Put(src, count_, type_, target, disp, count_, type_, win));
}

int goacp_mpi_get(void *dst, long n, int target, MPI_Aint disp, MPI_Win win) {
  COUNTED(n, MPI_BYTE,
          MPI_Get(dst, count_, type_, target, disp, count_, type_, win));
}

int goacp_mpi_put_flush(const void *src, long n, int target, MPI_Aint disp,
                        MPI_Win win) {
  int rc = goacp_mpi_put(src, n, target, disp, win);
  return rc == MPI_SUCCESS ? MPI_Win_flush(target, win) : rc;
}

int goacp_mpi_get_flush(void *dst, long n, int target, MPI_Aint disp,
                        MPI_Win win) {
  int rc = goacp_mpi_get(dst, n, target, disp, win);
  return rc == MPI_SUCCESS ? MPI_Win_flush(target, win) : rc;
}

int goacp_mpi_rput(const void *src, long n, int target, MPI_Aint disp,
                   MPI_Win win, MPI_Request *request) {
  *request = MPI_REQUEST_NULL;
  if (!requests_work(win))
    return goacp_mpi_put_flush(src, n, target, disp, win);
  COUNTED(
      n, MPI_BYTE,
      MPI_Rput(src, count_, type_, target, disp, count_, type_, win, request));
}

int goacp_mpi_rget(void *dst, long n, int target, MPI_Aint disp, MPI_Win win,
                   MPI_Request *request) {
  *request = MPI_REQUEST_NULL;
  if (!requests_work(win))
    return goacp_mpi_get_flush(dst, n, target, disp, win);
  COUNTED(
      n, MPI_BYTE,
      MPI_Rget(dst, count_, type_, target, disp, count_, type_, win, request));
}

// The greatest number of elements of one accumulate. MPIs fail or crash on a datatype of 2 GiB.
enum { piece = 1 << 27 };

// Makes the datatype of count elements that begin at the element first. The position of a piece at the target
// is in this type and not in a displacement, because the origin does not have the unit of displacements.
static int elements_from(long first, long count, int type, MPI_Datatype *made) {
  MPI_Aint lower, extent;
  int rc = MPI_Type_get_extent(types[type], &lower, &extent);
  if (rc != MPI_SUCCESS)
    return rc;
  int counts[] = {count};
  MPI_Aint at[] = {first * extent};
  rc = MPI_Type_create_hindexed(1, counts, at, types[type], made);
  return rc == MPI_SUCCESS ? MPI_Type_commit(made) : rc;
}

static const char *element(const void *base, long i, int type) {
  int size;
  MPI_Type_size(types[type], &size);
  return (const char *)base + i * size;
}

int goacp_mpi_accumulate(const void *src, long n, int type, int op, int target,
                         MPI_Aint disp, MPI_Win win) {
  MPI_Datatype t = types[type];
  if (!correct(type, op))
    return MPI_ERR_OP;
  if (n <= piece)
    return MPI_Accumulate(src, n, t, target, disp, n, t, ops[op], win);
  int rc = MPI_SUCCESS;
  for (long i = 0; rc == MPI_SUCCESS && i < n; i += piece) {
    long count = n - i < piece ? n - i : piece;
    MPI_Datatype there;
    rc = elements_from(i, count, type, &there);
    if (rc != MPI_SUCCESS)
      return rc;
    rc = MPI_Accumulate(element(src, i, type), count, t, target, disp, 1, there,
                        ops[op], win);
    MPI_Type_free(&there);
  }
  return rc;
}

int goacp_mpi_get_accumulate(const void *src, void *old, long n, int type,
                             int op, int target, MPI_Aint disp, MPI_Win win) {
  MPI_Datatype t = types[type];
  if (!correct(type, op))
    return MPI_ERR_OP;
  if (n <= piece)
    return MPI_Get_accumulate(src, n, t, old, n, t, target, disp, n, t, ops[op],
                              win);
  int rc = MPI_SUCCESS;
  for (long i = 0; rc == MPI_SUCCESS && i < n; i += piece) {
    long count = n - i < piece ? n - i : piece;
    MPI_Datatype there;
    rc = elements_from(i, count, type, &there);
    if (rc != MPI_SUCCESS)
      return rc;
    rc = MPI_Get_accumulate(element(src, i, type), count, t,
                            (void *)element(old, i, type), count, t, target,
                            disp, 1, there, ops[op], win);
    MPI_Type_free(&there);
  }
  return rc;
}

int goacp_mpi_fetch_and_op(const void *src, void *old, int type, int op,
                           int target, MPI_Aint disp, MPI_Win win) {
  return fetch_and_op(src, old, type, op, target, disp, win);
}

int goacp_mpi_compare_and_swap(const void *swap, const void *compare, void *old,
                               int type, int target, MPI_Aint disp,
                               MPI_Win win) {
  return MPI_Compare_and_swap(swap, compare, old, types[type], target, disp,
                              win);
}

// An element in the low bits of an integer begins at its first byte only if the
// processor is little-endian.
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "elements are passed in the low bits of integers");

int goacp_mpi_fetch_and_op_flush(uint64_t operand, uint64_t *old, int type,
                                 int op, int target, MPI_Aint disp,
                                 MPI_Win win) {
  int rc = fetch_and_op(&operand, old, type, op, target, disp, win);
  return rc == MPI_SUCCESS ? MPI_Win_flush(target, win) : rc;
}

int goacp_mpi_compare_and_swap_flush(uint64_t swap, uint64_t compare,
                                     uint64_t *old, int type, int target,
                                     MPI_Aint disp, MPI_Win win) {
  int rc = MPI_Compare_and_swap(&swap, &compare, old, types[type], target, disp,
                                win);
  return rc == MPI_SUCCESS ? MPI_Win_flush(target, win) : rc;
}
