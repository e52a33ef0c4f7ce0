/*
 * DMI: global memory with pages for the threads of several processes. docs/dmi.md of GoACP explains it.
 *
 * A program has no main. It defines DMI_main, which one thread of process 0 runs, and the functions that other threads run:
 *
 *     void    DMI_main(int argc, char **argv);
 *     int32_t DMI_scaleunit(int my_rank, int pnum, int64_t addr);      the threads of DMI_rescale; may return int64_t
 *     int64_t DMI_thread(int64_t addr);                                the threads of DMI_create
 *     void    DMI_function(void *page_ptr, int64_t size, void *out_ptr, int64_t out_size,
 *                          void *in_ptr, int64_t in_size, int8_t tag); the operations of DMI_atomic
 *
 * In C++ they are extern "C". Only DMI_main has to be there. dmicc compiles and links programs, and dmimw starts them.
 *
 * Addresses of global memory are integers greater than 0. Only functions of DMI access global memory. Sizes and offsets are in
 * bytes. A range lies in one space, which is what one DMI_mmap or DMI_malloc has made. Functions return TRUE, or FALSE if they
 * fail; DMI_strerror says why. A function that fails has changed nothing, unless its comment says more.
 *
 * A function whose last parameter is a status blocks if that is NULL. Otherwise it only starts: it returns TRUE, and DMI_check
 * and DMI_wait say what it has returned. Until then the program leaves alone what the arguments lead to.
 *
 * Every thread of every process may call every function, unless its comment names others. The last line of each comment says
 * whether the function blocks.
 */
#ifndef DMI_API_H
#define DMI_API_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TRUE
#define TRUE 1
#endif
#ifndef FALSE
#define FALSE 0
#endif

/* Modes of reads: where the bytes are kept afterwards. They do not change what is read. */
#define DMI_GET 1        /* nothing is kept */
#define DMI_INVALIDATE 2 /* the calling process keeps the pages until a thread writes them */
#define DMI_UPDATE 3     /* the calling process keeps the pages, and gets what others write to them */

/* Modes of writes and of operations that read and write. */
#define DMI_PUT 4       /* the bytes go to the process that owns the page */
#define DMI_EXCLUSIVE 5 /* the page goes to the calling process first, unless it is on the same host */

/* Operations of DMI_local_barrier_allreduce, and the types of its values. */
#define DMI_OP_MAX 1
#define DMI_OP_MIN 2
#define DMI_OP_SUM 3
#define DMI_OP_PROD 4

#define DMI_TYPE_CHAR 1     /* char */
#define DMI_TYPE_SHORT 2    /* short */
#define DMI_TYPE_INT 3      /* int */
#define DMI_TYPE_LONG 4     /* long */
#define DMI_TYPE_LONGLONG 5 /* long long */
#define DMI_TYPE_FLOAT 6    /* float */
#define DMI_TYPE_DOUBLE 7   /* double */

/* States of processes. */
#define DMI_OPEN 1   /* it asks to take part */
#define DMI_OPENED 2 /* it takes part */
#define DMI_CLOSE 3  /* it takes part, and asks to leave */
#define DMI_CLOSED 4 /* it has left */

/* A thread: the id of its process, and its number there. */
typedef struct {
  int32_t dmi_id;
  int32_t thread_id;
} DMI_thread_t;

/* A process. */
typedef struct {
  int32_t dmi_id;
  int32_t core;   /* processors of its host */
  int64_t memory; /* bytes of its memory pool */
  int32_t state;  /* DMI_OPEN, DMI_OPENED, DMI_CLOSE or DMI_CLOSED */
  char hostname[260];
} DMI_node_t;

/* Objects in global memory, at addresses that are multiples of 8 from the beginning of a page on. Programs only use their sizes. */
typedef struct { int64_t dmi_opaque[16]; } DMI_barrier_t;
typedef struct { int64_t dmi_opaque[8]; } DMI_mutex_t;
typedef struct { int64_t dmi_opaque[8]; } DMI_cond_t;
typedef struct { int64_t dmi_opaque[8]; } DMI_spinlock_t;
typedef struct { int64_t dmi_opaque[16]; } DMI_rwset_t;
typedef struct { int64_t dmi_opaque[16]; } DMI_scheduler_t;
typedef struct { int64_t dmi_opaque[8]; } DMI_idpool_t;

