/*
 * acp.h - Advanced Communication Primitives, specification 2.1.
 *
 * One address space over all processes of a run. Every process can copy memory between
 * any two processes, and do atomic operations on the memory of any process. The programs
 * of those processes take no part.
 *
 *     acp_init(&argc, &argv);
 *     acp_ga_t mine = acp_query_starter_ga(acp_rank());
 *     acp_ga_t next = acp_query_starter_ga((acp_rank() + 1) % acp_procs());
 *     acp_complete(acp_copy(next, mine, 8, ACP_HANDLE_NULL));
 *     acp_sync();
 *     acp_finalize();
 *
 * Words: a global address (GA) names a byte of any process. GA + n names the byte n bytes
 * further in the same region. A GMA is one copy or one atomic operation on global memory.
 * Every process has starter memory from acp_init on, and all processes can address it.
 * All sizes are in bytes.
 *
 * The last line of each comment gives the processes that may call the function, whether
 * it blocks, and the chapter of the specification. All processes call a collective
 * function together. Any thread may call any function; of a process, only one thread at a
 * time may call a collective function. docs/c-api.md lists the functions that signal
 * handlers and forked children may call.
 *
 * A function that fails sets ACP_ERRNO. With the environment variable ACP_ON_ERROR it
 * also writes a line, or ends the run (docs/c-api.md).
 */
#ifndef __ACP_H__
#define __ACP_H__

#include <stddef.h>
#include <stdint.h>

/* The version of GoACP to which this header belongs. acp_version returns that of the library. The
 * first two numbers are those of the specification. */
#define ACP_VERSION_MAJOR 2
#define ACP_VERSION_MINOR 1
#define ACP_VERSION_PATCH 0

/* A handle that is a pointer, from a number. C++ has casts of its own, without a warning. */
#ifdef __cplusplus
#define GOACP_POINTER_(type, number) reinterpret_cast<type>(static_cast<intptr_t>(number))
#else
#define GOACP_POINTER_(type, number) ((type)(intptr_t)(number))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Key of registered memory, for acp_query_ga. Never ACP_ATKEY_NULL. */
typedef uint64_t acp_atkey_t;

/* Global address: a byte of the memory of any process. */
typedef uint64_t acp_ga_t;

/* A GMA of this process. Handles ascend in order of issue and are not reused. */
typedef uint64_t acp_handle_t;

/* Bytes in global memory. */
typedef struct {
    acp_ga_t ga;
    size_t   size;
} acp_element_t;

/* Two byte strings in global memory: a key and its value, or the two parts of a range
 * that wraps around in a ring. */
typedef struct {
    acp_element_t first;
    acp_element_t second;
} acp_pair_t;

#define ACP_ATKEY_NULL  0LLU
#define ACP_GA_NULL     0LLU
#define ACP_HANDLE_NULL 0x0000000000000000LLU /* no GMA; as an order: start at once */
#define ACP_HANDLE_ALL  0xffffffffffffffffLLU /* all GMAs issued so far */
#define ACP_HANDLE_CONT 0xfffffffffffffffeLLU /* as an order: see acp_copy */

/*
 * The reason of the last failure, as a number of <errno.h>; 0 if no function has failed.
 * A function that succeeds does not change it, except acp_init, which sets it to 0. All
 * threads share it.
 *
 *     EPERM       not initialised, or finalised
 *     EALREADY    acp_init: initialised already
 *     EINVAL      rank, color, alignment or another argument is wrong
 *     EFAULT      a GA that is null or names no memory, or NULL
 *     ENOENT      a key that is not valid, or not any more, or is of another process
 *     EREMOTE     memory of another process where that of the caller is needed
 *     ENOMEM      lack of resources
 *     ENOTCONN    the other end is not there, this one has been disconnected, or
 *                 acp_free_segbuf needs it to be
 *     EAGAIN      no segment is free, or none is published
 *     ECONNRESET  another process has died; the run is over
 *     ESRCH       the rank has left the run or is lost, and the run goes on
 *     EBUSY       the rank cannot leave now; or acp_reset while the run has guests
 *     ENOTSUP     the ranks of the run are fixed: it was started without -max
 *     ESHUTDOWN   this rank has left the run by acp_adopt
 *     EPROTO      another process has sent a message that this version never sends
 *     EIO         a process has damaged the metadata of a heap
 *     ETIMEDOUT   the time of acp_set_timeout is over
 *     others      a call of the operating system failed with this number
 *
 * acp_error_number and acp_error_message return the number and the text of the calling thread.
 */
extern int ACP_ERRNO;

/* ---- Infrastructure ---------------------------------------------------- */

/*
 * Makes this process a rank of the run that its launcher has started. Without a
 * launcher the process is the only rank of a run of its own. Call it before all other
 * functions. It removes every argument that begins with --acp-, and its value, from *argc
 * and *argv; read the arguments of the program afterwards. argc and argv may be NULL.
 * With MPI, call it in the thread that calls MPI. The program may call MPI_Init before
 * it, after it, or not at all. If acp_init needs MPI, it initialises MPI, and a later
 * MPI_Init of the program then succeeds. A run of one process may be initialised again
 * after acp_finalize.
 *
 * Returns 0, or -1 after a message on standard error: initialised already, the
 * environment is malformed, or the other processes cannot be reached. A wrong
 * argument that begins with --acp- ends the process with status 1.
 *
 * Collective. Blocks until every process has called it. Spec 4.1.1.
 */
int acp_init(int *argc, char ***argv);

/*
 * Completes the GMAs of this process, waits for all processes and frees all resources of
 * the library. Call it after all other functions, and before MPI_Finalize. A process may
 * call MPI_Finalize first only if all processes of the job do so and no windows of MPI
 * are in use (network rma). Otherwise the run ends, with a line that names MPI_Finalize.
 *
 * Returns 0, or -1 if not initialised or another process has died. A process that
 * has called another collective function instead ends the run.
 *
 * Collective. Blocks until every process has called it. Spec 4.1.2.
 */
int acp_finalize(void);

/*
 * Writes one line with the rank, str (may be NULL) and the text for ACP_ERRNO to standard
 * error. If str contains the text of acp_error_message or acp_couple_message, which give the
 * reason already, the text for ACP_ERRNO is left out. Then it ends this process with status 255, without
 * flushing files or calling functions of atexit. The launcher then ends the other
 * processes. May be called before acp_init. Does not return.
 *
 * Any process. Blocks until the launcher has the message, 5 seconds at most. Spec 4.1.3.
 */
void acp_abort(const char *str);

/*
 * Returns the number of processes of the run, or -1 if not initialised. A signal
 * handler may call it.
 *
 * Any process. Does not block. Spec 4.1.4.
 */
int acp_procs(void);

/*
 * Returns the rank of this process, 0 ... acp_procs()-1, or -1 if not
 * initialised. acp_reset changes it. It is not the rank in an MPI communicator. A
 * signal handler may call it.
 *
 * Any process. Does not block. Spec 4.1.5.
 */
int acp_rank(void);

/*
 * Waits for all processes. It does not complete GMAs: if other processes are to see the
 * data that GMAs write, call acp_complete first.
 *
 * Returns 0, or -1 if not initialised or another process has died. A process that
 * has called another collective function instead, such as acp_finalize, ends the run
 * with a line that names both calls and ranks.
 *
 * Collective. Blocks until every process has called it. Spec 4.1.6.
 */
int acp_sync(void);

/*
 * Starts the library again with this process as rank: completes GMAs, fills all
 * starter memory with zeros and makes keys, GAs, handles and workspaces invalid. The
 * ranks that the processes pass must be 0 ... acp_procs()-1, each once.
 *
 * Returns 0. If they are not, or the run has guests (EBUSY), it returns -1 in every process and changes
 * nothing. When ranks have other numbers, no process can join the run or attach to it any more.
 *
 * Collective. Blocks until every process has called it. Spec 4.1.7.
 */
int acp_reset(int rank);

/* ---- Global memory management ------------------------------------------ */

/*
 * Makes size bytes at addr (heap, static or stack) addressable by all processes, with the
 * color color. A region that adjoins the region registered just before may get the same
 * key; every call counts as one registration of its key. Unregister the memory before you
 * free it. With size 0 the key translates only addr, and no byte may be accessed.
 *
 * Returns the key, or ACP_ATKEY_NULL for a wrong color, a null addr, or lack of
 * resources.
 *
 * Any process. Does not block. Spec 4.10.2.
 */
acp_atkey_t acp_register_memory(void *addr, size_t size, int color);

/*
 * Takes back one registration of atkey. After as many calls as registrations, the GAs of
 * the memory are invalid. When the last call has returned 0, no process reads or writes
 * the memory, and it may be freed. GMAs of other processes that are in flight on it fail.
 * Complete the GMAs of this process first.
 *
 * Returns 0, or -1 if the key is unknown or of another process, or if the run ends
 * meanwhile.
 *
 * It waits for accesses that other threads of this process, processes of the same host or
 * windows of MPI have begun. This takes milliseconds if their threads are running.
 *
 * Any process. Blocks until accesses under way have ended. Spec 4.10.3.
 */
int acp_unregister_memory(acp_atkey_t atkey);

/*
 * Returns the GA of addr in the memory of atkey, or ACP_GA_NULL if the key is unknown
 * or of another process, or if addr lies outside of its memory.
 *
 * Any process. Does not block. Spec 4.10.4.
 */
acp_ga_t acp_query_ga(acp_atkey_t atkey, void *addr);

/*
 * Returns the number of colors, or -1 if not initialised. The valid colors are 0 ...
 * acp_colors()-1.
 *
 * Any process. Does not block. Spec 4.10.5.
 */
int acp_colors(void);

/*
 * Returns the rank that owns ga, or -1 for ACP_GA_NULL and GAs of no process.
 *
 * Any process. Does not block. Spec 4.10.6.
 */
int acp_query_rank(acp_ga_t ga);

/*
 * Returns the color with which ga was made, or -1 for ACP_GA_NULL and GAs of no
 * process. Starter memory has color 0.
 *
 * Any process. Does not block. Spec 4.10.7.
 */
int acp_query_color(acp_ga_t ga);

/*
 * Returns the address of ga in this process, or NULL if ga is null, of another
 * process, or not registered any more.
 *
 * Any process. Does not block. Spec 4.10.8.
 */
void *acp_query_address(acp_ga_t ga);

/*
 * Returns the GA of the first byte of the starter memory of rank, or ACP_GA_NULL
 * if there is no such rank.
 *
 * Any process. Does not block. Spec 4.10.9.
 */
acp_ga_t acp_query_starter_ga(int rank);

/* ---- Channel ------------------------------------------------------------ */

/* One end of a channel, and a request on such an end. Both are opaque. acp_reset and
 * acp_finalize make them invalid. */
typedef struct chitem *acp_ch_t;
typedef struct chreqitem *acp_request_t;

#define ACP_CH_NULL      GOACP_POINTER_(acp_ch_t, 0)
#define ACP_REQUEST_NULL GOACP_POINTER_(acp_request_t, 0)

/*
 * Makes the caller's end of a channel, through which rank sender sends messages to rank
 * receiver. Both ranks call it. Among the channels of the same two ranks, the n-th end on
 * one rank connects to the n-th end on the other. The caller may send and receive at
 * once; messages move when both ends exist. They arrive whole and in order. The buffer
 * lies in the heap of the receiver. The variable ACP_CHANNEL_MEMSIZE in the receiver's
 * environment sets its size in bytes, 4096 by default.
 *
 * Returns the end, or ACP_CH_NULL if the ranks are equal, a rank does not exist, the
 * caller is neither sender nor receiver, or its heap is full.
 *
 * Any process. Does not block. Spec 4.2.2.
 */
acp_ch_t acp_create_ch(int sender, int receiver);

/*
 * Frees this end: acp_nbfree_ch and acp_wait_ch in one call. The handle is invalid
 * afterwards.
 *
 * Returns 0, or -1.
 *
 * Any process. Blocks until the other rank frees its end, too. Spec 4.2.3.
 */
int acp_free_ch(acp_ch_t ch);

/*
 * Begins to free this end. The end takes no new requests, and completes the earlier
 * requests. Then the request of this call finishes as soon as the other rank frees its
 * end, too. Messages that the receiver has not requested are lost.
 *
 * Returns a request for acp_wait_ch, or ACP_REQUEST_NULL if the end is being freed or
 * there is no such channel.
 *
 * Any process. Does not block. Spec 4.2.4.
 */
acp_request_t acp_nbfree_ch(acp_ch_t ch);

/*
 * Queues a message of size bytes at buf; size may be 0. The bytes must not change until
 * acp_wait_ch has returned for the request. If the message fits in the buffer of the
 * channel, the request finishes when the message is in the buffer. Otherwise it finishes
 * when the receiver has copied the message.
 *
 * Returns a request for acp_wait_ch, or ACP_REQUEST_NULL if the caller is not the
 * sender, the end is being freed, or there is no such channel.
 *
 * Any process. Does not block. Spec 4.2.5.
 */
acp_request_t acp_nbsend_ch(acp_ch_t ch, void *buf, size_t size);

