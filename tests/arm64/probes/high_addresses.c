// Programs have addresses of 48 bits, of which the library uses those above 47 bits for memory that processes share.
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/mman.h>

int main(void) {
  void *high = (void *)((uintptr_t)0x900000000000);
  return mmap(high, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != high;
}
