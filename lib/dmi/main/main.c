/* The beginning of programs with DMI. It is a part of the program, because only that knows its functions: a shared library
   would not see those that are there, and could not be linked where one is missing. */

#include "dmi_api.h"
#include "dmi_bind.h"

void DMI_main(int argc, char **argv) __attribute__((weak));
int32_t DMI_scaleunit(int my_rank, int pnum, int64_t addr) __attribute__((weak));
int64_t DMI_thread(int64_t addr) __attribute__((weak));
void DMI_function(void *page_ptr, int64_t size, void *out_ptr, int64_t out_size, void *in_ptr, int64_t in_size, int8_t tag)
    __attribute__((weak));

int main(int argc, char **argv) {
  const struct goacp_dmi_program program = {sizeof program, DMI_main, DMI_scaleunit, DMI_thread, DMI_function};
  return dmi_begin(argc, argv, &program);
}