/*
 * Queues a receive of one message of at most size bytes into buf. The rest of a longer
 * message is lost. A shorter message leaves the rest of buf as it is. Receives get
 * messages in the order in which they were queued.
 *
 * Returns a request for acp_wait_ch, or ACP_REQUEST_NULL if the caller is not the
 * receiver, the end is being freed, or there is no such channel.
 *
 * Any process. Does not block. Spec 4.2.6.
 */
acp_request_t acp_nbrecv_ch(acp_ch_t ch, void *buf, size_t size);

/*
 * Waits for a request and releases it. Call it once for each request.
 *
 * Returns the number of bytes that a receive has stored, and 0 for other requests. It
 * returns (size_t)-1 if the request has failed, and for ACP_REQUEST_NULL and values that
 * are no request. A receive fails if the sender has freed its end and no message is left.
 *
 * Any process. Blocks until the request is finished. Spec 4.2.7.
 */
size_t acp_wait_ch(acp_request_t request);

/*
 * Waits for count requests, which may finish in any order, and releases them. sizes[i]
 * becomes the result of acp_wait_ch for requests[i]. sizes may be NULL.
 *
 * Returns 0, or -1 if a request failed, count is negative (EINVAL), or requests is NULL
 * and count is not 0 (EFAULT).
 *
 * Any process. Blocks until all requests are finished. Spec 4.2.7.
 */
int acp_waitall_ch(acp_request_t *requests, int count, size_t *sizes);

/* ---- Vector ------------------------------------------------------------- */

/*
 * A vector is an array of bytes on one rank that grows and shrinks at its end; sizes and
 * positions are in bytes. The handle may be copied to other processes. An iterator is the
 * index of a byte, at most INT_MAX. It is valid for the process that has obtained it
 * until bytes are inserted, erased, assigned or swapped.
 *
 * While a process changes a vector, no other process may use it. The program of the rank
 * of the vector takes no part. At ga are three words of 8 bytes: the GA of the bytes
 * (ACP_GA_NULL if capacity is 0), size and capacity.
 *
 * A function that fails sets ACP_ERRNO and changes nothing: EFAULT for a handle of no
 * vector, EINVAL for wrong iterators, ENOMEM if the heap is full.
 */
typedef struct {
    acp_ga_t ga;
} acp_vector_t;

typedef struct {
    acp_vector_t vector;
    int          index;
} acp_vector_it_t;

/*
 * Replaces the bytes of vector1 by a copy of the bytes of vector2. Both vectors stay on
 * their ranks.
 *
 * Any process. Blocks for two round trips, or none on one host. Spec 4.3.2.
 */
void acp_assign_vector(acp_vector_t vector1, acp_vector_t vector2);

/*
 * Replaces the bytes by a copy of the bytes from start to before end of another vector.
 * If end is beyond its last byte, the copy ends there. Nothing happens if start and end
 * are of different vectors.
 *
 * Any process. Blocks for two round trips, or none on one host. Spec 4.3.3.
 */
void acp_assign_range_vector(acp_vector_t vector, acp_vector_it_t start, acp_vector_it_t end);

/*
 * Returns the GA of the byte at offset, or ACP_GA_NULL if there is none.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.3.4.
 */
acp_ga_t acp_at_vector(acp_vector_t vector, int offset);

/*
 * Returns the iterator of the first byte, whose index is 0.
 *
 * Any process. Does not block. Spec 4.3.5.
 */
acp_vector_it_t acp_begin_vector(acp_vector_t vector);

/*
 * Returns how many bytes fit without new storage; 0 on failure.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.3.6.
 */
size_t acp_capacity_vector(acp_vector_t vector);

/*
 * Removes all bytes. The storage stays.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.3.7.
 */
void acp_clear_vector(acp_vector_t vector);

/*
 * Creates a vector of size bytes on rank. The bytes are undefined. Destroy it after use;
 * acp_reset and acp_finalize free all vectors.
 *
 * Returns a handle whose ga is ACP_GA_NULL if there is no such rank or its heap is full.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.3.8.
 */
acp_vector_t acp_create_vector(size_t size, int rank);

/*
 * Frees the vector. The handle is invalid afterwards.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.3.9.
 */
void acp_destroy_vector(acp_vector_t vector);

/*
 * Returns 1 if there are no bytes, 0 if there are some; 1 on failure.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.3.10.
 */
int acp_empty_vector(acp_vector_t vector);

/*
 * Returns the iterator after the last byte, whose index is the size.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.3.11.
 */
acp_vector_it_t acp_end_vector(acp_vector_t vector);

/*
 * Removes size bytes, starting with the byte at iterator it; if there are fewer, all of
 * them.
 *
 * Returns the iterator of the byte after them, which equals it.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.3.12.
 */
acp_vector_it_t acp_erase_vector(acp_vector_it_t it, size_t size);

/*
 * Removes the bytes from start to before end.
 *
 * Returns the iterator of the byte after them. If start is not before end, or they are of
 * different vectors, it removes nothing and returns end.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.3.13.
 */
acp_vector_it_t acp_erase_range_vector(acp_vector_it_t start, acp_vector_it_t end);

/*
 * Inserts a copy of the size bytes at ga, which may be memory of any process, before the
 * byte at iterator it, or at the end if the iterator is beyond the end.
 *
 * Returns the iterator of the first new byte, or it on failure.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.3.14.
 */
acp_vector_it_t acp_insert_vector(acp_vector_it_t it, const acp_ga_t ga, size_t size);

/*
 * Inserts a copy of the bytes from start to before end of another vector before the byte
 * at iterator it.
 *
 * Returns the iterator of the first new byte. If start is not before end, or they are of
 * different vectors, it inserts nothing and returns it.
 *
 * Any process. Blocks for two round trips, or none on one host. Spec 4.3.15.
 */
acp_vector_it_t acp_insert_range_vector(acp_vector_it_t it, acp_vector_it_t start, acp_vector_it_t end);

/*
 * Removes size bytes at the end, or all if there are fewer.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.3.16.
 */
void acp_pop_back_vector(acp_vector_t vector, size_t size);

/*
 * Appends a copy of the size bytes at ga, which may be memory of any process.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.3.17.
 */
void acp_push_back_vector(acp_vector_t vector, const acp_ga_t ga, size_t size);

/*
 * Makes the capacity at least size bytes.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.3.18.
 */
void acp_reserve_vector(acp_vector_t vector, size_t size);

/*
 * Returns the number of bytes; 0 on failure.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.3.19.
 */
size_t acp_size_vector(acp_vector_t vector);

/*
 * Exchanges the bytes of the two. Both stay on their ranks. If the ranks differ, the
 * bytes are copied.
 *
 * Any process. Blocks for a few round trips, or none on one host. Spec 4.3.20.
 */
void acp_swap_vector(acp_vector_t vector1, acp_vector_t vector2);

/*
 * Returns the iterator moved by n bytes; n may be negative. Bounds are not checked.
 *
 * Any process. Does not block. Spec 4.3.21.
 */
acp_vector_it_t acp_advance_vector_it(acp_vector_it_t it, int n);

/*
 * Returns the GA of the byte at iterator it, or ACP_GA_NULL if the iterator is outside.
 * For the end it returns the GA after the last byte; use that GA only in comparisons.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.3.22.
 */
acp_ga_t acp_dereference_vector_it(acp_vector_it_t it);

/*
 * Returns the number of bytes from first to last; negative if last is before first.
 *
 * Any process. Does not block. Spec 4.3.23.
 */
int acp_distance_vector_it(acp_vector_it_t first, acp_vector_it_t last);

/* ---- Deque -------------------------------------------------------------- */

/*
 * A deque is an array of bytes on one rank that grows and shrinks at both ends. Otherwise
 * it is like a vector. Its storage is a ring, so a range of bytes may lie in two parts.
 * At ga are four words of 8 bytes: the GA of the storage (ACP_GA_NULL if capacity is 0),
 * the offset of the first byte in it, size and capacity.
 */
typedef struct {
    acp_ga_t ga;
} acp_deque_t;

typedef struct {
    acp_deque_t deque;
    int         index;
} acp_deque_it_t;

/*
 * Replaces the bytes of deque1 by a copy of the bytes of deque2. Both deques stay on
 * their ranks.
 *
 * Any process. Blocks for two round trips, or none on one host. Spec 4.4.2.
 */
void acp_assign_deque(acp_deque_t deque1, acp_deque_t deque2);

/*
 * Replaces the bytes by a copy of the bytes from start to before end of another deque. If
 * end is beyond its last byte, the copy ends there. Nothing happens if start and end are
 * of different deques.
 *
 * Any process. Blocks for two round trips, or none on one host. Spec 4.4.3.
 */
void acp_assign_range_deque(acp_deque_t deque, acp_deque_it_t start, acp_deque_it_t end);

/*
 * Returns the GA of the byte at offset, or ACP_GA_NULL if there is none.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.4.4.
 */
acp_ga_t acp_at_deque(acp_deque_t deque, int offset);

/*
 * Returns the iterator of the last byte; its index is -1 if the deque is empty.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.4.5.
 */
acp_deque_it_t acp_back_deque(acp_deque_t deque);

/*
 * Returns the iterator of the first byte, whose index is 0.
 *
 * Any process. Does not block. Spec 4.4.6.
 */
acp_deque_it_t acp_begin_deque(acp_deque_t deque);

/*
 * Returns how many bytes fit without new storage; 0 on failure.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.4.7.
 */
size_t acp_capacity_deque(acp_deque_t deque);

/*
 * Removes all bytes. The storage stays.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.4.8.
 */
void acp_clear_deque(acp_deque_t deque);

/*
 * Creates an empty deque with room for size bytes on rank. Otherwise as
 * acp_create_vector.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.4.9.
 */
acp_deque_t acp_create_deque(size_t size, int rank);

/*
 * Frees the deque. The handle is invalid afterwards.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.4.10.
 */
void acp_destroy_deque(acp_deque_t deque);

/*
 * Returns 1 if there are no bytes, 0 if there are some; 1 on failure.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.4.11.
 */
int acp_empty_deque(acp_deque_t deque);

/*
 * Returns the iterator after the last byte, whose index is the size.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.4.12.
 */
acp_deque_it_t acp_end_deque(acp_deque_t deque);

/*
 * Removes size bytes, starting with the byte at iterator it; if there are fewer, all of
 * them.
 *
 * Returns the iterator of the byte after them, which equals it.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.4.13.
 */
acp_deque_it_t acp_erase_deque(acp_deque_it_t it, size_t size);

/*
 * Removes the bytes from start to before end.
 *
 * Returns the iterator of the byte after them. If start is not before end, or they are of
 * different deques, it removes nothing and returns end.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.4.14.
 */
acp_deque_it_t acp_erase_range_deque(acp_deque_it_t start, acp_deque_it_t end);

/*
 * Returns the iterator before the first byte, whose index is -1.
 *
 * Any process. Does not block. Spec 4.4.15.
 */
acp_deque_it_t acp_front_deque(acp_deque_t deque);

/*
 * Inserts a copy of the size bytes at ga, which may be memory of any process, before the
 * byte at iterator it, or at the end if the iterator is beyond the end.
 *
 * Returns the iterator of the first new byte, or it on failure.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.4.16.
 */
acp_deque_it_t acp_insert_deque(acp_deque_it_t it, const acp_ga_t ga, size_t size);

/*
 * Inserts a copy of the bytes from start to before end of another deque before the byte
 * at iterator it.
 *
 * Returns the iterator of the first new byte. If start is not before end, or they are of
 * different deques, it inserts nothing and returns it.
 *
 * Any process. Blocks for two round trips, or none on one host. Spec 4.4.17.
 */
acp_deque_it_t acp_insert_range_deque(acp_deque_it_t it, acp_deque_it_t start, acp_deque_it_t end);

/*
 * Removes size bytes at the end, or all if there are fewer.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.4.18.
 */
void acp_pop_back_deque(acp_deque_t deque, size_t size);

/*
 * Removes size bytes at the beginning, or all if there are fewer.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.4.19.
 */
void acp_pop_front_deque(acp_deque_t deque, size_t size);

/*
 * Appends a copy of the size bytes at ga, which may be memory of any process.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.4.20.
 */
void acp_push_back_deque(acp_deque_t deque, const acp_ga_t ga, size_t size);

/*
 * Inserts a copy of the size bytes at ga, which may be memory of any process, before the
 * first byte. They keep their order.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.4.21.
 */
void acp_push_front_deque(acp_deque_t deque, const acp_ga_t ga, size_t size);

/*
 * Makes the capacity at least size bytes.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.4.22.
 */
void acp_reserve_deque(acp_deque_t deque, size_t size);

/*
 * Returns the number of bytes; 0 on failure.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.4.23.
 */
size_t acp_size_deque(acp_deque_t deque);

/*
 * Exchanges the bytes of the two. Both stay on their ranks. If the ranks differ, the
 * bytes are copied.
 *
 * Any process. Blocks for a few round trips, or none on one host. Spec 4.4.24.
 */
void acp_swap_deque(acp_deque_t deque1, acp_deque_t deque2);

/*
 * Returns the iterator moved by n bytes; n may be negative. Bounds are not checked.
 *
 * Any process. Does not block. Spec 4.4.25.
 */
acp_deque_it_t acp_advance_deque_it(acp_deque_it_t it, int n);

