// Finds a second Go runtime in a program that is linked with the archive. It mirrors no Go code. The program exports
// functions that a shared library made by Go needs, so that library would call the functions of the runtime in the
// archive.

#define _GNU_SOURCE // RTLD_DEFAULT, dl_iterate_phdr

#include "process.h"
#include "runtimes.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

// As in errno.c: programs with the archive do without.
#pragma weak dlsym

extern void crosscall2(void); // by which the runtime of Go is entered

// Whether a segment of notes has the note that the Go linker writes into each result.
static int has_go_note(const char *note, size_t bytes) {
  enum { HEAD = sizeof(ElfW(Nhdr)), TYPE = 4 };
  const char *end = note + bytes;
  while ((size_t)(end - note) >= HEAD + 4) {
    const ElfW(Nhdr) *n = (const void *)note;
    if (n->n_namesz == 4 && n->n_type == TYPE && memcmp(note + HEAD, "Go\0", 4) == 0)
      return 1;
    size_t next = HEAD + ((n->n_namesz + (size_t)3) & ~(size_t)3) + ((n->n_descsz + (size_t)3) & ~(size_t)3);
    if (next > (size_t)(end - note))
      return 0;
    note += next;
  }
  return 0;
}

// Stores the name of a library with a runtime of Go. The program itself has no name.
static int look(struct dl_phdr_info *object, size_t size, void *found) {
  (void)size;
  if (object->dlpi_name == NULL || *object->dlpi_name == 0)
    return 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &object->dlpi_phdr[i];
    if (p->p_type == PT_NOTE && has_go_note((const char *)(object->dlpi_addr + p->p_vaddr), p->p_memsz)) {
      *(const char **)found = object->dlpi_name;
      return 1;
    }
  }
  return 0;
}

void goacp_end_if_second_runtime(void) {
  const char *library = NULL;
  if (dlsym == NULL || dlsym(RTLD_DEFAULT, "crosscall2") != (void *)crosscall2 ||
      dl_iterate_phdr(look, &library) == 0)
    return;
  char line[512];
  int n = snprintf(line, sizeof line,
                   "acp: %.300s is made by Go, too, and does not work beside the archive of this library: "
                   "link the shared one (ACP_LINK=shared)\n",
                   library);
  goacp_end(line, (size_t)n);
}
