#include "rules.h"
#include "libc.h"
#include "report.h"

#include "../pool.h"

#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct rules rules = {GOACP_HOOK_LOW, GOACP_HOOK_HIGH, {0}, {0, 0}, {0, 0}};

// Values that the linker gives to symbols, 0 if it gives none.
extern const char goacp_hook_classes[] __attribute__((weak));
extern const char goacp_hook_low[] __attribute__((weak));
extern const char goacp_hook_high[] __attribute__((weak));

// size_of reads a number of bytes, which may end in k, m or g. Returns whether text is one.
static int size_of(const char *text, size_t *size) {
  if (*text < '0' || *text > '9')
    return 0;
  char *end;
  unsigned long long n = strtoull(text, &end, 10);
  int shift = 0;
  switch (*end) {
  case 'k': case 'K': shift = 10; end++; break;
  case 'm': case 'M': shift = 20; end++; break;
  case 'g': case 'G': shift = 30; end++; break;
  }
  if (*end != '\0' || n > (ULLONG_MAX >> shift))
    return 0;
  *size = (size_t)(n << shift);
  return 1;
}

static void read_size(const char *name, size_t *size) {
  const char *text = getenv(name);
  if (text != NULL && !size_of(text, size))
    report(name, "=", text, ": expected a number of bytes, such as 4096 or 64k; the variable has no effect", NULL);
}

static void read_class(const char *name, unsigned char *on) {
  const char *text = getenv(name);
  if (text == NULL)
    return;
  if (strcmp(text, "0") == 0 || strcmp(text, "1") == 0)
    *on = *text == '1';
  else
    report(name, "=", text, ": expected 0 or 1; the variable has no effect", NULL);
}

// note notes the code of an object that has one of the functions of libc.
static int note(struct dl_phdr_info *object, size_t size, void *unused) {
  (void)size, (void)unused;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    struct code code = {object->dlpi_addr + part->p_vaddr, part->p_memsz};
    if (part->p_type != PT_LOAD)
      continue;
    if ((uintptr_t)__libc_malloc - code.start < code.size)
      rules.libc = code;
    if ((uintptr_t)pthread_setspecific - code.start < code.size)
      rules.threads = code;
  }
  return 0;
}

void rules_read(void) {
  size_t classes = (size_t)goacp_hook_classes, low = GOACP_HOOK_LOW, high = GOACP_HOOK_HIGH;
  if (classes != 0) {
    low = (size_t)goacp_hook_low;
    high = (size_t)goacp_hook_high;
  }
  unsigned char on[3] = {(classes & GOACP_HOOK_SMALL) != 0, (classes & GOACP_HOOK_LARGE) != 0,
                         (classes & GOACP_HOOK_HUGE) != 0};
  read_class("ACP_MHOOK_SMALL", &on[0]);
  read_class("ACP_MHOOK_LARGE", &on[1]);
  read_class("ACP_MHOOK_HUGE", &on[2]);
  read_size("ACP_MHOOK_LOW", &low);
  read_size("ACP_MHOOK_HIGH", &high);
  dl_iterate_phdr(note, NULL);
  rules.low = low;
  rules.high = high < low ? low : high;
  memcpy(rules.on, on, sizeof on);
}

void rules_off(void) {
  for (int i = 0; i < 3; i++)
    __atomic_store_n(&rules.on[i], 0, __ATOMIC_RELAXED);
}