/*
 * Finds size bytes, starting with the byte at iterator it; if there are fewer, all of
 * them. A macro of this name also accepts a call with the iterator as the only argument,
 * as the specification prints the function. The call then returns the GA of the byte at
 * the iterator, or ACP_GA_NULL if the iterator is outside.
 *
 * Returns the bytes up to the end of the storage as first, and the rest, at the beginning
 * of the storage, as second. A part without bytes is ACP_GA_NULL and 0. If the iterator
 * is outside, both parts are.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.4.26.
 */
acp_pair_t acp_dereference_deque_it(acp_deque_it_t it, size_t size);

/*
 * Returns the number of bytes from first to last; negative if last is before first.
 *
 * Any process. Does not block. Spec 4.4.27.
 */
int acp_distance_deque_it(acp_deque_it_t first, acp_deque_it_t last);

/*
 * Returns the GA of the byte at iterator it, or ACP_GA_NULL if the iterator is outside.
 * Programs call this function as acp_dereference_deque_it with one argument.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.4.26.
 */
acp_ga_t goacp_deque_it_ga(acp_deque_it_t it);

#ifndef ACP_NO_GENERIC
#define GOACP_PICK3_(a, b, f, ...) f
#define acp_dereference_deque_it(...) \
    GOACP_PICK3_(__VA_ARGS__, acp_dereference_deque_it, goacp_deque_it_ga, )(__VA_ARGS__)
#endif

/* ---- List --------------------------------------------------------------- */

/*
 * A list is a chain of elements. Each element is a byte string on a rank that the program
 * chooses, and stays there until it is removed. A list has no lock: while one process
 * changes it, no other process may use it.
 *
 * At ga are three words of 8 bytes: the GAs of the first and the last element, and the
 * number of elements. At the GA of an element are also three words: the GAs of the next
 * and the previous element, and the number of bytes. The bytes follow the words. If there
 * is no first, last, next or previous element, the word is the GA of the list.
 *
 * A function takes one round trip if the list and all elements that it touches lie on one
 * host. Otherwise it takes a few round trips, and one more for every thousand elements.
 * An iterator is valid on the process that has obtained it, until a function other than
 * push and pop changes the list. A wrong iterator sets ACP_ERRNO to EINVAL and changes
 * nothing; some iterators of removed elements cannot be recognised (docs/list.md).
 *
 * An element on a rank that has left the run or is lost is gone. A function that meets one
 * sets ACP_ERRNO to ESRCH and changes nothing. Only acp_clear_list, acp_destroy_list and the
 * first list of acp_assign_list need no such element.
 */
typedef struct {
    acp_ga_t ga;
} acp_list_t;

typedef struct {
    acp_list_t list;
    acp_ga_t   elem; /* list.ga for the end, behind the last; ACP_GA_NULL after a failure */
} acp_list_it_t;

/*
 * Replaces the elements of list1 by copies of the elements of list2, each on the rank of
 * its original. On lack of memory list1 stays as it is.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.5.2.
 */
void acp_assign_list(acp_list_t list1, acp_list_t list2);

/*
 * Replaces the elements by copies of the elements from start to before end. Nothing
 * happens if start and end are of different lists. Otherwise as acp_assign_list.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.5.3.
 */
void acp_assign_range_list(acp_list_t list, acp_list_it_t start, acp_list_it_t end);

/*
 * Returns the iterator of the first element, or the end if the list is empty.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.5.4.
 */
acp_list_it_t acp_begin_list(acp_list_t list);

/*
 * Removes all elements. If some are on ranks that have left the run or are lost, it frees the
 * elements on other ranks from both ends up to the first of those; the memory of elements
 * between two of those stays in use.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.5.5.
 */
void acp_clear_list(acp_list_t list);

/*
 * Creates a list without elements on rank.
 *
 * Returns a handle, which may be copied to other processes. Its ga is ACP_GA_NULL if
 * there is no such rank or its heap is full.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.5.6.
 */
acp_list_t acp_create_list(int rank);

/*
 * Frees the elements and the list. The handle is invalid afterwards. Otherwise as
 * acp_clear_list.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.5.7.
 */
void acp_destroy_list(acp_list_t list);

/*
 * Returns 1 if there are no elements, 0 if there are some; 1 on failure.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.5.8.
 */
int acp_empty_list(acp_list_t list);

/*
 * Returns the iterator of the end: its elem is list.ga.
 *
 * Any process. Does not block. Spec 4.5.9.
 */
acp_list_it_t acp_end_list(acp_list_t list);

/*
 * Removes an element.
 *
 * Returns the iterator of the next element. If iterator it is not of an element, for
 * example the end, the elem of the result is ACP_GA_NULL.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.5.10.
 */
acp_list_it_t acp_erase_list(acp_list_it_t it);

/*
 * Removes the elements from start to before end. Nothing happens if start and end are of
 * different lists.
 *
 * Returns end.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.5.11.
 */
acp_list_it_t acp_erase_range_list(acp_list_it_t start, acp_list_it_t end);

/*
 * Inserts an element on rank before iterator it: a copy of the bytes of elem, which may
 * be memory of any process.
 *
 * Returns the iterator of the new element; its elem is ACP_GA_NULL if there is no such
 * rank or no memory.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.5.12.
 */
acp_list_it_t acp_insert_list(acp_list_it_t it, const acp_element_t elem, int rank);

/*
 * Inserts copies of the elements from start to before end before iterator it, each on the
 * rank of its original.
 *
 * Returns the iterator of the first copy, or it if the range is empty. The elem of the
 * result is ACP_GA_NULL if start and end are of different lists or there is no memory.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.5.13.
 */
acp_list_it_t acp_insert_range_list(acp_list_it_t it, acp_list_it_t start, acp_list_it_t end);

/*
 * Merges the elements of list2 into list1. Both lists must be sorted by comp. Of elements
 * that compare as equal, the elements of list1 come first. list2 has no elements
 * afterwards. Elements keep their GAs. A list merged with itself stays as it is. comp as
 * in acp_sort_list.
 *
 * Any process. Blocks for a few round trips, or none on one host. Spec 4.5.14.
 */
void acp_merge_list(acp_list_t list1, acp_list_t list2,
                    int (*comp)(const acp_element_t elem1, const acp_element_t elem2));

/*
 * Removes the last element if there is one.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.5.15.
 */
void acp_pop_back_list(acp_list_t list);

/*
 * Removes the first element if there is one.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.5.16.
 */
void acp_pop_front_list(acp_list_t list);

/*
 * Appends an element on rank: a copy of the bytes of elem, which may be memory of any
 * process. If there is no memory, only ACP_ERRNO changes.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.5.17.
 */
void acp_push_back_list(acp_list_t list, const acp_element_t elem, int rank);

/*
 * Inserts an element before the first element. Otherwise as acp_push_back_list.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.5.18.
 */
void acp_push_front_list(acp_list_t list, const acp_element_t elem, int rank);

/*
 * Removes all elements that have the same bytes as elem, which may be memory of any
 * process.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.5.19.
 */
void acp_remove_list(acp_list_t list, const acp_element_t elem);

/*
 * Reverses the order of the elements. They keep their GAs.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.5.20.
 */
void acp_reverse_list(acp_list_t list);

/*
 * Returns the number of elements; 0 on failure.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.5.21.
 */
size_t acp_size_list(acp_list_t list);

/*
 * Sorts the elements, smallest first. Elements that compare as equal stay in order. All
 * elements keep their GAs. comp returns a negative number if elem1 is less than elem2, 0
 * if they are equal, and otherwise a positive number. It is called in the thread of the
 * caller, with elements of any process. It may call other functions, such as acp_copy,
 * but must not change the list.
 *
 * Any process. Blocks for a few round trips, or none on one host. Spec 4.5.22.
 */
void acp_sort_list(acp_list_t list,
                   int (*comp)(const acp_element_t elem1, const acp_element_t elem2));

/*
 * Moves the element of it2 before it1, in the same or another list. The element keeps its
 * GA. If it2 is an end, nothing happens.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.5.23.
 */
void acp_splice_list(acp_list_it_t it1, acp_list_it_t it2);

/*
 * Moves the elements from start to before end before iterator it, in the same or another
 * list. They keep their GAs. Nothing happens if start and end are of different lists.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.5.24.
 */
void acp_splice_range_list(acp_list_it_t it, acp_list_it_t start, acp_list_it_t end);

/*
 * Exchanges the elements of two lists. They keep their GAs.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.5.25.
 */
void acp_swap_list(acp_list_t list1, acp_list_t list2);

/*
 * Removes every element that has the same bytes as the element before it.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.5.26.
 */
void acp_unique_list(acp_list_t list);

/*
 * Returns the iterator moved by n elements: forward at most to the end, or, if n is
 * negative, back at most to the first element. If the iterator is not valid, the elem of
 * the result is ACP_GA_NULL.
 *
 * Any process. Blocks for a few round trips, or none on one host. Spec 4.5.27.
 */
acp_list_it_t acp_advance_list_it(acp_list_it_t it, int n);

/*
 * Returns the iterator of the previous element: acp_advance_list_it by -1.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.5.28.
 */
acp_list_it_t acp_decrement_list_it(acp_list_it_t it);

/*
 * Returns the GA and the number of the bytes of an element; ACP_GA_NULL and 0 if the
 * iterator is not of an element, for example the end.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.5.29.
 */
acp_element_t acp_dereference_list_it(acp_list_it_t it);

/*
 * Returns the number of elements from first to before last, or to the end if last does
 * not follow first; 0 if the iterators are of different lists.
 *
 * Any process. Blocks for a few round trips, or none on one host. Spec 4.5.30.
 */
int acp_distance_list_it(acp_list_it_t first, acp_list_it_t last);

/*
 * Returns the iterator of the next element: acp_advance_list_it by 1.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.5.31.
 */
acp_list_it_t acp_increment_list_it(acp_list_it_t it);

/* ---- Set --------------------------------------------------------------- */

/*
 * A set of keys. A key is a byte string that is not empty. Each of several processes
 * holds a hash table of slots, which are chains of keys. The hash of a key determines its
 * table and slot. The handle may be copied to other processes.
 *
 * All processes may call all functions at the same time, on sets, multisets and maps,
 * apart from destroy. For each key the calls take effect one after the other. While a
 * process clears, assigns, merges, moves or swaps a structure, calls of other processes
 * on it wait. docs/map.md describes the memory layout.
 *
 * The functions take round trips only to other hosts. A call takes one more if the key is
 * memory of another host, and one more at the first use of a structure whose directory
 * lies on another host.
 */
typedef struct {
    acp_ga_t ga;        /* of the directory; ACP_GA_NULL: none */
    uint64_t num_ranks; /* tables */
    uint64_t num_slots; /* of each table */
} acp_set_t;

/*
 * An iterator of a set. The end, after the last key, has num_ranks as its rank and
 * ACP_GA_NULL as its elem. An iterator is valid until its key is removed.
 */
typedef struct {
    acp_set_t set;
    int      rank; /* number of the table, not the rank of a process */
    int      slot; /* number of the slot in the table */
    acp_ga_t elem; /* the element */
} acp_set_it_t;

/* Used by no function. */
typedef struct {
    acp_set_it_t it;
    int success;
} acp_set_ib_t;

/*
 * Replaces all keys of set1 by the keys of set2 that lie on this process. If a heap has
 * no room (ACP_ERRNO is ENOMEM), set1 is as before. One process at a time may call it for
 * the same structure.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.6.2.
 */
void acp_assign_local_set(acp_set_t set1, acp_set_t set2);

/*
 * Replaces the keys of set1 by the keys of set2. If a heap has no room (ACP_ERRNO is
 * ENOMEM), set1 is as before.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.6.3.
 */
void acp_assign_set(acp_set_t set1, acp_set_t set2);

/*
 * Returns the iterator of the first key on this process; if there is none, the result of
 * acp_end_local_set.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.6.4.
 */
acp_set_it_t acp_begin_local_set(acp_set_t set);

/*
 * Returns the iterator of the first key, or the end if there is none. Iterators visit the
 * tables in order, in a table the slots in order, and in a slot the oldest first.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.6.5.
 */
acp_set_it_t acp_begin_set(acp_set_t set);

/*
 * Removes the keys on this process.
 *
 * Any process. Blocks for one round trip at most. Spec 4.6.6.
 */
void acp_clear_local_set(acp_set_t set);

/*
 * Removes all keys.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.6.7.
 */
void acp_clear_set(acp_set_t set);

/*
 * Creates an empty set with a table of num_slots slots on each of the num_ranks
 * processes in ranks, and its directory on rank.
 *
 * Returns the handle; its ga is ACP_GA_NULL if a number is wrong (EINVAL) or a
 * heap has no room (ENOMEM).
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.6.8.
 */
acp_set_t acp_create_set(int num_ranks, const int *ranks, int num_slots, int rank);

/*
 * Frees the set. No process may use it any more. Later calls of any function with it,
 * this one included, set ACP_ERRNO to EINVAL.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.6.9.
 */
void acp_destroy_set(acp_set_t set);

/*
 * Returns 1 if no key is on this process, otherwise 0.
 *
 * Any process. Blocks for one round trip at most. Spec 4.6.10.
 */
int acp_empty_local_set(acp_set_t set);