/* Objects in the memory of the program. They need no initial value. They are not copied or moved while they are in use. */
typedef struct { int64_t dmi_opaque[4]; } DMI_local_status_t;
typedef struct { int64_t dmi_opaque[4]; } DMI_local_group_t;
typedef DMI_local_group_t DMI_group_t;
typedef struct { int64_t dmi_opaque[8]; } DMI_local_barrier_t;
typedef struct { int64_t dmi_opaque[4]; } DMI_local_rwset_t;

/*
 * Runs a phase of the program. It lets all processes take part that ask for it, waits until node_num processes take part, and
 * makes thread_num threads on each of the node_num ones with the lowest ids. The threads call
 * DMI_scaleunit(rank, node_num * thread_num, addr); ranks are consecutive in each process. One call at a time may be under way
 * in the run. A call that fails has made no thread.
 *
 * Blocks until all threads have returned.
 */
int32_t DMI_rescale(int64_t addr, int32_t node_num, int32_t thread_num);

/*
 * Makes a space of page_num pages of page_size bytes, both at least 1, and sets *dmi_addr_ptr to its first address. All bytes
 * are 0. A page takes no memory before it is written.
 *
 * Blocks for a short time.
 */
int32_t DMI_mmap(int64_t *dmi_addr_ptr, int64_t page_size, int64_t page_num, DMI_local_status_t *status);

/*
 * Ends a space of DMI_mmap, whose first address is dmi_addr. Later accesses to it fail, and so do waits for its objects that are
 * under way.
 *
 * Blocks for a short time.
 */
int32_t DMI_munmap(int64_t dmi_addr, DMI_local_status_t *status);

/*
 * Makes a space of size bytes, at least 0, in pages of page_size bytes, at least 1, and sets *addr_ptr to its first address.
 * All bytes are 0.
 *
 * Blocks for a short time.
 */
int32_t DMI_malloc(int64_t *addr_ptr, int64_t size, int64_t page_size);

/*
 * Makes a space as DMI_malloc does, with the bytes of that at old_addr as far as they fit, and ends the old one. If old_addr
 * is 0, it is DMI_malloc. If it fails, the old space stays.
 *
 * Blocks until the bytes are copied.
 */
int32_t DMI_realloc(int64_t old_addr, int64_t *new_addr_ptr, int64_t size, int64_t page_size);

/*
 * Ends a space of DMI_malloc or DMI_realloc. If addr is 0, it does nothing.
 *
 * Blocks for a short time.
 */
int32_t DMI_free(int64_t addr);

/*
 * Copies size bytes from dmi_addr to in_ptr. mode is DMI_GET, DMI_INVALIDATE or DMI_UPDATE. If the range lies in several pages,
 * each page is an access of its own. If it fails, bytes at in_ptr may have changed.
 *
 * Blocks until the bytes are there.
 */
int32_t DMI_read(int64_t dmi_addr, int64_t size, void *in_ptr, int8_t mode, DMI_local_status_t *status);

/*
 * Copies size bytes from out_ptr to dmi_addr. mode is DMI_PUT or DMI_EXCLUSIVE. If the range lies in several pages, each page is
 * an access of its own. If memory runs out, earlier pages have been written.
 *
 * Blocks until every process sees the bytes.
 */
int32_t DMI_write(int64_t dmi_addr, int64_t size, void *out_ptr, int8_t mode, DMI_local_status_t *status);

/*
 * Waits until the size bytes at dmi_addr differ from those at in_ptr, and then stores them as they are at that moment at
 * out_ptr. No change is missed, also if the next one takes it back. in_ptr and out_ptr may be the same.
 *
 * Blocks until the bytes differ.
 */
int32_t DMI_watch(int64_t dmi_addr, int64_t size, void *in_ptr, void *out_ptr, DMI_local_status_t *status);

/*
 * Keeps the pages of a range in the memory of the calling process, also if its pool is full later, and fetches them as a read with
 * DMI_INVALIDATE does. Fails if the pool has no room for them.
 *
 * Blocks until the pages are there.
 */
int32_t DMI_save(int64_t dmi_addr, int64_t size);

/*
 * Ends the effect of all calls of DMI_save for the pages of a range.
 *
 * Does not block.
 */
