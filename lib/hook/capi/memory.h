// The memory of the pool: one file without a name, mapped once. All of it is in the file from the
// start, as a hole. The kernel gives a page when it is touched first.

#ifndef GOACP_HOOK_MEMORY_H
#define GOACP_HOOK_MEMORY_H

#include <stddef.h>
#include <stdint.h>

// The pool consists of units of this size. It does not depend on the pages of the kernel.
#define UNIT_SHIFT 13
#define UNIT ((size_t)1 << UNIT_SHIFT)

// The largest memory, as much as peers map of each process of their host.
#define MOST_MEMORY ((size_t)64 << 30)

struct memory {
  size_t size; // 0 before memory_make
  char *base;
  int fd;              // -1 if there is no file
  unsigned generation; // counts the forks up to this process
};
extern struct memory memory;

// memory_target_size returns the size that the memory is to have, 0 if limits leave no space for it.
size_t memory_target_size(void);

// memory_make makes the memory. Returns 0, or -1 if the system does not give any.
int memory_make(size_t size);

// memory_file makes a file of size bytes. Returns its descriptor, or -1 if that fails.
int memory_file(size_t size);

// Whether the file of the memory is still open. Some programs close all files that they have not
// opened.
int memory_has_file(void);

// memory_move records that the memory now belongs to another file, or to none if fd is -1.
void memory_move(int fd);

// memory_drop gives the pages of n bytes at offset back, which are zero afterwards. Returns 0, or -1 if the
// system does not allow that, as when the program has locked its memory.
int memory_drop(size_t offset, size_t n);

// Whether p lies in the memory, and its offset there. size is read first: another
// thread may be making the memory.
static inline int memory_has(const void *p, size_t *offset) {
  size_t size = __atomic_load_n(&memory.size, __ATOMIC_ACQUIRE);
  *offset = (size_t)((const char *)p - __atomic_load_n(&memory.base, __ATOMIC_RELAXED));
  return *offset < size;
}

#endif