/*
 * Returns 1 if the set is empty, otherwise 0.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.6.11.
 */
int acp_empty_set(acp_set_t set);

/*
 * Returns the iterator that acp_increment_set_it returns for the last key on this
 * process: the first key of the following tables, or the end. It changes if another
 * process inserts keys there.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.6.12.
 */
acp_set_it_t acp_end_local_set(acp_set_t set);

/*
 * Returns the end: the iterator after the last key.
 *
 * Any process. Does not block. Spec 4.6.13.
 */
acp_set_it_t acp_end_set(acp_set_t set);

/*
 * Returns the iterator of the key, or the end if it is not in the set or key.size
 * is 0.
 *
 * Any process. Blocks for one round trip at most. Spec 4.6.14.
 */
acp_set_it_t acp_find_set(acp_set_t set, acp_element_t key);

/*
 * Inserts a copy of the key, which may be memory of any process, unless it is in
 * the set.
 *
 * Returns 1, also if it was there, or 0 if key.size is 0 (EINVAL) or the heap
 * has no room (ENOMEM).
 *
 * Any process. Blocks for one round trip at most. Spec 4.6.15.
 */
int acp_insert_set(acp_set_t set, acp_element_t key);

/*
 * Inserts the keys of set2 that lie on this process into set1. If a heap has no
 * room (ACP_ERRNO is ENOMEM), some of them may be missing.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.6.16.
 */
void acp_merge_local_set(acp_set_t set1, acp_set_t set2);

/*
 * Inserts the keys of set2 into set1. If a heap has no room (ACP_ERRNO is
 * ENOMEM), some of them may be missing.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.6.17.
 */
void acp_merge_set(acp_set_t set1, acp_set_t set2);

/*
 * Inserts the keys of set2 that lie on this process into set1, as acp_merge_local_set
 * does, and removes them from set2, even if set1 had them already. If a heap has no room
 * (ACP_ERRNO is ENOMEM), each key stays in at least one of the sets.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.6.18.
 */
void acp_move_local_set(acp_set_t set1, acp_set_t set2);

/*
 * Inserts the keys of set2 into set1, as acp_merge_set does, and removes them from set2,
 * even if set1 had them already. If a heap has no room (ACP_ERRNO is ENOMEM), each key
 * stays in at least one of the sets.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.6.19.
 */
void acp_move_set(acp_set_t set1, acp_set_t set2);

/*
 * Removes the key if it is in the set.
 *
 * Any process. Blocks for one round trip at most. Spec 4.6.20.
 */
void acp_remove_set(acp_set_t set, acp_element_t key);

/*
 * Returns the number of keys on this process.
 *
 * Any process. Blocks for one round trip at most. Spec 4.6.21.
 */
size_t acp_size_local_set(acp_set_t set);

/*
 * Returns the number of keys.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.6.22.
 */
size_t acp_size_set(acp_set_t set);

/*
 * Exchanges the keys of two sets, each of which keeps its tables. If a heap has
 * no room (ACP_ERRNO is ENOMEM), both are as before.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.6.23.
 */
void acp_swap_set(acp_set_t set1, acp_set_t set2);

/*
 * Returns the GA and the number of the bytes of a key; ACP_GA_NULL and 0 for the end and
 * for a removed key.
 *
 * Any process. Blocks for one round trip at most. Spec 4.6.24.
 */
acp_element_t acp_dereference_set_it(acp_set_it_t it);

/*
 * Returns the iterator of the next key, over all processes. For the end it returns the
 * end. For a removed key it returns the iterator of the key that followed it if the table
 * still has a record of that, otherwise of the first key of the next slot.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.6.25.
 */
acp_set_it_t acp_increment_set_it(acp_set_it_t it);

/* ---- Map --------------------------------------------------------------- */

/*
 * A map from keys to values. Keys and values are byte strings that are not empty. Tables
 * and handle are like those of a set.
 */
typedef struct {
    acp_ga_t ga;        /* of the directory; ACP_GA_NULL: none */
    uint64_t num_ranks; /* tables */
    uint64_t num_slots; /* of each table */
} acp_map_t;

/*
 * An iterator of a map. The end, after the last pair, has num_ranks as its rank and
 * ACP_GA_NULL as its elem. An iterator is valid until its pair is removed.
 */
typedef struct {
    acp_map_t map;
    int      rank; /* number of the table, not the rank of a process */
    int      slot; /* number of the slot in the table */
    acp_ga_t elem; /* the element */
} acp_map_it_t;

/* Used by no function. */
typedef struct {
    acp_map_it_t it;
    int success;
} acp_map_ib_t;

/*
 * Replaces all pairs of map1 by the pairs of map2 that lie on this process. If a heap has
 * no room (ACP_ERRNO is ENOMEM), map1 is as before. One process at a time may call it for
 * the same structure.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.7.2.
 */
void acp_assign_local_map(acp_map_t map1, acp_map_t map2);

/*
 * Replaces the pairs of map1 by the pairs of map2. If a heap has no room (ACP_ERRNO is
 * ENOMEM), map1 is as before.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.7.3.
 */
void acp_assign_map(acp_map_t map1, acp_map_t map2);

/*
 * Returns the iterator of the first pair on this process; if there is none, the result of
 * acp_end_local_map.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.7.4.
 */
acp_map_it_t acp_begin_local_map(acp_map_t map);

/*
 * Returns the iterator of the first pair, or the end if there is none. Iterators visit
 * the tables in order, in a table the slots in order, and in a slot the oldest first.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.7.5.
 */
acp_map_it_t acp_begin_map(acp_map_t map);

/*
 * Removes the pairs on this process.
 *
 * Any process. Blocks for one round trip at most. Spec 4.7.6.
 */
void acp_clear_local_map(acp_map_t map);

/*
 * Removes all pairs.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.7.7.
 */
void acp_clear_map(acp_map_t map);

/*
 * Creates an empty map with a table of num_slots slots on each of the num_ranks
 * processes in ranks, and its directory on rank.
 *
 * Returns the handle; its ga is ACP_GA_NULL if a number is wrong (EINVAL) or a
 * heap has no room (ENOMEM).
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.7.8.
 */
acp_map_t acp_create_map(int num_ranks, const int *ranks, int num_slots, int rank);

/*
 * Frees the map. No process may use it any more. Later calls of any function with it,
 * this one included, set ACP_ERRNO to EINVAL.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.7.9.
 */
void acp_destroy_map(acp_map_t map);

/*
 * Returns 1 if no pair is on this process, otherwise 0.
 *
 * Any process. Blocks for one round trip at most. Spec 4.7.10.
 */
int acp_empty_local_map(acp_map_t map);

/*
 * Returns 1 if the map is empty, otherwise 0.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.7.11.
 */
int acp_empty_map(acp_map_t map);

/*
 * Returns the iterator that acp_increment_map_it returns for the last pair on this
 * process: the first pair of the following tables, or the end. It changes if another
 * process inserts pairs there.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.7.12.
 */
acp_map_it_t acp_end_local_map(acp_map_t map);

/*
 * Returns the end: the iterator after the last pair.
 *
 * Any process. Does not block. Spec 4.7.13.
 */
acp_map_it_t acp_end_map(acp_map_t map);

/*
 * Returns the iterator of the key, or the end if it is not in the map or key.size
 * is 0.
 *
 * Any process. Blocks for one round trip at most. Spec 4.7.14.
 */
acp_map_it_t acp_find_map(acp_map_t map, acp_element_t key);

/*
 * Inserts copies of the key pair.first and the value pair.second, which may be
 * memory of any process. A key that is in the map keeps its value. A value of
 * size 0 removes the key.
 *
 * Returns 1, or 0 if the key was in the map, if a size is 0, or if the heap has
 * no room (ENOMEM).
 *
 * Any process. Blocks for one round trip at most. Spec 4.7.15.
 */
int acp_insert_map(acp_map_t map, acp_pair_t pair);

/*
 * Inserts the pairs of map2 that lie on this process into map1. Keys that are in
 * map1 keep their values. If a heap has no room (ACP_ERRNO is ENOMEM), some may
 * be missing.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.7.16.
 */
void acp_merge_local_map(acp_map_t map1, acp_map_t map2);

/*
 * Inserts the pairs of map2 into map1. Keys that are in map1 keep their values.
 * If a heap has no room (ACP_ERRNO is ENOMEM), some of them may be missing.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.7.17.
 */
void acp_merge_map(acp_map_t map1, acp_map_t map2);

/*
 * Inserts the pairs of map2 that lie on this process into map1, as acp_merge_local_map
 * does, and removes them from map2, even if map1 had the key already. If a heap has no
 * room (ACP_ERRNO is ENOMEM), each key stays in at least one of the maps.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.7.18.
 */
void acp_move_local_map(acp_map_t map1, acp_map_t map2);

/*
 * Inserts the pairs of map2 into map1, as acp_merge_map does, and removes them from map2,
 * even if map1 had the key already. If a heap has no room (ACP_ERRNO is ENOMEM), each key
 * stays in at least one of the maps.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.7.19.
 */
void acp_move_map(acp_map_t map1, acp_map_t map2);

/*
 * Removes the key and its value if it is in the map.
 *
 * Any process. Blocks for one round trip at most. Spec 4.7.20.
 */
void acp_remove_map(acp_map_t map, acp_element_t key);

/*
 * Copies the value of the key pair.first to pair.second.ga, which may be memory
 * of any process. It copies at most pair.second.size bytes.
 *
 * Returns the number of bytes copied; 0 if the key is not in the map.
 *
 * Any process. Blocks for one round trip, and three more beyond 32 KiB. Spec 4.7.21.
 */
size_t acp_retrieve_map(acp_map_t map, acp_pair_t pair);

/*
 * Returns the number of pairs on this process.
 *
 * Any process. Blocks for one round trip at most. Spec 4.7.22.
 */
size_t acp_size_local_map(acp_map_t map);

/*
 * Returns the number of pairs.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.7.23.
 */
size_t acp_size_map(acp_map_t map);

/*
 * Exchanges the pairs of two maps, each of which keeps its tables. If a heap has
 * no room (ACP_ERRNO is ENOMEM), both are as before.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.7.24.
 */
void acp_swap_map(acp_map_t map1, acp_map_t map2);

/*
 * Returns the GAs and sizes of a key (first) and its value (second); ACP_GA_NULL and 0
 * for the end and for a removed key.
 *
 * Any process. Blocks for one round trip at most. Spec 4.7.25.
 */
acp_pair_t acp_dereference_map_it(acp_map_it_t it);

/*
 * Returns the iterator of the next pair, over all processes. For the end it returns the
 * end. For a removed pair it returns the iterator of the pair that followed it if the
 * table still has a record of that, otherwise of the first pair of the next slot.
 *
 * Any process. Blocks for round trips to other hosts. Spec 4.7.26.
 */
acp_map_it_t acp_increment_map_it(acp_map_it_t it);

/* ---- Workspace --------------------------------------------------------- */

/*
 * A range of bytes that all processes share. Its pieces lie in the global heaps of
 * consecutive ranks: piece i holds the bytes from i * size_default on. Programs may read
 * the struct, copy from and to the pieces, and do atomics on them, until the workspace is
 * destroyed. They must not change the struct.
 *
 * Heap memory needs no registration, so all keys are ACP_ATKEY_NULL. If a process holds
 * several pieces, ga_data and data refer to its first piece.
 */
typedef struct {
    size_t       size_ws;        /* bytes of all pieces together */
    size_t       size_default;   /* bytes of a piece */
    size_t       size_remainder; /* bytes of the last piece if it is shorter, else 0 */
    size_t       ngas;           /* number of pieces */
    acp_atkey_t  key_data;       /* ACP_ATKEY_NULL */
    acp_ga_t     ga_data;        /* this process's piece, or ACP_GA_NULL */
    acp_atkey_t *keys;           /* by piece: ACP_ATKEY_NULL */
    acp_ga_t    *gas;            /* by piece: its address */
    int         *procs;          /* by piece: the process that holds it */
    int         *sizes;          /* by piece: its bytes; INT_MAX if they are more */
    void        *data;           /* this process's piece, or NULL */
} acp_wsditem;

typedef acp_wsditem *acp_wsd_t;

#define ACP_WSD_NULL GOACP_POINTER_(acp_wsd_t, -1)

/*
 * Creates a workspace of size bytes with the parameters of acp_setparams_ws. size may be
 * 0. The bytes are undefined.
 *
 * Returns the workspace. If the heap of a process has no room (ENOMEM), or if the
 * processes pass different sizes or have different parameters (EINVAL), it returns
 * ACP_WSD_NULL in every process and takes no memory.
 *
 * Collective. Blocks until every process has called it. Spec 4.8.2.
 */
acp_wsd_t acp_create_ws(size_t size);

/*
 * Frees a workspace when every process has called it. A handle of no workspace is ignored
 * and sets ACP_ERRNO to EINVAL. acp_reset and acp_finalize free all workspaces.
 *
 * Collective. Blocks until every process has called it. Spec 4.8.3.
 */
void acp_destroy_ws(acp_wsd_t wsd);

/*
 * Copies size bytes from position offset of the workspace to ga, which may be
 * memory of any process. The bytes are at ga when it returns. The copy has no handle, and
 * does not wait for GMAs in flight. Size 0 does nothing.
 *
 * Returns 0. It returns 1 for a wrong handle or ga, and if the range is not inside the
 * workspace; the bytes at ga are then undefined.
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.8.4.
 */
