// Memory is mapped at an address that is free, and not where something is (MAP_FIXED_NOREPLACE).
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/mman.h>

int main(void) {
  const size_t size = 1 << 16;
  char *free_address = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (free_address == MAP_FAILED || munmap(free_address, size) != 0)
    return 1;
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
  char *there = mmap(free_address, size, PROT_READ | PROT_WRITE, flags, -1, 0);
  return there != free_address || mmap(there, size, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED;
}
