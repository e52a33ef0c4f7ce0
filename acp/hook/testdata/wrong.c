// wrong twice|inside|run: mistakes with free end the program with a message.

#include "check.h"

int main(int argc, char **argv) {
  CHECK(argc == 2);
  char *volatile p = malloc(100), *volatile q = malloc(1 << 20);
  if (strcmp(argv[1], "twice") == 0)
    for (int i = 0; i < 200; i++)
      free(p);
  if (strcmp(argv[1], "inside") == 0)
    for (int i = 0; i < 200; i++)
      free(p + 16);
  if (strcmp(argv[1], "run") == 0)
    free(q + 64);
  return 0;
}