int32_t DMI_unsave(int64_t dmi_addr, int64_t size);

/*
 * Calls DMI_function of the program for size bytes of one page, while no other access uses the page. The function gets a copy
 * of the out_size bytes at out_ptr. What it leaves in in_size bytes, which are 0 at first, is stored at in_ptr, which may be
 * out_ptr. If DMI_atomic fails, the bytes at in_ptr stay as they are. tag tells the
 * operations of the program apart. mode is DMI_PUT or DMI_EXCLUSIVE. DMI_function runs in any process. It calls no function of
 * DMI, does not block, and uses nothing but its arguments.
 *
 * Blocks until the function has returned.
 */
int32_t DMI_atomic(int64_t dmi_addr, int64_t size, void *out_ptr, int64_t out_size, void *in_ptr, int64_t in_size, int8_t tag,
                   int8_t mode, DMI_local_status_t *status);

/*
 * If the size bytes at dmi_addr, in one page, equal those at cmp_ptr, it replaces them by those at swap_ptr and sets
 * *cas_flag_ptr to TRUE. Otherwise it sets *cas_flag_ptr to FALSE, and returns TRUE as well. mode is DMI_PUT or DMI_EXCLUSIVE.
 *
 * Blocks until that is done.
 */
int32_t DMI_cas(int64_t dmi_addr, int64_t size, void *cmp_ptr, void *swap_ptr, int8_t *cas_flag_ptr, int8_t mode,
                DMI_local_status_t *status);

/*
 * Stores the size bytes at dmi_addr, in one page, at in_ptr, and replaces them by those at out_ptr, which may be in_ptr. mode is
 * DMI_PUT or DMI_EXCLUSIVE.
 *
 * Blocks until that is done.
 */
int32_t DMI_fas(int64_t dmi_addr, int64_t size, void *out_ptr, void *in_ptr, int8_t mode, DMI_local_status_t *status);

/*
 * Stores the integer of 8 bytes at dmi_addr, in one page, at fetch_value_ptr, and adds add_value to it. The sum wraps around.
 * mode is DMI_PUT or DMI_EXCLUSIVE.
 *
 * Blocks until that is done.
 */
int32_t DMI_fad(int64_t dmi_addr, int64_t add_value, int64_t *fetch_value_ptr, int8_t mode, DMI_local_status_t *status);

/*
 * Makes a group of group_num ranges, at least 0: range i has sizes[i] bytes at addrs[i] of global memory, and at ptr_offsets[i]
 * from the memory that a transfer names. Offsets may be negative. The arrays are copied.
 *
 * Does not block.
 */
int32_t DMI_group_init(DMI_local_group_t *group, int64_t *addrs, int64_t *ptr_offsets, int64_t *sizes, int32_t group_num);

/*
 * Ends a group, which no transfer uses any more.
 *
 * Does not block.
 */
int32_t DMI_group_destroy(DMI_local_group_t *group);

/*
 * Reads all ranges of a group as DMI_read does, in any order, each as an access of its own. DMI_GET is best. Several threads of the
 * process may use a group at once.
 *
 * Blocks until the bytes are there.
 */
int32_t DMI_group_read(DMI_local_group_t *group, void *in_ptr, int8_t mode, DMI_local_status_t *status);

/*
 * Writes all ranges of a group as DMI_write does, in any order, each as an access of its own. DMI_PUT is best. If ranges overlap, one
 * of them wins.
 *
 * Blocks until every process sees the bytes.
 */
int32_t DMI_group_write(DMI_local_group_t *group, void *out_ptr, int8_t mode, DMI_local_status_t *status);

/*
 * Returns TRUE and sets *ret_ptr to what the function has returned, if the function that was started with the status has ended.
 * Otherwise returns FALSE. ret_ptr may be NULL. The answer stays until the status is used for another function.
 *
 * Does not block.
 */
int32_t DMI_check(DMI_local_status_t *status, int32_t *ret_ptr);

/*
 * Waits until the function that was started with the status has ended, and sets *ret_ptr to what it has returned. ret_ptr may be
 * NULL. Every function that is started is waited for, or found ended by DMI_check, before its status goes away.
 *
 * Blocks until the function has ended.
 */
