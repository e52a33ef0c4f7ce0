// mremap maps shared memory once more, if the old size is 0, and makes a mapping longer where it is.
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
  const size_t size = 1 << 20, more = 1 << 16;
  int fd = memfd_create("probe", 0);
  if (fd < 0 || ftruncate(fd, size) != 0)
    return 1;
  char *room = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED || munmap(room, size) != 0)
    return 1;
  char *first = mmap(room, more, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (first != room || mremap(first, more, size, 0) != first)
    return 1;
  char *second = mremap(first, 0, size, MREMAP_MAYMOVE);
  if (second == MAP_FAILED || second == first)
    return 1;
  first[size - 1] = 1;
  return second[size - 1] != 1;
}
