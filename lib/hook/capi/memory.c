#include "memory.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

struct memory memory = {0, NULL, -1, 0};

// The memory begins at a multiple of this, so that it may have huge pages, and its size is one.
#define ALIGNMENT ((size_t)2 << 20)

// The memory is not made if it would have fewer bytes.
#define LEAST_MEMORY ((size_t)64 << 20)

// The identity of the file of the memory, to detect that its descriptor has become another file.
static struct stat file;

static size_t limit_of(int resource) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > SIZE_MAX)
    return SIZE_MAX;
  return limit.rlim_cur;
}

// The memory is as large as that of the host, between 1 and 64 GiB. A limit of the address space leaves three
// quarters to the rest of the program. A file above its limit would end the program by a signal.
size_t memory_target_size(void) {
  size_t gib = (size_t)1 << 30, size = MOST_MEMORY;
  struct sysinfo host;
  if (sysinfo(&host) == 0 && host.totalram <= size / host.mem_unit)
    size = (host.totalram * host.mem_unit + gib - 1) & ~(gib - 1);
  if (size > limit_of(RLIMIT_AS) / 4)
    size = limit_of(RLIMIT_AS) / 4;
  if (size > limit_of(RLIMIT_FSIZE))
    size = limit_of(RLIMIT_FSIZE);
  size &= ~(ALIGNMENT - 1);
  return size < LEAST_MEMORY ? 0 : size;
}

// high moves a descriptor out of the way: programs expect low numbers for their own files.
static int high(int fd) {
  static const int from[] = {900, 200, 50};
  for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, from[i]);
    if (moved >= 0) {
      close(fd);
      return moved;
    }
  }
  return fd;
}

int memory_file(size_t size) {
  if (size > limit_of(RLIMIT_FSIZE))
    return -1;
  int fd = memfd_create("acphook", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0)
    return -1;
  // Peers map the file. They rely on the seals: an access beyond its end would end them.
  if (ftruncate(fd, (off_t)size) != 0 ||
      fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    close(fd);
    return -1;
  }
  return high(fd);
}

// map maps the file at a multiple of ALIGNMENT.
static char *map(int fd, size_t size) {
  char *reserved = mmap(NULL, size + ALIGNMENT, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED)
    return NULL;
  char *base = (char *)(((uintptr_t)reserved + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
  if (base != reserved)
    munmap(reserved, (size_t)(base - reserved));
  if (base + size != reserved + size + ALIGNMENT)
    munmap(base + size, (size_t)(reserved + ALIGNMENT - base));
  if (mmap(base, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd, 0) == MAP_FAILED) {
    munmap(base, size);
    return NULL;
  }
  return base;
}

int memory_make(size_t size) {
  int fd = memory_file(size);
  if (fd < 0)
    return -1;
  char *base = map(fd, size);
  if (base == NULL) {
    close(fd);
    return -1;
  }
  fstat(fd, &file);
  memory.fd = fd;
  __atomic_store_n(&memory.base, base, __ATOMIC_RELAXED);
  __atomic_store_n(&memory.size, size, __ATOMIC_RELEASE);
  return 0;
}

int memory_has_file(void) {
  struct stat now;
  return memory.fd >= 0 && fstat(memory.fd, &now) == 0 && now.st_dev == file.st_dev && now.st_ino == file.st_ino;
}

void memory_move(int fd) {
  memory.fd = fd;
  memory.generation++;
  if (fd >= 0)
    fstat(fd, &file);
}

// drop gives whole pages back. Without a file the memory is private.
static int drop(char *from, char *to) {
  return from < to ? madvise(from, (size_t)(to - from), memory.fd >= 0 ? MADV_REMOVE : MADV_DONTNEED) : 0;
}

int memory_drop(size_t offset, size_t n) {
  static size_t page;
  if (page == 0)
    page = (size_t)sysconf(_SC_PAGESIZE);
  char *from = memory.base + offset, *to = from + n;
  char *first = (char *)(((uintptr_t)from + page - 1) & ~(page - 1));
  char *last = (char *)((uintptr_t)to & ~(page - 1));
  if (first >= last) {
    memset(from, 0, n);
    return 0;
  }
  if (drop(first, last) != 0)
    return -1;
  memset(from, 0, (size_t)(first - from));
  memset(last, 0, (size_t)(to - last));
  return 0;
}