void DMI_wait(DMI_local_status_t *status, int32_t *ret_ptr);

/*
 * Makes a barrier at an address of global memory, where there is room for a DMI_barrier_t.
 *
 * Blocks for a short time.
 */
int32_t DMI_barrier_init(int64_t dmi_barrier_addr);

/*
 * Ends a barrier at which no thread waits.
 *
 * Blocks for a short time.
 */
int32_t DMI_barrier_destroy(int64_t dmi_barrier_addr);

/*
 * Makes the calling thread's own end of a barrier. Only that thread uses it.
 *
 * Blocks for a short time.
 */
int32_t DMI_local_barrier_init(DMI_local_barrier_t *barrier, int64_t dmi_barrier_addr);

/*
 * Ends the calling thread's own end of a barrier.
 *
 * Does not block.
 */
int32_t DMI_local_barrier_destroy(DMI_local_barrier_t *barrier);

/*
 * Waits until pnum threads have called it for the barrier. All pass the same pnum, which may differ from one time to the next.
 *
 * Blocks until pnum threads have called it.
 */
int32_t DMI_local_barrier_sync(DMI_local_barrier_t *barrier, int32_t pnum);

/*
 * Combines one value of each of pnum threads, at sub_value_ptr, by an operation DMI_OP_ for values of a type DMI_TYPE_, and
 * stores the result at value_ptr. All threads get the same bytes.
 *
 * Blocks until pnum threads have called it.
 */
int32_t DMI_local_barrier_allreduce(DMI_local_barrier_t *barrier, int32_t pnum, void *sub_value_ptr, void *value_ptr,
                                    int8_t op_type, int8_t type_type);

/*
 * Makes a mutex at an address of global memory, where there is room for a DMI_mutex_t.
 *
 * Blocks for a short time.
 */
int32_t DMI_mutex_init(int64_t dmi_mutex_addr);

/*
 * Ends a mutex that no thread has locked.
 *
 * Blocks for a short time.
 */
int32_t DMI_mutex_destroy(int64_t dmi_mutex_addr);

/*
 * Locks a mutex, which then belongs to the calling thread of DMI. Threads get it in the order of their calls. Fails if the
 * thread has it.
 *
 * Blocks until the mutex is free.
 */
int32_t DMI_mutex_lock(int64_t dmi_mutex_addr);

/*
 * Unlocks a mutex that the calling thread of DMI has locked.
 *
 * Blocks for a short time.
 */
int32_t DMI_mutex_unlock(int64_t dmi_mutex_addr);

/*
 * Locks a mutex if it is free. It sets *try_flag_ptr to TRUE if the calling thread of DMI has locked it, otherwise to FALSE. It
 * returns TRUE in both cases.
 *
 * Blocks for a short time.
 */
int32_t DMI_mutex_trylock(int64_t dmi_mutex_addr, int32_t *try_flag_ptr);

/*
 * Makes a condition variable at an address of global memory, where there is room for a DMI_cond_t.
 *
 * Blocks for a short time.
 */
int32_t DMI_cond_init(int64_t dmi_cond_addr);

/*
 * Ends a condition variable on which no thread waits.
 *
 * Blocks for a short time.
 */
int32_t DMI_cond_destroy(int64_t dmi_cond_addr);

/*
 * Unlocks a mutex that the calling thread of DMI has locked, waits for a signal, and locks the mutex again. It may return without a
 * signal, so programs test their condition in a loop. If the space of the condition variable ends, it fails, and the thread does not
 * have the mutex.
 *
 * Blocks until a signal has come and the mutex is free.
 */
int32_t DMI_cond_wait(int64_t dmi_cond_addr, int64_t dmi_mutex_addr);

/*
 * Wakes one thread that waits on the condition variable.
 *
 * Blocks for a short time.
 */
int32_t DMI_cond_signal(int64_t dmi_cond_addr);

/*
 * Wakes all threads that wait on the condition variable.
 *
 * Blocks for a short time.
 */
int32_t DMI_cond_broadcast(int64_t dmi_cond_addr);

/*
 * Makes a spin lock at an address of global memory, where there is room for a DMI_spinlock_t.
 *
 * Blocks for a short time.
 */
int32_t DMI_spin_init(int64_t dmi_spinlock_addr);

