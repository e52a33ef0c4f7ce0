/* What the macros of dmi_api.h with short names use. */

#define _GNU_SOURCE /* sched_getaffinity */

#include "internal.h"

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>

/* Ends the run with a line. */
static __attribute__((noreturn)) void fail(char *text) {
  if (text == NULL)
    exit(EXIT_FAILURE);
  if (goacp_dmi_id() >= 0)
    goacp_dmi_fail(text);
  fprintf(stderr, "%s\n", text);
  exit(EXIT_FAILURE);
}

static char *format_text(const char *format, va_list values) {
  char *text = NULL;
  return vasprintf(&text, format, values) < 0 ? NULL : text;
}

static __attribute__((format(printf, 1, 2))) char *text_of(const char *format, ...) {
  va_list values;
  va_start(values, format);
  char *text = format_text(format, values);
  va_end(values);
  return text;
}

/* Ends the run because of a place in the program. */
static __attribute__((noreturn)) void fail_at(const char *file, int line, const char *function, const char *what, const char *why) {
  char place[32] = "";
  if (goacp_dmi_id() >= 0)
    snprintf(place, sizeof place, " of process %d", goacp_dmi_id());
  fail(text_of("%s:%d: %s%s: %s%s%s", file, line, function, place, what, *why != 0 ? ": " : "", why));
}

void dmi_failed(const char *file, int line, const char *function, const char *call) {
  fail_at(file, line, function, call, DMI_strerror());
}

void dmi_error(const char *file, int line, const char *function) { fail_at(file, line, function, "error", ""); }

/* The line is written at once, so that lines of several processes do not mix. */
void dmi_outn(const char *format, ...) {
  va_list values;
  va_start(values, format);
  char *text = format_text(format, values);
  va_end(values);
  if (text == NULL)
    return;
  flockfile(stdout);
  fputs(text, stdout);
  putc('\n', stdout);
  fflush(stdout);
  funlockfile(stdout);
  free(text);
}

/* The processors that the process may use, before a thread is bound. */
static cpu_set_t processors;

__attribute__((constructor)) static void find_processors(void) {
  if (sched_getaffinity(0, sizeof processors, &processors) != 0) {
    CPU_ZERO(&processors);
    CPU_SET(0, &processors);
  }
}

int dmi_procnum(void) { return CPU_COUNT(&processors); }

int dmi_bind_to_cpu(int n) {
  int left = n % dmi_procnum();
  if (left < 0)
    left += dmi_procnum();
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (!CPU_ISSET(cpu, &processors) || left-- > 0)
      continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0 ? TRUE : FALSE;
  }
  return FALSE;
}

/* The Mersenne Twister MT19937 of Matsumoto and Nishimura, with a state for each thread. */
enum { WORDS = 624, MIDDLE = 397 };

struct twister {
  uint32_t words[WORDS];
  int next;
};

static pthread_key_t twisters;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int usable;

static void make_key(void) { usable = pthread_key_create(&twisters, free) == 0; }

static struct twister *twister(void) {
  pthread_once(&once, make_key);
  struct twister *t = usable ? pthread_getspecific(twisters) : NULL;
  if (t != NULL)
    return t;
  t = malloc(sizeof *t);
  if (t == NULL || !usable || pthread_setspecific(twisters, t) != 0)
    fail(text_of("dmi: no memory for random numbers"));
  t->next = -1;
  return t;
}

static void seed_twister(struct twister *t, uint32_t seed) {
  t->words[0] = seed;
  for (uint32_t i = 1; i < WORDS; i++)
    t->words[i] = 1812433253u * (t->words[i - 1] ^ t->words[i - 1] >> 30) + i;
  t->next = WORDS;
}

static void twist(struct twister *t) {
  for (int i = 0; i < WORDS; i++) {
    uint32_t y = (t->words[i] & 0x80000000u) | (t->words[(i + 1) % WORDS] & 0x7fffffffu);
    t->words[i] = t->words[(i + MIDDLE) % WORDS] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
  }
  t->next = 0;
}

static uint32_t next_word(struct twister *t) {
  if (t->next == WORDS)
    twist(t);
  uint32_t y = t->words[t->next++];
  y ^= y >> 11;
  y ^= y << 7 & 0x9d2c5680u;
  y ^= y << 15 & 0xefc60000u;
  return y ^ y >> 18;
}

void dmi_mrand_init(unsigned long seed) { seed_twister(twister(), (uint32_t)seed); }

double dmi_mrand_01(void) {
  struct twister *t = twister();
  if (t->next < 0)
    seed_twister(t, 5489);
  double high = next_word(t) >> 5, low = next_word(t) >> 6;
  return (high * 67108864.0 + low) / 9007199254740992.0;
}