int acp_read_ws(acp_wsd_t wsd, acp_ga_t ga, size_t size, size_t offset);

/*
 * Sets the rank of the first piece, and the size of a piece in bytes, for later
 * workspaces. Further pieces lie on the ranks that follow; after the last rank comes rank
 * 0. All processes pass the same values. acp_reset restores the defaults, 0 and 17073526.
 *
 * Returns 0, or 1 if there is no such process or size_default is 0.
 *
 * Collective. Does not block. Spec 4.8.5.
 */
int acp_setparams_ws(size_t proc_start, size_t size_default);

/*
 * Copies size bytes from ga, which may be memory of any process, to position offset
 * of the workspace. Otherwise as acp_read_ws.
 *
 * Any process. Blocks as acp_read_ws does. Spec 4.8.6.
 */
int acp_write_ws(acp_wsd_t wsd, const acp_ga_t ga, size_t size, size_t offset);

/* ---- Malloc -------------------------------------------------------------- */

/*
 * Allocates size bytes in the heap of rank, aligned to 16. The bytes are undefined.
 * Size 0 gives a block of the smallest size. The block is valid until acp_free,
 * acp_reset or acp_finalize. All processes may use its GA. The program of that rank
 * takes no part.
 *
 * Returns the GA of the block, or ACP_GA_NULL if there is no such rank or its
 * heap is full (the launcher's -startermemsize-dl).
 *
 * Any process. Blocks for one round trip, or none on one host. Spec 4.9.1.
 */
acp_ga_t acp_malloc(size_t size, int rank);

/*
 * Frees a block of acp_malloc. Any process may have allocated it. An address that is not
 * the start of a block in use changes nothing but ACP_ERRNO.
 *
 * Any process. Blocks as acp_malloc does. Spec 4.9.2.
 */
void acp_free(acp_ga_t ga);

/* ---- Global memory access ---------------------------------------------- */

/*
 * Copies size bytes from src to dst. Both may be memory of any process; neither has to be
 * memory of the caller. order determines when the copy may start:
 *
 *     ACP_HANDLE_NULL  at once
 *     a handle         after its GMA and all issued before that
 *     ACP_HANDLE_ALL   after all GMAs issued so far
 *     ACP_HANDLE_CONT  if the GMA before has the same source and destination
 *                      processes: when that GMA may start, and behind it. Otherwise
 *                      as ACP_HANDLE_ALL
 *
 * The source must not change before the copy is complete. No process sees an aligned
 * copy of 4 or 8 bytes half done. (Between registered memory of two processes of one
 * host, the kernel copies the bytes and does not guarantee this.) The bytes of longer
 * copies may arrive in any order. Overlapping memory of one process is copied as by
 * memmove. A copy of size 0 moves nothing and is a GMA like any other.
 *
 * Returns a handle, or ACP_HANDLE_NULL if a GA is null or of no process. If the memory
 * turns out not to be registered, the process ends with a message.
 *
 * The function does not wait for other processes, with two exceptions. With windows of
 * MPI (-net rma) the copy is complete when the function returns. And the function waits
 * while 16384 GMAs of this process are in flight.
 *
 * Any process. Does not block, except as said above. Spec 4.11.2.
 */
acp_handle_t acp_copy(acp_ga_t dst, acp_ga_t src, size_t size, acp_handle_t order);

/*
 * Adds value to the 4-byte integer at src, modulo 2^32, and writes the old integer to
 * dst, which is memory of the caller. As in acp_copy, a value goes from src to dst; but
 * here the integer at src changes. This function and the following are atomic with
 * respect to all GMA atomics of the same width on that memory, and with respect to atomic
 * instructions of processors, except with -net rma (docs/joining.md). Both GAs are
 * multiples of the width. order as in acp_copy.
 *
 * Returns a handle, or ACP_HANDLE_NULL if a GA is null, of no process or misaligned, or
 * if dst is memory of another process. If the memory turns out not to be registered, the
 * process ends with a message.
 *
 * Any process. Blocks as acp_copy does. Spec 4.11.3.
 */
acp_handle_t acp_add4(acp_ga_t dst, acp_ga_t src, uint32_t value, acp_handle_t order);

/*
 * Adds value to the 8-byte integer at src, modulo 2^64. Otherwise as acp_add4.
 *
 * Any process. Blocks as acp_copy does. Spec 4.11.4.
 */
acp_handle_t acp_add8(acp_ga_t dst, acp_ga_t src, uint64_t value, acp_handle_t order);

/*
 * Stores newval in the 4-byte integer at src if that integer equals oldval. It has stored
 * newval if the old integer, which it writes to dst, equals oldval. Otherwise as
 * acp_add4.
 *
 * Any process. Blocks as acp_copy does. Spec 4.11.5.
 */
acp_handle_t acp_cas4(acp_ga_t dst, acp_ga_t src, uint32_t oldval, uint32_t newval, acp_handle_t order);

/*
 * Stores newval in the 8-byte integer at src if that integer equals oldval. It has stored
 * newval if the old integer, which it writes to dst, equals oldval. Otherwise as
 * acp_add4.
 *
 * Any process. Blocks as acp_copy does. Spec 4.11.6.
 */
acp_handle_t acp_cas8(acp_ga_t dst, acp_ga_t src, uint64_t oldval, uint64_t newval, acp_handle_t order);

/*
 * Replaces the 4-byte integer at src by its bitwise and with value. Otherwise as
 * acp_add4.
 *
 * Any process. Blocks as acp_copy does. Spec 4.11.7.
 */
acp_handle_t acp_and4(acp_ga_t dst, acp_ga_t src, uint32_t value, acp_handle_t order);

/*
 * Replaces the 8-byte integer at src by its bitwise and with value. Otherwise as
 * acp_add4.
 *
 * Any process. Blocks as acp_copy does. Spec 4.11.8.
 */
acp_handle_t acp_and8(acp_ga_t dst, acp_ga_t src, uint64_t value, acp_handle_t order);

/*
 * Replaces the 4-byte integer at src by its bitwise or with value. Otherwise as
 * acp_add4.
 *
 * Any process. Blocks as acp_copy does. Spec 4.11.9.
 */
acp_handle_t acp_or4(acp_ga_t dst, acp_ga_t src, uint32_t value, acp_handle_t order);

/*
 * Replaces the 8-byte integer at src by its bitwise or with value. Otherwise as
 * acp_add4.
 *
 * Any process. Blocks as acp_copy does. Spec 4.11.10.
 */
acp_handle_t acp_or8(acp_ga_t dst, acp_ga_t src, uint64_t value, acp_handle_t order);

/*
 * Replaces the 4-byte integer at src by its bitwise exclusive or with value.
 * Otherwise as acp_add4.
 *
 * Any process. Blocks as acp_copy does. Spec 4.11.11.
 */
acp_handle_t acp_xor4(acp_ga_t dst, acp_ga_t src, uint32_t value, acp_handle_t order);

/*
 * Replaces the 8-byte integer at src by its bitwise exclusive or with value.
 * Otherwise as acp_add4.
 *
 * Any process. Blocks as acp_copy does. Spec 4.11.12.
 */
acp_handle_t acp_xor8(acp_ga_t dst, acp_ga_t src, uint64_t value, acp_handle_t order);

/*
 * Stores value in the 4-byte integer at src. Otherwise as acp_add4.
 *
 * Any process. Blocks as acp_copy does. Spec 4.11.13.
 */
acp_handle_t acp_swap4(acp_ga_t dst, acp_ga_t src, uint32_t value, acp_handle_t order);

/*
 * Stores value in the 8-byte integer at src. Otherwise as acp_add4.
 *
 * Any process. Blocks as acp_copy does. Spec 4.11.14.
 */
acp_handle_t acp_swap8(acp_ga_t dst, acp_ga_t src, uint64_t value, acp_handle_t order);

/*
 * Waits until the GMA of handle and all earlier GMAs of this process are complete; with
 * ACP_HANDLE_ALL or ACP_HANDLE_CONT, until all GMAs are. Returns at once for
 * ACP_HANDLE_NULL and for handles that are complete or were never issued. If a GMA has
 * failed, the process ends with a message; but if it has failed because a rank has left the
 * run or a guest is gone, ACP_ERRNO is ESRCH, and the process goes on. Each failure is
 * reported once, by acp_complete or acp_inquire.
 *
 * Any process. Blocks until the GMAs are complete. Spec 4.11.15.
 */
void acp_complete(acp_handle_t handle);

/*
 * Returns 0 if the GMA of handle and all earlier GMAs of this process are complete, and 1
 * if not. ACP_HANDLE_ALL and ACP_HANDLE_CONT mean all GMAs issued so far. Returns 0 for
 * ACP_HANDLE_NULL and for handles that were never issued. If it returns 0, failures are
 * reported as by acp_complete.
 *
 * Any process. Does not block. Spec 4.11.16.
 */
int acp_inquire(acp_handle_t handle);

/* ---- Segmented buffers ------------------------------------------------- */

/*
 * One end of a segmented buffer. Source and destination each have a ring of segnum
 * segments of segsize bytes in memory of the program. The source fills its segments in
 * order and publishes each by acp_ack_segbuf. The destination uses them in the same order
 * and gives each back by acp_ready_segbuf.
 *
 *     source:      if (acp_isready_segbuf(s) == 0) {
 *                    fill(buf + acp_query_segbuf_tail(s) * segsize);
 *                    acp_ack_segbuf(s);
 *                  }
 *     destination: if (acp_isacked_segbuf(d) == 0) {
 *                    use(buf + acp_query_segbuf_head(d) * segsize);
 *                    acp_ready_segbuf(d);
 *                  }
 *
 * One thread at a time may use an end. acp_reset and acp_finalize free all ends. The
 * functions are the same as in version 3.0 of the historical library. All return -1 for a
 * handle of no end (EINVAL) and when another process has died.
 */
typedef struct segbufitem *acp_segbuf_t;

#define ACP_SEGBUF_NULL GOACP_POINTER_(acp_segbuf_t, 0)

/*
 * Makes the source of a segmented buffer over segsize * segnum bytes at buf. The n-th
 * source towards a rank connects to the n-th destination that the rank makes for this
 * rank. Until acp_free_segbuf the program may write only the free segments of buf.
 *
 * Returns the end, or ACP_SEGBUF_NULL if there is no such rank, the size is 0 or buf is
 * NULL (EINVAL), or if the heap of this process is full (ENOMEM).
 *
 * Any process. Does not block. Added in 3.0.
 */
acp_segbuf_t acp_create_src_segbuf(int dst_rank, void *buf, size_t segsize, size_t segnum);

/*
 * Makes the destination of a segmented buffer over segsize * segnum bytes at buf. The
 * source passes the same numbers. Until acp_free_segbuf the program may use only the
 * published segments of buf. Memory of acp_malloc is faster than other memory. Otherwise
 * as acp_create_src_segbuf.
 *
 * Any process. Does not block. Added in 3.0.
 */
acp_segbuf_t acp_create_dst_segbuf(int src_rank, void *buf, size_t segsize, size_t segnum);

/*
 * Waits until the other end exists.
 *
 * Returns 0, or -1 if the shapes differ (EINVAL), after acp_disconnect_segbuf (ENOTCONN),
 * or if the process of the other end has left the run or is lost (ESRCH).
 *
 * Any process. Blocks until the other end exists. Added in 3.0.
 */
int acp_connect_segbuf(acp_segbuf_t segbuf);

/*
 * Returns 0 if the other end exists, 1 if not yet, and -1 as acp_connect_segbuf.
 *
 * Any process. Does not block. Added in 3.0.
 */
int acp_isconnected_segbuf(acp_segbuf_t segbuf);

/*
 * Gives the segment at the head back to the source.
 *
 * Returns 0, or -1 if no segment is published (EAGAIN), at a source (EINVAL), and if
 * not connected (ENOTCONN).
 *
 * Any process. Does not block. Added in 3.0.
 */
int acp_ready_segbuf(acp_segbuf_t segbuf);

/*
 * Publishes the segment at the tail: the destination sees it when all its bytes have
 * arrived. Do not change the segment until acp_query_segbuf_sent or acp_query_segbuf_head
 * is beyond it.
 *
 * Returns 0, or -1 if no segment is free (EAGAIN), at a destination (EINVAL), and if
 * not connected (ENOTCONN).
 *
 * Any process. Does not block. Added in 3.0.
 */
int acp_ack_segbuf(acp_segbuf_t segbuf);

/*
 * Returns 0 if this end has seen that a segment is free, 1 if not, and -1 if not
 * connected.
 *
 * Any process. Does not block. Added in 3.0.
 */
int acp_isready_segbuf(acp_segbuf_t segbuf);

/*
 * Returns 0 if this end has seen that a segment is published and not given back, 1 if
 * not, and -1 if not connected.
 *
 * Any process. Does not block. Added in 3.0.
 */
int acp_isacked_segbuf(acp_segbuf_t segbuf);

/*
 * Returns the number of the oldest published segment, 0 ... segnum-1, or -1 if not
 * connected.
 *
 * Any process. Does not block. Added in 3.0.
 */