/*
 * Ends a spin lock that no thread has locked.
 *
 * Blocks for a short time.
 */
int32_t DMI_spin_destroy(int64_t dmi_spinlock_addr);

/*
 * Locks a spin lock, which then belongs to the calling thread of DMI. It tries again and again, after some time with pauses.
 *
 * Blocks until the lock is free.
 */
int32_t DMI_spin_lock(int64_t dmi_spinlock_addr);

/*
 * Unlocks a spin lock that the calling thread of DMI has locked.
 *
 * Blocks for a short time.
 */
int32_t DMI_spin_unlock(int64_t dmi_spinlock_addr);

/*
 * Locks a spin lock if it is free. It sets *try_flag_ptr to TRUE if the calling thread of DMI has locked it, otherwise to
 * FALSE. It returns TRUE in both cases.
 *
 * Blocks for a short time.
 */
int32_t DMI_spin_trylock(int64_t dmi_spinlock_addr, int32_t *try_flag_ptr);

/*
 * Makes a read-write-set at an address of global memory, where there is room for a DMI_rwset_t: element_num elements of
 * element_size bytes, which are 0, and rwset_num regions. Elements and regions have numbers from 0.
 *
 * Blocks for a short time.
 */
int32_t DMI_rwset_init(int64_t dmi_rwset_addr, int64_t element_num, int64_t element_size, int32_t rwset_num);

/*
 * Ends a read-write-set.
 *
 * Blocks for a short time.
 */
int32_t DMI_rwset_destroy(int64_t dmi_rwset_addr);

/*
 * Says which elements region my_id writes, in the order in which they are in buffers. No other region writes them. A second call
 * for a region replaces the list.
 *
 * Blocks for a short time.
 */
int32_t DMI_rwset_decompose(int64_t dmi_rwset_addr, int32_t my_id, int64_t *write_elements, int32_t write_element_num);

/*
 * Makes the end of region my_id of a read-write-set, and says which elements the region reads, in the order in which they are in
 * buffers. Every region has been decomposed before.
 *
 * Blocks for a short time.
 */
int32_t DMI_local_rwset_init(DMI_local_rwset_t *rwset, int64_t dmi_rwset_addr, int32_t my_id, int64_t *read_elements,
                             int32_t read_element_num);

/*
 * Ends the end of a region.
 *
 * Does not block.
 */
int32_t DMI_local_rwset_destroy(DMI_local_rwset_t *rwset);

/*
 * Writes the elements that the region writes, from buf.
 *
 * Blocks until every process sees them.
 */
int32_t DMI_local_rwset_write(DMI_local_rwset_t *rwset, void *buf, DMI_local_status_t *status);

/*
 * Reads the elements that the region reads into buf.
 *
 * Blocks until they are there.
 */
int32_t DMI_local_rwset_read(DMI_local_rwset_t *rwset, void *buf, DMI_local_status_t *status);

/*
 * Sets *dmi_id_ptr to the id of the calling process.
 *
 * Does not block.
 */
int32_t DMI_rank(int32_t *dmi_id_ptr);

/*
 * Stores the processes that there are, in order of ids, at most capacity, and sets *num_ptr to their number. Those that have left
 * are not there any more.
 *
 * Blocks for a short time.
 */
int32_t DMI_nodes(DMI_node_t *dmi_node_array, int32_t *num_ptr, int32_t capacity);

/*
 * Makes a thread on process dmi_id, which calls DMI_thread(dmi_addr), and sets *dmi_thread_ptr. It has a stack of stack_size
 * bytes, at least 256 KiB; 0: as the system has it. The process takes part afterwards. Fails if it asks to leave.
 *
 * Blocks for a short time.
 */
int32_t DMI_create(DMI_thread_t *dmi_thread_ptr, int32_t dmi_id, int64_t dmi_addr, int64_t stack_size,
                   DMI_local_status_t *status);

/*
 * Waits until a thread of DMI_create has ended, and sets *dmi_addr_ptr to what DMI_thread has returned. dmi_addr_ptr may be NULL. A thread is
 * joined once, and not if it is detached.
 *
 * Blocks until the thread has ended.
 */
int32_t DMI_join(DMI_thread_t dmi_thread, int64_t *dmi_addr_ptr, DMI_local_status_t *status);

