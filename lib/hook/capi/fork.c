// The memory of the pool is shared, so a child of fork would change the blocks of its parent. Therefore the parent
// copies all blocks to a new file before it forks, and the child maps this file instead of the old file. The parent
// makes the copy so that it need not wait for the child or synchronise with a child that may die.
//
// The thread that forks holds all locks from before the copy until fork is over. So the metadata of the allocator,
// which the kernel copies in fork, match the copy. Other threads run during that time. Their stores into blocks
// between the copy and fork are not in the child. POSIX allows the child of a program with threads only the functions
// that signal handlers may call, which do not read such blocks. Blocks in the caches of other threads stay unused in
// the child.
//
// vfork, posix_spawn, system and popen call no handlers and need none: their child calls exec.

#include "fork.h"
#include "lock.h"
#include "memory.h"
#include "spans.h"
#include "report.h"
#include "slabs.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

__thread int in_fork;

// The copy for the child that is being made. If no file can be made, as when the process may not open more,
// it is private memory: the child has a heap then, which its peers do not map.
static struct {
  int fd;       // -1 if there is no file
  char *memory; // NULL if there is a file
  int complete;
} copy;

// copy_bytes copies bytes that are not zero for certain.
static int copy_bytes(size_t offset, size_t n) {
  if (copy.memory != NULL) {
    memcpy(copy.memory + offset, memory.base + offset, n);
    return 0;
  }
  while (n > 0) {
    ssize_t done = pwrite(copy.fd, memory.base + offset, n, (off_t)offset);
    if (done <= 0)
      return -1;
    offset += (size_t)done;
    n -= (size_t)done;
  }
  return 0;
}

// copy_part copies what the file has of n bytes at offset. Holes stay holes.
static int copy_part(size_t offset, size_t n, int has_file) {
  size_t end = offset + n;
  while (has_file && offset < end) {
    off_t data = lseek(memory.fd, (off_t)offset, SEEK_DATA);
    if (data < 0 || (size_t)data >= end)
      return 0;
    off_t hole = lseek(memory.fd, data, SEEK_HOLE);
    offset = hole < 0 || (size_t)hole > end ? end : (size_t)hole;
    if (copy_bytes((size_t)data, offset - (size_t)data) != 0)
      return -1;
  }
  return offset < end ? copy_bytes(offset, n) : 0;
}

// copy_blocks copies the spans that are in use, neighbours together.
static int copy_blocks(void) {
  int has_file = memory_has_file();
  struct span *span = spans_next(NULL);
  while (span != NULL) {
    size_t start = span->start, units = 0;
    for (; span != NULL && span->state == USED; span = spans_next(span))
      units += span->units;
    if (units > 0 && copy_part(start << UNIT_SHIFT, units << UNIT_SHIFT, has_file) != 0)
      return -1;
    if (span != NULL)
      span = spans_next(span);
  }
  return 0;
}

static int make_copy(void) {
  copy.memory = NULL;
  copy.fd = memory_file(memory.size);
  if (copy.fd < 0) {
    copy.memory = mmap(NULL, memory.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (copy.memory == MAP_FAILED) {
      copy.memory = NULL;
      return -1;
    }
  }
  return copy_blocks();
}

static void before(void) {
  slabs_lock();
  pthread_mutex_lock(&spans_lock);
  in_fork = 1;
  if (memory.size == 0)
    return;
  size_t offset;
  char here;
  if (memory_has(&here, &offset))
    die("fork on a stack that malloc returned: parent and child would share it");
  copy.complete = make_copy() == 0;
}

static void leave(void) {
  in_fork = 0;
  pthread_mutex_unlock(&spans_lock);
  slabs_unlock();
}

static void in_parent(void) {
  if (memory.size != 0) {
    if (copy.fd >= 0)
      close(copy.fd);
    if (copy.memory != NULL)
      munmap(copy.memory, memory.size);
  }
  leave();
}

// replace puts the copy in the place of the memory.
static int replace(void) {
  if (copy.memory != NULL)
    return mremap(copy.memory, memory.size, memory.size, MREMAP_MAYMOVE | MREMAP_FIXED, memory.base) == MAP_FAILED ? -1 : 0;
  return mmap(memory.base, memory.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, copy.fd, 0) ==
                 MAP_FAILED ? -1 : 0;
}

static void in_child(void) {
  if (memory.size != 0) {
    // Without a copy the child would write the memory of its parent.
    if (!copy.complete || replace() != 0) {
      report("no memory for the blocks of a child of fork; the child ends", NULL);
      _exit(127);
    }
    if (memory_has_file())
      close(memory.fd);
    memory_move(copy.fd);
  }
  leave();
}

void fork_begin(void) { pthread_atfork(before, in_parent, in_child); }