int64_t acp_query_segbuf_head(acp_segbuf_t segbuf);

/*
 * Returns the number of the next segment to publish, 0 ... segnum-1, or -1 if not
 * connected.
 *
 * Any process. Does not block. Added in 3.0.
 */
int64_t acp_query_segbuf_tail(acp_segbuf_t segbuf);

/*
 * Returns the number of the first segment that is published and not yet copied; if there
 * is none, the number of the tail. Returns -1 at a destination and if not connected.
 *
 * Any process. Does not block. Added in 3.0.
 */
int64_t acp_query_segbuf_sent(acp_segbuf_t segbuf);

/*
 * Disconnects this end: afterwards only acp_free_segbuf is allowed. Published segments
 * still arrive.
 *
 * Returns 0, or -1 if not connected.
 *
 * Any process. Does not block. Added in 3.0.
 */
int acp_disconnect_segbuf(acp_segbuf_t segbuf);

/*
 * Waits until the other end is disconnected, too, or its process has left the run or is
 * lost, and frees this end. The program may then use all of its memory again.
 *
 * Returns 0, or -1 if this end has not been disconnected (ENOTCONN) while the process of
 * the other end is there.
 *
 * Any process. Blocks until the other end is disconnected. Added in 3.0.
 */
int acp_free_segbuf(acp_segbuf_t segbuf);

/* ---- Multiset ---------------------------------------------------------- */

/*
 * A set with a count for each key, its multiplicity. Sizes and iterations count each
 * different key once. The comments on sets apply to multisets as well.
 */
typedef struct {
    acp_ga_t ga;        /* of the directory; ACP_GA_NULL: none */
    uint64_t num_ranks; /* tables */
    uint64_t num_slots; /* of each table */
} acp_multiset_t;

/*
 * An iterator of a multiset. The end, after the last key, has num_ranks as its rank and
 * ACP_GA_NULL as its elem. An iterator is valid until its key is removed.
 */
typedef struct {
    acp_multiset_t set;
    int      rank; /* number of the table, not the rank of a process */
    int      slot; /* number of the slot in the table */
    acp_ga_t elem; /* the element */
} acp_multiset_it_t;

/*
 * Replaces all keys of set1 by the keys of set2 that lie on this process. Multiplicities
 * are copied. If a heap has no room (ACP_ERRNO is ENOMEM), set1 is as before. One process
 * at a time may call it for the same structure.
 *
 * Any process. Blocks for round trips to other hosts. Added in 3.0.
 */
void acp_assign_local_multiset(acp_multiset_t set1, acp_multiset_t set2);

/*
 * Replaces the keys of set1 by the keys of set2. Multiplicities are copied. If a heap has
 * no room (ACP_ERRNO is ENOMEM), set1 is as before.
 *
 * Any process. Blocks for round trips to other hosts. Added in 3.0.
 */
void acp_assign_multiset(acp_multiset_t set1, acp_multiset_t set2);

/*
 * Returns the iterator of the first key on this process; if there is none, the result of
 * acp_end_local_multiset.
 *
 * Any process. Blocks for round trips to other hosts. Added in 3.0.
 */
acp_multiset_it_t acp_begin_local_multiset(acp_multiset_t set);

/*
 * Returns the iterator of the first key, or the end if there is none. Iterators visit the
 * tables in order, in a table the slots in order, and in a slot the oldest first.
 *
 * Any process. Blocks for round trips to other hosts. Added in 3.0.
 */
acp_multiset_it_t acp_begin_multiset(acp_multiset_t set);

/*
 * Removes all keys.
 *
 * Any process. Blocks for round trips to other hosts. Added in 3.0.
 */
void acp_clear_multiset(acp_multiset_t set);

/*
 * Creates an empty multiset with a table of num_slots slots on each of the
 * num_ranks processes in ranks, and its directory on rank.
 *
 * Returns the handle; its ga is ACP_GA_NULL if a number is wrong (EINVAL) or a
 * heap has no room (ENOMEM).
 *
 * Any process. Blocks for round trips to other hosts. Added in 3.0.
 */
acp_multiset_t acp_create_multiset(int num_ranks, const int *ranks, int num_slots, int rank);

/*
 * Frees the multiset. No process may use it any more. Later calls of any function with
 * it, this one included, set ACP_ERRNO to EINVAL.
 *
 * Any process. Blocks for round trips to other hosts. Added in 3.0.
 */
void acp_destroy_multiset(acp_multiset_t set);

/*
 * Returns 1 if no key is on this process, otherwise 0.
 *
 * Any process. Blocks for one round trip at most. Added in 3.0.
 */
int acp_empty_local_multiset(acp_multiset_t set);

/*
 * Returns 1 if the multiset is empty, otherwise 0.
 *
 * Any process. Blocks for round trips to other hosts. Added in 3.0.
 */
int acp_empty_multiset(acp_multiset_t set);

/*
 * Returns the iterator that acp_increment_multiset_it returns for the last key on this
 * process: the first key of the following tables, or the end. It changes if another
 * process inserts keys there.
 *
 * Any process. Blocks for round trips to other hosts. Added in 3.0.
 */
acp_multiset_it_t acp_end_local_multiset(acp_multiset_t set);

/*
 * Returns the end: the iterator after the last key.
 *
 * Any process. Does not block. Added in 3.0.
 */
acp_multiset_it_t acp_end_multiset(acp_multiset_t set);

/*
 * Returns the iterator of the key, or the end if it is not in the multiset or key.size
 * is 0.
 *
 * Any process. Blocks for one round trip at most. Added in 3.0.
 */
acp_multiset_it_t acp_find_multiset(acp_multiset_t set, acp_element_t key);

/*
 * Inserts a copy of the key, or adds 1 to its multiplicity.
 *
 * Returns 1, or 0 if key.size is 0 (EINVAL) or the heap has no room (ENOMEM).
 *
 * Any process. Blocks for one round trip at most. Added in 3.0.
 */
int acp_insert_multiset(acp_multiset_t set, acp_element_t key);

/*
 * Inserts the keys of set2 that lie on this process into set1. Multiplicities
 * are added. If a heap has no room (ACP_ERRNO is ENOMEM), some of them may be missing.
 *
 * Any process. Blocks for round trips to other hosts. Added in 3.0.
 */
void acp_merge_local_multiset(acp_multiset_t set1, acp_multiset_t set2);

/*
 * Inserts the keys of set2 into set1. Multiplicities are added. If a heap has no
 * room (ACP_ERRNO is ENOMEM), some of them may be missing.
 *
 * Any process. Blocks for round trips to other hosts. Added in 3.0.
 */
void acp_merge_multiset(acp_multiset_t set1, acp_multiset_t set2);

/*
 * Inserts the keys of set2 that lie on this process into set1, as
 * acp_merge_local_multiset does, and removes them from set2. If a heap has no room
 * (ACP_ERRNO is ENOMEM), each key stays in at least one of the multisets.
 *
 * Any process. Blocks for round trips to other hosts. Added in 3.0.
 */
void acp_move_local_multiset(acp_multiset_t set1, acp_multiset_t set2);

/*
 * Inserts the keys of set2 into set1, as acp_merge_multiset does, and removes them from
 * set2. If a heap has no room (ACP_ERRNO is ENOMEM), each key stays in at least one of
 * the multisets.
 *
 * Any process. Blocks for round trips to other hosts. Added in 3.0.
 */
void acp_move_multiset(acp_multiset_t set1, acp_multiset_t set2);

/*
 * Subtracts 1 from the multiplicity of the key, and removes the key if the result is 0.
 * Does nothing if the key is not in the multiset.
 *
 * Any process. Blocks for one round trip at most. Added in 3.0.
 */
void acp_remove_multiset(acp_multiset_t set, acp_element_t key);

/*
 * Removes the key with its whole multiplicity.
 *
 * Any process. Blocks for one round trip at most. Added in 3.0.
 */
void acp_remove_all_multiset(acp_multiset_t set, acp_element_t key);

/*
 * Returns the multiplicity of the key, 0 if it is not in the multiset.
 *
 * Any process. Blocks for one round trip at most. Added in 3.0.
 */
uint64_t acp_retrieve_multiset(acp_multiset_t set, acp_element_t key);

/*
 * Returns the number of keys on this process.
 *
 * Any process. Blocks for one round trip at most. Added in 3.0.
 */
size_t acp_size_local_multiset(acp_multiset_t set);

/*
 * Returns the number of keys. Multiplicities do not count.
 *
 * Any process. Blocks for round trips to other hosts. Added in 3.0.
 */
size_t acp_size_multiset(acp_multiset_t set);

/*
 * Exchanges the keys of two multisets, each of which keeps its tables. If a heap
 * has no room (ACP_ERRNO is ENOMEM), both are as before.
 *
 * Any process. Blocks for round trips to other hosts. Added in 3.0.
 */
void acp_swap_multiset(acp_multiset_t set1, acp_multiset_t set2);

/*
 * Returns the GA and the number of the bytes of a key; ACP_GA_NULL and 0 for the end and
 * for a removed key.
 *
 * Any process. Blocks for one round trip at most. Added in 3.0.
 */
acp_element_t acp_dereference_multiset_it(acp_multiset_it_t it);

/*
 * Returns the iterator of the next key, over all processes. For the end it returns the
 * end. For a removed key it returns the iterator of the key that followed it if the table
 * still has a record of that, otherwise of the first key of the next slot.
 *
 * Any process. Blocks for round trips to other hosts. Added in 3.0.
 */
acp_multiset_it_t acp_increment_multiset_it(acp_multiset_it_t it);

/* ---- Additions of GoACP: jobs ------------------------------------------- */

/*
 * A job is a part of the run that one launcher has started. Jobs have numbers from 0 in
 * the order of the inputfile. Each job has its own name: name: in YAML, #name=ocean after
 * a command of an inputfile, otherwise the base name of the program. Programs find their
 * partners by name, in any order of the inputfile:
 *
 *     int ocean = acp_job_find("ocean");
 *     for (int i = 0; i < acp_job_procs(ocean); i++)
 *         greet(acp_job_rank(ocean, i));
 */

/*
 * Returns the number of jobs of the run, or -1 if not initialised. In a guest it is one more than
 * the highest number of a job of its launcher. Jobs that attach later do not change it.
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_jobs(void);

/*
 * Returns the job of rank, or -1 if there is no such rank. The job of the caller is
 * acp_job(acp_rank()).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_job(int rank);

/*
 * Returns the name of job, or NULL if there is no such job. The text is valid until
 * acp_finalize and must not be changed.
 *
 * Any process. Does not block. Addition of GoACP.
 */
const char *acp_job_name(int job);

/*
 * Returns the job with a name, or -1. Of several guests with the name it returns the latest. If no
 * job has the name, this is not a failure, and ACP_ERRNO does not change. If name is NULL,
 * ACP_ERRNO is EFAULT.
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_job_find(const char *name);

/*
 * Returns the number of processes of job, or -1 if there is no such job.
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_job_procs(int job);

/*
 * Returns the rank of process i of job, 0 <= i < acp_job_procs(job), or -1 if there is
 * no such process. In an MPI job, i is the rank in MPI_COMM_WORLD. After acp_reset the
 * same process may have another rank; the function returns the new rank.
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_job_rank(int job, int i);

/* ---- Additions of GoACP: guests of a run -------------------------------- */

/*
 * Guests are processes of jobs that attach to a run that computes already (acprun -to RUN). They have
 * ranks behind those of the run, whose own processes are its residents. Guests and residents use
 * each other's memory, named values, channels and links. Collective functions are called by the
 * processes of one cohort: those that have started together. If a guest is lost, the run goes on, and
 * functions that need the guest fail with ESRCH.
 */

/* States of ranks. */
#define ACP_STATE_NONE    0 /* no process has come as this rank */
#define ACP_STATE_WAITING 1 /* it waits in acp_init for acp_adopt of the residents */
#define ACP_STATE_PRESENT 2 /* it belongs to the run */
#define ACP_STATE_LEFT    3 /* a resident that has left by acp_adopt, or a guest that has finalised */
#define ACP_STATE_LOST    4 /* it has ended otherwise, and the run goes on */

/*
 * Returns how many ranks the run can ever have: those of its beginning, and guests; or -1 if not
 * initialised. Ranks are less than it. It is at least acp_procs().
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_seats(void);

/*
 * Returns the state of rank, one of ACP_STATE_NONE ... ACP_STATE_LOST, or -1 if rank is not in 0 ...
 * acp_seats()-1 (EINVAL). Another process may have received a change earlier.
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_state(int rank);

/*
 * Returns the number of the cohort of rank: 0 for residents; the number of guests stays when they have
 * left. Returns -1 if no process has come as rank (EINVAL).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_cohort(int rank);

/*
 * Waits until this process has received more than seen changes, at most seconds; if seconds is
 * negative, without limit. A change is the arrival of processes, the end of one that the run survives, another
 * epoch of the residents, or a request to leave. A program that looks at the
 * states of the ranks after the function has returned n passes n to wait for the next change. With -1
 * it returns at once.
 *
 * Returns the number of changes so far, also if the time is over, or -1 if seconds is not a number
 * (EINVAL) or the run is over.
 *
 * Any process. Blocks until then. Addition of GoACP.
 */
