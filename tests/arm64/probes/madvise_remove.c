// MADV_REMOVE clears pages of shared memory.
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
  const size_t size = 1 << 16;
  int fd = memfd_create("probe", 0);
  if (fd < 0 || ftruncate(fd, size) != 0)
    return 1;
  char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED)
    return 1;
  memory[0] = 1;
  return madvise(memory, size, MADV_REMOVE) != 0 || memory[0] != 0;
}
