// The kernel notes which memory core dumps leave out (MADV_DONTDUMP), and shows that in /proc/self/smaps.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

int main(void) {
  const size_t size = 1 << 16;
  char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || madvise(memory, size, MADV_DONTDUMP) != 0)
    return 1;
  FILE *maps = fopen("/proc/self/smaps", "r");
  if (maps == NULL)
    return 1;
  char line[4096];
  int here = 0;
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long from, to;
    if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
      here = from <= (uintptr_t)memory && (uintptr_t)memory < to;
    else if (here && strncmp(line, "VmFlags:", 8) == 0)
      return strstr(line, " dd") == NULL;
  }
  return 1;
}