int64_t acp_await_change(int64_t seen, double seconds);

/* ---- Additions of GoACP: runs that grow and shrink ---------------------- */

/*
 * In a run that was started with -max, or has a job with the key max, processes join the residents (acprun
 * -to RUN -np +N, or acp_ask_join) and residents leave while the run goes on. The ranks that call collective functions together are an
 * epoch; acp_adopt begins the next one. Ranks are given once and never change. acp_procs is one more than
 * the highest rank of the epoch, so there may be gaps below it.
 */

/*
 * Returns how often the ranks of the caller's cohort have called acp_adopt, or -1 if not initialised.
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_epoch(void);

/*
 * Writes the ranks of the caller's epoch to ranks in ascending order, at most room of them. ranks may be
 * NULL if room is 0.
 *
 * Returns how many ranks the epoch has, or -1 if room is negative (EINVAL) or ranks is NULL (EFAULT).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_epoch_ranks(int *ranks, int room);

/*
 * Begins the next epoch. It has the ranks that pass a stay other than 0, and all processes that wait in
 * acp_init when the last rank has called. All of them return into it, and then call the same collective
 * functions. A rank that passes 0 has left: it calls acp_finalize, which waits for no other rank, and
 * nothing else. Move its data before; what its memory held is gone.
 *
 * Returns the number of the epoch, which is greater than 0; or 0 if this rank has left. Returns -1, and
 * does not count as called, if this rank passes 0 and cannot leave: the run was started without -max
 * (ENOTSUP), or the rank is rank 0, belongs to a job of MPI, or has a part of a workspace or of an array
 * of another library (EBUSY). Returns -1 also if the run is over. One thread at a time may call it.
 *
 * Collective. Blocks until all ranks of the epoch have called it. Addition of GoACP.
 */
int acp_adopt(int stay);

/*
 * Returns 1 if rank is asked to leave, otherwise 0, or -1 if rank is not in 0 ... acp_seats()-1 (EINVAL).
 * Requests come from acp_ask_leave, from acprun -to RUN -leave, and from SIGTERM or SIGINT to a rank whose
 * program does not handle the signal. They are advice: a rank leaves by acp_adopt alone. Only a process that
 * waits in acp_init for its adoption ends when it is asked, since it has nothing to move.
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_asked(int rank);

/*
 * Asks rank to leave. All processes receive that, and acp_await_change returns. Returns 0, or -1 if the run
 * was started without -max (ENOTSUP), rank is 0 or belongs to a job whose number of processes is fixed
 * (EBUSY), or it does not belong to the epoch (EINVAL, ESRCH).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_ask_leave(int rank);

/*
 * Asks the launcher to start count more processes of the job of the caller; if that job is fixed, of the
 * only one that can grow. They wait in acp_init until the residents call acp_adopt; acp_await_change returns when one waits. The launcher writes to its standard
 * error if it cannot start them. Returns 0, or -1 if the run was started without -max (ENOTSUP) or count
 * is less than 1 or more than the run can have (EINVAL).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_ask_join(int count);

/* ---- Additions of GoACP: groups of ranks -------------------------------- */

/*
 * Waits until all count ranks of the list have called it. They pass the same ranks, in
 * any order, and the list contains the caller. Calls with different lists are
 * independent, even if the lists have ranks in common. It does not complete GMAs. In a
 * process only one thread at a time may call this function or acp_broadcast with the same
 * ranks.
 *
 * Returns 0, or -1 if the run does not have a rank, the list has a rank twice, the caller
 * is not in the list, or count is negative (EINVAL), ranks is NULL (EFAULT), a rank has left
 * the run or is lost (ESRCH), the heap of this process is full (ENOMEM), or another process
 * has died.
 *
 * Any process. Blocks until all ranks of the list have called it. Addition of GoACP.
 */
int acp_sync_ranks(const int *ranks, int count);

/*
 * Waits for all processes of job, which is the job of the caller: acp_sync_ranks with all
 * ranks of the job.
 *
 * Returns 0, or -1 if there is no such job, the caller belongs to another job (EINVAL), a
 * rank of the job has left the run or is lost (ESRCH), or another process has died.
 *
 * Any process. Blocks until all processes of the job have called it. Addition of GoACP.
 */
int acp_sync_job(int job);

/*
 * Copies the size bytes at buf of rank root to buf of all count ranks of the list, which
 * contains root. The ranks pass the same size and the same list, as to acp_sync_ranks, in
 * the same order of calls. With different sizes the call fails on some ranks, and other
 * ranks may wait until the run is over.
 *
 * Returns 0, or -1 as acp_sync_ranks does, and if root is not in the list (EINVAL), buf
 * is NULL and size is not 0 (EFAULT), or buf of this rank, or of a rank from which it gets
 * the bytes, cannot be written (EFAULT).
 *
 * Any process. Blocks until root and other ranks have called it. Addition of GoACP.
 */
int acp_broadcast(void *buf, size_t size, int root, const int *ranks, int count);

/* ---- Additions of GoACP: named values ----------------------------------- */

/*
 * A named value is a small record that any process stores under a name: a handle, an
 * address, a configuration, a command. Other processes get it by the name. Only the
 * library of the process that owns the name takes part, not its program.
 *
 *     acp_put_value("ocean.sst", &ga, sizeof ga);                 in one process
 *     acp_wait_value("ocean.sst", 1, &ga, sizeof ga, NULL);       in others
 *
 * A name has 1 to 255 bytes, a value at most 32768 bytes. The first value of a name has
 * version 1, and each later value the next version. Only the last value is kept.
 * acp_reset and acp_finalize remove all values.
 */

/*
 * Replaces the value of name by the size bytes at value; size may be 0.
 *
 * Returns the version of the value, or -1 if name or value is too long or name empty
 * (EINVAL), name is NULL, value is NULL and size is not 0 (EFAULT), or another process has
 * died.
 *
 * Any process. Blocks for one round trip. Addition of GoACP.
 */
int64_t acp_put_value(const char *name, const void *value, size_t size);

/*
 * Stores the first size bytes of the value of name at buf, or all bytes of a shorter
 * value, and its version at version; version may be NULL. A name without a value is not a
 * failure: the function stores version 0 and returns 0.
 *
 * Returns the number of bytes of the whole value, which may be more than size, or -1 as
 * acp_put_value does.
 *
 * Any process. Blocks for one round trip, or two for a long value. Addition of GoACP.
 */
int64_t acp_get_value(const char *name, void *buf, size_t size, int64_t *version);

/*
 * Waits until the value of name has at least this version. Then it does the same as
 * acp_get_value, with got for the version; got may be NULL. Version 1 is the first value.
 * A process that has seen version v waits for a newer value with v + 1.
 *
 * Returns the number of bytes of the whole value, or -1 as acp_put_value does.
 *
 * Any process. Blocks until the value is there. Addition of GoACP.
 */
int64_t acp_wait_value(const char *name, int64_t version, void *buf, size_t size, int64_t *got);

/* ---- Additions of GoACP: many keys or elements in one call --------------- */

/*
 * Functions for count keys or elements, which may be memory of any processes. For each
 * key or element they do the same as the function for one. Between hosts a call takes one
 * round trip for all keys together, one more if keys lie on other hosts than the caller,
 * and a few more for data over 32 KiB.
 *
 *     acp_element_t keys[100];
 *     int results[100];
 *     acp_insert_many_set(set, keys, 100, results);    how many keys are new, and which
 *
 * Equal keys are processed in the order of the array, other keys in any order. results
 * and sizes have room for count numbers, or are NULL. If a key fails, the function still
 * processes the other keys. results is -1 for each key that fails, and ACP_ERRNO has the
 * reason of the first. If an argument is wrong for the whole call, such as a negative
 * count (EINVAL) or NULL for a required array (EFAULT), nothing happens, and results and
 * sizes stay as they are.
 */

/*
 * Inserts copies of the keys, as acp_insert_set does. results[i] becomes 1 if key i was
 * not in the set before, and 0 if it was. results may be NULL.
 *
 * Returns the number of keys that were not in the set before, or -1 if a key fails: a
 * size is 0 (EINVAL), a heap has no room (ENOMEM), or a key is no memory (EFAULT).
 *
 * Any process. Blocks for one round trip at most. Addition of GoACP.
 */
int acp_insert_many_set(acp_set_t set, const acp_element_t *keys, int count, int *results);

/*
 * Removes the keys, as acp_remove_set does. results[i] becomes 1 if key i was in the set,
 * and 0 if it was not. results may be NULL.
 *
 * Returns the number of keys that were in the set, or -1 as acp_insert_many_set does.
 *
 * Any process. Blocks for one round trip at most. Addition of GoACP.
 */
int acp_remove_many_set(acp_set_t set, const acp_element_t *keys, int count, int *results);

/*
 * Stores the iterator of key i in its[i], or the end if the key is not in the set or
 * fails.
 *
 * Returns the number of keys found, or -1 as acp_insert_many_set does.
 *
 * Any process. Blocks for one round trip at most. Addition of GoACP.
 */
int acp_find_many_set(acp_set_t set, const acp_element_t *keys, int count, acp_set_it_t *its);

/*
 * Inserts copies of the keys, as acp_insert_multiset does. results[i] becomes 1 if key i
 * was not in the multiset before, and 0 if it was. results may be NULL.
 *
 * Returns the number of keys that were not in the multiset before, or -1 if a key fails:
 * a size is 0 (EINVAL), a heap has no room (ENOMEM), or a key is no memory (EFAULT).
 *
 * Any process. Blocks for one round trip at most. Addition of GoACP.
 */
int acp_insert_many_multiset(acp_multiset_t set, const acp_element_t *keys, int count, int *results);

/*
 * Removes the keys, as acp_remove_multiset does: each key once for each time that the
 * array contains it. results[i] becomes 1 if key i was in the multiset, and 0 if it was
 * not. results may be NULL.
 *
 * Returns the number of keys that were in the multiset, or -1 as acp_insert_many_multiset
 * does.
 *
 * Any process. Blocks for one round trip at most. Addition of GoACP.
 */
int acp_remove_many_multiset(acp_multiset_t set, const acp_element_t *keys, int count, int *results);

/*
 * Stores the iterator of key i in its[i], or the end if the key is not in the multiset or
 * fails.
 *
 * Returns the number of keys found, or -1 as acp_insert_many_multiset does.
 *
 * Any process. Blocks for one round trip at most. Addition of GoACP.
 */
int acp_find_many_multiset(acp_multiset_t set, const acp_element_t *keys, int count, acp_multiset_it_t *its);

/*
 * Stores the multiplicity of key i in times[i], 0 for a key that fails.
 *
 * Returns the number of keys found, or -1 as acp_insert_many_multiset does.
 *
 * Any process. Blocks for one round trip at most. Addition of GoACP.
 */
int acp_retrieve_many_multiset(acp_multiset_t set, const acp_element_t *keys, int count, uint64_t *times);

/*
 * Inserts the pairs, as acp_insert_map does: a key that is in the map keeps its value,
 * and a value of size 0 removes the key. results[i] becomes 1 if pair i was inserted, and
 * otherwise 0. results may be NULL.
 *
 * Returns the number of pairs inserted, or -1 if a pair fails: the size of a key is 0
 * (EINVAL), a heap has no room (ENOMEM), or a key or value is no memory (EFAULT).
 *
 * Any process. Blocks for one round trip at most. Addition of GoACP.
 */
int acp_insert_many_map(acp_map_t map, const acp_pair_t *pairs, int count, int *results);

/*
 * Removes the keys and their values. results[i] becomes 1 if key i was in the map, and 0
 * if it was not. results may be NULL.
 *
 * Returns the number of keys that were in the map, or -1 as acp_insert_many_map does.
 *
 * Any process. Blocks for one round trip at most. Addition of GoACP.
 */
int acp_remove_many_map(acp_map_t map, const acp_element_t *keys, int count, int *results);

/*
 * Stores the iterator of key i in its[i], or the end if the key is not in the map or
 * fails.
 *
 * Returns the number of keys found, or -1 as acp_insert_many_map does.
 *
 * Any process. Blocks for one round trip at most. Addition of GoACP.
 */
int acp_find_many_map(acp_map_t map, const acp_element_t *keys, int count, acp_map_it_t *its);

/*
 * Copies the value of each key pairs[i].first to pairs[i].second, as acp_retrieve_map does.
 * sizes[i] becomes the number of bytes copied, 0 if key i is not in the map or fails.
 * sizes may be NULL.
 *
 * Returns the number of values copied, or -1 as acp_insert_many_map does. A pair whose
 * second has size 0 does not count.
 *
 * Any process. Blocks for one round trip, or a few for long values. Addition of GoACP.
 */
int acp_retrieve_many_map(acp_map_t map, const acp_pair_t *pairs, int count, size_t *sizes);

/*
 * Appends copies of the elements to the vector, in the order of the array.
 *
 * Returns 0, or -1 if an element is no memory (EFAULT) or the heap has no room (ENOMEM).
 * On failure the vector does not change.
 *
 * Any process. Blocks for one round trip at most. Addition of GoACP.
 */
int acp_push_back_many_vector(acp_vector_t vector, const acp_element_t *elems, int count);

