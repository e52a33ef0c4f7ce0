#include "report.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// add appends a text to the n bytes of a line of size bytes, as far as it fits.
static size_t add(char *line, size_t n, size_t size, const char *text) {
  size_t len = strnlen(text, size - n);
  memcpy(line + n, text, len);
  return n + len;
}

void report(const char *text, ...) {
  char line[400];
  size_t n = add(line, 0, sizeof line - 1, "libacphook: ");
  va_list more;
  va_start(more, text);
  for (const char *t = text; t != NULL; t = va_arg(more, const char *))
    n = add(line, n, sizeof line - 1, t);
  va_end(more);
  line[n++] = '\n';
  ssize_t ignored = write(STDERR_FILENO, line, n);
  (void)ignored;
}

void die(const char *text) {
  report(text, NULL);
  abort();
}
