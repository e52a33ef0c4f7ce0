// A program of AArch64 starts another one, or itself, without naming an emulator.
#include <unistd.h>

int main(int argc, char **argv) {
  char *again[] = {argv[0], "again", NULL};
  return argc > 1 ? 0 : execv(argv[0], again) != 0;
}