/*
 * Removes as many bytes at the end as the elements have together, or all if there are
 * fewer. It copies them to the elements in the order of the array; the bytes keep the
 * order of the vector.
 *
 * Returns the number of bytes removed, or -1 as acp_push_back_many_vector does. If an
 * element proves to be no memory (EFAULT) only during the copy, the bytes are lost.
 *
 * Any process. Blocks for one round trip at most. Addition of GoACP.
 */
int64_t acp_pop_back_many_vector(acp_vector_t vector, const acp_element_t *elems, int count);

/*
 * Appends copies of the elements to the deque, in the order of the array.
 *
 * Returns 0, or -1 if an element is no memory (EFAULT) or the heap has no room (ENOMEM).
 * On failure the deque does not change.
 *
 * Any process. Blocks for one round trip at most. Addition of GoACP.
 */
int acp_push_back_many_deque(acp_deque_t deque, const acp_element_t *elems, int count);

/*
 * Inserts copies of the elements at the beginning of the deque, in the order of the
 * array: the first byte of the first element becomes the first byte of the deque.
 *
 * Returns 0, or -1 if an element is no memory (EFAULT) or the heap has no room (ENOMEM).
 * On failure the deque does not change.
 *
 * Any process. Blocks for one round trip at most. Addition of GoACP.
 */
int acp_push_front_many_deque(acp_deque_t deque, const acp_element_t *elems, int count);

/*
 * Removes as many bytes at the end as the elements have together, or all if there are
 * fewer. It copies them to the elements in the order of the array; the bytes keep the
 * order of the deque.
 *
 * Returns the number of bytes removed, or -1 as acp_push_back_many_deque does. If an
 * element proves to be no memory (EFAULT) only during the copy, the bytes are lost.
 *
 * Any process. Blocks for one round trip at most. Addition of GoACP.
 */
int64_t acp_pop_back_many_deque(acp_deque_t deque, const acp_element_t *elems, int count);

/*
 * Removes as many bytes at the beginning as the elements have together, or all if there
 * are fewer. It copies them to the elements in the order of the array; the bytes keep the
 * order of the deque.
 *
 * Returns the number of bytes removed, or -1 as acp_push_front_many_deque does. If an
 * element proves to be no memory (EFAULT) only during the copy, the bytes are lost.
 *
 * Any process. Blocks for one round trip at most. Addition of GoACP.
 */
int64_t acp_pop_front_many_deque(acp_deque_t deque, const acp_element_t *elems, int count);

/*
 * Appends copies of the elements, on rank, to the list, in the order of the array.
 *
 * Returns 0, or -1 if an element is no memory (EFAULT), rank is wrong (EINVAL), or the
 * heap has no room (ENOMEM). On failure the list does not change.
 *
 * Any process. Blocks for one round trip at most. Addition of GoACP.
 */
int acp_push_back_many_list(acp_list_t list, const acp_element_t *elems, int count, int rank);

/*
 * Inserts copies of the elements, on rank, before the first element of the list, in the
 * order of the array.
 *
 * Returns 0, or -1 if an element is no memory (EFAULT), rank is wrong (EINVAL), or the
 * heap has no room (ENOMEM). On failure the list does not change.
 *
 * Any process. Blocks for one round trip at most. Addition of GoACP.
 */
int acp_push_front_many_list(acp_list_t list, const acp_element_t *elems, int count, int rank);

/*
 * Removes the last count elements, or all if there are fewer. It copies them to elems in
 * the order of the list, at most elems[i].size bytes of each. sizes[i] becomes the number
 * of bytes that the element had. sizes may be NULL.
 *
 * Returns the number of elements removed, or -1 if elems are no memory (EFAULT) or the list
 * is damaged (EINVAL). If an error shows only during the copy, the elements are lost.
 *
 * Any process. Blocks for one round trip for every 32 KiB. Addition of GoACP.
 */
int acp_pop_back_many_list(acp_list_t list, const acp_element_t *elems, int count, size_t *sizes);

/*
 * Removes the first count elements, or all if there are fewer. It copies them to elems in
 * the order of the list, at most elems[i].size bytes of each. sizes[i] becomes the number
 * of bytes that the element had. sizes may be NULL.
 *
 * Returns the number of elements removed, or -1 if elems are no memory (EFAULT) or the list
 * is damaged (EINVAL). If an error shows only during the copy, the elements are lost.
 *
 * Any process. Blocks for one round trip for every 32 KiB. Addition of GoACP.
 */
int acp_pop_front_many_list(acp_list_t list, const acp_element_t *elems, int count, size_t *sizes);

/* ---- Additions of GoACP: what processes transfer ------------------------- */

/* Kinds of transfers, and paths, for acp_stats. */
#define ACP_STATS_ALL       0 /* all kinds; all paths */
#define ACP_STATS_PUT       1 /* copies from own memory to that of rank */
#define ACP_STATS_GET       2 /* copies from memory of another rank to own memory */
#define ACP_STATS_ATOMIC    3 /* atomics on memory of rank */
#define ACP_STATS_COPY      4 /* copies between other ranks, to memory of rank */
#define ACP_STATS_MESSAGE   5 /* messages of channels and links that were sent to rank */
#define ACP_STATS_STRUCTURE 6 /* operations on structures in memory of rank, and their transfers */
#define ACP_STATS_SHM       1 /* memory of one host */
#define ACP_STATS_RMA       2 /* windows of MPI */
#define ACP_STATS_TCP       3 /* agents */

/*
 * Stores at volume the number of bytes that this process has transferred with rank, or
 * with all ranks if rank is -1, by transfers of a kind on a path. volume may be NULL. The
 * bytes of an operation on a structure are those of its arguments and results. A process
 * counts if the run was started with -stats or -trace, or if ACP_STATS is yes. acp_reset
 * does not set the counts to zero.
 *
 * Returns the number of these transfers, or -1 if this process does not count, the run
 * does not have the rank, or there is no such kind or path (EINVAL).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int64_t acp_stats(int rank, int kind, int path, int64_t *volume);

/* ---- Additions of GoACP: errors, versions and time limits ---------------- */

/*
 * Returns the number of the last failure in this thread, as ACP_ERRNO has that of all threads, or 0
 * if no function has failed in it. A function that succeeds does not change it, except acp_init,
 * which sets it to 0. A failure that only a later call shows belongs to the thread of that call. A
 * signal handler may call it.
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_error_number(void);

/*
 * Returns the reason of the last failure in this thread as text without a line end, such as "bad
 * global address: source 0x300000001000: there is no rank 3, the run has 3". If no function has
 * failed, the text is empty. It is valid until the next failure in this thread. It is also the
 * reason of failures of acp_couple.h.
 *
 * Any process. Does not block. Addition of GoACP.
 */
const char *acp_error_message(void);

/*
 * Returns the version of the library, such as "2.1.0". The three numbers are ACP_VERSION_MAJOR,
 * ACP_VERSION_MINOR and ACP_VERSION_PATCH of its header. May be called before acp_init.
 *
 * Any process. Does not block. Addition of GoACP.
 */
const char *acp_version(void);

/*
 * Returns the name of the library, "libacp" or "libmacp". May be called before acp_init.
 *
 * Any process. Does not block. Addition of GoACP.
 */
const char *acp_library(void);

/*
 * Returns the MPI for which the library was built: "openmpi", "mpich", "mpi" for another one, or ""
 * for libacp. May be called before acp_init.
 *
 * Any process. Does not block. Addition of GoACP.
 */
const char *acp_mpi_name(void);

/*
 * Limits the time that each of the following functions waits in this thread to seconds. A negative
 * number takes the limit away. acp_sync, acp_sync_ranks, acp_sync_job, acp_broadcast, acp_complete,
 * acp_wait_ch, acp_wait_value, acp_complete_links, acp_send_link, acp_receive_link, acp_begin_implicit and
 * acp_iterate_implicit fail with ETIMEDOUT when the time is over. Nothing is lost: the same call with the
 * same arguments continues to wait. A collective function that has failed so counts as called. The request of acp_wait_ch and the
 * links of acp_complete_links stay valid. acp_complete has no result; ACP_ERRNO and acp_inquire show
 * that GMAs are not complete. acp_complete_links fails with EINPROGRESS, since ETIMEDOUT is the end of
 * a time that acp_begin_link_to got. Both are no failure for ACP_ON_ERROR.
 *
 * Returns 0, or -1 if seconds is 0 or no number (EINVAL).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_set_timeout(double seconds);

#ifndef ACP_NO_GENERIC
/* ---- Generic macros ---------------------------------------------------- */

/*
 * Names that are the same for all structures. The first argument is the last part of the
 * name of the function. A program that defines ACP_NO_GENERIC before it includes the header does
 * without them, and has these names for itself.
 *
 *     acp_push_back(vector, v, ga, n)   acp_push_back_vector(v, ga, n)
 *     acp_advance(deque_it, it, n)      acp_advance_deque_it(it, n)
 *     acp_begin(local_set, s)           acp_begin_local_set(s)
 */
#define acp_assign(type, ...)               acp_assign_##type(__VA_ARGS__)
#define acp_assign_range(type, ...)         acp_assign_range_##type(__VA_ARGS__)
#define acp_at(type, ...)                   acp_at_##type(__VA_ARGS__)
#define acp_back(type, ...)                 acp_back_##type(__VA_ARGS__)
#define acp_begin(type, ...)                acp_begin_##type(__VA_ARGS__)
#define acp_bucket(type, ...)               acp_bucket_##type(__VA_ARGS__)
#define acp_bucket_count(type, ...)         acp_bucket_count_##type(__VA_ARGS__)
#define acp_bucket_size(type, ...)          acp_bucket_size_##type(__VA_ARGS__)
#define acp_capacity(type, ...)             acp_capacity_##type(__VA_ARGS__)
#define acp_clear(type, ...)                acp_clear_##type(__VA_ARGS__)
#define acp_count(type, ...)                acp_count_##type(__VA_ARGS__)
#define acp_create(type, ...)               acp_create_##type(__VA_ARGS__)
#define acp_destroy(type, ...)              acp_destroy_##type(__VA_ARGS__)
#define acp_empty(type, ...)                acp_empty_##type(__VA_ARGS__)
#define acp_end(type, ...)                  acp_end_##type(__VA_ARGS__)
#define acp_erase(type, ...)                acp_erase_##type(__VA_ARGS__)
#define acp_erase_range(type, ...)          acp_erase_range_##type(__VA_ARGS__)
#define acp_find(type, ...)                 acp_find_##type(__VA_ARGS__)
#define acp_find_many(type, ...)            acp_find_many_##type(__VA_ARGS__)
#define acp_front(type, ...)                acp_front_##type(__VA_ARGS__)
#define acp_insert(type, ...)               acp_insert_##type(__VA_ARGS__)
#define acp_insert_many(type, ...)          acp_insert_many_##type(__VA_ARGS__)
#define acp_insert_range(type, ...)         acp_insert_range_##type(__VA_ARGS__)
#define acp_merge(type, ...)                acp_merge_##type(__VA_ARGS__)
#define acp_pop_back(type, ...)             acp_pop_back_##type(__VA_ARGS__)
#define acp_pop_back_many(type, ...)        acp_pop_back_many_##type(__VA_ARGS__)
#define acp_pop_front(type, ...)            acp_pop_front_##type(__VA_ARGS__)
#define acp_pop_front_many(type, ...)       acp_pop_front_many_##type(__VA_ARGS__)
#define acp_push_back(type, ...)            acp_push_back_##type(__VA_ARGS__)
#define acp_push_back_many(type, ...)       acp_push_back_many_##type(__VA_ARGS__)
#define acp_push_front(type, ...)           acp_push_front_##type(__VA_ARGS__)
#define acp_push_front_many(type, ...)      acp_push_front_many_##type(__VA_ARGS__)
#define acp_remove(type, ...)               acp_remove_##type(__VA_ARGS__)
#define acp_remove_many(type, ...)          acp_remove_many_##type(__VA_ARGS__)
#define acp_reserve(type, ...)              acp_reserve_##type(__VA_ARGS__)
#define acp_reverse(type, ...)              acp_reverse_##type(__VA_ARGS__)
#define acp_size(type, ...)                 acp_size_##type(__VA_ARGS__)
#define acp_sort(type, ...)                 acp_sort_##type(__VA_ARGS__)
#define acp_splice(type, ...)               acp_splice_##type(__VA_ARGS__)
#define acp_swap(type, ...)                 acp_swap_##type(__VA_ARGS__)
#define acp_unique(type, ...)               acp_unique_##type(__VA_ARGS__)
#define acp_advance(type, ...)              acp_advance_##type(__VA_ARGS__)
#define acp_decrement(type, ...)            acp_decrement_##type(__VA_ARGS__)
#define acp_dereference(type, ...)          acp_dereference_##type(__VA_ARGS__)
#define acp_dereference_value(type, ...)    acp_dereference_value_##type(__VA_ARGS__)
#define acp_distance(type, ...)             acp_distance_##type(__VA_ARGS__)
#define acp_increment(type, ...)            acp_increment_##type(__VA_ARGS__)
#define acp_size_value(type, ...)           acp_size_value_##type(__VA_ARGS__)
#endif /* ACP_NO_GENERIC */

#ifdef __cplusplus
}
#endif

#endif
