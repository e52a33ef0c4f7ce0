/* Memory that ends with the thread that has taken it. Threads stay in their processes, so it is ordinary memory; this file gives
   back what is left of it. */

#define _GNU_SOURCE /* mremap */

#include "internal.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

/* A piece of memory of malloc, before which it stands. */
struct piece {
  struct piece *next, *before;
};

/* Mapped memory of a thread, which another thread may unmap or replace. */
struct mapping {
  struct mapping *next;
  const struct piece *owner; /* the ring of the thread */
  char *start;
  size_t length;
};

enum { HEAD = (sizeof(struct piece) + 15) / 16 * 16 };

/* The pieces of a thread: a ring whose head is this. */
static pthread_key_t pieces;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int usable;
static struct mapping *mappings; /* of all threads */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a thread may free the memory of another one */

static void take_out(struct piece *p) {
  p->before->next = p->next;
  p->next->before = p->before;
}

static void put_in(struct piece *head, struct piece *p) {
  p->next = head->next;
  p->before = head;
  head->next->before = p;
  head->next = p;
}

static void give_back(void *memory) {
  struct piece *head = memory;
  pthread_mutex_lock(&lock);
  while (head->next != head) {
    struct piece *p = head->next;
    take_out(p);
    free(p);
  }
  for (struct mapping **at = &mappings, *m; (m = *at) != NULL;) {
    if (m->owner != head) {
      at = &m->next;
      continue;
    }
    *at = m->next;
    munmap(m->start, m->length);
    free(m);
  }
  pthread_mutex_unlock(&lock);
  free(head);
}

static void make_key(void) { usable = pthread_key_create(&pieces, give_back) == 0; }

/* The ring of the calling thread; NULL without memory for one. */
static struct piece *ring(void) {
  pthread_once(&once, make_key);
  struct piece *head = usable ? pthread_getspecific(pieces) : NULL;
  if (head != NULL || !usable || (head = calloc(1, sizeof *head)) == NULL)
    return head;
  head->next = head->before = head;
  if (pthread_setspecific(pieces, head) != 0) {
    free(head);
    return NULL;
  }
  return head;
}

static struct piece *piece_of(void *at) { return (struct piece *)(void *)((char *)at - HEAD); }

void *DMI_thread_malloc(int64_t size) {
  struct piece *head = ring(), *p;
  if (size < 0 || head == NULL || (uint64_t)size > SIZE_MAX - HEAD || (p = malloc(HEAD + (size_t)size)) == NULL) {
    errno = ENOMEM;
    return NULL;
  }
  pthread_mutex_lock(&lock);
  put_in(head, p);
  pthread_mutex_unlock(&lock);
  return (char *)p + HEAD;
}

void DMI_thread_free(void *ptr) {
  if (ptr == NULL)
    return;
  pthread_mutex_lock(&lock);
  take_out(piece_of(ptr));
  pthread_mutex_unlock(&lock);
  free(piece_of(ptr));
}

void *DMI_thread_realloc(void *ptr, int64_t size) {
  if (ptr == NULL)
    return DMI_thread_malloc(size);
  if (size < 0 || (uint64_t)size > SIZE_MAX - HEAD) {
    errno = ENOMEM;
    return NULL;
  }
  pthread_mutex_lock(&lock);
  struct piece *p = realloc(piece_of(ptr), HEAD + (size_t)size);
  if (p != NULL)
    p->next->before = p->before->next = p;
  pthread_mutex_unlock(&lock);
  return p == NULL ? NULL : (char *)p + HEAD;
}

/* Returns a record of mapped memory that the calling thread will have; NULL without memory for one. */
static struct mapping *record(void) {
  struct piece *head = ring();
  struct mapping *m = head == NULL ? NULL : malloc(sizeof *m);
  if (m == NULL)
    errno = ENOMEM;
  else
    m->owner = head;
  return m;
}

/* Enters mapped memory, or drops the record if the mapping has failed. The caller has the lock. */
static void enter(struct mapping *m, void *start, size_t length) {
  if (start == MAP_FAILED) {
    int why = errno;
    free(m);
    errno = why;
    return;
  }
  m->start = start;
  m->length = length;
  m->next = mappings;
  mappings = m;
}

/* Forgets [start, start + length) of the mapped memory of all threads. The caller has the lock. */
static void forget(char *start, size_t length) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *end = start + (length + page - 1) / page * page;
  for (struct mapping **at = &mappings, *m; (m = *at) != NULL;) {
    char *first = m->start, *last = first + m->length;
    if (first >= end || last <= start) {
      at = &m->next;
    } else if (first < start) {
      struct mapping *rest = last > end ? malloc(sizeof *rest) : NULL;
      m->length = (size_t)(start - first);
      if (rest != NULL) { /* otherwise it is never unmapped */
        *rest = (struct mapping){m->next, m->owner, end, (size_t)(last - end)};
        m->next = rest;
      }
      at = &m->next;
    } else if (last > end) {
      m->start = end;
      m->length = (size_t)(last - end);
      at = &m->next;
    } else {
      *at = m->next;
      free(m);
    }
  }
}

void *DMI_thread_mmap(void *start, size_t length, int prot, int flags, int fd, off_t offset) {
  struct mapping *m = record();
  if (m == NULL)
    return MAP_FAILED;
  pthread_mutex_lock(&lock);
  void *at = mmap(start, length, prot, flags, fd, offset);
  if (at != MAP_FAILED)
    forget(at, length); /* MAP_FIXED may have replaced some */
  enter(m, at, length);
  pthread_mutex_unlock(&lock);
  return at;
}

/* Other flags would need the fifth argument of mremap, or keep the old memory. */
void *DMI_thread_mremap(void *old_address, size_t old_size, size_t new_size, int flags) {
  struct mapping *m;
  if ((flags & ~MREMAP_MAYMOVE) != 0) {
    errno = EINVAL;
    return MAP_FAILED;
  }
  if ((m = record()) == NULL)
    return MAP_FAILED;
  pthread_mutex_lock(&lock);
  void *at = mremap(old_address, old_size, new_size, flags);
  if (at != MAP_FAILED)
    forget(old_address, old_size);
  enter(m, at, new_size);
  pthread_mutex_unlock(&lock);
  return at;
}

/* The result of a function for which the system has returned 0 or an error. errno stays. */
static int32_t result_of(int result) {
  if (result == 0)
    return TRUE;
  int why = errno;
  goacp_dmi_refuse(strerror(why));
  errno = why;
  return FALSE;
}

int32_t DMI_thread_mprotect(void *addr, size_t len, int prot) { return result_of(mprotect(addr, len, prot)); }

int32_t DMI_thread_munmap(void *start, size_t length) {
  pthread_mutex_lock(&lock);
  int result = munmap(start, length);
  if (result == 0)
    forget(start, length);
  pthread_mutex_unlock(&lock);
  return result_of(result);
}