/*
 * Detaches a thread of DMI_create: no thread joins it.
 *
 * Blocks for a short time.
 */
int32_t DMI_detach(DMI_thread_t dmi_thread, DMI_local_status_t *status);

/*
 * Wakes a thread that sleeps in DMI_suspend, and gives it the out_size bytes at out_ptr. A thread that does not sleep there
 * misses them.
 *
 * Blocks for a short time.
 */
int32_t DMI_wake(DMI_thread_t dmi_thread, void *out_ptr, int64_t out_size, DMI_local_status_t *status);

/*
 * Lets the calling thread of DMI sleep until the next DMI_wake for it, and stores the bytes that come with that at in_ptr, which
 * may be NULL.
 *
 * Blocks until another thread wakes this one.
 */
int32_t DMI_suspend(void *in_ptr);

/*
 * Sets *dmi_thread_ptr to the calling thread of DMI.
 *
 * Does not block.
 */
int32_t DMI_self(DMI_thread_t *dmi_thread_ptr);

/*
 * Lets a process take part that asks for it.
 *
 * Blocks until the process takes part.
 */
int32_t DMI_welcome(int32_t dmi_id);

/*
 * Lets a process leave, whether it has asked for it or not. Its pages go to other processes. Fails if threads of DMI run on it,
 * and for process 0.
 *
 * Blocks until the process has left.
 */
int32_t DMI_goodbye(int32_t dmi_id);

/*
 * Waits for a request of a process to take part or to leave, and stores the process. Each request is reported once, the oldest
 * first.
 *
 * Blocks until there is a request.
 */
int32_t DMI_poll(DMI_node_t *dmi_node_ptr);

/*
 * Stores a process as DMI_poll does and sets *flag_ptr to TRUE, or, if there is no request, sets *flag_ptr to FALSE.
 *
 * Blocks for a short time.
 */
int32_t DMI_peek(DMI_node_t *dmi_node_ptr, int8_t *flag_ptr);

/*
 * Starts one more process on the host of process dmi_id, with options of dmimw, which may be NULL, and stores it. It asks to take
 * part.
 *
 * Blocks until the process asks to take part.
 */
int32_t DMI_fork(char *option, int32_t dmi_id, DMI_node_t *dmi_node_ptr);

/*
 * Makes a process ask to leave.
 *
 * Blocks for a short time.
 */
int32_t DMI_kill(int32_t dmi_id);

/*
 * Makes a scheduler at an address of global memory, where there is room for a DMI_scheduler_t.
 *
 * Blocks for a short time.
 */
int32_t DMI_scheduler_init(int64_t dmi_scheduler_addr);

/*
 * Ends a scheduler without threads.
 *
 * Blocks for a short time.
 */
int32_t DMI_scheduler_destroy(int64_t dmi_scheduler_addr);

/*
 * Makes a thread, which calls DMI_thread(dmi_addr), on a process that the scheduler chooses, and sets *sthread_id_ptr to its
 * number in the scheduler.
 *
 * Blocks for a short time.
 */
int32_t DMI_scheduler_create(int64_t dmi_scheduler_addr, int32_t *sthread_id_ptr, int64_t dmi_addr);

/*
 * Detaches a thread of a scheduler: no thread joins it.
 *
 * Blocks for a short time.
 */
int32_t DMI_scheduler_detach(int64_t dmi_scheduler_addr, int32_t sthread_id);

/*
 * Waits until a thread of a scheduler has ended, and sets *dmi_addr_ptr, which may be NULL, to what DMI_thread has returned.
 *
 * Blocks until the thread has ended.
 */
int32_t DMI_scheduler_join(int64_t dmi_scheduler_addr, int32_t sthread_id, int64_t *dmi_addr_ptr);

/*
 * Lets other threads run.
 *
 * Does not block.
 */
int32_t DMI_yield(void);

/*
 * mmap, mremap, mprotect and munmap for memory that ends with the calling thread. The first two return an address or
 * MAP_FAILED, the others TRUE or FALSE. errno says why they fail. Any thread may change and unmap the memory; what it
 * remaps is its own then. The only flag of DMI_thread_mremap is MREMAP_MAYMOVE, otherwise errno is EINVAL.
 *
 * They do not block.
 */
void *DMI_thread_mmap(void *start, size_t length, int prot, int flags, int fd, off_t offset);
void *DMI_thread_mremap(void *old_address, size_t old_size, size_t new_size, int flags);
int32_t DMI_thread_mprotect(void *addr, size_t len, int prot);
int32_t DMI_thread_munmap(void *start, size_t length);

/*
 * malloc, realloc and free for memory that ends with the calling thread. The first two return an address or NULL.
 *
 * They do not block.
 */
void *DMI_thread_malloc(int64_t size);
void *DMI_thread_realloc(void *ptr, int64_t size);
void DMI_thread_free(void *ptr);

/*
 * Makes a pool of the numbers 0 to id_max - 1 at an address of global memory, where there is room for a DMI_idpool_t.
 *
 * Blocks for a short time.
 */
int32_t DMI_idpool_init(int64_t dmi_idpool_addr, int32_t id_max);

/*
 * Ends a pool of numbers.
 *
 * Blocks for a short time.
 */
int32_t DMI_idpool_destroy(int64_t dmi_idpool_addr);

/*
 * Takes a number from a pool, and sets *id_ptr to it. Fails if none is left.
 *
 * Blocks for a short time.
 */
int32_t DMI_idpool_get(int64_t dmi_idpool_addr, int32_t *id_ptr);

/*
 * Gives a number back to a pool.
 *
 * Blocks for a short time.
 */
int32_t DMI_idpool_put(int64_t dmi_idpool_addr, int32_t id);

/*
 * Returns why the latest function of DMI that returned FALSE to the calling thread has failed. The text is valid until the next
 * function of this thread fails. It is "" if none has.
 *
 * Does not block.
 */
const char *DMI_strerror(void);

/*
 * Ends the run with status 1 and a line on standard error, if a function of DMI returns FALSE. The line has the place and the
 * text of the call, and the reason.
 */
#define DMI_CATCH(call) DMI_CATCH_(call, #call)


#define DMI_CATCH_(call, text)                        \
  do {                                                \
    if ((call) == FALSE)                              \
      dmi_failed(__FILE__, __LINE__, __func__, text); \
  } while (0)

/* Names that the macros below and DMI_CATCH use. Programs use the macros. */
#if defined __GNUC__ && !defined __clang_analyzer__
#define DMI_PRINTF_ __attribute__((format(printf, 1, 2)))
#define DMI_NORETURN_ __attribute__((noreturn))
#else
#define DMI_PRINTF_
#define DMI_NORETURN_
#endif
void dmi_failed(const char *file, int line, const char *function, const char *call) DMI_NORETURN_;
void dmi_error(const char *file, int line, const char *function) DMI_NORETURN_;
void dmi_outn(const char *format, ...) DMI_PRINTF_;
int dmi_bind_to_cpu(int n);
int dmi_procnum(void);
void dmi_mrand_init(unsigned long seed);
double dmi_mrand_01(void);
int dmi_begin(int argc, char **argv, const void *program);
#undef DMI_PRINTF_
#undef DMI_NORETURN_

#ifdef __cplusplus
}
#endif

/*
 * Short names, unless DMI_NO_SHORT_NAMES is defined:
 *
 *     catch(call)           DMI_CATCH; not in C++, which has the word
 *     error()               ends the run with status 1 and a line with the place; arguments are ignored
 *     outn(format, ...)     printf with a line end, written at once
 *     bind_to_cpu(n)        binds the calling thread to the nth processor that the process may use, modulo their number
 *     PROCNUM               the number of processors that the process may use
 *     mrand_init(seed)      begins the random numbers of the calling thread, by the Mersenne Twister MT19937
 *     mrand_01()            the next one, at least 0 and less than 1, with 53 bits
 */
#ifndef DMI_NO_SHORT_NAMES
#if defined __GLIBC__
#include <error.h> /* before there is a macro with the name of its function */
#endif
#ifndef __cplusplus
#define catch(call) DMI_CATCH_(call, #call)
#endif
#define error(...) dmi_error(__FILE__, __LINE__, __func__)
#define outn dmi_outn
#define bind_to_cpu(n) dmi_bind_to_cpu(n)
#define PROCNUM dmi_procnum()
#define mrand_init(seed) dmi_mrand_init(seed)
#define mrand_01() dmi_mrand_01()
#endif

#endif
